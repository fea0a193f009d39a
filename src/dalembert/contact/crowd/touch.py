"""Narrow phase: normals, points and gaps of two shapes, in closed form. Compiled by numba.

A row of `out` is the normal (from the second shape to the first), the point between the two surfaces, and the gap.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.boxes import box_box, extent
from dalembert.contact.crowd.compiled import native
from dalembert.contact.crowd.pairs import BOX, CAPSULE, PLANE, SPHERE

MOST = 16
"""Points of one pair, at most: two boxes cut each other's face into eight."""
_PARALLEL = 1e-6
"""Squared sine below which two capsules touch along their length, not at a point."""


@native
def touch(i, j, kinds, sizes, place, axes, reach, out, room):  # type: ignore[no-untyped-def]
    """Contacts of shapes i and j whose gap is at most `reach`; how many. `room` is for points of faces."""
    a, b = kinds[i], kinds[j]
    if a == SPHERE and b == SPHERE:
        return _balls(
            place[i, 0],
            place[i, 1],
            place[i, 2],
            sizes[i, 0],
            place[j, 0],
            place[j, 1],
            place[j, 2],
            sizes[j, 0],
            reach,
            out,
            0,
            1.0,
        )
    sign = 1.0
    if (a == PLANE) or b == SPHERE or (b == CAPSULE and a == BOX):
        i, j, a, b, sign = j, i, b, a, -1.0
    if b == PLANE:
        return _on_plane(i, j, kinds, sizes, place, axes, reach, out, sign)
    if a == BOX:
        return box_box(i, j, sizes, place, axes, reach, out, room, sign)
    if b == BOX:
        if a == SPHERE:
            return _ball_box(
                place[i, 0], place[i, 1], place[i, 2], sizes[i, 0], j, sizes, place, axes, reach, out, 0, sign
            )
        return _capsule_box(i, j, sizes, place, axes, reach, out, sign)
    return _segments(i, j, kinds, sizes, place, axes, reach, out, sign)


@native
def _on_plane(i, j, kinds, sizes, place, axes, reach, out, sign):  # type: ignore[no-untyped-def]
    found, radius = 0, sizes[i, 0]
    nx, ny, nz = axes[j, 0, 2], axes[j, 1, 2], axes[j, 2, 2]
    count = 1 if kinds[i] == SPHERE else 2 if kinds[i] == CAPSULE else 8
    for part in range(count):
        x, y, z = place[i, 0], place[i, 1], place[i, 2]
        if kinds[i] == CAPSULE:
            s = (2 * part - 1) * sizes[i, 1]
            x, y, z = x + s * axes[i, 0, 2], y + s * axes[i, 1, 2], z + s * axes[i, 2, 2]
        elif kinds[i] == BOX:
            radius = 0.0
            for k in range(3):
                s = sizes[i, k] if part >> k & 1 else -sizes[i, k]
                x, y, z = x + s * axes[i, 0, k], y + s * axes[i, 1, k], z + s * axes[i, 2, k]
        gap = nx * (x - place[j, 0]) + ny * (y - place[j, 1]) + nz * (z - place[j, 2]) - radius
        if gap <= reach:
            s = radius + gap / 2
            out[found, 0], out[found, 1], out[found, 2] = sign * nx, sign * ny, sign * nz
            out[found, 3], out[found, 4], out[found, 5] = x - s * nx, y - s * ny, z - s * nz
            out[found, 6] = gap
            found += 1
    return found


@native
def _balls(px, py, pz, r, qx, qy, qz, s, reach, out, found, sign):  # type: ignore[no-untyped-def]
    x, y, z = px - qx, py - qy, pz - qz
    away = math.sqrt(x * x + y * y + z * z)
    gap = away - r - s
    if gap > reach:
        return found
    if away == 0:
        x, y, z, away = 0.0, 0.0, 1.0, 1.0
    x, y, z = x / away, y / away, z / away
    out[found, 0], out[found, 1], out[found, 2] = sign * x, sign * y, sign * z
    middle = s + gap / 2
    out[found, 3], out[found, 4], out[found, 5] = qx + middle * x, qy + middle * y, qz + middle * z
    out[found, 6] = gap
    return found + 1


