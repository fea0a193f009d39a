"""The compiled loop over many trajectories, each with its own step control. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    ACCEPTED,
    AFTER,
    BOUND_STEPS,
    CHOSEN_STEP,
    CONTINUE,
    DONE,
    EVENTED,
    EVENTS,
    FREE_STEPS,
    GRID_SIZE,
    GRID_Y,
    GUARD_SCALE,
    GUARDS,
    INFO,
    KEPT,
    LAST_ERROR,
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
    REAL,
    REJECTED,
    REMAINING,
    SETUP,
    SHORTEST,
    SHRUNK,
    STALE,
    STEP,
    STOP,
    T_END,
    T_START,
    WAY,
    N,
    P,
    T,
    Y,
)
from dalembert.simulate.loop.loop import loop
from dalembert.simulate.loop.step import call_setup, compiled, copy, doubles, integers, past, smaller

_WORD = 8


@compiled
def _restart(m: Any, k: int) -> None:
    """Put the memory of one trajectory at the start of the k-th."""
    n, real, remaining, terminal = m[N], doubles(m[REAL]), integers(m[REMAINING]), integers(m[MANY_TERMINAL])
    m[P] = m[MANY_P] + _WORD * m[MANY_P_STRIDE] * k
    m[GRID_Y] = m[MANY_GRID] + _WORD * m[GRID_SIZE] * n * k
    copy(n, past(doubles(m[MANY_Y]), n * k), doubles(m[Y]))
    real[T], real[STEP], real[LAST_ERROR] = real[T_START], real[CHOSEN_STEP], 1e-4
    real[SHORTEST], real[LONGEST] = math.inf, 0.0
    m[NEXT] = m[NFEV] = m[ACCEPTED] = m[REJECTED] = m[SHRUNK] = m[EVENTED] = 0
    m[INFO], m[STALE], m[MARK] = -1, 1, 0
    real[MARK_T], real[WAY], real[LAST_STEP] = real[T_START], 0.0, 0.0
    m[BOUND_STEPS] = m[FREE_STEPS] = 0
    for j in range(m[EVENTS]):
        remaining[j] = terminal[j]
    for j in range(m[GUARDS]):
        doubles(m[GUARD_SCALE])[j] = 0.0
    if m[SETUP] != 0:
        call_setup(m[SETUP], doubles(m[P]), doubles(m[KEPT]))


@compiled
def _whole(m: Any, k: int) -> int:
    """The k-th trajectory from corner to corner of its rates; returns what it ends with."""
    real, piece, last, corners = doubles(m[REAL]), 0, 0, doubles(m[MANY_CORNERS])
    if m[MANY_CORNERS] != 0:
        begin = integers(m[MANY_CORNERS_BEGIN])
        piece, last = begin[k], begin[k + 1] - 1
        real[T_END] = corners[piece]
    status = CONTINUE
    while status == CONTINUE:
        status = loop(m, 1 << 30)
        m[EVENTED] = 0  # only what ends a trajectory matters here
        if status == DONE and piece < last and m[STOP] == 0:
            piece += 1
            real[T_END] = corners[piece]
            real[STEP] = smaller(real[STEP], AFTER * abs(corners[piece] - real[T]))
            m[SHRUNK] = 0
            status = CONTINUE
    return status


@compiled
def loop_many(m: Any, first: int, last: int) -> int:
    """Integrate the trajectories [first, last) to their ends; returns how many were done before a stop."""
    n, real, done = m[N], doubles(m[REAL]), 0
    for k in range(first, last):
        if m[STOP] != 0:
            return done
        _restart(m, k)
        status = _whole(m, k)
        integers(m[MANY_STATUS])[k] = status
        integers(m[MANY_NFEV])[k] = m[NFEV]
        doubles(m[MANY_T_LAST])[k] = real[T]
        doubles(m[MANY_SHORTEST])[k] = real[SHORTEST] / real[LONGEST] if m[ACCEPTED] > 0 else 1.0
        copy(n, doubles(m[Y]), past(doubles(m[MANY_Y_LAST]), n * k))
        grid = past(doubles(m[GRID_Y]), n * m[NEXT])
        for i in range(n * (m[GRID_SIZE] - m[NEXT])):
            grid[i] = math.nan
        done += 1
    return done
