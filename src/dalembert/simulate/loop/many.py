"""The compiled loop over many trajectories, each with its own step control. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.control import counted
from dalembert.simulate.loop.layout import (
    ACCEPTED,
    AFTER,
    BAD_EVENT,
    BOUND_STEPS,
    CHOSEN_STEP,
    CONTINUE,
    DONE,
    EVENT_T,
    EVENT_Y,
    EVENTED,
    EVENTS,
    FREE_STEPS,
    GRID_SIZE,
    GRID_Y,
    GUARD_SCALE,
    GUARDS,
    INFO,
    KEPT,
    KNOWN,
    LAST_ERROR,
    LAST_PIECE,
    LAST_STEP,
    LONGEST,
    MANY_CORNERS,
    MANY_CORNERS_BEGIN,
    MANY_GRID,
    MANY_NFEV,
    MANY_P,
    MANY_P_STRIDE,
    MANY_SHORTEST,
    MANY_STATUS,
    MANY_T_LAST,
    MANY_TERMINAL,
    MANY_Y,
    MANY_Y_LAST,
    MARK,
    MARK_T,
    NEXT,
    NFEV,
    PIECE,
    REAL,
    REJECTED,
    REMAINING,
    SETUP,
    SHORTEST,
    SHRUNK,
    STALE,
    STEP,
    STEP_END,
    STOP,
    T_END,
    T_START,
    TERMINAL,
    UNRESOLVED,
    WAY,
    N,
    P,
    T,
    Y,
)
from dalembert.simulate.loop.loop import begin, fill_grid, loop, part_done
from dalembert.simulate.loop.step import call_setup, compiled, copy, doubles, integers, past, smaller

_WORD = 8


@compiled
def restart(m: Any, k: int) -> None:
    """Put the memory of one trajectory at the start of the k-th."""
    n, real, remaining, terminal = m[N], doubles(m[REAL]), integers(m[REMAINING]), integers(m[MANY_TERMINAL])
    m[P] = m[MANY_P] + _WORD * m[MANY_P_STRIDE] * k
    m[GRID_Y] = m[MANY_GRID] + _WORD * m[GRID_SIZE] * n * k
    copy(n, past(doubles(m[MANY_Y]), n * k), doubles(m[Y]))
    real[T], real[STEP], real[LAST_ERROR] = real[T_START], real[CHOSEN_STEP], 1e-4
    real[SHORTEST], real[LONGEST] = math.inf, 0.0
    m[NEXT] = m[NFEV] = m[ACCEPTED] = m[REJECTED] = m[SHRUNK] = m[EVENTED] = m[UNRESOLVED] = 0
    m[INFO], m[STALE], m[MARK] = -1, 1, 0
    real[MARK_T], real[WAY], real[LAST_STEP] = real[T_START], 0.0, 0.0
    m[BOUND_STEPS] = m[FREE_STEPS] = m[KNOWN] = 0
    for j in range(m[EVENTS]):
        remaining[j] = terminal[j]
    for j in range(m[GUARDS]):
        doubles(m[GUARD_SCALE])[j] = 0.0
    if m[SETUP] != 0:
        call_setup(m[SETUP], doubles(m[P]), doubles(m[KEPT]))
    if m[MANY_CORNERS] != 0:
        ends = integers(m[MANY_CORNERS_BEGIN])
        m[PIECE], m[LAST_PIECE] = ends[k], ends[k + 1] - 1
        real[T_END] = doubles(m[MANY_CORNERS])[m[PIECE]]


@compiled
def enter(m: Any, k: int) -> int:
    """Begin the k-th trajectory; returns what it ends with already, CONTINUE if it goes on."""
    restart(m, k)
    return begin(m)


@compiled
def met(m: Any) -> int:
    """Events on a step from T to STEP_END, whose states and slopes are there; returns what they end the motion with."""
    n, real, y = m[N], doubles(m[REAL]), doubles(m[Y])
    t, t_new = real[T], real[STEP_END]
    done = part_done(m, t, y, t_new - t)
    if done < 0.0:
        return BAD_EVENT
    if done > 1.0:
        real[T] = doubles(m[EVENT_T])[m[EVENTED] - 1]
        fill_grid(m, t, y, t_new, real[T])
        copy(n, past(doubles(m[EVENT_Y]), n * (m[EVENTED] - 1)), y)
        m[ACCEPTED] += 1
        counted(m, t_new - t)
    m[EVENTED] = 0  # only what ends a trajectory matters here
    return TERMINAL if done > 1.0 else CONTINUE


@compiled
def goes_on(m: Any, status: int) -> bool:
    """Is there a piece behind the corner at which the trajectory has arrived? What begins there may be quick."""
    if status != DONE or m[MANY_CORNERS] == 0 or m[PIECE] == m[LAST_PIECE] or m[STOP] != 0:
        return False
    real = doubles(m[REAL])
    m[PIECE] += 1
    real[T_END] = doubles(m[MANY_CORNERS])[m[PIECE]]
    real[STEP] = smaller(real[STEP], AFTER * abs(real[T_END] - real[T]))
    m[SHRUNK] = 0
    return True


@compiled
def told(m: Any, k: int, status: int) -> None:
    """What the k-th trajectory has ended with."""
    n, real = m[N], doubles(m[REAL])
    integers(m[MANY_STATUS])[k] = status
    integers(m[MANY_NFEV])[k] = m[NFEV]
    doubles(m[MANY_T_LAST])[k] = real[T]
    doubles(m[MANY_SHORTEST])[k] = real[SHORTEST] / real[LONGEST] if m[ACCEPTED] > 0 else 1.0
    copy(n, doubles(m[Y]), past(doubles(m[MANY_Y_LAST]), n * k))
    grid = past(doubles(m[GRID_Y]), n * m[NEXT])
    for i in range(n * (m[GRID_SIZE] - m[NEXT])):
        grid[i] = math.nan


@compiled
def finish(m: Any) -> int:
    """Go on from corner to corner of the rates; returns what the trajectory ends with."""
    status = CONTINUE
    while status == CONTINUE or goes_on(m, status):
        status = loop(m, 1 << 30)
        m[EVENTED] = 0  # only what ends a trajectory matters here
    return status


@compiled
def complete(m: Any, k: int) -> int:
    """The rest of the k-th trajectory, which has begun."""
    told(m, k, finish(m))
    return 1


@compiled
def loop_many(m: Any, first: int, last: int) -> int:
    """Integrate the trajectories [first, last) to their ends; returns how many were done before a stop."""
    done = 0
    for k in range(first, last):
        if m[STOP] != 0:
            return done
        restart(m, k)
        done += complete(m, k)
    return done
