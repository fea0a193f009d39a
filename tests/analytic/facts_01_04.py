"""Facts and printed errors of chapters 1-4, computed through the public interface."""

from __future__ import annotations

from analytic import by_habit as an
from analytic.case_runner import zero
from dalembert.errors import ModelError, SingularError

FACTS: dict = {}
PRINTED: dict = {}


def fact(id_: str):
    return lambda f: FACTS.setdefault(id_, f)


def printed(id_: str):
    return lambda f: PRINTED.setdefault(id_, f)


def refuses(call) -> bool:
    try:
        call()
    except (ModelError, SingularError):
        return True
    return False


# ---- chapter 1 ---------------------------------------------------------------------------------------------------


@fact("1.B.1")
def _(out, view):
    out.confirm(an.check("m*(h/2) == (m/2)*h"))
    out.fact(not an.check("m*h == (m/2)*h"), "masses times path lengths do not balance")


@fact("1.D.2/force")
def _(out, view):
    f, n = view.solve("f"), view.names
    out.fact("rho" not in map(str, f["f"].free_symbols), "independent of rho")
    for claim, theta in (("f == 0", 0), ("f == m*g", "pi/4"), ("m*g/f == 0", "pi/2")):
        out.confirm(an.check(claim, where=f, at={"theta": theta}, names=n), "no force at rest; the weight; no bound")


@fact("1.D.2/tension")
def _(out, view):
    T, n = view.solve("T"), view.names
    out.confirm(an.check("T*cos(theta) == m*g", where=T, names=n), "component along the weight")
    out.confirm(an.check("T*sin(theta) == m*g*tan(theta)", where=T, names=n), "component along the force")
    for claim, theta in (("T == m*g", 0), ("m*g/T == 0", "pi/2")):
        out.confirm(an.check(claim, where=T, at={"theta": theta}, names=n), "the weight; no bound")


@fact("1.F.1")
def _(out, view):
    box = an.System(
        "u",
        particles=[an.Particle(0, ["a1*u", "b1*u"], ["F1x", "F1y"]), an.Particle(0, ["a2*u", "b2*u"], ["F2x", "F2y"])],
    )
    out.confirm(
        box.virtual_work().check("Q_u == F1x*a1 + F1y*b1 + F2x*a2 + F2y*b2"), "only the ratio of displacements enters"
    )


@fact("1.G.1")
def _(out, view):
    for formula, coordinates in (
        ("x1**2 + x2**2 - rho**2", "x1 x2"),
        ("(x1-x2)**2 + (y1-y2)**2 - d**2", "x1 y1 x2 y2"),
        ("x2 - a*x1 - b", "x1 x2"),
    ):
        out.fact(str(an.classify(formula, coordinates)) == "geometric, scleronomic, bilateral, holonomic", formula)


@fact("1.G.2")
def _(out, view):
    found = view.solve("m1")
    out.confirm(
        an.check("m1 == m2/sin(alpha1)", where=found, at={"alpha2": "pi/2"}, names=view.names),
        "1.D.1 with the roles of the masses exchanged",
    )


@fact("1.G.3")
def _(out, view):
    hatch = an.classify("theta - f", "rho theta", given=["f"])
    out.fact(hatch.holonomic and hatch.rheonomic, "holonomic and rheonomic")
    free = an.System(
        "rho theta",
        particles=[an.Particle("m", ["rho*cos(theta)", "rho*sin(theta)"])],
        constraints=["theta - f"],
        given=["f"],
    )
    out.fact(len(free.coordinates) == 2 and free.degrees_of_freedom == 1, "m = 2, n = 1")


@printed("1.G.3")
def _(out, view):
    out.reject(an.check("rho*sin(theta)", "-rho*sin(theta)"), "the two orientations of theta do not agree")


@fact("1.G.4")
def _(out, view):
    rolling = ["x_d - r*theta_d*sin(phi)", "y_d + r*theta_d*cos(phi)"]
    verdict = an.classify(rolling[0], "x y theta phi", others=[rolling[1]])
    out.fact(not verdict.holonomic and not verdict.geometric, verdict.reason)
    n = an.Names(["x", "y", "theta", "phi"])
    rows = [[1, 0, "-r*sin(phi)", 0], [0, 1, "r*cos(phi)", 0]]
    restricted = an.frobenius([n.read_all(r) for r in rows], n.q).restricted
    out.fact(
        all(any(zero(abs(v) - abs(n.read(w))) for v in restricted) for w in ("r*cos(phi)", "r*sin(phi)")),
        "2-forms on the null space",
    )
    gas = an.classify("x1**2 + x2**2 + x3**2 <= r**2", "x1 x2 x3")
    out.fact(not gas.bilateral and not gas.holonomic, "the gas in a sphere is held on one side only")


@printed("1.H.0")
def _(out, view):
    crossing = {"x": "(d-b)/(a-c)"}
    out.confirm(an.check("(a-c)*x+(b-d) == 0", at=crossing))
    out.reject(an.check("(a-c)*x-(b-d) == 0", at=crossing))


@fact("1.H.1")
def _(out, view):
    s = an.System(
        "s1 s2",
        particles=[an.Particle(0, ["s1*sin(alpha1)"], ["m1*g"]), an.Particle(0, ["s2*sin(alpha2)"], ["m2*g"])],
        constraints=["-(s1 + s2 - Lr)"],
    )
    found = s.virtual_work().solve("lam", "m1")
    out.confirm(an.check("m2*g*sin(alpha2)", found["lam"], names=s.names), "the multiplier of the rope is its tension")


