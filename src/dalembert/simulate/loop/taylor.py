"""Compiled steps by Taylor's series: coefficients at the start, a length from the last two, a sum. Loads numba.

The terms of both last orders stay below the tolerance of each state (Jorba and Zou 2005). States of two doubles each
have their first parts in the first half of y.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    ATOL,
    COEFFICIENT,
    DENSE_ROWS,
    EPS,
    LOOK,
    ORDER,
    PARTS,
    PROJECT,
    QUATERNIONS,
    RTOL,
    SERIES,
    SERIES_ROOM,
    SLOPE,
    SUM,
    TIME,
    Y_NEW,
    Y_TRY,
    N,
    P,
)
from dalembert.simulate.loop.step import _call as call
from dalembert.simulate.loop.step import _call_digested as call_digested
from dalembert.simulate.loop.step import _call_projection as call_projection
from dalembert.simulate.loop.step import compiled, doubles, larger, past, rates

_SAFETY = 0.7
"""Exponent of e by which a step of order p is shortened, over p - 1 (Jorba and Zou, 3.2)."""

GROWTH = 4.0
"""Of a step over the one before: where coefficients vanish nothing else bounds it."""
_APART = 10.0
"""Tolerances by which a series may miss its first neglected term: an ordinary step misses a hundredth of one."""
_LOOKS, _GOLDEN = 5, (math.sqrt(5.0) - 1.0) / 2.0
"""Instants in a step at which it is checked besides its end, spread by the golden section: no quarter goes unseen.
Series of small machines bring a look at eight of their own (`codegen.series.unrolled`)."""
_ROUNDED = 1e3
"""Roundings of a slope that is computed by cancellation, and of the states that are moved to see what cancels."""
_WAYS = 4
"""Patterns of signs by which states are moved, by binary digits of their places: any two of sixteen part in one."""


@compiled
def expand(m: Any, t: float, y: Any, longest: float) -> float:
    """Coefficients at a state, and how long a step they allow; `longest` where they vanish."""
    time, series = doubles(m[TIME]), doubles(m[SERIES_ROOM])
    time[0] = t
    call(m[SERIES], time, y, doubles(m[P]), series)
    n, order, rtol, atol = m[N] // m[PARTS], m[ORDER], doubles(m[RTOL]), doubles(m[ATOL])
    last = before = 0.0
    for i in range(n):
        tolerance = atol[i] + rtol[i] * abs(y[i])
        last = larger(last, abs(series[n * order + i]) / tolerance)
        before = larger(before, abs(series[n * (order - 1) + i]) / tolerance)
        if not math.isfinite(series[n * order + i]):
            return 0.0
    largest = -math.inf  # the logarithm of 1 / h
    if last > 0.0:
        largest = math.log(last) / order
    if before > 0.0:
        largest = larger(largest, math.log(before) / (order - 1))
    h = math.exp(-largest)
    return h * math.exp(-_SAFETY / (order - 1)) if h < longest else longest


@compiled
def summed(m: Any, t: float, t_new: float, out: Any) -> None:
    """The state at another time; the length of the step is the exact difference, in two doubles."""
    time, h = doubles(m[TIME]), t_new - t
    part = h - t_new
    time[0], time[1] = h, (t_new - (h - part)) - (t + part)
    call_projection(m[SUM], doubles(m[SERIES_ROOM]), time, out)


@compiled
def _noise(m: Any, t: float, y: Any, slope: Any, moved: Any, out: Any) -> None:
    """By how much slopes change when each state is moved by its roundings: what large terms leave is rounded by that.

    (An arm's joint whose acceleration passes through zero while others are thrown: 7,000 roundings of its own.)
    """
    n = m[N] // m[PARTS]
    trial = past(moved, m[N])
    for i in range(m[N]):
        moved[i] = out[i] = 0.0
    for way in range(_WAYS):
        for i in range(n):
            moved[i] = y[i] * (1.0 - _ROUNDED * EPS if (i >> way) & 1 else 1.0 + _ROUNDED * EPS)
        rates(m, t, moved, trial)
        for i in range(n):
            change = abs(trial[i] - slope[i])
            if math.isfinite(change):
                out[i] = larger(out[i], change)


@compiled
def _has_slope(m: Any, t: float, t_new: float, y: Any) -> bool:
    """Whether the series at t has at t_new the slope of the equations at y, up to rounding of both, told in doubles."""
    n, order, series, h = m[N] // m[PARTS], m[ORDER], doubles(m[SERIES_ROOM]), t_new - t
    slope, rtol, atol = doubles(m[SLOPE]), doubles(m[RTOL]), doubles(m[ATOL])
    moved, known = doubles(m[COEFFICIENT]), False
    noise = past(moved, 2 * m[N])
    rates(m, t_new, y, slope)
    for i in range(n):
        total = order * series[n * order + i]
        for k in range(order - 1, 0, -1):
            total = total * h + k * series[n * k + i]
        rounding = _ROUNDED * EPS * (abs(total) + abs(slope[i]))
        allowed = _APART * (order + 1) * (atol[i] + rtol[i] * abs(y[i]))
        lack = abs(total - slope[i]) - rounding
        if abs(h) * lack <= allowed:
            continue
        if not known:
            _noise(m, t_new, y, slope, moved, noise)
            known = True
        if not (abs(h) * (lack - noise[i]) <= allowed):
            return False
    return True


@compiled
def agrees(m: Any, t: float, t_new: float) -> bool:
    """Whether the series has the slopes of the equations on the step: no length can be told from terms that vanish.

    (The series of t^30 at t = 0 has none up to order 29, that of a pulse far away has none that is not zero.)
    """
    n, order, series, y = m[N] // m[PARTS], m[ORDER], doubles(m[SERIES_ROOM]), doubles(m[Y_TRY])
    moved = m[QUATERNIONS] > 0 or m[PROJECT] != 0
    if (moved or m[LOOK] == 0) and not _has_slope(m, t, t_new, doubles(m[Y_NEW])):
        return False
    if m[LOOK] != 0:  # at the end, as long as nothing has moved it, and at more instants in between
        time = doubles(m[TIME])
        time[0], time[1] = t, t_new - t
        call_digested(m[LOOK], time, doubles(m[ATOL]), doubles(m[P]), doubles(m[RTOL]), series)
        return time[0] == 0.0
    for look in range(1, _LOOKS + 1):
        between = t + look * _GOLDEN % 1.0 * (t_new - t)
        h = between - t
        for i in range(n):
            y[i] = series[n * order + i]
            for k in range(order - 1, -1, -1):
                y[i] = y[i] * h + series[n * k + i]
        if not _has_slope(m, t, between, y):
            return False
    return True


@compiled
def nested(m: Any, h: float) -> int:
    """The series as the nested polynomial of `step.dense`, by division by 1 - x and x in turn."""
    n, rows, c, series = m[N] // m[PARTS], m[DENSE_ROWS], doubles(m[COEFFICIENT]), doubles(m[SERIES_ROOM])
    width = m[N]
    for i in range(n):
        power = 1.0
        for k in range(rows + 1):
            power *= h
            c[width * k + i] = series[n * (k + 1) + i] * power
        for j in range(0, rows + 1, 2):  # q = q(1) + (1-x) r: r has minus the sums of higher coefficients
            total = 0.0
            for k in range(rows, j, -1):
                total += c[width * k + i]
                c[width * k + i] = -total
            c[width * j + i] += total
    return 0
