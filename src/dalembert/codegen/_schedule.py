"""The order of evaluation: nodes in blocks of bounded size, with a scratch slot for what passes between blocks.

A compiler's time grows faster than the size of a straight-line block; blocks of bounded size keep it proportional.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from dalembert.codegen._lower import Cell, lower
from dalembert.codegen._memory import LoopPlan, plan_memory
from dalembert.codegen._repeats import LONG, Loop, Piece, find_loops
from dalembert.codegen.function import Function

#: Operations in one block, and how many times that a whole function may have without being cut: chosen by measurement.
BLOCK = 600
_WHOLE = 3


@dataclass(frozen=True, slots=True)
class Schedule:
    """Blocks of nodes in order; `early` blocks depend on the constant groups only."""

    early: tuple[tuple[Cell, ...], ...]
    blocks: tuple[tuple[Cell, ...] | LoopPlan, ...]
    kept: dict[Cell, int]  # slot of each early value that later blocks read
    slots: dict[Cell, int]  # scratch slot of each value that another block reads
    scratch: int  # number of scratch slots
    outputs: tuple[Cell, ...]
    operations: int

    @property
    def written(self) -> int:
        """Operations that the compiler sees: of a loop those of one turn."""
        late = (len(one.loop.turns[0] if isinstance(one, LoopPlan) else one) for one in self.blocks)
        return sum(len(block) for block in self.early) + sum(late)

    @property
    def constants(self) -> int:
        """How many numbers the early blocks leave."""
        return len(self.kept)


def schedule(function: Function, block: int = BLOCK, long: int = LONG) -> Schedule:
    """Order the nodes of a function and cut them into blocks; sequences longer than `long` are searched for loops."""
    lowered = lower(function.inputs, function.outputs)
    order, outputs = lowered.cells, tuple(lowered.outputs)
    early_nodes = _early(function, order)
    first = [e for e in order if e in early_nodes]
    second = [e for e in order if e not in early_nodes]
    if not second:  # nothing moves: no reason to keep the two apart
        first, second = [], first
    early = _cut(_paired(first), block)
    read_late = {a for e in second for a in e.args} | set(outputs)
    kept = {e: i for i, e in enumerate(e for e in first if e in read_late)}
    if len(second) > long:
        rolled = _roll(_paired(second), early, kept, outputs, block)
        if rolled is not None:
            return rolled
    blocks = _cut(_paired(second), block)
    slots: dict[Cell, int] = {}
    scratch = max(_allocate(early, slots, kept), _allocate(blocks, slots, kept))
    return Schedule(early, blocks, kept, slots, scratch, outputs, len(order))


def _early(function: Function, order: Iterable[Cell]) -> set[Cell]:
    """The nodes that depend on constant groups only."""
    if not function.constants:
        return set()
    early: set[Cell] = set()
    for e in order:
        if all(a in early or a.op == "const" or (a.op == "input" and a.data[0] in function.constants) for a in e.args):
            early.add(e)
    return early


def _paired(order: list[Cell]) -> list[Cell]:
    """The sine and cosine of one angle side by side: one call gives both."""
    partner = {(e.op, e.args[0]): e for e in order if e.op in ("sin", "cos")}
    done: set[Cell] = set()
    sequence: list[Cell] = []
    for e in order:
        if e in done:
            continue
        sequence.append(e)
        if e.op in ("sin", "cos"):
            other = partner.get(("cos" if e.op == "sin" else "sin", e.args[0]))
            if other is not None:
                sequence.append(other)
                done.add(other)
    return sequence


def _roll(
    sequence: list[Cell],
    early: tuple[tuple[Cell, ...], ...],
    kept: dict[Cell, int],
    outputs: tuple[Cell, ...],
    block: int,
) -> Schedule | None:
    """The schedule with loops, when they hold most of the work."""
    found = find_loops(sequence)
    if 2 * sum(len(one.turns) * len(one.turns[0]) for one in found if isinstance(one, Loop)) < len(sequence):
        return None
    pieces: list[Piece] = []
    for one in found:
        pieces += [one] if isinstance(one, Loop) or not one else list(_cut(list(one), block))
    planned, slots, scratch = plan_memory(pieces, outputs, kept)
    scratch = max(scratch, _allocate(early, slots, kept))
    return Schedule(early, tuple(planned), kept, slots, scratch, outputs, len(sequence))


def _cut(sequence: list[Cell], block: int) -> tuple[tuple[Cell, ...], ...]:
    """Consecutive blocks of nearly equal size; a sine and cosine side by side stay together."""
    if not sequence:
        return ()
    count = -(-len(sequence) // block) if len(sequence) > _WHOLE * block else 1
    size = -(-len(sequence) // count)
    blocks: list[list[Cell]] = []
    start = 0
    while start < len(sequence):
        stop = min(start + size, len(sequence))
        if stop < len(sequence) and _are_pair(sequence[stop - 1], sequence[stop]):
            stop += 1
        blocks.append(sequence[start:stop])
        start = stop
    return tuple(tuple(b) for b in blocks)


def _are_pair(a: Cell, b: Cell) -> bool:
    return {a.op, b.op} == {"sin", "cos"} and a.args[0] is b.args[0]


def _allocate(blocks: tuple[tuple[Cell, ...], ...], slots: dict[Cell, int], kept: dict[Cell, int]) -> int:
    """Give a slot to each value read by a later block; a slot is free again after its last reader."""
    home: dict[Cell, int] = {}
    last: dict[Cell, int] = {}
    for k, nodes in enumerate(blocks):
        for e in nodes:
            home[e] = k
            for a in e.args:
                if home.get(a, k) != k:
                    last[a] = k
    free: list[int] = []
    expiring: list[list[int]] = [[] for _ in range(len(blocks) + 1)]
    used = 0
    for k, nodes in enumerate(blocks):
        for slot in expiring[k]:
            heapq.heappush(free, slot)
        for e in nodes:
            if e in last and e not in kept:
                if free:
                    slot = heapq.heappop(free)
                else:
                    slot, used = used, used + 1
                slots[e] = slot
                expiring[min(last[e] + 1, len(blocks))].append(slot)
    return used
