"""Broad phase: which shapes may touch, by a grid of cells as large as the shapes. Compiled by numba.

Shapes much larger than most, and planes, are beside every other; the rest are looked for in neighbouring cells, so that
the work grows with the number of shapes.
"""

from __future__ import annotations

import math

from dalembert.contact.crowd.compiled import entry, native
from dalembert.contact.crowd.data import SHIFT

SPHERE, PLANE, BOX, CAPSULE = 0, 1, 2, 3


@native
def place_shapes(body, local, turned, x, turns, place, axes):  # type: ignore[no-untyped-def]
    """Origin and axes (columns) of every shape in space."""
    for k in range(len(body)):
        b = body[k]
        for i in range(3):
            s = x[b, i]
            for j in range(3):
                s += turns[b, i, j] * local[k, j]
                axes[k, i, j] = (
                    turns[b, i, 0] * turned[k, 0, j]
                    + turns[b, i, 1] * turned[k, 1, j]
                    + turns[b, i, 2] * turned[k, 2, j]
                )
            place[k, i] = s


@native
def _allowed(i, j, body, group, moves):  # type: ignore[no-untyped-def]
    return group[i] == group[j] and body[i] != body[j] and (moves[i] or moves[j])


@entry
def find_pairs(kinds, body, group, moves, radius, limit, place, axes, skin, cell, heads, following, keys):  # type: ignore[no-untyped-def]
    """Keys i * count + j, i < j, of shapes whose distance may be less than `skin`; how many there are.

    Shapes larger than `limit` are in no cell. Where `keys` is too short, it is left half written: ask again.
    """
    count, slots, made = len(kinds), len(heads), 0
    edge = 2 * limit + skin
    for k in range(slots):
        heads[k] = -1
    for k in range(count):
        if radius[k] <= limit:
            for i in range(3):
                cell[k, i] = math.floor(place[k, i] / edge)
            slot = _slot(cell[k, 0], cell[k, 1], cell[k, 2], slots)
            following[k] = heads[slot]
            heads[slot] = k
    for i in range(count):
        if radius[i] <= limit:
            for step in range(27):
                a, b, c = cell[i, 0] + step % 3 - 1, cell[i, 1] + step // 3 % 3 - 1, cell[i, 2] + step // 9 - 1
                j = heads[_slot(a, b, c, slots)]
                while j >= 0:
                    here = j < i and cell[j, 0] == a and cell[j, 1] == b and cell[j, 2] == c
                    if here and _near(i, j, place, radius, skin) and _allowed(i, j, body, group, moves):
                        if made < len(keys):
                            keys[made] = j << SHIFT | i
                        made += 1
                    j = following[j]
        else:
            for j in range(count):
                if (radius[j] <= limit or j < i) and _allowed(i, j, body, group, moves):
                    if kinds[i] == PLANE or kinds[j] == PLANE:
                        close = _above(i, j, kinds, place, axes, radius, skin)
                    else:
                        close = _near(i, j, place, radius, skin)
                    if close:
                        if made < len(keys):
                            keys[made] = min(i, j) << SHIFT | max(i, j)
                        made += 1
    return made


@native
def _slot(a, b, c, slots):  # type: ignore[no-untyped-def]
    return (a * 73856093 ^ b * 19349663 ^ c * 83492791) & (slots - 1)


@native
def _near(i, j, place, radius, skin):  # type: ignore[no-untyped-def]
    far = radius[i] + radius[j] + skin
    x, y, z = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], place[i, 2] - place[j, 2]
    return x * x + y * y + z * z <= far * far


@native
def _above(i, j, kinds, place, axes, radius, skin):  # type: ignore[no-untyped-def]
    if kinds[j] == PLANE:
        i, j = j, i
    if kinds[j] == PLANE:
        return False
    x, y, z = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
    return axes[i, 0, 2] * x + axes[i, 1, 2] * y + axes[i, 2, 2] * z <= radius[j] + skin
