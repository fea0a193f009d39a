"""Small motions of a machine with constraints, in as many independent coordinates as it has freedoms, in numbers.

At a state, B spans the speeds that the rows allow (G B = 0) with unit rows for the independent speeds v. Accelerations
a with v' = 0 and G a = gamma, and the multipliers that hold them, make the state part of a steady motion if

    residual = N^T (M a - h) = 0                                       h = S + F

where N spans the motions in which reactions have no power (W N = 0): it is B for perfect ones, and N^T M B = B^T M B
always. Small deviations, with every derivative taken along the constraints (of M a, W^T lambda, gamma and G a too),
obey

    M_r dv' + C_r dv + K_r dx = 0,    dx' = A dx + R dv,    M_r = B^T M B

Coordinates deviate along the postures that the position conditions allow, dx; conditions on speeds leave them alone, so
that there may be more of them than speeds. Without such conditions A = 0 and R = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.allowed import Allowed, allowed_speeds
from dalembert.constraints.independence import independent
from dalembert.dynamics import Dynamics
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix

Array = Any

#: Share of what a number is made of that is rounding: some tens of operations of a bit each.
_ROUNDING = 64 * 2.0**-52


@dataclass(frozen=True, slots=True)
class Small:
    """Small motions about one state: matrices of the module's formula; `independent` are places of v among the speeds.

    `speeds` and `accelerations` are those of all speeds in the motion; `tangent` is B, `posture` that of the position
    conditions alone; `leading` are the places of the speeds that move the coordinates x, `turning` is A, `following` R.
    """

    independent: tuple[int, ...]
    leading: tuple[int, ...]
    mass: Array
    damping: Array
    stiffness: Array
    inputs: Array
    residual: Array
    tangent: Array
    posture: Array
    speeds: Array
    accelerations: Array
    turning: Array
    following: Array

    @property
    def state_matrix(self) -> Array:
        """Of (dx, dv)."""
        d, size = len(self.independent), len(self.leading)
        lower = -np.linalg.solve(self.mass, np.hstack([self.stiffness, self.damping])) if d else np.zeros((0, size))
        return np.vstack([np.hstack([self.turning, self.following]), lower])

    @property
    def units(self) -> tuple[Array, Array]:
        """Of the balance and of the coordinates: masses of the speeds that move them, where each has one."""
        scale = 1 / np.sqrt(np.abs(np.diag(self.mass)))
        own = dict(zip(self.independent, scale, strict=True))
        return scale, np.array([own.get(i, 1.0) for i in self.leading])

    @property
    def metric(self) -> Array:
        """Stiffness in units of mass: its eigenvalues are squares of frequencies."""
        rows, columns = self.units
        return rows[:, None] * self.stiffness * columns

    def inverse(self, least: float) -> Array:
        """Of the stiffness, without the directions in which it is less than this share of the largest."""
        rows, columns = self.units
        found: Array = columns[:, None] * np.linalg.pinv(self.metric, rcond=least) * rows
        return found

    @property
    def load(self) -> float:
        """What is out of balance, in units of mass."""
        return float(np.linalg.norm(self.units[0] * self.residual))


class Reduction:
    """What small motions need of a machine, as expressions; `inputs` are parameters that may vary."""

    def __init__(self, dynamics: Dynamics, inputs: Sequence[str] = ()) -> None:
        self.dynamics = dynamics
        self.inputs = tuple(inputs)
        self._recipes: dict[tuple[Expr, ...], ex.Recipe] = {}
        self.coordinates = [ex.symbol(x) for x in dynamics.state.coordinates]
        self.speeds = [ex.symbol(x) for x in dynamics.state.speeds]
        self.right = list(dynamics.right_side)
        self.rows = dynamics.rows
        refused = sorted({*self.rows.sliding, *self.rows.bent, *self.rows.implied})
        if refused and refused[0] in self.rows.implied:
            raise ModelError(
                f"small motions of '{dynamics.model.name}' are not told: its laws are kept through hidden conditions "
                f"(index {max(dynamics.index.values())}), which only `linearize` follows, at a state."
            )
        if refused:
            why = (
                "dry friction has no slope where it sticks"
                if refused[0] in self.rows.sliding
                else ("its condition is not linear in the speeds")
            )
            raise ModelError(
                f"small motions of '{dynamics.model.name}' are not told: constraint "
                f"'{self.rows.owners[refused[0]]}' is in their way, {why}. "
                "`linearize` tells them at a state in which it moves."
            )

    @cached_property
    def directions(self) -> Matrix:
        """How coordinates move for a unit of each speed."""
        rates = list(self.dynamics.rates)
        return Matrix(ex.jacobian(rates, self.speeds), (len(rates), len(self.speeds)))

    @cached_property
    def _first(self) -> list[Matrix]:
        """M, h, G, gamma, conditions, which rows count (the verdict of the one solver, not another one), and W."""
        rows = self.rows
        mass = self.dynamics.mass_matrix
        told = (self.right, rows.gamma, rows.conditions, independent(rows, mass))
        columns = [Matrix.column(list(x)) for x in told]
        return [mass, columns[0], rows.matrix, *columns[1:], rows.reaction]

    @cached_property
    def _held(self) -> tuple[list[Expr], list[Expr]]:
        return (
            [ex.symbol(f"held {i}") for i in range(len(self.speeds))],
            [ex.symbol(f"multiplier {i}") for i in range(len(self.rows))],
        )

    @cached_property
    def _second(self) -> list[Matrix]:
        """Derivatives of h - M a + W^T lambda, gamma - G a and the conditions, along directions and by the speeds."""
        a, multipliers = (Matrix.column(x) for x in self._held)
        mass, right, g, gamma, conditions, *_ = self._first
        reactions = self.rows.efforts_of(multipliers.entries) if len(self.rows) else [ex.ZERO] * len(a.entries)
        balance = right - mass @ a + Matrix.column(reactions)
        bent = gamma - g @ a
        found = []
        for column in (balance, bent, conditions):
            along = self._jacobian(column, self.coordinates) @ self.directions
            found += [along, self._jacobian(column, self.speeds)]
        return [*found, self._jacobian(balance, [ex.symbol(x) for x in self.inputs])]

    def _jacobian(self, column: Matrix, variables: Sequence[Expr]) -> Matrix:
        exprs = list(column.entries)
        rows = ex.jacobian(exprs, variables) if exprs and variables else [[] for _ in exprs]
        return Matrix(rows, (len(exprs), len(variables)))

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether time changes the machine itself: its efforts, its mass matrix or what closes it.

        A spring to the centre of what a drive turns does not: its formula has the time, its slope by it cancels.
        """
        gaps = [x for x in self.rows.gap if x is not None]
        used = [*self.right, *self.dynamics.mass_matrix.entries, *self.rows.conditions, *self.dynamics.rates, *gaps]
        timed = [x for x in used if ex.TIME in ex.free_symbols([x])]
        return any(x is not ex.ZERO for x in ex.reduce(ex.tangent(timed, {ex.TIME: ex.ONE})))

    def arrays(self, matrices: Sequence[Matrix], numbers: Mapping[Expr, Any], count: int) -> list[Array]:
        """Matrices at several states: the first axis counts them."""
        asked = tuple(x for m in matrices for x in m.entries)
        if asked not in self._recipes:
            self._recipes[asked] = ex.Recipe(asked)
        table = self._recipes[asked](numbers, count)
        found, place = [], 0
        for m in matrices:
            size = m.shape[0] * m.shape[1]
            found.append(table[:, place : place + size].reshape(count, *m.shape))
            place += size
        return found

    def at(
        self,
        numbers: Mapping[Expr, Any],
        coordinates: Array,
        speeds: Mapping[str, float],
        wanted: Sequence[str] = (),
    ) -> list[Small]:
        """Small motions at configurations in the columns of `coordinates`.

        The independent speeds have the values `speeds` (zero unless said); those `wanted`, in their order, are
        independent if they can be.
        """
        names = self.dynamics.state.speeds
        count = coordinates.shape[1]
        here = {**numbers, **dict(zip(self.coordinates, coordinates, strict=True))}
        resting = {**here, **dict.fromkeys(self.speeds, 0.0)}
        mass, _, g, _, drift, counts, _ = self.arrays(self._first, resting, count)
        g = g * counts
        order = [*(names.index(x) for x in wanted if x in names), *self._plain]
        bases = [allowed_speeds(m, rows, order) for m, rows in zip(mass, g, strict=True)]
        placed = [k for k, gap in enumerate(self.rows.gap) if gap is not None]
        whole = len(placed) == len(self.rows)
        postures = bases if whole else [allowed_speeds(m, rows[placed], order) for m, rows in zip(mass, g, strict=True)]
        asked = np.array([float(speeds.get(x, 0.0)) for x in names])
        u = np.array([base.speeds(asked, d[:, 0]) for base, d in zip(bases, drift, strict=True)]).reshape(count, -1)
        moving = {**here, **dict(zip(self.speeds, u.T, strict=True))}
        mass, right, g, gamma, _, counts, pushed = self.arrays(self._first, moving, count)
        g, pushed = g * counts, pushed * counts
        if self.rows.pushed:
            parts = zip(bases, mass, g, pushed, strict=True)
            bases = [base.pushed_by(m, rows, others) for base, m, rows, others in parts]
        a = np.array([base.follow(c[:, 0]) for base, c in zip(bases, gamma, strict=True)]).reshape(count, -1)
        needed = np.einsum("sij,sj->si", mass, a) - right[..., 0]
        pairs = zip(bases, pushed, needed, strict=True)
        multipliers = np.array([base.multipliers(rows, x) for base, rows, x in pairs]).reshape(count, -1)
        inertia = np.sqrt(np.abs(np.einsum("sii->si", mass)))
        carried = np.abs(multipliers) * np.linalg.norm(pushed / inertia[:, None, :], axis=2)
        multipliers[carried <= _ROUNDING * np.linalg.norm(needed / inertia, axis=1)[:, None]] = 0.0
        held = {**dict(zip(self._held[0], a.T, strict=True)), **dict(zip(self._held[1], multipliers.T, strict=True))}
        slopes = self.arrays(self._second, {**moving, **held}, count)
        return [
            _small(base, mass[k], needed[k], u[k], a[k], [m[k] for m in slopes], postures[k])
            for k, base in enumerate(bases)
        ]

    @cached_property
    def _plain(self) -> list[int]:
        """Speeds that are rates of coordinates first: they make independent coordinates with names of their own.

        Beside conditions on speeds, rates of coordinates that nothing depends on come last: a wheel that turns in a
        circle has a constant lean, and the velocity of its centre, which changes, follows.
        """
        plain = [i for i, u in enumerate(self.speeds) if any(ex.prime(x) is u for x in self.coordinates)]
        order = [*plain, *(i for i in range(len(self.speeds)) if i not in plain)]
        if not self.kinematic:
            return order
        mass, right, *rest = self._first
        used = ex.free_symbols([x for m in (mass, right, *rest) for x in m.entries])
        used |= ex.free_symbols([x for x in self.rows.gap if x is not None])
        idle = {ex.prime(x) for x in self.coordinates if x not in used}
        return sorted(order, key=lambda i: self.speeds[i] in idle)

    @property
    def kinematic(self) -> bool:
        """Are there conditions on speeds?"""
        return any(gap is None for gap in self.rows.gap)

    def coordinate_names(self, small: Small) -> tuple[str, ...]:
        """Names of the independent coordinates: those whose rates v are, else the integral of the speed."""
        rates = {ex.prime(x): x.name for x in self.coordinates}
        speeds = [self.speeds[i] for i in small.leading]
        return tuple(rates.get(u, f"integral of {u.name}") for u in speeds)


