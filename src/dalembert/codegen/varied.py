"""Derivatives of the accelerations of a tree: formulas of where its joints are, and one recursion for all trees.

What is compiled for a machine grows with its joints, and says of each where it is and what it carries; passes over the
joints and over their pairs, which know nothing of the machine, find the derivatives. Their work is quadratic; formulas
of all derivatives, and the time to compile them, would be quadratic too.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.codegen import _target
from dalembert.codegen._entries import intrinsics, whole_module
from dalembert.codegen._pairs import pair_code
from dalembert.codegen._passes import FOUNDS, pass_code, rows_of
from dalembert.codegen.native import NativeFunction, is_single, load_text, stage
from dalembert.dynamics import Dynamics
from dalembert.dynamics.sweeps import carried_joints
from dalembert.dynamics.variations import has_variations
from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr

#: Joints up to which formulas of all derivatives are quicker than the passes: chains of six and seven take as long.
_FEW = 5
#: Joints up to which formulas of each are quicker for many states, several of them in a vector (0.26 microseconds
#: beside 1.0 at seven joints, 0.96 beside 1.8 at twelve), and states of one call from which that is worth their code.
_FEW_TOGETHER, _MANY = 12, 1000

Array = Any
#: (index of the speed, end of the branch, joint above) of each joint.
Shape = tuple[tuple[int, int, int], ...]


def is_varied(about: Dynamics) -> bool:
    """Whether derivatives are found by the recursion: of a tree of several joints with one fixed axis each."""
    return not about.closed and len(about.speeds) > _FEW and has_variations(about.recursion)


def are_many(count: int, *states: Array) -> bool:
    """Whether formulas of each serve states of so many joints better: a long batch on a few joints."""
    rows = (len(x) for x in states if isinstance(x, np.ndarray) and x.ndim > 1)
    return count <= _FEW_TOGETHER and max(rows, default=0) >= _MANY


def joint_numbers(about: Dynamics) -> list[Expr]:
    """Numbers of the joints in vectors of neighbours, and the acceleration of earth that stands for gravity."""
    known = [own + more for own, more in zip(about.recursion.efforts, about.efforts, strict=True)]
    joints = carried_joints(about.recursion, known)
    rows = rows_of([one.numbers for one in joints], _target.vector_width(), ZERO)
    return [*rows, *(-about.model.gravity)]


def shape_of(about: Dynamics) -> Shape:
    joints = carried_joints(about.recursion, about.recursion.efforts)
    return tuple((one.index, one.end, one.above) for one in joints)


@lru_cache(maxsize=1)
def kernel() -> _target.Loaded:
    width = _target.vector_width()
    return load_text(
        whole_module(width, set(), [*intrinsics(1), pass_code(width), pair_code(width), _TEXT]), ["slopes", "many"]
    )


class Slopes:
    """Derivatives of the accelerations in machine code: the numbers of the joints, then all directions in lanes.

    `address` is that of `void slopes(about, const double *t, *q, *u, *efforts, *p, double *out, double *work)`, of
    which `about` is the first argument; `out` has a row for each direction (coordinates, speeds, efforts), `work`
    `room` doubles at a multiple of 64 bytes.
    """

    def __init__(self, shape: Shape, numbers: NativeFunction) -> None:
        n, width = len(shape), _target.vector_width()
        self.size = n
        self._sizes = numbers.function.sizes
        blocks = n // width + 1
        joints = np.array([(index, end, n if above < 0 else above) for index, end, above in shape], dtype=np.int64)
        ends, forks = np.zeros(blocks * width, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
        order, above = joints[:, 0].copy(), joints[:, 2].copy()
        ends[:n] = joints[:, 1]
        later = np.flatnonzero(above != np.arange(-1, n - 1))
        forks[above[later]] = 1
        # From its first joint to one that all others follow in a row, a machine has no other branches.
        single = (ends[:n] == n) & (above == np.where(np.arange(n) == 0, n, np.arange(-1, n - 1)))
        alone = n if single.all() else int(np.argmin(single))
        parted = np.array([min(n, (b + 1) * width) > alone for b in range(blocks)], dtype=np.int64)
        same = bool((order == np.arange(n)).all())
        parts = [
            len(numbers.function.outputs) + width,
            blocks * width * FOUNDS,
            blocks * width * width,
            3 * blocks * width * width,
            18 * (n + 1) * width,
            0 if same else 3 * n * n + width,
        ]
        starts = np.cumsum([0, *(-(-size // 8) * 8 for size in parts)])
        self.room = int(starts[-1])
        tables = [x.ctypes.data for x in (above, ends, forks, parted, order)]
        self._about = np.array([n, numbers.address, *tables, *starts[1:6], int(same)], dtype=np.int64)
        code = kernel()
        self._owners = (numbers, above, ends, forks, parted, order, code)
        self.address, self.about = code.addresses["slopes"], int(self._about.ctypes.data)
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 8)(self.address)
        self._many = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)(code.addresses["many"])
        self._steps = np.array([*self._sizes, 3 * n * n], dtype=np.int64)
        self._memory = threading.local()

    def __call__(self, t: Array, q: Array, u: Array, efforts: Array, p: Array) -> np.ndarray:
        """Rows by speed; a leading axis of any argument makes a batch."""
        if all(map(is_single, (t, q, u, efforts, p), self._sizes)):
            return self._run_single((t, q, u, efforts, p))
        time = np.asarray(t, dtype=float)
        given = [
            time.reshape(1) if time.size == 1 else time[..., None],
            *(np.asarray(x, float) for x in (q, u, efforts, p)),
        ]
        for g, (x, size) in enumerate(zip(given, self._sizes, strict=True)):
            if x.ndim == 0 or x.shape[-1] != size:
                raise ExpressionError(f"input {g} of the derivatives has shape {x.shape}; it takes (..., {size}).")
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        found, work = np.empty((*shape, 3 * self.size, self.size)), self._work()
        whole = (np.broadcast_to(x, (*shape, x.shape[-1])) for x in given)
        rows = [np.ascontiguousarray(x.reshape(math.prod(shape), x.shape[-1])) for x in whole]
        if math.prod(shape):
            begins = np.array([x.ctypes.data for x in (*rows, found)], dtype=np.int64)
            self._many(self.about, begins.ctypes.data, self._steps.ctypes.data, work, math.prod(shape))
        return found.swapaxes(-1, -2)

    def _run_single(self, args: Sequence[Array]) -> np.ndarray:
        """One state through memory of this thread whose addresses are known: most of a small call is finding them."""
        try:
            views, where, result = self._memory.parts
        except AttributeError:
            views, addresses, result = stage(self._sizes, (3 * self.size, self.size))
            where = [ctypes.c_void_p(x) for x in (self.about, *addresses, self._work())]
            self._memory.parts = views, where, result
        for view, a in zip(views, args, strict=True):
            view[:] = a
        self._call(*where)
        return result.copy().T  # type: ignore[no-any-return]

    def _work(self) -> int:
        """Memory of this thread."""
        if not hasattr(self._memory, "work"):
            self._memory.work = np.empty(self.room + 8)
        return (int(self._memory.work.ctypes.data) + 63) & ~63


#: `about` holds the joints, the function of their numbers, tables, where parts of the memory begin, and whether the
#: speeds are in the order of the joints.
_TEXT = """
define void @slopes(ptr %about, ptr %t, ptr %q, ptr %u, ptr %e, ptr %p, ptr %out, ptr %work) nounwind {
  %n = load i64, ptr %about
  %at1 = getelementptr i64, ptr %about, i64 1
  %numbers = load ptr, ptr %at1
  %at2 = getelementptr i64, ptr %about, i64 2
  %above = load ptr, ptr %at2
  %at3 = getelementptr i64, ptr %about, i64 3
  %ends = load ptr, ptr %at3
  %at4 = getelementptr i64, ptr %about, i64 4
  %forks = load ptr, ptr %at4
  %at5 = getelementptr i64, ptr %about, i64 5
  %parted = load ptr, ptr %at5
  %at6 = getelementptr i64, ptr %about, i64 6
  %order = load ptr, ptr %at6
  %at7 = getelementptr i64, ptr %about, i64 7
  %begin7 = load i64, ptr %at7
  %found = getelementptr double, ptr %work, i64 %begin7
  %at8 = getelementptr i64, ptr %about, i64 8
  %begin8 = load i64, ptr %at8
  %left = getelementptr double, ptr %work, i64 %begin8
  %at9 = getelementptr i64, ptr %about, i64 9
  %begin9 = load i64, ptr %at9
  %rows = getelementptr double, ptr %work, i64 %begin9
  %at10 = getelementptr i64, ptr %about, i64 10
  %begin10 = load i64, ptr %at10
  %slots = getelementptr double, ptr %work, i64 %begin10
  %at11 = getelementptr i64, ptr %about, i64 11
  %begin11 = load i64, ptr %at11
  %aside = getelementptr double, ptr %work, i64 %begin11
  %at12 = getelementptr i64, ptr %about, i64 12
  %flag = load i64, ptr %at12
  %same = icmp ne i64 %flag, 0
  call void %numbers(ptr %t, ptr %q, ptr %u, ptr %e, ptr %p, ptr %work)
  call void @sweep(ptr %work, ptr %found, ptr %above, i64 %n)
  %by.q = select i1 %same, ptr %out, ptr %aside
  %square = mul i64 %n, %n
  %by.u = getelementptr double, ptr %by.q, i64 %square
  %by.e = getelementptr double, ptr %by.u, i64 %square
  call void @pairs(i64 %n, ptr %work, ptr %found, ptr %above, ptr %ends, ptr %forks, ptr %parted, ptr %left, ptr %rows,
    ptr %slots, ptr %by.q, ptr %by.u, ptr %by.e)
  br i1 %same, label %over, label %part
part:
  %set = phi i64 [ 0, %0 ], [ %set.next, %row.end ]
  %first = mul i64 %set, %n
  br label %row
row:
  %i = phi i64 [ 0, %part ], [ %i.next, %column.end ]
  %from.row = add i64 %first, %i
  %from.n = mul i64 %from.row, %n
  %from = getelementptr double, ptr %aside, i64 %from.n
  %i.at = getelementptr i64, ptr %order, i64 %i
  %i.speed = load i64, ptr %i.at
  %to.row = add i64 %first, %i.speed
  %to.n = mul i64 %to.row, %n
  %to = getelementptr double, ptr %out, i64 %to.n
  br label %column
column:
  %k = phi i64 [ 0, %row ], [ %k.next, %column ]
  %source = getelementptr double, ptr %from, i64 %k
  %value = load double, ptr %source
  %k.at = getelementptr i64, ptr %order, i64 %k
  %k.speed = load i64, ptr %k.at
  %target = getelementptr double, ptr %to, i64 %k.speed
  store double %value, ptr %target
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, %n
  br i1 %k.more, label %column, label %column.end
column.end:
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %row, label %row.end
row.end:
  %set.next = add i64 %set, 1
  %set.more = icmp slt i64 %set.next, 3
  br i1 %set.more, label %part, label %over
over:
  ret void
}

