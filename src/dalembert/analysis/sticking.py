"""Balance where dry friction holds, on contacts that are kept: the forces, and how much of the friction they need.

    right(q, 0) + W^T mu + T^T tau = 0,   gap(q) = 0,   |tau_i| <= friction_i |mu_i|

T are the rows of the slips, W those of all other reactions, the normal ones of the contacts among them. Newton's method
in q, mu and tau together ends on the set of postures that some friction balances; the least share s with
|tau_i| <= s friction_i |mu_i| tells whether there is enough of it. Everything is measured in radians, lengths of the
machine and the largest work of its efforts over one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.resting import balanced, least_friction
from dalembert.dynamics import dynamics_of
from dalembert.expr import Expr, Matrix
from dalembert.kinematics import in_state
from dalembert.mechanism import Coulomb, Layout
from dalembert.mechanism.constraint import Constraint

Array = Any

_STEPS = 40
_STILL = 1e-13
"""A step shorter than this, in natural units, changes nothing."""
_BALANCED = 1e-9
"""What is left of a balance, as a share of the largest work of an effort: Newton leaves rounding."""
_ALIKE = 1e-9
"""Rows of length one that agree to this hold the same: rounding of a posture that is closed to 1e-12."""
_NONE = 1e-9
"""A force that is this share of the largest load is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """Forces at one posture: share of the friction that is needed, normal forces and frictions of the contacts.

    `unique`: mechanics determines them. `loaded`: every contact that rubs is pressed.
    """

    share: float
    normals: Array
    holds: list[Array]
    unique: bool
    loaded: bool


