"""A closed posture and speeds from what is asked: asked values are kept, the others are zero or follow.

All arrays have a leading axis of trajectories. `asked` are columns in the order of their rank: the first is the last
to give way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.dynamics.closing import CLOSED, RANK, Loops, beginnings, close, followers, rank

Array = Any

#: Values may be off by this share of their natural unit (a radian, a length of the machine, its largest speed) and
#: still be meant: people write two or three digits.
WRITTEN = 1e-2
#: A gap below this is rounding: nothing moves.
_EXACT = 1e-13
#: How far beside a posture to look, in natural units: enough to leave a meeting of branches.
_ASIDE = 0.3
#: Newton steps for conditions that are not affine in the speeds.
_NEWTON = 40


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for each trajectory; `shift` is how far each column moved, in natural units.

    `gap` is what is left where nothing closes (zero elsewhere).
    """

    values: Array
    shift: Array
    gap: Array


def closed_posture(loops: Loops, x: Array, asked: Sequence[int], firm: int, near: Array | None = None) -> Found:
    """Closed configurations: asked coordinates (the first `firm` of them firmly) and zeros where the loops allow.

    What nobody asks for is looked for beside `near`, if that is known.
    """
    size = x.shape[1]
    last = [group[0] for group in loops.closure.quaternions]  # a scalar part follows from the other three
    order = [j for j in loops.closure.first_coordinates if j not in last] + last
    unnamed = [j for j in order if j not in asked]
    free = np.isin(np.arange(size), unnamed)
    found, left = x.copy(), np.zeros(len(x))
    open_ = np.flatnonzero(~(loops.at(x).size <= _EXACT))  # what has no number is open
    if len(open_):
        part = loops.only(open_)
        begin = x[open_]
        y, gap = close(part, begin if near is None else np.where(free, near[open_], begin), free)
        good = np.flatnonzero(gap < CLOSED)
        if len(good):
            y[good] = _settled(part.only(good), begin[good], y[good], unnamed)
        bad = np.flatnonzero(gap >= CLOSED)
        if len(bad):
            y[bad], left[open_[bad]] = _moved(part.only(bad), begin[bad], asked, unnamed, firm)
        found[open_] = y
    shift = np.abs(found - x) / loops.scales.coordinates
    return Found(found, shift, left)


def _settled(
    loops: Loops, wish: Array, y: Array, order: Sequence[int], rest: Sequence[int] | None = None, patient: bool = True
) -> Array:
    """Closed configurations near y in which as many coordinates of `order`, the first ones first, are as wished.

    Coordinates of `rest` are free, all others as in `wish`. Without a `rest` the order is that of wishes nobody
    uttered: postures where branches meet are left for others in which more of them hold.
    """
    if not len(order):
        return y
    others = list(rest or ())
    follow = followers(loops.slopes(y), [*order, *others])
    if rest is None:
        y, follow = _beside(loops, wish, y, follow, order)
    follow[:, others] = True
    found, gap = close(loops, np.where(follow, y, wish), follow)
    for k in np.flatnonzero(gap >= CLOSED):
        if not patient:  # one of several: near enough
            found[k] = y[k]
            continue
        one = loops.only([k])
        found[[k]], gap[[k]] = close(one, wish[[k]], follow[[k]])
        if gap[k] >= CLOSED:
            found[[k]] = _one_by_one(one, wish[[k]], y[[k]], order, others)
    return found


def _beside(loops: Loops, wish: Array, y: Array, follow: Array, order: Sequence[int]) -> tuple[Array, Array]:
    """Where branches meet a freedom can be hidden: one that follows, and stands before one that does not, is tried.

    Stretched arms follow from the slide that stretches them; a little folded, they let it go where it is wished.
    """
    size, ranked = y.shape[1], list(order)
    chosen = np.zeros(y.shape, dtype=bool)
    chosen[:, ranked] = np.cumsum(~follow[:, ranked][:, ::-1], axis=1)[:, ::-1] > 0
    tried = chosen & follow & (np.abs(y - wish) > CLOSED * loops.scales.coordinates)
    odd = np.flatnonzero(tried.any(axis=1))
    if not len(odd):
        return y, follow
    part, free = loops.only(odd), np.isin(np.arange(size), ranked) & ~tried[odd]
    shift = np.where(free, np.random.default_rng(0).normal(0, _ASIDE, size), 0.0) * part.scales.coordinates
    near, gap = close(part, wish[odd] + shift, free)
    better = odd[gap < CLOSED]
    y, follow = y.copy(), follow.copy()
    y[better] = near[gap < CLOSED]
    follow[better] = followers(loops.only(better).slopes(y[better]), order)
    return y, follow


def _one_by_one(loops: Loops, wish: Array, y: Array, order: Sequence[int], rest: Sequence[int]) -> Array:
    """The same for one trajectory whose loops do not close with all of them: each is tried."""
    free = [*order, *rest]
    for j in order:
        slopes, others = loops.slopes(y), [i for i in free if i != j]
        if (rank(slopes[:, :, others]) < rank(slopes[:, :, free])).any():
            continue
        trial = y.copy()
        trial[0, j] = wish[0, j]
        trial, gap = close(loops, trial, np.isin(np.arange(y.shape[1]), others))
        if gap[0] < CLOSED:
            y, free = trial, others
    return y