def _small(
    base: Allowed, mass: Array, needed: Array, u: Array, a: Array, slopes: Sequence[Array], posture: Allowed
) -> Small:
    along, by_speed, bent, bent_by_speed, skew, _, inputs = slopes
    b, x = _cleaned(base, mass), _cleaned(posture, mass)
    n = (b if base.powerless is base.tangent else base.powerless).T
    turned = base.follow(-(skew @ x))  # how all speeds change with the posture at constant v
    still, moving = base.follow(bent @ x + bent_by_speed @ turned), base.follow(bent_by_speed @ b)
    stiff = _told(n, along @ x + by_speed @ turned - mass @ still, _sum((along, x), (by_speed, turned), (mass, still)))
    damp = _told(n, by_speed @ b - mass @ moving, _sum((by_speed, b), (mass, moving)))
    reduced, lead = b.T @ mass @ b, list(posture.independent)
    return Small(
        base.independent,
        posture.independent,
        (reduced + reduced.T) / 2,
        -damp,
        -stiff,
        n @ inputs,
        _told(n, needed, np.abs(needed)),
        b,
        x,
        u,
        a,
        turned[lead],
        b[lead],
    )


def _sum(*products: tuple[Array, Array]) -> Array:
    """The size of what a sum of products is made of."""
    found: Array = sum(np.abs(a) @ np.abs(b) for a, b in products)
    return found


def _told(n: Array, value: Array, size: Array) -> Array:
    """n value, without entries that are rounding of what they are made of."""
    found: Array = n @ value
    return np.where(np.abs(found) <= _ROUNDING * (np.abs(n) @ size), 0.0, found)


def _cleaned(base: Allowed, mass: Array) -> Array:
    """Allowed motions without entries that are rounding of the others, each in the unit of its mass."""
    unit = np.sqrt(np.abs(np.diag(mass)))
    size = np.abs(base.tangent) * unit[:, None]
    return np.where(size <= _ROUNDING * size.max(axis=0, initial=0.0), 0.0, base.tangent)
