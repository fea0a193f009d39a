"""Numbers of bodies, links and frames (spec 2.1): breadth-first from earth, neighbours in the order of the joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Numbered:
    """A link with its number and those of its bodies, i < j; `flipped` when it was declared j first."""

    number: int
    i: int
    j: int
    principal: bool
    flipped: bool


@dataclass(frozen=True, slots=True)
class Numbering:
    """Bodies 0..n in order, links by declaration, and how index pairs are written."""

    bodies: tuple[str, ...]
    links: tuple[Numbered, ...]
    unreached: tuple[str, ...]
    complementary: int
    wide: bool

    @property
    def n(self) -> int:
        return len(self.bodies) - 1

    def pair(self, body: int, index: int) -> str:
        """`15` for body 1, index 5; `1c12` once any index has two digits."""
        return f"{body}c{index}" if self.wide else f"{body}{index}"

    def joint_frames(self, link: int) -> tuple[str, str]:
        """Index pairs of the frames that a link joins, in the order of its declaration."""
        one = self.links[link]
        if one.principal:
            pairs = self.pair(one.i, one.j), self.pair(one.j, one.i)
        else:
            # Index n+1 belongs to the inertia frames, so complementary link k takes k+1.
            pairs = self.pair(one.i, one.number + 1), self.pair(one.j, one.number + 1)
        return (pairs[1], pairs[0]) if one.flipped else pairs

    def inertia_frame(self, body: int) -> str:
        return self.pair(body, self.n + 1)

    def other_frame(self, body: int, rank: int) -> str:
        """The rank-th (from 0) other frame of a body."""
        return self.pair(body, self.n + self.complementary + 2 + rank)


def number(bodies: Sequence[str], joins: Sequence[tuple[str, str]], others: int = 0) -> Numbering:
    """Number the graph whose edges are the joins; `others` is the largest count of other frames on one body.

    >>> one = number(["a", "b", "c"], [("earth", "a"), ("earth", "b"), ("a", "c"), ("b", "c")])
    >>> one.bodies, [link.number for link in one.links]
    (('earth', 'a', 'b', 'c'), [1, 2, 3, 4])
    """
    around: dict[str, list[tuple[str, int]]] = {"earth": []}
    for k, (a, b) in enumerate(joins):
        around.setdefault(a, []).append((b, k))
        around.setdefault(b, []).append((a, k))
    index = {"earth": 0}
    order = ["earth"]
    principal: set[int] = set()
    for body in order:
        for neighbour, k in around[body]:
            if neighbour not in index:
                index[neighbour] = len(order)
                order.append(neighbour)
                principal.add(k)
    links: list[Numbered] = []
    extra = len(order) - 1
    for k, (a, b) in enumerate(joins):
        if a not in index:
            continue
        low, high = index[a], index[b]
        flipped = low > high
        i, j = (high, low) if flipped else (low, high)
        if k in principal:
            links.append(Numbered(j, i, j, True, flipped))
        else:
            extra += 1
            links.append(Numbered(extra, i, j, False, flipped))
    unreached = tuple(b for b in dict.fromkeys([*bodies, *around]) if b not in index)
    largest = extra + 1 + others
    return Numbering(tuple(order), tuple(links), unreached, extra - len(order) + 1, largest > 9)
