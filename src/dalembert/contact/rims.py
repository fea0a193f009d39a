"""Rims: circular edges, where the side of a cylinder meets its faces; against lines, edges and other rims.

A rim is met in two ways. What has a radius (the side of a capsule or of a cylinder) is as far as the nearest point of
its line, found by Newton's method on the circle, written out. What is sharp (an edge, another rim) is met where it
pierces the plane of the rim, or the cylinder above it: there both have a tangent, and their common perpendicular is the
normal. Such a gap is zero exactly where the two touch, and has the right slope there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from dalembert import expr as ex
from dalembert.contact.pairs import Meeting, choose, clamped, column
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3
from dalembert.kinematics import Pose

QUARTER = ex.as_expr(0.25)
_ROUNDS = 8
"""Newton steps on the circle, from where the line passes over it: quadratic from the second on."""
_LEAST = 0.05
"""Least curvature of half the square of the distance, over the squared radius, that a step believes."""
_SMALL = 1e-20
"""Square of a length, in parts of the radius, that is none."""
_STRAIGHT = 1e-12
"""Square of the sine under which two tangents are parallel: there they have no common perpendicular."""
CROSSED = 1e-10
"""Square of the sine under which the sides of two cylinders lie along each other and touch with their rims: between
these they are then less than 1e-10 of their lengths nearer."""
_LEVEL = 0.01
"""Square of the sine between two planes under which they are level: Newton's method begins with circles that are."""
_PIERCED = 1e-9
"""What a circle may miss of a cylinder after Newton's method, in parts of its radius."""
_DEEP = 0.05
"""How deep, in radii, a sharp edge or rim may be inside another: where something else separates two shapes, theirs
cross far from each other."""
CONE = 1e-9
"""How far a normal may be outside the normals of an edge, as a sine: faces that lie on each other are at the border."""


@dataclass(frozen=True, slots=True)
class Rod:
    """A segment with a radius: the side of a capsule or of a cylinder; `way` is a unit vector."""

    middle: Vector3
    way: Vector3
    half: Expr
    radius: Expr


@dataclass(frozen=True, slots=True)
class Drum:
    """A cylinder in its place."""

    pose: Pose
    radius: Expr
    half: Expr

    @property
    def side(self) -> Rod:
        return Rod(self.pose.position, column(self.pose, 2), self.half, self.radius)

    @property
    def tops(self) -> tuple[int, ...]:
        """Its rims: 0 below, 1 above; a disc has one."""
        return (0,) if self.half is ZERO else (0, 1)

    @property
    def depth(self) -> Expr:
        """How far below the middle a point is that has come around it, not through it."""
        return QUARTER * self.radius if self.half is ZERO else HALF * self.half

    def rim(self, top: int) -> Rim:
        up = ONE if top else -ONE
        axis = column(self.pose, 2)
        return Rim(
            self.pose.position + (up * self.half) * axis,
            self.pose,
            self.radius,
            None if self.half is ZERO else up * axis,
        )


@dataclass(frozen=True, slots=True)
class Rim:
    """A circle about the z axis of a pose, with the direction out of the face that it bounds; a disc has two."""

    centre: Vector3
    pose: Pose
    radius: Expr
    out: Vector3 | None

    def local(self, point: Vector3) -> Vector3:
        return self.pose.vector_back(point - self.centre)

    def at(self, x: Expr, y: Expr) -> Vector3:
        """The point of the circle in the direction (x, y) of its axes."""
        return self.centre + self.pose.vector(Vector3((self.radius * x, self.radius * y, ZERO)))


