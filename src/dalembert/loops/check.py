"""An independent check of a verdict on mobility, in balls: it shares no code with the ladder that found it.

Checked are, on a closure that is written anew from the description,

    posture   every row vanishes there to two thirds of the digits
    rank      pivots that leave zero out, so that there are no more instantaneous motions than said
    at most   the quadratic forms of the self-stresses leave no more: Macaulay's matrix on a slice, or a definite form
              (second order); or a row is not zero, or has no real branch on the plane of motions (power series)
    at least  at a witness (the posture, or a point of the arc) the rank is that of a manifold of that dimension, and a
              step along it closes again to all digits; from a point of an arc points lead on to the posture. Or a row
              has a branch, or both signs, at the posture, by its power series, and points of it close to all digits
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.anew import Closure, arb_of, matrix_of, objects
from dalembert.loops.arcs_anew import branch, isolated, not_zero, surface
from dalembert.loops.forms_anew import definite, only_origin, pivots
from dalembert.loops.leftover import LeftOver
from dalembert.mechanism import Layout

Array = Any

#: Pivots of rows whose largest entry is one that are tried at a witness: it is a float, and its rounding is 1e-16.
_LEAST = 1e-14
#: A step along a manifold (radians, parts of the machine); halves of the way from a witness to the posture.
_STEP, _HALVES = 1e-3, 6


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a checker needs: the machine, formulas of given names, and numbers as decimal text, by coordinate."""

    layout: Layout
    given: Mapping[str, Expr]
    equations: tuple[Expr, ...]
    digits: int
    posture: Mapping[str, str]
    instantaneous: int
    lower: int
    upper: int
    witness: Mapping[str, float]
    relations: tuple[tuple[Mapping[str, float], str], ...] = ()
    size: Fraction = Fraction(1)
    lengths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What an independent check found: statements that it confirms, that it denies, and that it has no means for."""

    confirmed: tuple[str, ...]
    denied: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing denied, nothing left open."""
        return not self.denied and not self.open

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [*(f"confirmed: {s}" for s in self.confirmed), *(f"DENIED: {s}" for s in self.denied)]
        return "\n".join([*lines, *(f"not checked: {s}" for s in self.open)])


def check(evidence: Evidence) -> Check:
    """Check a verdict anew; see the module."""
    import flint

    old = flint.ctx.dps
    flint.ctx.dps = evidence.digits
    try:
        return _Checker(evidence).run()
    except (ExpressionError, ZeroDivisionError, TypeError, AttributeError) as error:
        return Check((), (), (f"everything: {error}",))
    finally:
        flint.ctx.dps = old


