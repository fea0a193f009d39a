"""The structure of a sparse symmetric elimination, found once for a machine: order, fill and what it costs.

    [ M  G^T ] [   u'   ]   [ f     ]
    [ G   0  ] [ -lambda] = [ gamma ]

Speeds are eliminated from the tips of the tree to its root, which fills nothing in M; a row follows the last speed of
its loop, so that a loop is closed as soon as all that it holds is gone, and nothing above it sees more of it than a
smaller inertia. On trees with loops in them this is the order of least degree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    def of(size: int, pairs: Iterable[tuple[int, int]]) -> Elimination:
        """The factor of a symmetric matrix with entries at `pairs`, numbered in the order of elimination.

        >>> Elimination.of(3, [(0, 1), (0, 2)]).row.tolist()
        [1, 2, 2]
        """
        below: list[set[int]] = [set() for _ in range(size)]
        for i, j in pairs:
            if i != j:
                below[min(i, j)].add(max(i, j))
        for column in below:
            if column:
                first = min(column)
                below[first] |= column
                below[first].discard(first)
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

    def positions(self, pairs: Sequence[tuple[int, int]]) -> Integers:
        """Where entries stand in the columns; -1 - i for entry i of the diagonal."""
        found = []
        for a, b in pairs:
            i, j = max(a, b), min(a, b)
            begin, end = self.start[j], self.start[j + 1]
            found.append(-1 - i if i == j else int(begin + np.searchsorted(self.row[begin:end], i)))
        return np.array(found, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Structure:
    """Order of rows, places of speeds and rows in the elimination, and the factors of the whole and of G G^T.

    `rows[g]` is the number of the row that is taken as number g; `speed_place` and `row_place` say when each goes.
    """

    rows: tuple[int, ...]
    speed_place: Integers
    row_place: Integers
    whole: Elimination
    among_rows: Elimination

    @staticmethod
    def of(speeds: int, mass: Sequence[tuple[int, int]], rows: Sequence[Sequence[int]]) -> Structure:
        """`mass` are the entries of M, `rows` the speeds in each row; speeds of a tree come before what they carry."""
        closing: list[list[int]] = [[] for _ in range(speeds)]
        for k, entries in enumerate(rows):
            closing[min(entries, default=0)].append(k)
        order, place, speed_place, row_place = list[int](), 0, np.zeros(speeds, np.int64), np.zeros(len(rows), np.int64)
        for j in range(speeds - 1, -1, -1):
            speed_place[j], place = place, place + 1
            for k in closing[j]:
                row_place[len(order)], place = place, place + 1
                order.append(k)
        pairs = [(int(speed_place[i]), int(speed_place[j])) for i, j in mass]
        pairs += [(int(row_place[g]), int(speed_place[j])) for g, k in enumerate(order) for j in rows[k]]
        touching: list[list[int]] = [[] for _ in range(speeds)]
        for g, k in enumerate(order):
            for j in rows[k]:
                touching[j].append(g)
        meeting = {(a, b) for several in touching for a in several for b in several if a < b}
        whole = Elimination.of(speeds + len(rows), pairs)
        return Structure(tuple(order), speed_place, row_place, whole, Elimination.of(len(rows), meeting))

    @property
    def operations(self) -> int:
        """Products of one solve, the choice of rows included."""
        return self.whole.operations + self.among_rows.operations
