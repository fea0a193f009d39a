"""Compiled pieces of the sparse solve. Loads numba: import this module only inside functions.

Everything hangs on `m`, the block of integers of `layout`, and on `w`, the working memory of one call.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.constraints.rows import EPSILON
from dalembert.simulate.loop.step import _call as call
from dalembert.simulate.loop.step import compiled, copy, doubles, integers, past
from dalembert.simulate.sparse.choice import choose, keep_column, pivot_of
from dalembert.simulate.sparse.layout import (
    CONDITIONS,
    COORDINATES,
    DRIFT,
    GAMMA,
    GAP,
    GROUPS,
    KINEMATICS,
    MADE,
    MADE_SPEED,
    MADE_START,
    MASS,
    MASS_COUNT,
    MASS_I,
    MASS_J,
    MASS_TARGET,
    MATRIX,
    MATRIX_SPEED,
    MATRIX_START,
    MATRIX_TARGET,
    NUMBERS,
    OFFSET,
    OWN,
    OWN_PLACE,
    QUATERNIONS,
    REACH,
    RIGHT,
    ROUNDING,
    ROW,
    ROW_COLUMN,
    ROW_PLACE,
    ROW_POSITION,
    ROW_START,
    ROWS,
    SPEED_PLACE,
    SPEEDS,
    START,
    W_ASKED,
    W_COLUMN,
    W_DIAGONAL,
    W_FACTOR,
    W_FOUND,
    W_KEPT,
    W_LEFT,
    W_MOVED,
    W_NUMBERS,
    W_SHIFT,
    W_STATE,
    W_STILL,
    WHO,
)

_REPEATS = 8
"""Newton steps towards the constraints, at most: quadratic convergence needs four from any state of a step."""
_MUCH = 1e-3
"""A correction that is this part of the one before: factors of the state before are good enough for the next."""
_BAD = 1e-3
"""Factors whose first answer is off by more than this part are left: the solve by reflections takes over."""
_ENOUGH, _ROUNDS = 1e-15, 4
"""A correction that is this part of the answer is rounding; so many rounds get there, each by a thousandth or more."""


@compiled
def factor(m: Any, w: Any) -> bool:
    """L D L^T of masses and rows that count; False where a speed moves no mass."""
    size, numbers, kept = m[SPEEDS] + m[ROWS], past(w, m[W_NUMBERS]), past(w, m[W_KEPT])
    start, row, who = integers(m[START]), integers(m[ROW]), integers(m[WHO])
    lines, column, position = integers(m[ROW_START]), integers(m[ROW_COLUMN]), integers(m[ROW_POSITION])
    x, d, work = past(w, m[W_FACTOR]), past(w, m[W_DIAGONAL]), past(w, m[W_COLUMN])
    mass, target = past(numbers, m[MASS]), integers(m[MASS_TARGET])
    for q in range(start[size]):
        x[q] = 0.0
    for k in range(size):
        d[k] = 0.0
    for e in range(m[MASS_COUNT]):
        if target[e] < 0:
            d[-1 - target[e]] = mass[e]
        else:
            x[target[e]] = mass[e]
    matrix, begin, target = past(numbers, m[MATRIX]), integers(m[MATRIX_START]), integers(m[MATRIX_TARGET])
    for k in range(m[ROWS]):
        for e in range(begin[k], begin[k + 1]):
            x[target[e]] = matrix[e] * kept[k]
    for k in range(size):
        if who[k] >= 0 and kept[who[k]] == 0.0:  # its entries are zero, and nothing is to be taken off them
            d[k] = 0.0
            continue
        pivot = pivot_of(k, start, row, lines, column, position, x, d, work)
        if not (pivot > 0.0 if who[k] < 0 else pivot < 0.0):
            return False
        keep_column(k, start, row, x, d, work, pivot)
    return True


@compiled
def solve(m: Any, w: Any, x: Any) -> None:
    """Solve with the factors, in place, in the order of elimination."""
    size, start, row = m[SPEEDS] + m[ROWS], integers(m[START]), integers(m[ROW])
    factors, d = past(w, m[W_FACTOR]), past(w, m[W_DIAGONAL])
    for k in range(size):
        value = x[k]
        for q in range(start[k], start[k + 1]):
            x[row[q]] -= factors[q] * value
    for k in range(size - 1, -1, -1):
        value = x[k] / d[k] if d[k] != 0.0 else 0.0
        for q in range(start[k], start[k + 1]):
            value -= factors[q] * x[row[q]]
        x[k] = value if d[k] != 0.0 else 0.0


@compiled
def remainder(m: Any, w: Any, x: Any, left: Any) -> None:
    """left <- asked - K x."""
    numbers, kept = past(w, m[W_NUMBERS]), past(w, m[W_KEPT])
    place, row_place = integers(m[SPEED_PLACE]), integers(m[ROW_PLACE])
    copy(m[SPEEDS] + m[ROWS], past(w, m[W_ASKED]), left)
    mass, first, second = past(numbers, m[MASS]), integers(m[MASS_I]), integers(m[MASS_J])
    for e in range(m[MASS_COUNT]):
        i, j = place[first[e]], place[second[e]]
        left[i] -= mass[e] * x[j]
        if i != j:
            left[j] -= mass[e] * x[i]
    matrix, begin, speed = past(numbers, m[MATRIX]), integers(m[MATRIX_START]), integers(m[MATRIX_SPEED])
    for k in range(m[ROWS]):
        if kept[k] != 0.0:
            i = row_place[k]
            for e in range(begin[k], begin[k + 1]):
                j = place[speed[e]]
                left[i] -= matrix[e] * x[j]
                left[j] -= matrix[e] * x[i]
        else:
            left[row_place[k]] = 0.0


@compiled
def size_of(m: Any, w: Any, x: Any) -> float:
    """The size of the speeds in a solution, each by the mass that it moves."""
    numbers, place = past(w, m[W_NUMBERS]), integers(m[SPEED_PLACE])
    mass, first, second = past(numbers, m[MASS]), integers(m[MASS_I]), integers(m[MASS_J])
    total = 0.0
    for e in range(m[MASS_COUNT]):
        if first[e] == second[e]:
            value = x[place[first[e]]]
            total += mass[e] * value * value
    return math.sqrt(total)


@compiled
def refined(m: Any, w: Any) -> bool:
    """FOUND <- K^-1 ASKED, corrected until rounding is left; False where the factors are not good enough for it."""
    size = m[SPEEDS] + m[ROWS]
    asked, found, left = past(w, m[W_ASKED]), past(w, m[W_FOUND]), past(w, m[W_LEFT])
    copy(size, asked, found)
    solve(m, w, found)
    whole, last = size_of(m, w, found), 0.0
    for turn in range(_ROUNDS):
        remainder(m, w, found, left)
        solve(m, w, left)
        change = size_of(m, w, left)
        if not (change <= _BAD * whole if turn == 0 else change <= last):
            return turn > 0 and change < math.inf
        for k in range(size):
            found[k] += left[k]
        if change <= _ENOUGH * whole:
            break
        last = change
    return True


@compiled
def least(m: Any, w: Any, table: int, sign: float) -> bool:
    """The smallest change of speeds that the rows ask for: of a table of theirs, in FOUND."""
    numbers, asked = past(w, m[W_NUMBERS]), past(w, m[W_ASKED])
    wanted, kept, row_place = past(numbers, m[table]), past(w, m[W_KEPT]), integers(m[ROW_PLACE])
    for k in range(m[SPEEDS] + m[ROWS]):
        asked[k] = 0.0
    for k in range(m[ROWS]):
        asked[row_place[k]] = sign * wanted[k] * kept[k]
    return refined(m, w)


@compiled
def rates(m: Any, w: Any, t: Any, y: Any, p: Any, out: Any) -> bool:
    """The rates of a state."""
    n, count, numbers = m[SPEEDS], m[COORDINATES], past(w, m[W_NUMBERS])
    call(m[NUMBERS], t, y, p, numbers)
    choose(m, w)
    if not factor(m, w):
        return False
    asked, found, place = past(w, m[W_ASKED]), past(w, m[W_FOUND]), integers(m[SPEED_PLACE])
    right, gamma = past(numbers, m[RIGHT]), past(numbers, m[GAMMA])
    kept, row_place = past(w, m[W_KEPT]), integers(m[ROW_PLACE])
    for j in range(n):
        asked[place[j]] = right[j]
    for k in range(m[ROWS]):
        asked[row_place[k]] = gamma[k] * kept[k]
    if not refined(m, w):
        return False
    call(m[KINEMATICS], t, y, p, out)
    for j in range(n):
        out[count + j] = found[place[j]]
    return True


@compiled
def is_open(m: Any, w: Any, y: Any) -> bool:
    """Is a gap, or a speed that opens one, more than rounding of what it is made of? (`Dynamics.still_open`)"""
    numbers, own, rounding = past(w, m[W_NUMBERS]), integers(m[OWN_PLACE]), doubles(m[ROUNDING])
    gap, conditions = past(numbers, m[GAP]), past(numbers, m[CONDITIONS])
    reach, drift = past(numbers, m[REACH]), past(numbers, m[DRIFT])
    made, begin, speed = past(numbers, m[MADE]), integers(m[MADE_START]), integers(m[MADE_SPEED])
    for k in range(m[ROWS]):
        written, moved = 0.0, abs(drift[k])
        for e in range(begin[k], begin[k + 1]):
            j = speed[e]
            moved += made[e] * abs(y[m[COORDINATES] + j])
            if own[j] >= 0:
                written += made[e] * abs(y[own[j]])
        if gap[k] != 0.0 and abs(gap[k]) > rounding[k] * reach[k] + EPSILON * written:
            return True
        if abs(conditions[k]) > rounding[k] * moved:
            return True
    return False


@compiled
def project(m: Any, w: Any, t: Any, y: Any, p: Any) -> bool:
    """Newton steps towards the constraints, in place, as long as the state before the step was open.

    The factors of a step serve those after it, as long as these are much smaller.
    """
    n, count, numbers = m[SPEEDS], m[COORDINATES], past(w, m[W_NUMBERS])
    found, shift, place = past(w, m[W_FOUND]), past(w, m[W_SHIFT]), integers(m[SPEED_PLACE])
    state, moved, still = past(w, m[W_STATE]), past(w, m[W_MOVED]), past(w, m[W_STILL])
    offset, groups = past(numbers, m[OFFSET]), integers(m[GROUPS])
    stale, last_gap, last_speed = True, math.inf, math.inf
    for _ in range(_REPEATS):
        call(m[NUMBERS], t, y, p, numbers)
        if stale:
            choose(m, w)
            if not factor(m, w):
                return False
        if not least(m, w, GAP, -1.0):
            return False
        gap = size_of(m, w, found)
        for j in range(n):
            shift[j] = found[place[j]]
        if not least(m, w, CONDITIONS, -1.0):
            return False
        speed = size_of(m, w, found)
        open_before = is_open(m, w, y)
        stale = not (gap <= _MUCH * last_gap and speed <= _MUCH * last_speed)
        last_gap, last_speed = gap, speed
        copy(count, y, state)
        copy(n, shift, past(state, count))
        call(m[KINEMATICS], t, state, p, moved)
        for j in range(n):
            state[count + j] = 0.0
        call(m[KINEMATICS], t, state, p, still)
        for i in range(count):
            y[i] += moved[i] - still[i]
        for i in range(m[OWN]):
            y[count - m[OWN] + i] += offset[i]
        for j in range(n):
            y[count + j] += found[place[j]]
        for g in range(m[QUATERNIONS]):
            total = 0.0
            for i in range(4):
                total += y[groups[4 * g + i]] ** 2
            for i in range(4):
                y[groups[4 * g + i]] /= math.sqrt(total)
        if not open_before:
            break
    return True


@compiled
def count_rows(m: Any, w: Any, t: Any, y: Any, p: Any) -> int:
    """How many rows count at a state."""
    call(m[NUMBERS], t, y, p, past(w, m[W_NUMBERS]))
    return choose(m, w)
