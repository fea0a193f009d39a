"""Determinants of few rows."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import ONE, ZERO, Expr


def determinant(matrix: Sequence[Sequence[Expr]]) -> Expr:
    """By minors of the first column: servo-mechanisms and contacts have few rows."""
    if not matrix:
        return ONE
    total = ZERO
    for i, row in enumerate(matrix):
        if row[0] is not ZERO:
            minor = determinant([other[1:] for k, other in enumerate(matrix) if k != i])
            total = total + (row[0] * minor if i % 2 == 0 else -row[0] * minor)
    return total
