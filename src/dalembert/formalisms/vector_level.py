"""The theorems of each formalism, instantiated for one mechanism, in vectors that stay literal (Papegay 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Definitions, Term
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import add3, cross, is_zero3
from dalembert.formalisms.complement import complement
from dalembert.formalisms.newton_euler import Isolated, LinkMotion, isolate
from dalembert.formalisms.presentation import Line, definition, equation, plain
from dalembert.formalisms.reactions import joint_point, motor_wrench
from dalembert.formalisms.vocabulary import NOTHING, Vocabulary
from dalembert.kinematics import Twist

HALF = al.number(ex.HALF.value)


@dataclass
class Statements:
    """What a formalism says: its equations, and definitions of its own beside the vocabulary's."""

    lines: list[Line]
    heads: list[Line]  # formulas that the formalism adds, before the kinematic ones
    terms: list[Term]  # whatever the equations use, to pick the formulas needed


def state(words: Vocabulary, formalism: str) -> Statements:
    """The lines of a formalism at the vector level."""
    return STATEMENTS.get(formalism, kane)(words)


def dynamic_moment(words: Vocabulary, i: int) -> Term:
    """I alpha + omega x (I omega), zero for a point mass."""
    if i not in words.rotating():
        return NOTHING
    w, inertia = words.vector(f"omega{i}"), words.inertia(i)
    return inertia * words.vector(f"alpha{i}") + al.cross(w, inertia * w)


def inertia_force(words: Vocabulary, i: int) -> Term:
    return words.mass(i) * words.vector(f"gamma(G{i})") if i in words.massive() else NOTHING


# --- Newton-Euler ------------------------------------------------------------------------------------------------


def newton_euler(words: Vocabulary) -> Statements:
    """Isolated bodies with their link actions, then the sub-systems that hold none of them."""
    system = isolate(words.tree)
    for one in words.links:
        name_link(words, system, one)
    lines = [*isolated_bodies(words)]
    for one in words.links:
        lines += subsystem(words, one)
    terms = [line.residual for line in lines if line.residual is not None]
    return Statements(lines, [], terms)


def name_link(words: Vocabulary, system: Isolated, one: LinkMotion) -> None:
    """R_j, K_j: force and moment of link j on body j at its joint point; s_j = O_jJ_j; motions and known efforts."""
    j = one.link.child
    place = joint_point(one, "first" if one.link.reversed else "second")
    words.column(f"s{j}", j, place)
    for k, (r, twist) in enumerate(one.columns, 1):
        mark = f"{j}" if len(one.columns) == 1 else f"{j}_{k}"
        linear = add3(twist.linear, cross(twist.angular, place))
        words.column(f"theta{mark}", j, twist.angular)
        words.column(f"tau{mark}", j, linear)
        words.values[al.scalar(f"Q{r + 1}")] = known_effort(system, one, r, twist)


def known_effort(system: Isolated, one: LinkMotion, r: int, twist: Twist) -> Expr:
    """Power of the motors of a link for a unit of speed r."""
    return motor_wrench(system, one).power(twist)


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
    if any(words.values.get(al.scalar(f"Q{r + 1}")) is not ZERO for r, _ in one.columns):
        return False
    free = complement([twist for _, twist in one.columns]).free
    return not any((k < 3) == (kind == "tau") for k in free)


def subsystem(words: Vocabulary, one: LinkMotion) -> list[Line]:
    """Balance of everything beyond a link, along the motions that the link leaves free."""
    j = one.link.child
    members = words.beyond(j)
    names = ", ".join(words.tree.layout.bodies[i].name for i in members)
    if len(one.columns) == 6 and _frees(words, j, "tau") and _frees(words, j, "theta"):
        left, right = _resultant(words, members)
        turned, pushed = _moment(words, j, members)
        return [
            equation(f"{names}: forces", right, left),
            equation(f"{names}: moments at J{j}", pushed, turned),
        ]
    lines = []
    for k, (r, _) in enumerate(one.columns, 1):
        mark = f"{j}" if len(one.columns) == 1 else f"{j}_{k}"
        left, right = al.number(0), al.number(0)
        slide, turn = words.vector(f"tau{mark}"), words.vector(f"theta{mark}")
        if slide != NOTHING:
            a, b = _resultant(words, members)
            left, right = left + al.dot(slide, a), right + al.dot(slide, b)
        if turn != NOTHING:
            a, b = _moment(words, j, members)
            left, right = left + al.dot(turn, a), right + al.dot(turn, b)
        known = al.scalar(f"Q{r + 1}")
        if words.values[known] is not ZERO:
            right = right + known
        kind = "moments at" if slide == NOTHING else "forces along" if turn == NOTHING else "motion of"
        lines.append(equation(f"{names}: {kind} J{j}, free of reactions", right, left))
    return lines


def _resultant(words: Vocabulary, members: Sequence[int]) -> tuple[Term, Term]:
    return (
        _total([inertia_force(words, i) for i in members]),
        _total([words.vector(f"F{i}") for i in members]),
    )


