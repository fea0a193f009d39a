"""Derivatives of the rates of a tree by its state and by time, from the recursion: what stiff methods ask for."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache

from dalembert import expr as ex
from dalembert.codegen import _target
from dalembert.codegen._borrowed import LIBRARY, given_back, slot, taken, workspace
from dalembert.codegen.function import Function
from dalembert.codegen.native import compile_functions
from dalembert.codegen.varied import Shape, Slopes, joint_numbers, shape_of
from dalembert.dynamics import Dynamics


class VariedRates:
    """`void f(const double *t, const double *y, const double *p, double *out)` at `address`, for y = (q, u).

    `out` has a row for each rate, by the states in order; then the derivatives of the rates by time.
    """

    def __init__(self, shape: Shape, numbers: Function) -> None:
        n = len(shape)
        slopes = Slopes(shape, compile_functions([numbers], quickly=False)[numbers.name])
        room = -(-slopes.room // 8) * 8  # then what the recursion finds, then no efforts
        memory = workspace(8 * (room + 3 * n * n + n + 8))
        text = (
            LIBRARY
            + slot("work", memory)
            + _TEXT.format(
                begin=taken("work", memory),
                end=given_back("work", memory),
                n=n,
                n2=n * n,
                n_2=2 * n,
                about=slopes.about,
                slopes=slopes.address,
                found=room,
                none=room + 3 * n * n,
                pushed=len(numbers.outputs) - n,
                by_time=4 * n * n,
            )
        )
        loaded = _target.Loaded(_target.assemble(text), ["jacobian"])
        self._owners = (slopes, memory, loaded)
        self.address = loaded.addresses["jacobian"]
        self.function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(self.address)


def varied_rates(about: Dynamics, parameters: Sequence[str]) -> VariedRates:
    """Of a tree of which `is_varied` holds; made once for machines with the same formulas."""
    pushed = ex.tangent(about.recursion.efforts, {ex.TIME: ex.ONE})
    groups = [[ex.TIME], about.coordinates, about.speeds, about.efforts, [ex.symbol(x) for x in parameters]]
    return _made(shape_of(about), Function("joints", groups, [*joint_numbers(about), *pushed]))


@lru_cache(maxsize=16)
def _made(shape: Shape, numbers: Function) -> VariedRates:
    return VariedRates(shape, numbers)


_TEXT = """
define void @jacobian(ptr %t, ptr %y, ptr %p, ptr %out) nounwind {{
{begin}
  %place = ptrtoint ptr %work to i64
  %up = add i64 %place, 63
  %whole = and i64 %up, -64
  %room = inttoptr i64 %whole to ptr
  %u = getelementptr double, ptr %y, i64 {n}
  %q.found = getelementptr double, ptr %room, i64 {found}
  %u.found = getelementptr double, ptr %q.found, i64 {n2}
  %e.found = getelementptr double, ptr %u.found, i64 {n2}
  %none = getelementptr double, ptr %room, i64 {none}
  %pushed = getelementptr double, ptr %room, i64 {pushed}
  br label %nothing
nothing:
  %k = phi i64 [ 0, %begin ], [ %k.next, %nothing ]
  %none.k = getelementptr double, ptr %none, i64 %k
  store double 0.0, ptr %none.k
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, {n}
  br i1 %k.more, label %nothing, label %find
find:
  %about = inttoptr i64 {about} to ptr
  %slopes = inttoptr i64 {slopes} to ptr
  call void %slopes(ptr %about, ptr %t, ptr %y, ptr %u, ptr %none, ptr %p, ptr %q.found, ptr %room)
  br label %row
row:
  %i = phi i64 [ 0, %find ], [ %i.next, %row.end ]
  %kinematic = mul i64 %i, {n_2}
  %below = add i64 %i, {n}
  %dynamic = mul i64 %below, {n_2}
  %first = getelementptr double, ptr %out, i64 %kinematic
  %second = getelementptr double, ptr %out, i64 %dynamic
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j.next, %column ]
  %sum = phi double [ 0.0, %row ], [ %more.sum, %column ]
  %j.row = mul i64 %j, {n}
  %from = add i64 %j.row, %i
  %q.from = getelementptr double, ptr %q.found, i64 %from
  %u.from = getelementptr double, ptr %u.found, i64 %from
  %e.from = getelementptr double, ptr %e.found, i64 %from
  %by.q = load double, ptr %q.from
  %by.u = load double, ptr %u.from
  %by.e = load double, ptr %e.from
  %right = add i64 %j, {n}
  %zero.at = getelementptr double, ptr %first, i64 %j
  %one.at = getelementptr double, ptr %first, i64 %right
  %q.at = getelementptr double, ptr %second, i64 %j
  %u.at = getelementptr double, ptr %second, i64 %right
  %same = icmp eq i64 %i, %j
  %one = select i1 %same, double 1.0, double 0.0
  store double 0.0, ptr %zero.at
  store double %one, ptr %one.at
  store double %by.q, ptr %q.at
  store double %by.u, ptr %u.at
  %push.at = getelementptr double, ptr %pushed, i64 %j
  %push = load double, ptr %push.at
  %share = fmul double %push, %by.e
  %more.sum = fadd double %sum, %share
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, {n}
  br i1 %j.more, label %column, label %row.end
row.end:
  %times = getelementptr double, ptr %out, i64 {by_time}
  %still = getelementptr double, ptr %times, i64 %i
  store double 0.0, ptr %still
  %time.at = getelementptr double, ptr %times, i64 %below
  store double %more.sum, ptr %time.at
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, {n}
  br i1 %i.more, label %row, label %last
last:
{end}
  ret void
}}
"""
