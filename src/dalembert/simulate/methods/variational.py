"""Motions that make a sum stationary: variational steps of order 2, 4, 6, 8 for any masses, loops included.

On a step of length h the coordinates are a polynomial through their values Q_0 ... Q_s at Lobatto's points c_i, with
weights b_i; V_i = (D Q)_i / h are its slopes there. The discrete action h sum b_i L(Q_i, V_i) is stationary:

    0 = p_0 + sum_i b_i D_i0 p(Q_i, V_i) + h b_0 (R_0 + G_0^T lambda_0)
    0 =       sum_i b_i D_ik p(Q_i, V_i) + h b_k (R_k + G_k^T lambda_k)     at the points between,
    gap(Q_k) = 0 at every point but the first,

with momenta p and their rates R of `system.momenta`; p at the end is the like sum over D_is, projected in the kinetic
metric on speeds that the conditions allow. With one piece (s = 1) it is the method RATTLE. Steps are symplectic where
forces come from a potential of the coordinates, and keep the momenta of symmetries: energy errs, and does not drift
(Marsden and West 2001; with constraints Wenger, Ober-Bloebaum and Leyendecker 2017). Order 2 s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Problem, Solution

if TYPE_CHECKING:
    from dalembert.simulate.system.system import System

Array = NDArray[np.float64]
_ITERATIONS = 25
"""Newton's, with all slopes exact: six are enough from the motion at constant speeds."""
_CONVERGED = 1e-14
"""Newton's last change, in parts of the scale of each coordinate (a radian, the size of the machine): rounding."""
_LEFT = 1e-12
"""What may be left of balances and gaps, in parts of what they are made of: rounding, times the number of terms."""
_DEPENDENT = 1e-10
"""Singular values of the scaled equations, in parts of the largest, below which conditions say the same twice; a wrong
choice leaves gaps or balances open, which ends the motion."""
_MOST_OPERATIONS = 100_000
"""Of the slopes of momenta: more would take minutes to compile."""


@dataclass(frozen=True, slots=True, eq=False)
class Lobatto:
    """Points in [0, 1], their weights, and the slopes D of polynomials through values at them."""

    points: Array
    weights: Array
    slopes: Array


@lru_cache
def lobatto(pieces: int) -> Lobatto:
    """Lobatto's points that cut a step in `pieces`: its ends, and where the slope of Legendre's polynomial vanishes.

    >>> lobatto(2).weights.tolist()
    [0.16666666666666666, 0.6666666666666666, 0.16666666666666666]
    """
    top = np.eye(pieces + 1)[pieces]
    inner = legendre.legroots(legendre.legder(top)) if pieces > 1 else np.zeros(0)
    x = np.concatenate([[-1.0], inner, [1.0]])
    x = (x - x[::-1]) / 2  # symmetric to the last digit
    weights = 1 / (pieces * (pieces + 1) * legendre.legval(x, top) ** 2)
    points = (x + 1) / 2
    slopes = np.zeros((pieces + 1, pieces + 1))
    for j in range(pieces + 1):
        others = np.delete(points, j)
        share = np.polynomial.Polynomial.fromroots(others) / np.prod(points[j] - others)
        slopes[:, j] = share.deriv()(points)
    return Lobatto(points, weights, slopes)


