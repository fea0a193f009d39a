"""Two boxes: the axis that parts them most, and the points of one face over the other. Compiled by numba."""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import native

_EDGES = 1e-4
"""A pair of edges is taken before a face only if it parts the boxes by so much more, as a share of the smallest half
side: faces that nearly lie on each other give points that do not jump."""
_SAME = 1e-6
"""A corner this near to a side of the other face, as a share of the smallest half side, lies on it and is not cut:
equal boxes on each other would be cut anywhere by rounding, and impulses would not find theirs of the last step."""
_PARALLEL = 1e-8
"""Squared sine of the angle of two edges below which they part nothing that faces do not."""


@native
def extent(x, y, z, j, sizes, place, axes):  # type: ignore[no-untyped-def]
    """The distance of a point from a box; inside, minus the depth."""
    s, deepest = 0.0, -math.inf
    x, y, z = x - place[j, 0], y - place[j, 1], z - place[j, 2]
    for k in range(3):
        out = abs(axes[j, 0, k] * x + axes[j, 1, k] * y + axes[j, 2, k] * z) - sizes[j, k]
        deepest = max(deepest, out)
        s += max(out, 0.0) ** 2
    return math.sqrt(s) if s > 0 else deepest


@native
def _half(x, y, z, i, sizes, axes):  # type: ignore[no-untyped-def]
    """How far a box reaches from its centre along a unit direction."""
    s = 0.0
    for k in range(3):
        s += sizes[i, k] * abs(x * axes[i, 0, k] + y * axes[i, 1, k] + z * axes[i, 2, k])
    return s