@fact("1.J.1-T")
def _(out, view):
    battery = {
        "q**2": "stable",
        "-q**2": "unstable",
        "q**3": "unstable",
        "q**4": "stable",
        "-q**4": "unstable",
        "0*q": "neutral",
    }
    for V, kind in battery.items():
        out.fact(an.nature_of_equilibrium(V, {"q": 0}).kind == kind, V)


@fact("1.J.2-T")
def _(out, view):
    at = {"x": 0, "y": 0}
    for V, kind in (
        ("x**2+y**2", "stable"),
        ("-x**2-y**2", "unstable"),
        ("x*y", "saddle"),
        ("x**3+y**4", "unstable"),
        ("0*x", "neutral"),
        ("x**2+y**4", "degenerate"),
    ):
        out.fact(an.nature_of_equilibrium(V, at).kind == kind, V)
    saddle = an.nature_of_equilibrium("x**2/2 - 2*y**2", at)
    first, second = saddle.directions
    out.confirm(an.check("a*b == x**2 - 4*y**2", where={"a": first, "b": second}), "two real linear factors")


@printed("1.J.2-T")
def _(out, view):
    nature = an.nature_of_equilibrium("x**2 - y**4", {"x": 0, "y": 0})
    h = nature.hessian
    out.fact(h[0, 0] > 0 and h.det() == 0, "A > 0 and B^2 - A C = 0")
    out.reject(nature.kind == "stable", "the equality case is not stable")
    out.reject(an.check("x**2 - y**4 == x**2"), "V takes negative values")


@fact("1.K.2")
def _(out, view):
    winch = an.System(
        "theta",
        particles=[
            an.Particle(0, ["r*theta"], ["-m*g"]),
            an.Particle(0, ["a*cos(theta)", "a*sin(theta)"], ["-F*sin(theta)", "F*cos(theta)"]),
        ],
    )
    out.confirm(an.check("m*g*r/a", winch.virtual_work().solve("F")["F"], names=winch.names), "follower force")
    n = an.Names(["x", "y"])
    follower = n.read_all(["-F*y/sqrt(x**2+y**2)", "F*x/sqrt(x**2+y**2)"])
    out.fact(refuses(lambda: an.potential_of(follower, n.q)), "a force that follows the crank has no potential")


@fact("1.K.4/force")
def _(out, view):
    upward = an.System(
        "theta", particles=[an.Particle(0, ["6*l*cos(theta)"], ["f1"]), an.Particle(0, ["2*l*cos(theta)"], ["f2"])]
    )
    out.confirm(
        an.check("-3*f1", upward.virtual_work().solve("f2")["f2"], names=upward.names),
        "negative modulus: wrong sense assumed",
    )


@fact("1.K.4/reaction")
def _(out, view):
    out.confirm(an.check("2*f1 + f1 - 3*f1 == 0"))


@fact("1.K.6")
def _(out, view):
    loaded = an.System("h", V="k*(mp*g/(2*k)+2*h)**2/2-(mp+m)*g*h").virtual_work()
    out.confirm(an.check("m*g/(4*k)", loaded.solve("h")["h"], names=loaded.names), "the preload does not matter")


@fact("1.K.9/RA")
def _(out, view):
    bar = an.System(
        "uy w",
        released={"w": "0"},
        particles=[
            an.Particle(0, ["uy"], ["RA"]),
            an.Particle(0, ["uy + a*w"], ["RH"]),
            an.Particle(0, ["uy + rho1*w"], ["-F1"]),
        ],
    )
    found = bar.virtual_work().solve("RA", "RH")
    claim = "RA == b/rho2*(1-rho1/a)*P"
    out.confirm(an.check(claim, where=found, at={"F1": "b*P/rho2"}, names=bar.names), "RA, counted upward")


@printed("1.K.9/RA")
def _(out, view):
    numbers = {"a": 1, "rho1": 2, "rho2": 1, "b": 1, "P": 1}
    out.reject(an.formula("b/rho2*(1-rho1/a)*P", at=numbers) > 0, "with a < rho1 the reaction at A points downward")


@fact("1.K.10")
def _(out, view):
    N = 5
    names = [f"t{i}" for i in range(1, N + 1)]
    points = []
    for i in range(N):
        sine, cosine = (
            " + ".join([f"L*{f}({t})" for t in names[:i]] + [f"L/2*{f}({names[i]})"]) for f in ("sin", "cos")
        )
        points.append(an.Particle(0, [sine, f"-({cosine})"], ["0", "-m*g"]))
    points.append(an.Particle(0, ["+".join(f"L*sin({t})" for t in names), "0"], ["F", "0"]))
    chain = an.System(names, particles=points).virtual_work()
    found = chain.solve(*names)
    for i, t in enumerate(names, 1):
        out.confirm(an.check(f"tan({t}) == F/(({N}-{i}+1/2)*m*g)", where=found, names=chain.names), t)


@fact("1.K.12")
def _(out, view):
    diagnosis = view.diagnose("RA", "RB", "RC", "RD")
    out.fact(
        diagnosis.rank == 3 and diagnosis.degree == 1 and diagnosis.kind == "hyperstatic of degree 1", str(diagnosis)
    )
    out.fact(
        set(diagnosis.undetermined) == {"RA", "RB", "RC", "RD"} and not diagnosis.determined, "all four undetermined"
    )
    values = view.solve("RB", "RC", "RD")
    for pair in ("RA+RB", "RB+RC", "RC+RD", "RD+RA"):
        out.confirm(an.check(f"{pair} == m*g/2", at=values, names=view.names), pair)


