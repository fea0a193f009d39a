"""Round shapes against each other in closed form: spheres, segments with a radius, cylinders, ellipsoids, surfaces.

Each pair gives a `Meeting`: a gap that is zero exactly where the two touch, the normal there from the second to the
first, and the points that touch. Gaps of parts never fall below the distance of the shapes: no part pushes from afar.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3, dot3, norm3
from dalembert.kinematics import Pose

_PARALLEL = 1e-20
"""Square of the sine under which two directions are parallel, and of the tilt under which a rim lies flat."""
_STANDING = 1e-4
"""Tilt (its sine) below which a cylinder stands on fixed points of its rim, four of them."""
_LIFT = 0.01
"""Slope, in radii, of the lift with which the lowest point of the rim comes in while the tilt grows to this: its moment
holds a cylinder that tips against so much, twice, of the moment of the rim at most; less would be stiff."""
_ROUNDS = 8
"""Newton steps to the nearest point of a surface: from the first guess, well beyond rounding for a centre near it."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Gap, normal from the second shape to the first, the point of each that touches, tangents where they are plain.

    Where `past` is positive, the point is past the edge of the face that would hold it: it does not touch. Where
    `feature`, the number of the face, changes, it is another contact.
    """

    gap: Expr
    normal: Vector3
    on_first: Vector3
    on_second: Vector3
    tangents: tuple[Vector3, ...] = ()
    past: Expr | None = None
    feature: Expr = ZERO

    @property
    def turned(self) -> Meeting:
        """The same meeting with the shapes in the other order."""
        return Meeting(self.gap, -self.normal, self.on_second, self.on_first, self.tangents, self.past, self.feature)


def column(pose: Pose, k: int) -> Vector3:
    """An axis of a frame in the base of earth."""
    rotation = pose.rotation
    return Vector3((rotation[0][k], rotation[1][k], rotation[2][k]))


def clamped(x: Expr, half: Expr) -> Expr:
    return ex.minimum(ex.maximum(x, -half), half)


def choose(condition: Expr, a: Vector3, b: Vector3) -> Vector3:
    return Vector3([ex.where(condition, x, y) for x, y in zip(a, b, strict=True)])


def balls(one: Vector3, radius: Expr, two: Vector3, other: Expr) -> Meeting:
    """Two balls about points."""
    between = one - two
    distance = norm3(between)
    normal = (ONE / distance) * between
    return Meeting(distance - radius - other, normal, one - radius * normal, two + other * normal)


def on_segment(point: Vector3, middle: Vector3, axis: Vector3, half: Expr) -> Vector3:
    """The point of a segment that is nearest; `axis` is a unit vector."""
    return middle + clamped(dot3(axis, point - middle), half) * axis


def crossing(
    one: Vector3,
    way: Vector3,
    half: Expr,
    radius: Expr,
    two: Vector3,
    other_way: Vector3,
    other_half: Expr,
    other: Expr,
) -> Meeting:
    """Two segments with radii where they cross each other: nearest points of their lines, kept within both.

    Where these are not the nearest ones, an end is, and has a contact of its own; parallel segments have their ends.
    """
    between, mixed = one - two, dot3(way, other_way)
    first, second = dot3(way, between), dot3(other_way, between)
    sine = ONE - mixed * mixed
    parallel = ex.less(sine, _PARALLEL)
    solid = ex.where(parallel, ONE, sine)
    along = ex.where(parallel, ZERO, (mixed * second - first) / solid)
    across = ex.where(parallel, second, (second - mixed * first) / solid)
    return balls(one + clamped(along, half) * way, radius, two + clamped(across, other_half) * other_way, other)


def ball_cylinder(centre: Vector3, radius: Expr, pose: Pose, round_: Expr, half: Expr) -> Meeting:
    """A ball against a solid cylinder: its side, its ends, its rims."""
    x, y, z = pose.vector_back(centre - pose.position)
    away = x * x + y * y
    share = ex.where(
        ex.less(round_ * round_, away), round_ / ex.sqrt(ex.maximum(away, _PARALLEL * round_ * round_)), ONE
    )
    near = pose.position + pose.vector(Vector3((share * x, share * y, clamped(z, half))))
    return balls(centre, radius, near, ZERO)


def lowest_of_rim(pose: Pose, normal: Vector3, radius: Expr, half: Expr, top: int) -> tuple[Vector3, Expr]:
    """The lowest point of a rim of a tilted cylinder, and how much its gap is lifted where it stands flat.

    There the direction of the tilt turns at once, and fixed points of the rim hold the cylinder. A cylinder that lies
    on its side has both rims on the floor.
    """
    axis = column(pose, 2)
    up = dot3(axis, normal)
    down = normal - up * axis
    square = dot3(down, down)
    flat = ex.less(square, _PARALLEL)
    tilt = ex.sqrt(ex.where(flat, ONE, square))
    rim = pose.position - radius * choose(flat, column(pose, 0), (ONE / tilt) * down)
    rim = rim + (half if top else -half) * axis
    left = ex.where(flat, ONE, ex.maximum(ONE - tilt / _STANDING, ZERO))
    return rim, (_LIFT * _STANDING) * radius * left * left


def rim_point(pose: Pose, normal: Vector3, radius: Expr, half: Expr, number: int) -> tuple[Vector3, Expr]:
    """One of four fixed points of each rim, for a cylinder that stands flat; and how much its gap is lifted.

    Tilted by an angle a it is taken a^2 radii away, which changes neither gap nor rate where it stands flat: there the
    lowest point of the rim is all that touches.
    """
    quarter, top = number % 4, number // 4
    axis = column(pose, 2)
    out = column(pose, quarter % 2)
    point = pose.position + ((-radius if quarter > 1 else radius) * out) + ((half if top else -half) * axis)
    up = dot3(axis, normal)
    return point, radius * (ONE - up * up)


def ellipsoid_plane(pose: Pose, radii: Vector3, normal: Vector3) -> Vector3:
    """The lowest point of an ellipsoid: centre - A n / |A^(1/2) n|."""
    local = pose.vector_back(normal)
    scaled = Vector3([r * x for r, x in zip(radii, local, strict=True)])
    reach = norm3(scaled)
    return pose.position - pose.vector(Vector3([r * x / reach for r, x in zip(radii, scaled, strict=True)]))


LOCAL = tuple(ex.symbol(x) for x in ("x", "y", "z"))


def ball_surface(centre: Vector3, radius: Expr, pose: Pose, formula: Expr) -> Meeting:
    """A ball on the side of a surface f = 0 where f is positive: Newton's method to the nearest point, written out.

    For a point the gap is f over the size of its gradient: zero where it touches.
    """
    local = pose.vector_back(centre - pose.position)
    if radius is ZERO:
        value, *slope = ex.substitute(
            [formula, *(ex.derivative(formula, s) for s in LOCAL)], dict(zip(LOCAL, local, strict=True))
        )
        size = norm3(Vector3(slope))
        gap, normal = value / size, pose.vector((ONE / size) * Vector3(slope))
        return Meeting(gap, normal, centre, centre - gap * normal)
    place, gradient = nearest_on(local, formula)
    normal = pose.vector((ONE / norm3(gradient)) * gradient)
    near = pose.position + pose.vector(place)
    gap = dot3(normal, centre - near) - radius
    return Meeting(gap, normal, centre - radius * normal, near)


def nearest_on(local: Vector3, formula: Expr, rounds: int = _ROUNDS) -> tuple[Vector3, Vector3]:
    """The point of a surface f = 0 that is nearest to a point on its positive side, and the gradient of f there.

    Newton's method on x - c + mu grad f = 0, f = 0, from the first step towards the surface.
    """
    slope = [ex.derivative(formula, s) for s in LOCAL]
    bend = [[ex.derivative(g, s) for s in LOCAL] for g in slope]
    told = [formula, *slope, *(x for row in bend for x in row)]

    def at(place: Vector3) -> list[Expr]:
        return ex.substitute(told, dict(zip(LOCAL, place, strict=True)))

    value, *rest = at(local)
    gradient = Vector3(rest[:3])
    weight = value / dot3(gradient, gradient)
    place = local - weight * gradient
    for _ in range(rounds):
        value, *rest = at(place)
        gradient, rows = Vector3(rest[:3]), [rest[3 + 3 * k : 6 + 3 * k] for k in range(3)]
        matrix = [[(ONE if i == j else ZERO) + weight * rows[i][j] for j in range(3)] for i in range(3)]
        left = local - place - weight * gradient
        a, b = solved(matrix, left), solved(matrix, gradient)
        change = (value + dot3(gradient, a)) / dot3(gradient, b)
        weight = weight + change
        place = place + a - change * b
    return place, Vector3(at(place)[1:4])


def solved(matrix: list[list[Expr]], right: Vector3) -> Vector3:
    """A symmetric system of three."""
    (a, b, c), (_, d, e), (_, _, f) = matrix
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    whole = a * p + b * q + c * r
    s, t, u = a * f - c * c, b * c - a * e, a * d - b * b
    x, y, z = right
    return (ONE / whole) * Vector3((p * x + q * y + r * z, q * x + s * y + t * z, r * x + t * y + u * z))


def half_of(size: Expr) -> Expr:
    return HALF * size
