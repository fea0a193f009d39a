"""Derivatives of the accelerations of a long tree: one recursion over its joints, directions side by side in lanes.

Two functions whose code grows with the tree: `variation_numbers` gives what each joint is and what moving it does,
`along` the accelerations by one direction, for many at once. Their work is quadratic; formulas of all derivatives, and
the time to compile them, would be quadratic too.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import _target
from dalembert.codegen.function import Function
from dalembert.codegen.native import NativeFunction, address_of, compile_functions, is_single, stage
from dalembert.dynamics import Dynamics
from dalembert.dynamics.variations import Variation, has_variations, variations
from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr

#: Joints up to which formulas of all derivatives are shorter than the recursion in its lanes and the call for it.
_FEW = 16
_JOINT = 22  # numbers of a joint: its twist, what it eases, its pivot, what it carries, how that turns
_DIRECTION = 16  # numbers of a direction: its wrench on joints before it, its two twists for those beyond, own effort

Array = Any
#: (index of the speed, end of the branch, joint above) of each joint.
Shape = tuple[tuple[int, int, int], ...]


def is_varied(about: Dynamics) -> bool:
    """Whether derivatives of a machine are found by the recursion: a tree of many joints with one fixed axis each."""
    return not about.closed and len(about.speeds) > _FEW and has_variations(about.recursion)


def variation_numbers(about: Dynamics) -> list[Expr]:
    """Numbers of the joints, then those of the directions: coordinates, then speeds, in the order of the state."""
    joints = variations(about.recursion, about.accelerations(about.efforts))
    by_index = sorted(joints, key=lambda one: one.index)
    places = [x for one in by_index for x in _direction(one, of_speed=False)]
    speeds = [x for one in by_index for x in _direction(one, of_speed=True)]
    return [*(x for one in joints for x in _joint(one)), *places, *speeds]


def _joint(one: Variation) -> list[Expr]:
    return [*one.twist.scalars, *one.eased.scalars, one.inverse, *one.carried.scalars, *one.turned]


def _direction(one: Variation, of_speed: bool) -> list[Expr]:
    if of_speed:
        twice = one.moved + one.moved
        return [*one.by_speed.scalars, *one.twist.angular, *twice.scalars, one.damper]
    return [*one.by_place.scalars, *one.moved.angular, *one.bent.scalars, one.spring]


def shape_of(about: Dynamics) -> Shape:
    return tuple((one.index, one.end, one.above) for one in variations(about.recursion, about.accelerations_given))


@lru_cache(maxsize=16)
def _along(shape: Shape, given: bool) -> NativeFunction:
    """Accelerations by one direction, from the numbers of all joints, its place, the end of its branch and its numbers;
    or by the effort at a place alone."""
    n = len(shape)
    joints = [[ex.symbol(f"joint {j} {k}") for k in range(_JOINT)] for j in range(n)]
    place, end, own = ex.symbol("place"), ex.symbol("end"), [ex.symbol(f"direction {k}") for k in range(_DIRECTION)]
    twists, eased, pivots = [one[:6] for one in joints], [one[6:12] for one in joints], [one[12] for one in joints]
    felt: list[list[Expr]] = [[ZERO] * 6 for _ in shape]
    left: list[Expr] = [ZERO] * n
    for j in range(n - 1, -1, -1):  # inwards: what is left of the effort moves the joint, the rest is felt above
        unit = ex.where(ex.equal(place, j), 1, ZERO)
        asked = _asked(shape, j, joints[j], place, end, own) if given else unit
        left[j] = asked - ex.dot_product(twists[j], felt[j])
        above = shape[j][2]
        if above >= 0:
            felt[above] = [a + (b + c * left[j]) for a, b, c in zip(felt[above], felt[j], eased[j], strict=True)]
    moved: list[list[Expr]] = []
    found = [ZERO] * n
    for j, (index, _, above) in enumerate(shape):
        carried = moved[above] if above >= 0 else [ZERO] * 6
        found[index] = pivots[j] * left[j] - ex.dot_product(eased[j], carried)
        moved.append([a + b * found[index] for a, b in zip(carried, twists[j], strict=True)])
    groups = [[x for one in joints for x in one], [place, end], own if given else []]
    return compile_functions([Function("along", groups, found, shared=[0])], quickly=False)["along"]


def _asked(shape: Shape, j: int, joint: Sequence[Expr], place: Expr, end: Expr, own: Sequence[Expr]) -> Expr:
    """What a direction at `place` asks of joint j, before it, in its branch or apart from both."""
    n, last = len(shape), shape[j][1]
    before, turned, bent, extra = own[:6], own[6:9], own[9:15], own[15]
    first = -ex.dot_product(joint[:6], before)
    beyond = -(ex.dot_product(joint[19:22], turned) + ex.dot_product(joint[13:19], bent))
    if last < n:
        first = ex.where(ex.less(place, last), first, ZERO)
    if any(one[1] < n for one in shape):
        beyond = ex.where(ex.less(j, end), beyond, ZERO)
    return ex.where(ex.less(j, place), first, beyond + ex.where(ex.equal(place, j), extra, ZERO))


class Slopes:
    """Derivatives of the accelerations in machine code: the numbers of the joints, then all directions in lanes.

    `address` is that of `void slopes(const double *t, *q, *u, *efforts, *p, double *out, double *work)`; `out` has a
    row for each direction (coordinates, speeds, efforts), `work` `room` doubles at a multiple of 64 bytes.
    """

    def __init__(self, shape: Shape, numbers: NativeFunction) -> None:
        n = self.size = len(shape)
        self._sizes = numbers.function.sizes
        width = 2 * _target.vector_width()  # two vectors at a time: one does not wait for the sums of the other
        state, free = (_along(shape, given).batch_code(width) for given in (True, False))
        places = {index: (j, end) for j, (index, end, _) in enumerate(shape)}
        where = np.array([places[i] for i in range(n)] * 2, dtype=float)
        begin = -(-(_JOINT + 2 * _DIRECTION) * n // 8) * 8
        self.room = begin + max(state.room, free.room)
        text = _TEXT.format(
            numbers=numbers.address,
            state=state.address,
            free=free.address,
            where=where.ctypes.data,
            directions=_JOINT * n,
            begin=begin,
            stride=_DIRECTION,
            states=2 * n,
            efforts=n,
            after=2 * n * n,
        )
        loaded = _target.Loaded(_target.assemble(text), ["slopes"])
        self._owners = (state, free, numbers, where, loaded)
        self.address = loaded.addresses["slopes"]
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 7)(self.address)
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
        for k, out in enumerate(found.reshape(-1, 3 * self.size, self.size)):
            self._call(*(x[k].ctypes.data for x in rows), out.ctypes.data, work)
        return found.swapaxes(-1, -2)

    def _run_single(self, args: Sequence[Array]) -> np.ndarray:
        """One state through memory of this thread whose addresses are known: most of a small call is finding them."""
        try:
            views, addresses = self._memory.parts
        except AttributeError:
            views, (*addresses, _), _ = stage(self._sizes, ())
            self._memory.parts = views, addresses
        for view, a in zip(views, args, strict=True):
            view[:] = a
        found = np.empty((3 * self.size, self.size))
        self._call(*addresses, address_of(found), self._work())
        return found.T

    def _work(self) -> int:
        """Memory of this thread."""
        if not hasattr(self._memory, "work"):
            self._memory.work = np.empty(self.room + 8)
        return (int(self._memory.work.ctypes.data) + 63) & ~63


_TEXT = """
define void @slopes(ptr %t, ptr %q, ptr %u, ptr %e, ptr %p, ptr %out, ptr %work) {{
  %inputs = alloca [3 x ptr]
  %strides = alloca [3 x i64]
  %numbers = inttoptr i64 {numbers} to ptr
  call void %numbers(ptr %t, ptr %q, ptr %u, ptr %e, ptr %p, ptr %work)
  %directions = getelementptr double, ptr %work, i64 {directions}
  %where = inttoptr i64 {where} to ptr
  store ptr %work, ptr %inputs
  %second = getelementptr ptr, ptr %inputs, i64 1
  store ptr %where, ptr %second
  %third = getelementptr ptr, ptr %inputs, i64 2
  store ptr %directions, ptr %third
  store i64 0, ptr %strides
  %two = getelementptr i64, ptr %strides, i64 1
  store i64 2, ptr %two
  %three = getelementptr i64, ptr %strides, i64 2
  store i64 {stride}, ptr %three
  %room = getelementptr double, ptr %work, i64 {begin}
  %state = inttoptr i64 {state} to ptr
  call void %state(ptr %inputs, ptr %strides, ptr %out, i64 0, i64 {states}, ptr %room)
  %free = inttoptr i64 {free} to ptr
  %after = getelementptr double, ptr %out, i64 {after}
  call void %free(ptr %inputs, ptr %strides, ptr %after, i64 0, i64 {efforts}, ptr %room)
  ret void
}}
"""
