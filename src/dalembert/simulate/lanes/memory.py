"""The memory of one thread's lanes: a block for each lane, and arrays of vectors that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen.native import LaneCode
from dalembert.simulate.lanes import layout as at
from dalembert.simulate.loop import layout as one
from dalembert.simulate.loop import native
from dalembert.simulate.methods.memory import Memory

_LINE = 8  # doubles in a line of the cache, to whose multiples vectors are aligned


@dataclass(frozen=True, slots=True)
class Lanes:
    """What the compiled lanes work in; `block` holds its addresses."""

    block: NDArray[np.int64]
    memories: Sequence[Memory]
    owners: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        memories: Sequence[Memory],
        queue: NDArray[np.int64],
        rates: LaneCode,
        guards: LaneCode | None,
        parameters: int,
        constants: int,
    ) -> Lanes:
        """Lanes for the trajectories of a queue, which several threads may share."""
        width, m = len(memories), memories[0].block
        n, guarded = int(m[one.N]), int(m[one.GUARDS])
        numbers = {
            at.CLOCK: 1,
            at.PARAMETER: parameters,
            at.KEPT: constants,
            at.SCRATCH: rates.scratch,
            at.GUARD_SCRATCH: guards.scratch if guards else 1,
            at.GUARD_VALUE: guarded,
            **dict.fromkeys((at.Y, at.Y_NEW, at.Y_TRY), n),
            at.SLOPE: n * int(m[one.SLOPES]),
            at.COEFFICIENT: n * (int(m[one.DENSE_ROWS]) + 1),
            **dict.fromkeys(range(at.TIME, at.TAKEN + 1), 1),
            at.TOLD: 1,
        }
        room = np.zeros(width * sum(max(1, x) for x in numbers.values()) + _LINE)
        block = np.zeros(at.INTEGERS, dtype=np.int64)
        begin = -(-room.ctypes.data // (8 * _LINE)) * _LINE - room.ctypes.data // 8
        for slot, vectors in numbers.items():
            block[slot] = room[begin:].ctypes.data
            begin += width * max(1, vectors)
        blocks = np.array([memory.address for memory in memories], dtype=np.int64)
        block[at.BLOCKS], block[at.QUEUE] = blocks.ctypes.data, queue.ctypes.data
        block[at.LOOP] = native.address()
        block[at.RATES], block[at.GUARD] = rates.address, guards.address if guards else 0
        block[at.PARAMETERS], block[at.CONSTANTS] = parameters, constants
        first = int(block[at.TRAJECTORY] - room.ctypes.data) // 8
        room[first : first + width].view(np.int64)[:] = -1
        return cls(block, memories, (room, blocks, queue, rates, guards))

    def trajectory(self, lane: int) -> int:
        """Which trajectory a lane has."""
        room = self.owners[0]
        first = int(self.block[at.TRAJECTORY] - room.ctypes.data) // 8
        return int(room[first : first + len(self.memories)].view(np.int64)[lane])
