"""How the functions of this room are compiled: once for a machine, kept on disk, divisions without checks.

What is kept has the stamp of all files of the room: numba alone would keep a function whose callee has changed.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def _stamp() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def entry(function: Any) -> Any:
    """A compiled function that Python calls."""
    made = njit(cache=True, error_model="numpy", fastmath={"contract"}, _nrt=False)(function)
    made._cache._cache_file._source_stamp = _stamp()
    return made


def native(function: Any) -> Any:
    """A compiled function that compiled functions call: no way in from Python is made, which takes half of the time."""
    plain = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}  # no memory of its own
    return njit(error_model="numpy", fastmath={"contract"}, **plain)(function)
