"""Speeds of a contact along and about its directions, and what impulses do to its bodies. Compiled by numba."""

from __future__ import annotations

from dalembert.contact.crowd.compiled import native


@native
def rate(c, i, a, b, v, rows):  # type: ignore[no-untyped-def]
    """The speed of contact c along its direction i."""
    d, ja, jb = rows.d, rows.ja, rows.jb
    return (
        d[c, i, 0] * (v[a, 0] - v[b, 0])
        + d[c, i, 1] * (v[a, 1] - v[b, 1])
        + d[c, i, 2] * (v[a, 2] - v[b, 2])
        + (ja[c, i, 0] * v[a, 3] + ja[c, i, 1] * v[a, 4] + ja[c, i, 2] * v[a, 5])
        - (jb[c, i, 0] * v[b, 3] + jb[c, i, 1] * v[b, 4] + jb[c, i, 2] * v[b, 5])
    )


@native
def push(c, a, b, x, y, z, v, inverse_mass, rows):  # type: ignore[no-untyped-def]
    """The impulse (x, y, z) along the directions of contact c, in the speeds of its bodies."""
    d, ka, kb = rows.d, rows.ka, rows.kb
    fx = d[c, 0, 0] * x + d[c, 1, 0] * y + d[c, 2, 0] * z
    fy = d[c, 0, 1] * x + d[c, 1, 1] * y + d[c, 2, 1] * z
    fz = d[c, 0, 2] * x + d[c, 1, 2] * y + d[c, 2, 2] * z
    m, n = inverse_mass[a], inverse_mass[b]
    v[a, 0] += m * fx
    v[a, 1] += m * fy
    v[a, 2] += m * fz
    v[b, 0] -= n * fx
    v[b, 1] -= n * fy
    v[b, 2] -= n * fz
    for i in range(3):
        v[a, 3 + i] += ka[c, 0, i] * x + ka[c, 1, i] * y + ka[c, 2, i] * z
        v[b, 3 + i] -= kb[c, 0, i] * x + kb[c, 1, i] * y + kb[c, 2, i] * z


@native
def spin(c, a, b, i, v, rows):  # type: ignore[no-untyped-def]
    """How fast the first body of a contact turns against the second about direction i."""
    d = rows.d
    return d[c, i, 0] * (v[a, 3] - v[b, 3]) + d[c, i, 1] * (v[a, 4] - v[b, 4]) + d[c, i, 2] * (v[a, 5] - v[b, 5])


@native
def twist(c, a, b, x, y, z, v, rows, bodies):  # type: ignore[no-untyped-def]
    """The angular impulse (x, y, z) about the directions of contact c, in the speeds of its bodies."""
    d, inverse = rows.d, bodies.inverse
    fx = d[c, 0, 0] * x + d[c, 1, 0] * y + d[c, 2, 0] * z
    fy = d[c, 0, 1] * x + d[c, 1, 1] * y + d[c, 2, 1] * z
    fz = d[c, 0, 2] * x + d[c, 1, 2] * y + d[c, 2, 2] * z
    for i in range(3):
        v[a, 3 + i] += inverse[a, i, 0] * fx + inverse[a, i, 1] * fy + inverse[a, i, 2] * fz
        v[b, 3 + i] -= inverse[b, i, 0] * fx + inverse[b, i, 1] * fy + inverse[b, i, 2] * fz
