"""Mass properties of what moves with a node: mass, first moment, inertia about the node's origin."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expr import ZERO, Expr
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    add3,
    apply3,
    cross,
    dot3,
    product3,
    scale3,
    scale_matrix3,
    sum3,
    tilde,
    turned_symmetric,
)
from dalembert.kinematics.step import Twist
from dalembert.kinematics.tree import EARTH_NODE, Pose, Tree
from dalembert.mechanism import Body

_NO_INERTIA: Matrix3 = (ZERO3, ZERO3, ZERO3)


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass m, first moment h = m c, and inertia about the origin I_O = I_G - m c~ c~ (Huygens)."""

    mass: Expr = ZERO
    moment: Vector3 = ZERO3
    inertia: Matrix3 = _NO_INERTIA

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass + other.mass, add3(self.moment, other.moment), sum3(self.inertia, other.inertia))

    def momentum(self, twist: Twist) -> tuple[Vector3, Vector3]:
        """Angular momentum about the origin and linear momentum."""
        angular = add3(apply3(self.inertia, twist.angular), cross(self.moment, twist.linear))
        linear = add3(scale3(self.mass, twist.linear), cross(twist.angular, self.moment))
        return angular, linear

    def moved(self, pose: Pose) -> RigidInertia:
        """The same matter described in the frame where this one has the given pose."""
        turned = turned_symmetric(pose.rotation, self.inertia)
        h = apply3(pose.rotation, self.moment)
        p = pose.position
        shift = _parallel(p, h, self.mass)
        return RigidInertia(self.mass, add3(h, scale3(self.mass, p)), sum3(turned, shift))


def _parallel(p: Vector3, h: Vector3, mass: Expr) -> Matrix3:
    """-p~h~ - h~p~ - m p~p~ = (2 p.h + m p.p) 1 - p h^T - h p^T - m p p^T."""
    k = add3(h, add3(h, scale3(mass, p)))  # 2h + m p
    diagonal = dot3(p, k)
    rows = []
    for i in range(3):
        row = []
        for j in range(3):
            # p_i (h_j + m p_j) + h_i p_j is symmetric in i, j
            a, b = (i, j) if i <= j else (j, i)
            product = p[a] * (h[b] + mass * p[b]) + h[a] * p[b]
            row.append(diagonal - product if i == j else -product)
        rows.append((row[0], row[1], row[2]))
    return (rows[0], rows[1], rows[2])


def body_inertia(body: Body) -> RigidInertia:
    """A body about the origin of its reference frame, in its base."""
    rotation, c = body.iframe.matrix, body.centre
    central = turned_symmetric(rotation, body.inertia.matrix)
    squared = product3(tilde(c), tilde(c))
    return RigidInertia(body.mass, scale3(body.mass, c), sum3(central, scale_matrix3(-body.mass, squared)))


def node_inertias(tree: Tree) -> list[RigidInertia]:
    """What each node carries; bodies welded together are one."""
    found = [RigidInertia() for _ in tree.nodes]
    for number, (node, pose) in enumerate(tree.place):
        if node != EARTH_NODE:
            found[node] = found[node] + body_inertia(tree.layout.bodies[number]).moved(pose)
    return found
