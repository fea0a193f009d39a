"""Compiled pieces of the sparse solve. Loads numba: import this module only inside functions.

Everything hangs on `m`, the block of integers of `layout`, and on `w`, the working memory of one call.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.constraints.rows import EPSILON
from dalembert.simulate.loop.step import _call as call
from dalembert.simulate.loop.step import compiled, copy, doubles, integers, past
from dalembert.simulate.sparse.choice import counted
from dalembert.simulate.sparse.elimination import add, factor, size_of, solve, take_momenta
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
    MATRIX,
    MATRIX_SPEED,
    MATRIX_START,
    NUMBERS,
    OFFSET,
    OWN,
    OWN_PLACE,
    QUATERNIONS,
    REACH,
    RIGHT,
    ROUNDING,
    ROW_PLACE,
    ROWS,
    SPEED_PLACE,
    SPEEDS,
    W_ASKED,
    W_FOUND,
    W_KEPT,
    W_LEFT,
    W_MOVED,
    W_NUMBERS,
    W_SHIFT,
    W_STATE,
    W_STILL,
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
def remainder(m: Any, w: Any, x: Any, left: Any) -> None:
    """left <- asked - K x."""
    numbers, kept = past(w, m[W_NUMBERS]), past(w, m[W_KEPT])
    place, row_place = integers(m[SPEED_PLACE]), integers(m[ROW_PLACE])
    copy(m[SPEEDS] + m[ROWS], past(w, m[W_ASKED]), left)
    take_momenta(m, w, x, left)
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
def refined(m: Any, w: Any) -> float:
    """FOUND <- K^-1 ASKED, corrected until rounding is left; its size, or -1 where the factors are not good enough.

    A correction is measured by what is asked too: loads that rows hold at rest leave rounding of themselves.
    """
    size = m[SPEEDS] + m[ROWS]
    asked, found, left = past(w, m[W_ASKED]), past(w, m[W_FOUND]), past(w, m[W_LEFT])
    copy(size, asked, found)
    loads = solve(m, w, found)
    whole = size_of(m, w)
    most = max(whole, loads)
    last = _BAD * most
    for turn in range(_ROUNDS):
        remainder(m, w, found, left)
        solve(m, w, left)
        change = size_of(m, w)
        if not change <= last:
            return whole if turn > 0 and change < math.inf else -1.0
        add(size, 1.0, left, found)
        if change * _BAD <= _ENOUGH * most:  # what is left is a thousandth of it, or less
            break
        last = change
    return whole


@compiled
def least(m: Any, w: Any, table: int, sign: float, fresh: bool) -> float:
    """The smallest change of speeds that the rows ask for, of a table of theirs, in FOUND; its size, or -1.

    With factors of another state it is not corrected: those are good for a step that is much smaller than the last.
    """
    numbers, asked = past(w, m[W_NUMBERS]), past(w, m[W_ASKED])
    wanted, kept, row_place = past(numbers, m[table]), past(w, m[W_KEPT]), integers(m[ROW_PLACE])
    for k in range(m[SPEEDS] + m[ROWS]):
        asked[k] = 0.0
    for k in range(m[ROWS]):
        asked[row_place[k]] = sign * wanted[k] * kept[k]
    if fresh:
        return refined(m, w)
    copy(m[SPEEDS] + m[ROWS], asked, past(w, m[W_FOUND]))
    solve(m, w, past(w, m[W_FOUND]))
    return size_of(m, w)


@compiled
def rates(m: Any, w: Any, t: Any, y: Any, p: Any, out: Any) -> bool:
    """The rates of a state."""
    n, count, numbers = m[SPEEDS], m[COORDINATES], past(w, m[W_NUMBERS])
    call(m[NUMBERS], t, y, p, numbers)
    m = counted(m, w)
    if not factor(m, w):
        return False
    asked, found, place = past(w, m[W_ASKED]), past(w, m[W_FOUND]), integers(m[SPEED_PLACE])
    right, gamma = past(numbers, m[RIGHT]), past(numbers, m[GAMMA])
    kept, row_place = past(w, m[W_KEPT]), integers(m[ROW_PLACE])
    for j in range(n):
        asked[place[j]] = right[j]
    for k in range(m[ROWS]):
        asked[row_place[k]] = gamma[k] * kept[k]
    if refined(m, w) < 0.0:
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
    stale, last_gap, last_speed, whole = True, math.inf, math.inf, m
    for _ in range(_REPEATS):
        call(m[NUMBERS], t, y, p, numbers)
        if stale:
            m = counted(whole, w)
            if not factor(m, w):
                return False
        gap = least(m, w, GAP, -1.0, stale)
        if gap < 0.0:
            return False
        for j in range(n):
            shift[j] = found[place[j]]
        speed = least(m, w, CONDITIONS, -1.0, stale)
        if speed < 0.0:
            return False
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
def count_rows(m: Any, w: Any, t: Any, y: Any, p: Any, out: Any) -> None:
    """Which rows count at a state: 1 or 0 for each."""
    call(m[NUMBERS], t, y, p, past(w, m[W_NUMBERS]))
    counted(m, w)
    copy(m[ROWS], past(w, m[W_KEPT]), out)
