"""Straight-line code of one order: the values (order 0), and the newest coefficients from older ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dalembert.codegen import _elementary
from dalembert.codegen._ir import Writer
from dalembert.codegen.series.arithmetic import Doubles, Number, Pairs
from dalembert.codegen.series.graph import Node
from dalembert.codegen.series.plan import Plan

#: pi to 40 digits: two doubles hold 32.
PI = Fraction("3.1415926535897932384626433832795028841971693993751")
_RELATION = {"lt": "olt", "le": "ole", "eq": "oeq"}


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where numbers are in memory: values, inverses of divisors and roots, newest coefficients, sums."""

    plan: Plan
    n: int
    order: int
    width: int
    paired: bool
    values: dict[Node, int]
    inverses: dict[Node, int]
    newest: dict[Node, int]
    sums: dict[Node, int]
    low: int

    @property
    def known(self) -> int:
        """Coefficients of each array."""
        return self.order - 1


class ValueBlock:
    """Values of nodes (order 0) by node, as far as they were made."""

    def __init__(self, number: Doubles) -> None:
        self.number, self.w = number, number.w
        self.zero = number.constant(Fraction(0))
        self.values: dict[Node, Number] = {}

    def value(self, e: Node) -> Number:
        """Coefficient 0."""
        known = self.values.get(e)
        if known is None:
            if e.op == "const":
                known = self.number.constant(e.data)
            elif e.op == "pi":
                known = self.number.constant(PI)
            else:
                known = self.missing(e)
            self.values[e] = known
        return known

    def missing(self, e: Node) -> Number:
        raise KeyError(e.op)


class _Block(ValueBlock):
    """Values in the memory of the series, loaded where they were not made in the block."""

    def __init__(self, place: Place) -> None:
        w = Writer(1)
        super().__init__(Pairs(w, place.low) if place.paired else Doubles(w))
        self.place = place

    def missing(self, e: Node) -> Number:
        return self.number.load("%m", self.place.values[e])

    def keep(self, kind: str, e: Node, coefficient: Number, order: str) -> None:
        """Put the coefficient of an order into an array: at order - 1, or from the end of a backward one."""
        at = self.place.plan.arrays.get((kind, e))
        if at is None:
            return
        if kind == "slope":
            factor = self.w.emit(f"sitofp i64 {order} to double")
            coefficient = self.number.mul(coefficient, (factor, self.w.constant(0.0))[: self.number.parts])
        if kind == "backward":
            back = self.w.emit(f"sub i64 {at + self.place.known}, {order}")
        else:
            back = self.w.emit(f"add i64 {at - 1}, {order}")
        where = self.w.emit(f"getelementptr double, ptr %m, i64 {back}")
        self.number.store(coefficient, where, 0)

    def keep_all(self, e: Node, coefficient: Number, order: str) -> None:
        for kind in ("forward", "backward", "slope"):
            self.keep(kind, e, coefficient, order)


def zero_block(place: Place, index: int, nodes: list[Node], used: set[str]) -> str:
    """Values of nodes; the first block takes the inputs in, the last one gives the first slopes."""
    block = _Block(place)
    w, number = block.w, block.number
    w.line(f"define internal fastcc void @zero.{index}(ptr %t, ptr %y, ptr %p, ptr noalias %m) noinline {{\nentry:")
    if index == 0:
        for e, at in place.values.items():
            if e.op != "input":
                continue
            group, i = e.data
            given = Doubles(w).load(("%t", "%y", "%p")[group], i)
            if place.paired:
                rest = Doubles(w).load("%y", place.n + i) if group == 1 else (w.constant(0.0),)
                given = (*given, *rest)
            block.values[e] = given
            number.store(given, "%m", at)
            if group == 1:
                number.store(given, "%m", i)
            if group == 0:
                block.keep_all(e, number.constant(Fraction(1)), "1")
    for e in nodes:
        made = block.values[e] = value_of(block, e, used)
        number.store(made, "%m", place.values[e])
        if e in place.inverses:
            number.store(number.div(number.constant(Fraction(1)), made), "%m", place.inverses[e])
    if index == 0:
        for e, at in place.inverses.items():
            if e.op == "input":
                number.store(number.div(number.constant(Fraction(1)), block.value(e)), "%m", at)
    if index == max(len(place.plan.zero_blocks), 1) - 1:
        inputs = [e for e in place.values if e.op == "input" and e.data[0] == 1]
        state = {e.data[1]: e for e in inputs}
        for i, rate in enumerate(place.plan.rates):
            slope = block.value(rate)
            number.store(slope, "%m", place.n + i)
            block.keep_all(state[i], slope, "1")
    w.line("  ret void\n}")
    return "\n".join(w.lines)


