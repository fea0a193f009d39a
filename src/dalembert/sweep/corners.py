"""Where a formula has a corner between two instants: intervals are parted there, until a cubic follows it everywhere.

A formula of a state is smooth but where what stands in abs, sign, a root, min, max or a comparison vanishes. Intervals
where none of these comes near to zero stay as they are, unless it is a root, which is steep near its corner, too. The
zeros (of cubics) are the first cuts; a piece whose cubic misses the formula at its thirds is then cut there, again and
again. Two thirds see every corner and every jump: a cubic through both sides of a corner at s is right at 1/3
for s = 1/5 and 5/7 only, at 2/3 for 2/7 and 4/5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import Expr

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
#: A piece is cut until it is this share of an interval: 3^-22, below the error of any motion.
_DEPTH = 22
#: A cubic that misses by this share of what the formula runs through during the motion follows it.
_CLOSE = 1e-10
#: Intervals that miss by no more than some times what the better half of them does have no corner worth a cut: what
#: they miss is the change between instants, and the states between them are known no better.
_LIKE_OTHERS = 8.0
#: What stays farther from zero than this share of its way through an interval has no corner there: its cubic misses by
#: less where the instants tell the motion.
_NEAR = 0.1
#: Beside these corners a formula is as smooth as elsewhere.
_SHARP = frozenset({"abs", "sign", "min", "max", "lt", "le", "eq"})
#: Pieces that are looked at in one round, for each of the intervals: a formula that no cubic follows ends in lines.
_MOST = 8
_THIRDS = (1 / 3, 2 / 3)
#: How far from a corner its sides are looked at: the root of the rounding of a share, some times.
_SIDE = 1e-7


def corners(formulas: Sequence[Expr]) -> list[Expr]:
    """What must not vanish for each of the formulas to be smooth, each once.

    >>> x, y = ex.symbol("x"), ex.symbol("y")
    >>> corners([ex.absolute(x) + ex.maximum(x, y)])
    [x, x - y]
    """
    found = (_vanishing(node) for node in ex.topological(list(formulas)))
    return list(dict.fromkeys(e for e in found if e is not None))


def steep(formula: Expr) -> bool:
    """Is it a line nowhere near its corners, as a root is?"""
    return any(node.op not in _SHARP and _vanishing(node) is not None for node in ex.topological([formula]))


def _vanishing(node: Expr) -> Expr | None:
    if node.op in ("abs", "sign", "sqrt"):
        return node.args[0]
    if node.op in ("min", "max", "lt", "le", "eq"):
        return node.args[0] - node.args[1]
    whole = node.op == "pow" and node.args[1].op == "const" and type(node.args[1].data) is int
    if node.op == "atan2" or (node.op == "pow" and not whole):
        return node.args[0]  # atan2 jumps by a turn where its first argument passes zero
    return None


@dataclass(frozen=True)
class Pieces:
    """Cubics one after the other, a row for each case: lengths, values and slopes at both ends; padded by no length."""

    h: Array
    begin: Array
    end: Array
    slope: Array
    slope_end: Array
    turned: bool | NDArray[np.bool_] = False
    """Which are cut at their extremes, too: these are values of the formula then, not of a cubic near it."""

    @staticmethod
    def between(h: Array, values: Array, slopes: Array) -> Pieces:
        """A cubic for each interval; of a single instant, one of no length."""
        if not h.shape[1]:
            return Pieces(np.zeros_like(values), values, values, np.zeros_like(values), np.zeros_like(values))
        return Pieces(h, values[:, :-1], values[:, 1:], slopes[:, :-1], slopes[:, 1:])

    def some(self, which: NDArray[np.bool_]) -> Pieces:
        """Those that are chosen, in one row."""
        return Pieces(self.h[which], self.begin[which], self.end[which], self.slope[which], self.slope_end[which])

    def straight(self) -> Pieces:
        """Lines, which pass beside no corner farther than their ends."""
        with np.errstate(invalid="ignore", divide="ignore"):
            line = np.where(self.h != 0, (self.end - self.begin) / self.h, 0.0)
        return replace(self, slope=line, slope_end=line, turned=True)


Look = Callable[[Indices, Indices, Array], tuple[Array, Array]]
"""The formula and its slope in case c at the share s of its interval j."""


def coefficients(a: Array, b: Array, p: Array, q: Array) -> tuple[Array, Array]:
    """Of the cubic a + p s + c s^2 + d s^3 that ends at b with the slope q: c and d."""
    return 3 * (b - a) - 2 * p - q, p + q - 2 * (b - a)


def turns(p: Array, c: Array, d: Array) -> Array:
    """Shares, along a new first axis, where the slope of such cubics vanishes; the third serves where d is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(c * c - 3 * d * p)
        return np.stack([(-c - root) / (3 * d), (-c + root) / (3 * d), -p / (2 * c)])


