"""Conditions at their edges: without a slope (a rope at its sheave), or so steep that every gap looks short.

A gap is measured by how far coordinates must go to close it, as slopes tell. Beside the end of a root slopes are beyond
all bounds, and that distance vanishes with them whatever is left: there a true step tells how much a formula changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.closing import Loops
from dalembert.dynamics.closure import Closure
from dalembert.expr import Expr

Array = Any

#: Of what a step of about a natural unit changes of a formula, so much may be left of it: closed postures leave a
#: millionth of it at the most, postures at the end of a root most of it.
_LEFT = 1e-3
#: Of what such a step makes of a root, so much is nothing: closed postures are known to the square root of rounding.
_CLOSED_ROOT = 1e-7


@dataclass(frozen=True, slots=True)
class _Root:
    formula: Expr
    owner: str
    coordinates: tuple[str, ...]


def without_slope(loops: Loops, x: Array) -> tuple[Array, Array]:
    """Trajectories and numbers of conditions on places that have a value there and no slope by a coordinate."""
    closure = loops.closure
    with np.errstate(all="ignore"):
        _, slopes = closure.holonomic_units(x, loops.t, loops.parameters, loops.scales)
        values = closure.numbers(closure.holonomic, x, loops.t, loops.parameters)
    bare = np.isfinite(values) & ~np.isfinite(slopes[..., :-1]).all(axis=2)
    first, second = np.nonzero(bare)
    return first, second


def closed_roots(loops: Loops, x: Array) -> list[tuple[int, str, tuple[str, ...]]]:
    """Trajectories and conditions in which the root of a sum is zero, with coordinates that it is made of.

    A length of zero has no direction, and slopes that contain it are those of the side on which rounding lies: a disc
    that lies flat touches its plane at no point of its own.
    """
    roots = _roots(loops.closure)
    if not roots:
        return []
    asked = [one.formula for one in roots]
    with np.errstate(all="ignore"):
        here = np.abs(loops.closure.numbers(asked, x, loops.t, loops.parameters))
        usual = np.zeros_like(here)
        for step in islice(_steps(x.shape[1]), 2):
            beside = x + step * loops.scales.coordinates
            usual = np.fmax(usual, np.abs(loops.closure.numbers(asked, beside, loops.t, loops.parameters)))
    closed = np.argwhere((here <= _CLOSED_ROOT * usual) & (usual > 0))
    return [(int(k), roots[i].owner, roots[i].coordinates) for k, i in closed]


@lru_cache(maxsize=64)
def _roots(closure: Closure) -> tuple[_Root, ...]:
    """Square roots of what coordinates and no speeds change, each with the first condition that has it."""
    conditions = [*zip(closure.holding, closure.holonomic, strict=True)]
    conditions += zip(closure.steering, closure.kinematic, strict=True)
    owners: dict[Expr, str] = {}
    for owner, condition in conditions:
        for e in ex.topological([condition]):
            if e.op == "sqrt":
                owners.setdefault(e, owner)
    found = []
    for e, owner in owners.items():
        names = {s.name for s in ex.free_symbols([e])}
        if names.isdisjoint(closure.speeds) and (own := tuple(x for x in closure.coordinates if x in names)):
            found.append(_Root(e, owner, own))
    return tuple(found)


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