@dataclass(frozen=True)
class Variational(Method):
    """Equal steps of `max_step`, each cut in `pieces` by Lobatto's points."""

    pieces: int = 2
    kind: str = "variational"
    equal_steps: bool = True

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"variational{self.order}"

    @property
    def order(self) -> int:  # type: ignore[override]
        return 2 * self.pieces

    def integrate(self, problem: Problem) -> Solution:
        from dalembert.simulate.methods.stepwise import march

        step = min(problem.max_step, problem.first_step or np.inf)
        if not step > 0:
            raise SimulationError(f"the method '{self.name}' takes equal, positive steps: max_step=0.01, for example.")
        if not np.isfinite(step):
            raise SimulationError(f"the method '{self.name}' has a fixed step: say which, for example max_step=0.01.")
        if problem.balance is None:
            raise SimulationError(
                f"the method '{self.name}' needs momenta, not rates alone: simulate a mechanism, or choose another."
            )
        return march(_Stepper(problem, self), problem, float(step))

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        n, held = len(system.speeds), system.constrained
        if system.kinetic is None or not n:
            return "its kinetic energy is not known" if n else "it has no speeds to solve for"
        for name, rate, speed in zip(system.coordinates, system.rates[:n], system.symbols[-n:], strict=False):
            if rate is not speed:
                return f"the rate of '{name}' is not the speed '{speed.name}': describe its rotation by angles"
        if len(system.coordinates) - n != (len(held.rows.own) if held else 0):
            return "the states are not as many speeds as coordinates"
        if system.large:
            return "a machine of this size is solved in numbers, which its Newton steps do not take"
        if held is not None:
            rows = held.rows
            if any(gap is None for gap in rows.gap):
                return "conditions on speeds come from no stationary action (d'Alembert's principle is not Hamilton's)"
            if rows.imperfect or rows.implied:
                return "its reactions are not perfect, and no action is stationary"
        from dalembert.simulate.system.momenta import formulas

        moving = [x for part in formulas(system)[:2] for x in part]
        slopes = [x for row in ex.jacobian(moving, list(system.symbols)) for x in row]
        if ex.count_operations(slopes) > _MOST_OPERATIONS:
            return "the slopes of its momenta are too long to compile"
        return ""

    def wants(self, system: System) -> dict[str, Any]:
        from dalembert.simulate.system.balance import Balance
        from dalembert.simulate.system.momenta import Momenta

        return {"balance": (Balance(system), Momenta(system))}


