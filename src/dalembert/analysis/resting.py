"""Equilibria of machines with contacts: efforts, reactions and contact forces balance, no gap is crossed, none pulls.

    right(q, 0) + W^T mu + G^T lambda + T^T tau = 0,   0 <= f(q)  orthogonal to  lambda >= 0,   |tau| <= friction lambda

Newton's method on the contacts that touch or would be crossed, which it exchanges as it goes (a semismooth Newton
method). Where friction can hold a machine, equilibria form sets: of each family the member that a search reaches is
told, and how much of its friction it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.contact.rows import SLIDING, contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix
from dalembert.expr.magnitude import magnitude
from dalembert.expr.space import dot3
from dalembert.mechanism import Layout
from dalembert.mechanism.constraint import Constraint, Holonomic

Array = Any

_PASSES = 60
"""Newton steps: quadratic near the end, the rest of them for exchanges of contacts."""
_STILL = 1e-13
"""A step shorter than this, in radians or lengths of the machine, changes nothing."""
_TOUCHES = 1e-9
"""A gap within this share of the machine's length touches."""
_BALANCED = 1e-9
"""What is left of a balance, as a share of the forces met in the search."""
_REGULAR = 1e8
"""Condition of the mass matrix, its diagonal made one, from which on the coordinates are singular."""
_SIDES = 8
"""Directions of friction to begin with; more are added where a force wants them (columns of a cone)."""

_ALIKE = 1e-9
"""Rows of length one that agree to this (a sine: no unit) hold the same: rounding of a posture closed to 1e-12."""
_PUSHES = 1e-7
"""Share of the largest effort of the machine below which a contact does not push: what a search leaves of balance."""


@dataclass(frozen=True)
class Held:
    """Contact forces of an equilibrium: by name, normal and tangential parts; how much of its friction it needs.

    `usual` is the stiffness over mass that its forces make over a length of the machine: what is far less is none.
    """

    touching: tuple[int, ...]
    forces: Mapping[str, tuple[float, ...]]
    strict: bool
    unique: bool
    friction: float
    usual: float
    grips: bool = False


