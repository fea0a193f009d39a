"""A machine as the block of integers that the compiled sparse solve reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.sparse import layout as at
from dalembert.simulate.sparse.native import Entries, entries
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

    Tables of rows are in the order of the structure, the mass matrix is its lower triangle, vectors are whole.
    """

    structure: Structure
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
        for first, factor in ((at.START, structure.whole), (at.G_START, structure.among_rows)):
            for i, values in enumerate(_parts(factor)):
                keep(first + i, values)
        who = np.full(n + rows, -1, dtype=np.int64)
        who[structure.row_place] = np.arange(rows)
        keep(at.WHO, who)
        keep(at.SPEED_PLACE, structure.speed_place)
        keep(at.ROW_PLACE, structure.row_place)
        mass, matrix = tables["mass"], tables["matrix"]
        one, two = np.divmod(mass.places, n)
        block[[at.MASS, at.MASS_COUNT]] = mass.begin, len(one)
        keep(at.MASS_I, one)
        keep(at.MASS_J, two)
        places = zip(structure.speed_place[one].tolist(), structure.speed_place[two].tolist(), strict=True)
        keep(at.MASS_TARGET, structure.whole.positions(list(places)))
        for first, name in ((at.MATRIX, "matrix"), (at.MADE, "made_of"), (at.SEEN, "seen")):
            row, speed = np.divmod(tables[name].places, n)
            block[first] = tables[name].begin
            keep(first + 1, np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64))
            keep(first + 2, speed)
        row, speed = np.divmod(matrix.places, n)
        places = zip(structure.row_place[row].tolist(), structure.speed_place[speed].tolist(), strict=True)
        keep(at.MATRIX_TARGET, structure.whole.positions(list(places)))
        for place, name in zip(range(at.RIGHT, at.DRIFT + 1), _VECTORS, strict=True):
            block[place] = tables[name].begin
        keep(at.ROUNDING, self.rounding)
        keep(at.OWN_PLACE, self.own_place)
        keep(at.GROUPS, np.array(self.quaternions, dtype=np.int64).reshape(-1))
        size, state = n + rows, self.coordinates + n
        offset = 0
        for place, length in (
            (at.W_NUMBERS, self.count),
            (at.W_FACTOR, len(structure.whole.row)),
            (at.W_G_FACTOR, len(structure.among_rows.row)),
            *((place, size) for place in (at.W_DIAGONAL, at.W_COLUMN, at.W_ASKED, at.W_FOUND, at.W_LEFT)),
            *((place, rows) for place in (at.W_G_DIAGONAL, at.W_NOISE, at.W_KEPT)),
            *((place, n) for place in (at.W_UNIT, at.W_SHIFT)),
            *((place, state) for place in (at.W_STATE, at.W_MOVED, at.W_STILL, at.W_RESULT)),
        ):
            block[place], offset = offset, offset + length
        kept.append(block)
        return entries(int(block.ctypes.data), 8 * (offset + 1), rates, project), kept


def _parts(one: Elimination) -> tuple[Integers, ...]:
    return one.start, one.row, one.row_start, one.row_column, one.row_position
