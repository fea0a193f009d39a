"""Ways along a loop in symbols: turns about one direction add up, so that formulas stay as short as on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import IDENTITY3, ZERO3, Matrix3, Vector3, apply3, is_zero3, transpose3, turn_matrix
from dalembert.loops.linkage import Atom, Piece

Factor = tuple[Vector3, Expr] | Matrix3  # a turn about an axis by an angle, or a constant rotation


@dataclass(frozen=True, slots=True)
class Way:
    """A composed displacement: rotations in order, and steps, each in the base that so many rotations make."""

    factors: tuple[Factor, ...]
    steps: tuple[tuple[int, Vector3], ...]

    @staticmethod
    def along(pieces: Sequence[Piece], values: Mapping[int, Expr]) -> Way:
        factors, steps = list[Factor](), list[tuple[int, Vector3]]()

        def step(vector: Vector3) -> None:
            if not is_zero3(vector):
                steps.append((len(factors), vector))

        for one in pieces:
            if isinstance(one, Atom):
                amount = values[one.variable] * ex.const(one.factor)
                if one.turn:
                    factors.append((one.axis, amount))
                else:
                    step(one.axis * amount)
                continue
            rotation = transpose3(one.pose.rotation) if one.inverse else one.pose.rotation
            if not one.inverse:
                step(one.pose.position)
            if rotation != IDENTITY3:
                factors.append(rotation)
            if one.inverse:
                step(-one.pose.position)
        return Way(tuple(factors), tuple(steps))

    def turned(self, vector: Vector3, first: int = 0, last: int | None = None) -> Vector3:
        """A vector in the base after the factors first..last, seen in the base before them."""
        for factor in reversed(merged(self.factors[first:last])):
            vector = apply3(turn_matrix(factor[1], factor[0]) if len(factor) == 2 else factor, vector)
        return vector

    @property
    def end(self) -> Vector3:
        """Where the way ends, seen from where it starts."""
        total = ZERO3
        for count, step in self.steps:
            total = total + self.turned(step, 0, count)
        return total

    @property
    def square(self) -> Expr:
        """The squared distance between its ends: sum t_i^2 + 2 sum t_i . R_ij t_j, without turns that do not matter."""
        total = ZERO
        for k, (count, step) in enumerate(self.steps):
            total = total + step.dot(step)
            for later, other in self.steps[k + 1 :]:
                total = total + 2 * step.dot(self.turned(other, count, later))
        return total


def merged(factors: Sequence[Factor]) -> list[Factor]:
    """Turns about one direction, one after the other, as one turn."""
    found: list[Factor] = []
    for factor in factors:
        if len(factor) == 2 and found and len(found[-1]) == 2:
            axis, angle = found[-1]
            if axis in (factor[0], -factor[0]):
                found[-1] = (axis, angle + (factor[1] if axis == factor[0] else -factor[1]))
                if found[-1][1] is ZERO:
                    found.pop()
                continue
        found.append(factor)
    return found


def across(direction: Vector3) -> list[Vector3]:
    """Vectors that span the plane across a direction, as short as its components allow."""
    found = [v for v in (direction.cross(axis) for axis in IDENTITY3) if not is_zero3(v)]
    return [Vector3(x if x.op != "neg" else -x for x in v) if _single(v) else v for v in found]


def _single(vector: Vector3) -> bool:
    return sum(x is not ZERO for x in vector) == 1
