"""Compiled choice of the rows that count, and the columns of a sparse elimination. Loads numba, as `kernel` does."""

from __future__ import annotations

import math
from typing import Any

from dalembert.constraints.independence import TOLD_APART
from dalembert.simulate.loop.step import compiled, doubles, integers, past
from dalembert.simulate.sparse.layout import (
    G_ROW,
    G_ROW_COLUMN,
    G_ROW_POSITION,
    G_ROW_START,
    G_START,
    MADE,
    MADE_SPEED,
    MADE_START,
    MATRIX,
    MATRIX_SPEED,
    MATRIX_START,
    ROUNDING,
    ROWS,
    SCALES,
    SEEN,
    SEEN_SPEED,
    SEEN_START,
    SPEEDS,
    W_COLUMN,
    W_FOUND,
    W_G_DIAGONAL,
    W_G_FACTOR,
    W_KEPT,
    W_LEFT,
    W_NOISE,
    W_NUMBERS,
    W_UNIT,
)


@compiled
def pivot_of(k: int, start: Any, row: Any, lines: Any, column: Any, position: Any, x: Any, d: Any, work: Any) -> float:
    """Take what columns before it hold off column k, which is left in `work`; returns its pivot.

    Columns that were left out have pivot zero.
    """
    for q in range(start[k], start[k + 1]):
        work[row[q]] = x[q]
    pivot = d[k]
    for e in range(lines[k], lines[k + 1]):
        j, at = column[e], position[e]
        if d[j] != 0.0 and x[at] != 0.0:
            share = x[at] * d[j]
            pivot -= x[at] * share
            for q in range(at + 1, start[j + 1]):
                work[row[q]] -= x[q] * share
    return pivot


@compiled
def keep_column(k: int, start: Any, row: Any, x: Any, d: Any, work: Any, pivot: float) -> None:
    """Column k of the factor; all zero for a pivot of zero."""
    d[k] = pivot
    inverse = 1.0 / pivot if pivot != 0.0 else 0.0
    for q in range(start[k], start[k + 1]):
        x[q] = work[row[q]] * inverse


@compiled
def combined(k: int, lines: Any, column: Any, position: Any, x: Any, noise: Any, taken: Any) -> float:
    """What is unsure in what is left of row k: row k of the inverse of the factor says which rows as given that is."""
    for j in range(k):
        taken[j] = 0.0
    taken[k], total = 1.0, 0.0
    for j in range(k, -1, -1):
        if taken[j] != 0.0:
            total += taken[j] * taken[j] * noise[j]
            for e in range(lines[j], lines[j + 1]):
                taken[column[e]] -= taken[j] * x[position[e]]
    return total


@compiled
def choose(m: Any, w: Any) -> int:
    """Which rows count, by the rule of `constraints.independence`: 1 or 0 in KEPT; returns how many do.

    Of G G^T in units of angles, row k keeps d_k, the square of what is left of it beside the rows before it that
    count; rounding of such squares is far below what a row must stand out of. What is unsure in it is no less than what
    is unsure in the row, and no more than sizes add up to; only where these do not decide it is found from all rows
    below, and the sizes start anew from there: a tower of loops costs what its height does, not its square.
    """
    count, numbers = m[ROWS], past(w, m[W_NUMBERS])
    start, row = integers(m[G_START]), integers(m[G_ROW])
    lines, column, position = integers(m[G_ROW_START]), integers(m[G_ROW_COLUMN]), integers(m[G_ROW_POSITION])
    x, d, work = past(w, m[W_G_FACTOR]), past(w, m[W_G_DIAGONAL]), past(w, m[W_COLUMN])
    noise, unit, kept = past(w, m[W_NOISE]), past(w, m[W_UNIT]), past(w, m[W_KEPT])
    scales, rounding = past(numbers, m[SCALES]), doubles(m[ROUNDING])
    matrix, begin, speed = past(numbers, m[MATRIX]), integers(m[MATRIX_START]), integers(m[MATRIX_SPEED])
    made, made_start, made_speed = past(numbers, m[MADE]), integers(m[MADE_START]), integers(m[MADE_SPEED])
    seen, seen_start, seen_speed = past(numbers, m[SEEN]), integers(m[SEEN_START]), integers(m[SEEN_SPEED])
    for j in range(m[SPEEDS]):
        unit[j] = 0.0
    for k in range(count):
        total = 0.0
        for e in range(begin[k], begin[k + 1]):
            scale = scales[speed[e]]
            unit[speed[e]] = matrix[e] / (scale * scale)
            total += matrix[e] * unit[speed[e]]
        d[k] = total
        for q in range(start[k], start[k + 1]):
            total = 0.0
            for e in range(begin[row[q]], begin[row[q] + 1]):
                total += matrix[e] * unit[speed[e]]
            x[q] = total
        for e in range(begin[k], begin[k + 1]):
            unit[speed[e]] = 0.0
        rounded, total = 0.0, 0.0
        for e in range(made_start[k], made_start[k + 1]):
            rounded += made[e] / scales[made_speed[e]]
        for e in range(seen_start[k], seen_start[k + 1]):
            total += seen[e] / (scales[seen_speed[e]] * scales[seen_speed[e]])
        noise[k] = (rounding[k] * rounded) ** 2 + TOLD_APART**2 * total
    found, taken, bound = 0, past(w, m[W_LEFT]), past(w, m[W_FOUND])
    for k in range(count):
        left, most = pivot_of(k, start, row, lines, column, position, x, d, work), 0.0
        for e in range(lines[k], lines[k + 1]):
            most += abs(x[position[e]]) * math.sqrt(bound[column[e]])
        bound[k] = noise[k] + most * most
        if noise[k] < left <= bound[k]:
            bound[k] = combined(k, lines, column, position, x, noise, taken)
        kept[k] = 1.0 if left > bound[k] else 0.0
        found += 1 if left > bound[k] else 0
        keep_column(k, start, row, x, d, work, left if left > bound[k] else 0.0)
    return found