class Resting:
    """The balance of one machine with contacts in numbers."""

    def __init__(self, layout: Layout, numbers: Mapping[Expr, Any], units: Array, length: float) -> None:
        self.layout, self.numbers, self.units, self.length = layout, dict(numbers), units, length
        self.dynamics = dynamics_of(layout)
        self.contacts = contact_rows(self.dynamics)
        self.names = tuple(one.name for one in self.contacts)
        for one in self.contacts:
            if any(slip.kind != SLIDING for slip in one.slips):
                raise ModelError(
                    f"contact '{one.name}' resists rolling or drilling: equilibria that such moments hold are not "
                    "looked for. Leave `rolling` and `drilling` out, or let it come to rest by `simulate`."
                ).of([one.name])
        self.coordinates = [ex.symbol(x) for x in layout.state.coordinates]
        self.still = dict.fromkeys((ex.symbol(x) for x in layout.state.speeds), 0.0)
        self.size = len(layout.state.speeds)
        self.pressed = [i for i, one in enumerate(self.contacts) if one.press is not None]
        self._highest = 0.0

    @cached_property
    def _slips(self) -> list[tuple[int, tuple[Expr, ...]]]:
        """Tangents of the contacts that rub, with the place of their contact."""
        return [(i, slip.row) for i, one in enumerate(self.contacts) for slip in one.slips]

    @cached_property
    def _tables(self) -> list[Matrix]:
        """Balance and its slope along the speeds; gaps, normals, tangents; conditions of position; directions."""
        about, rows = self.dynamics, self.dynamics.rows
        pushes = [ex.symbol(f"push {i}") for i in range(len(self.contacts))]
        rubs = [ex.symbol(f"rub {k}") for k in range(len(self._slips))]
        holds = [ex.symbol(f"hold {k}") for k in range(len(rows))]
        normal = [list(one.row) for one in self.contacts]
        tangent = [list(row) for _, row in self._slips]
        unknown = [*holds, *pushes, *rubs]
        columns = [*zip(unknown, [*map(list, rows.reaction.rows()), *normal, *tangent], strict=True)]
        balance = [x + sum((s * row[j] for s, row in columns), ex.ZERO) for j, x in enumerate(about.right_side)]
        directions = ex.jacobian(list(about.rates), [ex.symbol(x) for x in self.layout.state.speeds])
        slope = Matrix(ex.jacobian(balance, self.coordinates), (self.size, len(self.coordinates)))
        ways = Matrix(directions, (len(self.coordinates), self.size))
        some = [list(row) for row, gap in zip(rows.matrix.rows(), rows.gap, strict=True) if gap is not None]
        closure = [gap for gap in rows.gap if gap is not None]
        laws = [
            (one.contact.static or one.contact.friction) if one.press is None else one.press for one in self.contacts
        ]
        return [
            Matrix.column(balance),
            slope @ ways,
            Matrix.column([one.gap for one in self.contacts]),
            Matrix(normal, (len(normal), self.size)),
            Matrix(tangent, (len(tangent), self.size)),
            Matrix(some, (len(some), self.size)),
            Matrix.column(closure),
            ways,
            Matrix([list(row) for row in rows.reaction.rows()], (len(rows), self.size)),
            Matrix.column(laws),
            about.mass_matrix,
        ]

    def _at(self, q: Array, forces: Array) -> list[Array]:
        """The tables at one configuration, with contact forces and multipliers."""
        count, rubbing = len(self.contacts), len(self._slips)
        here = {**self.numbers, **self.still, **dict(zip(self.coordinates, map(float, q), strict=True))}
        names = [f"hold {k}" for k in range(len(forces) - count - rubbing)]
        names += [f"push {i}" for i in range(count)] + [f"rub {k}" for k in range(rubbing)]
        here |= {ex.symbol(name): float(x) for name, x in zip(names, forces, strict=True)}
        flat, found, place = ex.evaluate([x for m in self._tables for x in m.entries], here), [], 0
        for m in self._tables:
            n = m.shape[0] * m.shape[1]
            found.append(np.array(flat[place : place + n], dtype=float).reshape(m.shape))
            place += n
        return found

    def reach(self, q: Array) -> float:
        """How far the contacts are there, over their slopes, as a length; rounding of what gaps are made of is none."""
        here = {**self.numbers, **self.still, **dict(zip(self.coordinates, map(float, q), strict=True))}
        gaps = [one.gap for one in self.contacts]
        told = ex.evaluate([*gaps, *magnitude(gaps), *(x for one in self.contacts for x in one.row)], here)
        away, made_of, rows = np.split(np.abs(np.array(told, dtype=float)), [len(gaps), 2 * len(gaps)])
        slopes = rows.reshape(len(gaps), self.size).max(axis=1, initial=0.0)
        away = np.where(away > _TOUCHES * made_of, away, 0.0)
        return float((away / np.where(slopes > 0, slopes, 1.0)).max(initial=0.0))

    def size_of_bodies(self) -> float:
        """The largest radius of inertia or distance of a frame drawn on a body: a length where no joint tells one."""
        model = self.layout.model
        places = [frame.displacement.translation for frame in model.frames.values()]
        lengths = [ex.sqrt(dot3(v, v)) for v in places]
        for body in model.bodies.values():
            inertia = (body.inertia.xx, body.inertia.yy, body.inertia.zz) if body.mass is not ex.ZERO else ()
            lengths += [ex.sqrt(j / body.mass) for j in inertia]
        with np.errstate(all="ignore"):
            found = np.array(ex.evaluate(lengths, self.numbers), dtype=float)
        return float(found[np.isfinite(found)].max(initial=0.0))

    def settled(self, q: Array, first: Collection[int], unit: Callable[[Array], Array]) -> tuple[Array, Held] | None:
        """The equilibrium that Newton's method reaches from q with the contacts `first` closed, if it reaches one.

        Where friction holds it as it is, nothing is moved: postures beside it are others of the same set.
        """
        as_it_is = self._verified(q, 0.0)
        if as_it_is is not None and as_it_is[1].friction and not self.pressed:
            return as_it_is
        holds, count, n = len(self.dynamics.rows), len(self.contacts), self.size
        forces, strongest = np.zeros(holds + count + len(self._slips)), 0.0
        for number in range(_PASSES):
            balance, slope, gap, normal, tangent, rows, closure, ways, pushes, *_ = self._at(q, forces)
            if not all(np.isfinite(x).all() for x in (balance, slope, gap, normal)):
                return None
            alone = balance[:, 0] - np.concatenate([pushes, normal, tangent]).T @ forces
            strongest = max(strongest, float(np.abs(alone).max(initial=0.0)))
            scale = (strongest or 1.0) / self.length
            active = [i for i in range(count) if gap[i, 0] < forces[holds + i] / scale or (i in first and not number)]
            active = [i for i in active if i not in self.pressed]  # joints that grip do so where they come to rest
            rubbing = [k for k, (i, _) in enumerate(self._slips) if i in active]
            columns = np.concatenate([pushes, normal[active], tangent[rubbing]])
            held = np.concatenate([rows, normal[active]])
            wanted = -np.concatenate([closure[:, 0], gap[active, 0]])
            system = np.block([[slope, columns.T], [held, np.zeros((len(held), len(columns)))]])
            right = np.concatenate([-alone, wanted])
            weight = np.concatenate([np.full(n, 1 / (strongest or 1.0)), np.full(len(held), 1 / self.length)])
            unknown = np.concatenate([np.full(n, self.length), np.full(len(columns), strongest or 1.0)])
            found = unknown * np.linalg.lstsq(weight[:, None] * system * unknown, weight * right, rcond=1e-10)[0]
            change = ways @ found[:n]
            size = float(np.abs(change / self.units).max(initial=0.0))
            q = unit((q + change * min(1.0, 1.0 / max(size, 1e-300)))[:, None])[:, 0]
            new = np.zeros_like(forces)
            new[[*range(holds), *(holds + i for i in active), *(holds + count + k for k in rubbing)]] = found[n:]
            forces = new
            if size <= _STILL:
                break
        return self._verified(q, strongest or 1.0) or as_it_is

    def _verified(self, q: Array, strongest: float) -> tuple[Array, Held] | None:
        """Is it one? Gaps, closure, and forces that balance within their cones."""
        none = np.zeros(len(self.dynamics.rows) + len(self.contacts) + len(self._slips))
        balance, _, gap, normal, tangent, _, closure, ways, pushes, laws, mass = self._at(q, none)
        small = _TOUCHES * self.length
        if not (gap >= -small).all() or not (np.abs(closure) <= small).all() or _singular(mass):
            return None
        touching = [i for i in range(len(gap)) if gap[i, 0] <= small]
        size = max(strongest, float(np.abs(balance).max(initial=0.0)))
        cones = [tangent[[k for k, (j, _) in enumerate(self._slips) if j == i]] for i in touching]
        load, pressing, mu, cones, bilateral = self._with_given(
            balance[:, 0], normal[touching], laws[touching, 0], cones, pushes, touching
        )
        parts: tuple[Any, ...] = (pressing, cones, mu, bilateral, _BALANCED * size)
        forces = even(load, *parts) or balanced(load, *parts)
        if forces is None:
            return None
        share = least_friction(load, *parts)
        told = {self.names[i]: tuple(map(float, one)) for i, one in zip(touching, forces, strict=True)}
        rows = np.concatenate([pushes, normal[[i for i in touching if i not in self.pressed]]])
        rank = np.linalg.matrix_rank(rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None], tol=_ALIKE)
        grips = any(laws[i, 0] > 0 for i in self.pressed)
        pushed = all(x[0] > _PUSHES * size for i, x in zip(touching, forces, strict=True) if i not in self.pressed)
        reach = 1 / np.maximum((np.abs(ways) / self.units[:, None]).max(axis=0, initial=0.0), 1e-300)
        load = balance[:, 0]
        usual = float(load @ np.linalg.lstsq(mass, load, rcond=None)[0] / max(float(np.abs(load) @ reach), 1e-300))
        return q, Held(tuple(touching), told, pushed, bool(rank == len(rows)) and share == 0, share, usual, grips)

    def _with_given(
        self, load: Array, normal: Array, laws: Array, cones: list[Array], bilateral: Array, touching: list[int]
    ) -> tuple[Array, Array, Array, list[Array], Array]:
        """The balance with a line for each force that is given: it is pressed by that much, and by nothing else."""
        given = [k for k, i in enumerate(touching) if i in self.pressed]
        wide = np.zeros((len(normal), len(given)))
        sizes = np.array([np.abs(cones[k]).max(initial=0.0) for k in given])
        wide[given, range(len(given))] = sizes  # in units of the balance
        bounds, mu = laws[given], laws.copy()
        mu[given] = 1.0

        def widened(rows: Array) -> Array:
            return np.hstack([rows, np.zeros((len(rows), len(given)))])

        return (
            np.concatenate([load, -bounds * sizes]),
            np.hstack([normal, wide]),
            mu,
            [widened(one) for one in cones],
            widened(bilateral),
        )

    def height(self, q: Array) -> float:
        """Potential energy there, to seven digits of the energies of the machine: alike along a set of equilibria."""
        here = {**self.numbers, **self.still, **dict(zip(self.coordinates, map(float, q), strict=True))}
        value = float(ex.evaluate([self.dynamics.energies.potential], here)[0])
        self._highest = max(self._highest, abs(value))
        return round(value / self._highest, 6) if self._highest else 0.0

    def held_machine(self, touching: tuple[int, ...]) -> Layout:
        """The machine whose touching contacts are kept: what its small motions are while all of them push."""
        model = self.layout.model
        kept = [i for i in touching if i not in self.pressed]
        fixed = tuple(Constraint(f"{self.names[i]} kept", Holonomic((self.contacts[i].held,))) for i in kept)
        told = replace(model, contacts=(), constraints=(*model.constraints, *fixed))
        return Layout.of(told, [one.link.name for one in self.layout.cuts])


