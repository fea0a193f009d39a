"""Equilibria of machines whose laws are kept from elsewhere, through hidden conditions: a crane that holds its load.

At rest nothing is hidden that is not in the balance of forces and in the laws themselves,

    h(q) + W(q)^T lambda = 0,    gap(q) = 0

with as many reactions as laws: Newton's method in q and lambda together. What the laws leave free tells whether it
lasts (`zero_dynamics`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.coupling import GROWS, zero_dynamics
from dalembert.analysis.point import numbers_of
from dalembert.constraints.rows import rows_of
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import check_names, resolve
from dalembert.errors import SingularError
from dalembert.mechanism import Layout, Mechanism, Model

Array = Any

_STEPS = 80
#: What is left of forces (in parts of the largest met) and of laws (in their natural units) where they hold.
_BALANCED = 1e-9
#: Configurations that differ by less, in radians or lengths of the machine, are one.
_SAME = 1e-5


def is_held(layout: Layout) -> bool:
    """Whether laws reach their reactions through hidden conditions, and are such that rest is found here."""
    about = dynamics_of(layout)
    if not about.rows.implied or layout.cuts or any(one.followed for one in layout.further):
        return False
    rows = rows_of(about.tree, layout.constraints)
    told = [*(gap for gap in rows.gap if gap is not None), *rows.conditions, *about.right_side]
    return not rows.sliding and not rows.bent and ex.TIME not in ex.free_symbols(told)


def held_rest(
    mechanism: Mechanism | Model,
    layout: Layout,
    given: Mapping[str, Any] | None,
    at: Mapping[str, Any],
    spread: float,
    starts: int,
    seed: int,
) -> list[tuple[dict[str, float], tuple[complex, ...], str, str]]:
    """Coordinates, eigenvalues of what is left free, verdict and reason of each state of rest that is found."""
    about = dynamics_of(layout)
    numbers = numbers_of(about, given, 0.0)
    names = layout.state.coordinates
    parameters = {x.name: v for x, v in numbers.items() if x is not ex.TIME}
    check_names(at, layout.state.names, "state", layout.model.name)
    wish = resolve({**layout.model.start, **at}, "start", parameters)
    first = {group[0]: 1.0 for group in layout.state.quaternions}  # not closed: at rest that is what is searched
    centre = np.array([float(wish.get(x, first.get(x, 0.0))) for x in names])
    units = about.closure.scales(centre[None], 0.0, parameters).coordinates[0]
    rng = np.random.default_rng(seed)
    q = centre + units * rng.uniform(-spread, spread, (starts, len(names)))
    q[0] = centre
    found = list[Array]()
    for one in _Balance(layout, numbers, units).solved(q):
        if not any(_same(one, other, units, about.closure.turning) for other in found):
            found.append(one)
    return [_judged(mechanism, layout, dict(zip(names, map(float, x), strict=True)), given) for x in found]


def _same(a: Array, b: Array, units: Array, turning: Array) -> bool:
    away = np.where(turning, np.angle(np.exp(1j * (a - b))), (a - b) / units)
    return bool(np.abs(away).max(initial=0.0) < _SAME)


def _judged(
    mechanism: Mechanism | Model, layout: Layout, place: dict[str, float], given: Mapping[str, Any] | None
) -> tuple[dict[str, float], tuple[complex, ...], str, str]:
    try:
        left = zero_dynamics(mechanism, place, given=given)  # speeds that nobody names are zero
    except SingularError:
        return (
            place,
            (),
            "undecided",
            "hidden conditions have no slope by the speeds at rest, and small motions no linear part",
        )
    size = GROWS * max(map(abs, left.eigenvalues), default=0.0)
    if not left.states:
        return place, (), "stable", "the laws leave nothing free"
    if not left.stable:
        return place, left.eigenvalues, "unstable", "what the laws leave free runs away (Lyapunov)"
    if all(z.real < -size for z in left.eigenvalues):
        return place, left.eigenvalues, "asymptotically stable", "all that the laws leave free dies out (Lyapunov)"
    return place, left.eigenvalues, "undecided", "eigenvalues of what the laws leave free lie on the axis"


class _Balance:
    """Forces and laws at rest with their slopes, in natural units; configurations are rows."""

    def __init__(self, layout: Layout, numbers: Mapping[ex.Expr, float], units: Array) -> None:
        about = dynamics_of(layout)
        rows = rows_of(about.tree, layout.constraints)  # as they are written: what is hidden follows at rest
        self.units, self.numbers = units, dict(numbers)
        still = dict.fromkeys(about.tree.speeds, 0)
        self.q = [ex.symbol(x) for x in layout.state.coordinates]
        self.forces = [ex.symbol(f"multiplier {k}") for k in range(len(rows))]
        held = [sum((a * b for a, b in zip(c, self.forces, strict=True)), ex.ZERO) for c in rows.reaction.T.rows()]
        right = ex.substitute(list(about.right_side), still)
        asked = [a + b for a, b in zip(right, ex.substitute(held, still), strict=True)]
        turned = [sum((ex.symbol(x) ** 2 for x in group), -ex.ONE) for group in layout.state.quaternions]
        laws = [*(gap for gap in rows.gap if gap is not None), *turned]
        speeds = [c for c, gap in zip(rows.conditions, rows.gap, strict=True) if gap is None]
        self.count, self.laws = len(asked), len(laws)
        told = [*asked, *laws, *ex.substitute(speeds, still)]
        self._told = ex.Recipe(told)
        self._slopes = ex.Recipe([x for row in ex.jacobian(told, [*self.q, *self.forces]) for x in row])
        self._right = ex.Recipe(right)

    def at(self, y: Array) -> tuple[Array, Array]:
        """What is left, and its slopes by q and by the forces."""
        here = {**self.numbers, **dict(zip([*self.q, *self.forces], y.T, strict=True))}
        return self._told(here, len(y)), self._slopes(here, len(y)).reshape(len(y), -1, y.shape[1])

    def solved(self, q: Array) -> Sequence[Array]:
        """Configurations in balance that Newton's method reaches."""
        loads = np.abs(self._right({**self.numbers, **dict(zip(self.q, q.T, strict=True))}, len(q)))
        load = float(loads[np.isfinite(loads).all(axis=1)].max(initial=0.0)) or 1.0
        y = np.hstack([q, np.zeros((len(q), len(self.forces)))])
        scale = np.concatenate([self.units, np.full(len(self.forces), load)])
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                value, slopes = self.at(y)
                good = np.isfinite(value).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
                y, value, slopes = y[good], value[good], slopes[good] * scale
                rows = np.maximum(np.abs(slopes).max(axis=2), 1e-300)
                inverse = np.linalg.pinv(slopes / rows[:, :, None], rcond=1e-10)
                step = -np.einsum("kij,kj->ki", inverse, value / rows)
                far = np.abs(step[:, : len(self.units)]).max(axis=1, initial=0.0)
                y = y + scale * step / np.maximum(1.0, far)[:, None]
            value, slopes = self.at(y)
            made = np.abs(slopes[:, :, : len(self.units)] * self.units).max(axis=2)
            size = np.where(np.arange(value.shape[1]) < self.count, np.maximum(load, made), made)
        fits = np.isfinite(value).all(axis=1) & (np.abs(value) <= _BALANCED * np.maximum(size, 1e-300)).all(axis=1)
        found: Array = y[fits, : len(self.units)]
        return list(found)