def near_zero(pieces: Pieces) -> NDArray[np.bool_]:
    """Which cubics vanish, or come near to it."""
    a, b = pieces.begin, pieces.end
    with np.errstate(all="ignore"):
        reach = np.abs(b - a) + (np.abs(pieces.slope) + np.abs(pieces.slope_end)) * np.abs(
            pieces.h
        )  # no cubic goes farther
        found: NDArray[np.bool_] = np.minimum(np.abs(a), np.abs(b)) <= 2 * reach
        some = pieces.some(found)
        a, b, p, q = some.begin, some.end, some.slope * some.h, some.slope_end * some.h
        c, d = coefficients(a, b, p, q)
        s = turns(p, c, d)
        s = np.where((s > 0) & (s < 1), s, 0.0)
        seen = np.concatenate([[a, b], a + s * (p + s * (c + s * d))])
        low, high = seen.min(axis=0), seen.max(axis=0)
        found[found] = np.maximum(low, -high) <= _NEAR * (high - low)
    return found


def zeros(pieces: Pieces) -> Array:
    """Shares in (0, 1) of each piece where its cubic vanishes, NaN where not: up to three."""
    h, a, b = pieces.h, pieces.begin, pieces.end
    p, q = pieces.slope * h, pieces.slope_end * h
    c, d = coefficients(a, b, p, q)
    with np.errstate(all="ignore"):
        at = turns(p, c, d)
        at = np.sort(np.where((at > 0) & (at < 1), at, 1.0), axis=0)
        ends = np.concatenate([np.zeros((1, *h.shape)), at, np.ones((1, *h.shape))])
        found = np.full((len(ends) - 1, *h.shape), np.nan)
        for place, (low, high) in zip(found, pairwise(ends), strict=True):  # there a cubic has one zero or none
            f_low, f_high = (a + s * (p + s * (c + s * d)) for s in (low, high))
            some = f_low * f_high < 0
            x, y, f, (a_, p_, c_, d_) = low[some], high[some], f_low[some], (k[some] for k in (a, p, c, d))
            for _ in range(50):
                middle = (x + y) / 2
                left = f * (a_ + middle * (p_ + middle * (c_ + middle * d_))) < 0
                x, y = np.where(left, x, middle), np.where(left, middle, y)
            place[some] = (x + y) / 2
    return np.moveaxis(found, 0, -1)


