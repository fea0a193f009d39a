"""Bounds at a singular posture from the functions that are left over, for a checker: arcs, isolated points, surfaces.

isolated      on the plane of motions a row has no real branch, by blowing up points
not zero      a row that is not zero leaves one dimension less
branch        a row (or a derivative of it, of a multiple curve) has a branch, and all rows vanish at points of it
surface       a row has both signs around the posture, so that its zeros separate them; all rows vanish at points
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dalembert.loops.anew import arb_of, floats_of
from dalembert.loops.germs import Way, derivative, ways
from dalembert.loops.leftover import LeftOver

Array = Any
Terms = Mapping[tuple[int, int], Any]

#: Powers that are looked at.
ORDER = 12
_ORDERS = (4, 8, ORDER)
#: Places on a branch in its last chart: no round numbers, each a third of the one before, until two points close.
_PLACES = tuple(0.1713 / 3**i for i in range(40))
#: Points further than this from the posture, in units in which no coefficient is larger than the first, are too far.
_FAR = 0.1
#: A direction of no symmetry, in which multiple curves are differentiated, and how often.
_ASIDE, _MULTIPLE = (2, 5), 4
#: Steps of the secant method, which gains a factor of 1.6 in digits with each.
_SECANT = 18
#: Directions from eigenvectors are rounded to whole numbers of this size.
_WHOLE = 12
#: Planes that are tried: directions of both signs, this many times, and a random part of at most 9 in each component.
_PLANES, _TILT = 5, 20


def isolated(left: LeftOver) -> bool:
    """Whether some row has no real zero but the posture, on the plane of motions."""
    first, second = np.eye(2, dtype=int)
    for order in _ORDERS:
        for _, terms in left.on_plane(first, second, order):
            found, complete = ways(_in_units(terms)[0], order + 1, left.zero)
            if complete and not found:
                return True
    return False


def _in_units(terms: Terms) -> tuple[dict[tuple[int, int], Any], Any]:
    """The polynomial in units of the variables and of itself in which no coefficient is larger than the first ones."""
    lowest = min(a + b for a, b in terms)
    sizes = {p: float(abs(c).mid().log()) for p, c in terms.items()}
    first = max(s for p, s in sizes.items() if sum(p) == lowest)
    unit = min(((first - s) / (sum(p) - lowest) for p, s in sizes.items() if sum(p) > lowest), default=0.0)
    scale, whole = arb_of(unit).exp().mid(), arb_of(first).exp().mid()
    return {p: c * scale ** (sum(p) - lowest) / whole for p, c in terms.items()}, scale


def not_zero(left: LeftOver, seed: int = 4) -> bool:
    """Whether a row is not zero on the space of motions: a coefficient along a line leaves zero out."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        values = left.along([int(c) for c in rng.integers(1, 8, left.k)], ORDER)
        if any(not left.zero(v) and not v.contains(0) for v in values.ravel()):
            return True
    return False


def branch(left: LeftOver) -> bool:
    """Whether a branch of a row, on the plane of motions, leaves the posture and closes."""
    first, second = np.eye(2, dtype=int)
    for order in _ORDERS:
        for row, terms in left.on_plane(first, second, order)[:4]:
            for times in range(_MULTIPLE):
                if _on_plane(left, row, terms, order, (first, second), times):
                    return True
    return False


def surface(left: LeftOver, seed: int = 9) -> bool:
    """Whether the zeros of a row separate its signs in every ball around the posture, and close where they are met.

    They are met on two planes at random angles, between directions of both signs: on a plane of general place there is
    no arc of anything smaller than a hypersurface.
    """
    signs = _signs(left)
    if signs is None:
        return False
    row, up, down = signs
    rng = np.random.default_rng(seed)
    met = 0
    for _ in range(_PLANES):
        plane = (_TILT * up + rng.integers(-9, 10, left.k), _TILT * down + rng.integers(-9, 10, left.k))
        if np.linalg.matrix_rank(np.stack(plane)) < 2 or [_sign(left, row, d) for d in plane] != [1, -1]:
            continue
        for order in _ORDERS:
            terms = dict(left.on_plane(*plane, order)).get(row)
            if terms and _on_plane(left, row, terms, order, plane, 0):
                met += 1
                break
        if met == 2:
            return True
    return False


