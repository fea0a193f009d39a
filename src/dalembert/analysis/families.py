"""Rests told once: compared by where the bodies are, since several sets of angles are one orientation.

Along a family a rest is moved towards another one by the speeds v, in the null space of the stiffness, that bring

|F(q) + dF/dq q'(v) - F(q*)|

to its least: F are the places of all bodies in lengths of the machine, their rotations, and what counts turns.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import expr as ex
from dalembert.kinematics.bodies import body_poses

if TYPE_CHECKING:
    from dalembert.analysis.reduced import Small
    from dalembert.analysis.search import Search

Array = Any

#: Directions along which the forces change by less than this share of the most are families of equilibria.
FAMILY = 1e-8
#: Postures that differ by less, in lengths of the machine and in cosines, are one.
_SAME = 1e-5
#: Half a turn is eleven of the longest steps, a way through several angles some times that; then digits double.
_STEPS = 60
#: Radians or lengths of the machine, so that what is off balance after a step is small beside what pulls.
_LONGEST = 0.3
#: A step shorter than this, in radians or lengths of the machine, changes nothing.
_STILL = 1e-10


def dimension(one: Small) -> int:
    """Of the family of rests that has this member: directions in which nothing pulls."""
    pulls = np.linalg.svd(one.metric, compute_uv=False)
    return len(one.leading) - int((pulls > FAMILY * pulls.max(initial=0.0)).sum())


class Postures:
    """Where the bodies of a machine are, in numbers without unit, and which rests its families join."""

    def __init__(self, search: Search) -> None:
        self.search = search

    @cached_property
    def _told(self) -> list[ex.Expr]:
        search = self.search
        poses = body_poses(search.dynamics.tree)
        free = {*search.angles, *(i for group in search.groups for i in group)}
        told = [y for pose in poses for row in pose.rotation for y in row]
        told += [x / search.length for pose in poses for x in pose.position]
        return told + [x / search.units[i] for i, x in enumerate(search.symbols) if i not in free]

    @cached_property
    def _places(self) -> ex.Recipe:
        return ex.Recipe(self._told)

    @cached_property
    def _slopes(self) -> ex.Recipe:
        return ex.Recipe([y for row in ex.jacobian(self._told, self.search.symbols) for y in row])

    def at(self, column: Array) -> Array:
        """The posture of a column."""
        return np.asarray(self._places(self._here(column), 1))[0]

    def slope(self, column: Array) -> Array:
        """How it changes with the coordinates."""
        return np.asarray(self._slopes(self._here(column), 1))[0].reshape(-1, len(column))

    def _here(self, column: Array) -> dict[ex.Expr, Any]:
        here = {**self.search.numbers, **dict.fromkeys(self.search.reduction.speeds, 0.0)}
        return here | dict(zip(self.search.symbols, column[:, None], strict=True))

    def apart(self, found: list[Array]) -> list[Array]:
        """The first of those that are one posture, or members of one family."""
        if len(found) < 2 or not len(found[0]):
            return found
        sizes = [dimension(self.search.smalls(column[:, None])[0]) for column in found]
        kept: list[tuple[Array, int, Array]] = []
        for column, size in zip(found, sizes, strict=True):
            place = self.at(column)
            if not any(
                self._same(place, other) or (size and size == there and self._joined(column, other, size))
                for _, there, other in kept
            ):
                kept.append((column, size, place))
        return [column for column, _, _ in kept]

    def _joined(self, column: Array, target: Array, size: int) -> bool:
        """Does the column come to the target along its family?"""
        q, search = column[:, None], self.search
        for _ in range(_STEPS):
            one, place, slope = search.smalls(q)[0], self.at(q[:, 0]), self.slope(q[:, 0])
            rows, columns = one.units
            left, pulls, right = np.linalg.svd(one.metric)
            stiff = min(
                len(right) - size, len(pulls)
            )  # beside a family, off balance, what pulls nowhere is small and not nothing
            along = search.ways(q)[0] @ one.posture * columns
            step = -right[:stiff].T @ ((left.T @ (rows * one.residual))[:stiff] / pulls[:stiff])
            free = right[stiff:].T
            step = step + free @ np.linalg.lstsq(slope @ along @ free, target - place, rcond=FAMILY)[0]
            change = along @ step
            moved = float(np.abs(change / search.units).max(initial=0.0))
            q = search.closed(search.unit(q + (change * min(1.0, _LONGEST / max(moved, 1e-300)))[:, None]), 3)
            if not q.shape[1] or not np.isfinite(q).all() or moved <= _STILL:
                break
        return bool(q.shape[1]) and self._same(self.at(q[:, 0]), target)

    @staticmethod
    def _same(one: Array, other: Array) -> bool:
        return float(np.abs(one - other).max(initial=0.0)) < _SAME
