"""What the theorems of mechanics are made of, in vectors that stay literal (Papegay 3.1): powers and energies."""

from __future__ import annotations

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO
from dalembert.expr.space import is_zero3
from dalembert.presentation.closing import across, power_across
from dalembert.presentation.lines import plain
from dalembert.presentation.statements import dynamic_moment, inertia_force
from dalembert.presentation.vocabulary import NOTHING, Vocabulary

HALF = al.number(ex.HALF.value)
PARTIAL = plain(
    "partial velocities",
    "v_r(P) = dv(P)/du_r,  omega_r_i = domega_i/du_r",
    "\\boldsymbol{v}_r(P) = \\frac{\\partial \\boldsymbol{v}(P)}{\\partial u_r},\\quad "
    "\\boldsymbol{\\omega}_{r,i} = \\frac{\\partial \\boldsymbol{\\omega}_i}{\\partial u_r}",
)


def powers(words: Vocabulary, mark: str) -> tuple[Term, Term]:
    """Power of the inertia and of the efforts, reactions of cut links among them, in a virtual or partial motion."""
    virtual_field(words, mark)
    left, right = al.number(0), motor_power(words, f"Q{mark}") + power_across(words, mark)
    for i in words.bodies():
        v, w = words.vector(f"v{mark}(G{i})"), words.vector(f"omega{mark}_{i}")
        left = left + al.dot(inertia_force(words, i), v) + al.dot(dynamic_moment(words, i), w)
        right = right + al.dot(words.vector(f"F{i}"), v) + al.dot(words.vector(f"C{i}"), w)
    return left, right


def virtual_field(words: Vocabulary, mark: str) -> None:
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
    for cut in words.cuts:
        across(words, cut, mark)


def motor_power(words: Vocabulary, name: str) -> Term:
    """Power of the links' own motors, when there are any."""
    return al.scalar(name) if any(x is not ZERO for x in words.motor_column()) else al.number(0)


def power_of_efforts(words: Vocabulary, gravity: bool = True) -> Term:
    """P = sum F . v(G) + C . omega, the power of the motors, and of what springs and motors do in cut links."""
    total = motor_power(words, "P_joints") + power_across(words, "", reactions=False)
    for i in words.bodies():
        force = words.vector(f"F{i}") if gravity else words.applied(i)
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
