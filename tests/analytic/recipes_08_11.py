"""How the entries of chapters 8-11 are computed: variational principles, Noether, six systems by every mechanics."""

from __future__ import annotations

import math

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
    return {
        "x_star": star,
        "sin_i_minus_sin_r_at_star": an.formula(law, at={"x": star}, names=n),
        "min_length": path.values[0],
    }, n


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
    n, told = f.names, {"f": f.beltrami, "euler": f.euler[0]}
    (extremal,) = an.solve_for("euler == 0", "ypp", where=told, names=n)
    out.confirm(an.check("Derivative(f, x) == 0", where=told, at=extremal, names=n), "constant on extremals")
    found = {"first_integral": f.beltrami}
    if entry["id"] == "8.D.1":
        other = f.swap()
        claim = an.check(
            entry["given"]["f_alt_x_of_y"], other.f, names=other.names, ranges={"yA": (3, 4), "y": (0.1, 2)}
        )
        out.confirm(claim, "x(y) instead of y(x)")
        k = an.Names(["Y", "y"], independent="x", positive=["Y"])
        # first integral = 1/k squared and cleared
        at = {"y": "yA - Y", "yp": "-Yp"}
        ode = an.formula("(1/f**2 - k**2)/(2*g)", where=told, at=at, names=k)
        return found | {"ode_Y": lambda claim: an.check(claim, ode, names=k)}, n
    return found, n


@recipe("8.C.1")
def _(entry, out):
    n = an.Names(["y", "Y"], independent="x", positive=["Y"])
    fall = an.System("z", L="m*z_d**2/2 - m*g*z").lagrange()
    out.confirm(fall.check("h == m*g*zA", at={"z_d": "sqrt(2*g*(zA-z))"}), "v by the energy")
    told = {"v": "sqrt(2*g*(yA-y))", "sine": "1/sqrt(1+yp**2)"}
    ode_y = an.tidy(an.formula("((v/sine)**2 - k**2)/(2*g)", where=told, names=n))
    cycloid = an.cycloid_check()
    out.fact(cycloid["ode_on_cycloid"] == 0, "the cycloid satisfies it")
    # y'' from the ode is positive: the arc is convex
    (bend,) = an.solve_for("Derivative(ode, x) == 0", "ypp", where={"ode": ode_y}, names=n)
    value = an.formula(bend["y''"], at={"yA": 2, "y": 1, "yp": -1}, names=n)
    out.reject(value < 0, "the arc is a bowl, not concave downwards")
    return {
        "v": n.read(told["v"]),
        "sin_i": n.read(told["sine"]),
        "ode_Y": an.formula(ode_y, at={"y": "yA - Y", "yp": "-Yp"}, names=n),
        "ode_y": ode_y,
    }, n


@recipe("8.D.3", "8.D.4")
def _(entry, out):
    n = an.Names(positive=["k", "Hd", "D", "theta", "thetaB"])
    check = an.cycloid_check()
    told = {"Y": "k**2*(1 - cos(theta))/(4*g)", "X": "k**2*(theta - sin(theta))/(4*g)"}
    told |= {"rate": check["rate_of_theta"], "v": check["speed"], "t_B": "thetaB/rate"}
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
    (lowest,) = an.solve_for("Y == Hd", "k", where=told, at={"theta": "pi"}, names=n)
    at_B, at_pi = {"theta": "thetaB"}, {"theta": "pi"}
    return {
        "Hd": an.formula("Y", where=told, at=at_B, names=n),
        "D": an.formula("X", where=told, at=at_B, names=n),
        "D_over_Hd_at_pi": an.formula("X/Y", where=told, at=at_pi, names=n),
        "thetad": check["rate_of_theta"],
        "v": check["speed"],
        "v_at_pi": an.formula("v", where=told, at=at_pi, names=n),
        "t_B": an.formula("t_B", where=told, names=n),
        "k_for_pi": lowest["k"],
        "t_fall": n.read("sqrt(2*Hd/g)"),
        "t_B_pi": an.formula("t_B", where=told, at={"thetaB": "pi"} | lowest, names=n),
    }, n


