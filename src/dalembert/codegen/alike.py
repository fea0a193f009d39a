"""Accelerations of a long tree of few kinds of joints: code of each kind, and loops over the nodes and their numbers.

The code grows with the kinds, the data with the tree; both take far less time to make than formulas of every node.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import _target
from dalembert.codegen._borrowed import LIBRARY, given_back, slot, taken, workspace
from dalembert.codegen.function import Function
from dalembert.codegen.native import compile_functions
from dalembert.dynamics.alike import BRANCH, Alike, Kind
from dalembert.expr import TIME, Expr

Array = Any
_POINTERS = ctypes.c_void_p
#: Integers of a node, in the order of `_TEXT`.
_FIELDS = (
    "outwards inwards answer prepared gather gathered first second beyond total spin_above beyond_above total_above "
    "scatter scattered felt"
).split()


class AlikeCode:
    """`void f(const double *t, const double *y, const double *p, double *dy)` at `address`; called, as from Python.

    `symbols` are the states in the order of y, coordinates first, then speeds; `kinematics` is the address of a
    function of the same shape that gives the rates of the coordinates.
    """

    def __init__(self, tree: Alike, symbols: Sequence[Expr], parameters: Sequence[str], kinematics: Any) -> None:
        speeds = sum(map(len, tree.speeds))
        self.coordinates, self.size, self.parameters = len(symbols) - speeds, len(symbols), len(parameters)
        codes = [_compiled(kind) for kind in tree.kinds]
        place: dict[Expr, tuple[int, int]] = {TIME: (0, 0)}
        place |= {x: (1, i) for i, x in enumerate(symbols)}
        place |= {ex.symbol(x): (2, i) for i, x in enumerate(parameters)}
        prepared, strides = _prepared(tree)
        gather = [place[x] for some in tree.states for x in some]
        scatter = [self.coordinates + i for some in tree.speeds for i in some]
        nodes = np.zeros((len(tree.of), len(_FIELDS)), dtype=np.int64)
        column = {name: nodes[:, i] for i, name in enumerate(_FIELDS)}
        kinds, of = tree.kinds, np.array(tree.of)
        for name, place_of in (("outwards", 0), ("inwards", 1), ("answer", 2)):
            column[name][:] = np.array([code[place_of].address for code in codes])[of]
        column["gathered"][:] = [len(some) for some in tree.states]
        column["gather"][:] = np.cumsum(column["gathered"]) - column["gathered"]
        column["scattered"][:] = [len(some) for some in tree.speeds]
        column["scatter"][:] = np.cumsum(column["scattered"]) - column["scattered"]
        column["prepared"][:] = strides
        sizes = {
            "first": np.array([len(kind.outwards.outputs) for kind in kinds])[of],
            "second": np.array([len(kind.inwards.outputs) for kind in kinds])[of],
            "beyond": np.full(len(of), BRANCH),
            "total": np.array([len(kind.answer.outputs) for kind in kinds])[of],
        }
        # The speeds of one node stand at the beginning of its working memory until its first function has read them.
        begin = 0
        for name, size in sizes.items():
            column[name][:] = begin + np.cumsum(size) - size
            begin += int(size.sum())
        parents = np.array(tree.parents)
        inner = parents >= 0
        for name, source in (("spin_above", "first"), ("beyond_above", "beyond"), ("total_above", "total")):
            column[name][inner] = column[source][parents[inner]]
        column["felt"][inner] = BRANCH
        local = begin
        memory = workspace(8 * (begin + int(column["gathered"].max(initial=0)) + 1))
        sources, rows = np.array(gather, dtype=np.int64).reshape(-1, 2), np.array(scatter, dtype=np.int64)
        text = LIBRARY + slot("work", memory)
        text += _TEXT.format(
            begin=taken("work", memory),
            end=given_back("work", memory),
            nodes=nodes.ctypes.data,
            count=len(nodes),
            gather=sources.ctypes.data,
            scatter=rows.ctypes.data,
            numbers=prepared.ctypes.data,
            kinematics=kinematics.address,
            local=local,
            width=len(_FIELDS),
            bytes=8 * BRANCH,
            **{f"f_{name}": i for i, name in enumerate(_FIELDS)},
        )
        loaded = _target.Loaded(_target.assemble(text), ["rates"])
        self._owners = (codes, nodes, sources, rows, prepared, kinematics, memory, loaded)
        self.address = loaded.addresses["rates"]
        self._call = ctypes.CFUNCTYPE(None, *[_POINTERS] * 4)(self.address)

    def __call__(self, t: Array, y: Array, p: Array) -> np.ndarray:
        """y' of one state, or of each of a batch."""
        states = np.ascontiguousarray(np.atleast_2d(y), dtype=float)
        times = np.ascontiguousarray(np.broadcast_to(np.asarray(t, dtype=float).reshape(-1), len(states)))
        numbers = np.broadcast_to(np.asarray(p, dtype=float), (len(states), self.parameters))
        numbers, found = np.ascontiguousarray(numbers), np.empty_like(states)
        for k in range(len(states)):
            self._call(times[k:].ctypes.data, states[k:].ctypes.data, numbers[k:].ctypes.data, found[k:].ctypes.data)
        return found if np.ndim(y) > 1 else found[0]


