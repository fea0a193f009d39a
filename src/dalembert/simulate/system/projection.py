"""Bring a state back to its constraints, in place and in machine code: a compiled Newton step, repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dalembert.codegen import NativeFunction
from dalembert.codegen import _target as target


@dataclass(frozen=True, slots=True)
class Projection:
    """`void project(const double *t, double *y, const double *p)` at `address`."""

    address: int
    owner: Any = field(repr=False)


def in_place(step: NativeFunction, size: int, repeats: int) -> Projection:
    """Repeat y <- step(t, y, p), at most `repeats` times, as long as the state before the step was open.

    `step` gives the new state, then whether the one before it was open (not zero).
    """
    text = _TEXT.format(address=step.address, size=size, whole=size + 1, repeats=repeats)
    loaded = target.Loaded(target.assemble(text), ["project"])
    return Projection(loaded.addresses["project"], (step, loaded))


_TEXT = """
define void @project(ptr %t, ptr %y, ptr %p) {{
entry:
  %new = alloca double, i64 {whole}
  %step = inttoptr i64 {address} to ptr
  br label %again
again:
  %n = phi i64 [ 0, %entry ], [ %n1, %check ]
  call void %step(ptr %t, ptr %y, ptr %p, ptr %new)
  br label %copy
copy:
  %i = phi i64 [ 0, %again ], [ %i1, %copy ]
  %from = getelementptr double, ptr %new, i64 %i
  %to = getelementptr double, ptr %y, i64 %i
  %a = load double, ptr %from
  store double %a, ptr %to
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {size}
  br i1 %more, label %copy, label %check
check:
  %flag = getelementptr double, ptr %new, i64 {size}
  %open = load double, ptr %flag
  %far = fcmp une double %open, 0.0
  %n1 = add i64 %n, 1
  %left = icmp ult i64 %n1, {repeats}
  %go = and i1 %left, %far
  br i1 %go, label %again, label %done
done:
  ret void
}}
"""
