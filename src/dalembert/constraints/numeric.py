"""The one solve in numbers, for machines whose expanded code would be too long: the same rows count, by the same rule.

M u' = f + G^T lambda, G u' = gamma: the free motion, moved as little as the rows ask in the kinetic metric (`resolve`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.constraints.independence import TOLD_APART

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """Rows at a state: see the fields of `Rows`."""

    matrix: Array
    made_of: Array
    seen: Array
    scales: Array
    rounding: Array

    def independent(self) -> NDArray[np.int64]:
        """Numbers of the rows that count: neither nothing, nor a combination of rows before them."""
        left = self.matrix / self.scales
        rounded = self.rounding * (self.made_of / self.scales).sum(axis=1)
        noise = rounded**2 + TOLD_APART**2 * (self.seen / self.scales**2).sum(axis=1)
        basis, noises, kept = np.zeros_like(left), np.zeros(len(left)), list[int]()
        for i, row in enumerate(left):
            k, own = len(kept), noise[i]
            if k:
                shares = basis[:k] @ row
                row = row - shares @ basis[:k]
                row -= (basis[:k] @ row) @ basis[:k]  # once more takes away what rounding left
                own += shares**2 @ noises[:k]
            square = row @ row
            if square > own:
                basis[k], noises[k] = row / np.sqrt(square), own / square
                kept.append(i)
        return np.array(kept, dtype=np.int64)


class NumericResolved:
    """Least motions of a machine at a state."""

    def __init__(self, mass: Array, rows: RowNumbers) -> None:
        self.kept = rows.independent()
        self._given = rows.matrix[self.kept]
        lower = np.linalg.cholesky(mass)
        self._inverse = np.linalg.inv(lower)  # of a triangle: as exact as substitution, and no threads for small ones
        self._normals, self._shares = np.linalg.qr(self._inverse @ self._given.T)

    def least(self, wanted: Array) -> Array:
        """The smallest change of speed, in the kinetic metric, with G change = wanted."""
        weights = np.linalg.solve(self._shares.T, wanted[self.kept])
        found: Array = self._inverse.T @ (self._normals @ weights)
        return found

    def accelerations(self, right: Array, gamma: Array) -> Array:
        """u'."""
        free = self._inverse.T @ (self._inverse @ right)
        wanted = gamma.copy()
        wanted[self.kept] -= self._given @ free
        found: Array = free + self.least(wanted)
        return found
