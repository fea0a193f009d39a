"""Closed loops as a differential-algebraic system of index 3: the generalised-alpha method of Chung and Hulbert.

    M(q) u' = f(q, u, t) + W^T lambda,     q' = P(q) u,     gap(q) = 0 at every step

(Arnold and Bruels 2007; on coordinates whose rates are not the speeds, Bruels and Cardona 2010.) The closure holds at
every step by solving for it; the order is two, the damping of high frequencies is set by the spectral radius. A second
road to the motion, independent of the projected integration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import SimulationError
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Problem, Solution

if TYPE_CHECKING:
    from dalembert.simulate.system.balance import Balance
    from dalembert.simulate.system.system import System

Array = NDArray[np.float64]
_ITERATIONS = 30
_CONVERGED = 1e-13
"""Newton's last change, in parts of the scale of each coordinate (a radian, the size of the machine): rounding."""
_STEP = 1e-3
"""Seconds: machines of everyday size move at a few hertz, whose phase this step gives to 1e-5."""
_FEWEST = 100
"""Steps of a short span."""


class Algebraic(Method):
    """A method on the equations before they are solved: it finds the multipliers itself."""

    kind = "DAE"

    def needs_balance(self, problem: Problem) -> None:
        """Refuse rates alone."""
        if problem.balance is None:
            raise SimulationError(
                f"the method '{self.name}' needs masses, efforts and conditions, not rates alone: "
                "simulate a mechanism, or choose another method."
            )

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        if system.large:
            return "a machine of this size is solved in numbers, which its Newton steps do not take"
        if system.constrained is not None and system.constrained.rows.sliding:
            return "dry friction turns with the sign of the normal force, which its Newton steps do not take"
        if system.constrained is not None and system.constrained.rows.implied:
            return "hidden conditions of a servo-mechanism are kept by projection, which it has none of"
        return "" if system.speeds else "it has no speeds to solve for"

    def wants(self, system: System) -> dict[str, Any]:
        from dalembert.simulate.system.balance import Balance

        return {"balance": Balance(system)}


@dataclass(frozen=True)
class GeneralisedAlpha(Algebraic):
    """Equal steps of `max_step`; `spectral_radius` is 1 without numerical damping, 0 with the most."""

    name: str = "DAE"
    order: int = 2
    equal_steps: bool = True
    spectral_radius: float = 0.9

    def integrate(self, problem: Problem) -> Solution:
        from dalembert.simulate.methods.stepwise import march

        self.needs_balance(problem)
        if not problem.max_step > 0 or (problem.first_step is not None and not problem.first_step > 0):
            raise SimulationError("the DAE method takes equal, positive steps: max_step=1e-3, for example.")
        length = abs(problem.span[1] - problem.span[0])
        wished = min(problem.max_step, problem.first_step or np.inf)
        step = float(wished) if np.isfinite(wished) else min(_STEP, length / _FEWEST or _STEP)
        return march(_Alpha(problem, self.spectral_radius), problem, step)


class _Alpha:
    """The stepper; the letters are those of the method."""

    name = "DAE"
    degree, speeds = 3, 0

    def __init__(self, problem: Problem, radius: float) -> None:
        self.balance: Balance = problem.balance
        self.values = np.array(problem.parameters, dtype=float).reshape(-1)
        size = self.balance.coordinates + self.balance.speeds
        self.scales = np.broadcast_to(np.asarray(problem.scales, dtype=float), (size,))
        self.m, self.f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
        self.gamma = 0.5 - self.m + self.f
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.nfev = 0

    def start(self, t: float, y: Array) -> Array:
        self.y = y
        slope = self.balance.slope(t, y, self.values)
        self.w = self.a = slope[self.balance.coordinates :].copy()
        return slope

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        balance, values, n = self.balance, self.values, self.balance.coordinates
        h, m, f, beta, gamma = t1 - t0, self.m, self.f, self.beta, self.gamma
        c, u, w, a = self.y[:n], self.y[n:], self.w, self.a
        share = (1 - f) / (1 - m)  # change of a for a unit change of w
        reach, push = h * h * beta * share, h * gamma * share
        new = w.copy()
        ahead = ((1 - f) * new + f * w - m * a) / (1 - m)
        c1 = balance.flow(t0, h, c, u + h * ((0.5 - beta) * a + beta * ahead), values)
        u1 = u + h * ((1 - gamma) * a + gamma * ahead)
        multipliers: Array | float = 0.0
        before = np.inf
        for _ in range(_ITERATIONS):
            at = balance.at(t1, np.concatenate([c1, u1]), values)
            self.nfev += 1
            if not at.finite:
                break
            wanted = -np.where(at.holonomic, at.gap / reach, at.residual / push)
            force = at.right - at.mass @ new + at.reaction.T @ (multipliers + at.none)
            change, extra = balance.solve(t1, np.concatenate([c1, u1]), values, force, wanted)
            multipliers = multipliers + extra
            shift = balance.moved(t1, c1, reach * change, values)
            shift[n - len(at.correction) :] += at.correction
            new, u1, c1 = new + change, u1 + push * change, c1 + shift
            size = float(np.max(np.abs(shift) / self.scales[:n], initial=0.0))
            if size < _CONVERGED or (size < 1e3 * _CONVERGED and size > 0.5 * before):
                self.w, self.a = new, ((1 - f) * new + f * w - m * a) / (1 - m)
                self.y = balance.normalised(np.concatenate([c1, u1]))
                return balance.told(t1, self.y, new, values)
            before = size
        return f"no state that balances and closes was found at t = {t1:.6g}"
