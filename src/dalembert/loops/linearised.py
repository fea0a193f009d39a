"""The linearised closure to all digits: rank, the motions that it allows, the stresses that it bears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.balls import BallClosing, as_array, as_matrix, floats

Array = Any

#: Pivots that floats choose; what is smaller is looked at in balls.
_FLOAT_PIVOT = 1e-5


@dataclass(frozen=True, slots=True)
class Linearised:
    """J with a regular block: J[rows, dependent]. `sure` when every other entry of the elimination is zero or is not.

    kernel (variables, k) is the identity on `independent`; stresses (rows of J, s) the identity on the other rows.
    """

    rank: int
    rows: Array
    dependent: Array
    independent: Array
    others: Array
    inverse: Any
    kernel: Array
    stresses: Array
    sure: bool


def linearised(closing: BallClosing, jacobian: Array) -> Linearised:
    """Pivots chosen in floats, the Schur complement in balls; the elimination goes on there until it is zero."""
    m, n = jacobian.shape
    rows, columns = float_pivots(floats(jacobian), _FLOAT_PIVOT)
    try:
        _schur(jacobian, rows, columns, rows[:0], columns[:0])
    except ZeroDivisionError:  # all of it is rounding: balls choose
        rows, columns = rows[:0], columns[:0]
    while True:
        others = np.setdiff1d(np.arange(m), rows)
        free = np.setdiff1d(np.arange(n), columns)
        inverse, solved, left, rest = _schur(jacobian, rows, columns, others, free)
        nonzero = [(i, j) for i, j in np.ndindex(*rest.shape) if not closing.is_zero(rest[i, j])]
        if not nonzero:
            break
        i, j = max(nonzero, key=lambda at: float(abs(rest[at]).mid()))
        if rest[i, j].contains(0):
            return _made(jacobian, rows, columns, others, free, inverse, solved, left, False)
        rows, columns = np.append(rows, others[i]), np.append(columns, free[j])
    return _made(jacobian, rows, columns, others, free, inverse, solved, left, True)


def _schur(jacobian: Array, rows: Array, columns: Array, others: Array, free: Array) -> tuple[Any, Any, Any, Array]:
    if not len(rows):
        return None, None, None, jacobian[np.ix_(others, free)]
    inverse = as_matrix(jacobian[np.ix_(rows, columns)]).inv()
    solved = inverse * as_matrix(jacobian[np.ix_(rows, free)]) if len(free) else None
    left = as_matrix(jacobian[np.ix_(others, columns)]) * inverse if len(others) else None
    if not len(free) or not len(others):
        return inverse, solved, left, np.zeros((len(others), len(free)), dtype=object)
    rest = as_matrix(jacobian[np.ix_(others, free)]) - as_matrix(jacobian[np.ix_(others, columns)]) * solved
    return inverse, solved, left, as_array(rest)


def _made(
    jacobian: Array,
    rows: Array,
    columns: Array,
    others: Array,
    free: Array,
    inverse: Any,
    solved: Any,
    left: Any,
    sure: bool,
) -> Linearised:
    from flint import arb

    m, n = jacobian.shape
    kernel = np.full((n, len(free)), arb(0), dtype=object)
    kernel[free, np.arange(len(free))] = arb(1)
    if solved is not None and len(rows):
        kernel[columns] = -as_array(solved)
    stresses = np.full((m, len(others)), arb(0), dtype=object)
    stresses[others, np.arange(len(others))] = arb(1)
    if left is not None and len(rows):
        stresses[rows] = -as_array(left).T
    return Linearised(len(rows), rows, columns, free, others, inverse, kernel, stresses, sure)


def float_pivots(matrix: Array, tolerance: float) -> tuple[Array, Array]:
    """Rows and columns of a regular block, by elimination with complete pivoting down to tolerance times the first."""
    a = np.array(matrix, dtype=float)
    rows: list[int] = []
    columns: list[int] = []
    first = float(np.abs(a).max(initial=0.0))
    for _ in range(min(a.shape)):
        flat = int(np.abs(a).argmax())
        i, j = divmod(flat, a.shape[1])
        if not abs(a[i, j]) > tolerance * first:
            break
        rows.append(i)
        columns.append(j)
        a -= np.outer(a[:, j] / a[i, j], a[i])
        a[i], a[:, j] = 0.0, 0.0
    return np.array(rows, dtype=int), np.array(columns, dtype=int)