@recipe("8.E.rule1", "9.A.1", "9.A.2", "9.B.1")
def _(entry, out):
    two = an.Functional("f(y1,y2,y1p,y2p,x)", "y1 y2", "x")
    n, told = two.names, {"f": two.f}
    for c, e in zip(("y1", "y2"), two.euler):
        slopes = told | {"slope": f"Derivative(f, {c}p)"}
        claim = f"Derivative(slope, x) - Derivative(f, {c})"
        out.confirm(an.check(claim, e, where=slopes, names=n), "one equation for each function")
    motion = an.System("x", L="m*x_d**2/2 - V(x)").lagrange()
    principle = an.Functional("m*xp**2/2 - V(x)", "x", "t")
    out.confirm(
        an.equal(principle.names.read(motion.equations[0]), principle.euler[0]),
        "Hamilton's principle gives Lagrange's equation",
    )
    phase = an.Functional("p*q_d - p**2/(2*m) - V(q)", "q p", "t")
    hamilton = an.System("q", H="p**2/(2*m) + V(q)").hamilton()
    (solved,) = an.solve_for(phase.euler, "q_d p_d", names=phase.names)
    out.confirm(an.equal(solved["q'"], hamilton.qdot["q"]), "q' by independent variation of p")
    out.confirm(an.equal(solved["p'"], hamilton.pdot["p"]), "p' by independent variation of q")
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
    told = {"T": "m*(x_d**2+y_d**2)/2", "v": "sqrt(x_d**2+y_d**2)"}
    claim = "x_d*Derivative(T, x_d) + y_d*Derivative(T, y_d) == 2*T"
    out.confirm(an.check(claim, where=told, names=n), "sum p dq = 2 T dt")
    out.confirm(an.check("2*T == sqrt(2*m*T)*v", where=told, names=n), "2 T dt = sqrt(2 m (E-V)) ds")
    s = an.System("q", H="p**2/(2*m) + k*q**2/2", positive="E")
    hj = s.hamilton_jacobi()
    told = {"S0": hj.S0, "S": hj.S, "p": hj.slopes["q"]}
    out.confirm(an.check("Derivative(S0, q) == p", where=told, names=s.names), "W is the reduced action: dW/dq = p")
    out.confirm(an.check("S == S0 - E*t", where=told, names=s.names), "S = W - E t")
    return {}, n


@recipe("8.E.3")
def _(entry, out):
    orbit = an.Functional(entry["given"]["Ly"], "x", "y")
    n = orbit.names
    built = an.maupertuis("m*(x_d**2+y_d**2)/2", "m*g*y", "x y", "y")
    out.confirm(an.equal(built.f, orbit.f, ranges={"E": (40, 50), "y": (0.1, 1)}), "Maupertuis' integrand")
    k = an.Names(["y", "x"], independent="u", positive=["Hm", "vx"])
    told = {"A": "vx**2/(2*g)", "E": "m*g*Hm + m*vx**2/2", "momentum": orbit.cyclic["x"]}
    # the momentum of x is m vx; the slope of y(x) is one over that of x(y)
    (steep,) = an.solve_for("momentum**2 == m**2*vx**2", "w", where=told | {"x'": "1/sqrt(w)"}, names=k)

    def path(claim):
        flat, w = an.Names(positive=["Hm", "vx"]), {"w": steep["w"], "path": claim, "A": told["A"]}
        return worst(
            an.check("path == Hm", where=w, at={"x": "xm"}, names=flat),
            an.check("Derivative(path, x)**2 == w", where=w, at={"y": claim}, names=flat),
        )

    return {
        "first_integral": lambda c: an.check(c, orbit.cyclic["x"], names=n),
        "A": k.read(told["A"]),
        "E": lambda c: an.check(c, told["E"], where={"A": told["A"]}, names=k),
        "ode": lambda c: an.check(f"{c} == 0", where={"A": told["A"]}, at={"y'": f"sqrt({steep['w']})"}, names=k),
        "y_x": path,
    }, k


