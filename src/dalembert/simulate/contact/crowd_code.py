"""The compiled steps of crowds, loaded without numba: their LLVM text travels with the package, as the loop's does.

`contact/crowd` is Python that numba compiles, which takes half a minute. Its text (`crowd.ll.gz`) carries a fingerprint
of the files it was made from; when they have changed, or LLVM cannot read it, numba compiles them.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen import _target, cache
from dalembert.contact.crowd import crowd as room
from dalembert.contact.crowd.data import Bodies, Laws, Rows, Shapes, Work
from dalembert.simulate.loop.native import fingerprint_of, text_in

Array = NDArray[Any]

SHIPPED = Path(__file__).with_name("crowd.ll.gz")
_SOURCES = "boxes compiled cone data direct pairs rates step sweeps touch turning".split()
LOOK, ADVANCE, FIND = range(3)


def fingerprint() -> str:
    """What the text is made of."""
    folder = Path(room.__file__).parent
    files = [folder / f"{name}.py" for name in _SOURCES]
    return fingerprint_of([*files, *(Path(__file__).with_name(f"crowd_{name}.py") for name in ("code", "translate"))])


@lru_cache(maxsize=1)
def shipped() -> ShippedCode | None:
    """The code that travels with the package; None where it is not that of the present sources or this LLVM's."""
    text = text_in(SHIPPED, fingerprint())
    if text is None:
        return None
    try:
        with _target.compiling:
            key = f"crowd\n{_target.version()}\n{fingerprint()}"
            code = cache.remember(key, lambda: _target.assemble(text, effort=2))
            return ShippedCode(_target.Loaded(code, ["dalembert_crowd"]))
    except RuntimeError:
        return None


class ShippedCode:
    """`look`, `advance` and `find_pairs` of `contact/crowd`, with the same arguments."""

    def __init__(self, loaded: Any) -> None:
        word, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, word, word, word)
        self._loaded, self._function = loaded, kind(loaded.addresses["dalembert_crowd"])

    def _call(self, task: int, block: Array, reals: Array) -> int:
        result, trouble = ctypes.c_int64(0), ctypes.c_int64(0)
        where = block.ctypes.data, reals.ctypes.data
        if self._function(ctypes.byref(result), ctypes.byref(trouble), task, *where) != 0:
            raise RuntimeError("the compiled steps of a crowd failed")
        return result.value

    def look(
        self, shapes: Shapes, bodies: Bodies, keys: Array, made: int, reach: float, rows: Rows, out: Array, room: Array
    ) -> int:
        block = _block([made], [*shapes, *bodies, keys, *rows, out, room])
        return self._call(LOOK, block, np.array([reach]))

    def advance(
        self,
        step: int,
        steps: int,
        h: float,
        gravity: Array,
        shapes: Shapes,
        bodies: Bodies,
        laws: Laws,
        keys: Array,
        made: int,
        listed: float,
        rows: Rows,
        old_count: int,
        old: Rows,
        tolerance: float,
        most: int,
        told: Array,
        out: Array,
        room: Array,
        small: float,
        work: Work,
    ) -> tuple[int, int, int, float]:
        arrays = [*shapes, *bodies, keys, *rows, out, room, *laws, gravity, *old, told, *work]
        block = _block([made, step, steps, old_count, most], arrays)
        reals = np.array([0.0, h, listed, tolerance, small])
        why = self._call(ADVANCE, block, reals)
        return why, int(block[1]), int(block[3]), float(reals[0])

    def find_pairs(
        self,
        shapes: Shapes,
        limit: float,
        skin: float,
        cell: Array,
        heads: Array,
        following: Array,
        keys: Array,
    ) -> int:
        block = _block([], [*shapes, *[keys] * 21, cell, heads, following])
        return self._call(FIND, block, np.array([limit, skin]))


def _block(numbers: list[int], arrays: list[Array]) -> Array:
    """Eight integers, then an address and three lengths for each array."""
    found = np.zeros(8 + 4 * len(arrays), dtype=np.int64)
    found[: len(numbers)] = numbers
    for k, one in enumerate(arrays):
        assert one.flags.c_contiguous
        found[8 + 4 * k] = one.ctypes.data
        found[9 + 4 * k : 9 + 4 * k + one.ndim] = one.shape
    return found
