"""Two motions as one."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from dalembert.errors import SimulationError
from dalembert.simulate.motion.arcs import Jump
from dalembert.simulate.motion.motion import Motion

M = TypeVar("M", bound=Motion)


def joined(first: M, second: Motion) -> M:
    """The first, then the second; they are of one system, and the second begins when the first ends."""
    if not isinstance(second, Motion):
        raise SimulationError(f"{second!r} is not a motion: only motions can be added.")
    one, two = first.system, second.system
    if one.states != two.states or one.rates != two.rates:
        raise SimulationError(
            f"the motions of '{one.name}' and '{two.name}' cannot be joined: they move by different equations."
        )
    end, begin = first.arcs[-1].span[1], second.arcs[0].span[0]
    begins, ends = second.arcs[0].span
    length = abs(end - first.arcs[0].span[0]) + abs(ends - begins)
    if not abs(end - begin) <= 1e-12 * max(abs(end), length):
        raise SimulationError(
            f"the second motion begins at t = {begin:g}, but the first ends at t = {end:g}: "
            f"simulate it over ({end:g}, ...), from start=mo.state({end:g}) for example."
        )
    before, after = _edge(first, -1), _edge(second, 0)
    changed = {k: v for k, v in second.arcs[0].parameters.items() if first.arcs[-1].parameters.get(k) != v}
    names = first.event_names + tuple(name for name in second.event_names if name not in first.event_names)
    times = [_gathered(name, first.t_events, second.t_events, first, second) for name in names]
    states = [_gathered(name, first.y_events, second.y_events, first, second) for name in names]
    jump = () if np.array_equal(before, after) and not changed else (_jump(first, end, before, after, changed),)
    logs = (first.contacts, second.contacts)
    return replace(
        first,
        contacts=None if logs[0] is None or logs[1] is None else logs[0].followed_by(logs[1]),
        arcs=(*first.arcs, *second.arcs),
        jumps=(*first.jumps, *jump, *second.jumps),
        t_events=times if names else None,
        y_events=states if names else None,
        event_names=names,
        status=second.status,
        message=second.message,
        method=first.method if first.method == second.method else f"{first.method}, {second.method}",
        nfev=first.nfev + second.nfev,
        accepted=first.accepted + second.accepted,
        rejected=first.rejected + second.rejected,
        sol=None,
    )


def _edge(motion: Motion, which: int) -> np.ndarray:
    arc = motion.arcs[which]
    states = arc.y if arc.sol is None else arc.sol.y.T
    return np.asarray(states[:, which])


def _jump(motion: Motion, t: float, before: np.ndarray, after: np.ndarray, changed: dict[str, float]) -> Jump:
    names = motion.names
    both = [dict(zip(names, map(float, state), strict=True)) for state in (before, after)]
    return Jump(t, both[0], both[1], "joined", changed)


def _gathered(name: str, one: list | None, two: list | None, first: Motion, second: Motion) -> np.ndarray:
    parts = []
    for motion, lists in ((first, one), (second, two)):
        if name in motion.event_names and lists is not None:
            parts.append(lists[motion.event_names.index(name)])
    return np.concatenate(parts)
