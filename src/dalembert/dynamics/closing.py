"""Close loops in numbers: the nearest closed configuration, and which variables can be chosen while the rest follow.

All arrays have a leading axis of trajectories; each trajectory is treated as if it were alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.dynamics.closure import Closure, Gap, Scales

Array = Any

#: A gap (radians, or lengths over the length of the loop) below this is closed: some thousand roundings of a product
#: of displacements, far below what a motion is computed to.
CLOSED = 1e-11
#: Below this nothing is left to improve: a few roundings.
_EXACT = 4e-16
#: Singular values (dimensionless, one for a plain joint) below this belong to no freedom: a posture where two
#: solutions meet is known to the square root of rounding only.
RANK = 1e-7
#: Longest step in natural units: half a radian is as far as a tangent tells about a circle.
_LONGEST = 0.5
_ITERATIONS = 120
#: Gaps are in radians and in parts of the machine: a slope below this, some thousand roundings, is rounding.
_SHOWS = 1e-12
#: Steps that leave more than this share of the squared gap, so many in a row, lead to no closed posture.
_SLOW, _PATIENCE = 0.99, 6
_MOST_DAMPED = 1e8


@dataclass(frozen=True, slots=True)
class Loops:
    """The loops of some trajectories at a time, with their parameters and natural units."""

    closure: Closure
    t: float
    parameters: Mapping[str, Any]
    scales: Scales

    def at(self, x: Array) -> Gap:
        return self.closure.at(x, self.t, self.parameters, self.scales)

    def slopes(self, x: Array) -> Array:
        """Derivatives of the gaps by the coordinates, in their natural units."""
        slopes: Array = self.at(x).slopes * self.scales.coordinates[:, None, :]
        return slopes

    def speed_slopes(self, x: Array, w: Array | None = None) -> tuple[Array, Array]:
        """V and d of the conditions on the speeds, V w + d = 0, in natural units; those not affine in them, near w."""
        gap, rates = self.at(x), self.closure.rates(x, self.t, self.parameters)
        slopes, drift = gap.slopes @ rates * self.scales.speeds[:, None, :], gap.drift
        if not self.closure.kinematic:
            return slopes, drift
        w = np.zeros_like(self.scales.speeds) if w is None else w
        value, steered, _ = self.closure.steered(x, w * self.scales.speeds, self.t, self.parameters, self.scales)
        rest = value - np.einsum("kij,kj->ki", steered, w)
        return np.concatenate([slopes, steered], axis=1), np.concatenate([drift, rest], axis=1)

    def only(self, which: Array) -> Loops:
        """Some of the trajectories."""
        parameters = {name: value[which] if np.ndim(value) else value for name, value in self.parameters.items()}
        s = self.scales
        return Loops(self.closure, self.t, parameters, Scales(s.loops[which], s.coordinates[which], s.speeds[which]))


def close(loops: Loops, x: Array, free: Array) -> tuple[Array, Array]:
    """A closed configuration near x, and the gap that is left: damped Gauss-Newton steps in the `free` coordinates.

    Directions that do not show in the gap are left alone, so that the steps are as short as they can be. Where two
    solutions meet, the steps halve the distance only; patience lets them go on to what rounding allows. Whole turns
    are taken off again.
    """
    begin, x, count = x, np.array(x, dtype=float), len(x)
    free = np.broadcast_to(free, x.shape)
    units = np.where(free, loops.scales.coordinates, 0.0)
    now = loops.at(x)
    best = np.nan_to_num((now.value**2).sum(axis=1), nan=np.inf)  # no number: as far from closed as can be
    damping, failures = np.full(count, 1e-3), np.zeros(count, dtype=int)
    value, slopes = now.value.copy(), now.slopes.copy()
    for _ in range(_ITERATIONS):
        active = np.flatnonzero((best > value.shape[1] * _EXACT**2) & (failures < _PATIENCE) & (damping < _MOST_DAMPED))
        if not len(active):
            break
        part = loops if len(active) == count else loops.only(active)
        shift = _damped(
            _with_slope(slopes[active]) * units[active, None, :], value[active], damping[active], best[active]
        )
        shift /= np.maximum(1.0, np.abs(shift).max(axis=1, initial=0.0) / _LONGEST)[:, None]
        trial = x[active] - shift * units[active]
        new = part.at(trial)
        size = (new.value**2).sum(axis=1)
        better = np.isfinite(size) & (size < best[active])
        stalled = ~better | (size > _SLOW * best[active])
        settled = stalled & (best[active] < CLOSED**2)
        failures[active] = np.where(settled, _PATIENCE, np.where(better & stalled, failures[active] + 1, 0))
        damping[active] = np.where(
            better, np.maximum(damping[active] / 10, 1e-12), np.maximum(damping[active] * 10, 1e-8)
        )
        taken = active[better]
        x[taken], best[taken] = trial[better], size[better]
        value[taken], slopes[taken] = new.value[better], new.slopes[better]
    turns = np.where(free & loops.closure.turning, np.round((x - begin) / (2 * np.pi)), 0.0)
    return x - 2 * np.pi * turns, np.nan_to_num(np.abs(value).max(axis=1, initial=0.0), nan=np.inf)


def _damped(slopes: Array, value: Array, damping: Array, best: Array) -> Array:
    """(J^T J + d^2) step = J^T gap by singular values; directions that do not show are left alone."""
    u, s, vt = np.linalg.svd(slopes, full_matrices=False)
    d = damping * np.minimum(1.0, np.sqrt(best))
    weights = np.where(s > _SHOWS, s / (s * s + (d * d)[:, None] + 1e-300), 0.0)
    inner = weights * np.einsum("kij,ki->kj", u, _with_slope(value))
    return np.einsum("kji,kj->ki", vt, inner)


def _with_slope(numbers: Array) -> Array:
    """What is a number: a root at its end has no slope, and leads nowhere."""
    return np.where(np.isfinite(numbers), numbers, 0.0)


def rank(columns: Array) -> Array:
    """How many directions the columns have, for each trajectory."""
    if not columns.shape[2]:
        return np.zeros(len(columns), dtype=int)
    return (np.linalg.svd(_with_slope(columns), compute_uv=False) > RANK).sum(axis=1)


def followers(slopes: Array, order: Sequence[int]) -> Array:
    """Which of the variables in `order` must follow from the others: the last ones that carry the whole rank.

    Every other one can be chosen. A variable whose column is nearly that of later ones is passed over as long as
    earlier ones can take its place, so that what follows is well determined.
    """
    needed = rank(slopes[:, :, list(order)])
    found = np.zeros((len(slopes), slopes.shape[2]), dtype=bool)
    for threshold in (1e-3, RANK):
        short = np.flatnonzero(found.sum(axis=1) < needed)
        if len(short):
            found[short] = _spanning(slopes[short], order, needed[short], threshold)
    return found


def _spanning(slopes: Array, order: Sequence[int], needed: Array, threshold: float) -> Array:
    """Columns, from the last to the first, that are independent of those already taken."""
    count, rows, size = slopes.shape
    basis = np.zeros((count, int(needed.max(initial=0)), rows))
    taken, found = np.zeros(count, dtype=int), np.zeros((count, size), dtype=bool)
    for j in reversed(order):
        if (taken >= needed).all():
            break
        column, some = slopes[:, :, j], basis[:, : taken.max(initial=0)]
        for _ in range(2):  # once more takes away what rounding left
            column = column - ((some @ column[:, :, None])[:, None, :, 0] @ some)[:, 0]
        length = np.linalg.norm(column, axis=1)
        new = np.flatnonzero((length > threshold) & (taken < needed))
        basis[new, taken[new]] = column[new] / length[new, None]
        found[new, j] = True
        taken[new] += 1
    return found


def beginnings(loops: Loops, x: Array, free: Array, tries: int = 20) -> Array:
    """One trajectory with its free coordinates further and further away, the same ones every time."""
    spread = np.where(np.arange(tries) < tries // 2, 0.2 * np.arange(1, tries + 1), np.pi)[:, None]
    shift = spread * np.random.default_rng(0).normal(size=(tries, x.shape[1]))
    found: Array = x + np.where(free, shift, 0.0) * loops.scales.coordinates
    return found
