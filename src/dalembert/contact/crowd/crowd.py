"""A crowd of free bodies that goes on in time: the room of the machine code, and what is remembered between calls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.crowd.data import DONE, PAIRS, SHIFT, Bodies, Laws, Shapes, rows, work

Array = NDArray[Any]

_SKIN = 0.3
"""What the list of pairs looks further than contacts do, as a share of the smallest shape: it lasts for some steps."""
_LARGE = 4.0
"""A shape with more than this many times the median size is compared with every other, not put in a cell."""
TOLD = ("contacts", "pushing", "gap", "sweeps", "visits", "fault", "fastest")


def shapes_of(owners: Array) -> tuple[Array, Array]:
    """The two shapes of each pair, from its key."""
    return owners >> SHIFT, owners & ((1 << SHIFT) - 1)


class Compiled:
    """Machine code that numba makes at the first use."""

    def __init__(self) -> None:
        from dalembert.contact.crowd.pairs import find_pairs
        from dalembert.contact.crowd.step import advance, look

        self.look, self.advance, self._find = look, advance, find_pairs

    def find_pairs(self, s: Shapes, limit: float, skin: float, *room: Array) -> int:
        found = self._find(s.kinds, s.body, s.group, s.moves, s.radius, limit, s.place, s.axes, skin, *room)
        return int(found)


class Crowd:
    """Bodies with their shapes; `go` makes steps, `contacts` are those of the last one."""

    def __init__(self, shapes: Shapes, bodies: Bodies, laws: Laws, gravity: Array, code: Any = None) -> None:
        self.code = Compiled() if code is None else code  # or another with the same verbs
        self.shapes, self.bodies, self.laws = shapes, bodies, laws
        self.gravity = np.asarray(gravity, dtype=np.float64)
        shapes.moves[:] = bodies.inverse_mass[shapes.body] > 0
        finite = shapes.radius[np.isfinite(shapes.radius)]
        self.small = float(finite.min(initial=np.inf))
        sizes = finite[finite <= _LARGE * np.median(finite)] if len(finite) else finite
        self.limit = float(sizes.max(initial=0.0))
        slots = 1 << int(np.ceil(np.log2(max(2 * len(shapes.kinds), 2))))
        self._cells = np.zeros((len(shapes.kinds), 3), dtype=np.int64), np.zeros(slots, dtype=np.int64)
        self._following = np.zeros(len(shapes.kinds), dtype=np.int64)
        self.keys, self.made, self.listed = np.zeros(8 * len(shapes.kinds), dtype=np.int64), 0, -1.0
        self.rows, self.old, self.count = rows(256, len(bodies.x)), rows(256, len(bodies.x)), 0
        self.work = work(256)
        self._out, self._room = np.zeros((16, 7)), np.zeros((32, 3))

    def go(self, steps: int, h: float, tolerance: float, most: int) -> Array:
        """Make `steps` steps of h; a row for each, with columns `TOLD`."""
        told, step = np.zeros((steps, len(TOLD))), 0
        while True:
            before = step
            why, step, self.count, reach = self.code.advance(
                step, steps, h, self.gravity, self.shapes, self.bodies, self.laws, self.keys, self.made, self.listed,
                self.rows, self.count, self.old, tolerance, most, told, self._out, self._room, self.small, self.work,
            )  # fmt: skip
            if (step - before) % 2:
                self.rows, self.old = self.old, self.rows
            if why == DONE:
                return told
            if why == PAIRS:
                self._list(reach)
            else:
                more = rows(2 * len(self.rows.owners), len(self.bodies.x))
                kept = rows(2 * len(self.rows.owners), len(self.bodies.x))
                for new, old in zip(kept, self.old, strict=True):
                    new[: len(old)] = old
                self.rows, self.old, self.work = more, kept, work(len(more.owners))

    def touching(self, reach: float) -> tuple[Array, Array]:
        """Pairs of shapes nearer than `reach` as they stand now, and their points: normal, place, gap."""
        look = self.code.look
        while True:
            look(self.shapes, self.bodies, self.keys, 0, reach, self.rows, self._out, self._room)
            self._list(reach)
            count = look(self.shapes, self.bodies, self.keys, self.made, reach, self.rows, self._out, self._room)
            if count >= 0:
                owners = self.rows.owners[:count]
                pairs = np.stack(shapes_of(owners), axis=1)
                return pairs, self.rows.points[:count].copy()
            self.rows = rows(2 * len(self.rows.owners), len(self.bodies.x))
            self.old, self.work = rows(len(self.rows.owners), len(self.bodies.x)), work(len(self.rows.owners))

    def _list(self, reach: float) -> None:
        s = self.shapes
        self.listed = 2 * reach + _SKIN * self.small
        while True:
            self.made = self.code.find_pairs(s, self.limit, self.listed, *self._cells, self._following, self.keys)
            if self.made <= len(self.keys):
                break
            self.keys = np.zeros(2 * self.made, dtype=np.int64)
        self.keys[: self.made].sort()
        s.seen[:] = s.place
