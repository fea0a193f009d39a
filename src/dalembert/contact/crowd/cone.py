"""One contact, exactly: Coulomb's law for a block W of three rows (normal, two tangents). Compiled by numba.

u = W P + b,   0 <= u_n orth P_n >= 0,   |P_t| <= mu P_n,   P_t against u_t where it slips
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import entry, native

_TURNS = 30
"""Directions of slip tried by letting each follow from the last, before the circle is searched."""
_STRAIGHT = 1e-13
"""Sine of the angle between friction and slip that is rounding."""
_ROUND = 1e-14
_PARTS = 64


@entry
def solve_block(w, b, mu, p):  # type: ignore[no-untyped-def]
    """P in `p`; False if no direction of slip is its own consequence (Painleve's case): then P is left as it was."""
    if b[0] >= 0:
        p[0] = p[1] = p[2] = 0.0
        return True
    # stick: W P = -b by Cramer's rule
    c0 = w[1, 1] * w[2, 2] - w[1, 2] * w[2, 1]
    c1 = w[1, 2] * w[2, 0] - w[1, 0] * w[2, 2]
    c2 = w[1, 0] * w[2, 1] - w[1, 1] * w[2, 0]
    det = w[0, 0] * c0 + w[0, 1] * c1 + w[0, 2] * c2
    if det > _ROUND * w[0, 0] * w[1, 1] * w[2, 2]:
        d1 = w[0, 2] * w[2, 1] - w[0, 1] * w[2, 2]
        d2 = w[0, 1] * w[1, 2] - w[0, 2] * w[1, 1]
        e1 = w[0, 0] * w[2, 2] - w[0, 2] * w[2, 0]
        e2 = w[0, 2] * w[1, 0] - w[0, 0] * w[1, 2]
        f1 = w[0, 1] * w[2, 0] - w[0, 0] * w[2, 1]
        f2 = w[0, 0] * w[1, 1] - w[0, 1] * w[1, 0]
        x = -(c0 * b[0] + d1 * b[1] + d2 * b[2]) / det
        y = -(c1 * b[0] + e1 * b[1] + e2 * b[2]) / det
        z = -(c2 * b[0] + f1 * b[1] + f2 * b[2]) / det
        if x >= 0 and y * y + z * z <= (mu * x) ** 2:
            p[0], p[1], p[2] = x, y, z
            return True
    if mu == 0:
        p[0], p[1], p[2] = -b[0] / w[0, 0], 0.0, 0.0
        return True
    x, y = b[1] - b[0] * w[1, 0] / w[0, 0], b[2] - b[0] * w[2, 0] / w[0, 0]
    size = math.sqrt(x * x + y * y)
    for _ in range(_TURNS):
        if size == 0:
            break
        x, y = x / size, y / size
        slope = w[0, 0] - mu * (w[0, 1] * x + w[0, 2] * y)
        if slope <= 0:
            break
        n = -b[0] / slope
        u = b[1] + n * (w[1, 0] - mu * (w[1, 1] * x + w[1, 2] * y))
        v = b[2] + n * (w[2, 0] - mu * (w[2, 1] * x + w[2, 2] * y))
        size = math.sqrt(u * u + v * v)
        if u * x + v * y > 0 and abs(u * y - v * x) <= _STRAIGHT * size:
            p[0], p[1], p[2] = n, -mu * n * x, -mu * n * y
            return True
        x, y = u, v
    return _search(w, b, mu, p)


@native
def _cross(w, b, mu, th):  # type: ignore[no-untyped-def]
    x, y = math.cos(th), math.sin(th)
    slope = w[0, 0] - mu * (w[0, 1] * x + w[0, 2] * y)
    u = b[1] * slope - b[0] * (w[1, 0] - mu * (w[1, 1] * x + w[1, 2] * y))
    v = b[2] * slope - b[0] * (w[2, 0] - mu * (w[2, 1] * x + w[2, 2] * y))
    return x * v - y * u, x * u + y * v, slope


@native
def _search(w, b, mu, p):  # type: ignore[no-untyped-def]
    """The direction along which it slips, looked for on the whole circle: a sign change, then halved."""
    step = 2 * math.pi / _PARTS
    before, _, _ = _cross(w, b, mu, 0.0)
    for k in range(1, _PARTS + 1):
        after, _, _ = _cross(w, b, mu, k * step)
        if (before <= 0) != (after <= 0):
            low, high, first = (k - 1) * step, k * step, before
            for _ in range(60):
                middle = (low + high) / 2
                here, _, _ = _cross(w, b, mu, middle)
                if (here <= 0) == (first <= 0):
                    low = middle
                else:
                    high = middle
            th = (low + high) / 2
            _, along, slope = _cross(w, b, mu, th)
            if slope > 0 and along > 0:
                n = -b[0] / slope
                p[0], p[1], p[2] = n, -mu * n * math.cos(th), -mu * n * math.sin(th)
                return True
        before = after
    return False


@native
def basis(d, c):  # type: ignore[no-untyped-def]
    """Two unit tangents d[c, 1], d[c, 2] of the normal d[c, 0]."""
    x, y, z = d[c, 0, 0], d[c, 0, 1], d[c, 0, 2]
    if abs(z) < 0.9:
        size = math.sqrt(x * x + y * y)
        a, b, e = -y / size, x / size, 0.0
    else:
        size = math.sqrt(y * y + z * z)
        a, b, e = 0.0, -z / size, y / size
    d[c, 1, 0], d[c, 1, 1], d[c, 1, 2] = a, b, e
    d[c, 2, 0], d[c, 2, 1], d[c, 2, 2] = y * e - z * b, z * a - x * e, x * b - y * a