@fact("1.K.15")
def _(out, view):
    crank = an.System(
        "alpha beta",
        particles=[
            an.Particle(0, ["R*cos(alpha)", "R*sin(alpha)"], ["-F*sin(alpha)", "F*cos(alpha)"]),
            an.Particle(0, ["R*cos(alpha) + L*cos(beta)", "0"], ["f", "0"]),
        ],
        constraints=["R*sin(alpha) - L*sin(beta)"],
    )
    found = crank.virtual_work().solve("F", "lam")
    out.confirm(
        an.check("f*sin(alpha+beta)/cos(beta)", found["F"], names=crank.names),
        "F by a multiplier, as by the instant centre",
    )


# ---- chapter 2 ---------------------------------------------------------------------------------------------------

POLAR = an.Chart("rho theta", ["rho*cos(theta)", "rho*sin(theta)"], positive=["rho"])


@fact("2.B-T")
def _(out, view):
    n = POLAR.names
    frame, rates = POLAR.unit_frame, POLAR.frame_rates()
    for claim, value in zip(("cos(theta)", "-sin(theta)", "sin(theta)", "cos(theta)"), frame):
        out.confirm(an.check(claim, value, names=n), "unit vectors")
    for claim, value in zip(("0", "-theta_d", "theta_d", "0"), rates):
        out.confirm(an.check(claim, value, names=n), "rates of the unit vectors")
    for claim, value in zip(("rho_d", "rho*theta_d"), POLAR.velocity):
        out.confirm(an.check(claim, value, names=n))
    for claim, value in zip(("rho_dd-rho*theta_d**2", "2*rho_d*theta_d+rho*theta_dd"), POLAR.acceleration):
        out.confirm(an.check(claim, value, names=n))


@fact("2.D.1")
def _(out, view):
    out.confirm(view.check("lam == ((m1+m2)*g+(m1-m2)*y1_dd)/2"))
    out.confirm(view.check("y1_dd == 0", at={"m2": "m1"}), "equal masses do not move")
    out.confirm(view.check("lam == m1*g", at={"m2": "m1"}), "and the rope carries a weight")


@fact("2.D.2")
def _(out, view):
    out.confirm(an.check("2*m2", *view.solve_for("y2_dd == 0", "m1"), names=view.names), "y2'' = 0 iff m1 = 2 m2")


@fact("2.D.4")
def _(out, view):
    climbing = an.solve_for("a == 0", "X_dd", where={"a": view.solve("q_dd", "R")["q''"]}, names=view.names)
    out.confirm(an.check("g*tan(alpha)", climbing[0]["X''"], names=view.names), "climbs beyond this acceleration")


# ---- chapter 3 ---------------------------------------------------------------------------------------------------


@fact("3.A.1")
def _(out, view):
    motion = {"q": "g*sin(alpha)*t**2/2 + qd0*t + q0"}
    out.confirm(an.check_motion(view, motion, {"q": "q0", "q_d": "qd0"}), "the motion")


@fact("3.A.4")
def _(out, view):
    field = an.ElectromagneticField("e", "phi(x,y,z,t)", ["Ax(x,y,z,t)", "Ay(x,y,z,t)", "Az(x,y,z,t)"])
    charge = an.System("x y z", particles=[an.Particle("m", ["x", "y", "z"])], field=field)
    n = charge.names
    view = charge.lagrange()
    for c, lorentz in zip("xyz", an.fields_of(field.phi, field.A).force("e")):
        out.confirm(an.equal(n.symbol("m") * view.accelerations[c], n.read(lorentz)), f"Lorentz force along {c}")
    uniform = an.System(
        "x y z",
        particles=[an.Particle("m", ["x", "y", "z"])],
        field=an.ElectromagneticField("e", 0, ["-B*y/2", "B*x/2", "0"]),
    )
    out.confirm(uniform.lagrange().check("L == m*(x_d**2+y_d**2+z_d**2)/2 + e*B*(x*y_d-y*x_d)/2"), "A = B x r/2")


@fact("3.A.5")
def _(out, view):
    dry = an.System("q", L="m*q_d**2/2+m*g*q*sin(alpha)", Q=["-mu*m*g*cos(alpha)*sign(q_d)"]).lagrange()
    out.confirm(
        dry.check("q_dd == g*sin(alpha)-mu*g*cos(alpha)", at={"q_d": 1}),
        "the sign of the velocity gives the same law when it slides down",
    )


@fact("3.A.6")
def _(out, view):
    rayleigh = an.System("x y", L="m/2*(x_d**2+y_d**2)-m*g*y", D="mu/2*(x_d**2+y_d**2)").lagrange()
    for c in "xy":
        out.confirm(
            an.check(rayleigh.accelerations[c], view.accelerations[c], names=view.names),
            "Rayleigh's function gives the same",
        )


@fact("3.A.7/general")
def _(out, view):
    lam = view.multipliers["lam"]
    out.fact(
        zero(view.constraint_forces["x"] + lam)
        and zero(view.constraint_forces["theta"] - view.names.symbol("r") * lam),
        "friction and its moment",
    )


@fact("3.A.7/solid")
def _(out, view):
    n = view.names
    disc = an.mass_properties(["s*cos(a)", "s*sin(a)"], [("s", 0, "r"), ("a", 0, "2*pi")], mass="m", positive=["r"])
    out.confirm(an.check("m*r**2/2", disc.about([0, 0, 1])), "J of the solid cylinder")
    out.confirm(an.check("-m*g*sin(alpha)/3", view.constraint_forces["x"], names=n))
    one = an.System("x", L="3*m*x_d**2/4 + m*g*x*sin(alpha)").lagrange()
    out.confirm(an.check(one.accelerations["x"], view.accelerations["x"], names=n), "eliminated form")


