"""From expressions to the operations a processor does: signs dissolve into additions, subtractions and constants.

Expressions carry signs outwards (`-(a*b)`), so the additions and subtractions of a body depend on the signs of its
numbers. Here every value may be held with either sign; the signs are chosen, in one pass, so that negations vanish and
equal bodies get equal operations whatever their numbers are. A value with a constant factor has its sign free until a
sum needs it: its first use as a summand decides, and the constant takes the sign.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.expr import FUNCTIONS, PI, Expr, topological


@dataclass(eq=False, slots=True)
class Cell:
    """An operation on cells; `data` is a number ("const"), a place ("input") or the exponent of a power."""

    op: str
    args: tuple[Cell, ...] = ()
    data: Any = None

    def __repr__(self) -> str:  # not what is below: a graph that shares has no end as a tree
        return f"<Cell {self.op} of {len(self.args)}>" if self.data is None else f"<Cell {self.op} {self.data}>"


@dataclass(frozen=True, slots=True)
class Lowered:
    """Operations in order, and the cells of the results."""

    cells: list[Cell]
    outputs: list[Cell]


#: 0 for plus, 1 for minus. While it is not decided: 2*x + negative for the free sign x (counted from 1), or, for a
#: product of several free signs, the set of them and whether it is negative.
_Open = tuple[frozenset[int], int]
_Sign = int | _Open
_NUMBERS = frozenset({"const", "pi"})
_COMMON = frozenset({"add", "sub", "mul"})
_MOST_FREE = 16


class _Signs:
    """Signs of values as unknowns over two elements, eliminated when a sum asks for it."""

    def __init__(self, known: Iterable[Expr]) -> None:
        self.count = 0
        self.known: dict[int, _Sign] = {}
        self.signs: dict[Expr, _Sign] = dict.fromkeys(known, 0)

    def of(self, e: Expr) -> _Sign:
        """The sign with which a value is held, as far as it is decided."""
        sign = self.signs[e]
        if sign.__class__ is int and (sign < 2 or sign >> 1 not in self.known):  # type: ignore[operator]
            return sign
        self.signs[e] = sign = self._resolved(sign)
        return sign

    def fresh(self) -> _Sign:
        self.count += 1
        return 2 * self.count

    def _resolved(self, sign: _Sign) -> _Sign:
        """The same sign in terms of signs that are still free."""
        known = self.known
        path: list[int] = []
        while isinstance(sign, int) and sign >= 2 and sign >> 1 in known:
            path.append(sign)
            sign = _times(known[sign >> 1], sign & 1)
        if not isinstance(sign, int):
            free, negative = sign
            total: _Sign = negative
            for x in free:
                total = _times(total, self._resolved(2 * x) if x in known else 2 * x)
            sign = total
        for code in path:  # so that chains stay short
            known[code >> 1] = _times(sign, code & 1)
        return sign

    def make_positive(self, sign: _Sign) -> None:
        """Use a free sign, if there is one, to make this one positive; the newest is expressed by the older ones."""
        if not isinstance(sign, int):
            free, negative = sign
            newest = max(free)
            self.known[newest] = _product(free - {newest}, negative)
        elif sign >= 2:
            self.known[sign >> 1] = sign & 1

    def bounded(self, sign: _Sign) -> _Sign:
        """Long products of free signs are decided at once, so that none grows without end."""
        if isinstance(sign, int) or len(sign[0]) <= _MOST_FREE:
            return sign
        for x in sign[0]:
            self.known[x] = 0
        return sign[1]


def _product(free: frozenset[int], negative: int) -> _Sign:
    if len(free) > 1:
        return free, negative
    return 2 * next(iter(free)) + negative if free else negative


def _times(a: _Sign, b: _Sign) -> _Sign:
    """Product of two signs."""
    if isinstance(a, int) and isinstance(b, int):
        if a < 2 or b < 2:
            return a ^ b
        if a >> 1 == b >> 1:
            return (a ^ b) & 1
        return frozenset({a >> 1, b >> 1}), (a ^ b) & 1
    free, negative = _parts(a)
    more, flip = _parts(b)
    return _product(free ^ more, negative ^ flip)


def _parts(sign: _Sign) -> _Open:
    if isinstance(sign, int):
        return frozenset({sign >> 1} if sign >= 2 else ()), sign & 1
    return sign


def _bare(e: Expr) -> tuple[Expr, bool]:
    return (e.args[0], True) if e.op == "neg" else (e, False)


def lower(inputs: Sequence[Sequence[Expr]], outputs: Sequence[Expr]) -> Lowered:
    """The operations of some expressions, in topological order."""
    given = {e: Cell("input", (), (g, i)) for g, group in enumerate(inputs) for i, e in enumerate(group)}
    order = [e for e in topological(outputs, stop=set(given)) if e not in given and e.op not in ("const", "pi", "neg")]
    signs = _Signs([*given, PI])  # the one number that is not folded with others
    held = signs.signs
    for e in order:
        if e.op in _COMMON:  # most nodes: both operands held, their signs decided
            a, b = held.get(e.args[0]), held.get(e.args[1])
            if a.__class__ is int and b.__class__ is int and a < 2 and b < 2:  # type: ignore[operator]
                held[e] = a ^ b if e.op == "mul" else a  # type: ignore[operator, assignment]
                continue
        held[e] = _decide(signs, e)
    return _Builder(signs, given).build(order, outputs)


def _decide(signs: _Signs, e: Expr) -> _Sign:
    """The sign with which to hold a value, given those of its operands."""
    op, args = e.op, e.args
    if op in ("add", "sub"):
        (a, a_negative), (b, b_negative) = _bare(args[0]), _bare(args[1])
        b_negative ^= op == "sub"
        if a.op in _NUMBERS:
            return _times(signs.of(b), int(b_negative))
        first = _times(signs.of(a), int(a_negative))
        if b.op not in _NUMBERS:
            signs.make_positive(_times(first, _times(signs.of(b), int(b_negative))))
        return first
    if op in ("mul", "div"):
        (a, a_negative), (b, b_negative) = _bare(args[0]), _bare(args[1])
        if a.op in _NUMBERS:
            return _times(signs.of(b), int(b_negative)) if op == "div" and a.data == 1 else signs.fresh()
        if b.op in _NUMBERS:
            return signs.fresh()
        return signs.bounded(_times(_times(signs.of(a), signs.of(b)), int(a_negative ^ b_negative)))
    if op == "pow" and type(args[1].data) is int:
        base, negative = _bare(args[0])
        return 0 if args[1].data % 2 == 0 else _times(signs.of(base), int(negative))
    parity = FUNCTIONS[op].parity if op in FUNCTIONS else 0
    if parity == -1:
        base, negative = _bare(args[0])
        return int(negative) if base.op in _NUMBERS else _times(signs.of(base), int(negative))
    if parity != 1:
        for x in args[1:] if op == "where" else args:
            base, negative = _bare(x)
            if base.op not in _NUMBERS:
                signs.make_positive(_times(signs.of(base), int(negative)))
    return 0


class _Builder:
    """Makes the cells once every sign is decided."""

    def __init__(self, signs: _Signs, given: dict[Expr, Cell]) -> None:
        self.signs = signs
        self.cell: dict[Expr, Cell] = dict(given)
        self.negative: dict[Expr, bool] = dict.fromkeys(given, False)
        self.numbers: dict[float, Cell] = {}
        self.cells: list[Cell] = []
        self.negated: dict[Cell, Cell] = {}
        self.divisors: Counter[Expr] = Counter()
        self.inverses: dict[Cell, Cell] = {}

    def build(self, order: Sequence[Expr], outputs: Sequence[Expr]) -> Lowered:
        self.divisors.update([_bare(e.args[1])[0] for e in order if e.op == "div"])
        for e in order:
            sign = self.signs.of(e)
            # What nobody asked about is as it is: free signs are positive.
            self.negative[e] = bool(sign & 1 if isinstance(sign, int) else sign[1])
            self.cell[e] = self.make(e)
        return Lowered(self.cells, [self.true(e) for e in outputs])

    def new(self, op: str, args: tuple[Cell, ...], data: Any = None) -> Cell:
        made = Cell(op, args, data)
        self.cells.append(made)
        return made

    def number(self, value: float) -> Cell:
        key = math.copysign(0.5, value) if value == 0 else value
        known = self.numbers.get(key) if value != 0 else None
        if known is None:
            known = Cell("const", (), value)
            if value != 0:
                self.numbers[key] = known
        return known

    def held(self, e: Expr) -> tuple[Cell, bool]:
        """The cell that holds a value, and whether it holds its negative."""
        e, flip = _bare(e)
        if e.op in _NUMBERS:
            value = number_of(e)
            return self.number(-value if flip else value), False
        return self.cell[e], self.negative[e] ^ flip

    def true(self, e: Expr) -> Cell:
        """The value itself, negated if need be."""
        cell, negative = self.held(e)
        if not negative:
            return cell
        known = self.negated.get(cell)
        if known is None:
            known = self.negated[cell] = self.new("neg", (cell,))
        return known

    def make(self, e: Expr) -> Cell:
        op, args, negative = e.op, e.args, self.negative[e]
        if op in _COMMON:
            a, b = self.cell.get(args[0]), self.cell.get(args[1])
            if a is not None and b is not None:
                if op == "mul":
                    return self.new(op, (a, b))
                # The sum is held with the sign of its first operand.
                minus = self.negative[args[0]] ^ self.negative[args[1]] ^ (op == "sub")
                return self.new("sub" if minus else "add", (a, b))
        if op in ("add", "sub"):
            return self.total(args[0], args[1], op == "sub", negative)
        if op in ("mul", "div"):
            (a, a_flip), (b, b_flip) = self.held(args[0]), self.held(args[1])
            if a_flip ^ b_flip ^ negative:  # only a constant can take the sign
                a, b = (self.number(-a.data), b) if a.op == "const" else (a, self.number(-b.data))
            if op == "div" and self.divisors[_bare(args[1])[0]] > 1:
                return self.quotient(a, b)
            return self.new(op, (a, b))
        if op == "pow" and args[1].op == "const":
            whole = isinstance(args[1].data, int)
            return self.new("pow", (self.held(args[0])[0] if whole else self.true(args[0]),), args[1].data)
        if op in FUNCTIONS and FUNCTIONS[op].parity:
            return self.new(op, (self.held(args[0])[0],))
        if op == "where":
            return self.new(op, (self.held(args[0])[0], self.true(args[1]), self.true(args[2])))
        return self.new(op, tuple([self.true(a) for a in args]))

    def quotient(self, a: Cell, b: Cell) -> Cell:
        """A division by something that divides often: one inverse, then products."""
        inverse = self.inverses.get(b)
        if inverse is None:
            inverse = self.inverses[b] = self.new("div", (self.number(1.0), b))
        if a.op == "const" and a.data == 1:
            return inverse
        return self.new("mul", (a, inverse))

    def total(self, x: Expr, y: Expr, minus: bool, negative: bool) -> Cell:
        (a, a_flip), (b, b_flip) = self.held(x), self.held(y)
        a_flip, b_flip = a_flip ^ negative, b_flip ^ negative ^ minus
        if a.op == "const" and a_flip:
            a, a_flip = self.number(-a.data), False
        if b.op == "const" and b_flip:
            b, b_flip = self.number(-b.data), False
        if a_flip and not b_flip:
            a, b, a_flip, b_flip = b, a, b_flip, a_flip
        if a_flip:  # both: cannot happen, the sign of the sum follows its first operand
            raise AssertionError("a sum of two negatives has the wrong sign")
        return self.new("sub" if b_flip else "add", (a, b))


def number_of(e: Expr) -> float:
    """The double nearest to a constant."""
    if e.op == "pi":
        return math.pi
    return e.data.numerator / e.data.denominator if isinstance(e.data, Fraction) else float(e.data)
