"""Lemke's method for 0 <= w = W z + q, z >= 0, z.w = 0, lexicographic, in floats or in exact fractions.

For a positive semidefinite W it ends at a solution, or on a ray that proves that there is none. Ties are decided on
whole rows of the tableau (right side, then the columns of the first basis), so that no basis returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_PIVOT = 1e-11
"""A pivot in floats, as a share of the largest entry of its column, in rows scaled to a unit diagonal."""
_MOST = 50
"""Pivots for each row, at most, in floats: lexicographic pivoting needs a few for each; more is rounding at work."""


@dataclass(frozen=True, slots=True)
class Lemke:
    """The answer z, or the ray on which the method left; `pivots` made."""

    z: Array | None
    ray: Array | None
    pivots: int


def lemke(matrix: Array, right: Array) -> Lemke:
    """Solve the linear complementarity problem of `matrix` and `right`; entries that are Fractions stay exact.

    >>> import numpy as np
    >>> lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, -5.0])).z
    array([0. , 2.5])
    """
    n = len(right)
    exact = matrix.dtype == object
    zero, one = (Fraction(0), Fraction(1)) if exact else (0.0, 1.0)
    if n == 0 or all(x >= 0 for x in right):
        return Lemke(np.array([zero] * n, dtype=matrix.dtype), None, 0)
    scale = np.array([one] * n, dtype=matrix.dtype) if exact else _scales(matrix)
    # Columns: w (the first basis), z, the artificial variable, then the right side. Row: w - W z - z0 = q.
    table = np.full((n, 2 * n + 2), zero, dtype=matrix.dtype)
    for i in range(n):
        table[i, i] = one
    table[:, n : 2 * n] = -(matrix * scale[:, None] * scale[None, :])
    table[:, 2 * n] = -one
    unit = one if exact else float(np.abs(right * scale).max())
    table[:, -1] = right * scale / unit
    basis = list(range(n))
    row = min(range(n), key=lambda i: (table[i, -1], i))
    entering, pivots = 2 * n, 0
    while True:
        leaving = basis[row]
        _pivot(table, row, entering)
        basis[row] = entering
        pivots += 1
        if leaving == 2 * n:
            return Lemke(unit * _read(table, basis, n, scale, zero), None, pivots)
        entering = leaving + n if leaving < n else leaving - n
        found = _leaving(table, basis, entering, n, exact)
        if found is None or (not exact and pivots > _MOST * n):
            return Lemke(None, _ray(table, basis, entering, n, scale, zero, one), pivots)
        row = found


def _scales(matrix: Array) -> Array:
    diagonal = np.abs(np.diag(matrix))
    largest = diagonal.max(initial=0.0) or 1.0
    found: Array = 1 / np.sqrt(np.where(diagonal > 0, diagonal, largest))
    return found


def _pivot(table: Array, row: int, column: int) -> None:
    table[row] = table[row] / table[row, column]
    for i in range(len(table)):
        if i != row and table[i, column] != 0:
            table[i] = table[i] - table[i, column] * table[row]
    table[:, column] = 0
    table[row, column] = Fraction(1) if table.dtype == object else 1.0


def _leaving(table: Array, basis: list[int], column: int, n: int, exact: bool) -> int | None:
    """The row of the lexicographically least ratio; the artificial variable first where it ties."""
    entries = table[:, column]
    least = 0 if exact else _PIVOT * max(np.abs(entries).max(), 1e-300)
    rows = [i for i in range(len(table)) if entries[i] > least]
    if not rows:
        return None
    for k in (-1, *range(n)):
        ratios = {i: table[i, k] / entries[i] for i in rows}
        best = min(ratios.values())
        slack = 0 if exact else 1e-13 * max(1.0, abs(best))
        rows = [i for i in rows if ratios[i] <= best + slack]
        artificial = [i for i in rows if basis[i] == 2 * n]
        if k == -1 and artificial:
            return artificial[0]
        if len(rows) == 1:
            break
    return rows[0]


def _read(table: Array, basis: list[int], n: int, scale: Array, zero: Any) -> Array:
    z = np.array([zero] * n, dtype=table.dtype)
    for i, name in enumerate(basis):
        if n <= name < 2 * n:
            z[name - n] = table[i, -1] * scale[name - n]
    return z


def _ray(table: Array, basis: list[int], entering: int, n: int, scale: Array, zero: Any, one: Any) -> Array:
    """The direction in z on which the method leaves: for a semidefinite W, y >= 0 with W y = 0 and y.q < 0."""
    y = np.array([zero] * n, dtype=table.dtype)
    if n <= entering < 2 * n:
        y[entering - n] = scale[entering - n] * one
    for i, name in enumerate(basis):
        if n <= name < 2 * n:
            y[name - n] = -table[i, entering] * scale[name - n]
    return y
