"""D'Alembert's principle: the efforts and the forces of inertia have no power in any virtual motion.

Only positions are used. A particle at x in body i is at O + R x; along the motion its acceleration is O'' + R'' x, and
a virtual motion u* (time held) gives it the velocity O* + R* x. Summed over the matter of the body, with mass mu, first
moment h and J = integral of x x^T dm = tr(I_O)/2 1 - I_O,

    integral gamma . v* dm = mu O''.O* + O''.(R* h) + (R'' h).O* + tr(R'' J R*^T)

and for every u*:   sum F . v*(P) + C . w*  -  sum_i integral gamma . v* dm  =  0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert import expr as ex
from dalembert.expr import HALF, ONE, TIME, ZERO, Expr
from dalembert.expr.space import Matrix3, Vector3, add3, apply3, dot3, product3, transpose3, vector_rows
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import Pose, RigidInertia, Tree, body_inertia
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.bodies import acceleration_symbols, body_poses
from dalembert.presentation.astatic import astatic_quantities
from dalembert.presentation.jacobians import projection
from dalembert.presentation.lines import equation
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import powers
from dalembert.presentation.turning import absolute_quantities
from dalembert.presentation.vocabulary import Vocabulary


def derive(tree: Tree) -> Equations:
    """The coefficients of each virtual speed in the virtual power."""
    udot = acceleration_symbols(tree)
    virtual = [ex.symbol(f"{u.name}*") for u in tree.speeds]
    poses = body_poses(tree)
    displaced = displaced_poses(poses, virtual_rates(tree, virtual))
    inertia = ex.gradient(inertia_power(tree, poses, displaced, udot), virtual)
    mass, bias = split_accelerations(inertia, udot)
    forces = ex.gradient(effort_power(tree, poses, displaced, virtual), virtual)
    return Equations("dalembert", tree, mass, bias, tuple(forces))


def virtual_rates(tree: Tree, virtual: Sequence[Expr]) -> dict[Expr, Expr]:
    """Rates of the coordinates in a virtual motion: linear in u*, time held."""
    rates = [tree.rates[x] for x in tree.coordinates]
    seen = ex.substitute(rates, dict(zip(tree.speeds, virtual, strict=True)))
    still = ex.substitute(rates, dict.fromkeys(tree.speeds, 0))
    return {x: a - b for x, a, b in zip(tree.coordinates, seen, still, strict=True)}


def displaced_poses(poses: Sequence[Pose], direction: Mapping[Expr, Expr]) -> list[Pose]:
    """Derivatives of every pose along a direction in the space of coordinates."""
    return _regrouped(ex.tangent(_flat(poses), direction))


def inertia_power(tree: Tree, poses: Sequence[Pose], displaced: Sequence[Pose], udot: Sequence[Expr]) -> Expr:
    """Integral of gamma . v* over all the matter."""
    along = {TIME: ONE, **tree.rates}
    speeds = ex.tangent(_flat(poses), along)
    second = _regrouped(ex.tangent(speeds, {**along, **dict(zip(tree.speeds, udot, strict=True))}))
    total = ZERO
    for i, body in enumerate(tree.layout.bodies):
        matter = body_inertia(body)
        if i == 0:
            continue
        gamma, star, h = second[i], displaced[i], matter.moment
        total += matter.mass * dot3(gamma.position, star.position)
        total += dot3(gamma.position, apply3(star.rotation, h)) + dot3(apply3(gamma.rotation, h), star.position)
        spread = product3(gamma.rotation, second_moments(matter))
        for row, other in zip(spread, star.rotation, strict=True):
            total += dot3(row, other)
    return total


def second_moments(matter: RigidInertia) -> Matrix3:
    """J = tr(I_O)/2 1 - I_O."""
    trace = matter.inertia[0][0] + matter.inertia[1][1] + matter.inertia[2][2]
    rows = matter.inertia
    return vector_rows([[(HALF * trace if i == j else ZERO) - rows[i][j] for j in range(3)] for i in range(3)])


def effort_power(tree: Tree, poses: Sequence[Pose], displaced: Sequence[Pose], virtual: Sequence[Expr]) -> Expr:
    """Virtual power of the known efforts."""
    total = ZERO
    for action in known_actions(tree):
        pose, star = poses[action.body], displaced[action.body]
        velocity = add3(star.position, apply3(star.rotation, action.point))
        total += dot3(apply3(pose.rotation, action.force), velocity)
        total += dot3(action.torque, virtual_spin(pose, star))
    along = virtual_rates(tree, virtual)
    for effort in coordinate_efforts(tree):
        total += effort.effort * along[effort.coordinate]
    return total


def virtual_spin(pose: Pose, star: Pose) -> Vector3:
    """w* in the body's base, read off R^T R* (antisymmetric)."""
    m = product3(transpose3(pose.rotation), star.rotation)
    return Vector3((m[2][1], m[0][2], m[1][0]))


def _flat(poses: Sequence[Pose]) -> list[Expr]:
    return [x for pose in poses for v in (*pose.rotation, pose.position) for x in v]


def _regrouped(flat: Sequence[Expr]) -> list[Pose]:
    found = []
    for i in range(0, len(flat), 12):
        a = flat[i : i + 12]
        found.append(
            Pose(
                (Vector3(a[:3]), Vector3(a[3:6]), Vector3(a[6:9])),
                Vector3(a[9:12]),
            )
        )
    return found


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    left, right = powers(words, "star")
    line = equation("for every virtual motion", left, right)
    return Statements([line], [], [left, right])


FORMALISM = Formalism(
    name="dalembert",
    title="d'Alembert: virtual power",
    derive=derive,
    vector=vector_level,
    matrix=projection,
    quantities=lambda eq: [*absolute_quantities(eq.tree), *astatic_quantities(eq.tree)],
)
