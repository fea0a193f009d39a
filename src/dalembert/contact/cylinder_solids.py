"""Cylinders against convex solids with flat faces: corners, edges that cross the side, rims on faces, edges on rims.

What a corner or a rim touches is the face (or the side) that separates the two best, as for two solids in `facing`.
"""

from __future__ import annotations

from functools import reduce

from dalembert import expr as ex
from dalembert.contact.facing import BEYOND
from dalembert.contact.pairs import Meeting, choose, column, lowest_of_rim, rim_point
from dalembert.contact.rims import CROSSED, Drum, beyond, on_edge
from dalembert.contact.solids import nearest_on_lines
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.kinematics import Pose
from dalembert.mechanism.hulls import Face, Solid

_FAR = 1e300
"""The separation along no direction, with its sign."""


def on_cylinder(solid: Solid, pose: Pose, drum: Drum, number: int) -> Meeting:
    """A solid (the first) on a cylinder."""
    for count, part in (
        (len(solid.corners), _corner),
        (5 * len(drum.tops), _rim),
        (1, _side),
        (2 * len(solid.all_edges), _edge),
    ):
        if number < count:
            return part(solid, pose, drum, number)
        number -= count
    raise IndexError(number)


def _size(solid: Solid, drum: Drum) -> Expr:
    return norm3(solid.corners[0]) + drum.radius + drum.half


def _corner(solid: Solid, pose: Pose, drum: Drum, number: int) -> Meeting:
    """A corner on a face of the cylinder, or on its side."""
    local = [drum.pose.vector_back(pose.point(corner) - drum.pose.position) for corner in solid.corners]
    x, y, z = local[number]
    top = reduce(ex.minimum, [one[2] for one in local])
    bottom = -reduce(ex.maximum, [one[2] for one in local])
    upwards = ex.where(ex.less(top, bottom), -1, 1)
    square = x * x + y * y
    away = ex.sqrt(ex.maximum(square, _axis(drum)))
    out = Vector3((x / away, y / away, ZERO))
    beside = reduce(ex.minimum, [out[0] * one[0] + out[1] * one[1] for one in local]) - drum.radius
    by_side = ex.less(ex.maximum(top, bottom) - drum.half, beside)
    over, height = away - drum.radius, upwards * z - drum.half
    gap = ex.where(by_side, over, height)
    past = ex.where(by_side, ex.absolute(z) - drum.half, ex.maximum(over, -upwards * z - drum.depth)) - BEYOND * _size(
        solid, drum
    )
    normal = drum.pose.vector(choose(by_side, out, Vector3((ZERO, ZERO, upwards))))
    point = pose.point(solid.corners[number])
    feature = ex.where(by_side, ZERO, upwards)
    return Meeting(gap, normal, point, point - gap * normal, past=past, feature=feature)


def _axis(drum: Drum) -> Expr:
    """Square of a distance from the axis that is none."""
    return 1e-20 * drum.radius * drum.radius


def _rim(solid: Solid, pose: Pose, drum: Drum, number: int) -> Meeting:
    """A rim on the face that separates best: its lowest point, or four fixed ones while it stands there."""
    centre, axis = drum.pose.position, column(drum.pose, 2)
    best, normal, feature = ex.as_expr(-_FAR), Vector3((ZERO, ZERO, ONE)), ZERO
    for place, face in enumerate(solid.faces):
        out = pose.vector(face.normal)
        up = dot3(axis, out)
        level = ex.maximum(ONE - up * up, ZERO)
        flat = ex.less(level, 1e-20)
        reach = drum.half * ex.absolute(up) + drum.radius * ex.where(flat, ZERO, ex.sqrt(ex.where(flat, ONE, level)))
        apart = dot3(out, centre - pose.point(solid.corners[face.corners[0]])) - reach
        better = ex.less(best, apart)
        best, feature = ex.maximum(best, apart), ex.where(better, place, feature)
        normal = choose(better, out, normal)
    rims = len(drum.tops)
    past = ex.as_expr(-_FAR)
    if number < rims:
        point, lift = lowest_of_rim(drum.pose, normal, drum.radius, drum.half, drum.tops[number])
    else:
        point, lift = rim_point(drum.pose, normal, drum.radius, drum.half, number - rims)
    local = pose.vector_back(point - pose.position)
    heights = [dot3(face.normal, local - solid.corners[face.corners[0]]) for face in solid.faces]
    gap, least = heights[0], BEYOND * _size(solid, drum)
    for place, height in enumerate(heights[1:], 1):
        here = ex.less(ex.absolute(feature - place), 0.5)
        past = ex.maximum(past, ex.where(here, gap, height) - least)
        gap = ex.where(here, height, gap)
    return Meeting(gap + lift, normal, point, point - gap * normal, past=past, feature=feature).turned


