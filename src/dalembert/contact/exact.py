"""Linear algebra in exact fractions, for proofs: every float is a fraction, and stays one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def fractions(values: ArrayLike) -> Array:
    """The same numbers, exact."""
    given = np.asarray(values)
    found = np.empty(given.shape, dtype=object)
    for place, value in np.ndenumerate(given):
        found[place] = (
            value if isinstance(value, Fraction) else Fraction(value if isinstance(value, int) else float(value))
        )
    return found


def solve(matrix: Array, right: Array) -> Array | None:
    """The one x with matrix x = right (as many columns as `right` has), or None if there is none or more than one."""
    rows, columns = matrix.shape
    wide = right.reshape(rows, -1)
    table = np.concatenate([matrix, wide], axis=1)
    done = 0
    for column in range(columns):
        found = next((i for i in range(done, rows) if table[i, column] != 0), None)
        if found is None:
            return None
        table[[done, found]] = table[[found, done]]
        table[done] = table[done] / table[done, column]
        for i in range(rows):
            if i != done and table[i, column] != 0:
                table[i] = table[i] - table[i, column] * table[done]
        done += 1
    if any(x != 0 for x in table[done:, columns:].flat):
        return None
    answer: Array = table[:columns, columns:]
    return answer if right.ndim == 2 else answer[:, 0]


def rank(matrix: Array) -> int:
    """How many rows are independent, exactly."""
    table, done = matrix.copy(), 0
    for column in range(matrix.shape[1]):
        found = next((i for i in range(done, len(table)) if table[i, column] != 0), None)
        if found is None:
            continue
        table[[done, found]] = table[[found, done]]
        for i in range(done + 1, len(table)):
            if table[i, column] != 0:
                table[i] = table[i] - table[i, column] / table[done, column] * table[done]
        done += 1
    return done
