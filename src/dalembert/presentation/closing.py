"""Words of the links that close loops: the motion across each, what its joint transmits, and the rows that it asks.

For the cut link k from body a to body b, with J_k the origin of its second frame, fixed on b:

    s_k = O_bJ_k      l_k = O_aJ_k      w_k = v_b(J_k) - v_a(J_k)      sigma_k = omega_b - omega_a
    R_k = sum_j lambda_kj n_kj          K_k = sum_j lambda_kj m_kj     reaction on b, moment at J_k
    n_kj . w_k + m_kj . sigma_k + d_kj = 0                             row j: the joint leaves its reaction no power

At the matrix level w_k = Y_k u + ..., sigma_k = Z_k u + ..., so that D_k = n_k^T Y_k + m_k^T Z_k.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.constraints.complement import actuation_wrench
from dalembert.constraints.freedom import Freedom
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Pose, Twist, Wrench, in_speeds, link_efforts
from dalembert.mechanism import CutLink
from dalembert.presentation.conditions import asked_statements
from dalembert.presentation.lines import Line, equation, plain
from dalembert.presentation.notation import PLAIN
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import NOTHING, Cut, Vocabulary


def close(words: Vocabulary, rows: Rows) -> None:
    """Name what the cut links do: motions across them, reactions, known efforts in them."""
    name_cuts(words, rows)
    for one, cut in zip(words.tree.layout.cuts, words.cuts, strict=True):
        words.column(f"s{cut.number}", cut.second, one.link.second.displacement.translation)
        words.formula(f"l{cut.number}", _between(words, cut) + words.vector(f"s{cut.number}"))
        across(words, cut, "")
        _name_reaction(words, one, cut, rows)
        _name_efforts(words, one, cut, rows)


def name_cuts(words: Vocabulary, rows: Rows) -> None:
    """The cut links with the multipliers that have power."""
    words.rows = rows
    live = [rows.names[k] for k in live_rows(rows)]
    for one in words.tree.layout.cuts:
        own = tuple(name for name in live if name.rpartition(".")[0] == one.link.name)
        words.cuts.append(Cut(one.number, one.link.name, one.first, one.second, own))


def live_rows(rows: Rows) -> list[int]:
    """Rows that ask something of the speeds: in a plane machine those across the plane ask nothing."""
    return [k for k, row in enumerate(rows.matrix.rows()) if any(x is not ZERO for x in row)]


def _between(words: Vocabulary, cut: Cut) -> Term:
    """O_aO_b along the tree."""
    near, far = words.tree.layout.path(cut.first), words.tree.layout.path(cut.second)
    shared = 0
    while shared < min(len(near), len(far)) and near[shared] == far[shared]:
        shared += 1
    total = NOTHING
    for i in far[shared:]:
        total = total + words.vector(f"r{i}")
    for i in near[shared:]:
        total = total - words.vector(f"r{i}")
    return total


def across(words: Vocabulary, cut: Cut, mark: str) -> None:
    """w_k and sigma_k of the motion, or of the virtual or partial motion that `mark` names."""
    v, k, a, b = words.vector, cut.number, cut.first, cut.second
    under = f"{mark}_" if mark else ""
    near, far = v(f"omega{under}{a}"), v(f"omega{under}{b}")
    words.formula(f"sigma{under}{k}", far - near)
    moved = v(f"v{mark}(O{b})") + al.cross(far, v(f"s{k}"))
    words.formula(f"w{under}{k}", moved - v(f"v{mark}(O{a})") - al.cross(near, v(f"l{k}")))


def _name_reaction(words: Vocabulary, one: CutLink, cut: Cut, rows: Rows) -> None:
    """n_kj, m_kj with the multipliers as their weights, and d_kj, what time and other links move in the joint."""
    k, base, pose = cut.number, cut.second, Pose.of(one.link.second.displacement)
    units, rest = unit_wrenches(cut, rows), rest_of(words, one)
    force, moment = NOTHING, NOTHING
    for j, (name, unit) in enumerate(zip(cut.multipliers, units, strict=True), 1):
        weight = al.as_term(ex.symbol(name))
        force = force + weight * words.column(f"n_{k}_{j}", base, pose.vector(unit.force))
        moment = moment + weight * words.column(f"m_{k}_{j}", base, pose.vector(unit.moment))
        driven = unit.power(rest)
        if driven is not ZERO:
            words.values[al.scalar(f"d_{k}_{j}")] = -driven
    words.formula(f"R{k}", force)
    words.formula(f"K{k}", moment)


def unit_wrenches(cut: Cut, rows: Rows) -> list[Wrench]:
    """What a unit of each multiplier is on the second body, at and in the base of the second frame."""
    return [rows.wrenches[rows.names.index(name)] or Wrench() for name in cut.multipliers]


def rest_of(words: Vocabulary, one: CutLink) -> Twist:
    """The motion of the joint that time and the coordinates of other links give it."""
    found = Freedom.of(one.link, words.tree.motions[one.link.name]).rest
    return Twist.of(in_speeds(words.tree, list(found.scalars)))


def _name_efforts(words: Vocabulary, one: CutLink, cut: Cut, rows: Rows) -> None:
    """E_k, N_k of the springs and motors in the joint; what they do to speeds that the joint shares goes into Q."""
    tree, k, pose = words.tree, cut.number, Pose.of(one.link.second.displacement)
    freedom = Freedom.of(one.link, tree.motions[one.link.name])
    rates = {ex.prime(x.coordinate): x.rate for x in rows.own}
    powers, shared = dict.fromkeys(freedom.speeds, ZERO), dict[int, Expr]()
    for speed, effort in link_efforts(one.link, tree.motions[one.link.name]):
        (value,) = in_speeds(tree, ex.substitute([effort], rates))
        if speed in tree.speeds:
            shared[tree.speeds.index(speed)] = shared.get(tree.speeds.index(speed), ZERO) + value
        else:
            powers[speed] = powers[speed] + value
    if any(x is not ZERO for x in powers.values()):
        known = actuation_wrench(freedom.columns, list(powers.values()))
        words.column(f"E{k}", cut.second, pose.vector(known.force))
        words.column(f"N{k}", cut.second, pose.vector(known.moment))
        held = [ex.symbol(f"held {i}") for i in range(6)]
        lost = ex.gradient(Wrench.of(held).power(rest_of(words, one)), tree.speeds)
        for r, x in enumerate(ex.substitute(lost, dict(zip(held, known.scalars, strict=True)))):
            if x is not ZERO:
                shared[r] = shared.get(r, ZERO) - x
    words.motors[one.link.name] = shared


def action(words: Vocabulary, cut: Cut) -> tuple[Term, Term]:
    """Force and moment at J_k of a cut link on its second body: reaction and known efforts."""
    v, k = words.vector, cut.number
    return v(f"R{k}") + v(f"E{k}"), v(f"K{k}") + v(f"N{k}")


def power_across(words: Vocabulary, mark: str, reactions: bool = True) -> Term:
    """Power of the cut links in a motion: of their reactions and known efforts, or of the known efforts alone."""
    total, under = al.number(0), f"{mark}_" if mark else ""
    for cut in words.cuts:
        force, moment = action(words, cut)
        if not reactions:
            force, moment = words.vector(f"E{cut.number}"), words.vector(f"N{cut.number}")
        total = total + al.dot(force, words.vector(f"w{under}{cut.number}"))
        total = total + al.dot(moment, words.vector(f"sigma{under}{cut.number}"))
    return total


def actions_on(words: Vocabulary, bodies: Sequence[int]) -> list[tuple[int, Term, Term, Term]]:
    """What cut links do to a set of bodies from outside: body, arm from its origin to J_k, force, moment at J_k."""
    found = []
    for cut in words.cuts:
        if (cut.first in bodies) == (cut.second in bodies):
            continue
        force, moment = action(words, cut)
        if cut.second in bodies:
            found.append((cut.second, words.vector(f"s{cut.number}"), force, moment))
        else:
            found.append((cut.first, words.vector(f"l{cut.number}"), -force, -moment))
    return found


def row_lines(words: Vocabulary) -> list[Line]:
    """n_kj . w_k + m_kj . sigma_k + d_kj = 0 for every row, and what their derivatives ask."""
    lines = []
    for cut in words.cuts:
        k = cut.number
        for j, name in enumerate(cut.multipliers, 1):
            left = al.dot(words.vector(f"n_{k}_{j}"), words.vector(f"w{k}"))
            left = left + al.dot(words.vector(f"m_{k}_{j}"), words.vector(f"sigma{k}"))
            drift = al.scalar(f"d_{k}_{j}")
            lines.append(equation(closing_label(name), left + (drift if drift in words.values else 0), al.number(0)))
    return [*lines, DERIVED] if lines else []


def closing_label(name: str) -> str:
    """What a row of a cut link says: `gudgeon.Fx` keeps the gudgeon closed."""
    link, _, part = name.rpartition(".")
    return f"{link} stays closed; reaction {part}"


DERIVED = plain(
    "the rows D u + d = 0, derived once",
    "D*u' = gamma",
    "D \\dot{u} = \\gamma",
)


def row_heads(words: Vocabulary) -> list[Line]:
    """What the multipliers are, cut by cut, and how D and gamma follow from the rows."""
    heads = multiplier_lines(words)
    if heads:
        heads.append(
            plain(
                "entries of D and right sides",
                "D_jr = n_j . dw/du_r + m_j . dsigma/du_r,  gamma = -D'*u - d'",
                "D_{jr} = \\boldsymbol{n}_j \\cdot \\frac{\\partial \\boldsymbol{w}}{\\partial u_r} + "
                "\\boldsymbol{m}_j \\cdot \\frac{\\partial \\boldsymbol{\\sigma}}{\\partial u_r},\\quad "
                "\\gamma = -\\dot{D} u - \\dot{d}",
            )
        )
    return heads


def multiplier_lines(words: Vocabulary) -> list[Line]:
    """Lambda := (Lambda_k), and Lambda_k := (C.Fx, C.Fy): components of each reaction, said in words."""
    cuts = [cut for cut in words.cuts if cut.multipliers]
    found = [_multiplier_line(words, cut, "" if len(cuts) == 1 else f"_{cut.number}") for cut in cuts]
    if len(cuts) > 1:
        names = [f"Lambda_{cut.number}" for cut in cuts]
        latex = ", ".join(f"\\Lambda_{{{cut.number}}}" for cut in cuts)
        found.insert(0, plain("multipliers", f"Lambda := ({', '.join(names)})", f"\\Lambda := ({latex})"))
    return found


def _multiplier_line(words: Vocabulary, cut: Cut, index: str) -> Line:
    names = ", ".join(cut.multipliers)
    latex = ", ".join(PLAIN.latex(x) for x in cut.multipliers)
    body = words.tree.layout.bodies[cut.second].name
    label = f"reaction of {cut.link} on {body}, at and in the base of the second frame of {cut.link}"
    symbol = f"\\Lambda_{{{index[1:]}}}" if index else "\\Lambda"
    return plain(label, f"Lambda{index} := ({names})", f"{symbol} := ({latex})")


def own_rates(rows: Rows, used: Sequence[Expr]) -> list[tuple[str, Expr, Expr]]:
    """x' of the own coordinates of cut links that some expressions use, directly or through other rates."""
    found: dict[Expr, Expr] = {}
    pending = list(used)
    while pending:
        symbols = ex.free_symbols(pending)
        fresh = {x.coordinate: x.rate for x in rows.own if x.coordinate in symbols and x.coordinate not in found}
        found |= fresh
        pending = list(fresh.values())
    return [("coordinate of a cut link", ex.prime(x), rate) for x, rate in found.items()]


