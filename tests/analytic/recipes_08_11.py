"""How the entries of chapters 8-11 are computed: variational principles, Noether, six systems by every mechanics."""

from __future__ import annotations

import math

import sympy as sp

from analytic import by_habit as an
from analytic.case_runner import worst, zero
from analytic.six_systems import SYSTEMS, system
from dalembert.errors import ModelError

RECIPES: dict = {}


def recipe(*ids: str):
    def keep(f):
        for id_ in ids:
            RECIPES[id_] = f
        return f

    return keep


# ---- 8 ---------------------------------------------------------------------------------------------------------------


@recipe("8.A.1")
def _(entry, out):
    n = an.Names(positive=["a", "b", "d"], real=["x"])
    path = an.stationary(entry["given"]["path"], "x", positive=["a", "b", "d"])
    star = path.points[0]
    law = n.read("x/sqrt(x**2+a**2) - (d-x)/sqrt((d-x)**2+b**2)")
    out.confirm(an.equal(path.derivative, law), "the derivative is sin i - sin r")
    out.fact(path.minimum[0] is True, "a minimum")
    return {"x_star": star, "sin_i_minus_sin_r_at_star": law.subs(n.symbol("x"), star), "min_length": path.values[0]}, n


@recipe("8.B.1")
def _(entry, out):
    n = an.Names(positive=["a", "b", "d", "v1", "v2"], real=["x"])
    time = an.stationary(entry["given"]["time"], "x", positive=["a", "b", "d", "v1", "v2"])
    sine_r = 0.5 * math.sin(0.6)  # v2 = v1/2, sin r = (v2/v1) sin i
    out.reject(math.asin(sine_r) > 0.6, "v2 < v1 bends towards the normal, r < i")
    return {"stationarity": time.derivative}, n


@recipe("8.B.2", "8.D.1")
def _(entry, out):
    f = an.Functional(entry["given"]["f"], "y", "x")
    n = f.names
    on_shell = sp.solve(f.euler[0], n.velocity("y", 2))[0]
    out.confirm(an.is_zero(n.derivative(f.beltrami).subs(n.velocity("y", 2), on_shell)), "constant on extremals")
    found = {"first_integral": f.beltrami}
    if entry["id"] == "8.D.1":
        other = f.swap()
        stated = other.names.read(entry["given"]["f_alt_x_of_y"])
        out.confirm(an.equal(other.f, stated, ranges={"yA": (3, 4), "y": (0.1, 2)}), "x(y) instead of y(x)")
        k = an.Names(["Y"], independent="x", positive=["Y"])
        shifted = f.beltrami.subs({n.symbol("y"): n.symbol("yA") - k.symbol("Y"), n.velocity("y"): -k.velocity("Y")})
        # first integral = 1/k squared and cleared
        ode = sp.together(1 / shifted**2 - k.read("k**2")) / (2 * k.symbol("g"))
        return found | {"ode_Y": lambda claim: an.equal(k.read(claim), ode)}, n
    return found, n


@recipe("8.C.1")
def _(entry, out):
    n = an.Names(["y", "Y"], independent="x", positive=["Y"])
    v = n.read("sqrt(2*g*(yA-y))")
    drop = an.System("z", L="m*z_d**2/2 - m*g*z").lagrange().energy
    k = an.Names(["z"])
    out.confirm(
        an.is_zero(k.read(drop).subs({k.velocity("z"): sp.sqrt(k.read("2*g*(zA-z)"))}) - k.read("m*g*zA")),
        "v by the energy",
    )
    sine = n.read("1/sqrt(1+yp**2)")
    law = (v / sine) ** 2 - n.read("k**2")
    ode_y = sp.expand(law / (2 * n.symbol("g")))
    cycloid = an.cycloid_check()
    out.fact(cycloid["ode_on_cycloid"] == 0, "the cycloid satisfies it")
    # y'' from the ode is positive: the arc is convex
    second = sp.solve(n.derivative(ode_y), n.velocity("y", 2))[0]
    value = second.subs({n.symbol("yA"): 2, n.symbol("y"): 1, n.velocity("y"): -1})
    out.reject(value < 0, "the arc is a bowl, not concave downwards")
    return {
        "v": v,
        "sin_i": sine,
        "ode_Y": ode_y.subs({n.symbol("y"): n.symbol("yA") - n.symbol("Y"), n.velocity("y"): -n.velocity("Y")}),
        "ode_y": ode_y,
    }, n


