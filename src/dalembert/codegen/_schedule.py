"""The order of evaluation: nodes in blocks of bounded size, with a scratch slot for what passes between blocks.

A compiler's time grows faster than the size of a straight-line block; blocks of bounded size keep it proportional.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from dalembert.codegen.function import Function
from dalembert.expr import Expr, topological

#: Operations in one block: chosen by measurement (benchmarks/native/compile_time.py).
BLOCK = 1500


@dataclass(frozen=True, slots=True)
class Schedule:
    """Blocks of nodes in order; `early` blocks depend on the constant groups only."""

    early: tuple[tuple[Expr, ...], ...]
    blocks: tuple[tuple[Expr, ...], ...]
    kept: dict[Expr, int]  # slot of each early value that later blocks read
    slots: dict[Expr, int]  # scratch slot of each value that another block reads
    scratch: int  # number of scratch slots

    @property
    def constants(self) -> int:
        """How many numbers the early blocks leave."""
        return len(self.kept)


def schedule(function: Function, block: int = BLOCK) -> Schedule:
    """Order the nodes of a function and cut them into blocks."""
    given = {e for group in function.inputs for e in group}
    order = [e for e in topological(function.outputs, stop=given) if e.args and e not in given]
    early_nodes = _early(function, order)
    first = [e for e in order if e in early_nodes]
    second = [e for e in order if e not in early_nodes]
    if not second:  # nothing moves: no reason to keep the two apart
        first, second = [], first
    early, blocks = _cut(first, block), _cut(second, block)
    read_late = {a for e in second for a in e.args} | set(function.outputs)
    kept = {e: i for i, e in enumerate(e for e in first if e in read_late)}
    slots: dict[Expr, int] = {}
    scratch = max(_allocate(early, slots, kept), _allocate(blocks, slots, kept))
    return Schedule(early, blocks, kept, slots, scratch)


def _early(function: Function, order: Iterable[Expr]) -> set[Expr]:
    """The nodes that depend on constant groups only."""
    steady = {e for k in function.constants for e in function.inputs[k]}
    if not steady:
        return set()
    early: set[Expr] = set()
    for e in order:
        if all(a in steady or a in early or a.op in ("const", "pi") for a in e.args):
            early.add(e)
    return early


def _cut(order: list[Expr], block: int) -> tuple[tuple[Expr, ...], ...]:
    """Consecutive blocks of nearly equal size; the sine and cosine of one angle stay together."""
    present = {(e.op, e.args[0]) for e in order if e.op in ("sin", "cos")}
    paired: set[Expr] = set()
    sequence: list[Expr] = []
    partner = {(e.op, e.args[0]): e for e in order if e.op in ("sin", "cos")}
    for e in order:
        if e in paired:
            continue
        sequence.append(e)
        if e.op in ("sin", "cos"):
            other = ("cos" if e.op == "sin" else "sin", e.args[0])
            if other in present:
                sequence.append(partner[other])
                paired.add(partner[other])
    if not sequence:
        return ()
    count = -(-len(sequence) // block)
    size = -(-len(sequence) // count)
    blocks: list[list[Expr]] = []
    start = 0
    while start < len(sequence):
        stop = min(start + size, len(sequence))
        if stop < len(sequence) and sequence[stop] in paired:
            stop += 1
        blocks.append(sequence[start:stop])
        start = stop
    return tuple(tuple(b) for b in blocks)


def _allocate(blocks: tuple[tuple[Expr, ...], ...], slots: dict[Expr, int], kept: dict[Expr, int]) -> int:
    """Give a slot to each value read by a later block; a slot is free again after its last reader."""
    home: dict[Expr, int] = {}
    last: dict[Expr, int] = {}
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
