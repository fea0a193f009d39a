"""Dense output: the motion between steps, as a polynomial on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import SimulationError
from dalembert.simulate.loop.callback import call_projections

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Manifold:
    """Where states belong: unit quaternions, and what a native projection (kept alive by `owner`) keeps."""

    quaternions: NDArray[np.int64]
    project: int = 0
    parameters: Array | None = None
    owner: Any = None

    def bring_back(self, times: Array, states: Array) -> None:
        """Project each row of `states`, in place."""
        for group in self.quaternions:
            states[:, group] /= np.linalg.norm(states[:, group], axis=1, keepdims=True)
        if self.project:
            call_projections(self.project, times, states, self.parameters)


class DenseOutput:
    """The state at any time of the span: `sol(t)` has shape (n,), `sol([t0, t1])` has shape (n, 2).

    On a step from t_k of length h_k, with x = (t - t_k)/h_k, the state is
    `y_k + x (c0 + (1-x) (c1 + x (c2 + (1-x) (...))))`. The coefficients are made at the first call.
    """

    def __init__(
        self,
        t: Array,
        h: Array,
        y: Array,
        coefficients: Array | Callable[[], Array],
        restore: Manifold,
    ) -> None:
        self.t, self.h, self.y = t, h, y
        self._coefficients = coefficients
        self.manifold = restore

    @property
    def t_min(self) -> float:
        return float(min(self.t[0], self.t[-1]))

    @property
    def t_max(self) -> float:
        return float(max(self.t[0], self.t[-1]))

    @property
    def coefficients(self) -> Array:
        """One block (degree, n) a step."""
        if callable(self._coefficients):
            self._coefficients = self._coefficients()
        return self._coefficients

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What it keeps: its polynomials are among them once they are made."""
        made = () if callable(self._coefficients) else (self._coefficients,)
        return (self.t, self.h, self.y, *made)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets the polynomials; the compiled functions stay behind."""
        return DenseOutput, (self.t, self.h, self.y, self.coefficients, Manifold(self.manifold.quaternions))

    def __repr__(self) -> str:
        return f"<dense output on [{self.t_min:g}, {self.t_max:g}], {len(self.t) - 1} steps>"

    def __call__(self, t: ArrayLike) -> Array:
        asked = np.asarray(t, dtype=float)
        times = np.atleast_1d(asked)
        slack = 1e-9 * (self.t_max - self.t_min)
        outside = ~((times >= self.t_min - slack) & (times <= self.t_max + slack))
        if outside.any():
            raise SimulationError(
                f"t = {times[outside][0]:g} lies outside the motion, which covers [{self.t_min:g}, {self.t_max:g}]. "
                "Simulate over a longer span."
            )
        if len(self.t) == 1:
            states = np.repeat(self.y[:1], len(times), axis=0)
        else:
            sense = 1.0 if self.t[-1] >= self.t[0] else -1.0
            step = np.clip(np.searchsorted(sense * self.t, sense * times, side="right") - 1, 0, len(self.t) - 2)
            states = self._evaluate(times, step)
        self.manifold.bring_back(times, states)
        return states[0] if asked.ndim == 0 else np.ascontiguousarray(states.T)

    def _evaluate(self, times: Array, step: NDArray[np.int64]) -> Array:
        x = ((times - self.t[step]) / self.h[step])[:, None]
        c = self.coefficients
        total = np.zeros((len(times), self.y.shape[1]))
        for j in range(c.shape[1] - 1, -1, -1):
            total = (total + c[step, j]) * (x if j % 2 == 0 else 1.0 - x)
        out: Array = self.y[step] + total
        return out