def sides(one: Rod, two: Rod) -> Meeting:
    """Two round sides that cross; none where they are parallel, or nearest past an end of one of them."""
    between, mixed = one.middle - two.middle, dot3(one.way, two.way)
    first, second = dot3(one.way, between), dot3(two.way, between)
    sine = ONE - mixed * mixed
    parallel = ex.less(sine, CROSSED)
    solid = ex.where(parallel, ONE, sine)
    along, across = (mixed * second - first) / solid, (second - mixed * first) / solid
    up = (ONE / ex.sqrt(solid)) * cross(one.way, two.way)
    height = dot3(up, between)
    normal = ex.where(ex.less(height, ZERO), -1, 1) * up
    gap = ex.absolute(height) - one.radius - two.radius
    past = beyond(ex.maximum(ex.absolute(along) - one.half, ex.absolute(across) - two.half), gap)
    return Meeting(
        gap,
        normal,
        one.middle + along * one.way - one.radius * normal,
        two.middle + across * two.way + two.radius * normal,
        past=ex.where(parallel, one.radius + two.radius, past),
    )


def beyond(past: Expr, gap: Expr) -> Expr:
    """How far past the end of a side a point is; of what is inside, too, where the end is nearer than the side."""
    return past - ex.minimum(gap, ZERO)


def on_rod(rim: Rim, rod: Rod, second_cut: bool) -> Meeting:
    """A rim (first) on a round side: a line that passes over the rim has two cuts with it, any other one nearest."""
    r, o, e = rim.radius, rim.local(rod.middle), rim.pose.vector_back(rod.way)
    x, y, cuts = _start(r, o, e, second_cut)
    for _ in range(_ROUNDS):
        d = Vector3((r * x - o[0], r * y - o[1], -o[2]))
        along, turn, out = dot3(d, e), e[1] * x - e[0] * y, e[0] * x + e[1] * y
        slope = d[1] * x - d[0] * y - along * turn
        bend = r - (d[0] * x + d[1] * y) - r * turn * turn + along * out
        step = clamped(-slope / ex.maximum(ex.absolute(bend), _LEAST * r), ONE)
        size = ONE / ex.sqrt(ONE + step * step)
        x, y = size * (x - step * y), size * (y + step * x)
    point = rim.at(x, y)
    along = dot3(rod.way, point - rod.middle)
    near = rod.middle + along * rod.way
    between = point - near
    distance = ex.sqrt(ex.maximum(dot3(between, between), _SMALL * r * r))
    normal = (ONE / distance) * between
    past = beyond(ex.absolute(along) - rod.half, distance - rod.radius)
    if second_cut:
        past = ex.where(cuts, past, r)
    return Meeting(distance - rod.radius, normal, point, near + rod.radius * normal, past=past)


def _start(r: Expr, o: Vector3, e: Vector3, second_cut: bool) -> tuple[Expr, Expr, Expr]:
    """Where a line passes the circle, as a direction; and whether it has two cuts with it, seen along the axis."""
    steep = ex.less(HALF, e[2] * e[2])
    rise = ex.where(steep, e[2], ONE)
    flat = ex.where(steep, ONE, e[0] * e[0] + e[1] * e[1])
    share = (o[0] * e[0] + o[1] * e[1]) / flat
    fx, fy = o[0] - share * e[0], o[1] - share * e[1]
    left = r * r - fx * fx - fy * fy
    over = ex.less(_SMALL * r * r, left)
    cut = ex.where(over, ex.sqrt(ex.where(over, left, r * r) / flat), ZERO) * (-ONE if second_cut else ONE)
    sx = ex.where(steep, o[0] - o[2] / rise * e[0], fx + cut * e[0])
    sy = ex.where(steep, o[1] - o[2] / rise * e[1], fy + cut * e[1])
    square = sx * sx + sy * sy
    none = ex.less(square, _SMALL * r * r)
    size = ONE / ex.sqrt(ex.where(none, ONE, square))
    return ex.where(none, ONE, size * sx), ex.where(none, ZERO, size * sy), (ONE - steep) * over