@recipe("8.D.3", "8.D.4")
def _(entry, out):
    n = an.Names(positive=["k", "Hd", "D", "theta", "thetaB"])
    check = an.cycloid_check()
    theta, g, k = sp.symbols("theta g k", positive=True)
    Y, X = k**2 * (1 - sp.cos(theta)) / (4 * g), k**2 * (theta - sp.sin(theta)) / (4 * g)
    at_B = {theta: n.symbol("thetaB")}
    for distance, drop in ((1.0, 1.0), (3.0, 1.0), (0.4, 2.0)):
        curve = an.brachistochrone(distance, drop)
        end = curve.point(curve.theta)
        out.fact(abs(end[0] - distance) < 1e-9 and abs(end[1] - drop) < 1e-9, "passes through B")
        out.fact(curve.time < curve.straight_time(), "quicker than the chord")
        out.fact((curve.theta > math.pi) == (distance > math.pi * drop / 2), curve.regime)
    curve = an.brachistochrone(1.0, 1.0)
    bent = an.descent_time(
        lambda x: x + 0.05 * math.sin(math.pi * x), lambda x: 1 + 0.05 * math.pi * math.cos(math.pi * x), 1.0
    )
    out.fact(curve.time < bent, "quicker than a neighbour")
    speed = check["rate_of_theta"]
    k_pi = sp.solve(Y.subs(theta, sp.pi) - n.symbol("Hd"), k)[0]
    t_B = n.symbol("thetaB") / speed
    return {
        "Hd": Y.subs(at_B),
        "D": X.subs(at_B),
        "D_over_Hd_at_pi": sp.simplify((X / Y).subs(theta, sp.pi)),
        "thetad": speed,
        "v": check["speed"],
        "v_at_pi": check["speed"].subs(theta, sp.pi),
        "t_B": t_B,
        "k_for_pi": k_pi,
        "t_fall": n.read("sqrt(2*Hd/g)"),
        "t_B_pi": t_B.subs({n.symbol("thetaB"): sp.pi, k: k_pi}),
    }, n


@recipe("8.E.rule1", "9.A.1", "9.A.2", "9.B.1")
def _(entry, out):
    two = an.Functional("f(y1,y2,y1p,y2p,x)", "y1 y2", "x")
    n = two.names
    f = two.f
    for y, v, e in zip(n.q, n.v, two.euler):
        out.confirm(an.equal(e, n.derivative(sp.diff(f, v)) - sp.diff(f, y)), "one equation for each function")
    motion = an.System("x", L="m*x_d**2/2 - V(x)").lagrange()
    principle = an.Functional("m*xp**2/2 - V(x)", "x", "t")
    out.confirm(
        an.equal(principle.names.read(motion.equations[0]), principle.euler[0]),
        "Hamilton's principle gives Lagrange's equation",
    )
    phase = an.Functional("p*q_d - p**2/(2*m) - V(q)", "q p", "t")
    hamilton = an.System("q", H="p**2/(2*m) + V(q)").hamilton()
    m = phase.names
    solved = sp.solve(list(phase.euler), [m.velocity("q"), m.velocity("p")], dict=True)[0]
    out.confirm(an.equal(solved[m.velocity("q")], hamilton.qdot["q"]), "q' by independent variation of p")
    out.confirm(an.equal(solved[m.velocity("p")], hamilton.pdot["p"]), "p' by independent variation of q")
    same = an.equivalence(
        "a*m*x_d**2/2 - a*V(x) + Derivative(f(x,t),x)*x_d + Derivative(f(x,t),t)", "m*x_d**2/2 - V(x)", "x"
    )
    out.confirm(an.check("a", same.factor), "scaling")
    k = an.Names(["x"])
    out.confirm(an.check("f(x,t)", k.read(same.gauge), names=k), "gauge")
    return {}, n


@recipe("8.E.rule2", "8.E.1", "8.E.2")
def _(entry, out):
    n = an.Names(["x", "y"], positive=["E"])
    free = an.maupertuis("m*(x_d**2+y_d**2)/2", "0", "x y", "x")
    out.confirm(
        an.equal(free.f, free.names.read("sqrt(2*m*E)*sqrt(1+yp**2)"), ranges={"E": (1, 2)}), "W = sqrt(2 m E) length"
    )
    T = n.read("m*(x_d**2+y_d**2)/2")
    p = [sp.diff(T, v) for v in n.v]
    out.confirm(an.equal(sum(a * v for a, v in zip(p, n.v)), 2 * T), "sum p dq = 2 T dt")
    speed = n.read("sqrt(x_d**2+y_d**2)")
    on_energy = 2 * T - sp.sqrt(2 * n.symbol("m") * T) * speed
    out.confirm(an.is_zero(on_energy), "2 T dt = sqrt(2 m (E-V)) ds")
    s = an.System("q", H="p**2/(2*m) + k*q**2/2", positive="E")
    hj = s.hamilton_jacobi()
    out.confirm(
        an.equal(sp.diff(hj.S0, s.names.symbol("q")), hj.slopes["q"], signs=["s"]), "W is the reduced action: dW/dq = p"
    )
    out.confirm(an.is_zero(hj.S - hj.S0 + s.names.read("E*t")), "S = W - E t")
    return {}, n


@recipe("8.E.3")
def _(entry, out):
    orbit = an.Functional(entry["given"]["Ly"], "x", "y")
    n = orbit.names
    built = an.maupertuis("m*(x_d**2+y_d**2)/2", "m*g*y", "x y", "y")
    out.confirm(an.equal(built.f, orbit.f, ranges={"E": (40, 50), "y": (0.1, 1)}), "Maupertuis' integrand")
    k = an.Names(["y"], independent="x", positive=["Hm", "vx"])
    A = k.read("vx**2/(2*g)")
    E = k.read("m*g*Hm") + k.symbol("m") * k.symbol("vx") ** 2 / 2
    constant = orbit.cyclic["x"] ** 2 - k.read("m**2*vx**2")
    relation = constant.subs(n.velocity("x"), 1 / k.velocity("y")).subs(
        {n.symbol("E"): E, n.symbol("y"): k.symbol("y"), n.symbol("m"): k.symbol("m"), n.symbol("g"): k.symbol("g")}
    )
    slope = sp.solve(sp.together(relation), k.velocity("y") ** 2)

    def ode(claim):
        stated = k.read(claim).subs(k.symbol("A"), A)
        return an.is_zero(stated.subs(k.velocity("y"), sp.sqrt(slope[0])))

    def path(claim):
        y = k.read(claim)
        x, xm = k.symbol("x"), k.symbol("xm")
        return worst(
            an.is_zero(y.subs(x, xm) - k.symbol("Hm")), an.equal(sp.diff(y, x) ** 2, slope[0].subs(k.symbol("y"), y))
        )

    return {
        "first_integral": lambda c: an.equal(n.read(c), orbit.cyclic["x"]),
        "A": A,
        "E": lambda c: an.equal(k.read(c).subs(k.symbol("A"), A), E),
        "ode": ode,
        "y_x": path,
    }, k


