"""Steps of Moreau and Jean in machine code, the same as `moreau_jean._Step`: what they cannot decide ends them."""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.few.linear import factor, solve
from dalembert.simulate.contact.step.data import ASK, COMBINED, DIRECT, DONE, NONE
from dalembert.simulate.contact.step.impulses import active_rows, impulses
from dalembert.simulate.contact.step.posture import at, closed, end_of, evaluate, rows_that_count

_PASSES, _ENOUGH, _SWEPT, _CLOSED = 20, 1e-13, 1e-8, 1e-15
"""As in `moreau_jean`."""
_PIVOT = 1e-13
"""Pivot of a small matrix, as a share of its largest entry, below which Python decides."""


@native
def advance(step, last, count, x, projection, plan, now, there, rubs, swept, room, y, pulses, works):  # type: ignore[no-untyped-def]
    """Steps from number `step` to `last` of `count` equal ones; states, impulses and their work in rows of the rest.

    Returns why it ends, and the next step. `room.y` is the state at its beginning.
    """
    begin, end, h, theta, gamma = x[0], x[1], x[2], x[3], x[4]
    first, n, k = step, len(room.rates), len(room.v)
    while step < last:
        t = begin + (end - begin) * (step / count)
        to = end if step + 1 == count else begin + (end - begin) * ((step + 1) / count)
        for i in range(k):
            room.v[i] = room.new[i] = room.y[n + i]
        at(t, room.y, plan, room, now)
        found = 0
        for i in range(len(now.gap)):
            if now.held[i] + gamma * h * now.rate[i] <= 0 and now.past[i] <= 0:
                room.active[found] = i
                found += 1
        rows = active_rows(found, now, plan, rubs, room)
        settled = False
        for number in range(_PASSES):
            _mean(theta, n, room)
            end_of(t, h, room.y, n, plan, room)
            for i in range(k):
                room.trial[n + i] = room.new[i]
            at(to, room.trial, plan, room, there)
            if not _free(to, h, theta, rows, now, there, plan, room):
                return ASK, step
            if projection == COMBINED and number == 0:
                for i in range(k):
                    room.trial[n + i] = theta * room.free[i] + (1 - theta) * room.v[i]
                end_of(t, h, room.y, n, plan, room)
                for i in range(k):
                    room.trial[n + i] = room.free[i]
                found = 0
                at(to, room.trial, plan, room, there)
                for i in range(len(now.gap)):
                    if there.gap[i] <= 0:
                        room.active[found] = i
                        found += 1
                rows = active_rows(found, now, plan, rubs, room)
                _mean(theta, n, room)
                end_of(t, h, room.y, n, plan, room)
                for i in range(k):
                    room.trial[n + i] = room.new[i]
                at(to, room.trial, plan, room, there)
                if not _free(to, h, theta, rows, now, there, plan, room):
                    return ASK, step
            if found:
                # a second try at the same rows must not see coefficients that were balanced by the first
                if number:
                    rows = active_rows(found, now, plan, rubs, room)
                if not impulses(found, rows, now, there, x[6], plan, rubs, swept, room):
                    return ASK, step
                for i in range(k):
                    for j in range(rows):
                        room.free[i] += room.columns[i, 1 + j] * room.pulses[j]
                _remember(found, len(now.gap), plan, room)
            change, all_, fine = 0.0, 0.0, True
            for i in range(k):
                a = b = c = d = 0.0
                for j in range(k):
                    mass = theta * there.mass[i, j] + (1 - theta) * now.mass[i, j]
                    a += mass * (room.free[j] - room.new[j])
                    b += mass * room.free[j]
                    c += mass * room.v[j]
                    d += mass * room.left[j]
                change += a * (room.free[i] - room.new[i])
                all_ += b * room.free[i] + c * room.v[i] + d * room.left[i]
                fine = fine and math.isfinite(room.free[i])
            for i in range(k):
                room.new[i] = room.free[i]
            if not fine:
                return ASK, step
            rubbing = 0
            for c in range(found):
                rubbing += plan.first[room.active[c] + 1] > plan.first[room.active[c]]
            if change <= (_ENOUGH if rubbing < 2 else _SWEPT) ** 2 * all_:
                settled = True
                break
        if not settled:
            return ASK, step
        _mean(theta, n, room)
        end_of(t, h, room.y, n, plan, room)
        row = step - first
        _tell(found, row, now, rubs, plan, room, pulses, works)
        for i in range(n):
            room.y[i] = room.trial[i]
        for i in range(k):
            room.y[n + i] = room.new[i]
        _project(to, found, projection, x[5], n, plan, rubs, room, there)
        for i in range(n + k):
            y[row, i] = room.y[i]
        step += 1
    return DONE, step


@native
def _mean(theta, n, room):  # type: ignore[no-untyped-def]
    for i in range(len(room.v)):
        room.trial[n + i] = theta * room.new[i] + (1 - theta) * room.v[i]


