"""Islands like columns, for which sweeps take n^2 rounds: Newton's method on the speeds of all their bodies at once.

    P_c(v) = proj_K( P_c - r_c (u_c(v) + shift_c + mu |u_t| n) ),     M (v - v_free) = sum G_c^T P_c(v)

For fixed P_c and |u_t| this is the gradient of a convex function of v (an augmented Lagrangian), and Newton with a
search along its steps finds where it vanishes; then P_c and |u_t| are taken from there, and so on: the fixed point is
De Saxce's form of Coulomb's law. The matrix has the envelope of the island: bodies are numbered by how many contacts
away they are, so that a column is narrow. Compiled by numba.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.crowd.data import BODIES
from dalembert.contact.crowd.rates import push, rate

_FIRM, _FIRMEST = 100.0, 1e6
"""r_c W_cc (no unit) of the first round, a hundred times more in each, and at most: contacts are so much firmer than
bodies are heavy. A round divides the fault by about this; more would leave no digits to the factor."""
_ROUNDS, _STEPS, _HALVINGS = 12, 40, 30
"""Rounds, steps of Newton in each, and halvings of the search along one: four rounds of three steps are usual."""
_ENOUGH = 1e-23
"""Newton ends when the square of its step is less than this share of the square of what contacts change (kinetic)."""
CHEAP = 8
"""Islands are solved as a whole where a factor costs less than so many sweeps: a dozen factors are usual."""
_BETTER = 1e-3
"""Rounds go on to this share of the tolerance: what rests then rests in the next time step without them."""
_VISIT = 300
"""Operations of one contact in one sweep, about."""


@native
def number_bodies(island, rows, bodies):  # type: ignore[no-untyped-def]
    """Bodies of an island in the order of contacts from the first, in `bodies.place`; operations of their factor.

    `bodies.reach[k]` is the first of them that is in contact with the k-th, or k.
    """
    begin, end = rows.starts[island], rows.starts[island + 1]
    head, tail = bodies.starts[island], bodies.starts[island + 1]
    place, queue, found, taken = bodies.place, bodies.queue, 1, 0
    for k in range(head, tail):
        place[bodies.order[k]] = -1
    queue[0] = bodies.order[head]
    place[queue[0]] = 0
    while taken < found:
        b = queue[taken]
        bodies.reach[taken] = taken
        for k in range(begin, end):
            c = rows.order[k]
            if rows.first[c] == b or rows.second[c] == b:
                other = rows.second[c] if rows.first[c] == b else rows.first[c]
                if bodies.inverse_mass[other] > 0:
                    if place[other] < 0:
                        place[other] = found
                        queue[found] = other
                        found += 1
                    bodies.reach[taken] = min(bodies.reach[taken], place[other])
        taken += 1
    work = 0
    for k in range(found):
        work += 6 * (6 * (k + 1 - bodies.reach[k])) ** 2
    return work


@native
def is_cheap(island, rows, bodies):  # type: ignore[no-untyped-def]
    """Is the island small, and its factor worth it?"""
    contacts, count = rows.starts[island + 1] - rows.starts[island], bodies.starts[island + 1] - bodies.starts[island]
    return count <= BODIES and number_bodies(island, rows, bodies) <= CHEAP * _VISIT * contacts


@native
def _onto_cone(x, mu, p, slope):  # type: ignore[no-untyped-def]
    """The nearest point of the cone |p_t| <= mu p_n, and its derivative."""
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    for i in range(3):
        p[i] = x[i]
        for m in range(3):
            slope[i, m] = 1.0 if i == m else 0.0
    if size <= mu * x[0]:
        return
    if mu * size <= -x[0]:
        for i in range(3):
            p[i] = 0.0
            for m in range(3):
                slope[i, m] = 0.0
        return
    along, y, z = (x[0] + mu * size) / (1 + mu * mu), x[1] / size, x[2] / size
    p[0], p[1], p[2] = along, mu * along * y, mu * along * z
    whole, across = 1 / (1 + mu * mu), mu * along / size
    slope[0, 0] = whole
    slope[0, 1] = slope[1, 0] = whole * mu * y
    slope[0, 2] = slope[2, 0] = whole * mu * z
    slope[1, 1] = whole * mu * mu * y * y + across * z * z
    slope[2, 2] = whole * mu * mu * z * z + across * y * y
    slope[1, 2] = slope[2, 1] = (whole * mu * mu - across) * y * z


@native
def _factor(matrix, right, reach, count):  # type: ignore[no-untyped-def]
    """Cholesky within the envelope, then matrix^-1 right in `right`."""
    for i in range(6 * count):
        begin = 6 * reach[i // 6]
        for j in range(begin, i + 1):
            s, low = matrix[i, j], max(begin, 6 * reach[j // 6])
            for k in range(low, j):
                s -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = math.sqrt(s)
            else:
                matrix[i, j] = s / matrix[j, j]
    for i in range(6 * count):
        s = right[i]
        for k in range(6 * reach[i // 6], i):
            s -= matrix[i, k] * right[k]
        right[i] = s / matrix[i, i]
    for i in range(6 * count - 1, -1, -1):
        right[i] /= matrix[i, i]
        for k in range(6 * reach[i // 6], i):
            right[k] -= matrix[i, k] * right[i]


@native
def _momentum(b, change, out, sign, bodies):  # type: ignore[no-untyped-def]
    """Adds `sign` times the momentum of body b with the speeds `change` to `out`."""
    mass, turns = sign / bodies.inverse_mass[b], bodies.turns
    for i in range(3):
        out[i] += mass * change[i]
        along = (
            sign
            * bodies.inertia[b, i]
            * (turns[b, 0, i] * change[3] + turns[b, 1, i] * change[4] + turns[b, 2, i] * change[5])
        )
        for m in range(3):
            out[3 + m] += turns[b, m, i] * along


@native
def _add_row(c, i, value, k, out, sign, arms, rows):  # type: ignore[no-untyped-def]
    """Adds `value` times direction i of contact c to the six rows of body k."""
    for m in range(3):
        out[6 * k + m] += sign * value * rows.d[c, i, m]
        out[6 * k + 3 + m] += sign * value * arms[c, i, m]


@native
def _stiffen(c, hard, slope, rows, bodies, matrix):  # type: ignore[no-untyped-def]
    """Adds hard * G_c^T slope G_c to the lower triangle."""
    for one in range(2):
        a, ja = (rows.first[c], rows.ja) if one == 0 else (rows.second[c], rows.jb)
        if bodies.inverse_mass[a] == 0:
            continue
        for two in range(2):
            b, jb = (rows.first[c], rows.ja) if two == 0 else (rows.second[c], rows.jb)
            if bodies.inverse_mass[b] == 0 or bodies.place[b] > bodies.place[a]:
                continue
            sign = hard if one == two else -hard
            row, column = 6 * bodies.place[a], 6 * bodies.place[b]
            for i in range(6):
                x = rows.d[c, 0, i] if i < 3 else ja[c, 0, i - 3]
                y = rows.d[c, 1, i] if i < 3 else ja[c, 1, i - 3]
                z = rows.d[c, 2, i] if i < 3 else ja[c, 2, i - 3]
                p = sign * (x * slope[0, 0] + y * slope[1, 0] + z * slope[2, 0])
                q = sign * (x * slope[0, 1] + y * slope[1, 1] + z * slope[2, 1])
                r = sign * (x * slope[0, 2] + y * slope[1, 2] + z * slope[2, 2])
                for m in range(6):
                    if m < 3:
                        matrix[row + i, column + m] += p * rows.d[c, 0, m] + q * rows.d[c, 1, m] + r * rows.d[c, 2, m]
                    else:
                        matrix[row + i, column + m] += p * jb[c, 0, m - 3] + q * jb[c, 1, m - 3] + r * jb[c, 2, m - 3]


@native
def newton_island(island, rows, bodies, laws, tolerance, work):  # type: ignore[no-untyped-def]
    """Impulses and speeds of an island in the order of `number_bodies`; True if they settle."""
    begin, contacts = rows.starts[island], rows.starts[island + 1] - rows.starts[island]
    count = bodies.starts[island + 1] - bodies.starts[island]
    v, p, queue = bodies.v, rows.p, bodies.queue
    free, matrix, right, gradient = work.free, work.matrix, work.right, work.gradient
    first, made, u, start, hard = work.first, work.made, work.rates, work.start, work.hard
    x, slope, change, moved = work.x, work.slope, work.change, work.moved
    for k in range(contacts):
        c = rows.order[begin + k]
        push(c, rows.first[c], rows.second[c], -p[c, 0], -p[c, 1], -p[c, 2], v, bodies.inverse_mass, rows)
        for i in range(3):
            start[k, i] = p[c, i]
    for k in range(count):
        for i in range(6):
            free[k, i] = v[queue[k], i]
    _pushed(begin, contacts, rows, bodies)
    settled, firm = False, _FIRM
    for _ in range(_ROUNDS):
        for k in range(contacts):
            c = rows.order[begin + k]
            a, b = rows.first[c], rows.second[c]
            hard[k] = 3 * firm / (rows.w[c, 0, 0] + rows.w[c, 1, 1] + rows.w[c, 2, 2])
            for i in range(3):
                first[k, i], u[k, i] = p[c, i], rate(c, i, a, b, v, rows)
            lifted = laws.friction[rows.group[c]] * math.sqrt(u[k, 1] ** 2 + u[k, 2] ** 2)
            first[k, 0] -= hard[k] * (rows.shift[c] + lifted)
        calm = False
        for _ in range(_STEPS):
            for k in range(count):
                low = 6 * bodies.reach[k]
                for i in range(6):
                    right[6 * k + i] = 0.0
                    for m in range(low, 6 * k + 6):
                        matrix[6 * k + i, m] = 0.0
                b = queue[k]
                for i in range(6):
                    for m in range(6):
                        change[m], moved[m] = 1.0 if i == m else 0.0, 0.0
                    _momentum(b, change, moved, 1.0, bodies)
                    for m in range(6):
                        matrix[6 * k + i, 6 * k + m] = moved[m]
                for i in range(6):
                    change[i] = v[b, i] - free[k, i]
                _momentum(b, change, right[6 * k : 6 * k + 6], -1.0, bodies)
            for k in range(contacts):
                c = rows.order[begin + k]
                a, b = rows.first[c], rows.second[c]
                for i in range(3):
                    u[k, i] = rate(c, i, a, b, v, rows)
                    x[i] = first[k, i] - hard[k] * u[k, i]
                _onto_cone(x, laws.friction[rows.group[c]], made[k], slope)
                for i in range(3):
                    if bodies.inverse_mass[a] > 0:
                        _add_row(c, i, made[k, i], bodies.place[a], right, 1.0, rows.ja, rows)
                    if bodies.inverse_mass[b] > 0:
                        _add_row(c, i, made[k, i], bodies.place[b], right, -1.0, rows.jb, rows)
                _stiffen(c, hard[k], slope, rows, bodies, matrix)
            falling = 0.0
            for k in range(6 * count):
                gradient[k] = right[k]
            _factor(matrix, right, bodies.reach, count)
            for k in range(6 * count):
                falling += gradient[k] * right[k]
            share = _share(begin, contacts, count, rows, bodies, laws, falling, work)
            whole = 0.0
            for k in range(count):
                for i in range(6):
                    v[queue[k], i] += share * right[6 * k + i]
                    change[i], moved[i] = v[queue[k], i] - free[k, i], 0.0
                _momentum(queue[k], change, moved, 1.0, bodies)
                for i in range(6):
                    whole += change[i] * moved[i]
            if falling <= _ENOUGH * whole:
                calm = True
                break
        if not calm:
            break
        for k in range(contacts):
            c = rows.order[begin + k]
            a, b = rows.first[c], rows.second[c]
            for i in range(3):
                x[i] = first[k, i] - hard[k] * rate(c, i, a, b, v, rows)
            _onto_cone(x, laws.friction[rows.group[c]], made[k], slope)
            for i in range(3):
                p[c, i] = made[k, i]
        for k in range(count):
            for i in range(6):
                v[queue[k], i] = free[k, i]
        _pushed(begin, contacts, rows, bodies)
        missed = _missed(begin, contacts, rows, bodies, laws, x, made[0], slope)
        settled = missed <= tolerance
        if missed <= _BETTER * tolerance:
            break
        firm = min(100 * firm, _FIRMEST)
    if not settled:  # as it was: sweeps go on
        for k in range(contacts):
            for i in range(3):
                p[rows.order[begin + k], i] = start[k, i]
        for k in range(count):
            for i in range(6):
                v[queue[k], i] = free[k, i]
        _pushed(begin, contacts, rows, bodies)
    return settled


@native
def _missed(begin, contacts, rows, bodies, laws, x, p, slope):  # type: ignore[no-untyped-def]
    """What the worst contact misses of its law (natural map), as a share of the fastest."""
    worst, fastest = 0.0, 0.0
    for k in range(contacts):
        c = rows.order[begin + k]
        a, b, mu = rows.first[c], rows.second[c], laws.friction[rows.group[c]]
        w = (rows.w[c, 0, 0] + rows.w[c, 1, 1] + rows.w[c, 2, 2]) / 3
        n, y, z = rate(c, 0, a, b, bodies.v, rows), rate(c, 1, a, b, bodies.v, rows), rate(c, 2, a, b, bodies.v, rows)
        x[0] = rows.p[c, 0] - (n + rows.shift[c] + mu * math.sqrt(y * y + z * z)) / w
        x[1], x[2] = rows.p[c, 1] - y / w, rows.p[c, 2] - z / w
        _onto_cone(x, mu, p, slope)
        fastest = max(fastest, rows.p[c, 0] * w)
        for i in range(3):
            worst = max(worst, abs(p[i] - rows.p[c, i]) * w)
    return worst / fastest if fastest > 0 else worst


@native
def _pushed(begin, contacts, rows, bodies):  # type: ignore[no-untyped-def]
    p = rows.p
    for k in range(contacts):
        c = rows.order[begin + k]
        push(c, rows.first[c], rows.second[c], p[c, 0], p[c, 1], p[c, 2], bodies.v, bodies.inverse_mass, rows)


@native
def _share(begin, contacts, count, rows, bodies, laws, falling, work):  # type: ignore[no-untyped-def]
    """How far to go along a step of Newton: where the slope along it has fallen to half, or the whole of it."""
    v, queue, place = bodies.v, bodies.queue, bodies.place
    first, hard, u, along, made, free, step = (
        work.first, work.hard, work.rates, work.along, work.made, work.free, work.right,
    )  # fmt: skip
    linear, square, change, moved, x, slope = 0.0, 0.0, work.change, work.moved, work.x, work.slope
    for k in range(count):
        for i in range(6):
            change[i], moved[i] = v[queue[k], i] - free[k, i], 0.0
        _momentum(queue[k], change, moved, 1.0, bodies)
        for i in range(6):
            linear += moved[i] * step[6 * k + i]
            change[i], moved[i] = step[6 * k + i], 0.0
        _momentum(queue[k], change, moved, 1.0, bodies)
        for i in range(6):
            square += moved[i] * step[6 * k + i]
    for k in range(contacts):
        c = rows.order[begin + k]
        for i in range(3):
            s = 0.0
            for m in range(3):
                if bodies.inverse_mass[rows.first[c]] > 0:
                    at = 6 * place[rows.first[c]]
                    s += rows.d[c, i, m] * step[at + m] + rows.ja[c, i, m] * step[at + 3 + m]
                if bodies.inverse_mass[rows.second[c]] > 0:
                    at = 6 * place[rows.second[c]]
                    s -= rows.d[c, i, m] * step[at + m] + rows.jb[c, i, m] * step[at + 3 + m]
            along[k, i] = s
    low, high, share = 0.0, 1.0, 1.0
    for _ in range(_HALVINGS):
        s = linear + share * square
        for k in range(contacts):
            c = rows.order[begin + k]
            for i in range(3):
                x[i] = first[k, i] - hard[k] * (u[k, i] + share * along[k, i])
            _onto_cone(x, laws.friction[rows.group[c]], made[k], slope)
            for i in range(3):
                s -= made[k, i] * along[k, i]
        if s > 0.5 * falling:
            high = share
        elif s < -0.5 * falling and high < 1.0:
            low = share
        else:
            break
        share = (low + high) / 2
    return share
