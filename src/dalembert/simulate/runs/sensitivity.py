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
from dalembert.dynamics.numbers import single
from dalembert.dynamics.scales import ATOL
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, Model, did_you_mean
from dalembert.simulate.methods.inputs import as_span
from dalembert.simulate.methods.problem import RTOL
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.rubbing import rubbing
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.branch import on_its_branch
from dalembert.simulate.system.event import Event, ResolvedEvent, resolve_events
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System, Value
from dalembert.simulate.system.values import first_state, parameter_values

Array = NDArray[np.float64]

_ROUNDED = 8 * np.finfo(float).eps
"""Share of a value that its rounding is, some operations long."""
_DIFFERENCE = 1e-5
"""Share by which a start is moved to see how its loops close: central differences, good to 1e-10."""


@dataclass(frozen=True, eq=False)
class Sensitivities:
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
        e = ex.parse(formula) if isinstance(formula, str) else formula
        (e,) = self.system.with_outputs([e])
        parameters = self.motion.arcs[-1].parameters
        values = {ex.symbol(k): v for k, v in parameters.items()} | {ex.TIME: t}
        assert self.motion.sol is not None
        y = self.motion.sol(t)
        values |= dict(zip(self.system.symbols, y.tolist(), strict=False))
        slopes = ex.evaluate(ex.gradient(e, list(self.system.symbols)), values)
        own = [ex.evaluate([ex.derivative(e, ex.symbol(x))], values)[0] if x in parameters else 0.0 for x in self.names]
        found: Array = np.array(slopes, dtype=float) @ self.at(t) + np.array(own, dtype=float)
        return found

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
    system = subject if isinstance(subject, System) else system_of(subject, Layout.of(subject, cut))
    t0 = as_span(t_span)[0]
    system, _ = on_its_branch(system, start, given, t0)
    watched = resolve_events(events, system)
    _refuse(system, watched)
    needed = system.names_in([e for event in watched for e in event.needs])
    parameters = single(parameter_values(system, given, needed))
    asked = tuple(names)
    for name in asked:
        if name not in parameters and name not in system.states:
            known = [*parameters, *system.states]
            raise SimulationError(
                f"'{name}' is neither a parameter nor a state of '{system.name}'.{did_you_mean(name, known)}"
            )
    first, columns, weights = _beginning(system, asked, start, given, parameters, needed, t0)
    sizes = np.array([abs(parameters.get(x, first.get(x, 0.0))) or 1.0 for x in asked])
    scales = system.scale_of(parameters, list(first.values()), t0)
    own = np.broadcast_to(ATOL * scales if atol is None else np.asarray(atol, dtype=float), scales.shape)
    wide = _augmented(system, asked, weights)
    begin = {**first, **{_column(s, x): float(columns[k][i]) for k, x in enumerate(asked) for i, s in enumerate(first)}}
    motion: Motion = run(
        wide,
        t_span,
        start=begin,
        given=parameters,
        events=[_jumping(event, system, asked, weights) for event in watched] or None,
        t_eval=t_eval,
        rtol=rtol,
        atol=np.concatenate([own, *(own / size for size in sizes)]),
        method=method,
    )
    return Sensitivities(system, asked, motion, tuple(watched), tuple(weights))


def _column(state: str, name: str) -> str:
    return f"d {state} / d {name}"


def _columns(system: System, name: str) -> list[Expr]:
    return [ex.symbol(_column(state, name)) for state in system.states]


def _refuse(system: System, watched: Sequence[ResolvedEvent]) -> None:
    """What the variational equations do not tell."""
    why = ""
    if system.contacts or rubbing(system) is not None:
        why = "its contacts change the equations at instants that are not events of the user"
    elif system.large:
        why = "a machine of this size is solved in numbers, which have no derivatives here"
    elif any(event.function is not None or callable(event.then) for event in watched):
        why = "an event that is a Python function has no derivatives: write it as a formula"
    for event in watched:
        changed = set(event.then) if isinstance(event.then, Mapping) else set()
        if changed - set(system.states):
            why = f"the event '{event.name}' changes a parameter, and the answer to it would change its meaning there"
        elif changed and system.constrained is not None:
            why = f"the event '{event.name}' changes a closed machine, whose other states follow by a rule of their own"
    if why:
        raise SimulationError(
            f"sensitivities of '{system.name}' are not known: {why}. Take differences of two motions."
        )


def _beginning(
    system: System,
    asked: Sequence[str],
    start: Mapping[str, Value] | None,
    given: Mapping[str, Value] | None,
    parameters: Mapping[str, float],
    needed: Collection[str],
    t: float,
) -> tuple[dict[str, float], list[Array], list[dict[Expr, Expr]]]:
    """The start, its derivatives, and those of all parameters: formulas in the start and in `given` are followed."""

    def begun(name: str = "", shift: float = 0.0) -> tuple[Array, Array]:
        values, state = dict(given or {}), dict(start or {})
        if name in parameters:
            values[name] = parameters[name] + shift
        elif name:
            state[name] = float(first[name]) + shift
        numbers = single(parameter_values(system, values, needed))
        found = first_state(system, state, values, numbers, t).values
        return np.array([float(found[s]) for s in system.states]), np.array([numbers[p] for p in parameters])

    told = first_state(system, start, given, parameters, t).values
    first = {name: float(told[name]) for name in system.states}
    columns, weights = list[Array](), list[dict[Expr, Expr]]()
    for name in asked:
        h = _DIFFERENCE * (abs(parameters.get(name, first.get(name, 0.0))) or 1.0)
        (ahead, more), (behind, less) = begun(name, h), begun(name, -h)
        columns.append(_slope(ahead, behind, h))
        slopes = _slope(more, less, h)
        weights.append({ex.symbol(p): ex.const(float(s)) for p, s in zip(parameters, slopes, strict=True) if s})
    return first, columns, weights


def _slope(ahead: Array, behind: Array, h: float) -> Array:
    """A central difference; where it is a whole number but for the rounding of what it is made of, that is meant."""
    found, rounding = (ahead - behind) / (2 * h), _ROUNDED * (np.abs(ahead) + np.abs(behind)) / (2 * h)
    near = np.round(found)
    return np.where(np.abs(found - near) <= rounding, near, found)


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


def _jumping(
    event: ResolvedEvent, system: System, asked: Sequence[str], weights: Sequence[Mapping[Expr, Expr]]
) -> Event:
    """The event of the augmented system: what it does to the states, and to their derivatives."""
    assert event.value is not None
    if not isinstance(event.then, Mapping):
        return Event(event.value, None, event.terminal, event.direction, event.name)
    states, then = dict(zip(system.states, system.symbols, strict=True)), dict(event.then)
    after = [then.get(name, states[name]) for name in system.states]
    rates = dict(zip(system.symbols, system.rates, strict=True))
    beyond = ex.substitute(list(system.rates), dict(zip(system.symbols, after, strict=True)))
    along = ex.tangent(after, {**rates, ex.TIME: ex.ONE})
    for name, weight in zip(asked, weights, strict=True):
        dt = _shift(event.value, system, name, weight)
        moved = ex.tangent(after, _directions(system, name, weight))
        jumps = [m + (a - b) * dt for m, a, b in zip(moved, along, beyond, strict=True)]
        then |= {_column(state, name): jump for state, jump in zip(system.states, jumps, strict=True)}
    return Event(event.value, then, event.terminal, event.direction, event.name)
