"""What a long run owes the person who waits: a progress bar after a second, and Ctrl-C that keeps the result."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

PATIENCE = 1.0
"""Seconds before a progress bar appears."""


class Interrupt:
    """Has Ctrl-C been pressed? The second time it raises KeyboardInterrupt as usual."""

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


@contextmanager
def watching_interrupt() -> Iterator[Interrupt]:
    """Turn Ctrl-C into a flag while the block runs, where it would otherwise raise in the main thread.

    Blocks inside it, in this thread or in others, share its flag.
    """
    handler = signal.getsignal(signal.SIGINT)
    interrupt = handler if isinstance(handler, Interrupt) else Interrupt()
    ours = threading.current_thread() is threading.main_thread()
    if not ours or handler is not signal.default_int_handler:
        yield interrupt
        return
    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, previous)


class Progress:
    """A bar on stderr that appears only when the run takes longer than a second."""

    def __init__(self, total: float, what: str, show: bool | None) -> None:
        self._total, self._what = total, what
        self._show = sys.stderr.isatty() if show is None else show
        self._born = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def update(self, done: float, note: str = "") -> None:
        """Tell how far the run is."""
        if not self._show or time.monotonic() - self._born < PATIENCE:
            return
        if self._bar is None:
            self._start()
        self._bar.update(self._task, completed=done, note=note)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        more = (TextColumn("{task.fields[note]}"), TimeRemainingColumn())
        self._bar = Bar(*columns, *more, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._what, total=self._total, note="")
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def progress_bar(total: float, what: str, show: bool | None) -> Iterator[Progress]:
    """A progress bar that is taken away at the end; `show` None means only on a terminal."""
    progress = Progress(total, what, show)
    try:
        yield progress
    finally:
        progress.close()
