"""Compiled looks at the pace of a motion: its first step, whether it is stuck, whether it is stiff. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    ACCEPTED,
    ATOL,
    BEHIND,
    BOUND_STEPS,
    EXPONENT,
    FORETOLD,
    FREE_IN_A_ROW,
    FREE_STEPS,
    KNOWN,
    MARK,
    MARK_T,
    MAX_STEP,
    REAL,
    REJECTED,
    ROUND,
    RTOL,
    SLOPE,
    STUCK_REST,
    STUCK_STEPS,
    STUCK_WAY,
    T_END,
    WATCHED,
    WAY,
    Y_NEW,
    Y_TRY,
    N,
    T,
    Y,
)
from dalembert.simulate.loop.step import compiled, copy, doubles, larger, past, rates, scaled, smaller


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
def watching(m: Any) -> bool:
    """Is this one of the steps that are looked at?"""
    if m[BEHIND] == 0 or m[ACCEPTED] % ROUND < ROUND - WATCHED:
        m[KNOWN] = 0
        return False
    return True


@compiled
def watch_stiffness(m: Any, t: float, y: Any, h: float) -> None:
    """Is this step, from t, much shorter than the motion asks for? Its end is compared with a cubic foretold."""
    n, y_new, time = m[N], doubles(m[Y_NEW]), doubles(m[BEHIND])
    states, end = past(time, 3), t + h
    short = m[KNOWN] == 3 and abs(h) < 0.99 * doubles(m[REAL])[MAX_STEP]
    if short:
        a = (end - time[0]) * (end - time[1]) * (end - time[2])
        a /= (t - time[0]) * (t - time[1]) * (t - time[2])
        b = (end - t) * (end - time[1]) * (end - time[2])
        b /= (time[0] - t) * (time[0] - time[1]) * (time[0] - time[2])
        c = (end - t) * (end - time[0]) * (end - time[2])
        c /= (time[1] - t) * (time[1] - time[0]) * (time[1] - time[2])
        d = 1.0 - a - b - c
        total = 0.0
        for i in range(n):
            foretold = a * y[i] + b * states[i] + c * states[n + i] + d * states[2 * n + i]
            total += scaled(m, y, i, y_new[i] - foretold) ** 2
        short = total <= n * FORETOLD**2
    for k in range(2, 0, -1):
        time[k] = time[k - 1]
        copy(n, past(states, n * (k - 1)), past(states, n * k))
    time[0] = t
    copy(n, y, states)
    m[KNOWN] += 1 if m[KNOWN] < 3 else 0
    if short:
        m[BOUND_STEPS] += 1
        m[FREE_STEPS] = 0
    else:
        m[FREE_STEPS] += 1
        if m[FREE_STEPS] == FREE_IN_A_ROW:
            m[BOUND_STEPS] = 0
