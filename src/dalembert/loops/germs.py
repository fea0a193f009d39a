"""Real half-branches of g(x, y) = 0 at the origin by blowing up points, for a checker: no polygon of Newton is asked.

A half-branch has a tangent, and the part g_n of lowest degree n vanishes along it. In the chart y = x (m + z) around a
real root m the curve goes on at the origin of g(x, x (m + z)) / x^n = 0. A simple root has exactly one branch (implicit
function theorem). Where no real root is met at last, the origin is isolated. Roots are sought by halving intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any

Terms = Mapping[tuple[int, int], Any]
Zero = Callable[[Any], bool]
Interval = tuple[Any, Any]

#: Halvings at which intervals that may hold a root are looked at, while they are less than a third of the digits.
_HALVINGS = (8, 24, 48, 96, 192, 384)
#: Points whose places in the last chart differ by less, beside them, are on one branch: it is smooth there.
_NEAR = 0.3
#: Steps of Newton from an interval or chart in which the root is the only one: digits double.
_NEWTON = 14
#: Intervals around roots: the zeros of a polynomial of degree twelve have some four each.
_MOST = 200


@dataclass(frozen=True, slots=True)
class Way:
    """A branch: the charts (swapped or not, m) that lead to it, and the curve in the last, smooth and across x = 0."""

    steps: tuple[tuple[bool, Any], ...]
    last: Terms

    def at(self, t: Any) -> tuple[Any, Any]:
        """The point of the branch, up to terms that are not known, whose last chart has x = t."""
        x, z = t, 0 * t
        for _ in range(_NEWTON):
            value = sum((c * x**a * z**b for (a, b), c in self.last.items()), 0 * t)
            slope = sum((b * c * x**a * z ** (b - 1) for (a, b), c in self.last.items() if b), 0 * t)
            z = (z - value.mid() / slope.mid()).mid()
        for swapped, m in reversed(self.steps):
            x, z = (x * (m.mid() + z), x) if swapped else (x, x * (m.mid() + z))
        return x.mid(), z.mid()

    def keeps(self, start: tuple[Any, Any], end: tuple[Any, Any]) -> bool:
        """Whether two points are near each other in the last chart: on the same branch."""
        (x, z), (u, w) = self._in_chart(start), self._in_chart(end)
        return bool(abs(u - x) < _NEAR * abs(x)) and bool(abs(w - z) < _NEAR * (abs(z) + abs(x)))

    def _in_chart(self, point: tuple[Any, Any]) -> tuple[Any, Any]:
        x, z = point
        for swapped, m in self.steps:
            x, z = (z, x / z - m.mid()) if swapped else (x, z / x - m.mid())
        return x, z


def ways(terms: Terms, known: int, zero: Zero) -> tuple[list[Way], bool]:
    """Branches through the origin, and whether there are no others.

    `terms` are those below degree `known` (later: below that power of x), without those that are zero.
    """
    lowest = min((a + b for a, b in terms), default=known)
    if lowest >= known:
        return [], False
    found: list[Way] = []
    complete = True
    for swapped in (False, True):
        nothing = 0 * next(iter(terms.values()))
        form = [terms.get((lowest - b, b), nothing) for b in range(lowest + 1)]
        roots = real_zeros(form[::-1] if swapped else form, zero)
        if roots is None:
            complete = False
            continue
        for m, multiplicity in roots:
            if swapped and bool(abs(m) > 1 - 2.0 ** -_HALVINGS[0] / 2):  # the other chart has it
                continue
            deeper = _blown_up(terms, known, lowest, swapped, m, zero)
            if multiplicity == 1:
                found.append(Way(((swapped, m),), deeper))
                continue
            inside, all_known = ways(deeper, known - lowest, zero)
            complete = complete and all_known
            found += [Way(((swapped, m), *way.steps), way.last) for way in inside]
    return found, complete


def derivative(terms: Terms, direction: tuple[int, int], order: int) -> dict[tuple[int, int], Any]:
    """Coefficient of t^order in g(x + t u, y + t v)."""
    u, v = direction
    found: dict[tuple[int, int], Any] = {}
    for (a, b), c in terms.items():
        for i in range(max(0, order - b), min(a, order) + 1):
            j = order - i
            weight = comb(a, i) * comb(b, j) * u**i * v**j
            found[a - i, b - j] = found.get((a - i, b - j), 0 * c) + c * weight
    return found


def _blown_up(terms: Terms, known: int, lowest: int, swapped: bool, m: Any, zero: Zero) -> dict[tuple[int, int], Any]:
    found: dict[tuple[int, int], Any] = {}
    for (a, b), c in terms.items():
        power, other = a + b - lowest, a if swapped else b
        if power < known - lowest:
            for j in range(other + 1):
                found[power, j] = found.get((power, j), 0 * c) + c * comb(other, j) * m ** (other - j)
    return {key: c for key, c in found.items() if not zero(c)}


def real_zeros(coefficients: Sequence[Any], zero: Zero) -> list[tuple[Any, int]] | None:
    """Zeros on [-1, 1] with multiplicities of a polynomial in balls, low powers first; None when not decided."""
    from flint import arb, arb_poly, ctx

    largest = max((abs(c).mid() for c in coefficients), key=float)
    p = arb_poly([c / largest for c in coefficients])
    edge = 1 + arb(2) ** -_HALVINGS[0]
    intervals = [(-edge, edge)]
    found: list[tuple[Any, int]] = []
    for halvings in [h for h in _HALVINGS if h <= ctx.prec / 3]:
        width = arb(2) ** -halvings
        intervals, left = _clusters(_suspects(p, intervals, width)), []
        for low, high in intervals:
            roots = _judged(p, low - width, high + width, zero)
            if roots is None:
                left.append((low, high))
            else:
                found += roots
        if not left:
            return found
        intervals = left
    return None


def _suspects(p: Any, intervals: list[Interval], width: Any) -> list[Interval]:
    """Intervals of a width or less that may hold a zero, in order; ends are exact."""
    waiting, found = list(reversed(intervals)), []
    while waiting:
        low, high = waiting.pop()
        if _nowhere(p, low, high):
            continue
        middle = (low + high) / 2
        if bool(high - low <= width):
            found.append((low, high))
        elif len(found) > _MOST:  # no root has so many neighbours: coefficients are not known well enough
            return intervals
        else:
            waiting += [(middle, high), (low, middle)]
    return found


def _clusters(intervals: list[Interval]) -> list[Interval]:
    """Neighbours together."""
    if not intervals:
        return []
    found, low = [], intervals[0][0]
    for (_, end), (begin, _) in pairwise(intervals):
        if bool(begin > end):
            found.append((low, end))
            low = begin
    return [*found, (low, intervals[-1][1])]


def _nowhere(p: Any, low: Any, high: Any) -> bool:
    return bool(_least(p, low, high) > 0)


def _least(p: Any, low: Any, high: Any) -> Any:
    """What |p| is at least on an interval, when it is positive: Taylor's form around its middle."""
    from flint import arb, arb_poly

    middle, reach = (low + high) / 2, (high - low) / 2
    taylor = p(arb_poly([middle, 1])).coeffs() or [arb(0)]
    spread, power = arb(0), arb(1)
    for c in taylor[1:]:
        power = power * reach
        spread = spread + abs(c) * power
    return (abs(taylor[0]) - spread).lower()