@recipe("8.E.4")
def _(entry, out):
    orbit = an.Functional(entry["given"]["Lrho"], "theta", "rho", positive=["rho"])
    n = orbit.names
    built = an.maupertuis("m*(rho_d**2+rho**2*theta_d**2)/2", "V(rho)", "rho theta", "rho")
    out.confirm(an.equal(built.f, orbit.f, ranges={"E": (60, 70)}), "Maupertuis' integrand")
    momentum = orbit.cyclic["theta"]

    def slope(claim):
        """theta' is right when it makes the cyclic momentum equal to Lz."""
        stated = n.read(claim)
        return an.equal(
            momentum.subs(n.velocity("theta"), stated) ** 2, n.read("Lz**2"), ranges={"E": (60, 70), "Lz": (0.2, 0.6)}
        )

    reduced = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 - V(rho)", momenta="prho Lz").hamilton()
    effective = reduced.H.subs(reduced.p[0], 0)
    return {
        "Lmom": lambda c: an.equal(n.read(c), momentum, ranges={"E": (60, 70)}),
        "thetap": slope,
        "Ueff": effective,
    }, reduced.names


# ---- 9, 10 ----


@recipe("9.A.3")
def _(entry, out):
    action = an.action_along("m*x_d**2/2 + m*a*x", {"x": "x0 + v0*t + a*t**2/2"})
    k = an.Names()
    S = k.read(action).subs(k.symbol("v0"), k.read("(x-x0)/t - a*t/2"))
    out.confirm(an.check("m*(x-x0)**2/(2*t)+m*a*t*(x+x0)/2-m*a**2*t**3/24", S, names=k), "the action of the true path")
    p_end = k.read("m*((x-x0)/t + a*t/2)")
    out.confirm(an.equal(sp.diff(S, k.symbol("x")), p_end), "dS/dx = p")
    H = an.System("x", H="p**2/(2*m) - m*a*x", real="a")
    out.confirm(an.equal(sp.diff(S, k.symbol("t")), -k.read(H.hamilton().H).subs(k.symbol("p"), p_end)), "dS/dt = -H")
    return {}, k


@recipe("9.C.1", "9.G.1")
def _(entry, out):
    two = an.System("x1 y1 x2 y2", L="m1*(x1_d**2+y1_d**2)/2 + m2*(x2_d**2+y2_d**2)/2 - V((x1-x2)**2+(y1-y2)**2)")
    motion = two.lagrange()
    out.fact(motion.is_first_integral(motion.energy), "energy")
    shift = an.noether(two, {"x1": 1, "x2": 1})
    out.confirm(an.check("m1*x1_d + m2*x2_d", shift.integral, names=two.names), "momentum")
    turn = an.noether(two, {"x1": "-y1", "y1": "x1", "x2": "-y2", "y2": "x2"})
    out.confirm(
        an.check("m1*(x1*y1_d-y1*x1_d) + m2*(x2*y2_d-y2*x2_d)", turn.integral, names=two.names), "angular momentum"
    )
    if entry["id"] == "9.C.1":
        wrong = {"x1": "x1-y1", "y1": "y1+x1", "x2": "x2-y2", "y2": "y2+x2"}
        out.reject(_is_symmetry(two, wrong), "r + dr instead of d_omega x r")
    general = an.System("q", L="L0(q,q_d,t)")
    n, L = general.names, general.names.read("L0(q,q_d,t)")
    h = n.velocity("q") * sp.diff(L, n.velocity("q")) - L
    el = general.lagrange().expressions[0]
    out.confirm(
        an.equal(sp.diff(L, n.time) + n.derivative(h), n.velocity("q") * el), "dL/dt + dh/dt vanishes on the motion"
    )
    return {}, two.names


def _is_symmetry(s, shifts) -> bool:
    try:
        an.noether(s, shifts)
    except ModelError:
        return False
    return True


