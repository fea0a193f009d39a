"""Motions through points: splines that rest at their ends, as fast as limits of speed and acceleration allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, PPoly, make_interp_spline

from dalembert import expr as ex
from dalembert.errors import ArgumentError
from dalembert.expr import Expr
from dalembert.presentation.records import Record

#: Degree of each kind, and derivatives that vanish at both ends.
_KINDS = {"cubic": (3, (1,)), "quintic": (5, (1, 2))}
#: Points of time, for each piece, at which a trajectory is measured against its limits.
_SAMPLES = 64


@dataclass(frozen=True, eq=False)
class Trajectory(Record):
    """Coordinates as smooth functions of time from `t[0]` to `t[-1]`, at rest before and after.

    >>> way = trajectory({"elbow.th": [0.0, 1.0, 0.5]}, times=[0, 1, 2])
    >>> float(way.q(1.0)[0]), way.laws()["elbow.th"].op
    (1.0, 'where')
    """

    names: tuple[str, ...]
    t: Any
    spline: BSpline

    def q(self, time: Any) -> Any:
        return self._at(time, 0)

    def u(self, time: Any) -> Any:
        return self._at(time, 1)

    def udot(self, time: Any) -> Any:
        return self._at(time, 2)

    def _at(self, time: Any, order: int) -> Any:
        time = np.asarray(time, dtype=float)
        inside = (time >= self.t[0]) & (time <= self.t[-1])
        found = (
            self.spline.derivative(order)(np.clip(time, self.t[0], self.t[-1]))
            if order
            else self.spline(np.clip(time, self.t[0], self.t[-1]))
        )
        return found if not order else np.where(inside[..., None], found, 0.0)

    @property
    def duration(self) -> float:
        return float(self.t[-1] - self.t[0])

    @property
    def ends(self) -> dict[str, tuple[float, float]]:
        """The least and the greatest value of each coordinate on the way: splines swing beyond their points."""
        q = self.q(np.linspace(self.t[0], self.t[-1], _SAMPLES * (len(self.t) - 1) + 1))
        return {x: (float(q[:, k].min()), float(q[:, k].max())) for k, x in enumerate(self.names)}

    def laws(self) -> dict[str, Expr]:
        """Formulas of time, for `m.inverse_dynamics(way.laws(), ...)`, `m.drive` and every exit."""
        found = {}
        for k, name in enumerate(self.names):
            pieces = PPoly.from_spline(BSpline(self.spline.t, self.spline.c[:, k], self.spline.k))
            breaks = [x for x in pieces.x if self.t[0] <= x < self.t[-1]]
            law: Expr = ex.as_expr(float(self.spline(self.t[-1])[k]))
            for start, end in reversed(list(zip(breaks, [*breaks[1:], self.t[-1]], strict=True))):
                if end == start:
                    continue
                here = int(np.searchsorted(pieces.x, start, side="right")) - 1
                since = ex.TIME - float(start)
                value: Expr = ex.ZERO
                for c in pieces.c[:, here]:
                    value = value * since + float(c)
                law = ex.where(ex.less(ex.TIME, float(end)), value, law)
            found[name] = ex.where(ex.less(ex.TIME, float(self.t[0])), float(self.spline(self.t[0])[k]), law)
        return found


def trajectory(
    points: Mapping[str, Sequence[float]],
    times: Sequence[float] | None = None,
    *,
    kind: str = "quintic",
    speed: Mapping[str, float] | float | None = None,
    acceleration: Mapping[str, float] | float | None = None,
) -> Trajectory:
    """A spline of each coordinate through its points at `times`, or as soon as `speed` and `acceleration` allow.

    "quintic" has continuous jerk and rests with no acceleration at both ends; "cubic" is of least mean acceleration.
    With limits and no times, times between points are as far apart as the largest move asks, all scaled alike.
    """
    names = tuple(points)
    rows = np.array([np.asarray(points[x], dtype=float) for x in names]) if names else np.zeros((0, 0))
    if rows.ndim != 2 or rows.shape[1] < 2 or not np.isfinite(rows).all():
        raise ArgumentError("a trajectory needs two points or more, as many of each coordinate: {'elbow.th': [0, 1]}.")
    if kind not in _KINDS:
        raise ArgumentError(f"a trajectory is {' or '.join(_KINDS)}, not {kind!r}.")
    limits = [_limits(x, names, what) for x, what in ((speed, "speed"), (acceleration, "acceleration"))]
    if times is None:
        if all(np.isinf(x).all() for x in limits):
            raise ArgumentError("say when (`times`), or how fast it may go (`speed`, `acceleration`).")
        moves = np.abs(np.diff(rows, axis=1)) / (np.where(np.isinf(limits[0]), 1.0, limits[0])[:, None])
        gaps = np.maximum(moves.max(axis=0), 1e-6 * moves.max(initial=0.0))
        if not gaps.any():
            raise ArgumentError("all points are one: there is nothing to go through.")
        made = _through(names, rows, np.concatenate([[0.0], np.cumsum(gaps)]), kind)
        t = np.linspace(made.t[0], made.t[-1], _SAMPLES * rows.shape[1] + 1)
        fast = (np.abs(made.u(t)) / limits[0]).max()
        hard = np.sqrt((np.abs(made.udot(t)) / limits[1]).max())
        return _through(names, rows, made.t * max(fast, hard) * (1 + 1e-3), kind)  # between samples it may be larger
    when = np.asarray(times, dtype=float)
    if when.shape != (rows.shape[1],) or not (np.diff(when) > 0).all():
        raise ArgumentError(f"`times` are {rows.shape[1]} instants, each after the one before.")
    return _through(names, rows, when, kind)


def _through(names: tuple[str, ...], rows: Any, when: Any, kind: str) -> Trajectory:
    degree, still = _KINDS[kind]
    zero = np.zeros(len(names))
    ends = [(order, zero) for order in still]
    return Trajectory(names, when, make_interp_spline(when, rows.T, k=degree, bc_type=(ends, ends)))


def _limits(given: Mapping[str, float] | float | None, names: Sequence[str], what: str) -> Any:
    if given is None:
        return np.full(len(names), np.inf)
    each = [given.get(x, np.inf) if isinstance(given, Mapping) else given for x in names]
    if not all(x > 0 for x in each):
        raise ArgumentError(f"limits of {what} are positive.")
    return np.array(each, dtype=float)
