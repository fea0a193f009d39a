"""The mixed formalism of Papegay (3.3): free bodies, link constraints, projection on the configuration manifold.

Step 1  every body alone, in maximal speeds qq_i = (angular velocity, velocity of O_i), both in the base of earth:

            [  I_O     mu c~ ] [ w' ]   [ -w~ I_O w   ]   [ C(O_i) ]
            [ -mu c~   mu 1  ] [ v' ] = [ -mu w~ w~ c ] + [ F      ]          MM qq' = SS + FF

Step 2  links: DD qq = 0, reactions DD^T Lambda
Step 3  qq = Psi(p) u, DD Psi = 0:   M = Psi^T MM Psi,  S = Psi^T (SS - MM (Psi' u + gamma')),  F = Psi^T FF

gamma is the velocity left at rest when a displacement depends on time. Nothing here is shared with the recursive path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    cross,
    neg3,
    product3,
    scale3,
    scale_matrix3,
    sub3,
    sum3,
    tilde,
    transpose3,
)
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.isolated_bodies import isolated_bodies, name_link
from dalembert.kinematics import Pose, Tree, Twist, Wrench, effort_actions, in_speeds
from dalembert.mechanism import Body, Effort, Force, Torque
from dalembert.presentation.closing_columns import effort_term
from dalembert.presentation.jacobians import balance, jacobians, motors, named, plus
from dalembert.presentation.lines import equation
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import PARTIAL, powers
from dalembert.presentation.turning import absolute_quantities
from dalembert.presentation.vocabulary import NOTHING, Vocabulary


def derive(tree: Tree) -> Equations:
    """Equations of a tree by projection of the free bodies."""
    layout = tree.layout
    chain = Absolute.of(tree)
    psi, drift = chain.jacobian()
    free = [free_body(layout.bodies[i], chain.poses[i], chain.twists[i].angular) for i in range(1, len(layout.bodies))]
    mass = block_diagonal([one.mass for one in free])
    acceleration = time_derivative(tree, psi) @ Matrix.column(tree.speeds) + time_derivative(tree, drift)
    bias = Matrix.column([x for one in free for x in one.bias]) - mass @ acceleration
    projected = (psi.T @ mass).symmetric_product(psi)
    forces = psi.T @ Matrix.column(maximal_forces(tree, chain))
    joints = joint_powers(tree, chain)
    total = [f + j for f, j in zip(forces.entries, joints, strict=True)]
    return Equations("mixed", tree, projected, (psi.T @ bias).entries, tuple(total))


@dataclass(frozen=True, slots=True)
class Absolute:
    """Poses of all reference frames in earth, and the twist of each (at O_i, in the base of earth) as Psi u + drift."""

    tree: Tree
    poses: list[Pose]
    twists: list[Twist]
    columns: list[list[Twist]]  # body, speed -> twist at O_i for a unit of the speed
    drifts: list[Twist]

    @staticmethod
    def of(tree: Tree) -> Absolute:
        """Compose link by link from earth: OO_j = OO_i + O_iO_ij + tau + O_jiO_j, w_j = w_i + Omega."""
        index = {x: i for i, x in enumerate(tree.layout.speeds)}
        poses, columns, drifts = [Pose()], [[Twist() for _ in tree.speeds]], [Twist()]
        for one in tree.layout.tree:
            near, far = (one.link.second, one.link.first) if one.reversed else (one.link.first, one.link.second)
            pose = poses[one.parent] @ Pose.of(near.displacement)
            arm = sub3(pose.position, poses[one.parent].position)
            fields, drift = [_shifted(f, arm) for f in columns[one.parent]], _shifted(drifts[one.parent], arm)
            steps = tree.motions[one.link.name]
            for step in [s.reversed() for s in reversed(steps)] if one.reversed else steps:
                new = pose @ step.pose
                arm = sub3(new.position, pose.position)
                fields, drift = [_shifted(f, arm) for f in fields], _shifted(drift, arm)
                for name, twist in step.columns:
                    fields[index[name]] = fields[index[name]] + twist.turned(new.rotation)
                drift = drift + step.drift.turned(new.rotation)
                pose = new
            end = pose @ Pose.of(far.displacement.inverse())
            arm = sub3(end.position, pose.position)
            poses.append(end)
            columns.append([_shifted(f, arm) for f in fields])
            drifts.append(_shifted(drift, arm))
        twists = [_total(fields, tree.speeds, drift) for fields, drift in zip(columns, drifts, strict=True)]
        return Absolute(tree, poses, twists, columns, drifts)

    def jacobian(self) -> tuple[Matrix, Matrix]:
        """Psi (6n by speeds) and the drift column."""
        n = len(self.tree.speeds)
        rows = [[twist.scalars[i] for twist in fields] for fields in self.columns[1:] for i in range(6)]
        return Matrix(rows, (len(rows), n)), Matrix.column([x for drift in self.drifts[1:] for x in drift.scalars])


def _shifted(twist: Twist, arm: Vector3) -> Twist:
    """The same rigid motion at a point further along `arm`."""
    return twist.at(Pose(position=arm))


def _total(fields: list[Twist], speeds: tuple[Expr, ...], drift: Twist) -> Twist:
    total = drift
    for twist, speed in zip(fields, speeds, strict=True):
        total = total + twist.scaled(speed)
    return total


@dataclass(frozen=True, slots=True)
class FreeBody:
    """One body alone, in maximal speeds at its reference origin."""

    mass: Matrix
    bias: list[Expr]


def free_body(body: Body, pose: Pose, spin: Vector3) -> FreeBody:
    """The block of step 1 for one body."""
    r, mu = pose.rotation, body.mass
    c = apply3(r, body.centre)
    principal = product3(r, body.iframe.matrix)
    about_centre = product3(product3(principal, body.inertia.matrix), transpose3(principal))
    about_origin = huygens(about_centre, mu, c)
    lever = [[mu * x for x in row] for row in tilde(c)]
    top = [[*about_origin[i], *lever[i]] for i in range(3)]
    bottom = [[-x for x in lever[i]] + [mu if i == j else ZERO for j in range(3)] for i in range(3)]
    twist = neg3(cross(spin, apply3(about_origin, spin)))
    push = scale3(-mu, cross(spin, cross(spin, c)))
    return FreeBody(Matrix([*top, *bottom]), [*twist, *push])


def huygens(about_centre: Matrix3, mass: Expr, c: Vector3) -> Matrix3:
    """I_O = I_G - mu c~ c~."""
    square = product3(tilde(c), tilde(c))
    return sum3(about_centre, scale_matrix3(-mass, square))


def block_diagonal(blocks: list[Matrix]) -> Matrix:
    size = sum(block.shape[0] for block in blocks)
    rows = [[ZERO] * size for _ in range(size)]
    place = 0
    for block in blocks:
        for i, row in enumerate(block.rows()):
            rows[place + i][place : place + len(row)] = row
        place += block.shape[0]
    return Matrix(rows, (size, size))


def time_derivative(tree: Tree, matrix: Matrix) -> Matrix:
    """Derivative of each entry with the speeds held."""
    moved = ex.tangent(matrix.entries, {ex.TIME: ex.ONE, **tree.rates})
    n = matrix.shape[1]
    return Matrix([moved[i * n : (i + 1) * n] for i in range(matrix.shape[0])], matrix.shape)


def maximal_forces(tree: Tree, chain: Absolute) -> list[Expr]:
    """FF: gravity at each centre and applied efforts, reduced at the origins O_i, in the base of earth."""
    layout = tree.layout
    total = [Wrench() for _ in layout.bodies]
    for i, body in enumerate(layout.bodies[1:], 1):
        weight = scale3(body.mass, layout.model.gravity)
        total[i] = Wrench.at_point(chain.poses[i].vector(body.centre), weight)
    for effort in layout.model.efforts:
        for i, wrench in _wrenches_in_earth(tree, chain, effort):
            total[i] = total[i] + wrench
    return in_speeds(tree, [x for wrench in total[1:] for x in wrench.scalars])


def _wrenches_in_earth(tree: Tree, chain: Absolute, effort: Effort) -> Iterator[tuple[int, Wrench]]:
    """What an effort does to bodies, at their origins in the base of earth, in which forces are often given."""
    for one in effort_actions(tree, effort):
        pose = chain.poses[one.body]
        force, torque = pose.vector(one.force), pose.vector(one.torque)
        if isinstance(effort, Force | Torque):
            value = chain.poses[tree.layout.number(effort.base)].vector(effort.value)
            force, torque = (value, ZERO3) if isinstance(effort, Force) else (ZERO3, value)
        yield one.body, Wrench.at_point(pose.vector(one.point), force, torque)


def joint_powers(tree: Tree, chain: Absolute) -> list[Expr]:
    """Generalised efforts of the joints: wrenches on both bodies at one point, and efforts on coordinates."""
    total = [ZERO] * len(tree.speeds)
    for one in tree.layout.tree:
        link = one.link
        first, second = tree.layout.number(link.first.body), tree.layout.number(link.second.body)
        frame = chain.poses[first] @ Pose.of(link.first.displacement)
        for step, motion in zip(link.placed_steps(), tree.motions[link.name], strict=True):
            after = frame @ motion.pose
            if step.is_loaded:
                wrench = Wrench(step.torque, step.force).turned(frame.rotation)
                for k in range(len(total)):
                    total[k] += wrench.power(_relative(chain, first, second, after.position, k))
            frame = after
        for coordinate, effort in link.placed_efforts().items():
            rate = tree.rates[ex.symbol(coordinate)]
            for k, speed in enumerate(tree.speeds):
                total[k] += effort * ex.derivative(rate, speed)
    return in_speeds(tree, total)


def _relative(chain: Absolute, first: int, second: int, point: Vector3, k: int) -> Twist:
    """Twist at a point of one body relative to another, for a unit of speed k."""
    near = _shifted(chain.columns[first][k], sub3(point, chain.poses[first].position))
    return _shifted(chain.columns[second][k], sub3(point, chain.poses[second].position)) - near


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    """Every body free with the actions of its links, then their projection on the motions that the links leave."""
    for one in words.links:
        name_link(words, one)
    lines = isolated_bodies(words)
    left, right = powers(words, "_r")
    projected = equation(f"projected on Psi, r = 1..{len(words.tree.speeds)}: perfect links have no power", left, right)
    terms = [side for line in (*lines, projected) if line.sides is not None for side in line.sides]
    return Statements([*lines, projected], [PARTIAL], terms)


def matrix_level(words: Vocabulary) -> Statements:
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
            mass = plus(mass, psi.T * big * psi)
            rest = al.array([[words.vector(f"Phi{i}")], [words.vector(f"Xi{i}")]])
            inertia = plus(inertia, psi.T * (side - big * rest))
        if load is not None:
            effort = plus(effort, psi.T * load)
    for own in (motors(words), effort_term(words)):
        effort = effort if own is None else plus(effort, own)
    return balance(
        words, [("M", mass, "Psi^T MM Psi"), ("S", inertia, "Psi^T (SS - MM Psi' u)"), ("F", effort, "Psi^T FF")]
    )


def _free_blocks(words: Vocabulary, i: int) -> tuple[Term, Term, Term, Term | None] | None:
    n = len(words.tree.speeds)
    u, w = named(words, f"U{i}"), named(words, f"W{i}")
    if u is None and w is None:
        return None
    none = al.zero(al.matrix("none", 3, n).sort)
    psi = words.columns.define(
        al.matrix(f"Psi{i}", 6, n), al.array([[none if w is None else w], [none if u is None else u]])
    )
    arm, omega = words.vector(f"rho{i}"), words.vector(f"omega{i}")
    mu = words.mass(i) if i in words.massive() else al.number(0)
    own = words.inertia(i) if i in words.rotating() else al.zero(al.identity(3).sort)
    about = own - mu * (al.tilde(arm) * al.tilde(arm))
    lever = mu * al.tilde(arm)
    big = words.columns.define(
        al.matrix(f"MM{i}", 6, 6, symmetric=True), al.array([[about, lever], [-lever, mu * al.identity(3)]])
    )
    push = -(mu * (al.tilde(omega) * al.tilde(omega) * arm))
    twist = -(al.tilde(omega) * about * omega)
    side = words.columns.define(al.vector(f"SS{i}", 6), al.array([[twist], [push]]))
    force, moment = words.vector(f"F{i}"), words.vector(f"C{i}")
    load = None
    if force != NOTHING or moment != NOTHING:
        turned = moment + al.cross(arm, force)
        load = words.columns.define(al.vector(f"FF{i}", 6), al.array([[turned], [force]]))
    return psi, big, side, load


FORMALISM = Formalism(
    name="mixed",
    title="mixed formalism: free bodies projected on the configuration manifold",
    derive=derive,
    vector=vector_level,
    matrix=matrix_level,
    quantities=lambda eq: [*absolute_quantities(eq.tree)],
    chosen_speeds=False,
)
