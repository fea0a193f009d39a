"""Times without the cost of a Python call, taken in turns so that a busy machine disturbs all alike."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np


def compare(
    runs: Mapping[str, Callable[[], Any]],
    repeat: int = 9,
    clock: Callable[[], float] = time.perf_counter,
    of: Callable[[list[float]], float] = statistics.median,
) -> dict[str, float]:
    """Seconds of several runs of each, interleaved: their median, or the best of them on a machine that others use."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(repeat):
        for name, run in runs.items():
            start = clock()
            run()
            taken[name].append(clock() - start)
    return {name: of(times) for name, times in taken.items()}


@lru_cache(maxsize=1)
def _loop() -> Any:
    import numba

    @numba.njit
    def loop(f: Any, t: Any, q: Any, u: Any, e: Any, p: Any, out: Any, n: int) -> None:
        for i in range(n):
            k = i % q.shape[0]
            f(t.ctypes.data, q[k].ctypes.data, u[k].ctypes.data, e[k].ctypes.data, p.ctypes.data, out.ctypes.data)

    return loop


def native_loop(address: int, q: np.ndarray, u: np.ndarray, e: np.ndarray, size: int) -> Callable[[int], None]:
    """A compiled loop of calls `f(t, q, u, e, p, out)` over the rows of q, u, e."""
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(address)
    out, t, p = np.empty(size), np.zeros(1), np.zeros(1)
    return lambda count: _loop()(call, t, q, u, e, p, out, count)


@lru_cache(maxsize=1)
def _slopes_loop() -> Any:
    import numba

    @numba.njit
    def loop(f: Any, about: int, t: Any, q: Any, u: Any, e: Any, out: Any, work: Any, n: int) -> None:
        for i in range(n):
            k, p = i % q.shape[0], t.ctypes.data
            f(about, p, q[k].ctypes.data, u[k].ctypes.data, e[k].ctypes.data, p, out.ctypes.data, work.ctypes.data)

    return loop


def slopes_loop(slopes: Any, q: np.ndarray, u: np.ndarray, e: np.ndarray) -> Callable[[int], None]:
    """The same for derivatives by the recursion, which works in memory of its own."""
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 8)(slopes.address)
    room = np.zeros(slopes.room + 8)
    out, t, work = np.empty(3 * q.shape[1] ** 2), np.zeros(1), room[-(room.ctypes.data // 8) % 8 :]
    return lambda count: _slopes_loop()(call, slopes.about, t, q, u, e, out, work, count)
