"""Rows in the kinetic metric, where no unit has a say: gaps and speeds are angles beside lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_DEPENDENT = 1e-9
"""Singular value of rows of unit length, as a share of the largest, that is none: they are products of rows that round
to 1e-16 and of masses that differ by up to 1e6."""
_GRAIN = 1e-13
"""A column of rows of unit length that is shorter is their rounding; a length of its own would make a row of it."""


def rank(rows: Array) -> int:
    """The rank of rows (of a matrix: its columns, too), each taken by its own length."""
    sizes = np.linalg.norm(rows, axis=1)
    units = rows / np.where(sizes > 0, sizes, 1.0)[:, None]
    columns = np.linalg.norm(units, axis=0)
    values = np.linalg.svd(units / np.where(columns > _GRAIN, columns, 1.0), compute_uv=False)
    return int((values > _DEPENDENT * values.max(initial=0.0)).sum())


def lengths(inverse: Array, rows: Array) -> Array:
    """sqrt(g M^-1 g^T) of each row, one where it moves nothing."""
    squares: Array = np.einsum("ij,jk,ik->i", rows, inverse, rows)
    return np.sqrt(np.where(squares > 0, squares, 1.0))


def least_change(inverse: Array, rows: Array, wanted: Array) -> Array:
    """The smallest change of speeds, in the kinetic metric, with rows @ change = wanted."""
    if not len(rows):
        return np.zeros(len(inverse))
    units = rows / lengths(inverse, rows)[:, None]
    raised = inverse @ units.T
    found: Array = raised @ np.linalg.lstsq(units @ raised, wanted / lengths(inverse, rows), rcond=1e-12)[0]
    return found


def decided(inverse: Array, rows: Array, held: Array) -> Array:
    """Which rows are sums of those that are `held`: what pushes along them moves nothing."""
    if not len(held) or not len(rows):
        return np.zeros(len(rows), dtype=bool)
    root = np.linalg.cholesky(inverse)
    own, taken = rows @ root, held @ root
    sizes = np.linalg.norm(own, axis=1)
    basis = np.linalg.qr((taken / np.linalg.norm(taken, axis=1)[:, None]).T)[0]
    for _ in range(2):  # once more takes what rounding has left
        own = own - (own @ basis) @ basis.T
    found: Array = np.linalg.norm(own, axis=1) <= _DEPENDENT * sizes
    return found
