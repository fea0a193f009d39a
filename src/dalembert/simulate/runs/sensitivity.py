"""How a motion answers to its parameters and its start: the variational equations, integrated beside it.

    S = dy/dtheta,    S' = f_y S + f_theta,    S(0) = dy0/dtheta

The rates of S are derived from the same DAG and compiled with those of y. A projection on constraints is differentiated
too, so that S stays tangent to them. An event moves in time, by dt = -(g_y S + g_theta) / (g_t + g_y f), and what it
does, y+ = h(t, y), makes S jump: S+ = h_y (S + f dt) + h_t dt + h_theta - f+ dt.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.dynamics.scales import ATOL
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Mechanism, Model, did_you_mean
from dalembert.presentation.records import Record
from dalembert.simulate.methods.inputs import as_span
from dalembert.simulate.methods.problem import RTOL
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.answering import Question, question
from dalembert.simulate.runs.leaping import leap
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.event import Event, ResolvedEvent
from dalembert.simulate.system.system import System, Value

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sensitivities(Record):
    """The motion, and the derivative of each state by each of `names` along it.

    `weights` are derivatives of the parameters by each of them: other than one where a formula gives a parameter.

    >>> from dalembert import expr as ex
    >>> x, v, k = ex.symbols("x x' k")
    >>> spring = System(("x",), ("x'",), (v, -k * x), given={"k": 4.0}, start={"x": 1.0})
    >>> found = sensitivities(spring, (0, 1), ["k", "x"])  # x = cos(t sqrt k)
    >>> round(float(found["x", "k"][-1]), 7), round(float(found["x", "x"][-1]), 7)
    (-0.2273244, -0.4161468)
    """

    system: System
    names: tuple[str, ...]
    motion: Motion
    events: tuple[ResolvedEvent, ...] = ()
    weights: tuple[Mapping[Expr, Expr], ...] = ()

    @property
    def t(self) -> Array:
        return self.motion.t

    def __getitem__(self, which: tuple[str, str]) -> Array:
        """d state / d name at the times of the motion."""
        state, name = which
        for asked, known in ((state, self.system.states), (name, self.names)):
            if asked not in known:
                raise SimulationError(f"there is no '{asked}' among {', '.join(known)}.{did_you_mean(asked, known)}")
        return self.motion[_column(state, name)]

    def at(self, t: float) -> Array:
        """The matrix at one time: a row for each state, a column for each name."""
        if self.motion.sol is None:
            raise SimulationError("the motion has no dense output: leave out dense_output=False.")
        n = len(self.system.states)
        found: Array = self.motion.sol(t)[n:].reshape(len(self.names), n).T
        return found

    def of(self, formula: str | Expr, t: float) -> Array:
        """Derivatives of a formula of states, outputs and parameters at one time, by each of the names."""
        found: Array = self.along(formula, np.array([t]))[0]
        return found

    def along(self, formula: str | Expr, times: Array) -> Array:
        """The same at many times: a row for each, a column for each name."""
        e, values, y = self._at(formula, times)
        n, count = len(self.system.states), len(times)
        columns = y[n:].reshape(len(self.names), n, count)
        parameters = tuple(dict.fromkeys(x for weight in self.weights for x in weight))
        found = ex.evaluate(ex.gradient(e, [*self.system.symbols, *parameters]), values)
        slopes = np.array([np.broadcast_to(np.asarray(v, dtype=float), (count,)) for v in found])
        told: Array = np.einsum("it,kit->tk", slopes[:n], columns)
        for k, weight in enumerate(self.weights):
            for x, slope in zip(parameters, slopes[n:], strict=True):
                if x in weight:
                    told[:, k] += float(weight[x].value) * slope
        return told

    def values(self, formula: str | Expr, times: Array) -> Array:
        """A formula at times of the motion."""
        e, values, _ = self._at(formula, times)
        found = ex.evaluate([e], values)[0]
        return np.broadcast_to(np.asarray(found, dtype=float), times.shape).copy()

    def _at(self, formula: str | Expr, times: Array) -> tuple[Expr, dict[Expr, Any], Array]:
        if self.motion.sol is None:
            raise SimulationError("the motion has no dense output: leave out dense_output=False.")
        e = ex.parse(formula) if isinstance(formula, str) else formula
        (e,) = self.system.with_outputs([e])
        y = self.motion.sol(times)
        values: dict[Expr, Any] = {ex.symbol(k): v for k, v in self.motion.parameters.items()} | {ex.TIME: times}
        values |= dict(zip(self.system.symbols, y, strict=False))
        missing = sorted(x.name for x in ex.free_symbols([e]) - values.keys())
        if missing:
            hint = did_you_mean(missing[0], [x.name for x in values])
            raise SimulationError(f"the motion of '{self.system.name}' has no '{missing[0]}'.{hint}")
        return e, values, y

    def event_times(self, event: int | str = 0) -> Array:
        """How the times of an event answer: a row for each time that it happened, a column for each name."""
        names = [one.name for one in self.events]
        number = names.index(event) if isinstance(event, str) else event
        value, n = self.events[number].value, len(self.system.states)
        assert value is not None
        assert self.motion.t_events is not None
        assert self.motion.y_events is not None
        shift = [_shift(value, self.system, name, w) for name, w in zip(self.names, self.weights, strict=True)]
        found = np.zeros((len(self.motion.t_events[number]), len(self.names)))
        for k, (t, y) in enumerate(zip(self.motion.t_events[number], self.motion.y_events[number], strict=True)):
            values = {ex.symbol(a): b for a, b in self.motion.arcs[-1].parameters.items()} | {ex.TIME: float(t)}
            values |= dict(zip(self.motion.system.symbols, y.tolist(), strict=True))
            found[k] = [float(v) for v in ex.evaluate(shift, values)]
            assert len(y) == n * (1 + len(self.names))
        return found


def sensitivities(
    subject: System | Mechanism | Model,
    t_span: tuple[float, float],
    names: Sequence[str],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    events: Any = None,
    t_eval: ArrayLike | None = None,
    rtol: float = RTOL,
    atol: ArrayLike | None = None,
    method: str = "auto",
    cut: Collection[str] = (),
) -> Sensitivities:
    """Derivatives of a motion by parameters and values of its start, exact to the tolerance of the motion itself."""
    asked = question(subject, as_span(t_span)[0], names, start, given, events, cut)
    system, first, parameters = asked.system, asked.first, asked.parameters
    sizes = np.array([abs(parameters.get(x, first.get(x, 0.0))) or 1.0 for x in asked.names])
    scales = system.scale_of(parameters, list(first.values()), as_span(t_span)[0])
    own = np.broadcast_to(ATOL * scales if atol is None else np.asarray(atol, dtype=float), scales.shape)
    pairs = list(zip(asked.names, asked.columns, strict=True))
    motion: Motion = run(
        _augmented(system, asked.names, asked.weights),
        t_span,
        start={**first, **{_column(s, x): float(c[i]) for x, c in pairs for i, s in enumerate(first)}},
        given=asked.own,
        events=[_jumping(event, asked) for event in asked.events] or None,
        t_eval=t_eval,
        rtol=rtol,
        atol=np.concatenate([own, *(own / size for size in sizes)]),
        method=method,
    )
    return Sensitivities(system, asked.names, motion, asked.events, asked.weights)


def _column(state: str, name: str) -> str:
    return f"d {state} / d {name}"


def _columns(system: System, name: str) -> list[Expr]:
    return [ex.symbol(_column(state, name)) for state in system.states]


def _directions(system: System, name: str, weights: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    return {**dict(zip(system.symbols, _columns(system, name), strict=True)), **weights}


def _augmented(system: System, asked: Sequence[str], weights: Sequence[Mapping[Expr, Expr]]) -> System:
    """States and their derivatives as one system; the step towards the constraints is differentiated, too."""
    ways = [_directions(system, name, weight) for name, weight in zip(asked, weights, strict=True)]
    rates = [x for way in ways for x in ex.tangent(system.rates, way)]
    corrected = [x for way in ways for x in ex.tangent(system.corrected, way)] if system.corrected else []
    more = tuple(x.name for name in asked for x in _columns(system, name))
    return System(
        system.coordinates,
        (*system.speeds, *more),
        (*system.rates, *rates),
        given=dict(system.given),
        conditions=system.conditions,
        quaternions=system.quaternions,
        corrected=(*system.corrected, *corrected),
        still_open=system.still_open,
        constants=system.known_parameters,
        name=system.name,
    )


def _shift(value: Expr, system: System, name: str, weights: Mapping[Expr, Expr]) -> Expr:
    """dt / d name of a zero of `value`."""
    (moved,) = ex.tangent([value], _directions(system, name, weights))
    (passing,) = ex.tangent([value], {**dict(zip(system.symbols, system.rates, strict=True)), ex.TIME: ex.ONE})
    return -(moved / passing)


def _jumping(event: ResolvedEvent, asked: Question) -> Event:
    """The event of the augmented system: what it does to the states, and to their derivatives."""
    assert event.value is not None
    if not isinstance(event.then, Mapping):
        return Event(event.value, None, event.terminal, event.direction, event.name)
    parameters = tuple(dict.fromkeys(x.name for weight in asked.weights for x in weight))
    weights = np.array([[float(w[ex.symbol(x)].value) if ex.symbol(x) in w else 0.0 for w in asked.weights]
                        for x in parameters]).reshape(len(parameters), len(asked.names))  # fmt: skip

    def then(t: float, now: Mapping[str, float]) -> dict[str, float]:
        y = np.array([now[name] for name in asked.system.states])
        columns = np.array([[now[_column(s, x)] for x in asked.names] for s in asked.system.states])
        jump = leap(asked.system, event, parameters, t, y, asked.own)
        after = jump.forward(columns, weights)
        found = dict(zip(asked.system.states, jump.state.tolist(), strict=True))
        for k, x in enumerate(asked.names):
            found |= {_column(s, x): float(after[i, k]) for i, s in enumerate(asked.system.states)}
        return found

    return Event(event.value, then, event.terminal, event.direction, event.name)
