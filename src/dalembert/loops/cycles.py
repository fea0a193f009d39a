"""Independent loops and the subgroups of displacements they live in.

The screws of a loop, at any configuration, generate a Lie algebra h. Closing the loop is then dim h equations, not six
(three for a planar or a spherical loop). A basis of loops with the smallest total counts the equations best.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from dalembert.loops.linkage import Linkage
from dalembert.loops.positions import Array, Positions
from dalembert.loops.subgroups import Subgroups

Cycle = tuple[tuple[str, bool], ...]  # link, forward when run through from its first body to its second


@dataclass(frozen=True, slots=True)
class Loop:
    """An independent loop: its links in order, the dimension of its subgroup, and the subgroup's name."""

    cycle: Cycle
    dimension: int
    name: str
    miss: float = 0.0  # how far it stays from closing, whatever its joints do

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(link for link, _ in self.cycle)


def independent_loops(linkage: Linkage, digits: int | None = None) -> list[Loop]:
    """A basis of loops that is smallest, by dimension of the subgroup and then by length, among short candidates.

    Each loop of the basis has a link that no loop before it has: then all loops close as soon as these do.
    """
    candidates = {frozenset(link for link, _ in c): c for c in _candidates(linkage)}
    groups = Subgroups(linkage, digits)
    found: dict[Cycle, Loop] = {}

    def judged(cycle: Cycle) -> Loop:
        if cycle not in found:
            group = groups.of([p for link, forward in cycle for p in linkage.chains[link].walk(forward)])
            found[cycle] = Loop(cycle, group.dimension, group.name, group.miss)
        return found[cycle]

    measured = sorted((judged(c) for c in candidates.values()), key=lambda loop: (loop.dimension, len(loop.cycle)))
    index = {name: i for i, name in enumerate(linkage.chains)}
    pivots: dict[int, int] = {}
    kept: list[Loop] = []
    for loop in measured:
        row = sum(1 << index[link] for link in loop.links)
        while row:
            top = row.bit_length() - 1
            if top not in pivots:
                pivots[top] = row
                kept.append(loop)
                break
            row ^= pivots[top]
        if len(kept) == len(linkage.cuts):
            break
    return kept if _peels(kept) else [judged(c) for c in _fundamental(linkage, _neighbours(linkage))]


def _peels(loops: list[Loop]) -> bool:
    """Whether the loops can be taken away one by one, each with a link that is in none of those left."""
    left = [set(loop.links) for loop in loops]
    while left:
        for i, links in enumerate(left):
            if links - set().union(*(other for j, other in enumerate(left) if j != i)):
                del left[i]
                break
        else:
            return False
    return True


def _neighbours(linkage: Linkage) -> list[list[tuple[int, str, bool]]]:
    found: list[list[tuple[int, str, bool]]] = [[] for _ in linkage.layout.bodies]
    for name, chain in linkage.chains.items():
        found[chain.first].append((chain.second, name, True))
        found[chain.second].append((chain.first, name, False))
    return found


def _fundamental(linkage: Linkage, neighbours: list[list[tuple[int, str, bool]]]) -> list[Cycle]:
    """The loop of each cut link through the tree."""
    tree = {name for name, _ in linkage.tree}
    found: list[Cycle] = []
    for name in linkage.cuts:
        chain = linkage.chains[name]
        path = _path(neighbours, chain.second, chain.first, lambda link: link in tree)
        if path is not None:
            found.append(((name, True), *path))
    return found


def _candidates(linkage: Linkage) -> list[Cycle]:
    """Fundamental loops, and for each link the shortest loop through it (all of Horton's loops when there are few)."""
    neighbours = _neighbours(linkage)
    found = _fundamental(linkage, neighbours)
    for name, chain in linkage.chains.items():
        path = _path(neighbours, chain.second, chain.first, lambda link, own=name: link != own)
        if path is not None:
            found.append(((name, True), *path))
    if len(linkage.chains) <= 30:
        found += _horton(linkage, neighbours)
    return found


def _horton(linkage: Linkage, neighbours: list[list[tuple[int, str, bool]]]) -> list[Cycle]:
    found: list[Cycle] = []
    for root in range(len(neighbours)):
        for name, chain in linkage.chains.items():
            go = _path(neighbours, root, chain.first, lambda link, own=name: link != own)
            back = _path(neighbours, chain.second, root, lambda link, own=name: link != own)
            if go is None or back is None:
                continue
            cycle = (*go, (name, True), *back)
            if len({link for link, _ in cycle}) == len(cycle):
                found.append(cycle)
    return found


def _path(neighbours: list[list[tuple[int, str, bool]]], start: int, end: int, allowed: object) -> Cycle | None:
    """The shortest way from one body to another."""
    reached: dict[int, tuple[int, str, bool] | None] = {start: None}
    queue = deque([start])
    while queue and end not in reached:
        body = queue.popleft()
        for other, link, forward in neighbours[body]:
            if other not in reached and allowed(link):  # type: ignore[operator]
                reached[other] = (body, link, forward)
                queue.append(other)
    if end not in reached:
        return None
    way, body = [], end
    while (step := reached[body]) is not None:
        way.append((step[1], step[2]))
        body = step[0]
    return tuple(reversed(way))


def _numbers(positions: Positions, pose: object) -> tuple[Array, Array]:
    cache = positions.__dict__.setdefault("_pose_numbers", {})
    if id(pose) not in cache:
        entries = [x for row in pose.rotation for x in row] + list(pose.position)  # type: ignore[attr-defined]
        values = np.array(positions.arithmetic.constants(entries, positions.linkage.given), dtype=float)
        cache[id(pose)] = (values[:9].reshape(3, 3), values[9:], pose)
    return cache[id(pose)][0], cache[id(pose)][1]


def _turn(axis: Array, angle: float) -> Array:
    x, y, z = axis
    tilde = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.cos(angle) * np.eye(3) + np.sin(angle) * tilde + (1 - np.cos(angle)) * np.outer(axis, axis)


def bracket(a: Array, b: Array) -> Array:
    """Lie bracket of screws (angular velocity, velocity at the origin)."""
    w = np.cross(a[..., :3], b[..., :3])
    v = np.cross(a[..., :3], b[..., 3:]) + np.cross(a[..., 3:], b[..., :3])
    return np.concatenate([w, v], axis=-1)