@recipe("9.D.1", "9.E.1", "9.F.1")
def _(entry, out):
    n = an.Names(["x", "y"])
    inertia = an.System("x y", L="Lf(x_d**2+y_d**2)").lagrange()
    free = all(an.is_zero(e.subs(dict.fromkeys(n.a, 0))) for e in inertia.equations)
    out.fact(free and all(not inertia.L.has(q) for q in n.q), "constant velocity solves the equations of L(v^2)")
    _, solution = an.free_lagrangian()
    u = sp.Symbol("u", positive=True)
    out.fact(zero(sp.diff(solution, u, 2)), "L is affine in v^2")
    one = an.System("x", L="C*x_d**2")
    k = one.names
    boosted = an.finite_invariance(one, {"x": "x + dv*t"})
    first_order = sp.diff(boosted, k.symbol("dv")).subs(k.symbol("dv"), 0) * k.symbol("dv")
    quartic = an.System("x", L="C*x_d**4")
    try:
        an.finite_invariance(quartic, {"x": "x + dv*t"})
        out.fact(False, "v^4 must be refused")
    except ModelError:
        out.fact(True, "v^4 changes by more than a total derivative")
    forced = an.System("x", L="m*x_d**2/2 - V(x,t)").lagrange()
    out.confirm(
        an.equal(
            forced.names.symbol("m") * forced.accelerations["x"],
            -sp.diff(forced.names.read("V(x,t)"), forced.names.symbol("x")),
        ),
        "L = T - V",
    )
    slope = sp.diff(solution, u)
    momentum = an.System("x", L="C*x_d**2").lagrange().momenta["x"]
    C = sp.solve(momentum - k.read("m*x_d"), k.symbol("C"))[0]
    v = sp.Symbol("v", real=True)
    return {
        "L": sp.Symbol("C", real=True) * (u * slope / slope).subs(u, v**2),
        "gauge_F_1d": -first_order,
        "C": C,
    }, an.Names()


@recipe("10.A.rule", "10.A.2", "10.B.thm", "10.B.1")
def _(entry, out):
    free = an.System("x", L="m*x_d**2/2")
    n = free.names
    _, form = an.invariance_family(free, {"x": "x + h(t)"}, "h")
    constants = {sp.Symbol("C1"): n.symbol("alpha"), sp.Symbol("C2"): n.symbol("beta")}
    f = -an.finite_invariance(free, {"x": "x + alpha + beta*t"}).subs(n.symbol("x"), n.read("xprime - alpha - beta*t"))
    boost, shift = an.noether(free, {"x": "t"}), an.noether(free, {"x": 1})
    out.fact(
        free.lagrange().is_first_integral(boost.integral) and free.lagrange().is_first_integral(shift.integral),
        "conserved",
    )
    cyclic = an.System("q s", L="m*q_d**2/2 + a(s)*s_d**2 - V(s)")
    out.confirm(
        an.check("m*q_d", an.noether(cyclic, {"q": 1}).integral, names=cyclic.names),
        "a cyclic coordinate is the special case",
    )
    back = an.symmetry_of(free, boost.integral)
    out.confirm(an.equal(back.shifts["x"], n.time), "from the integral back to the symmetry")

    def gauge(claim):
        return worst(*(an.is_zero(sp.diff(n.read(claim) - f, n.symbol(v))) for v in ("xprime", "t")))

    dalpha, dbeta = n.symbol("dalpha"), n.symbol("dbeta")
    return {
        "gfun": form.subs(constants),
        "f": gauge,
        "delta_f": -boost.gauge * dbeta,
        "noether": shift.integral * dalpha + boost.integral * dbeta,
        "I_translation": shift.integral,
        "I_boost": an.tidy(-boost.integral / n.symbol("m")),
    }, n


@recipe("10.C.1")
def _(entry, out):
    two = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 - V(x1-x2)")
    plus = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 + V(x1-x2)").lagrange()
    force = plus.names.symbol("m1") * plus.accelerations["x1"]
    out.reject(
        an.equal(force, -sp.diff(two.names.read("V(x1-x2)"), two.names.symbol("x1"))),
        "L = T + V gives the opposite force",
    )
    return {"P_total_x_for_two": an.noether(two, {"x1": 1, "x2": 1}).integral}, two.names


@recipe("10.C.3")
def _(entry, out):
    free = an.System("x", L="m*x_d**2/2")
    n = free.names
    f = -an.finite_invariance(free, {"x": "x + v*t"}).subs(n.symbol("x"), n.read("xprime - v*t"))
    two = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 - V(x1-x2)")
    k = two.names
    boost = an.noether(two, {"x1": "t", "x2": "t"})

    def law(claim):
        """Centre of mass law: the claim must vanish with RG, P of the two bodies and RG0 the value at t = 0."""
        stated = k.read(claim)
        total = k.read("m1+m2")
        at = {
            k.symbol("M"): total,
            k.symbol("RG"): k.read("(m1*x1+m2*x2)/(m1+m2)"),
            k.symbol("P"): k.read("m1*x1_d+m2*x2_d"),
        }
        rate = k.derivative(stated.subs(at))
        on = {k.velocity(c, 2): a for c, a in two.lagrange().accelerations.items()}
        return an.is_zero(rate.subs(on))

    out.fact(two.lagrange().is_first_integral(boost.integral), "conserved")
    algebra = an.galilei_algebra(2)
    out.fact(algebra.brackets["Kx", "Px"] == algebra.total_mass, "[K, P] = M")
    return {"f_1d_one": f, "noether_1d_one": an.noether(free, {"x": "t"}).integral * n.symbol("dv"), "law_1d": law}, n


# ---- 11: the six systems ----