def parted(whole: Pieces, among: NDArray[np.bool_], cuts: Array, look: Look) -> Pieces:
    """The pieces with some of them cut: a row of `cuts` for each of these are shares (or NaN) to begin with.

    Those that are not cut come first; what was cut follows them, so that reductions may not ask for an order.
    """
    intervals = whole.h.shape[1]
    c, j = (x.astype(np.int64) for x in np.nonzero(among))
    if not len(c):
        return whole
    flat = np.stack([x[among] for x in (whole.begin, whole.end, whole.slope, whole.slope_end)], axis=1)
    left, right = np.zeros(len(c)), np.ones(len(c))
    span, wanted = whole.h.ravel(), _MOST * len(flat)
    c, j, left, right, flat = _cut_at(c, j, left, right, flat, cuts, look, whole.h[among])
    close = np.maximum(_goal(whole), _LIKE_OTHERS * _usual(whole))
    done = list[tuple[Indices, Indices, Array, Array, Array]]()
    for _ in range(_DEPTH):
        length = (right - left) * span[c * intervals + j]
        flat = _sloped(flat, length)
        shares = [left + s * (right - left) for s in _THIRDS]
        seen = [look(c, j, s) for s in shares]
        missed = np.max([np.abs(f - _cubic(flat, length, s)) for s, (f, _) in zip(_THIRDS, seen, strict=True)], axis=0)
        more = (missed > close[c]) & (length != 0)
        done.append((c[~more], j[~more], left[~more], right[~more], flat[~more]))
        if not more.any() or 3 * more.sum() > wanted:
            c, j, left, right, flat = c[more], j[more], left[more], right[more], flat[more]
            break
        (f1, d1), (f2, d2) = ((f[more], d[more]) for f, d in seen)
        s1, s2 = (s[more] for s in shares)
        old, a, b = flat[more], left[more], right[more]
        flat = np.concatenate(
            [
                np.stack([old[:, 0], f1, old[:, 2], d1], axis=1),
                np.stack([f1, f2, d1, d2], axis=1),
                np.stack([f2, old[:, 1], d2, old[:, 3]], axis=1),
            ]
        )
        left, right = np.concatenate([a, s1, s2]), np.concatenate([s1, s2, b])
        c, j = np.tile(c[more], 3), np.tile(j[more], 3)
    # what is left holds the corners themselves: a straight line does not pass beside them
    flat[:, 2:] = np.nan
    done.append((c, j, left, right, _sloped(flat, (right - left) * span[c * intervals + j])))
    c, j, left, right = (np.concatenate([part[k] for part in done]) for k in range(4))
    flat = np.concatenate([part[4] for part in done])
    length = (right - left) * span[c * intervals + j]
    p, q = flat[:, 2] * length, flat[:, 3] * length
    at = turns(p, *coefficients(flat[:, 0], flat[:, 1], p, q)).T
    at = np.where((at > 0) & (at < 1), left[:, None] + at * (right - left)[:, None], np.nan)
    c, j, left, right, flat = _cut_at(c, j, left, right, flat, at, look)
    return _beside(whole, among, c, (right - left) * span[c * intervals + j], flat)


