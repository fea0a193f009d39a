"""Postures by damped Newton steps from many starts: for chains of any displacements, and to polish what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.arms.direct import DirectKinematics
from dalembert.expr import Expr

Array = NDArray[Any]

#: Starts of a search, and steps of each.
_STARTS, _STEPS = 256, 60
#: Damping at least, in parts of the matrix: enough that no pivot vanishes by rounding.
_LEAST = 1e-14
#: Squares of an error: rounding.
_DONE = 1e-28
#: Errors of a posture that reaches: radians, and parts of the arm's size. Rounding of a chain is far below.
REACHED = 1e-9


@dataclass(eq=False)
class Aim:
    """The error of postures, from the direct kinematics, and its derivatives; lengths in parts of `size`."""

    names: tuple[str, ...]
    asked: str
    target: Array  # 4x4
    size: float
    _flat: list[Expr]
    _slopes: list[Expr]
    _values: dict[Expr, float]

    @staticmethod
    def of(
        direct: DirectKinematics,
        names: Sequence[str],
        values: Mapping[Expr, float],
        asked: str,
        target: Array,
        size: float,
    ) -> Aim:
        flat = [*direct.position, *(x for row in direct.rotation for x in row)]
        symbols = [ex.symbol(x) for x in names]
        slopes = [x for row in ex.jacobian(flat, symbols) for x in row]
        return Aim(tuple(names), asked, target, size, flat, slopes, dict(values))

    def poses(self, q: Array) -> Array:
        """Position and rows of the rotation of postures in the rows of q: entry [posture, 12]."""
        return self._told(self._flat, q)

    def _told(self, exprs: list[Expr], q: Array) -> Array:
        values: dict[Expr, Any] = {**self._values, **{ex.symbol(x): q[:, i] for i, x in enumerate(self.names)}}
        with np.errstate(all="ignore"):
            found = [np.broadcast_to(np.asarray(x, dtype=float), (len(q),)) for x in ex.evaluate(exprs, values)]
        return np.array(found).T.reshape(len(q), len(exprs))

    def errors(self, q: Array) -> Array:
        return self._rows(self.poses(q) - np.r_[self.target[:3, 3], self.target[:3, :3].ravel()])

    def _rows(self, flat: Array) -> Array:
        place, turn = flat[:, :3] / self.size, flat[:, 3:]
        if self.asked == "position":
            return place
        return np.hstack([place, turn[:, 2::3] if self.asked == "direction" else turn])

    def slopes(self, q: Array) -> Array:
        table = self._told(self._slopes, q).reshape(len(q), 12, len(self.names))
        return np.stack([self._rows(table[:, :, j]) for j in range(len(self.names))], axis=2)

    def polished(self, q: Array, units: Array, steps: int = _STEPS) -> tuple[Array, Array]:
        """Levenberg-Marquardt for many postures at once; and the largest error of each."""
        q, damping = q.copy(), np.full(len(q), 1e-3)
        error = self.errors(q)
        cost = (error**2).sum(axis=1)
        for _ in range(steps):
            slope = self.slopes(q) * units
            normal = np.einsum("bij,bik->bjk", slope, slope)
            push = np.einsum("bij,bi->bj", slope, error)
            if not np.isfinite(normal).all():
                break
            size = 1 + np.einsum("bjj->b", normal)
            held = normal + (damping * size)[:, None, None] * np.eye(q.shape[1])
            step = np.linalg.solve(held, -push[..., None])[..., 0]
            tried = q + step * units
            after = self.errors(tried)
            new = (after**2).sum(axis=1)
            better = new < cost
            q[better], error[better], cost[better] = tried[better], after[better], new[better]
            damping = np.clip(np.where(better, damping / 10, damping * 4), _LEAST, 1e6)
            if ((damping >= 1e6) | (cost < _DONE)).all():
                break
        return q, np.abs(error).max(axis=1, initial=0.0)

    def searched(self, units: Array, chosen: Array, starts: int = _STARTS, seed: int = 0) -> Array:
        """Postures that reach, from many starts, each once."""
        rng = np.random.default_rng(seed)
        first = chosen + rng.uniform(-np.pi, np.pi, (starts, len(self.names))) * units
        found, errors = self.polished(first, units)
        return found[errors < REACHED]
