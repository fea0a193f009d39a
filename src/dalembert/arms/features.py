"""Scalar equations of an arm: what one part of the chain says of axes and points, and the target with the rest of it.

    E_(k+1) ... E_l  =  E_k^-1 ... E_1^-1 T E_n^-1 ... E_(l+1)^-1        (T: the displacement that the tip must make)

Of both sides the same numbers are taken: a . M b of two directions, a . M p and |M p - o|^2 of a point, and the mutual
moment of two lines. Each is linear in cosine and sine of every angle (in a slide: quadratic), and free of the joints
whose axes its features lie on. So many of them have one unknown: Paul's method, without looking.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.arms.screws import Screws, inverse

Array = NDArray[Any]

#: Distances in parts of the arm, sines of angles: below, two axes meet or are parallel. Rounding of chains is less.
MEETS = 1e-9
KINDS = ("directions", "places", "distances", "moments")


@dataclass(frozen=True, slots=True)
class Scalar:
    """One equation: of the part k..l of the chain, by kind, with the numbers of a feature on each side."""

    k: int
    l: int
    kind: str
    left: int
    right: int


@dataclass(frozen=True, eq=False)
class Features:
    """Directions, points and lines at the zero posture, to look from (left) and to look at (right)."""

    screws: Screws
    target: Array  # T, 4x4
    directions: Array
    points: Array
    seen_directions: Array
    seen_points: Array
    lines: Array  # numbers of joints that turn
    whole: bool  # is all of T asked? Else only the seen points and directions, of the tip

    def splits(self) -> list[tuple[int, int]]:
        n = len(self.screws)
        ends = range(1, n + 1) if self.whole else (n,)
        return [(k, end) for end in ends for k in range(end)]

    def sides(self, k: int, end: int, x: Array) -> tuple[Array, Array]:
        """Both sides for amounts x (a stack of them)."""
        moves = [self.screws.move(i, x[..., i]) for i in range(len(self.screws))]
        done = self.target
        for i in range(k):
            done = inverse(moves[i]) @ done
        for i in reversed(range(end, len(moves))):
            done = done @ inverse(moves[i])
        right = np.eye(4)
        for i in range(k, end):
            right = right @ moves[i]
        shape = (*x.shape[:-1], 4, 4)
        return np.broadcast_to(done, shape), np.broadcast_to(right, shape)

    def tables(self, pose: Array) -> dict[str, Array]:
        """The numbers of one side, by kind: entry [..., left, right]."""
        turn, shift = pose[..., :3, :3], pose[..., None, :3, 3]
        ways = np.einsum("...ij,bj->...bi", turn, self.seen_directions)
        places = np.einsum("...ij,bj->...bi", turn, self.seen_points) + shift
        off = places[..., None, :, :] - self.points[:, None, :]
        found = {
            "directions": np.einsum("ai,...bi->...ab", self.directions, ways),
            "places": np.einsum("ai,...bi->...ab", self.directions, places),
            "distances": (off**2).sum(axis=-1),
        }
        if self.whole:
            axes, feet = self.screws.axes[self.lines], self.screws.points[self.lines]
            moved = np.einsum("...ij,bj->...bi", turn, axes)
            stands = np.einsum("...ij,bj->...bi", turn, feet) + shift
            across = np.cross(axes[:, None, :], moved[..., None, :, :])
            found["moments"] = (across * (stands[..., None, :, :] - feet[:, None, :])).sum(axis=-1)
        return found

    def values(self, equations: list[Scalar], x: Array) -> Array:
        """Left side minus right side of equations, for a stack of amounts: entry [..., equation]."""
        found = np.zeros((*x.shape[:-1], len(equations)))
        for split in {(one.k, one.l) for one in equations}:
            left, right = (self.tables(side) for side in self.sides(*split, x))
            for i, one in enumerate(equations):
                if (one.k, one.l) == split:
                    found[..., i] = (left[one.kind] - right[one.kind])[..., one.left, one.right]
        return found

    def dependence(self, rng: np.random.Generator) -> tuple[list[Scalar], Array]:
        """All equations, and on which amounts each depends, seen at random postures."""
        n, some = len(self.screws), 3
        base = rng.uniform(-3, 3, (some, 1, n))
        x = np.repeat(base, n + 1, axis=1)
        for j in range(n):
            x[:, j + 1, j] = rng.uniform(-3, 3, some)
        equations, rows = list[Scalar](), list[Array]()
        for k, end in self.splits():
            left, right = (self.tables(side) for side in self.sides(k, end, x))
            for kind in left:
                gap = left[kind] - right[kind]
                seen = np.abs(gap[:, 1:] - gap[:, :1]).max(axis=0) > MEETS * (1 + np.abs(gap).max(axis=(0, 1)))
                for a, b in zip(*np.nonzero(seen.any(axis=0)), strict=True):
                    equations.append(Scalar(k, end, kind, int(a), int(b)))
                    rows.append(seen[:, a, b])
        return equations, np.array(rows).reshape(len(equations), n)


def features_of(screws: Screws, target: Array, asked: str) -> Features:
    """What an arm offers; `asked`: "pose", "position", or "direction" (position, and where the tip's z axis points)."""
    lines = np.flatnonzero(screws.turns)
    directions = _distinct([*screws.axes, *np.eye(3), *(across for _, _, across in normals(screws))])
    points = _distinct([*screws.points[lines], *_meetings(screws)], apart=True)
    if not len(points):
        points = np.zeros((1, 3))
    seen = {"pose": (directions, points), "position": (np.zeros((0, 3)), screws.tip[None, :3, 3])}
    seen["direction"] = (screws.tip[None, :3, 2], screws.tip[None, :3, 3])
    return Features(screws, target, directions, points, *seen[asked], lines, asked == "pose")


def normals(screws: Screws) -> list[tuple[int, int, Array]]:
    """Directions that two slides leave alone."""
    slides = [i for i, turns in enumerate(screws.turns) if not turns]
    pairs = ((i, j, np.cross(screws.axes[i], screws.axes[j])) for n, j in enumerate(slides) for i in slides[:n])
    return [(i, j, across / np.linalg.norm(across)) for i, j, across in pairs if across @ across > MEETS]


def _distinct(found: list[Array], apart: bool = False) -> Array:
    kept = list[Array]()
    for one in found:
        if not any(np.abs(one - x).max() < MEETS or (not apart and np.abs(one + x).max() < MEETS) for x in kept):
            kept.append(one)
    return np.array(kept).reshape(len(kept), 3)


def _meetings(screws: Screws) -> list[Array]:
    """Points where neighbouring axes of turns meet."""
    found, lines = [], [i for i, turns in enumerate(screws.turns) if turns]
    for i, j in pairwise(lines):
        point = meeting(screws, i, j)
        if point is not None:
            found.append(point)
    return found


def meeting(screws: Screws, i: int, j: int) -> Array | None:
    """Where two axes meet."""
    a, b, off = screws.axes[i], screws.axes[j], screws.points[j] - screws.points[i]
    across = np.cross(a, b)
    if across @ across < MEETS or abs(off @ across) > MEETS:
        return None
    point: Array = screws.points[i] + a * (np.cross(off, b) @ across) / (across @ across)
    return point