@printed("3.A.7/rem15")
def _(out, view):
    first = an.System("x theta", L="m*x_d**2/2+J*theta_d**2/2+m*g*x*sin(alpha)", constraints=["r*theta-x"]).lagrange()
    for c in ("x", "theta"):
        out.confirm(an.check(first.accelerations[c], view.accelerations[c], names=view.names), "the motion is the same")
    out.reject(
        an.check(first.multipliers["lam"], view.multipliers["lam"], names=view.names),
        "the multipliers are not interchangeable",
    )


@fact("3.A.8")
def _(out, view):
    rolling = an.classify("r*theta_d - x_d", "x theta")
    out.fact(rolling.holonomic and not rolling.geometric, "integrable")
    slopes = "Derivative(f, theta)/Derivative(f, x) == -r"
    out.confirm(an.check(slopes, where={"f": rolling.finite}), "r theta - x = const")


@fact("3.B.1")
def _(out, view):
    out.fact(an.similarity("m*g*z", "z", mass="m").statement == "beta**2 = alpha", "heights as squares of times")


@fact("3.B.3")
def _(out, view):
    out.fact(
        an.similarity("-G*m*M/sqrt(x**2+y**2+z**2)", "x y z", mass="m").statement == "beta**2 = alpha**3",
        "Kepler's third law",
    )


@fact("3.B.4")
def _(out, view):
    out.confirm(an.check("q1*q2**2 + q1**3*t**2", an.gauge_function(view.L, "q1 q2")), "the gauge function")


@fact("3.C.1")
def _(out, view):
    incline = an.System("q", L="m*q_d**2/2+m*g*q*sin(alpha)", positive="q").lagrange()
    n = incline.names
    out.confirm(incline.check("h == m*q_d**2/2 - m*g*q*sin(alpha)"), "energy")
    out.fact(incline.is_first_integral(incline.energy), "conserved")
    t = incline.quadrature(0)
    closed = an.antiderivative(t.function, n.symbol("q"))
    out.confirm(an.check("sqrt(2*q/(g*sin(alpha)))", closed, names=n), "fall from rest")


@fact("3.C.2")
def _(out, view):
    pendulum = an.System("theta", L="m*rho**2*theta_d**2/2 + m*g*rho*cos(theta)")
    n = pendulum.names
    modes = an.normal_modes(pendulum)
    out.confirm(an.check("g/rho", modes.squares[0], names=n), "small oscillations")
    energy = pendulum.lagrange().energy + n.read("m*g*rho")
    out.confirm(an.check("m*rho**2*theta_d**2/2 + m*g*rho*(1-cos(theta))", energy, names=n))
    small = an.System("theta", H="p**2/(2*m*rho**2) + m*g*rho*theta**2/2", positive="E")
    jacobi = small.hamilton_jacobi()
    out.confirm(
        an.check("s*sqrt(rho/g)*asin(theta*sqrt(m*g*rho/(2*E))) - t", jacobi.jacobi["E"], names=small.names),
        "t by quadrature",
    )


@fact("3.C.4")
def _(out, view):
    particle = an.System("x y z", L="m*(x_d**2+y_d**2+z_d**2)/2 - V(y,z)").lagrange()
    out.fact(particle.cyclic == ("x",) and particle.is_first_integral("m*x_d"), "x is cyclic")


@fact("3.D.1")
def _(out, view):
    n = POLAR.names
    for claim, value in zip(("1", "0", "0", "rho**2", "1", "rho"), (*POLAR.metric, *POLAR.lengths)):
        out.confirm(an.check(claim, value, names=n), "metric and lengths")
    momentum = [
        f"m*({e})" for e in ("rho_d*cos(theta)-rho*theta_d*sin(theta)", "rho_d*sin(theta)+rho*theta_d*cos(theta)")
    ]
    for claim, value in zip(("m*rho_d", "m*theta_d"), POLAR.contravariant(momentum)):
        out.confirm(an.check(claim, value, names=n), "contravariant momentum")
    generalised = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2").lagrange().momenta
    for value, p in zip(POLAR.covariant(momentum), generalised.values()):
        out.confirm(an.check(p, value, names=n), "covariant momentum is the generalised momentum")
    out.fact(
        an.check_dimensions("v1 + v2", {"v1": "L T-1", "v2": "T-1"}) is not None,
        "the two components have different dimensions",
    )


@fact("3.D.2")
def _(out, view):
    oblique = an.Chart("a b", ["a + b*cos(alpha)", "b*sin(alpha)"])
    n = oblique.names
    for claim, value in zip(("u1-u2/tan(alpha)", "u2/sin(alpha)"), oblique.contravariant(["u1", "u2"])):
        out.confirm(an.check(claim, value, names=n), "contravariant")
    for claim, value in zip(("u1", "u1*cos(alpha)+u2*sin(alpha)"), oblique.covariant(["u1", "u2"])):
        out.confirm(an.check(claim, value, names=n), "covariant")
    rebuilt = oblique.basis * oblique.covariant(["u1", "u2"])
    out.reject(an.check("u1", rebuilt[0], names=n), "covariant components do not rebuild the vector")
    out.confirm(an.check("u1", rebuilt[0], at={"alpha": "pi/2"}, names=n), "only for right angles")


@fact("3.E.1")
def _(out, view):
    driven = an.System(
        "rho",
        given={"theta": "pi*t**2/20"},
        particles=[an.Particle("m", ["rho*cos(theta)", "-rho*sin(theta)"])],
        V="-m*g*rho*sin(theta)",
    ).lagrange()
    out.confirm(driven.check("L == m/2*(rho_d**2+rho**2*(pi*t/10)**2)+m*g*rho*sin(pi*t**2/20)"))


