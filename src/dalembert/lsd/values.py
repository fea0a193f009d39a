"""What LSD expressions evaluate to.

A scalar is an `Expr`, a vector a triple, a matrix a triple of rows, a rotation a tuple of turns about moving axes, a
displacement a `Displacement`; mechanical objects are the small records below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.expr.space import ZERO3, Matrix3, Vector3, dot3
from dalembert.lsd.source import Source, Span
from dalembert.mechanism.bodyshape import BodyShape
from dalembert.mechanism.displacement import AnyTurn, Displacement, Turn, unit_axis

Rotation: TypeAlias = tuple[AnyTurn, ...]
STILL = Displacement()


@dataclass(eq=False, slots=True)
class BodyValue:
    """A rigid body; an absent field is None, and generic symbols stand for it once the bodies are numbered."""

    mass: Expr | None = None
    iframe: Displacement | None = None
    inertia: Vector3 | Matrix3 | None = None
    name: str | None = None
    place: tuple[Source, Span] | None = None
    named_at: tuple[Source, Span] | None = None
    shapes: tuple[BodyShape, ...] = ()
    doubtful: bool = False
    generic: dict[str, tuple[Expr, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FrameValue:
    """A frame fixed in a body; `role` is frame, iframe or other."""

    body: BodyValue
    displacement: Displacement
    role: str
    name: str | None = None
    place: tuple[Source, Span] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StepValue:
    """One `dof` of a link with the known efforts that go with it."""

    displacement: Displacement
    force: Vector3 | None = None
    torque: Vector3 | None = None
    body_speeds: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LinkValue:
    """A link object: it does not know what it joins, so it may serve several joins."""

    parameters: tuple[str, ...]
    steps: tuple[StepValue, ...]
    efforts: tuple[tuple[str, Expr], ...]
    own_unknowns: tuple[Expr, ...]
    place: tuple[Source, Span]


@dataclass(eq=False, slots=True)
class EffortValue:
    """A force or torque; the same object may be applied at several places."""

    kind: str
    value: Vector3 | None = None
    base: BodyValue | None = None
    place: tuple[Source, Span] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MachineValue:
    """A machine that was built as a part: what it is called, and what its names stand for."""

    name: str
    members: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BodySpeeds:
    """Mark left by `body_speeds(d)`: the speeds of this displacement are components in the moved base."""

    displacement: Displacement


EARTH = BodyValue(name="earth", mass=ex.ZERO, inertia=ZERO3, iframe=STILL)


def unit(axis: Vector3) -> Vector3:
    """The axis divided by its norm; an axis that is unit already (within rounding) is kept as it is.

    Raises `ExpressionError` on the zero axis.
    """
    square = dot3(axis, axis)
    if square is ex.ONE:
        return axis
    if square is ex.ZERO:
        raise ExpressionError("the axis of a rotation cannot be zero")
    return axis if _is_unit(square) else unit_axis(axis)


def _is_unit(square: Expr) -> bool:
    if square.is_number:
        return abs(float(square.value) - 1) < 1e-9
    symbols = sorted(ex.free_symbols([square]), key=lambda s: s.name)
    if ex.unknown_functions([square]):
        return False
    # A normalised symbolic axis has the square norm 1 at every point: two points tell.
    for shift in (0.37, 1.91):
        values = {s: shift + 0.61 * k for k, s in enumerate(symbols)}
        (found,) = ex.evaluate([square], values)
        if not abs(float(found) - 1) < 1e-9:
            return False
    return True


def turned(angle: Expr, axis: Vector3) -> Rotation:
    """The rotation `angle || axis`."""
    return (Turn(angle, unit(axis)),)
