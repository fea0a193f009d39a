"""Ellipsoids against ellipsoids, surfaces, capsules and solids: in the axes in which the ellipsoid is a unit ball.

There, x = c + T s, the nearest point s of the other shape is at the distance |s| from the centre, and they touch where
that is 1. The points c + T s and c + T s / |s| are those that touch then, and the gap is how far the second is from the
first along the common normal: zero, with the right slope, where they touch.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.contact.pairs import LOCAL, Meeting, column, nearest_on
from dalembert.contact.solids import nearest_of
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3, dot3, norm3
from dalembert.kinematics import Pose
from dalembert.mechanism.hulls import Solid

_ROUNDS = 12
"""Newton steps to the nearest point: centres are as far from the other shape as the ellipsoid is large, not near it."""


def on_surface(own: Pose, radii: Vector3, other: Pose, formula: Expr) -> Meeting:
    """An ellipsoid on the side of a surface f = 0 where f is positive."""
    axes = [radii[k] * other.vector_back(column(own, k)) for k in range(3)]
    centre = other.vector_back(own.position - other.position)
    places = [centre[i] + sum((axis[i] * s for axis, s in zip(axes, LOCAL, strict=True)), ZERO) for i in range(3)]
    (seen,) = ex.substitute([formula], dict(zip(LOCAL, places, strict=True)))
    near, slope = nearest_on(Vector3((ZERO, ZERO, ZERO)), seen, _ROUNDS)
    # the gradient of f in its own axes is T^-T of that in s
    turned = own.vector(Vector3([x / r for x, r in zip(slope, radii, strict=True)]))
    return meeting(own, radii, near, (ONE / norm3(turned)) * turned)


def on_ellipsoid(own: Pose, radii: Vector3, other: Pose, other_radii: Vector3) -> Meeting:
    """Two ellipsoids."""
    return on_surface(own, radii, other, _round(other_radii))


def on_solid(own: Pose, radii: Vector3, solid: Solid, other: Pose) -> Meeting:
    """An ellipsoid against a convex solid with flat faces."""
    corners = [in_unit(own, radii, other.point(corner) - own.position) for corner in solid.corners]
    normals = []
    for face in solid.faces:
        way = own.vector_back(other.vector(face.normal))
        scaled = Vector3([r * x for r, x in zip(radii, way, strict=True)])
        normals.append((ONE / norm3(scaled)) * scaled)
    near = nearest_of(solid, corners, normals, Vector3((ZERO, ZERO, ZERO)))
    turned = -own.vector(Vector3([x / r for x, r in zip(near, radii, strict=True)]))
    return meeting(own, radii, near, (ONE / norm3(turned)) * turned)


def under_capsule(middle: Vector3, axis: Vector3, half: Expr, radius: Expr, pose: Pose, radii: Vector3) -> Meeting:
    """A segment with a radius that an ellipsoid touches between its ends: as their shadows along the axis do."""
    way, local = pose.vector_back(axis), pose.vector_back(middle - pose.position)
    stiff = Vector3([x / (r * r) for x, r in zip(way, radii, strict=True)])
    whole = dot3(way, stiff)
    plain = sum((s * s / (r * r) for s, r in zip(LOCAL, radii, strict=True)), ZERO)
    along = sum((s * x for s, x in zip(LOCAL, stiff, strict=True)), ZERO)
    place, slope = nearest_on(local, ex.sqrt(plain - along * along / whole) - 1, _ROUNDS)
    shift = -dot3(stiff, place) / whole
    outwards = (ONE / norm3(slope)) * slope
    gap = dot3(outwards, local - place) - radius
    touching = place + shift * way
    normal, on = pose.vector(outwards), pose.position + pose.vector(touching)
    return Meeting(gap, normal, on + gap * normal, on, past=ex.absolute(shift - dot3(way, local - place)) - half)


def meeting(own: Pose, radii: Vector3, near: Vector3, normal: Vector3) -> Meeting:
    """Of an ellipsoid with what is nearest at `near` in its unit axes; the normal points to the ellipsoid."""
    size = norm3(near)
    there = own.position + own.vector(_scaled(radii, near))
    here = own.position + own.vector(_scaled(radii, (ONE / size) * near))
    return Meeting(dot3(normal, here - there), normal, here, there)


def _scaled(radii: Vector3, s: Sequence[Expr]) -> Vector3:
    return Vector3([r * x for r, x in zip(radii, s, strict=True)])


def in_unit(own: Pose, radii: Vector3, point: Vector3) -> Vector3:
    return Vector3([x / r for x, r in zip(own.vector_back(point), radii, strict=True)])


def _round(radii: Vector3) -> Expr:
    """Zero on an ellipsoid, and about a distance everywhere: Newton's first step leads near."""
    return ex.sqrt(sum((s * s / (r * r) for s, r in zip(LOCAL, radii, strict=True)), ZERO)) - 1
