"""Gaps that close and open again within a step: found at minima between samples, whose signs show nothing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.rows import ContactRow
from dalembert.simulate.loop.dense import DenseOutput
from dalembert.simulate.system.system import System

Array = NDArray[Any]

_TURN = 0.25
"""Change of a coordinate between samples, at most, in parts of its scale: a quarter of a radian has one minimum."""
_MOST = 4000
"""Samples of a step, at most."""
_TOGETHER = 64
"""Steps that are looked at in one call."""
_HALVINGS = 40
"""Halvings towards a minimum: the twelfth digit of its time, beyond which its depth does not change."""


class Dips:
    """The open contacts of a system along dense outputs."""

    def __init__(self, system: System, contacts: tuple[ContactRow, ...], scales: Array) -> None:
        from dalembert.simulate.system.compiled import compiled

        outputs = (*(one.gap for one in contacts), *(one.falling for one in contacts))
        self._told = compiled("contact_watch", system.symbols, system.known_parameters, outputs)
        self._count, self._coordinates = len(contacts), len(system.coordinates)
        self._scales = np.asarray(scales, dtype=float)[: self._coordinates]

    def first(self, sol: DenseOutput, p: Array, closed: Collection[int], depths: Array) -> float | None:
        """The first minimum of an open gap that is deeper than its part of `depths`; None where there is none."""
        open_ = [i for i in range(self._count) if i not in closed]
        if not open_ or len(sol.t) < 2:
            return None
        for steps in np.array_split(np.arange(len(sol.t) - 1), -(-(len(sol.t) - 1) // _TOGETHER)):
            found = self._on(sol, p, open_, depths[open_], self._samples(sol, steps))
            if found is not None:
                return found
        return None

    def _samples(self, sol: DenseOutput, steps: Array) -> Array:
        """Times of some steps in a row, as close as their coordinates move."""
        n, begin, end = self._coordinates, sol.t[steps], sol.t[steps + 1]
        before, middle, after = sol.y[steps, :n], sol((begin + end) / 2).T[:, :n], sol.y[steps + 1, :n]
        way = (np.abs(middle - before) + np.abs(after - middle)) / self._scales
        parts = np.clip(np.ceil(way.max(axis=1, initial=0.0) / _TURN), 4, _MOST).astype(int)
        number = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        return np.append(
            np.repeat(begin, parts) + np.repeat(end - begin, parts) * number / np.repeat(parts, parts), end[-1]
        )

    def _on(self, sol: DenseOutput, p: Array, open_: list[int], depth: Array, t: Array) -> float | None:
        gap, rate = self._at(sol, p, t)
        deepest = t[1:-1][(gap[1:-1, open_] < -depth).any(axis=1)].tolist()
        turned = (rate[:-1, open_] < 0) & (rate[1:, open_] > 0)
        bottom = gap[:-1, open_] + rate[:-1, open_] * np.diff(t)[:, None]  # below any minimum of a gap convex there
        near = turned & (bottom < -depth)
        for place in np.flatnonzero(near.any(axis=0)):
            i, turns = open_[place], np.flatnonzero(near[:, place])
            a, b = t[turns], t[turns + 1]
            for _ in range(_HALVINGS):
                middle = (a + b) / 2
                falls = self._at(sol, p, middle)[1][:, i] < 0
                a, b = np.where(falls, middle, a), np.where(falls, b, middle)
            deepest += b[self._at(sol, p, b)[0][:, i] < -depth[place]].tolist()
        return min(deepest) if deepest else None

    def _at(self, sol: DenseOutput, p: Array, t: Array) -> tuple[Array, Array]:
        found = np.asarray(self._told(t, sol(t).T, p))
        return found[:, : self._count], found[:, self._count :]
