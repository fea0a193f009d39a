"""Compiled looks at the pace of a motion: its first step, whether it is stuck, whether it is stiff. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    ACCEPTED,
    ATOL,
    BOUND_STEPS,
    EXPONENT,
    FREE_IN_A_ROW,
    FREE_STEPS,
    MARK,
    MARK_T,
    REAL,
    REJECTED,
    RTOL,
    SLOPE,
    STABLE,
    STAGES,
    STIFF_APART,
    STUCK_REST,
    STUCK_STEPS,
    STUCK_WAY,
    T_END,
    WAY,
    Y_NEW,
    Y_TRY,
    N,
    T,
    Y,
)
from dalembert.simulate.loop.step import compiled, doubles, larger, past, rates, scaled, smaller


@compiled
def first_step(m: Any) -> float:
    """A first step from the sizes of y, y' and y'' (Hairer, Norsett and Wanner I, II.4)."""
    n, real, y, y_try = m[N], doubles(m[REAL]), doubles(m[Y]), doubles(m[Y_TRY])
    rtol, atol, slope, second = doubles(m[RTOL]), doubles(m[ATOL]), doubles(m[SLOPE]), doubles(m[Y_NEW])
    span = real[T_END] - real[T]
    d0 = d1 = d2 = 0.0
    for i in range(n):
        scale = atol[i] + abs(y[i]) * rtol[i]
        d0 += (y[i] / scale) ** 2
        d1 += (slope[i] / scale) ** 2
    d0, d1 = math.sqrt(d0 / n), math.sqrt(d1 / n)
    size = smaller(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, abs(span))
    h = math.copysign(size, span)
    for i in range(n):
        y_try[i] = y[i] + h * slope[i]
    rates(m, real[T] + h, y_try, second)
    for i in range(n):
        d2 += ((second[i] - slope[i]) / (atol[i] + abs(y[i]) * rtol[i])) ** 2
    largest = larger(d1, math.sqrt(d2 / n) / size)
    if not math.isfinite(largest):
        return size
    guess = larger(1e-6, size * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** real[EXPONENT]
    return smaller(smaller(100.0 * size, guess), abs(span))


@compiled
def stuck(m: Any, t: float) -> bool:
    """Looked at after every so many real attempts, so that the answer does not depend on how fast the machine is."""
    real, tried = doubles(m[REAL]), m[ACCEPTED] + m[REJECTED] - m[MARK]
    if tried < STUCK_STEPS:
        return False
    pace = abs(t - real[MARK_T]) / tried
    stuck = real[WAY] < STUCK_WAY * tried and abs(real[T_END] - t) > STUCK_REST * pace
    m[MARK] += tried
    real[MARK_T], real[WAY] = t, 0.0
    return stuck


@compiled
def way(m: Any, y: Any) -> float:
    """The largest change of a state on this step, in its tolerances."""
    y_new, largest = doubles(m[Y_NEW]), 0.0
    for i in range(m[N]):
        largest = larger(largest, abs(scaled(m, y, i, y_new[i] - y[i])))
    return largest


@compiled
def watch_stiffness(m: Any, y: Any, h: float) -> None:
    """The fastest rate between two states at the end of the step: its last stage, still in Y_TRY, and its end."""
    n, y_new, y_try = m[N], doubles(m[Y_NEW]), doubles(m[Y_TRY])
    end, stage = past(doubles(m[SLOPE]), m[N] * m[STAGES]), past(doubles(m[SLOPE]), m[N] * (m[STAGES] - 1))
    change = apart = 0.0
    for i in range(n):
        change += scaled(m, y, i, end[i] - stage[i]) ** 2
        apart += scaled(m, y, i, y_new[i] - y_try[i]) ** 2
    if apart > n * STIFF_APART**2 and abs(h) * math.sqrt(change / apart) > doubles(m[REAL])[STABLE]:
        m[BOUND_STEPS] += 1
        m[FREE_STEPS] = 0
    else:
        m[FREE_STEPS] += 1
        if m[FREE_STEPS] == FREE_IN_A_ROW:
            m[BOUND_STEPS] = 0