def on_edge(drum: Drum, a: Vector3, b: Vector3, inwards: tuple[Vector3, ...], number: int) -> Meeting:
    """An edge from a to b (of the first) on the rims of a cylinder (the second), all in the base of earth.

    A steep edge pierces the plane of each rim, `number` tells which; a flat one the cylinder above a rim, twice. The
    directions `inwards` lie in its two faces: it is pushed along none of them from inside.
    """
    r, half, pose = drum.radius, drum.half, drum.pose
    o, way = pose.vector_back(a - pose.position), pose.vector_back(b - a)
    square = dot3(way, way)
    steep = ex.less(HALF * square, way[2] * way[2])
    flat = ex.where(steep, ONE, way[0] * way[0] + way[1] * way[1])
    nearest = -(o[0] * way[0] + o[1] * way[1]) / flat
    fx, fy = o[0] + nearest * way[0], o[1] + nearest * way[1]
    left = r * r - fx * fx - fy * fy
    over = ex.less(_SMALL * r * r, left)
    cut = ex.sqrt(ex.where(over, left, r * r) / flat) * (ONE if number else -ONE)
    pierced = ((half if number else -half) - o[2]) / ex.where(steep, way[2], ONE)
    share = ex.where(steep, pierced, nearest + cut)
    x, y, z = o[0] + share * way[0], o[1] + share * way[1], o[2] + share * way[2]
    away = x * x + y * y
    none = ex.less(away, _SMALL * r * r)
    size = ex.sqrt(ex.where(none, ONE, away))
    out = Vector3((x / size, y / size, ZERO))
    sense = ex.where(steep, 1 if number else -1, ex.where(ex.less(z, ZERO), -1, 1))
    both = cross(Vector3((-out[1], out[0], ZERO)), way)
    sine = dot3(both, both)
    met = ex.less(_STRAIGHT * square, sine) * ex.where(steep, ONE, over) * (ONE - none)
    plain = (ONE / ex.sqrt(ex.where(met, sine, ONE))) * both
    into = pose.vector_back(reduce(lambda one, two: one + two, inwards))
    plain = ex.where(ex.less(dot3(plain, into), ZERO), -1, 1) * plain
    gap = ex.where(steep, (size - r) * dot3(plain, out), (sense * z - half) * sense * plain[2])
    normal, scale, length = pose.vector(plain), r + half, ex.sqrt(square)
    cones = [-dot3(plain, out), -sense * plain[2], *(-dot3(normal, one) for one in inwards)]
    ends = [-share * length, (share - ONE) * length, -gap - _DEEP * r]
    past = reduce(ex.maximum, [*(scale * (one - CONE) for one in cones), *ends])
    place = choose(steep, Vector3((r * out[0], r * out[1], z)), Vector3((x, y, sense * half)))
    past, feature = ex.where(met, past, scale), ex.where(steep, ZERO, sense)
    return Meeting(gap, normal, a + share * (b - a), pose.point(place), past=past, feature=feature)


def rims_crossing(one: Rim, two: Rim, number: int) -> Meeting:
    """Two rims. In planes that are level with each other the first pierces the cylinder above the second, twice, and
    is so much higher there; in steep planes it pierces the plane of the second, and is so far outside.
    """
    c, r, s = two.local(one.centre), one.radius, two.radius
    u, v = (two.pose.vector_back(column(one.pose, k)) for k in (0, 1))
    rise = u[2] * u[2] + v[2] * v[2]
    level = ex.less(rise, _LEVEL)
    sign = ONE if number else -ONE
    steep_way, reached = _in_plane(c, u, v, r, rise, level, sign)
    level_way, crossed = _above(c, u, v, r, s, level, sign)
    x, y = (ex.where(level, one_, other) for one_, other in zip(level_way, steep_way, strict=True))
    point = c + (r * x) * u + (r * y) * v
    square = point[0] * point[0] + point[1] * point[1]
    none = ex.less(square, _SMALL * s * s)
    size = ex.sqrt(ex.where(none, ONE, square))
    out = Vector3((point[0] / size, point[1] / size, ZERO))
    both = cross(Vector3((-out[1], out[0], ZERO)), x * v - y * u)
    sine = dot3(both, both)
    met = ex.less(_STRAIGHT, sine) * ex.where(level, crossed, reached) * (ONE - none)
    plain = (ONE / ex.sqrt(ex.where(met, sine, ONE))) * both
    up = c if two.out is None else two.pose.vector_back(two.out)
    plain = ex.where(ex.less(ex.where(level, dot3(plain, up), dot3(plain, out)), ZERO), -1, 1) * plain
    gap = ex.where(level, point[2] * plain[2], (size - s) * dot3(plain, out))
    turned = two.pose.vector(plain)
    cones = [-dot3(plain, out), dot3(plain, x * u + y * v), _against(turned, one.pose.position - two.pose.position)]
    cones += [] if two.out is None else [-dot3(turned, two.out)]
    cones += [] if one.out is None else [dot3(turned, one.out)]
    past = reduce(ex.maximum, [*((r + s) * (cone - CONE) for cone in cones), -gap - _DEEP * s])
    on = two.pose.vector(choose(level, Vector3((point[0], point[1], ZERO)), s * out))
    return Meeting(gap, turned, two.centre + two.pose.vector(point), two.centre + on, past=ex.where(met, past, r + s))


