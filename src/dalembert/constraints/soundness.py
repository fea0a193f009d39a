"""Constraints that cannot be, told before anything moves: contradictory, without hold, redundant where they may not be.

What holds at every state is seen at random ones. Where loops close, only closed states tell the truth: there the start
of a motion is judged instead (`dynamics.coupled`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert.constraints.coupling import LOST, coupling, left_null
from dalembert.constraints.rows import Rows
from dalembert.errors import CouplingError, ModelError
from dalembert.expr import Matrix
from dalembert.expr.elimination import sample
from dalembert.expr.magnitude import error_size

Array = NDArray[np.float64]
_STATES = (1, 2, 3)
#: A weight below this share of the largest is none; a mismatch below this share of its terms is rounding.
_NOTHING = 1e-8


def check_rows(mass: Matrix, rows: Rows) -> None:
    """Refuse what no motion can obey, in one sentence."""
    if not len(rows) or rows.implied or any(one is not None for one in rows.wrenches):
        return
    if rows.guided:  # judged as it slides, before it got rows to stick with
        return
    flat = [*mass.entries, *rows.matrix.entries, *rows.reaction.entries, *rows.drift]
    count, n = rows.matrix.shape
    sizes = (n * n, count * n, count * n)
    lost, idle = [], idle_rows(rows)
    for seed in _STATES:
        try:
            values = np.array(sample(flat, seed))
        except (ValueError, ZeroDivisionError, OverflowError):  # a root of what is negative there
            return
        if not np.isfinite(values).all():
            return
        m, g, w, drift = np.split(values, np.cumsum(sizes))
        g.reshape(count, n)[idle] = 0.0
        _check_agreement(rows, g.reshape(count, n), drift)
        if not rows.pushed:
            continue
        try:
            lost.append(coupling(m.reshape(n, n), g.reshape(count, n), w.reshape(count, n)))
        except np.linalg.LinAlgError:  # no masses that a machine has
            return
    if not lost:
        return
    one = lost[0]
    if all(x.rank != x.rank_of_reactions for x in lost):
        raise ModelError(
            f"the constraints {_listed(rows, range(count))} give {one.rank} independent conditions and "
            f"{one.rank_of_reactions} independent reactions (hypothesis H0). Let every condition have a reaction "
            "of its own, or leave out a condition that follows from the others."
        ).of(rows.owners)
    if all(x.kappa < LOST for x in lost):
        raise CouplingError(
            f"the actuator of '{rows.owners[one.actuator]}' cannot impose the law '{rows.owners[one.law]}': the "
            "inverse mass coupling G M^-1 W^T is zero in every configuration (kappa = 0). Push on a coordinate that is "
            "inertially coupled to what the law holds."
        ).of([rows.owners[one.law]])


def idle_rows(rows: Rows) -> list[int]:
    """Conditions written as formulas that no speed changes, at random states: what is left of them is rounding."""
    asked = [k for k, one in enumerate(rows.wrenches) if one is None and k not in rows.implied]
    found = set(asked)
    for seed in _STATES:
        flat = [x for k in asked for x in (*rows.matrix.rows()[k], *rows.made_of.rows()[k])]
        try:
            values = np.abs(sample(flat, seed)).reshape(len(asked), 2, -1)
        except (ValueError, ZeroDivisionError, OverflowError):  # a root of what is negative there
            return []
        found &= {k for k, (row, parts) in zip(asked, values, strict=True) if (row <= _NOTHING * parts).all()}
    return sorted(found)


def always_true(rows: Rows) -> list[tuple[str, str]]:
    """Constraints that hold whatever moves, each with a sentence. A wheel on a slide needs none to touch the road."""
    if rows.guided:
        return []
    idle, told = set(idle_rows(rows)), list[tuple[str, str]]()
    for owner in dict.fromkeys(rows.owners):
        places = rows.of(owner)
        rolls = owner.endswith("_contact") and owner.removesuffix("_contact") in rows.owners
        if rolls or not places or not idle.issuperset(places) or not all(_holds(rows, k) for k in places):
            continue
        sentence = (
            f"constraint '{owner}' holds always, whatever moves: it asks nothing, and nothing tells its reaction. "
            "Leave it out, or name the coordinate that is meant."
        )
        told.append((owner, sentence))
    return told


def _holds(rows: Rows, k: int) -> bool:
    """Whether a condition that nothing changes is true, at random states."""
    gap = rows.gap[k]
    asked, size = (rows.drift[k], rows.conditions[k]) if gap is None else (gap, rows.reach[k])
    for seed in _STATES:
        value, parts = np.abs(sample([asked, error_size([size])[0] if gap is None else size], seed))
        if value > _NOTHING * parts:
            return False
    return True


def following(rows: Rows) -> list[tuple[str, str]]:
    """Constraints that follow from each other, with a sentence."""
    loose = undetermined(rows)
    idle = {rows.names[k] for k in idle_rows(rows)}
    places = [k for k, name in enumerate(rows.names) if name in loose - idle]
    owners = list(dict.fromkeys(rows.owners[k] for k in places))
    if len(owners) < 2:
        return []
    if needless := [x for x in owners if _needless(rows, x)]:
        sentence = (
            f"the conditions {_listed(rows, places)} follow from each other: without '{needless[-1]}' all moves the "
            "same, and no mechanics of rigid bodies tells the reaction of each. Leave out what is said twice."
        )
        return [(needless[-1], sentence)]
    names = ", ".join(rows.names[k] for k in places)
    sentence = (
        f"parts of the conditions {_listed(rows, places)} follow from each other: the motion is right, but rigid "
        f"bodies do not tell how {names} divide what they carry together. Keep them all: each holds something that "
        "the others do not."
    )
    return [(owners[-1], sentence)]


def _needless(rows: Rows, owner: str) -> bool:
    """Whether all rows of a constraint are combinations of the others, at random states."""
    others = [k for k in range(len(rows)) if rows.owners[k] != owner and k not in rows.implied]
    own = [k for k in rows.of(owner) if k not in rows.implied]
    for seed in _STATES:
        values = np.array(sample([x for k in (*others, *own) for x in rows.matrix.rows()[k]], seed))
        g = values.reshape(len(others) + len(own), -1)
        g = g / np.maximum(np.linalg.norm(g, axis=1), 1e-300)[:, None]
        if np.linalg.matrix_rank(g, tol=_NOTHING) != np.linalg.matrix_rank(g[: len(others)], tol=_NOTHING):
            return False
    return True


def undetermined(rows: Rows) -> frozenset[str]:
    """Multipliers that mechanics does not determine: those of conditions that always follow from each other."""
    if not len(rows) or any(one is not None for one in rows.wrenches) or rows.guided:
        return frozenset()
    held = [k for k in range(len(rows)) if k not in rows.implied]
    found: set[int] | None = None
    for seed in _STATES:
        try:
            values = np.array(sample([x for k in held for x in rows.matrix.rows()[k]], seed)).reshape(len(held), -1)
        except (ValueError, ZeroDivisionError, OverflowError):
            return frozenset()
        if not np.isfinite(values).all():
            return frozenset()
        sizes = np.linalg.norm(values, axis=1)
        null = np.abs(left_null(values)) * sizes
        loose = {held[k] for row in null for k in np.flatnonzero(row > _NOTHING * row.max()) if row.max() > 0}
        found = loose if found is None else found & loose
    return frozenset(rows.names[k] for k in found or ())


def undetermined_words(name: str) -> str:
    """What is said of such an effort."""
    return (
        f"'{name}' is not determined by the mechanics of rigid bodies: conditions follow from each other. The value of "
        "least norm is told; sums of such efforts may be determined, each is not."
    )


def _check_agreement(rows: Rows, matrix: Array, drift: Array) -> None:
    """Combinations of rows that vanish must ask for nothing: y G = 0 needs y . drift = 0."""
    for weights in left_null(matrix):
        used = np.abs(weights) > _NOTHING * np.abs(weights).max()
        mismatch = float(weights @ drift)
        if abs(mismatch) > _NOTHING * float(np.abs(weights) @ np.abs(drift)) and drift[used].any():
            names = [rows.owners[k] for k in np.flatnonzero(used)]
            if len(names) == 1:
                raise ModelError(
                    f"the condition '{names[0]}' moves nothing, and time asks something of it: no motion can obey it."
                ).of(names)
            raise ModelError(
                f"the conditions {_listed(rows, np.flatnonzero(used))} contradict each other: they hold the same "
                "motion and ask different rates of it. Leave one of them out, or let them agree."
            ).of(names)
        for k in np.flatnonzero(used):
            if k in rows.pushed or k in rows.sliding:
                raise ModelError(
                    f"the condition '{rows.owners[k]}' follows from the others ({_listed(rows, np.flatnonzero(used))})"
                    ", and its reaction is not perfect: nothing tells how large it is. Leave out one of the conditions."
                ).of([rows.owners[k]])


def _listed(rows: Rows, places: Sequence[int] | range | NDArray[np.intp]) -> str:
    names = list(dict.fromkeys(rows.owners[int(k)] for k in places))
    return (
        " and ".join([", ".join(f"'{x}'" for x in names[:-1]), f"'{names[-1]}'"]) if len(names) > 1 else f"'{names[0]}'"
    )
