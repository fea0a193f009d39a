"""One trajectory through the compiled loop, chunk after chunk."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop import native
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.methods.code import Code, improve, set_parameters
from dalembert.simulate.methods.inputs import as_grid, as_span, as_state, set_grid, set_tolerances, step_sizes
from dalembert.simulate.methods.memory import Memory, begin, pieces
from dalembert.simulate.methods.problem import MESSAGES, UNFOLLOWED, Array, Problem, Solution
from dalembert.simulate.methods.schemes import Scheme

CHUNK_SECONDS = 0.05
MOST_KEPT = 50_000_000
"""Numbers of kept steps after which dense output is given up, where it was not asked for and `t_eval` was."""
MOST_STORED = 250_000_000
"""Numbers of kept steps, 2 GB, after which a motion that needs them is ended: more would fill the memory."""
LEAST = 1e-150
"""Stands for an event that is zero with a sign: its product with any real value is still a number."""


def solve(scheme: Scheme, problem: Problem) -> Solution:
    """The motion of one trajectory."""
    start, span = as_state(problem.y0), as_span(problem.span)
    code = Code.of(problem, start.size)
    grid = as_grid(problem.t_eval, span)
    memory = code.memory(scheme, keep=problem.dense_output is not False or grid is None)
    if code.events is not None:
        memory[at.REMAINING][: len(code.events.terminal)] = code.events.terminal
    set_parameters(memory, problem.rhs, np.array(problem.parameters, dtype=float).reshape(-1))
    set_tolerances(memory, problem.rtol, problem.tolerance, start.size, scheme.finest)
    set_grid(memory, grid, start.size)
    begin(memory, span, start, *step_sizes(scheme, span, problem.first_step, problem.max_step))
    if problem.watch_stiffness:
        memory.room(at.BEHIND, 3 * (start.size + 1))
    reason, stored, found = _run(memory, span, problem, spare=grid is not None and problem.dense_output is None)
    return _solution(memory, scheme, reason, stored, found, grid, problem.dense_output, (code, problem))


def _run(memory: Memory, span: tuple[float, float], problem: Problem, spare: bool) -> Any:
    """Chunk after chunk, each short enough for the bar and for Ctrl-C; the buffers are emptied in between."""
    callbacks, show = problem.callbacks, problem.progress
    ends = list(reversed(pieces(memory, span, problem.corners, problem.parameters)))
    memory.real[at.T_END] = ends.pop()
    stored: list[tuple[Array, Array, Array]] = []
    found: list[tuple[Array, Array, Array]] = []
    attempts, m = 16, memory.block
    with watching_interrupt() as interrupt, progress_bar(abs(span[1] - span[0]), "simulate", show) as bar:
        if problem.events is not None and span[0] != span[1]:
            _leave(memory, problem.leaving)
        while True:
            began = time.perf_counter()
            try:
                reason = native.advance(memory.address, attempts) if span[0] != span[1] else _stay(memory)
            except KeyboardInterrupt:  # a handler of somebody else, called as soon as Python runs again
                reason = at.STOPPED
            _collect(memory, stored, found)
            kept = m[at.N] * sum(len(times) for times, _, _ in stored)  # a slow machine fills its chunks with few steps
            if spare and m[at.KEEP] and kept > MOST_KEPT:
                m[at.KEEP] = 0
                stored.clear()
            elif kept > MOST_STORED:
                return at.MEMORY, stored, found
            for callback in callbacks:
                if callback.error is not None:
                    raise callback.error
            if reason == at.STIFF and not _gives_way(memory, problem):
                reason = at.CONTINUE
            if reason == at.DONE and ends:
                _turn(memory, ends.pop())
                reason = at.CONTINUE
            if reason == at.CONTINUE and interrupt.pressed:
                reason = at.STOPPED
            if reason != at.CONTINUE:
                m[at.STOP] = 0
                return reason, stored, found
            took = time.perf_counter() - began
            if took < CHUNK_SECONDS / 2:
                attempts = min((8 if took < CHUNK_SECONDS / 16 else 2) * attempts, 1 << 20)
            elif took > CHUNK_SECONDS * 2:
                attempts = max(1, attempts // 2)
            improve(memory, problem.rhs)
            t = float(memory.real[at.T])
            bar.update(abs(t - span[0]), f"t = {t:.4g}")


def _gives_way(memory: Memory, problem: Problem) -> bool:
    """Is there a better method for what looks stiff? If not, this one goes on and asks again, four times as late."""
    m, t = memory.block, float(memory.real[at.T])
    doubt = problem.doubt
    if doubt is None or doubt(t, memory[at.Y].copy(), abs(float(memory.real[at.LAST_STEP])), int(m[at.PATIENCE])):
        return True
    m[at.BOUND_STEPS] = 0
    m[at.PATIENCE] *= 4
    return False


def _turn(memory: Memory, end: float) -> None:
    """Go on behind a corner towards the next: what begins there may be quick, whatever was before."""
    real = memory.real
    real[at.T_END] = end
    real[at.STEP] = min(real[at.STEP], at.AFTER * abs(end - real[at.T]))
    memory.block[at.SHRUNK] = 0


def _leave(memory: Memory, leaving: Mapping[int, float]) -> None:
    """Begin, and give the events on which the motion starts the sign that it leaves them with."""
    native.advance(memory.address, 0)
    for number, sign in leaving.items():
        memory[at.OLD_EVENT][number] = np.copysign(max(abs(memory[at.OLD_EVENT][number]), LEAST), sign)


def _stay(memory: Memory) -> int:
    """A span of no length: the start is the whole motion."""
    native.advance(memory.address, 0)
    return at.DONE


def _collect(memory: Memory, stored: list[Any], found: list[Any]) -> None:
    m = memory.block
    for count, slots, target in (
        (int(m[at.STORED]), (at.STEP_T, at.STEP_H, at.STEP_Y), stored),
        (int(m[at.EVENTED]), (at.EVENT_T, at.EVENT_INDEX, at.EVENT_Y), found),
    ):
        if count:
            target.append(tuple(memory[slot][:count].copy() for slot in slots))
    m[at.STORED] = m[at.EVENTED] = 0


def _solution(
    memory: Memory,
    method: Scheme,
    reason: int,
    stored: list[Any],
    found: list[Any],
    grid: Array | None,
    dense_output: bool | None,
    owners: Any,
) -> Solution:
    m, size = memory.block, int(memory.block[at.N])
    keep, asked = bool(m[at.KEEP]), int(m[at.NEXT])
    t, h, y = _joined(stored, size)
    sol = None
    if keep and dense_output is not False:
        manifold = Manifold(memory[at.QUATERNION], int(m[at.PROJECT]), memory[at.P], owners)
        sol = DenseOutput(t, h[1:], y, _coefficient_maker(memory, t, h, y, owners), manifold)
    status, message = MESSAGES[reason]
    t_events, y_events = None, None
    if m[at.EVENTS]:
        times, index, states = _joined(found, size)
        t_events = [times[index == j] for j in range(m[at.EVENTS])]
        y_events = [states[index == j] for j in range(m[at.EVENTS])]
    return Solution(
        t=t if grid is None else grid[:asked].copy(),
        y=np.ascontiguousarray((y if grid is None else memory[at.GRID_Y][:asked]).T),
        sol=sol,
        t_events=t_events,
        y_events=y_events,
        status=status,
        message=message,
        nfev=int(m[at.NFEV]),
        accepted=int(m[at.ACCEPTED]),
        rejected=int(m[at.REJECTED]),
        method=method.name,
        t_last=float(memory.real[at.T]),
        y_last=memory[at.Y].copy(),
        culprit=int(m[at.INFO]),
        reason=reason,
        last_step=abs(float(memory.real[at.LAST_STEP])),
        remarks=(UNFOLLOWED,) if m[at.UNRESOLVED] else (),
    )


def _joined(parts: list[Any], size: int) -> tuple[Array, Any, Array]:
    if not parts:
        return np.zeros(0), np.zeros(0), np.zeros((0, size))
    first, second, third = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second), np.concatenate(third)


def _coefficient_maker(memory: Memory, t: Array, h: Array, y: Array, owners: Any) -> Callable[[], Array]:
    """Make the steps again when dense output is first asked for; `owners` keeps the compiled functions alive."""

    def make() -> Array:
        _ = owners
        steps = len(t) - 1
        out = np.zeros((steps, int(memory.block[at.DENSE_ROWS]) + 1, y.shape[1]))
        for slot, array in ((at.STEP_T, t), (at.STEP_H, h[1:]), (at.STEP_Y, y), (at.GRID_Y, out)):
            memory.bind(slot, np.ascontiguousarray(array))
        native.steps_again(memory.address, 0, steps)
        return out

    return make
