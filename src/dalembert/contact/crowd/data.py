"""The arrays of a crowd: shapes, bodies, contacts. Earth is the last body: it has no inverse mass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

DONE, PAIRS, ROOM = 0, 1, 2
"""Why `advance` returns: all steps are made; the list of pairs must be made anew; there are more contacts than room."""
SHIFT = 32
"""The key of a pair of shapes has the first of them above so many bits: no division takes it apart."""
PACKED = 42
"""Columns of a contact in the order of sweeps."""
BODIES = 64
"""Bodies of an island, at most, that is solved as a whole."""


class Shapes(NamedTuple):
    """What may touch: kind, body, place and axes in the body, sizes (radius; half sides; radius and half length).

    Shapes of one `group` touch each other. `place`, `axes` are in space, `seen` where the list of pairs was made.
    """

    kinds: Array
    body: Array
    group: Array
    moves: Array
    sizes: Array
    radius: Array
    local: Array
    turned: Array
    place: Array
    axes: Array
    seen: Array


class Laws(NamedTuple):
    """Of each group: friction, restitution, lengths of rolling and drilling friction."""

    friction: Array
    restitution: Array
    rolling: Array
    drilling: Array


class Bodies(NamedTuple):
    """Centres x, quaternions q of the principal axes, speeds v (linear, angular; in the base of earth), inertia.

    The rest is room for the step: `last` speeds before it, `along` a direction of speeds, `islands` of the bodies.
    """

    x: Array
    q: Array
    v: Array
    inverse_mass: Array
    inertia: Array
    inverse_own: Array
    round: Array
    inverse: Array
    turns: Array
    last: Array
    before: Array
    along: Array
    touched: Array
    parent: Array
    order: Array
    starts: Array
    island: Array
    place: Array
    queue: Array
    reach: Array


class Rows(NamedTuple):
    """Contacts: bodies, directions d (normal, two tangents), their moments j, what they turn k, the block w.

    `points` are normal, place and gap; impulses p along d, and of rolling and drilling (spin about d); `shift` what is
    added to the rate of the gap in its law. `made`: impulses in space, for the next step. `packed`: see `visit`.
    """

    points: Array
    owners: Array
    first: Array
    second: Array
    d: Array
    ja: Array
    jb: Array
    ka: Array
    kb: Array
    w: Array
    p: Array
    before: Array
    along: Array
    shift: Array
    group: Array
    order: Array
    starts: Array
    made: Array
    packed: Array


class Work(NamedTuple):
    """Room for an island that is solved as a whole: nothing is asked of the system's memory in a step."""

    free: Array
    matrix: Array
    right: Array
    gradient: Array
    first: Array
    made: Array
    rates: Array
    along: Array
    start: Array
    hard: Array
    x: Array
    slope: Array
    change: Array
    moved: Array


def work(room: int) -> Work:
    """Room for so many contacts."""
    n = 6 * BODIES
    shapes_ = [(BODIES, 6), (n, n), (n,), (n,), *[(room, 3)] * 5, (room,), (3,), (3, 3), (6,), (6,)]
    return Work(*(np.zeros(shape) for shape in shapes_))


def shapes(kinds: Array, body: Array, group: Array, sizes: Array, local: Array, turned: Array) -> Shapes:
    """The shapes of a crowd, nothing placed yet; the last body is earth."""
    radius = np.where(kinds == 0, sizes[:, 0], np.where(kinds == 3, sizes[:, 0] + sizes[:, 1], np.inf))
    radius = np.where(kinds == 2, np.sqrt((sizes**2).sum(axis=1)), radius)
    count = len(kinds)
    return Shapes(
        kinds.astype(np.int64),
        body.astype(np.int64),
        group.astype(np.int64),
        np.zeros(count, dtype=np.bool_),
        np.ascontiguousarray(sizes, dtype=np.float64),
        radius,
        np.ascontiguousarray(local, dtype=np.float64),
        np.ascontiguousarray(turned, dtype=np.float64),
        np.zeros((count, 3)),
        np.zeros((count, 3, 3)),
        np.full((count, 3), np.inf),
    )


def bodies(x: Array, q: Array, v: Array, mass: Array, inertia: Array) -> Bodies:
    """Bodies that move, and earth after them; `inertia` are principal moments, `q` turns their axes."""
    count = len(x) + 1
    still = np.zeros((1, 3))
    inverse_own = np.concatenate([1 / inertia, still])
    inverse = np.zeros((count, 3, 3))
    inverse[:, [0, 1, 2], [0, 1, 2]] = inverse_own
    spread = np.ptp(inertia, axis=1) <= 1e-14 * inertia.max(axis=1)  # moments equal to rounding: no gyroscopic torque
    return Bodies(
        np.concatenate([x, still]),
        np.concatenate([q, [[1.0, 0.0, 0.0, 0.0]]]),
        np.concatenate([v, np.zeros((1, 6))]),
        np.append(1 / mass, 0.0),
        np.concatenate([inertia, still + 1]),
        inverse_own,
        np.append(spread, True),
        inverse,
        np.zeros((count, 3, 3)),
        np.zeros((count, 6)),
        np.zeros((count, 6)),
        np.zeros((count, 6)),
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(count + 1, dtype=np.int64),
        *(np.zeros(count, dtype=np.int64) for _ in range(4)),
    )


def rows(room: int, bodies_: int) -> Rows:
    """Room for so many contacts."""
    return Rows(
        np.zeros((room, 7)),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        *(np.zeros((room, 3, 3)) for _ in range(6)),  # type: ignore[call-arg]
        np.zeros((room, 6)),
        np.zeros((room, 6)),
        np.zeros((room, 6)),
        np.zeros(room),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(bodies_ + 1, dtype=np.int64),
        np.zeros((room, 6)),
        np.zeros((room, PACKED)),
    )
