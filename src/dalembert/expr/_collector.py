"""Making many nodes at once without the search for reference cycles."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses: list[bool] = []
"""Whether the collector was on before the first of the pauses that last."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause Python's cycle collector while many nodes are made: a quarter to a half of the time is saved.

    Expressions refer to older expressions only, so they form no cycles and the collector would search a growing heap
    for nothing; unused nodes are freed by reference counts all the same. Works as a decorator too.

    >>> from dalembert import expr as ex
    >>> with ex.uncollected():
    ...     total = sum((ex.symbol(f"x{i}") ** 2 for i in range(100)), ex.ZERO)
    >>> ex.count_operations(total)
    199
    """
    with _lock:  # threads pause it together, and the last one to end switches it on again
        _pauses.append(_pauses[0] if _pauses else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _pauses.pop() and not _pauses:
                gc.enable()
