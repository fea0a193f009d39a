"""The convolutions of one order: loops over tables, one for each shape of sums, several coefficients at a time."""

from __future__ import annotations

from itertools import groupby

from dalembert.codegen._ir import Writer
from dalembert.codegen.series.arithmetic import Doubles, Number, Pairs
from dalembert.codegen.series.orders import Place


def dots_text(place: Place) -> list[str]:
    """Functions `dots.c(memory, k)` for c vectors of coefficients each, and their tables of places."""
    plan, parts = place.plan, list[str]()
    groups = []
    for number, (shape, listed) in enumerate(groupby(place.sums, key=lambda e: plan.targets[e].shape)):
        ones = list(listed)
        offsets = [
            plan.arrays[key] for e in ones for pair in (*plan.targets[e].plus, *plan.targets[e].minus) for key in pair
        ]
        numbers = ", ".join(f"i32 {x}" for x in offsets)
        parts.append(f"@places.{number} = internal constant [{len(offsets)} x i32] [{numbers}]")
        groups.append((number, shape, len(ones), place.sums[ones[0]]))
    chunks = -(-max(place.order - 2, 1) // place.width)
    return [*parts, *(_dots(place, groups, c) for c in range(1, chunks + 1))]


def _dots(place: Place, groups: list[tuple[int, tuple[int, int], int, int]], chunks: int) -> str:
    w, one = Writer(place.width), Writer(1, "s")
    one.lines = w.lines
    lanes = Pairs(w, place.low) if place.paired else Doubles(w, place.low)
    scalar = type(lanes)(one, place.low)
    w.line(f"define internal fastcc void @dots.{chunks}(ptr noalias %m, i64 %k) noinline {{\nentry:")
    w.line(f"  %shift = sub i64 {place.order}, %k")  # a_j meets b_(k-j) in place known + 1 - k + j - 1
    w.line("  %back = getelementptr double, ptr %m, i64 %shift")
    w.line(f"  br label %{'g0' if groups else 'end'}")
    for position, (number, (plus, minus), count, at) in enumerate(groups):
        before = f"g{groups[position - 1][0]}" if position else "entry"
        after = f"g{groups[position + 1][0]}" if position + 1 < len(groups) else "end"
        w.line(f"g{number}:")
        w.line(f"  %i{number} = phi i64 [ 0, %{before} ], [ %n{number}, %g{number} ]")
        w.line(f"  %row{number} = mul i64 %i{number}, {2 * (plus + minus)}")
        w.line(f"  %table{number} = getelementptr i32, ptr @places.{number}, i64 %row{number}")
        zero = "zeroinitializer" if place.width > 1 else "0.0"
        sums: Number = (zero,) * lanes.parts
        for pair in range(plus + minus):
            starts = []
            for side, base in enumerate(("%m", "%back")):
                where = one.emit(f"getelementptr i32, ptr %table{number}, i64 {2 * pair + side}")
                offset = one.emit(f"zext i32 {one.emit(f'load i32, ptr {where}, align 4')} to i64")
                starts.append(one.emit(f"getelementptr double, ptr {base}, i64 {offset}"))
            for c in range(chunks):
                a, b = (lanes.load(start, c * place.width) for start in starts)
                sums = lanes.accumulate(sums, a, b, pair >= plus)
        found = lanes.total(sums, one)
        if lanes.parts == 2:
            found = scalar.add(found, (one.constant(0.0), one.constant(0.0)))
        w.line(f"  %out{number} = getelementptr double, ptr %m, i64 %i{number}")
        scalar.store(found, f"%out{number}", at)
        w.line(f"  %n{number} = add i64 %i{number}, 1")
        w.line(f"  %more{number} = icmp ult i64 %n{number}, {count}")
        w.line(f"  br i1 %more{number}, label %g{number}, label %{after}")
    w.line("end:\n  ret void\n}")
    return "\n".join(w.lines)
