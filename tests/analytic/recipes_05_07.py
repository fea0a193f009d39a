"""How the entries of chapters 5-7 are computed: canonical transformations, brackets, Hamilton-Jacobi."""

from __future__ import annotations

from analytic import by_habit as an
from analytic.case_runner import worst, zero
from dalembert.errors import ModelError

RECIPES: dict = {}


def recipe(*ids: str):
    def keep(f):
        for id_ in ids:
            RECIPES[id_] = f
        return f

    return keep


def refusal(call) -> str:
    try:
        call()
    except ModelError as error:
        return str(error)
    return ""


# ---- 5.A -----------------------------------------------------------------------------------------------------------


@recipe("5.A.1")
def _(entry, out):
    given = entry["given"]
    change = an.change_coordinates(given["L"], {"x": given["x"], "y": given["y"]}, "rho theta")
    n = an.Names(["x", "y"])
    out.fact(change.cyclic_before == () and change.cyclic_after == ("theta",), "theta becomes cyclic")
    out.fact(all(zero(r) for r in change.covariance), "covariant")

    def angle(claim):
        """The angle is right when it gives back both coordinates, in every quadrant."""
        told = {"rho": "sqrt(x**2+y**2)", "theta": claim}
        return worst(*(an.check(f"{given[c]} == {c}", where=told, names=n) for c in "xy"))

    both = an.Names(["x", "y", "rho", "theta"])
    return {
        "rho_of_xy": n.read("sqrt(x**2+y**2)"),
        "theta_of_xy": angle,
        "L_new": both.read(change.L),
        "dL_new_dtheta": an.formula("Derivative(L, theta)", where={"L": change.L}, names=both),
    }, both


# ---- 5.B: generating functions ---------------------------------------------------------------------------------------

KIND = {"F1": 1, "F2": 2, "F3": 3, "F4": 4}


@recipe("5.B.rule1", "5.B.rule2", "5.B.rule3", "5.B.rule4")
def _(entry, out):
    """The rules of a type on a generator with an unspecified part, and the Legendre relations between the types."""
    n = an.Names()
    F1 = "q*Q + a*q**2/2 + b*Q**2/2 + c*t*q"
    every = {1: F1}
    for kind in (2, 3, 4):
        every[kind] = an.convert(F1, 1, kind, "q")
    maps = {k: an.generate(f, k, "q") for k, f in every.items()}
    for k, g in maps.items():
        out.fact(bool(g.map.canonicity()), f"type {k} gives a canonical map")
        for name in "QP":
            out.confirm(an.equal(g.map.new[name], maps[1].map.new[name]), f"type {k} gives the same map")
        out.confirm(an.equal(g.K_minus_H, maps[1].K_minus_H), "and the same K - H")
    schwarz = {"p": "Derivative(F(q,Q,t), q)", "P": "-Derivative(F(q,Q,t), Q)"}
    out.confirm(an.check("Derivative(p, Q) == -Derivative(P, q)", where=schwarz), "Schwarz: dp/dQ = -dP/dq")
    told = {f"F{k}": f for k, f in every.items()}
    on_map = maps[1].map.new
    for claim in ("F2 == F1 + Q*P", "F3 == F1 - q*p", "F4 == F1 + Q*P - q*p", "F1 == F2 - Q*P", "F4 == F3 + Q*P"):
        out.confirm(an.check(claim, where=told, at=on_map), claim)
    if entry["id"] == "5.B.rule3":
        out.reject(an.check("F3 == F2 - Q*P", where=told, at=on_map), "F2 - P Q is F1, not F3")
    if entry["id"] == "5.B.rule4":
        out.reject(an.check("F4 == F3 - Q*P", where=told, at=on_map), "F4 = F3 - Q P has the wrong sign")
    out.fact("det" in refusal(lambda: an.generate("q + Q", 1, "q")), "a degenerate generator is refused")
    return {}, n


@recipe("5.B.1", "5.B.3", "5.B.5", "5.B.7", "5.B.8", "5.B.9", "5.B.10")
def _(entry, out):
    """Any generator: relations, explicit maps in both directions, K - H."""
    found: dict = {}
    names = an.Names(positive=["P"])
    for key, F in entry["given"].items():
        kind = (1, 3) if key == "F" else KIND[key[:2]]
        g = an.generate(F, kind, entry["coords"], names=names)
        tail = key[2:] if key != "F" else ""
        for m in (*g.branches, *g.backward):
            for name, value in (
                {**m.new, **(m.old if m in g.backward else {})}.items() if m in g.branches else m.old.items()
            ):
                found.setdefault(name + tail, []).append(value)
        for name, value in g.relations.items():
            found.setdefault(name + tail, []).append(value)
            arguments = sorted((s.name for s in value.free_symbols if s.name in "qpQP"), reverse=True)
            found.setdefault(f"{name}_of_{''.join(sorted(arguments, key='qpQP'.index))}", []).append(value)
        found.setdefault("K_minus_H", []).append(g.K_minus_H if g.time_part == 0 else g.time_part)
        canonical = (g.branches or g.backward)[0].canonicity() if key != "F2" or "f1" not in F else None
        out.fact(canonical is None or (bool(canonical) and canonical.agree), "canonical by the four tests")
    return found, names


