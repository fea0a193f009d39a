"""The block of memory that one trajectory uses, filled from Python's side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods.schemes import Scheme, Table, degree, slopes, table

STEP_ROOM = 1024
EVENT_ROOM = 64


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What blocks of memory for one method and so many states, events and guards have in common.

    `integers` are the options in a block, and offsets in bytes where addresses will be (`slots`); `places` tell which
    numbers belong to a slot, their shape, and whether they are whole.
    """

    integers: NDArray[np.int64]
    slots: NDArray[np.int64]
    places: dict[int, tuple[int, int, tuple[int, ...], bool]]
    size: int


class Memory:
    """Arrays by slot, their addresses in `block`; the arrays live as long as this does."""

    def __init__(self, form: Form) -> None:
        self.block = form.integers.copy()
        self._places, self._piece = form.places, np.zeros(form.size)
        self._arrays: dict[int, NDArray[Any]] = {}
        self.block[form.slots] += self._piece.__array_interface__["data"][0]

    def __getitem__(self, slot: int) -> NDArray[Any]:
        found = self._arrays.get(slot)
        if found is None:
            begin, end, shape, whole = self._places[slot]
            part = self._piece[begin:end]
            found = self._arrays[slot] = (part.view(np.int64) if whole else part).reshape(shape)
        return found

    def bind(self, slot: int, array: NDArray[Any]) -> None:
        """Let a slot point at an array."""
        if not array.flags.c_contiguous:
            raise ValueError("an array of the compiled loop must be contiguous")
        self._arrays[slot] = array
        self.block[slot] = array.__array_interface__["data"][0]

    def room(self, slot: int, *shape: int) -> None:
        """Let a slot point at fresh zeros."""
        self.bind(slot, np.zeros(shape))

    def event_room(self, count: int) -> None:
        """Room for so many events."""
        self.block[at.EVENT_ROOM] = count
        self.bind(at.EVENT_INDEX, np.zeros(count, dtype=np.int64))
        self.room(at.EVENT_T, count)
        self.room(at.EVENT_Y, count, int(self.block[at.N]))

    @property
    def address(self) -> int:
        return int(self.block.ctypes.data)

    @property
    def real(self) -> NDArray[Any]:
        return self[at.REAL]


def allocate(
    method: Scheme,
    size: int,
    addresses: dict[int, int],
    *,
    quaternions: Sequence[Sequence[int]] = (),
    events: int = 0,
    guards: int = 0,
    keep: bool = True,
) -> Memory:
    """Memory for one trajectory of `size` states; `addresses` maps RHS, EVENT, GUARD and PROJECT to code."""
    memory = Memory(_form(method, size, events, guards, keep))
    m, numbers = memory.block, table(method)
    for slot, address in addresses.items():
        m[slot] = address
    groups = np.array(quaternions, dtype=np.int64).reshape(-1, 4)
    m[at.QUATERNIONS] = len(groups)
    memory.bind(at.QUATERNION, groups)
    memory.real[[at.EXPONENT, at.ALPHA, at.BETA]] = numbers.exponent, numbers.alpha, numbers.beta
    if method.implicit:
        _allocate_implicit(memory, method, size)
    return memory


@lru_cache(maxsize=64)
def _form(method: Scheme, size: int, events: int, guards: int, keep: bool) -> Form:
    numbers, m = table(method), np.zeros(at.INTEGERS, dtype=np.int64)
    m[at.N], m[at.EVENTS], m[at.GUARDS], m[at.KEEP] = size, events, guards, keep
    m[at.STAGES], m[at.EARLY], m[at.WEIGHTS] = numbers.stages, numbers.early, len(numbers.weights)
    m[at.SLOPES], m[at.DENSE_ROWS] = slopes(method), degree(method) - 1
    m[at.START : at.WEIGHT + 1] = _table_addresses(numbers)
    steps, found = STEP_ROOM if keep else 0, max(EVENT_ROOM, 2 * events) if events else 0
    m[at.STEP_ROOM], m[at.EVENT_ROOM] = steps, found
    shapes: dict[int, tuple[int, ...]] = {at.REAL: (at.REALS,), at.TIME: (2,)}
    shapes |= {at.SLOPE: (slopes(method), size), at.COEFFICIENT: (degree(method), size)}
    shapes |= dict.fromkeys((at.Y, at.Y_NEW, at.Y_TRY), (size,))
    shapes |= dict.fromkeys((at.OLD_EVENT, at.NEW_EVENT, at.ROOT, at.DIRECTION), (max(events, 1),))
    shapes |= dict.fromkeys((at.OLD_GUARD, at.NEW_GUARD, at.GUARD_SCALE), (max(guards, 1),))
    if events:
        width = degree(method) + 1
        shapes |= {at.MONOMIAL: (size, width), at.BOX: (4 * size + width,), at.BOUND: (max(5 * events, 16),)}
        shapes |= {at.SAMPLE: (9, events), at.ENDS: (64,)}
    shapes |= {at.STEP_T: (steps,), at.STEP_H: (steps,), at.STEP_Y: (steps, size)}
    shapes |= {at.EVENT_T: (found,), at.EVENT_Y: (found, size)}
    whole: dict[int, tuple[int, ...]] = {at.EVENT_INDEX: (found,), at.REMAINING: (max(events, 1),)}
    places, place = {}, 0
    for slot, shape in (shapes | whole).items():
        places[slot] = (place, place + math.prod(shape), shape, slot in whole)
        m[slot] = m.itemsize * place
        place += math.prod(shape)
    return Form(m, np.array(list(places)), places, place)


