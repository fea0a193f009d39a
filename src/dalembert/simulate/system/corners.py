"""Instants at which equations have a corner or a jump that time alone decides: a force that begins at t = 2.

    max(t - t0, 0), abs(t - t0), sign(t - t0), where(t < t0, ...)   has one at t0

A step may reach over a push that begins and ends between two instants at which a method asks, and the motion then
never hears of it: a machine at rest takes steps as long as its whole span. A step that ends at every such instant, and
a short one after it, meets what begins there. None is missed, and too many are refused: between corners a switching
function and its slope are bounded on pieces, which are halved until each has one zero at most. Corners that the state
decides are found by the error of the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.expr.spread import spread
from dalembert.simulate.system.on_demand import made_of
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]
Corners = Callable[[ArrayLike, tuple[float, float]], tuple[float, ...]]

_CORNERS = {"abs": 1, "sign": 1, "max": 2, "min": 2, "lt": 2, "le": 2}
"""Operations with a corner or a jump, and how many arguments decide where."""
_FIRST, _PIECES = 64, 1 << 18
"""Of a span on which a switching function is no straight line: pieces to begin with, and at most."""
_UNBOUNDED = 1 << 12
"""Pieces at most of a function that nothing is known about."""
_HALVINGS = 60
"""From any length of time to the next double."""
_STRAIGHT = 64 * float(np.finfo(float).eps)
"""Rounding of a few operations: what is off a straight line by this share of its size is on it."""
MOST = 100_000
"""Instants of one span: a motion that stops at more takes minutes, and a law that switches so quickly is its mean."""
_SHORTER = 24
"""Halvings after which no shorter span is told: in a millionth of the span there are too many still."""


def corners_of(system: System) -> Corners | None:
    """Corners of a system by its parameters and a span; None where it has none."""
    return system.kept("corners", lambda: _corners(system))


def _corners(system: System) -> Callable[[ArrayLike, tuple[float, float]], tuple[float, ...]] | None:
    rates, held = list(made_of(system.rates)), system.constrained
    if held is not None:  # a law whose own rate jumps has no acceleration that tells it
        rates += [*held.rows.conditions, *([*held.right, *held.rows.gamma] if system.large else [])]
    rates += [x for one in system.contacts for x in (one.rate, *(slip.value for slip in one.slips))]
    functions = switching(rates, system.symbols)
    if not functions:
        return None
    used = {x.name for x in ex.free_symbols(functions)}
    places = [(k, name) for k, name in enumerate(system.known_parameters) if name in used]

    @lru_cache(maxsize=1024)
    def found(numbers: tuple[float, ...], span: tuple[float, float]) -> tuple[float, ...]:
        return instants(functions, {name: x for (_, name), x in zip(places, numbers, strict=True)}, span)

    def corners(parameters: ArrayLike, span: tuple[float, float]) -> tuple[float, ...]:
        numbers = np.ravel(np.asarray(parameters, dtype=float))
        return found(tuple(float(numbers[k]) for k, _ in places), span)

    return corners


def switching(exprs: Sequence[Expr], states: Sequence[Expr]) -> list[Expr]:
    """What changes its sign where an expression has a corner that time decides; operands before what uses them."""
    moving, timed, found = {*states}, {ex.TIME}, dict[Expr, None]()
    for e in ex.topological(exprs):
        if not e.args:
            continue
        if e.op == "apply" or not moving.isdisjoint(e.args):
            moving.add(e)
        elif not timed.isdisjoint(e.args):
            timed.add(e)
        if _CORNERS.get(e.op) == 1 and e.args[0] in timed and e.args[0] not in moving:
            found[e.args[0]] = None
        elif _CORNERS.get(e.op) == 2 and moving.isdisjoint(e.args) and e in timed:
            found[e.args[0] - e.args[1]] = None
    return list(found)


def instants(
    functions: Sequence[Expr], parameters: Mapping[str, float], span: tuple[float, float]
) -> tuple[float, ...]:
    """When switching functions are zero inside a span, in the order in which a motion meets them.

    More than `MOST` of them are refused, with the length of a span that has fewer.

    >>> instants([ex.parse("t - a"), ex.parse("abs(t - 2) - 0.5")], {"a": 2.0}, (0.0, 10.0))
    (1.5, 2.0, 2.5)
    """
    try:
        return _instants(functions, parameters, span)
    except _TooMany as many:
        raise SimulationError(_told(many, functions, parameters, span)) from None


class _TooMany(Exception):
    """More instants than are followed one by one: of which function, and how many at least."""

    def __init__(self, function: Expr, count: int) -> None:
        super().__init__(function, count)
        self.function, self.count = function, count


def _told(many: _TooMany, functions: Sequence[Expr], parameters: Mapping[str, float], span: tuple[float, float]) -> str:
    """What to do: a span short enough."""
    text = f"{many.function}"
    text = text if len(text) <= 80 else text[:77] + "..."
    said = (
        f"a law in time switches {'more than ' if many.count == MOST else ''}{many.count:,} times in this span (zeros "
        f"of {text}), and steps stop at {MOST:,} of such instants at most. "
    )
    length = span[1] - span[0]
    for _ in range(_SHORTER):
        length /= 2
        try:
            _instants(functions, parameters, (span[0], span[0] + length))
        except _TooMany:
            continue
        said += f"Take spans of {abs(length):.3g}, each from the end of the last, or let"
        return f"{said} the law be its mean over many switches."
    return f"{said}Let the law be its mean over many switches."


def _instants(
    functions: Sequence[Expr], parameters: Mapping[str, float], span: tuple[float, float]
) -> tuple[float, ...]:
    low, high = min(span), max(span)
    numbers = {ex.symbol(name): value for name, value in parameters.items()}
    found: list[float] = []
    for function in functions:
        ends, size = [low, *sorted(found), high], _size(function, numbers, low, high)
        for begin, end in pairwise(ends):
            found += _zeros(function, numbers, begin, end, size)
        found = sorted({t for t in found if low < t < high})
        if len(found) > MOST:
            raise _TooMany(function, len(found))
    return tuple(found if span[1] > span[0] else found[::-1])


def _size(function: Expr, numbers: Mapping[Expr, float], low: float, high: float) -> float:
    """How large a switching function becomes in a span, about: what its rounding is a part of."""
    t = np.linspace(low, high, _FIRST + 1)
    with np.errstate(all="ignore"):
        values = np.abs(np.asarray(ex.evaluate([function], {**numbers, ex.TIME: t})[0], dtype=float))
    return float(np.max(values, where=np.isfinite(values), initial=0.0))


def _zeros(function: Expr, numbers: Mapping[Expr, float], begin: float, end: float, size: float) -> list[float]:
    """Zeros on a piece without corners below it, its ends left out."""

    def values(t: Array) -> Array:
        return np.broadcast_to(np.asarray(ex.evaluate([function], {**numbers, ex.TIME: t})[0], dtype=float), t.shape)

    t = begin + (end - begin) * np.array([0.25, 0.5, 0.75])
    a, b, c = values(t)
    if not np.isfinite([a, b, c]).all():
        return []
    if abs(a - 2 * b + c) <= _STRAIGHT * (abs(a) + 2 * abs(b) + abs(c)):
        zero = t[1] + (b / (a - c) * (t[2] - t[0]) if a != c else np.inf)
        if not begin < zero < end:
            return []
        about = _STRAIGHT * max(abs(begin), abs(end))
        left, right = np.array([zero - about]), np.array([zero + about])
    else:
        left, right = _single(function, numbers, begin, end, size)
    signs, others = np.sign(values(left)), np.sign(values(right))
    touched = [*left[signs == 0], *right[others == 0]]
    places = np.flatnonzero(signs * others < 0)
    left, right, sign = left[places], right[places], signs[places]
    for _ in range(_HALVINGS if len(places) else 0):
        middle = (left + right) / 2
        below = np.sign(values(middle)) == sign
        left, right = np.where(below, middle, left), np.where(below, right, middle)
    return [*map(float, touched), *right.tolist()]


def _single(
    function: Expr, numbers: Mapping[Expr, float], begin: float, end: float, size: float
) -> tuple[Array, Array]:
    """Pieces with one zero at most, where there may be one: the value and its slope are bounded on each, else it is
    halved. What is not decided when they are as short as rounding is kept, and what nothing is known of."""
    bounds, radius = _bounds(function)

    def told(left: Array, right: Array) -> list[Array]:
        at = {**numbers, ex.TIME: (left + right) / 2, radius: (right - left) / 2}
        with np.errstate(all="ignore"):
            return [np.broadcast_to(np.asarray(x, dtype=float), left.shape) for x in ex.evaluate(bounds, at)]

    edges = np.linspace(begin, end, _FIRST + 1)
    left, right = edges[:-1], edges[1:]
    single, flat = [(left[:0], right[:0])], [(left[:0], right[:0])]
    shortest, most = _STRAIGHT * max(abs(begin), abs(end)), _PIECES
    while len(left):
        value, slope, far, bent = told(left, right)
        if not (far < 1e299).any():  # nothing is known of it
            most = _UNBOUNDED
        open_, steep, short = ~(np.abs(value) > far), np.abs(slope) > bent, right - left <= shortest
        with np.errstate(all="ignore"):  # two bounds of how far it strays: of its terms, and by its slope
            strays = np.fmin(far, (np.abs(slope) + bent) * (right - left) / 2)
            rounding = open_ & ~steep & (np.abs(value) + strays <= _STRAIGHT * size)
        at_zero, one = rounding & short, open_ & (steep | short) & ~(rounding & short)
        rest = open_ & ~steep & ~short
        if sum(len(a) for a, _ in single) + one.sum() + 2 * rest.sum() > most:
            at_zero, rest = rounding, rest & ~rounding
        flat.append((left[at_zero], right[at_zero]))
        single.append((left[one], right[one]))
        left, right = left[rest], right[rest]
        if sum(len(a) for a, _ in single) + 2 * len(left) > most:
            if most == _PIECES:
                raise _TooMany(function, MOST)
            single.append((left, right))
            break
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    single.append(_stretches(*map(np.concatenate, zip(*flat, strict=True))))
    return np.concatenate([a for a, _ in single]), np.concatenate([b for _, b in single])


def _stretches(left: Array, right: Array) -> tuple[Array, Array]:
    """Neighbouring pieces on which a function is rounding, in parts of its size, are one: it has one zero there, or
    none (t - sin(t) at t = 0, exp(-t) after hours)."""
    order = np.argsort(left)
    left, right = left[order], right[order]
    apart = left[1:] != right[:-1]
    first, last = (np.concatenate(x) for x in (([True], apart), (apart, [True])))
    return (left[first], right[last]) if len(left) else (left, right)


@lru_cache(maxsize=256)
def _bounds(function: Expr) -> tuple[list[Expr], Expr]:
    """Value and slope of a function of time in the middle of a piece, how far they stray on it, and its half length."""
    radius = ex.symbol("half of a piece")
    (slope,) = ex.tangent([function], {ex.TIME: ex.ONE})
    return [function, slope, *spread([function, slope], {ex.TIME: radius})], radius
