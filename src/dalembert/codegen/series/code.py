"""LLVM text of the Taylor coefficients of y' = f(t, y, p): order by order, convolutions as loops over tables.

`void series(const double *t, const double *y, const double *p, double *memory)` leaves coefficient k of state i in
memory[k n + i]; pairs have their second parts `size` doubles further, and those of y after y. `void sum(const double
*memory, const double *h, double *y)` adds the series up at h. Memory is zero before the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dalembert.codegen import _elementary
from dalembert.codegen._ir import Writer, double_bits
from dalembert.codegen.series.arithmetic import Doubles, Pairs, parts_of
from dalembert.codegen.series.dots import dots_text
from dalembert.codegen.series.graph import Graph, Node
from dalembert.codegen.series.orders import Place, order_block, zero_block
from dalembert.codegen.series.pairs import pair_functions
from dalembert.codegen.series.plan import Plan, plan
from dalembert.codegen.series.unrolled import MOST_LOOKED_AT, MOST_PRODUCTS, look, products, unrolled
from dalembert.expr import TIME, Expr


@dataclass(frozen=True, slots=True)
class SeriesText:
    """LLVM text with the functions "series" and "sum", and "look" if it `looks`; `room` doubles of memory."""

    text: str
    room: int
    low: int
    looks: bool = False


def series_text(
    states: Sequence[Expr], parameters: Sequence[Expr], rates: Sequence[Expr], order: int, paired: bool, width: int
) -> SeriesText:
    """The code for series up to `order`, `width` coefficients side by side."""
    graph = Graph([[TIME], states, parameters], frozenset({0, 1}))
    wanted = graph.add(rates)
    if not paired and width > 1 and products(graph.nodes, order) <= MOST_PRODUCTS:
        return _written_out(graph.nodes, wanted, len(states), order, width)
    made = plan(graph.nodes, wanted)
    place = _places(made, graph.nodes, len(states), order, width, paired)
    used: set[str] = set()
    parts = [zero_block(place, k, block, used) for k, block in enumerate(made.zero_blocks or [[]])]
    parts += [order_block(place, k, block) for k, block in enumerate(made.blocks or [[]])]
    dots = dots_text(place)
    parts += [*dots, _series(place, len(made.zero_blocks or [[]]), len(made.blocks or [[]])), _sum(place)]
    together = set[str]()
    looks = not paired and width > 1 and len(graph.nodes) + len(states) * order <= MOST_LOOKED_AT
    if looks:
        parts.append(look(graph.nodes, wanted, len(states), order, width, together))
    bodies = pair_functions(used) if paired else [_elementary.definition(name, 1) for name in sorted(used)]
    bodies += [_elementary.definition(name, width) for name in sorted(together)]
    return SeriesText(_module(place, bodies, parts), place.low * (2 if paired else 1), place.low, looks)


def _written_out(nodes: Sequence[Node], rates: Sequence[Node], n: int, order: int, width: int) -> SeriesText:
    alone, together = set[str](), set[str]()
    parts = [unrolled(nodes, rates, n, order, alone), look(nodes, rates, n, order, width, together)]
    bodies = [_elementary.definition(name, 1) for name in sorted(alone)]
    bodies += [_elementary.definition(name, width) for name in sorted(together)]
    room = -(-(order + 1) * n // 8) * 8
    return SeriesText("\n".join([*_heads(width), *bodies, *parts, _WEIGHTS]), room, room, looks=True)


def _places(made: Plan, nodes: Sequence[Node], n: int, order: int, width: int, paired: bool) -> Place:
    """Where everything is in memory: rows of coefficients, values, newest coefficients, convolutions, arrays."""
    at = (order + 1) * n
    values: dict[Node, int] = {}
    for e in nodes:
        if e.op not in ("const", "pi"):
            values[e] = at
            at += 1
    inverses: dict[Node, int] = {}
    for e in nodes:
        if not e.still and e.op in ("div", "sqrt"):
            whose = e if e.op == "sqrt" else e.args[1]
            if whose not in inverses:
                inverses[whose] = at
                at += 1
    newest: dict[Node, int] = {}
    for block in made.blocks:
        for e in block:
            newest[e] = at
            at += 1
    sums: dict[Node, int] = {}
    for e in sorted(made.targets, key=lambda one: made.targets[one].shape):  # one loop for each shape
        sums[e] = at
        at += 1
    known = order - 1
    forward = -(-(known + 1) // width) * width
    for key in made.arrays:
        at = -(-at // width) * width if key[0] != "backward" else at
        made.arrays[key] = at if key[0] != "backward" else at + 1
        at += forward if key[0] != "backward" else known + 1 + width
    return Place(made, n, order, width, paired, values, inverses, newest, sums, -(-at // 8) * 8)


def _series(place: Place, zeros: int, orders: int) -> str:
    call = "ptr %t, ptr %y, ptr %p, ptr %m"
    lines = ["define void @series(ptr noalias %t, ptr noalias %y, ptr noalias %p, ptr noalias %m) {", "entry:"]
    lines += [f"  call fastcc void @zero.{k}({call})" for k in range(zeros)]
    lines += ["  br label %next", "next:", "  %k = phi i64 [ 1, %entry ], [ %k1, %made ]"]
    # order 1 meets the zeros behind the backward arrays, which clear its sums
    lines += ["  %ago = sub i64 %k, 2", f"  %chunk = sdiv i64 %ago, {place.width}"]
    chunks = -(-max(place.order - 2, 1) // place.width)
    cases = " ".join(f"i64 {c}, label %c{c}" for c in range(chunks - 1))
    lines += [f"  switch i64 %chunk, label %c{chunks - 1} [ {cases} ]"]
    for c in range(chunks):
        lines += [f"c{c}:", f"  call fastcc void @dots.{c + 1}(ptr %m, i64 %k)", "  br label %made"]
    lines += ["made:"]
    lines += [f"  call fastcc void @order.{k}(ptr %p, ptr %m, i64 %k)" for k in range(orders)]
    lines += ["  %k1 = add i64 %k, 1", f"  %more = icmp ult i64 %k1, {place.order}"]
    lines += ["  br i1 %more, label %next, label %done", "done:", "  ret void", "}"]
    return "\n".join(lines)


def _sum(place: Place) -> str:
    """Horner's rule for each state."""
    w = Writer(1)
    number = Pairs(w, place.low) if place.paired else Doubles(w, place.low)
    w.line("define void @sum(ptr noalias %m, ptr noalias %time, ptr noalias %y) {\nentry:")
    h: tuple[str, ...] = (w.emit("load double, ptr %time, align 8"),)
    if place.paired:
        h = (h[0], w.emit(f"load double, ptr {w.emit('getelementptr double, ptr %time, i64 1')}, align 8"))
    w.line("  br label %state\nstate:\n  %i = phi i64 [ 0, %entry ], [ %i1, %summed ]")
    w.line("  %column = getelementptr double, ptr %m, i64 %i")
    top = number.load("%column", place.order * place.n)
    w.line("  br label %row\nrow:")
    w.line(f"  %k = phi i64 [ {place.order - 1}, %state ], [ %k1, %row ]")
    total = tuple(f"%total{j}" for j in range(number.parts))
    place_of_phi = len(w.lines)
    w.line(f"  %offset = mul i64 %k, {place.n}\n  %at = getelementptr double, ptr %column, i64 %offset")
    new = number.fused(total, h, number.load("%at", 0))
    phis = [f"  {a} = phi double [ {b}, %state ], [ {c}, %row ]" for a, b, c in zip(total, top, new, strict=True)]
    w.lines[place_of_phi:place_of_phi] = phis
    w.line("  %k1 = sub i64 %k, 1\n  %further = icmp sge i64 %k1, 0\n  br i1 %further, label %row, label %summed")
    w.line("summed:\n  %out = getelementptr double, ptr %y, i64 %i")
    type(number)(w, place.n).store(new, "%out", 0)
    w.line(f"  %i1 = add i64 %i, 1\n  %others = icmp ult i64 %i1, {place.n}")
    w.line("  br i1 %others, label %state, label %done\ndone:\n  ret void\n}")
    return "\n".join(w.lines)


