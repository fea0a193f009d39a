"""Bounds at a singular posture from the functions that are left over, for a checker: arcs, isolated points, surfaces.

isolated      on the plane of motions a row has no real branch, by blowing up points
not zero      a row that is not zero leaves one dimension less
branch        a row (or a derivative of it, of a multiple curve) has a branch, and all rows vanish at points of it
surface       a row has both signs around the posture, so that its zeros separate them; all rows vanish at points
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
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
#: Forms whose eigenvectors are tried for signs; segments across; steps of the false position.
_FORMS, _SEGMENTS, _ILLINOIS = 5, 6, 120
#: Halvings of a distance until a row has the sign that its series tells.
_HALVINGS = 200


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

    Along two lines the row has different signs, however near. They are parted where random segments from one to the
    other cross: what is met by a segment of general place is a hypersurface.
    """
    signs = _signs(left)
    if signs is None:
        return False
    row, lines = signs
    rng = np.random.default_rng(seed)
    value = left.value_of(row, (), 0)
    return all(any(_crossed(left, value, lines, t, rng) for _ in range(_SEGMENTS)) for t in _nearer(value, lines))


def _nearer(value: Callable[..., Any], lines: tuple[Array, Array]) -> list[Any]:
    """Two distances at which the row has its signs along the lines, one a quarter of the other."""
    for halvings in range(2, _HALVINGS):
        t = arb_of(2) ** -halvings / max(int(np.abs(d).max()) for d in lines)
        if all(_has_sign(value([t * int(c) for c in d])[1], sign) for d, sign in zip(lines, (1, -1), strict=True)):
            return [t / 3, t / 13]
    return [arb_of(0)]


def _has_sign(value: Any, sign: int) -> bool:
    return value is not None and bool(sign * value > 0)


def _crossed(left: LeftOver, value: Callable[..., Any], lines: tuple[Array, Array], t: Any, rng: Any) -> bool:
    """Whether a zero of the row on a segment between points beside the lines closes."""
    from flint import ctx

    ends = []
    for d, sign in zip(lines, (1, -1), strict=True):
        aside = rng.normal(size=left.k)
        for halvings in range(3, _HALVINGS):
            point = [t * (int(c) + arb_of(2) ** -halvings * float(a)) for c, a in zip(d, aside, strict=True)]
            height = value(point)[1]
            if _has_sign(height, sign):
                ends.append((point, height))
                break
        else:
            return False
    (start, high), (end, low) = ends
    above, below, last, side = arb_of(0), arb_of(1), arb_of(2), 0
    for _ in range(_ILLINOIS):  # the false position; the value at an end that stays twice is taken by half
        s = (above + (below - above) * high.mid() / (high.mid() - low.mid())).mid()
        x, height = value([(1 - s) * a + s * b for a, b in zip(start, end, strict=True)])
        if height is None:
            return False
        if height.contains(0) or bool(abs(s - last) < arb_of(10) ** (8 - ctx.dps)):
            return left.closes(x)
        last = s
        if bool(height > 0):
            above, high, low, side = s, height, low / 2 if side == 1 else low, 1
        else:
            below, low, high, side = s, height, high / 2 if side == -1 else high, -1
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


def _signs(left: LeftOver) -> tuple[int, tuple[Array, Array]] | None:
    """A row with a direction along which it is positive, and one along which it is negative, near the posture."""
    found: dict[int, dict[int, list[Array]]] = {}
    for direction in _directions(left):
        for d in (direction, -direction):
            values = left.along([int(c) for c in d], ORDER // 2)
            for row in left.others:
                first = next((c for c in values[row] if not left.zero(c)), None)
                if first is not None and not first.contains(0):
                    signs = found.setdefault(int(row), {})
                    signs.setdefault(1 if bool(first > 0) else -1, []).append(d)
                    for up, down in product(signs.get(1, ()), signs.get(-1, ())):
                        if np.linalg.matrix_rank(np.stack([up, down])) == 2:
                            return int(row), (up, down)
    return None


def _directions(left: LeftOver, seed: int = 6) -> Iterator[Array]:
    """Eigenvectors of some forms, rounded, axes, then random ones."""
    for form in left.forms()[:_FORMS]:
        vectors = np.linalg.eigh(floats_of(form))[1]
        yield from (np.round(_WHOLE * vectors[:, i]).astype(int) for i in (0, -1))
    yield from np.eye(left.k, dtype=int)
    rng = np.random.default_rng(seed)
    yield from (d for d in rng.integers(-3, 4, size=(4 + 4 * left.k, left.k)) if d.any())
