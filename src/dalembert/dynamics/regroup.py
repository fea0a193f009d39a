"""Inertial regrouping along the tree: what a joint cannot feel is carried by its parent (base parameters).

A node that turns about its axis a feels neither its mass, nor the first moment along a, nor an inertia
alpha (1 - a a^T): this part J satisfies J S = 0 and is the same in every configuration, so the kinetic energy does not
change when the parent carries it. A node that only slides feels no inertia of rotation. The equations are the same;
their constants are fewer.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import AXES, IDENTITY3, ZERO3, Matrix3, Vector3, is_zero3, symmetric3, vector3, vector_rows
from dalembert.kinematics import EARTH_NODE, Node, Pose, RigidInertia, Tree


def regrouped(tree: Tree, inertias: list[RigidInertia]) -> list[RigidInertia]:
    """Inertias with which the equations are the same and shorter."""
    found = list(inertias)
    moving = {*tree.coordinates, *tree.speeds, ex.TIME}
    for k in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[k]
        place = _place(node)
        if not node.drift.is_zero or len(node.columns) == 0 or ex.free_symbols(place.position) & moving:
            continue
        if all(is_zero3(column.angular) for _, column in node.columns):
            given = replace(RigidInertia(), inertia=found[k].inertia)
            place = Pose(place.rotation)
            found[k] = replace(found[k], inertia=(ZERO3, ZERO3, ZERO3))
        else:
            axis = _axis(node)
            if axis is None:
                continue
            found[k], given = _split(found[k], axis)
        if node.parent != EARTH_NODE:
            found[node.parent] = found[node.parent] + given.moved(place)
    return found


def _place(node: Node) -> Pose:
    """Where the node is before its own turn: base of the parent side, origin of the node."""
    if len(node.chain) == 1:
        return Pose(IDENTITY3, node.pose.position)
    return Pose(node.chain[0].rotation, node.pose.position)


def _axis(node: Node) -> int | None:
    """The number of the base axis about which the node turns, and does nothing else."""
    if len(node.columns) != 1:
        return None
    column = node.columns[0][1]
    along = [i for i in range(3) if column.angular[i] is not ZERO]
    if len(along) != 1 or not is_zero3(column.linear) or ex.free_symbols(column.angular):
        return None
    return along[0]


def _split(inertia: RigidInertia, axis: int) -> tuple[RigidInertia, RigidInertia]:
    """What is kept (no mass, no moment along the axis, one entry less) and what the parent carries."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    alpha = inertia.inertia[j][j]
    a: Vector3 = AXES["xyz"[axis]]
    along = vector3([inertia.moment[axis] * x for x in a])
    given = RigidInertia(inertia.mass, along, _diagonal([ZERO if k == axis else alpha for k in range(3)]))
    rows = [list(row) for row in inertia.inertia]
    rows[i][i], rows[j][j] = rows[i][i] - alpha, ZERO
    moment = [ZERO if k == axis else inertia.moment[k] for k in range(3)]
    return RigidInertia(ZERO, vector3(moment), vector_rows(rows)), given


def _diagonal(entries: list[Expr]) -> Matrix3:
    return symmetric3(entries[0], entries[1], entries[2], ZERO, ZERO, ZERO)
