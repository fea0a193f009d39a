"""Efforts of constraints at a state: multipliers, powers, and which of them the mechanics of rigid bodies determines.

W^T lambda is what the motion asks for. Efforts that do nothing together, y with W^T y = 0, may be added to lambda:
those that such a y changes are not determined, and of all lambda the one of least norm is told, in the units of the
conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.point import check_slips, parameters_of, with_parameters
from dalembert.constraints.coupling import loose_combinations
from dalembert.contact.posture import check_open
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.start import closed_start
from dalembert.expr import Expr
from dalembert.mechanism import Coulomb, Layout, Mechanism, Model
from dalembert.mechanism.constraint import Implied

Array = Any

#: An effort that a combination without effect changes by less than this share of its largest part is determined:
#: rounding of the combination.
_FIXED = 1e-8

#: Rounding of the solve, in parts of the largest effort of a constraint.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ConstraintEffort:
    """What a constraint exerts: `lambda` of each of its conditions, friction beside it, and their power.

    `determined` tells, name by name, whether the mechanics of rigid bodies fixes it.
    """

    constraint: str
    values: Mapping[str, float]
    power: float
    determined: Mapping[str, bool]

    def as_dict(self) -> dict[str, Any]:
        told = {k: {"value": v, "determined": self.determined.get(k, True)} for k, v in self.values.items()}
        return {**told, "power": {"value": self.power, "determined": all(self.determined.values()) or self.power == 0}}

    def __str__(self) -> str:
        marks = {k: "" if known else " (undetermined)" for k, known in self.determined.items()}
        nothing = _ROUNDING * max(map(abs, self.values.values()), default=0.0)
        shown = {k: v if abs(v) > nothing else 0.0 for k, v in self.values.items()}
        parts = [f"{k} = {v:.6g}{marks.get(k, '')}" for k, v in shown.items()]
        return f"{self.constraint}: {', '.join(parts)}, power = {self.power:.6g}"


def constraint_efforts(
    mechanism: Mechanism | Model,
    at: Mapping[str, Any] | None = None,
    *,
    given: Mapping[str, float] | None = None,
    t: float | None = None,
    cut: Collection[str] = (),
) -> dict[str, ConstraintEffort]:
    """Efforts of all constraints at a state, by name; what `at` does not name follows, as at the start of a motion.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("discs")
    >>> for name, inertia in (("a", 2), ("b", 3)):
    ...     link = m.join(earth, m.body(name, inertia=[inertia] * 3), revolute("z"), name=name)
    >>> law = m.drive("b.th", "t^2", name="motor")
    >>> print(constraint_efforts(m, t=1.0)["motor"])
    motor: lambda = 6, power = 12
    """
    layout = Layout.of(mechanism, cut)
    model, state = layout.model, dict(at or {})
    time = float(state.pop("t", 0.0) if t is None else t)
    if not layout.further:
        return {}
    numbers = with_parameters(model, at or {}, given)
    start = closed_start(layout, state, numbers, time)
    values = {ex.symbol(k): v for k, v in {**parameters_of(model, numbers), **start.values}.items()}
    check_slips(dynamics_of(layout), {**values, ex.TIME: time})
    check_open(dynamics_of(layout), {**values, ex.TIME: time}, "these efforts")
    return _told(dynamics_of(layout), {**values, ex.TIME: time})


def _told(about: Dynamics, values: Mapping[Expr, float]) -> dict[str, ConstraintEffort]:
    rows, speeds = about.rows, about.speeds
    held = [ex.symbol(f"effort {k}") for k in range(len(rows))]
    along = [x for one in rows.sliding.values() for x in one.along]
    exprs = [*rows.powers(held, speeds), *along]
    weights = np.array(ex.evaluate(list(about.multipliers), dict(values)), dtype=float)
    open_ = _open(about, values, 1, np.sign(weights)[None])[0]
    weights = weights - open_.T @ (open_ @ weights)
    told = ex.evaluate(exprs, {**values, **dict(zip(held, weights.tolist(), strict=True))})
    powers, drags = np.split(np.array(told, dtype=float), [len(rows)])
    moves = np.abs(open_).max(axis=0, initial=0.0) > _FIXED
    result = {}
    for one in about.layout.further:
        places = [] if isinstance(one.reaction, Implied) else rows.of(one.name)
        names = [rows.names[k].rsplit(".", 1)[1] for k in places]
        found = {name: float(weights[k]) for name, k in zip(names, places, strict=True)}
        known = {name: not moves[k] for name, k in zip(names, places, strict=True)}
        if isinstance(one.reaction, Coulomb):
            own, drags = np.split(drags, [len(one.reaction.slip)])
            for k, x in enumerate(own):
                found[f"friction{k + 1 if k else ''}"] = float(-abs(weights[places[0]]) * x) + 0.0
        result[one.name] = ConstraintEffort(one.name, found, float(powers[places].sum()) + 0.0, known)
    return {name: one for name, one in result.items() if one.values}


def undetermined_efforts(about: Dynamics, values: Mapping[Expr, Any], count: int) -> frozenset[str]:
    """Multipliers, by the names of their rows, that are not determined at some of many states."""
    moved, signs = np.zeros(len(about.rows), dtype=bool), None
    if about.rows.sliding and not about.rows.guided:  # what drags is one reaction with what pushes
        told = ex.evaluate(list(about.multipliers), dict(values))
        signs = np.sign([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in told]).T
    for one in _open(about, values, count, signs):
        moved |= np.abs(one).max(axis=0, initial=0.0) > _FIXED
    return frozenset(name for name, loose in zip(about.rows.names, moved, strict=True) if loose)


def _open(about: Dynamics, values: Mapping[Expr, Any], count: int, signs: Array | None = None) -> list[Array]:
    """Combinations of efforts that do nothing, at each of some states; `signs` of what drags, by states."""
    rows, n, m = about.rows, len(about.speeds), len(about.rows)
    drags = [x for k in rows.sliding for x in rows.sliding[k].drag] if signs is not None else []
    idle = {k: 1 - one.sticks for k, one in rows.sliding.items()}  # a contact that sticks has other rows
    switched = {k for i, one in rows.sliding.items() if one.guided for k in rows.with_stick(rows.owners[i])}
    entries = [
        idle.get(k, ex.ONE) * x for a in (rows.reaction, rows.made_of) for k, row in enumerate(a.rows()) for x in row
    ]
    flat = [*about.mass_matrix.entries, *entries, *drags]
    told = ex.evaluate(flat, dict(values))
    table = np.array([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in told]).T
    found = []
    for number, one in enumerate(table):
        mass, pushes, made_of, rest = np.split(one, np.cumsum((n * n, m * n, m * n)))
        pushes = pushes.reshape(m, n).copy()
        if signs is not None:
            for k, drag in zip(rows.sliding, rest.reshape(-1, n), strict=True):
                pushes[k] -= signs[number, k] * drag
        pushed = list(rows.pushed)
        parts = made_of.reshape(m, n).copy()
        parts[pushed] = pushes[pushed]
        alive = [k for k in range(m) if k not in switched or pushes[k].any()]
        loose = loose_combinations(mass.reshape(n, n), pushes[alive], parts[alive])
        found.append(np.zeros((len(loose), m)))
        found[-1][:, alive] = loose
    return found
