"""Compiled detection: where events change sign on a step, and which guard has vanished. Loads numba."""

from __future__ import annotations

import math
from typing import Any

from dalembert.simulate.loop.layout import (
    BOUND,
    BOUNDS,
    DIRECTION,
    ENDS,
    EPS,
    EVENT,
    EVENT_INDEX,
    EVENT_ROOM,
    EVENT_T,
    EVENT_Y,
    EVENTED,
    EVENTS,
    GUARD,
    GUARD_FLOOR,
    GUARD_SCALE,
    GUARDS,
    INFO,
    MANY_TERMINAL,
    NEW_EVENT,
    NEW_GUARD,
    OLD_EVENT,
    OLD_GUARD,
    REAL,
    REMAINING,
    ROOT,
    SLOPES,
    STAGES,
    T_END,
    T_START,
    UNRESOLVED,
    Y_NEW,
    Y_TRY,
    N,
)
from dalembert.simulate.loop.pieces import far, settled, unroll
from dalembert.simulate.loop.step import (
    compiled,
    copy,
    doubles,
    evaluate,
    integers,
    larger,
    past,
    same_sign,
    smaller,
    state_at,
)

LEAST_PIECE, LEAST_SAMPLED = 2.0**-26, 2.0**-12
"""Part of a step in which two zeros of an event are one: where its square is rounding; of a Python function, whose
rounding nobody knows, where its fourth power is."""
MOST_PIECES, COARSE_PIECE = 20_000, 2.0**-10
"""Of a step; an event that asks for more is followed coarsely, which is told."""
FEW_PIECES, ROUGH_PIECE = 64, 2.0**-5
"""Of every later step, once that is told: such events (loads of friction) ask for as many in each."""
POLE = 8.0
"""Growth within the shortest piece from its ends to where the sign changes: what jumps stays, what has a pole grows."""
NEARER, GROWN = 1.0 / 16.0, 2.0
"""So near to the change of sign, in parts of the way from an end of the piece, a pole of any order down to a quarter is
grown by so much from that end on, even where the other end of the piece lies on the pole but for rounding."""


@compiled
def quiet(m: Any, t: float, y: Any, h: float) -> bool:
    """Is it plain without dense output, whose slopes are yet to be made, that no event happens on this step?"""
    old, new = doubles(m[OLD_EVENT]), doubles(m[NEW_EVENT])
    if m[BOUNDS] == 0 or m[SLOPES] == m[STAGES] + 1 or not far(m, t, y, h):
        return False
    evaluate(m, m[EVENT], t + h, doubles(m[Y_NEW]), new)
    for j in range(m[EVENTS]):
        if not same_sign(old[j], new[j]):
            return False
    copy(m[EVENTS], new, old)
    return True


@compiled
def _root(m: Any, t: float, y: Any, h: float, j: int, a: float, fa: float, b: float, fb: float) -> float:
    """Chandrupatla's root of event j on the dense output: inverse quadratic where it is safe, halving elsewhere."""
    y_try, value = doubles(m[Y_TRY]), doubles(m[ROOT])
    portion, best = 0.5, b
    for _ in range(100):
        x = a + portion * (b - a)
        state_at(m, t, y, h, x, y_try)
        evaluate(m, m[EVENT], t + x * h, y_try, value)
        fx = value[j]
        c, fc = a, fa
        if (fx > 0.0) != (fa > 0.0):
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, f_best = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        room = EPS * (abs(best) + 0.5) / abs(b - a) if b != a else 1.0
        if f_best == 0.0 or room > 0.5:
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        portion = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            portion = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        portion = smaller(1.0 - room, larger(room, portion))
    return best


@compiled
def _record(m: Any, first: int, j: int, when: float, y: Any, sense: float) -> None:
    """Insert an event among those of the same stretch, kept in order of time."""
    n, time, index, states = m[N], doubles(m[EVENT_T]), integers(m[EVENT_INDEX]), doubles(m[EVENT_Y])
    place = m[EVENTED]
    while place > first and (time[place - 1] - when) * sense > 0.0:
        time[place], index[place] = time[place - 1], index[place - 1]
        copy(n, past(states, n * (place - 1)), past(states, n * place))
        place -= 1
    time[place], index[place] = when, j
    copy(n, y, past(states, n * place))
    m[EVENTED] += 1


@compiled
def _near(m: Any, t: float) -> float:
    """Times closer than this are the same instant."""
    real = doubles(m[REAL])
    return 16.0 * EPS * larger(larger(abs(real[T_START]), abs(t)), abs(real[T_END] - real[T_START]))


@compiled
def _grows(m: Any, t: float, y: Any, h: float, j: int, end: float, x: float, at_end: float, at_root: float) -> bool:
    """Does event j grow from an end of the piece to where its sign changes, as by a pole?"""
    y_try, value = doubles(m[Y_TRY]), doubles(m[ROOT])
    near = x + NEARER * (end - x)
    state_at(m, t, y, h, near, y_try)
    evaluate(m, m[EVENT], t + near * h, y_try, value)
    return GROWN * abs(at_end) < abs(value[j]) <= abs(at_root)


