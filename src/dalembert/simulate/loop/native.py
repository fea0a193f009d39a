"""The compiled loop as three functions, loaded without numba wherever its machine code or its LLVM text is at hand.

The loop is written in Python and translated by numba to LLVM text. That takes many seconds, so the text travels with
the package (`loop.ll.gz`, written by `python -m dalembert.simulate.loop.translate`), and the machine code made from it
is kept on disk for each processor. The text carries a fingerprint of the files it was made from; when they have
changed, or LLVM cannot read it, numba makes it anew.
"""

from __future__ import annotations

import ctypes
import gzip
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from dalembert.codegen import _target, cache

_NAMES = "layout step linear stiff radau between taylor pace pieces crossing control loop many translate"
_SOURCES = tuple(f"{name}.py" for name in _NAMES.split())
SHIPPED = Path(__file__).with_name("loop.ll.gz")


def fingerprint() -> str:
    """What the loop is made of."""
    return fingerprint_of([Path(__file__).with_name(name) for name in _SOURCES])


def fingerprint_of(files: Sequence[Path]) -> str:
    """What stands in some files, however their lines end."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def shipped_text() -> str | None:
    """The LLVM text in the package, if it is that of the present sources."""
    return text_in(SHIPPED, fingerprint())


def text_in(path: Path, stamp: str) -> str | None:
    """The LLVM text in a file, if it has this fingerprint."""
    try:
        text = gzip.decompress(path.read_bytes()).decode("ascii")
    except (OSError, EOFError):
        return None
    return text if text.startswith(f"; {stamp}\n") else None


def _assemble() -> bytes:
    text = shipped_text()
    if text is not None:
        try:
            return _target.assemble(text, effort=2)
        except RuntimeError:
            pass  # the text of another LLVM; it is made again below
    from dalembert.simulate.loop.translate import llvm_text

    return _target.assemble(llvm_text(), effort=2)


@lru_cache(maxsize=1)
def _entry() -> tuple[Callable[..., int], Any]:
    code = cache.remember(f"integrator\n{_target.version()}\n{fingerprint()}", _assemble)
    loaded = _target.Loaded(code, ["dalembert_integrate"])
    word, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, word, word, word, word)
    return kind(loaded.addresses["dalembert_integrate"]), loaded


ADVANCE, STEPS_AGAIN, MANY, COMPLETE, ENTER, MET, CROSS = range(7)


def address() -> int:
    """Of the loop, for other machine code that gives it tasks: what both do is then one code, to the last digit."""
    with _target.compiling:
        return int(_entry()[1].addresses["dalembert_integrate"])


def _call(task: int, block: int, first: int, last: int) -> int:
    with _target.compiling:
        function = _entry()[0]
    result, trouble = ctypes.c_int64(0), ctypes.c_int64(0)
    if function(ctypes.byref(result), ctypes.byref(trouble), task, block, first, last) != 0:
        raise RuntimeError("the compiled integration loop failed")
    return result.value


def advance(block: int, attempts: int) -> int:
    """Integrate on for at most `attempts` steps; `block` is the address of the integers of `layout`."""
    return _call(ADVANCE, block, 0, attempts)


def steps_again(block: int, first: int, last: int) -> int:
    """Make the kept steps [first, last) again and store their dense output."""
    return _call(STEPS_AGAIN, block, first, last)


def advance_many(block: int, first: int, last: int) -> int:
    """Integrate the trajectories [first, last) from start to end; other threads go on meanwhile."""
    return _call(MANY, block, first, last)


def complete(block: int, trajectory: int) -> int:
    """Integrate one of many trajectories, which has begun, to its end."""
    return _call(COMPLETE, block, trajectory, 0)


def cross(block: int) -> int:
    """Events on one cubic: 1 if all are found, 0 if there is no room for more, 2 for a terminal one, -1 for NaN."""
    return _call(CROSS, block, 0, 0)
