"""Symbolic factors of symmetric matrices, from the last row up, so that the zeros of a tree stay zeros."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.errors import SingularError
from dalembert.expr import ONE, ZERO, Expr, Matrix


def factor_symmetric(matrix: Matrix) -> tuple[list[list[Expr]], list[Expr]]:
    """M = L^T D L with L unit lower triangular: Featherstone's order, no fill-in on a tree.

    Returns L (rows, the unit diagonal left out as zero) and the diagonal D.
    """
    n = matrix.shape[0]
    work = [list(row) for row in matrix.rows()]
    lower: list[list[Expr]] = [[ZERO] * n for _ in range(n)]
    for k in range(n - 1, -1, -1):
        pivot = work[k][k]
        if pivot is ZERO:
            raise SingularError(
                f"pivot {k + 1} of the mass matrix is zero in every configuration: that speed moves no mass. "
                "Give mass or inertia to what it moves."
            )
        row = [i for i in range(k) if work[k][i] is not ZERO]
        for i in row:
            lower[k][i] = work[k][i] / pivot
        for i in row:
            for j in row:
                if j <= i:
                    work[i][j] = work[i][j] - lower[k][i] * work[k][j]
    return lower, [work[k][k] for k in range(n)]


def solve_factored(lower: list[list[Expr]], diagonal: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
    """x with L^T D L x = b."""
    n = len(diagonal)
    x = list(right)
    for k in range(n - 1, -1, -1):
        for i in range(k):
            if lower[k][i] is not ZERO:
                x[i] = x[i] - lower[k][i] * x[k]
    x = [value / pivot for value, pivot in zip(x, diagonal, strict=True)]
    for k in range(n):
        for i in range(k):
            if lower[k][i] is not ZERO:
                x[k] = x[k] - lower[k][i] * x[i]
    return x


def solve_symmetric(matrix: Matrix, right: Sequence[Expr]) -> list[Expr]:
    """x with M x = b, M symmetric positive definite."""
    lower, diagonal = factor_symmetric(matrix)
    return solve_factored(lower, diagonal, right)


def solve_semidefinite(matrix: Matrix, right: Sequence[Expr], tolerance: float = 1e-11) -> list[Expr]:
    """A solution of S x = b, S symmetric positive semidefinite, b in its range.

    A pivot that is small against the diagonal belongs to a row that depends on the others (its whole row has vanished
    with it), so it is left out: x is zero there. The choice is made by value, without branches.
    """
    n = matrix.shape[0]
    work = [list(row) for row in matrix.rows()]
    scale = ZERO
    for i in range(n):
        scale = ex.maximum(scale, matrix[i, i])
    floor = tolerance * scale
    inverse: list[Expr] = [ZERO] * n
    lower: list[list[Expr]] = [[ZERO] * n for _ in range(n)]
    for k in range(n):
        pivot = work[k][k]
        if pivot is ZERO:
            continue
        kept = floor < pivot
        inverse[k] = ex.where(kept, 1 / ex.where(kept, pivot, ONE), ZERO)
        below = [i for i in range(k + 1, n) if work[i][k] is not ZERO]
        for i in below:
            lower[i][k] = work[i][k] * inverse[k]
        for i in below:
            for j in below:
                if j <= i:
                    work[i][j] = work[i][j] - lower[i][k] * work[j][k]
    x = list(right)
    for k in range(n):
        for i in range(k + 1, n):
            if lower[i][k] is not ZERO:
                x[i] = x[i] - lower[i][k] * x[k]
    x = [value * one for value, one in zip(x, inverse, strict=True)]
    for k in range(n - 1, -1, -1):
        for i in range(k):
            if lower[k][i] is not ZERO:
                x[i] = x[i] - lower[k][i] * x[k]
    return x