@native
def box_box(i, j, sizes, place, axes, reach, out, room, sign):  # type: ignore[no-untyped-def]
    """Rows (normal from j to i times `sign`, point, gap) in `out`; how many."""
    dx, dy, dz = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], place[i, 2] - place[j, 2]
    least, kind, index, nx, ny, nz, small = -math.inf, 0, 0, 0.0, 0.0, 0.0, math.inf
    for m in range(6):
        own = i if m < 3 else j
        k = m % 3
        x, y, z = axes[own, 0, k], axes[own, 1, k], axes[own, 2, k]
        gap = abs(x * dx + y * dy + z * dz) - _half(x, y, z, i, sizes, axes) - _half(x, y, z, j, sizes, axes)
        if gap > reach:
            return 0
        small = min(small, sizes[own, k])
        if gap > least + 1e-9 * small:
            least, kind, index = gap, m // 3, k
    for m in range(9):
        a, b = m // 3, m % 3
        x = axes[i, 1, a] * axes[j, 2, b] - axes[i, 2, a] * axes[j, 1, b]
        y = axes[i, 2, a] * axes[j, 0, b] - axes[i, 0, a] * axes[j, 2, b]
        z = axes[i, 0, a] * axes[j, 1, b] - axes[i, 1, a] * axes[j, 0, b]
        size = x * x + y * y + z * z
        if size >= _PARALLEL:
            size = math.sqrt(size)
            x, y, z = x / size, y / size, z / size
            along = x * dx + y * dy + z * dz
            gap = abs(along) - _half(x, y, z, i, sizes, axes) - _half(x, y, z, j, sizes, axes)
            if gap > reach:
                return 0
            if gap > least + _EDGES * small:
                turn = 1.0 if along >= 0 else -1.0
                least, kind, index, nx, ny, nz = gap, 2, m, turn * x, turn * y, turn * z
    if kind == 2:
        return _edges(i, j, index // 3, index % 3, sizes, place, axes, nx, ny, nz, least, out, sign)
    if kind == 0:
        return _faces(i, j, index, sizes, place, axes, reach, out, room, sign)
    return _faces(j, i, index, sizes, place, axes, reach, out, room, -sign)


@native
def _edges(i, j, a, b, sizes, place, axes, nx, ny, nz, gap, out, sign):  # type: ignore[no-untyped-def]
    """The nearest points of the two edges that look at each other: axis a of box i, axis b of box j."""
    px, py, pz, qx, qy, qz = place[i, 0], place[i, 1], place[i, 2], place[j, 0], place[j, 1], place[j, 2]
    for k in range(3):
        if k != a:
            s = sizes[i, k] if nx * axes[i, 0, k] + ny * axes[i, 1, k] + nz * axes[i, 2, k] < 0 else -sizes[i, k]
            px, py, pz = px + s * axes[i, 0, k], py + s * axes[i, 1, k], pz + s * axes[i, 2, k]
        if k != b:
            s = sizes[j, k] if nx * axes[j, 0, k] + ny * axes[j, 1, k] + nz * axes[j, 2, k] > 0 else -sizes[j, k]
            qx, qy, qz = qx + s * axes[j, 0, k], qy + s * axes[j, 1, k], qz + s * axes[j, 2, k]
    ux, uy, uz, vx, vy, vz = axes[i, 0, a], axes[i, 1, a], axes[i, 2, a], axes[j, 0, b], axes[j, 1, b], axes[j, 2, b]
    dx, dy, dz = qx - px, qy - py, qz - pz
    uv, ud, vd = ux * vx + uy * vy + uz * vz, ux * dx + uy * dy + uz * dz, vx * dx + vy * dy + vz * dz
    s = (ud - uv * vd) / (1 - uv * uv)
    t = uv * s - vd
    s, t = min(max(s, -sizes[i, a]), sizes[i, a]), min(max(t, -sizes[j, b]), sizes[j, b])
    out[0, 0], out[0, 1], out[0, 2] = sign * nx, sign * ny, sign * nz
    out[0, 3] = (px + s * ux + qx + t * vx) / 2
    out[0, 4] = (py + s * uy + qy + t * vy) / 2
    out[0, 5] = (pz + s * uz + qz + t * vz) / 2
    out[0, 6] = gap
    return 1


@native
def _faces(i, j, axis, sizes, place, axes, reach, out, room, sign):  # type: ignore[no-untyped-def]
    """The face of box i across `axis` that looks at box j, and the face of j that looks back, cut to the first's sides.

    The normal is told from j to i times `sign`; `room` holds two polygons of sixteen points.
    """
    dx, dy, dz = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
    nx, ny, nz = axes[i, 0, axis], axes[i, 1, axis], axes[i, 2, axis]
    if nx * dx + ny * dy + nz * dz < 0:
        nx, ny, nz = -nx, -ny, -nz
    best, other, facing = -1.0, 0, 1.0
    for m in range(3):
        along = nx * axes[j, 0, m] + ny * axes[j, 1, m] + nz * axes[j, 2, m]
        if abs(along) > best:
            best, other, facing = abs(along), m, -1.0 if along > 0 else 1.0
    one, two, count = (other + 1) % 3, (other + 2) % 3, 4
    for m in range(4):
        a = sizes[j, one] if m in (0, 3) else -sizes[j, one]
        b = sizes[j, two] if m < 2 else -sizes[j, two]
        for k in range(3):
            room[m, k] = (
                place[j, k] + facing * sizes[j, other] * axes[j, k, other] + a * axes[j, k, one] + b * axes[j, k, two]
            )
    source, target, near = 0, 16, _SAME * min(sizes[i, 0], sizes[i, 1], sizes[i, 2])
    for m in range(4):
        side = (axis + 1 + m // 2) % 3
        turn = 1.0 if m % 2 else -1.0
        wx, wy, wz = turn * axes[i, 0, side], turn * axes[i, 1, side], turn * axes[i, 2, side]
        top = wx * place[i, 0] + wy * place[i, 1] + wz * place[i, 2] + sizes[i, side]
        made = 0
        for k in range(count):
            p, q = source + k, source + (k + 1) % count
            fp = wx * room[p, 0] + wy * room[p, 1] + wz * room[p, 2] - top
            fq = wx * room[q, 0] + wy * room[q, 1] + wz * room[q, 2] - top
            if fp <= near:
                for c in range(3):
                    room[target + made, c] = room[p, c]
                made += 1
            if (fp > near and fq < -near) or (fp < -near and fq > near):
                for c in range(3):
                    room[target + made, c] = room[p, c] + fp / (fp - fq) * (room[q, c] - room[p, c])
                made += 1
        source, target, count = target, source, made
    found = 0
    level = nx * place[i, 0] + ny * place[i, 1] + nz * place[i, 2] + sizes[i, axis]
    for k in range(count):
        p = source + k
        gap = nx * room[p, 0] + ny * room[p, 1] + nz * room[p, 2] - level
        if gap <= reach:
            out[found, 0], out[found, 1], out[found, 2] = -sign * nx, -sign * ny, -sign * nz
            out[found, 3] = room[p, 0] - gap / 2 * nx
            out[found, 4] = room[p, 1] - gap / 2 * ny
            out[found, 5] = room[p, 2] - gap / 2 * nz
            out[found, 6] = gap
            found += 1
    return found
