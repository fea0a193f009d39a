"""Shapes that touch: what a body is where contacts are concerned. Each is drawn on a frame of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.expr.space import Vector3, vector3
from dalembert.mechanism.body import Body, Frame
from dalembert.mechanism.hulls import Solid, box_solid, hull_solid


@dataclass(frozen=True, slots=True, init=False)
class Sphere:
    """A ball about the origin of a frame; with radius 0 a point."""

    frame: Frame
    radius: Expr

    def __init__(self, at: Body | Frame, radius: Scalar = 0) -> None:
        _set(self, frame=_frame(at), radius=_size(radius, "radius"))


@dataclass(frozen=True, slots=True, init=False)
class Plane:
    """The half space below the xy-plane of a frame: its z axis points out of it."""

    frame: Frame

    def __init__(self, at: Body | Frame) -> None:
        _set(self, frame=_frame(at))


@dataclass(frozen=True, slots=True, init=False)
class Box:
    """A box about the origin of a frame, with its full sides along x, y and z; a side may be 0."""

    frame: Frame
    sides: Vector3

    def __init__(self, at: Body | Frame, sides: Sequence[Scalar]) -> None:
        _set(self, frame=_frame(at), sides=Vector3([_size(x, "side") for x in vector3(sides)]))


@dataclass(frozen=True, slots=True, init=False)
class Capsule:
    """All points within `radius` of a segment of `length` along z, about the origin of a frame."""

    frame: Frame
    radius: Expr
    length: Expr

    def __init__(self, at: Body | Frame, radius: Scalar, length: Scalar) -> None:
        _set(self, frame=_frame(at), radius=_size(radius, "radius"), length=_size(length, "length"))


@dataclass(frozen=True, slots=True, init=False)
class Cylinder:
    """A cylinder about the z axis of a frame, its origin in the middle; of height 0 a disc."""

    frame: Frame
    radius: Expr
    height: Expr

    def __init__(self, at: Body | Frame, radius: Scalar, height: Scalar = 0) -> None:
        _set(self, frame=_frame(at), radius=_size(radius, "radius"), height=_size(height, "height"))


@dataclass(frozen=True, slots=True, init=False)
class Polytope:
    """The convex hull of points, numbers in the axes of a frame."""

    frame: Frame
    points: tuple[Vector3, ...]

    def __init__(self, at: Body | Frame, points: Sequence[Sequence[Scalar]]) -> None:
        found = tuple(vector3(point) for point in points)
        if not all(x.is_number for point in found for x in point):
            raise ModelError("the points of a polytope are numbers: which of them are corners depends on them.")
        _set(self, frame=_frame(at), points=found)
        solid_of(self)


@dataclass(frozen=True, slots=True, init=False)
class Ellipsoid:
    """An ellipsoid about the origin of a frame, with its half axes along x, y and z."""

    frame: Frame
    radii: Vector3

    def __init__(self, at: Body | Frame, radii: Sequence[Scalar]) -> None:
        _set(self, frame=_frame(at), radii=Vector3([_size(x, "half axis") for x in vector3(radii)]))

    @property
    def formula(self) -> Expr:
        """Positive outside, about a distance."""
        a, b, c = self.radii
        x, y, z = (ex.symbol(name) for name in ("x", "y", "z"))
        return x * x / (a * a) + y * y / (b * b) + z * z / (c * c) - 1


@dataclass(frozen=True, slots=True, init=False)
class Surface:
    """A smooth surface f(x, y, z) = 0 in the axes of a frame; what touches it is on the side where f is positive."""

    frame: Frame
    formula: Expr

    def __init__(self, at: Body | Frame, formula: Scalar | str) -> None:
        told = ex.parse(formula) if isinstance(formula, str) else ex.as_expr(formula)
        if ex.free_symbols([told]).isdisjoint({ex.symbol(name) for name in ("x", "y", "z")}):
            raise ModelError(f"the surface {ex.text(told)} = 0 has none of x, y and z: they are its own axes.")
        _set(self, frame=_frame(at), formula=told)


@dataclass(frozen=True, slots=True, init=False)
class Patch:
    """A smooth surface by parameters u and v: x, y, z in the axes of a frame; out is where d/du x d/dv points."""

    frame: Frame
    point: Vector3

    def __init__(self, at: Body | Frame, point: Sequence[Scalar | str]) -> None:
        told = [ex.parse(x) if isinstance(x, str) else ex.as_expr(x) for x in point]
        if len(told) != 3 or not {ex.symbol("u"), ex.symbol("v")} <= ex.free_symbols(told):
            raise ModelError("a patch needs the three coordinates of its points as formulas of u and v.")
        _set(self, frame=_frame(at), point=Vector3(told))


Shape = Sphere | Plane | Box | Capsule | Cylinder | Polytope | Ellipsoid | Surface | Patch
SHAPES = (Sphere, Plane, Box, Capsule, Cylinder, Polytope, Ellipsoid, Surface)
SHAPE_KINDS: dict[str, Any] = {kind.__name__.lower(): kind for kind in (*SHAPES, Patch)}
_ORDER = (Sphere, Capsule, Box, Polytope, Cylinder, Ellipsoid, Surface, Plane)
"""Of a pair, the one that comes first here is looked at from the other."""


def solid_of(shape: Shape) -> Solid:
    """Corners, faces and edges of a box or a polytope."""
    if isinstance(shape, Box):
        return box_solid(shape.sides)
    assert isinstance(shape, Polytope)
    return hull_solid(tuple(tuple(float(x.value) for x in point) for point in shape.points))  # type: ignore[misc]


def ordered(first: Shape, second: Shape) -> tuple[Shape, Shape]:
    """A pair in the order in which its contacts are told."""
    return (first, second) if _ORDER.index(type(first)) <= _ORDER.index(type(second)) else (second, first)


def parts_of(first: Shape, second: Shape) -> int:
    """How many contacts two shapes have: corners, ends, crossing edges; 0 if nothing is known about them."""
    one, two = ordered(first, second)
    if isinstance(two, Plane):
        if isinstance(one, Box | Polytope):
            return len(solid_of(one).corners)
        if isinstance(one, Cylinder):  # of each rim the lowest point, and four points for one that stands
            return 5 if one.height is ZERO else 10
        return {Sphere: 1, Capsule: 2, Ellipsoid: 1}.get(type(one), 0)
    if isinstance(one, Sphere):
        return 1
    if isinstance(two, Ellipsoid) and not isinstance(one, Capsule | Cylinder):
        return 1
    if isinstance(two, Cylinder) or (isinstance(one, Cylinder) and isinstance(two, Ellipsoid)):
        return _parts_of_cylinder(one, two)
    if isinstance(two, Surface):
        if isinstance(one, Box | Polytope):
            solid = solid_of(one)
            return len(solid.corners) + len(solid.all_edges) + len(solid.faces)
        return 3 if isinstance(one, Capsule) else 1 if isinstance(one, Ellipsoid) else 0
    if isinstance(one, Capsule):
        if isinstance(two, Capsule | Ellipsoid):  # ends, of both or of the capsule, and where they cross
            return 5 if isinstance(two, Capsule) else 3
        return 2 + len(solid_of(two).all_edges) if isinstance(two, Box | Polytope) else 0
    if isinstance(two, Box | Polytope):
        mine, its = solid_of(one), solid_of(two)
        ends = 2 * max(len(face.corners) for face in mine.faces)  # of the edges of a face that lies on another
        return len(mine.corners) + len(its.corners) + 1 + ends
    return 0


def _parts_of_cylinder(one: Shape, two: Shape) -> int:
    """Sides, faces, and rims: their lowest points and four fixed ones each, their cuts with what lies across them."""
    rims = [1 if x.height is ZERO else 2 for x in (one, two) if isinstance(x, Cylinder)]
    if isinstance(two, Ellipsoid):
        return 3 + rims[0]
    if isinstance(one, Capsule):
        return 3 + 2 * rims[0]
    if isinstance(one, Cylinder):
        return 1 + 7 * sum(rims) + 2 * rims[0] * rims[1]
    if rims == [1]:  # nothing local tells on which side of a disc an edge is
        return 0
    solid = solid_of(one)
    return len(solid.corners) + 5 * rims[0] + 1 + 2 * len(solid.all_edges)


def sizes_of(shape: Shape) -> tuple[Expr, ...]:
    """Its lengths and the scalars of its frame."""
    found: list[Expr] = list(shape.frame.displacement.scalars)
    for one in fields(shape):
        value = getattr(shape, one.name)
        if one.name == "formula":
            axes = {ex.symbol(name) for name in ("x", "y", "z")}
            found += sorted(ex.free_symbols([value]) - axes, key=lambda e: e.name)
        elif isinstance(value, Expr):
            found.append(value)
        elif isinstance(value, Vector3):
            found += value
    return tuple(found)


def _set(shape: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(shape, name, value)


def _frame(at: Body | Frame) -> Frame:
    frame = at.frame if isinstance(at, Body) else at
    if not isinstance(frame, Frame):
        raise ModelError(f"a shape is drawn on a body or frame, not on {at!r}.")
    return frame


def _size(value: Scalar, what: str) -> Expr:
    size = ex.as_expr(value)
    if size.is_number and float(size.value) < 0:
        raise ModelError(f"the {what} of a shape is {float(size.value):g}: it cannot be negative.")
    return size if size is not None else ZERO