def value_of(block: ValueBlock, e: Node, used: set[str]) -> Number:
    """The value of a node from those of its operands; `used` are functions that have to be there."""
    w, number, op = block.w, block.number, e.op
    args = [block.value(a) for a in e.args]
    if op in ("add", "sub", "mul", "div", "neg"):
        made: Number = getattr(number, op)(*args)
        return made
    if op == "sqrt":
        return number.root(args[0])
    if op in _RELATION:
        truth = w.compare(_RELATION[op], args[0][0], args[1][0])
        return (w.emit(f"uitofp {w.truth} {truth} to {w.real}"), *block.zero[1:])
    if op in ("where", "min", "max", "abs", "sign"):
        return _chosen(block, op, args)
    if op in ("sin", "cos") and number.parts == 1 and w.width == 1:
        return (w.emit(f"call double @{op}(double {args[0][0]})"),)
    name = "sincos" if op in ("sin", "cos") and number.parts == 1 else op
    used.add(name)
    listed = ", ".join(f"{w.real} {x}" for a in args for x in a)
    if name == "sincos":
        both = w.emit(f"call fastcc {{{w.real}, {w.real}}} @{_elementary.symbol(name, w.width)}({listed})")
        return (w.emit(f"extractvalue {{{w.real}, {w.real}}} {both}, {int(op == 'cos')}"),)
    if number.parts == 1:
        return (w.emit(f"call fastcc {w.real} @{_elementary.symbol(op, w.width)}({listed})"),)
    both = w.emit(f"call fastcc {{double, double}} @pair.{op}({listed})")
    return tuple(w.emit(f"extractvalue {{double, double}} {both}, {k}") for k in range(2))


def _chosen(block: ValueBlock, op: str, args: list[Number]) -> Number:
    """Choices among numbers that do not move."""
    w, zero = block.w, block.zero
    if op == "where":
        condition, yes, no = w.compare("une", args[0][0], w.constant(0.0)), args[1], args[2]
    elif op == "abs":
        condition, yes, no = w.compare("olt", args[0][0], w.constant(0.0)), block.number.neg(args[0]), args[0]
    elif op == "sign":
        above = w.select(w.compare("ogt", args[0][0], w.constant(0.0)), w.constant(1.0), w.constant(0.0))
        sign = w.select(w.compare("olt", args[0][0], w.constant(0.0)), w.constant(-1.0), above)
        return sign, *zero[1:]
    else:
        rest = block.number.sub(args[0], args[1])
        condition, yes, no = w.compare("olt", rest[0], w.constant(0.0)), args[0], args[1]
        yes, no = (yes, no) if op == "min" else (no, yes)
    return tuple(w.select(condition, a, b) for a, b in zip(yes, no, strict=True))


