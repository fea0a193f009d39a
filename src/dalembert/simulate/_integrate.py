"""Integrate any native right-hand side: the core that mechanisms, ensembles and users share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import SimulationError
from dalembert.simulate import _layout as at
from dalembert.simulate import _native
from dalembert.simulate._attention import progress_bar, watching_interrupt
from dalembert.simulate._callback import Callback, call_setup, joined
from dalembert.simulate._dense import DenseOutput, Manifold
from dalembert.simulate._inputs import as_grid, as_span, as_state, set_grid, set_tolerances, step_sizes
from dalembert.simulate._memory import Memory, allocate, begin
from dalembert.simulate.methods import Method, find_method

Array = NDArray[np.float64]
Callable2 = Callable[[float, Any], Any]

CHUNK_SECONDS = 0.05
#: So many steps that advance by less than this share of what steps have advanced before are chattering, not motion.
STUCK_STEPS, STUCK_SHARE = 500_000, 1e-6
MOST_KEPT = 50_000_000
"""Numbers of kept steps after which dense output is given up, where it was not asked for and `t_eval` was."""
FINISHED, EVENT, INTERRUPTED, FAILED = 0, 1, 2, -1
MESSAGES = {
    at.DONE: (FINISHED, "the end of the span is reached"),
    at.TERMINAL: (EVENT, "a terminal event has occurred"),
    at.STOPPED: (INTERRUPTED, "stopped by Ctrl-C; what was computed is kept"),
    at.COLLAPSE: (FAILED, "the step size has fallen below the spacing of numbers, or the rates are not finite"),
    at.SINGULAR: (FAILED, "a condition of the equations has vanished"),
    at.BAD_EVENT: (FAILED, "an event has no value"),
}


@dataclass(frozen=True, slots=True)
class NativeEvents:
    """Events in machine code: one function for all, and for each how often it may happen and in which direction."""

    address: int
    terminal: tuple[int, ...]
    direction: tuple[float, ...]
    owner: Any = None


@dataclass(frozen=True, slots=True)
class NativeGuards:
    """Conditions that must not vanish, in machine code."""

    address: int
    count: int
    owner: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What an integration gives, with SciPy's names; `culprit` is the number of the guard or event that ended it."""

    t: Array
    y: Array
    sol: DenseOutput | None
    t_events: list[Array] | None
    y_events: list[Array] | None
    status: int
    message: str
    nfev: int
    accepted: int
    rejected: int
    method: str
    t_last: float
    y_last: Array
    culprit: int = -1
    reason: int = field(default=at.DONE, repr=False)

    @property
    def success(self) -> bool:
        """Was the end, or a terminal event, reached?"""
        return self.status in (FINISHED, EVENT)


def integrate(
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
    dense_output: bool | None = None,
    guards: NativeGuards | None = None,
    jacobian: Any = 0,
    project: Any = 0,
    quaternions: Sequence[Sequence[int]] = (),
    progress: bool | None = None,
    callbacks: list[Callback] | None = None,
) -> Solution:
    """Solve y' = f(t, y, p) from the start of `t_span` to its end, without a Python call a step.

    `rhs` is the address of `void f(const double *t, const double *y, const double *p, double *dy)`, a compiled function
    that has one, or (slower) a Python function f(t, y). A failure on the way is told in `status` and `message`.
    `dense_output` None keeps the steps for `sol` unless `t_eval` is given and they grow too many.
    Ctrl-C ends the run and keeps what was computed (`status` 2); pressed twice it raises KeyboardInterrupt.
    `jacobian` serves the implicit methods: a compiled function of (t, y, p) that gives df/dy row by row, then df/dt;
    without it differences are taken. `callbacks` are Python functions that the caller has put behind an address; what
    they raise is raised here.

    >>> import math
    >>> motion = integrate(lambda t, y: -y, (0.0, 1.0), [1.0])
    >>> bool(abs(motion.y[0, -1] - math.exp(-1)) < 1e-8)
    True
    """
    chosen = find_method(method)
    start = as_state(y0)
    span = as_span(t_span)
    callbacks = [] if callbacks is None else callbacks
    addresses = {at.RHS: as_address(rhs, start.size, callbacks), at.PROJECT: getattr(project, "address", project)}
    addresses[at.JACOBIAN] = getattr(jacobian, "address", jacobian)
    native = as_events(events, start.size, callbacks)
    if native is not None:
        addresses[at.EVENT] = native.address
    if guards is not None:
        addresses[at.GUARD] = guards.address
    grid = as_grid(t_eval, span)
    memory = allocate(
        chosen,
        start.size,
        addresses,
        quaternions=quaternions,
        events=len(native.terminal) if native else 0,
        guards=guards.count if guards else 0,
        keep=dense_output is not False or grid is None,
    )
    if native is not None:
        memory[at.REMAINING][: len(native.terminal)] = native.terminal
        memory[at.DIRECTION][: len(native.direction)] = native.direction
    set_parameters(memory, rhs, np.array(parameters, dtype=float).reshape(-1))
    set_tolerances(memory, rtol, atol, start.size)
    set_grid(memory, grid, start.size)
    begin(memory, span, start, *step_sizes(chosen, span, first_step, max_step))
    spare = grid is not None and dense_output is None
    reason, stored, found = _run(memory, span, callbacks, progress, spare)
    owners = (rhs, callbacks, native, guards, project, jacobian)
    return _solution(memory, chosen, reason, stored, found, grid, dense_output, owners)


