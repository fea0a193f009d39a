"""The pattern of stick, slip and open contacts, solved as a whole, and what impulses miss of their law. See `nsgs`."""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.few.linear import least_squares

_OPEN, _SLIPS, _EDGE = 1e-12, 1e-9, 1e-7
"""What a contact shows: as in `nsgs`."""
_TURNS = 8
_ROUNDING, _BLURRED = 4 * 2.220446049250313e-16, 1e-7
"""As in `coulomb`: rounding of a sum, and how much of it leaves nothing to tell."""


@native
def _length(x, begin, end):  # type: ignore[no-untyped-def]
    s = 0.0
    for k in range(begin, end):
        s += x[k] * x[k]
    return math.sqrt(s)


@native
def polished(m, rubs, r, by_friction, near):  # type: ignore[no-untyped-def]
    """Newton on the directions of slip of the pattern that r.p shows, in `r.trial`: least, or `near` to r.p."""
    w, p, u, trial, shown = r.w, r.p, r.moved, r.trial, r.shown
    largest, fastest, count, slips = 0.0, 0.0, 0, False
    for i in range(m):
        s = r.b[i]
        for k in range(m):
            s += w[i, k] * p[k]
        u[i] = s
        trial[i] = p[i]
        largest, fastest = max(largest, abs(p[i])), max(fastest, abs(r.b[i]))
    for i in range(rubs.count[0]):
        n = rubs.starts[i]
        opened = p[n] <= _OPEN * largest
        for d in range(rubs.first[i], rubs.first[i + 1]):
            moves = _length(u, rubs.begin[d], rubs.end[d]) > _SLIPS * fastest
            full = _length(p, rubs.begin[d], rubs.end[d]) >= rubs.mu[d] * p[n] * (1 - _EDGE)
            shown[d] = moves and full
            slips = slips or (moves and full and not opened)
        for k in range(n, rubs.starts[i + 1]):
            r.unknown[k] = -1
            if not opened:
                r.unknown[k] = count
                count += 1
    if count == 0:
        for i in range(m):
            trial[i] = 0.0
        return
    for _ in range(_TURNS):
        row = 0
        for i in range(rubs.count[0]):
            n = rubs.starts[i]
            if r.unknown[n] < 0:
                continue
            _stops(n, row, count, m, near, r)
            row += 1
            for d in range(rubs.first[i], rubs.first[i + 1]):
                begin, end = rubs.begin[d], rubs.end[d]
                if not shown[d]:
                    for k in range(begin, end):
                        _stops(k, row, count, m, near, r)
                        row += 1
                    continue
                push, slip = _length(trial, begin, end), _length(u, begin, end)
                x, y = 0.0, 0.0
                if by_friction and push > 0:
                    x = -trial[begin] / push
                    y = -trial[end - 1] / push if end - begin > 1 else 0.0
                elif slip > 0:
                    x = u[begin] / slip
                    y = u[end - 1] / slip if end - begin > 1 else 0.0
                    push = rubs.mu[d] * trial[n]
                else:  # what seemed to slip stands still here: another pattern
                    for k in range(m):
                        trial[k] = p[k]
                    return
                _slides(n, begin, end, x, y, push, rubs.mu[d], row, count, m, near, u, r)
                row += end - begin
        for i in range(row):
            s = _length(r.system[i], 0, count)
            if s > 0:
                for k in range(count):
                    r.system[i, k] /= s
                r.asked[i] /= s
        least_squares(r.system, row, count, r.asked, r.x, r.order, r.tau)
        most, changed, fine = 0.0, 0.0, True
        for k in range(m):
            new = 0.0
            if r.unknown[k] >= 0:
                new = r.x[r.unknown[k]] + (p[k] if near else 0.0)
            fine = fine and math.isfinite(new)
            most, changed = max(most, abs(new)), max(changed, abs(new - trial[k]))
            trial[k] = new
        if not fine:
            for k in range(m):
                trial[k] = p[k]
            return
        if changed <= 1e-15 * most or not slips:
            return
        for i in range(m):
            s = r.b[i]
            for k in range(m):
                s += w[i, k] * trial[k]
            u[i] = s


