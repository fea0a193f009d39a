"""A batch on several processors: native threads that sleep until there is work, and take it part by part.

Python's threads would do, since native code runs outside Python's lock, but to wake one takes longer than a batch of a
thousand states. Here the caller publishes its task, wakes the crew and works itself; whoever is awake takes the next
part. Nobody waits for a thread that has not begun a part, so that a busy machine costs no more than working alone.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.codegen import _crew_code, _target
from dalembert.codegen._crew_code import Place

#: Vector operations that are worth a thread, 30 us, six times what waking it takes; and those of a part.
_WORTHWHILE = 100_000
_PART = 50_000
#: Vector operations between two looks at Python's signals: about a tenth of a second.
_LOOK = 400_000_000
_STACK = 1 << 24  # bytes of stack of a thread; unoptimised code spills much

_out_of_service = False


def share(entry: Any, inputs: int, strides: int, out: int, count: int, width: int, room: int, operations: int) -> None:
    """Run the batch code `entry` on rows [0, count), on as many threads as the work deserves.

    `inputs`, `strides` and `out` are addresses as of `BatchCode`, which works in `room` doubles.
    """
    work = max(1, operations) * -(-count // width)
    threads = min(_processors(), work // _WORTHWHILE)
    if threads <= 1 or _out_of_service:
        entry(inputs, strides, out, 0, count, _memory(room))
        return
    size = (room + 15) & ~7  # whole lines of the cache: no two threads write into one
    memory = _memory(size * threads)
    part = width * max(1, _PART // max(1, operations))
    crew = _crew(os.getpid())
    if crew is None:
        _without_crew(entry, (inputs, strides, out), count, part, threads, (memory, size))
        return
    address = ctypes.cast(entry, ctypes.c_void_p).value
    step = part * max(1, _LOOK // _PART)
    for begin in range(0, count, step):
        crew.run(address, inputs, strides, out, begin, min(count, begin + step), part, memory, 8 * size, threads)


def _memory(doubles: int) -> int:
    """Address of working memory of this thread, at a multiple of 64 bytes."""
    kept = getattr(_local, "work", None)
    if kept is None or len(kept) < doubles + 8:
        kept = _local.work = np.empty(doubles + 8)
        _local.address = (kept.ctypes.data + 63) & ~63
    return int(_local.address)


_local = threading.local()


class _Crew:
    """Sleeping threads of one process. They hold no Python object and take no signals."""

    def __init__(self, loaded: _target.Loaded, helpers: int) -> None:
        self._loaded = loaded
        self._place = np.zeros(_crew_code.SIZE + 8, dtype=np.int64)
        self._address = (self._place.ctypes.data + 63) & ~63
        self._run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 10)(loaded.addresses["crew.run"])
        self._threads = [ctypes.c_void_p() for _ in range(helpers)]
        self._library = library = ctypes.CDLL(None)
        for name in ("mutex", "woken", "left"):
            init = library.pthread_mutex_init if name == "mutex" else library.pthread_cond_init
            init(ctypes.c_void_p(self._address + 8 * Place[name].value), None)
        attributes = (ctypes.c_int64 * 64)()
        library.pthread_attr_init(attributes)
        library.pthread_attr_setstacksize(attributes, ctypes.c_size_t(_STACK))
        serve, here = ctypes.c_void_p(loaded.addresses["crew.serve"]), ctypes.c_void_p(self._address)
        old = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            failed = [library.pthread_create(ctypes.byref(one), attributes, serve, here) for one in self._threads]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old)
        self._threads = [one for one, code in zip(self._threads, failed, strict=True) if not code]

    def run(self, *task: int | None) -> None:
        """One task, done when this returns; while the crew works for another thread, the caller works alone."""
        self._run(self._address, *task)

    def dismiss(self) -> None:
        """End the threads, each after the part that it is in."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._loaded.addresses["crew.dismiss"])(self._address)
        threads, self._threads = self._threads, []
        for one in threads:
            self._library.pthread_join(one, None)


@lru_cache(maxsize=1)
def _crew(process: int) -> _Crew | None:
    """The crew of this process; None where there are no POSIX threads.

    A forked process inherits no threads and makes its own; what the parent's crew was is left alone, locked or not.
    """
    with _target.compiling:
        if not hasattr(signal, "pthread_sigmask"):
            return None
        crew = _Crew(_crew_code.loaded(), _processors() - 1)
    atexit.register(_dismiss, crew, process)
    return crew


def _dismiss(crew: _Crew, process: int) -> None:
    """Before the interpreter goes; a thread that calls later works alone."""
    global _out_of_service
    if os.getpid() == process:
        _out_of_service = True
        _crew.cache_clear()
        crew.dismiss()


def _without_crew(
    entry: Any, where: tuple[int, int, int], count: int, part: int, threads: int, memory: tuple[int, int]
) -> None:
    """Where the system has no POSIX threads: Python's, each with an equal share."""
    share_of_each = -(-count // (threads * part)) * part

    def work(k: int) -> None:
        begin, end = k * share_of_each, min(count, (k + 1) * share_of_each)
        if begin < end:
            entry(*where, begin, end, memory[0] + 8 * memory[1] * k)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))


@lru_cache(maxsize=1)
def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
