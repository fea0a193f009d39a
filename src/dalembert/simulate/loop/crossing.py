"""Compiled detection: where events change sign on a step, and which guard has vanished. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    DIRECTION,
    EPS,
    EVENT,
    EVENT_INDEX,
    EVENT_T,
    EVENT_Y,
    EVENTED,
    EVENTS,
    GUARD,
    GUARD_FLOOR,
    GUARD_SCALE,
    GUARDS,
    INFO,
    NEW_EVENT,
    NEW_GUARD,
    OLD_EVENT,
    OLD_GUARD,
    REAL,
    REMAINING,
    ROOT,
    SAMPLES,
    T_END,
    T_START,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.step import (
    compiled,
    copy,
    doubles,
    evaluate,
    hermite,
    integers,
    larger,
    past,
    polynomial,
    smaller,
    state_at,
)


@compiled
def suspect(m: Any, t: float, y: Any, h: float, end_slope: Any) -> bool:
    """Does any event change sign on this step, at its end or at the samples of a cubic through both ends?"""
    samples, events, y_try = m[SAMPLES], m[EVENTS], doubles(m[Y_TRY])
    old, new, inside = doubles(m[OLD_EVENT]), doubles(m[NEW_EVENT]), doubles(m[ROOT])
    evaluate(m, m[EVENT], t + h, doubles(m[Y_NEW]), new)
    for j in range(events):
        if not (old[j] * new[j] > 0.0):
            return True
    hermite(m, y, h, end_slope)
    for s in range(1, samples):
        x = s / samples
        polynomial(m, y, x, y_try)
        evaluate(m, m[EVENT], t + x * h, y_try, inside)
        for j in range(events):
            if not (inside[j] * new[j] > 0.0):
                return True
    return False


@compiled
def _root(m: Any, t: float, y: Any, h: float, j: int, a: float, fa: float, b: float, fb: float) -> float:
    """Chandrupatla's root of event j on the dense output: inverse quadratic where it is safe, halving elsewhere."""
    y_try, value = doubles(m[Y_TRY]), doubles(m[ROOT])
    portion, best = 0.5, b
    for _ in range(100):
        x = a + portion * (b - a)
        state_at(m, t, y, h, x, y_try)
        evaluate(m, m[EVENT], t + x * h, y_try, value)
        fx = value[j]
        c, fc = a, fa
        if (fx > 0.0) != (fa > 0.0):
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, f_best = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        room = EPS * (abs(best) + 0.5) / abs(b - a) if b != a else 1.0
        if f_best == 0.0 or room > 0.5:
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        portion = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            portion = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        portion = smaller(1.0 - room, larger(room, portion))
    return best


@compiled
def _record(m: Any, first: int, j: int, when: float, y: Any, sense: float) -> None:
    """Insert an event among those of the same stretch, kept in order of time."""
    n, time, index, states = m[N], doubles(m[EVENT_T]), integers(m[EVENT_INDEX]), doubles(m[EVENT_Y])
    place = m[EVENTED]
    while place > first and (time[place - 1] - when) * sense > 0.0:
        time[place], index[place] = time[place - 1], index[place - 1]
        copy(n, past(states, n * (place - 1)), past(states, n * place))
        place -= 1
    time[place], index[place] = when, j
    copy(n, y, past(states, n * place))
    m[EVENTED] += 1


@compiled
def crossings(m: Any, t: float, y: Any, h: float) -> int:
    """Record the events of a step in order of time: 1 if a terminal one ends it, 0 if none does, -1 for NaN."""
    samples, y_try, direction, remaining = m[SAMPLES], doubles(m[Y_TRY]), doubles(m[DIRECTION]), integers(m[REMAINING])
    old, new, index = doubles(m[OLD_EVENT]), doubles(m[NEW_EVENT]), integers(m[EVENT_INDEX])
    real = doubles(m[REAL])
    begin, near = real[T_START], 16.0 * EPS * larger(abs(real[T_START]), abs(real[T_END] - real[T_START]))
    a = 0.0
    for s in range(1, samples + 1):
        b = s / samples
        if s < samples:
            state_at(m, t, y, h, b, y_try)
            evaluate(m, m[EVENT], t + b * h, y_try, new)
        else:
            evaluate(m, m[EVENT], t + h, doubles(m[Y_NEW]), new)
        first = m[EVENTED]
        for j in range(m[EVENTS]):
            before, after = old[j], new[j]
            old[j] = after
            if not math.isfinite(after):
                m[INFO] = j
                return -1
            if before == 0.0 or before * after > 0.0 or direction[j] * before > 0.0:
                continue
            x = b if after == 0.0 else _root(m, t, y, h, j, a, before, b, after)
            when = t + x * h
            if abs(when - begin) <= near:
                continue  # the start lies on the event: the motion leaves it, it does not reach it
            state_at(m, t, y, h, x, y_try)
            _record(m, first, j, when, y_try, h)
        for place in range(first, m[EVENTED]):
            j = index[place]
            if remaining[j] > 0:
                remaining[j] -= 1
                if remaining[j] == 0:
                    m[EVENTED] = place + 1
                    m[INFO] = j
                    return 1
        a = b
    return 0


@compiled
def guarded(m: Any, t: float, y: Any) -> int:
    """Index of the guard that vanishes or changes sign at this state, or -1; a scale of zero marks the first call."""
    if m[GUARDS] == 0:
        return -1
    old, new, scale = doubles(m[OLD_GUARD]), doubles(m[NEW_GUARD]), doubles(m[GUARD_SCALE])
    evaluate(m, m[GUARD], t, y, new)
    for j in range(m[GUARDS]):
        size = abs(new[j])
        if scale[j] == 0.0:
            scale[j], old[j] = size, new[j]
        if not (new[j] * old[j] > 0.0) or size < GUARD_FLOOR * scale[j]:
            return j
        scale[j] = larger(size, scale[j])
    copy(m[GUARDS], new, old)
    return -1