@recipe("8.E.4")
def _(entry, out):
    orbit = an.Functional(entry["given"]["Lrho"], "theta", "rho", positive=["rho"])
    n = orbit.names
    built = an.maupertuis("m*(rho_d**2+rho**2*theta_d**2)/2", "V(rho)", "rho theta", "rho")
    out.confirm(an.equal(built.f, orbit.f, ranges={"E": (60, 70)}), "Maupertuis' integrand")
    ranges = {"E": (60, 70), "Lz": (0.2, 0.6)}

    def slope(claim):
        """theta' is right when it makes the cyclic momentum equal to Lz."""
        told = {"p": orbit.cyclic["theta"]}
        return an.check("p**2 == Lz**2", where=told, at={"thetap": claim}, names=n, ranges=ranges)

    reduced = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 - V(rho)", momenta="prho Lz")
    return {
        "Lmom": lambda c: an.check(c, orbit.cyclic["theta"], names=n, ranges={"E": (60, 70)}),
        "thetap": slope,
        "Ueff": an.routhian(reduced, "theta", momenta={"theta": "Lz"}).effective_potential,
    }, reduced.names


# ---- 9, 10 ----


@recipe("9.A.3")
def _(entry, out):
    action = an.action_along("m*x_d**2/2 + m*a*x", {"x": "x0 + v0*t + a*t**2/2"})
    k = an.Names()
    told = {"S": an.formula(action, at={"v0": "(x-x0)/t - a*t/2"}, names=k), "p": "m*((x-x0)/t + a*t/2)"}
    out.confirm(
        an.check("S == m*(x-x0)**2/(2*t)+m*a*t*(x+x0)/2-m*a**2*t**3/24", where=told, names=k),
        "the action of the true path",
    )
    out.confirm(an.check("Derivative(S, x) == p", where=told, names=k), "dS/dx = p")
    H = an.System("x", H="p**2/(2*m) - m*a*x", real="a").hamilton().H
    out.confirm(an.check("Derivative(S, t) == -H", where=told | {"H": H}, names=k), "dS/dt = -H")
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
    el = general.lagrange().expressions[0]
    told = {"L": "L0(q,q_d,t)", "h": "q_d*Derivative(L, q_d) - L", "EL": el}
    claim = "Derivative(L0(q,q_d,t), t) + Derivative(h, t) == q_d*EL"
    out.confirm(an.check(claim, where=told, names=general.names), "dL/dt + dh/dt vanishes on the motion")
    return {}, two.names


def _is_symmetry(s, shifts) -> bool:
    try:
        an.noether(s, shifts)
    except ModelError:
        return False
    return True


@recipe("9.D.1", "9.E.1", "9.F.1")
def _(entry, out):
    inertia = an.System("x y", L="Lf(x_d**2+y_d**2)").lagrange()
    out.confirm(an.check_motion(inertia, {"x": "a + u*t", "y": "b + v*t"}), "constant velocity solves those of L(v^2)")
    _, solution = an.free_lagrangian()
    u = an.Names(positive=["u"])
    told = {"L": solution, "slope": "Derivative(L, u)"}
    out.confirm(an.check("Derivative(slope, u) == 0", where=told, names=u), "L is affine in v^2")
    one = an.System("x", L="C*x_d**2")
    boosted = {"f": an.finite_invariance(one, {"x": "x + dv*t"})}
    quartic = an.System("x", L="C*x_d**4")
    try:
        an.finite_invariance(quartic, {"x": "x + dv*t"})
        out.fact(False, "v^4 must be refused")
    except ModelError:
        out.fact(True, "v^4 changes by more than a total derivative")
    forced = an.System("x", L="m*x_d**2/2 - V(x,t)").lagrange()
    out.confirm(forced.check("m*x_dd == -Derivative(V(x,t), x)"), "L = T - V")
    (mass,) = an.solve_for("p == m*x_d", "C", where={"p": one.lagrange().momenta["x"]}, names=one.names)
    still = an.Names()
    (shape,) = an.solve_for("slope == C", "C2", where=told, names=u)
    return {
        "L": an.formula(
            "L - L0",
            where={"L": solution, "L0": an.formula(solution, at={"u": 0}, names=u)},
            at=shape | {"u": "v**2"},
            names=u,
        ),
        "gauge_F_1d": an.formula(
            "-dv*slope",
            where=boosted | {"slope": an.formula("Derivative(f, dv)", where=boosted, at={"dv": 0}, names=still)},
            names=still,
        ),
        "C": mass["C"],
    }, still


