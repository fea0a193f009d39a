"""Ranks of polynomial matrices over a domain: Gauss without fractions, and minors that grow by one row and column.

The domain is a polynomial ring with a normal form (`reduce`): of the tower of circles and roots, or modulo a prime
ideal. Then the rank is the one at a generic point: of the tree in the first case, of that piece of the closure in the
second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

Reduce = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Elimination:
    """A rank and what shows it: pivots (or one minor) that are not zero, at these rows and columns."""

    rank: int
    witnesses: tuple[Any, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def gauss(matrix: Sequence[Sequence[Any]], reduce: Reduce) -> Elimination:
    """The pivot with the fewest terms first; rows are multiplied across, then freed of common factors."""
    rows = [[reduce(p) for p in row] for row in matrix]
    left, columns = list(range(len(rows))), list(range(len(rows[0]) if rows else 0))
    pivots: list[tuple[Any, int, int]] = []
    while True:
        choices = [(len(rows[i][j]), i, j) for i in left for j in columns if rows[i][j] != 0]
        if not choices:
            break
        _, i, j = min(choices)
        pivot = rows[i][j]
        pivots.append((pivot, i, j))
        left.remove(i)
        columns.remove(j)
        for k in left:
            if (factor := rows[k][j]) != 0:
                changed = [reduce(rows[k][c] * pivot - rows[i][c] * factor) for c in columns]
                for c, value in zip(columns, without_content(changed), strict=True):
                    rows[k][c] = value
                rows[k][j] = factor - factor
    return Elimination(len(pivots), tuple(p for p, _, _ in pivots), *_places(pivots))


def _places(pivots: list[tuple[Any, int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(i for _, i, _ in pivots), tuple(j for _, _, j in pivots)


def without_content(row: list[Any]) -> list[Any]:
    """A row divided by what all its entries share."""
    there = sorted((p for p in row if p != 0), key=len)
    if not there:
        return row
    common = there[0]
    for p in there[1:]:
        if common.is_constant():
            break
        common = common.gcd(p)
    if common.is_constant():
        common = common * 0 + there[0].leading_coefficient()
    return [divmod(p, common)[0] for p in row]


def growing_minor(matrix: Sequence[Sequence[Any]], reduce: Reduce) -> Elimination:
    """The rank by minors of increasing order: a minor that no row and column enlarges is a largest one (Kronecker)."""
    entries = [[reduce(p) for p in row] for row in matrix]
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    value: Any = None
    height, width = len(entries), len(entries[0]) if entries else 0
    while True:
        found = None
        for i in (i for i in range(height) if i not in rows):
            for j in (j for j in range(width) if j not in columns):
                minor = reduce(determinant(entries, (*rows, i), (*columns, j)))
                if minor != 0 and (found is None or len(minor) < len(found[0])):
                    found = (minor, i, j)
            if found is not None:
                break
        if found is None:
            return Elimination(len(rows), () if value is None else (value,), rows, columns)
        value, rows, columns = found[0], (*rows, found[1]), (*columns, found[2])


def determinant(matrix: Sequence[Sequence[Any]], rows: tuple[int, ...], columns: tuple[int, ...]) -> Any:
    """By the first row, minors remembered; zeros are skipped."""

    @cache
    def minor(start: int, left: tuple[int, ...]) -> Any:
        if start == len(rows):
            return 1
        total: Any = matrix[rows[0]][columns[0]] * 0
        for k, column in enumerate(left):
            entry = matrix[rows[start]][column]
            if entry != 0:
                term = entry * minor(start + 1, left[:k] + left[k + 1 :])
                total = total - term if k % 2 else total + term
        return total

    return minor(0, columns)
