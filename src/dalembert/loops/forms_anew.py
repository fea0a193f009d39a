"""Ranks and quadratic forms in balls, for a checker: elimination, minors, Macaulay's matrix. No code of the ladder."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dalembert.loops.anew import arb_of, array_of, floats_of, matrix_of, objects

Array = Any

#: A row of the Jacobian whose slopes are all smaller, with lengths in parts of the machine, is rounding at 50 digits.
NOTHING = 1e-20


def pivots(matrix: Array, small: Any, nothing: float = NOTHING) -> tuple[Array, Array]:
    """Rows and columns of a regular block: elimination in balls, complete pivoting, while a pivot leaves zero out."""
    a = matrix.copy()
    for i, row in enumerate(floats_of(matrix)):  # every row in its own units, but for those that are zero
        if np.abs(row).max(initial=0.0) > nothing:
            a[i] = a[i] / float(np.abs(row).max())
    rows: list[int] = []
    columns: list[int] = []
    while len(rows) < min(a.shape):
        sizes = np.abs(floats_of(a))
        sizes[rows], sizes[:, columns] = -1.0, -1.0
        i, j = (int(v) for v in np.unravel_index(int(sizes.argmax()), a.shape))
        if a[i, j].contains(0) or bool(abs(a[i, j]) < small):
            break
        rows.append(i)
        columns.append(j)
        left = [r for r in range(len(a)) if r not in rows]
        for r in left:
            if not a[r, j].is_zero():
                a[r] = a[r] - a[r, j] / a[i, j] * a[i]
    return np.array(rows, dtype=int), np.array(columns, dtype=int)


def definite(forms: list[Array]) -> bool:
    """A combination whose leading minors are all positive, in balls."""
    if not forms:
        return False
    rng = np.random.default_rng(5)
    plain = [floats_of(f) for f in forms]
    tries = [*np.eye(len(forms)), *-np.eye(len(forms)), *rng.normal(size=(200, len(forms)))]
    for weights in tries:
        if np.linalg.eigvalsh(sum(w * f for w, f in zip(weights, plain, strict=True)))[0] <= 0:
            continue
        total = sum((arb_of(float(w)) * f for w, f in zip(weights, forms, strict=True)), forms[0] * 0)
        if all(bool(matrix_of(total[:i, :i]).det() > 0) for i in range(1, len(total) + 1)):
            return True
    return False


def only_origin(forms: list[Array], k: int, codimension: int, limit: int = 400) -> bool:
    """Whether the forms vanish together only at the origin of a random slice: Macaulay's matrix has full rank."""
    size = k - codimension
    if size <= 0 or not forms:
        return size <= 0
    rng = np.random.default_rng(8)
    slice_ = np.vectorize(lambda v: arb_of(float(v)), otypes=[object])(rng.integers(-9, 10, size=(k, size)))
    cut = [array_of(matrix_of(slice_.T) * matrix_of(f) * matrix_of(slice_)) for f in forms]
    for degree in range(2, size + 2):
        monomials = list(combinations_with_replacement(range(size), degree))
        if len(monomials) > limit:
            return False
        index = {m: i for i, m in enumerate(monomials)}
        rows = []
        for f in cut:
            for shift in combinations_with_replacement(range(size), degree - 2):
                row = [arb_of(0)] * len(monomials)
                for i in range(size):
                    for j in range(size):
                        at = index[tuple(sorted((*shift, i, j)))]
                        row[at] = row[at] + f[i, j]
                rows.append(row)
        matrix = objects(rows)
        if len(pivots(matrix, arb_of(NOTHING))[0]) == len(monomials):
            return True
    return False