@native
def _ball_box(x, y, z, r, j, sizes, place, axes, reach, out, found, sign):  # type: ignore[no-untyped-def]
    px, py, pz = x - place[j, 0], y - place[j, 1], z - place[j, 2]
    nx, ny, nz, inside, best, way, face = place[j, 0], place[j, 1], place[j, 2], True, math.inf, 0, 1.0
    for k in range(3):
        along = axes[j, 0, k] * px + axes[j, 1, k] * py + axes[j, 2, k] * pz
        held = min(max(along, -sizes[j, k]), sizes[j, k])
        inside = inside and held == along
        if sizes[j, k] - abs(along) < best:
            best, way, face = sizes[j, k] - abs(along), k, 1.0 if along >= 0 else -1.0
        nx, ny, nz = nx + held * axes[j, 0, k], ny + held * axes[j, 1, k], nz + held * axes[j, 2, k]
    if not inside:
        return _balls(x, y, z, r, nx, ny, nz, 0.0, reach, out, found, sign)
    nx, ny, nz, gap = face * axes[j, 0, way], face * axes[j, 1, way], face * axes[j, 2, way], -best - r
    out[found, 0], out[found, 1], out[found, 2] = sign * nx, sign * ny, sign * nz
    s = best + gap / 2
    out[found, 3], out[found, 4], out[found, 5] = x + s * nx, y + s * ny, z + s * nz
    out[found, 6] = gap
    return found + 1


@native
def _segments(i, j, kinds, sizes, place, axes, reach, out, sign):  # type: ignore[no-untyped-def]
    """Ball or capsule against a capsule: the nearest points of two segments; of parallel ones, the ends of the common
    length."""
    ux, uy, uz = axes[i, 0, 2], axes[i, 1, 2], axes[i, 2, 2]
    vx, vy, vz = axes[j, 0, 2], axes[j, 1, 2], axes[j, 2, 2]
    a, b = 0.0 if kinds[i] == SPHERE else sizes[i, 1], sizes[j, 1]
    x, y, z = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], place[i, 2] - place[j, 2]
    uv, ud, vd = ux * vx + uy * vy + uz * vz, ux * x + uy * y + uz * z, vx * x + vy * y + vz * z
    s, t, parts, last = 0.0, min(max(vd, -b), b), 1, 0.0
    if a > 0 and 1 - uv * uv < _PARALLEL:
        t, last = max(vd - a, -b), min(vd + a, b)
        if last - t > _PARALLEL * (a + b):
            parts = 2
        else:
            t = min(max(vd, -b), b)
        s = min(max(uv * t - ud, -a), a)
    elif a > 0:
        s = min(max((uv * vd - ud) / (1 - uv * uv), -a), a)
        t = min(max(vd + uv * s, -b), b)
        s = min(max(uv * t - ud, -a), a)
    found = 0
    for part in range(parts):
        if part == 1:
            t = last
            s = min(max(uv * t - ud, -a), a)
        found = _balls(
            place[i, 0] + s * ux,
            place[i, 1] + s * uy,
            place[i, 2] + s * uz,
            sizes[i, 0],
            place[j, 0] + t * vx,
            place[j, 1] + t * vy,
            place[j, 2] + t * vz,
            sizes[j, 0],
            reach,
            out,
            found,
            sign,
        )
    return found


@native
def _capsule_box(i, j, sizes, place, axes, reach, out, sign):  # type: ignore[no-untyped-def]
    """Balls along the axis of a capsule against a box: both ends, and where the axis is nearest between them."""
    found, half = 0, sizes[i, 1]
    x, y, z, ax, ay, az = place[i, 0], place[i, 1], place[i, 2], axes[i, 0, 2], axes[i, 1, 2], axes[i, 2, 2]
    low, high = -half, half
    for _ in range(60):  # the distance from a box is convex along a line
        a, b = low + (high - low) / 3, high - (high - low) / 3
        first = extent(x + a * ax, y + a * ay, z + a * az, j, sizes, place, axes)
        if first <= extent(x + b * ax, y + b * ay, z + b * az, j, sizes, place, axes):
            high = b
        else:
            low = a
    middle = (low + high) / 2
    for k in range(3):
        s = middle if k == 2 else half if k else -half
        if k < 2 or abs(middle) < half * (1 - 1e-6):
            found = _ball_box(
                x + s * ax, y + s * ay, z + s * az, sizes[i, 0], j, sizes, place, axes, reach, out, found, sign
            )
    return found
