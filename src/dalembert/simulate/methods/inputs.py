"""Checks of what the caller gives: spans, states, times, tolerances, steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import SimulationError, warn
from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods.memory import Memory
from dalembert.simulate.methods.schemes import Scheme

Array = NDArray[np.float64]
MOST_STEPS = 1e9
"""Of a motion, where its user sets the step: a quarter of an hour for the smallest system."""


def as_state(y0: ArrayLike) -> Array:
    state = np.array(y0, dtype=float).reshape(-1)
    if state.size == 0:
        raise SimulationError("there is nothing to integrate: the state is empty.")
    if not np.isfinite(state).all():
        raise SimulationError(f"state {int(np.flatnonzero(~np.isfinite(state))[0])} does not start at a finite number.")
    return state


def as_span(t_span: Sequence[float]) -> tuple[float, float]:
    try:
        start, end = (float(t) for t in t_span)
    except (TypeError, ValueError):
        start = end = math.nan
    if not (math.isfinite(start) and math.isfinite(end)):
        raise SimulationError(f"t_span is {t_span!r}: it takes two finite numbers, start and end, such as (0, 10).")
    return start, end


def as_grid(t_eval: ArrayLike | None, span: tuple[float, float]) -> Array | None:
    if t_eval is None:
        return None
    grid = np.array(t_eval, dtype=float).reshape(-1)
    sense = 1.0 if span[1] >= span[0] else -1.0
    ordered = grid.size < 2 or bool((sense * np.diff(grid) > 0).all())
    if grid.size and not (ordered and sense * span[0] <= sense * grid[0] and sense * grid[-1] <= sense * span[1]):
        raise SimulationError(f"t_eval must go from the start of the span {span} to its end, in order and inside it.")
    return grid


def set_grid(memory: Memory, grid: Array | None, size: int) -> None:
    """The times at which states are asked for."""
    times = np.zeros(0) if grid is None else grid
    memory.block[at.GRID_SIZE] = len(times)
    memory.bind(at.GRID_T, times)
    memory.room(at.GRID_Y, len(times), size)


def set_tolerances(memory: Memory, rtol: ArrayLike, atol: ArrayLike, size: int, smallest: float) -> None:
    """Put them in their place."""
    for slot, tolerance in zip((at.RTOL, at.ATOL), tolerances(rtol, atol, size, smallest), strict=True):
        memory.bind(slot, tolerance)


def tolerances(rtol: ArrayLike, atol: ArrayLike, size: int, smallest: float) -> tuple[Array, Array]:
    """Relative and absolute tolerance, each a number or one for each state; `smallest` is the finest relative one."""
    relative, absolute = np.empty(size), np.empty(size)
    relative[:], absolute[:] = rtol, atol
    for name, least in (("rtol", relative.min()), ("atol", absolute.min())):
        if not least >= 0:
            raise SimulationError(f"{name} must not be negative.")
    if relative.min() < smallest:
        warn(f"rtol below {smallest:.1e} is beyond the precision of its numbers; {smallest:.1e} is used.")
        relative = np.maximum(relative, smallest)
    return relative, absolute


def check_steps(span: tuple[float, float], step: float) -> None:
    """Refuse steps so short that nobody could wait for them, or keep them."""
    if abs(span[1] - span[0]) > MOST_STEPS * step > 0:
        raise SimulationError(
            f"steps of {step:g} are too short for the span {span}: they would be more than {MOST_STEPS:.0e}. "
            "Take longer ones, or a shorter span."
        )


def check_limits(first: float | None, largest: float) -> None:
    """Refuse steps that are none."""
    if first is not None and not first > 0:
        raise SimulationError(f"first_step is {first}: it must be positive.")
    if not largest > 0:
        raise SimulationError(f"max_step is {largest}: it must be positive.")


def step_sizes(method: Scheme, span: tuple[float, float], first: float | None, largest: float) -> tuple[float, float]:
    """First and largest step; a symplectic method takes the first as its fixed step, made to divide the span."""
    check_limits(first, largest)
    if method.symplectic:
        check_steps(span, first or largest)
    if not method.symplectic:
        return first or 0.0, largest
    step = first or largest
    if not np.isfinite(step):
        raise SimulationError(f"the method '{method.name}' has a fixed step: say which, for example first_step=0.01.")
    length = abs(span[1] - span[0])
    return (length / max(1, round(np.ceil(length / step * (1 - 1e-9)))) or step), np.inf
