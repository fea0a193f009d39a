"""Closed loops as differential-algebraic equations, by Radau's collocation: no solved acceleration is differentiated.

    c' = P(c, t) u,    M(c) u' = f(c, u, t) + W^T lambda,    G u + gamma = 0   at every stage;   gap(c) = 0 at the end

The conditions on speeds (index 2), of places and of speeds alike, hold at the stages; places are brought back to their
closure at the end of a step, as in projected integration. Radau IIA with s stages has order 2 s - 1 in places and
speeds (Hairer and Wanner II, VII.4). Newton's matrices mu E - h F_y, E = diag(1, M, 0), are those of masses, efforts
and rows as they stand, by differences; rows that follow from others are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.loop.layout import EPS
from dalembert.simulate.methods.dae import Algebraic
from dalembert.simulate.methods.inputs import tolerances
from dalembert.simulate.methods.problem import Problem, Solution
from dalembert.simulate.methods.stages import Part, Stages, stages

if TYPE_CHECKING:
    from dalembert.simulate.system.balance import Balance

Array = NDArray[np.float64]
_ROUNDS = 7
"""Of Newton, besides one for each stage."""
_CONVERGED = 1e-3
"""What Newton leaves of the tolerance."""
_NOTHING = 1e-5
"""A change, in tolerances, that needs no confirmation: rounding may well make the next one larger."""
_DEPENDENT = 1e-8
"""Of a row of unit length, what is left when rows before it are taken off: the closure of a state is known to 1e-13 and
better, and the rank of a singular posture to half of its digits."""
_LOST = 1e-4
"""What is left of a row that is nearly lost: a place within 1e-8 would tell its direction to four digits only, and the
step another branch."""
_SMALL = 1e-3
"""Of a state's scale: below it differences are taken in parts of the scale, above in parts of the state."""


@dataclass(frozen=True)
class CollocatedDae(Algebraic):
    """Steps by error control, `count` stages in each: the RADAU of this order, on equations that are not solved."""

    count: int = 5

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"RADAU{self.order}-DAE"

    @property
    def order(self) -> int:  # type: ignore[override]
        return 2 * self.count - 1

    def integrate(self, problem: Problem) -> Solution:
        from dalembert.simulate.methods.adaptive import pace

        self.needs_balance(problem)
        return pace(_Collocation(problem, self), problem)