def _compiled(kind: Kind) -> list[Any]:
    stages = {"outwards": kind.outwards, "inwards": kind.inwards, "answer": kind.answer}
    library = compile_functions([Function(name, one.inputs, one.outputs) for name, one in stages.items()])
    return [library[name] for name in stages]


def _prepared(tree: Alike) -> tuple[np.ndarray, np.ndarray]:
    """What the numbers of all nodes give before any motion, in a row, and where that of each begins."""
    of, sizes = np.array(tree.of), np.array([len(kind.prepared) for kind in tree.kinds])
    count = sizes[of]
    begin = np.cumsum(count) - count
    found = np.zeros(int(count.sum()) + 1)
    for k, kind in enumerate(tree.kinds):
        nodes = np.flatnonzero(of == k)
        table = np.array([[float(x) for x in tree.constants[i]] for i in nodes]).reshape(len(nodes), -1)
        values = ex.evaluate(kind.prepared, dict(zip(kind.constants, table.T, strict=True)))
        for j, value in enumerate(values):
            found[begin[nodes] + j] = value
    return found, begin


_TEXT = """
define internal i64 @field(i64 %node, i64 %which) alwaysinline {{
  %nodes = inttoptr i64 {nodes} to ptr
  %row = mul i64 %node, {width}
  %place = add i64 %row, %which
  %at = getelementptr i64, ptr %nodes, i64 %place
  %value = load i64, ptr %at
  ret i64 %value
}}
define internal ptr @memory(ptr %work, i64 %node, i64 %which) alwaysinline {{
  %place = call i64 @field(i64 %node, i64 %which)
  %at = getelementptr double, ptr %work, i64 %place
  ret ptr %at
}}
define internal ptr @code(i64 %node, i64 %which) alwaysinline {{
  %address = call i64 @field(i64 %node, i64 %which)
  %function = inttoptr i64 %address to ptr
  ret ptr %function
}}
define internal void @outwards(ptr %sources, ptr %work, i64 %node) {{
  %local = getelementptr double, ptr %work, i64 {local}
  %begin = call i64 @field(i64 %node, i64 {f_gather})
  %count = call i64 @field(i64 %node, i64 {f_gathered})
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %gather, label %clear
gather:
  %i = phi i64 [ 0, %0 ], [ %more, %gather ]
  %pair = add i64 %begin, %i
  %twice = mul i64 %pair, 2
  %table = inttoptr i64 {gather} to ptr
  %one = getelementptr i64, ptr %table, i64 %twice
  %source = load i64, ptr %one
  %two = getelementptr i64, ptr %one, i64 1
  %place = load i64, ptr %two
  %base = getelementptr ptr, ptr %sources, i64 %source
  %array = load ptr, ptr %base
  %from = getelementptr double, ptr %array, i64 %place
  %value = load double, ptr %from
  %to = getelementptr double, ptr %local, i64 %i
  store double %value, ptr %to
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %count
  br i1 %again, label %gather, label %clear
clear:
  %beyond = call ptr @memory(ptr %work, i64 %node, i64 {f_beyond})
  call void @llvm.memset.p0.i64(ptr %beyond, i8 0, i64 {bytes}, i1 false)
  %numbers = inttoptr i64 {numbers} to ptr
  %prepared = call ptr @memory(ptr %numbers, i64 %node, i64 {f_prepared})
  %spin = call ptr @memory(ptr %work, i64 %node, i64 {f_spin_above})
  %first = call ptr @memory(ptr %work, i64 %node, i64 {f_first})
  %function = call ptr @code(i64 %node, i64 {f_outwards})
  call void %function(ptr %prepared, ptr %local, ptr %spin, ptr %first)
  ret void
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal void @inwards(ptr %work, i64 %node) {{
  %numbers = inttoptr i64 {numbers} to ptr
  %prepared = call ptr @memory(ptr %numbers, i64 %node, i64 {f_prepared})
  %first = call ptr @memory(ptr %work, i64 %node, i64 {f_first})
  %beyond = call ptr @memory(ptr %work, i64 %node, i64 {f_beyond})
  %second = call ptr @memory(ptr %work, i64 %node, i64 {f_second})
  %function = call ptr @code(i64 %node, i64 {f_inwards})
  call void %function(ptr %prepared, ptr %first, ptr %beyond, ptr %second)
  %count = call i64 @field(i64 %node, i64 {f_felt})
  %above = call ptr @memory(ptr %work, i64 %node, i64 {f_beyond_above})
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %add, label %done
add:
  %i = phi i64 [ 0, %0 ], [ %more, %add ]
  %from = getelementptr double, ptr %second, i64 %i
  %to = getelementptr double, ptr %above, i64 %i
  %own = load double, ptr %from
  %before = load double, ptr %to
  %sum = fadd double %before, %own
  store double %sum, ptr %to
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %count
  br i1 %again, label %add, label %done
done:
  ret void
}}
define internal void @answer(ptr %work, i64 %node, ptr %dy) {{
  %numbers = inttoptr i64 {numbers} to ptr
  %prepared = call ptr @memory(ptr %numbers, i64 %node, i64 {f_prepared})
  %first = call ptr @memory(ptr %work, i64 %node, i64 {f_first})
  %second = call ptr @memory(ptr %work, i64 %node, i64 {f_second})
  %above = call ptr @memory(ptr %work, i64 %node, i64 {f_total_above})
  %total = call ptr @memory(ptr %work, i64 %node, i64 {f_total})
  %function = call ptr @code(i64 %node, i64 {f_answer})
  call void %function(ptr %prepared, ptr %first, ptr %second, ptr %above, ptr %total)
  %begin = call i64 @field(i64 %node, i64 {f_scatter})
  %count = call i64 @field(i64 %node, i64 {f_scattered})
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %scatter, label %done
scatter:
  %i = phi i64 [ 0, %0 ], [ %more, %scatter ]
  %table = inttoptr i64 {scatter} to ptr
  %row = add i64 %begin, %i
  %at = getelementptr i64, ptr %table, i64 %row
  %place = load i64, ptr %at
  %behind = add i64 %i, 6
  %from = getelementptr double, ptr %total, i64 %behind
  %value = load double, ptr %from
  %to = getelementptr double, ptr %dy, i64 %place
  store double %value, ptr %to
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %count
  br i1 %again, label %scatter, label %done
done:
  ret void
}}
define void @rates(ptr %t, ptr %y, ptr %p, ptr %dy) {{
  %sources = alloca [3 x ptr]
  store ptr %t, ptr %sources
  %second = getelementptr ptr, ptr %sources, i64 1
  store ptr %y, ptr %second
  %third = getelementptr ptr, ptr %sources, i64 2
  store ptr %p, ptr %third
  %kinematics = inttoptr i64 {kinematics} to ptr
  call void %kinematics(ptr %t, ptr %y, ptr %p, ptr %dy)
{begin}  br label %out
out:
  %i = phi i64 [ 0, %begin ], [ %i.next, %out ]
  call void @outwards(ptr %sources, ptr %work, i64 %i)
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, {count}
  br i1 %i.more, label %out, label %in
in:
  %j = phi i64 [ {count}, %out ], [ %j.next, %in ]
  %j.next = sub i64 %j, 1
  call void @inwards(ptr %work, i64 %j.next)
  %j.more = icmp sgt i64 %j.next, 0
  br i1 %j.more, label %in, label %back
back:
  %k = phi i64 [ 0, %in ], [ %k.next, %back ]
  call void @answer(ptr %work, i64 %k, ptr %dy)
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, {count}
  br i1 %k.more, label %back, label %finish
finish:
{end}  ret void
}}
"""