def solves(view, coordinate: str, claim: str, start: dict[str, str]):
    """A motion is right when it satisfies the equation of motion and starts as stated."""
    n = view.names
    motion = n.read(claim)
    residual = n.at_functions(n.velocity(coordinate, 2) - view.accelerations[coordinate], {coordinate: motion})
    tests = [an.is_zero(residual)]
    for name, order in start.items():
        tests.append(an.equal(sp.diff(motion, n.time, order).subs(n.time, 0), n.symbol(name)))
    return worst(*tests)


@recipe("11.A.1a")
def _(entry, out):
    s = system("11.A", "x1")
    n, newton = s.names, s.newton()
    given = n.read_all(entry["given"].values())
    solved = sp.solve(given, [n.velocity("x1", 2), n.symbol("Tn")], dict=True)[0]
    out.confirm(an.equal(solved[n.velocity("x1", 2)], newton.accelerations["x1"]), "the stated equations give the same")
    return {
        "R1": newton.reaction(1, ("-sin(alpha1)", "cos(alpha1)")),
        "R2": newton.reaction(2, ("sin(alpha2)", "cos(alpha2)")),
        "x1dd": newton.accelerations["x1"],
        "Tn": newton.reaction(1, ("cos(alpha1)", "sin(alpha1)")),
        "x1_t": lambda c: solves(newton, "x1", c, {"x10": 0, "x1d0": 1}),
    }, n


@recipe("11.A.1b")
def _(entry, out):
    s = system("11.A", "x")
    n = s.names
    A = n.read("g*(m1*sin(alpha1)-m2*sin(alpha2))")
    short = an.System("x", L="(m1+m2)*x_d**2/2 + A*x", positive="A x")
    k = short.names
    t_x = an.antiderivative(short.lagrange().quadrature(0).function, k.symbol("x"))

    def energy(claim):
        stated = n.read(claim).subs(n.symbol("A"), A)
        return an.is_zero(n.derivative(stated - s.lagrange().energy))

    return {"E": energy, "t_x": t_x, "x_t": an.tidy(sp.solve(t_x - sp.Symbol("t", positive=True), k.symbol("x"))[0])}, k


@recipe("11.A.2a", "11.A.2b")
def _(entry, out):
    s = system("11.A", "x1")
    a = -s.dalembert().accelerations["x1"]
    rope = an.System(
        "s1 s2",
        constraints=["s1 - s2"],
        particles=[an.Particle("m1", ["s1"], ["-m1*g*sin(alpha1)"]), an.Particle("m2", ["s2"], ["m2*g*sin(alpha2)"])],
    )
    n = rope.names
    lam = rope.lagrange().multipliers["lam"]
    for (c, balance), claim in zip(rope.dalembert().balances.items(), entry.get("given", {}).values()):
        out.confirm(an.equal(n.read(claim).subs(n.symbol("a"), n.velocity(c, 2)), balance), f"balance of {c}")
    out.confirm(an.equal(n.read(a), rope.lagrange().accelerations["s2"]), "with a multiplier")
    return {"a": a, "lam": lam}, n


def _hamilton(s):
    view = s.hamilton()
    n = s.names
    found = {"H": view.H}
    for c, p, expression in zip(s.coordinates, view.p, view.momenta.values()):
        found[p.name] = expression
        found[f"{p.name}dot"] = view.pdot[p.name]
        found[f"{c}dot"] = view.qdot[c]
        found[f"{c}d"] = view.qdot[c]
    return view, n, found


@recipe("11.A.4", "11.B.4", "11.D.4", "11.E.4", "11.F.3", "11.C.4")
def _(entry, out):
    letter = entry["id"][:4]
    momenta = {"11.A": "p1", "11.B": "p", "11.D": "p", "11.E": "prho ptheta", "11.F": "ptheta pphi", "11.C": "p1 p2"}[
        letter
    ]
    s = system(letter, *entry["coords"], momenta=momenta)
    view, n, found = _hamilton(s)
    t = n.time
    if letter in ("11.A", "11.B"):
        c, p = s.coordinates[0], view.p[0]
        rate = view.pdot[p.name]
        start = n.symbol("p10" if letter == "11.A" else "p0")
        found[f"{p.name}_t"] = rate * t + start
        found["phid_t"] = view.qdot[c].subs(p, rate * t + start)
        found[f"{c}_t"] = lambda claim: solves(view, c, claim, {f"{c}0": 0, f"{c}d0": 1})
    if letter == "11.C":
        for i in (1, 2):
            found[f"q{i}d_t_slope"] = view.rate(view.qdot[f"q{i}"])
    if letter == "11.F":
        found["thetadd"] = view.rate(view.qdot["theta"])
    return found, n


@recipe("11.A.5", "11.B.5")
def _(entry, out):
    if entry["id"] == "11.A.5":
        s = an.System("q1", H="p1**2/(2*(m1+m2)) - Ft*q1", momenta="p1", signs=["s"])
        real = system("11.A", "q1", momenta="p1").hamilton()
        long = {"Ft": "(m1*sin(alpha1)-m2*sin(alpha2))*g"}
    else:
        s = an.System("phi", H="p**2/(2*Im) - Tq*phi", signs=["s"], positive="Im")
        real = system("11.B", "phi").hamilton()
        long = {"Im": "m1*R1**2+m2*R2**2", "Tq": "(m1*R1-m2*R2)*g"}
    n = s.names
    out.confirm(
        an.equal(n.read(s.hamilton().H).subs({n.symbol(k): n.read(v) for k, v in long.items()}), n.read(real.H)),
        "the abbreviated H",
    )
    hj = s.hamilton_jacobi()
    out.fact(bool(hj.verify(hj.S)), "complete integral")
    c = s.coordinates[0]
    return {"S0": hj.S0, "beta_plus_t": hj.jacobi["E"] + n.time, f"{c}_t": hj.motion()[c]}, n


