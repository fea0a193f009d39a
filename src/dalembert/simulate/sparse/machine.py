"""A machine as the block of integers that the compiled sparse solve reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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
        block[[at.NUMBERS, at.KINEMATICS, at.QUATERNIONS]] = self.numbers, self.kinematics, len(self.quaternions)
        placed = Placed.of(structure.whole, self.nodes)
        for place, listed in (
            (at.FRONTS, placed.fields),
            (at.COLUMNS, placed.columns),
            (at.OPEN, placed.opened),
            (at.RUNS, placed.runs),
        ):
            keep(place, listed)
        block[at.FRONTS_COUNT] = len(structure.whole.fronts)
        block[[at.BLOCKS_SIZE, at.FORMS_SIZE, at.MOTIONS_SIZE]] = placed.blocks, placed.forms, placed.motions
        blocks = tables["blocks"]
        block[[at.BLOCKS, at.BLOCKS_COUNT]] = blocks.begin, len(blocks.places)
        keep(at.BLOCK_TARGET, blocks.places)
        for i, values in enumerate(_parts(structure.among_rows)):
            keep(at.G_START + i, values)
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
        keep(at.MATRIX_TARGET, placed.matrices(whole, list(zip(row.tolist(), speed.tolist(), strict=True))))
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
            *((place, n) for place in (at.W_UNIT, at.W_SHIFT)),
            *((place, state) for place in (at.W_STATE, at.W_MOVED, at.W_STILL, at.W_RESULT)),
            (at.W_BLOCKS, placed.blocks),
            (at.W_FORMS, placed.forms),
            *((place, placed.motions) for place in (at.W_MOTIONS, at.W_MOMENTA)),
            *((place, placed.widest) for place in (at.W_PRODUCT, at.W_BORDER)),
        ):
            block[place], offset = offset, offset + length
        kept.append(block)
        return entries(int(block.ctypes.data), 8 * (offset + 1), rates, project), kept


def _parts(one: Elimination) -> tuple[Integers, ...]:
    return one.start, one.row, one.row_start, one.row_column, one.row_position