class _Stepper:
    """The letters are those of the module; `p` are the momenta at the end of the last step."""

    degree = 5
    y: Array
    p: Array
    slope: Array

    def __init__(self, problem: Problem, method: Variational) -> None:
        self.name, self.rule = method.name, lobatto(method.pieces)
        self.balance, self.momenta = problem.balance
        self.values = np.array(problem.parameters, dtype=float).reshape(-1)
        self.n = self.speeds = self.balance.speeds
        self.c, self.m = self.balance.coordinates, self.momenta.rows
        self.scales = np.broadcast_to(np.asarray(problem.scales, dtype=float), (self.c + self.n,))[: self.n]
        self.nfev = 0
        self.forces = np.zeros((method.pieces, self.m))

    def start(self, t: float, y: Array) -> Array:
        self.y = y
        self.p = self.momenta.at(t, y[: self.c], y[self.c :], self.values, np.zeros(self.m)).p
        self.slope = self.balance.slope(t, y, self.values)
        return self.slope

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        rule, n, h = self.rule, self.n, t1 - t0
        times = t0 + h * rule.points
        ahead = (h * rule.points)[:, None]
        places = self.y[: self.c] + ahead * self.slope[: self.c]
        places[:, :n] += ahead**2 / 2 * self.slope[-n:]
        forces, before = self.forces.copy(), np.inf
        for _ in range(_ITERATIONS):
            left, matrix, size = self._equations(times, places, forces, h)
            if not np.isfinite(matrix).all():
                break
            change = self._solve(matrix, left, size)
            shift = change[: n * len(forces)].reshape(-1, n)
            places[1:, :n] += shift
            places[1:, n:] += self._offsets
            forces += change[n * len(forces) :].reshape(forces.shape)
            moved = float(np.max(np.abs(shift) / self.scales, initial=0.0))
            if moved < _CONVERGED or (moved < 1e3 * _CONVERGED and moved > 0.5 * before):
                left, _, size = self._equations(times, places, forces, h)
                if (np.abs(left) > _LEFT * self._row_sizes(size)).any():
                    break
                self.forces = forces
                return self._end(times, places, h)
            before = moved
        return f"no balance of momenta was found at t = {t1:.6g}: take shorter steps (max_step)"

    def _equations(self, times: Array, places: Array, forces: Array, h: float) -> tuple[Array, Array, Array]:
        """What is left of balances and gaps, their slopes by places and multipliers, and the size of their terms."""
        rule, n, m = self.rule, self.n, self.m
        s = len(forces)
        speeds = rule.slopes @ places[:, :n] / h
        held = [*forces, np.zeros(m)]
        self.nfev += s + 1
        at = [self.momenta.at(t, q, u, self.values, x) for t, q, u, x in zip(times, places, speeds, held, strict=True)]
        made_of = (
            np.abs(rule.slopes) @ (np.abs(places[:, :n]) + self.scales) / abs(h)
        )  # slopes are differences of places
        sizes = [np.abs(one.p) + np.abs(one.p_u) @ np.abs(u) for one, u in zip(at, made_of, strict=True)]
        left, size = np.zeros((n + m) * s), np.zeros((n + m) * s)
        matrix = np.zeros(((n + m) * s, (n + m) * s))
        left[:n], size[:n] = self.p, np.abs(self.p)
        for k in range(s):
            row = slice(n * k, n * k + n)
            push = h * rule.weights[k] * (at[k].rate + at[k].rows.T @ forces[k])
            left[row] += push
            size[row] += np.abs(push) + h * rule.weights[k] * np.abs(at[k].rows.T) @ np.abs(forces[k])
            matrix[row, n * s + m * k : n * s + m * k + m] = h * rule.weights[k] * at[k].rows.T
            for i in range(s + 1):
                share = rule.weights[i] * rule.slopes[i, k]
                left[row] += share * at[i].p
                size[row] += abs(share) * sizes[i]
                for j in range(1, s + 1):  # Q_j moves place i (i = j) and the speeds at every point
                    column = slice(n * (j - 1), n * j)
                    turn = rule.slopes[i, j] / h
                    matrix[row, column] += share * (at[i].p_u * turn + (at[i].p_q if i == j else 0.0))
                    if i == k:
                        matrix[row, column] += (
                            h * rule.weights[k] * (at[k].rate_u * turn + (at[k].rate_q if k == j else 0.0))
                        )
        for k in range(1, s + 1):
            row = slice(n * s + m * (k - 1), n * s + m * k)
            left[row] = at[k].gap
            size[row] = at[k].made_of @ self.scales
            size[row] = np.where(size[row] > 0, size[row], np.max(size[row], initial=0.0) or 1.0)  # moved by nothing
            matrix[row, n * (k - 1) : n * k] = at[k].rows
        self._offsets = np.array([one.offset for one in at[1:]])
        return left, matrix, size

    def _solve(self, matrix: Array, left: Array, size: Array) -> Array:
        """Newton's change; of conditions that say the same twice the smallest multipliers.

        Balances are in parts of the largest, places in their scales, so that turns without inertia stay as they are.
        """
        if not self.m:
            return np.asarray(np.linalg.solve(matrix, -left), dtype=float)
        many, rows = self.n * len(self.forces), self._row_sizes(size)
        columns = np.concatenate([np.tile(self.scales, len(self.forces)), 1 / size[many:]])
        scaled = matrix / rows[:, None] * columns
        rows[:many] *= np.max(np.abs(scaled[:many, :many]))
        scaled = matrix / rows[:, None] * columns
        widest = np.max(np.abs(scaled[:, many:])) or 1.0
        columns[many:] /= widest
        scaled[:, many:] /= widest
        return np.asarray(np.linalg.lstsq(scaled, -left / rows, rcond=_DEPENDENT)[0] * columns, dtype=float)

    def _row_sizes(self, size: Array) -> Array:
        """What each equation is measured by: balances, as actions, by the largest of them, gaps each by its own."""
        many = self.n * len(self.forces)
        scales = np.tile(self.scales, len(self.forces))
        return np.concatenate([np.max(size[:many] * scales) / scales, size[many:]])

    def _end(self, times: Array, places: Array, h: float) -> tuple[Array, Array] | str:
        """Momenta at the end, without what the conditions do not allow there, and the state that has them."""
        rule, n, t, none = self.rule, self.n, times[-1], np.zeros(self.m)
        speeds = rule.slopes @ places[:, :n] / h
        p = h * rule.weights[-1] * self.momenta.at(t, places[-1], speeds[-1], self.values, none).rate
        for i, share in enumerate(rule.weights * rule.slopes[:, -1]):
            p = p + share * self.momenta.at(times[i], places[i], speeds[i], self.values, none).p
        q, u = places[-1], speeds[-1]
        for _ in range(_ITERATIONS):  # p(q, u) = p + G^T mu and G u + drift = 0: one round, p being affine in u
            now, state = self.momenta.at(t, q, u, self.values, none), np.concatenate([q, u])
            if self.m:
                wanted = -self.balance.at(t, state, self.values).residual
                change, _ = self.balance.solve(t, state, self.values, p - now.p, wanted)
            else:
                change = np.linalg.solve(now.p_u, p - now.p)
            u = u + change
            if float(np.max(np.abs(change) / self.scales, initial=0.0)) * abs(h) < 1e2 * _CONVERGED:
                break
        self.y = np.concatenate([q, u])
        if not np.isfinite(self.y).all():
            return f"no speeds that fit the momenta were found at t = {t:.6g}"
        self.start(t, self.y)
        return self.y, self.slope
