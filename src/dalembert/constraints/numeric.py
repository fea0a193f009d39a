"""The one solve in numbers, for machines whose expanded code would be too long: the same rows count, by the same rule.

M u' = f + W^T lambda, G u' = gamma: the free motion, moved as little as the rows ask in the kinetic metric, then
by what imperfect reactions push (`resolve`).
"""

from __future__ import annotations

from collections.abc import Sequence
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
    reaction: Array | None = None

    def independent(self, last: Sequence[int] = ()) -> NDArray[np.int64]:
        """Numbers of the rows that count: neither nothing, nor a combination of rows before them; `last` all do."""
        left = self.matrix / self.scales
        rounded = self.rounding * (self.made_of / self.scales).sum(axis=1)
        noise = rounded**2 + TOLD_APART**2 * (self.seen / self.scales**2).sum(axis=1)
        basis, noises, kept = np.zeros_like(left), np.zeros(len(left)), list[int]()
        for i in (k for k in range(len(left)) if k not in last):
            row, k, own = left[i], len(kept), noise[i]
            if k:
                shares = basis[:k] @ row
                row = row - shares @ basis[:k]
                row -= (basis[:k] @ row) @ basis[:k]  # once more takes away what rounding left
                own += shares**2 @ noises[:k]
            square = row @ row
            if square > own:
                basis[k], noises[k] = row / np.sqrt(square), own / square
                kept.append(i)
        return np.array([*kept, *last], dtype=np.int64)


class NumericResolved:
    """Least motions of a machine at a state; `imperfect` rows push along those of `reaction`."""

    def __init__(self, mass: Array, rows: RowNumbers, imperfect: Sequence[int] = ()) -> None:
        self.kept = rows.independent(imperfect)
        self._perfect = len(self.kept) - len(imperfect)
        self._pushed = rows.reaction[list(imperfect)] if rows.reaction is not None and len(imperfect) else None
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
        if self._pushed is None:
            return self._held(right, gamma[self.kept])
        count = self._perfect
        asked, normals = self._given[count:], self._normals[:, :count]
        first = self._held(right, gamma[self.kept[:count]])
        g, w = (one - normals @ (normals.T @ one) for one in (self._inverse @ asked.T, self._inverse @ self._pushed.T))
        sizes, pushes = np.linalg.norm(g, axis=0), np.linalg.norm(w, axis=0)
        weights = np.linalg.solve((g / sizes).T @ (w / pushes), (gamma[self.kept[count:]] - asked @ first) / sizes)
        return self._held(right + self._pushed.T @ (weights / pushes), gamma[self.kept[:count]])

    def _held(self, right: Array, gamma: Array) -> Array:
        """With the first rows alone."""
        count = len(gamma)
        normals, shares = self._normals[:, :count], self._shares[:count, :count]
        free = self._inverse @ right
        moved = np.linalg.solve(shares.T, gamma - self._given[:count] @ (self._inverse.T @ free))
        found: Array = self._inverse.T @ (free + normals @ moved)
        return found
