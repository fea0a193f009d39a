"""Compiled pieces of a step by Radau's collocation, order five: simplified Newton with the exact Jacobian. Loads numba.

    z_i = h sum_j a_ij f(t + c_j h, y + z_j),   c = (4 - sqrt 6)/10, (4 + sqrt 6)/10, 1

(Hairer and Wanner II, IV.8; transformation to one real and one complex system.) The end of the step is its last stage:
stiffly accurate and L-stable, so that what decays quickly is gone after one step, and no order is lost to stiffness.
Slopes 1 to 3 of the step hold z_i / h, slope 4 the error estimate over h; NaN if Newton fails.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    FACTORED,
    JACOBIAN,
    LAST_STEP,
    MATRIX,
    NEWTON,
    PAIR,
    PAIR_PIVOT,
    PIVOT,
    REAL,
    SLOPE,
    STALE,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.linear import differences, factor, solve
from dalembert.simulate.loop.step import compiled, copy, doubles, evaluate, integers, past, rates, scaled

_ROOT = math.sqrt(6.0)
_C1, _C2 = (4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0
_E1, _E2, _E3 = (-13.0 - 7.0 * _ROOT) / 3.0, (-13.0 + 7.0 * _ROOT) / 3.0, -1.0 / 3.0
_MU = 3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3)
_ALPHA = 3.0 + 0.5 * (3.0 ** (1 / 3) - 3.0 ** (2 / 3))
_BETA = 0.5 * (3.0 ** (5 / 6) + 3.0 ** (7 / 6))
_T = (
    (0.09443876248897524, -0.14125529502095421, 0.03002919410514742),
    (0.25021312296533332, 0.20412935229379994, -0.38294211275726192),
)
_TI = (
    (4.17871859155190428, 0.32768282076106237, 0.52337644549944951),
    (-4.17871859155190428, -0.32768282076106237, 0.47662355450055044),
    (0.50287263494578682, -2.57192694985560522, 0.59603920482822492),
)
_ITERATIONS = 10
_CONVERGED = 1e-3
"""What Newton leaves of the tolerance: a thousandth, so that steps made again give the same dense output."""


@compiled
def _guess(m: Any, h: float, z: Any) -> None:
    """The polynomial of the last step, continued; nothing where there is none."""
    n, real, before = m[N], doubles(m[REAL]), past(doubles(m[NEWTON]), 9 * m[N])
    ratio = h / real[LAST_STEP] if real[LAST_STEP] != 0.0 else 0.0
    for i in range(n):
        z1, z2, z3 = before[i], before[n + i], before[2 * n + i]
        p = (z1 / _C1 - z3) / (1.0 - _C1)
        q = (z2 / _C2 - z3) / (1.0 - _C2)
        c2 = (q - p) / (_C2 - _C1)
        c1 = p - _C1 * c2
        for k in range(3):
            s = ratio * (_C1 if k == 0 else _C2 if k == 1 else 1.0)
            x = 1.0 + s
            z[n * k + i] = s * z3 - x * s * (c1 + x * c2) if ratio != 0.0 else 0.0


@compiled
def _stages(m: Any, w: Any, z: Any) -> None:
    n = m[N]
    for i in range(n):
        a, b, c = w[i], w[n + i], w[2 * n + i]
        z[i] = _T[0][0] * a + _T[0][1] * b + _T[0][2] * c
        z[n + i] = _T[1][0] * a + _T[1][1] * b + _T[1][2] * c
        z[2 * n + i] = a + b


@compiled
def _matrices(m: Any, h: float) -> bool:
    """Factors of mu/h - J and, as a real matrix of twice the size, of (alpha - i beta)/h - J."""
    n, jacobian, a, pair = m[N], doubles(m[MATRIX]), doubles(m[FACTORED]), doubles(m[PAIR])
    width = 2 * n
    for i in range(n):
        for j in range(n):
            value = -jacobian[n * i + j]
            a[n * i + j] = value
            pair[width * i + j] = pair[width * (n + i) + n + j] = value
            pair[width * i + n + j] = pair[width * (n + i) + j] = 0.0
        a[n * i + i] += _MU / h
        pair[width * i + i] += _ALPHA / h
        pair[width * (n + i) + n + i] += _ALPHA / h
        pair[width * i + n + i] = _BETA / h
        pair[width * (n + i) + i] = -_BETA / h
    return factor(n, a, integers(m[PIVOT])) and factor(width, pair, integers(m[PAIR_PIVOT]))


@compiled
def _change(m: Any, t: float, y: Any, h: float, w: Any, z: Any, d: Any) -> float:
    """One round of Newton: the change of w, added; its size in tolerances."""
    n, y_try = m[N], doubles(m[Y_TRY])
    f = past(doubles(m[NEWTON]), 12 * n)
    for i in range(3 * n):
        d[i] = 0.0
    for k in range(3):
        for i in range(n):
            y_try[i] = y[i] + z[n * k + i]
        rates(m, t + h * (_C1 if k == 0 else _C2 if k == 1 else 1.0), y_try, f)
        for i in range(n):
            d[i] += _TI[0][k] * f[i]
            d[n + i] += _TI[1][k] * f[i]
            d[2 * n + i] += _TI[2][k] * f[i]
    for i in range(n):
        a, b, c = w[i], w[n + i], w[2 * n + i]
        d[i] -= _MU / h * a
        d[n + i] -= (_ALPHA * b + _BETA * c) / h
        d[2 * n + i] -= (_ALPHA * c - _BETA * b) / h
    solve(n, doubles(m[FACTORED]), integers(m[PIVOT]), d)
    solve(2 * n, doubles(m[PAIR]), integers(m[PAIR_PIVOT]), past(d, n))
    size = 0.0
    for k in range(3):
        for i in range(n):
            w[n * k + i] += d[n * k + i]
            size += scaled(m, y, i, d[n * k + i]) ** 2
    return math.sqrt(size / (3 * n))


@compiled
def _newton(m: Any, t: float, y: Any, h: float, w: Any, z: Any) -> int:
    """Solve for the stages: rounds made, negative if they do not converge."""
    n, before, rate = m[N], 0.0, 0.0
    d = past(doubles(m[NEWTON]), 3 * n)
    for i in range(n):
        for k in range(3):
            w[n * k + i] = _TI[k][0] * z[i] + _TI[k][1] * z[n + i] + _TI[k][2] * z[2 * n + i]
    for k in range(_ITERATIONS):
        size = _change(m, t, y, h, w, z, d)
        if not math.isfinite(size):
            return -k - 1
        rate = size / before if k > 0 and before > 0.0 else 0.0
        if k > 0 and (rate >= 1.0 or rate ** (_ITERATIONS - k) / (1.0 - rate) * size > _CONVERGED):
            return -k - 1
        _stages(m, w, z)
        if size == 0.0 or (k > 0 and rate / (1.0 - rate) * size < _CONVERGED):
            return k + 1
        before = size
    return -_ITERATIONS


@compiled
def _estimate(m: Any, t: float, y: Any, h: float, z: Any, out: Any) -> int:
    """Error of the step over h: (mu/h - J)^-1 (f + sum e_i z_i / h); taken again at y + error where it is too large."""
    n, f0, y_try, calls = m[N], doubles(m[SLOPE]), doubles(m[Y_TRY]), 0
    again = past(doubles(m[NEWTON]), 3 * n)
    for attempt in range(2):
        size = 0.0
        for i in range(n):
            f = f0[i] if attempt == 0 else again[i]
            out[i] = f + (_E1 * z[i] + _E2 * z[n + i] + _E3 * z[2 * n + i]) / h
        solve(n, doubles(m[FACTORED]), integers(m[PIVOT]), out)
        for i in range(n):
            size += scaled(m, y, i, out[i]) ** 2
            y_try[i] = y[i] + out[i]
        if attempt == 0 and size >= n:
            rates(m, t, y_try, again)
            calls = 1
        else:
            break
    for i in range(n):
        out[i] /= h
    return calls


@compiled
def radau(m: Any, t: float, y: Any, h: float) -> int:
    """One step from y, its first slope known: the end in Y_NEW; returns evaluations made."""
    n, real, slope, y_new = m[N], doubles(m[REAL]), doubles(m[SLOPE]), doubles(m[Y_NEW])
    w = doubles(m[NEWTON])
    z, before, calls = past(w, 6 * n), past(w, 9 * n), 0
    if m[STALE]:
        for i in range(3 * n):
            before[i] = slope[n + i] * real[LAST_STEP]
        if m[JACOBIAN] != 0:
            evaluate(m, m[JACOBIAN], t, y, doubles(m[MATRIX]))
        else:
            calls += differences(m, t, y, slope)
        m[STALE] = 0
    copy(n, y, y_new)  # the scale of tolerances until the end is known
    regular = _matrices(m, h)
    rounds = -1
    if regular:
        _guess(m, h, z)
        rounds = _newton(m, t, y, h, w, z)
        calls += 3 * abs(rounds)
    for i in range(3 * n):
        slope[n + i] = z[i] / h
    error = past(slope, 4 * n)
    if rounds < 0:
        for i in range(n):
            error[i] = math.nan
        return calls
    for i in range(n):
        y_new[i] = y[i] + z[2 * n + i]
    return calls + _estimate(m, t, y, h, z, error)
