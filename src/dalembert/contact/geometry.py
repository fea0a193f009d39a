"""Shapes in contact: gap, contact points and tangents of each pair as expressions of the state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dalembert import expr as ex
from dalembert.contact import cylinder_solids, cylinders, ellipsoids, pairs, solids, surfaces
from dalembert.contact.facing import Facing
from dalembert.contact.pairs import Meeting, column, half_of
from dalembert.contact.rims import Drum, Rod
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3
from dalembert.kinematics import EARTH_NODE, Pose, Tree, Twist, frame_pose, poses
from dalembert.kinematics.motion import time_derivative, twists
from dalembert.mechanism import Frame
from dalembert.mechanism.contact import Touching
from dalembert.mechanism.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Plane,
    Polytope,
    Shape,
    Sphere,
    Surface,
    ordered,
    solid_of,
)


@dataclass(frozen=True, slots=True)
class Touch:
    """Gap of two shapes, the components of their sliding velocity (first against second) on two tangents, and where.

    `roll` and `drill` are those of their relative angular velocity, on the tangents and on the normal.
    The normal points from the second shape of the pair to the first, in the base of earth, as the tangents do.
    """

    gap: Expr
    slip: tuple[Expr, ...]
    point: Vector3
    normal: Vector3
    tangents: tuple[Vector3, ...]
    turning: Vector3
    past: Expr | None = None
    feature: Expr = ZERO

    @property
    def roll(self) -> tuple[Expr, ...]:
        return tuple(dot3(side, self.turning) for side in self.tangents)

    @property
    def drill(self) -> Expr:
        return dot3(self.normal, self.turning)


class Places:
    """Where bodies are and how they move, made once for all contacts of a machine."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._facing: dict[tuple[Shape, Shape], Facing] = {}

    @cached_property
    def _poses(self) -> list[Pose]:
        return poses(self.tree)

    @cached_property
    def _twists(self) -> list[Twist]:
        return twists(self.tree)

    def pose(self, frame: Frame) -> Pose:
        return frame_pose(self.tree, frame, self._poses)

    def velocity(self, frame: Frame, point: Vector3) -> Vector3:
        """Of the material point of a frame's body that is at `point` (in the base of earth)."""
        if self.tree.frame_place(frame)[0] == EARTH_NODE:
            return Vector3((ZERO, ZERO, ZERO))
        origin = self.pose(frame).position
        return Vector3(time_derivative(self.tree, list(origin))) + cross(self.turning(frame), point - origin)

    def turning(self, frame: Frame) -> Vector3:
        """Angular velocity of a frame's body, in the base of earth."""
        node, _ = self.tree.frame_place(frame)
        if node == EARTH_NODE:
            return Vector3((ZERO, ZERO, ZERO))
        return self._poses[node].vector(self._twists[node].angular)

    def touch(self, place: Touching) -> Touch:
        """The gap of a pair, whichever is named first."""
        first, second = ordered(place.first, place.second)
        met = self._pair(first, second, place.part)
        moving = self.velocity(first.frame, met.on_first) - self.velocity(second.frame, met.on_second)
        sides = met.tangents or _across(met.normal)
        return Touch(
            met.gap,
            tuple(dot3(side, moving) for side in sides),
            met.on_second,
            met.normal,
            sides,
            self.turning(first.frame) - self.turning(second.frame),
            met.past,
            met.feature,
        )

    def _pair(self, first: Shape, second: Shape, part: int) -> Meeting:
        own, other = self.pose(first.frame), self.pose(second.frame)
        if isinstance(second, Plane):
            return self._on_plane(first, own, other, part)
        if isinstance(first, Sphere):
            return _of_ball(first, own, second, other)
        if isinstance(first, Capsule):
            return _of_capsule(first, own, second, other, part)
        if isinstance(first, Ellipsoid):
            return _of_ellipsoid(first, own, second, other)
        if isinstance(first, Cylinder):
            drum = _drum(first, own)
            if isinstance(second, Ellipsoid):
                return cylinders.on_ellipsoid(drum, other, second.radii, part)
            assert isinstance(second, Cylinder)
            return cylinders.on_cylinder(drum, _drum(second, other), part)
        if isinstance(second, Cylinder):
            return cylinder_solids.on_cylinder(solid_of(first), own, _drum(second, other), part)
        if isinstance(second, Surface):
            return surfaces.on_surface(solid_of(first), own, other, second.formula, part)
        if isinstance(second, Ellipsoid):
            return ellipsoids.on_solid(other, second.radii, solid_of(first), own).turned
        mine, its = solid_of(first), solid_of(second)
        facing = self._facing.setdefault((first, second), Facing(mine, own, its, other))
        for k, count in enumerate((len(mine.corners), len(its.corners))):
            if part < count:
                return facing.corner(k, part)
            part -= count
        return facing.edges() if part == 0 else facing.end((part - 1) // 2, leaving=bool((part - 1) % 2))

    def _on_plane(self, shape: Shape, pose: Pose, plane: Pose, part: int) -> Meeting:
        x, y, normal = (column(plane, k) for k in range(3))
        lift = ZERO
        if isinstance(shape, Cylinder):
            half, rims = half_of(shape.height), 1 if shape.height is ZERO else 2
            if part < rims:
                point, lift = pairs.lowest_of_rim(pose, normal, shape.radius, half, part)
            else:
                point, lift = pairs.rim_point(pose, normal, shape.radius, half, part - rims)
        elif isinstance(shape, Ellipsoid):
            point = pairs.ellipsoid_plane(pose, shape.radii, normal)
        elif isinstance(shape, Capsule):
            end = pose.position + ((ONE if part else -ONE) * HALF * shape.length) * column(pose, 2)
            point = end - shape.radius * normal
        elif isinstance(shape, Sphere):
            point = pose.position - shape.radius * normal
        else:
            point = pose.point(solid_of(shape).corners[part])
        gap = dot3(normal, point - plane.position)
        return Meeting(gap + lift, normal, point, point - gap * normal, (x, y))


def _drum(cylinder: Cylinder, pose: Pose) -> Drum:
    return Drum(pose, cylinder.radius, half_of(cylinder.height))


def _of_ball(ball: Sphere, own: Pose, second: Shape, other: Pose) -> Meeting:
    centre, radius = own.position, ball.radius
    if isinstance(second, Surface):
        return pairs.ball_surface(centre, radius, other, second.formula)
    if isinstance(second, Ellipsoid):
        return pairs.ball_surface(centre, radius, other, second.formula)
    if isinstance(second, Cylinder):
        return pairs.ball_cylinder(centre, radius, other, second.radius, half_of(second.height))
    if isinstance(second, Capsule):
        near = pairs.on_segment(centre, other.position, column(other, 2), half_of(second.length))
        return pairs.balls(centre, radius, near, second.radius)
    if isinstance(second, Box) and radius is not ZERO:
        local = other.vector_back(centre - other.position)
        inside = Vector3([pairs.clamped(x, half_of(side)) for x, side in zip(local, second.sides, strict=True)])
        return pairs.balls(centre, radius, other.position + other.vector(inside), ZERO)
    if isinstance(second, Box | Polytope):
        solid = solid_of(second)
        return (
            solids.corner_on(centre, solid, other) if radius is ZERO else solids.ball_on(centre, radius, solid, other)
        )
    assert isinstance(second, Sphere)
    return pairs.balls(centre, radius, other.position, second.radius)


def _of_capsule(capsule: Capsule, own: Pose, second: Shape, other: Pose, part: int) -> Meeting:
    """Ends first, then what its middle crosses."""
    axis, half = column(own, 2), half_of(capsule.length)
    if part < 2:
        end = Pose(own.rotation, own.position + ((ONE if part else -ONE) * half) * axis)
        return _of_ball(Sphere(capsule.frame, capsule.radius), end, second, other)
    mine = (own.position, axis, half, capsule.radius)
    if isinstance(second, Capsule):
        its = (other.position, column(other, 2), half_of(second.length), second.radius)
        if part == 4:
            return pairs.crossing(*mine, *its)
        end_of = its[0] + ((ONE if part == 3 else -ONE) * its[2]) * its[1]
        near = pairs.on_segment(end_of, own.position, axis, half)
        return pairs.balls(near, capsule.radius, end_of, second.radius)
    if isinstance(second, Ellipsoid):
        return ellipsoids.under_capsule(*mine, other, second.radii)
    if isinstance(second, Surface):
        return surfaces.under_capsule(Rod(*mine), other, second.formula)
    if isinstance(second, Cylinder):
        return cylinders.under_capsule(Rod(*mine), _drum(second, other), part - 2)
    return pairs.crossing(*mine, *solids.edge_of(solid_of(second), part - 2, other), ZERO)


def _of_ellipsoid(egg: Ellipsoid, own: Pose, second: Shape, other: Pose) -> Meeting:
    if isinstance(second, Ellipsoid):
        return ellipsoids.on_ellipsoid(own, egg.radii, other, second.radii)
    assert isinstance(second, Surface)
    return ellipsoids.on_surface(own, egg.radii, other, second.formula)


def _across(n: Vector3) -> tuple[Vector3, Vector3]:
    """Two tangents, smooth in the normal but where its z component is -1/2 (Frisvad's basis, turned over there)."""
    x, y, z = n
    s = ex.where(ex.less(z, -HALF), -1, 1)
    a = -ONE / (s + z)
    b = x * y * a
    return Vector3((ONE + s * x * x * a, s * b, -s * x)), Vector3((b, s + y * y * a, -y))
