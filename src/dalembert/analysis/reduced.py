"""Small motions of a machine with constraints, in as many independent coordinates as it has freedoms, in numbers.

At a state, B spans the speeds that the rows allow (G B = 0) with unit rows for the independent speeds v. Accelerations
a with v' = 0 and G a = gamma, and the multipliers that hold them, make the state part of a steady motion if

    residual = B^T (M a - h) = 0                                       h = S + F

Its small deviations, with every derivative taken along the constraints (of M a, G^T lambda, gamma and G a too), obey

    M_r dv' + C_r dv + K_r dpi = 0,    dpi' = dv,    M_r = B^T M B
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.independence import independent
from dalembert.dynamics import Dynamics
from dalembert.errors import SingularError
from dalembert.expr import Expr, Matrix

Array = Any

#: Rows that agree to this share of their size ask for one thing: postures are closed to 1e-10, rounding adds little.
_ALIKE = 1e-8
#: A named or earlier speed is taken as independent unless another leads the rest of the motion this much better.
_BETTER = 10.0


@dataclass(frozen=True, slots=True)
class Small:
    """Small motions about one state: matrices of the module's formula; `independent` are places of v among the speeds.

    `speeds` and `accelerations` are those of all speeds in the motion; `tangent` is B.
    """

    independent: tuple[int, ...]
    mass: Array
    damping: Array
    stiffness: Array
    inputs: Array
    residual: Array
    tangent: Array
    speeds: Array
    accelerations: Array

    @property
    def state_matrix(self) -> Array:
        """A of x' = A x, x = (dpi, dv)."""
        d = len(self.independent)
        lower = -np.linalg.solve(self.mass, np.hstack([self.stiffness, self.damping])) if d else np.zeros((0, 0))
        return np.vstack([np.hstack([np.zeros((d, d)), np.eye(d)]), lower]) if d else lower