@printed("3.E.1")
def _(out, view):
    n = an.Names(["rho"], given=["theta"])
    rate = n.at_functions(n.velocity("theta"), {"theta": n.read("pi*t**2/20")})
    out.reject(an.check("pi/20", rate, names=n))
    out.reject(an.check("pi*t**2/20", rate, names=n))


@printed("3.E.2")
def _(out, view):
    claim = "(m1+m2)*rho1**2*a_dd+m2*rho1*rho2*b_dd*cos(a-b)-m2*rho1*rho2*b_d**2*sin(a-b)+(m1+m2)*g*rho1*sin(a)"
    report = view.check_equation(claim, "a")
    out.reject(report)
    out.fact("b'**2" in report.difference, f"the place is found: {report.difference}")
    out.fact(view.is_first_integral(view.energy), "the right equations conserve the energy")


@fact("3.E.4")
def _(out, view):
    n = view.names
    out.confirm(an.check("m**2*rho**2*sin(theta)**2", view.singular, names=n), "singular at theta = 0")
    claim = "m*sin(theta)*(rho*theta_d**2+g*cos(theta)-l_dd*sin(theta)) == k*l"
    out.confirm(view.check(claim), "consequence of the two equations")


@printed("3.E.5")
def _(out, view):
    n = view.names
    falling = lambda h: n.at_functions(view.accelerations["theta"], {"h": n.read(h)})
    out.fact(zero(falling("g*t**2/2")), "free fall")
    out.reject(an.is_zero(falling("g*t**2")))
    out.confirm(an.check("-2*g*sin(theta)/rho", falling("-g*t**2/2"), names=n), "field 2 g")


@fact("3.A-T")
def _(out, view):
    out.fact(all(an.Chart("q1 q2", ["f(q1,q2,t)", "h(q1,q2,t)"]).lemmas().values()), "(3.7) and (3.9)")
    particle = an.System("q1 q2", particles=[an.Particle("m", ["f(q1,q2,t)", "h(q1,q2,t)"], ["Fx", "Fy"])])
    el, d = particle.lagrange().equations, particle.dalembert().balances
    for e, b in zip(el, d.values()):
        out.confirm(an.is_zero(e + b), "(3.10) is d'Alembert's principle")


@fact("3.A-T/rem10")
def _(out, view):
    position = ["f(q1,q2)", "h(q1,q2)"]
    T = an.System("q1 q2", particles=[an.Particle("m", position)]).kinetic_energy
    chart = an.Chart("q1 q2", position)  # all products of velocities are in its T = m/2 g_jk q_j' q_k'
    out.confirm(an.equal(T, chart.names.read(chart.kinetic_energy())))


@printed("3.A-T/rem10")
def _(out, view):
    oblique = an.Chart("a b", ["a + b*cos(alpha)", "b*sin(alpha)"])
    out.reject(an.check("m*(a_d**2 + b_d**2)/2", oblique.kinetic_energy(), names=oblique.names))
    out.reject(an.check("m*rho**2*theta_d**2/2", POLAR.kinetic_energy(), names=POLAR.names))


@fact("3.A.4-T")
def _(out, view):
    s = an.System("x y", particles=[an.Particle("m", ["x", "y"])], V="V(x,y)", constraints=["f(x,y)"]).lagrange()
    for c, e, el in zip("xy", s.equations, s.expressions):
        claim = f"equation == EL - lam*Derivative(f(x,y), {c})"
        out.confirm(an.check(claim, where={"equation": e, "EL": el}, names=s.names), "EL - lambda df/dx")


@printed("3.A.4-T")
def _(out, view):
    rolling = an.System("x theta", L="m*x_d**2/2+J*theta_d**2/2", constraints=["r*theta - x"])
    out.reject(an.check("0", rolling.constraint_rows[0][0]), "df/dx = -1 in the text's own example")


@fact("3.A.5-T")
def _(out, view):
    skate = an.System(
        "x y", particles=[an.Particle("m", ["x", "y"])], rolling=["a(x,y,t)*x_d + b(x,y,t)*y_d + c(x,y,t)"]
    )
    n = skate.names
    out.fact(skate.constraint_rows[0] == n.read_all(["a(x,y,t)", "b(x,y,t)"]), "virtual displacements drop the dt term")
    free = an.System("x y", particles=[an.Particle("m", ["x", "y"])], rolling=["a(x,y,t)*x_d + b(x,y,t)*y_d"])
    kept = {"with": skate.constraint_accelerations[0], "without": free.constraint_accelerations[0]}
    rate = "Derivative(c(x,y,t), t) + Derivative(c(x,y,t), x)*x_d + Derivative(c(x,y,t), y)*y_d"
    out.confirm(an.check(f"with - without == {rate}", where=kept, names=n), "the velocity constraint keeps it")


@fact("3.B.1-T")
def _(out, view):
    oblique = an.Chart("a b", ["a + b*cos(alpha)", "b*sin(alpha)"])
    out.fact(not oblique.kinetic_energy().has(*oblique.names.q), "oblique: T holds no coordinate")
    cylinder = an.System(
        "rho phi z", particles=[an.Particle("m", ["rho*cos(phi)", "rho*sin(phi)", "z"])], V="V(rho,phi,z)"
    ).lagrange()
    for c, claim in (
        ("rho", "m*(rho_dd-rho*phi_d**2) + Derivative(V(rho,phi,z),rho)"),
        ("phi", "m*(rho**2*phi_dd+2*rho*rho_d*phi_d) + Derivative(V(rho,phi,z),phi)"),
        ("z", "m*z_dd + Derivative(V(rho,phi,z),z)"),
    ):
        out.confirm(cylinder.check_equation(claim, c), c)


