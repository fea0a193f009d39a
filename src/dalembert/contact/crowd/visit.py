"""One contact with the others held, as sweeps meet it: all that it needs lies in one row, in the order of the sweep.

The speeds of the contact point are those of the two bodies there, u = D (v_a + w_a x r_a - v_b - w_b x r_b); an impulse
D^T P goes back to them. The inverse of the block W decides about sticking. Compiled by numba.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native
from dalembert.contact.crowd.cone import solve_block
from dalembert.contact.crowd.rates import rate

_ARM, _W, _INVERSE, _SHIFT, _MU, _MASS, _TURN, P, ALONG, BEFORE = 9, 15, 21, 27, 28, 29, 31, 33, 36, 39
"""Columns after the three directions: arms to both bodies, W and its inverse (upper halves), what is added to the rate,
friction, inverse masses, inverse moments of balls (-1: a matrix), impulses, a direction of them, those before."""
_ROUNDED = 1e-15
"""Rounding of a slip, as a share of what it is made of."""
_FLAT = 1e-14
"""Determinant of W, over the product of its diagonal, below which its rows depend on each other."""
_STRAIGHT = 1e-13
"""Sine of the angle between friction and slip that is rounding."""


@native
def pack(begin, end, rows, bodies, laws):  # type: ignore[no-untyped-def]
    """The rows of an island; the fastest rate in it, and whether a contact resists turning."""
    fastest, turning, packed = 0.0, False, rows.packed
    for k in range(begin, end):
        c = rows.order[k]
        a, b, g, one, w = rows.first[c], rows.second[c], rows.group[c], packed[k], rows.w
        for i in range(3):
            for m in range(3):
                one[3 * i + m] = rows.d[c, i, m]
            one[_ARM + i] = rows.points[c, 3 + i] - bodies.x[a, i]
            one[_ARM + 3 + i] = rows.points[c, 3 + i] - bodies.x[b, i]
        one[_W], one[_W + 1], one[_W + 2] = w[c, 0, 0], w[c, 0, 1], w[c, 0, 2]
        one[_W + 3], one[_W + 4], one[_W + 5] = w[c, 1, 1], w[c, 1, 2], w[c, 2, 2]
        _invert(one)
        one[_SHIFT], one[_MU] = rows.shift[c], laws.friction[g]
        one[_MASS], one[_MASS + 1] = bodies.inverse_mass[a], bodies.inverse_mass[b]
        one[_TURN] = bodies.inverse[a, 0, 0] if bodies.round[a] else -1.0
        one[_TURN + 1] = bodies.inverse[b, 0, 0] if bodies.round[b] else -1.0
        for i in range(3):
            one[P + i] = rows.p[c, i]
        turning = turning or laws.rolling[g] > 0 or laws.drilling[g] > 0
        u, own = rate(c, 0, a, b, bodies.v, rows) + rows.shift[c], rows.p[c, 0] * w[c, 0, 0]
        fastest = max(fastest, abs(u - own), own)
    return fastest, turning


@native
def unpack(begin, end, rows):  # type: ignore[no-untyped-def]
    """The impulses of an island, back to their contacts."""
    for k in range(begin, end):
        for i in range(3):
            rows.p[rows.order[k], i] = rows.packed[k, P + i]


@native
def _invert(one):  # type: ignore[no-untyped-def]
    """W^-1 beside W; zeros where its rows depend on each other."""
    a, b, c, d, e, f = one[_W], one[_W + 1], one[_W + 2], one[_W + 3], one[_W + 4], one[_W + 5]
    x, y, z = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * x + b * y + c * z
    scale = 1 / det if det > _FLAT * a * d * f else 0.0
    one[_INVERSE], one[_INVERSE + 1], one[_INVERSE + 2] = x * scale, y * scale, z * scale
    one[_INVERSE + 3], one[_INVERSE + 4] = (a * f - c * c) * scale, (b * c - a * e) * scale
    one[_INVERSE + 5] = (a * d - b * b) * scale


@native
def visit(k, packed, a, b, v, inverse, room):  # type: ignore[no-untyped-def]
    """Solve contact k, and give its impulse to its bodies; the largest change of its rates, and its square."""
    one = packed[k]
    rx, ry, rz, sx, sy, sz = one[9], one[10], one[11], one[12], one[13], one[14]
    ux = v[a, 0] - v[b, 0] + v[a, 4] * rz - v[a, 5] * ry - v[b, 4] * sz + v[b, 5] * sy
    uy = v[a, 1] - v[b, 1] + v[a, 5] * rx - v[a, 3] * rz - v[b, 5] * sx + v[b, 3] * sz
    uz = v[a, 2] - v[b, 2] + v[a, 3] * ry - v[a, 4] * rx - v[b, 3] * sy + v[b, 4] * sx
    n = one[0] * ux + one[1] * uy + one[2] * uz + one[_SHIFT]
    x, y, z = one[P], one[P + 1], one[P + 2]
    one[BEFORE], one[BEFORE + 1], one[BEFORE + 2] = x, y, z
    if x == 0.0 and n >= 0.0:
        return 0.0, 0.0
    w00, w01, w02, w11, w12, w22 = one[_W], one[_W + 1], one[_W + 2], one[_W + 3], one[_W + 4], one[_W + 5]
    n -= w00 * x + w01 * y + w02 * z
    p = q = r = 0.0
    if n < 0:
        t = one[3] * ux + one[4] * uy + one[5] * uz - (w01 * x + w11 * y + w12 * z)
        s = one[6] * ux + one[7] * uy + one[8] * uz - (w02 * x + w12 * y + w22 * z)
        i01, i02, i12 = one[_INVERSE + 1], one[_INVERSE + 2], one[_INVERSE + 4]
        p = -(one[_INVERSE] * n + i01 * t + i02 * s)
        q = -(i01 * n + one[_INVERSE + 3] * t + i12 * s)
        r = -(i02 * n + i12 * t + one[_INVERSE + 5] * s)
        mu = one[_MU]
        if p <= 0 or q * q + r * r > (mu * p) ** 2:
            p, q, r = _slip(one, n, t, s, mu, x, y, z, room)
    one[P], one[P + 1], one[P + 2] = p, q, r
    x, y, z = p - x, q - y, r - z
    fx = one[0] * x + one[3] * y + one[6] * z
    fy = one[1] * x + one[4] * y + one[7] * z
    fz = one[2] * x + one[5] * y + one[8] * z
    _give(a, one[_MASS], one[_TURN], rx, ry, rz, fx, fy, fz, v, inverse)
    _give(b, -one[_MASS + 1], -one[_TURN + 1], sx, sy, sz, fx, fy, fz, v, inverse)
    return max(abs(x) * w00, abs(y) * w11, abs(z) * w22), w00 * x * x + w11 * y * y + w22 * z * z


@native
def _give(k, mass, turn, x, y, z, fx, fy, fz, v, inverse):  # type: ignore[no-untyped-def]
    """The impulse f at the arm (x, y, z) of body k; `mass` and `turn` carry the sense in which it acts."""
    if mass == 0.0:
        return
    v[k, 0] += mass * fx
    v[k, 1] += mass * fy
    v[k, 2] += mass * fz
    mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    if (turn > 0) == (mass > 0):
        v[k, 3] += turn * mx
        v[k, 4] += turn * my
        v[k, 5] += turn * mz
    else:
        sense = 1.0 if mass > 0 else -1.0
        for i in range(3):
            v[k, 3 + i] += sense * (inverse[k, i, 0] * mx + inverse[k, i, 1] * my + inverse[k, i, 2] * mz)


@native
def _slip(one, n, t, s, mu, x, y, z, room):  # type: ignore[no-untyped-def]
    """Friction against a slip that is its own consequence; the old impulse where the whole circle has none."""
    w00, w01, w02 = one[_W], one[_W + 1], one[_W + 2]
    if mu == 0:
        return -n / w00, 0.0, 0.0
    across, up = t - n * w01 / w00, s - n * w02 / w00
    size = math.sqrt(across * across + up * up)
    if size > 0:
        across, up = across / size, up / size
        slope = w00 - mu * (w01 * across + w02 * up)
        if slope > 0:
            push = -n / slope
            u = t + push * (w01 - mu * (one[_W + 3] * across + one[_W + 4] * up))
            w = s + push * (w02 - mu * (one[_W + 4] * across + one[_W + 5] * up))
            small = _STRAIGHT * (abs(u) + abs(w)) + _ROUNDED * (abs(t) + abs(s))
            if u * across + w * up > 0 and abs(u * up - w * across) <= small:
                return push, -mu * push * across, -mu * push * up
    block, right, new = room[:3], room[3], room[4]
    block[0, 0], block[0, 1], block[0, 2] = w00, w01, w02
    block[1, 0], block[1, 1], block[1, 2] = w01, one[_W + 3], one[_W + 4]
    block[2, 0], block[2, 1], block[2, 2] = w02, one[_W + 4], one[_W + 5]
    right[0], right[1], right[2] = n, t, s
    new[0], new[1], new[2] = x, y, z
    solve_block(block, right, mu, new)
    return new[0], new[1], new[2]
