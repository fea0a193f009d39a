"""The fast path: composite bodies for M, recursive Newton-Euler for the rest.

Every quantity is in the base of its own node, and accelerations are those of the origins (no linear velocity is ever
needed), so that each elementary displacement costs a few operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.dynamics.regroup import regrouped
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
)
from dalembert.kinematics import (
    EARTH_NODE,
    Node,
    RigidInertia,
    Tree,
    Twist,
    Wrench,
    external_wrenches,
    joint_efforts,
    node_inertias,
    relative_twist,
)


@dataclass(frozen=True, slots=True)
class Recursion:
    """What all recursions read: the tree, its inertias, relative motions, spins and known wrenches."""

    tree: Tree
    inertias: list[RigidInertia]
    grouped: list[RigidInertia]  # the same dynamics with fewer constants
    relative: list[Twist]
    carried_spins: list[Vector3]  # angular velocity of the parent, in the node's base
    spins: list[Vector3]
    wrenches: list[Wrench]
    efforts: list[Expr]

    @staticmethod
    def of(tree: Tree) -> Recursion:
        relative = [relative_twist(tree, node) for node in tree.nodes]
        carried, spins = list[Vector3](), list[Vector3]()
        for node, own in zip(tree.nodes, relative, strict=True):
            spin = ZERO3 if node.parent == EARTH_NODE else turned_back(node, spins[node.parent])
            carried.append(spin)
            spins.append(spin + own.angular)
        inertias = node_inertias(tree)
        grouped = regrouped(tree, inertias)
        wrenches, efforts = external_wrenches(tree), joint_efforts(tree)
        return Recursion(tree, inertias, grouped, relative, carried, spins, wrenches, efforts)


def turned_back(node: Node, vector: Vector3) -> Vector3:
    """A vector of the parent's base in the node's base."""
    for pose in node.chain:
        vector = apply_transposed3(pose.rotation, vector)
    return vector


def moved_to_parent(node: Node, wrench: Wrench) -> Wrench:
    for pose in reversed(node.chain):
        wrench = wrench.seen_from(pose)
    return wrench


def inertia_to_parent(node: Node, inertia: RigidInertia) -> RigidInertia:
    for pose in reversed(node.chain):
        inertia = inertia.moved(pose)
    return inertia


def spread(rate: Vector3, spin: Vector3) -> Matrix3:
    """The matrix U = w'~ + w~ w~ of the accelerations in a body: a(P) = a(O) + U OP."""
    x, y, z = spin
    p, q, r = rate
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        Vector3((-(yy + zz), xy - r, xz + q)),
        Vector3((xy + r, -(xx + zz), yz - p)),
        Vector3((xz - q, yz + p, -(xx + yy))),
    )


def own_acceleration(node: Node, own: Twist, spin: Vector3) -> Twist:
    """What a node's relative motion adds to the acceleration it is carried with, with that spin, its speeds held.

    Angular: w_p x w_r + rate; linear: 2 w_p x v_r + w_r x v_r + rate.
    """
    angular = spin.cross(own.angular) + node.rate.angular
    if is_zero3(own.linear):
        return Twist(angular, node.rate.linear)
    coriolis = (spin + spin + own.angular).cross(own.linear)
    return Twist(angular, coriolis + node.rate.linear)


def carried_acceleration(node: Node, rate: Vector3, acceleration: Vector3, matrix: Matrix3) -> Twist:
    """The parent's acceleration field at the node, in the node's base."""
    moved = acceleration + apply3(matrix, node.pose.position)
    return Twist(turned_back(node, rate), turned_back(node, moved))


