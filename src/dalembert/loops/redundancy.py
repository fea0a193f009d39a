"""Which links are redundant: the self-stresses of the closure, link by link, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.loops.assembly import Closing
from dalembert.loops.verdict import Redundant

Array = Any


def redundant_links(closing: Closing, x: Array, stresses: Array) -> tuple[Redundant, ...]:
    """Links that take part in self-stresses. A link with `count` such wrenches can give up that many constraints."""
    positions, linkage = closing.positions, closing.linkage
    if not stresses.shape[1]:
        return ()
    frames = closing.frames(x)
    _, pa, _, _ = positions.ends_of(frames)
    rotation, origin = positions.body_frames(frames)
    wrenches = []  # per loop: moment at earth's origin and force
    for loop in range(len(positions.ends)):
        u = stresses[6 * loop : 6 * loop + 6]
        force = u[3:] / closing.scale
        wrenches.append(np.concatenate([u[:3] + np.cross(pa[loop][:, None], force, axis=0), force]))
    found = []
    for name, chain in linkage.chains.items():
        total = np.zeros((6, stresses.shape[1]))
        for loop, wrench in enumerate(wrenches):
            total += _passes(closing, loop, name) * wrench
        at = origin[chain.first] + rotation[chain.first] @ _first_offset(closing, name)
        base = rotation[chain.first]
        moment = base.T @ (total[:3] - np.cross(at[:, None], total[3:], axis=0))
        force = base.T @ total[3:]
        local = np.concatenate([force * closing.scale, moment])
        u, s, _ = np.linalg.svd(local, full_matrices=False)
        count = int((s > 1e-7).sum())
        if count:
            own = len({p.variable for p in chain.pieces if hasattr(p, "variable")})
            found.append(Redundant(name, count, 6 - own, _words(u[:, :count])))
    return tuple(found)


def _first_offset(closing: Closing, name: str) -> Array:
    frame = closing.linkage.layout.model.links[name].first
    return np.array(closing.positions.arithmetic.constants(frame.displacement.translation, closing.linkage.given))


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


def _words(space: Array) -> str:
    """The wrenches of a subspace named along the axes of the body, where they are."""
    names = ["force along x", "force along y", "force along z", "moment about x", "moment about y", "moment about z"]
    inside = [i for i in range(6) if np.linalg.norm(space[i]) > 1 - 1e-6]
    left = space.shape[1] - len(inside)
    words = [names[i] for i in inside]
    if left:
        parts = {
            ("force" if i < 3 else "moment") for i in range(6) if i not in inside and np.linalg.norm(space[i]) > 1e-6
        }
        oblique = " and ".join(sorted(parts))
        words.append(f"{left} oblique {oblique}" if left == 1 else f"{left} oblique directions of {oblique}")
    return ", ".join(words)
