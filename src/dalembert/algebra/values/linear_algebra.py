"""Small dense matrices over any field whose elements know + - * /: lists of rows, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

Rows = list[list[Any]]


def multiply_rows(a: Rows, b: Rows) -> Rows:
    columns = list(zip(*b))
    return [[_total([x * y for x, y in zip(row, column)]) for column in columns] for row in a]


def _total(values: Sequence[Any]) -> Any:
    result = values[0]
    for v in values[1:]:
        result = result + v
    return result


def transpose_rows(a: Rows) -> Rows:
    return [list(column) for column in zip(*a)]


def identity_rows(size: int, zero: Any, one: Any) -> Rows:
    return [[one if i == j else zero for j in range(size)] for i in range(size)]


def determinant(a: Rows) -> Any:
    """Expansion by minors, each computed once: exact in any commutative ring, no division."""
    size = len(a)
    minors: dict[tuple[int, ...], Any] = {(j,): a[size - 1][j] for j in range(size)}
    for i in range(size - 2, -1, -1):
        wider: dict[tuple[int, ...], Any] = {}
        for columns in combinations(range(size), size - i):
            parts = []
            for k, j in enumerate(columns):
                part = a[i][j] * minors[columns[:k] + columns[k + 1 :]]
                parts.append(part if k % 2 == 0 else -part)
            wider[columns] = _total(parts)
        minors = wider
    return minors[tuple(range(size))]


def inverse_rows(a: Rows, is_zero: Callable[[Any], bool], one: Any) -> Rows | None:
    """The inverse by elimination, or None if a pivot cannot be found."""
    size = len(a)
    zero = one - one
    work = [list(row) + [one if i == j else zero for j in range(size)] for i, row in enumerate(a)]
    for i in range(size):
        pivot = next((r for r in range(i, size) if not is_zero(work[r][i])), None)
        if pivot is None:
            return None
        work[i], work[pivot] = work[pivot], work[i]
        factor = one / work[i][i]
        work[i] = [x * factor for x in work[i]]
        for r in range(size):
            if r != i and not is_zero(work[r][i]):
                scale = work[r][i]
                work[r] = [x - scale * y for x, y in zip(work[r], work[i])]
    return [row[size:] for row in work]


def adjugate_inverse(a: Rows, one: Any) -> Rows:
    """The inverse by cofactors, for symbolic entries where no pivot test exists."""
    size = len(a)
    factor = one / determinant(a)
    if size == 1:
        return [[factor]]
    rows: Rows = []
    for i in range(size):
        row = []
        for j in range(size):
            minor = [r[:i] + r[i + 1 :] for k, r in enumerate(a) if k != j]
            value = determinant(minor)
            row.append((value if (i + j) % 2 == 0 else -value) * factor)
        rows.append(row)
    return rows


def solve_any(a: Rows, b: list[Any], free: Callable[[], Any], is_zero: Callable[[Any], bool]) -> list[Any] | None:
    """One solution of a x = b with the free unknowns drawn by `free`; None if there is none."""
    width = len(a[0])
    work = [[*list(row), rhs] for row, rhs in zip(a, b)]
    pivots: list[int] = []
    r = 0
    for j in range(width):
        pivot = next((k for k in range(r, len(work)) if not is_zero(work[k][j])), None)
        if pivot is None:
            continue
        work[r], work[pivot] = work[pivot], work[r]
        lead = work[r][j]
        work[r] = [x / lead for x in work[r]]
        for k in range(len(work)):
            if k != r:
                scale = work[k][j]
                work[k] = [x - scale * y for x, y in zip(work[k], work[r])]
        pivots.append(j)
        r += 1
        if r == len(work):
            break
    if any(not is_zero(row[-1]) for row in work[r:]):
        return None
    x = [None if j in pivots else free() for j in range(width)]
    for k, j in enumerate(pivots):
        value = work[k][-1]
        for i in range(width):
            if i not in pivots:
                value = value - work[k][i] * x[i]
        x[j] = value
    return x


# -- vectors and quaternions by components


def tilde_rows(v: Rows) -> Rows:
    (x,), (y,), (z,) = v
    o = x - x
    return [[o, -z, y], [z, o, -x], [-y, x, o]]


def cross_rows(a: Rows, b: Rows) -> Rows:
    return multiply_rows(tilde_rows(a), b)


def dot_rows(a: Rows, b: Rows) -> Any:
    return multiply_rows(transpose_rows(a), b)[0][0]


def hamilton(p: list[Any], q: list[Any]) -> list[Any]:
    """The product of two quaternions by components (the last line of the printed formula corrected)."""
    s1, x1, y1, z1 = p
    s2, x2, y2, z2 = q
    return [
        s1 * s2 - x1 * x2 - y1 * y2 - z1 * z2,
        s1 * x2 + s2 * x1 + y1 * z2 - y2 * z1,
        s1 * y2 + s2 * y1 + z1 * x2 - z2 * x1,
        s1 * z2 + s2 * z1 + x1 * y2 - x2 * y1,
    ]


def quaternion_matrix(q: list[Any]) -> Rows:
    """The matrix of v -> q v q^-1 (Papegay 846; 5213 prints its transpose with a wrong entry)."""
    a, b, c, d = q
    n = a * a + b * b + c * c + d * d
    rows = [
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]
    return [[x / n for x in row] for row in rows]


def quaternion_inverse(q: list[Any]) -> list[Any]:
    n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    return [q[0] / n, -q[1] / n, -q[2] / n, -q[3] / n]


def trace_rows(rows: Rows) -> Any:
    total = rows[0][0]
    for i in range(1, len(rows)):
        total = total + rows[i][i]
    return total