@recipe("5.B.4a", "5.B.4b", "6.D.2")
def _(entry, out):
    n = an.Names()
    forward = {"x": "a*t**2/2 + p0*t/m + x0", "p": "m*a*t + p0"}
    m = an.CanonicalMap("x0", "p0", "x", "p", new=forward, names=n)
    out.fact(bool(m.canonicity()), "canonical")
    if entry["id"] == "5.B.4b":
        m = m.inverse()
    F1 = an.generator_of(m, 1)
    relations = an.generate(F1, 1, m.labels[0], m.labels[1], m.labels[2], m.labels[3], names=n).relations
    found = {
        "F1": lambda claim: an.check(claim, F1, up_to="constant", over=["x", "x0"], names=n),
        "PB": an.poisson_bracket(forward["x"], forward["p"], "x0", "p0", n),
    }
    if entry["id"] == "5.B.4a":
        found |= {"p0_of_x0x": relations["p0"], "p_of_x0x": relations["p"]}
        # K = H0 + dF1/dt with H0 = 0 must become the Hamiltonian of the motion
        told = {"base": "-m*(x-x0)**2/(2*t) - m*a*t*(x0+x)/2", "H": "p**2/(2*m) - m*a*x"}
        rate = an.formula("H - Derivative(base, t)", where=told, at={"p": relations["p"]}, names=n)
        found["gfun_that_makes_K_equal_p2_over_2m_minus_max"] = an.antiderivative(an.tidy(rate), n.time)
    else:
        found |= {"x0": m.new.get("x0", 0), "p0": m.new.get("p0", 0)}
    return found, n


@recipe("5.B.6b")
def _(entry, out):
    n = an.Names(signs=["s"], positive=["A"])
    m = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "-p", "P": "q + A*p**2"}, names=n)
    out.fact(bool(m.canonicity()), "canonical")
    F1, F2 = an.generator_of(m, 1), an.generator_of(m, 2)
    told = {"F1": F1, "F2": F2, "F12": an.convert(F1, 1, 2, "q", names=n), "root": "sqrt((P-q)/A)"}
    out.confirm(an.check("F12**2 == F2**2", where=told, names=n), "type 2 directly and by Legendre from type 1")
    slopes = an.generate(F2, 2, "q", names=n).relations
    side = 1 if an.check("root", slopes["p"], where=told, names=n) else -1
    out.confirm(an.check(f"{side}*root", slopes["p"], where=told, names=n), "one branch of p")
    out.confirm(an.check(f"-({side})*root", slopes["Q"], where=told, names=n), "the same branch of Q")
    return {
        "p_of_qP": n.read("s*sqrt((P-q)/A)"),
        "Q_of_qP": n.read("-s*sqrt((P-q)/A)"),
        "F2": an.formula(f"s*({side})*F2", where=told, names=n),
        "F2_in_Q": an.formula("F1 + Q*P", where=told, at={"p": "-Q", "P": "q + A*Q**2"}, names=n),
    }, n


@recipe("5.B.6c")
def _(entry, out):
    """Vertical throw: A = 1/(2 m**2 g) makes K = m g P; the motion through (Q, P)."""
    n = an.Names()
    m = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "-p", "P": "q + p**2/(2*m**2*g)"}, names=n)
    H, start = "p**2/(2*m) + m*g*q", {"q": "q0", "p": "m*v0"}
    thrown = an.canonical_motion(m, H, start=start)
    out.confirm(an.check("m*g*P", thrown.K, names=n), "K = m g P")
    (top,) = an.solve_for("Derivative(q, t) == 0", "t", where={"q": thrown.old["q"]}, names=n)
    height = an.formula(thrown.old["q"], at=top, names=n)
    out.confirm(an.equal(thrown.constants["P"], height), "P0 is the height of the top")
    return {
        "P_t": thrown.new["P"],
        "Q_t": thrown.new["Q"],
        "p_t": an.canonical_motion(m, H, start={"q": "q0", "p": "p0"}).old["p"],
        "q_t": thrown.old["q"],
        "Q0": thrown.constants["Q"],
        "t_top": top["t"],
        "q_max": height,
        "P0": thrown.constants["P"],
    }, n


