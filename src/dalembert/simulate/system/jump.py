"""Where forces jump with time: what happens in that instant is decided by what follows it, not by what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAME = 16 * float(np.finfo(float).eps)
"""Times closer than this share of the motion are the same instant, as for events."""
_JUMP = 1e-6
"""What changes by this share of itself in no time jumps, unless it goes on so: what passes zero does not jump."""
_FURTHER = 1024
"""So much later what jumped is where it jumped to, and what goes on has gone as many times as far."""


def past_jump(told: Callable[[float], NDArray[Any]], t: float, span: tuple[float, float]) -> float:
    """The instant t, or just behind it where what is `told` of it jumps there; nothing is behind the end.

    >>> push = lambda t: np.array([1.0 if t > 2 else 0.0])
    >>> past_jump(push, 1.0, (0, 5)), past_jump(push, 2.0, (0, 5)) > 2
    (1.0, True)
    >>> past_jump(lambda t: np.array([np.sin(t)]), 0.0, (0, 5))
    0.0
    """
    begin, end = span
    step = _SAME * max(abs(begin), abs(t), abs(end - begin))
    behind = t + step if end >= begin else t - step
    if not min(begin, end) < behind < max(begin, end):
        return t
    now, then, further = told(t), told(behind), told(t + _FURTHER * (behind - t))
    jumps = np.abs(then - now) > _JUMP * np.maximum(np.abs(now), np.abs(then))
    stays = np.abs(further - then) <= np.abs(then - now)
    return behind if (jumps & stays).any() else t
