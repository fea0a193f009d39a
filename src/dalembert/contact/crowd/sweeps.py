"""Many contacts between free bodies: rows, islands, and sweeps with a direction kept over them. Compiled by numba.

W = G M^-1 G^T is never formed: a contact knows its three directions, its two bodies, and its own block; what an impulse
does is written into the speeds of the two bodies, where the next contact finds it. A sweep is one step of nonsmooth
Gauss-Seidel; the changes of successive sweeps are combined as conjugate gradients are (Silcowitz, Niebe and Erleben
2010), and forgotten whenever they grow.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.crowd.cone import basis
from dalembert.contact.crowd.direct import is_cheap, newton_island
from dalembert.contact.crowd.rates import push, rate, spin, twist
from dalembert.contact.crowd.visit import ALONG, BEFORE, P, pack, unpack, visit

_SMALL = 64
"""Contacts of an island below which it gets more sweeps, so that all small islands cost alike and are solved well."""
_PATIENCE = 8
"""Sweeps after which a small island is solved as a whole; again after four times as many."""


@native
def rows_of(count, rows, bodies):  # type: ignore[no-untyped-def]
    """Directions, moments and blocks of the contacts."""
    d, w, points = rows.d, rows.w, rows.points
    for c in range(count):
        for i in range(3):
            d[c, 0, i] = points[c, i]
        basis(d, c)
        masses = bodies.inverse_mass[rows.first[c]] + bodies.inverse_mass[rows.second[c]]
        _moments(c, rows.first[c], points, d, rows.ja, rows.ka, bodies)
        _moments(c, rows.second[c], points, d, rows.jb, rows.kb, bodies)
        for i in range(3):
            for m in range(i + 1):
                s = masses if i == m else 0.0
                for q in range(3):
                    s += rows.ja[c, i, q] * rows.ka[c, m, q] + rows.jb[c, i, q] * rows.kb[c, m, q]
                w[c, i, m] = s
                w[c, m, i] = s


@native
def _moments(c, body, points, d, j, k, bodies):  # type: ignore[no-untyped-def]
    x, y, z = points[c, 3] - bodies.x[body, 0], points[c, 4] - bodies.x[body, 1], points[c, 5] - bodies.x[body, 2]
    inverse = bodies.inverse
    for i in range(3):
        j[c, i, 0] = y * d[c, i, 2] - z * d[c, i, 1]
        j[c, i, 1] = z * d[c, i, 0] - x * d[c, i, 2]
        j[c, i, 2] = x * d[c, i, 1] - y * d[c, i, 0]
        for m in range(3):
            k[c, i, m] = (
                inverse[body, m, 0] * j[c, i, 0] + inverse[body, m, 1] * j[c, i, 1] + inverse[body, m, 2] * j[c, i, 2]
            )


@native
def islands_of(count, rows, bodies):  # type: ignore[no-untyped-def]
    """Contacts and bodies in the order of their islands, and where each begins; how many islands there are.

    Bodies that move connect, others do not.
    """
    parent, inverse_mass, first, second = bodies.parent, bodies.inverse_mass, rows.first, rows.second
    total = len(inverse_mass)
    for k in range(total):
        parent[k] = k
        bodies.island[k] = -1
    for c in range(count):
        a, b = first[c], second[c]
        if inverse_mass[a] > 0 and inverse_mass[b] > 0:
            a, b = _root(parent, a), _root(parent, b)
            if a != b:
                parent[max(a, b)] = min(a, b)
    found = 0
    for c in range(count):  # number the islands, and count their contacts
        a = _root(parent, first[c] if inverse_mass[first[c]] > 0 else second[c])
        if bodies.island[a] < 0:
            bodies.island[a] = found
            rows.starts[found] = 0
            bodies.starts[found] = 0
            found += 1
        rows.starts[bodies.island[a]] += 1
    for k in range(total):
        a = _root(parent, k)
        if inverse_mass[k] > 0 and bodies.island[a] >= 0:
            bodies.island[k] = bodies.island[a]
            bodies.starts[bodies.island[a]] += 1
    _offsets(rows.starts, found)
    _offsets(bodies.starts, found)
    for c in range(count):
        a = bodies.island[first[c] if inverse_mass[first[c]] > 0 else second[c]]
        rows.order[rows.starts[a]] = c
        rows.starts[a] += 1
    for k in range(total):
        if inverse_mass[k] > 0 and bodies.island[k] >= 0:
            a = bodies.island[k]
            bodies.order[bodies.starts[a]] = k
            bodies.starts[a] += 1
    for k in range(found, 0, -1):  # each has moved to the beginning of the next
        rows.starts[k] = rows.starts[k - 1]
        bodies.starts[k] = bodies.starts[k - 1]
    rows.starts[0] = bodies.starts[0] = 0
    return found


@native
def _offsets(starts, found):  # type: ignore[no-untyped-def]
    """Sizes become places."""
    place = 0
    for k in range(found):
        size = starts[k]
        starts[k] = place
        place += size


@native
def _root(parent, a):  # type: ignore[no-untyped-def]
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


@native
def sweep_island(island, rows, bodies, laws, tolerance, most, room, work):  # type: ignore[no-untyped-def]
    """Sweep until no contact of the island misses its law by more than the share `tolerance` of its fastest.

    Returns sweeps, and the last fault: the change of rate with which a contact would come to obey, over the fastest.
    """
    begin, end = rows.starts[island], rows.starts[island + 1]
    most *= max(1, _SMALL // (end - begin))
    head, tail = bodies.starts[island], bodies.starts[island + 1]
    v, order, packed = bodies.v, rows.order, rows.packed
    fastest, turning = pack(begin, end, rows, bodies, laws)
    _forget(begin, end, head, tail, rows, bodies)
    fault, sweep, last, patience = math.inf, 0, math.inf, _PATIENCE
    while sweep < most and fault > tolerance * fastest:
        sweep += 1
        fault, size = 0.0, 0.0
        for k in range(head, tail):
            m = bodies.order[k]
            for i in range(6):
                bodies.before[m, i] = v[m, i]
        for place in range(begin, end):
            k = place if sweep % 2 else begin + end - 1 - place
            c = order[k]
            missed, square = visit(k, packed, rows.first[c], rows.second[c], v, bodies.inverse, room)
            fault, size = max(fault, missed), size + square
            if turning:
                g = rows.group[c]
                for i in range(3, 6):
                    rows.before[c, i] = rows.p[c, i]
                if laws.rolling[g] > 0 or laws.drilling[g] > 0:
                    drill, roll = laws.drilling[g] * packed[k, P], laws.rolling[g] * packed[k, P]
                    _resist(c, rows.first[c], rows.second[c], drill, roll, v, rows, bodies)
        share = size / last if last > 0 else 0.0
        last = size
        if share > 1 or sweep == 1:
            share = 0.0
        if fault <= tolerance * fastest or sweep == most:
            break  # the impulses are in their cones now, and would not be further along
        if sweep == patience:
            patience = 4 * patience if is_cheap(island, rows, bodies) else -1
            if patience > 0:
                unpack(begin, end, rows)
                newton_island(island, rows, bodies, laws, tolerance, work)
                for k in range(begin, end):
                    for i in range(3):
                        packed[k, P + i] = rows.p[order[k], i]
                _forget(begin, end, head, tail, rows, bodies)
                last = math.inf
                continue
        for k in range(begin, end):
            for i in range(3):
                step = packed[k, P + i] - packed[k, BEFORE + i]
                packed[k, P + i] += share * packed[k, ALONG + i]
                packed[k, ALONG + i] = share * packed[k, ALONG + i] + step
        if turning:
            for k in range(begin, end):
                c = order[k]
                for i in range(3, 6):
                    step = rows.p[c, i] - rows.before[c, i]
                    rows.p[c, i] += share * rows.along[c, i]
                    rows.along[c, i] = share * rows.along[c, i] + step
        for k in range(head, tail):
            m = bodies.order[k]
            for i in range(6):
                step = v[m, i] - bodies.before[m, i]
                v[m, i] += share * bodies.along[m, i]
                bodies.along[m, i] = share * bodies.along[m, i] + step
    unpack(begin, end, rows)
    return sweep, (fault / fastest if fastest > 0 else 0.0)


@native
def _forget(begin, end, head, tail, rows, bodies):  # type: ignore[no-untyped-def]
    """No direction yet."""
    for k in range(begin, end):
        for i in range(3):
            rows.packed[k, ALONG + i] = rows.along[rows.order[k], 3 + i] = 0.0
    for k in range(head, tail):
        for i in range(6):
            bodies.along[bodies.order[k], i] = 0.0


@native
def _resist(c, a, b, drill, roll, v, rows, bodies):  # type: ignore[no-untyped-def]
    """Drilling and rolling friction: angular impulses of at most `drill` about the normal, `roll` across it."""
    p, d, inverse = rows.p, rows.d, bodies.inverse
    about = 0.0
    for i in range(3):
        for m in range(3):
            about += d[c, 0, i] * (inverse[a, i, m] + inverse[b, i, m]) * d[c, 0, m]
    most = 0.0
    for i in range(3):
        most += inverse[a, i, i] + inverse[b, i, i]
    most -= about  # the trace across the normal bounds what a moment does there; for balls it is twice that
    first, second, third = p[c, 3], p[c, 4], p[c, 5]
    x = min(max(first - spin(c, a, b, 0, v, rows) / about, -drill), drill)
    scale = most / 2 if bodies.round[a] and bodies.round[b] else most
    y = second - spin(c, a, b, 1, v, rows) / scale
    z = third - spin(c, a, b, 2, v, rows) / scale
    size = math.sqrt(y * y + z * z)
    if size > roll:
        y, z = y * roll / size, z * roll / size
    p[c, 3], p[c, 4], p[c, 5] = x, y, z
    twist(c, a, b, x - first, y - second, z - third, v, rows, bodies)


@native
def lift(count, rows, bodies, most, small):  # type: ignore[no-untyped-def]
    """Shifts and turns of bodies that bring gaps back to zero from below, by frictionless sweeps, in `bodies.along`."""
    moved, points = bodies.along, rows.points
    for k in range(len(moved)):
        for i in range(6):
            moved[k, i] = 0.0
    for c in range(count):
        rows.p[c, 0] = 0.0
    for _ in range(most):
        worst = 0.0
        for c in range(count):
            a, b = rows.first[c], rows.second[c]
            old = rows.p[c, 0]
            new = max(old - (points[c, 6] + rate(c, 0, a, b, moved, rows)) / rows.w[c, 0, 0], 0.0)
            if new != old:
                push(c, a, b, new - old, 0.0, 0.0, moved, bodies.inverse_mass, rows)
                worst = max(worst, abs(new - old) * rows.w[c, 0, 0])
                rows.p[c, 0] = new
        if worst <= small:
            break
    for c in range(count):
        points[c, 6] += rate(c, 0, rows.first[c], rows.second[c], moved, rows)
