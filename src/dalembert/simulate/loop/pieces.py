"""Compiled proof that an event has at most one zero on a piece of a step. Loads numba.

On a piece x = c + w s, s in [-1, 1], every state is a polynomial in s with known coefficients: its value and its slope
in the middle, and how far both can stray. The function BOUNDS carries these through the formula of each event
(`expr.spread`): value, slope, radius of the slope, radius of the value, and the rounding of the value. A value that
cannot reach zero has no zero there; a slope that cannot reach zero has one at most; a value that rounding cannot tell
from zero, as the speed of a machine at rest, crosses nothing. Python functions have no formula: they are sampled at
Chebyshev's points, more closely until the last coefficients of their series are small.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    BOUND,
    BOUNDS,
    BOX,
    COEFFICIENT,
    DENSE_ROWS,
    EVENT,
    EVENTS,
    MONOMIAL,
    SAMPLE,
    SLOPE,
    STAGES,
    TIME,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.step import compiled, doubles, evaluate, larger, past, polynomial, smaller

DEGREE = 8
"""Of the series of a Python function; its points at half the degree are among them."""
_MARGIN = 2.0
"""Times the swing of the first five samples: what is further from zero is looked at no more closely."""
_TAIL = 0.01
"""Share of the last two coefficients in the swing of a series above which it does not tell the function yet."""


@compiled
def unroll(m: Any, y: Any) -> None:
    """The dense output of the step as powers of x in [0, 1], a row for each state."""
    n, rows, c, a = m[N], m[DENSE_ROWS], doubles(m[COEFFICIENT]), doubles(m[MONOMIAL])
    width = rows + 2
    for i in range(n):
        row = past(a, width * i)
        for k in range(width):
            row[k] = 0.0
        for j in range(rows, -1, -1):  # (row + c_j) times x or 1 - x
            row[0] += c[n * j + i]
            for k in range(rows - j + 1, 0, -1):
                row[k] = row[k - 1] if j % 2 == 0 else row[k] - row[k - 1]
            if j % 2 == 0:
                row[0] = 0.0
        row[0] += y[i]


@compiled
def _box(m: Any, middle: float, w: float) -> None:
    """Each state on the piece: value, radius, slope by s, radius of the slope."""
    n, width, a, box = m[N], m[DENSE_ROWS] + 2, doubles(m[MONOMIAL]), doubles(m[BOX])
    b = past(box, 4 * n)
    for i in range(n):
        row = past(a, width * i)
        for k in range(width):
            b[k] = row[k]
        for k in range(width - 1):  # Taylor's shift by repeated Horner
            for j in range(width - 2, k - 1, -1):
                b[j] += middle * b[j + 1]
        stray = bend = 0.0
        power = w
        slope = b[1] * w
        for k in range(1, width):
            size = abs(b[k]) * power
            stray += size
            if k > 1:
                bend += k * size
            power *= w
        box[i], box[n + i], box[2 * n + i], box[3 * n + i] = b[0], stray, slope, bend


@compiled
def _bounds(m: Any, t: float, reach: float) -> Any:
    """Call BOUNDS for the box, at the time t in the middle, `reach` from there to the end."""
    doubles(m[TIME])[1] = reach
    bound = doubles(m[BOUND])
    evaluate(m, m[BOUNDS], t, doubles(m[BOX]), bound)
    return bound


@compiled
def without_sign(m: Any, t: float, y: Any, value: Any) -> None:
    """What rounding may have made of zero, at a start, becomes zero."""
    n, events, box = m[N], m[EVENTS], doubles(m[BOX])
    if m[BOUNDS] == 0:
        return
    for i in range(n):
        box[i], box[n + i], box[2 * n + i], box[3 * n + i] = y[i], 0.0, 0.0, 0.0
    bound = _bounds(m, t, 0.0)
    for j in range(events):
        if abs(value[j]) <= bound[4 * events + j]:
            value[j] = 0.0


@compiled
def _proved(m: Any, t: float, h: float, a: float, b: float) -> bool:
    middle, w, events = 0.5 * (a + b), 0.5 * (b - a), m[EVENTS]
    _box(m, middle, w)
    bound = _bounds(m, t + middle * h, w * h)
    for j in range(events):
        value, slope, bend, stray = abs(bound[j]), abs(bound[events + j]), bound[2 * events + j], bound[3 * events + j]
        rests = value + stray <= bound[4 * events + j]
        if not (rests or value > smaller(stray, slope + bend) or slope > bend):
            return False
    return True


@compiled
def _sample(m: Any, t: float, y: Any, h: float, a: float, b: float, first: int, stride: int) -> None:
    """Values of all events at every `stride`-th of Chebyshev's points, from the number `first` on."""
    events, sample, y_try = m[EVENTS], doubles(m[SAMPLE]), doubles(m[Y_TRY])
    k = first
    while k <= DEGREE:
        x = 0.5 * (a + b) - 0.5 * (b - a) * math.cos(math.pi * k / DEGREE)
        polynomial(m, y, x, y_try)
        evaluate(m, m[EVENT], t + x * h, y_try, past(sample, events * k))
        k += stride


