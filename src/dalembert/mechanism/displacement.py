"""Displacements of space: a translation, then a rotation written as a product of turns about moving axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.expr.space import (
    AXES,
    IDENTITY3,
    ZERO3,
    Matrix3,
    Vector3,
    add3,
    apply3,
    is_zero3,
    neg3,
    norm3,
    product3,
    quaternion_matrix,
    scale3,
    turn_matrix,
    vector3,
)

_ROUNDING = 1e-14
_WRITTEN = 1e-9
"""How far the square of a unit vector may be from one where somebody wrote its components in ten digits."""
AxisLike: TypeAlias = "str | Sequence[Scalar]"


def unit_axis(axis: AxisLike) -> Vector3:
    """A unit vector from `"x"`, `"-z"` or three components; the zero vector is an error."""
    if isinstance(axis, str):
        name = axis.lstrip("+-").lower()
        if name not in AXES:
            raise ModelError(f"axis {axis!r} is unknown: write 'x', 'y', 'z', '-x'... or three components.")
        return neg3(AXES[name]) if axis.startswith("-") else AXES[name]
    vector = vector3(axis)
    if is_zero3(vector):
        raise ModelError("a rotation axis cannot be the zero vector: give it a direction.")
    if not ex.free_symbols(vector) and abs(sum(x**2 for x in ex.evaluate(vector, {})) - 1) < _ROUNDING:
        return vector
    vector = _short_decimals(vector)
    length = norm3(vector)
    return vector if length is ex.ONE else scale3(1 / length, vector)


def _short_decimals(vector: Vector3) -> Vector3:
    """Decimals of up to six digits, as people write them, as rationals: the direction [0, 0.3, 1] stays exact."""
    if any(x.op != "const" or (isinstance(x.data, float) and len(repr(x.data).strip("-0.")) > 7) for x in vector):
        return vector
    return Vector3(tuple(ex.const(Fraction(repr(x.data))) if isinstance(x.data, float) else x for x in vector))


def _with_verbs(holder: object, name: str) -> None:
    """A vector that came as a bare tuple, of numbers or formulas as text, gets its operators."""
    value = getattr(holder, name)
    if type(value) is not Vector3:
        object.__setattr__(holder, name, vector3(value))


def _check_unit(components: Sequence[Expr], what: str) -> None:
    """What is not of length one would stretch the body that it turns; letters are tried with numbers."""
    if all(x.op == "const" for x in components):
        long = any(abs(x.data) > 2 for x in components)  # numbers of any size, also beyond doubles
        square = 4.0 if long else sum(float(x.data) ** 2 for x in components)
    else:
        names = sorted(ex.free_symbols(components), key=str)
        values = {x: 0.3 + 0.4 * ((0.618 * k) % 1.0) for k, x in enumerate(names, 1)}
        square = float(sum(min(abs(x), 2.0) ** 2 for x in ex.evaluate(components, values)))
        if math.isnan(square):  # nothing told: these numbers are beyond a root, an arc
            return
    if abs(square - 1) > _WRITTEN:
        told = ", ".join(str(x)[:40] for x in components)
        raise ModelError(
            f"{what} [{told}] is not of length 1, and would stretch what it turns. Divide it by its length."
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """Rotation of an angle about a unit axis: `angle || axis` in LSD."""

    angle: Expr
    axis: Vector3

    def __post_init__(self) -> None:
        _with_verbs(self, "axis")
        _check_unit(self.axis, "the axis")

    def __str__(self) -> str:
        return f"{self.angle} about [{', '.join(map(str, self.axis))}]"

    @property
    def matrix(self) -> Matrix3:
        return turn_matrix(self.angle, self.axis)

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (self.angle, *self.axis)

    def with_scalars(self, scalars: Sequence[Expr]) -> Turn:
        return Turn(scalars[0], Vector3(scalars[1:4]))

    def inverse(self) -> Turn:
        return Turn(-self.angle, self.axis)


@dataclass(frozen=True, slots=True)
class QuaternionTurn:
    """Rotation of a unit quaternion, scalar first."""

    components: tuple[Expr, Expr, Expr, Expr]

    def __post_init__(self) -> None:
        if all(x.op == "const" for x in self.components):  # coordinates are kept at length one by who moves them
            _check_unit(self.components, "the quaternion")

    def __str__(self) -> str:
        return f"by the quaternion [{', '.join(map(str, self.components))}]"

    @property
    def matrix(self) -> Matrix3:
        return quaternion_matrix(self.components)

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return self.components

    def with_scalars(self, scalars: Sequence[Expr]) -> QuaternionTurn:
        return QuaternionTurn((scalars[0], scalars[1], scalars[2], scalars[3]))

    def inverse(self) -> QuaternionTurn:
        e0, e1, e2, e3 = self.components
        return QuaternionTurn((e0, -e1, -e2, -e3))


AnyTurn: TypeAlias = Turn | QuaternionTurn


@dataclass(frozen=True, slots=True)
class Displacement:
    """(t, r): a point x goes to t + r x. Composition `a @ b` expresses b in the frame that a leads to.

    >>> from dalembert.mechanism import Displacement, turn
    >>> (Displacement.of([1, 0, 0]) @ Displacement.of([0, 2, 0], turn("pi/2", "z"))).translation
    (1, 2, 0)
    """

    translation: Vector3 = ZERO3
    turns: tuple[AnyTurn, ...] = ()

    def __post_init__(self) -> None:
        _with_verbs(self, "translation")

    def __str__(self) -> str:
        turned = ", then ".join(map(str, self.turns))
        return f"[{', '.join(map(str, self.translation))}]" + (f", turned {turned}" if turned else "")

    @staticmethod
    def of(translation: Sequence[Scalar] = (0, 0, 0), *turns: AnyTurn) -> Displacement:
        return Displacement(vector3(translation), tuple(turns))

    @property
    def matrix(self) -> Matrix3:
        """The rotation: columns are the base of the second frame, expressed in the first."""
        matrix = IDENTITY3
        for one in self.turns:
            matrix = product3(matrix, one.matrix)
        return matrix

    @property
    def is_identity(self) -> bool:
        return not self.turns and is_zero3(self.translation)

    def __matmul__(self, other: Displacement) -> Displacement:
        moved = add3(self.translation, apply3(self.matrix, other.translation))
        return Displacement(moved, self.turns + other.turns)

    def inverse(self) -> Displacement:
        turns = tuple(one.inverse() for one in reversed(self.turns))
        back = Displacement(ZERO3, turns)
        return Displacement(neg3(apply3(back.matrix, self.translation)), turns)

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.translation, *(x for one in self.turns for x in one.scalars))

    def substitute(self, replace: Mapping[Expr, Scalar]) -> Displacement:
        scalars = ex.substitute(self.scalars, replace)
        turns, place = [], 3
        for one in self.turns:
            count = len(one.scalars)
            turns.append(one.with_scalars(scalars[place : place + count]))
            place += count
        return Displacement(Vector3(scalars[:3]), tuple(turns))


def turn(angle: Scalar, axis: AxisLike) -> Turn:
    """A turn from an angle (number, expression or formula) and an axis (normalised)."""
    return Turn(ex.as_expr(angle), unit_axis(axis))