@recipe("10.A.rule", "10.A.2", "10.B.thm", "10.B.1")
def _(entry, out):
    free = an.System("x", L="m*x_d**2/2")
    n = free.names
    _, form = an.invariance_family(free, {"x": "x + h(t)"}, "h")
    moved = an.finite_invariance(free, {"x": "x + alpha + beta*t"})
    f = an.formula("-moved", where={"moved": moved}, at={"x": "xprime - alpha - beta*t"}, names=n)
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

    told = {"boost": boost.integral, "shift": shift.integral, "gauge": boost.gauge}
    return {
        "gfun": an.formula(form, at={"C1": "alpha", "C2": "beta"}, names=n),
        "f": lambda claim: an.check(claim, f, up_to="constant", over=["xprime", "t"], names=n),
        "delta_f": an.formula("-gauge*dbeta", where=told, names=n),
        "noether": an.formula("shift*dalpha + boost*dbeta", where=told, names=n),
        "I_translation": shift.integral,
        "I_boost": an.formula("-boost/m", where=told, names=n),
    }, n


@recipe("10.C.1")
def _(entry, out):
    two = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 - V(x1-x2)")
    plus = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 + V(x1-x2)").lagrange()
    out.reject(plus.check("m1*x1_dd == -Derivative(V(x1-x2), x1)"), "L = T + V gives the opposite force")
    return {"P_total_x_for_two": an.noether(two, {"x1": 1, "x2": 1}).integral}, two.names


@recipe("10.C.3")
def _(entry, out):
    free = an.System("x", L="m*x_d**2/2")
    n = free.names
    moved = {"f": an.finite_invariance(free, {"x": "x + v*t"})}
    f = an.formula("-f", where=moved, at={"x": "xprime - v*t"}, names=n)
    two = an.System("x1 x2", L="m1*x1_d**2/2 + m2*x2_d**2/2 - V(x1-x2)")
    boost = an.noether(two, {"x1": "t", "x2": "t"})

    def law(claim):
        """Centre of mass law: the claim must stay as it is, with RG and P of the two bodies and RG0 a constant."""
        told = {"M": "m1+m2", "RG": "(m1*x1+m2*x2)/(m1+m2)", "P": "m1*x1_d+m2*x2_d", "law": claim}
        return two.lagrange().check("Derivative(law, t) == 0", where=told)

    out.fact(two.lagrange().is_first_integral(boost.integral), "conserved")
    algebra = an.galilei_algebra(2)
    out.fact(algebra.brackets["Kx", "Px"] == algebra.total_mass, "[K, P] = M")
    return {
        "f_1d_one": f,
        "noether_1d_one": an.formula("boost*dv", where={"boost": an.noether(free, {"x": "t"}).integral}, names=n),
        "law_1d": law,
    }, n


# ---- 11: the six systems ----


def solves(view, coordinate: str, claim: str, start: dict[str, int]):
    """A motion is right when it satisfies the equation of motion and starts as stated."""
    began = {coordinate + "'" * order: name for name, order in start.items()}
    return an.check_motion(view, {coordinate: claim}, began)


@recipe("11.A.1a")
def _(entry, out):
    s = system("11.A", "x1")
    n, newton = s.names, s.newton()
    (solved,) = an.solve_for(list(entry["given"].values()), "x1_dd Tn", names=n)
    out.confirm(an.equal(solved["x1''"], newton.accelerations["x1"]), "the stated equations give the same")
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
    A = {"A": "g*(m1*sin(alpha1)-m2*sin(alpha2))"}
    short = an.System("x", L="(m1+m2)*x_d**2/2 + A*x", positive="A x")
    k = short.names
    t_x = an.antiderivative(short.lagrange().quadrature(0).function, k.symbol("x"))
    (x_t,) = an.solve_for("t == t_x", "x", where={"t_x": t_x}, names=an.Names(positive=["A", "x", "t"]))

    def energy(claim):
        return s.lagrange().check("Derivative(E, t) == Derivative(h, t)", where=A | {"E": claim})

    return {"E": energy, "t_x": t_x, "x_t": x_t["x"]}, k


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
        out.confirm(an.check(claim, balance, at={"a": f"{c}_dd"}, names=n), f"balance of {c}")
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
    if letter in ("11.A", "11.B"):
        c, p = s.coordinates[0], view.p[0].name
        start = "p10" if letter == "11.A" else "p0"
        found[f"{p}_t"] = an.formula(f"rate*t + {start}", where={"rate": view.pdot[p]}, names=n)
        found["phid_t"] = an.formula(view.qdot[c], at={p: found[f"{p}_t"]}, names=n)
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
    out.confirm(an.check(s.hamilton().H, real.H, at=long, names=n), "the abbreviated H")
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
        told = {"E": claim}
        claims = ("Derivative(E, t) == Derivative(h, t)", "Derivative(E, t) == 0")
        return worst(*(view.check(c, where=told) for c in claims))

    return {
        "phidd": s.newton().accelerations["phi"],
        "phi_t": lambda c: solves(view, "phi", c, {"phi0": 0, "phid0": 1}),
        "E": energy,
    }, n