class Reduction:
    """What small motions need of a machine, as expressions; `inputs` are parameters that may vary."""

    def __init__(self, dynamics: Dynamics, inputs: Sequence[str] = ()) -> None:
        self.dynamics = dynamics
        self.inputs = tuple(inputs)
        self.coordinates = [ex.symbol(x) for x in dynamics.state.coordinates]
        self.speeds = [ex.symbol(x) for x in dynamics.state.speeds]
        self.right = list(dynamics.right_side)
        self.rows = dynamics.rows

    @cached_property
    def directions(self) -> Matrix:
        """How coordinates move for a unit of each speed."""
        rates = list(self.dynamics.rates)
        return Matrix(ex.jacobian(rates, self.speeds), (len(rates), len(self.speeds)))

    @cached_property
    def _first(self) -> list[Matrix]:
        """M, h, G, gamma, conditions, and which rows count: the verdict of the one solver, not another one."""
        rows = self.rows
        columns = [Matrix.column(list(x)) for x in (self.right, rows.gamma, rows.conditions, independent(rows))]
        return [self.dynamics.mass_matrix, columns[0], rows.matrix, *columns[1:]]

    @cached_property
    def _held(self) -> tuple[list[Expr], list[Expr]]:
        return (
            [ex.symbol(f"held {i}") for i in range(len(self.speeds))],
            [ex.symbol(f"multiplier {i}") for i in range(len(self.rows))],
        )

    @cached_property
    def _second(self) -> list[Matrix]:
        """Derivatives of h - M a + G^T lambda, gamma - G a and the conditions, along directions and by the speeds."""
        a, multipliers = (Matrix.column(x) for x in self._held)
        mass, right, g, gamma, conditions, _ = self._first
        balance = (
            right - mass @ a + (g.T @ multipliers if len(self.rows) else Matrix.column([ex.ZERO] * len(a.entries)))
        )
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
        """Whether time changes the machine itself: its efforts, its mass matrix or what closes it."""
        gaps = [x for x in self.rows.gap if x is not None]
        used = [*self.right, *self.dynamics.mass_matrix.entries, *self.rows.conditions, *self.dynamics.rates, *gaps]
        return ex.TIME in ex.free_symbols(used)

    def arrays(self, matrices: Sequence[Matrix], numbers: Mapping[Expr, Any], count: int) -> list[Array]:
        """Matrices at several states: the first axis counts them."""
        flat = ex.evaluate([x for m in matrices for x in m.entries], numbers)
        table = np.array([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in flat]).reshape(-1, count)
        found, place = [], 0
        for m in matrices:
            size = m.shape[0] * m.shape[1]
            found.append(table[place : place + size].T.reshape(count, *m.shape))
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

        The independent speeds have the values `speeds` (zero unless said); those named and `wanted` are independent if
        they can be.
        """
        names = self.dynamics.state.speeds
        count = coordinates.shape[1]
        here = {**numbers, **dict(zip(self.coordinates, coordinates, strict=True))}
        resting = {**here, **dict.fromkeys(self.speeds, 0.0)}
        mass, _, g, _, drift, counts = self.arrays(self._first, resting, count)
        g = g * counts
        order = [names.index(x) for x in (*speeds, *wanted) if x in names]
        bases = [_allowed(m, rows, [*order, *self._plain]) for m, rows in zip(mass, g, strict=True)]
        asked = np.array([float(speeds.get(x, 0.0)) for x in names])
        u = np.array([base.speeds(asked, d[:, 0]) for base, d in zip(bases, drift, strict=True)]).reshape(count, -1)
        moving = {**here, **dict(zip(self.speeds, u.T, strict=True))}
        mass, right, g, gamma, _, counts = self.arrays(self._first, moving, count)
        g = g * counts
        a = np.array([base.follow(c[:, 0]) for base, c in zip(bases, gamma, strict=True)]).reshape(count, -1)
        needed = np.einsum("sij,sj->si", mass, a) - right[..., 0]
        pairs = zip(bases, g, needed, strict=True)
        multipliers = np.array([base.multipliers(rows, x) for base, rows, x in pairs]).reshape(count, -1)
        held = {**dict(zip(self._held[0], a.T, strict=True)), **dict(zip(self._held[1], multipliers.T, strict=True))}
        slopes = self.arrays(self._second, {**moving, **held}, count)
        return [base.small(mass[k], needed[k], u[k], a[k], [m[k] for m in slopes]) for k, base in enumerate(bases)]

    @cached_property
    def _plain(self) -> list[int]:
        """Speeds that are rates of coordinates first: they make independent coordinates with names of their own."""
        plain = [i for i, u in enumerate(self.speeds) if any(ex.prime(x) is u for x in self.coordinates)]
        return [*plain, *(i for i in range(len(self.speeds)) if i not in plain)]

    def coordinate_names(self, small: Small) -> tuple[str, ...]:
        """Names of the independent coordinates: those whose rates v are, else the integral of the speed."""
        rates = {ex.prime(x): x.name for x in self.coordinates}
        speeds = [self.speeds[i] for i in small.independent]
        return tuple(rates.get(u, f"integral of {u.name}") for u in speeds)


@dataclass(frozen=True, slots=True)
class _Allowed:
    """Speeds that rows allow: B, the independent ones, and the rows' columns of the others."""

    tangent: Array
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: Array

    def follow(self, wanted: Array) -> Array:
        """Change of all speeds with G change = wanted, none of the independent ones."""
        found = np.zeros((self.tangent.shape[0], *wanted.shape[1:]))
        if self.dependent and len(self.rows):
            scale = _sizes(self.rows)
            found[list(self.dependent)] = np.linalg.lstsq(
                self.rows[:, list(self.dependent)] / scale[:, None], (wanted.T / scale).T, rcond=_ALIKE
            )[0]
        return found

    def speeds(self, asked: Array, drift: Array) -> Array:
        found: Array = self.tangent @ asked[list(self.independent)] + self.follow(-drift)
        return found

    def multipliers(self, rows: Array, needed: Array) -> Array:
        """lambda with G^T lambda = needed, but for efforts on the independent speeds; of several, the least."""
        if not len(rows):
            return np.zeros(0)
        left = needed.copy()
        left[list(self.independent)] -= self.tangent.T @ needed
        scale = _sizes(rows)
        found: Array = np.linalg.lstsq((rows / scale[:, None]).T, left, rcond=_ALIKE)[0] / scale
        return found

    def small(self, mass: Array, needed: Array, u: Array, a: Array, slopes: Sequence[Array]) -> Small:
        along, by_speed, bent, bent_by_speed, skew, _, inputs = slopes
        b = self.tangent
        turned = self.follow(-(skew @ b))  # how all speeds change with the posture at constant v
        stiff = along @ b + by_speed @ turned - mass @ self.follow(bent @ b + bent_by_speed @ turned)
        damp = by_speed @ b - mass @ self.follow(bent_by_speed @ b)
        reduced = b.T @ mass @ b
        return Small(
            self.independent, (reduced + reduced.T) / 2, -b.T @ damp, -b.T @ stiff, b.T @ inputs, b.T @ needed, b, u, a
        )


def _sizes(rows: Array) -> Array:
    size = np.linalg.norm(rows, axis=1)
    return np.where(size > 0, size, 1.0)


def _allowed(mass: Array, rows: Array, order: Sequence[int]) -> _Allowed:
    """Independent speeds in the given order, unless a later one leads much better; sizes in the kinetic metric."""
    n = len(mass)
    weight = np.diag(mass)
    unit = 1 / np.sqrt(np.where(weight > 0, weight, 1.0))
    scaled = rows * unit
    _, s, vt = np.linalg.svd(scaled / _sizes(scaled)[:, None]) if len(rows) and n else (0, np.zeros(0), np.eye(n))
    rank = int((s > _ALIKE * s.max(initial=0.0)).sum())
    left = vt[rank:].T.copy()  # rows are speeds, columns allowed motions
    basis, chosen = left.copy(), list[int]()
    for _ in range(n - rank):
        size = np.linalg.norm(left, axis=1)
        best = size.max()
        pick = next(i for i in order if size[i] * _BETTER >= best and i not in chosen)
        way = left[pick] / size[pick]
        left = left - np.outer(left @ way, way)
        chosen.append(pick)
    if chosen and not np.linalg.cond(basis[chosen]) < 1 / _ALIKE:
        raise SingularError("no independent speeds were found in this posture: it is singular. Choose another one.")
    tangent = (unit[:, None] * basis) @ np.linalg.inv(unit[chosen, None] * basis[chosen])
    return _Allowed(tangent, tuple(chosen), tuple(i for i in range(n) if i not in chosen), rows)