def _against(normal: Vector3, between: Vector3) -> Expr:
    """Positive where a normal does not lead from the middle of the second to that of the first, as all that separate
    do."""
    return -dot3(normal, between) / ex.sqrt(ex.maximum(dot3(between, between), 1e-300))


def _in_plane(
    c: Vector3, u: Vector3, v: Vector3, r: Expr, rise: Expr, level: Expr, sign: Expr
) -> tuple[tuple[Expr, Expr], Expr]:
    """The direction in which a circle c + r (x u + y v) pierces z = 0, and whether it does."""
    solid, height = ex.where(level, ONE, rise), -c[2] / r
    left = solid - height * height
    over = ex.less(_SMALL, left)
    root = sign * ex.sqrt(ex.where(over, left, ONE))
    return ((height * u[2] - root * v[2]) / solid, (height * v[2] + root * u[2]) / solid), over


def _above(
    c: Vector3, u: Vector3, v: Vector3, r: Expr, s: Expr, level: Expr, sign: Expr
) -> tuple[tuple[Expr, Expr], Expr]:
    """The direction in which a circle pierces a cylinder of radius s about z, by Newton's method from a level one."""
    square = c[0] * c[0] + c[1] * c[1]
    apart = ex.less(_SMALL * s * s, square)
    distance = ex.sqrt(ex.where(apart, square, ONE))
    along = (square + s * s - r * r) / (2 * distance)
    left = s * s - along * along
    over = ex.less(_SMALL * s * s, left) * apart
    width = sign * ex.sqrt(ex.where(over, left, ONE))
    fx, fy = c[0] / distance, c[1] / distance
    px, py = along * fx - width * fy - c[0], along * fy + width * fx - c[1]
    x, y = px * u[0] + py * u[1], px * v[0] + py * v[1]
    size = ONE / ex.sqrt(ex.where(level * over, x * x + y * y, ONE))
    x, y = size * x, size * y
    for _ in range(_ROUNDS):
        px, py = c[0] + r * (x * u[0] + y * v[0]), c[1] + r * (x * u[1] + y * v[1])
        tx, ty = x * v[0] - y * u[0], x * v[1] - y * u[1]
        slope = 2 * r * (px * tx + py * ty)
        flat = ex.less(ex.absolute(slope), 1e-9 * r * s)
        step = clamped(-(px * px + py * py - s * s) / ex.where(flat, r * s, slope), HALF)
        size = ONE / ex.sqrt(ONE + step * step)
        x, y = size * (x - step * y), size * (y + step * x)
    px, py = c[0] + r * (x * u[0] + y * v[0]), c[1] + r * (x * u[1] + y * v[1])
    return (x, y), over * ex.less(ex.absolute(px * px + py * py - s * s), _PIERCED * s * s)
