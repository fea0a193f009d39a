"""Articulated bodies (Featherstone): the accelerations of a tree in a number of operations linear in its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.constraints.factor import solve_symmetric
from dalembert.dynamics.recursive import (
    Recursion,
    carried_acceleration,
    moved_to_parent,
    own_acceleration,
    spread,
    turned_back,
)
from dalembert.errors import SingularError
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
    product3,
    sum3,
    symmetric3,
    tilde,
    transpose3,
    turned_symmetric,
)
from dalembert.kinematics import EARTH_NODE, Node, Pose, RigidInertia, Twist, Wrench


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """What a moving branch opposes to an acceleration: moment = A w' + B a, force = B^T w' + C a."""

    angular: Matrix3
    mixed: Matrix3
    linear: Matrix3

    @staticmethod
    def of(inertia: RigidInertia) -> ArticulatedInertia:
        m = inertia.mass
        return ArticulatedInertia(inertia.inertia, tilde(inertia.moment), symmetric3(m, m, m, ZERO, ZERO, ZERO))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            sum3(self.angular, other.angular), sum3(self.mixed, other.mixed), sum3(self.linear, other.linear)
        )

    def wrench(self, acceleration: Twist) -> Wrench:
        moment = apply3(self.angular, acceleration.angular) + apply3(self.mixed, acceleration.linear)
        force = apply_transposed3(self.mixed, acceleration.angular) + apply3(self.linear, acceleration.linear)
        return Wrench(moment, force)

    def without(self, first: Wrench, second: Wrench) -> ArticulatedInertia:
        """Less the rank-one part first second^T, symmetric by construction (second is first over a pivot)."""
        angular = _less_outer(self.angular, first.moment, second.moment, symmetric=True)
        mixed = _less_outer(self.mixed, first.moment, second.force, symmetric=False)
        return ArticulatedInertia(angular, mixed, _less_outer(self.linear, first.force, second.force, symmetric=True))

    def moved(self, pose: Pose) -> ArticulatedInertia:
        """The same branch felt at the frame where this one has the given pose."""
        r, p = pose.rotation, pose.position
        angular, linear = turned_symmetric(r, self.angular), turned_symmetric(r, self.linear)
        mixed = product3(product3(r, self.mixed), transpose3(r))
        if is_zero3(p):
            return ArticulatedInertia(angular, mixed, linear)
        arm = tilde(p)
        shifted = sum3(mixed, product3(arm, linear))
        # A - B' p~ + p~ B^T, of which only the upper half is made.
        change = sum3(_negated(product3(shifted, arm)), product3(arm, transpose3(mixed)))
        total = sum3(angular, change)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = total
        return ArticulatedInertia(symmetric3(xx, yy, zz, xy, xz, yz), shifted, linear)


def _negated(m: Matrix3) -> Matrix3:
    return (-m[0], -m[1], -m[2])


def _less_outer(m: Matrix3, a: Vector3, b: Vector3, symmetric: bool) -> Matrix3:
    rows = [[m[i][j] - a[i] * b[j] if j >= i or not symmetric else ZERO for j in range(3)] for i in range(3)]
    if symmetric:
        return symmetric3(rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2])
    return (Vector3(rows[0]), Vector3(rows[1]), Vector3(rows[2]))


@dataclass(frozen=True, slots=True)
class Joint:
    """What the inward pass leaves for the outward one, node by node."""

    names: list[str]
    columns: list[Twist]
    felt: list[Wrench]  # articulated inertia times column
    pivots: Matrix
    drive: list[Expr]  # effort left for each column

    @staticmethod
    def of(node: Node, names: list[str], efforts: Sequence[Expr], inertia: ArticulatedInertia, bias: Wrench) -> Joint:
        """Of a node with what it carries; names and efforts of its own speeds."""
        columns = [twist for _, twist in node.columns]
        felt = [inertia.wrench(twist) for twist in columns]
        pivots = Matrix([[w.power(t) for w in felt] for t in columns], (len(columns), len(columns)))
        drive = [effort - bias.power(twist) for effort, twist in zip(efforts, columns, strict=True)]
        return Joint(names, columns, felt, pivots, drive)

    def felt_above(
        self, node: Node, inertia: ArticulatedInertia, bias: Wrench, own: Twist
    ) -> tuple[ArticulatedInertia, Wrench]:
        """The branch as its parent feels it, where the parent is: the joint gives way along its columns."""
        left, push = inertia, bias
        if self.columns:
            for i, row in enumerate(_inverse(self.pivots, self.names)):
                left = left.without(self.felt[i], _combination(row, self.felt))
            push = push + _combination(solve_symmetric(self.pivots, self.drive, self.names), self.felt)
        push = push + left.wrench(own)
        for pose in reversed(node.chain):
            left = left.moved(pose)
        return left, moved_to_parent(node, push)

    def answer(self, carried: Twist) -> tuple[list[Expr], Twist]:
        """u' of its speeds, and the acceleration of the node, from that at zero u'."""
        needed = [d - _effort(w, carried) for d, w in zip(self.drive, self.felt, strict=True)]
        found, total = solve_symmetric(self.pivots, needed, self.names), carried
        for value, column in zip(found, self.columns, strict=True):
            total = total + column.scaled(value)
        return found, total


def accelerations(model: Recursion, efforts: list[Expr] | None = None) -> list[Expr]:
    """u' of every speed; `efforts` replaces the known joint efforts."""
    tree = model.tree
    if tree.shares_speeds():
        raise SingularError("a speed moves several displacements: use the mass matrix instead of articulated bodies.")
    efforts = model.efforts if efforts is None else efforts
    nodes = tree.nodes
    inertias = [ArticulatedInertia.of(i) for i in model.inertias]
    spins = [None if node.parent == EARTH_NODE else model.spins[node.parent] for node in nodes]
    known = zip(nodes, model.relative, model.carried_spins, spins, strict=True)
    own = [held_acceleration(*one) for one in known]
    bias = [bias_wrench(*one) for one in zip(model.inertias, model.spins, model.wrenches, strict=True)]
    joints: list[Joint] = []
    for k in range(len(nodes) - 1, -1, -1):
        node, indices = nodes[k], [index for index, _ in nodes[k].columns]
        names = [tree.speeds[i].name for i in indices]
        joints.append(Joint.of(node, names, [efforts[i] for i in indices], inertias[k], bias[k]))
        if node.parent != EARTH_NODE:
            branch, resist = joints[-1].felt_above(node, inertias[k], bias[k], own[k])
            inertias[node.parent] = inertias[node.parent] + branch
            bias[node.parent] = bias[node.parent] + resist
    result = [ZERO] * len(tree.speeds)
    found: list[Twist] = []
    up = Twist(ZERO3, -tree.layout.model.gravity)
    for node, one, held in zip(nodes, reversed(joints), own, strict=True):
        values, total = one.answer(
            taken_along(node, None if node.parent == EARTH_NODE else found[node.parent], up) + held
        )
        for (index, _), value in zip(node.columns, values, strict=True):
            result[index] = value
        found.append(total)
    return result