def _run(memory: Memory, span: tuple[float, float], callbacks: list[Callback], show: bool | None, spare: bool) -> Any:
    """Chunk after chunk, each short enough for the bar and for Ctrl-C; the buffers are emptied in between."""
    stored: list[tuple[Array, Array, Array]] = []
    found: list[tuple[Array, Array, Array]] = []
    attempts, m = 16, memory.block
    work, mark, last, fastest = 0, span[0], span[0], 0.0
    with watching_interrupt() as interrupt, progress_bar(abs(span[1] - span[0]), "simulate", show) as bar:
        while True:
            began = time.perf_counter()
            try:
                reason = _native.advance(memory.address, attempts) if span[0] != span[1] else _stay(memory)
            except KeyboardInterrupt:  # a handler of somebody else, called as soon as Python runs again
                reason = at.STOPPED
            _collect(memory, stored, found)
            if spare and m[at.KEEP] and len(stored) * m[at.STEP_ROOM] * m[at.N] > MOST_KEPT:
                m[at.KEEP] = 0
                stored.clear()
            for callback in callbacks:
                if callback.error is not None:
                    raise callback.error
            if reason == at.CONTINUE and interrupt.pressed:
                reason = at.STOPPED
            if reason != at.CONTINUE:
                m[at.STOP] = 0
                return reason, stored, found
            if time.perf_counter() - began < CHUNK_SECONDS / 2:
                attempts = min(2 * attempts, 1 << 20)
            elif time.perf_counter() - began > CHUNK_SECONDS * 2:
                attempts = max(1, attempts // 2)
            t = float(memory.real[at.T])
            fastest, last = max(fastest, abs(t - last) / attempts), t
            work += attempts
            if work > STUCK_STEPS:
                if abs(t - mark) < STUCK_SHARE * fastest * work:
                    return at.COLLAPSE, stored, found
                work, mark = 0, t
            bar.update(abs(t - span[0]), f"t = {t:.4g}")


def _stay(memory: Memory) -> int:
    """A span of no length: the start is the whole motion."""
    _native.advance(memory.address, 0)
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
    method: Method,
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
        _native.steps_again(memory.address, 0, steps)
        return out

    return make


def set_parameters(memory: Memory, rhs: Any, parameters: Array) -> None:
    """Give the parameters; a right-hand side that digests them once (`setup_address`) does so here."""
    memory.bind(at.P, parameters)
    setup = getattr(rhs, "setup_address", 0)
    if setup:
        kept = np.zeros(rhs.constants)
        call_setup(setup, parameters, kept)
        memory.bind(at.KEPT, kept)
        memory.block[at.RHS] = rhs.state_address


def as_address(rhs: Any, size: int, callbacks: list[Callback]) -> int:
    if isinstance(rhs, int | np.integer):
        return int(rhs)
    address = getattr(rhs, "address", None)
    if isinstance(address, int):
        return address
    if not callable(rhs):
        raise SimulationError(f"cannot integrate {rhs!r}: give an address, a compiled function, or a function f(t, y).")
    callbacks.append(Callback(rhs, size, size))
    return callbacks[-1].address


def as_events(events: Any, size: int, callbacks: list[Callback]) -> NativeEvents | None:
    """SciPy's convention: functions f(t, y), with attributes `terminal` (True or a count) and `direction`."""
    if events is None or isinstance(events, NativeEvents):
        return events
    functions = [events] if callable(events) else list(events)
    if not functions:
        return None
    callbacks.append(Callback(joined(functions), size, len(functions)))
    terminal = tuple(int(getattr(f, "terminal", 0) or 0) for f in functions)
    direction = tuple(float(getattr(f, "direction", 0.0)) for f in functions)
    return NativeEvents(callbacks[-1].address, terminal, direction)
