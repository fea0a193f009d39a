"""Compiled look between the nodes of an implicit step: does its polynomial obey the equations there? Loads numba.

    e = (mu/h - J)^-1 (p'(t) - f(t, p(t)))

The error of the end of a stiff step says nothing of the middle: what decays quickly forgives it. The defect of the
dense output does, filtered by the factors that the step has: it tends to J^-1 times the defect, which is the distance
of p from the slow motion, where J is large, and to h/mu times the defect where J is small. (Of a collocation the usual
estimate, Hairer and Wanner II, IV.8, is this very formula at the beginning of the step, where p passes through a known
state.) Filtered once more, the rate of e is what speeds lack where places are held by stiff springs.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    BETWEEN,
    COEFFICIENT,
    DENSE_ROWS,
    EPS,
    FACTORED,
    IMPLICIT,
    LACK,
    PIVOT,
    SLOPE,
    STAGES,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.linear import solve
from dalembert.simulate.loop.step import compiled, dense, doubles, integers, past, polynomial, rates

LOOKS = 2
"""Instants in a step: on two neighbouring pieces, so that an error that passes through zero hides no other."""


@compiled
def _slope(m: Any, x: float, out: Any) -> None:
    """Derivative by x of the nested form."""
    n, c = m[N], doubles(m[COEFFICIENT])
    for i in range(n):
        total = slope = 0.0
        for j in range(m[DENSE_ROWS], -1, -1):
            total += c[n * j + i]
            factor, turn = (x, 1.0) if j % 2 == 0 else (1.0 - x, -1.0)
            slope = slope * factor + turn * total
            total *= factor
        out[i] = slope


@compiled
def _filter(m: Any, share: float, lack: Any, error: Any) -> None:
    """Solve with the factors of the step; no error is less than what comes out."""
    n = m[N]
    solve(n, doubles(m[FACTORED]), integers(m[PIVOT]), lack)
    for i in range(n):
        lack[i] *= share
        if not (abs(lack[i]) <= abs(error[i])):
            error[i] = lack[i]


@compiled
def between(m: Any, t: float, y: Any, h: float) -> int:
    """Let the error of a step, over h in its last slope, be no less than that of its dense output; evaluations made."""
    n, y_try, lack, point = m[N], doubles(m[Y_TRY]), doubles(m[LACK]), doubles(m[BETWEEN])
    error, f = past(doubles(m[SLOPE]), n * (m[STAGES] - 1)), past(lack, n)
    collocation = m[IMPLICIT] == 2  # whose factors are those of mu/h - J; of the others 1/gamma - h J
    if not math.isfinite(error[0]):
        return 0
    dense(m, t, y, h)
    for k in range(LOOKS):
        polynomial(m, y, point[k], y_try)
        _slope(m, point[k], lack)
        rates(m, t + point[k] * h, y_try, f)
        for i in range(n):
            lack[i] = lack[i] / h - f[i]
        _filter(m, 1.0 / h if collocation else 1.0, lack, error)
        for i in range(n):
            if abs(h * lack[i]) <= 4.0 * EPS * abs(y_try[i]):
                lack[i] = 0.0  # rounding has no rate
        _filter(m, point[LOOKS] / h if collocation else point[LOOKS], lack, error)
    return LOOKS
