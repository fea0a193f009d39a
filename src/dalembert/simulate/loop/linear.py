"""Compiled linear algebra of implicit steps: Jacobian by differences, factors with row exchanges. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import EPS, MATRIX, Y_NEW, Y_TRY, N
from dalembert.simulate.loop.step import compiled, copy, doubles, larger, rates


@compiled
def differences(m: Any, t: float, y: Any, f: Any) -> int:
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
def factor(n: int, a: Any, pivot: Any) -> bool:
    """LU factors in place, rows exchanged; False if it is singular."""
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
            share = a[n * i + k] / a[n * k + k]
            a[n * i + k] = share
            if share != 0.0:
                for j in range(k + 1, n):
                    a[n * i + j] -= share * a[n * k + j]
    return True


@compiled
def solve(n: int, a: Any, pivot: Any, x: Any) -> None:
    """Solve with the factors, in place."""
    for k in range(n):
        x[k], x[pivot[k]] = x[pivot[k]], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= a[n * i + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[n * i + j] * x[j]
        x[i] /= a[n * i + i]
