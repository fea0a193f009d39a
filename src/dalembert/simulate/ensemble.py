"""Many motions at once: each with its own step control, spread over the processor's cores."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import SimulationError
from dalembert.simulate import _layout as at
from dalembert.simulate import _native
from dalembert.simulate._attention import progress_bar, watching_interrupt
from dalembert.simulate._callback import Callback
from dalembert.simulate._inputs import as_grid, as_span, set_grid, set_tolerances, step_sizes
from dalembert.simulate._integrate import MESSAGES, Callable2, NativeEvents, NativeGuards, as_address, as_events
from dalembert.simulate._memory import Memory, allocate, begin
from dalembert.simulate.methods import find_method

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trajectories at common times: `y[k, i, j]` is state i of trajectory k at `t[j]`, NaN after it has ended.

    `status` as for one motion: 0 the end, 1 a terminal event, 2 stopped by Ctrl-C, -1 a failure; `t_last` and `y_last`
    are where each trajectory stopped.
    """

    t: Array
    y: Array
    status: NDArray[np.int64]
    t_last: Array
    y_last: Array
    nfev: NDArray[np.int64]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> Array:
        """One state of all trajectories, a row each."""
        if name not in self.names:
            raise SimulationError(f"the ensemble has no state '{name}'; it has {', '.join(self.names) or 'no names'}.")
        rows: Array = self.y[:, self.names.index(name), :]
        return rows

    @property
    def success(self) -> bool:
        """Did all trajectories reach their end or a terminal event?"""
        return bool(np.isin(self.status, (0, 1)).all())


def integrate_many(
    rhs: Any,
    t_span: tuple[float, float],
    y0: ArrayLike,
    parameters: ArrayLike = (),
    *,
    method: str = "DOP853",
    t_eval: ArrayLike | None = None,
    events: NativeEvents | Callable2 | Sequence[Callable2] | None = None,
    rtol: ArrayLike = 1e-8,
    atol: ArrayLike = 1e-10,
    max_step: float = np.inf,
    first_step: float | None = None,
    guards: NativeGuards | None = None,
    jacobian: Any = 0,
    project: Any = 0,
    quaternions: Sequence[Sequence[int]] = (),
    threads: int | None = None,
    progress: bool | None = None,
    callbacks: list[Callback] | None = None,
) -> Ensemble:
    """Solve y' = f(t, y, p) for many starts (rows of `y0`) and parameters (one row for all, or one each).

    A failing trajectory does not stop the others. `t_eval` None gives the end of the span only.

    >>> ends = integrate_many(lambda t, y: -y, (0.0, 1.0), [[1.0], [2.0]])
    >>> ends.y.shape
    (2, 1, 1)
    """
    chosen, span = find_method(method), as_span(t_span)
    starts, table = _tables(y0, parameters)
    count, size = starts.shape
    grid = as_grid([span[1]] if t_eval is None else t_eval, span)
    callbacks = [] if callbacks is None else callbacks
    native = as_events(events, size, callbacks)
    addresses = {at.RHS: as_address(rhs, size, callbacks), at.PROJECT: getattr(project, "address", project)}
    addresses[at.JACOBIAN] = getattr(jacobian, "address", jacobian)
    addresses[at.EVENT], addresses[at.GUARD] = getattr(native, "address", 0), getattr(guards, "address", 0)
    result = {
        at.MANY_STATUS: np.full(count, at.STOPPED, dtype=np.int64),
        at.MANY_NFEV: np.zeros(count, dtype=np.int64),
        at.MANY_T_LAST: np.full(count, span[0]),
        at.MANY_Y_LAST: starts.copy(),
        at.MANY_GRID: np.full((count, len(grid) if grid is not None else 0, size), np.nan),
    }

    def make() -> Memory:
        memory = allocate(
            chosen,
            size,
            addresses,
            quaternions=quaternions,
            events=len(native.terminal) if native else 0,
            guards=guards.count if guards else 0,
            keep=False,
        )
        if native is not None:
            memory[at.DIRECTION][: len(native.direction)] = native.direction
        set_tolerances(memory, rtol, atol, size)
        set_grid(memory, grid, 0)
        begin(memory, span, starts[0], *step_sizes(chosen, span, first_step, max_step))
        terminal = np.array(native.terminal if native else [0], dtype=np.int64)
        for slot, array in {at.MANY_Y: starts, at.MANY_P: table, at.MANY_TERMINAL: terminal, **result}.items():
            memory.bind(slot, array)
        memory.block[at.MANY_P_STRIDE] = table.shape[1] if len(table) > 1 else 0
        if getattr(rhs, "setup_address", 0):
            memory.room(at.KEPT, rhs.constants)
            memory.block[[at.SETUP, at.RHS]] = rhs.setup_address, rhs.state_address
        return memory

    _spread(make, count, 1 if callbacks else threads, callbacks, progress)
    status = np.array([MESSAGES[int(reason)][0] for reason in result[at.MANY_STATUS]], dtype=np.int64)
    return Ensemble(
        t=grid if grid is not None else np.zeros(0),
        y=np.swapaxes(result[at.MANY_GRID], 1, 2),
        status=status,
        t_last=result[at.MANY_T_LAST],
        y_last=result[at.MANY_Y_LAST],
        nfev=result[at.MANY_NFEV],
    )


def _spread(
    make: Callable[[], Memory], count: int, threads: int | None, callbacks: list[Callback], show: bool | None
) -> None:
    """Blocks of trajectories to threads, each with its own memory; Ctrl-C stops all of them at their next step."""
    workers = max(1, min(threads or _processors(), count))
    block = max(1, min(64, count // (8 * workers)))
    starts = itertools.count(0, block)
    memories = [make() for _ in range(workers)]
    finished = [0] * workers
    stop = threading.Event()

    def work(worker: int) -> None:
        for first in iter(lambda: next(starts), None):
            if first >= count or stop.is_set():
                return
            last = min(first + block, count)
            finished[worker] += _native.advance_many(memories[worker].address, first, last)

    with (
        watching_interrupt() as interrupt,
        progress_bar(count, "simulate", show) as bar,
        ThreadPoolExecutor(workers, thread_name_prefix="dalembert-simulate") as pool,
    ):
        running = {pool.submit(work, worker) for worker in range(workers)}
        while running:
            done, running = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            bar.update(sum(finished), f"{sum(finished)} of {count}")
            if interrupt.pressed or any(callback.error for callback in callbacks):
                stop.set()
                for memory in memories:
                    memory.block[at.STOP] = 1
    for callback in callbacks:
        if callback.error is not None:
            raise callback.error


def _tables(y0: ArrayLike, parameters: ArrayLike) -> tuple[Array, Array]:
    starts = np.array(y0, dtype=float, ndmin=2, order="C")
    table = np.array(parameters, dtype=float, ndmin=2, order="C")
    if len(starts) == 1 and len(table) > 1:
        starts = np.repeat(starts, len(table), axis=0)
    if starts.ndim != 2 or table.ndim != 2 or (len(table) not in (1, len(starts))) or 0 in starts.shape:
        raise SimulationError(
            f"starts {starts.shape} and parameters {table.shape} do not match: one row each, or one for all."
        )
    if not np.isfinite(starts).all():
        raise SimulationError(f"trajectory {int(np.argwhere(~np.isfinite(starts))[0, 0])} has no finite start.")
    return starts, table


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
