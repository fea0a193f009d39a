"""The error of a motion, by a second one at a tighter tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.dynamics.scales import ATOL, RTOL
from dalembert.errors import SimulationError
from dalembert.simulate.methods.table import find_method
from dalembert.simulate.motion.error import MotionError
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.system import System

_TIGHTER = 1e-2
"""Of the tolerance: the error of the second motion is a hundredth of that of the first, so their difference is it."""
_TIGHTEST = 1e-13
"""Relative tolerance below which rounding is all that a second motion would tell."""


def second_run(system: System, t_span: tuple[float, float], motion: Motion, asked: Asked) -> MotionError:
    """The same motion at a hundredth of the tolerance, compared at every instant that the first one tells."""
    method = find_method(asked.get("method", "auto"))
    if method.equal_steps:
        raise SimulationError(
            f"the method '{method.name}' has no tolerance to tighten: compare motions of two `max_step`s."
        )
    rtol = np.maximum(np.asarray(asked.get("rtol", RTOL), dtype=float) * _TIGHTER, _TIGHTEST)
    y0 = motion.arcs[0].y[:, 0]
    scales = np.asarray(motion.system.scale_of(motion.parameters, y0, float(t_span[0])), dtype=float)
    atol = asked.get("atol")
    tight: Any = (ATOL * scales if atol is None else np.asarray(atol, dtype=float)) * _TIGHTER
    better: Motion = run(system, t_span, **{**asked, "rtol": rtol, "atol": tight, "progress": False})
    if [jump.event for jump in better.jumps] != [jump.event for jump in motion.jumps]:
        raise SimulationError(
            f"at a tighter tolerance other events change the motion of '{system.name}': its error cannot be told. Take "
            f"rtol = {float(np.min(rtol)):.0e}."
        )
    largest, when = np.zeros(len(scales)), np.full(len(scales), float(t_span[0]))
    for one, other in zip(motion.arcs, better.arcs, strict=True):
        low, high = sorted(other.span)
        times = np.clip(one.t, low, high)
        if other.sol is None or not len(times):
            continue
        apart = np.abs(one.y - other.sol(times))
        worst = apart.argmax(axis=1)
        found = apart[np.arange(len(apart)), worst]
        when = np.where(found > largest, one.t[worst], when)
        largest = np.maximum(largest, found)
    count, sizes = len(motion.system.coordinates), scales.copy()
    fastest = float((np.abs(motion.y[count:]) / scales[count:, None]).max(initial=0.0))
    sizes[count:] *= fastest if fastest > ATOL else 1.0  # what is slower is at rest, to the tolerance
    share = largest / sizes
    k = int(share.argmax())
    pairs = zip(motion.event_names, motion.t_events or [], better.t_events or [], strict=False)
    events = {name: float(np.abs(a - b).max(initial=0.0)) for name, a, b in pairs if len(a) == len(b)}
    states = dict(zip(motion.names, largest.tolist(), strict=True))
    return MotionError(float(np.min(rtol)), states, float(share[k]), motion.names[k], float(when[k]), events)
