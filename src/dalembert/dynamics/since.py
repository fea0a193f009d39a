"""A start later than t = 0 of a machine that time moves: the branch that its start at t = 0 is on, followed in time.

A driven loop has several assemblies at every instant. Which one is meant is said by the start of the model, at t = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.dynamics.closing import CLOSED, Loops, close
from dalembert.dynamics.closure import Closure

Array = Any

#: A posture may differ by this much (natural units: a radian, a length of the machine) from what the two before it
#: foretell: branches that are nearer to each other are told apart by shorter steps, down to this share of the way.
_SURPRISE, _SHORTEST = 0.05, 3e-4


def followed_since(closure: Closure, x: Array, parameters: Mapping[str, Any], end: float) -> Array | None:
    """Closed configurations at t = end on the branches of those at t = 0; None where they cannot be followed."""
    free = np.ones(x.shape[1], dtype=bool)
    time, step, rate = 0.0, end / 32, np.zeros_like(x)
    while time != end:
        step = end - time if abs(step) >= abs(end - time) else step
        scales = closure.scales(x, time + step, parameters)
        foretold = x + rate * step
        found, gap = close(Loops(closure, time + step, parameters, scales), foretold, free)
        surprise = np.abs((found - foretold) / scales.coordinates).max(initial=0.0)
        if (gap < CLOSED).all() and surprise < _SURPRISE:
            x, rate, time = found, (found - x) / step, end if step == end - time else time + step
            step *= 2 if surprise < _SURPRISE / 8 else 1
        elif abs(step) < _SHORTEST * abs(end):
            return None
        else:
            step /= 2
    return x
