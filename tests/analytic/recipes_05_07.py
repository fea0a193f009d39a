"""How the entries of chapters 5-7 are computed: canonical transformations, brackets, Hamilton-Jacobi."""

from __future__ import annotations

import sympy as sp

from analytic import by_habit as an
from analytic.case_runner import zero
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
    m = an.Names(["rho", "theta"])
    out.fact(change.cyclic_before == () and change.cyclic_after == ("theta",), "theta becomes cyclic")
    out.fact(all(zero(r) for r in change.covariance), "covariant")
    forward = {m.symbol("rho"): sp.sqrt(n.read("x**2+y**2"))}

    def angle(claim):
        """The angle is right when it gives back both coordinates, in every quadrant."""
        stated = n.read(claim)
        both = [
            sp.cos(stated) * forward[m.symbol("rho")] - n.symbol("x"),
            sp.sin(stated) * forward[m.symbol("rho")] - n.symbol("y"),
        ]
        return next((v for v in map(an.is_zero, both) if not v), an.is_zero(both[0]))

    both = an.Names(["x", "y", "rho", "theta"])
    return {
        "rho_of_xy": n.read("sqrt(x**2+y**2)"),
        "theta_of_xy": angle,
        "L_new": both.read(change.L),
        "dL_new_dtheta": sp.diff(change.L, m.symbol("theta")),
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
    f = n.read("F(q,Q,t)")
    q, Q = n.symbol("q"), n.symbol("Q")
    out.confirm(an.equal(sp.diff(sp.diff(f, q), Q), -sp.diff(-sp.diff(f, Q), q)), "Schwarz: dp/dQ = -dP/dq")
    relations = {n.symbol(k): v for k, v in maps[1].map.new.items()}
    old = n.read("q*p")
    new = n.read("Q*P")
    on_map = lambda e: sp.expand(n.read(e).subs(relations, simultaneous=True))
    for kind, shift in ((2, new), (3, -old), (4, new - old)):
        out.confirm(an.equal(on_map(every[kind]), on_map(n.read(F1) + shift)), f"F{kind} from F1")
    if entry["id"] == "5.B.rule3":
        out.reject(an.equal(on_map(every[3]), on_map(every[2]) - on_map(new)), "F2 - P Q is F1, not F3")
        out.confirm(an.equal(on_map(n.read(F1)), on_map(every[2]) - on_map(new)))
    if entry["id"] == "5.B.rule4":
        out.reject(an.equal(on_map(every[4]), on_map(every[3]) - on_map(new)), "F4 = F3 - Q P has the wrong sign")
        out.confirm(an.equal(on_map(every[4]), on_map(every[3]) + on_map(new)))
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
    n_t = n.symbol("t")
    relations = an.generate(F1, 1, m.labels[0], m.labels[1], m.labels[2], m.labels[3], names=n).relations

    def generator(claim):
        difference = n.read(claim) - F1 - n.read("gfun(t)")
        verdicts = [an.is_zero(sp.diff(difference, n.symbol(v))) for v in ("x", "x0")]
        return next((v for v in verdicts if not v), verdicts[0])

    found = {"F1": generator, "PB": an.poisson_bracket(forward["x"], forward["p"], "x0", "p0", n)}
    if entry["id"] == "5.B.4a":
        found |= {"p0_of_x0x": relations["p0"], "p_of_x0x": relations["p"]}
        # K = H0 + dF1/dt with H0 = 0 must become the Hamiltonian of the motion
        wanted = n.read("p**2/(2*m) - m*a*x").subs({n.symbol("p"): relations["p"]})
        base = n.read("-m*(x-x0)**2/(2*t) - m*a*t*(x0+x)/2")
        rate = sp.expand(wanted - sp.diff(base, n_t))
        found["gfun_that_makes_K_equal_p2_over_2m_minus_max"] = an.antiderivative(rate, n_t)
    else:
        found |= {"x0": m.new.get("x0", 0), "p0": m.new.get("p0", 0)}
    return found, n


@recipe("5.B.6b")
def _(entry, out):
    n = an.Names(signs=["s"], positive=["A"])
    m = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "-p", "P": "q + A*p**2"}, names=n)
    out.fact(bool(m.canonicity()), "canonical")
    branch, root = n.symbol("s"), sp.sqrt(n.read("(P-q)/A"))
    F1, F2 = an.generator_of(m, 1), an.generator_of(m, 2)
    out.confirm(an.equal(an.convert(F1, 1, 2, "q", names=n) ** 2, F2**2), "type 2 directly and by Legendre from type 1")
    slopes = an.generate(F2, 2, "q", names=n).relations
    side = 1 if zero(slopes["p"] - root) else -1
    out.confirm(an.equal(slopes["p"], side * root), "one branch of p")
    out.confirm(an.equal(slopes["Q"], -side * root), "the same branch of Q")
    on_map = {n.symbol("p"): n.read("-Q"), n.symbol("P"): n.read("q + A*Q**2")}
    return {
        "p_of_qP": branch * root,
        "Q_of_qP": -branch * root,
        "F2": branch * side * F2,
        "F2_in_Q": sp.expand((F1 + n.read("Q*P")).subs(on_map)),
    }, n


