"""Many motions with contacts: each has its own changes of contacts, one after the other through the run of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.numbers import count_of
from dalembert.errors import SimulationError
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.problem import INTERRUPTED, Ensemble
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]


def run_touching(
    system: System,
    t_span: tuple[float, float],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    asked: Asked,
) -> Ensemble:
    """The trajectories, with the log of contacts of each; one that fails is kept up to where it failed."""
    span, progress = as_span(t_span), asked.get("progress")
    count = count_of({**(start or {}), **(given or {})})
    times = asked.get("t_eval")
    grid = as_grid([span[1]] if times is None else times, span)
    assert grid is not None
    one: Asked = {**asked, "t_eval": grid, "progress": False, "dense_output": True}
    y = np.full((count, len(system.states), len(grid)), np.nan)
    status = np.full(count, INTERRUPTED, dtype=np.int64)
    t_last, y_last = np.full(count, span[0]), np.full((count, len(system.states)), np.nan)
    nfev, logs = np.zeros(count, dtype=np.int64), list[ContactLog]()
    with watching_interrupt() as interrupt, progress_bar(count, "simulate", progress) as bar:
        for k in range(count):
            if interrupt.pressed:
                break
            try:
                asked_of: Asked = {**one, "start": _member(start, k), "given": _member(given, k)}
                motion: Motion = run(system, t_span, **asked_of)
            except SimulationError as error:
                if error.partial is None:  # it has not begun: what was asked for is wrong
                    raise SimulationError(f"trajectory {k}: {error}") from error
                motion = error.partial
            _seen(motion, grid, y[k])
            last = motion.arcs[-1]
            status[k], nfev[k], t_last[k] = motion.status, motion.nfev, last.span[1]
            y_last[k] = last.sol(last.span[1]) if last.sol is not None else last.y[:, -1]
            assert motion.contacts is not None
            logs.append(motion.contacts)
            bar.update(k + 1, f"{k + 1} of {count}")
    return Ensemble(grid, y, status, t_last, y_last, nfev, system.states, tuple(logs))


def _seen(motion: Any, grid: Array, into: Array) -> None:
    """States at the times of the grid; of a jump, those after it."""
    for arc in motion.arcs:
        places = np.searchsorted(grid, arc.t)
        into[:, places] = arc.y


def _member(values: Mapping[str, Any] | None, k: int) -> dict[str, Any]:
    return {name: value[k] if np.ndim(value) else value for name, value in (values or {}).items()}