def _side(solid: Solid, pose: Pose, drum: Drum, _: int) -> Meeting:
    """The edge that crosses the side, along the best common perpendicular of an edge and the axis."""
    points, axis, centre = [pose.point(x) for x in solid.corners], column(drum.pose, 2), drum.pose.position
    best, normal, on_first, on_second = ex.as_expr(-_FAR), axis, centre, centre
    past = ex.as_expr(_FAR)
    for group in solid.edges:
        way = points[group[0][1]] - points[group[0][0]]
        turned = cross(way, axis)
        square, length = dot3(turned, turned), dot3(way, way)
        parallel = ex.less(square, CROSSED * length)
        plain = (ONE / ex.sqrt(ex.where(parallel, ONE, square))) * turned
        heights = [dot3(plain, point - centre) for point in points]
        above, below = reduce(ex.minimum, heights), -reduce(ex.maximum, heights)
        found = ex.where(parallel, -_FAR, ex.maximum(above, below) - drum.radius)
        out = ex.where(ex.less(above, below), -1, 1) * plain
        begin, end = _lowest(group, points, out)
        p, q = nearest_on_lines(begin, way, centre, axis)
        own = dot3(end - begin, end - begin)
        share = dot3(end - begin, p - begin) / own
        outside = ex.absolute(dot3(axis, q - centre)) - drum.half
        ends = beyond(ex.maximum(outside, ex.sqrt(own) * ex.maximum(-share, share - ONE)), found)
        better = ex.less(best, found)
        normal, on_first = choose(better, out, normal), choose(better, p, on_first)
        on_second = choose(better, q + drum.radius * out, on_second)
        past, best = ex.where(better, ends, past), ex.maximum(best, found)
    none = ex.less(best, -_FAR / 2)
    size = _size(solid, drum)
    return Meeting(ex.where(none, size, best), normal, on_first, on_second, past=ex.where(none, size, past))


def _lowest(group: tuple[tuple[int, int], ...], points: list[Vector3], out: Vector3) -> tuple[Vector3, Vector3]:
    """Of parallel edges the one that lies lowest along a direction."""
    begin, end = (points[k] for k in group[0])
    height = dot3(out, begin)
    for a, b in group[1:]:
        own = dot3(out, points[a])
        lower = ex.less(own, height)
        begin, end = choose(lower, points[a], begin), choose(lower, points[b], end)
        height = ex.minimum(height, own)
    return begin, end


def _edge(solid: Solid, pose: Pose, drum: Drum, number: int) -> Meeting:
    """An edge on the rims."""
    edge, part = divmod(number, 2)
    a, b = solid.all_edges[edge]
    inwards = tuple(pose.vector(_inwards(solid, face, a, b)) for face in solid.faces if _has(face, a, b))
    return on_edge(drum, pose.point(solid.corners[a]), pose.point(solid.corners[b]), inwards, part)


def _has(face: Face, a: int, b: int) -> bool:
    """Is the edge one of this face's?"""
    return {a, b} <= set(face.corners)


def _inwards(solid: Solid, face: Face, a: int, b: int) -> Vector3:
    """The unit direction in a face from its edge into it."""
    around = face.corners
    first, second = (a, b) if around[(around.index(a) + 1) % len(around)] == b else (b, a)
    found = cross(face.normal, solid.corners[second] - solid.corners[first])
    return (ONE / norm3(found)) * found
