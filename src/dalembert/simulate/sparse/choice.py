"""Compiled choice of the rows that count, and the columns of a sparse elimination. Loads numba, as `kernel` does."""

from __future__ import annotations

import math
from typing import Any

from dalembert.constraints.independence import TOLD_APART
from dalembert.simulate.loop.step import _call as call
from dalembert.simulate.loop.step import compiled, doubles, integers, past
from dalembert.simulate.sparse.layout import (
    FEWER,
    FEWER_KEPT,
    G_ROW,
    G_ROW_COLUMN,
    G_ROW_POSITION,
    G_ROW_START,
    G_START,
    MADE,
    MADE_SPEED,
    MADE_START,
    MAKE_FEWER,
    MATRIX,
    MATRIX_SPEED,
    MATRIX_START,
    MISSED,
    PATIENCE,
    ROUNDING,
    ROWS,
    SCALES,
    SEEN,
    SEEN_SPEED,
    SEEN_START,
    TOUCHED,
    TOUCHED_ROW,
    TOUCHED_START,
    W_COLUMN,
    W_FOUND,
    W_G_DIAGONAL,
    W_G_FACTOR,
    W_KEPT,
    W_LEFT,
    W_NOISE,
    W_NUMBERS,
)

#: How much longer the next block of fewer rows is waited for: where rows come and go, few are made.
_LONGER = 4


@compiled
def left_of(k: int, lines: Any, column: Any, position: Any, x: Any, d: Any) -> float:
    """What is left of row k beside those before it that count, squared."""
    pivot = d[k]
    for e in range(lines[k], lines[k + 1]):
        own = x[position[e]]
        pivot -= own * (own * d[column[e]]) if d[column[e]] != 0.0 else 0.0
    return pivot


@compiled
def keep_column(
    k: int, start: Any, row: Any, lines: Any, column: Any, position: Any, x: Any, d: Any, work: Any
) -> None:
    """Column k of the factor, from that of G G^T in `work`; its pivot is known."""
    for e in range(lines[k], lines[k + 1]):
        j, at = column[e], position[e]
        if d[j] != 0.0 and x[at] != 0.0:
            share = x[at] * d[j]
            for q in range(at + 1, start[j + 1]):
                work[row[q]] -= x[q] * share
    inverse = 1.0 / d[k]
    for q in range(start[k], start[k + 1]):
        x[q] = work[row[q]] * inverse


@compiled
def combined(k: int, lines: Any, column: Any, position: Any, x: Any, d: Any, noise: Any, taken: Any) -> float:
    """What is unsure in what is left of row k: row k of the inverse of the factor says which rows as given that is."""
    for j in range(k):
        taken[j] = 0.0
    taken[k], total = 1.0, 0.0
    for j in range(k, -1, -1):
        if taken[j] != 0.0:
            total += taken[j] * taken[j] * noise[j]
            for e in range(lines[j], lines[j + 1]):
                if d[column[e]] != 0.0:
                    taken[column[e]] -= taken[j] * x[position[e]]
    return total


@compiled
def counted(m: Any, w: Any) -> Any:
    """Find which rows count, and the block of fewer rows where it is made for them.

    Mostly the same rows count as last time. Rows that did not are looked at and found to be nothing new; where that is
    so, nothing of theirs is carried along, and no digit changes. Where it is not, all is chosen from the start.
    """
    if m[FEWER] != 0:
        fewer = integers(m[FEWER])
        if choose(fewer, w) >= 0:
            return fewer
    choose(m, w)
    m[MISSED] += 1
    if m[MISSED] >= m[PATIENCE]:
        m[MISSED], m[PATIENCE] = 0, _LONGER * m[PATIENCE]
        kept = past(w, m[W_KEPT])
        call(m[MAKE_FEWER], kept, kept, kept, kept)
    return m


@compiled
def choose(m: Any, w: Any) -> int:
    """Which rows count, by the rule of `constraints.independence`: 1 or 0 in KEPT; returns how many do.

    It is -1 for a block of fewer rows, if others count.

    Of G G^T in units of angles, row k keeps d_k, the square of what is left of it beside the rows before it that
    count; rounding of such squares is far below what a row must stand out of. What is unsure in it is no less than what
    is unsure in the row, and no more than sizes add up to; only where these do not decide it is found from all rows
    below, and the sizes start anew from there: a tower of loops costs what its height does, not its square.
    """
    count, numbers = m[ROWS], past(w, m[W_NUMBERS])
    start, row = integers(m[G_START]), integers(m[G_ROW])
    lines, column, position = integers(m[G_ROW_START]), integers(m[G_ROW_COLUMN]), integers(m[G_ROW_POSITION])
    x, d, work = past(w, m[W_G_FACTOR]), past(w, m[W_G_DIAGONAL]), past(w, m[W_COLUMN])
    noise, kept = past(w, m[W_NOISE]), past(w, m[W_KEPT])
    scales, rounding = past(numbers, m[SCALES]), doubles(m[ROUNDING])
    matrix, begin, speed = past(numbers, m[MATRIX]), integers(m[MATRIX_START]), integers(m[MATRIX_SPEED])
    made, made_start, made_speed = past(numbers, m[MADE]), integers(m[MADE_START]), integers(m[MADE_SPEED])
    seen, seen_start, seen_speed = past(numbers, m[SEEN]), integers(m[SEEN_START]), integers(m[SEEN_SPEED])
    touched_start = integers(m[TOUCHED_START])
    touched, touched_row = integers(m[TOUCHED]), integers(m[TOUCHED_ROW])
    for k in range(count):
        d[k] = 0.0
        for e in range(begin[k], begin[k + 1]):
            scale = scales[speed[e]]
            d[k] += matrix[e] * (matrix[e] / (scale * scale))
        rounded, total = 0.0, 0.0
        for e in range(made_start[k], made_start[k + 1]):
            rounded += made[e] / scales[made_speed[e]]
        for e in range(seen_start[k], seen_start[k + 1]):
            total += seen[e] / (scales[seen_speed[e]] * scales[seen_speed[e]])
        noise[k] = (rounding[k] * rounded) ** 2 + TOLD_APART**2 * total
    found, taken, bound = 0, past(w, m[W_LEFT]), past(w, m[W_FOUND])
    fewer, expected = m[FEWER_KEPT] != 0, doubles(m[FEWER_KEPT])
    for k in range(count):
        left, most = left_of(k, lines, column, position, x, d), 0.0
        for e in range(lines[k], lines[k + 1]):
            if d[column[e]] != 0.0:
                most += abs(x[position[e]]) * math.sqrt(bound[column[e]])
        bound[k] = noise[k] + most * most
        if noise[k] < left <= bound[k]:
            bound[k] = combined(k, lines, column, position, x, d, noise, taken)
        kept[k] = 1.0 if left > bound[k] else 0.0
        if fewer and kept[k] != expected[k]:
            return -1
        d[k] = left if left > bound[k] else 0.0
        if not left > bound[k]:  # nothing is taken off others by it
            continue
        found += 1
        for q in range(start[k], start[k + 1]):
            work[row[q]] = 0.0
        for e in range(begin[k], begin[k + 1]):
            scale = scales[speed[e]]
            moved, a = matrix[e] / (scale * scale), touched_start[speed[e] + 1] - 1
            while touched_row[a] > k:
                work[touched_row[a]] += matrix[touched[a]] * moved
                a -= 1
        keep_column(k, start, row, lines, column, position, x, d, work)
    return found
