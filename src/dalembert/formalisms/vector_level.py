"""The theorems of each formalism, instantiated for one mechanism, in vectors that stay literal (Papegay 3.1)."""

from __future__ import annotations

from collections.abc import Callable

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO
from dalembert.expr.space import is_zero3
from dalembert.formalisms.isolation import newton_euler
from dalembert.formalisms.newton_euler import isolate
from dalembert.formalisms.presentation import definition, equation, plain
from dalembert.formalisms.reactions import motor_wrench
from dalembert.formalisms.statements import Statements, dynamic_moment, inertia_force
from dalembert.formalisms.vocabulary import NOTHING, Vocabulary

HALF = al.number(ex.HALF.value)


def state(words: Vocabulary, formalism: str) -> Statements:
    """The lines of a formalism at the vector level."""
    return STATEMENTS.get(formalism, kane)(words)


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