def _moment(words: Vocabulary, j: int, members: Sequence[int]) -> tuple[Term, Term]:
    """Moments at J_j of inertia and of known efforts, with the arms d_j_i = J_jG_i."""
    left, right = NOTHING, NOTHING
    for i in members:
        arm = lever(words, j, i)
        left = left + dynamic_moment(words, i) + al.cross(arm, inertia_force(words, i))
        right = right + words.vector(f"C{i}") + al.cross(arm, words.vector(f"F{i}"))
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


# --- virtual power -------------------------------------------------------------------------------------------------


def powers(words: Vocabulary, velocity: Callable[[int], Term], spin: Callable[[int], Term]) -> tuple[Term, Term]:
    """Power of the inertia and of the known efforts in a field of velocities."""
    left, right = al.number(0), al.number(0)
    for i in words.bodies():
        v, w = velocity(i), spin(i)
        left = left + al.dot(inertia_force(words, i), v) + al.dot(dynamic_moment(words, i), w)
        right = right + al.dot(words.vector(f"F{i}"), v) + al.dot(words.vector(f"C{i}"), w)
    return left, right


def virtual_field(words: Vocabulary, mark: str) -> tuple[Callable[[int], Term], Callable[[int], Term]]:
    """Velocities of a virtual (or partial) motion, composed from earth: spin_j = spin_i + own_j, and so on."""
    v = words.vector
    for one in words.links:
        i, j = one.link.parent, one.link.child
        w, r, c = v(f"omega{mark}_{i}"), v(f"r{j}"), v(f"rho{j}")
        turns = any(not is_zero3(t.angular) for _, t in one.columns)
        moves = any(not is_zero3(t.linear) for _, t in one.columns)
        own = al.vector(f"sigma{mark}_{j}") if turns else NOTHING
        slide = al.vector(f"w{mark}_{j}") if moves else NOTHING
        spin = words.formula(f"omega{mark}_{j}", w + own)
        words.formula(f"v{mark}(O{j})", v(f"v{mark}(O{i})") + al.cross(w, r) + slide)
        words.formula(f"v{mark}(G{j})", v(f"v{mark}(O{j})") + al.cross(spin, c))
    return (lambda i: v(f"v{mark}(G{i})")), (lambda i: v(f"omega{mark}_{i}"))


def dalembert(words: Vocabulary) -> Statements:
    velocity, spin = virtual_field(words, "star")
    left, right = powers(words, velocity, spin)
    right = right + _motor_power(words, "Qstar")
    line = equation("for every virtual motion", left, right)
    return Statements([line], [], [left, right])


def kane(words: Vocabulary) -> Statements:
    velocity, spin = virtual_field(words, "_r")
    left, right = powers(words, velocity, spin)
    right = right + _motor_power(words, "Q_r")
    count = len(words.tree.speeds)
    line = equation(f"r = 1..{count}: {', '.join(u.name for u in words.tree.speeds)}", left, right)
    head = plain(
        "partial velocities",
        "v_r(P) = dv(P)/du_r,  omega_r_i = domega_i/du_r",
        "\\boldsymbol{v}_r(P) = \\frac{\\partial \\boldsymbol{v}(P)}{\\partial u_r},\\quad "
        "\\boldsymbol{\\omega}_{r,i} = \\frac{\\partial \\boldsymbol{\\omega}_i}{\\partial u_r}",
    )
    return Statements([line], [head], [left, right])


def _motor_power(words: Vocabulary, name: str) -> Term:
    """Power of the links' own motors, when there are any."""
    system = isolate(words.tree)
    loaded = any(motor_wrench(system, one).power(t) is not ZERO for one in words.links for _, t in one.columns)
    return al.scalar(name) if loaded else al.number(0)


def gibbs_appell(words: Vocabulary) -> Statements:
    total = al.number(0)
    for i in words.bodies():
        g, a, w = words.vector(f"gamma(G{i})"), words.vector(f"alpha{i}"), words.vector(f"omega{i}")
        if i in words.massive():
            total = total + HALF * words.mass(i) * al.dot(g, g)
        if i in words.rotating():
            inertia = words.inertia(i)
            total = total + HALF * al.dot(a, inertia * a) + al.dot(a, al.cross(w, inertia * w))
    power = power_of_efforts(words)
    lines = [
        plain(
            f"r = 1..{len(words.tree.speeds)}",
            "dG/du'_r = dP/du_r",
            "\\frac{\\partial G}{\\partial \\dot{u}_r} = \\frac{\\partial P}{\\partial u_r}",
        )
    ]
    heads = [
        definition(al.scalar("G"), total, label="energy of accelerations"),
        definition(al.scalar("P"), power, label="power of the known efforts, held while deriving"),
    ]
    return Statements(lines, heads, [total, power])