def _on_plane(left: LeftOver, row: int, terms: Terms, order: int, plane: tuple[Array, Array], times: int) -> bool:
    """Whether a branch of a row, differentiated some times, leaves the posture in a plane, and two of its points close.

    It exists by its germ; the rows are analytic on it, and a random point is no zero of one that is not zero.
    """
    curve = derivative(terms, _ASIDE, times) if times else terms
    curve = {p: c for p, c in curve.items() if not left.zero(c)}
    if not curve:
        return False
    in_units, unit = _in_units(curve)
    found, _ = ways(in_units, order + 1 - times, left.zero)
    aside = [int(_ASIDE[0] * a + _ASIDE[1] * b) for a, b in zip(*plane, strict=True)]
    value = left.value_of(row, aside, times)
    return any(_closes(left, way, curve, unit, value, plane) for way in found)


def _closes(
    left: LeftOver, way: Way, curve: Terms, unit: Any, value: Callable[..., Any], plane: tuple[Array, Array]
) -> bool:
    met = 0
    near = min(unit, arb_of(1), key=float)  # an angle, or a length as large as the machine, is far, too
    for place in _PLACES:
        start = way.at(arb_of(place))
        begin = tuple((unit * c).mid() for c in start)
        if not all(bool(abs(c) < _FAR * near) for c in begin):
            continue
        end = _root(left, begin, curve, value, plane)
        if end is None or not way.keeps(start, tuple(c / unit for c in end[0])):
            continue
        if not left.closes(end[1]):
            return False
        met += 1
        if met == 2:
            return True
    return False


def _root(
    left: LeftOver, start: tuple[Any, Any], curve: Terms, value: Callable[..., Any], plane: tuple[Array, Array]
) -> tuple[tuple[Any, Any], list[Any]] | None:
    """The zero of a function of the plane beside a point, along the axis on which it grows faster; secant method."""
    slopes = [
        sum((p[i] * c * start[i] ** (p[i] - 1) * start[1 - i] ** p[1 - i] for p, c in curve.items() if p[i]), arb_of(0))
        for i in (0, 1)
    ]
    axis = 0 if abs(float(slopes[0].mid())) > abs(float(slopes[1].mid())) else 1

    def at(s: Any) -> tuple[Any, Any]:
        return (start[0] + s, start[1]) if axis == 0 else (start[0], start[1] + s)

    def function(s: Any) -> tuple[Any, Any]:
        a, b = at(s)
        return value([a * int(u) + b * int(v) for u, v in zip(*plane, strict=True)])

    before = arb_of(0)
    x, old = function(before)
    if old is None or slopes[axis].contains(0):
        return None
    s = (-old / slopes[axis]).mid()
    for _ in range(_SECANT):
        x, new = function(s)
        if new is None:
            return None
        if (new - old).contains(0) or (left.zero(s - before) and left.zero(new)):
            return at(s), x
        before, old, s = s, new, (s - new * (s - before) / (new - old)).mid()
    return None


def _sign(left: LeftOver, row: int, direction: Array) -> int:
    """The sign of a row along a direction, near the posture, which is that of its first coefficient; 0 if not clear."""
    values = left.along([int(c) for c in direction], ORDER // 2)[row]
    first = next((c for c in values if not left.zero(c)), None)
    return 0 if first is None or first.contains(0) else 1 if bool(first > 0) else -1


def _signs(left: LeftOver) -> tuple[int, Array, Array] | None:
    """A row with a direction along which it is positive, and one along which it is negative, near the posture."""
    found: dict[int, dict[int, Array]] = {}
    for direction in _directions(left):
        for d in (direction, -direction):
            values = left.along([int(c) for c in d], ORDER // 2)
            for row in left.others:
                first = next((c for c in values[row] if not left.zero(c)), None)
                if first is not None and not first.contains(0):
                    signs = found.setdefault(int(row), {})
                    signs[1 if bool(first > 0) else -1] = d
                    if len(signs) == 2:
                        return int(row), signs[1], signs[-1]
    return None


def _directions(left: LeftOver, seed: int = 6) -> Iterator[Array]:
    """Eigenvectors of some forms, rounded, axes, then random ones."""
    for form in left.forms()[:_PLANES]:
        vectors = np.linalg.eigh(floats_of(form))[1]
        yield from (np.round(_WHOLE * vectors[:, i]).astype(int) for i in (0, -1))
    yield from np.eye(left.k, dtype=int)
    rng = np.random.default_rng(seed)
    yield from (d for d in rng.integers(-3, 4, size=(4 + 4 * left.k, left.k)) if d.any())
