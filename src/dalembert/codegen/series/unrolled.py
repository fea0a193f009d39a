"""Series of small machines in straight-line code, one order after the other, with nothing in memory but the result.

A sum over coefficients is written out: those that are newest come last, so that a coefficient waits for two products
only, and older ones are summed while it waits. Squares take each product of two different coefficients once.
`look` compares the series with the equations at eight instants of a step, side by side in vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.codegen._ir import Writer, double_bits
from dalembert.codegen.series.arithmetic import Doubles
from dalembert.codegen.series.graph import Node
from dalembert.codegen.series.orders import ValueBlock, value_of

MOST_PRODUCTS = 1_000
"""Of all orders together: a tenth of a second to compile. From 2,000 on loops over tables, whose sums are vectors, are
as quick: of a top with 2,200 products."""
MOST_LOOKED_AT = 1_000
"""Operations of the rates and coefficients of the states: as long to compile. Of more, one instant after the other."""
_LOOKS, _GOLDEN = 8, (5**0.5 - 1) / 2
"""Instants of a step, its end and others spread by the golden section: no fifth of it goes unseen."""
_APART, _ROUNDED = 10.0, 1e3 * 2.0**-52
"""As in `simulate.loop.taylor`: tolerances by which a series may miss a slope, and rounding of the slopes."""


def products(nodes: Sequence[Node], order: int) -> int:
    """Multiplications that series up to an order take when they are written out."""
    whole = order * (order + 1) // 2
    count = 0
    for e in nodes:
        if e.still or e.op == "input":
            continue
        if e.op == "mul":
            moving = [a for a in e.args if not a.still]
            count += order if len(moving) == 1 else whole // 2 if e.args[0] is e.args[1] else whole
        elif e.op == "div":
            count += whole
        elif e.op == "sqrt":
            count += whole // 2
        else:
            count += sum(order if g.still else whole for g in e.slopes if g is not None)
    return count


def unrolled(nodes: Sequence[Node], rates: Sequence[Node], n: int, order: int, used: set[str]) -> str:
    """The functions "series" and "sum"."""
    return "\n".join([_Unrolled(nodes, rates, n, order, used).series(), _sum(n, order)])


class _Unrolled:
    """Coefficients by node and order; None is zero."""

    def __init__(self, nodes: Sequence[Node], rates: Sequence[Node], n: int, order: int, used: set[str]) -> None:
        self.nodes, self.rates, self.n, self.order, self.used = nodes, rates, n, order, used
        self.w = Writer(1)
        self.block = ValueBlock(Doubles(self.w))
        self.found: dict[Node, list[str | None]] = {}
        self.scaled: dict[Node, list[str | None]] = {}
        self.doubled: dict[Node, list[str | None]] = {}
        self.inverse: dict[Node, str] = {}

    def series(self) -> str:
        w, found = self.w, self.found
        w.line("define void @series(ptr noalias %t, ptr noalias %y, ptr noalias %p, ptr noalias %m) {\nentry:")
        block = self.block
        for e in self.nodes:
            if e.op == "input":
                group, i = e.data
                block.values[e] = block.number.load(("%t", "%y", "%p")[group], i)
            elif e.op not in ("const", "pi"):
                block.values[e] = value_of(block, e, self.used)
            if not e.still:
                found[e] = [block.value(e)[0]]
        states = {e.data[1]: e for e in self.nodes if e.op == "input" and e.data[0] == 1}
        for e in self.nodes:
            if e.op == "input" and e.data[0] == 0:
                found[e] += [w.constant(1.0), *[None] * self.order]
            if not e.still and e.op in ("sqrt", "div"):
                whose = e if e.op == "sqrt" else e.args[1]
                if whose not in self.inverse:
                    self.inverse[whose] = w.div(w.constant(1.0), block.value(whose)[0])
        self.store(0, [block.value(states[i])[0] for i in range(self.n)])
        for k in range(self.order):
            for e in self.nodes if k else ():
                if not e.still and e.op != "input":
                    found[e].append(self.coefficient(e, k))
            row = [self.times(self.at(rate, k), Fraction(1, k + 1)) for rate in self.rates]
            for i, value in enumerate(row):
                found[states[i]].append(value)
            self.store(k + 1, row)
        w.line("  ret void\n}")
        return "\n".join(w.lines)

    def store(self, k: int, row: Sequence[str | None]) -> None:
        for i, value in enumerate(row):
            place = self.w.emit(f"getelementptr double, ptr %m, i64 {k * self.n + i}")
            self.w.line(f"  store double {value or self.w.constant(0.0)}, ptr {place}, align 8")

    def at(self, e: Node, k: int) -> str | None:
        if e.still:
            return self.block.value(e)[0] if k == 0 else None
        return self.found[e][k]

    def times(self, value: str | None, factor: Fraction) -> str | None:
        if value is None or factor == 1:
            return value
        return self.w.mul(value, self.w.constant(float(factor)))

    def multiple(self, known: dict[Node, list[str | None]], e: Node, k: int) -> str | None:
        """k times coefficient k, or twice coefficient k, remembered."""
        kept = known.setdefault(e, [])
        while len(kept) <= k:
            j = len(kept)
            kept.append(self.times(self.at(e, j), Fraction(j if known is self.scaled else 2)))
        return kept[k]

    def sum(self, terms: Sequence[tuple[str | None, str | None]], begin: str | None = None) -> str | None:
        total = begin
        for a, b in terms:
            if a is not None and b is not None:
                total = self.w.mul(a, b) if total is None else self.w.fused(a, b, total)
        return total

    def convolved(self, a: Node, b: Node, first: int, last: int, k: int) -> list[tuple[str | None, str | None]]:
        """a_j b_(k-j) for j from `first` to `last`, those with the newest coefficients at the end."""
        js = sorted(range(first, last + 1), key=lambda j: (max(j, k - j), j))
        return [(self.at(a, j), self.at(b, k - j)) for j in js]

    def square(self, a: Node, first: int, k: int) -> str | None:
        """The sum of a_j a_(k-j) for j from `first` to k - `first`."""
        middle = self.at(a, k // 2) if k % 2 == 0 and k // 2 >= first else None
        halves = [(self.multiple(self.doubled, a, j), self.at(a, k - j)) for j in range((k - 1) // 2, first - 1, -1)]
        return self.sum([(middle, middle), *halves])

    def minus(self, a: str | None, b: str | None) -> str | None:
        if b is None:
            return a
        return self.w.neg(b) if a is None else self.w.sub(a, b)

    def coefficient(self, e: Node, k: int) -> str | None:
        w, op, args = self.w, e.op, e.args
        if op == "neg":
            return self.minus(None, self.at(args[0], k))
        if op == "sub":
            return self.minus(self.at(args[0], k), self.at(args[1], k))
        if op == "add":
            a, b = self.at(args[0], k), self.at(args[1], k)
            return b if a is None else a if b is None else w.add(a, b)
        if op == "mul" and args[0] is args[1]:
            return self.square(args[0], 0, k)
        if op == "mul":
            return self.sum(self.convolved(args[0], args[1], 0, 0 if args[0].still else k, k))
        if op == "div":
            rest = self.minus(self.at(args[0], k), self.sum(self.convolved(args[1], e, 1, k, k)))
            return None if rest is None else w.mul(rest, self.inverse[args[1]])
        if op == "sqrt":
            rest = self.minus(self.at(args[0], k), self.square(e, 1, k))
            return None if rest is None else w.mul(rest, self.times(self.inverse[e], Fraction(1, 2)) or "")
        total: str | None = None
        for moved, slope in zip(args, e.slopes, strict=True):
            if slope is not None:
                js = sorted(range(1, k + 1), key=lambda j: (max(j, k - j), j))
                total = self.sum([(self.multiple(self.scaled, moved, j), self.at(slope, k - j)) for j in js], total)
        return self.times(total, Fraction(1, k))


def _sum(n: int, order: int) -> str:
    """Horner's rule for each state."""
    w = Writer(1)
    w.line("define void @sum(ptr noalias %m, ptr noalias %time, ptr noalias %y) {\nentry:")
    h = w.emit("load double, ptr %time, align 8")
    number = Doubles(w)
    totals = [number.load("%m", order * n + i)[0] for i in range(n)]
    for k in range(order - 1, -1, -1):
        totals = [w.fused(total, h, number.load("%m", k * n + i)[0]) for i, total in enumerate(totals)]
    for i, total in enumerate(totals):
        number.store((total,), "%y", i)
    w.line("  ret void\n}")
    return "\n".join(w.lines)


