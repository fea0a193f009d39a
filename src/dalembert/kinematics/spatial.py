"""Pose, twist and wrench: where a frame is, how it moves, and what acts on it. One order everywhere: angular, linear.

A twist or wrench is given at the origin and in the base of one frame. `twist.at(pose)` is the same motion of the same
solid at a frame that has `pose` there; `wrench.seen_from(pose)` the same wrench, given in a frame at `pose`, seen in
the frame that holds the pose. Power does not change: `wrench.seen_from(pose).power(t) == wrench.power(t.at(pose))`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import (
    IDENTITY3,
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
    product3,
    transpose3,
    vector_rows,
)
from dalembert.mechanism import Displacement

#: Names of the six numbers of a wrench, in order.
COMPONENTS = ("Mx", "My", "Mz", "Fx", "Fy", "Fz")


@dataclass(frozen=True, slots=True)
class Pose:
    """Position and orientation of a frame in another: columns of `rotation` are its base."""

    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3

    @staticmethod
    def of(displacement: Displacement) -> Pose:
        return Pose(displacement.matrix, displacement.translation)

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(product3(self.rotation, other.rotation), self.point(other.position))

    def inverse(self) -> Pose:
        return Pose(transpose3(self.rotation), -apply_transposed3(self.rotation, self.position))

    def point(self, p: Vector3) -> Vector3:
        """A point given in this frame, in the frame that holds the pose."""
        return self.position + apply3(self.rotation, p)

    def vector(self, v: Vector3) -> Vector3:
        """Components in this base, in the base that holds the pose."""
        return apply3(self.rotation, v)

    def vector_back(self, v: Vector3) -> Vector3:
        """Components in the base that holds the pose, in this base."""
        return apply_transposed3(self.rotation, v)


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular velocity and velocity of the origin, in one base."""

    angular: Vector3 = ZERO3
    linear: Vector3 = ZERO3

    @staticmethod
    def of(six: Sequence[Expr]) -> Twist:
        a, b, c, d, e, f = six
        return Twist(Vector3((a, b, c)), Vector3((d, e, f)))

    @staticmethod
    def of_motion(pose: Pose, direction: Mapping[Expr, Expr]) -> Twist:
        """Motion of a frame whose pose changes along a direction (rates by variable): R^T R' and R^T p'."""
        rows = pose.rotation
        moved = ex.tangent([*rows[0], *rows[1], *rows[2], *pose.position], direction)
        turned = product3(transpose3(rows), vector_rows([moved[0:3], moved[3:6], moved[6:9]]))
        spin = Vector3((turned[2][1], turned[0][2], turned[1][0]))
        return Twist(spin, pose.vector_back(Vector3(moved[9:12])))

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other: Twist) -> Twist:
        return Twist(self.angular - other.angular, self.linear - other.linear)

    def __neg__(self) -> Twist:
        return Twist(-self.angular, -self.linear)

    def scaled(self, factor: Expr) -> Twist:
        return Twist(self.angular * factor, self.linear * factor)

    def velocity(self, point: Vector3) -> Vector3:
        """v(P) = v(O) + w x OP."""
        return self.linear + self.angular.cross(point)

    def turned(self, rotation: Matrix3) -> Twist:
        """The same at the same point, in the base in which this one's base has the given rotation."""
        return Twist(apply3(rotation, self.angular), apply3(rotation, self.linear))

    def at(self, pose: Pose) -> Twist:
        """The same motion at the origin and in the base of a frame that has `pose` in this one."""
        return Twist(pose.vector_back(self.angular), pose.vector_back(self.velocity(pose.position)))

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.angular, *self.linear)

    @property
    def is_zero(self) -> bool:
        return is_zero3(self.angular) and is_zero3(self.linear)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Moment about the origin and force, in one base."""

    moment: Vector3 = ZERO3
    force: Vector3 = ZERO3

    @staticmethod
    def of(six: Sequence[Expr]) -> Wrench:
        a, b, c, d, e, f = six
        return Wrench(Vector3((a, b, c)), Vector3((d, e, f)))

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment + other.moment, self.force + other.force)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment - other.moment, self.force - other.force)

    @staticmethod
    def at_point(point: Vector3, force: Vector3, torque: Vector3 = ZERO3) -> Wrench:
        """A force at a point, and a torque, about the origin."""
        return Wrench(torque + point.cross(force), force)

    def __neg__(self) -> Wrench:
        return Wrench(-self.moment, -self.force)

    def power(self, twist: Twist) -> Expr:
        return self.moment.dot(twist.angular) + self.force.dot(twist.linear)

    def turned(self, rotation: Matrix3) -> Wrench:
        """The same at the same point, in the base in which this one's base has the given rotation."""
        return Wrench(apply3(rotation, self.moment), apply3(rotation, self.force))

    def seen_from(self, pose: Pose) -> Wrench:
        """The same wrench, given in a frame at `pose`, as seen in the frame that holds the pose."""
        force = pose.vector(self.force)
        return Wrench(pose.vector(self.moment) + pose.position.cross(force), force)

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.moment, *self.force)

    @property
    def is_zero(self) -> bool:
        return is_zero3(self.moment) and is_zero3(self.force)
