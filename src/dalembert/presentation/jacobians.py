"""The matrix level: rotation matrices, tildes and block matrices, no component written out (Papegay 3.3).

Columns are in the base of earth. V_i and W_i (3 by n) give the velocity of G_i and the angular velocity of body i:
v(G_i) = V_i u + ..., omega_i = W_i u + ..., composed from earth outwards:

    W_j = W_i + B_j          U_j = U_i - ~r_j W_i + A_j          V_j = U_j - ~rho_j W_j
"""

from __future__ import annotations

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, add3, apply3, cross
from dalembert.kinematics import Tree
from dalembert.kinematics.bodies import body_motions, body_poses, in_time
from dalembert.presentation.closing import DERIVED, multiplier_lines
from dalembert.presentation.closing_columns import effort_term, name_blocks, row_blocks
from dalembert.presentation.conditions import reaction_sum, row_statements
from dalembert.presentation.lines import Line, definition, equation, plain
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import NOTHING, Vocabulary


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
        b, d = _block(words, f"B{j}", i, spins), _block(words, f"A{j}", i, slides)
        w = _sum(words, f"W{j}", [named(words, f"W{i}"), b])
        lever = _product(words.vector(f"r{j}"), named(words, f"W{i}"))
        u = _sum(words, f"U{j}", [named(words, f"U{i}"), lever, d])
        _sum(words, f"V{j}", [u, _product(words.vector(f"rho{j}"), w)])
    _remaining_accelerations(words, tree)
    name_blocks(words, named)


def named(words: Vocabulary, name: str) -> Term | None:
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
    """Gamma_i, Phi_i (and Xi_i of the origin): gamma(G_i), alpha_i and gamma(O_i) without u', columns in earth."""
    poses = body_poses(tree)
    along = in_time(tree)
    for one in body_motions(tree)[1:]:
        flat = ex.tangent([*one.spin, *one.velocity], along)
        alpha: Vector3 = Vector3(flat[:3])
        origin = add3(Vector3(flat[3:6]), cross(one.spin, one.velocity))
        arm = one.body.centre
        centre = add3(origin, add3(cross(alpha, arm), cross(one.spin, cross(one.spin, arm))))
        for name, vector in (("Gamma", centre), ("Phi", alpha), ("Xi", origin)):
            words.column(f"{name}{one.number}", 0, apply3(poses[one.number].rotation, vector))


def mass_matrix(words: Vocabulary) -> Term | None:
    """M = sum mu V^T V + W^T I W."""
    total: Term | None = None
    for i in words.bodies():
        v, w = named(words, f"V{i}"), named(words, f"W{i}")
        if i in words.massive() and v is not None:
            total = plus(total, words.mass(i) * (v.T * v))
        if i in words.rotating() and w is not None:
            total = plus(total, w.T * words.inertia(i) * w)
    return total


def plus(total: Term | None, term: Term) -> Term:
    return term if total is None else total + term


def bias(words: Vocabulary) -> Term | None:
    """S = - sum mu V^T Gamma + W^T (I Phi + ~omega I omega)."""
    total: Term | None = None
    for i in words.bodies():
        v, w = named(words, f"V{i}"), named(words, f"W{i}")
        gamma = words.vector(f"Gamma{i}")
        if i in words.massive() and v is not None and gamma != NOTHING:
            total = plus(total, -(words.mass(i) * (v.T * gamma)))
        if i in words.rotating() and w is not None:
            omega, inertia = words.vector(f"omega{i}"), words.inertia(i)
            moment = inertia * words.vector(f"Phi{i}") + al.tilde(omega) * inertia * omega
            total = plus(total, -(w.T * moment))
    return total