@compiled
def _recorded(m: Any, t: float, y: Any, h: float, a: float, b: float) -> bool:
    """Record the zeros on a piece of the step, at most one of each event; False if one has no value at its end."""
    y_try, direction, begin = doubles(m[Y_TRY]), doubles(m[DIRECTION]), doubles(m[REAL])[T_START]
    old, new, root, first = doubles(m[OLD_EVENT]), doubles(m[NEW_EVENT]), doubles(m[ROOT]), m[EVENTED]
    if b < 1.0:
        state_at(m, t, y, h, b, y_try)
        evaluate(m, m[EVENT], t + b * h, y_try, new)
    else:
        evaluate(m, m[EVENT], t + h, doubles(m[Y_NEW]), new)
    end = doubles(m[REAL])[T_END]
    last = b == 1.0 and abs(t + h - end) <= 2.0 * EPS * abs(end)  # h = end - t is rounded
    for j in range(m[EVENTS]):
        before, after = old[j], new[j]
        if math.isnan(after):
            m[INFO] = j
            return False
        if math.isinf(after):
            old[j] = 0.0  # the piece ends on a pole, which has no sign
            continue
        if m[BOUNDS] != 0 and abs(after) <= doubles(m[BOUND])[4 * m[EVENTS] + j]:
            after = 0.0  # what rounding may have made of zero has no sign
            if not last:
                continue
        old[j] = after
        if before == 0.0 or math.isinf(before) or same_sign(before, after) or direction[j] * before > 0.0:
            continue
        x = b if after == 0.0 else _root(m, t, y, h, j, a, before, b, after)
        when = t + x * h
        if abs(when - begin) <= _near(m, begin):
            continue  # the start lies on the event: the motion leaves it, it does not reach it
        state_at(m, t, y, h, x, y_try)
        evaluate(m, m[EVENT], when, y_try, root)
        size = abs(root[j])
        if after != 0.0 and not (size <= POLE * larger(abs(before), abs(after))):
            continue  # the sign changes through infinity
        if (
            after != 0.0
            and size > smaller(abs(before), abs(after))
            and (_grows(m, t, y, h, j, a, x, before, size) or _grows(m, t, y, h, j, b, x, after, size))
        ):
            continue
        state_at(m, t, y, h, x, y_try)
        _record(m, first, j, when, y_try, h)
    return True


@compiled
def _counted(m: Any, j: int) -> bool:
    """One event j more: does it end the motion?"""
    remaining = integers(m[REMAINING])
    if remaining[j] == 0:
        return False
    remaining[j] -= 1
    return remaining[j] == 0


@compiled
def _ended(m: Any, first: int) -> bool:
    """Count the events from `first` on; the first that ends the motion keeps those of the same instant beside it."""
    n, time, index, states = m[N], doubles(m[EVENT_T]), integers(m[EVENT_INDEX]), doubles(m[EVENT_Y])
    for place in range(first, m[EVENTED]):
        if not _counted(m, index[place]):
            continue
        last = place + 1
        while last < m[EVENTED] and abs(time[last] - time[place]) <= _near(m, time[place]):
            _counted(m, index[last])
            time[last] = time[place]
            copy(n, past(states, n * place), past(states, n * last))
            last += 1
        m[EVENTED], m[INFO] = last, index[place]
        return True
    return False


@compiled
def crossings(m: Any, t: float, y: Any, h: float) -> float:
    """Record the events of a step in order of time, on pieces short enough to have one zero of each event at most.

    Returns the part of the step that is done: 1 for all of it, less if there is no room for more events; 2 if a
    terminal event ends it, -1 if an event has no value.
    """
    ends, depth, a, tried = doubles(m[ENDS]), 0, 0.0, 0
    most, coarse = MOST_PIECES, COARSE_PIECE
    if m[UNRESOLVED] != 0:
        most, coarse = FEW_PIECES, ROUGH_PIECE
    unroll(m, y)
    ends[0] = 1.0
    while depth >= 0:
        if m[EVENT_ROOM] - m[EVENTED] < m[EVENTS]:
            return a
        b = ends[depth]
        tried += 1
        least = LEAST_PIECE if m[BOUNDS] != 0 else LEAST_SAMPLED
        if tried > most:
            least, m[UNRESOLVED] = coarse, 1
        if b - a > least and not settled(m, t, y, h, a, b):
            depth += 1
            ends[depth] = 0.5 * (a + b)
            continue
        first = m[EVENTED]
        if not _recorded(m, t, y, h, a, b):
            return -1.0
        if _ended(m, first):
            return 2.0
        if m[MANY_TERMINAL] != 0:
            m[EVENTED] = first  # of many motions only the end is told
        a = b
        depth -= 1
    return 1.0


@compiled
def guarded(m: Any, t: float, y: Any) -> int:
    """Index of the guard that vanishes or changes sign at this state, or -1."""
    if m[GUARDS] == 0:
        return -1
    evaluate(m, m[GUARD], t, y, doubles(m[NEW_GUARD]))
    return vanished(m)


@compiled
def vanished(m: Any) -> int:
    """The same of values that are there; a scale of zero marks the first call."""
    old, new, scale = doubles(m[OLD_GUARD]), doubles(m[NEW_GUARD]), doubles(m[GUARD_SCALE])
    for j in range(m[GUARDS]):
        size = abs(new[j])
        if scale[j] == 0.0:
            scale[j], old[j] = size, new[j]
        if not same_sign(old[j], new[j]) or size < GUARD_FLOOR * scale[j]:
            return j
        scale[j] = larger(size, scale[j])
    copy(m[GUARDS], new, old)
    return -1
