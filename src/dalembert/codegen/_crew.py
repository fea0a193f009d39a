"""A batch on several processors: native code runs outside Python's lock, so plain threads share the work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import lru_cache
from queue import SimpleQueue

#: Operations that are worth waking one more thread for, about a fifth of a millisecond; and those of the smallest part.
_WORTHWHILE = 4_000_000
_SMALLEST = 400_000


def share(run: Callable[[int, int], None], count: int, width: int, operations: int) -> None:
    """Run [0, count) in parts of whole vectors, on as many threads as the work deserves."""
    threads = min(_processors(), 1 + count * operations // _WORTHWHILE)
    if threads == 1:
        run(0, count)
        return
    task = _Task(run, count, width, threads, _SMALLEST // max(operations, 1))
    queue = _crew(os.getpid())
    for _ in range(threads - 1):
        queue.put(task)
    task.work()
    task.done.acquire()


class _Task:
    """Parts that whoever is free takes next, ever smaller, so that one that is late keeps the others waiting little."""

    def __init__(self, run: Callable[[int, int], None], count: int, width: int, threads: int, smallest: int) -> None:
        self.run, self.count, self.width, self.threads = run, count, width, threads
        self.smallest = max(width, smallest)
        self.begun = self.finished = 0
        self.lock = threading.Lock()
        self.done = threading.Lock()  # opens when the last part is finished
        self.done.acquire()

    def _next(self) -> tuple[int, int]:
        with self.lock:
            begin = self.begun
            size = max(self.smallest, (self.count - begin) // (2 * self.threads))
            self.begun = end = min(self.count, begin + -(-size // self.width) * self.width)
            return begin, end

    def work(self) -> None:
        while True:
            begin, end = self._next()
            if begin == end:
                return
            try:
                self.run(begin, end)
            finally:
                with self.lock:
                    self.finished += end - begin
                    if self.finished == self.count:
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