@recipe("5.B.7a", "5.B.7b")
def _(entry, out):
    n = an.Names()
    if entry["id"] == "5.B.7a":
        new = {"X": "x + ax", "Y": "y + ay", "Z": "z + az", "Px": "px", "Py": "py", "Pz": "pz"}
    else:
        c, s = "cos(theta)", "sin(theta)"
        new = {
            "X": f"x*{c}+y*{s}",
            "Y": f"-x*{s}+y*{c}",
            "Z": "z",
            "Px": f"px*{c}+py*{s}",
            "Py": f"-px*{s}+py*{c}",
            "Pz": "pz",
        }
    m = an.CanonicalMap("x y z", "px py pz", "X Y Z", "Px Py Pz", new=new, names=n)
    verdict = m.canonicity()
    out.fact(bool(verdict) and verdict.agree, "canonical by the four tests")
    F2 = an.generator_of(m, 2)
    generated = an.generate(F2, 2, "x y z", names=n).map
    return {
        "F2": F2,
        **{k: generated.new[k] for k in ("Px", "Py", "Pz")},
        **{k: generated.old[k] for k in ("px", "py", "pz")},
    }, n


@recipe("5.B.group")
def _(entry, out):
    n = an.Names(positive=["P"])
    oscillator = an.generate("m*w*q**2*cot(Q)/2", 1, "q", names=n)
    first = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "atan(m*w*q/p)", "P": "(p**2/(m*w) + m*w*q**2)/2"}, names=n)
    at = {"Q": first.new["Q"]}
    out.confirm(an.check(oscillator.relations["P"], first.new["P"], at=at, names=n), "the map of 5.B.3")
    turn = an.standard_map("phase rotation")
    both = first.then(turn)
    for label, m in (("product", both), ("inverse", turn.inverse()), ("identity", an.standard_map("identity"))):
        verdict = m.canonicity()
        out.fact(bool(verdict) and verdict.agree, f"the {label} is canonical")
    back = turn.then(turn.inverse())
    out.fact(
        zero(back.new["q"] - n.symbol("q")) if "q" in back.new else True, "a map after its inverse is the identity"
    )
    return {}, n


@recipe("5.B.rule5", "6.D.rule", "6.C.rule")
def _(entry, out):
    n = an.Names()
    rotation = an.CanonicalMap(
        "x y",
        "px py",
        "X Y",
        "PX PY",
        new={
            "X": "x*cos(a)+y*sin(a)",
            "Y": "-x*sin(a)+y*cos(a)",
            "PX": "px*cos(a)+py*sin(a)",
            "PY": "-px*sin(a)+py*cos(a)",
        },
        names=n,
    )
    out.fact(bool(rotation.canonicity()), "brackets of a canonical map")
    bad = an.CanonicalMap("x y", "px py", "X Y", "PX PY", new={"X": "x*px", "Y": "y", "PX": "px", "PY": "py"}, names=n)
    verdict = bad.canonicity()
    out.fact(not verdict and verdict.agree, "the four tests agree on a map that is not canonical")
    scaled = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "2*q", "P": "3*p"}, names=n)
    k = scaled.canonicity().valence
    out.fact(k == 6, "valence")
    told = {"H": "p**2/(2*m) + V(q)", "rate": an.poisson_bracket("2*q", "p**2/(2*m) + V(q)", "q", "p", n)}
    told["K"] = an.formula("6*H", where=told, at={"q": "Q/2", "p": "P/3"}, names=n)
    claim = an.check("rate == Derivative(K, P)", where=told, at={"q": "Q/2", "p": "P/3"}, names=n)
    out.confirm(claim, "Q' = d(kH)/dP")
    U = n.read_all(["x*px", "y", "px + y**2", "py"])
    q, p = n.read_all(["x", "y"]), n.read_all(["px", "py"])
    out.confirm(an.bracket_identity(U, q, p), "sum {U_k,U_i}[U_k,U_j] = delta_ij, for a set that is not canonical")
    fundamental = an.bracket_matrix((*p, *q), q, p).tolist()
    out.fact(fundamental == [[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]], "[P_i, Q_i] = -1")
    if entry["id"] == "6.D.rule":
        out.reject(an.equal(an.poisson_bracket("p", "q", "q", "p"), 1), "[P, Q] printed as +1")
    return {}, n


@recipe("5.B.11")
def _(entry, out):
    n = an.Names()
    m = an.CanonicalMap("q", "p", "Q", "P", new=entry["given"], names=n)
    out.fact(bool(m.canonicity()), "canonical")
    return {**m.old, "lagrange_bracket_QP": m.lagrange_bracket("Q", "P"), "F1": an.generator_of(m, 1)}, n