@recipe("11.C.1a", "11.C.1lim")
def _(entry, out):
    s = system("11.C", "q1", "q2")
    n, newton = s.names, s.newton()
    Rm = newton.reaction(2, ("sin(alpha)", "cos(alpha)"))
    told = {"A": "-q1_dd", "a": "q2_dd", "Rm": Rm}
    A, a = (
        an.formula(f"{sign}x", where={"x": newton.accelerations[c]}, names=n) for sign, c in (("-", "q1"), ("", "q2"))
    )
    for claim in entry.get("given", {}).values():
        out.confirm(newton.check(f"{claim} == 0", where=told), "the stated equation")
    if entry["id"] == "11.C.1lim":
        light = {"M": 0}
        found = {"a": an.formula(a, at=light, names=n), "A": an.formula(A, at=light, names=n)}
        out.reject(an.formula("A/g", where=found, at={"alpha": 1.2}, names=n) > 1, "A > g fails for alpha > pi/4")
        return found | {"vertical": an.formula("a*sin(alpha)", where=found, names=n)}, n
    return {
        "Rm_in_A": lambda c: newton.check(f"Rm == {c}", where=told),
        "a_in_A": lambda c: newton.check(f"a == {c}", where=told),
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
        "V": lambda c: an.check(c, s.V, up_to="constant", over=s.coordinates, names=n),
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
        found["L_rescaled"] = an.formula("L/(m*rho)", where={"L": view.L}, names=n)
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
        found["pphi_over_mr2"] = an.formula("p/(m*r**2)", where={"p": view.momenta["phi"]}, names=n)
    return found, n


@recipe("11.C.5")
def _(entry, out):
    s = system("11.C", "q1", "q2", momenta="p1 p2", signs=["s"])
    hj, n = s.hamilton_jacobi(constants={"q1": "alpha2"}), s.names
    short = {"X": "2*(M+m)*(E+m*g*q2*sin(alpha))-alpha2**2", "Dm": "m*sin(alpha)**2+M"}
    out.fact(bool(hj.verify(hj.S)), "complete integral for both branches")
    named = {"beta": "beta1", "beta_q1": "beta2"}
    motion = {k: an.formula(v, at=named, names=n) for k, v in hj.motion().items()}
    E_range = {"E": (20, 30), "q2": (0.1, 2), "alpha": (0.2, 1.3), "alpha2": (0.1, 1)}

    def against(value, **at):
        return lambda claim: an.check(claim, value, where=short, at=at, names=n, ranges=E_range)

    return {
        "dS1_dq2": against(hj.slopes["q2"]),
        "S": against(hj.S),
        "beta1_plus_t": against(an.formula("b + t", where={"b": hj.jacobi["E"]}, names=n)),
        "q2_t": against(motion["q2"]),
        "beta2": against(hj.jacobi["alpha2"]),
        "q1_t": against(motion["q1"], q2=motion["q2"]),
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
    told = {"w2": an.normal_modes(s).squares[0], "Amp": "sqrt(theta0**2 + thetad0**2/w**2)"}
    k = an.Names()

    def phase(claim):
        lines = ("Amp*sin(angle) == theta0", "Amp*cos(angle) == thetad0/w")
        return worst(*(an.check(line, where=told | {"angle": claim}, names=k) for line in lines))

    def motion(claim):
        small = an.System("theta", L="theta_d**2/2 - w**2*theta**2/2").lagrange()
        return an.check_motion(small, {"theta": claim}, {"theta": "theta0", "theta_d": "thetad0"})

    late = an.check("theta0*sin(w*tau) == theta0", at={"tau": 0}, names=k)
    out.reject(late, "theta0 sin(w tau) does not start at its maximum")
    energy = "m*rho**2*thetad**2/2 + m*g*rho*theta**2/2"
    return {
        "w": an.formula("sqrt(w2)", where=told, names=k),
        "Amp": k.read(told["Amp"]),
        "phase": phase,
        "theta_t": motion,
        "E_small": an.formula(energy, at={"theta": "Amp", "thetad": 0}, names=k),
    }, k


@recipe("11.D.1c")
def _(entry, out):
    s = system("11.D", "theta")
    n, view = s.names, s.lagrange()
    k = an.Names(["theta"], positive=["thm"])
    T = an.period("-m*g*rho*cos(theta)", "theta", "thm", inertia="m*rho**2", names=k)
    numbers = {"g": 9.81, "rho": 1, "thm": 1}
    numeric = float(an.formula(T.closed, at=numbers, names=k))
    out.fact(abs(numeric - _pendulum_period(1.0, 9.81, 1.0)) < 1e-9, "the closed form against quadrature")
    told = {"E": view.energy, "E0": an.formula(view.energy, at={"theta_d": 0, "theta": "thm"}, names=n)}
    speed = an.solve_for("E == E0", "theta_d", where=told, names=n)[0]["theta'"]
    return {
        "E": view.energy,
        "thetad": lambda c: an.check("c**2 == speed**2", where={"c": c, "speed": speed}, names=n),
        "T_integral_check_k": lambda c: an.check(f"4*sqrt(rho/g)*elliptic_k(({c})**2)", T.closed, names=n),
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
    # the equation holds for the action, whatever it is called
    action = str(hj.equation).replace("S0(", "S0f(")
    return {"hj": lambda claim: an.check(claim, action, names=n)}, n


@recipe("11.F.0")
def _(entry, out):
    chart = an.Chart("r theta phi", ["r*sin(theta)*cos(phi)", "r*sin(theta)*sin(phi)", "-r*cos(theta)"], positive=["r"])
    s = system("11.F", "theta", "phi")
    n = s.names
    v2 = an.formula("2*T/m", where={"T": s.kinetic_energy}, names=n)
    handed = an.check("-r**2*sin(theta)", chart.basis.det(), names=chart.names)
    out.confirm(handed, "the basis is left-handed for 0 < theta < pi")
    return {"v2": v2, "e_theta_k": an.tidy(chart.unit_frame[2, 1])}, n


@recipe("11.F.1")
def _(entry, out):
    s = system("11.F", "theta", "phi")
    n, view = s.names, s.lagrange()
    turn = {"phi_d": "Lz/(m*r**2*sin(theta)**2)"}
    reduced = an.formula(view.energy, at=turn, names=n)
    angular = an.angular_momentum(s)
    out.fact(angular.conserved == (False, False, True), "only Lz is conserved")
    size = an.formula("a**2 + b**2 + c**2", where=dict(zip("abc", angular.value)), names=n)
    out.reject(view.is_first_integral(size), "|L_o| is not constant")
    ranges = {"E": (40, 50), "theta": (0.6, 2.4), "Lz": (0.1, 1)}
    told = {"energy": reduced, "phid": turn["phi_d"]}
    told["rate"] = an.solve_for("energy == E", "theta_d", where=told, names=n)[0]["theta'"]

    def squares(left, right):
        return lambda c: an.check(f"({left})**2 == ({right})**2", where=told | {"c": c}, names=n, ranges=ranges)

    told["left"] = an.formula("(E - energy)*sin(theta)**2", where=told, at={"theta_d": 0}, names=n)
    out.confirm(
        an.check("Derivative(left, E) == sin(theta)**2", where=told, names=n), "allowed where V_eff is at most E"
    )
    return {
        "Lz": view.momenta["phi"],
        "E": lambda c: an.check(c, reduced, names=n),
        "thetad": squares("c", "rate"),
        "dphi_dtheta": squares("c*rate", "phid"),
        "turning_cubic_in_u_cos_theta": lambda c: an.check(c, told["left"], at={"u": "cos(theta)"}, names=n),
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
