"""The matrix level: rotation matrices, tildes and block matrices, no component written out (Papegay 3.3).

Columns are in the base of earth. V_i and W_i (3 by n) give the velocity of G_i and the angular velocity of body i:
v(G_i) = V_i u + ..., omega_i = W_i u + ..., composed from earth outwards:

    W_j = W_i + B_j          U_j = U_i - ~r_j W_i + D_j          V_j = U_j - ~rho_j W_j
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, add3, apply3, cross
from dalembert.formalisms import isolation
from dalembert.formalisms import vector_level as vectors
from dalembert.formalisms.newton_euler import isolate
from dalembert.formalisms.presentation import Line, definition, equation, plain
from dalembert.formalisms.reactions import motor_wrench
from dalembert.formalisms.statements import Statements
from dalembert.formalisms.vocabulary import NOTHING, Vocabulary
from dalembert.kinematics import Tree
from dalembert.kinematics.bodies import in_time


def state(words: Vocabulary, formalism: str) -> Statements:
    """The lines of a formalism at the matrix level."""
    return STATEMENTS.get(formalism, projection)(words)


def jacobians(words: Vocabulary) -> None:
    """Names, definitions and components of W_j, U_j, V_j and of the accelerations that remain when u' = 0."""
    tree, n = words.tree, len(words.tree.speeds)
    for one in words.links:
        i, j = one.link.parent, one.link.child
        spins = [[ZERO] * n for _ in range(3)]
        slides = [[ZERO] * n for _ in range(3)]
        for r, twist in one.columns:
            for rows, vector in ((spins, twist.angular), (slides, twist.linear)):
                for k, x in enumerate(apply3(one.pose.rotation, vector)):
                    rows[k][r] = x
        b, d = _block(words, f"B{j}", i, spins), _block(words, f"D{j}", i, slides)
        w = _sum(words, f"W{j}", [_named(words, f"W{i}"), b])
        lever = _product(words.vector(f"r{j}"), _named(words, f"W{i}"))
        u = _sum(words, f"U{j}", [_named(words, f"U{i}"), lever, d])
        _sum(words, f"V{j}", [u, _product(words.vector(f"rho{j}"), w)])
    _remaining_accelerations(words, tree)


def _named(words: Vocabulary, name: str) -> Term | None:
    symbol = al.matrix(name, 3, len(words.tree.speeds))
    return symbol if symbol in words.columns or symbol in words.values else None


def _block(words: Vocabulary, name: str, base: int, rows: list[list[Expr]]) -> Term | None:
    if all(x is ZERO for row in rows for x in row):
        return None
    n = len(words.tree.speeds)
    symbol = al.matrix(name, 3, n)
    if base == 0:
        words.values[symbol] = rows
        return symbol
    local = al.matrix(f"{name}_{base}", 3, n)
    words.values[local] = rows
    return words.columns.define(symbol, words.rotation(0, base) * local)


def _product(arm: Term, field: Term | None) -> Term | None:
    """-~arm W: what a rotation adds at the end of an arm."""
    return None if field is None or arm == NOTHING else -(al.tilde(arm) * field)


def _sum(words: Vocabulary, name: str, parts: list[Term | None]) -> Term | None:
    kept = [x for x in parts if x is not None]
    if not kept:
        return None
    total = kept[0]
    for x in kept[1:]:
        total = total + x
    return words.columns.define(al.matrix(name, 3, len(words.tree.speeds)), total)


def _remaining_accelerations(words: Vocabulary, tree: Tree) -> None:
    """Gamma_i, Lambda_i (and Xi_i of the origin): gamma(G_i), alpha_i and gamma(O_i) without u', columns in earth."""
    from dalembert.kinematics.bodies import body_motions, body_poses

    poses = body_poses(tree)
    along = in_time(tree)
    for one in body_motions(tree)[1:]:
        flat = ex.tangent([*one.spin, *one.velocity], along)
        alpha: Vector3 = (flat[0], flat[1], flat[2])
        origin = add3((flat[3], flat[4], flat[5]), cross(one.spin, one.velocity))
        arm = one.body.centre
        centre = add3(origin, add3(cross(alpha, arm), cross(one.spin, cross(one.spin, arm))))
        for name, vector in (("Gamma", centre), ("Lambda", alpha), ("Xi", origin)):
            words.column(f"{name}{one.number}", 0, apply3(poses[one.number].rotation, vector))


def mass_matrix(words: Vocabulary) -> Term | None:
    """M = sum mu V^T V + W^T I W."""
    total: Term | None = None
    for i in words.bodies():
        v, w = _named(words, f"V{i}"), _named(words, f"W{i}")
        if i in words.massive() and v is not None:
            total = _plus(total, words.mass(i) * (v.T * v))
        if i in words.rotating() and w is not None:
            total = _plus(total, w.T * words.inertia(i) * w)
    return total