# ---- 5.C, 5.D --------------------------------------------------------------------------------------------------------


@recipe("5.C.rule", "5.C.evol", "5.D.1")
def _(entry, out):
    n = an.Names()
    change = an.infinitesimal("G(q,p,t)", "q", "p", names=n)
    out.confirm(an.check("Derivative(G(q,p,t), p)", change.delta_q["q"], names=n))
    out.confirm(an.check("-Derivative(G(q,p,t), q)", change.delta_p["p"], names=n))
    out.confirm(an.check("Derivative(G(q,p,t), t)", change.delta_K, names=n))
    flow = an.infinitesimal("p**2/(2*m) + V(q)", "q", "p", names=n)
    motion = an.System("q", H="p**2/(2*m) + V(q)").hamilton()
    out.confirm(an.equal(flow.delta_q["q"], motion.qdot["q"]), "H generates the motion")
    out.confirm(an.equal(flow.delta_p["p"], motion.pdot["p"]))
    # finite evolution of the free fall: F1 = -int L dt generates the map of initial to final data
    action = an.action_along("m*x_d**2/2 + m*a*x", {"x": "x0 + v0*t + a*t**2/2"})
    F1 = an.formula("-S", where={"S": action}, at={"v0": "(x1-x0)/t - a*t/2"})
    relations = an.generate(F1, 1, "x0", "p0", "x1", "p1").relations
    out.confirm(an.check("m*(x1-x0)/t - m*a*t/2", relations["p0"]), "F1 = -int L dt")
    out.confirm(an.check("m*(x1-x0)/t + m*a*t/2", relations["p1"]))
    out.fact(
        an.is_invariance("p", "p**2/(2*m)", "q", "p") and not an.is_invariance("q", "p**2/(2*m)", "q", "p"), "(5.17)"
    )
    boost = an.generate("(q - v*t)*P + m*v*q - m*v**2*t/2", 2, "q", names=n)
    K = boost.map.transform("p**2/(2*m)", boost.time_part)
    out.confirm(an.check("P**2/(2*m)", K, names=n), "K has the form of H")
    return {}, n


@recipe("5.C.1a", "5.C.1b")
def _(entry, out):
    n = an.Names()
    old, momenta, new = "x y z", "px py pz", "Px Py Pz"
    if entry["id"] == "5.C.1a":
        G = sum(
            n.symbol(f"da{a}")
            * an.generator_of_family(
                f"({a}+l)*P{a} + " + " + ".join(f"{b}*P{b}" for b in "xyz" if b != a), "l", old, momenta, new, names=n
            )
            for a in "xyz"
        )
        return {"epsG": G}, n
    G = an.generator_of_family(
        "(x*cos(l)+y*sin(l))*Px + (-x*sin(l)+y*cos(l))*Py + z*Pz", "l", old, momenta, new, names=n
    )
    Lz = n.read("x*py - y*px")
    out.confirm(an.equal(G, -Lz), "the generator is minus the angular momentum")
    out.reject(an.equal(G, Lz), "the sign of the name +Lz")
    return {"epsG": G * n.symbol("dtheta"), "Lz": -G, "epsG_in_Lz": -n.symbol("Lz") * n.symbol("dtheta")}, n


# ---- 6 ---------------------------------------------------------------------------------------------------------------


@recipe("6.E.props", "6.F.ident")
def _(entry, out):
    n = an.Names()
    f, g, h = (n.read(f"{name}(q1,q2,p1,p2,t)") for name in ("f", "g", "h"))
    q, p = n.read_all(["q1", "q2"]), n.read_all(["p1", "p2"])
    c = n.symbol("c")

    def PB(a, b):
        return an.poisson_bracket(a, b, q, p)

    if entry["id"] == "6.F.ident":
        out.confirm(an.equal(PB(f * g, h), f * PB(g, h) + g * PB(f, h)), "Leibniz")
        out.confirm(an.is_zero(PB(f, PB(g, h)) + PB(h, PB(f, g)) + PB(g, PB(h, f))), "Jacobi")
        return {}, n
    out.confirm(an.is_zero(PB(f, c)), "constant")
    out.confirm(an.equal(PB(f + c * g, h), PB(f, h) + c * PB(g, h)), "bilinear")
    out.confirm(an.equal(PB(f, g), -PB(g, f)), "antisymmetric")
    for i in range(2):
        for j in range(2):
            out.fact(PB(q[i], p[j]) == int(i == j) and PB(q[i], q[j]) == 0 and PB(p[i], p[j]) == 0, "fundamental")
    return {}, n