def _sloped(flat: Array, h: Array) -> Array:
    """The slope of a straight line where there is none: of |x| written as a root, at zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        line = np.where(h != 0, (flat[:, 1] - flat[:, 0]) / h, 0.0)[:, None]
    return np.concatenate([flat[:, :2], np.where(np.isfinite(flat[:, 2:]), flat[:, 2:], line)], axis=1)


def _goal(whole: Pieces) -> Array:
    values = np.concatenate([whole.begin, whole.end], axis=1)
    with np.errstate(invalid="ignore"):
        size = np.nanmax(np.abs(values), axis=1, initial=0.0)
        run = np.nanmax(values, axis=1, initial=-np.inf) - np.nanmin(values, axis=1, initial=np.inf)
    found: Array = _CLOSE * np.where(np.isfinite(run), np.maximum(run, 0.0), 0.0) + 4e-16 * size
    return found


def _usual(whole: Pieces) -> Array:
    """A quarter of the intervals of each case miss by less: by a sixteenth of what cubics over two of them do."""
    first, after = slice(0, -1, 2), slice(1, None, 2)
    h = whole.h[:, first] + whole.h[:, after]
    if not h.shape[1]:
        return np.zeros(len(h))
    a, b = whole.begin[:, first], whole.end[:, after]
    cubic = (a + b) / 2 + h / 8 * (whole.slope[:, first] - whole.slope_end[:, after])
    even = np.abs(whole.h[:, first] - whole.h[:, after]) < 1e-9 * np.abs(h)  # others tell nothing
    missed = np.sort(
        np.where(even, np.abs(whole.end[:, first] - cubic) / 16, np.nan), axis=1
    )  # what is no number, last
    place = np.isfinite(missed).sum(axis=1) // 4
    return np.nan_to_num(missed[np.arange(len(h)), place])


def _cubic(flat: Array, h: Array, s: float) -> Array:
    a, b, p, q = flat[:, 0], flat[:, 1], flat[:, 2] * h, flat[:, 3] * h
    c, d = coefficients(a, b, p, q)
    found: Array = a + s * (p + s * (c + s * d))
    return found


def _cut_at(
    c: Indices,
    j: Indices,
    left: Array,
    right: Array,
    flat: Array,
    inner: Array,
    look: Look,
    length: Array | None = None,
) -> tuple[Indices, Indices, Array, Array, Array]:
    """Every interval, cut at the shares in its row of `inner`: at corners, if the intervals' lengths are told."""
    row, _ = some = np.nonzero(np.isfinite(inner))
    if not len(row):
        return c, j, left, right, flat
    at = inner[some]
    order = np.lexsort((at, row))
    row, at = row[order], at[order]
    seen = np.stack(look(c[row], j[row], at), axis=1)
    before = after = seen
    if length is not None:
        before, after = (_beside_corner(seen, c[row], j[row], at, look, way * _SIDE, length[row]) for way in (-1, 1))
    # nodes of all intervals in order: their left ends, the cuts, their right ends
    owner = np.concatenate([np.arange(len(c)), row, np.arange(len(c))])
    share = np.concatenate([left, at, right])
    order = np.lexsort((share, owner))
    owner, share = owner[order], share[order]
    same = owner[:-1] == owner[1:]
    end, begin = (np.concatenate([flat[:, [0, 2]], cut, flat[:, [1, 3]]])[order] for cut in (before, after))
    begin, end = begin[:-1][same], end[1:][same]
    made = np.stack([begin[:, 0], end[:, 0], begin[:, 1], end[:, 1]], axis=1)
    kept = owner[:-1][same]
    return c[kept], j[kept], share[:-1][same], share[1:][same], made


def _beside_corner(seen: Array, c: Indices, j: Indices, at: Array, look: Look, step: float, length: Array) -> Array:
    """Value and slope on one side of a corner: the value there, unless the formula jumps."""
    f, d = look(c, j, np.clip(at + step, 0.0, 1.0))
    limit = f - step * length * d
    same = np.abs(limit - seen[:, 0]) <= _SIDE * (np.abs(limit) + np.abs(length * d))
    return np.stack([np.where(same, seen[:, 0], limit), d], axis=1)


def _beside(whole: Pieces, among: NDArray[np.bool_], c: Indices, length: Array, flat: Array) -> Pieces:
    """The pieces as they were, those that were cut without length; then the new ones of each case, side by side."""
    order = np.argsort(c, kind="stable")
    c, length, flat = c[order], length[order], flat[order]
    counts = np.bincount(c, minlength=len(among))
    place = np.arange(len(c)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((5, len(among), int(counts.max())))
    table[1] = table[2] = whole.begin[:, :1]  # of no length
    for k, values in enumerate((length, *flat.T)):
        table[k, c, place] = values
    h, slope, slope_end = (np.where(among, 0.0, x) for x in (whole.h, whole.slope, whole.slope_end))
    old = h, whole.begin, whole.end, slope, slope_end
    h, begin, end, slope, slope_end = (np.concatenate(pair, axis=1) for pair in zip(old, table, strict=True))
    turned = np.concatenate([among, np.ones(table.shape[1:], dtype=bool)], axis=1)
    return Pieces(h, begin, end, slope, slope_end, turned)