def _singular(mass: Array) -> bool:
    """Do two speeds move the same? The coordinates are singular there (gimbal lock), and small motions mean nothing."""
    sizes = np.sqrt(np.diag(mass))
    return not (np.isfinite(mass).all() and np.linalg.cond(mass / np.outer(sizes, sizes)) < _REGULAR)


def even(
    load: Array, normal: Array, tangents: list[Array], friction: Array, bilateral: Array, small: float
) -> list[Array] | None:
    """The least normal forces that balance a load without friction, if all of them push."""
    columns = np.concatenate([bilateral, normal])
    sizes = np.maximum(np.linalg.norm(columns, axis=1), 1e-300)
    found = np.linalg.lstsq((columns / sizes[:, None]).T, -load, rcond=1e-10)[0] / sizes
    pushes = found[len(bilateral) :]
    if not len(pushes) or not (pushes > 0).all() or np.abs(load + columns.T @ found).max(initial=0.0) > small:
        return None
    return [np.array([x, *np.zeros(len(across))]) for x, across in zip(pushes, tangents, strict=True)]


def balanced(
    load: Array, normal: Array, tangents: list[Array], friction: Array, bilateral: Array, small: float
) -> list[Array] | None:
    """Forces of contacts within their cones, and free ones of constraints, that balance a load, if there are any."""
    from scipy.optimize import nnls

    columns, owners, shares = (
        [*bilateral, *(-bilateral)],
        [-1] * (2 * len(bilateral)),
        [np.zeros(0)] * (2 * len(bilateral)),
    )
    for i, (row, across, mu) in enumerate(zip(normal, tangents, friction, strict=True)):
        ways = [np.zeros(len(across))]
        if mu > 0 and len(across) == 1:
            ways = [np.array([mu]), np.array([-mu])]
        elif mu > 0 and len(across):
            angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
            ways = [mu * np.array([np.cos(a), np.sin(a)]) for a in angles]
        for way in ways:
            columns, owners, shares = [*columns, row + way @ across], [*owners, i], [*shares, way]
    for _ in range(30):
        if not columns:
            return [] if np.abs(load).max(initial=0.0) <= small else None
        sizes = np.maximum(np.linalg.norm(columns, axis=1), 1e-300)
        found = nnls(np.array(columns).T / sizes, -load, maxiter=100 * len(columns))[0] / sizes
        left = load + np.array(columns).T @ found
        forces = []
        for i, across in enumerate(tangents):
            mine = [k for k, owner in enumerate(owners) if owner == i]
            push = float(found[mine].sum())
            forces.append(np.array([push, *sum((found[k] * shares[k] for k in mine), np.zeros(len(across)))]))
        if np.abs(left).max(initial=0.0) <= small:
            return forces
        fresh = False
        for i, (across, mu) in enumerate(zip(tangents, friction, strict=True)):  # against what is left
            wish = -(across @ left)
            if len(across) == 2 and mu > 0 and np.linalg.norm(wish) > 0:
                way = mu * wish / np.linalg.norm(wish)
                columns, owners, shares = [*columns, normal[i] + way @ across], [*owners, i], [*shares, way]
                fresh = True
        if not fresh:
            return None
    return None


def least_friction(
    load: Array, normal: Array, tangents: list[Array], friction: Array, bilateral: Array, small: float
) -> float:
    """The share of its friction that a machine at rest needs: 0 where it stands without."""
    if balanced(load, normal, tangents, 0 * friction, bilateral, small) is not None:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (
            (low, middle)
            if balanced(load, normal, tangents, middle * friction, bilateral, small) is not None
            else (middle, high)
        )
    return high
