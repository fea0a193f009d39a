"""The frames of a moving picture: times that play pleasantly, both sides of every jump among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import SimulationError
from dalembert.simulate import Arc, Motion

Array = NDArray[np.float64]

_NICE_SPEEDS = [a * 10.0**k for k in range(-9, 10) for a in (1, 2, 5)]
_LEAST_SECONDS, _MOST_SECONDS = 2.5, 25.0
_MOST_FRAMES = 1500
_TURN = 0.5
"""Radians between two frames: within them a chord and its arc differ by a thirtieth of the radius."""
_MOST_ARCS = 400
"""Motions of more pieces than this are seen at even times only: a bounce that has come to rest has thousands."""


def playing_speed(length: float) -> float:
    """1 where that is pleasant to watch, else a round number."""
    if length <= 0 or _LEAST_SECONDS <= length <= _MOST_SECONDS:
        return 1.0
    target = length / (_LEAST_SECONDS if length < _LEAST_SECONDS else _MOST_SECONDS)
    return min(_NICE_SPEEDS, key=lambda nice: abs(np.log(nice / target)))


def frame_times(
    motion: Motion, fps: float = 30.0, speed: float | None = None, turning: float = 0.0
) -> tuple[Array, float]:
    """Even times, and the speed at which they play. Between frames poses are interpolated, so there are more than `fps`
    asks for where the motion took more steps, or where something turns fast: `turning` is the largest rate."""
    first, last = sorted((float(motion.t[0]), float(motion.t[-1])))
    length = last - first
    speed = playing_speed(length) if speed is None else speed
    if not speed > 0 or not fps > 0:
        raise SimulationError("an animation needs a positive speed and a positive number of frames a second.")
    wanted = np.ceil(max(length / speed * fps, motion.accepted, length * turning / _TURN)) + 1
    count = int(np.clip(wanted, 2, _MOST_FRAMES)) if length > 0 else 1
    return np.linspace(first, last, count), speed


def seen_at(motion: Motion, times: Array) -> Motion:
    """The motion at these times and at both ends of each of its arcs between them, in the order of time."""
    if motion.sol is None or len(times) < 2:
        return motion if motion.sol is None else motion.at(times)
    if len(motion.arcs) > _MOST_ARCS or motion.t[-1] < motion.t[0]:
        return motion.at(np.sort(times))

    def cut(arc: Arc) -> Arc:
        begin, end = max(arc.span[0], times[0]), min(arc.span[1], times[-1])
        inside = times[(times > begin) & (times < end)]
        here = np.array([begin, *inside, end]) if end > begin else np.array([begin])
        return replace(arc, t=here, y=arc.sol(here) if arc.sol is not None else arc.y)

    # A motion that was asked for at some instants keeps its whole arcs: only the part between them is seen.
    inside = [arc for arc in motion.arcs if arc.span[1] >= times[0] and arc.span[0] <= times[-1]]
    return replace(motion, arcs=tuple(cut(arc) for arc in inside))


def sound(motion: Motion) -> Motion:
    """The motion without moments that have no numbers: one that was stopped may end in some."""
    whole = [np.isfinite(arc.y).all(axis=0) for arc in motion.arcs]
    if all(keep.all() for keep in whole):
        return motion
    arcs = [
        replace(arc, t=arc.t[keep], y=arc.y[:, keep])
        for arc, keep in zip(motion.arcs, whole, strict=True)
        if keep.any()
    ]
    if not arcs:
        raise SimulationError("this motion has no moment whose numbers are all finite: nothing can be shown of it.")
    return replace(motion, arcs=tuple(arcs))
