"""Compiled pieces of a linearly implicit step: Jacobian, factors, stages. Loads numba.

A Rosenbrock step solves, for each stage, `(1/gamma - h J) v_i = f(t + a_i h, y + h sum a_ij v_j) + sum c_ij v_j +
h d_i f_t` with one matrix: stiff springs and dampers then cost no small steps.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    COUPLING,
    DRIFT,
    EPS,
    FACTORED,
    GAMMA,
    JACOBIAN,
    MATRIX,
    NODE,
    PIVOT,
    REAL,
    SLOPE,
    STAGES,
    STALE,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.step import combine, compiled, copy, doubles, evaluate, integers, larger, past, rates


@compiled
def _differences(m: Any, t: float, y: Any, f: Any) -> int:
    """The Jacobian and the time derivative by forward differences; returns evaluations made."""
    n, matrix, y_try, moved = m[N], doubles(m[MATRIX]), doubles(m[Y_TRY]), doubles(m[Y_NEW])
    copy(n, y, y_try)
    for j in range(n):
        step = math.sqrt(EPS) * larger(1e-3, abs(y[j]))
        y_try[j] = y[j] + step
        step = y_try[j] - y[j]
        rates(m, t, y_try, moved)
        y_try[j] = y[j]
        for i in range(n):
            matrix[n * i + j] = (moved[i] - f[i]) / step
    step = math.sqrt(EPS) * larger(1e-3, abs(t))
    rates(m, t + step, y, moved)
    for i in range(n):
        matrix[n * n + i] = (moved[i] - f[i]) / step
    return n + 1


@compiled
def _factor(m: Any, h: float) -> bool:
    """LU factors, rows exchanged, of 1/gamma - h J; False if it is singular."""
    n, jacobian, a, pivot = m[N], doubles(m[MATRIX]), doubles(m[FACTORED]), integers(m[PIVOT])
    diagonal = 1.0 / doubles(m[REAL])[GAMMA]
    for i in range(n * n):
        a[i] = -h * jacobian[i]
    for i in range(n):
        a[n * i + i] += diagonal
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[n * i + k]) > abs(a[n * best + k]):
                best = i
        pivot[k] = best
        if not (abs(a[n * best + k]) > 0.0):
            return False
        if best != k:
            for j in range(n):
                a[n * k + j], a[n * best + j] = a[n * best + j], a[n * k + j]
        for i in range(k + 1, n):
            factor = a[n * i + k] / a[n * k + k]
            a[n * i + k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[n * i + j] -= factor * a[n * k + j]
    return True


@compiled
def _solve(m: Any, x: Any) -> None:
    """Solve with the factors, in place."""
    n, a, pivot = m[N], doubles(m[FACTORED]), integers(m[PIVOT])
    for k in range(n):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= a[n * i + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[n * i + j] * x[j]
        x[i] /= a[n * i + i]


@compiled
def rosenbrock(m: Any, t: float, y: Any, h: float) -> int:
    """One linearly implicit step from y, its first slope known: the end in Y_NEW; returns evaluations made.

    Slopes 1 to STAGES - 1 are the stages v_i. A step tried again from the same state keeps its Jacobian.
    """
    n, stages, slope, y_try = m[N], m[STAGES], doubles(m[SLOPE]), doubles(m[Y_TRY])
    coupling, drift, node, matrix = doubles(m[COUPLING]), doubles(m[DRIFT]), doubles(m[NODE]), doubles(m[MATRIX])
    calls = stages - 2
    if m[STALE]:
        if m[JACOBIAN] != 0:
            evaluate(m, m[JACOBIAN], t, y, matrix)
        else:
            calls += _differences(m, t, y, slope)
        m[STALE] = 0
    regular = _factor(m, h)
    for i in range(1, stages):
        v = past(slope, n * i)
        if i == 1:
            copy(n, slope, v)
        else:
            combine(m, i, y, h, y_try)
            rates(m, t + node[i] * h, y_try, v)
        for k in range(n):
            v[k] += h * drift[i] * matrix[n * n + k]
            for j in range(1, i):
                v[k] += coupling[stages * i + j] * slope[n * j + k]
            if not regular:
                v[k] = math.nan
        if regular:
            _solve(m, v)
    combine(m, stages, y, h, doubles(m[Y_NEW]))
    return calls
