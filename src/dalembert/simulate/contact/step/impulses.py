"""The impulses of a step by the laws of its active contacts, in machine code."""

from __future__ import annotations

from dalembert.contact.crowd.compiled import native
from dalembert.contact.few.complementary import complementary
from dalembert.contact.few.rubbing import slide, sweeps

SWEEPS, GOOD = 200, 1e-10
"""Sweeps over the contacts of a step, and the fault at which they end, as those of `moreau_jean`. What they do not
settle is solved in Python."""


@native
def active_rows(count, now, plan, rubs, room):  # type: ignore[no-untyped-def]
    """Rows of the active contacts, each normal before its tangents, in `room.rows`, and their discs; how many."""
    n, m, discs = len(now.right), 0, 0
    for c in range(count):
        i = room.active[c]
        rubs.starts[c], rubs.first[c], rubs.slides[c] = m, discs, 0
        for k in range(n):
            room.rows[m, k] = now.normal[i, k]
        m += 1
        for r in range(plan.first[i], plan.first[i + 1]):
            rubs.begin[discs] = m
            for place in range(plan.begin[r], plan.end[r]):
                for k in range(n):
                    room.rows[m, k] = now.tangent[place, k]
                m += 1
            rubs.end[discs], rubs.mu[discs] = m, now.friction[r]
            if plan.slides[r]:
                rubs.slides[c] = plan.end[r] - plan.begin[r]
            discs += 1
    rubs.starts[count], rubs.first[count], rubs.count[0] = m, discs, count
    return m


@native
def impulses(count, m, now, there, tangential, plan, rubs, swept, room):  # type: ignore[no-untyped-def]
    """P in `room.pulses` for the Delassus matrix `room.w`; False where Python must decide."""
    n, right, pulses = len(now.right), room.right, room.pulses
    turning, warm, same = False, True, True
    for c in range(count):
        i, row = room.active[c], rubs.starts[c]
        warm = warm and room.was[i] > 0
        for k in range(row, rubs.starts[c + 1]):
            s = 0.0
            for j in range(n):
                s += room.rows[k, j] * room.free[j]
            right[k] = s
        right[row] += there.drift[i] + now.restitution[i] * now.rate[i]
        k = row + 1
        for r in range(plan.first[i], plan.first[i + 1]):
            turning = turning or not plan.slides[r]
            same = same and now.static[r] == now.friction[r]
            for place in range(plan.begin[r], plan.end[r]):
                s = there.slip[place]
                for j in range(n):
                    s -= there.tangent[place, j] * room.new[j]
                right[k] += s + tangential * now.slip[place]
                k += 1
        k = row
        pulses[k] = room.last[i] if room.was[i] else 0.0
        for r in range(plan.first[i], plan.first[i + 1]):
            for place in range(plan.begin[r], plan.end[r]):
                k += 1
                pulses[k] = room.last[len(now.gap) + place]
    if rubs.first[count] == 0:
        if count == 1:
            return slide(room.w, right, 1, 0.0, pulses)
        return complementary(
            room.w,
            right,
            count,
            pulses,
            room.scale,
            room.on,
            swept.w,
            swept.system,
            room.ordered,
            room.table,
            room.base,
        )
    if not same:
        return False
    if count == 1 and not turning:
        for a in range(m):
            for b in range(m):
                swept.block[a, b] = room.w[a, b]
        return slide(swept.block, right, m, rubs.mu[0], pulses)
    return sweeps(room.w, right, m, rubs, pulses, warm, SWEEPS, GOOD, swept) <= GOOD
