"""Many trajectories through the compiled loop: each with its own step control, spread over the processor's cores."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dalembert.codegen.native import REPAID
from dalembert.errors import SimulationError
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop import native
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.methods.code import Code
from dalembert.simulate.methods.driver_lanes import Vectors
from dalembert.simulate.methods.inputs import as_grid, as_span, set_grid, set_tolerances, step_sizes
from dalembert.simulate.methods.memory import Memory, begin, pieces
from dalembert.simulate.methods.problem import MESSAGES, Array, Ensemble, Problem
from dalembert.simulate.methods.schemes import Scheme

#: Tasks of threads, the memories that they work in, and how many trajectories are done.
Work = tuple[list[Callable[[], None]], list[Memory], Callable[[], int]]
#: Trajectories that are integrated one by one, to know what the others take.
_SAMPLE = 16
#: What a trajectory evaluates at least, about: ten steps of order eight.
_EVALUATIONS = 100


def solve_many(scheme: Scheme, problem: Problem, threads: int | None) -> Ensemble:
    """The trajectories of all rows of `y0` and `parameters`."""
    span = as_span(problem.span)
    starts, table = tables(problem.y0, problem.parameters)
    count, size = starts.shape
    grid = as_grid([span[1]] if problem.t_eval is None else problem.t_eval, span)
    if getattr(problem.rhs, "quick", False) and _EVALUATIONS * count > REPAID:
        problem.rhs.improve()
    code = Code.of(problem, size)
    result = {
        at.MANY_STATUS: np.full(count, at.STOPPED, dtype=np.int64),
        at.MANY_NFEV: np.zeros(count, dtype=np.int64),
        at.MANY_T_LAST: np.full(count, span[0]),
        at.MANY_SHORTEST: np.ones(count),
        at.MANY_Y_LAST: starts.copy(),
        at.MANY_GRID: np.full((count, len(grid) if grid is not None else 0, size), np.nan),
    }

    ends: list[list[float]] = []

    def make() -> Memory:
        memory = code.memory(scheme, keep=False)
        set_tolerances(memory, problem.rtol, problem.tolerance, size, scheme.finest)
        set_grid(memory, grid, 0)
        begin(memory, span, starts[0], *step_sizes(scheme, span, problem.first_step, problem.max_step))
        if problem.watch_stiffness:
            memory.room(at.BEHIND, 3 * (size + 1))
        terminal = np.array(code.events.terminal if code.events else [0], dtype=np.int64)
        for slot, array in {at.MANY_Y: starts, at.MANY_P: table, at.MANY_TERMINAL: terminal, **result}.items():
            memory.bind(slot, array)
        if problem.corners is not None:
            if not ends:
                ends.extend(pieces(memory, span, problem.corners, row) for row in table)
            listed = ends if len(table) == count else ends * count
            memory.bind(at.MANY_CORNERS, np.concatenate(listed))
            memory.bind(at.MANY_CORNERS_BEGIN, np.cumsum([0, *map(len, listed)], dtype=np.int64))
        memory.block[at.MANY_P_STRIDE] = table.shape[1] if len(table) > 1 else 0
        if getattr(problem.rhs, "setup_address", 0):
            memory.room(at.KEPT, problem.rhs.constants)
            memory.block[[at.SETUP, at.RHS]] = problem.rhs.setup_address, problem.rhs.state_address
        return memory

    workers = 1 if problem.callbacks else threads or _processors()
    vectors = Vectors.of(scheme, problem, make())
    alone = count if vectors is None else min(count, _SAMPLE)
    _run(problem, *_one_by_one(make, 0, alone, workers))
    if vectors is not None and alone < count and not (result[at.MANY_STATUS][:alone] == at.STOPPED).any():
        evaluations = float(np.mean(result[at.MANY_NFEV][:alone])) * (count - alone)
        road = vectors.workers if vectors.repaid(evaluations) else _one_by_one
        _run(problem, *road(make, alone, count, workers))
    status = np.array([MESSAGES[int(reason)][0] for reason in result[at.MANY_STATUS]], dtype=np.int64)
    return Ensemble(
        t=grid if grid is not None else np.zeros(0),
        y=np.swapaxes(result[at.MANY_GRID], 1, 2),
        status=status,
        t_last=result[at.MANY_T_LAST],
        y_last=result[at.MANY_Y_LAST],
        nfev=result[at.MANY_NFEV],
        reasons=result[at.MANY_STATUS],
        shortest=result[at.MANY_SHORTEST],
    )


def _one_by_one(make: Callable[[], Memory], first: int, count: int, threads: int) -> Work:
    """Blocks of the trajectories [first, count) to threads, each with its own memory."""
    workers = max(1, min(threads, count - first))
    block = max(1, min(64, (count - first) // (8 * workers)))
    starts = itertools.count(first, block)
    memories, finished = [make() for _ in range(workers)], [0] * workers

    def work(worker: int) -> None:
        memory = memories[worker]
        for here in iter(lambda: next(starts), None):
            if here >= count or memory.block[at.STOP]:
                return
            finished[worker] += native.advance_many(memory.address, here, min(here + block, count))

    return [partial(work, k) for k in range(workers)], memories, lambda: sum(finished)


def _run(
    problem: Problem, tasks: Sequence[Callable[[], None]], memories: Sequence[Memory], finished: Callable[[], int]
) -> None:
    """Each task in a thread; Ctrl-C stops all of them at their next step."""
    count = max(len(np.atleast_2d(problem.y0)), len(np.atleast_2d(problem.parameters)))
    with (
        watching_interrupt() as interrupt,
        progress_bar(count, "simulate", problem.progress) as bar,
        ThreadPoolExecutor(len(tasks), thread_name_prefix="dalembert-simulate") as pool,
    ):
        running = {pool.submit(task) for task in tasks}
        while running:
            done, running = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            bar.update(finished(), f"{finished()} of {count}")
            if interrupt.pressed or any(callback.error for callback in problem.callbacks):
                for memory in memories:
                    memory.block[at.STOP] = 1
    for callback in problem.callbacks:
        if callback.error is not None:
            raise callback.error


def tables(y0: ArrayLike, parameters: ArrayLike) -> tuple[Array, Array]:
    """Starts and parameters, a row for each trajectory; parameters that all share have one row."""
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
