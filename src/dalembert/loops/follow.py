"""Closed postures for given independent coordinates, by Newton's method along a straight way from a known posture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.eliminate import Elimination
from dalembert.constraints.independence import speed_scales
from dalembert.errors import SingularError
from dalembert.expr import Expr
from dalembert.formalisms import Equations

Array = Any

#: No joint turns further than this, in radians of its loop, between two postures: another branch is further away.
_STRIDE = 0.4
#: A Newton step below this, in radians of the loop, is rounding.
_DONE = 1e-13
#: The way is cut in no smaller parts: what cannot be followed so far turns back.
_SHORTEST = 2.0**-20


class Follower:
    """Follows a branch: coordinates of the state for values of the independent ones, and time."""

    def __init__(self, eq: Equations, elimination: Elimination, posture: Array) -> None:
        rows = eq.rows
        assert rows is not None
        self.owner = eq.layout.model.name
        self.begin = posture
        self.names = [ex.symbol(x) for x in eq.layout.state.coordinates]
        self.free = [eq.layout.coordinates.index(eq.speeds[k].removesuffix("'")) for k in elimination.independent]
        self.speeds = list(eq.tree.speeds)
        self.independent = list(elimination.independent)
        self.dependent = [k for k in range(len(self.speeds)) if k not in self.independent]
        self.kept = list(elimination.kept)
        n = len(self.speeds)
        gaps = [rows.gap[k] or ex.ZERO for k in self.kept]
        own = [one.rate for one in rows.own]
        rates = [*eq.rates, *own]
        self._exprs = [*gaps, *(x for k in self.kept for x in rows.matrix.rows()[k])]
        self._exprs += speed_scales(rows, eq.mass_matrix)
        self._moves = [x for row in ex.jacobian(rates, self.speeds) for x in row]
        self._offsets = [*[ex.ZERO] * len(eq.rates), *(one.offset for one in rows.own)]
        self._shape = (len(self.kept), n, len(rates))

    def at(self, p: Array, t: float, numbers: Mapping[Expr, float]) -> Array:
        """All coordinates of the state; an error where the branch turns back."""
        y, start = self.begin.copy(), self.begin[self.free]
        done, stride = 0.0, 1.0
        while done < 1:
            ahead = min(1.0, done + stride)
            trial = self._newton(y, start + ahead * (p - start), ahead * t, numbers)
            if trial is not None:
                y, done, stride = trial, ahead, 2 * stride
                continue
            stride /= 2
            if stride < _SHORTEST:
                names = [self.names[k].name for k in self.free]
                reached = ", ".join(f"{x} = {v:.6g}" for x, v in zip(names, start + done * (p - start), strict=True))
                raise SingularError(
                    f"'{self.owner}' cannot be followed past {reached}: its branch turns back there. Choose other "
                    "independent coordinates."
                )
        return y

    def _newton(self, y: Array, p: Array, t: float, numbers: Mapping[Expr, float]) -> Array | None:
        m, n, c = self._shape
        y, moved = y.copy(), np.zeros(n)
        for _ in range(12):
            known = {**numbers, **dict(zip(self.names, y, strict=True)), ex.TIME: t}
            flat = np.array(ex.evaluate([*self._exprs, *self._moves, *self._offsets], known), dtype=float)
            gap, g, scales = flat[:m], flat[m : m + m * n].reshape(m, n), flat[m + m * n : m + m * n + n]
            moves = flat[m + m * n + n : m + m * n + n + c * n].reshape(c, n)
            step = np.zeros(n)
            step[self.independent] = p - y[self.free]
            right = -gap - g[:, self.independent] @ step[self.independent]
            try:
                step[self.dependent] = np.linalg.solve(g[:, self.dependent], right)
            except np.linalg.LinAlgError:
                return None
            moved += step * scales
            if not np.isfinite(step).all() or np.abs(moved[self.dependent]).max(initial=0.0) > _STRIDE:
                return None
            y = y + moves @ step + flat[m + m * n + n + c * n :]
            y[self.free] = p
            if np.abs(step * scales).max(initial=0.0) < _DONE * (1 + np.abs(y).max(initial=0.0)):
                return y
        return None
