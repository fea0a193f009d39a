"""Symbolic factors of symmetric matrices, from the last row up, so that the zeros of a tree stay zeros."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import SingularError
from dalembert.expr import ZERO, Expr, Matrix


def factor_symmetric(matrix: Matrix, names: Sequence[str] = ()) -> tuple[list[list[Expr]], list[Expr]]:
    """M = L^T D L with L unit lower triangular: Featherstone's order, no fill-in on a tree.

    Returns L (rows, the unit diagonal left out as zero) and the diagonal D. `names` are the speeds, for the message
    when M is singular.
    """
    n = matrix.shape[0]
    work = [list(row) for row in matrix.rows()]
    lower: list[list[Expr]] = [[ZERO] * n for _ in range(n)]
    for k in range(n - 1, -1, -1):
        pivot = work[k][k]
        if pivot is ZERO:
            what = f"the speed '{names[k]}'" if names else f"speed {k + 1}"
            raise SingularError(
                f"the mass matrix is singular in every configuration: {what} moves no mass. "
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


def solve_symmetric(matrix: Matrix, right: Sequence[Expr], names: Sequence[str] = ()) -> list[Expr]:
    """x with M x = b, M symmetric positive definite."""
    lower, diagonal = factor_symmetric(matrix, names)
    return solve_factored(lower, diagonal, right)
