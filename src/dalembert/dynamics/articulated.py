"""Articulated bodies (Featherstone): the accelerations of a tree in a number of operations linear in its size."""

from __future__ import annotations

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
from dalembert.kinematics import EARTH_NODE, Node, Pose, RigidInertia, Tree, Twist, Wrench


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


@dataclass(slots=True)
class _Pass:
    """What the inward pass leaves for the outward one, node by node."""

    names: list[str]
    columns: list[Twist]
    indices: list[int]
    felt: list[Wrench]  # articulated inertia times column
    pivots: Matrix
    drive: list[Expr]  # effort left for each column


def accelerations(model: Recursion, efforts: list[Expr] | None = None) -> list[Expr]:
    """u' of every speed; `efforts` replaces the known joint efforts."""
    tree = model.tree
    if tree.shares_speeds():
        raise SingularError("a speed moves several displacements: use the mass matrix instead of articulated bodies.")
    efforts = model.efforts if efforts is None else efforts
    inertias = [ArticulatedInertia.of(i) for i in model.inertias]
    own = [_own(model, k) for k in range(len(tree.nodes))]
    bias = [_bias(model, k) for k in range(len(tree.nodes))]
    passes: list[_Pass | None] = [None] * len(tree.nodes)
    for k in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[k]
        passes[k] = one = _open(tree, node, inertias[k], bias[k], efforts)
        if node.parent == EARTH_NODE:
            continue
        branch, resist = _close(one, inertias[k], bias[k], own[k])
        for pose in reversed(node.chain):
            branch = branch.moved(pose)
        inertias[node.parent] = inertias[node.parent] + branch
        bias[node.parent] = bias[node.parent] + moved_to_parent(node, resist)
    return _outward(model, own, passes)


def _own(model: Recursion, k: int) -> Twist:
    """Acceleration at zero u' relative to the linear transport of the parent's (w', a)."""
    node = model.tree.nodes[k]
    own = own_acceleration(model, k)
    if node.parent == EARTH_NODE:
        return own
    centripetal = apply3(spread(ZERO3, model.spins[node.parent]), node.pose.position)
    return Twist(own.angular, own.linear + turned_back(node, centripetal))


def _bias(model: Recursion, k: int) -> Wrench:
    """Wrench of a node's matter at zero acceleration, less the applied efforts: w x I w, w x (w x h)."""
    inertia, spin, applied = model.inertias[k], model.spins[k], model.wrenches[k]
    moment = spin.cross(apply3(inertia.inertia, spin))
    force = apply3(spread(ZERO3, spin), inertia.moment)
    return Wrench(moment - applied.moment, force - applied.force)


def _open(tree: Tree, node: Node, inertia: ArticulatedInertia, bias: Wrench, efforts: list[Expr]) -> _Pass:
    columns = [twist for _, twist in node.columns]
    felt = [inertia.wrench(twist) for twist in columns]
    pivots = Matrix([[w.power(t) for w in felt] for t in columns], (len(columns), len(columns)))
    drive = [efforts[index] - bias.power(twist) for index, twist in node.columns]
    names = [tree.speeds[index].name for index, _ in node.columns]
    return _Pass(names, columns, [index for index, _ in node.columns], felt, pivots, drive)


def _close(one: _Pass, inertia: ArticulatedInertia, bias: Wrench, own: Twist) -> tuple[ArticulatedInertia, Wrench]:
    """The branch as its parent feels it: the joint gives way along its columns."""
    left, push = inertia, bias
    if one.columns:
        count = len(one.columns)
        for i, row in enumerate(_inverse(one.pivots, one.names)):
            weighted = _combination(row, one.felt)
            left = left.without(one.felt[i], weighted)
        answer = solve_symmetric(one.pivots, one.drive, one.names)
        push = push + _combination([answer[i] for i in range(count)], one.felt)
    return left, push + left.wrench(own)


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


def _outward(model: Recursion, own: list[Twist], passes: list[_Pass | None]) -> list[Expr]:
    tree = model.tree
    result = [ZERO] * len(tree.speeds)
    found: list[Twist] = []
    up = -tree.layout.model.gravity
    for k, node in enumerate(tree.nodes):
        one = passes[k]
        assert one is not None
        if node.parent == EARTH_NODE:
            carried = Twist(ZERO3, turned_back(node, up))
        else:
            above = found[node.parent]
            carried = carried_acceleration(node, above.angular, above.linear, tilde(above.angular))
        total = carried + own[k]
        needed = [d - _effort(w, total) for d, w in zip(one.drive, one.felt, strict=True)]
        for index, value, column in zip(
            one.indices, solve_symmetric(one.pivots, needed, one.names), one.columns, strict=True
        ):
            result[index] = value
            total = total + column.scaled(value)
        found.append(total)
    return result


def _effort(felt: Wrench, acceleration: Twist) -> Expr:
    return felt.moment.dot(acceleration.angular) + felt.force.dot(acceleration.linear)
