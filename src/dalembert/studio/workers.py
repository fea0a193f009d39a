"""Processes that compute. A page has a few of its own, so pages do not wait for each other, and to stop is to kill."""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

CHANNELS = ("edit", "live", "long")
"""What must not wait for each other in one page: typing, the moving picture, and questions that take their time."""
MOST = 12
"""Processes at once: four pages; those that were asked longest ago make room."""


class Stopped(Exception):
    """The worker was ended while it computed."""


@dataclass
class Worker:
    """One process and its pipe; it answers one question after the other."""

    process: Any
    pipe: Connection
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    told: str = ""
    since: float | None = None
    _gone: bool = False

    def ask(self, job: str, arguments: dict[str, Any]) -> Any:
        """Called in a thread: send, and wait for the answer."""
        self.since, self.told = time.monotonic(), ""
        try:
            self.pipe.send((job, arguments))
            while True:
                kind, value = self.pipe.recv()
                if kind == "done":
                    return value
                self.told = str(value)
        except (EOFError, OSError, BrokenPipeError) as error:
            raise Stopped from error
        finally:
            self.since = None

    @property
    def alive(self) -> bool:
        return not self._gone and self.process.is_alive()

    def end(self) -> None:
        self._gone = True
        self.process.kill()


class Crew:
    """The workers of all pages."""

    def __init__(self) -> None:
        kind = "spawn" if sys.platform == "win32" else "forkserver"
        self.context: Any = multiprocessing.get_context(kind)
        if kind == "forkserver":  # modules are imported once, and a worker is there in milliseconds
            self.context.set_forkserver_preload(["dalembert.studio.warm"])
        self.workers: OrderedDict[tuple[str, str], Worker] = OrderedDict()
        self.threads = ThreadPoolExecutor(max_workers=2 * MOST, thread_name_prefix="studio")
        self.guard = threading.Lock()

    def warm(self) -> None:
        """Import what workers need while the browser still opens."""
        self.threads.submit(lambda: self._made().end())

    def worker(self, tab: str, channel: str) -> Worker:
        """The worker of a page and channel, made when it is asked for the first time or was ended."""
        with self.guard:
            found = self.workers.get((tab, channel))
            if found is None or not found.alive:
                found = self._made()
                self.workers[tab, channel] = found
            self.workers.move_to_end((tab, channel))
            while len(self.workers) > MOST:
                _, oldest = self.workers.popitem(last=False)
                oldest.end()
            return found

    def _made(self) -> Worker:
        from dalembert.studio.jobs import work

        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours)

    async def ask(self, tab: str, channel: str, job: str, arguments: dict[str, Any]) -> Any:
        """The answer of a worker; `Stopped` if it was ended meanwhile."""
        loop = asyncio.get_running_loop()
        worker = await loop.run_in_executor(self.threads, self.worker, tab, channel)
        async with worker.lock:
            return await loop.run_in_executor(self.threads, worker.ask, job, arguments)

    def stop(self, tab: str, channel: str | None = None) -> int:
        """End what a page has running; how many were busy."""
        with self.guard:
            chosen = [(key, w) for key, w in self.workers.items() if key[0] == tab and channel in (None, key[1])]
            busy = [(key, w) for key, w in chosen if w.since is not None]
            for key, worker in busy if channel is not None else chosen:
                worker.end()
                del self.workers[key]
            return len(busy)

    def progress(self, tab: str) -> list[dict[str, Any]]:
        """What a page has running, since when, and what it says."""
        now = time.monotonic()
        return [
            {"channel": channel, "seconds": now - w.since, "told": w.told}
            for (owner, channel), w in list(self.workers.items())
            if owner == tab and w.since is not None
        ]

    def close(self) -> None:
        with self.guard:
            for worker in self.workers.values():
                worker.end()
            self.workers.clear()
        self.threads.shutdown(wait=False, cancel_futures=True)