@recipe("11.B.1a", "11.B.1b", "11.B.2")
def _(entry, out):
    s = system("11.B", "phi")
    n, view = s.names, s.lagrange()
    for claim in entry.get("given", {}).values():
        out.confirm(s.dalembert().check_equation(claim, "phi"), "the stated balance")
    angular = an.angular_momentum(
        an.System(
            "phi",
            particles=[an.Particle("m1", ["-R1", "-R1*phi"]), an.Particle("m2", ["R2", "R2*phi"])],
            gravity=["0", "-g"],
        )
    )
    out.fact(
        not angular.conserved[2] and zero(abs(n.read(angular.torque[2])) - abs(n.read("(m1*R1-m2*R2)*g"))),
        "angular-momentum theorem",
    )

    def energy(claim):
        stated = n.read(claim)
        return worst(an.is_zero(n.derivative(stated - view.energy)), an.is_zero(view.rate(stated)))

    return {
        "phidd": s.newton().accelerations["phi"],
        "phi_t": lambda c: solves(view, "phi", c, {"phi0": 0, "phid0": 1}),
        "E": energy,
    }, n


@recipe("11.C.1a", "11.C.1lim")
def _(entry, out):
    s = system("11.C", "q1", "q2")
    n, newton = s.names, s.newton()
    A, a = -newton.accelerations["q1"], newton.accelerations["q2"]
    Rm = newton.reaction(2, ("sin(alpha)", "cos(alpha)"))
    on = {n.symbol("A"): A, n.symbol("a"): a, n.symbol("Rm"): Rm}
    for claim in entry.get("given", {}).values():
        out.confirm(an.is_zero(n.read(claim).subs(on)), "the stated equation")
    if entry["id"] == "11.C.1lim":
        light = {n.symbol("M"): 0}
        vertical = (a * sp.sin(n.symbol("alpha"))).subs(light)
        value = (A.subs(light) / n.symbol("g")).subs(n.symbol("alpha"), 1.2)
        out.reject(value > 1, "A > g fails for alpha > pi/4")
        return {"a": a.subs(light), "A": A.subs(light), "vertical": vertical}, n
    return {
        "Rm_in_A": lambda c: an.equal(n.read(c).subs(on), Rm),
        "a_in_A": lambda c: an.equal(n.read(c).subs(on), a),
        "A": A,
        "a": a,
        "Rm": Rm,
    }, n


@recipe("11.C.1b")
def _(entry, out):
    s = system("11.C", "r1", "r2")
    n, view = s.names, s.lagrange()
    out.fact(view.is_first_integral(view.momenta["r1"]) and view.is_first_integral(view.energy), "two integrals")
    return {
        "T": s.kinetic_energy,
        "V": lambda c: worst(*(an.is_zero(sp.diff(n.read(c) - s.V, q)) for q in n.q)),
        "I_momentum": view.momenta["r1"],
        "r1dd": view.accelerations["r1"],
        "r2dd": view.accelerations["r2"],
    }, n


@recipe("11.C.3", "11.D.3", "11.E.3", "11.F.2")
def _(entry, out):
    s = system(entry["id"][:4], *entry["coords"])
    n, view = s.names, s.lagrange()
    found = {f"{c}dd": a for c, a in view.accelerations.items()}
    found["L"] = view.L
    if entry["id"] == "11.C.3":
        out.fact(view.cyclic == ("q1",), "q1 is cyclic")
        found["p1_const"] = view.momenta["q1"]
    if entry["id"] == "11.D.3":
        found["L_rescaled"] = an.tidy(view.L / n.read("m*rho"))
        weight = an.System("theta", particles=[an.Particle("m", ["rho*sin(theta)", "-rho*cos(theta)"], ["0", "-m*g"])])
        found["Q_theta"] = weight.generalised_forces[0]
        out.confirm(
            an.equal(weight.lagrange().accelerations["theta"], view.accelerations["theta"]), "by a generalised force"
        )
        clash = an.check_dimensions("rho*thetad**2/2 + m*g*cos(theta)", {"thetad": "T-1"})
        out.fact(clash is not None, f"the printed rescaled L fails already by dimensions: {clash}")
    if entry["id"] == "11.E.3":
        spring = an.System(
            "rho theta",
            particles=[an.Particle("m", ["rho*sin(theta)", "-rho*cos(theta)"], ["F*sin(theta)", "-F*cos(theta)"])],
            gravity=["0", "-g"],
        )
        out.confirm(an.equal(spring.generalised_forces[0], spring.names.symbol("F")), "Q_rho = F")
        out.confirm(an.is_zero(spring.generalised_forces[1]), "Q_theta = 0")
    if entry["id"] == "11.F.2":
        out.fact(view.cyclic == ("phi",), "phi is cyclic")
        found["pphi_over_mr2"] = an.tidy(view.momenta["phi"] / n.read("m*r**2"))
    return found, n


