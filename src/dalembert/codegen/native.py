"""Compiled functions: callable with NumPy arrays, or from native code by their address."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.codegen import _entries, _target, cache
from dalembert.codegen._crew import share
from dalembert.codegen._schedule import Schedule, schedule
from dalembert.codegen._tape import LoadedTape, is_straight, tape_of
from dalembert.codegen.function import Function
from dalembert.errors import ExpressionError
from dalembert.expr import uncollected

Array = Any

#: Operations of a library up to which it is optimised at once, a third of a second; longer ones are made quickly first.
_SHORT = 8_000
#: Operations of one kind in a row, on an average, from which a list of them costs less than finding the next one does.
_SIDE_BY_SIDE = 16
#: Calls after which optimised code has repaid its making: 40 us an operation, for 0.1 ns of it in each call.
REPAID = 400_000


_BATCH = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class BatchCode:
    """`void batch(const double **inputs, const int64 *strides, double *out, int64 begin, int64 end, double *work)`.

    It works in `room` doubles that begin at a multiple of 64 bytes.
    """

    address: int
    room: int
    width: int
    owner: Any

    def function(self) -> Any:
        return _BATCH(self.address)


@dataclass(frozen=True, slots=True)
class LaneCode:
    """`void lanes(const vector *in0, ..., const vector *kept, vector *scratch, vector *out)`: a state in each lane."""

    address: int
    scratch: int  # vectors
    width: int
    owner: Any = field(repr=False)


class NativeFunction:
    """A function in machine code.

    `address` is that of `void name(const double *in0, const double *in1, ..., double *out)`. Arrays must not overlap.
    A call takes one array for each group of inputs; a leading axis in any of them makes a batch.
    """

    def __init__(
        self, function: Function, plan: Schedule, loaded: _target.Loaded | LoadedTape, quick: bool = False
    ) -> None:
        self.function = function
        self._plan = plan
        self.quick = quick
        self._loaded: list[_target.Loaded | LoadedTape] = [loaded]
        self._use()
        self._batch: BatchCode | None = None
        self._batch_call: Any = None
        self._lanes: dict[int, LaneCode] = {}
        self._single: tuple[BatchCode, Any] | None = None
        self._memory = threading.local()
        self._sizes = function.sizes
        self._shape = function.shape

    def _use(self) -> None:
        """Call the newest code from here on."""
        self.address: int = self._loaded[-1].addresses[self.name]
        count = len(self.function.inputs)
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1))(self.address)

    def improve(self) -> None:
        """Replace code that was made quickly by optimised code, which gives the same digits.

        Addresses that others hold stay good; the new ones are for those who ask again.
        """
        if self.quick:
            with _target.compiling:
                self._loaded.append(_made([(self.function, self._plan)], quick=False))
                self.quick = False
                self._use()

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def operations(self) -> int:
        """How many operations a call takes."""
        return self._plan.operations

    @property
    def constants(self) -> int:
        """How many numbers `setup` leaves for `state`; zero when nothing depends on the constant groups alone."""
        return self._plan.constants

    @property
    def setup_address(self) -> int:
        """`void setup(const double *constant group..., double *kept)`; zero when there is nothing to set up."""
        return self._loaded[-1].addresses.get(f"{self.name}.setup", 0)

    @property
    def state_address(self) -> int:
        """`void state(const double *in0, ..., const double *kept, double *out)`; zero when there is no setup."""
        return self._loaded[-1].addresses.get(f"{self.name}.state", 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.function,)  # another process, another address

    def __repr__(self) -> str:
        return f"<native {self.name}: {' + '.join(map(str, self._sizes))} numbers -> {self._shape}>"

    def __call__(self, *args: Array, out: np.ndarray | None = None) -> np.ndarray:
        if len(args) != len(self._sizes):
            raise ExpressionError(f"'{self.name}' takes {len(self._sizes)} arrays, not {len(args)}.")
        if out is None and all(map(is_single, args, self._sizes)):
            return self._run_single(args)
        arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in args]
        batch = -1
        for g, (a, size) in enumerate(zip(arrays, self._sizes, strict=True)):
            if a.size == size and (a.ndim == 1 or (a.ndim == 0 and size == 1)):
                continue
            if size == 1 and a.ndim == 1:
                a = arrays[g] = a[:, None]
            if a.ndim != 2 or a.shape[1] != size or (batch >= 0 and batch != a.shape[0]):
                raise ExpressionError(self._wrong_shape(g, a, batch))
            batch = a.shape[0]
        if batch >= 0:
            return self._run_batch(arrays, batch, out)
        out = self._result(self._shape, out)
        self._call(*map(address_of, arrays), address_of(out))
        return out

    def _run_single(self, args: Sequence[Array]) -> np.ndarray:
        """One state through memory of this thread whose addresses are known: most of a small call is finding them."""
        try:
            views, addresses, result = self._memory.parts
        except AttributeError:
            views, addresses, result = self._memory.parts = stage(self._sizes, self._shape)
        for view, a in zip(views, args, strict=True):
            view[:] = a
        self._call(*addresses)
        return result.copy()  # type: ignore[no-any-return]

    def single(self, *args: Array) -> np.ndarray:
        """A batch in single precision: inputs, results and sums are floats, and twice as many stand in a vector.

        >>> from dalembert import expr as ex
        >>> x, k = ex.symbols("x k")
        >>> compile_functions([Function("f", [[x], [k]], [-k * ex.sin(x)])])["f"].single([[0.5], [1.5]], [4.0])
        array([[-1.9177022],
               [-3.98998  ]], dtype=float32)
        """
        if self.function.shared:
            raise ExpressionError(f"'{self.name}' shares inputs between states, and has no single precision.")
        rows, count = list[np.ndarray](), -1
        for g, (given, size) in enumerate(zip(args, self._sizes, strict=True)):
            a = np.ascontiguousarray(given, dtype=np.float32)
            one = a.size == size and a.ndim < 2
            rows.append(a := a.reshape(1, size) if one else a[:, None] if size == 1 and a.ndim == 1 else a)
            if a.ndim != 2 or a.shape[1] != size or (not one and count >= 0 and count != len(a)):
                raise ExpressionError(self._wrong_shape(g, a, count))
            count = count if one else len(a)
        alone, count = count < 0, abs(count)
        if self._single is None:
            with _target.compiling:
                made = self.batch_code(2 * _target.vector_width(), single=True)
                self._single = made, made.function()
        code, call = self._single
        out = np.empty((count, *self._shape), dtype=np.float32)
        if count:
            strides = [a.shape[1] if len(a) > 1 else 0 for a in rows]
            self._shared_out(call, code, rows, strides, out)
        return out[0] if alone else out

    def _shared_out(
        self, call: Any, code: BatchCode, rows: Sequence[np.ndarray], strides: Sequence[int], out: np.ndarray
    ) -> None:
        """Spread the states of a batch over the crew."""
        groups = len(rows)
        pointers = (ctypes.c_void_p * groups)(*map(address_of, rows))
        steps = (ctypes.c_int64 * groups)(*strides)
        where = (ctypes.addressof(pointers), ctypes.addressof(steps), address_of(out))
        share(call, *where, len(out), code.width, code.room, self._plan.operations)

    def _wrong_shape(self, g: int, a: np.ndarray, batch: int) -> str:
        wants = f"({self._sizes[g]},) or (batch, {self._sizes[g]})"
        other = f", with batch = {batch} as in the arrays before it" if batch >= 0 else ""
        return f"input {g} of '{self.name}' has shape {a.shape}; it takes {wants}{other}."

    def _batch_entry(self) -> BatchCode:
        with _target.compiling:
            if self._batch is None:
                made = self.batch_code(_target.vector_width())
                self._batch_call = made.function()
                self._batch = made
            return self._batch

    def batch_code(self, width: int, single: bool = False) -> BatchCode:
        """Code for `width` states side by side."""
        name = f"{self.name}.batch"
        text = _entries.batch_module(self.function, self._plan, width, single)
        loaded = load_text(text, (name,), _effort(self.quick))
        room = _entries.workspace_size(self.function, self._plan, width)
        return BatchCode(loaded.addresses[name], room, width, loaded)

    def lane_code(self, width: int) -> LaneCode:
        """Code for `width` states that already lie side by side; asked for again, it is there."""
        with _target.compiling:
            made = self._lanes.get(width)
            if made is None:
                name = f"{self.name}.lanes"
                loaded = load_text(_entries.lanes_module(self.function, self._plan, width), (name,))
                made = LaneCode(loaded.addresses[name], max(self._plan.scratch, 1), width, loaded)
                self._lanes[width] = made
            return made

    def _result(self, shape: tuple[int, ...], out: np.ndarray | None) -> np.ndarray:
        if out is None:
            return np.empty(shape)
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ExpressionError(f"'out' of '{self.name}' must be a contiguous array of doubles of shape {shape}.")
        return out

    def _run_batch(self, arrays: list[np.ndarray], count: int, out: np.ndarray | None = None) -> np.ndarray:
        batch = self._batch or self._batch_entry()
        out = self._result((count, *self._shape), out)
        if count:
            varied = [g for g in self.function.shared if arrays[g].ndim == 2]
            if varied:
                raise ExpressionError(
                    f"input {varied[0]} of '{self.name}' is shared by all states: give one row of it."
                )
            strides = [a.shape[1] if a.ndim == 2 else 0 for a in arrays]
            self._shared_out(self._batch_call, batch, arrays, strides, out)
        return out


def address_of(a: np.ndarray) -> int:
    """Of the first number. NumPy takes 2 us to tell it: as long as a vector of states."""
    if not a.size:
        return 0
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(a))  # type: ignore[arg-type]
    except TypeError:  # read-only
        return int(a.ctypes.data)


def is_single(a: Array, size: int) -> bool:
    """Whether an argument is plainly one state: doubtful cases take the careful way."""
    kind = type(a)
    if kind is np.ndarray:
        return bool(a.shape == (size,))
    if kind is float or kind is int:
        return size == 1
    return kind in (list, tuple) and len(a) == size and all(type(x) is float or type(x) is int for x in a)


def stage(sizes: Sequence[int], shape: tuple[int, ...]) -> tuple[list[np.ndarray], list[int], np.ndarray]:
    """Arrays for the inputs and the result of one call, and their addresses."""
    views = [np.zeros(size) for size in sizes]
    result = np.zeros(shape)
    return views, [a.ctypes.data for a in (*views, result)], result


class Library(Mapping[str, NativeFunction]):
    """Functions compiled together, by name."""

    def __init__(self, functions: dict[str, NativeFunction]) -> None:
        self._functions = functions

    def __getitem__(self, name: str) -> NativeFunction:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)


def load_text(text: str, names: Sequence[str], effort: int = _target.EFFORT) -> _target.Loaded:
    """LLVM text as code in memory, assembled once for all time."""
    key = f"{_target.version(effort)}\n{text}"
    code = cache.remember(key, lambda: _target.assemble(text, effort))
    try:
        return _target.Loaded(code, names)
    except RuntimeError:  # kept code that this LLVM does not load
        cache.forget(key)
        return _target.Loaded(_target.assemble(text, effort), names)


def _again(function: Function) -> NativeFunction:
    return compile_functions([function])[function.name]


def compile_functions(functions: Sequence[Function], *, quickly: bool | None = None) -> Library:
    """Compile for this processor. Batch code is made at the first call with a batch.

    `quickly` takes a quarter of the time, for code that is half as quick with the same digits; unless it is said, long
    code is made quickly, and integrators replace it (`NativeFunction.improve`) in runs that repay that. Where it is
    said, long code whose operations wait for few others is not compiled at all but walked as a list, in twice the time
    of quick code, and is there in less than half of it.

    >>> from dalembert import expr as ex
    >>> x, v, k = ex.symbols("x v k")
    >>> lib = compile_functions([Function("rhs", [[x, v], [k]], [v, -k * x])])
    >>> lib["rhs"]([1.0, 0.5], [4.0])
    array([ 0.5, -4. ])
    """
    names = [f.name for f in functions]
    if len(set(names)) != len(names):
        raise ExpressionError(f"two functions have the same name among {', '.join(names)}.")
    with uncollected():
        planned = [(f, schedule(f)) for f in functions]
        quick = sum(plan.written for _, plan in planned) > _SHORT if quickly is None else quickly
        lists = {f.name: found for f, plan in planned if quickly and (found := _listed(f, plan)) is not None}
        others = [(f, plan) for f, plan in planned if f.name not in lists]
        loaded = _made(others, quick) if others else None
    made: dict[str, _target.Loaded | LoadedTape | None] = {**dict.fromkeys(names, loaded), **lists}
    return Library({f.name: NativeFunction(f, plan, one, quick) for f, plan in planned if (one := made[f.name])})


def _listed(function: Function, plan: Schedule) -> LoadedTape | None:
    """Long code as a list of operations, where enough of them stand side by side."""
    if plan.written <= _SHORT or not is_straight(plan):
        return None
    tape = tape_of(function, plan)
    return LoadedTape(function, tape) if tape.operands.shape[1] >= _SIDE_BY_SIDE * len(tape.runs) else None


def _made(planned: list[tuple[Function, Schedule]], quick: bool) -> _target.Loaded:
    exported = [f.name for f, _ in planned]
    for f, plan in planned:
        if plan.kept:
            exported += [f"{f.name}.setup", f"{f.name}.state"]
    return load_text(_entries.scalar_module(planned), exported, _effort(quick))


def _effort(quick: bool) -> int:
    return 0 if quick else _target.EFFORT
