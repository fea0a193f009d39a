"""Closed postures for given independent coordinates, by Newton's method along a straight way from a known posture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.eliminate import Elimination
from dalembert.constraints.independence import diagonal, speed_scales
from dalembert.errors import SingularError
from dalembert.expr import Expr
from dalembert.formalisms import Equations

Array = Any
Told = Callable[[Array, Array, Array], Array]

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
        self._exprs += speed_scales(rows, diagonal(eq.mass_matrix))
        self._moves = [x for row in ex.jacobian(rates, self.speeds) for x in row]
        self._offsets = [*[ex.ZERO] * len(eq.rates), *(one.offset for one in rows.own)]
        self._shape = (len(self.kept), n, len(rates))

    @property
    def exprs(self) -> list[Expr]:
        """What a step needs, in coordinates of the state, time and parameters."""
        return [*self._exprs, *self._moves, *self._offsets]

    def at(self, p: Array, t: float, numbers: Mapping[Expr, float]) -> Array:
        """All coordinates of the state; an error where the branch turns back."""

        def told(_: Array, y: Array, times: Array) -> Array:
            known = {**numbers, **dict(zip(self.names, y.T, strict=True)), ex.TIME: times}
            return np.stack([np.broadcast_to(x, len(y)) for x in ex.evaluate(self.exprs, known)], axis=1)

        return self.along(np.asarray(p, dtype=float)[None], np.array([t]), told)[0]

    def along(self, p: Array, t: Array, told: Told) -> Array:
        """The same for many values (first axis); `told` are the numbers of `exprs` for some of them."""
        y, start = np.tile(self.begin, (len(p), 1)), self.begin[self.free]
        done, stride = np.zeros(len(p)), np.ones(len(p))
        while len(rows := np.flatnonzero(done < 1)):
            ahead = np.minimum(1.0, done[rows] + stride[rows])
            trial, good = self._newton(rows, y[rows], start + ahead[:, None] * (p[rows] - start), ahead * t[rows], told)
            y[rows[good]], done[rows[good]] = trial[good], ahead[good]
            stride[rows] *= np.where(good, 2.0, 0.5)
            for k in np.flatnonzero(stride < _SHORTEST)[:1]:
                names = [self.names[i].name for i in self.free]
                there = start + done[k] * (p[k] - start)
                reached = ", ".join(f"{x} = {v:.6g}" for x, v in zip(names, there, strict=True))
                raise SingularError(
                    f"'{self.owner}' cannot be followed past {reached}: its branch turns back there. Choose other "
                    "independent coordinates."
                )
        return y

    def _newton(self, which: Array, y: Array, p: Array, t: Array, told: Told) -> tuple[Array, Array]:
        """Closed postures near y with the independent coordinates p, and which of them were found."""
        m, n, c = self._shape
        y, moved, found = y.copy(), np.zeros((len(y), n)), np.zeros(len(y), dtype=bool)
        open_ = np.arange(len(y))
        for _ in range(12):
            flat = told(which[open_], y[open_], t[open_])
            gap, g, scales, moves, offsets = np.split(flat, np.cumsum([m, m * n, n, c * n]), axis=1)
            g, moves = g.reshape(-1, m, n), moves.reshape(-1, c, n)
            step = np.zeros((len(open_), n))
            step[:, self.independent] = p[open_] - y[open_][:, self.free]
            right = -gap - np.einsum("kij,kj->ki", g, step)
            step[:, self.dependent] = _solved(g[:, :, self.dependent], right)
            moved[open_] += step * scales
            near = np.abs(moved[open_][:, self.dependent]).max(axis=1, initial=0.0) <= _STRIDE
            good = np.isfinite(step).all(axis=1) & near
            open_, step, scales, moves, offsets = (x[good] for x in (open_, step, scales, moves, offsets))
            y[open_] += np.einsum("kij,kj->ki", moves, step) + offsets
            y[np.ix_(open_, self.free)] = p[open_]
            size = np.abs(step * scales).max(axis=1, initial=0.0)
            closed = size < _DONE * (1 + np.abs(y[open_]).max(axis=1, initial=0.0))
            found[open_[closed]] = True
            open_ = open_[~closed]
            if not len(open_):
                break
        return y, found


def _solved(matrices: Array, right: Array) -> Array:
    """Solutions of small systems; no numbers where one has none."""
    try:
        return np.linalg.solve(matrices, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        found = np.full_like(right, np.nan)
        for k, (matrix, side) in enumerate(zip(matrices, right, strict=True)):
            with suppress(np.linalg.LinAlgError):
                found[k] = np.linalg.solve(matrix, side)
        return found
