"""Turning of free bodies: quaternions, inertia in space, and the motion of a body by itself. Compiled by numba."""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native


@native
def place_body(k, bodies):  # type: ignore[no-untyped-def]
    """Rotation matrix and inverse inertia of a body in space."""
    q, r = bodies.q, bodies.turns
    w, x, y, z = q[k, 0], q[k, 1], q[k, 2], q[k, 3]
    r[k, 0, 0], r[k, 0, 1], r[k, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    r[k, 1, 0], r[k, 1, 1], r[k, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    r[k, 2, 0], r[k, 2, 1], r[k, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    if bodies.round[k]:
        return
    own = bodies.inverse_own
    for i in range(3):
        for j in range(3):
            bodies.inverse[k, i, j] = (
                r[k, i, 0] * own[k, 0] * r[k, j, 0]
                + r[k, i, 1] * own[k, 1] * r[k, j, 1]
                + r[k, i, 2] * own[k, 2] * r[k, j, 2]
            )


@native
def turn_by(k, x, y, z, q):  # type: ignore[no-untyped-def]
    """Turn body k by the rotation vector (x, y, z), in the base of earth."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle == 0:
        return
    s = math.sin(angle / 2) / angle
    a, b, c, d = math.cos(angle / 2), s * x, s * y, s * z
    e, f, g, i = q[k, 0], q[k, 1], q[k, 2], q[k, 3]
    e, f, g, i = (
        a * e - b * f - c * g - d * i,
        a * f + b * e + c * i - d * g,
        a * g - b * i + c * e + d * f,
        a * i + b * g - c * f + d * e,
    )
    size = math.sqrt(e * e + f * f + g * g + i * i)
    q[k, 0], q[k, 1], q[k, 2], q[k, 3] = e / size, f / size, g / size, i / size


@native
def turn_freely(k, h, x, y, z, bodies):  # type: ignore[no-untyped-def]
    """Turn body k for h with its angular momentum, at first with the angular velocity (x, y, z); it is kept exactly.

    The midpoint rule: the momentum over the inertia half a step ahead is how it turns.
    """
    if bodies.round[k]:
        turn_by(k, h * x, h * y, h * z, bodies.q)
        return
    q, v, turns, own = bodies.q, bodies.v, bodies.turns, bodies.inertia
    a, b, c, d = q[k, 0], q[k, 1], q[k, 2], q[k, 3]
    place_body(k, bodies)
    p0, p1, p2 = 0.0, 0.0, 0.0
    for i in range(3):
        along = own[k, i] * (turns[k, 0, i] * v[k, 3] + turns[k, 1, i] * v[k, 4] + turns[k, 2, i] * v[k, 5])
        p0, p1, p2 = p0 + turns[k, 0, i] * along, p1 + turns[k, 1, i] * along, p2 + turns[k, 2, i] * along
    turn_by(k, h / 2 * x, h / 2 * y, h / 2 * z, q)
    _spin(k, p0, p1, p2, bodies)
    q[k, 0], q[k, 1], q[k, 2], q[k, 3] = a, b, c, d
    turn_by(k, h * v[k, 3], h * v[k, 4], h * v[k, 5], q)
    _spin(k, p0, p1, p2, bodies)


@native
def _spin(k, x, y, z, bodies):  # type: ignore[no-untyped-def]
    """The angular velocity of a body with the angular momentum (x, y, z), as it stands."""
    place_body(k, bodies)
    for i in range(3):
        bodies.v[k, 3 + i] = bodies.inverse[k, i, 0] * x + bodies.inverse[k, i, 1] * y + bodies.inverse[k, i, 2] * z