@printed("3.B.1-T")
def _(out, view):
    cylinder = an.System("rho phi z", particles=[an.Particle("m", ["rho*cos(phi)", "rho*sin(phi)", "z"])]).lagrange()
    out.reject(cylinder.check("Derivative(T, rho) == rho*phi_d**2"))
    out.reject(an.System("x", L="m*x_d**2/2 - V(x)").lagrange().check_equation("m*x_dd - Derivative(V(x),x)", "x"))


@fact("3.B.2-T/galileo")
def _(out, view):
    moved = an.change_coordinates("m*x_d**2/2", {"x": "u + v*t"}, "u")
    n = an.Names(["u"])
    out.confirm(an.check("m/2*(u_d**2) + m*v*u_d + m*v**2/2", moved.L, names=n))
    out.fact(all(zero(r) for r in moved.covariance), "covariant")


@printed("3.B.2-T/galileo")
def _(out, view):
    moved = an.change_coordinates("m*x_d**2/2", {"x": "u + v*t"}, "u")
    out.reject(an.check("m/2*(u_d - v)**2", moved.L, names=an.Names(["u"])))


@fact("3.B.2-T/rotating")
def _(out, view):
    n = view.names
    for c, claim in (("x", "m*omega**2*x + 2*m*omega*y_d"), ("y", "m*omega**2*y - 2*m*omega*x_d")):
        out.confirm(an.check(claim, n.symbol("m") * view.accelerations[c], names=n), "centrifugal and Coriolis forces")


@printed("3.B.2-T/rotating")
def _(out, view):
    out.reject(view.check_equation("m*x_dd+m*omega**2*x+2*m*omega*y_d", "x"))
    out.reject(view.check_equation("m*y_dd+m*omega**2*y-2*m*omega*x_d", "y"))


@fact("3.B.3-T")
def _(out, view):
    law = an.similarity("c*x**3", "x", mass="m")
    out.confirm(an.check("gamma*alpha**(2-3)", law.time_law), "beta^2 = gamma alpha^(2-k)")
    out.fact(refuses(lambda: an.similarity("cos(x)", "x")), "a pendulum is not similar to itself")
    out.fact(an.equivalence("3*m*x_d**2 - 6*V(x)", "m*x_d**2/2 - V(x)", "x").factor == 6, "a constant multiple")


@fact("3.B.4-T")
def _(out, view):
    n = an.Names(["x", "y", "z"])
    for a, b in ("xy", "yz", "zx"):
        slopes = {"Fa": f"-Derivative(V(x,y,z), {a})", "Fb": f"-Derivative(V(x,y,z), {b})"}
        out.confirm(an.check(f"Derivative(Fa, {b}) == Derivative(Fb, {a})", where=slopes, names=n), "rot grad = 0")
    out.fact(refuses(lambda: an.potential_of(n.read_all(["-y", "x", "0"]), n.q)), "a curl is refused")


@fact("3.B.5-T")
def _(out, view):
    both = an.System("x y", L="m1*x_d**2/2 - V1(x) + m2*y_d**2/2 - V2(y)").lagrange()
    alone = an.System("x", L="m1*x_d**2/2 - V1(x)").lagrange()
    out.confirm(an.check(alone.accelerations["x"], both.accelerations["x"], names=both.names), "decoupled")


@fact("3.B.6-T")
def _(out, view):
    n = an.Names(["q1", "q2"])
    out.fact(an.is_null(n.derivative(n.read("f(q1,q2,t)")), (), names=n), "for an arbitrary f")


@fact("3.B.7-T")
def _(out, view):
    out.fact(
        an.is_null("2*t*q*q_d + q**2", "q") and refuses(lambda: an.gauge_function("q1*q2*q1_d", "q1 q2")),
        "null and not null",
    )
    out.confirm(an.check("t*q**2", an.gauge_function("2*t*q*q_d + q**2", "q")))


@printed("3.B.7-T")
def _(out, view):
    n = an.Names(["q1", "q2"])
    F = {"F": "(q1_d - q2_d)**2/2"}
    for c in ("q1_d", "q2_d"):
        sums = f"Derivative(F, q1_d, {c}) + Derivative(F, q2_d, {c}) == 0"
        out.confirm(an.check(sums, where=F, names=n), "the printed sums vanish")
    out.reject(an.is_null(F["F"], (), names=n), "yet F is not null: every term must vanish")


@fact("3.B.8-T")
def _(out, view):
    polar = an.change_coordinates(
        "m*(x_d**2+y_d**2)/2 - a*x**2 - b*y**2", {"x": "rho*cos(theta)", "y": "rho*sin(theta)"}, "rho theta"
    )
    out.fact(all(zero(r) for r in polar.covariance), "EL_Q = J^T EL_q, anisotropic potential")
    central = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 - V(rho)").lagrange()
    out.fact(
        not central.check_equation("m*rho_dd + Derivative(V(rho),rho)", "rho"),
        "Newton's component form is not covariant",
    )


@printed("3.B.8-T")
def _(out, view):
    moved = an.change_coordinates("q_d**2/2", {"q": "Q**3*t"}, "Q")
    n = an.Names(["Q"])
    told = {"q": "Q**3*t", "rate": "Derivative(q, t)", "slope": "Derivative(q, Q)", "L": moved.L}
    out.confirm(an.check("Derivative(L, Q_d) == rate*slope", where=told, names=n), "dL/dQ' = dL/dq' dq/dQ")
    out.reject(an.check("Derivative(L, Q_d) == 0*slope", where=told, names=n), "dq/dQ' = 0 for a point change")


