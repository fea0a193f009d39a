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


Shape = Sphere | Plane | Box | Capsule | Cylinder
SHAPES = (Sphere, Plane, Box, Capsule, Cylinder)
SHAPE_KINDS: dict[str, Any] = {kind.__name__.lower(): kind for kind in SHAPES}


def parts_of(first: Shape, second: Shape) -> int:
    """How many contacts two shapes have: corners of a box, ends of a capsule; 0 if nothing is known about them."""
    for a, b in ((first, second), (second, first)):
        if isinstance(b, Plane):
            return {Sphere: 1, Box: 8, Capsule: 2, Cylinder: 1}.get(type(a), 0)
        if isinstance(a, Sphere) and isinstance(b, Sphere | Capsule | Box):
            return 1
    return 0


def sizes_of(shape: Shape) -> tuple[Expr, ...]:
    """Its lengths and the scalars of its frame."""
    found: list[Expr] = list(shape.frame.displacement.scalars)
    for one in fields(shape):
        value = getattr(shape, one.name)
        found += [value] if isinstance(value, Expr) else list(value) if isinstance(value, Vector3) else []
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
