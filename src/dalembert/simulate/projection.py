"""Bring a state back to its constraints, in place and in machine code: a compiled Newton step, repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dalembert.codegen import NativeFunction
from dalembert.codegen import _target as target

#: A step is repeated until no state changes by more than this share of its size.
_STILL = 1e-14


@dataclass(frozen=True, slots=True)
class Projection:
    """`void project(const double *t, double *y, const double *p)` at `address`."""

    address: int
    owner: Any = field(repr=False)


def in_place(step: NativeFunction, size: int, repeats: int) -> Projection:
    """Repeat y <- step(t, y, p) until it stays, at most `repeats` times."""
    text = _TEXT.format(address=step.address, size=size, repeats=repeats, still=f"{_STILL:e}")
    loaded = target.Loaded(target.assemble(text), ["project"])
    return Projection(loaded.addresses["project"], (step, loaded))


_TEXT = """
declare double @llvm.fabs.f64(double)
define void @project(ptr %t, ptr %y, ptr %p) {{
entry:
  %new = alloca double, i64 {size}
  %step = inttoptr i64 {address} to ptr
  br label %again
again:
  %n = phi i64 [ 0, %entry ], [ %n1, %check ]
  call void %step(ptr %t, ptr %y, ptr %p, ptr %new)
  br label %copy
copy:
  %i = phi i64 [ 0, %again ], [ %i1, %copy ]
  %moved = phi i1 [ false, %again ], [ %moved1, %copy ]
  %from = getelementptr double, ptr %new, i64 %i
  %to = getelementptr double, ptr %y, i64 %i
  %a = load double, ptr %from
  %b = load double, ptr %to
  store double %a, ptr %to
  %d = fsub double %a, %b
  %dd = call double @llvm.fabs.f64(double %d)
  %aa = call double @llvm.fabs.f64(double %a)
  %a1 = fadd double %aa, 1.0
  %limit = fmul double %a1, {still}
  %far = fcmp ogt double %dd, %limit
  %moved1 = or i1 %moved, %far
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {size}
  br i1 %more, label %copy, label %check
check:
  %n1 = add i64 %n, 1
  %left = icmp ult i64 %n1, {repeats}
  %go = and i1 %left, %moved1
  br i1 %go, label %again, label %done
done:
  ret void
}}
"""
