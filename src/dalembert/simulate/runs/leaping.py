"""What an event does to a state, and to the derivatives of the state: the theory of saltation.

With y+ = h(t, y, p) at a zero of g(t, y, p): dt = -(g_y dy + g_p dp) / (g_t + g_y f), and
dy+ = h_y dy + h_p dp + (h_y f + h_t - f+) dt. For a closed machine h is followed by what closes it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.simulate.methods.problem import Problem
from dalembert.simulate.runs.answering import DIFFERENCE, STENCIL, size_of, slope
from dalembert.simulate.runs.reset import consistent
from dalembert.simulate.system.compiled import native_projection, native_rates
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Leap:
    """Derivatives at one happening of an event: by states, by time and by parameters."""

    before: Array  # f
    after: Array  # f+
    state: Array  # y+
    by_state: Array  # h_y
    by_time: Array  # h_t
    by_parameters: Array  # h_p, a column for each of `names`
    passing: float  # g_t + g_y f
    zero_by_state: Array  # g_y
    zero_by_parameters: Array  # g_p

    @property
    def kick(self) -> Array:
        """h_y f + h_t - f+: what the state gains for each unit of time that the event comes later."""
        found: Array = self.by_state @ self.before + self.by_time - self.after
        return found

    def shift(self, columns: Array, weights: Array) -> Array:
        """dt for states that move by `columns` and parameters that move by `weights`."""
        found: Array = -(self.zero_by_state @ columns + self.zero_by_parameters @ weights) / self.passing
        return found

    def forward(self, columns: Array, weights: Array) -> Array:
        """dy+ for the same."""
        moved = self.by_state @ columns + self.by_parameters @ weights
        found: Array = moved + np.outer(self.kick, self.shift(columns, weights))
        return found

    def backward(self, costate: Array, gained: float = 0.0) -> tuple[Array, Array]:
        """What a costate behind the event is before it, and its share by parameters.

        `gained` is what the objective itself gains for each unit of time that the event comes later.
        """
        late = (float(costate @ self.kick) + gained) / self.passing
        return (
            self.by_state.T @ costate - late * self.zero_by_state,
            self.by_parameters.T @ costate - late * self.zero_by_parameters,
        )


def leap(
    system: System, event: ResolvedEvent, names: tuple[str, ...], t: float, y: Array, parameters: Mapping[str, float]
) -> Leap:
    """The event at this time and state; `names` are parameters."""
    assert event.value is not None
    values = {ex.symbol(k): v for k, v in parameters.items()} | {ex.TIME: t}
    values |= dict(zip(system.symbols, y.tolist(), strict=True))
    inputs = [*system.symbols, ex.TIME, *map(ex.symbol, names)]
    n = len(system.states)
    rates = _numbers(system.rates, values)
    zero = _numbers(ex.gradient(event.value, inputs), values)
    then: Mapping[str, Expr] = event.then if isinstance(event.then, Mapping) else {}
    wanted = [then.get(s, x) for s, x in zip(system.states, system.symbols, strict=True)]
    slopes = np.array([_numbers(row, values) for row in ex.jacobian(wanted, inputs)]).reshape(n, -1)
    state = _numbers(wanted, values)
    if system.constrained is not None and then:
        state, closing = _closed(system, t, state, rates, parameters, set(then), names)
        slopes = closing[:, :n] @ slopes + np.concatenate([np.zeros((n, n)), closing[:, n:]], axis=1)
    beyond = _numbers(system.rates, {**values, **dict(zip(system.symbols, state.tolist(), strict=True))})
    return Leap(
        before=rates,
        after=beyond,
        state=state,
        by_state=slopes[:, :n],
        by_time=slopes[:, n],
        by_parameters=slopes[:, n + 1 :],
        passing=float(zero[n] + zero[:n] @ rates),
        zero_by_state=zero[:n],
        zero_by_parameters=zero[n + 1 :],
    )


def _closed(
    system: System,
    t: float,
    y: Array,
    rates: Array,
    parameters: Mapping[str, float],
    touched: set[str],
    names: tuple[str, ...],
) -> tuple[Array, Array]:
    """The state on its constraints, and how it answers to the state asked for, to time and to parameters."""
    numbers = {name: parameters.get(name, np.nan) for name in system.known_parameters}
    scales = system.scale_of(parameters, y, t)

    def at(y: Array, t: float = t, changes: Mapping[str, float] | None = None) -> Array:
        values = np.array(list({**numbers, **(changes or {})}.values()))
        how: dict[str, Any] = {"project": native_projection(system), "quaternions": system.quaternion_rows}
        problem = Problem(native_rates(system), (t, t), y, parameters=values, **how)
        return consistent(system, problem, t, y, touched)

    columns = list[Array]()
    for unit, size in zip(np.eye(len(y)), scales, strict=True):
        h = DIFFERENCE * float(size)
        columns.append(slope([at(y + k * h * unit) for k, _ in STENCIL], h))
    quickest = float((np.abs(rates) / scales).max(initial=0.0))  # how often in a second the machine moves its own size
    h = DIFFERENCE / (quickest or 1.0)
    columns.append(slope([at(y, t + k * h) for k, _ in STENCIL], h))
    first = dict(zip(system.states, y.tolist(), strict=True))
    for name in names:
        h = DIFFERENCE * size_of(system, name, parameters, first, t)
        columns.append(slope([at(y, t, {name: parameters[name] + k * h}) for k, _ in STENCIL], h))
    return at(y), np.stack(columns, axis=1)


def _numbers(exprs: Any, values: Mapping[Expr, float]) -> Array:
    return np.array(ex.evaluate(list(exprs), dict(values)), dtype=float)
