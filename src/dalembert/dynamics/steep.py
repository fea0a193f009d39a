"""Conditions at their edges: without a slope (a rope at its sheave), or so steep that every gap looks short.

A gap is measured by how far coordinates must go to close it, as slopes tell. Beside the end of a root slopes are beyond
all bounds, and that distance vanishes with them whatever is left: there a true step tells how much a formula changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert.dynamics.closing import Loops

Array = Any

#: Of what a step of about a natural unit changes of a formula, so much may be left of it: closed postures leave a
#: millionth of it at the most, postures at the end of a root most of it.
_LEFT = 1e-3


def without_slope(loops: Loops, x: Array) -> tuple[Array, Array]:
    """Trajectories and numbers of conditions on places that have a value there and no slope by a coordinate."""
    closure = loops.closure
    with np.errstate(all="ignore"):
        _, slopes = closure.holonomic_units(x, loops.t, loops.parameters, loops.scales)
        values = closure.numbers(closure.holonomic, x, loops.t, loops.parameters)
    bare = np.isfinite(values) & ~np.isfinite(slopes[..., :-1]).all(axis=2)
    first, second = np.nonzero(bare)
    return first, second


def _steps(size: int) -> Iterator[Array]:
    """Steps in natural units: of all coordinates at once, at random, which is mostly enough, then of each."""
    yield from np.random.default_rng(0).uniform(-1, 1, (2, size))
    for share in (1.0, -1.0, 0.3, -0.3):
        yield from share * np.eye(size)


def falsely_closed(loops: Loops, x: Array) -> Array:
    """What is left of conditions that only an endless slope makes look closed, in parts of a true step; else 0."""
    closure = loops.closure
    found = np.zeros(len(x))
    if not closure.holonomic:
        return found
    with np.errstate(all="ignore"):
        left = np.abs(closure.numbers(closure.holonomic, x, loops.t, loops.parameters))
        changed = np.zeros_like(left)
        for step in _steps(x.shape[1]):
            beside = x + step * loops.scales.coordinates
            there = np.abs(closure.numbers(closure.holonomic, beside, loops.t, loops.parameters))
            changed = np.fmax(changed, np.abs(there - left))
            if (left <= _LEFT * changed).all():
                return found
    false = (left > _LEFT * changed) & (changed > 0)
    return np.where(false, left / np.where(changed > 0, changed, 1.0), 0.0).max(axis=1, initial=0.0)
