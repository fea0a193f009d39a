"""Operations as data: a list that one small function walks, for long code that need not be compiled to run.

Operations that wait for none of each other stand side by side, and those of one kind among them are a run: a loop that
fetches operands by their places. Nothing is decided from operation to operation, so that the list runs at more than
half the speed of code that is compiled quickly, and is there as soon as it is in order. It gives the digits of compiled
code: what is rounded together there is here. (Angles of millions of turns have their sine from the C library there, and
with them the angles beside them in one vector: the last digit of those may differ.)
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen._kernel import absorbed_products, whole_and_half
from dalembert.codegen._lower import Cell
from dalembert.codegen._memory import LoopPlan
from dalembert.codegen._schedule import Schedule
from dalembert.codegen.function import Function


@dataclass(frozen=True, slots=True)
class Tape:
    """Runs (kind, first operation, how many), operands of each operation by place, and places of the results.

    Places count constants, then inputs, group after group, then the results of operations in order.
    """

    kinds: tuple[str, ...]
    runs: NDArray[np.int64]
    operands: NDArray[np.int32]  # three rows
    constants: NDArray[np.float64]
    results: NDArray[np.int32]


def is_straight(plan: Schedule) -> bool:
    """Whether a schedule has neither loops nor a part that is done before: then a list may stand for it."""
    return not plan.kept and not any(isinstance(block, LoopPlan) for block in plan.blocks)


def tape_of(function: Function, plan: Schedule) -> Tape:
    """The list of a straight schedule."""
    writer = _Tape(function)
    leaving = {*plan.slots, *plan.outputs}
    for block in plan.blocks:
        assert not isinstance(block, LoopPlan)
        absorbed = absorbed_products(block, leaving)
        for cell in block:
            if cell not in absorbed:
                writer.place[cell] = writer.written(cell, absorbed)
    return writer.tape([writer.of(cell) for cell in plan.outputs])


class _Tape:
    """Operations as they are collected: numbers of kinds, levels, and operands by signed places.

    Operations count from zero; constants and inputs stand below them, as -1 - place.
    """

    def __init__(self, function: Function) -> None:
        self.begin = np.cumsum([0, *function.sizes]).tolist()
        self.place: dict[Cell, int] = {}
        self.numbers: dict[bytes, int] = {}
        self.constants: list[float] = []
        self.kinds: dict[str, int] = {}
        self.kind: list[int] = []
        self.level: list[int] = []
        self.operands: tuple[list[int], list[int], list[int]] = ([], [], [])
        self.powers: dict[tuple[int, int], int] = {}

    def of(self, cell: Cell) -> int:
        known = self.place.get(cell)
        if known is None:
            if cell.op == "const":
                known = self.number(cell.data)
            else:
                group, index = cell.data
                known = -2 - 2 * (self.begin[group] + index)  # inputs are even, constants odd
            self.place[cell] = known
        return known

    def number(self, value: float) -> int:
        bits = np.float64(value).tobytes()  # signs of zeros too
        known = self.numbers.get(bits)
        if known is None:
            known = self.numbers[bits] = -1 - 2 * len(self.constants)
            self.constants.append(float(value))
        return known

    def put(self, kind: str, a: int, b: int = -1, c: int = -1) -> int:
        """An operation on places; how many must go before it is its level."""
        level, levels = 0, self.level
        if a >= 0:
            level = levels[a]
        if b >= 0 and levels[b] > level:
            level = levels[b]
        if c >= 0 and levels[c] > level:
            level = levels[c]
        one, two, three = self.operands
        one.append(a)
        two.append(b)
        three.append(c)
        self.kind.append(self.kinds.setdefault(kind, len(self.kinds)))
        levels.append(level + 1)
        return len(levels) - 1

    def written(self, cell: Cell, absorbed: set[Cell]) -> int:
        op, args = cell.op, cell.args
        if op in ("add", "sub"):
            a, b = args
            if a in absorbed:
                x, y = a.args
                return self.put("fused less" if op == "sub" else "fused", self.of(x), self.of(y), self.of(b))
            if b in absorbed:
                x, y = b.args
                return self.put("fused from" if op == "sub" else "fused", self.of(x), self.of(y), self.of(a))
        elif op == "pow":
            return self.power(cell)
        return self.put(op, *[self.of(a) for a in args])

    def power(self, cell: Cell) -> int:
        """As compiled code has it: by products and a root, or by the library."""
        base = self.of(cell.args[0])
        if cell.data is None:
            return self.put("pow", base, self.of(cell.args[1]))
        parts = whole_and_half(cell.data)
        if parts is None:
            return self.put("pow", base, self.number(float(cell.data)))
        whole, half = parts
        value = self.product(base, whole) if whole else None
        if half:
            root = self.put("sqrt", base)
            value = root if value is None else self.put("mul", value, root)
        assert value is not None
        return self.put("div", self.number(1.0), value) if Fraction(cell.data) < 0 else value

    def product(self, base: int, n: int) -> int:
        if n == 1:
            return base
        known = self.powers.get((base, n))
        if known is None:
            half = self.product(base, n // 2)
            known = self.put("mul", half, half)
            if n % 2:
                known = self.put("mul", known, base)
            self.powers[base, n] = known
        return known

    def tape(self, results: list[int]) -> Tape:
        """In order of levels, kinds side by side."""
        names = sorted(self.kinds)
        rank = np.empty(len(names), dtype=np.int64)
        rank[[self.kinds[name] for name in names]] = np.arange(len(names))
        kind, level = rank[np.array(self.kind, dtype=np.int64)], np.array(self.level, dtype=np.int64)
        order = np.lexsort((kind, level))
        inputs = len(self.constants)
        first = inputs + self.begin[-1]
        new = np.empty(len(order), dtype=np.int64)
        new[order] = first + np.arange(len(order))

        def placed(values: list[int]) -> NDArray[np.int32]:
            old = np.array(values, dtype=np.int64)
            below = (-1 - old) // 2
            known = np.where(old % 2 == 0, inputs + (-2 - old) // 2, below)
            known[old >= 0] = new[old[old >= 0]]
            return known.astype(np.int32)

        operands = np.stack([placed(row)[order] for row in self.operands])
        kind, level = kind[order], level[order]
        edges = np.flatnonzero(np.diff(kind, prepend=-1) | np.diff(level, prepend=-1))
        runs = np.stack([kind[edges], edges, np.diff(edges, append=len(kind))], axis=1).astype(np.int64)
        return Tape(tuple(names), runs, operands, np.array(self.constants), placed(results))


class LoadedTape:
    """A list in memory under an address; it stays as long as this object lives."""

    def __init__(self, function: Function, tape: Tape) -> None:
        from dalembert.codegen._tape_code import loaded

        self._kept: tuple[Any, ...] = (tape, *loaded(function, tape))
        self.addresses: dict[str, int] = {function.name: self._kept[-1].addresses[function.name]}


def pointers(tape: Tape) -> Iterator[int]:
    """Addresses of the runs, the three rows of operands, the constants and the results."""
    for array in (tape.runs, *tape.operands, tape.constants, tape.results):
        yield int(array.ctypes.data) if array.size else ctypes.sizeof(ctypes.c_void_p)
