"""Time steps of many free bodies with contacts, all in machine code. Compiled by numba.

    M (v+ - v) = h F + G^T P,    0 <= u_n+ + max(f, 0) / h  orth  P_n >= 0,    Coulomb's law on u_t+

A contact that would be crossed within the step and bounces has e u_n- in place of f / h. Bodies near others go on with
v+, so that gaps of balls stay positive to the accuracy of the impulses; bodies alone go on with the mean of v and v+,
which is exact in free fall.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import entry, native
from dalembert.contact.crowd.data import DONE, PAIRS, ROOM, SHIFT
from dalembert.contact.crowd.pairs import place_shapes
from dalembert.contact.crowd.rates import push, rate, twist
from dalembert.contact.crowd.sweeps import islands_of, lift, rows_of, sweep_island
from dalembert.contact.crowd.touch import touch
from dalembert.contact.crowd.turning import place_body, turn_by, turn_freely

_AHEAD = 2.0
"""Contacts are looked for this many times further than the fastest body goes in a step: impulses may hasten others."""
_INSIDE, _BACK = 1e-9, 1e-10
"""Gap below which bodies are brought back, and to what accuracy, as shares of the smallest shape: what is left of
turning boxes after linear rows; balls need none of it."""
_NEAR = 0.5
"""A contact is that of the last step if its point has moved less than this share of the smallest shape."""


@native
def _contacts(keys, made, shapes, reach, rows, out, room):  # type: ignore[no-untyped-def]
    """Points and owners (keys of pairs) of all contacts within reach; how many, or -1 for lack of room."""
    count = 0
    for m in range(made):
        i, j = keys[m] >> SHIFT, keys[m] & ((1 << SHIFT) - 1)
        found = touch(i, j, shapes.kinds, shapes.sizes, shapes.place, shapes.axes, reach, out, room)
        if count + found > len(rows.owners):
            return -1
        for k in range(found):
            for c in range(7):
                rows.points[count, c] = out[k, c]
            rows.owners[count] = keys[m]
            rows.first[count], rows.second[count] = shapes.body[i], shapes.body[j]
            rows.group[count] = shapes.group[i]
            count += 1
    return count


@entry
def look(shapes, bodies, keys, made, reach, rows, out, room):  # type: ignore[no-untyped-def]
    """Contacts within reach where bodies are now; how many, or -1 for lack of room."""
    for k in range(len(bodies.x)):
        place_body(k, bodies)
    place_shapes(shapes.body, shapes.local, shapes.turned, bodies.x, bodies.turns, shapes.place, shapes.axes)
    return _contacts(keys, made, shapes, reach, rows, out, room)


@native
def _warm(count, rows, old_count, old, far):  # type: ignore[no-untyped-def]
    """Impulses of the last step, by pair and nearest point, in the new directions."""
    k = 0
    for c in range(count):
        while k < old_count and old.owners[k] < rows.owners[c]:
            k += 1
        best, near, m = far * far, -1, k
        while m < old_count and old.owners[m] == rows.owners[c]:
            s = 0.0
            for i in range(3, 6):
                s += (rows.points[c, i] - old.points[m, i]) ** 2
            if s < best:
                best, near = s, m
            m += 1
        for i in range(6):
            rows.p[c, i] = 0.0
        if near >= 0:
            for i in range(3):
                for m in range(3):
                    rows.p[c, i] += rows.d[c, i, m] * old.made[near, m]
                    rows.p[c, 3 + i] += rows.d[c, i, m] * old.made[near, 3 + m]
            if rows.p[c, 0] <= 0:
                for i in range(6):
                    rows.p[c, i] = 0.0


@entry
def advance(  # type: ignore[no-untyped-def]
    step,
    steps,
    h,
    gravity,
    shapes,
    bodies,
    laws,
    keys,
    made,
    listed,
    rows,
    old_count,
    old,
    tolerance,
    most,
    told,
    out,
    room,
    small,
    work,
):
    """Make steps from number `step`; bodies change in place, `told` gets a row for each step.

    Returns why it ends, the next step, how many contacts the last one had (they are in `rows` after an even number of
    steps of this call, else in `old`), and how far contacts are looked for. `small` is the size of the smallest shape.
    """
    total, all_ = len(bodies.x), len(shapes.kinds)
    pull = math.sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    reach = 0.0
    while step < steps:
        fastest = 0.0
        for k in range(total):
            place_body(k, bodies)
        place_shapes(shapes.body, shapes.local, shapes.turned, bodies.x, bodies.turns, shapes.place, shapes.axes)
        away = 0.0
        for k in range(all_):
            if shapes.moves[k]:
                b, v = shapes.body[k], bodies.v
                arm = 0.0
                for i in range(3):
                    arm += shapes.local[k, i] ** 2
                    away = max(away, abs(shapes.place[k, i] - shapes.seen[k, i]))
                arm = math.sqrt(arm) + (0.0 if shapes.kinds[k] == 0 else shapes.radius[k])
                s = math.sqrt(v[b, 0] ** 2 + v[b, 1] ** 2 + v[b, 2] ** 2)
                fastest = max(fastest, s + arm * math.sqrt(v[b, 3] ** 2 + v[b, 4] ** 2 + v[b, 5] ** 2))
        reach = _AHEAD * h * (fastest + pull * h)
        if not 2 * math.sqrt(3.0) * away + reach <= listed:
            return PAIRS, step, old_count, reach
        count = _contacts(keys, made, shapes, reach, rows, out, room)
        if count < 0:
            return ROOM, step, old_count, reach
        deepest = math.inf
        for c in range(count):
            deepest = min(deepest, rows.points[c, 6])
        rows_of(count, rows, bodies)
        if deepest < -_INSIDE * small:
            lift(count, rows, bodies, most, _BACK * small)
            for k in range(total):
                for i in range(3):
                    bodies.x[k, i] += bodies.along[k, i]
                turn_by(k, bodies.along[k, 3], bodies.along[k, 4], bodies.along[k, 5], bodies.q)
        for k in range(total):
            bodies.touched[k] = False
            for i in range(6):
                bodies.last[k, i] = bodies.v[k, i]
        for c in range(count):
            a, b = rows.first[c], rows.second[c]
            bodies.touched[a] = bodies.touched[b] = True
            u, e, gap = rate(c, 0, a, b, bodies.v, rows), laws.restitution[rows.group[c]], max(rows.points[c, 6], 0.0)
            rows.shift[c] = e * u if u < 0 and e > 0 and gap + h * u <= 0 else gap / h
        for k in range(total):
            if bodies.inverse_mass[k] > 0:
                for i in range(3):
                    bodies.v[k, i] += h * gravity[i]
        _warm(count, rows, old_count, old, _NEAR * small)
        for c in range(count):
            a, b, p = rows.first[c], rows.second[c], rows.p
            push(c, a, b, p[c, 0], p[c, 1], p[c, 2], bodies.v, bodies.inverse_mass, rows)
            if p[c, 3] != 0 or p[c, 4] != 0 or p[c, 5] != 0:
                twist(c, a, b, p[c, 3], p[c, 4], p[c, 5], bodies.v, rows, bodies)
        visits, longest, worst = 0, 0, 0.0
        for k in range(islands_of(count, rows, bodies)):
            swept, fault = sweep_island(k, rows, bodies, laws, tolerance, most, room, work)
            visits += swept * (rows.starts[k + 1] - rows.starts[k])
            longest, worst = max(longest, swept), max(worst, fault)
        pushing = 0
        for c in range(count):
            pushing += rows.p[c, 0] > 0
            for i in range(3):
                s, m = 0.0, 0.0
                for k in range(3):
                    s += rows.d[c, k, i] * rows.p[c, k]
                    m += rows.d[c, k, i] * rows.p[c, 3 + k]
                rows.made[c, i], rows.made[c, 3 + i] = s, m
        for k in range(total):
            if bodies.inverse_mass[k] > 0:
                share = h if bodies.touched[k] else h / 2
                for i in range(3):
                    bodies.x[k, i] += share * bodies.v[k, i] + (h - share) * bodies.last[k, i]
                turn_freely(k, h, bodies.v[k, 3], bodies.v[k, 4], bodies.v[k, 5], bodies)
        told[step, 0], told[step, 1], told[step, 2], told[step, 3] = count, pushing, deepest, longest
        told[step, 4], told[step, 5], told[step, 6] = visits, worst, fastest
        rows, old, old_count = old, rows, count
        step += 1
    return DONE, step, old_count, reach
