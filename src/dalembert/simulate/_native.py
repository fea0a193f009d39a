"""The compiled loop as three functions: numba makes the machine code once, the disk keeps it, later processes load it.

Loading needs neither numba nor a compiler, so that a process starts quickly. The code is kept under a fingerprint of
the files it is made of, of numba's version and of the processor: a change in any of them compiles again.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dalembert.codegen import _target, cache

_SOURCES = ("_layout.py", "_step.py", "_crossing.py", "_loop.py", "_many.py", "_native.py")
_lock = threading.Lock()
ADVANCE, STEPS_AGAIN, MANY = range(3)


def _fingerprint() -> str:
    here = Path(__file__).parent
    sources = "".join((here / name).read_text(encoding="utf-8") for name in _SOURCES)
    return "\n".join(("integrator", _target.version(), version("numba"), sources))


def _compile() -> bytes:
    """Object code of the entry: numba's optimised LLVM text, its mangled name replaced by ours."""
    import re

    from numba import njit

    from dalembert.simulate._loop import loop, steps_again
    from dalembert.simulate._many import loop_many
    from dalembert.simulate._step import integers

    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    entry = njit("int64(int64, int64, int64, int64)", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)

    @entry
    def run(task: int, m: int, first: int, last: int) -> int:
        if task == ADVANCE:
            return loop(integers(m), last)
        if task == STEPS_AGAIN:
            return steps_again(integers(m), first, last)
        return loop_many(integers(m), first, last)

    made = run.overloads[run.signatures[0]]
    text: str = made.library.get_llvm_str()
    name = re.escape(made.fndesc.llvm_func_name)
    text = re.sub(rf'@"?{name}"?(?=\()', "@dalembert_integrate", text)
    text = re.sub(r"(?m)^target (triple|datalayout) = .*$", "", text)
    return _target.assemble(text, effort=2)


@lru_cache(maxsize=1)
def _entry() -> tuple[Callable[..., int], Any]:
    loaded = _target.Loaded(cache.remember(_fingerprint(), _compile), ["dalembert_integrate"])
    word, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, word, word, word, word)
    return kind(loaded.addresses["dalembert_integrate"]), loaded


def _call(task: int, block: int, first: int, last: int) -> int:
    with _lock:
        function = _entry()[0]
    result, trouble = ctypes.c_int64(0), ctypes.c_int64(0)
    if function(ctypes.byref(result), ctypes.byref(trouble), task, block, first, last) != 0:
        raise RuntimeError("the compiled integration loop failed")
    return result.value


def advance(block: int, attempts: int) -> int:
    """Integrate on for at most `attempts` steps; `block` is the address of the integers of `_layout`."""
    return _call(ADVANCE, block, 0, attempts)


def steps_again(block: int, first: int, last: int) -> int:
    """Make the kept steps [first, last) again and store their dense output."""
    return _call(STEPS_AGAIN, block, first, last)


def advance_many(block: int, first: int, last: int) -> int:
    """Integrate the trajectories [first, last) from start to end; other threads go on meanwhile."""
    return _call(MANY, block, first, last)