def look(nodes: Sequence[Node], rates: Sequence[Node], n: int, order: int, width: int, used: set[str]) -> str:
    """`void look(double *step, const double *atol, const double *p, const double *rtol, const double *memory)`.

    `step` has time and length; its first place becomes 1 where the series misses a slope of the equations, else 0.
    """
    w, one = Writer(width), Writer(1, "s")
    one.lines = w.lines
    w.line(
        "define void @look(ptr noalias %step, ptr noalias %atol, ptr noalias %p, ptr noalias %rtol, ptr noalias %m) {\n"
        "entry:"
    )
    places = [1.0, *(k * _GOLDEN % 1.0 for k in range(1, _LOOKS))]
    start, length = (Doubles(one).load("%step", k)[0] for k in range(2))
    wrong = ""
    for begin in range(0, _LOOKS, width):
        some = places[begin : begin + width]
        share = ", ".join(f"double {double_bits(x)}" for x in some)
        h = w.mul(w.spread(length), f"<{share}>")
        now = w.add(w.spread(start), h)
        size = w.intrinsic("fabs", h)
        rows = [[w.spread(Doubles(one).load("%m", k * n + i)[0]) for k in range(order + 1)] for i in range(n)]
        values, slopes = [], []
        for row in rows:
            value, slope = row[-1], row[-1]
            value = w.fused(value, h, row[-2])
            for c in reversed(row[:-2]):
                slope = w.fused(slope, h, value)
                value = w.fused(value, h, c)
            values.append(value)
            slopes.append(slope)
        block = ValueBlock(Doubles(w))
        for e in nodes:
            if e.op in ("const", "pi"):
                continue
            if e.op != "input":
                block.values[e] = value_of(block, e, used)
            elif e.data[0] == 2:
                block.values[e] = (w.spread(Doubles(one).load("%p", e.data[1])[0]),)
            else:
                block.values[e] = (now,) if e.data[0] == 0 else (values[e.data[1]],)
        for i, rate in enumerate(rates):
            given = block.value(rate)[0]
            rounding = w.mul(w.add(w.intrinsic("fabs", slopes[i]), w.intrinsic("fabs", given)), w.constant(_ROUNDED))
            missed = w.mul(size, w.sub(w.intrinsic("fabs", w.sub(slopes[i], given)), rounding))
            relative, absolute = (w.spread(Doubles(one).load(x, i)[0]) for x in ("%rtol", "%atol"))
            allowed = w.fused(w.intrinsic("fabs", values[i]), relative, absolute)
            bad = w.compare("ugt", missed, w.mul(allowed, w.constant(_APART * (order + 1))))
            wrong = bad if not wrong else w.emit(f"or {w.truth} {wrong}, {bad}")
    some_lane = w.emit(f"call i1 @llvm.vector.reduce.or.v{width}i1({w.truth} {wrong})")
    w.line(f"  %told = uitofp i1 {some_lane} to double\n  store double %told, ptr %step, align 8\n  ret void\n}}")
    return "\n".join(w.lines)
