"""Two smooth surfaces that touch in one point and roll on each other: contact and slip as formulas.

The point of contact is where both outward normals are opposite; it moves on the surfaces as they roll, and is told by
coordinates of the constraint itself (`Followed`): of a surface f(x, y, z) = 0 by x, y, z in its own axes, of one given
by parameters by u and v. With p the point of the first, n its outward normal, t1 and t2 across (no chart: two formulas,
one for either half of the directions), all in the axes of the first frame:

    second as formula f2        f1(p) = 0,  t . n2(p) / (1 - n . n2) = 0         gap  f2(p) / |grad f2|
    both with parameters        t . n2(q) / (1 - n . n2) = 0,  t . (q - p) = 0   gap  n . (q - p)
    rolling                     t . (v1 + w1 x p - v2 - w2 x (p - o2)) = 0
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.mechanism.constraint import Followed
from dalembert.mechanism.quantities import AXES
from dalembert.mechanism.rolling import direction, vector
from dalembert.mechanism.shapes import Cylinder, Ellipsoid, Patch, Plane, Shape, Sphere, Surface

_POINT = tuple(ex.symbol(name) for name in AXES)


@dataclass(frozen=True, slots=True)
class Touch:
    """Where two surfaces touch, how far they are apart, and how they slip on each other."""

    followed: Followed
    gap: Expr
    slip: tuple[Expr, Expr]


def formula_of(shape: Shape) -> Expr:
    """f(x, y, z) of a smooth shape, positive outside."""
    x, y, z = _POINT
    if isinstance(shape, Sphere):
        return x * x + y * y + z * z - shape.radius * shape.radius
    if isinstance(shape, Ellipsoid | Surface):
        return shape.formula
    if isinstance(shape, Cylinder):
        return x * x + y * y - shape.radius * shape.radius
    if isinstance(shape, Plane):
        return z
    raise ModelError(
        f"a {type(shape).__name__.lower()} has edges or ends, and does not roll on a surface: give a Sphere, "
        "Ellipsoid, Cylinder (which has no ends here), Plane, Surface or Patch."
    )


def touching(name: str, first: Shape, second: Shape, places: tuple[str, str]) -> Touch:
    """The contact of the constraint `name`; `places` are the names of the frames of both shapes."""
    if isinstance(second, Patch) and not isinstance(first, Patch):
        first, second, places = second, first, (places[1], places[0])
    a, b = places
    one = _Seen.of(first, name, "")
    origin, axes = vector("pos", b, a), [direction(b, axis, a) for axis in AXES]

    def turned(v: Vector3) -> Vector3:
        return v[0] * axes[0] + v[1] * axes[1] + v[2] * axes[2]

    if isinstance(second, Patch):
        two = _Seen.of(second, name, "2")
        between, normal = origin + turned(two.point) - one.point, turned(two.normal)
        gap, coordinates = one.normal.dot(between), one.coordinates + two.coordinates
        formulas = [*one.formulas, *one.opposite(normal), *(t.dot(between) for t in one.across)]
    else:
        seen = one.point - origin
        here = Vector3([axis.dot(seen) for axis in axes])
        value, slopes = _implicit(formula_of(second), here)
        size = ex.sqrt(slopes.dot(slopes))
        normal, gap, coordinates = turned((ONE / size) * slopes), value / size, one.coordinates
        formulas = [*one.formulas, *one.opposite(normal)]
    slip = vector("vel", a, a) + vector("omega", a, a).cross(one.point)
    slip = slip - vector("vel", b, a) - vector("omega", b, a).cross(one.point - origin)
    lengths = isinstance(first, Patch)
    followed = Followed(coordinates, tuple(formulas), one.normal.dot(normal), not lengths, (first, second))
    return Touch(followed, gap, (one.across[0].dot(slip), one.across[1].dot(slip)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A surface in its own axes: names of the coordinates of its point, the point, what they obey, the normal."""

    coordinates: tuple[str, ...]
    point: Vector3
    formulas: tuple[Expr, ...]
    normal: Vector3

    @staticmethod
    def of(shape: Shape, name: str, number: str) -> _Seen:
        if isinstance(shape, Patch):
            names = tuple(f"{name}.{x}{number}" for x in ("u", "v"))
            moved = dict(zip((ex.symbol("u"), ex.symbol("v")), map(ex.symbol, names), strict=True))
            point = Vector3(ex.substitute(list(shape.point), moved))
            along = [Vector3(ex.tangent(list(point), {ex.symbol(x): ONE})) for x in names]
            normal = along[0].cross(along[1])
            return _Seen(names, point, (), (ONE / ex.sqrt(normal.dot(normal))) * normal)
        names = tuple(f"{name}.{x}{number}" for x in AXES)
        point = Vector3([ex.symbol(x) for x in names])
        value, slopes = _implicit(formula_of(shape), point)
        size = ex.sqrt(slopes.dot(slopes))
        return _Seen(names, point, (value / size,), (ONE / size) * slopes)

    def opposite(self, normal: Vector3) -> list[Expr]:
        """What vanishes where another normal is opposite, and not where it is the same (stereographic coordinates).

        t . n2 alone vanishes in both cases, and a ball could be found in the wall of its bowl.
        """
        return [t.dot(normal) / (ONE - self.normal.dot(normal)) for t in self.across]

    @property
    def across(self) -> tuple[Vector3, Vector3]:
        """Two unit vectors along the surface (Duff et al. 2017: one division, no direction without them)."""
        x, y, z = self.normal
        side = ex.where(ex.less(z, ZERO), -1, 1)
        a = -ONE / (side + z)
        b = x * y * a
        return Vector3((ONE + side * x * x * a, side * b, -side * x)), Vector3((b, side + y * y * a, -y))


def _implicit(formula: Expr, at: Vector3) -> tuple[Expr, Vector3]:
    """A formula of x, y, z and its slopes, at a point."""
    value, *slopes = ex.substitute([formula, *ex.gradient(formula, list(_POINT))], dict(zip(_POINT, at, strict=True)))
    return value, Vector3(slopes)
