"""A right-hand side that follows a motion already made: its dense output is read in machine code.

`inner(t, y, z, p, out)` is compiled; y is looked up: the step by bisection, then the polynomial of `loop.dense`. Where
the polynomials are stands behind the parameters, six numbers of 64 bits: how many steps, the addresses of their times,
lengths, states and coefficients, and the sense of time. So one piece of code serves all motions of a system.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen import NativeFunction
from dalembert.codegen import _target as target
from dalembert.simulate.loop.dense import DenseOutput

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Followed:
    """`void followed(const double *t, const double *z, const double *p, double *dz)` at `address`."""

    address: int
    owner: Any = field(repr=False)


def course_of(sol: DenseOutput) -> tuple[Array, tuple[Array, ...]]:
    """The six numbers that come after the parameters, and the arrays that must live as long as they are used."""
    kept = tuple(np.ascontiguousarray(x) for x in (sol.t, sol.h, sol.y, sol.coefficients))
    sense = 1.0 if sol.t[-1] >= sol.t[0] else -1.0
    whole = np.array([len(sol.t) - 1, *(x.ctypes.data for x in kept)], dtype=np.int64)
    return np.concatenate([whole.view(np.float64), [sense]]), kept


@lru_cache(maxsize=32)
def follow(inner: NativeFunction, states: int, parameters: int, degree: int) -> Followed:
    """`inner` with its states looked up in polynomials of this degree."""
    lines = []
    last = "0.0"
    for j in range(degree - 1, -1, -1):
        lines += [
            f"  %a{j} = getelementptr double, ptr %block, i64 {j * states}",
            f"  %b{j} = getelementptr double, ptr %a{j}, i64 %i",
            f"  %c{j} = load double, ptr %b{j}",
            f"  %d{j} = fadd double {last}, %c{j}",
            f"  %e{j} = fmul double %d{j}, {'%x' if j % 2 == 0 else '%rest'}",
        ]
        last = f"%e{j}"
    text = _TEXT.format(
        address=inner.address, n=states, p=parameters, size=states * degree, polynomial="\n".join(lines), total=last
    )
    loaded = target.Loaded(target.assemble(text), ["followed"])
    return Followed(loaded.addresses["followed"], (inner, loaded))


_TEXT = """
define void @followed(ptr %t, ptr %z, ptr %p, ptr %out) {{
entry:
  %y = alloca double, i64 {n}
  %inner = inttoptr i64 {address} to ptr
  %now = load double, ptr %t
  %s0 = getelementptr double, ptr %p, i64 {p}
  %steps = load i64, ptr %s0
  %s1 = getelementptr double, ptr %s0, i64 1
  %times = load ptr, ptr %s1
  %s2 = getelementptr double, ptr %s0, i64 2
  %lengths = load ptr, ptr %s2
  %s3 = getelementptr double, ptr %s0, i64 3
  %begins = load ptr, ptr %s3
  %s4 = getelementptr double, ptr %s0, i64 4
  %blocks = load ptr, ptr %s4
  %s5 = getelementptr double, ptr %s0, i64 5
  %sense = load double, ptr %s5
  %here = fmul double %sense, %now
  br label %search
search:
  %low = phi i64 [ 0, %entry ], [ %low1, %search ]
  %high = phi i64 [ %steps, %entry ], [ %high1, %search ]
  %sum = add i64 %low, %high
  %mid = lshr i64 %sum, 1
  %at = getelementptr double, ptr %times, i64 %mid
  %tm = load double, ptr %at
  %there = fmul double %sense, %tm
  %before = fcmp ole double %there, %here
  %low1 = select i1 %before, i64 %mid, i64 %low
  %high1 = select i1 %before, i64 %high, i64 %mid
  %gap = sub i64 %high1, %low1
  %wide = icmp sgt i64 %gap, 1
  br i1 %wide, label %search, label %found
found:
  %f0 = getelementptr double, ptr %times, i64 %low1
  %begin = load double, ptr %f0
  %f1 = getelementptr double, ptr %lengths, i64 %low1
  %length = load double, ptr %f1
  %way = fsub double %now, %begin
  %x = fdiv double %way, %length
  %rest = fsub double 1.0, %x
  %row = mul i64 %low1, {n}
  %state = getelementptr double, ptr %begins, i64 %row
  %offset = mul i64 %low1, {size}
  %block = getelementptr double, ptr %blocks, i64 %offset
  br label %each
each:
  %i = phi i64 [ 0, %found ], [ %i1, %each ]
{polynomial}
  %g0 = getelementptr double, ptr %state, i64 %i
  %g1 = load double, ptr %g0
  %g2 = fadd double %g1, {total}
  %g3 = getelementptr double, ptr %y, i64 %i
  store double %g2, ptr %g3
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {n}
  br i1 %more, label %each, label %done
done:
  call void %inner(ptr %t, ptr %y, ptr %z, ptr %p, ptr %out)
  ret void
}}
"""
