"""LLVM text of a function: its blocks, a scalar entry, and a batch entry that runs several states side by side.

Blocks read inputs, constants and scratch as arrays of vectors, one lane for each state. The scalar entry calls them
with the caller's own arrays (width 1); the batch entry transposes rows into lanes, calls them, and transposes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.codegen import _elementary
from dalembert.codegen._ir import Writer
from dalembert.codegen._lower import Cell
from dalembert.codegen._schedule import Schedule
from dalembert.codegen.function import Function

#: Angles of one state that are turned into sines and cosines at once.
_LANES = 4
_RELATION = {"lt": "olt", "le": "ole", "eq": "oeq"}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_SUMS = frozenset({"add", "sub"})
_INTRINSIC = {"abs": "fabs", "sqrt": "sqrt", "min": "minimum", "max": "maximum"}


def absorbed_products(nodes: Sequence[Cell], leaving: Container[Cell]) -> set[Cell]:
    """Products of a block that one sum of it alone reads: the two are rounded together."""
    uses = Counter([a for e in nodes for a in e.args if a.op == "mul"])
    inside = set(nodes)
    alone = {e for e, count in uses.items() if count == 1 and e in inside and e not in leaving}
    return {a for e in nodes if e.op in _SUMS for a in next(([a] for a in e.args if a in alone), ())}


def whole_and_half(exponent: Any) -> tuple[int, int] | None:
    """How many products and roots a power takes; None where the library has to make it."""
    twice = Fraction(exponent) * 2
    if twice.denominator != 1 or abs(twice) > 2048 or isinstance(exponent, float):
        return None
    return divmod(abs(int(twice)), 2)


class Block:
    """Writes one block of nodes as the body of a function."""

    def __init__(self, function: Function, plan: Schedule, width: int) -> None:
        self.function, self.plan = function, plan
        self.w = Writer(width)
        self.values: dict[Cell, str] = {}
        self.truths: dict[Cell, str] = {}
        self.powers: dict[tuple[Cell, int], str] = {}
        self.turns: dict[tuple[str, Cell], Cell] = {}
        self.used: set[tuple[str, int]] = set()  # elementary functions, with their widths
        self.angles: list[Cell] = []  # arguments of sines and cosines still to come
        self.inside: set[Cell] = set()
        self.absorbed: set[Cell] = set()  # products that are rounded together with the sum that they are part of
        self.align = 8 * width

    def pointer(self, base: str, index: int) -> str:
        return self.w.emit(f"getelementptr inbounds {self.w.real}, ptr {base}, i64 {index}") if index else base

    def load(self, base: str, index: int) -> str:
        address = self.pointer(base, index)
        return self.w.emit(f"load {self.w.real}, ptr {address}, align {self.align}")

    def load_shared(self, base: str, index: int) -> str:
        """A number that all lanes share."""
        w = self.w
        address = w.emit(f"getelementptr inbounds double, ptr {base}, i64 {index}")
        return w.spread(w.emit(f"load double, ptr {address}, align 8"))

    def store(self, value: str, base: str, index: int) -> None:
        address = self.pointer(base, index)
        self.w.line(f"  store {self.w.real} {value}, ptr {address}, align {self.align}")

    def operand(self, e: Cell) -> str:
        known = self.values.get(e)
        if known is not None:
            return known
        if e.op == "const":
            known = self.w.constant(e.data)
        elif e in self.truths:
            known = self.w.emit(f"uitofp {self.w.truth} {self.truths[e]} to {self.w.real}")
        elif e.op == "input":
            shared = self.w.width > 1 and e.data[0] in self.function.shared
            known = (self.load_shared if shared else self.load)(f"%in{e.data[0]}", e.data[1])
        elif e in self.plan.kept:
            known = self.load("%kept", self.plan.kept[e])
        else:
            known = self.load("%scratch", self.plan.slots[e])
        self.values[e] = known
        return known

    def condition(self, e: Cell) -> str:
        if e in self.truths:
            return self.truths[e]
        return self.w.compare("une", self.operand(e), self.w.constant(0.0))

    def call(self, name: str, *args: str) -> str:
        self.used.add((name, self.w.width))
        t = self.w.real
        listed = ", ".join(f"{t} {a}" for a in args)
        return self.w.emit(f"call fastcc {t} @{_elementary.symbol(name, self.w.width)}({listed})")

    def begin(self, nodes: Sequence[Cell], leaving: Container[Cell]) -> None:
        self.turns = {(e.op, e.args[0]): e for e in nodes if e.op in ("sin", "cos")}
        self.angles = list(dict.fromkeys([e.args[0] for e in nodes if e.op in ("sin", "cos")]))
        self.inside = set(nodes)
        self.absorbed = absorbed_products(nodes, leaving)

    def write(self, nodes: tuple[Cell, ...], results: Mapping[Cell, object]) -> None:
        keep, slots = self.plan.kept, self.plan.slots
        self.begin(nodes, {e for e in nodes if e in keep or e in slots or e in results})
        for e in nodes:
            if e not in self.values and e not in self.truths and e not in self.absorbed:
                self.node(e)
            if e in keep:
                self.store(self.operand(e), "%kept", keep[e])
            elif e in slots:
                self.store(self.operand(e), "%scratch", slots[e])

    def node(self, e: Cell) -> None:
        w, op, args = self.w, e.op, e.args
        if op in _SUMS and not self.absorbed.isdisjoint(args):
            self.values[e] = self.fused_sum(args[0], args[1], op == "sub")
        elif op in _ARITHMETIC:
            a, b = self.operand(args[0]), self.operand(args[1])
            self.values[e] = w.emit(f"{_ARITHMETIC[op]} {w.real} {a}, {b}")
        elif op == "neg":
            self.values[e] = w.neg(self.operand(args[0]))
        elif op in ("sin", "cos"):
            self.turn(e)
        elif op == "pow":
            self.values[e] = self.power(e)
        elif op in _INTRINSIC:
            self.values[e] = w.intrinsic(_INTRINSIC[op], *[self.operand(a) for a in args])
        elif op in _RELATION:
            self.truths[e] = w.compare(_RELATION[op], self.operand(args[0]), self.operand(args[1]))
        elif op == "where":
            self.values[e] = w.select(self.condition(args[0]), self.operand(args[1]), self.operand(args[2]))
        elif op == "sign":
            x, zero = self.operand(args[0]), w.constant(0.0)
            below = w.select(w.compare("olt", x, zero), w.constant(-1.0), x)
            self.values[e] = w.select(w.compare("ogt", x, zero), w.constant(1.0), below)
        else:
            self.values[e] = self.call(op, *[self.operand(a) for a in args])

    def fused_sum(self, a: Cell, b: Cell, minus: bool) -> str:
        """a + b or a - b where one is a product that nobody else reads: one rounding.

        Which products these are is decided here and not by the compiler, so that its effort changes no digit.
        """
        w = self.w
        if a in self.absorbed:
            x, y, other = *map(self.operand, a.args), self.operand(b)
            return w.fused(x, y, w.neg(other) if minus else other)
        x, y = map(self.operand, b.args)
        return w.fused(w.neg(x) if minus else x, y, self.operand(a))

    def turn(self, e: Cell) -> None:
        """Sines and cosines of several angles by one call: side by side in vector lanes, or in neighbouring vectors."""
        most = _LANES if self.w.width == 1 else 2
        together = [a for a in self.angles[:64] if a not in self.inside or a in self.values][:most]
        together = together if e.args[0] in together else [e.args[0]]
        self.angles = [a for a in self.angles if a not in together]
        count = len(together) if len(together) <= 2 else most
        w, lanes = self.w, Writer(self.w.width * count)
        self.used.add(("sincos", lanes.width))
        pair = f"{{{lanes.real}, {lanes.real}}}"
        argument = self.joined([self.operand(together[min(k, len(together) - 1)]) for k in range(count)], lanes.real)
        both = w.emit(f"call fastcc {pair} @{_elementary.symbol('sincos', lanes.width)}({lanes.real} {argument})")
        for index, op in enumerate(("sin", "cos")):
            part = w.emit(f"extractvalue {pair} {both}, {index}")
            for k, angle in enumerate(together):
                node = self.turns.get((op, angle))
                if node is not None:
                    self.values[node] = part if count == 1 else self.taken(part, lanes.real, k)

    def joined(self, parts: list[str], real: str) -> str:
        """Values of several angles as one vector."""
        w = self.w
        if len(parts) == 1:
            return parts[0]
        if w.width == 1:
            vector = "poison"
            for k, x in enumerate(parts):
                vector = w.emit(f"insertelement {real} {vector}, double {x}, i32 {k}")
            return vector
        mask = ", ".join(f"i32 {k}" for k in range(2 * w.width))
        return w.emit(f"shufflevector {w.real} {parts[0]}, {w.real} {parts[1]}, <{2 * w.width} x i32> <{mask}>")

    def taken(self, vector: str, real: str, k: int) -> str:
        """Part k of a joined vector."""
        w = self.w
        if w.width == 1:
            return w.emit(f"extractelement {real} {vector}, i32 {k}")
        mask = ", ".join(f"i32 {k * w.width + i}" for i in range(w.width))
        return w.emit(f"shufflevector {real} {vector}, {real} poison, <{w.width} x i32> <{mask}>")

    def power(self, e: Cell) -> str:
        """Integer and half-integer powers by products and a root, others by the C library."""
        w, base = self.w, e.args[0]
        if e.data is None:
            return self.call("pow", self.operand(base), self.operand(e.args[1]))
        parts = whole_and_half(e.data)
        if parts is None:
            return self.call("pow", self.operand(base), w.constant(float(e.data)))
        whole, half = parts
        value = self.product(base, whole) if whole else ""
        if half:
            root = w.intrinsic("sqrt", self.operand(base))
            value = w.mul(value, root) if value else root
        return w.div(w.constant(1.0), value) if e.data < 0 else value

    def product(self, base: Cell, n: int) -> str:
        if n == 1:
            return self.operand(base)
        known = self.powers.get((base, n))
        if known is None:
            half = self.product(base, n // 2)
            known = self.w.mul(half, half)
            if n % 2:
                known = self.w.mul(known, self.operand(base))
            self.powers[base, n] = known
        return known


def parameters(function: Function) -> str:
    """Formal arguments of every block."""
    inputs = "".join(f"ptr noalias readonly %in{g}, " for g in range(len(function.inputs)))
    return f"{inputs}ptr noalias %kept, ptr noalias %scratch, ptr noalias %out"
