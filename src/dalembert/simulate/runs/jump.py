"""Where forces jump with time: what happens in that instant is decided by what follows it, not by what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAME = 16 * float(np.finfo(float).eps)
"""Times closer than this share of the motion are the same instant, as for events."""
_JUMP = 1e-6
"""What changes by this share of itself in no time jumps; nothing that follows a motion does."""


def past_jump(told: Callable[[float], NDArray[Any]], t: float, span: tuple[float, float]) -> float:
    """The instant t, or just behind it where what is `told` of it jumps there; nothing is behind the end.

    >>> push = lambda t: np.array([1.0 if t > 2 else 0.0])
    >>> past_jump(push, 1.0, (0, 5)), past_jump(push, 2.0, (0, 5)) > 2
    (1.0, True)
    """
    begin, end = span
    step = _SAME * max(abs(begin), abs(t), abs(end - begin))
    behind = t + step if end >= begin else t - step
    if not min(begin, end) < behind < max(begin, end):
        return t
    now, then = told(t), told(behind)
    jumps = np.abs(then - now) > _JUMP * np.maximum(np.abs(now), np.abs(then))
    return behind if jumps.any() else t
