"""Determinants of few rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert.expr import ONE, ZERO, Expr


def determinant(matrix: Sequence[Sequence[Expr]]) -> Expr:
    """By minors of the first column, each made once: servo-mechanisms and contacts have few rows."""

    @cache
    def minor(rows: tuple[int, ...]) -> Expr:
        if not rows:
            return ONE
        total, column = ZERO, len(matrix) - len(rows)
        for i, k in enumerate(rows):
            entry = matrix[k][column]
            if entry is not ZERO:
                part = entry * minor(rows[:i] + rows[i + 1 :])
                total = total + (part if i % 2 == 0 else -part)
        return total

    return minor(tuple(range(len(matrix))))
