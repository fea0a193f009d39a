"""Compiled decisions between steps: go on or halt, how long the next step is, whether one was good. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    ACCEPTED,
    ALPHA,
    BETA,
    CONTINUE,
    DONE,
    EPS,
    EVENT_ROOM,
    EVENTED,
    EVENTS,
    EXPONENT,
    KEEP,
    LARGEST_FACTOR,
    LAST_ERROR,
    LONGEST,
    MAX_STEP,
    REAL,
    REJECTED,
    SAFETY,
    SHORTEST,
    SHRUNK,
    SMALLEST_FACTOR,
    STALE,
    STEP,
    STEP_ROOM,
    STOP,
    STOPPED,
    STORED,
    STUCK,
    T_END,
    T_START,
    WEIGHTS,
)
from dalembert.simulate.loop.pace import stuck
from dalembert.simulate.loop.step import compiled, doubles, larger, smaller


@compiled
def halted(m: Any, t: float) -> int:
    """What a run ends or pauses with before its next step; -1 if it goes on."""
    real = doubles(m[REAL])
    end = real[T_END]
    if (end - t) * math.copysign(1.0, end - real[T_START]) <= 0.0:
        return DONE
    if m[STOP] != 0:
        return STOPPED
    if m[WEIGHTS] == 0 and stuck(m, t):
        return STUCK
    full = m[KEEP] != 0 and m[STORED] >= m[STEP_ROOM]
    if full or m[EVENT_ROOM] - m[EVENTED] < m[EVENTS]:
        return CONTINUE
    return -1


@compiled
def next_end(m: Any, t: float) -> float:
    """Where the next step ends, by the length chosen for it; NaN if it has none that numbers can tell."""
    fixed, real = m[WEIGHTS] > 0, doubles(m[REAL])
    end = real[T_END]
    sense = math.copysign(1.0, end - real[T_START])
    h = smaller(real[STEP], real[MAX_STEP])
    if not (h > 10.0 * EPS * abs(t)) or h < 1e-300:
        return math.nan
    # a fixed step counts from the start, so that rounding does not pile up into a last tiny step
    t_new = real[T_START] + (m[ACCEPTED] + 1) * h * sense if fixed else t + h * sense
    return end if (end - t_new) * sense <= 1e-6 * h else t_new


@compiled
def sized(m: Any, h: float, size: float) -> bool:
    """Size the next step by the error of this one; False if it is too large."""
    real = doubles(m[REAL])
    if not (size < 1.0):
        factor = larger(SMALLEST_FACTOR, SAFETY * size ** -real[EXPONENT])
        real[STEP] = abs(h) * factor
        m[SHRUNK] = 1
        m[REJECTED] += 1
        return False
    factor = LARGEST_FACTOR
    if size > 0.0:
        damping = real[LAST_ERROR] ** real[BETA] if real[BETA] != 0.0 else 1.0
        factor = smaller(factor, SAFETY * size ** -real[ALPHA] * damping)
        factor = larger(SMALLEST_FACTOR, factor)
    real[STEP] = abs(h) * (smaller(1.0, factor) if m[SHRUNK] else factor)
    real[LAST_ERROR] = larger(size, 1e-4)
    m[SHRUNK] = 0
    return True


@compiled
def counted(m: Any, h: float) -> None:
    """One step more, of this length."""
    real = doubles(m[REAL])
    m[STALE] = 1
    real[SHORTEST], real[LONGEST] = smaller(real[SHORTEST], abs(h)), -smaller(-real[LONGEST], -abs(h))
