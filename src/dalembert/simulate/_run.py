"""Simulate a system: compile, start, integrate, and give a motion or an error that says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dalembert import expr as ex
from dalembert.codegen import Function, NativeFunction, compile_functions
from dalembert.dynamics.numbers import single
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.simulate._callback import Callback
from dalembert.simulate._dense import DenseOutput, Manifold
from dalembert.simulate._diagnosis import diagnose
from dalembert.simulate._inputs import as_grid, as_span
from dalembert.simulate._integrate import FAILED, NativeEvents, NativeGuards, Solution, integrate
from dalembert.simulate._layout import SINGULAR
from dalembert.simulate._separable import check_separable
from dalembert.simulate._values import first_state, parameter_values
from dalembert.simulate.event import ResolvedEvent, resolve_events
from dalembert.simulate.methods import find_method
from dalembert.simulate.motion import Motion
from dalembert.simulate.system import System, Value

M = TypeVar("M", bound=Motion)
_ROUNDS = 10
_LONGEST_JACOBIAN = 100_000
"""Operations above which differences are quicker to have than a compiled Jacobian."""


def run(
    system: System,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    method: str = "DOP853",
    t_eval: ArrayLike | None = None,
    events: Any = None,
    rtol: ArrayLike = 1e-8,
    atol: ArrayLike = 1e-10,
    max_step: float = np.inf,
    first_step: float | None = None,
    dense_output: bool | None = None,
    progress: bool | None = None,
    kind: type[M] | None = None,
) -> M:
    """The motion of a system over `t_span`, from `start`, with the parameters `given`.

    `events`, one or several, are formulas (`"elbow.th - 1"`, `"ball.z < 0"`), expressions, `Event`s or functions
    f(t, y). A singular mass matrix or chart, or a step size that collapses, raises SimulationError; the motion so far
    is its `partial`. Ctrl-C ends the run quietly and returns what was computed, with `status` 2. `kind` is the class
    of the result.

    >>> from dalembert import expr as ex
    >>> x, v, k = ex.symbols("x x' k")
    >>> spring = System(("x",), ("x'",), (v, -k * x), given={"k": 4}, start={"x": 1})
    >>> round(float(run(spring, (0, 3.141592653589793))["x"][-1]), 6)
    1.0
    """
    result: Any = kind or Motion
    watched = resolve_events(events, system)
    chosen = find_method(method)
    needed = system.names_in([event.value for event in watched if event.value is not None])
    parameters = single(parameter_values(system, given, needed))
    first = first_state(system, start, given, parameters, as_span(t_span)[0])
    y0 = list(first.values.values())
    if not system.states:
        return result(system, parameters, **_prescribed(t_span, t_eval), message="there is nothing to integrate")
    if chosen.symplectic:
        check_separable(system, parameters, chosen.name)
    names = system.known_parameters
    values = np.array([parameters.get(name, np.nan) for name in names])
    rhs = compiled("rates", system.symbols, names, system.rates)
    callbacks: list[Callback] = []
    solution = integrate(
        rhs,
        t_span,
        y0,
        values,
        method=chosen.name,
        t_eval=t_eval,
        events=native_events(watched, system, values, callbacks),
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        first_step=first_step,
        dense_output=dense_output,
        guards=native_guards(system),
        jacobian=native_jacobian(system) if chosen.implicit else 0,
        project=system.project or 0,
        quaternions=quaternion_rows(system),
        progress=progress,
        callbacks=callbacks,
    )
    motion: M = result(
        system=system,
        parameters=parameters,
        t=solution.t,
        y=solution.y,
        sol=solution.sol,
        t_events=solution.t_events,
        y_events=solution.y_events,
        event_names=_distinct([event.name for event in watched]),
        status=solution.status,
        message="; ".join(filter(None, [_message(solution, watched), first.message])),
        method=solution.method,
        nfev=solution.nfev,
        accepted=solution.accepted,
        rejected=solution.rejected,
    )
    if solution.status == FAILED:
        if solution.reason == SINGULAR:
            solution = _approached(solution, rhs, float(t_span[1]), values, chosen.name, native_guards(system))
        raise SimulationError(diagnose(system, parameters, solution, motion.event_names), partial=motion)
    return motion


def _approached(
    solution: Solution, rhs: NativeFunction, end: float, values: Any, method: str, guards: NativeGuards | None
) -> Solution:
    """The same end seen from nearer: steps towards a condition that vanishes, made shorter and shorter."""
    step = abs(end - solution.t_last)
    for _ in range(_ROUNDS):
        step /= 8
        span = (solution.t_last, end)
        near = integrate(
            rhs, span, solution.y_last, values, method=method, max_step=step, guards=guards, progress=False
        )
        if near.reason != SINGULAR:
            break
        solution = replace(solution, t_last=near.t_last, y_last=near.y_last)
    return solution


@lru_cache(maxsize=64)
def compiled(
    name: str, states: tuple[Expr, ...], parameters: tuple[str, ...], outputs: tuple[Expr, ...]
) -> NativeFunction:
    """One native function of (t, y, p); asked for again, it is not compiled again."""
    inputs = [[ex.TIME], states, [ex.symbol(p) for p in parameters]]
    constants = [2] if name == "rates" and parameters else []
    return compile_functions([Function(name, inputs, outputs, constants=constants)])[name]


def native_jacobian(system: System) -> NativeFunction | int:
    """The derivatives of the rates by the states, row by row, then by time; nothing where they are too long."""
    outputs = _derivatives(system.rates, system.symbols)
    if ex.count_operations(outputs) > _LONGEST_JACOBIAN:
        return 0
    return compiled("jacobian", system.symbols, system.known_parameters, outputs)


@lru_cache(maxsize=16)
def _derivatives(rates: tuple[Expr, ...], states: tuple[Expr, ...]) -> tuple[Expr, ...]:
    rows = ex.jacobian(rates, [*states, ex.TIME])
    return (*(e for row in rows for e in row[:-1]), *(row[-1] for row in rows))


def quaternion_rows(system: System) -> list[list[int]]:
    """Where the quaternions are in the state."""
    return [[system.states.index(name) for name in group] for group in system.quaternions]


def native_guards(system: System) -> NativeGuards | None:
    if not system.conditions:
        return None
    values = tuple(condition.value for condition in system.conditions)
    function = compiled("conditions", system.symbols, system.known_parameters, values)
    return NativeGuards(function.address, len(values), function)


def native_events(
    watched: Sequence[ResolvedEvent], system: System, values: Any, callbacks: list[Callback]
) -> NativeEvents | None:
    """One compiled function for all events; Python functions among them make it a Python function."""
    if not watched:
        return None
    terminal = tuple(event.terminal for event in watched)
    direction = tuple(event.direction for event in watched)
    formulas = tuple(event.value for event in watched if event.value is not None)
    native = compiled("events", system.symbols, system.known_parameters, formulas) if formulas else None
    if native is not None and len(formulas) == len(watched):
        return NativeEvents(native.address, terminal, direction, native)

    def all_events(t: float, y: Any) -> list[float]:
        known = iter(native([t], y, values) if native is not None else ())
        return [next(known) if event.function is None else float(event.function(t, y)) for event in watched]

    callbacks.append(Callback(all_events, len(system.states), len(watched)))
    return NativeEvents(callbacks[-1].address, terminal, direction, callbacks[-1])


def _prescribed(t_span: tuple[float, float], t_eval: ArrayLike | None) -> dict[str, Any]:
    """The times of a motion without states, all of it prescribed by time: it can still be looked at."""
    span = as_span(t_span)
    grid = as_grid(t_eval, span)
    t = np.linspace(*span, 201 if span[0] != span[1] else 1) if grid is None else grid
    ends = np.array(span) if span[0] != span[1] else np.array(span[:1])
    steps = len(ends) - 1
    none = np.zeros((len(ends), 0))
    sol = DenseOutput(ends, np.diff(ends), none, np.zeros((steps, 1, 0)), Manifold(np.zeros((0, 4), dtype=np.int64)))
    return {"t": t, "y": np.zeros((0, len(t))), "sol": sol}


def _message(solution: Solution, watched: Sequence[ResolvedEvent]) -> str:
    if solution.status == 1:
        return f"the event '{watched[solution.culprit].name}' ended the motion at t = {solution.t_last:.6g}"
    if solution.status == 2:
        return f"stopped by Ctrl-C at t = {solution.t_last:.6g}; what was computed is kept"
    return solution.message


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names as they are, a number added where two are equal."""
    found: list[str] = []
    for name in names:
        count = 2
        new = name
        while new in found:
            new, count = f"{name} ({count})", count + 1
        found.append(new)
    return tuple(found)
