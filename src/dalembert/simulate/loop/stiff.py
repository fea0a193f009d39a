"""Compiled pieces of a linearly implicit step. Loads numba.

A Rosenbrock step solves, for each stage, `(1/gamma - h J) v_i = f(t + a_i h, y + h sum a_ij v_j) + sum c_ij v_j +
h d_i f_t` with one matrix: stiff springs and dampers then cost no small steps.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    COUPLING,
    DRIFT,
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
from dalembert.simulate.loop.linear import differences, factor, solve
from dalembert.simulate.loop.step import combine, compiled, copy, doubles, evaluate, integers, past, rates


@compiled
def _factored(m: Any, h: float) -> bool:
    """LU factors of 1/gamma - h J; False if it is singular."""
    n, jacobian, a = m[N], doubles(m[MATRIX]), doubles(m[FACTORED])
    diagonal = 1.0 / doubles(m[REAL])[GAMMA]
    for i in range(n * n):
        a[i] = -h * jacobian[i]
    for i in range(n):
        a[n * i + i] += diagonal
    return factor(n, a, integers(m[PIVOT]))


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
            calls += differences(m, t, y, slope)
        m[STALE] = 0
    regular = _factored(m, h)
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
            solve(n, doubles(m[FACTORED]), integers(m[PIVOT]), v)
    combine(m, stages, y, h, doubles(m[Y_NEW]))
    return calls
