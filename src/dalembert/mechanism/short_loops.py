"""A spanning tree whose loops are short: which links to cut so that each loop closes near where it is.

    length(cut link a-b) = links on the tree between a and b, and the cut one itself

Breadth first, every loop of a tower closes through its foot: rows grow with the height, and see little of their own
stage. Here the tree grows by ears, as graphs without bridges do (Whitney 1932): the shortest way out of the tree and
back into it is added next, as a chain on the end that lies farther out, and its last link is cut. The loops of a tower
or a grid then close stage by stage and cell by cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

Edge = tuple[str, str, str]  # the link's name, and the bodies that it joins


@dataclass(frozen=True, slots=True)
class Reached:
    """The way from a body to the tree, over bodies that are not in it: where it ends, how long, and its first link."""

    anchor: str
    length: int = 0
    next: str = ""
    edge: int = -1


class Ears:
    """A tree that grows from its root."""

    def __init__(self, root: str, edges: Sequence[Edge]) -> None:
        self.edges, self.near = edges, dict[str, list[tuple[str, int]]]()
        for e, (_, a, b) in enumerate(edges):
            self.near.setdefault(a, []).append((b, e))
            self.near.setdefault(b, []).append((a, e))
        self.parent, self.depth, self.reached = {root: root}, {root: 0}, {root: Reached(root)}
        self.decided = set[int]()  # links in the tree, and those that were cut
        self.cut = list[int]()
        self._heap, self._count = list[tuple[int, int, int, Reached, Reached]](), 0
        self._spread([root])
        while self._heap:
            self._add(*heappop(self._heap))

    def distance(self, a: str, b: str) -> int:
        """Links between two bodies of the tree."""
        count, depth, parent = 0, self.depth, self.parent
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            a, count = parent[a], count + 1
        return count

    def _spread(self, bodies: Sequence[str]) -> None:
        """Shorter ways of bodies that are not in the tree, and the ears that meet on them."""
        queue = deque(bodies)
        while queue:
            body = queue.popleft()
            here = self.reached[body]
            for other, e in self.near.get(body, ()):
                there = self.reached.get(other)
                if e in self.decided or e == here.edge:
                    continue
                if there is None or there.length > here.length + 1:
                    self.reached[other] = Reached(here.anchor, here.length + 1, body, e)
                    queue.append(other)
                elif there.edge != e:
                    self._meet(e)

    def _meet(self, e: int) -> None:
        one, two = (self.reached[body] for body in self.edges[e][1:])
        self._count += 1
        length = one.length + two.length + 1 + self.distance(one.anchor, two.anchor)
        heappush(self._heap, (length, self._count, e, one, two))

    def _add(self, length: int, _: int, e: int, one: Reached, two: Reached) -> None:
        """The ear whose two ways meet in a link, unless a shorter way was found since."""
        a, b = self.edges[e][1:]
        if e in self.decided or self.reached[a] is not one or self.reached[b] is not two:
            return
        first, second = self._way(a), self._way(b)
        stem, begin, end = list[tuple[str, int]](), one.anchor, two.anchor
        while first and second and first[-1] == second[-1]:  # the loop hangs on bodies that both ways pass
            stem.append(first.pop())
            second.pop()
            begin = end = self._hang(begin, *stem[-1])
        bodies = [body for body, _ in reversed(first)] + [body for body, _ in second]
        links = [link for _, link in reversed(first)] + [e] + [link for _, link in second]
        if self.depth[begin] < self.depth[end]:
            begin, bodies, links = end, bodies[::-1], links[::-1]
        for body, link in zip(bodies, links[:-1], strict=True):
            begin = self._hang(begin, body, link)
        self.decided.add(links[-1])
        self.cut.append(links[-1])
        self._spread([*(body for body, _ in stem), *bodies])

    def _hang(self, parent: str, body: str, link: int) -> str:
        self.parent[body], self.depth[body], self.reached[body] = parent, self.depth[parent] + 1, Reached(body)
        self.decided.add(link)
        return body

    def _way(self, body: str) -> list[tuple[str, int]]:
        """Bodies from this one to the tree, each with the link towards it."""
        found = []
        while body not in self.parent:
            reached = self.reached[body]
            found.append((body, reached.edge))
            body = reached.next
        return found


def short_loops(root: str, edges: Sequence[Edge]) -> tuple[list[str], int]:
    """Links to cut, and how long the loops are together that they close; bodies in no loop hang where they will.

    >>> ladder = [("a", "0", "1"), ("b", "0", "2"), ("c", "1", "2"), ("d", "1", "3"), ("e", "2", "4"), ("f", "3", "4")]
    >>> short_loops("0", ladder)
    (['b', 'd'], 7)
    """
    found = Ears(root, edges)
    total = sum(found.distance(edges[e][1], edges[e][2]) + 1 for e in found.cut)
    return [edges[e][0] for e in sorted(found.cut)], total


def total_length(edges: Sequence[Edge], parent: dict[str, str], tree: Collection[str]) -> int:
    """How long the loops of another spanning tree are together; `parent` in the order of discovery, `tree` its links.

    >>> total_length([("a", "0", "1"), ("b", "0", "2"), ("c", "1", "2")], {"1": "0", "2": "0"}, {"a", "b"})
    3
    """
    depth: dict[str, int] = {}
    for child, above in parent.items():
        depth[child] = depth.get(above, 0) + 1
    total = 0
    for name, a, b in edges:
        if name not in tree:
            total += 1
            while a != b:
                if depth.get(a, 0) < depth.get(b, 0):
                    a, b = b, a
                a, total = parent[a], total + 1
    return total