@fact("3.C-T")
def _(out, view):
    s = an.System(
        "theta", given=["h"], particles=[an.Particle("m", ["rho*sin(theta)", "-h-rho*cos(theta)"])], gravity=["0", "-g"]
    ).lagrange()
    explicit = "rate == -(Derivative(L, h)*h_d + Derivative(L, h_d)*h_dd)"
    told = {"rate": s.rate(s.energy), "L": s.L}
    out.confirm(an.check(explicit, where=told, names=s.names), "dH/dt = -dL/dt explicit")
    kepler = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 + k/rho").lagrange()
    out.fact(kepler.cyclic == ("theta",) and "p_theta" in kepler.first_integrals(), "cyclic")


@printed("3.C-T")
def _(out, view):
    kepler = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 + k/rho").lagrange()
    out.reject(kepler.check("Derivative(L, theta_d) == 0"), "theta is cyclic although dL/dtheta' is not zero")


@fact("3.D-T")
def _(out, view):
    n = an.Names(["rho", "theta"])
    p = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2").lagrange().momenta
    out.confirm(an.check("m*rho**2*theta_d", p["theta"], names=n))
    x, y = POLAR.position
    told = {"x": x, "y": y, "px": "m*Derivative(x, t)", "py": "m*Derivative(y, t)"}
    for c in ("rho", "theta"):
        pulled = f"Derivative(x, {c})*px + Derivative(y, {c})*py"
        out.confirm(an.check(pulled, p[c], where=told, names=POLAR.names), "P_j = dq_k/dQ_j p_k")


@printed("3.D.1-T")
def _(out, view):
    out.reject(an.check("m*y_d - q*Ay", view.momenta["y"], names=view.names))


# ---- chapter 4 ---------------------------------------------------------------------------------------------------


@fact("4.A-T")
def _(out, view):
    twice = an.legendre("exp(x)", positive="a")
    told = {"b": twice.transform, "x": twice.x_of_a}
    names = an.Names(positive=["a"])
    out.confirm(an.check("Derivative(b, a) == -x", where=told, names=names), "b'(a) = -x")
    out.confirm(an.check("b - a*Derivative(b, a) == exp(x)", where=told, names=names), "the transform is involutive")
    out.confirm(an.check("a**2/4", an.legendre("x**2", convention="mechanics").transform), "the other sign convention")
    tangent = an.legendre("x**2").tangent
    out.confirm(an.check("2*x_M*x + x_M**2 - 2*x_M*x_M", tangent), "tangent line")


@printed("4.A-T")
def _(out, view):
    out.reject(an.legendre("x**2").curvature == "concave", "f'' > 0 is convex")
    out.reject(an.legendre("-x**2").curvature == "convex", "f'' < 0 is concave")


@fact("4.A.1")
def _(out, view):
    out.confirm(an.check("-a**2/4", an.legendre("x**2").transform))


@fact("4.B.1")
def _(out, view):
    free = an.System("x", L="m*x_d**2/2").lagrange()
    out.confirm(free.check("x_dd == 0"))
    out.confirm(an.check_motion(free, {"x": "C1*t + C2"}), "general solution")
    general = an.System("q1 q2", L="L0(q1,q2,q1_d,q2_d,t)").lagrange()
    for c, e in zip(("q1", "q2"), general.expressions):
        slope = f"Derivative(L0(q1,q2,q1_d,q2_d,t), {c}_d"
        form = " + ".join(f"{slope}, {x}_d)*{x}_dd + {slope}, {x})*{x}_d" for x in ("q1", "q2"))
        form += f" + {slope}, t) - Derivative(L0(q1,q2,q1_d,q2_d,t), {c})"
        out.confirm(an.check(form, e, names=general.names), "first-order form")


@fact("4.B.3")
def _(out, view):
    incline = an.System("q", L="m*q_d**2/2+m*g*q*sin(alpha)").hamilton()
    n = incline.names
    out.confirm(an.check("m*g*sin(alpha)", incline.pdot["p"], names=n))
    out.confirm(an.check("p/m", incline.qdot["q"], names=n))
    out.confirm(an.check("g*sin(alpha)", incline.accelerations["q"], names=n))


@fact("4.B.3-T")
def _(out, view):
    s = an.System("q1 q2", L="m1*q1_d**2/2 + m2*q2_d**2/2 - V(q1,q2)")
    one, _ = an.partial_legendre(s, "q1")
    told = {"H1": one, "H": s.hamilton().H, "p2_": "m2*q2_d"}
    at = {"q2_d": "p2/m2"}
    out.confirm(an.check("H1 + p2*q2_d == H", where=told, at=at, names=s.names), "partial transforms add up to H")


@printed("4.B.3-T")
def _(out, view):
    s = an.System("q1 q2", L="m1*q1_d**2/2 + m2*q2_d**2/2 - V(q1,q2)")
    back = {"q1_d": "p1/m1", "q2_d": "p2/m2"}
    told = {"L": s.lagrangian, "H": s.hamilton().H}
    out.reject(an.check("p1*q1_d - p2*q2_d - L == H", where=told, at=back, names=s.names))


