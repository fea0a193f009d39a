"""The structure of the sparse solve, found once for a machine: order, fill and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.lifted import Carried
from dalembert.simulate.sparse.fronts import Fronts

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Elimination:
    """Columns of a unit lower triangle, rows ascending, and its rows: for each entry its column and where it stands."""

    start: Integers
    row: Integers
    row_start: Integers
    row_column: Integers
    row_position: Integers

    @staticmethod
    def of(size: int, pairs: Iterable[tuple[int, int]], counting: Set[int] | None = None) -> Elimination:
        """The factor of a symmetric matrix with entries at `pairs`, numbered in the order of elimination.

        Only those of `counting` are eliminated, others have lines and no columns.

        >>> Elimination.of(3, [(0, 1), (0, 2)]).row.tolist()
        [1, 2, 2]
        """
        below: list[set[int]] = [set() for _ in range(size)]
        for i, j in pairs:
            if i != j:
                below[min(i, j)].add(max(i, j))
        for k, column in enumerate(below):
            if counting is not None and k not in counting:
                column.clear()
                continue
            going = column if counting is None else column & counting
            if going:
                first = min(going)
                below[first].update(i for i in column if i > first)
        listed = [sorted(column) for column in below]
        start = np.concatenate([[0], np.cumsum([len(column) for column in listed])]).astype(np.int64)
        row = np.array([i for column in listed for i in column], dtype=np.int64)
        column_of = np.repeat(np.arange(size), np.diff(start))
        by_row = np.argsort(row, kind="stable")
        row_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=size))]).astype(np.int64)
        return Elimination(start, row, row_start, column_of[by_row].astype(np.int64), by_row.astype(np.int64))

    @property
    def operations(self) -> int:
        """Products that one factorisation needs."""
        counts = np.diff(self.start)
        return int((counts * (counts + 3) // 2).sum())


@dataclass(frozen=True, slots=True)
class Structure:
    """Order and fronts of the whole, and the factor of G G^T, by whose pivots rows are chosen."""

    whole: Fronts
    meeting: tuple[tuple[int, int], ...]  # rows that have speeds in common
    among_rows: Elimination

    @staticmethod
    def of(nodes: Sequence[Carried], speeds: int, rows: Sequence[Sequence[int]]) -> Structure:
        """`rows` are the speeds in each row."""
        whole = Fronts.of(nodes, speeds, rows)
        touching: list[list[int]] = [[] for _ in range(speeds)]
        for g, k in enumerate(whole.rows):
            for j in rows[k]:
                touching[j].append(g)
        pairs = sorted({(a, b) for several in touching for a in several for b in several if a < b})
        return Structure(whole, tuple(pairs), Elimination.of(len(rows), pairs))

    def of_rows(self, counting: Set[int]) -> Structure:
        """What is left when only some rows count: all others are looked at, and take nothing off any."""
        left = self.whole.without(set(range(len(self.rows))) - counting)
        return Structure(left, self.meeting, Elimination.of(len(self.rows), self.meeting, counting))

    @property
    def rows(self) -> tuple[int, ...]:
        """The number of the row that is taken as each."""
        return self.whole.rows

    @property
    def operations(self) -> int:
        """Products of one solve, the choice of rows included."""
        return self.whole.operations + self.among_rows.operations