@recipe("5.B.6c")
def _(entry, out):
    """Vertical throw: A = 1/(2 m**2 g) makes K = m g P; the motion through (Q, P)."""
    n = an.Names()
    m = an.CanonicalMap("q", "p", "Q", "P", new={"Q": "-p", "P": "q + p**2/(2*m**2*g)"}, names=n)
    K = m.transform("p**2/(2*m) + m*g*q")
    out.confirm(an.check("m*g*P", K, names=n), "K = m g P")
    rates = {"Q": sp.diff(K, n.symbol("P")), "P": -sp.diff(K, n.symbol("Q"))}
    t = n.symbol("t")
    motion = {"Q": rates["Q"] * t + n.symbol("Q0"), "P": n.symbol("P0") + rates["P"] * t}
    back = {n.symbol(k): v for k, v in motion.items()}
    q_t, p_t = (m.old[k].subs(back, simultaneous=True) for k in "qp")
    start = {n.symbol("Q0"): n.read("-m*v0"), n.symbol("P0"): n.read("q0 + v0**2/(2*g)")}
    out.confirm(an.equal(q_t.subs(start).subs(t, 0), n.symbol("q0")), "initial position")
    t_top = sp.solve(sp.diff(q_t.subs(start), t), t)[0]
    top = an.tidy(q_t.subs(start).subs(t, t_top))
    P0 = m.new["P"].subs({n.symbol("q"): n.symbol("q0"), n.symbol("p"): n.read("m*v0")})
    out.confirm(an.equal(P0, top), "P0 is the height of the top")
    return {
        "P_t": motion["P"],
        "Q_t": motion["Q"],
        "p_t": p_t.subs(start).subs(n.symbol("v0"), n.read("p0/m")),
        "q_t": q_t.subs(start),
        "Q0": m.new["Q"].subs(n.symbol("p"), n.read("m*v0")),
        "t_top": t_top,
        "q_max": top,
        "P0": P0,
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
    out.confirm(
        an.equal(oscillator.relations["P"].subs(n.symbol("Q"), first.new["Q"]), first.new["P"]), "the map of 5.B.3"
    )
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
    H = n.read("p**2/(2*m) + V(q)")
    old = {n.symbol("q"): n.read("Q/2"), n.symbol("p"): n.read("P/3")}
    K = 6 * H.subs(old, simultaneous=True)
    rate = an.poisson_bracket(n.read("2*q"), H, [n.symbol("q")], [n.symbol("p")]).subs(old, simultaneous=True)
    out.confirm(an.equal(rate, sp.diff(K, n.symbol("P"))), "Q' = d(kH)/dP")
    U = n.read_all(["x*px", "y", "px + y**2", "py"])
    q, p = n.read_all(["x", "y"]), n.read_all(["px", "py"])
    out.confirm(an.bracket_identity(U, q, p), "sum {U_k,U_i}[U_k,U_j] = delta_ij, for a set that is not canonical")
    fundamental = an.bracket_matrix((*p, *q), q, p)
    right = sp.Matrix([[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]])
    out.fact(fundamental == right, "[P_i, Q_i] = -1")
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
    G = n.read("G(q,p,t)")
    q, p, t = n.symbol("q"), n.symbol("p"), n.symbol("t")
    change = an.infinitesimal(G, "q", "p", names=n)
    out.confirm(an.equal(change.delta_q["q"], sp.diff(G, p)))
    out.confirm(an.equal(change.delta_p["p"], -sp.diff(G, q)))
    out.confirm(an.equal(change.delta_K, sp.diff(G, t)))
    H = n.read("p**2/(2*m) + V(q)")
    flow = an.infinitesimal(H, "q", "p", names=n)
    motion = an.System("q", H="p**2/(2*m) + V(q)").hamilton()
    out.confirm(an.equal(flow.delta_q["q"], motion.qdot["q"]), "H generates the motion")
    out.confirm(an.equal(flow.delta_p["p"], motion.pdot["p"]))
    # finite evolution of the free fall: F1 = -int L dt generates the map of initial to final data
    action = an.action_along("m*x_d**2/2 + m*a*x", {"x": "x0 + v0*t + a*t**2/2"})
    k = an.Names(["x"])
    end = k.read("(x1-x0)/t - a*t/2")
    F1 = -k.read(action).subs(k.symbol("v0"), end)
    relations = an.generate(an.Names().read(F1), 1, "x0", "p0", "x1", "p1").relations
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
    n = an.Names()
    H = n.read("H0(q1,q2,p1,p2,t)")
    q, p = n.read_all(["q1", "q2"]), n.read_all(["p1", "p2"])
    for i in range(2):
        out.confirm(an.equal(an.poisson_bracket(q[i], H, q, p), sp.diff(H, p[i])), "q' = [q, H]")
        out.confirm(an.equal(an.poisson_bracket(p[i], H, q, p), -sp.diff(H, q[i])), "p' = [p, H]")
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

    def primitive(claim):
        verdicts = [an.equal(sp.diff(n.read(claim), v), c) for v, c in zip(variables, form)]
        return next((v for v in verdicts if not v), verdicts[0])

    third = [sp.expand(c - d) for c, d in zip(form, (n.symbol("p"), n.symbol("q")))]
    branch = sp.asin(sp.exp(-n.symbol("Q"))) * n.symbol("q")
    return {
        "PB": an.poisson_bracket(entry["given"]["Q"], entry["given"]["P"], "q", "p", n),
        "pdq_minus_PdQ_is_d_of": primitive,
        "minus_qdp_minus_PdQ": an.tidy(third[0]) if zero(third[1]) else sp.nan,
        "F1": [F1, sp.pi * n.symbol("q") - F1] if zero(F1 + branch - sp.pi * n.symbol("q")) else F1,
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
    K = g.map.transform(entry["given"]["H"], g.time_part)
    gprime = sp.Derivative(n.read("gfun(t)"), n.symbol("t"))
    rest = an.tidy(sp.expand(K - gprime))
    free = an.Names()
    spare = sp.expand(free.read("P**2/(2*m)") - rest)
    family = "x*P - l*t*P + m*l*x - m*l**2*t/2"
    G = an.generator_of_family(family, "l", "x", "p", "P", names=n)
    out.fact(an.is_invariance(G, "p**2/(2*m)", "x", "p", names=n), "the generator is conserved")
    start = {n.symbol("t"): 0, n.symbol("x"): n.symbol("x0")}
    return {
        "K_minus_gprime": rest,
        "gfun": an.antiderivative(spare, n.symbol("t")),
        "I": G,
        "I_value": G.subs(start),
    }, n


@recipe("6.G.2")
def _(entry, out):
    s = an.System("x y z", L=entry["given"]["L"], momenta="px py pz")
    view = s.hamilton()
    n = s.names
    back = dict(zip(view.p, view.momenta.values()))
    rates = {}
    for c in "xyz":
        kinetic = n.symbol("m") * view.qdot[c]
        rates[f"d_m{c}d_dt"] = view.rate(kinetic).subs(back, simultaneous=True)
    return {**{f"p{c}": view.momenta[c] for c in "xyz"}, "H": view.H, **rates}, n


@recipe("6.G.3b", "6.G.3c", "6.G.3d")
def _(entry, out):
    n = an.Names(positive=["P", "E", "alpha"])
    m = an.CanonicalMap("q", "p", "Q", "P", old={"q": "sqrt(2*P/(m*w))*sin(Q)", "p": "sqrt(2*m*w*P)*cos(Q)"}, names=n)
    design = an.design_map("f(P)*sin(Q)/(m*w)", "f(P)*cos(Q)", "f")
    out.confirm(
        an.check("sqrt(2*m*w*P)", design.solutions[0].subs(sp.Symbol("C1"), 0), names=an.Names(positive=["P"])),
        "f from canonicity",
    )
    K = m.transform("p**2/(2*m) + m*w**2*q**2/2")
    out.confirm(an.check("w*P", K, names=n), "K = w P")
    motion = {
        n.symbol("P"): n.symbol("alpha"),
        n.symbol("Q"): sp.diff(K, n.symbol("P")) * n.symbol("t") + n.symbol("beta"),
    }
    energy = K.subs(n.symbol("P"), n.symbol("alpha"))
    in_E = {n.symbol("alpha"): n.read("E/w")}
    q_t, p_t = (m.old[k].subs(motion, simultaneous=True).subs(in_E) for k in "qp")
    if entry["id"] == "6.G.3d":
        return {"F1": an.generator_of(m, 1)}, n
    if entry["id"] == "6.G.3b":
        return {
            "P_t": motion[n.symbol("P")],
            "Q_t": motion[n.symbol("Q")],
            "E": energy,
            "p_t": p_t,
            "q_t": q_t,
            "ellipse_minus_1": lambda claim: an.is_zero(n.read(claim).subs({n.symbol("q"): q_t, n.symbol("p"): p_t})),
            "semi_axis_p": p_t.subs({n.symbol("t"): 0, n.symbol("beta"): 0}),
            "semi_axis_q": q_t.subs({n.symbol("t"): 0, n.symbol("beta"): sp.pi / 2}),
        }, n
    alpha = n.read("(p0**2 + m**2*w**2*q0**2)/(2*m*w)")
    out.confirm(
        an.equal(
            alpha,
            an.standard_map("oscillator")
            .new["P"]
            .subs({sp.Symbol("q", real=True): n.symbol("q0"), sp.Symbol("p", real=True): n.symbol("p0")}),
        ),
        "alpha",
    )
    start = an.Names()

    def phase(claim):
        """beta is right when q and p start at q0 and p0 in every quadrant."""
        beta = start.read(claim)
        scale = start.read("sqrt(p0**2 + m**2*w**2*q0**2)")
        tests = [scale * sp.cos(beta) - start.symbol("p0"), scale * sp.sin(beta) - start.read("m*w*q0")]
        verdicts = [an.is_zero(e) for e in tests]
        return next((v for v in verdicts if not v), verdicts[0])

    first = {n.symbol("alpha"): alpha, n.symbol("beta"): n.read("atan2(m*w*q0,p0)")}
    q_t, p_t = (m.old[k].subs(motion, simultaneous=True).subs(first) for k in "qp")
    return {"alpha": alpha, "beta": phase, "p_t": p_t, "q_t": q_t}, n


# ---- 7 ---------------------------------------------------------------------------------------------------------------


@recipe("7.A.rule", "7.B.rule1", "7.B.rule2", "7.B.rule3", "7.B.rule4", "7.C.rule")
def _(entry, out):
    fall = an.System("q", H="p**2/(2*m) - m*g*q*sin(a)", signs=["s"])
    n = fall.names
    hj = fall.hamilton_jacobi()
    # the reduced action as a type-2 generator gives K = E; the full one K = 0
    p_of_S = sp.diff(hj.S0, n.symbol("q"))
    out.confirm(
        an.equal(n.read("p**2/(2*m) - m*g*q*sin(a)").subs(n.symbol("p"), p_of_S), n.symbol("E"), signs=["s"]),
        "K = E for S0",
    )
    out.confirm(an.is_zero(sp.diff(hj.S, n.time) + n.symbol("E")), "K = 0 for S")
    out.fact(bool(hj.verify(hj.S)), "complete integral, both branches")
    # p representation: two constants, E(b1, b2)
    plane = an.System("x y", H="(px**2+py**2)/(2*m) + m*g*y", momenta="px py")
    cyclic = plane.hamilton_jacobi()
    k = plane.names
    out.confirm(an.equal(sp.diff(cyclic.S, k.symbol("x")), k.symbol("alpha_x")), "cyclic: S = p x + S1(y)")
    rep = fall.hamilton_jacobi(representation="p")
    out.confirm(an.equal(-sp.diff(rep.S0, n.symbol("p")), n.read("(p**2/(2*m) - E)/(m*g*sin(a))")), "q = -dF3/dp")
    free = an.Names()
    energy = free.read("(b1**2 + b2**2)/(2*m)")
    if entry["id"] == "7.B.rule2":
        # dF30/dbeta = (dE/dbeta) t - alpha: the printed t - alpha is wrong as soon as E depends on beta otherwise
        out.confirm(an.equal(sp.diff(energy, free.symbol("b2")), free.read("b2/m")))
        out.reject(an.equal(sp.diff(energy, free.symbol("b2")), 1), "dE/dbeta_j is not 1 for every j")
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
        beta = start.read(claim).subs(start.symbol("w"), start.read("sqrt(k/m)"))
        scale = start.read("sqrt(p0**2 + m*k*q0**2)")
        verdicts = [
            an.is_zero(scale * sp.cos(beta) - start.symbol("p0")),
            an.is_zero(scale * sp.sin(beta) - start.read("sqrt(m*k)*q0")),
        ]
        return next((v for v in verdicts if not v), verdicts[0])

    def action(claim):
        return an.equal(sp.diff(n.read(claim), n.symbol("q")), hj.slopes["q"], signs=["s"])

    out.fact(bool(hj.verify(hj.S)), "complete integral")
    energy = n.read(entry["given"]["H"]).subs({n.symbol("q"): n.symbol("q0"), n.symbol("p"): n.symbol("p0")})
    return {
        "dS0_dq": hj.slopes["q"],
        "S0": action,
        "beta_plus_t": hj.jacobi["E"] + n.time,
        "w": n.read("sqrt(k/m)"),
        "q_t": q_t,
        "p_t": sp.diff(q_t, n.time) * n.symbol("m"),
        "E": energy,
        "phi0": phase,
    }, n


@recipe("7.B.3")
def _(entry, out):
    s = an.System("q", H=entry["given"]["H"])
    hj, n = s.hamilton_jacobi(representation="p"), s.names
    p_t = hj.motion()["p"].subs(n.symbol("beta"), -n.symbol("alpha1"))
    q_t = -sp.diff(hj.S0, n.symbol("p")).subs(n.symbol("p"), p_t)
    return {"F30": hj.S0, "p_t": p_t, "p0": p_t.subs(n.time, 0), "q_t": q_t}, n


@recipe("7.B.4")
def _(entry, out):
    s = an.System("x y", H=entry["given"]["H"], momenta="px py", signs=["s"], real="beta1")
    hj, n = s.hamilton_jacobi(constants={"x": "alpha2"}), s.names
    motion = hj.motion()
    rename = {n.symbol("beta"): n.symbol("beta1"), n.symbol("beta_x"): n.symbol("beta2")}
    y_t, x_t = motion["y"].subs(rename), motion["x"].subs(rename)
    out.fact(bool(hj.verify(hj.S)), "complete integral")
    t = n.time
    at_start = {t: 0}
    v_start = [sp.diff(e, t).subs(at_start) for e in (x_t, y_t)]
    start = sp.solve(
        [v_start[0] - n.symbol("xd0"), v_start[1] - n.symbol("yd0")], [n.symbol("alpha2"), n.symbol("beta1")], dict=True
    )[0]
    beta2 = sp.solve(x_t.subs(at_start) - n.symbol("x0"), n.symbol("beta2"))[0]
    beta2 = beta2.subs(n.symbol("beta1"), start[n.symbol("beta1")])
    elapsed = sp.solve(x_t - n.symbol("x"), t)[0]
    orbit = y_t.subs(t, elapsed)
    height = sp.solve(y_t.subs(at_start) - n.symbol("y0"), n.symbol("E"))[0]
    full = orbit.subs(n.symbol("E"), height).subs(n.symbol("beta2"), beta2).subs(start)
    return {
        "S": hj.S,
        "beta1": hj.jacobi["E"],
        "beta2": hj.jacobi["alpha2"],
        "y_t": y_t,
        "beta1_ic": start[n.symbol("beta1")],
        "beta2_ic": beta2,
        "alpha2_ic": start[n.symbol("alpha2")],
        "y_x_const": orbit,
        "y_x": full,
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
    k = central.names
    one = {k.symbol("s_r"): k.symbol("s"), k.symbol("s_theta"): k.symbol("s")}
    phi_slope = family.hamilton_jacobi(constants={"phi": "c1"}).slopes["phi"]
    f = family.names
    phi_slope = phi_slope.subs({f.symbol("c1"): f.read("alphaphi**2"), f.symbol("s_phi"): f.symbol("s")})

    def form(claim):
        stated = k.read(claim)
        actions = {"S3": hj.parts["theta"], "S2": hj.parts["r"]}
        rest = stated + k.read("E*t - pphi*phi")
        ok = all(sp.simplify(sp.diff(rest, k.symbol(c)).has(sp.Derivative)) for c in ("theta", "r")) and bool(actions)
        return an.equal(sp.diff(rest, k.symbol("phi")), 0) if ok else an.equal(1, 0)

    return {
        "H": H,
        "dS3_dtheta": hj.slopes["theta"].subs(one),
        "dS2_dr": hj.slopes["r"].subs(one),
        "S_form": form,
        "dSphi_dphi_when_c_nonzero": phi_slope,
    }, k


@recipe("7.C.1")
def _(entry, out):
    s = an.System("x y z", H=entry["given"]["H"], momenta="px py pz", signs=["s"], positive="h")
    hj, n = s.hamilton_jacobi(constants={"x": "alphax", "y": "alphay"}), s.names
    E = n.read("(alphax**2+alphay**2)/(2*m) + m*g*h")
    pz = hj.slopes["z"].subs(n.symbol("E"), E)
    S = an.tidy(hj.S.subs(n.symbol("E"), E))
    out.fact(bool(hj.verify(S, ("alphax", "alphay", "h"))), "complete integral in h")
    vertical = an.antiderivative(an.tidy(sp.expand(pz**2)) ** sp.Rational(1, 2) * n.symbol("s"), n.symbol("z"))

    def vertical_at(z):
        return vertical.subs({n.symbol("h"): 0}).subs(n.symbol("z"), z)

    wanted = n.read("2*sqrt(2*g)/3")
    # the choice alphay = m*yd0 turns S0 into 2 m sqrt(2 g)/3 (y - s (-z)^(3/2)) for h = 0
    S0 = n.symbol("m") * wanted * n.symbol("y") + vertical.subs(n.symbol("h"), 0)
    front = sp.solve(sp.Eq(S0, n.read("2*m*sqrt(2*g)/3*c0")), n.symbol("y"))[0]
    k = an.Names(real=["z", "y", "z0"], signs=["s"])
    orbit = k.read("-9*y**2/16 + 3*sqrt(-z0)*y/2 + z0")
    out.confirm(
        an.equal(sp.diff(orbit, k.symbol("y"), 2), -k.read("g/(2*sqrt(2*g)/3)**2")), "parabola of the chosen speed"
    )
    out.fact(
        an.are_orthogonal(S0, [0, wanted, pz.subs(n.symbol("h"), 0) / n.symbol("m")], "x y z", names=n),
        "rays normal to fronts",
    )

    def trajectory(claim):
        """dz/dy along the ray is pz/py; at y = 0 it is at z0."""
        z = k.read(claim)
        slope = sp.diff(z, k.symbol("y"))
        speed = k.read("2*sqrt(2*g)/3")
        verdicts = [
            an.is_zero(z.subs(k.symbol("y"), 0) - k.symbol("z0")),
            an.equal(slope**2, -2 * k.symbol("g") * z / speed**2),
        ]
        return next((v for v in verdicts if not v), verdicts[1])

    return {
        "E": E,
        "S": S,
        "betax": sp.diff(S, n.symbol("alphax")),
        "betay": sp.diff(S, n.symbol("alphay")),
        "betaz": sp.diff(S, n.symbol("h")),
        "pz": pz,
        "S0_vertical_at_minus1": vertical_at(-1),
        "S0_vertical_at_minus2": vertical_at(-2),
        "yd0_choice": wanted,
        "S0_choice": S0,
        "front": front,
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
