"""Points, balls and segments against convex solids with flat faces; what two solids do is `facing`."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.contact.pairs import Meeting, balls, choose
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.kinematics import Pose
from dalembert.mechanism.hulls import Solid

PARALLEL = 1e-12
"""Square of the sine under which two edges are parallel: their common perpendicular is none, faces separate them."""


def corner_on(point: Vector3, solid: Solid, pose: Pose) -> Meeting:
    """A point against the faces: the largest of its heights."""
    local = pose.vector_back(point - pose.position)
    heights = [dot3(face.normal, local - solid.corners[face.corners[0]]) for face in solid.faces]
    gap, normal, (first, second) = heights[0], solid.faces[0].normal, solid.faces[0].tangents
    feature: Expr = ZERO
    for place, (face, height) in enumerate(zip(solid.faces[1:], heights[1:], strict=True), 1):
        higher = ex.less(gap, height)
        feature = ex.where(higher, place, feature)
        normal = choose(higher, face.normal, normal)
        first, second = choose(higher, face.tangents[0], first), choose(higher, face.tangents[1], second)
        gap = ex.maximum(gap, height)
    outwards = pose.vector(normal)
    tangents = (pose.vector(first), pose.vector(second))
    return Meeting(gap, outwards, point, point - gap * outwards, tangents, feature=feature)


def ball_on(centre: Vector3, radius: Expr, solid: Solid, pose: Pose) -> Meeting:
    """A ball against a solid: the nearest point of its faces and edges."""
    local = pose.vector_back(centre - pose.position)
    near = nearest_of(solid, solid.corners, [face.normal for face in solid.faces], local)
    return balls(centre, radius, pose.position + pose.vector(near), ZERO)


def nearest_of(solid: Solid, corners: Sequence[Vector3], normals: Sequence[Vector3], local: Vector3) -> Vector3:
    """The point of the faces and edges of a solid, its corners and normals given, that is nearest to one outside."""
    near, square = None, None
    for a, b in solid.all_edges:
        start, way = corners[a], corners[b] - corners[a]
        share = ex.minimum(ex.maximum(dot3(way, local - start) / dot3(way, way), ZERO), ONE)
        near, square = _nearer(near, square, start + share * way, local, ONE)
    for face, normal in zip(solid.faces, normals, strict=True):
        height = dot3(normal, local - corners[face.corners[0]])
        inside: Expr = ex.less(ZERO, height)
        for a, b in zip(face.corners, (*face.corners[1:], face.corners[0]), strict=True):
            inwards = cross(normal, corners[b] - corners[a])
            inside = inside * ex.less(ZERO, dot3(inwards, local - corners[a]))
        near, square = _nearer(near, square, local - height * normal, local, inside)
    assert near is not None
    return near


def _nearer(
    near: Vector3 | None, square: Expr | None, point: Vector3, local: Vector3, valid: Expr
) -> tuple[Vector3, Expr]:
    away = local - point
    own = dot3(away, away)
    if near is None or square is None:
        return point, own
    better = valid * ex.less(own, square)
    return choose(better, point, near), ex.where(better, own, square)


def support(group: tuple[tuple[int, int], ...], points: list[Vector3], axis: Vector3, *, lowest: bool) -> Vector3:
    """A corner of the edge, among parallel ones, that lies lowest (highest) along an axis."""
    corner = points[group[0][0]]
    height = dot3(axis, corner)
    for a, _ in group[1:]:
        own = dot3(axis, points[a])
        better = ex.less(own, height) if lowest else ex.less(height, own)
        corner, height = choose(better, points[a], corner), ex.where(better, own, height)
    return corner


def nearest_on_lines(a: Vector3, way: Vector3, b: Vector3, other: Vector3) -> tuple[Vector3, Vector3]:
    """Nearest points of two lines that are not parallel."""
    between = a - b
    aa, bb, ab = dot3(way, way), dot3(other, other), dot3(way, other)
    first, second = dot3(way, between), dot3(other, between)
    whole = aa * bb - ab * ab
    solid = ex.where(ex.less(whole, PARALLEL * aa * bb), ONE, whole)
    return a + ((ab * second - bb * first) / solid) * way, b + ((aa * second - ab * first) / solid) * other


def edge_of(solid: Solid, number: int, pose: Pose) -> tuple[Vector3, Vector3, Expr]:
    """Middle, unit direction and half length of an edge."""
    a, b = solid.all_edges[number]
    way = solid.corners[b] - solid.corners[a]
    length = norm3(way)
    half = ex.as_expr(0.5)
    return pose.point(half * (solid.corners[a] + solid.corners[b])), pose.vector((ONE / length) * way), half * length
