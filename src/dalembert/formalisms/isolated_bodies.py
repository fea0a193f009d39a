"""Newton-Euler in vectors: every body alone with the actions of its links, then sub-systems that hold none of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dalembert import algebra as al
from dalembert.algebra import Term
from dalembert.constraints.complement import complement
from dalembert.expr import ZERO
from dalembert.kinematics.links import LinkMotion, coupled_speeds, joint_point
from dalembert.presentation.closing import actions_on, with_rows
from dalembert.presentation.jacobians import opened_centres
from dalembert.presentation.lines import Line, equation
from dalembert.presentation.statements import Statements, dynamic_moment, inertia_force
from dalembert.presentation.vocabulary import NOTHING, Vocabulary


def vector_level(words: Vocabulary) -> Statements:
    """Isolated bodies with their link actions, then the sub-systems that hold none of them."""
    for one in words.links:
        name_link(words, one)
    lines = [*isolated_bodies(words)]
    coupled = coupled_speeds(words.tree)
    for one in words.links:
        lines += subsystem(words, one, coupled)
    lines += [coupled_links(words, r) for r in sorted(coupled)]
    terms = [side for line in lines if line.sides is not None for side in line.sides]
    return Statements(lines, [], terms)


def name_link(words: Vocabulary, one: LinkMotion) -> None:
    """R_j, K_j: force and moment of link j on body j at its joint point; s_j = O_jJ_j; motions and known efforts."""
    j = one.link.child
    place = joint_point(one, "first" if one.link.reversed else "second")
    words.column(f"s{j}", j, place)
    for k, (r, twist) in enumerate(one.columns, 1):
        mark = f"{j}" if len(one.columns) == 1 else f"_{j}_{k}"
        words.column(f"theta{mark}", j, twist.angular)
        words.column(f"tau{mark}", j, twist.velocity(place))
        words.values[al.scalar(f"Q{mark}")] = words.motors[one.link.link.name][r]


def isolated_bodies(words: Vocabulary) -> list[Line]:
    """Resultant and moment at G of every body alone."""
    lines = []
    for i in words.bodies():
        name = words.tree.layout.bodies[i].name
        force, moment = words.vector(f"F{i}"), words.vector(f"C{i}")
        own_arm = words.vector(f"s{i}") - words.vector(f"rho{i}")
        force, moment = force + action(words, i), moment + torque(words, i) + al.cross(own_arm, action(words, i))
        for c in words.children(i):
            arm = words.vector(f"r{c}") + words.vector(f"s{c}") - words.vector(f"rho{i}")
            force = force - action(words, c)
            moment = moment - torque(words, c) - al.cross(arm, action(words, c))
        for _, place, push, turn in actions_on(words, [i]):
            force, moment = force + push, moment + turn + al.cross(place - words.vector(f"rho{i}"), push)
        lines.append(equation(f"{name} isolated, forces", force, inertia_force(words, i)))
        lines.append(equation(f"{name} isolated, moments at G{i}", moment, dynamic_moment(words, i)))
    return lines


def action(words: Vocabulary, j: int) -> Term:
    """Force of link j on body j; nothing when the link leaves every translation free."""
    return NOTHING if _frees(words, j, "tau") else al.vector(f"R{j}")


def torque(words: Vocabulary, j: int) -> Term:
    return NOTHING if _frees(words, j, "theta") else al.vector(f"K{j}")


def _link(words: Vocabulary, j: int) -> LinkMotion:
    return next(one for one in words.links if one.link.child == j)


def _frees(words: Vocabulary, j: int, kind: str) -> bool:
    """Whether a link without motors can transmit no force (or no moment) at all."""
    one = _link(words, j)
    if any(power is not ZERO for power in words.motors[one.link.link.name].values()):
        return False
    free = complement(one.free).free
    return not any((k >= 3) == (kind == "tau") for k in free)


def subsystem(words: Vocabulary, one: LinkMotion, coupled: Collection[int]) -> list[Line]:
    """Balance of everything beyond a link, along the motions that the link alone leaves free."""
    j = one.link.child
    names = _beyond(words, j)
    if len(one.columns) == 6 and _frees(words, j, "tau") and _frees(words, j, "theta"):
        members = words.beyond(j)
        left, right = _resultant(words, members)
        turned, pushed = _moment(words, j, members)
        return [
            equation(f"{names}: forces", right, left),
            equation(f"{names}: moments at J{j}", pushed, turned),
        ]
    lines = []
    for k, (r, _) in enumerate(one.columns, 1):
        if r not in coupled:
            mark = f"{j}" if len(one.columns) == 1 else f"_{j}_{k}"
            left, right = _along(words, j, mark)
            slide, turn = words.vector(f"tau{mark}"), words.vector(f"theta{mark}")
            kind = "moments at" if slide == NOTHING else "forces along" if turn == NOTHING else "motion of"
            lines.append(equation(f"{names}: {kind} J{j}, {_free(words)}", right, left))
    return lines


def coupled_links(words: Vocabulary, r: int) -> Line:
    """Balance along a speed that moves several links: a rope or gear transmits between them, without power in sum."""
    left, right, moved = al.number(0), al.number(0), []
    for one in words.links:
        for k, (index, _) in enumerate(one.columns, 1):
            if index == r:
                j = one.link.child
                a, b = _along(words, j, f"{j}" if len(one.columns) == 1 else f"_{j}_{k}")
                left, right = left + a, right + b
                moved.append(one.link.link.name)
    return equation(f"{', '.join(moved)} together along {words.tree.speeds[r].name}, {_free(words)}", right, left)


def _free(words: Vocabulary) -> str:
    return "free of reactions in the tree" if words.cuts else "free of reactions"


def _along(words: Vocabulary, j: int, mark: str) -> tuple[Term, Term]:
    """Power of inertia, and of known efforts, of everything beyond link j for a unit of one of its motions."""
    left, right = al.number(0), al.number(0)
    slide, turn = words.vector(f"tau{mark}"), words.vector(f"theta{mark}")
    if slide != NOTHING:
        a, b = _resultant(words, words.beyond(j))
        left, right = left + al.dot(slide, a), right + al.dot(slide, b)
    if turn != NOTHING:
        a, b = _moment(words, j, words.beyond(j))
        left, right = left + al.dot(turn, a), right + al.dot(turn, b)
    known = al.scalar(f"Q{mark}")
    return left, right if words.values[known] is ZERO else right + known


def _beyond(words: Vocabulary, j: int) -> str:
    return ", ".join(words.tree.layout.bodies[i].name for i in words.beyond(j))


def _resultant(words: Vocabulary, members: Sequence[int]) -> tuple[Term, Term]:
    closing = [force for _, _, force, _ in actions_on(words, members)]
    return (
        _total([inertia_force(words, i) for i in members]),
        _total([*(words.vector(f"F{i}") for i in members), *closing]),
    )


def _moment(words: Vocabulary, j: int, members: Sequence[int]) -> tuple[Term, Term]:
    """Moments at J_j of inertia and of known efforts, with the arms d_j_i = J_jG_i."""
    left, right = NOTHING, NOTHING
    for i in members:
        arm = lever(words, j, i)
        left = left + dynamic_moment(words, i) + al.cross(arm, inertia_force(words, i))
        right = right + words.vector(f"C{i}") + al.cross(arm, words.vector(f"F{i}"))
    for i, place, force, moment in actions_on(words, members):
        arm = lever(words, j, i) - words.vector(f"rho{i}") + place
        right = right + moment + al.cross(arm, force)
    return left, right


def lever(words: Vocabulary, j: int, i: int) -> Term:
    """d_j_i = J_jG_i, from the joint outwards."""
    name = f"d_{j}_{i}"
    if words.vector(name) != NOTHING:
        return words.vector(name)
    path = words.tree.layout.path(i)
    steps = path[path.index(j) + 1 :]
    total = words.vector(f"rho{i}") - words.vector(f"s{j}")
    for k in steps:
        total = total + words.vector(f"r{k}")
    return words.formula(name, total)


def _total(terms: Sequence[Term]) -> Term:
    found = NOTHING
    for term in terms:
        found = found + term
    return found


def matrix_level(words: Vocabulary) -> Statements:
    """The same balances with every product a matrix product, columns in the base of earth."""
    return opened_centres(words, with_rows(words, vector_level(words)))