def inverse_dynamics(
    model: Recursion,
    udot: Sequence[Expr] | None = None,
    gravity: Vector3 | None = None,
    external: bool = False,
) -> list[Expr]:
    """Efforts on the speeds that produce the accelerations `udot` (none: zero).

    Gravity is the mechanism's unless said; with `external`, applied forces help and are subtracted.
    """
    tree = model.tree
    down = tree.layout.model.gravity if gravity is None else gravity
    found: list[tuple[Twist, Matrix3]] = []
    needed: list[Wrench] = []
    for k, node in enumerate(tree.nodes):
        if node.parent == EARTH_NODE:
            total = Twist(ZERO3, turned_back(node, -down))
        else:
            above, matrix = found[node.parent]
            total = carried_acceleration(node, above.angular, above.linear, matrix)
        total = total + own_acceleration(node, model.relative[k], model.carried_spins[k])
        if udot is not None:
            for index, column in node.columns:
                total = total + column.scaled(udot[index])
        matrix = spread(total.angular, model.spins[k])
        found.append((total, matrix))
        needed.append(_rate_of_momentum(model.grouped[k], model.spins[k], total, matrix))
    if external:
        needed = [_difference(w, e) for w, e in zip(needed, model.wrenches, strict=True)]
    return backward(tree, needed)


def right_side(model: Recursion) -> list[Expr]:
    """S + F in one pass: gravity enters as an acceleration of earth instead of a force on every body."""
    needed = inverse_dynamics(model, external=True)
    return [effort - x for effort, x in zip(model.efforts, needed, strict=True)]


def _rate_of_momentum(inertia: RigidInertia, spin: Vector3, acceleration: Twist, matrix: Matrix3) -> Wrench:
    """Force m a + U h; moment about the origin I w' + w x I w + h x a."""
    force = inertia.mass * acceleration.linear + apply3(matrix, inertia.moment)
    moment = apply3(inertia.inertia, acceleration.angular) + spin.cross(apply3(inertia.inertia, spin))
    return Wrench(moment + inertia.moment.cross(acceleration.linear), force)


def _difference(a: Wrench, b: Wrench) -> Wrench:
    return Wrench(a.moment - b.moment, a.force - b.force)


def backward(tree: Tree, wrenches: list[Wrench]) -> list[Expr]:
    """Generalised components of wrenches that accumulate from the leaves to earth."""
    total = [ZERO] * len(tree.speeds)
    work = list(wrenches)
    for k in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[k]
        for index, column in node.columns:
            total[index] = total[index] + work[k].power(column)
        if node.parent != EARTH_NODE:
            work[node.parent] = work[node.parent] + moved_to_parent(node, work[k])
    return total


def generalised_forces(model: Recursion) -> list[Expr]:
    """F: gravity, applied forces and torques, known joint efforts."""
    tree, downs, wrenches = model.tree, list[Vector3](), list[Wrench]()
    for k, node in enumerate(tree.nodes):
        above = tree.layout.model.gravity if node.parent == EARTH_NODE else downs[node.parent]
        downs.append(turned_back(node, above))
        inertia = model.grouped[k]
        weight = Wrench(inertia.moment.cross(downs[k]), inertia.mass * downs[k])
        wrenches.append(weight + model.wrenches[k])
    return [a + b for a, b in zip(backward(tree, wrenches), model.efforts, strict=True)]


def mass_matrix(model: Recursion) -> Matrix:
    """Composite rigid bodies (Featherstone): each column is the momentum of what a joint carries."""
    tree = model.tree
    refuse_long_formulas(tree.layout, "the mass matrix")
    n = len(tree.speeds)
    entries = [[ZERO] * n for _ in range(n)]
    composite = list(model.grouped)
    for k in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[k]
        for index, column in node.columns:
            momentum = Wrench(*composite[k].momentum(column))
            for other, twist in node.columns:
                if other <= index:
                    _accumulate(entries, index, other, momentum.power(twist), pair=other != index)
            below = node
            while below.parent != EARTH_NODE:
                momentum = moved_to_parent(below, momentum)
                below = tree.nodes[below.parent]
                for other, twist in below.columns:
                    _accumulate(entries, index, other, momentum.power(twist), pair=True)
        if node.parent != EARTH_NODE:
            composite[node.parent] = composite[node.parent] + inertia_to_parent(node, composite[k])
    return Matrix(entries, (n, n))


def _accumulate(entries: list[list[Expr]], i: int, j: int, value: Expr, pair: bool) -> None:
    """Add to (i, j) and, for two different columns, to (j, i): twice on the diagonal when they share a speed."""
    entries[i][j] = entries[i][j] + value
    if pair:
        entries[j][i] = entries[j][i] + value
