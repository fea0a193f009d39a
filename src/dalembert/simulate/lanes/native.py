"""The compiled lanes, loaded as the integration loop is: as LLVM text that travels with the package."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from dalembert.codegen import _target, cache
from dalembert.simulate.loop.native import fingerprint_of, text_in

NAME = "dalembert_lanes"
WIDTHS = (4, 8)
"""Of two doubles in a register, two registers make a vector: operations that wait for each other are fewer."""
_LOOP = Path(__file__).parents[1] / "loop"
_SOURCES = (
    *(Path(__file__).with_name(f"{name}.py") for name in "layout vectors step control translate".split()),
    *(_LOOP / f"{name}.py" for name in "layout step control pace crossing many native translate".split()),
)


def shipped(width: int) -> Path:
    """Where the text for so many lanes is."""
    return Path(__file__).with_name(f"lanes{width}.ll.gz")


def stamp() -> str:
    """What the texts are made of."""
    return fingerprint_of(_SOURCES)


def lanes() -> int:
    """How many trajectories go side by side on this processor."""
    return max(WIDTHS[0], _target.vector_width())


def _assemble(width: int) -> bytes:
    text = text_in(shipped(width), stamp())
    if text is not None:
        try:
            return _target.assemble(text, effort=2)
        except RuntimeError:
            pass  # the text of another LLVM; it is made again below
    from dalembert.simulate.lanes.translate import llvm_text

    return _target.assemble(llvm_text(width), effort=2)


@lru_cache(maxsize=2)
def _entry(width: int) -> tuple[Callable[..., int], Any]:
    code = cache.remember(f"lanes {width}\n{_target.version()}\n{stamp()}", lambda: _assemble(width))
    loaded = _target.Loaded(code, [NAME])
    word, pointer = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
    return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, word)(loaded.addresses[NAME]), loaded


def advance_lanes(width: int, block: int) -> int:
    """Integrate what the queue holds; returns the lane of a trajectory that goes on alone, or -1."""
    with _target.compiling:
        function = _entry(width)[0]
    result, trouble = ctypes.c_int64(0), ctypes.c_int64(0)
    if function(ctypes.byref(result), ctypes.byref(trouble), block) != 0:
        raise RuntimeError("the compiled lanes failed")
    return result.value