@fact("4.B.4-T")
def _(out, view):
    s = an.System(
        "theta", given=["h"], particles=[an.Particle("m", ["rho*sin(theta)", "-h-rho*cos(theta)"])], gravity=["0", "-g"]
    )
    view = s.hamilton()
    told = {"L": s.lagrange().L, "H": view.H}
    at = {"p": view.momenta["theta"]}
    for x in ("theta", "h", "h_d", "h_dd"):
        claim = f"Derivative(H, {x}) == -Derivative(L, {x})"
        out.confirm(an.check(claim, where=told, at=at, names=s.names), "(4.7a), and (4.7b) by the prescribed motion")
    told = {"H": "p**2/(2*m) + V(q)", "K": an.standard_map("exchange").transform("p**2/(2*m) + V(q)")}
    for claim in ("Derivative(K, P) == -Derivative(H, q)", "Derivative(K, Q) == Derivative(H, p)"):
        out.confirm(an.check(claim, where=told, at={"q": "-P", "p": "Q"}), "invariant under q -> p, p -> -q")


@fact("4.D-T")
def _(out, view):
    cases = {
        "H = E, constant": (an.System("q", particles=[an.Particle("m", ["q"])], V="k*q**2/2"), True, True),
        "H = E, not constant": (
            an.System("q", given=["k"], particles=[an.Particle("m", ["q"])], V="k*q**2/2"),
            True,
            False,
        ),
        "H != E, constant": (an.System("q", particles=[an.Particle("m", ["q*cos(w*t)", "q*sin(w*t)"])]), False, True),
        "H != E, not constant": (
            an.System("q", given=["h"], particles=[an.Particle("m", ["q", "h*q"])], V="k*q**2/2"),
            False,
            False,
        ),
    }
    for label, (system, is_energy, conserved) in cases.items():
        verdict = system.hamilton().energy
        out.fact(verdict.H_is_energy is is_energy and verdict.H_conserved is conserved, f"{label}: {verdict}")
    bead = cases["H != E, constant"][0].hamilton()
    T0, _, T2 = bead.split()
    told = {"T2": T2, "T0": T0, "H": bead.H}
    out.confirm(an.check("T2 - T0 == H", where=told, at={"p": bead.momenta["q"]}, names=bead.names), "H = T2 - T0 + V")
    double = an.System(
        "a b",
        particles=[
            an.Particle("m1", ["l1*sin(a)", "-l1*cos(a)"]),
            an.Particle("m2", ["l1*sin(a)+l2*sin(b)", "-l1*cos(a)-l2*cos(b)"]),
        ],
    )
    euler = "a_d*Derivative(T, a_d) + b_d*Derivative(T, b_d) == 2*T"
    out.confirm(an.check(euler, where={"T": double.kinetic_energy}, names=double.names), "Euler's identity")


@fact("4.D.1")
def _(out, view):
    verdict = (
        an.System("q", particles=[an.Particle("m", ["q*cos(alpha)", "-q*sin(alpha)"])], gravity=["0", "-g"])
        .hamilton()
        .energy
    )
    out.fact(bool(verdict.H_is_energy) and verdict.H_conserved, str(verdict))
    plane = an.System("x y", particles=[an.Particle("m", ["x", "y"])], V="V(x,y)").hamilton()
    for c in "xy":
        out.confirm(plane.check(f"p{c}_dot == -Derivative(V(x,y), {c})"), "p' = -grad V")


@fact("4.E-T")
def _(out, view):
    central = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 - V(rho)", momenta="prho ptheta")
    H = central.hamilton()
    out.fact(H.cyclic == central.lagrange().cyclic == ("theta",), "absent from L and from H")
    reduced, rate = H.reduce_cyclic("theta", "alpha")
    out.confirm(an.check("alpha/(m*rho**2)", rate, names=central.names))
    out.fact(not reduced.has(central.names.symbol("ptheta")), "2n - 2 variables remain")


@printed("4.E-T")
def _(out, view):
    central = an.System("rho theta", L="m*(rho_d**2+rho**2*theta_d**2)/2 - V(rho)").lagrange()
    out.reject(not central.L.has(central.names.velocity("theta")), "the velocity of the cyclic coordinate stays in L")


@fact("4.F-T")
def _(out, view):
    flow = an.infinitesimal("H0(q1,q2,p1,p2,t)", "q1 q2", "p1 p2")
    rates = {f"r{c}": e for c, e in {**flow.delta_q, **flow.delta_p}.items()}
    divergence = " + ".join(f"Derivative(r{c}, {c})" for c in ("q1", "q2", "p1", "p2"))
    out.confirm(an.check(f"{divergence} == 0", where=rates), "Liouville for any H")
    pendulum = an.System("theta", L="m*rho**2*theta_d**2/2 + m*g*rho*cos(theta)").hamilton()
    out.fact(pendulum.divergence() == 0, "Liouville")
    for sign, branch in zip((1, -1), pendulum.phase_curves("H")):
        out.confirm(
            an.check(f"{sign}*sqrt(2*m*rho**2*(H+m*g*rho*cos(theta)))", branch, names=pendulum.names), "phase curve"
        )
    numeric = an.System("q", H="p**2/2 - cos(q)")
    out.fact(abs(an.flow_determinant(numeric, {"q": 0.4, "p": 1.1}, 3.0, {}) - 1) < 1e-6, "volume of the flow map")


@printed("4.G.1")
def _(out, view):
    told = {"E": view.energy.energy, "p_rate": view.pdot["p"]}
    claim = "E == m/2*(p_rate**2+rho**2*theta_d**2)-m*g*rho*sin(theta)"
    out.reject(an.check(claim, where=told, names=view.names))


@printed("1.D.1/friction")
def _(out, view):
    report = view.check_solution({"f": "(m2-m1)*g*sin(alpha)"})
    out.reject(report)
    out.confirm(an.check("(m2-m1*sin(alpha))*g", report.correct["f"], names=view.names), "the corrected form is given")
