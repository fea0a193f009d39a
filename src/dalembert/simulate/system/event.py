"""Events: what a motion is watched for, and what happens then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean
from dalembert.simulate.methods.code import as_terms
from dalembert.simulate.system.system import System, Value

Watch = Expr | str | Callable[[float, Any], float]
Then = Mapping[str, Value] | Callable[[float, dict[str, float]], Mapping[str, float]]

_EFFORTS = ("lambda", "power", "friction", "force", "rolling", "drilling", "work")
"""Outputs of constraints and contacts that contact forces are in."""
_DONE = ("impact", "closes", "opens", "sticks", "slips", "grazes", "accumulation", "jam", "rolls", "drills")
"""What contacts do, in the log of a motion."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens when `when` passes through zero, or when a comparison becomes true.

    `when` is an expression, a formula such as `"elbow.th - pi/2"` or `"ball.z < 0"`, or a function f(t, y). `terminal`
    ends the motion at the first time (True) or at the n-th; `direction` +1 counts only rises, -1 only falls.

    `then` changes the motion each time: names of states and parameters with new values, which may be formulas of the
    state before, `{"ball.z'": "-0.8*ball.z'"}`; or a function of time and named state that gives such values. The
    motion goes on from there, on its constraints. The time that ends the motion changes nothing.
    """

    when: Watch
    then: Then | None = None
    terminal: bool | int = False
    direction: float = 0.0
    name: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedEvent:
    """An event whose formulas have become expressions, or that is a Python function.

    `renewed`: what it does gives its value a new meaning, so that this is not the zero at which it happened.
    `signed`: its sign counts down to the last digit, also where rounding may have made it.
    """

    name: str
    value: Expr | None
    function: Callable[[float, Any], float] | None
    terminal: int
    direction: float
    then: Mapping[str, Expr] | Callable[[float, dict[str, float]], Mapping[str, float]] | None = None
    renewed: bool = False
    signed: bool = False

    @property
    def needs(self) -> list[Expr]:
        """Every expression in it."""
        told = [] if self.value is None else [self.value]
        return told + (list(self.then.values()) if isinstance(self.then, Mapping) else [])


def resolve_events(events: Any, system: System) -> list[ResolvedEvent]:
    """What the caller wrote, one or several, made explicit; names that the system does not know are errors."""
    if events is None:
        return []
    if isinstance(events, Mapping):
        found = [_resolve(event, system, name) for name, event in events.items()]
    else:
        many = events if isinstance(events, Sequence) and not isinstance(events, str) else [events]
        found = [_resolve(event, system, "") for event in many]
    names = _distinct([event.name for event in found])
    return [replace(event, name=name) for event, name in zip(found, names, strict=True)]


def _resolve(event: Any, system: System, name: str) -> ResolvedEvent:
    if not isinstance(event, Event):
        terminal, direction = getattr(event, "terminal", False), getattr(event, "direction", 0.0)
        event = Event(event, terminal=terminal, direction=direction, name=name)
    name, when = event.name or name, event.when
    called = name or (when if isinstance(when, str) else getattr(when, "__name__", "event"))
    terminal, direction = as_terms(event.terminal, event.direction, called)
    if isinstance(when, str):
        name = name or when
        when = ex.parse(when)
    if isinstance(when, Expr):
        if when.op in ("lt", "le", "eq"):  # a < b becomes true when a - b falls through zero
            direction = direction or (0.0 if when.op == "eq" else -1.0)
            name = name or ex.text(when)
            when = when.args[0] - when.args[1]
        _refuse_efforts([when], system, name or ex.text(when)[:80])
        (when,) = system.with_outputs([when])
        _check_names(when, system, "event")
        name = name or ex.text(when)[:80]
        return ResolvedEvent(name, when, None, terminal, direction, _then(event.then, system, name))
    if callable(when):
        name = name or getattr(when, "__name__", "event")
        return ResolvedEvent(name, None, when, terminal, direction, _then(event.then, system, name))
    raise SimulationError(f"{when!r} cannot be an event: give a formula, an expression, or a function f(t, y).")


def _then(then: Any, system: System, name: str) -> Any:
    """New values as expressions of the state before."""
    if then is None or callable(then):
        return then
    if not isinstance(then, Mapping):
        raise SimulationError(
            f"the event '{name}' does {then!r}: give the new values by name, {{\"ball.z'\": \"-0.8*ball.z'\"}}, "
            "or a function of time and state that gives them."
        )
    check_targets(then, system, name)
    values = [ex.parse(value) if isinstance(value, str) else ex.as_expr(value) for value in then.values()]
    _refuse_efforts(values, system, name)
    found = system.with_outputs(values)
    for value in found:
        _check_names(value, system, "event")
    return dict(zip(then, found, strict=True))


def _refuse_efforts(exprs: Sequence[Expr], system: System, event: str) -> None:
    """Events are formulas of the state: what contacts push, and how fast that makes it, is none while they do."""
    if system.layout is None or not system.contacts:
        return
    asked = system.layout.model.parts_of_outputs([x.name for x in ex.free_symbols(exprs)])
    rows = () if system.constrained is None else system.constrained.rows.owners
    pushed = {*rows, *(one.name for one in system.layout.model.constraints), *(one.name for one in system.contacts)}
    efforts = [x for x in asked if x in system.marked or x == "total.power" or _effort_of(x, pushed)]
    speeds = {ex.prime(ex.symbol(x)) for x in system.speeds}
    efforts += [x.name for x in ex.free_symbols(system.in_states_and_rates(exprs)) & speeds]
    if efforts:
        raise SimulationError(
            f"the event '{event}' asks for '{efforts[0]}' of '{system.name}', which depends on what its contacts "
            f"({', '.join(one.name for one in system.contacts[:3])}) push: no formula of the state tells it. Watch "
            f"places, speeds and gaps, or look for it in the motion, mo['{efforts[0]}']."
        )


def _effort_of(name: str, pushed: set[str]) -> bool:
    owner, _, part = name.rpartition(".")
    return owner in pushed and part.rstrip("0123456789") in _EFFORTS


def check_targets(then: Mapping[str, Any], system: System, event: str) -> None:
    """What an event may change: states and parameters."""
    known = [*system.states, *system.known_parameters]
    for name in then:
        if name not in known:
            raise SimulationError(
                f"the event '{event}' changes '{name}', which is neither a state nor a parameter of '{system.name}'."
                + did_you_mean(name, known)
            )


def _check_names(value: Expr, system: System, what: str) -> None:
    known = [*system.states, *system.outputs, *system.known_parameters]
    for name in system.names_in([value]):
        owner, _, does = name.rpartition(".")
        if name not in known and any(one.name == owner for one in system.contacts) and does in _DONE:
            raise SimulationError(
                f"'{name}' is what contact '{owner}' of '{system.name}' does, and no formula that an {what} can watch: "
                f"mo.events['{name}'] has its times. To end a motion where the contact closes, watch '{owner}.gap'."
            )
        if name not in known:
            raise SimulationError(
                f"the {what} {ex.text(value)} uses '{name}', which '{system.name}' does not know."
                + did_you_mean(name, known)
            )


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
