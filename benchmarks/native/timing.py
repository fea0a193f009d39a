"""Times of native code without the cost of a Python call: the best of several short runs."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def best(run: Callable[[], Any], repeat: int = 7) -> float:
    """Seconds of the quickest run: the one least disturbed by others."""
    run()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def native_loop(address: int, states: list[np.ndarray], out: int, length: int = 2000) -> float:
    """Seconds of one call in a compiled loop over different states (rows of the arrays)."""
    import numba

    count = len(states)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1))(address)
    result = np.empty(out)
    rows = states[0].shape[0]
    if count == 3:

        @numba.njit
        def loop(f: Any, a: Any, b: Any, c: Any, o: Any, n: int) -> None:
            for i in range(n):
                k = i % a.shape[0]
                f(a[k].ctypes.data, b[k].ctypes.data, c[k].ctypes.data, o.ctypes.data)

    else:

        @numba.njit
        def loop(f: Any, a: Any, b: Any, c: Any, d: Any, o: Any, n: int) -> None:
            for i in range(n):
                k = i % a.shape[0]
                f(a[k].ctypes.data, b[k].ctypes.data, c[k].ctypes.data, d[k].ctypes.data, o.ctypes.data)

    assert rows > 0
    return best(lambda: loop(call, *states, result, length)) / length