@recipe("6.A.rule", "6.G.thm1", "6.G.thm3")
def _(entry, out):
    n, H = an.Names(), "H0(q1,q2,p1,p2,t)"
    for q, p in (("q1", "p1"), ("q2", "p2")):
        rates = [an.poisson_bracket(x, H, "q1 q2", "p1 p2", n) for x in (q, p)]
        out.confirm(an.check(f"Derivative({H}, {p})", rates[0], names=n), "q' = [q, H]")
        out.confirm(an.check(f"-Derivative({H}, {q})", rates[1], names=n), "p' = [p, H]")
    oscillator = an.System("q", H="p**2/(2*m) + k*q**2/2").hamilton()
    out.confirm(an.check("(p**2/m - k*q**2)", oscillator.rate("q*p"), names=oscillator.names), "dU/dt = [U, H]")
    out.fact(oscillator.is_first_integral("p**2/(2*m) + k*q**2/2"), "H is an integral")
    free = an.System("x", H="p**2/(2*m)").hamilton()
    out.fact(free.is_first_integral("m*x - p*t"), "an integral that holds t")
    out.fact(an.is_invariance("m*x - p*t", "p**2/(2*m)", "x", "p"), "it generates an invariance")
    left, right = an.standard_map("phase rotation").bracket("q**2*p", "q + p**3")
    out.confirm(an.equal(left, right), "the bracket is a canonical invariant")
    return {}, n


@recipe("6.D.3")
def _(entry, out):
    n = an.Names()
    m = an.CanonicalMap("q", "p", "Q", "P", new=entry["given"], names=n)
    verdict = m.canonicity()
    out.fact(bool(verdict) and verdict.agree, "canonical by the four tests")
    out.fact("no generator of type 3" in refusal(lambda: an.generator_of(m, 3)), "F3 is refused with its reason")
    variables, form = m.one_form()
    F1 = an.generator_of(m, 1)
    told = {"F1": F1, "a": form[0], "b": form[1]}

    def primitive(claim):
        slopes = (f"Derivative({claim}, {v})" for v in variables)
        return worst(*(an.check(e, c, names=n) for e, c in zip(slopes, form)))

    out.confirm(an.check("b == q", where=told, names=n), "-q dp - P dQ has no dp")
    # asin gives the angle up to pi/2; beyond it the branch of the sine is pi - asin, and so is F1
    branches = [an.formula(e, where=told, names=n) for e in ("F1", "pi*q - F1")]
    return {
        "PB": an.poisson_bracket(entry["given"]["Q"], entry["given"]["P"], "q", "p", n),
        "pdq_minus_PdQ_is_d_of": primitive,
        "minus_qdp_minus_PdQ": an.formula("a - p", where=told, names=n),
        "F1": branches if an.check("F1 == pi*q - asin(exp(-Q))*q", where=told, names=n) else F1,
    }, n


@recipe("6.G.1b", "6.G.thm2")
def _(entry, out):
    H = "(px**2+py**2+pz**2)/(2*m)"
    n = an.Names()
    rotation = an.infinitesimal("x*py - y*px", "x y z", "px py pz", names=n)
    out.fact(rotation.delta_q == {"x": -n.symbol("y"), "y": n.symbol("x"), "z": 0}, "Lz generates the rotation about z")
    out.fact(an.is_invariance("x*py - y*px", H, "x y z", "px py pz", names=n), "first integral")
    closure = an.poisson_closure({"Lx": "y*pz - z*py", "Ly": "z*px - x*pz"}, H, "x y z", "px py pz", names=n)
    out.fact(closure.closed and closure.independent == 3, "the rotations close")
    G = n.read("x*py - y*px")
    return {"Lz": G, "Lx": n.read("y*pz - z*py"), "Ly": n.read("z*px - x*pz"), "bracket": closure.table["Lx", "Ly"]}, n


@recipe("6.G.1c")
def _(entry, out):
    n = an.Names()
    g = an.generate(entry["given"]["F2"], 2, "x", p="p", Q="X", P="P", names=n)
    told = {"K": g.map.transform(entry["given"]["H"], g.time_part)}
    told["rest"] = an.formula("K - Derivative(gfun(t), t)", where=told, names=n)
    spare = an.tidy(an.formula("P**2/(2*m) - rest", where=told, names=n))
    family = "x*P - l*t*P + m*l*x - m*l**2*t/2"
    G = an.generator_of_family(family, "l", "x", "p", "P", names=n)
    out.fact(an.is_invariance(G, "p**2/(2*m)", "x", "p", names=n), "the generator is conserved")
    return {
        "K_minus_gprime": told["rest"],
        "gfun": an.antiderivative(spare, n.time),
        "I": G,
        "I_value": an.formula(G, at={"t": 0, "x": "x0"}, names=n),
    }, n


