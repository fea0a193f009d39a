"""Shapes in contact: gap, contact points and tangents of each pair as expressions of the state."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.kinematics import EARTH_NODE, FrameMotions, Pose, time_derivative
from dalembert.mechanism import Frame
from dalembert.mechanism.contact import Touching
from dalembert.mechanism.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere


@dataclass(frozen=True, slots=True)
class Touch:
    """Gap of two shapes, and the components of their sliding velocity (first against second) on two tangents."""

    gap: Expr
    slip: tuple[Expr, ...]


class Places(FrameMotions):
    """Where bodies are and how they move, made once for all contacts of a machine."""

    def velocity(self, frame: Frame, point: Vector3) -> Vector3:
        """Of the material point of a frame's body that is at `point` (in the base of earth)."""
        node, _ = self.tree.frame_place(frame)
        if node == EARTH_NODE:
            return Vector3((ZERO, ZERO, ZERO))
        origin = self.pose(frame).position
        turning = self.nodes[node].vector(self.twists[node].angular)
        return Vector3(time_derivative(self.tree, list(origin))) + cross(turning, point - origin)

    def touch(self, place: Touching) -> Touch:
        """The gap of a pair, whichever is named first."""
        first, second = place.first, place.second
        if isinstance(first, Plane) or (isinstance(second, Sphere) and not isinstance(first, Sphere)):
            first, second = second, first
        gap, normal, on_first, on_second, tangents = self._pair(first, second, place.part)
        moving = self.velocity(first.frame, on_first) - self.velocity(second.frame, on_second)
        sides = tangents or _across(normal)
        return Touch(gap, tuple(dot3(side, moving) for side in sides))

    def _pair(
        self, first: Shape, second: Shape, part: int
    ) -> tuple[Expr, Vector3, Vector3, Vector3, tuple[Vector3, ...]]:
        """Gap, normal from the second to the first, contact point on each, tangents where they are plain."""
        own, other = self.pose(first.frame), self.pose(second.frame)
        if isinstance(second, Plane):
            x, y, normal = (_column(other, k) for k in range(3))
            centre, radius = self._lowest(first, own, normal, part)
            point = centre - radius * normal
            gap = dot3(normal, point - other.position)
            return gap, normal, point, point - gap * normal, (x, y)
        assert isinstance(first, Sphere)
        centre, radius = own.position, first.radius
        if isinstance(second, Box):
            local = other.vector_back(centre - other.position)
            inside = Vector3([_clamped(x, HALF * side) for x, side in zip(local, second.sides, strict=True)])
            near, other_radius = other.position + other.vector(inside), ZERO
        elif isinstance(second, Capsule):
            axis = _column(other, 2)
            along = _clamped(dot3(axis, centre - other.position), HALF * second.length)
            near, other_radius = other.position + along * axis, second.radius
        else:
            assert isinstance(second, Sphere)
            near, other_radius = other.position, second.radius
        between = centre - near
        distance = norm3(between)
        normal = (ONE / distance) * between
        gap = distance - radius - other_radius
        return gap, normal, centre - radius * normal, near + other_radius * normal, ()

    def _lowest(self, shape: Shape, pose: Pose, normal: Vector3, part: int) -> tuple[Vector3, Expr]:
        """The sphere of a shape that is meant, as centre and radius: a corner, an end, the lowest point of a rim."""
        if isinstance(shape, Box):
            signs = [1 if part >> k & 1 else -1 for k in range(3)]
            corner = Vector3([ex.as_expr(s) * HALF * side for s, side in zip(signs, shape.sides, strict=True)])
            return pose.position + pose.vector(corner), ZERO
        axis = _column(pose, 2)
        if isinstance(shape, Capsule):
            sign = ONE if part else -ONE
            return pose.position + (sign * HALF * shape.length) * axis, shape.radius
        if isinstance(shape, Cylinder):
            up = dot3(axis, normal)
            down = normal - up * axis
            rim = pose.position - (shape.radius / norm3(down)) * down
            if shape.height is not ZERO:
                rim = rim - (HALF * shape.height * ex.where(ex.less(up, 0), -1, 1)) * axis
            return rim, ZERO
        assert isinstance(shape, Sphere)
        return pose.position, shape.radius


def _column(pose: Pose, k: int) -> Vector3:
    rotation = pose.rotation
    return Vector3((rotation[0][k], rotation[1][k], rotation[2][k]))


def _clamped(x: Expr, half: Expr) -> Expr:
    return ex.minimum(ex.maximum(x, -half), half)


def _across(n: Vector3) -> tuple[Vector3, Vector3]:
    """Two tangents, smooth in the normal but where its z component is -1/2 (Frisvad's basis, turned over there)."""
    x, y, z = n
    s = ex.where(ex.less(z, -HALF), -1, 1)
    a = -ONE / (s + z)
    b = x * y * a
    return Vector3((ONE + s * x * x * a, s * b, -s * x)), Vector3((b, s + y * y * a, -y))
