"""The order in which a closed machine is eliminated, found once: fronts along its tree, from the tips to the root.

    [ M  G^T ] [   u'   ]   [ f     ]
    [ G   0  ] [ -lambda] = [ gamma ]

M is not made. What a node and all beyond it oppose is a quadratic form in its own motion and in what is still open
there: speeds that move other nodes too, rows of loops that are not yet closed. It is written in the motion of the node
that carries it and in the speeds between the two; a speed is eliminated where all nodes that it moves have met, a row
where its loop is closed: then all speeds that it asks have gone before, and its pivot is what is left of it beside the
rows before it. Loops between branches of one node close one after the other, before the node itself is taken along. A
front is as large as what is open at a node: of towers, rows and rings a few numbers, of grids those of a cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.lifted import Carried
from dalembert.kinematics import EARTH_NODE

Integers = NDArray[np.int64]
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Front:
    """What meets at a node: `open_there` in the order of elimination, the first `gone` of them are eliminated there.

    `columns` are the places among them of the node's own speeds, `above` the places of what stays open in the front of
    its parent. A front that is `still` only gathers branches of its node: its parent has the same motion.
    """

    node: int
    still: bool
    size: int
    parent_size: int
    columns: tuple[int, ...]
    open_there: tuple[int, ...]
    gone: int
    parent: int = NOWHERE
    above: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """Of its matrix: what is eliminated, the motion of the parent, what stays open."""
        return len(self.open_there) + self.parent_size

    @property
    def left(self) -> tuple[int, ...]:
        """What stays open."""
        return self.open_there[self.gone :]

    def without(self, out: Collection[int]) -> Front:
        """The front when some of what is open is left out."""
        places = list(accumulate((place not in out for place in self.open_there), initial=0))
        return replace(
            self,
            columns=tuple(places[c] for c in self.columns),
            open_there=tuple(place for place in self.open_there if place not in out),
            gone=places[self.gone],
        )

    @property
    def operations(self) -> int:
        """Products of one factorisation."""
        gone = sum(k * (k + 3) // 2 for k in range(self.width - self.gone, self.width))
        moved = 0 if self.still else self.size * (self.size + len(self.open_there))
        return gone + moved * (self.parent_size + len(self.columns))


@dataclass(frozen=True, slots=True)
class Fronts:
    """Fronts, branches before what carries them; when each speed goes, and each row.

    `rows[g]` is the number of the row that is taken as number g; `row_place[g]` says when it goes.
    """

    fronts: tuple[Front, ...]
    rows: tuple[int, ...]
    speed_place: Integers
    row_place: Integers

    @staticmethod
    def of(nodes: Sequence[Carried], speeds: int, rows: Sequence[Sequence[int]]) -> Fronts:
        """`rows` are the speeds in each row."""
        return _Order(nodes, speeds, rows).fronts()

    def without(self, rows: Collection[int]) -> Fronts:
        """The same fronts when some rows are left out: what is left is added up in the same order, digit by digit."""
        out = {int(self.row_place[g]) for g in rows}
        fronts = [one.without(out) for one in self.fronts]
        for k, one in enumerate(fronts):
            if one.parent != NOWHERE:
                inside = {place: i for i, place in enumerate(fronts[one.parent].open_there)}
                fronts[k] = replace(one, above=tuple(inside[place] for place in one.left))
        return replace(self, fronts=tuple(fronts))

    @property
    def operations(self) -> int:
        """Products of one factorisation."""
        return sum(one.operations for one in self.fronts)


class _Order:
    """What ends at each node: speeds that move nothing else, rows between its branches, rows of its own speeds."""

    def __init__(self, nodes: Sequence[Carried], speeds: int, rows: Sequence[Sequence[int]]) -> None:
        self.nodes, self.rows = nodes, rows
        self._depth = list[int]()
        for node in nodes:
            self._depth.append(0 if node.parent == EARTH_NODE else self._depth[node.parent] + 1)
        ends: list[int | None] = [None] * speeds
        for k, node in enumerate(nodes):
            for j in node.speeds:
                ends[j] = self._meeting(ends[j], k)
        self.ends = [EARTH_NODE if k is None else k for k in ends]
        size = len(nodes) + 1  # the last is earth
        self.speeds_at: list[list[int]] = [[] for _ in range(size)]
        self.between: list[list[int]] = [[] for _ in range(size)]
        self.rows_at: list[list[int]] = [[] for _ in range(size)]
        for j, end in enumerate(self.ends):
            self.speeds_at[end].append(j)
        self.empty = [r for r, asked in enumerate(rows) if not asked]
        for r, asked in enumerate(rows):
            met: int | None = None
            for j in asked:
                met = self._meeting(met, self.ends[j])
            if met is not None:
                (self.rows_at if any(self.ends[j] == met for j in asked) else self.between)[met].append(r)
        for some in self.between:
            some.sort(key=lambda r: -min(self.ends[j] for j in rows[r]))  # the branches that are ready first

    def _meeting(self, a: int | None, b: int) -> int:
        """The last node that carries both; nothing is carried by all."""
        if a is None:
            return b
        while a != b:
            if EARTH_NODE in (a, b):
                return EARTH_NODE
            if self._depth[a] >= self._depth[b]:
                a = self.nodes[a].parent
            else:
                b = self.nodes[b].parent
        return a

    def fronts(self) -> Fronts:
        """Node by node: what was open below, loops between its branches, itself."""
        places = _Places(len(self.ends), len(self.rows))
        for k in range(len(self.nodes) - 1, EARTH_NODE - 1, -1):
            places.take(self.between[k], self.speeds_at[k], self.rows_at[k])
        places.take(self.empty, (), ())
        opened: list[set[int]] = [{places.speed[j] for j in some} for some in self.speeds_at]
        for k, node in enumerate(self.nodes):
            opened[k].update(places.speed[j] for j in node.speeds)
        for r, asked in enumerate(self.rows):
            for j in asked:
                opened[self.ends[j]].add(places.row[r])
        made, waiting = list[Front](), [list[int]() for _ in opened]
        for k in range(len(self.nodes) - 1, EARTH_NODE - 1, -1):
            below = self._between(k, [places.row[r] for r in self.between[k]], made, waiting[k])
            there = sorted(opened[k].union(*(made[c].left for c in below)))
            if k != EARTH_NODE or there:
                ended = len(self.speeds_at[k]) + len(self.rows_at[k])
                front = self._front(k, there, ended, places.speed)
                _carry(made, below, front)
                waiting[EARTH_NODE if k == EARTH_NODE else self.nodes[k].parent].append(len(made) - 1)
        return Fronts(tuple(made), tuple(places.order), np.array(places.speed), np.array(places.row)[places.order])

    def _front(self, k: int, there: list[int], gone: int, speed_place: list[int]) -> Front:
        if k == EARTH_NODE:
            return Front(k, True, 0, 0, (), tuple(there), gone)
        node, inside = self.nodes[k], {place: i for i, place in enumerate(there)}
        above = 0 if node.parent == EARTH_NODE else self.nodes[node.parent].size
        columns = tuple(inside[speed_place[j]] for j in node.speeds)
        return Front(k, False, node.size, above, columns, tuple(there), gone)

    def _between(self, k: int, closing: list[int], made: list[Front], below: list[int]) -> list[int]:
        """Fronts of rows that close between branches, in the order of their places; returns what is left to carry."""
        first: dict[int, list[int]] = {}
        for c in below:
            if made[c].left:
                first.setdefault(made[c].left[0], []).append(c)
        known, done = set(closing), set[int]()
        left = [c for c in below if not made[c].left or made[c].left[0] not in known]
        waiting = Counter(place for some in first.values() for c in some for place in made[c].left)
        size = 0 if k == EARTH_NODE else self.nodes[k].size
        for place in closing:
            if place in done:
                continue
            some = first.pop(place)
            there = sorted(set().union(*(made[c].left for c in some)))
            waiting.subtract(place for c in some for place in made[c].left)
            gone = 1
            while gone < len(there) and there[gone] in known and not waiting[there[gone]]:  # nobody else has a part
                gone += 1
            done.update(there[:gone])
            front = Front(k, True, size, size, (), tuple(there), gone)
            _carry(made, some, front)
            rest = front.left
            waiting.update(rest)
            if rest and rest[0] in known:
                first.setdefault(rest[0], []).append(len(made) - 1)
            else:
                left.append(len(made) - 1)
        return left


class _Places:
    """When speeds and rows go."""

    def __init__(self, speeds: int, rows: int) -> None:
        self.speed, self.row = [0] * speeds, [0] * rows
        self.order = list[int]()
        self._next = 0

    def take(self, before: Sequence[int], speeds: Sequence[int], rows: Sequence[int]) -> None:
        """Rows, then speeds, then rows."""
        for r in before:
            self._row(r)
        for j in speeds:
            self.speed[j], self._next = self._next, self._next + 1
        for r in rows:
            self._row(r)

    def _row(self, r: int) -> None:
        self.row[r], self._next = self._next, self._next + 1
        self.order.append(r)


def _carry(made: list[Front], below: Sequence[int], front: Front) -> None:
    """Add a front, on which others are carried."""
    inside = {place: i for i, place in enumerate(front.open_there)}
    for c in below:
        made[c] = replace(made[c], parent=len(made), above=tuple(inside[place] for place in made[c].left))
    made.append(front)