@native
def _stops(k, row, count, m, near, r):  # type: ignore[no-untyped-def]
    """The equation u_k = 0."""
    s = -r.b[k]
    for j in range(m):
        if r.unknown[j] >= 0:
            r.system[row, r.unknown[j]] = r.w[k, j]
            if near:
                s -= r.w[k, j] * r.p[j]
    r.asked[row] = s


@native
def _slides(n, begin, end, x, y, push, mu, row, count, m, near, u, r):  # type: ignore[no-untyped-def]
    """d.P_t + mu P_n = 0, and nothing of u_t across d = (x, y): either turns d as the other changes."""
    for j in range(count):
        r.system[row, j] = 0.0
    r.system[row, r.unknown[begin]] = x
    if end - begin > 1:
        r.system[row, r.unknown[end - 1]] = y
    r.system[row, r.unknown[n]] += mu
    s = x * r.p[begin] + (y * r.p[end - 1] if end - begin > 1 else 0.0) + mu * r.p[n]
    r.asked[row] = -s if near else 0.0
    if end - begin == 1:
        return
    along, row = x * u[begin] + y * u[end - 1], row + 1
    s = -push * (-y * r.b[begin] + x * r.b[end - 1])
    for j in range(m):
        if r.unknown[j] >= 0:
            value = push * (-y * r.w[begin, j] + x * r.w[end - 1, j])
            if j == begin:
                value -= along * y
            if j == end - 1:
                value += along * x
            r.system[row, r.unknown[j]] = value
            if near:
                s -= value * r.p[j]
    r.asked[row] = s


@native
def missed(m, rubs, r):  # type: ignore[no-untyped-def]
    """What `r.trial` misses of its law beyond rounding: |P - proj(P - rho u~)|."""
    w, p, u, total = r.w, r.trial, r.moved, 0.0
    hidden, worst = 0.0, 0.0
    for i in range(m):
        s, e = r.b[i], 0.0
        for k in range(m):
            s += w[i, k] * p[k]
            e += abs(w[i, k] * p[k])
        u[i] = s
        hidden += (_ROUNDING * e) ** 2
        worst = max(worst, _ROUNDING * e)
    hidden = math.sqrt(hidden)
    for i in range(rubs.count[0]):
        n, end, trace = rubs.starts[i], rubs.starts[i + 1], 1e-300
        for d in range(rubs.first[i], rubs.first[i + 1]):
            u[n] += rubs.mu[d] * _length(u, rubs.begin[d], rubs.end[d])
        for k in range(n, end):
            trace += max(w[k, k], 0.0)
        for k in range(n, end):
            u[k] = p[k] - u[k] / trace
        total += _off(n, rubs.first[i], rubs.first[i + 1], rubs, p, u)
    total = math.sqrt(total)
    return max(total - hidden, 0.0) if worst <= _BLURRED else max(total, hidden)


@native
def _off(n, first, last, rubs, p, x):  # type: ignore[no-untyped-def]
    """The square of the distance of p from the nearest point to x of one contact's cone."""
    # n - x_n = sum of mu_k (|x_k| - mu_k n) over the discs beyond their bound
    top, whole = x[n], 1.0
    for _ in range(last - first + 1):  # Newton on a concave function, from below
        level = max(top / whole, 0.0)
        top, whole = x[n], 1.0
        for d in range(first, last):
            size = _length(x, rubs.begin[d], rubs.end[d])
            if size > rubs.mu[d] * level:
                top, whole = top + rubs.mu[d] * size, whole + rubs.mu[d] ** 2
    level = max(top / whole, 0.0)
    found = (p[n] - level) ** 2
    for d in range(first, last):
        size, most = _length(x, rubs.begin[d], rubs.end[d]), rubs.mu[d] * level
        share = most / size if size > most else 1.0
        for k in range(rubs.begin[d], rubs.end[d]):
            found += (p[k] - share * x[k]) ** 2
    return found
