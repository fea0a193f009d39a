"""A machine as the block of integers that the compiled sparse solve reads."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.lifted import Carried
from dalembert.simulate.sparse import layout as at
from dalembert.simulate.sparse.native import Entries, entries
from dalembert.simulate.sparse.placed import Placed
from dalembert.simulate.sparse.structure import Elimination, Structure

Integers = NDArray[np.int64]
Array = NDArray[np.float64]
_VECTORS = ("right", "scales", "gamma", "conditions", "gap", "offset", "reach", "drift")

#: Evaluations at which the rows are chosen from the start, before what is known of them is used: two steps.
_PATIENCE = 24


class Table(Protocol):
    """Numbers of a state: their shape, which of them are not zero, and where they begin among all."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def places(self) -> Integers: ...
    @property
    def begin(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Described:
    """What the solve needs to know of a machine: `numbers` and `kinematics` are addresses of functions of (t, y, p).

    Tables of rows are in the order of the structure; `blocks` are X, S and I of the nodes, one after the other.
    """

    structure: Structure
    nodes: Sequence[Carried]
    tables: Mapping[str, Table]
    count: int  # of all numbers
    coordinates: int
    own: int
    rounding: Array
    own_place: Integers
    quaternions: Sequence[Sequence[int]]
    numbers: int
    kinematics: int

    def entries(self, rates: int, project: int) -> tuple[Entries, object]:
        """Functions in machine code, and what must live as long as they; others take over where they fail."""
        block, kept = np.zeros(at.INTEGERS, dtype=np.int64), list[NDArray[np.generic]]()

        def keep(place: int, values: NDArray[np.generic]) -> None:
            kept.append(np.ascontiguousarray(values))
            block[place] = kept[-1].ctypes.data

        structure, tables = self.structure, self.tables
        rows, n = tables["matrix"].shape
        block[[at.SPEEDS, at.ROWS, at.COORDINATES, at.OWN]] = n, rows, self.coordinates, self.own
        block[at.PATIENCE] = _PATIENCE
        block[[at.NUMBERS, at.KINEMATICS, at.QUATERNIONS]] = self.numbers, self.kinematics, len(self.quaternions)
        placed = self._eliminated(block, kept, structure)
        blocks = tables["blocks"]
        block[[at.BLOCKS, at.BLOCKS_COUNT]] = blocks.begin, len(blocks.places)
        keep(at.BLOCK_TARGET, blocks.places)
        who = np.full(n + rows, -1, dtype=np.int64)
        whole = structure.whole
        who[whole.row_place] = np.arange(rows)
        keep(at.WHO, who)
        keep(at.SPEED_PLACE, whole.speed_place)
        keep(at.ROW_PLACE, whole.row_place)
        for first, name in ((at.MATRIX, "matrix"), (at.MADE, "made_of"), (at.SEEN, "seen")):
            row, speed = np.divmod(tables[name].places, n)
            block[first] = tables[name].begin
            keep(first + 1, np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64))
            keep(first + 2, speed)
        row, speed = np.divmod(tables["matrix"].places, n)
        by_speed = np.argsort(speed, kind="stable")  # rows ascending
        keep(at.TOUCHED_START, np.concatenate([[0], np.cumsum(np.bincount(speed, minlength=n))]).astype(np.int64))
        keep(at.TOUCHED, by_speed)
        keep(at.TOUCHED_ROW, row[by_speed])
        for place, name in zip(range(at.RIGHT, at.DRIFT + 1), _VECTORS, strict=True):
            block[place] = tables[name].begin
        keep(at.ROUNDING, self.rounding)
        keep(at.OWN_PLACE, self.own_place)
        keep(at.GROUPS, np.array(self.quaternions, dtype=np.int64).reshape(-1))
        size, state = n + rows, self.coordinates + n
        offset = 0
        for place, length in (
            (at.W_NUMBERS, self.count),
            (at.W_G_FACTOR, len(structure.among_rows.row)),
            *((place, size) for place in (at.W_COLUMN, at.W_ASKED, at.W_FOUND, at.W_LEFT)),
            *((place, rows) for place in (at.W_G_DIAGONAL, at.W_NOISE, at.W_KEPT)),
            (at.W_SHIFT, n),
            *((place, state) for place in (at.W_STATE, at.W_MOVED, at.W_STILL, at.W_RESULT)),
            (at.W_BLOCKS, placed.blocks),
            (at.W_FORMS, placed.forms),
            *((place, placed.motions) for place in (at.W_MOTIONS, at.W_MOMENTA)),
            *((place, placed.widest) for place in (at.W_PRODUCT, at.W_BORDER)),
        ):
            block[place], offset = offset, offset + length
        kept.append(block)
        fewer = self._fewer(block, kept)
        block[at.MAKE_FEWER] = ctypes.cast(fewer, ctypes.c_void_p).value or 0
        return entries(int(block.ctypes.data), 8 * (offset + 1), rates, project), (kept, fewer)

    def _eliminated(self, block: Integers, kept: list[NDArray[np.generic]], structure: Structure) -> Placed:
        """The fields of a block that say how all is eliminated."""
        placed = Placed.of(structure.whole, self.nodes)
        row, speed = np.divmod(self.tables["matrix"].places, self.tables["matrix"].shape[1])
        targets = placed.matrices(structure.whole, list(zip(row.tolist(), speed.tolist(), strict=True)))
        lists = (placed.fields, placed.columns, placed.opened, placed.runs)
        for first, several in (
            (at.FRONTS, lists),
            (at.G_START, _parts(structure.among_rows)),
            (at.MATRIX_TARGET, (targets,)),
        ):
            for i, values in enumerate(several):
                kept.append(np.ascontiguousarray(values))
                block[first + i] = kept[-1].ctypes.data
        block[at.FRONTS_COUNT] = len(structure.whole.fronts)
        block[[at.BLOCKS_SIZE, at.FORMS_SIZE, at.MOTIONS_SIZE]] = placed.blocks, placed.forms, placed.motions
        return placed

    def _fewer(self, block: Integers, kept: list[NDArray[np.generic]]) -> Any:
        """`void f(const double *rows, ...)`, which makes the block of the rows that count now.

        Those that were made before stay: other threads may be in them.
        """

        def make(flags: Any, *_: Any) -> None:
            counting = np.ctypeslib.as_array(flags, (len(self.structure.rows),)).copy()
            one = block.copy()
            self._eliminated(one, kept, self.structure.of_rows(set(np.flatnonzero(counting).tolist())))
            one[at.FEWER_KEPT] = counting.ctypes.data
            kept.extend((counting, one))
            block[at.FEWER] = one.ctypes.data

        return ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 4)(make)


def _parts(one: Elimination) -> tuple[Integers, ...]:
    return one.start, one.row, one.row_start, one.row_column, one.row_position