def _heads(width: int) -> list[str]:
    """Declarations of what is called."""
    heads = []
    for w in [Writer(k) for k in sorted({1, width})]:
        t, s = w.real, w.suffix
        heads += [f"declare {t} @llvm.{name}.{s}({t})" for name in ("fabs", "sqrt", "rint")]
        heads += [f"declare {t} @llvm.{name}.{s}({t}, {t})" for name in ("copysign", "minimum", "maximum")]
        heads += [f"declare {t} @llvm.{name}.{s}({t}, {t}, {t})" for name in ("fmuladd", "fma")]
        if w.width > 1:
            heads.append(f"declare double @llvm.vector.reduce.fadd.{s}(double, {t})")
            heads += [f"declare i1 @llvm.vector.reduce.{name}.v{width}i1({w.truth})" for name in ("and", "or")]
    return [*heads, _elementary.declarations()]


_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 100000}\n'


def _module(place: Place, bodies: list[str], parts: list[str]) -> str:
    shares = [parts_of(Fraction(1, k or 1), 2) for k in range(place.order + 2)]
    tables = []
    for j in range(2):
        numbers = ", ".join(f"double {double_bits(pair[j])}" for pair in shares)
        tables.append(f"@share.{j} = internal constant [{place.order + 2} x double] [{numbers}]")
    return "\n".join([*_heads(place.width), *tables, *bodies, *parts, _WEIGHTS])
