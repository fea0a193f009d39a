"""Along a set of postures that dry friction holds: are two joined, and where does it end?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import qr

from dalembert import expr as ex
from dalembert.analysis.search import Search
from dalembert.analysis.sticking import Sticking

Array = Any

_SURE = 1e-9
"""Share of the friction by which it may be over: rounding of a solve."""
_BETWEEN = 16
"""Postures between two that are looked at, to see whether both are of one set."""
_STEP, _TURN, _FAR = 0.1, 7.0, 1e9
"""Longest step, in radians or lengths of the machine, on the first turn of a walk; later ones grow, up to here."""
_CHANGE = 0.1
"""A step changes the needed share of friction by less than this, or is halved."""
_JUMP = 1e-4
"""A share that changes more than that over this part of the way gone (of a step at first) jumps."""
_HALVED = 44
"""Halvings of a step at the end of a set: what is left of it is rounding."""


class Walk:
    """Steps on the set of postures that some friction balances, as long as there is enough of it."""

    def __init__(self, search: Search, balance: Sticking) -> None:
        self.search, self.balance = search, balance
        speeds = [ex.symbol(x) for x in search.layout.state.speeds]
        own = {ex.prime(ex.symbol(x)): i for i, x in enumerate(search.names)}
        #: Coordinates by the place of their own speed.
        self.plain = {k: own[u] for k, u in enumerate(speeds) if u in own}

    def share(self, q: Array) -> float:
        return self.balance.holding(q, enough=True).share

    def joined(self, a: Array, b: Array) -> bool:
        """Are postures between the two held as well?"""
        change = b - a
        turning = self.search.turning
        change[turning] = np.angle(np.exp(1j * change[turning]))
        part = np.linspace(0, 1, _BETWEEN)
        q, ok = self.balance.settled(self.search.unit(a[:, None] + change[:, None] * part), self.search.unit)
        away = np.abs(np.diff(q, axis=1) / self.search.units[:, None]).max(axis=0)
        whole = np.abs(change / self.search.units).max(initial=0.0)
        near = bool((away <= 4 * whole / _BETWEEN + _SURE).all())
        return bool(ok.all()) and near and all(self.share(x) <= 1 + _SURE for x in q.T)

    def ranges(self, q: Array) -> dict[str, tuple[float, float]]:
        """How far coordinates of the set may be moved, each with the other independent ones held, from a posture."""
        ways = self.balance.ways(q)
        places = list(self.plain)
        own = ways[places] / self._reach(q)[places, None]
        count = int(np.linalg.matrix_rank(own, tol=_SURE)) if own.size else 0
        if not count:
            return {}
        _, _, order = qr(own.T, pivoting=True, mode="economic")
        leading = [places[k] for k in order[:count]]
        found = {}
        for k in sorted(leading):
            others = [j for j in leading if j != k]
            ends = [self._followed(q, k, others, sign) for sign in (1.0, -1.0)]
            names = range(len(q)) if not others else [self.plain[k]]
            for i in names:
                if i not in self.plain.values():
                    continue
                low = min(x[0][i] for x in ends)
                high = max(x[1][i] for x in ends)
                if high - low > _SURE * self.search.units[i]:
                    found[self.search.names[i]] = (float(low), float(high))
        return found

    def _reach(self, q: Array) -> Array:
        here = self.balance.at(q[:, None], np.zeros((self.balance.forces, 1)))[-3][0]
        return 1 / np.maximum((np.abs(here) / self.search.units[:, None]).max(axis=0, initial=0.0), 1e-300)

    def _direction(self, q: Array, k: int, others: Sequence[int], last: Array | None) -> Array | None:
        """Change of the coordinates along the set, a unit of the fastest; the others stand."""
        ways = self.balance.ways(q)
        if ways.shape[1] < 1 + len(others):
            return None
        reach = self._reach(q)
        if others:
            # in parts of each coordinate's reach: ways that move the others by less than rounding of a step leave them
            _, s, vt = np.linalg.svd(ways[list(others)] / reach[list(others), None])
            ways = ways @ vt[int((s > 1e-9 * s.max(initial=0.0)).sum()) :].T
        best = int(np.argmax(np.abs(ways[k])))
        table = self.balance.at(q[:, None], np.zeros((self.balance.forces, 1)))[-3][0]
        change: Array = table @ (ways[:, best] * np.sign(ways[k, best] or 1.0))
        change = change / np.abs(change / self.search.units).max(initial=1e-300)
        if last is not None and change / self.search.units @ (last / self.search.units) < 0:
            change = -change
        return change

    def _stepped(self, q: Array, change: Array, others: Sequence[int]) -> tuple[Array, float]:
        """One step, and the share of friction that is needed there: infinite where nothing balances."""
        new, ok = self.balance.settled(self.search.unit((q + change)[:, None]), self.search.unit, others)
        moved = np.abs((new[:, 0] - q - change) / self.search.units).max(initial=0.0)
        size = np.abs(change / self.search.units).max(initial=0.0)
        return new[:, 0], self.share(new[:, 0]) if ok[0] and moved <= 2 * size else np.inf

    def _followed(self, q: Array, k: int, others: Sequence[int], sign: float) -> tuple[Array, Array]:
        """Least and largest coordinates on the way to an end of the set; infinite where there is none."""
        start, low, high = q, q.copy(), q.copy()
        share, way, step, gone = self.share(q), None, _STEP, 0.0
        while gone < _FAR:
            ahead = self._direction(q, k, others, way)
            if ahead is None:
                break
            ahead = ahead * (sign if way is None else 1.0)
            new, needed = self._stepped(q, step * ahead, others)
            if _CHANGE < abs(needed - share) < np.inf and step > max(_JUMP * gone, _STEP * 2.0**-_HALVED):
                step /= 2
                continue
            if needed > 1 + _SURE:
                q = self._end(q, step * ahead, others)
                low, high = np.minimum(low, q), np.maximum(high, q)
                break
            q, share, way, gone = new, needed, ahead, gone + step
            low, high = np.minimum(low, q), np.maximum(high, q)
            step = min(step * 1.5, _STEP if gone < _TURN else gone / 4)
            if gone > 1 and self._back(q, start, step):
                low[self._whole(q, start)] = -np.inf
                high[self._whole(q, start)] = np.inf
                break
        else:
            runs = np.abs((q - start) / self.search.units) > _FAR / 10
            low[runs & (q < start)], high[runs & (q > start)] = -np.inf, np.inf
        return low, high

    def _whole(self, q: Array, start: Array) -> Array:
        return np.abs(q - start) > np.pi

    def _back(self, q: Array, start: Array, step: float) -> bool:
        """Has a walk come round to where it began?"""
        away = (q - start) / self.search.units
        away[self.search.turning] = np.angle(np.exp(1j * away[self.search.turning]))
        return bool(np.abs(away).max(initial=0.0) < 0.6 * step)

    def _end(self, q: Array, change: Array, others: Sequence[int]) -> Array:
        """Where the friction is used up, between a posture and a step from it."""
        inside, low, high = q, 0.0, 1.0
        for _ in range(_HALVED):
            middle = (low + high) / 2
            new, needed = self._stepped(q, middle * change, others)
            if needed <= 1:
                inside, low = new, middle
            else:
                high = middle
        return inside
