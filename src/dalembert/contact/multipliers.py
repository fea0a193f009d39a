"""Contact forces: one answer, or a set with its extreme points. L = {l >= 0 : R^T l = x, l = 0 where contacts open}."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact import exact
from dalembert.contact.least_distance import nearest

Array = NDArray[Any]

LISTED = 12
"""Contacts that touch, at most, for the extreme points to be listed: 924 bases of six among twelve."""
_SMALL = 1e-9
"""A multiplier, or what is left of a unit row beside others, that is nothing, as a share of the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Forces:
    """`one` of the possible values of lambda: the least in rows of unit length; the only one if `unique`.

    `intervals` bound each component over the set (infinite along a self-stress), `extreme` are its extreme points (none
    for more than twelve touching contacts), `rays` the self-stresses y >= 0 without resultant that may be added.
    """

    one: Array
    unique: bool
    intervals: Array
    extreme: tuple[Array, ...] = ()
    rays: tuple[Array, ...] = ()

    def sentence(self, names: tuple[str, ...]) -> str:
        """What there is to say when the forces are one of many; nothing when they are unique."""
        if self.unique:
            return ""
        if self.rays:
            who = ", ".join(name for name, y in zip(names, self.rays[0], strict=True) if y > 0)
            return f"contacts {who}: forces are undetermined up to a self-stress; the accelerations are unique"
        loose = [name for name, (a, b) in zip(names, self.intervals, strict=True) if b > a]
        return f"contacts {', '.join(loose)}: forces are one of many; their resultant and the accelerations are unique"


def forces_of(rows: Array, x: Array, touching: tuple[int, ...], found: Array) -> Forces:
    """All l >= 0 on `touching` rows with rows^T l = x, `found` being one of them. Fractions stay exact."""
    precise = rows.dtype == object
    zero = found * 0
    if not touching:
        return Forces(zero, True, np.stack([zero, zero], axis=1))
    held = rows[list(touching)]
    if not precise:
        sizes = np.sqrt((held**2).sum(axis=1))
        sizes[sizes == 0] = 1.0
        held = held / sizes[:, None]
    else:
        sizes = np.array([1] * len(touching), dtype=object)
    full = exact.rank(held) if precise else int(np.linalg.matrix_rank(held, _SMALL))
    if full == len(touching):
        return Forces(found, True, np.stack([found, found], axis=1))
    if len(touching) > LISTED:
        low, high = _bounds(held, x)
        one = _least(held, x)
        return Forces(*_placed(zero, touching, sizes, one, low, high))
    points = _basic(held, x, full, precise)
    homogeneous = np.concatenate([held, np.ones((len(held), 1), dtype=int)], axis=1) if precise else _with_ones(held)
    total = np.concatenate([x * 0, np.array([1], dtype=homogeneous.dtype)])
    more = exact.rank(homogeneous) if precise else int(np.linalg.matrix_rank(homogeneous, _SMALL))
    rays = _basic(homogeneous, total, more, precise)
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    if rays:
        grows = np.max(rays, axis=0) > (0 if precise else _SMALL)
        high = np.array([np.inf if g else h for g, h in zip(grows, high, strict=True)], dtype=object)
    one = points[0] if precise else _least(held, x)
    told = Forces(*_placed(zero, touching, sizes, one, low, high))
    wide = [_spread(zero, touching, p / sizes) for p in points]
    return Forces(
        told.one, told.unique, told.intervals, tuple(wide), tuple(_spread(zero, touching, y / sizes) for y in rays)
    )


def _with_ones(held: Array) -> Array:
    return np.concatenate([held, np.ones((len(held), 1))], axis=1)


def _spread(zero: Array, touching: tuple[int, ...], values: Array) -> Array:
    found = zero.copy()
    found[list(touching)] = values
    return found


def _placed(
    zero: Array, touching: tuple[int, ...], sizes: Array, one: Array, low: Array, high: Array
) -> tuple[Array, bool, Array]:
    bounds = np.stack([_spread(zero.astype(object), touching, v / sizes) for v in (low, high)], axis=1)
    if zero.dtype != object:
        bounds = bounds.astype(float)
    largest = max([abs(v) for v in one], default=0)
    nothing = 0 if zero.dtype == object else _SMALL * largest
    unique = all(b - a <= nothing for a, b in bounds)
    return _spread(zero, touching, one / sizes), unique, bounds


def _basic(held: Array, x: Array, size: int, precise: bool) -> list[Array]:
    """Basic solutions: independent rows, as many as the rank, that push."""
    found: list[Array] = []
    for subset in combinations(range(len(held)), size):
        some = held[list(subset)].T
        if precise:
            part = exact.solve(some, x)
            if part is None or any(v < 0 for v in part):
                continue
        else:
            part, *_, singular = np.linalg.lstsq(some, x, rcond=None)
            largest = max(np.abs(x).max(initial=0.0), 1e-300)
            if singular[-1] < _SMALL or np.abs(some @ part - x).max() > _SMALL * largest:
                continue
            if (part < -_SMALL * largest).any():
                continue
            part = np.maximum(part, 0.0)
        point = np.array([0 * held[0, 0]] * len(held), dtype=held.dtype)
        point[list(subset)] = part
        near = 0 if precise else _SMALL * max(np.abs(part).max(initial=0.0), 1e-300)
        if not any(max(abs(point - other)) <= near for other in found):
            found.append(point)
    return found


def _least(held: Array, x: Array) -> Array:
    """The point of the set that is least in rows of unit length."""
    shortest = np.linalg.lstsq(held.T, x, rcond=_SMALL)[0]
    if (shortest >= 0).all():
        return shortest
    free = np.linalg.svd(held.T)[2][int(np.linalg.matrix_rank(held, _SMALL)) :].T
    moved = nearest(free, shortest)
    return np.maximum(shortest + free @ moved.x, 0.0)


def _bounds(held: Array, x: Array) -> tuple[Array, Array]:
    """The interval of each component, by two linear programs."""
    from scipy.optimize import linprog

    low, high = np.zeros(len(held)), np.zeros(len(held))
    size = float(np.abs(x).max(initial=0.0)) or 1.0  # the programs have absolute tolerances
    basis = np.linalg.svd(held.T)[0][:, : int(np.linalg.matrix_rank(held, _SMALL))]
    equations, right = basis.T @ held.T, basis.T @ (x / size)
    for i in range(len(held)):
        cost = np.zeros(len(held))
        cost[i] = 1.0
        low[i] = linprog(cost, A_eq=equations, b_eq=right).x[i]
        most = linprog(-cost, A_eq=equations, b_eq=right)
        high[i] = np.inf if most.status == 3 else most.x[i]
    return low * size, high * size
