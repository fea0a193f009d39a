"""Speeds in as many independent ones as there are freedoms, in symbols: u = Psi v + rest, u' = Psi v' + bend.

The rows are taken apart into blocks that follow one after the other (Dulmage and Mendelsohn), each solved by Cramer's
rule: the only thing that may vanish is the determinant of a block, at a posture that is singular for these v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.rows import Rows
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr, Matrix

#: Operations of a minor up to which it is put in order: longer ones nobody reads.
_READ = 200
#: Speeds of a block that minors can solve: their number doubles with each.
_LARGEST = 10


@dataclass(frozen=True, slots=True)
class Elimination:
    """Psi (speeds by independent speeds), what speeds and accelerations are without v and v', and the determinants."""

    kept: tuple[int, ...]  # rows that were solved
    independent: tuple[int, ...]
    psi: Matrix
    rest: tuple[Expr, ...]  # u at v = 0: what time moves
    bend: tuple[Expr, ...]  # u' at v' = 0
    determinants: tuple[Expr, ...]
    sizes: tuple[Expr, ...]  # products of the lengths of their rows, to see how small a determinant is


def eliminate(rows: Rows, kept: Sequence[int], independent: Sequence[int], owner: str) -> Elimination:
    """Solve the rows `kept` for the speeds that are not independent, as many as rows."""
    n = rows.matrix.shape[1]
    dependent = [k for k in range(n) if k not in independent]
    table = [rows.matrix.rows()[k] for k in kept]
    wanted = [[-table[i][j] for j in independent] + [-rows.drift[k], _short(rows.gamma[k])] for i, k in enumerate(kept)]
    found: dict[int, list[Expr]] = {}
    determinants, sizes = list[Expr](), list[Expr]()
    for block_rows, columns in _blocks([[row[k] for k in dependent] for row in table]):
        if len(columns) > _LARGEST:
            raise ModelError(
                f"{len(columns)} speeds of '{owner}' follow from each other at once: their formulas would be too long "
                "to use. Take the equations with multipliers, which have none."
            )
        names = [dependent[c] for c in columns]
        block = [[table[i][k] for k in names] for i in block_rows]
        right = [
            [
                w - ex.dot_product([table[i][k] for k in found], [values[s] for values in found.values()])
                for s, w in enumerate(wanted[i])
            ]
            for i in block_rows
        ]
        solved, determinant = _cramer(block, right)
        determinants.append(determinant)
        size = ONE
        for row in block:
            size = size * ex.sqrt(ex.dot_product(row, row))
        sizes.append(size)
        found |= dict(zip(names, solved, strict=True))
    psi = [
        [ONE if k == j else ZERO for j in independent] if k in independent else found[k][: len(independent)]
        for k in range(n)
    ]
    last = [[ZERO, ZERO] if k in independent else found[k][len(independent) :] for k in range(n)]
    return Elimination(
        tuple(kept),
        tuple(independent),
        Matrix(psi, (n, len(independent))),
        tuple(x[0] for x in last),
        tuple(x[1] for x in last),
        tuple(determinants),
        tuple(sizes),
    )


def _blocks(matrix: Sequence[Sequence[Expr]]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of square blocks; each uses the columns of earlier blocks only."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    n = len(matrix)
    if not n:
        return []
    pattern = csr_matrix(np.array([[float(x is not ZERO) for x in row] for row in matrix]))
    own = maximum_bipartite_matching(pattern, perm_type="column")  # row -> its column
    place = {int(c): i for i, c in enumerate(own)}
    uses = [{place[j] for j, x in enumerate(row) if x is not ZERO} for row in matrix]
    graph = csr_matrix(np.array([[float(j in uses[i]) for j in range(n)] for i in range(n)]))
    count, label = connected_components(graph, directed=True, connection="strong")
    waiting = {c: {int(label[j]) for i in range(n) if label[i] == c for j in uses[i]} - {c} for c in range(count)}
    found, done = list[tuple[list[int], list[int]]](), set[int]()
    while len(done) < count:
        c = min(c for c in waiting if c not in done and waiting[c] <= done)
        members = [i for i in range(n) if label[i] == c]
        found.append((members, [int(own[i]) for i in members]))
        done.add(c)
    return found


def _cramer(block: list[list[Expr]], right: list[list[Expr]]) -> tuple[list[list[Expr]], Expr]:
    """x of block x = right for several right sides (columns of `right`), and the determinant."""
    n = len(block)

    @cache
    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> Expr:
        if not rows:
            return ONE
        total = ZERO
        for k, c in enumerate(columns):
            if block[rows[0]][c] is not ZERO:
                part = block[rows[0]][c] * minor(rows[1:], columns[:k] + columns[k + 1 :])
                total = total + part if k % 2 == 0 else total - part
        return total

    every = tuple(range(n))

    def replaced(column: int, values: Sequence[Expr]) -> Expr:
        """The determinant with one column replaced, by the cofactors of that column."""
        total = ZERO
        others = every[:column] + every[column + 1 :]
        for i, value in enumerate(values):
            if value is not ZERO:
                part = value * minor(every[:i] + every[i + 1 :], others)
                total = total + part if (i + column) % 2 == 0 else total - part
        return total

    determinant = _short(minor(every, every))
    columns = [[row[s] for row in right] for s in range(len(right[0]))]
    return [[_short(replaced(j, values)) / determinant for values in columns] for j in every], determinant


def _short(e: Expr) -> Expr:
    """Sines of sums seen, in formulas that a person reads."""
    return ex.tidy(e) if ex.count_operations([e]) <= _READ else e
