"""Where two surfaces touch, when nobody says it: the nearest pair of points whose normals are opposite.

Newton's method on the coordinates of the contact alone, from directions all around; of those that arrive, the one with
the smallest gap is taken as a beginning from which the machine is closed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.closure import Closure
from dalembert.expr import Expr
from dalembert.kinematics import Tree, in_state
from dalembert.mechanism import Followed

Array = Any

_BEGINNINGS = 48
_STEPS = 60
_LONGEST = 0.3
"""Longest step of Newton's method, in sizes of the surface or radians: as far as a slope tells about a round one."""
_FLAT = 1e-12
"""Square of a slope (one on a surface, as its formula is divided by its gradient) that leads nowhere."""
_THERE = 1e-13
"""Steps shorter than this share of the longest one change nothing."""
_BLOCK = 256
"""Trajectories that are looked at together: some ten thousand points at a time."""
_ARRIVED = 1e-9
"""Sines of angles, and distances in sizes of the machine, at which the formulas of a contact hold: above rounding."""


def place_contacts(
    tree: Tree, closure: Closure, y: Array, named: Collection[str], parameters: Mapping[str, Any], t: float
) -> None:
    """Fill in the coordinates of contacts that nobody names, for each of some trajectories, as beginnings."""
    size = len(closure.coordinates)
    constraints = [one for one in tree.layout.further if one.followed is not None]
    for constraint in constraints:
        one = constraint.followed
        assert one is not None
        if any(x in named for x in one.coordinates):
            continue
        places = [closure.coordinates.index(x) for x in one.coordinates]
        told = in_state(tree, [*one.formulas, one.facing, *constraint.expressions])
        for begin in range(0, len(y), _BLOCK):
            rows = slice(begin, begin + _BLOCK)
            numbers = {name: value[rows] if np.ndim(value) else value for name, value in parameters.items()}
            found = _found(one, told, closure, y[rows, :size], places, numbers, t)
            arrived = np.isfinite(found).all(axis=1)
            y[(begin + np.flatnonzero(arrived))[:, None], places] = found[arrived]


def _found(
    one: Followed, told: list[Expr], closure: Closure, x: Array, places: list[int], numbers: Mapping[str, Any], t: float
) -> Array:
    """The contact of each trajectory; not a number where none is found."""
    count, several = len(one.coordinates), len(x)
    unknown = [ex.symbol(name) for name in one.coordinates]
    slopes = [d for e in told[:count] for d in ex.gradient(e, unknown)]
    scale = np.repeat(closure.scales(x, t, numbers).coordinates[:, places[0]], _BEGINNINGS)
    numbers = {name: np.repeat(value, _BEGINNINGS) if np.ndim(value) else value for name, value in numbers.items()}
    begin = np.tile(np.random.default_rng(0).normal(size=(_BEGINNINGS, count)), (several, 1))
    if one.lengths:
        begin *= (scale / np.linalg.norm(begin, axis=1))[:, None]
    state = np.repeat(x, _BEGINNINGS, axis=0)
    state[:, places] = begin
    longest = _LONGEST * scale
    with np.errstate(all="ignore"):
        for _ in range(_STEPS if one.lengths else 0):  # on to the first surface: how far it is tells its size
            left = closure.numbers(told[:1], state, t, numbers)
            slope = closure.numbers(slopes[:count], state, t, numbers)
            step = left * slope / np.maximum((slope**2).sum(axis=1), _FLAT)[:, None]
            state[:, places] -= step
            longest = _LONGEST * np.linalg.norm(state[:, places], axis=1)
            if not (np.linalg.norm(step, axis=1) > _THERE * longest).any():
                break
        for _ in range(_STEPS):
            left = closure.numbers(told[:count], state, t, numbers)
            matrix = closure.numbers(slopes, state, t, numbers).reshape(-1, count, count)
            good = np.isfinite(left).all(axis=1) & np.isfinite(matrix).all(axis=(1, 2))
            step = np.zeros_like(left)
            step[good] = -np.einsum("kij,kj->ki", np.linalg.pinv(matrix[good]), left[good])
            far = np.linalg.norm(step, axis=1)
            state[:, places] += step * np.minimum(1.0, longest / np.where(far > 0, far, 1.0))[:, None]
            if not (far > _THERE * longest).any():
                break
        values = closure.numbers(told, state, t, numbers)
    sizes = np.abs(values[:, :count]).max(axis=1) / np.maximum(1.0, scale)
    fits = np.isfinite(values).all(axis=1) & (sizes < _ARRIVED) & (values[:, count] < 0)
    gaps = np.where(fits, np.abs(values[:, -1]), np.inf).reshape(several, -1)
    best = gaps.argmin(axis=1) + _BEGINNINGS * np.arange(several)
    found: Array = np.where(fits[best, None], state[best][:, places], np.nan)
    return found
