"""Starts at edges of conditions: a disc that would lie flat stands, sides that are taken are told, others refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.dynamics.asked import Asked, said, where
from dalembert.dynamics.closing import CLOSED, Loops
from dalembert.dynamics.closure import Closure
from dalembert.dynamics.numbers import listing
from dalembert.dynamics.posture import WRITTEN, Found, closed_posture
from dalembert.dynamics.steep import closed_roots, without_slope
from dalembert.errors import SingularError

Array = Any


def standing(
    loops: Loops, x: Array, places: Sequence[int], firm: int, near: Array | None, first: int | None
) -> tuple[Found, list[str]]:
    """The posture in which a machine starts, and what is said of discs whose height nobody gives.

    At height zero, as what nobody names begins, they would lie flat: their tilt is kept, and the height follows.
    """
    names = loops.closure.coordinates
    found = closed_posture(loops, x, places, firm, near)
    told, again = list[str](), dict[int, set[str]]()
    for k, owner, tilts in closed_roots(loops, found.values):
        if _rolls(loops.closure, owner):
            again.setdefault(k, set()).update(tilts)
    for k, tilted in again.items():
        kept = [*places, *(j for j, name in enumerate(names) if name in tilted and j not in places)]
        one = closed_posture(loops.only([k]), x[[k]], kept, firm, None if near is None else near[[k]])
        given_moves = (one.shift[0, list(places)] > WRITTEN).any()
        flat = any(_rolls(loops.closure, owner) for _, owner, _ in closed_roots(loops.only([k]), one.values))
        if one.gap[0] or given_moves or flat:
            continue
        found.values[k], found.shift[k], found.gap[k] = one.values[0], one.shift[0], one.gap[0]
        moved = _moved(loops, x, found.values, k)
        told.append(
            f"with zero for what is not given a disc that rolls would lie flat{where(first, k)}, touching at no single "
            f"point: it starts with {said(names, moved, found.values[k])}"
        )
    return found, told


def refuse_no_slope(loops: Loops, x: Array, asked: Asked, first: int | None) -> None:
    """A condition that has a value and no slope where the machine starts: its reaction has no direction."""
    closure = loops.closure
    for k, owner, names in closed_roots(loops, x):
        if rolls := _rolls(closure, owner):
            raise SingularError(
                f"'{rolls}' of '{asked.owner}' cannot start{where(first, k)}: the disc lies flat ({listing(names)} "
                "tilt it), and touches at no single point. Give a start with the height, or the tilt, at which it "
                f"stands: among {listing(closure.touched(owner))}."
            ).of([rolls])
    for k, row in zip(*without_slope(loops, x), strict=True):
        owner = closure.holding[row]
        raise SingularError(
            f"the condition '{owner}' of '{asked.owner}' has no slope where it starts{where(first, k)} (a length that "
            "is zero, a root at its end): it does not tell where its reaction points. Give another start."
        ).of([owner])


def sides_taken(loops: Loops, wish: Array, x: Array, first: int | None) -> list[str]:
    """Where a start has no slope (a rope at its sheave) postures on several sides are as near: which was taken."""
    told = []
    names = loops.closure.coordinates
    for k, row in zip(*without_slope(loops, wish), strict=True):
        if moved := _moved(loops, wish, x, k):
            told.append(
                f"the condition '{loops.closure.holding[row]}' has no slope at {said(names, moved, wish[k])}"
                f"{where(first, k)}: of the postures on its sides one was taken, {said(names, moved, x[k])}. Give "
                f"{listing([names[j] for j in moved])} to choose another"
            )
    return told


def _moved(loops: Loops, wish: Array, x: Array, k: int) -> list[int]:
    far = np.abs(x[k] - wish[k]) > CLOSED * loops.scales.coordinates[k]
    return [int(j) for j in np.flatnonzero(far)]


def _rolls(closure: Closure, owner: str) -> str:
    """The rolling of which a condition is the contact; empty where it is of no rolling."""
    rolls = owner.removesuffix("_contact")
    return rolls if rolls != owner and rolls in closure.steering else ""
