"""Many motions with contacts, or friction that sticks: each has its own changes, and goes through the run of one.

Where processes can be forked, as many go at once as there are cores: what contacts decide is Python, in which threads
would take turns.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.numbers import count_of
from dalembert.errors import DalembertError, SimulationError
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.problem import INTERRUPTED, Ensemble
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]

_LOOK = 0.1
"""Seconds between looks at Ctrl-C while processes work."""


@dataclass(frozen=True, slots=True)
class _Went:
    """One trajectory: states on the grid, how and where it ended, its contacts; or why it has not begun."""

    y: Array
    status: int
    nfev: int
    t_last: float
    y_last: Array
    log: ContactLog | None
    refused: str = ""
    told: Array | None = None


def run_touching(
    system: System,
    t_span: tuple[float, float],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    asked: Asked,
    threads: int | None = None,
    tell: Callable[[Motion], Array] | None = None,
) -> Ensemble:
    """The trajectories, with the log of contacts of each; one that fails is kept up to where it failed.

    `tell` makes numbers of each motion where it is made: `told` of the result has a row for each.
    """
    span, progress = as_span(t_span), asked.get("progress")
    count = count_of({**(start or {}), **(given or {})})
    times = asked.get("t_eval")
    grid = as_grid([span[1]] if times is None else times, span)
    assert grid is not None
    one: Asked = {**asked, "t_eval": grid, "progress": False, "dense_output": True}

    def member(k: int) -> _Went:
        asked_of: Asked = {**one, "start": _member(start, k), "given": _member(given, k)}
        return _went(system, t_span, grid, asked_of, tell)

    y = np.full((count, len(system.states), len(grid)), np.nan)
    status = np.full(count, INTERRUPTED, dtype=np.int64)
    t_last, y_last = np.full(count, span[0]), np.full((count, len(system.states)), np.nan)
    nfev, logs, rows = np.zeros(count, dtype=np.int64), dict[int, ContactLog](), dict[int, Array]()
    with watching_interrupt() as interrupt, progress_bar(count, "simulate", progress) as bar:
        for k, found in _each(member, count, _workers(threads, count), lambda: bool(interrupt.pressed)):
            if found.refused:  # what was asked for is wrong
                raise SimulationError(f"trajectory {k}: {found.refused}")
            y[k], status[k], nfev[k] = found.y, found.status, found.nfev
            t_last[k], y_last[k] = found.t_last, found.y_last
            logs[k] = found.log or ContactLog(())
            if found.told is not None:
                rows[k] = found.told
            bar.update(len(logs), f"{len(logs)} of {count}")
    told = tuple(logs.get(k, ContactLog(tuple(one.name for one in system.contacts))) for k in range(count))
    numbers = np.array([rows[k] for k in range(count)]) if rows and len(rows) == count else None
    return Ensemble(grid, y, status, t_last, y_last, nfev, system.states, told, told=numbers)


def _workers(threads: int | None, count: int) -> int:
    """Processes to fork: none where that is not safe, and none for a single motion."""
    if not sys.platform.startswith("linux"):
        return 1
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores if threads is None else threads, count))


def _each(
    member: Callable[[int], _Went], count: int, workers: int, stop: Callable[[], bool]
) -> Iterator[tuple[int, _Went]]:
    """All members, as they come; the first is made here, so that what it compiles is there for all."""
    alone = range(count) if workers == 1 else range(1)
    for k in alone:
        if stop():
            return
        yield k, member(k)
    if workers == 1 or count == 1:
        return
    context = multiprocessing.get_context("fork")
    open_, crew = list[Connection](), list[Any]()
    for w in range(workers):
        here, there = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(member, range(1 + w, count, workers), there), daemon=True)
        worker.start()
        there.close()
        open_.append(here)
        crew.append(worker)
    try:
        while open_ and not stop():
            for pipe in wait(open_, _LOOK):
                assert isinstance(pipe, Connection)
                try:
                    yield pipe.recv()
                except EOFError:
                    open_.remove(pipe)
    finally:
        for worker in crew:
            worker.terminate()
            worker.join()


def _work(member: Callable[[int], _Went], mine: range, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is asked, and ends all
    for k in mine:
        pipe.send((k, member(k)))
    pipe.close()


def _went(
    system: System, t_span: tuple[float, float], grid: Array, asked: Asked, tell: Callable[[Motion], Array] | None
) -> _Went:
    nothing = np.zeros(0)
    try:
        motion: Motion = run(system, t_span, **asked)
    except DalembertError as error:
        partial = getattr(error, "partial", None)
        if partial is None:
            return _Went(nothing, 0, 0, 0.0, nothing, None, str(error))
        motion = partial
    try:
        told = None if tell is None else tell(motion)
    except DalembertError as error:
        return _Went(nothing, 0, 0, 0.0, nothing, None, str(error))
    y, last = np.full((len(system.states), len(grid)), np.nan), motion.arcs[-1]
    for arc in motion.arcs:  # states at the times of the grid; of a jump, those after it
        y[:, np.searchsorted(grid, arc.t)] = arc.y
    end = last.sol(last.span[1]) if last.sol is not None else last.y[:, -1]
    return _Went(y, motion.status, motion.nfev, last.span[1], np.asarray(end), motion.contacts, told=told)


def _member(values: Mapping[str, Any] | None, k: int) -> dict[str, Any]:
    return {name: value[k] if np.ndim(value) else value for name, value in (values or {}).items()}
