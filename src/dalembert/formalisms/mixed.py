"""The mixed formalism of Papegay (3.3): free bodies, link constraints, projection on the configuration manifold.

Step 1  every body alone, in maximal speeds qq_i = (velocity of O_i, angular velocity), both in the base of earth:

            [ mu 1    -mu c~ ] [ v' ]   [ -mu w~ w~ c ]   [ F      ]
            [ mu c~    I_O   ] [ w' ] = [ -w~ I_O w   ] + [ C(O_i) ]          MM qq' = SS + FF

Step 2  links: DD qq = 0, reactions DD^T Lambda
Step 3  qq = Psi(p) u, DD Psi = 0:   M = Psi^T MM Psi,  S = Psi^T (SS - MM (Psi' u + gamma')),  F = Psi^T FF

gamma is the velocity left at rest when a displacement depends on time. Nothing here is shared with the recursive path.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Term
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    add3,
    apply3,
    cross,
    dot3,
    neg3,
    product3,
    scale3,
    sub3,
    tilde,
    transpose3,
)
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.isolated_bodies import isolated_bodies, name_link
from dalembert.kinematics import Pose, Tree, in_speeds
from dalembert.mechanism import Body, Force, Frame, Link
from dalembert.presentation.jacobians import balance, jacobians, motors, named, plus
from dalembert.presentation.lines import equation
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import PARTIAL, motor_power, powers, virtual_field
from dalembert.presentation.vocabulary import NOTHING, Vocabulary


def derive(tree: Tree) -> Equations:
    """Equations of a tree by projection of the free bodies."""
    layout = tree.layout
    chain = Absolute.of(tree)
    psi, drift = chain.jacobian()
    free = [free_body(layout.bodies[i], chain.poses[i], chain.spins[i]) for i in range(1, len(layout.bodies))]
    mass = block_diagonal([one.mass for one in free])
    acceleration = time_derivative(tree, psi) @ Matrix.column(tree.speeds) + time_derivative(tree, drift)
    bias = Matrix.column([x for one in free for x in one.bias]) - mass @ acceleration
    projected = psi.T @ mass @ psi
    forces = psi.T @ Matrix.column(maximal_forces(tree, chain))
    joints = joint_powers(tree, chain)
    total = [f + j for f, j in zip(forces.entries, joints, strict=True)]
    return Equations("mixed", tree, symmetrised(projected), (psi.T @ bias).entries, tuple(total))


def symmetrised(matrix: Matrix) -> Matrix:
    """The upper half twice: equal numbers become equal expressions."""
    n = matrix.shape[0]
    return Matrix([[matrix[min(i, j), max(i, j)] for j in range(n)] for i in range(n)], matrix.shape)


@dataclass(frozen=True, slots=True)
class Absolute:
    """Poses of all reference frames in earth, and the angular velocity and velocity of each as Psi u + drift."""

    tree: Tree
    poses: list[Pose]
    spins: list[Vector3]
    columns: list[list[tuple[Vector3, Vector3]]]  # body, speed -> (velocity of O_i, angular velocity) per unit speed
    drifts: list[tuple[Vector3, Vector3]]

    @staticmethod
    def of(tree: Tree) -> Absolute:
        """Compose link by link from earth: OO_j = OO_i + O_iO_ij + tau + O_jiO_j, w_j = w_i + Omega."""
        n = len(tree.speeds)
        index = {x: i for i, x in enumerate(tree.layout.speeds)}
        poses = [Pose()]
        still: list[tuple[Vector3, Vector3]] = [(ZERO3, ZERO3)] * n
        columns = [still]
        drifts: list[tuple[Vector3, Vector3]] = [(ZERO3, ZERO3)]
        for one in tree.layout.tree:
            near, far = (one.link.second, one.link.first) if one.reversed else (one.link.first, one.link.second)
            pose = poses[one.parent] @ Pose.of(near.displacement)
            fields = [_shifted(f, sub3(pose.position, poses[one.parent].position)) for f in columns[one.parent]]
            drift = _shifted(drifts[one.parent], sub3(pose.position, poses[one.parent].position))
            steps = tree.motions[one.link.name]
            for step in [s.reversed() for s in reversed(steps)] if one.reversed else steps:
                new = pose @ Pose(step.rotation, step.translation)
                arm = sub3(new.position, pose.position)
                fields, drift = [_shifted(f, arm) for f in fields], _shifted(drift, arm)
                for name, twist in step.columns:
                    i = index[name]
                    own = (apply3(new.rotation, twist.linear), apply3(new.rotation, twist.angular))
                    fields[i] = (add3(fields[i][0], own[0]), add3(fields[i][1], own[1]))
                own = (apply3(new.rotation, step.drift.linear), apply3(new.rotation, step.drift.angular))
                drift = (add3(drift[0], own[0]), add3(drift[1], own[1]))
                pose = new
            end = pose @ Pose.of(far.displacement.inverse())
            arm = sub3(end.position, pose.position)
            poses.append(end)
            columns.append([_shifted(f, arm) for f in fields])
            drifts.append(_shifted(drift, arm))
        spins = [_total([f[1] for f in fields], tree.speeds, d[1]) for fields, d in zip(columns, drifts, strict=True)]
        return Absolute(tree, poses, spins, columns, drifts)

    def jacobian(self) -> tuple[Matrix, Matrix]:
        """Psi (6n by speeds) and the drift column."""
        bodies = range(1, len(self.poses))
        rows = [
            [self.columns[b][k][part][i] for k in range(len(self.tree.speeds))]
            for b in bodies
            for part in (0, 1)
            for i in range(3)
        ]
        drift = [self.drifts[b][part][i] for b in bodies for part in (0, 1) for i in range(3)]
        return Matrix(rows, (6 * len(bodies), len(self.tree.speeds))), Matrix.column(drift)


def _shifted(field: tuple[Vector3, Vector3], arm: Vector3) -> tuple[Vector3, Vector3]:
    """The same rigid motion at a point further along `arm`: v + w x arm."""
    return add3(field[0], cross(field[1], arm)), field[1]


def _total(vectors: list[Vector3], speeds: tuple[Expr, ...], drift: Vector3) -> Vector3:
    total = drift
    for vector, speed in zip(vectors, speeds, strict=True):
        total = add3(total, scale3(speed, vector))
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
    top = [[mu if i == j else ZERO for j in range(3)] + [-lever[i][j] for j in range(3)] for i in range(3)]
    bottom = [lever[i] + list(about_origin[i]) for i in range(3)]
    push = scale3(-mu, cross(spin, cross(spin, c)))
    twist = neg3(cross(spin, apply3(about_origin, spin)))
    return FreeBody(Matrix([*top, *bottom]), [*push, *twist])


def huygens(about_centre: Matrix3, mass: Expr, c: Vector3) -> Matrix3:
    """I_O = I_G - mu c~ c~."""
    square = product3(tilde(c), tilde(c))
    rows = [[a - mass * b for a, b in zip(x, y, strict=True)] for x, y in zip(about_centre, square, strict=True)]
    return (
        (rows[0][0], rows[0][1], rows[0][2]),
        (rows[1][0], rows[1][1], rows[1][2]),
        (rows[2][0], rows[2][1], rows[2][2]),
    )


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
    force = [ZERO3 for _ in layout.bodies]
    moment = [ZERO3 for _ in layout.bodies]
    for i, body in enumerate(layout.bodies[1:], 1):
        weight = scale3(body.mass, layout.model.gravity)
        force[i] = weight
        moment[i] = cross(apply3(chain.poses[i].rotation, body.centre), weight)
    for effort in layout.model.efforts:
        value = apply3(chain.poses[layout.number(effort.base)].rotation, effort.value)
        if isinstance(effort, Force):
            i = layout.number(effort.at.body)
            arm = apply3(chain.poses[i].rotation, effort.at.displacement.translation)
            force[i], moment[i] = add3(force[i], value), add3(moment[i], cross(arm, value))
        else:
            i = layout.number(effort.on)
            moment[i] = add3(moment[i], value)
    flat = [x for i in range(1, len(layout.bodies)) for x in (*force[i], *moment[i])]
    return in_speeds(tree, flat)


def joint_powers(tree: Tree, chain: Absolute) -> list[Expr]:
    """Generalised efforts of the joints: wrenches on both bodies at one point, and efforts on coordinates."""
    total = [ZERO] * len(tree.speeds)
    for one in tree.layout.tree:
        link = one.link
        first, second = tree.layout.number(link.first.body), tree.layout.number(link.second.body)
        frame = _frame_pose(chain, link, first)
        for step, motion in zip(link.placed_steps(), tree.motions[link.name], strict=True):
            after = frame @ Pose(motion.rotation, motion.translation)
            if step.is_loaded:
                push, turn = apply3(frame.rotation, step.force), apply3(frame.rotation, step.torque)
                for k in range(len(total)):
                    velocity, spin = _relative(chain, first, second, after.position, k)
                    total[k] += dot3(push, velocity) + dot3(turn, spin)
            frame = after
        for coordinate, effort in link.placed_efforts().items():
            rate = tree.rates[ex.symbol(coordinate)]
            for k, speed in enumerate(tree.speeds):
                total[k] += effort * ex.derivative(rate, speed)
    return in_speeds(tree, total)


def _frame_pose(chain: Absolute, link: Link, first: int) -> Pose:
    frame: Frame = link.first
    return chain.poses[first] @ Pose.of(frame.displacement)


def _relative(chain: Absolute, first: int, second: int, point: Vector3, k: int) -> tuple[Vector3, Vector3]:
    """Velocity at a point and angular velocity of one body relative to another, for a unit speed k."""
    near = _shifted(chain.columns[first][k], sub3(point, chain.poses[first].position))
    far = _shifted(chain.columns[second][k], sub3(point, chain.poses[second].position))
    return sub3(far[0], near[0]), sub3(far[1], near[1])


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    """Every body free with the actions of its links, then their projection on the motions that the links leave."""
    for one in words.links:
        name_link(words, one)
    lines = isolated_bodies(words)
    velocity, spin = virtual_field(words, "_r")
    left, right = powers(words, velocity, spin)
    right = right + motor_power(words, "Q_r")
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
            rest = al.array([[words.vector(f"Xi{i}")], [words.vector(f"Lambda{i}")]])
            inertia = plus(inertia, psi.T * (side - big * rest))
        if load is not None:
            effort = plus(effort, psi.T * load)
    own = motors(words)
    if own is not None:
        effort = plus(effort, own)
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


FORMALISM = Formalism(
    name="mixed",
    title="mixed formalism: free bodies projected on the configuration manifold",
    derive=derive,
    vector=vector_level,
    matrix=matrix_level,
    chosen_speeds=False,
)