def order_block(place: Place, index: int, nodes: list[Node]) -> str:
    """Coefficients of one order of nodes, given those of the states and the sums of convolutions."""
    made = _Order(place, index)
    w, number, plan = made.w, made.number, place.plan
    w.line(f"define internal fastcc void @order.{index}(ptr %p, ptr noalias %m, i64 %k) noinline {{\nentry:")
    w.line(f"  %down = mul i64 %k, {place.n}\n  %row = getelementptr double, ptr %m, i64 %down")
    w.line("  %next = add i64 %k, 1\n  %first = icmp eq i64 %k, 1")
    share = w.emit("getelementptr double, ptr @share.0, i64 %k")
    made.share = (w.emit(f"load double, ptr {share}, align 8"),)
    after = w.emit("getelementptr double, ptr @share.0, i64 %next")
    shorter: Number = (w.emit(f"load double, ptr {after}, align 8"),)
    if place.paired:
        share = w.emit("getelementptr double, ptr @share.1, i64 %k")
        made.share = (*made.share, w.emit(f"load double, ptr {share}, align 8"))
        after = w.emit("getelementptr double, ptr @share.1, i64 %next")
        shorter = (*shorter, w.emit(f"load double, ptr {after}, align 8"))
    for e in nodes:
        coefficient = made.known[e] = made.make(e)
        number.store(coefficient, "%m", place.newest[e])
        made.keep_all(e, coefficient, "%k")
    if index == max(len(plan.blocks), 1) - 1:
        state = {e.data[1]: e for e in place.values if e.op == "input" and e.data[0] == 1}
        for i, rate in enumerate(plan.rates):
            slope = made.of(rate)
            new = made.zero if slope is None else number.mul(slope, shorter)
            number.store(new, "%row", place.n + i)
            made.keep_all(state[i], new, "%next")
    w.line("  ret void\n}")
    return "\n".join(w.lines)


class _Order(_Block):
    """Coefficients of order k; None is zero."""

    def __init__(self, place: Place, index: int) -> None:
        super().__init__(place)
        self.index = index
        self.known: dict[Node, Number] = {}
        self.share: Number = ()

    def of(self, e: Node) -> Number | None:
        if e.still:
            return None
        found = self.known.get(e)
        if found is not None:
            return found
        if e.op == "input" and e.data[0] == 1:
            found = self.number.load("%row", e.data[1])
        elif e.op == "input":
            one = self.w.select("%first", self.w.constant(1.0), self.w.constant(0.0))
            found = (one, *self.zero[1:])
        elif e in self.place.plan.inlined:
            found = self.linear(e)
        else:
            found = self.number.load("%m", self.place.newest[e])
        self.known[e] = found
        return found

    def make(self, e: Node) -> Number:
        number, op, args = self.number, e.op, e.args
        at = self.place.sums.get(e)
        total = None if at is None else number.load("%m", at)
        if op == "div":
            top, bottom = self.of(args[0]), self.of(args[1])
            assert bottom is not None
            assert total is not None
            left = number.sub(total, number.mul(self.value(e), bottom))
            left = left if top is None else number.add(left, top)
            return number.mul(left, number.load("%m", self.place.inverses[args[1]]))
        if op == "sqrt":
            inside = self.of(args[0])
            assert inside is not None
            assert total is not None
            half = number.mul(number.load("%m", self.place.inverses[e]), number.constant(Fraction(1, 2)))
            return number.mul(number.add(inside, total), half)
        if e.slopes:
            made = None if total is None else number.mul(total, self.share)
            for a, g in zip(args, e.slopes, strict=True):
                moved = self.of(a)
                if g is None or moved is None:
                    continue
                slope = self.value(g)
                made = number.mul(slope, moved) if made is None else number.fused(slope, moved, made)
            return self.zero if made is None else made
        made = self.linear(e)
        return made if total is None else number.add(made, total)

    def linear(self, e: Node) -> Number:
        """What a sum or product owes to the newest coefficients of its operands."""
        number, op = self.number, e.op
        a = self.of(e.args[0])
        if op == "neg":
            assert a is not None
            return number.neg(a)
        b = self.of(e.args[1])
        if op == "mul":
            assert b is not None
            if a is None:
                return number.mul(self.value(e.args[0]), b)
            if e.args[0] is e.args[1]:
                return number.mul(number.add(a, a), self.value(e.args[0]))
            return number.fused(a, self.value(e.args[1]), number.mul(self.value(e.args[0]), b))
        if a is None:
            assert b is not None
            return number.neg(b) if op == "sub" else b
        if b is None:
            return a
        return number.sub(a, b) if op == "sub" else number.add(a, b)
