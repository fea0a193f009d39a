"""A batch on several processors: native code runs outside Python's lock, so plain threads share the work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import lru_cache
from queue import SimpleQueue

#: Operations that are worth waking one more thread for: about a fifth of a millisecond.
_WORTHWHILE = 4_000_000
_PARTS = 3  # parts for each thread: one that comes late leaves its share to the others


def share(run: Callable[[int, int], None], count: int, width: int, operations: int) -> None:
    """Run [0, count) in parts of whole vectors, on as many threads as the work deserves."""
    threads = min(_processors(), 1 + count * operations // _WORTHWHILE)
    part = -(-count // (threads * _PARTS * width)) * width
    if threads == 1 or part >= count:
        run(0, count)
        return
    task = _Task(run, count, part)
    queue = _crew(os.getpid())
    for _ in range(threads - 1):
        queue.put(task)
    task.work()
    task.done.acquire()


class _Task:
    """Parts that whoever is free takes next; `done` opens when the last one is finished."""

    def __init__(self, run: Callable[[int, int], None], count: int, part: int) -> None:
        self.run, self.count, self.part = run, count, part
        self.starts = iter(range(0, count, part))
        self.left = -(-count // part)
        self.lock = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()

    def work(self) -> None:
        while True:
            with self.lock:
                begin = next(self.starts, None)
            if begin is None:
                return
            try:
                self.run(begin, min(self.count, begin + self.part))
            finally:
                with self.lock:
                    self.left -= 1
                    if self.left == 0:
                        self.done.release()


@lru_cache(maxsize=1)
def _crew(process: int) -> SimpleQueue[_Task]:
    """The queue of this process's helping threads; a forked process gets its own."""
    queue: SimpleQueue[_Task] = SimpleQueue()

    def serve() -> None:
        while True:
            queue.get().work()

    for k in range(_processors() - 1):
        threading.Thread(target=serve, name=f"dalembert-{process}-{k}", daemon=True).start()
    return queue


@lru_cache(maxsize=1)
def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
