"""Numbers of a machine at a state, the end of a step, rows that count, and the way back to closed gaps. Compiled."""

from __future__ import annotations

import math

from dalembert.constraints.independence import TOLD_APART
from dalembert.contact.crowd.compiled import native
from dalembert.contact.few.linear import factor, least_squares, solve
from dalembert.simulate.loop.step import _call, doubles

REPEATS = 8
"""Newton steps towards closed gaps, at most: as in `ContactMachine.projected`."""


@native
def evaluate(address, t, y, plan, room, out):  # type: ignore[no-untyped-def]
    """Call a compiled function of time, state and parameters."""
    room.time[0] = t
    _call(
        address,
        doubles(room.time.ctypes.data),
        doubles(y.ctypes.data),
        doubles(plan.parameters.ctypes.data),
        doubles(out.ctypes.data),
    )


@native
def at(t, y, plan, room, tables):  # type: ignore[no-untyped-def]
    """All tables at a state."""
    evaluate(plan.code[0], t, y, plan, room, room.flat)
    for k in range(len(plan.places)):
        if plan.places[k] >= 0:
            tables.whole[plan.places[k]] = room.flat[k]
    room.counts[0] += 1


@native
def flow(t, y, plan, room, out):  # type: ignore[no-untyped-def]
    """q' at a state."""
    evaluate(plan.code[1], t, y, plan, room, out)


@native
def end_of(t, h, y, n, plan, room):  # type: ignore[no-untyped-def]
    """In `room.trial`: q after a step of the mean speeds that stand there, by the midpoint rule."""
    trial, rates = room.trial, room.rates
    for i in range(n):
        trial[i] = y[i]
    flow(t, trial, plan, room, rates)
    for i in range(n):
        trial[i] = y[i] + h / 2 * rates[i]
    flow(t + h / 2, trial, plan, room, rates)
    for i in range(n):
        trial[i] = y[i] + h * rates[i]
    normalised(trial, plan)


@native
def normalised(y, plan):  # type: ignore[no-untyped-def]
    for g in range(len(plan.quaternions)):
        s = 0.0
        for i in range(4):
            s += y[plan.quaternions[g, i]] ** 2
        s = math.sqrt(s)
        for i in range(4):
            y[plan.quaternions[g, i]] /= s


@native
def rows_that_count(tables, plan, room):  # type: ignore[no-untyped-def]
    """Rows of constraints that are neither nothing nor a combination of others, by `RowNumbers`; how many."""
    total, n, count = len(plan.rounding), len(tables.right), 0
    basis, noises, made = room.basis, room.noises, room.made  # a row of the basis is made of rows as given
    for k in range(total):
        last = False
        for i in range(len(plan.imperfect)):
            last = last or plan.imperfect[i] == k
        if last:
            continue
        rounded, own = 0.0, 0.0
        for i in range(n):
            rounded += tables.made_of[k, i] / tables.scales[i]
            own += tables.seen[k, i] / tables.scales[i] ** 2
            basis[count, i] = tables.matrix[k, i] / tables.scales[i]
        own = (plan.rounding[k] * rounded) ** 2 + TOLD_APART**2 * own
        noises[count] = own
        for j in range(count):
            made[count, j] = 0.0
        for again in range(2):  # once more takes away what rounding left
            for j in range(count):
                s = 0.0
                for i in range(n):
                    s += basis[j, i] * basis[count, i]
                for i in range(n):
                    basis[count, i] -= s * basis[j, i]
                if again == 0:
                    for i in range(j + 1):
                        made[count, i] -= s * made[j, i]
        for j in range(count):
            own += made[count, j] ** 2 * noises[j]
        square = 0.0
        for i in range(n):
            square += basis[count, i] ** 2
        if square > own:
            for i in range(n):
                basis[count, i] /= math.sqrt(square)
            for j in range(count):
                made[count, j] /= math.sqrt(square)
            made[count, count] = 1.0 / math.sqrt(square)
            room.kept[count] = k
            count += 1
            if count == n:
                break
    for i in range(len(plan.imperfect)):
        room.kept[count] = plan.imperfect[i]
        count += 1
    return count


@native
def closed(t, y, asked, n, small, plan, room, tables):  # type: ignore[no-untyped-def]
    """The nearest posture, in the kinetic metric, whose loops are closed and whose `asked` first contacts touch."""
    k, before = len(tables.right), math.inf
    columns, tall = room.columns, room.tall
    for repeat in range(REPEATS):
        at(t, y, plan, room, tables)
        count = rows_that_count(tables, plan, room)
        worst, total = 0.0, count + asked
        for i in range(total):
            room.gaps[i] = -tables.closure[room.kept[i]] if i < count else -tables.held[room.asked[i - count]]
            worst = max(worst, abs(room.gaps[i]))
        if worst <= small or (repeat > 2 and worst > before / 2):
            return  # closed, or rounding is all that is left
        before = worst
        for i in range(k):
            for j in range(k):
                room.matrix[i, j] = tables.mass[i, j]
            for j in range(count):
                columns[i, j] = tables.matrix[room.kept[j], i]
            for j in range(asked):
                columns[i, count + j] = tables.normal[room.asked[j], i]
        if factor(room.matrix, k, room.order) == 0:
            return
        solve(room.matrix, k, room.order, columns, total)
        for i in range(total):
            for j in range(total):
                s = 0.0
                for m in range(k):
                    row = tables.matrix[room.kept[i], m] if i < count else tables.normal[room.asked[i - count], m]
                    s += row * columns[m, j]
                tall[i, j] = s
        least_squares(tall, total, total, room.gaps, room.shift, room.ordered, room.tau)
        for i in range(n):
            room.trial[i] = y[i]
        for i in range(k):
            room.trial[n + i] = 0.0
        flow(t, room.trial, plan, room, room.rest)
        for i in range(k):
            for j in range(total):
                room.trial[n + i] += columns[i, j] * room.shift[j]
        flow(t, room.trial, plan, room, room.rates)
        for i in range(n):
            y[i] += room.rates[i] - room.rest[i]
        own = len(tables.offset)
        for i in range(own):
            y[n - own + i] += tables.offset[i]
        normalised(y, plan)