@recipe("11.C.5")
def _(entry, out):
    s = system("11.C", "q1", "q2", momenta="p1 p2", signs=["s"])
    hj, n = s.hamilton_jacobi(constants={"q1": "alpha2"}), s.names
    short = {
        n.symbol("X"): n.read("2*(M+m)*(E+m*g*q2*sin(alpha))-alpha2**2"),
        n.symbol("Dm"): n.read("m*sin(alpha)**2+M"),
    }
    out.fact(bool(hj.verify(hj.S)), "complete integral for both branches")
    rename = {n.symbol("beta"): n.symbol("beta1"), n.symbol("beta_q1"): n.symbol("beta2")}
    motion = {k: v.subs(rename) for k, v in hj.motion().items()}
    E_range = {"E": (20, 30), "q2": (0.1, 2), "alpha": (0.2, 1.3), "alpha2": (0.1, 1)}

    def against(value):
        return lambda claim: an.equal(n.read(claim).subs(short), value, signs=["s"], ranges=E_range)

    return {
        "dS1_dq2": against(hj.slopes["q2"]),
        "S": against(hj.S),
        "beta1_plus_t": against(hj.jacobi["E"] + n.time),
        "q2_t": against(motion["q2"]),
        "beta2": against(hj.jacobi["alpha2"]),
        "q1_t": lambda claim: an.equal(
            n.read(claim).subs(n.symbol("q2"), motion["q2"]), motion["q1"], signs=["s"], ranges=E_range
        ),
    }, n


@recipe("11.D.1a", "11.D.2")
def _(entry, out):
    s = system("11.D", "theta")
    freed = an.System(
        "r theta",
        released={"r": "rho"},
        particles=[an.Particle("m", ["r*sin(theta)", "-r*cos(theta)"])],
        gravity=["0", "-g"],
        positive="rho r",
    )
    n = s.names
    newton = s.newton()
    rod = newton.reaction(1, ("-sin(theta)", "cos(theta)"))
    out.confirm(
        an.equal(rod, -n.read(freed.dalembert().reactions["r"])), "by a displacement that breaks the constraint"
    )
    return {"F": rod, "thetadd": s.dalembert().accelerations["theta"]}, n


@recipe("11.D.1small")
def _(entry, out):
    s = system("11.D", "theta")
    w2 = an.normal_modes(s).squares[0]
    n = an.Names()
    w = sp.sqrt(n.read(w2))
    k = an.Names()

    def phase(claim):
        angle = k.read(claim)
        A = k.read("sqrt((thetad0/w)**2 + theta0**2)")
        return worst(
            an.is_zero(A * sp.sin(angle) - k.symbol("theta0")), an.is_zero(A * sp.cos(angle) - k.read("thetad0/w"))
        )

    def motion(claim):
        theta = k.read(claim)
        t = k.symbol("t")
        return worst(
            an.is_zero(sp.diff(theta, t, 2) + k.read("w**2") * theta),
            an.equal(theta.subs(t, 0), k.symbol("theta0")),
            an.equal(sp.diff(theta, t).subs(t, 0), k.symbol("thetad0")),
        )

    shifted = k.read("theta0*sin(w*tau)")
    out.reject(
        an.is_zero(shifted.subs(k.symbol("tau"), 0) - k.symbol("theta0")),
        "theta0 sin(w tau) does not start at its maximum",
    )
    energy = n.read("m*rho**2*thetad**2/2 + m*g*rho*theta**2/2").subs(
        {n.symbol("theta"): n.symbol("Amp"), n.symbol("thetad"): 0}
    )
    return {
        "w": w,
        "Amp": k.read("sqrt(theta0**2 + thetad0**2/w**2)"),
        "phase": phase,
        "theta_t": motion,
        "E_small": energy,
    }, k


@recipe("11.D.1c")
def _(entry, out):
    s = system("11.D", "theta")
    n, view = s.names, s.lagrange()
    k = an.Names(["theta"], positive=["thm"])
    T = an.period("-m*g*rho*cos(theta)", "theta", "thm", inertia="m*rho**2", names=k)
    numeric = T.closed.subs({k.symbol("g"): 9.81, k.symbol("rho"): 1.0, k.symbol("thm"): 1.0}).evalf()
    out.fact(abs(float(numeric) - _pendulum_period(1.0, 9.81, 1.0)) < 1e-9, "the closed form against quadrature")
    speed = sp.solve(
        view.energy - view.energy.subs({n.velocity("theta"): 0, n.symbol("theta"): n.symbol("thm")}),
        n.velocity("theta"),
    )
    return {
        "E": view.energy,
        "thetad": lambda c: an.equal(n.read(c) ** 2, speed[0] ** 2),
        "T_integral_check_k": lambda c: an.equal(
            n.read(c) ** 2, n.read(next(iter(T.closed.atoms(sp.elliptic_k))).args[0])
        ),
        "T": T.closed,
        "T_series": T.series,
    }, n


def _pendulum_period(rho, g, amplitude):
    from scipy.integrate import quad

    f = lambda u: 1 / math.sqrt(1 - (math.sin(amplitude / 2) * math.sin(u)) ** 2)
    return 4 * math.sqrt(rho / g) * quad(f, 0, math.pi / 2)[0]