@native
def _free(t, h, theta, rows, now, there, plan, room):  # type: ignore[no-untyped-def]
    """Speeds with no impulses but those of constraints in `room.free`; A^-1 G^T beside them, and W; False if singular.

    The columns of `room.columns` are the residual, G^T of contacts, pushes of constraints, and what efforts do in the
    step alone, which goes to `room.left`: speeds at rest are small beside it.
    """
    k, columns, matrix = len(room.v), room.columns, room.matrix
    for i in range(k):
        s = -h * (theta * there.right[i] + (1 - theta) * now.right[i])
        columns[i, len(columns[0]) - 1] = s
        for j in range(k):
            matrix[i, j] = theta * there.mass[i, j] + (1 - theta) * now.mass[i, j]
            s += matrix[i, j] * (room.new[j] - room.v[j])
        columns[i, 0] = s
        for j in range(rows):
            columns[i, 1 + j] = room.rows[j, i]
    if plan.code[2]:
        evaluate(plan.code[2], t, room.trial, plan, room, room.slopes)
        for i in range(k):
            for j in range(k):
                matrix[i, j] -= h * theta * room.slopes[i * k + j]
                matrix[i, j] -= (h * theta) ** 2 * room.slopes[k * k + i * k + j]
    held = rows_that_count(there, plan, room) if len(plan.rounding) else 0
    for i in range(k):
        for j in range(held):
            row = room.kept[j]
            columns[i, 1 + rows + j] = theta * there.pushes[row, i] + (1 - theta) * now.pushes[row, i]
    if factor(matrix, k, room.order) == 0:
        return False
    for i in range(k):
        columns[i, 1 + rows + held] = columns[i, len(columns[0]) - 1]
    solve(matrix, k, room.order, columns, 2 + rows + held)
    for i in range(k):
        room.free[i], room.left[i] = room.new[i] - columns[i, 0], columns[i, 1 + rows + held]
    if held and not _held(rows, held, there, room):
        return False
    for a in range(rows):
        for b in range(rows):
            s = 0.0
            for j in range(k):
                s += room.rows[a, j] * columns[j, 1 + b]
            room.w[a, b] = s
    return True


@native
def _held(rows, held, there, room):  # type: ignore[no-untyped-def]
    """Constraints take from the free speeds and from what contacts do what would break them."""
    k, columns, small, wide = len(room.v), room.columns, room.small, room.wide
    largest = 0.0
    for a in range(held):
        row = room.kept[a]
        for b in range(held):
            s = 0.0
            for j in range(k):
                s += there.matrix[row, j] * columns[j, 1 + rows + b]
            small[a, b] = s
            largest = max(largest, abs(s))
        s = there.conditions[row]
        for j in range(k):
            s += there.matrix[row, j] * (room.free[j] - room.new[j])
        wide[a, 0] = s
        for b in range(rows):
            s = 0.0
            for j in range(k):
                s += there.matrix[row, j] * columns[j, 1 + b]
            wide[a, 1 + b] = s
    if not factor(small, held, room.small_order) > _PIVOT * largest:
        return False
    solve(small, held, room.small_order, wide, 1 + rows)
    for i in range(k):
        for a in range(held):
            raised = columns[i, 1 + rows + a]
            room.free[i] -= raised * wide[a, 0]
            for b in range(rows):
                columns[i, 1 + b] -= raised * wide[a, 1 + b]
    return True


@native
def _remember(found, contacts, plan, room):  # type: ignore[no-untyped-def]
    """Impulses of this pass are the first guess of the next, where the same contacts take part."""
    for i in range(len(room.was)):
        room.was[i] = 0
    row = 0
    for c in range(found):
        i = room.active[c]
        room.was[i], room.last[i] = 1, room.pulses[row]
        row += 1
        for r in range(plan.first[i], plan.first[i + 1]):
            for place in range(plan.begin[r], plan.end[r]):
                room.last[contacts + place] = room.pulses[row]
                row += 1


@native
def _tell(found, row, now, rubs, plan, room, pulses, works):  # type: ignore[no-untyped-def]
    """Impulses of the step, and what they give to the machine with the mean of its speeds."""
    contacts = len(now.gap)
    for j in range(pulses.shape[1]):
        pulses[row, j] = 0.0
    for j in range(contacts):
        works[row, j] = 0.0
    for c in range(found):
        i, place = room.active[c], -1
        for r in range(rubs.starts[c], rubs.starts[c + 1]):
            s = 0.0
            for j in range(len(room.v)):
                s += room.rows[r, j] * (room.v[j] + room.new[j]) / 2
            works[row, i] += s * room.pulses[r]
            if place < 0:
                pulses[row, i] = room.pulses[r]
                place = contacts + (plan.begin[plan.first[i]] if plan.first[i + 1] > plan.first[i] else 0)
            else:
                pulses[row, place] = room.pulses[r]
                place += 1


@native
def _project(t, found, projection, tolerance, n, plan, rubs, room, tables):  # type: ignore[no-untyped-def]
    """Loops closed, and crossed contacts brought back as the method asks."""
    asked, largest = 0, 0.0
    if projection != NONE:
        at(t, room.y, plan, room, tables)
        for i in range(len(tables.gap)):
            share, pushing, taking = tables.gap[i] / plan.sizes[i], False, False
            for c in range(found):
                if room.active[c] == i:
                    taking, pushing = True, room.pulses[rubs.starts[c]] > 0
            crossed = share < -tolerance and (projection != DIRECT or taking)
            if crossed or (projection == COMBINED and pushing and abs(share) > tolerance):
                room.asked[asked] = i
                asked, largest = asked + 1, max(largest, plan.sizes[i])
    if asked or len(plan.rounding):
        closed(t, room.y, asked, n, _CLOSED * largest, plan, room, tables)
