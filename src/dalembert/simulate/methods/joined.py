"""Solutions of one problem in a row, each from where the last one ended, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.simulate.loop.dense import DenseOutput
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.problem import Array, NativeEvents, Problem, Solution


def onward(problem: Problem, pieces: Sequence[Solution]) -> Problem:
    """The rest of a problem after some pieces: asked times and terminal events that are left."""
    last, span = pieces[-1], as_span(problem.span)
    sense = 1.0 if span[1] >= span[0] else -1.0
    grid = as_grid(problem.t_eval, span)
    return replace(
        problem,
        span=(last.t_last, span[1]),
        y0=last.y_last,
        t_eval=None if grid is None else grid[sense * grid > sense * last.t_last],
        events=with_events_left(problem.events, pieces),
        leaving={},
        first_step=None,
    )


def with_events_left(events: Any, pieces: Sequence[Solution]) -> Any:
    """Events that may happen as often as is left of it; those that have ended a motion would end it again."""
    if not isinstance(events, NativeEvents):
        return events
    used = [sum(len((one.t_events or [])[k]) for one in pieces) for k in range(len(events.terminal))]
    pairs = zip(events.terminal, used, strict=True)
    return replace(events, terminal=tuple(max(1, most - had) if most else 0 for most, had in pairs))


def joined(pieces: Sequence[Solution], gridded: bool) -> Solution:
    """One solution of them all; without asked times the shared ends are told once."""
    last = pieces[-1]
    t, y = [one.t for one in pieces], [one.y for one in pieces]
    if not gridded:
        t, y = [t[0], *(one[1:] for one in t[1:])], [y[0], *(one[:, 1:] for one in y[1:])]
    lists = {
        name: None
        if last.t_events is None
        else [np.concatenate(ones) for ones in zip(*(getattr(one, name) for one in pieces), strict=True)]
        for name in ("t_events", "y_events")
    }
    sums = {name: sum(getattr(one, name) for one in pieces) for name in ("nfev", "accepted", "rejected")}
    remarks = tuple(dict.fromkeys(word for one in pieces for word in one.remarks))
    whole: dict[str, Any] = {**lists, **sums, "sol": joined_output([one.sol for one in pieces]), "remarks": remarks}
    return replace(last, t=np.concatenate(t), y=np.ascontiguousarray(np.concatenate(y, axis=1)), **whole)


def joined_output(outputs: Sequence[DenseOutput | None]) -> DenseOutput | None:
    """Dense outputs in a row as one; nothing where one is missing."""
    whole = [one for one in outputs if one is not None]
    if len(whole) < len(outputs):
        return None
    rows = max(one.coefficients.shape[1] for one in whole)
    padded = [np.pad(c, ((0, 0), (0, rows - c.shape[1]), (0, 0))) for c in (one.coefficients for one in whole)]
    t, y = (_without_shared_ends([getattr(one, name) for one in whole]) for name in "ty")
    h = np.concatenate([one.h for one in whole])
    return DenseOutput(t, h, y, np.concatenate(padded), whole[0].manifold)


def _without_shared_ends(parts: Sequence[Array]) -> Array:
    return np.concatenate([parts[0], *(one[1:] for one in parts[1:])])