def _moved(loops: Loops, wish: Array, asked: Sequence[int], unnamed: Sequence[int], firm: int) -> tuple[Array, Array]:
    """Trajectories that do not close at once: the first asked values stay, later ones move as little as they can.

    Firm values that would have to move further than people round are tried from other beginnings of the rest. Given
    back are the configurations, and the gaps where nothing closes; one of these ends the search.
    """
    columns = np.arange(wish.shape[1])
    free, held = np.isin(columns, unnamed), np.isin(columns, asked)
    y, gap, far = _candidates(loops, wish, wish, asked, unnamed, firm, True)
    for k in np.flatnonzero((gap >= CLOSED) | (far > WRITTEN)):
        begin = beginnings(loops.only([k]), wish[[k]], free if free.any() else held)
        others = _candidates(loops.only([k] * len(begin)), wish[[k]], begin, asked, unnamed, firm, False)
        best = int(np.where(others[1] < CLOSED, np.round(others[2], 9), np.inf).argmin())
        if gap[k] >= CLOSED or (others[1][best] < CLOSED and others[2][best] < far[k]):
            y[k], gap[k], far[k] = (one[best] for one in others)
        if gap[k] >= CLOSED or far[k] > WRITTEN:  # one is enough to say so
            break
    good = np.flatnonzero(gap < CLOSED)
    y[good] = _settled(loops.only(good), np.where(held, y[good], wish[good]), y[good], unnamed)
    return y, np.where(gap < CLOSED, 0.0, gap)


def _candidates(
    loops: Loops,
    wish: Array,
    begin: Array,
    asked: Sequence[int],
    unnamed: Sequence[int],
    firm: int,
    patient: bool,
) -> tuple[Array, Array, Array]:
    """From some beginnings: configurations, their gaps, and how far firm values moved."""
    y, gap = close(loops, begin, np.isin(np.arange(begin.shape[1]), unnamed))
    off = np.flatnonzero(gap >= CLOSED)
    y[off], gap[off] = close(loops.only(off), y[off], np.ones(begin.shape[1], dtype=bool))
    off = off[gap[off] < CLOSED]
    if len(off) and len(asked):
        y[off] = _settled(loops.only(off), np.broadcast_to(wish, y.shape)[off], y[off], asked, unnamed, patient)
    shift = np.abs(y - wish) / loops.scales.coordinates
    return y, gap, shift[:, list(asked[:firm])].max(axis=1, initial=0.0)


def closed_speeds(loops: Loops, x: Array, w: Array, asked: Sequence[int]) -> Found:
    """Speeds that the loops allow, in the same way; `w` are speeds of the tree and of cut links.

    Redundant rows agree as well as a posture is known, so that a share RANK of the largest speed is nothing.
    """
    wish = w / loops.scales.speeds
    found = _once(loops, x, w, wish, asked, wish)
    if not loops.closure.bent.any():
        return found
    near = found.values / loops.scales.speeds
    near = np.where((near == 0) & ~np.isin(np.arange(w.shape[1]), asked), np.abs(wish).max(initial=0.0), near)
    for _ in range(_NEWTON):
        found = _once(loops, x, w, wish, asked, near)
        before, near = near, found.values / loops.scales.speeds
        if np.abs(near - before).max(initial=0.0) <= _EXACT * np.abs(near).max(initial=0.0):
            break
    return found


def _once(loops: Loops, x: Array, w: Array, wish: Array, asked: Sequence[int], near: Array) -> Found:
    """Speeds that meet the conditions as they are near some speeds."""
    slopes, drift = loops.speed_slopes(x, near)
    unnamed = [j for j in loops.closure.first_speeds if j not in asked]
    largest = np.maximum(np.abs(wish).max(axis=1, initial=0.0), np.abs(drift).max(axis=1, initial=0.0))
    found, left = _following(slopes, drift, wish, unnamed)
    left = left / np.where(largest > 0, largest, 1.0)
    bad = np.flatnonzero(left > RANK)
    if len(bad):
        found[bad], over = _following(slopes[bad], drift[bad], wish[bad], [*asked, *unnamed])
        left[bad] = over / np.maximum(largest[bad], np.abs(found[bad]).max(axis=1, initial=0.0))
    largest = np.maximum(largest, np.abs(found).max(axis=1, initial=0.0))
    shift = np.abs(found - wish) / np.where(largest > 0, largest, 1.0)[:, None]
    # A speed that was not moved keeps all its digits.
    values = np.where(found == wish, w, found * loops.scales.speeds)
    return Found(values, shift, np.where(left > RANK, left, 0.0))


def _following(slopes: Array, drift: Array, wish: Array, order: Sequence[int]) -> tuple[Array, Array]:
    """Wished speeds, of `order` the last ones so that the conditions hold; and what is left of them."""
    gap = np.einsum("kij,kj->ki", slopes, wish) + drift
    size = np.maximum(np.abs(wish).max(axis=1, initial=0.0), np.abs(drift).max(axis=1, initial=0.0))
    found = wish.copy()
    off = np.flatnonzero(np.abs(gap).max(axis=1, initial=0.0) > _EXACT * size)
    if len(off) and len(order):
        free = slopes[off] * followers(slopes[off], order)[:, None, :]
        u, s, vt = np.linalg.svd(free, full_matrices=False)
        inner = np.where(s > RANK, 1 / np.where(s > RANK, s, 1.0), 0.0) * np.einsum("kij,ki->kj", u, gap[off])
        found[off] -= np.einsum("kji,kj->ki", vt, inner)
        gap[off] = np.einsum("kij,kj->ki", slopes[off], found[off]) + drift[off]
    return found, np.abs(gap).max(axis=1, initial=0.0)
