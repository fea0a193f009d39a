"""Making many nodes at once without the search for reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