def _plus(total: Term | None, term: Term) -> Term:
    return term if total is None else total + term


def bias(words: Vocabulary) -> Term | None:
    """S = - sum mu V^T Gamma + W^T (I Lambda + ~omega I omega)."""
    total: Term | None = None
    for i in words.bodies():
        v, w = _named(words, f"V{i}"), _named(words, f"W{i}")
        gamma = words.vector(f"Gamma{i}")
        if i in words.massive() and v is not None and gamma != NOTHING:
            total = _plus(total, -(words.mass(i) * (v.T * gamma)))
        if i in words.rotating() and w is not None:
            omega, inertia = words.vector(f"omega{i}"), words.inertia(i)
            moment = inertia * words.vector(f"Lambda{i}") + al.tilde(omega) * inertia * omega
            total = _plus(total, -(w.T * moment))
    return total


def forces(words: Vocabulary, gravity: bool = True) -> Term | None:
    """F = sum V^T F + W^T C + Q."""
    total: Term | None = None
    for i in words.bodies():
        v, w = _named(words, f"V{i}"), _named(words, f"W{i}")
        push, turn = words.vector(f"F{i}"), words.vector(f"C{i}")
        if not gravity and words.vector("g") != NOTHING:
            push = words.vector(f"f{i}")
        if v is not None and push != NOTHING:
            total = _plus(total, v.T * push)
        if w is not None and turn != NOTHING:
            total = _plus(total, w.T * turn)
    motors = _motors(words)
    return total if motors is None else _plus(total, motors)


def _motors(words: Vocabulary) -> Term | None:
    """The column Q of the efforts in joints."""
    system, n = isolate(words.tree), len(words.tree.speeds)
    total = [ZERO] * n
    for one in words.links:
        wrench = motor_wrench(system, one)
        for r, twist in one.columns:
            total[r] = total[r] + wrench.power(twist)
    if all(x is ZERO for x in total):
        return None
    symbol = _unknown_column(words, "Q")
    words.values[symbol] = total[0] if n == 1 else [[x] for x in total]
    return symbol


def _unknown_column(words: Vocabulary, name: str) -> Term:
    n = len(words.tree.speeds)
    return al.scalar(name) if n == 1 else al.vector(name, n)


REMAINING = plain(
    "accelerations without u'",
    "Gamma_i = V_i' u,  Lambda_i = W_i' u,  Xi_i = U_i' u  (and the rates of drifts)",
    "\\Gamma_i = \\dot{V}_i u,\\quad \\Lambda_i = \\dot{W}_i u,\\quad \\Xi_i = \\dot{U}_i u",
)


def _balance(words: Vocabulary, parts: list[tuple[str, Term | None, str]]) -> Statements:
    """M u' = S + F with the definitions of the three."""
    lines = [plain("", "M*u' = S + F", "M \\dot{u} = S + F")]
    heads: list[Line] = []
    terms: list[Term] = []
    for name, term, label in parts:
        if term is None:
            heads.append(plain(label, f"{name} := 0", f"{name} := 0"))
            continue
        symbol = al.scalar(name) if term.sort.is_scalar else al.matrix(name, term.sort.rows, term.sort.columns)
        heads.append(definition(symbol, term, "matrix", label))
        terms.append(term)
    return Statements(lines, [*heads, REMAINING], terms)


def projection(words: Vocabulary) -> Statements:
    """Kane, d'Alembert and Gibbs-Appell say the same at this level: free bodies projected on their Jacobians."""
    jacobians(words)
    parts = [
        ("M", mass_matrix(words), "mass matrix"),
        ("S", bias(words), "inertia terms"),
        ("F", forces(words), "known efforts"),
    ]
    return _balance(words, parts)


def newton_euler(words: Vocabulary) -> Statements:
    """Isolated bodies and sub-systems, accelerations composed, every product a matrix product."""
    found = isolation.newton_euler(words)
    lines, terms = [], list[Term]()
    for line in found.lines:
        if line.residual is None:
            continue
        opened = al.substitute(line.residual, _centres(words))
        lines.append(equation(line.label, opened, al.zero(opened.sort), "matrix"))
        terms.append(opened)
    return Statements(lines, [], terms)


def _centres(words: Vocabulary) -> dict[Term, Term]:
    """gamma(G_i) opened: the accelerations of centres in those of origins."""
    symbols = [al.vector(f"gamma(G{i})") for i in words.bodies()]
    return {s: words.vectors[s] for s in symbols if s in words.vectors}


