"""The compiled integration loop: one machine-code function for every right-hand side and every method.

Nothing here knows a mechanism: right-hand side, projection, events and guards are called by address, and a method is a
table of numbers. Import it only inside functions: it loads numba.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.between import between
from dalembert.simulate.loop.control import counted, halted, next_end, sized
from dalembert.simulate.loop.crossing import crossings, guarded, quiet
from dalembert.simulate.loop.layout import (
    ACCEPTED,
    BAD_EVENT,
    BOUND_STEPS,
    COEFFICIENT,
    COLLAPSE,
    CONTINUE,
    DENSE_ROWS,
    DONE,
    EARLY,
    EVENT,
    EVENT_T,
    EVENT_Y,
    EVENTED,
    EVENTS,
    GRID_SIZE,
    GRID_T,
    GRID_Y,
    IMPLICIT,
    INFO,
    KEEP,
    LAST_STEP,
    NEXT,
    NFEV,
    OLD_EVENT,
    ORDER,
    PARTS,
    PATIENCE,
    PROJECT,
    QUATERNIONS,
    REAL,
    REJECTED,
    SINGULAR,
    SLOPE,
    STAGES,
    STALE,
    STEP,
    STEP_H,
    STEP_T,
    STEP_Y,
    STIFF,
    STORED,
    T_END,
    T_START,
    TERMINAL,
    WAY,
    WEIGHTS,
    Y_NEW,
    Y_TRY,
    N,
    T,
    Y,
)
from dalembert.simulate.loop.pace import first_step, watch_stiffness, watching, way
from dalembert.simulate.loop.pieces import without_sign
from dalembert.simulate.loop.radau import radau
from dalembert.simulate.loop.step import (
    compiled,
    compose,
    copy,
    dense,
    doubles,
    error,
    evaluate,
    explicit,
    past,
    project,
    rates,
    smaller,
    state_at,
)
from dalembert.simulate.loop.stiff import rosenbrock
from dalembert.simulate.loop.taylor import GROWTH, agrees, expand, nested, summed


@compiled
def _store(m: Any, t: float, h: float) -> None:
    if m[KEEP]:
        place = m[STORED]
        doubles(m[STEP_T])[place] = t
        doubles(m[STEP_H])[place] = h
        copy(m[N], doubles(m[Y]), past(doubles(m[STEP_Y]), m[N] * place))
        m[STORED] += 1


@compiled
def begin(m: Any) -> int:
    """First slope, first step, first signs; the start itself is the first result."""
    n, real, y, slope = m[N], doubles(m[REAL]), doubles(m[Y]), doubles(m[SLOPE])
    t, grid = real[T], doubles(m[GRID_T])
    project(m, t, y)
    _store(m, t, 0.0)
    while m[NEXT] < m[GRID_SIZE] and grid[m[NEXT]] == t:
        copy(n, y, past(doubles(m[GRID_Y]), n * m[NEXT]))
        m[NEXT] += 1
    rates(m, t, y, slope)
    m[NFEV] += 1
    m[INFO] = guarded(m, t, y)
    if m[INFO] >= 0:
        return SINGULAR
    for i in range(n):
        if not math.isfinite(slope[i]):
            return COLLAPSE
    if real[STEP] <= 0.0:
        real[STEP] = first_step(m)
        real[LAST_STEP] = real[STEP] / GROWTH if m[ORDER] > 0 else 0.0
        m[NFEV] += 1
    if m[EVENTS] > 0:
        value = doubles(m[OLD_EVENT])
        evaluate(m, m[EVENT], t, y, value)
        for j in range(m[EVENTS]):
            if not math.isfinite(value[j]):
                m[INFO] = j
                return BAD_EVENT
        without_sign(m, t, y, value)
    return CONTINUE


@compiled
def _try_step(m: Any, t: float, y: Any, h: float) -> bool:
    """Make a step and size the next one; False if the error is too large."""
    real = doubles(m[REAL])
    if m[ORDER] > 0:
        summed(m, t, t + h, doubles(m[Y_NEW]))
        project(m, t + h, doubles(m[Y_NEW]))
        if agrees(m, t, t + h):
            real[LAST_STEP] = h
            return True
        real[LAST_STEP] = h / (2.0 * GROWTH)
        m[REJECTED] += 1
        return False
    m[NFEV] += _made(m, t, y, h)
    if m[IMPLICIT] != 0:
        m[NFEV] += between(m, t, y, h)
    if not sized(m, h, error(m, y, h)):
        return False
    moved = m[QUATERNIONS] > 0 or m[PROJECT] != 0
    y_new = doubles(m[Y_NEW])
    if moved:
        project(m, t + h, y_new)
    if moved or not m[EARLY]:
        rates(m, t + h, y_new, past(doubles(m[SLOPE]), m[N] * m[STAGES]))
        m[NFEV] += 1
    real[LAST_STEP] = h
    if watching(m):
        watch_stiffness(m, t, y, h)
    return True


@compiled
def _made(m: Any, t: float, y: Any, h: float) -> int:
    """One step of the method; returns evaluations made."""
    if m[IMPLICIT] == 2:
        return radau(m, t, y, h)
    return rosenbrock(m, t, y, h) if m[IMPLICIT] == 1 else explicit(m, t, y, h)


@compiled
def _fixed_step(m: Any, t: float, y: Any, h: float) -> bool:
    m[NFEV] += compose(m, t, y, h)
    y_new, total = doubles(m[Y_NEW]), 0.0
    for i in range(m[N]):
        total += y_new[i]
    return math.isfinite(total)


@compiled
def _dense(m: Any, t: float, y: Any, h: float) -> int:
    """Dense output of a step that is made; returns evaluations."""
    return nested(m, h) if m[ORDER] > 0 else dense(m, t, y, h)


@compiled
def fill_grid(m: Any, t: float, y: Any, t_new: float, limit: float) -> None:
    """The asked times inside this step, up to `limit`; dense output is made only if it is needed."""
    n, h, grid, y_try = m[N], t_new - t, doubles(m[GRID_T]), doubles(m[Y_TRY])
    known = False
    while m[NEXT] < m[GRID_SIZE] and (grid[m[NEXT]] - limit) * h <= 0.0:
        asked, place = grid[m[NEXT]], past(doubles(m[GRID_Y]), n * m[NEXT])
        if asked == t_new:
            copy(n, doubles(m[Y_NEW]), place)
        else:
            if not known:
                m[NFEV] += _dense(m, t, y, h)
                known = True
            if m[PARTS] > 1:
                summed(m, t, asked, y_try)
            else:
                state_at(m, t, y, h, (asked - t) / h, y_try)
            copy(n, y_try, place)
        m[NEXT] += 1


@compiled
def part_done(m: Any, t: float, y: Any, h: float) -> float:
    """Events on a step that is made: see `crossings`."""
    if m[EVENTS] == 0 or quiet(m, t, y, h):
        return 1.0
    m[NFEV] += _dense(m, t, y, h)
    return crossings(m, t, y, h)


@compiled
def loop(m: Any, attempts: int) -> int:
    """Go on for at most `attempts` steps, or until a buffer is full, the end, a terminal event or a failure."""
    n, fixed, real, y, y_new, slope = (
        m[N],
        m[WEIGHTS] > 0,
        doubles(m[REAL]),
        doubles(m[Y]),
        doubles(m[Y_NEW]),
        doubles(m[SLOPE]),
    )
    last = past(slope, n if fixed else n * m[STAGES])
    if m[NFEV] == 0:
        status = begin(m)
        if status != CONTINUE:
            return status
    for _ in range(attempts):
        t = real[T]
        status = halted(m, t)
        if status >= 0:
            return status
        if m[ORDER] > 0:
            real[STEP] = smaller(expand(m, t, y, abs(real[T_END] - t)), GROWTH * abs(real[LAST_STEP]))
            m[NFEV] += 1
        t_new = next_end(m, t)
        if math.isnan(t_new):
            return COLLAPSE
        h = t_new - t
        if fixed:
            if not _fixed_step(m, t, y, h):
                return COLLAPSE
        elif not _try_step(m, t, y, h):
            continue
        if not fixed:
            real[WAY] += way(m, y)
        m[INFO] = guarded(m, t_new, y_new)
        if m[INFO] >= 0:
            return SINGULAR
        done = part_done(m, t, y, h)
        if done < 0.0:
            return BAD_EVENT
        reached = t_new
        if done > 1.0:
            reached = doubles(m[EVENT_T])[m[EVENTED] - 1]
        elif done < 1.0:
            reached = t + done * h
        fill_grid(m, t, y, t_new, reached)
        if done == 1.0:
            copy(n, y_new, y)
            copy(n, last, slope)
        elif done > 1.0:
            copy(n, past(doubles(m[EVENT_Y]), n * (m[EVENTED] - 1)), y)
        else:  # no room for more events: the step ends where they do
            state_at(m, t, y, h, done, doubles(m[Y_TRY]))
            copy(n, doubles(m[Y_TRY]), y)
            rates(m, reached, y, slope)
            m[NFEV] += 1
        real[T] = reached
        m[ACCEPTED] += 1 if done >= 1.0 or not fixed else 0
        counted(m, h)
        _store(m, reached, h)
        if done > 1.0:
            return TERMINAL
        if m[BOUND_STEPS] >= m[PATIENCE]:
            return STIFF
    end = real[T_END]
    return DONE if (end - real[T]) * math.copysign(1.0, end - real[T_START]) <= 0.0 else CONTINUE


@compiled
def steps_again(m: Any, first: int, last: int) -> int:
    """Dense output of the kept steps [first, last): each is made again, so nothing is stored until it is asked for.

    GRID_Y receives the coefficients, one block a step; STEP_T, STEP_H and STEP_Y hold the steps.
    """
    n, t, h, states = m[N], doubles(m[STEP_T]), doubles(m[STEP_H]), doubles(m[STEP_Y])
    slope, y_new, size = doubles(m[SLOPE]), doubles(m[Y_NEW]), n * (m[DENSE_ROWS] + 1)
    for k in range(first, last):
        y = past(states, n * k)
        rates(m, t[k], y, slope)
        if m[ORDER] > 0:
            expand(m, t[k], y, h[k])
        elif m[WEIGHTS] > 0:
            compose(m, t[k], y, h[k])
        else:
            m[STALE] = 1
            doubles(m[REAL])[LAST_STEP] = h[k - 1] if k > first else 0.0
            _made(m, t[k], y, h[k])
            project(m, t[k] + h[k], y_new)
            rates(m, t[k] + h[k], y_new, past(slope, n * m[STAGES]))
        _dense(m, t[k], y, h[k])
        copy(size, doubles(m[COEFFICIENT]), past(doubles(m[GRID_Y]), size * k))
    return last


@compiled
def cross(m: Any) -> float:
    """Events on one step of another method, whose cubic is in COEFFICIENT: from T of length STEP, Y to Y_NEW."""
    real = doubles(m[REAL])
    return crossings(m, real[T], doubles(m[Y]), real[STEP])