def forces(words: Vocabulary, gravity: bool = True) -> Term | None:
    """F = sum V^T F + W^T C + Q."""
    total: Term | None = None
    for i in words.bodies():
        v, w = named(words, f"V{i}"), named(words, f"W{i}")
        push, turn = words.vector(f"F{i}"), words.vector(f"C{i}")
        if not gravity:
            push = words.applied(i)
        if v is not None and push != NOTHING:
            total = plus(total, v.T * push)
        if w is not None and turn != NOTHING:
            total = plus(total, w.T * turn)
    for own in (motors(words), effort_term(words)):
        total = total if own is None else plus(total, own)
    return total


def motors(words: Vocabulary) -> Term | None:
    """The column Q of the efforts in joints."""
    n, total = len(words.tree.speeds), words.motor_column()
    if all(x is ZERO for x in total):
        return None
    symbol = _unknown_column(words, "Q")
    words.values[symbol] = total[0] if n == 1 else [[x] for x in total]
    return symbol


def _unknown_column(words: Vocabulary, name: str) -> Term:
    n = len(words.tree.speeds)
    return al.scalar(name) if n == 1 else al.vector(name, n)


def balance(words: Vocabulary, parts: list[tuple[str, Term | None, str]]) -> Statements:
    """M u' = S + F + D^T Lambda, D u' = gamma, with the definitions of all of them."""
    text, latex = reactions_on_speeds(words)
    lines = [plain("", f"M*u' = S + F{text}", f"M \\dot{{u}} = S + F{latex}")]
    heads: list[Line] = []
    terms: list[Term] = []
    for name, term, label in parts:
        if term is None:
            heads.append(plain(label, f"{name} := 0", f"{name} := 0"))
            continue
        heads.append(definition(_whole(name, term), term, "matrix", label))
        terms.append(term)
    closing, asked = closed_rows(words), row_statements(words.rows, words.tree.speeds)
    return Statements(
        [*lines, *closing.lines, *asked.lines], [*heads, *closing.heads, *asked.heads], [*terms, *closing.terms]
    )


def reactions_on_speeds(words: Vocabulary) -> tuple[str, str]:
    """+ D^T Lambda of cut links, + W^T lambda of conditions, in text and LaTeX."""
    asked = reaction_sum(words.rows)
    closing = (" + D^T*Lambda", " + D^T \\Lambda") if row_blocks(words) else ("", "")
    return closing[0] + asked[0], closing[1] + asked[1]


def _whole(name: str, term: Term) -> Term:
    return al.scalar(name) if term.sort.is_scalar else al.matrix(name, term.sort.rows, term.sort.columns)


def closed_rows(words: Vocabulary) -> Statements:
    """D u' = gamma with the blocks of both, and what the multipliers are; nothing for a tree."""
    blocks = row_blocks(words)
    if blocks is None:
        return Statements([], [], [])
    heads = [
        definition(_whole("D", blocks[0]), blocks[0], "matrix", "rows of the cut links"),
        definition(_whole("gamma", blocks[1]), blocks[1], "matrix", "what their derivatives leave without u'"),
        *multiplier_lines(words),
    ]
    return Statements([DERIVED], heads, list(blocks))


def projection(words: Vocabulary) -> Statements:
    """Kane, d'Alembert and Gibbs-Appell say the same at this level: free bodies projected on their Jacobians."""
    jacobians(words)
    parts = [
        ("M", mass_matrix(words), "mass matrix"),
        ("S", bias(words), "inertia terms"),
        ("F", forces(words), "known efforts"),
    ]
    return balance(words, parts)


def opened_centres(words: Vocabulary, found: Statements) -> Statements:
    """Lines between vectors as lines between columns, accelerations of centres in those of origins."""
    symbols = [al.vector(f"gamma(G{i})") for i in words.bodies()]
    centres = {s: words.vectors[s] for s in symbols if s in words.vectors}
    lines, terms = list[Line](), list[Term]()
    for line in found.lines:
        if line.sides is None:
            lines.append(line)
            continue
        left, right = (al.substitute(side, centres) for side in line.sides)
        lines.append(equation(line.label, left, right, "matrix"))
        terms += [left, right]
    return Statements(lines, found.heads, [*terms, *found.terms])
