"""Arrays handed to machine code: one block of integers, with an address and three lengths for each."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen import _target, cache
from dalembert.simulate.loop.native import text_in

Array = NDArray[Any]

HEAD = 8
"""Integers before the arrays."""


def block_of(numbers: Sequence[int], arrays: Sequence[Array]) -> Array:
    """Eight integers, then an address and three lengths for each array."""
    found = np.zeros(HEAD + 4 * len(arrays), dtype=np.int64)
    found[: len(numbers)] = numbers
    for k, one in enumerate(arrays):
        assert one.flags.c_contiguous
        found[HEAD + 4 * k] = one.ctypes.data
        found[HEAD + 1 + 4 * k : HEAD + 1 + 4 * k + one.ndim] = one.shape
    return found


class BlockCode:
    """A loaded function `int name(int64 *result, void *, int64 task, int64 block, int64 reals)`."""

    def __init__(self, name: str, loaded: Any) -> None:
        word, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, word, word, word)
        self._name, self._loaded, self._function = name, loaded, kind(loaded.addresses[name])

    def __call__(self, task: int, block: Array, reals: Array) -> int:
        result, trouble = ctypes.c_int64(0), ctypes.c_int64(0)
        if self._function(ctypes.byref(result), ctypes.byref(trouble), task, block.ctypes.data, reals.ctypes.data) != 0:
            raise RuntimeError(f"the compiled '{self._name}' failed")
        return result.value


def load(name: str, text: str, stamp: str) -> BlockCode:
    """The function of an LLVM text; its machine code is kept on disk under the stamp of its sources."""
    with _target.compiling:
        key = f"{name}\n{_target.version()}\n{stamp}"
        code = cache.remember(key, lambda: _target.assemble(text, effort=2))
        return BlockCode(name, _target.Loaded(code, [name]))


@lru_cache(maxsize=4)
def shipped(name: str, path: Path, stamp: str) -> BlockCode | None:
    """The code that travels with the package; None where it is not that of the present sources or this LLVM's."""
    text = text_in(path, stamp)
    if text is None:
        return None
    try:
        return load(name, text, stamp)
    except RuntimeError:
        return None
