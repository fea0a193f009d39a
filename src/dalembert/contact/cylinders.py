"""Cylinders against capsules, ellipsoids and each other: their sides, their faces, and the rims between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dalembert import expr as ex
from dalembert.contact import ellipsoids
from dalembert.contact.facing import BEYOND
from dalembert.contact.pairs import Meeting, column, ellipsoid_plane, lowest_of_rim, rim_point
from dalembert.contact.rims import Drum, Rim, Rod, on_rod, rims_crossing, sides
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3, dot3, norm3
from dalembert.kinematics import Pose

_NONE = 1e-20
"""Square of the distance of two centres, in parts of a radius, that is none."""
_ROUNDS = 12
"""Newton steps from the nearest point in a linear guess to that of a rim to an ellipsoid."""


def under_capsule(rod: Rod, drum: Drum, number: int) -> Meeting:
    """A capsule between its ends (the first) on a cylinder: side on side, and two cuts with each rim."""
    if number == 0:
        return sides(rod, drum.side)
    rim, cut = divmod(number - 1, 2)
    return on_rod(drum.rim(drum.tops[rim]), rod, bool(cut)).turned


def on_ellipsoid(drum: Drum, egg: Pose, radii: Vector3, number: int) -> Meeting:
    """A cylinder (the first) on an ellipsoid: its side, both faces, its rims."""
    if number == 0:
        side = drum.side
        return ellipsoids.under_capsule(side.middle, side.way, side.half, side.radius, egg, radii)
    if number < 3:
        out = (ONE if number == 2 else -ONE) * column(drum.pose, 2)
        point = ellipsoid_plane(egg, radii, out)
        gap = dot3(out, point - drum.pose.position) - drum.half
        x, y, z = drum.pose.vector_back(point - drum.pose.position)
        past = ex.maximum(_away(x, y, drum.radius) - drum.radius, (-z if number == 2 else z) - drum.depth)
        return Meeting(gap, out, point, point - gap * out, past=past).turned
    return _rim_on_ellipsoid(drum.rim(drum.tops[number - 3]), egg, radii)


def _rim_on_ellipsoid(rim: Rim, egg: Pose, radii: Vector3) -> Meeting:
    """Newton's method on the circle, in the axes in which the ellipsoid is a unit ball."""
    centre = ellipsoids.in_unit(egg, radii, rim.centre - egg.position)
    u, v = (rim.radius * ellipsoids.in_unit(egg, radii, column(rim.pose, k)) for k in (0, 1))
    size = dot3(u, u) + dot3(v, v)
    x, y = -dot3(centre, u), -dot3(centre, v)
    square = x * x + y * y
    none = ex.less(square, _NONE * size * size)
    scale = ONE / ex.sqrt(ex.where(none, ONE, square))
    x, y = ex.where(none, ONE, scale * x), ex.where(none, ZERO, scale * y)
    for _ in range(_ROUNDS):
        radial, turn = x * u + y * v, x * v - y * u
        near = centre + radial
        slope, bend = dot3(near, turn), dot3(turn, turn) - dot3(near, radial)
        step = -slope / ex.maximum(ex.absolute(bend), 0.01 * size)
        step = ex.minimum(ex.maximum(step, -ONE), ONE)
        scale = ONE / ex.sqrt(ONE + step * step)
        x, y = scale * (x - step * y), scale * (y + step * x)
    near = centre + x * u + y * v
    turned = -egg.vector(Vector3([s / r for s, r in zip(near, radii, strict=True)]))
    return ellipsoids.meeting(egg, radii, near, (ONE / norm3(turned)) * turned).turned


def on_cylinder(one: Drum, two: Drum, number: int) -> Meeting:
    """Two cylinders: sides that cross; rims on faces; rims on sides; rims on rims."""
    return _parts(one, two)[number]()


def _parts(one: Drum, two: Drum) -> list[Callable[[], Meeting]]:
    found: list[Callable[[], Meeting]] = [partial(sides, one.side, two.side)]
    for first, second, turned in ((one, two, False), (two, one, True)):
        for k in range(5 * len(first.tops)):
            found.append(partial(_seen, partial(_on_face, first, second, k), turned))
        for top in first.tops:
            for cut in (False, True):
                found.append(partial(_seen, partial(on_rod, first.rim(top), second.side, cut), turned))
    for top in one.tops:
        for other in two.tops:
            found += [partial(rims_crossing, one.rim(top), two.rim(other), k) for k in (0, 1)]
    return found


def _seen(made: Callable[[], Meeting], turned: bool) -> Meeting:
    return made().turned if turned else made()


def _on_face(one: Drum, two: Drum, number: int) -> Meeting:
    """A rim of the first on the face of the second that looks at it: its lowest point, or fixed ones."""
    axis, rims = column(two.pose, 2), len(one.tops)
    below = ex.less(dot3(axis, one.pose.position - two.pose.position), ZERO)
    normal = ex.where(below, -1, 1) * axis
    if number < rims:
        point, lift = lowest_of_rim(one.pose, normal, one.radius, one.half, one.tops[number])
    else:
        point, lift = rim_point(one.pose, normal, one.radius, one.half, number - rims)
    x, y, _ = two.pose.vector_back(point - two.pose.position)
    height = dot3(normal, point - two.pose.position)
    outside = _away(x, y, two.radius) - (1 + BEYOND) * two.radius
    gap, past = height - two.half, ex.maximum(outside, -height - two.depth)
    return Meeting(gap + lift, normal, point, point - gap * normal, past=past)


def _away(x: Expr, y: Expr, radius: Expr) -> Expr:
    """The distance from an axis, with a slope on it, too."""
    square = x * x + y * y
    none = ex.less(square, _NONE * radius * radius)
    return ex.where(none, ZERO, ex.sqrt(ex.where(none, ONE, square)))