@cache
def _table_addresses(numbers: Table) -> list[int]:
    """Where the numbers of a method are, from START to WEIGHT; the table, which is the key, lives for ever."""
    arrays = (numbers.start, numbers.column, numbers.value, numbers.node, numbers.error, numbers.dense, numbers.weights)
    return [int(array.ctypes.data) for array in arrays]


def _allocate_implicit(memory: Memory, method: Scheme, size: int) -> None:
    implicit = method.tableau.implicit if method.tableau else None
    if implicit is None:
        return
    memory.room(at.MATRIX, size * size + size)
    memory.room(at.FACTORED, size, size)
    memory.room(at.LACK, 2, size)
    memory.bind(at.BETWEEN, np.array(implicit.between))
    memory.bind(at.PIVOT, np.zeros(size, dtype=np.int64))
    if implicit.collocation:
        stages = len(implicit.nodes) - 3
        memory.bind(at.COLLOCATION, np.array(implicit.collocation))
        memory.room(at.PAIR, stages // 2, 2 * size, 2 * size)
        memory.bind(at.PAIR_PIVOT, np.zeros((stages // 2, 2 * size), dtype=np.int64))
        memory.room(at.NEWTON, 4 * stages, size)
        memory.block[at.IMPLICIT] = 2
        return
    coupling = np.zeros((len(implicit.coupling), len(implicit.coupling)))
    for i, row in enumerate(implicit.coupling):
        for j, weight in row.items():
            coupling[i, j] = weight
    memory.bind(at.COUPLING, coupling)
    memory.bind(at.DRIFT, np.array(implicit.drift))
    memory.real[at.GAMMA] = implicit.gamma
    memory.block[at.IMPLICIT] = 1


def begin(
    memory: Memory, t_span: tuple[float, float], y0: NDArray[np.float64], first_step: float, max_step: float
) -> None:
    """Put a trajectory at its start; counters go to zero."""
    m, real = memory.block, memory.real
    m[[at.STORED, at.EVENTED, at.NEXT, at.NFEV, at.ACCEPTED, at.REJECTED, at.SHRUNK, at.STOP, at.UNRESOLVED]] = 0
    m[at.INFO], m[at.STALE], m[at.MARK] = -1, 1, 0
    real[[at.MARK_T, at.WAY, at.LAST_STEP]] = t_span[0], 0.0, 0.0
    m[[at.BOUND_STEPS, at.FREE_STEPS, at.KNOWN]] = 0
    m[at.PATIENCE] = at.STIFF_STEPS
    real[[at.T, at.T_START, at.T_END]] = t_span[0], t_span[0], t_span[1]
    real[[at.STEP, at.CHOSEN_STEP, at.MAX_STEP, at.LAST_ERROR]] = first_step, first_step, max_step, 1e-4
    memory[at.Y][:] = y0
    memory[at.GUARD_SCALE][:] = 0.0


def pieces(
    memory: Memory,
    span: tuple[float, float],
    corners: Callable[[ArrayLike, tuple[float, float]], Sequence[float]] | None,
    parameters: ArrayLike,
) -> list[float]:
    """Where steps end whatever their error: at corners that the rates have by time, and at the end of the span."""
    adaptive = not memory.block[at.WEIGHTS] and not memory.block[at.ORDER]
    if corners is None or not adaptive or span[0] == span[1]:
        return [span[1]]
    return [*corners(parameters, span), span[1]]