@recipe("11.D.5a")
def _(entry, out):
    s = an.System("theta", H=entry["given"]["H_small"], positive="E", signs=["s"])
    hj, n = s.hamilton_jacobi(), s.names
    out.fact(bool(hj.verify(hj.S)), "complete integral")
    return {
        "dS0_dtheta": hj.slopes["theta"],
        "beta_plus_t": hj.jacobi["E"] + n.time,
        "theta_t": hj.motion()["theta"],
    }, n


@recipe("11.E.1a", "11.E.1b", "11.E.2")
def _(entry, out):
    s = system("11.E", "rho", "theta")
    n, view = s.names, s.lagrange()
    newton = s.newton()
    angular = an.angular_momentum(
        an.System(
            "rho theta",
            particles=[an.Particle("m", ["rho*sin(theta)", "-rho*cos(theta)"])],
            gravity=["0", "-g"],
            V="k*(rho-rho0)**2/2",
        )
    )
    if entry["id"] == "11.E.1b":
        out.reject(angular.conserved[2], "the angular momentum about the pivot is not conserved")
    spring = an.System(
        "rho theta",
        particles=[an.Particle("m", ["rho*sin(theta)", "-rho*cos(theta)"], ["F*sin(theta)", "-F*cos(theta)"])],
        gravity=["0", "-g"],
    ).dalembert()
    return {
        "rhodd": newton.accelerations["rho"],
        "thetadd": newton.accelerations["theta"],
        "E": view.energy,
        "dE_dt": n.derivative(view.energy),
        "dLo_dt": view.rate(angular.value[2]),
        "rhodd_F": spring.accelerations["rho"],
    }, n


@recipe("11.E.5")
def _(entry, out):
    hj = system("11.E", "rho", "theta", momenta="prho ptheta").hamilton_jacobi()
    out.fact(not hj.separable and ("rho", "theta") in hj.certificate.failures, str(hj.certificate))
    n = hj.names
    stated = n.read(entry["extension"]["hj"])
    named = hj.equation.replace(
        lambda e: isinstance(e, sp.core.function.AppliedUndef), lambda e: sp.Function("S0f", real=True)(*e.args)
    )
    return {"hj": lambda claim: an.equal(stated, named)}, n


@recipe("11.F.0")
def _(entry, out):
    chart = an.Chart("r theta phi", ["r*sin(theta)*cos(phi)", "r*sin(theta)*sin(phi)", "-r*cos(theta)"], positive=["r"])
    s = system("11.F", "theta", "phi")
    n = s.names
    v2 = 2 * s.kinetic_energy / n.symbol("m")
    frame = sp.Matrix.hstack(
        *(
            chart.basis[:, i] / length
            for i, length in enumerate((1, chart.names.symbol("r"), chart.names.read("r*sin(theta)")))
        )
    )
    out.fact(zero(frame.det() + 1), "the basis is left-handed")
    return {"v2": v2, "e_theta_k": an.tidy(frame[2, 1])}, n


@recipe("11.F.1")
def _(entry, out):
    s = system("11.F", "theta", "phi")
    n, view = s.names, s.lagrange()
    momentum = view.momenta["phi"]
    reduced = view.energy.subs(n.velocity("phi"), n.read("Lz/(m*r**2*sin(theta)**2)"))
    angular = an.angular_momentum(s)
    out.fact(angular.conserved == (False, False, True), "only Lz is conserved")
    size = sum(e**2 for e in angular.value)
    out.reject(view.is_first_integral(size), "|L_o| is not constant")
    ranges = {"E": (40, 50), "theta": (0.6, 2.4), "Lz": (0.1, 1)}
    square = sp.solve(reduced - n.symbol("E"), n.velocity("theta"))

    def rate(claim):
        return an.equal(n.read(claim) ** 2, square[0] ** 2, ranges=ranges)

    def slope(claim):
        phid = n.read("Lz/(m*r**2*sin(theta)**2)")
        return an.equal(n.read(claim) ** 2, phid**2 / square[0] ** 2, ranges=ranges)

    u = n.symbol("u")
    at_rest = (n.symbol("E") - reduced.subs(n.velocity("theta"), 0)).subs(sp.sin(n.symbol("theta")) ** 2, 1 - u**2)
    cubic = at_rest.subs(sp.cos(n.symbol("theta")), u)
    out.fact(
        zero(sp.diff(cubic, n.symbol("E")) - 1), "the allowed region is where the effective potential is at most E"
    )
    return {
        "Lz": momentum,
        "E": lambda c: an.equal(n.read(c), reduced),
        "thetad": rate,
        "dphi_dtheta": slope,
        "turning_cubic_in_u_cos_theta": lambda c: an.equal(n.read(c), cubic * (1 - u**2)),
    }, n


@recipe("11.F.4")
def _(entry, out):
    s = system("11.F", "theta", "phi", momenta="ptheta pphi", signs=["s"])
    n, view = s.names, s.dalembert()
    hj = s.hamilton_jacobi(constants={"phi": "pphi"})
    out.fact(hj.separable, "separable")
    return {
        "vw_theta": lambda c: view.check_equation(c, "theta"),
        "vw_phi": lambda c: view.check_equation(c, "phi"),
        "dS0_dtheta": hj.slopes["theta"],
    }, n


__all__ = ["RECIPES", "SYSTEMS"]