@recipe("6.G.2")
def _(entry, out):
    s = an.System("x y z", L=entry["given"]["L"], momenta="px py pz")
    view = s.hamilton()
    n = s.names
    back = {f"p{c}": e for c, e in view.momenta.items()}
    rates = {}
    for c in "xyz":
        kinetic = an.formula("m*v", where={"v": view.qdot[c]}, names=n)
        rates[f"d_m{c}d_dt"] = an.formula(view.rate(kinetic), at=back, names=n)
    return {**{f"p{c}": view.momenta[c] for c in "xyz"}, "H": view.H, **rates}, n


@recipe("6.G.3b", "6.G.3c", "6.G.3d")
def _(entry, out):
    n = an.Names(positive=["P", "E", "alpha"])
    m = an.CanonicalMap("q", "p", "Q", "P", old={"q": "sqrt(2*P/(m*w))*sin(Q)", "p": "sqrt(2*m*w*P)*cos(Q)"}, names=n)
    design = an.design_map("f(P)*sin(Q)/(m*w)", "f(P)*cos(Q)", "f")
    out.confirm(an.check("sqrt(2*m*w*P)", design.solutions[0], at={"C1": 0}, names=n), "f from canonicity")
    if entry["id"] == "6.G.3d":
        return {"F1": an.generator_of(m, 1)}, n
    H = "p**2/(2*m) + m*w**2*q**2/2"
    moving = an.canonical_motion(m, H, constants={"P": "alpha", "Q": "beta"})
    out.confirm(an.check("w*P", moving.K, names=n), "K = w P")
    if entry["id"] == "6.G.3b":
        q_t, p_t = (an.formula(moving.old[x], at={"alpha": "E/w"}, names=n) for x in "qp")
        return {
            "P_t": moving.new["P"],
            "Q_t": moving.new["Q"],
            "E": an.formula(moving.K, at={"P": "alpha"}, names=n),
            "p_t": p_t,
            "q_t": q_t,
            "ellipse_minus_1": lambda claim: an.check(f"{claim} == 0", at={"q": q_t, "p": p_t}, names=n),
            "semi_axis_p": an.formula(p_t, at={"t": 0, "beta": 0}, names=n),
            "semi_axis_q": an.formula(q_t, at={"t": 0, "beta": "pi/2"}, names=n),
        }, n
    polar = {"Q": "atan2(m*w*q, p)", "P": "(p**2/(m*w) + m*w*q**2)/2"}
    m = an.CanonicalMap("q", "p", "Q", "P", new=polar, old=m.old, names=n)
    started = an.canonical_motion(m, H, start={"q": "q0", "p": "p0"})
    polar = an.standard_map("oscillator").new["P"]
    out.confirm(an.check(polar, started.constants["P"], at={"q": "q0", "p": "p0"}, names=n), "alpha")
    start = an.Names()

    def phase(claim):
        """beta is right when q and p start at q0 and p0 in every quadrant."""
        told = {"beta": claim, "size": "sqrt(p0**2 + m**2*w**2*q0**2)"}
        lines = ("size*cos(beta) == p0", "size*sin(beta) == m*w*q0")
        return worst(*(an.check(line, where=told, names=start) for line in lines))

    return {"alpha": started.constants["P"], "beta": phase, "p_t": started.old["p"], "q_t": started.old["q"]}, n


# ---- 7 ---------------------------------------------------------------------------------------------------------------


