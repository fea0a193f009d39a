"""Machine code of a system: rates, Jacobian, conditions, events, projection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dalembert import expr as ex
from dalembert.codegen import Function, NativeFunction, compile_functions
from dalembert.codegen.alike import AlikeCode
from dalembert.codegen.varied import is_varied
from dalembert.codegen.varied_rates import VariedRates, varied_rates
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.alike import Alike
from dalembert.dynamics.slopes import solved_slopes
from dalembert.expr import Expr
from dalembert.expr.magnitude import error_size
from dalembert.expr.spread import spread
from dalembert.simulate.loop.callback import Callback
from dalembert.simulate.loop.layout import EPS
from dalembert.simulate.methods.problem import NativeEvents, NativeGuards
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.large import LargeProjection, LargeRates
from dalembert.simulate.system.on_demand import OnDemand
from dalembert.simulate.system.projection import Projection, in_place
from dalembert.simulate.system.system import Constrained, System

_LONGEST_JACOBIAN = 100_000
"""Operations above which differences are quicker to have than a compiled Jacobian."""
_CLOSED = 40
"""Times rows, squared, times speeds: of more, differences of a quick solve cost less than compiled derivatives."""
_LONGEST_BOUNDS = 5_000
"""Operations of events and their bounds above which events are sampled: compiling would take longer than a motion."""
_ROUNDED = 8 * EPS
"""Rounding of an event, times what it is made of: that of its operations, and of the polynomials in it."""
_REPEATS = 8
"""Newton steps towards the constraints, at most: quadratic convergence needs four from any state of a step."""


@lru_cache(maxsize=64)
def compiled(
    name: str,
    states: tuple[Expr, ...],
    parameters: tuple[str, ...],
    outputs: tuple[Expr, ...],
    quickly: bool | None = None,
) -> NativeFunction:
    """One native function of (t, y, p); asked for again, it is not compiled again."""
    inputs = [[ex.TIME], states, [ex.symbol(p) for p in parameters]]
    constants = [2] if name == "rates" and parameters else []
    return compile_functions([Function(name, inputs, outputs, constants=constants)], quickly=quickly)[name]


def native_rates(system: System) -> NativeFunction | LargeRates | AlikeCode:
    if system.large:
        return LargeRates(system.machine)
    return system.kept("rates", lambda: _rates(system))


@ex.uncollected()
def _rates(system: System) -> NativeFunction | AlikeCode:
    if isinstance(system.rates, OnDemand):
        return _alike(system.rates.tree, system.symbols, system.known_parameters, system.rates.kinematic)
    return compiled("rates", system.symbols, system.known_parameters, tuple(system.rates))


@lru_cache(maxsize=16)
def _alike(
    tree: Alike, states: tuple[Expr, ...], parameters: tuple[str, ...], kinematic: tuple[Expr, ...]
) -> AlikeCode:
    return AlikeCode(tree, states, parameters, compiled("kinematics", states, parameters, kinematic))


def native_projection(system: System) -> Projection | LargeProjection | int:
    """The projection on the constraints, repeated in place; nothing where there are none."""
    if system.large:
        return LargeProjection(system.machine)
    if not system.corrected:
        return 0

    def make() -> Projection:
        return _projection(system.symbols, system.known_parameters, (*system.corrected, system.still_open))

    return system.kept("projection", make)


@lru_cache(maxsize=32)
def _projection(states: tuple[Expr, ...], parameters: tuple[str, ...], step: tuple[Expr, ...]) -> Projection:
    return in_place(compiled("projection", states, parameters, step), len(states), _REPEATS)


def native_jacobian(system: System) -> NativeFunction | VariedRates | int:
    """The derivatives of the rates by the states, row by row, then by time; nothing where they are too long."""
    return system.kept("jacobian", lambda: _own_jacobian(system))


def _own_jacobian(system: System) -> NativeFunction | VariedRates | int:
    if (about := _varied(system)) is not None:
        return varied_rates(about, system.known_parameters)
    held = system.constrained
    solve = 0 if held is None else len(held.rows) ** 2 * len(system.speeds)
    if system.large or max(len(system.speeds) ** 2, _CLOSED * solve) > _LONGEST_JACOBIAN:
        return 0
    outputs = _derivatives(system)
    if ex.count_operations(outputs) > _LONGEST_JACOBIAN:
        return 0
    return compiled("jacobian", system.symbols, system.known_parameters, outputs)


def _varied(system: System) -> Dynamics | None:
    """The tree whose derivatives a recursion finds, where a system is the motion of one and nothing else."""
    if system.layout is None or system.constrained is not None:
        return None
    about = dynamics_of(system.layout)
    if not is_varied(about) or system.states != (*about.state.coordinates, *about.state.speeds):
        return None
    if isinstance(system.rates, OnDemand):
        return about if system.rates.about is about else None
    return about if tuple(system.rates) == (*about.rates, *about.accelerations()) else None


def _derivatives(system: System) -> tuple[Expr, ...]:
    variables, held = (*system.symbols, ex.TIME), system.constrained
    if held is None or held.resolved is None or held.rows.imperfect:
        rows = _jacobian(tuple(system.rates), variables)
    else:
        rows = _closed_jacobian(tuple(system.rates[: len(system.coordinates)]), held, variables)
    return (*(e for row in rows for e in row[:-1]), *(row[-1] for row in rows))


@lru_cache(maxsize=16)
def _jacobian(rates: tuple[Expr, ...], variables: tuple[Expr, ...]) -> list[list[Expr]]:
    return ex.jacobian(rates, variables)


def _closed_jacobian(kinematic: tuple[Expr, ...], held: Constrained, variables: tuple[Expr, ...]) -> list[list[Expr]]:
    solver, m = held.resolved, len(variables)
    assert solver is not None
    assert held.mass is not None
    given = [ex.symbol(f"acceleration {k}") for k in range(len(held.right))]
    needed = [ex.dot_product(row, given) - f for row, f in zip(held.mass.rows(), held.right, strict=True)]
    solved = (solver.accelerations, solver.multipliers)
    found = solved_slopes(solver, held.rows, solved, given, needed, variables)
    return [*ex.jacobian(kinematic, variables), *(found[i : i + m] for i in range(0, len(found), m))]


@lru_cache(maxsize=64)
def _bounds(
    states: tuple[Expr, ...], parameters: tuple[str, ...], events: tuple[Expr, ...], signed: tuple[bool, ...]
) -> NativeFunction | None:
    """Value, slope, radius of the slope, radius of the value and rounding of events on a piece of a step.

    The piece is s in [-1, 1]; each state has a value, a radius, a slope by s and a radius of the slope; time has its
    middle, and its reach is its radius and slope in one.
    """
    reach = ex.symbol("reach of time")
    radii, slopes, bends = ([ex.symbol(f"{what} of {x.name}") for x in states] for what in ("radius", "slope", "bend"))
    rises = ex.tangent(events, {ex.TIME: reach, **dict(zip(states, slopes, strict=True))})
    radius = {
        ex.TIME: ex.absolute(reach),
        **dict(zip(states, radii, strict=True)),
        **dict(zip(slopes, bends, strict=True)),
    }
    rounding = [ex.ZERO if one else _ROUNDED * size for one, size in zip(signed, error_size(events), strict=True)]
    outputs = [*events, *rises, *spread(rises, radius), *spread(events, radius), *rounding]
    if ex.count_operations(outputs) > _LONGEST_BOUNDS:
        return None
    inputs = [[ex.TIME, reach], [*states, *radii, *slopes, *bends], [ex.symbol(p) for p in parameters]]
    return compile_functions([Function("event_bounds", inputs, outputs)])["event_bounds"]


def native_guards(system: System) -> NativeGuards | None:
    if not system.conditions:
        return None

    def make() -> NativeGuards:
        values = tuple(condition.value for condition in system.conditions)
        function = compiled("conditions", system.symbols, system.known_parameters, values)
        return NativeGuards(function.address, len(values), function)

    return system.kept("guards", make)


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
        signed = tuple(event.signed for event in watched)
        bounds = _bounds(system.symbols, system.known_parameters, formulas, signed)
        return NativeEvents(native.address, terminal, direction, (native, bounds), getattr(bounds, "address", 0))

    def all_events(t: float, y: Any) -> list[float]:
        known = iter(native([t], y, values) if native is not None else ())
        return [next(known) if event.function is None else float(event.function(t, y)) for event in watched]

    callbacks.append(Callback(all_events, len(system.states), len(watched)))
    return NativeEvents(callbacks[-1].address, terminal, direction, callbacks[-1])