def power_of_efforts(words: Vocabulary, gravity: bool = True) -> Term:
    """P = sum F . v(G) + C . omega, and the power of the motors."""
    total = _motor_power(words, "P_joints")
    for i in words.bodies():
        force = words.vector(f"F{i}") if gravity else words.vector(f"f{i}")
        if not gravity and words.vector("g") == NOTHING:
            force = words.vector(f"F{i}")
        total = total + al.dot(force, words.vector(f"v(G{i})"))
        total = total + al.dot(words.vector(f"C{i}"), words.vector(f"omega{i}"))
    return total


def kinetic_energy(words: Vocabulary) -> Term:
    """T = sum mu v(G)^2 / 2 + omega . I omega / 2."""
    total = al.number(0)
    for i in words.bodies():
        v, w = words.vector(f"v(G{i})"), words.vector(f"omega{i}")
        if i in words.massive():
            total = total + HALF * words.mass(i) * al.dot(v, v)
        if i in words.rotating():
            total = total + HALF * al.dot(w, words.inertia(i) * w)
    return total


def gravity_potential(words: Vocabulary) -> Term:
    """V = - sum mu g . OG."""
    total, g = al.number(0), words.vector("g")
    if g == NOTHING:
        return total
    for i in words.massive():
        place = words.vector(f"rho{i}")
        for k in words.tree.layout.path(i):
            place = place + words.vector(f"r{k}")
        total = total - words.mass(i) * al.dot(g, place)
    return total


def lagrange(words: Vocabulary) -> Statements:
    energy, power, potential = kinetic_energy(words), power_of_efforts(words, gravity=False), gravity_potential(words)
    weight = potential != al.number(0)
    lines = [
        plain(
            f"i = 1..{len(words.tree.coordinates)}: {', '.join(q.name for q in words.tree.coordinates)}",
            "d/dt dT/dq'_i - dT/dq_i = dP/dq'_i" + (" - dV/dq_i" if weight else ""),
            "\\frac{d}{dt}\\frac{\\partial T}{\\partial \\dot{q}_i} - \\frac{\\partial T}{\\partial q_i} = "
            "\\frac{\\partial P}{\\partial \\dot{q}_i}" + (" - \\frac{\\partial V}{\\partial q_i}" if weight else ""),
        )
    ]
    heads = [definition(al.scalar("T"), energy, label="kinetic energy")]
    if weight:
        heads.append(definition(al.scalar("V"), potential, label="potential of gravity"))
    heads.append(definition(al.scalar("P"), power, label="power of the other known efforts, held while deriving"))
    return Statements(lines, heads, [energy, power, potential])


def hamilton(words: Vocabulary) -> Statements:
    found = lagrange(words)
    weight = len(found.heads) == 3
    lines = [
        plain("momenta", "p_r = dT/du_r", "p_r = \\frac{\\partial T}{\\partial u_r}"),
        plain(
            "Hamiltonian",
            "H = sum_r p_r*u_r - T" + (" + V" if weight else ""),
            "H = \\sum_r p_r u_r - T" + (" + V" if weight else ""),
        ),
        plain("", "q'_i = dH/dp_i", "\\dot{q}_i = \\frac{\\partial H}{\\partial p_i}"),
        plain(
            "",
            "p'_i = -dH/dq_i + dP/du_i",
            "\\dot{p}_i = -\\frac{\\partial H}{\\partial q_i} + \\frac{\\partial P}{\\partial u_i}",
        ),
    ]
    if list(words.tree.speeds) != [ex.prime(q) for q in words.tree.coordinates]:
        lines[2:] = [
            plain("speeds that are not rates, q' = P(q) u", "q' = P dH/dp", "\\dot{q} = P\\,\\partial H/\\partial p"),
            plain(
                "p_q = W^T p held while deriving",
                "p' = -P^T dH/dq + (dP/dt)^T p_q - P^T d(u . P^T p_q)/dq + dP/du",
                "\\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + \\dot{P}^T p_q - "
                "P^T\\frac{\\partial (u\\cdot P^T p_q)}{\\partial q} + \\frac{\\partial P}{\\partial u}",
            ),
        ]
    return Statements(lines, found.heads, found.terms)


STATEMENTS: dict[str, Callable[[Vocabulary], Statements]] = {
    "newton-euler": newton_euler,
    "dalembert": dalembert,
    "kane": kane,
    "gibbs-appell": gibbs_appell,
    "lagrange": lagrange,
    "hamilton": hamilton,
}


def formulas(terms: Sequence[Term], tables: Sequence[tuple[Definitions, str]]) -> list[Line]:
    """The definitions that some terms need, directly or through other definitions, table by table."""
    pending, wanted = list(terms), set[Term]()
    while pending:
        term = pending.pop()
        for table, _ in tables:
            fresh = [s for s in table.used_by(term) if s not in wanted]
            wanted.update(fresh)
            pending += [table[s] for s in fresh]
    return [definition(s, table[s], style) for table, style in tables for s in table if s in wanted]
