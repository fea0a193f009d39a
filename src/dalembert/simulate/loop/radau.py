"""Compiled pieces of a step by Radau's collocation, any odd number of stages: simplified Newton, exact Jacobian.

    z_i = h sum_j a_ij f(t + c_j h, y + z_j),   the last node c_s = 1;  order 2 s - 1

(Hairer and Wanner II, IV.8; for more stages J. Comput. Appl. Math. 111 (1999) 93; transformation to one real and
(s - 1) / 2 complex systems.) The end of the step is its last stage: stiffly accurate and L-stable, so that what decays
quickly is gone after one step, and no order is lost to stiffness. Slopes 1 to s of the step hold z_i / h, slope s + 1
the error estimate over h; NaN if Newton fails. Loads numba.

What is still open, h A f - z, is told by A itself; the transformation only finds the change, so that its rounding is
not in the stages. The numbers of a method (COLLOCATION) are its nodes c, the eigenvalues mu, alpha and beta of the
inverse of A, the error's weights, and the matrices A, T and TI, the transformation and its inverse, row by row.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    COLLOCATION,
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
    STAGES,
    STALE,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.linear import differences, factor, solve
from dalembert.simulate.loop.step import compiled, copy, doubles, evaluate, integers, past, rates, scaled

_ITERATIONS = 7
"""Rounds of Newton, besides one for each stage."""
_CONVERGED = 1e-3
"""What Newton leaves of the tolerance: a thousandth, so that steps made again give the same dense output."""


@compiled
def _eigenvalue(m: Any, k: int) -> float:
    """Number 0 is mu, the following are alpha and beta of each pair."""
    return doubles(m[COLLOCATION])[m[STAGES] - 2 + k]


@compiled
def _weights(m: Any) -> Any:
    """Of the error."""
    return past(doubles(m[COLLOCATION]), 2 * (m[STAGES] - 2))


_COLLOCATED, _BACK, _THERE = 0, 1, 2
"""The matrices A, T and TI."""


@compiled
def _times(m: Any, which: int, x: Any, out: Any) -> None:
    """One of the matrices times s vectors."""
    n, s = m[N], m[STAGES] - 2
    matrix = past(doubles(m[COLLOCATION]), (3 + which * s) * s)
    for k in range(s):
        for i in range(n):
            total = 0.0
            for j in range(s):
                total += matrix[s * k + j] * x[n * j + i]
            out[n * k + i] = total


@compiled
def _guess(m: Any, h: float, z: Any) -> None:
    """The polynomial of the last step, continued; nothing where there is none."""
    n, s, real, node = m[N], m[STAGES] - 2, doubles(m[REAL]), doubles(m[COLLOCATION])
    before = past(doubles(m[NEWTON]), 3 * s * n)
    ratio = h / real[LAST_STEP] if real[LAST_STEP] != 0.0 else 0.0
    for i in range(s * n):
        z[i] = 0.0
    if ratio == 0.0:
        return
    for k in range(s):
        x = 1.0 + ratio * node[k]
        for i in range(n):
            z[n * k + i] = -before[n * (s - 1) + i]
        for j in range(s):
            share = x / node[j]
            for q in range(s):
                if q != j:
                    share *= (x - node[q]) / (node[j] - node[q])
            for i in range(n):
                z[n * k + i] += share * before[n * j + i]


@compiled
def _matrices(m: Any, h: float) -> bool:
    """Factors of mu/h - J and, as real matrices of twice the size, of (alpha - i beta)/h - J."""
    n, pairs, jacobian, a = m[N], (m[STAGES] - 3) // 2, doubles(m[MATRIX]), doubles(m[FACTORED])
    width = 2 * n
    for i in range(n * n):
        a[i] = -jacobian[i]
    for i in range(n):
        a[n * i + i] += _eigenvalue(m, 0) / h
    regular = factor(n, a, integers(m[PIVOT]))
    for k in range(pairs):
        pair, exchanged = past(doubles(m[PAIR]), k * width * width), integers(m[PAIR_PIVOT] + 8 * k * width)
        alpha, beta = _eigenvalue(m, 1 + 2 * k) / h, _eigenvalue(m, 2 + 2 * k) / h
        for i in range(n):
            for j in range(n):
                pair[width * i + j] = pair[width * (n + i) + n + j] = -jacobian[n * i + j]
                pair[width * i + n + j] = pair[width * (n + i) + j] = 0.0
            pair[width * i + i] += alpha
            pair[width * (n + i) + n + i] += alpha
            pair[width * i + n + i] = beta
            pair[width * (n + i) + i] = -beta
        regular = regular and factor(width, pair, exchanged)
    return regular


@compiled
def _change(m: Any, t: float, y: Any, h: float, w: Any, z: Any, d: Any) -> float:
    """One round of Newton changes the stages z; returns the size of the change in tolerances, still transformed."""
    n, s, y_try, node = m[N], m[STAGES] - 2, doubles(m[Y_TRY]), doubles(m[COLLOCATION])
    width = 2 * n
    for k in range(s):
        for i in range(n):
            y_try[i] = y[i] + z[n * k + i]
        rates(m, t + h * node[k], y_try, past(w, n * k))
    _times(m, _COLLOCATED, w, d)
    for i in range(s * n):
        d[i] -= z[i] / h
    _times(m, _THERE, d, w)
    mu = _eigenvalue(m, 0)
    for i in range(n):
        w[i] *= mu
    solve(n, doubles(m[FACTORED]), integers(m[PIVOT]), w)
    for k in range((s - 1) // 2):
        alpha, beta, first = _eigenvalue(m, 1 + 2 * k), _eigenvalue(m, 2 + 2 * k), n + k * width
        for i in range(first, first + n):
            real, imaginary = w[i], w[n + i]
            w[i] = alpha * real + beta * imaginary
            w[n + i] = alpha * imaginary - beta * real
        pair, exchanged = past(doubles(m[PAIR]), k * width * width), integers(m[PAIR_PIVOT] + 8 * k * width)
        solve(width, pair, exchanged, past(w, first))
    _times(m, _BACK, w, d)
    size = 0.0
    for k in range(s):
        for i in range(n):
            z[n * k + i] += d[n * k + i]
            size += scaled(m, y, i, w[n * k + i]) ** 2
    return math.sqrt(size / (s * n))


@compiled
def _newton(m: Any, t: float, y: Any, h: float, w: Any, z: Any) -> int:
    """Solve for the stages: rounds made, negative if they do not converge."""
    s, before, rate = m[STAGES] - 2, 0.0, 0.0
    d, rounds = past(doubles(m[NEWTON]), s * m[N]), _ITERATIONS + s
    for k in range(rounds):
        size = _change(m, t, y, h, w, z, d)
        if not math.isfinite(size):
            return -k - 1
        rate = size / before if k > 0 and before > 0.0 else 0.0
        if k > 0 and (rate >= 1.0 or rate ** (rounds - k) / (1.0 - rate) * size > _CONVERGED):
            return -k - 1
        if size == 0.0 or (k > 0 and rate / (1.0 - rate) * size < _CONVERGED):
            return k + 1
        before = size
    return -rounds


@compiled
def _estimate(m: Any, t: float, y: Any, h: float, z: Any, out: Any) -> int:
    """Error of the step over h: (mu/h - J)^-1 (f + sum e_i z_i / h); taken again at y + error where it is too large."""
    n, s, f0, y_try, weight, calls = m[N], m[STAGES] - 2, doubles(m[SLOPE]), doubles(m[Y_TRY]), _weights(m), 0
    again = past(doubles(m[NEWTON]), s * n)
    for attempt in range(2):
        size = 0.0
        for i in range(n):
            total = 0.0
            for k in range(s):
                total += weight[k] * z[n * k + i]
            out[i] = (f0[i] if attempt == 0 else again[i]) + total / h
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
    n, s, real, slope, y_new = m[N], m[STAGES] - 2, doubles(m[REAL]), doubles(m[SLOPE]), doubles(m[Y_NEW])
    w = doubles(m[NEWTON])
    z, before, calls = past(w, 2 * s * n), past(w, 3 * s * n), 0
    if m[STALE]:
        for i in range(s * n):
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
        calls += s * abs(rounds)
    for i in range(s * n):
        slope[n + i] = z[i] / h
    error = past(slope, (s + 1) * n)
    if rounds < 0:
        for i in range(n):
            error[i] = math.nan
        return calls
    for i in range(n):
        y_new[i] = y[i] + z[n * (s - 1) + i]
    return calls + _estimate(m, t, y, h, z, error)