class _Collocation:
    """The stepper, for `adaptive.pace`."""

    speeds = 0

    def __init__(self, problem: Problem, method: CollocatedDae) -> None:
        self.name, self.degree, self.error_order = method.name, method.count, method.count + 1
        self.balance: Balance = problem.balance
        self.n, self.size = self.balance.coordinates, self.balance.coordinates + self.balance.speeds
        self.values = np.array(problem.parameters, dtype=float).reshape(-1)
        self.rtol, self.atol = tolerances(problem.rtol, problem.tolerance, self.size, 100 * EPS)
        self.scales = np.broadcast_to(np.asarray(problem.scales, dtype=float), (self.size,))
        self.stages: Stages = stages(method.count)
        self.nfev = 0

    def start(self, t: float, y: Array) -> Array:
        slope = self.balance.slope(t, y, self.values)
        self.acceleration, self.rows = slope[self.n :], np.full(1, -1, dtype=np.intp)
        self.at: float | None = None
        self.last: tuple[float, Array, Array] | None = None
        return slope

    def sizes(self, y0: Array, y1: Array) -> Array:
        """The tolerance of each state on a step."""
        found: Array = self.atol + self.rtol * np.maximum(np.abs(y0), np.abs(y1))
        return found

    def attempt(self, t: float, y: Array, h: float) -> tuple[Array, Array, float] | None:
        """State at the end, coefficients of dense output, and the error in tolerances; nothing if Newton fails."""
        if self.at != t and not self._linearise(t, y):
            return None
        factors = [self._factor(part, h) for part in self.stages.parts]
        found = self._newton(t, y, h, factors)
        if found is None:
            return None
        ending = self.balance.at(t + h, y + found[0][-1], self.values)
        rows, told = _independent(ending.matrix * self.scales[self.n :]) if ending.finite else (self.rows, False)
        if not told or len(rows) != len(self.rows):
            return None  # branches meet where it ends, or where it begins
        self.made = (h, *found)
        return y + found[0][-1], self.stages.nested @ found[0], self._error(t, y, h, *found, factors[0])

    def accepted(self) -> None:
        """The last attempt is taken: what it knows begins the next."""
        h, z, forces = self.last = self.made
        self.acceleration, self.multipliers = (self.stages.inverse[-1] @ z[:, self.n :]) / h, forces[-1]

    def _left(self, t: float, y: Array, slope: Array, forces: Array) -> Array | None:
        """E y' - F(y) with the rows that are taken; nothing where the equations have no value."""
        self.nfev += 1
        at, told = self.balance.at(t, y, self.values), self.balance.told(t, y, slope[self.n :], self.values)[1]
        left = np.concatenate(
            [
                slope[: self.n] - told[: self.n],
                at.mass @ slope[self.n :] - at.right - at.reaction[self.rows].T @ forces,
                -at.residual[self.rows],
            ]
        )
        return left if np.isfinite(left).all() else None

    def _linearise(self, t: float, y: Array) -> bool:
        """Masses, rows and slopes of the equations at the beginning of a step, by differences."""
        at = self.balance.at(t, y, self.values)
        if not at.finite:
            return False
        rows, _ = _independent(at.matrix * self.scales[self.n :])
        self.mass, self.reaction = at.mass, at.reaction[rows]
        if not np.array_equal(rows, self.rows):  # multipliers of other rows tell nothing about these
            self.rows, self.last = rows, None
            lack = at.mass @ self.acceleration - at.right
            self.multipliers = np.linalg.lstsq(self.reaction.T, lack, rcond=None)[0] if len(rows) else np.zeros(0)
        slope = np.concatenate([np.zeros(self.n), self.acceleration])
        here = self._left(t, y, slope, self.multipliers)
        if here is None:
            return False
        self.slopes, moved = np.zeros((len(here), self.size)), y.copy()
        for k in range(self.size):
            moved[k] = y[k] + np.sqrt(EPS) * max(abs(y[k]), _SMALL * self.scales[k])
            there = self._left(t, moved, slope, self.multipliers)
            if there is None:
                return False
            self.slopes[:, k] = (there - here) / (moved[k] - y[k])
            moved[k] = y[k]
        self.at = t
        return True

    def _factor(self, part: Part, h: float) -> Any:
        """Of mu E - h F_y, the multipliers times h, the conditions without it."""
        from scipy.linalg import lu_factor

        n, size = self.n, self.size
        matrix = np.zeros((len(self.slopes),) * 2, dtype=type(part.eigenvalue))
        matrix[:size, :size] = h * self.slopes[:size]
        matrix[size:, :size] = self.slopes[size:]
        matrix[n:size, size:] = -self.reaction.T
        matrix[range(n), range(n)] += part.eigenvalue
        matrix[n:size, n:size] += part.eigenvalue * self.mass
        return lu_factor(matrix, check_finite=False)

    def _guess(self, h: float) -> tuple[Array, Array]:
        """The polynomials of the last step go on; at first, rest and the multipliers of the start."""
        if self.last is None:
            count = len(self.stages.nodes)
            return np.zeros((count, self.size)), np.repeat(self.multipliers[None], count, axis=0)
        before, z, forces = self.last
        x = 1.0 + h / before * self.stages.nodes
        return self.stages.values(x) @ z - z[-1], self.stages.forces(x) @ forces

    def _newton(self, t: float, y: Array, h: float, factors: list[Any]) -> tuple[Array, Array] | None:
        """Changes of the state from the start to each stage, and the multipliers there."""
        from scipy.linalg import lu_solve

        nodes, size = self.stages.nodes, self.size
        (z, forces), before, scale = self._guess(h), np.inf, self.sizes(y, y)
        for round_ in range(_ROUNDS + len(nodes)):
            slopes, left = (self.stages.inverse @ z) / h, np.zeros((len(nodes), size + len(self.rows)))
            for k, node in enumerate(nodes):
                lack = self._left(t + h * node, y + z[k], slopes[k], forces[k])
                if lack is None:
                    return None
                left[k] = lack
            left[:, :size] *= h
            change = np.zeros(left.shape)
            for part, factor in zip(self.stages.parts, factors, strict=True):
                one = lu_solve(factor, part.row @ left, check_finite=False)
                change -= part.share * np.real(np.outer(part.column, one))
            z, forces = z + change[:, :size], forces + change[:, size:] / h
            now = float(np.sqrt(np.mean((change[:, :size] / scale) ** 2)))
            if not np.isfinite(now):
                return None
            rate = now / before if round_ else 0.0
            if now < _NOTHING or (round_ and rate < 1 and rate / (1 - rate) * now < _CONVERGED):
                return z, forces
            if round_ > 1 and rate >= 1:  # the first change makes up for the guess of the multipliers alone
                return None
            before = now
        return None

    def _error(self, t: float, y: Array, h: float, z: Array, forces: Array, factor: Any) -> float:
        """What the polynomial lacks at the start and between the nodes, filtered: see `loop.between`."""
        from scipy.linalg import lu_solve

        whole, size, most = self.stages, self.size, np.zeros(self.size)
        places, slopes = whole.values(whole.looks) @ z, whole.slopes(whole.looks) @ z / h
        for k, (x, force) in enumerate(zip(whole.looks, whole.forces(whole.looks) @ forces, strict=True)):
            lack = self._left(t + x * h, y + places[k], slopes[k], force)
            if lack is None:
                return np.inf
            lack[:size] *= h
            off = lu_solve(factor, lack, check_finite=False)[:size]
            most = np.maximum(most, np.abs(off))
            if k > 0:
                off[np.abs(off) <= 4 * EPS * np.abs(y + places[k])] = 0.0  # rounding has no rate
                moving = np.concatenate([off[: self.n], self.mass @ off[self.n :], np.zeros(len(self.rows))])
                most = np.maximum(most, np.abs(lu_solve(factor, whole.rate * moving, check_finite=False)[:size]))
        return float(np.sqrt(np.mean((most / self.sizes(y, y + z[-1])) ** 2)))


def _independent(matrix: Array) -> tuple[NDArray[np.intp], bool]:
    """Rows that span all of them, by pivoted elimination of rows of unit length, and whether each is clearly one."""
    from scipy.linalg import qr

    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not lengths.any():
        return np.zeros(0, dtype=np.intp), True
    left, order = qr((matrix / np.where(lengths > 0, lengths, 1.0)).T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(left))
    return np.sort(order[: int((sizes > _DEPENDENT).sum())]), not ((sizes > _DEPENDENT) & (sizes < _LOST)).any()
