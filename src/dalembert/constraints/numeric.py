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

    def independent(self, last: Sequence[int] = (), guess: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Numbers of the rows that count: neither nothing, nor a combination of rows before them; `last` all do.

        A `guess` (the rows that counted in a posture nearby) is taken where the rule gives the same, which is seen
        without going through the rows one by one.
        """
        left, noise = self.matrix / self.scales, self._noise()
        if guess is not None and _counts(left, noise, guess[: len(guess) - len(last)], last):
            return guess
        basis, made, kept = np.zeros_like(left), np.zeros((len(left),) * 2), list[int]()  # basis = made left[kept]
        for i in (k for k in range(len(left)) if k not in last):
            row, k, own, taken = left[i], len(kept), noise[i], np.zeros(0)
            if k:
                shares = basis[:k] @ row
                row = row - shares @ basis[:k]
                row -= (basis[:k] @ row) @ basis[:k]  # once more takes away what rounding left
                taken = shares @ made[:k, :k]
                own += taken**2 @ noise[kept]
            square = row @ row
            if square > own:
                size = np.sqrt(square)
                basis[k], made[k, :k], made[k, k] = row / size, -taken / size, 1 / size
                kept.append(i)
        return np.array([*kept, *last], dtype=np.int64)

    def _noise(self) -> Array:
        """What of the square of each row is rounding, or too small to be told apart."""
        rounded = self.rounding * (self.made_of / self.scales).sum(axis=1)
        noise: Array = rounded**2 + TOLD_APART**2 * (self.seen / self.scales**2).sum(axis=1)
        return noise


def _counts(left: Array, noise: Array, kept: NDArray[np.int64], last: Sequence[int]) -> bool:
    """Whether the rule of `independent` keeps just these rows: all of them at once, by one orthogonal factor.

    With left[kept]^T = Q R, row k is left with R_kk beside the rows before it, and column k of R^-1 says which rows as
    they were given, over R_kk, that is. It counts if sum_j (R^-1)_jk^2 noise_j < 1; a row between them does not if
    nothing is left of it beside the rows that count before it.
    """
    if not len(kept) or len(kept) > left.shape[1]:
        return False
    normals, shares = np.linalg.qr(left[kept].T)
    if not np.diag(shares).all():
        return False
    made = _solved(shares, np.eye(len(kept)), lower=False)
    if not (noise[kept] @ made**2 < 1).all():
        return False
    out = np.setdiff1d(np.arange(len(left)), np.concatenate([kept, np.array(last, dtype=np.int64)]))
    before = np.arange(len(kept)) < np.searchsorted(kept, out)[:, None]
    parts = (left[out] @ normals) * before
    rest = left[out] - parts @ normals.T
    rest -= ((rest @ normals) * before) @ normals.T
    return bool(((rest**2).sum(axis=1) <= noise[out] + (parts @ made.T) ** 2 @ noise[kept]).all())


def _solved(triangle: Array, right: Array, *, lower: bool, transposed: bool = False) -> Array:
    """The solution of a triangular system, by LAPACK itself: small systems are many."""
    from scipy.linalg.lapack import dtrtrs

    found, failed = dtrtrs(triangle, right, lower=lower, trans=transposed)
    if failed:
        raise np.linalg.LinAlgError("a triangle is singular.")
    solved: Array = found
    return solved


class NumericResolved:
    """Least motions of a machine at a state; `imperfect` rows push along those of `reaction`."""

    def __init__(
        self,
        mass: Array,
        rows: RowNumbers,
        imperfect: Sequence[int] = (),
        guess: NDArray[np.int64] | None = None,
    ) -> None:
        self.kept = rows.independent(imperfect, guess)
        self._perfect = len(self.kept) - len(imperfect)
        self._pushed = rows.reaction[list(imperfect)] if rows.reaction is not None and len(imperfect) else None
        self._given = rows.matrix[self.kept]
        self._lower: Array = np.asarray(np.linalg.cholesky(mass), dtype=np.float64)
        self._normals, self._shares = np.linalg.qr(self._metric(self._given.T))

    def _metric(self, x: Array) -> Array:
        """L^-1 x, with M = L L^T: momenta as vectors whose length is that of the kinetic metric."""
        return _solved(self._lower, x, lower=True)

    def _speeds(self, x: Array) -> Array:
        """L^-T x: speeds of such vectors."""
        return _solved(self._lower, x, lower=True, transposed=True)

    def least(self, wanted: Array) -> Array:
        """The smallest change of speed, in the kinetic metric, with G change = wanted."""
        weights = _solved(self._shares, wanted[self.kept], lower=False, transposed=True)
        return self._speeds(self._normals @ weights)

    def accelerations(self, right: Array, gamma: Array) -> Array:
        """u'."""
        if self._pushed is None:
            return self._held(right, gamma[self.kept])
        count = self._perfect
        asked, normals = self._given[count:], self._normals[:, :count]
        first = self._held(right, gamma[self.kept[:count]])
        g, w = (one - normals @ (normals.T @ one) for one in (self._metric(asked.T), self._metric(self._pushed.T)))
        sizes, pushes = np.linalg.norm(g, axis=0), np.linalg.norm(w, axis=0)
        weights = np.linalg.solve((g / sizes).T @ (w / pushes), (gamma[self.kept[count:]] - asked @ first) / sizes)
        return self._held(right + self._pushed.T @ (weights / pushes), gamma[self.kept[:count]])

    def _held(self, right: Array, gamma: Array) -> Array:
        """With the first rows alone."""
        count = len(gamma)
        normals, shares = self._normals[:, :count], self._shares[:count, :count]
        free = self._metric(right)
        asked = gamma - self._given[:count] @ self._speeds(free)
        return self._speeds(free + normals @ _solved(shares, asked, lower=False, transposed=True))