class _Checker:
    def __init__(self, evidence: Evidence) -> None:
        from flint import arb

        self.evidence = evidence
        e = evidence
        self.closure = Closure(e.layout, e.given, e.equations, e.size, e.lengths, e.relations)
        self.names = self.closure.names
        self.small = arb(10) ** (-2 * evidence.digits // 3)
        self.x = [arb(evidence.posture[n]) for n in self.names]
        self.confirmed: list[str] = []
        self.denied: list[str] = []
        self.open: list[str] = []
        self._left: LeftOver | None = None

    def run(self) -> Check:
        e = self.evidence
        rows = self.closure.rows(self.x)
        self._say(all(self._zero(r) for r in rows), "the posture closes", "the posture does not close")
        jacobian = self.closure.jacobian(self.x)
        most = len(self.names) - e.instantaneous
        rank = len(pivots(jacobian, self.small)[0])
        self._say(rank >= most, f"no more than {e.instantaneous} instantaneous motions", f"rank {rank} < {most}")
        if e.upper == e.instantaneous:
            self.confirmed.append(f"at most {e.upper}, by the rank")
        elif self.denied:
            self.open.append("at most, without the rank")
        else:
            self._at_most()
        if e.lower == 0:
            self.confirmed.append("at least 0: the posture")
        elif e.lower == e.instantaneous and not e.relations:
            if (why := self._manifold(self.x, e.lower)) is not None:
                self.open.append(why)
        else:
            self._at_least()
        return Check(tuple(self.confirmed), tuple(self.denied), tuple(self.open))

    def _say(self, holds: bool, yes: str, no: str) -> None:
        (self.confirmed if holds else self.denied).append(yes if holds else no)

    def _zero(self, value: Any) -> bool:
        return bool(abs(value) < self.small)

    # --- bounds -------------------------------------------------------------------------------------------------------

    def _at_most(self) -> None:
        """Forms of the self-stresses, a definite one or a slice that they leave only the origin of; then series."""
        e, left = self.evidence, self._left_over()
        if not left.clean:
            self.open.append(f"at most {e.upper}: the rank is larger than said, which only helps")
            return
        forms = left.forms()
        if e.upper == 0 and definite(forms):
            told = "a definite form of a self-stress"
        elif only_origin(forms, left.k, e.upper):
            told = "the quadratic forms leave the origin on a slice of that codimension"
        elif e.upper == left.k - 1 and not_zero(left):
            told = "a row is not zero on the space of instantaneous motions"
        elif e.upper == 0 and left.k == 2 and isolated(left):
            told = "on the plane of instantaneous motions a row has no real branch, by blowing up"
        else:
            self.open.append(f"at most {e.upper}: not by second order, nor by series")
            return
        self.confirmed.append(f"at most {e.upper}: {told}")

    def _at_least(self) -> None:
        """A manifold at a witness; where that has no place, the germ of what is left over at the posture."""
        e = self.evidence
        why = self._manifold([arb_of(e.witness[n]) for n in self.names], e.lower)
        if why is None:
            return
        left = self._left_over() if e.lower == e.instantaneous - 1 and not self.denied else None
        if left is not None and left.clean and left.k == 2 and branch(left):
            told = "a row has a branch through the posture, by blowing up, and two points of it close to all digits"
        elif left is not None and left.clean and left.k > 2 and surface(left):
            told = "a row has both signs around the posture; where its zeros part them, points close to all digits"
        else:
            self.open.append(why)
            return
        self.confirmed.append(f"at least {e.lower}: {told}")

    def _left_over(self) -> LeftOver:
        if self._left is None:
            rank = len(self.names) - self.evidence.instantaneous
            self._left = LeftOver(self.closure, self.x, rank, self.small)
        return self._left

    def _manifold(self, start: Sequence[Any], dimension: int) -> str | None:
        """Rank of a manifold of that dimension at the witness, and a step along it that closes to all digits.

        None when it is confirmed, else what is wrong.
        """
        said = f"at least {dimension}"
        jacobian = self.closure.jacobian(start, related=True)
        rank = len(self.names) - dimension
        rows, columns = pivots(jacobian, arb_of(_LEAST), _LEAST)
        if len(rows) < rank:
            return f"{said}: the witness is singular itself"
        rows, columns = rows[:rank], columns[:rank]
        point = self._newton(start, rows, columns)
        rng = np.random.default_rng(23)
        free = np.setdiff1d(np.arange(len(self.names)), columns)
        moved = list(point) if point is not None else None
        if moved is not None:
            for i in free:
                moved[i] = moved[i] + arb_of(float(rng.normal()) * _STEP)
            moved = self._newton(moved, rows, columns)
        inside = self._inward(point, rows, columns) if point is not None else []
        for one in (point, moved, *inside):
            if one is None or not all(self._zero(r) for r in [*self.closure.rows(one), *self.closure.related(one)]):
                return f"{said}: a step along the {dimension} directions does not close"
        path = f", and so do {len(inside)} points on the way to the posture" if inside else ""
        told = f"{said}: rank {rank} at a point that closes, and a step from there closes to all digits"
        self.confirmed.append(told + path)
        return None

    def _inward(self, point: list[Any], rows: Array, columns: Array) -> list[list[Any] | None]:
        """Points that close on the way from a witness to the posture, each at half the distance of the one before.

        A witness beside an isolated posture has no such way. What follows is guessed from the last two: x ~ s^p.
        """
        found: list[list[Any] | None] = []
        away = [p - x for p, x in zip(point, self.x, strict=True)]
        size = max((abs(float(a)) for a in away), default=0.0)
        if size < _STEP:  # the witness is the posture
            return []
        ratio = [0.5] * len(away)
        for _ in range(_HALVES):
            guess = [x + r * a for x, r, a in zip(self.x, ratio, away, strict=True)]
            one = self._newton(guess, rows, columns)
            left = None if one is None else [p - x for p, x in zip(one, self.x, strict=True)]
            if left is None or not max(abs(float(a)) for a in left) < 0.9 * size:
                return [*found, None]
            ratio = [
                min(max(float(b) / float(a), 0.0), 1.0) if abs(float(a)) > _LEAST else 0.5
                for a, b in zip(away, left, strict=True)
            ]
            away, size = left, max(abs(float(a)) for a in left)
            found.append(one)
        return found

    def _newton(self, start: Sequence[Any], rows: Array, columns: Array) -> list[Any] | None:
        x = [v.mid() for v in start]
        for _ in range(14):
            values = objects([*self.closure.rows(x), *self.closure.related(x)])[rows]
            step = (
                matrix_of(self.closure.jacobian(x, related=True)[np.ix_(rows, columns)]).mid().inv()
                * matrix_of(values.reshape(-1, 1))
                if len(rows)
                else None
            )
            if step is None:
                return x
            for i, s in zip(columns, step.entries(), strict=True):
                x[i] = (x[i] - s).mid()
            if all(bool(abs(s) < arb_of(10) ** (6 - self.evidence.digits)) for s in step.entries()):
                return x
            if not all(bool(abs(s) < 0.5) for s in step.entries()):  # it left for good
                return None
        return None