@compiled
def _coefficient(m: Any, j: int, k: int, stride: int) -> float:
    """Coefficient k of the Chebyshev series of event j through every `stride`-th sample."""
    events, sample, degree, total = m[EVENTS], doubles(m[SAMPLE]), DEGREE // stride, 0.0
    for i in range(degree + 1):
        term = sample[events * i * stride + j] * math.cos(math.pi * i * k / degree)
        total += 0.5 * term if i in (0, degree) else term
    total *= 2.0 / degree
    return 0.5 * total if k in (0, degree) else total


@compiled
def _sampled(m: Any, t: float, y: Any, h: float, a: float, b: float) -> bool:
    """The same for what has no formula, as far as its series tells."""
    events, series = m[EVENTS], doubles(m[BOUND])
    _sample(m, t, y, h, a, b, 0, 2)
    clear = True
    for j in range(events):
        swing = 0.0
        for k in range(1, DEGREE // 2 + 1):
            swing += abs(_coefficient(m, j, k, 2))
        clear = clear and (swing == 0.0 or abs(_coefficient(m, j, 0, 2)) > (1.0 + _MARGIN) * swing)
    if clear:
        return True
    _sample(m, t, y, h, a, b, 1, 2)
    for j in range(events):
        swing = 0.0
        for k in range(DEGREE + 1):
            series[k] = _coefficient(m, j, k, 1)
            swing += abs(series[k]) if k > 0 else 0.0
        tail = abs(series[DEGREE - 1]) + abs(series[DEGREE])
        if not (tail <= _TAIL * swing):
            return False
        if swing == 0.0 or abs(series[0]) > swing + 2.0 * tail:
            continue
        # the derivative of the series: d_{k-1} = d_{k+1} + 2 k c_k, d_0 halved; n^2 times what is left out
        before = after = bend = 0.0
        for k in range(DEGREE, 0, -1):
            d = before + 2.0 * k * series[k]
            if k > 1:
                bend += abs(d)
            else:
                d *= 0.5
                if not (abs(d) > bend + DEGREE * DEGREE * tail):
                    return False
            before, after = after, d
    return True


@compiled
def settled(m: Any, t: float, y: Any, h: float, a: float, b: float) -> bool:
    """Has each event one zero at most between the parts a and b of the step?"""
    return _proved(m, t, h, a, b) if m[BOUNDS] != 0 else _sampled(m, t, y, h, a, b)


@compiled
def far(m: Any, t: float, y: Any, h: float) -> bool:
    """Is every event too far from zero for this step, whatever its dense output, whose slopes are yet to be made?

    No state goes further from the mean of both ends than half the step at its largest rate; the stages know it well
    enough that twice as much is safe.
    """
    n, events, box, slope, y_new = m[N], m[EVENTS], doubles(m[BOX]), doubles(m[SLOPE]), doubles(m[Y_NEW])
    for i in range(n):
        rate = 0.0
        for k in range(m[STAGES] + 1):
            rate = larger(rate, abs(slope[n * k + i]))
        box[i], box[n + i], box[2 * n + i], box[3 * n + i] = 0.5 * (y[i] + y_new[i]), abs(h) * rate, 0.0, 0.0
    bound, clear = _bounds(m, t + 0.5 * h, 0.5 * h), True
    for j in range(events):
        clear = clear and abs(bound[j]) > bound[3 * events + j]
    return clear
