"""Points at which formulas are compared: of all sizes, where every root is real, and on both sides of every corner."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import ctx, fmpq  # type: ignore[import-untyped]

from ._balls import COARSE, Point, Program

_SIZES = (1.3, 1.3, 3.0, 1.3, 1.3, 12.0)
"""Decades to either side of one, in turn: sizes of a formula in good units, then what far corners may need."""

_TO_ENDS = (1.3, 2.2, 3.1, 4.0, 6.0, 8.0)
"""Decades of a range within which its ends are looked at: what is said a little too far fails in a sliver there."""
_CORNERS = 8
"""Corners of a box of ranges that are looked at, at most."""

_REPAIRS = 20
"""Names drawn anew until every root is real, before a point is given up."""


def _exact(value: float) -> fmpq:
    number = Fraction(value)
    return fmpq(number.numerator, number.denominator)


def draw(symbol: sp.Symbol, seed: random.Random, ranges: Mapping[str, Any], decades: float = _SIZES[0]) -> fmpq:
    """A value of a name: in its stated range, positive, or of either sign."""
    if symbol.name in ranges:
        low, high = (float(x) for x in ranges[symbol.name])
        return _exact(low + (high - low) * (0.002 + 0.996 * seed.random()))
    value = 10 ** seed.uniform(-decades, decades)
    return _exact(value if symbol.is_positive or seed.random() < 0.5 else -value)


class Sampler:
    """Random points for some names that make every formula of `positive` positive, and cross those of `corners`."""

    def __init__(
        self,
        symbols: Sequence[sp.Symbol],
        positive: Sequence[sp.Expr],
        corners: Sequence[sp.Expr],
        ranges: Mapping[str, Any],
        seed: int = 20,
    ) -> None:
        self.symbols, self.ranges = list(symbols), ranges
        self.random = random.Random(seed)
        self._guards = [(g, sorted(g.free_symbols, key=str)) for g in positive]
        self._program = Program([g for g, _ in self._guards]) if self._guards else None
        self._lines = [line for g in (*corners, *positive) for line in self._linear(g)]
        self._ends = list(self._near_ends())

    @property
    def ends(self) -> int:
        """The number of points near the ends of ranges, which come first."""
        return len(self._ends)

    def _near_ends(self) -> Iterator[dict[sp.Symbol, fmpq]]:
        bounded = [s for s in self.symbols if s.name in self.ranges]
        sides = list(itertools.product((0, 1), repeat=len(bounded))) if 0 < len(bounded) < 12 else []
        for side in self.random.sample(sides, min(len(sides), _CORNERS)):
            for decades in _TO_ENDS:
                point = {}
                for s, top in zip(bounded, side, strict=True):
                    low, high = (Fraction(float(x)) for x in self.ranges[s.name])
                    inside = (high - low) * Fraction(10 ** (-decades) * self.random.uniform(0.5, 1))
                    value = high - inside if top else low + inside
                    point[s] = fmpq(value.numerator, value.denominator)
                yield point

    def points(self, count: int) -> Iterator[Point]:
        """At most `count` points; those near the ends of ranges first, then every other one near a corner."""
        for fixed in self._ends:
            point = {s: draw(s, self.random, self.ranges) for s in self.symbols} | fixed
            repaired = self._repaired(point)
            if repaired is not None:
                yield repaired
        for i in range(count):
            point = {s: draw(s, self.random, self.ranges, _SIZES[i % len(_SIZES)]) for s in self.symbols}
            if self._lines and i % 2 == 0:
                point = self._across(point, self._lines[(i // 2) % len(self._lines)])
            repaired = self._repaired(point)
            if repaired is not None:
                yield repaired

    def _linear(self, g: sp.Expr) -> list[tuple[sp.Symbol, Program, sp.Symbol]]:
        """Names on which a formula depends linearly: there its zero is known."""
        found = []
        for x in sorted(g.free_symbols, key=str):
            slope = sp.diff(g, x)
            if x.name not in self.ranges and slope != 0 and not slope.has(x) and not g.has(sp.Integral):
                found.append((x, Program([slope, g.xreplace({x: sp.Integer(0)})]), x))
        return found

    def _across(self, point: dict[sp.Symbol, fmpq], line: tuple[sp.Symbol, Program, sp.Symbol]) -> Any:
        x, program, _ = line
        try:
            with ctx.workprec(COARSE):
                slope, rest = (float(v) for v in program(point))
            zero = -rest / slope
            value = zero + (abs(zero) or 1.0) * self.random.choice((-1, 1)) * 10 ** self.random.uniform(-2, 1)
            if abs(value) < 1e300 and not (x.is_positive and value <= 0):
                return {**point, x: _exact(value)}
        except (ArithmeticError, ValueError, TypeError):
            pass
        return point

    def _repaired(self, point: dict[sp.Symbol, fmpq]) -> Point | None:
        """The point, with names drawn anew where a root would not be real."""
        if self._program is None:
            return point
        for _ in range(_REPAIRS):
            with ctx.workprec(COARSE):
                try:
                    values = self._program(point)
                except (ArithmeticError, ValueError, TypeError):
                    return None
            bad = [names for (_, names), v in zip(self._guards, values, strict=True) if not v > 0 and names]
            if not bad:
                return point
            name = self.random.choice(self.random.choice(bad))
            point = {**point, name: draw(name, self.random, self.ranges, self.random.choice(_SIZES[:3]))}
        return None


def sample(symbols: Iterable[sp.Symbol], seed: random.Random, ranges: Mapping[str, Any]) -> dict[sp.Symbol, Any]:
    """One random point, as SymPy numbers."""
    found = {s: draw(s, seed, ranges) for s in symbols}
    return {s: sp.Rational(int(v.p), int(v.q)) for s, v in found.items()}