def _judged(p: Any, low: Any, high: Any, zero: Zero) -> list[tuple[Any, int]] | None:
    """The one zero in an interval, or none; None when that is not clear.

    Where the derivative of order k is the first that leaves zero out, the one before has one zero at most: it is a zero
    of multiplicity k when all those before vanish there.
    """
    from flint import arb

    derivatives = [p]
    while not _nowhere(derivatives[-1], low, high):
        if derivatives[-1].degree() < 1:
            return None
        derivatives.append(derivatives[-1].derivative())
    multiplicity = len(derivatives) - 1
    if not multiplicity:
        return []
    before = derivatives[-2]
    ends = [before(v) for v in (low, high)]
    if any(v.contains(0) for v in ends):
        return None
    if bool(ends[0] > 0) == bool(ends[1] > 0):  # the one before is monotonous, without a zero
        return [] if multiplicity == 1 else None
    root = ((low + high) / 2).mid()
    for _ in range(_NEWTON):
        root = (root - before(root).mid() / derivatives[-1](root).mid()).mid()
        if not bool(root > low) or not bool(root < high):
            return None
    # mean value theorem: the zero is no further than the value over the least slope
    root = arb(root, (abs(before(root)) / _least(derivatives[-1], low, high)).upper())
    if all(zero(d(root)) for d in derivatives[:-1]):
        return [(root, multiplicity)]
    return None
