"""Mass properties of what moves with a node: mass, first moment, inertia about the node's origin."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expr import ZERO, Expr
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    is_zero3,
    sum3,
    symmetric3,
    turned_symmetric,
)
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.mechanism import Body

_NO_INERTIA: Matrix3 = (ZERO3, ZERO3, ZERO3)


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass m, first moment h = m c, and inertia about the origin I_O = I_G - m c~ c~ (Huygens)."""

    mass: Expr = ZERO
    moment: Vector3 = ZERO3
    inertia: Matrix3 = _NO_INERTIA

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass + other.mass, self.moment + other.moment, sum3(self.inertia, other.inertia))

    def momentum(self, twist: Twist) -> tuple[Vector3, Vector3]:
        """Angular momentum about the origin and linear momentum."""
        angular = apply3(self.inertia, twist.angular) + self.moment.cross(twist.linear)
        linear = self.mass * twist.linear + twist.angular.cross(self.moment)
        return angular, linear

    def moved(self, pose: Pose) -> RigidInertia:
        """The same matter described in the frame where this one has the given pose."""
        turned = turned_symmetric(pose.rotation, self.inertia)
        h = apply3(pose.rotation, self.moment)
        p = pose.position
        if is_zero3(p):
            return RigidInertia(self.mass, h, turned)
        shift = _parallel(p, h, self.mass)
        return RigidInertia(self.mass, h + self.mass * p, sum3(turned, shift))


def _parallel(p: Vector3, h: Vector3, mass: Expr) -> Matrix3:
    """-p~h~ - h~p~ - m p~p~: with t_j = p_j (2 h_j + m p_j), the diagonal holds the sums of the other two t."""
    k = [a if b is ZERO else a + mass * b for a, b in zip(h, p, strict=True)]
    x, y, z = [ZERO if b is ZERO else b * (a + c) for a, b, c in zip(h, p, k, strict=True)]

    def off(i: int, j: int) -> Expr:
        first = ZERO if p[i] is ZERO else p[i] * k[j]
        return -(first + h[i] * p[j]) if p[j] is not ZERO else -first

    return symmetric3(y + z, x + z, x + y, off(0, 1), off(0, 2), off(1, 2))


def body_inertia(body: Body) -> RigidInertia:
    """A body about the origin of its reference frame, in its base."""
    rotation, c = body.iframe.matrix, body.centre
    central = turned_symmetric(rotation, body.inertia.matrix)
    return RigidInertia(body.mass, body.mass * c, sum3(central, _parallel(c, ZERO3, body.mass)))


def node_inertias(tree: Tree) -> list[RigidInertia]:
    """What each node carries; bodies welded together are one."""
    found = [RigidInertia() for _ in tree.nodes]
    for number, (node, pose) in enumerate(tree.place):
        if node != EARTH_NODE:
            found[node] = found[node] + body_inertia(tree.layout.bodies[number]).moved(pose)
    return found
