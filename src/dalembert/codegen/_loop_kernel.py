"""LLVM text of a loop over turns of equal structure."""

from __future__ import annotations

from dalembert.codegen._ir import double_bits
from dalembert.codegen._kernel import Block, parameters
from dalembert.codegen._lower import Cell
from dalembert.codegen._memory import LoopPlan, Operand
from dalembert.codegen._schedule import Schedule
from dalembert.codegen.function import Function


class LoopBlock(Block):
    """Writes the body of a loop: operands come from addresses that advance with the turn."""

    def __init__(self, function: Function, plan: Schedule, width: int) -> None:
        super().__init__(function, plan, width)
        self.pointers: dict[tuple[str, int], str] = {}
        self.tables: list[str] = []

    def write_loop(self, name: str, one: LoopPlan) -> str:
        """The whole function, with the tables that it reads."""
        cells = self._cells(name, one)
        self.begin(cells, {cells[j] for j in one.stored})
        for cell in cells:
            if cell not in self.values and cell not in self.truths and cell not in self.absorbed:
                self.node(cell)
        for n, j in enumerate(one.stored):
            value = self.operand(cells[j])
            target = self._pointer("%scratch", len(one.stored))
            self.store(value, target, one.base + n)
        body = "\n".join(self.w.lines)
        count = len(one.loop.turns)
        text = f"define internal void @{name}({parameters(self.function)}) nounwind {{\n"
        text += "  br label %loop\nloop:\n  %turn = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
        text += f"{body}\n  %next = add i64 %turn, 1\n  %more = icmp ult i64 %next, {count}\n"
        return "".join(self.tables) + text + "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n"

    def _cells(self, name: str, one: LoopPlan) -> list[Cell]:
        first = one.loop.turns[0]
        index = {e: j for j, e in enumerate(first)}
        cells: list[Cell] = []
        leaves: dict[Operand, Cell] = {}
        for j, e in enumerate(first):
            args: list[Cell] = []
            for k, a in enumerate(e.args):
                operand = one.outer.get((j, k))
                if operand is None:
                    args.append(cells[index[a]] if a in index else a)
                    continue
                leaf = leaves.get(operand)
                if leaf is None:
                    leaf = leaves[operand] = Cell("outer", (), None)
                    self.values[leaf] = self._fetch(f"{name}.{len(leaves)}", operand)
                args.append(leaf)
            cells.append(Cell(e.op, tuple(args), e.data))
        return cells

    def _pointer(self, array: str, stride: int) -> str:
        """The array, moved on by `stride` elements a turn; one pointer for all operands that share it."""
        if not stride:
            return array
        known = self.pointers.get((array, stride))
        if known is None:
            moved = self.w.emit(f"mul i64 %turn, {stride}")
            known = self.w.emit(f"getelementptr inbounds {self.w.real}, ptr {array}, i64 {moved}")
            self.pointers[array, stride] = known
        return known

    def _fetch(self, table: str, operand: Operand) -> str:
        w = self.w
        if w.width > 1 and operand.array in {f"%in{g}" for g in self.function.shared}:
            return self._fetch_shared(table, operand)
        if not operand.table:
            return self.load(self._pointer(operand.array, operand.stride), operand.start)
        if operand.array == "const":
            if len(set(operand.table)) == 1:
                return w.constant(operand.table[0])
            entries = ", ".join(f"double {double_bits(x)}" for x in operand.table)
            self.tables.append(f"@{table} = internal constant [{len(operand.table)} x double] [{entries}]\n")
            address = w.emit(f"getelementptr inbounds double, ptr @{table}, i64 %turn")
            value = w.emit(f"load double, ptr {address}, align 8")
            return w.spread(value)
        place = self._place(table, operand)
        target = w.emit(f"getelementptr inbounds {w.real}, ptr {operand.array}, i64 {place}")
        return w.emit(f"load {w.real}, ptr {target}, align {self.align}")

    def _place(self, table: str, operand: Operand) -> str:
        """Where an operand is in this turn, looked up in a table."""
        w, entries = self.w, ", ".join(f"i32 {x}" for x in operand.table)
        self.tables.append(f"@{table} = internal constant [{len(operand.table)} x i32] [{entries}]\n")
        address = w.emit(f"getelementptr inbounds i32, ptr @{table}, i64 %turn")
        return w.emit(f"sext i32 {w.emit(f'load i32, ptr {address}, align 4')} to i64")

    def _fetch_shared(self, table: str, operand: Operand) -> str:
        """A number that all lanes share."""
        w = self.w
        if operand.table:
            place = self._place(table, operand)
        else:
            place = w.emit(f"add i64 {w.emit(f'mul i64 %turn, {operand.stride}')}, {operand.start}")
        address = w.emit(f"getelementptr inbounds double, ptr {operand.array}, i64 {place}")
        return w.spread(w.emit(f"load double, ptr {address}, align 8"))