define void @many(ptr %about, ptr %begins, ptr %steps, ptr %work, i64 %count) nounwind {
  br label %state
state:
  %i = phi i64 [ 0, %0 ], [ %next, %state ]
  %begin0.at = getelementptr ptr, ptr %begins, i64 0
  %begin0 = load ptr, ptr %begin0.at
  %step0.at = getelementptr i64, ptr %steps, i64 0
  %step0 = load i64, ptr %step0.at
  %moved0 = mul i64 %i, %step0
  %at0 = getelementptr double, ptr %begin0, i64 %moved0
  %begin1.at = getelementptr ptr, ptr %begins, i64 1
  %begin1 = load ptr, ptr %begin1.at
  %step1.at = getelementptr i64, ptr %steps, i64 1
  %step1 = load i64, ptr %step1.at
  %moved1 = mul i64 %i, %step1
  %at1 = getelementptr double, ptr %begin1, i64 %moved1
  %begin2.at = getelementptr ptr, ptr %begins, i64 2
  %begin2 = load ptr, ptr %begin2.at
  %step2.at = getelementptr i64, ptr %steps, i64 2
  %step2 = load i64, ptr %step2.at
  %moved2 = mul i64 %i, %step2
  %at2 = getelementptr double, ptr %begin2, i64 %moved2
  %begin3.at = getelementptr ptr, ptr %begins, i64 3
  %begin3 = load ptr, ptr %begin3.at
  %step3.at = getelementptr i64, ptr %steps, i64 3
  %step3 = load i64, ptr %step3.at
  %moved3 = mul i64 %i, %step3
  %at3 = getelementptr double, ptr %begin3, i64 %moved3
  %begin4.at = getelementptr ptr, ptr %begins, i64 4
  %begin4 = load ptr, ptr %begin4.at
  %step4.at = getelementptr i64, ptr %steps, i64 4
  %step4 = load i64, ptr %step4.at
  %moved4 = mul i64 %i, %step4
  %at4 = getelementptr double, ptr %begin4, i64 %moved4
  %begin5.at = getelementptr ptr, ptr %begins, i64 5
  %begin5 = load ptr, ptr %begin5.at
  %step5.at = getelementptr i64, ptr %steps, i64 5
  %step5 = load i64, ptr %step5.at
  %moved5 = mul i64 %i, %step5
  %at5 = getelementptr double, ptr %begin5, i64 %moved5
  call void @slopes(ptr %about, ptr %at0, ptr %at1, ptr %at2, ptr %at3, ptr %at4, ptr %at5, ptr %work)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %state, label %done
done:
  ret void
}
"""