def mixed(words: Vocabulary) -> Statements:
    """Block matrices of the free bodies, projected by Psi."""
    jacobians(words)
    mass: Term | None = None
    inertia: Term | None = None
    effort: Term | None = None
    for i in words.bodies():
        blocks = _free_blocks(words, i)
        if blocks is None:
            continue
        psi, big, side, load = blocks
        if i in words.massive() or i in words.rotating():
            mass = _plus(mass, psi.T * big * psi)
            rest = al.array([[words.vector(f"Xi{i}")], [words.vector(f"Lambda{i}")]])
            inertia = _plus(inertia, psi.T * (side - big * rest))
        if load is not None:
            effort = _plus(effort, psi.T * load)
    motors = _motors(words)
    if motors is not None:
        effort = _plus(effort, motors)
    return _balance(
        words, [("M", mass, "Psi^T MM Psi"), ("S", inertia, "Psi^T (SS - MM Psi' u)"), ("F", effort, "Psi^T FF")]
    )


def _free_blocks(words: Vocabulary, i: int) -> tuple[Term, Term, Term, Term | None] | None:
    n = len(words.tree.speeds)
    u, w = _named(words, f"U{i}"), _named(words, f"W{i}")
    if u is None and w is None:
        return None
    none = al.zero(al.matrix("none", 3, n).sort)
    psi = words.columns.define(
        al.matrix(f"Psi{i}", 6, n), al.array([[none if u is None else u], [none if w is None else w]])
    )
    arm, omega = words.vector(f"rho{i}"), words.vector(f"omega{i}")
    mu = words.mass(i) if i in words.massive() else al.number(0)
    own = words.inertia(i) if i in words.rotating() else al.zero(al.identity(3).sort)
    about = own - mu * (al.tilde(arm) * al.tilde(arm))
    lever = mu * al.tilde(arm)
    big = words.columns.define(
        al.matrix(f"MM{i}", 6, 6, symmetric=True), al.array([[mu * al.identity(3), -lever], [lever, about]])
    )
    push = -(mu * (al.tilde(omega) * al.tilde(omega) * arm))
    twist = -(al.tilde(omega) * about * omega)
    side = words.columns.define(al.vector(f"SS{i}", 6), al.array([[push], [twist]]))
    force, moment = words.vector(f"F{i}"), words.vector(f"C{i}")
    load = None
    if force != NOTHING or moment != NOTHING:
        turned = moment + al.cross(arm, force)
        load = words.columns.define(al.vector(f"FF{i}", 6), al.array([[force], [turned]]))
    return psi, big, side, load


def lagrange(words: Vocabulary) -> Statements:
    jacobians(words)
    mass, efforts = mass_matrix(words), forces(words, gravity=False)
    found = _balance(words, [("M", mass, "mass matrix"), ("F", efforts, "efforts that derive from no potential")])
    weight = vectors.gravity_potential(words)
    line = plain(
        "T = u^T M u/2 (and the terms of drifts)",
        "M*u' = -M'*u + d(u^T M u/2)/dq - dV/dq + F",
        "M \\dot{u} = -\\dot{M} u + \\frac{\\partial}{\\partial q}\\left(\\tfrac{1}{2} u^T M u\\right) - "
        "\\frac{\\partial V}{\\partial q} + F",
    )
    heads = found.heads[:2]
    if weight != al.number(0):
        heads.append(definition(al.scalar("V"), weight, "matrix", "potential of gravity"))
    return Statements([line], heads, [*found.terms, weight])


def hamilton(words: Vocabulary) -> Statements:
    found = lagrange(words)
    lines = [
        plain("momenta", "p = M*u + b", "p = M u + b"),
        plain(
            "M = L^T D L, L^T y = p - b",
            "H = (p - b)^T M^-1 (p - b)/2 - T_0 + V = sum_k y_k^2/(2 D_k) - T_0 + V",
            "H = \\tfrac{1}{2}(p-b)^T M^{-1}(p-b) - T_0 + V = \\sum_k \\frac{y_k^2}{2 D_k} - T_0 + V",
        ),
        plain(
            "",
            "q' = P dH/dp,  p' = -P^T dH/dq + F  (and the term of turning speeds)",
            "\\dot{q} = P \\frac{\\partial H}{\\partial p},\\quad \\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + F",
        ),
    ]
    return Statements(lines, found.heads, found.terms)


STATEMENTS: dict[str, Callable[[Vocabulary], Statements]] = {
    "newton-euler": newton_euler,
    "mixed": mixed,
    "recursive": partial(mixed),
    "lagrange": lagrange,
    "hamilton": hamilton,
}
