"""Which links are redundant: the self-stresses of the closure, link by link, in the joint's own axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.loops.assembly import Closing
from dalembert.loops.jointaxes import JointAxes, effort_words, joint_axes
from dalembert.loops.verdict import Redundant

Array = Any

#: Shares of unit self-stresses below this are rounding: postures are closed to about 1e-11.
_SHARE = 1e-7


def redundant_links(closing: Closing, x: Array, stresses: Array) -> tuple[Redundant, ...]:
    """Links that take part in self-stresses. A link with `count` such wrenches can give up that many constraints."""
    if not stresses.shape[1]:
        return ()
    found = []
    for name, (axes, local) in stress_shares(closing, x, stresses).items():
        u, s, _ = np.linalg.svd(local, full_matrices=False)
        count = int((s > _SHARE).sum())
        if count:
            words = effort_words(axes, u[:, :count], closing.scale)
            found.append(Redundant(name, count, axes.carried.shape[1], words))
    return tuple(found)


def stress_shares(closing: Closing, x: Array, stresses: Array) -> dict[str, tuple[JointAxes, Array]]:
    """What each link carries in each self-stress, in its own base: force times the scale, then moment (6 rows)."""
    positions = closing.positions
    frames = closing.frames(x)
    _, pa, _, _ = positions.ends_of(frames)
    wrenches = []  # per loop: moment at earth's origin and force
    for loop in range(len(positions.ends)):
        u = stresses[6 * loop : 6 * loop + 6]
        force = u[3:] / closing.scale
        wrenches.append((u[:3] + np.cross(pa[loop][:, None], force, axis=0), force))
    found = {}
    for name, axes in joint_axes(closing, x).items():
        moment, force = np.zeros((3, stresses.shape[1])), np.zeros((3, stresses.shape[1]))
        for loop, (m, f) in enumerate(wrenches):
            sign = _passes(closing, loop, name)
            moment, force = moment + sign * m, force + sign * f
        local = axes.own(moment, force)
        found[name] = (axes, np.concatenate([local[:3] * closing.scale, local[3:]]))
    return found


def _passes(closing: Closing, loop: int, name: str) -> int:
    """+1 or -1 when the loop runs through the link, 0 when it does not."""
    positions = closing.positions
    if closing.linkage.cuts[loop] == name:
        return 1
    cache = positions.__dict__.setdefault("_loop_links", {})
    if loop not in cache:
        parents = {}
        for link, forward in closing.linkage.tree:
            chain = closing.linkage.chains[link]
            begin, end = (chain.first, chain.second) if forward else (chain.second, chain.first)
            parents[end] = (begin, link)
        chain = closing.linkage.chains[closing.linkage.cuts[loop]]
        ways = []
        for body in (chain.first, chain.second):
            way = []
            while body in parents:
                body, link = parents[body]
                way.append(link)
            ways.append(way)
        cache[loop] = (set(ways[0]) - set(ways[1]), set(ways[1]) - set(ways[0]))
    first, second = cache[loop]
    return 1 if name in first else -1 if name in second else 0