@recipe("7.A.rule", "7.B.rule1", "7.B.rule2", "7.B.rule3", "7.B.rule4", "7.C.rule")
def _(entry, out):
    fall = an.System("q", H="p**2/(2*m) - m*g*q*sin(a)", signs=["s"])
    n = fall.names
    hj = fall.hamilton_jacobi()
    # the reduced action as a type-2 generator gives K = E; the full one K = 0
    told = {"S0": hj.S0, "S": hj.S, "p": "Derivative(S0, q)", "H": "p**2/(2*m) - m*g*q*sin(a)"}
    out.confirm(an.check("H == E", where=told, names=n), "K = E for S0")
    still = an.Names(signs=["s"])  # q stands still in the partial derivative by time
    out.confirm(an.check("Derivative(S, t) == -E", where={"S": hj.S}, names=still), "K = 0 for S")
    out.fact(bool(hj.verify(hj.S)), "complete integral, both branches")
    # p representation: two constants, E(b1, b2)
    plane = an.System("x y", H="(px**2+py**2)/(2*m) + m*g*y", momenta="px py")
    cyclic = plane.hamilton_jacobi()
    out.confirm(cyclic.check("Derivative(S, x) == alpha_x"), "cyclic: S = p x + S1(y)")
    rep = fall.hamilton_jacobi(representation="p")
    claim = "-Derivative(F, p) == (p**2/(2*m) - E)/(m*g*sin(a))"
    out.confirm(an.check(claim, where={"F": rep.S0}, names=n), "q = -dF3/dp")
    if entry["id"] == "7.B.rule2":
        # dF30/dbeta = (dE/dbeta) t - alpha: the printed t - alpha is wrong as soon as E depends on beta otherwise
        energy = {"E": "(b1**2 + b2**2)/(2*m)"}
        out.confirm(an.check("Derivative(E, b2) == b2/m", where=energy))
        out.reject(an.check("Derivative(E, b2) == 1", where=energy), "dE/dbeta_j is not 1 for every j")
    blocks = an.System("x y", H="px**2/2 + a(x) + py**2/2 + b(y)", momenta="px py").hamilton_jacobi()
    out.fact(blocks.separable and set(blocks.slopes) == {"x", "y"}, "additive blocks")
    for c in "xy":
        out.fact(
            not blocks.slopes[c].has(blocks.names.symbol("y" if c == "x" else "x")),
            "each slope depends on its own coordinate",
        )
    front = an.fronts("sqrt(2*m*E)*x", "x y", names=an.Names(positive=["E"]))
    out.confirm(an.check("E/sqrt(2*m*E)", front.front_speed, names=an.Names(positive=["E"])), "front speed E/|p|")
    out.confirm(an.check("sqrt(2*E/m)", front.particle_speed, names=an.Names(positive=["E"])), "particle speed")
    return {}, n


@recipe("7.B.2")
def _(entry, out):
    s = an.System("q", H=entry["given"]["H"], positive="E", signs=["s"])
    hj, n = s.hamilton_jacobi(), s.names
    q_t = hj.motion()["q"]
    start = an.Names()

    def phase(claim):
        told = {"w": "sqrt(k/m)", "phi": claim, "size": "sqrt(p0**2 + m*k*q0**2)"}
        lines = ("size*cos(phi) == p0", "size*sin(phi) == sqrt(m*k)*q0")
        return worst(*(an.check(line, where=told, names=start) for line in lines))

    out.fact(bool(hj.verify(hj.S)), "complete integral")
    return {
        "dS0_dq": hj.slopes["q"],
        "S0": lambda claim: an.check(f"Derivative({claim}, q)", hj.slopes["q"], names=n),
        "beta_plus_t": an.formula("b + t", where={"b": hj.jacobi["E"]}, names=n),
        "w": n.read("sqrt(k/m)"),
        "q_t": q_t,
        "p_t": an.formula("m*Derivative(x, t)", where={"x": q_t}, names=an.Names(signs=["s"], positive=["E"])),
        "E": an.formula(entry["given"]["H"], at={"q": "q0", "p": "p0"}, names=n),
        "phi0": phase,
    }, n


@recipe("7.B.3")
def _(entry, out):
    s = an.System("q", H=entry["given"]["H"])
    hj, n = s.hamilton_jacobi(representation="p"), s.names
    p_t = an.formula(hj.motion()["p"], at={"beta": "-alpha1"}, names=n)
    q_t = an.formula("-Derivative(F, p)", where={"F": hj.S0}, at={"p": p_t}, names=n)
    return {"F30": hj.S0, "p_t": p_t, "p0": an.formula(p_t, at={"t": 0}, names=n), "q_t": q_t}, n


@recipe("7.B.4")
def _(entry, out):
    s = an.System("x y", H=entry["given"]["H"], momenta="px py", signs=["s"], real="beta1")
    hj, n = s.hamilton_jacobi(constants={"x": "alpha2"}), s.names
    named = {"beta": "beta1", "beta_x": "beta2"}
    motion = {c: an.formula(e, at=named, names=n) for c, e in hj.motion().items()}
    out.fact(bool(hj.verify(hj.S)), "complete integral")
    start = {"x": "x0", "y": "y0", "px": "m*xd0", "py": "m*yd0"}
    constants = hj.constants_from(start)
    return {
        "S": hj.S,
        "beta1": hj.jacobi["E"],
        "beta2": hj.jacobi["alpha2"],
        "y_t": motion["y"],
        "beta1_ic": constants["beta"],
        "beta2_ic": lambda claim: an.check(claim, constants["beta_x"], at={"alpha2": "m*xd0"}, names=n),
        "alpha2_ic": constants["alpha2"],
        "y_x_const": an.path_of(motion, "x")["y"],
        "y_x": an.path_of(hj.motion(start=start), "x")["y"],
    }, n