def reaction_terms(words: Vocabulary, variable: str, latex: str) -> tuple[str, str]:
    """+ R_k . dw_k/d(variable) + K_k . dsigma_k/d(variable) over the cut links, in text and LaTeX."""
    text = typeset = ""
    for cut in words.cuts:
        k = cut.number
        for action_name, motion, greek in ((f"R{k}", f"w{k}", "w"), (f"K{k}", f"sigma{k}", "\\sigma")):
            if words.vector(action_name) != NOTHING:
                text += f" + {action_name} . d{motion}/d{variable}"
                typeset += f" + \\boldsymbol{{{action_name[0]}}}_{{{k}}} \\cdot "
                typeset += f"\\frac{{\\partial \\boldsymbol{{{greek}}}_{{{k}}}}}{{\\partial {latex}}}"
    return text, typeset


def with_rows(words: Vocabulary, found: Statements) -> Statements:
    """Statements of vectors completed by the rows of the cut links; those of a tree as they are."""
    lines = row_lines(words)
    reactions = [words.vector(f"{name}{cut.number}") for cut in words.cuts for name in "RK"]
    terms = [side for line in lines if line.sides is not None for side in line.sides]
    asked = asked_statements(words.rows, words.acting)
    heads = [*found.heads, *row_heads(words), *asked.heads]
    return Statements([*found.lines, *lines, *asked.lines], heads, [*found.terms, *reactions, *terms])