class Sticking:
    """The balance of a machine whose contacts stick, in numbers; configurations are columns.

    `layout`: the machine with perfect reactions instead of the friction of `contacts`.
    """

    def __init__(
        self, layout: Layout, contacts: Sequence[Constraint], numbers: Mapping[Expr, Any], units: Array
    ) -> None:
        self.layout, self.numbers, self.units = layout, dict(numbers), units
        self.dynamics = dynamics_of(layout)
        self.names = tuple(one.name for one in contacts)
        self.coordinates = [ex.symbol(x) for x in layout.state.coordinates]
        self.speeds = [ex.symbol(x) for x in layout.state.speeds]
        self.size = len(self.speeds)
        rows = self.dynamics.rows
        own = {x.coordinate: x.rate for x in rows.own}
        self.laws, self.slips, self.written = list[Expr](), list[list[Expr]](), list[tuple[Expr, ...]]()
        for one in contacts:
            assert isinstance(one.reaction, Coulomb)
            friction, *slip = in_state(self.dynamics.tree, [one.reaction.friction, *one.reaction.slip], own)
            self.laws.append(friction)
            self.slips.append(slip)
            self.written.append(one.reaction.slip)
        self.normal = [rows.of(one.name)[0] for one in contacts]
        self.work = 0.0

    @cached_property
    def _tables(self) -> list[Matrix]:
        """Efforts; their slopes with the forces; W; T; rows and gaps of places; directions; coefficients; M."""
        rows, n = self.dynamics.rows, self.size
        tangent = [list(row) for slip in self.slips for row in ex.jacobian(slip, self.speeds)]
        forces = [ex.symbol(f"force {k}") for k in range(len(rows) + len(tangent))]
        columns = [*zip(forces, [*map(list, rows.reaction.rows()), *tangent], strict=True)]
        right = list(self.dynamics.right_side)
        balance = [x + sum((s * row[j] for s, row in columns), ex.ZERO) for j, x in enumerate(right)]
        ways = Matrix(ex.jacobian(list(self.dynamics.rates), self.speeds), (len(self.coordinates), n))
        slope = Matrix(ex.jacobian(balance, self.coordinates), (n, len(self.coordinates))) @ ways
        placed = [k for k, gap in enumerate(rows.gap) if gap is not None]
        return [
            Matrix.column(right),
            slope,
            rows.reaction,
            Matrix(tangent, (len(tangent), n)),
            Matrix([list(rows.matrix.rows()[k]) for k in placed], (len(placed), n)),
            Matrix.column([rows.gap[k] or ex.ZERO for k in placed]),
            ways,
            Matrix.column(self.laws),
            self.dynamics.mass_matrix,
        ]

    @cached_property
    def _recipe(self) -> ex.Recipe:
        return ex.Recipe([x for m in self._tables for x in m.entries])

    def at(self, q: Array, forces: Array) -> list[Array]:
        """The tables at some configurations; the first axis counts them."""
        count = q.shape[1]
        here = {**self.numbers, **dict.fromkeys(self.speeds, 0.0), **dict(zip(self.coordinates, q, strict=True))}
        here |= {ex.symbol(f"force {k}"): x for k, x in enumerate(forces)}
        table, found, place = self._recipe(here, count), [], 0
        for m in self._tables:
            n = m.shape[0] * m.shape[1]
            found.append(table[:, place : place + n].reshape(count, *m.shape))
            place += n
        return found

    @property
    def forces(self) -> int:
        return len(self.dynamics.rows) + sum(map(len, self.slips))

    def measure(self, q: Array) -> None:
        """The largest work of an effort among some configurations is what a balance is measured by."""
        right, *_, ways, _, _ = self.at(q, np.zeros((self.forces, q.shape[1])))
        works = np.abs(right[:, :, 0]) * _reach(ways, self.units)
        self.work = max(self.work, float(works[np.isfinite(works).all(axis=1)].max(initial=0.0)))

    def _system(self, q: Array, forces: Array, fixed: Sequence[int]) -> tuple[Array, Array, Array, Array]:
        """Rows and what is left of them, without units, and what a step of each unknown is; `fixed` speeds stand."""
        right, slope, w, tangent, rows, gap, ways, _, _ = self.at(q, forces)
        count, n = len(right), self.size
        reach, work = _reach(ways, self.units), self.work or 1.0
        columns = np.concatenate([w, tangent], axis=1)
        push = columns * reach[:, None, :] / work
        sizes = np.maximum(np.linalg.norm(push, axis=2), 1e-300)
        balance = (right[:, :, 0] + np.einsum("kij,ki->kj", columns, forces.T)) * reach / work
        upper = [slope * reach[:, :, None] * reach[:, None, :] / work, np.swapaxes(push / sizes[:, :, None], 1, 2)]
        held = rows * reach[:, None, :]
        scale = np.maximum(np.linalg.norm(held, axis=2), 1e-300)
        held, left = held / scale[:, :, None], gap[:, :, 0] / scale
        still = np.zeros((count, len(fixed), n))
        still[:, range(len(fixed)), list(fixed)] = 1.0
        lower = np.concatenate([held, still], axis=1)
        none = np.zeros((count, lower.shape[1], columns.shape[1]))
        system = np.concatenate([np.concatenate(upper, axis=2), np.concatenate([lower, none], axis=2)], axis=1)
        value = np.concatenate([balance, left, np.zeros((count, len(fixed)))], axis=1)
        return system, value, np.concatenate([reach, 1 / sizes], axis=1), ways

    def settled(self, q: Array, unit: Any, fixed: Sequence[int] = ()) -> tuple[Array, Array]:
        """Configurations that some friction balances, the nearest that Newton's method finds; which are balanced."""
        forces, ok = self._first(q), np.ones(q.shape[1], dtype=bool)
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                system, value, scale, ways = self._system(q, forces, fixed)
                ok = np.isfinite(system).all(axis=(1, 2)) & np.isfinite(value).all(axis=1)
                step = np.zeros_like(scale)
                step[ok] = -np.einsum("kij,kj->ki", np.linalg.pinv(system[ok], rcond=1e-10), value[ok]) * scale[ok]
                change = np.einsum("kij,kj->ik", ways, step[:, : self.size])
                far = np.abs(change / self.units[:, None]).max(axis=0, initial=0.0)
                q = unit(np.where(ok, q + change / np.maximum(1.0, far), q))
                forces = forces + step[:, self.size :].T
                if not (far[ok] > _STILL).any():
                    break
            value = self._system(q, forces, fixed)[1]
            ok = np.isfinite(value).all(axis=1) & (np.abs(value) <= _BALANCED).all(axis=1)
        return q, ok

    def _first(self, q: Array) -> Array:
        """The least forces that leave least of a balance: from there postures are moved as little as can be."""
        none = np.zeros((self.forces, q.shape[1]))
        with np.errstate(all="ignore"):
            system, value, scale, _ = self._system(q, none, ())
        ok = np.isfinite(system).all(axis=(1, 2)) & np.isfinite(value).all(axis=1)
        push = system[ok][:, : self.size, self.size :]
        found = -np.einsum("kij,kj->ki", np.linalg.pinv(push, rcond=_ALIKE), value[ok][:, : self.size])
        none[:, ok] = (found * scale[ok][:, self.size :]).T
        return none

    def ways(self, q: Array) -> Array:
        """Speeds, in columns, that keep one configuration among those which some friction balances."""
        system, _, scale, _ = self._system(q[:, None], self._least(q)[1][:, None], ())
        _, s, vt = np.linalg.svd(system[0])
        rank = int((s > _ALIKE * s.max(initial=0.0)).sum())
        u, sizes, _ = np.linalg.svd(vt[rank:].T[: self.size], full_matrices=False)
        found: Array = scale[0, : self.size, None] * u[:, sizes > _ALIKE]
        return found

    def _least(self, q: Array) -> tuple[list[Array], Array, Array]:
        """The tables at one configuration, the least forces that balance it, and rows of forces without units."""
        tables = [x[0] for x in self.at(q[:, None], np.zeros((self.forces, 1)))]
        right, _, w, tangent, *_, ways, _, _ = tables
        reach = _reach(ways[None], self.units)[0]
        columns = np.concatenate([w, tangent]) * reach
        sizes = np.maximum(np.linalg.norm(columns, axis=1), 1e-300)
        rows = columns / sizes[:, None]
        found = np.linalg.lstsq(rows.T, -right[:, 0] * reach, rcond=_ALIKE)[0] / sizes
        return tables, found, rows

    def holding(self, q: Array, enough: bool = False) -> Holding:
        """The forces at one configuration that some friction balances; of many, those that need least friction.

        `enough` asks only whether the share is above one (then it is infinite) where mechanics leaves forces open.
        """
        (right, _, w, tangent, _, _, ways, laws, _), found, rows = self._least(q)
        reach = _reach(ways[None], self.units)[0]
        small = _NONE * max(self.work, 1e-300)
        normals, holds = found[self.normal], self._split(found[len(w) :])
        pressed = np.linalg.norm(w[self.normal] * reach, axis=1) * np.abs(normals) * (laws[:, 0] > 0) > small
        if self._determined(rows, len(w)):
            levers = self._split(np.linalg.norm(tangent * reach, axis=1))
            shares = [
                0.0 if (np.abs(h) * lever <= small).all() else np.linalg.norm(h) / max(mu * abs(x), 1e-300)
                for h, lever, mu, x in zip(holds, levers, laws[:, 0], normals, strict=True)
            ]
            return Holding(float(max(shares, default=0.0)), normals, holds, True, bool(pressed.all()))
        others, across = [k for k in range(len(w)) if k not in self.normal], self._split(tangent * reach)
        share = np.inf
        for signs in product((1.0, -1.0), repeat=len(self.normal)):
            pushed = np.array(signs)[:, None] * w[self.normal] * reach
            parts = (right[:, 0] * reach, pushed, across, laws[:, 0], w[others] * reach, small)
            if share > 1 and balanced(*parts) is not None:
                share = 1.0
            if share <= 1 and not enough:
                share = min(share, least_friction(*parts))
        return Holding(share, normals, holds, False, bool(pressed.all()))

    def _determined(self, rows: Array, reactions: int) -> bool:
        """Whether no forces of contacts are among those that do nothing together."""
        u, s, _ = np.linalg.svd(rows)
        nothing = u[:, int((s > _ALIKE * s.max(initial=0.0)).sum()) :]
        own = nothing[[*self.normal, *range(reactions, len(rows))]]
        return bool((np.abs(own) <= np.sqrt(_ALIKE)).all())

    def takes_more_power(self, q: Array) -> bool:
        """Does friction with force to spare stop every small motion? Each one slips, and slips change no normal force.

        Then the power of the efforts, -sum tau . slip, is less than what friction takes, sum friction |mu| |slip|,
        and kinetic energy falls to zero in a time and on a way as short as it was small.
        """
        (_, _, w, tangent, *_, ways, _, mass), *_ = self._least(q)
        reach = _reach(ways[None], self.units)[0]
        rows = np.array(ex.evaluate(list(self.dynamics.rows.matrix.entries), self._here(q)), dtype=float)
        rows = rows.reshape(w.shape)
        if not np.allclose(rows, w, rtol=0, atol=_ALIKE * np.abs(rows).max(initial=0.0)):
            return False
        both = np.concatenate([rows, tangent]) * reach
        both = both / np.maximum(np.linalg.norm(both, axis=1), 1e-300)[:, None]
        if np.linalg.matrix_rank(both, tol=_ALIKE) < self.size:
            return False
        root = np.linalg.cholesky(mass)
        a, b = (np.linalg.solve(root, x.T) for x in (rows, tangent))
        sizes = [np.maximum(np.linalg.norm(x, axis=0), 1e-300) for x in (a, b)]
        return bool((np.abs((a / sizes[0]).T @ (b / sizes[1])) <= _ALIKE).all())

    def _here(self, q: Array) -> dict[Expr, Any]:
        still = dict.fromkeys(self.speeds, 0.0)
        return {**self.numbers, **still, **dict(zip(self.coordinates, map(float, q), strict=True))}

    def reactions(self, q: Array) -> Array:
        """The least forces of all rows that balance a configuration."""
        found: Array = self._least(q)[1][: len(self.dynamics.rows)]
        return found

    def _split(self, rows: Array) -> list[Array]:
        ends = np.cumsum([len(slip) for slip in self.slips])
        return np.split(rows, ends[:-1]) if len(ends) else []


def _reach(ways: Array, units: Array) -> Array:
    """How much of each speed moves a coordinate by a radian or a length of the machine."""
    found: Array = 1 / np.maximum((np.abs(ways) / units[:, None]).max(axis=1, initial=0.0), 1e-300)
    return found