@recipe("7.B.5")
def _(entry, out):
    L = entry["given"]["L"]
    general = an.System("r theta phi", L=L, momenta="pr ptheta pphi")
    H = general.hamilton().H
    out.fact(not general.hamilton_jacobi().separable, "an arbitrary V does not separate")
    family = an.System(
        "r theta phi", L=L.replace("V(r,theta,phi)", f"({entry['given']['V_separable']})"), momenta="pr ptheta pphi"
    )
    out.fact(family.hamilton_jacobi().separable, "the stated family separates")
    central = an.System(
        "r theta phi", L=L.replace("V(r,theta,phi)", "(a(r) + b(theta)/r**2)"), momenta="pr ptheta pphi", signs=["s"]
    )
    hj = central.hamilton_jacobi(constants={"phi": "pphi", "theta": "alpha3"})
    k, f = central.names, family.names
    one = {"s_r": "s", "s_theta": "s"}
    slope = family.hamilton_jacobi(constants={"phi": "c1"}).slopes["phi"]

    def form(claim):
        """S = -E t + pphi phi + S3(theta) + S2(r): what is left depends on theta and r alone, each by itself."""
        rest = {"rest": f"{claim} + E*t - pphi*phi"}
        lines = ("Derivative(rest, phi) == 0", "Derivative(rest, t) == 0", "Derivative(rest, r, theta) == 0")
        return worst(*(an.check(line, where=rest, names=an.Names()) for line in lines))

    return {
        "H": H,
        "dS3_dtheta": an.formula(hj.slopes["theta"], at=one, names=k),
        "dS2_dr": an.formula(hj.slopes["r"], at=one, names=k),
        "S_form": form,
        "dSphi_dphi_when_c_nonzero": an.formula(slope, at={"c1": "alphaphi**2", "s_phi": "s"}, names=f),
    }, k


@recipe("7.C.1")
def _(entry, out):
    s = an.System("x y z", H=entry["given"]["H"], momenta="px py pz", signs=["s"], positive="h")
    hj, n = s.hamilton_jacobi(constants={"x": "alphax", "y": "alphay"}), s.names
    E = {"E": "(alphax**2+alphay**2)/(2*m) + m*g*h"}
    pz = an.tidy(an.formula(hj.slopes["z"], at=E, names=n))
    S = an.tidy(an.formula(hj.S, at=E, names=n))
    out.fact(bool(hj.verify(S, ("alphax", "alphay", "h"))), "complete integral in h")
    vertical = an.formula(an.antiderivative(pz, n.symbol("z")), at={"h": 0}, names=n)
    # the choice alphay = m*yd0 turns S0 into 2 m sqrt(2 g)/3 (y - s (-z)^(3/2)) for h = 0
    told = {"yd0": "2*sqrt(2*g)/3", "vertical": vertical, "S0": "m*yd0*y + vertical"}
    S0 = an.formula("S0", where=told, names=n)
    (front,) = an.solve_for("S0 == m*yd0*c0", "y", where=told, names=n)
    ray = [0, "2*sqrt(2*g)/3", an.formula("pz/m", where={"pz": pz}, at={"h": 0}, names=n)]
    out.fact(an.are_orthogonal(S0, ray, "x y z", names=n), "rays normal to fronts")
    k = an.Names(real=["z", "y", "z0"], signs=["s"])

    def trajectory(claim):
        """dz/dy along the ray is pz/py; at y = 0 it is at z0."""
        path = {"path": claim, "yd0": "2*sqrt(2*g)/3"}
        return worst(
            an.check("path == z0", where=path, at={"y": 0}, names=k),
            an.check("Derivative(path, y)**2 == -2*g*path/yd0**2", where=path, names=k),
        )

    return {
        "E": n.read(E["E"]),
        "S": S,
        **{
            f"beta{c}": an.formula(f"Derivative(S, {alpha})", where={"S": S}, names=n)
            for c, alpha in (("x", "alphax"), ("y", "alphay"), ("z", "h"))
        },
        "pz": pz,
        "S0_vertical_at_minus1": an.formula(vertical, at={"z": -1}, names=n),
        "S0_vertical_at_minus2": an.formula(vertical, at={"z": -2}, names=n),
        "yd0_choice": n.read("2*sqrt(2*g)/3"),
        "S0_choice": S0,
        "front": front["y"],
        "trajectory_z": trajectory,
    }, n


@recipe("7.D.1", "7.D.2")
def _(entry, out):
    momentum, energy = an.de_broglie()
    out.confirm(an.check("hbar*k", momentum))
    out.confirm(an.check("hbar*omega", energy))
    wave = an.stationary_wave()
    n = an.Names()
    return {"coefficient": wave.coefficient, "coefficient_hbar": wave.coefficient_hbar}, n
