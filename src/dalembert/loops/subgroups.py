"""The subgroup of displacements in which a loop lives, and whether the loop can close in it.

The screws of a loop, written at the configuration where all its variables are zero, generate a Lie algebra h; run
through as an open chain, the loop ends at exp(S1 q1) ... exp(Sn qn) F with F its end at zero. So it closes for some q
only if F lies in the group H of h. Both questions are decided in balls of many digits: zero means zero to two thirds of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.arithmetic import Balls
from dalembert.loops.balls import precision, working_digits
from dalembert.loops.linkage import Atom, Linkage, Piece
from dalembert.loops.positions import cross

Array = Any


@dataclass(frozen=True, slots=True)
class Subgroup:
    """Dimension and name; `miss` is how far the loop stays from closing, whatever its variables do (0 if it can)."""

    dimension: int
    name: str
    miss: float = 0.0


GENERAL = Subgroup(6, "general")


class Subgroups:
    """Subgroups of the loops of one linkage; constants are evaluated once."""

    def __init__(self, linkage: Linkage, digits: int | None = None) -> None:
        from flint import arb

        self.linkage = linkage
        self.digits = working_digits(linkage) if digits is None else digits
        self._poses: dict[int, tuple[Array, Array, object]] = {}
        self._axes: dict[int, tuple[Array, object]] = {}
        with precision(self.digits):
            self.zero, self.one = arb(0), arb(1)
            self.small = arb(10) ** (-2 * self.digits // 3)

    def of(self, pieces: Sequence[Piece]) -> Subgroup:
        """The subgroup of a loop run through once."""
        with precision(self.digits):
            screws, rotation, position = self._walk(pieces)
            basis = self._generated(screws)
            return self._named(basis, rotation, position)

    def _walk(self, pieces: Sequence[Piece]) -> tuple[list[Array], Array, Array]:
        numbers = Balls(self.digits)
        r = np.array([[self.one if i == j else self.zero for j in range(3)] for i in range(3)], dtype=object)
        p = np.array([self.zero] * 3, dtype=object)
        screws = []
        for piece in pieces:
            if isinstance(piece, Atom):
                if id(piece.axis) not in self._axes:
                    values = numbers.constants(piece.axis, self.linkage.given)
                    self._axes[id(piece.axis)] = (np.array(values, dtype=object), piece.axis)
                world = r @ self._axes[id(piece.axis)][0]
                none = np.array([self.zero] * 3, dtype=object)
                screws.append(np.concatenate([world, cross(p, world)] if piece.turn else [none, world]))
                continue
            pose = piece.pose
            if id(pose) not in self._poses:
                entries = [x for row in pose.rotation for x in row] + list(pose.position)
                entry = np.array(numbers.constants(entries, self.linkage.given), dtype=object)
                self._poses[id(pose)] = (entry[:9].reshape(3, 3), entry[9:], pose)
            a, b, _ = self._poses[id(pose)]
            if piece.inverse:
                a, b = a.T, -(a.T @ b)
            p = p + r @ b
            r = r @ a
        return screws, r, p

    def _zero(self, values: Array) -> bool:
        return all(bool(abs(v) < self.small) for v in np.ravel(values))

    def _reduced(self, rows: Sequence[Array], width: int) -> list[Array]:
        """Reduced row echelon form; entries that vanish to two thirds of the digits are zero."""
        left = [np.array(r, dtype=object) for r in rows]
        found: list[Array] = []
        pivots: list[int] = []
        for column in range(width):
            if not left:
                break
            best = max(range(len(left)), key=lambda i: float(abs(left[i][column]).mid()))
            if bool(abs(left[best][column]) < self.small):
                for row in left:
                    row[column] = self.zero
                continue
            row = left.pop(best)
            row = row / row[column]
            left = [other - other[column] * row for other in left]
            found = [other - other[column] * row for other in found]
            found.append(row)
            pivots.append(column)
        for row in found:
            for i in range(width):
                if bool(abs(row[i]) < self.small):
                    row[i] = self.zero
        return found

    def _generated(self, screws: Sequence[Array]) -> list[Array]:
        basis = self._reduced(screws, 6)
        while 0 < len(basis) < 6:
            pairs = [_bracket(a, b) for i, a in enumerate(basis) for b in basis[i + 1 :]]
            larger = self._reduced([*basis, *pairs], 6)
            if len(larger) == len(basis):
                break
            basis = larger
        return basis

    def _named(self, basis: list[Array], rotation: Array, position: Array) -> Subgroup:
        """The group of an algebra in echelon form, and how far the end of the loop stays from it."""
        turning = [row for row in basis if not self._zero(row[:3])]
        pushes = [row[3:] for row in basis if self._zero(row[:3])]
        kind = (len(basis), len(turning))
        turned = [rotation[i, j] - (self.one if i == j else self.zero) for i in range(3) for j in range(3)]
        if not turning and len(basis) <= 3:
            outside = self._outside(pushes, position)
            return Subgroup(len(basis), _TRANSLATIONS[len(basis)], self._miss([*turned, *outside]))
        if kind == (3, 3):
            # all axes meet in c: v_i = c x w_i, so that c = sum of e_i x v_i / 2 for the echelon rows w_i = e_i
            c = sum((cross(row[:3], row[3:]) for row in basis), np.array([self.zero] * 3, dtype=object)) / 2
            if all(self._zero(row[3:] - cross(c, row[:3])) for row in basis):
                return Subgroup(3, "spherical", self._miss(rotation @ c + position - c))
            return GENERAL
        if len(turning) == 1:
            return self._about_one_direction(turning[0], pushes, rotation, position)
        return GENERAL

    def _about_one_direction(self, turning: Array, pushes: list[Array], rotation: Array, position: Array) -> Subgroup:
        w, v = turning[:3], turning[3:]
        square = w @ w
        kept = rotation @ w - w
        pitched = not self._zero([w @ self._across(pushes, v)])
        c = cross(w, v) / square
        if not pushes and not pitched:
            return Subgroup(1, "rotation about an axis", self._miss([*kept, *(rotation @ c + position - c)]))
        if not pushes or (len(pushes) == 1 and self._zero(cross(pushes[0], w))):
            # a screw with a pitch generates one dimension, its closure is asked for in the cylinder around it
            name = "cylindrical" if pushes else "screw, counted as cylindrical"
            slip = cross(rotation @ c + position - c, w)
            return Subgroup(2, name, self._miss([*kept, *slip]))
        if len(pushes) == 2 and all(self._zero([p @ w]) for p in pushes):
            if not pitched:
                return Subgroup(3, "planar", self._miss([*kept, position @ w]))
            return Subgroup(4, "planar with a pitch, counted as Schoenflies", self._miss(kept))
        if len(pushes) == 3:
            return Subgroup(4, "Schoenflies", self._miss(kept))
        return GENERAL

    def _across(self, pushes: list[Array], v: Array) -> Array:
        """v without its part in the span of the pushes (which are square to the axis, or along it)."""
        rest = np.array(v, dtype=object)
        done: list[Array] = []
        for p in pushes:
            q = p - sum(((p @ d) / (d @ d) * d for d in done), np.array([self.zero] * 3, dtype=object))
            rest = rest - (rest @ q) / (q @ q) * q
            done.append(q)
        return rest

    def _outside(self, pushes: list[Array], position: Array) -> list[Any]:
        return list(self._across(pushes, position))

    def _miss(self, values: Any) -> float:
        """The largest of values that should all be zero, 0.0 if they are."""
        return 0.0 if self._zero(values) else max(float(abs(v).mid()) for v in values)


def _bracket(a: Array, b: Array) -> Array:
    return np.concatenate([cross(a[:3], b[:3]), cross(a[:3], b[3:]) + cross(a[3:], b[:3])])


_TRANSLATIONS = ("welded", "translation along a line", "translation in a plane", "translation")