def held_acceleration(node: Node, relative: Twist, carried: Vector3, above: Vector3 | None) -> Twist:
    """Acceleration at zero u' relative to the linear transport of the parent's (w', a); `above` is its spin."""
    own = own_acceleration(node, relative, carried)
    if above is None:
        return own
    centripetal = apply3(spread(ZERO3, above), node.pose.position)
    return Twist(own.angular, own.linear + turned_back(node, centripetal))


def bias_wrench(inertia: RigidInertia, spin: Vector3, applied: Wrench) -> Wrench:
    """Wrench of a node's matter at zero acceleration, less the applied efforts: w x I w, w x (w x h)."""
    moment = spin.cross(apply3(inertia.inertia, spin))
    force = apply3(spread(ZERO3, spin), inertia.moment)
    return Wrench(moment - applied.moment, force - applied.force)


def taken_along(node: Node, above: Twist | None, up: Twist) -> Twist:
    """The linear transport of the parent's acceleration; earth accelerates `up` instead of things falling."""
    if above is None:
        return Twist(ZERO3, turned_back(node, up.linear))
    return carried_acceleration(node, above.angular, above.linear, tilde(above.angular))


def _inverse(matrix: Matrix, names: list[str]) -> list[list[Expr]]:
    n = matrix.shape[0]
    identity = Matrix.identity(n).rows()
    columns = [solve_symmetric(matrix, row, names) for row in identity]
    return [[columns[j][i] for j in range(n)] for i in range(n)]


def _combination(weights: list[Expr], wrenches: list[Wrench]) -> Wrench:
    total = Wrench()
    for weight, wrench in zip(weights, wrenches, strict=True):
        total = total + Wrench(weight * wrench.moment, weight * wrench.force)
    return total


def _effort(felt: Wrench, acceleration: Twist) -> Expr:
    return felt.moment.dot(acceleration.angular) + felt.force.dot(acceleration.linear)
