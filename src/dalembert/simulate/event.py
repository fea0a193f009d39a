"""Events: what a motion is watched for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean
from dalembert.simulate.system import System

Watch = Expr | str | Callable[[float, Any], float]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens when `when` passes through zero, or when a comparison becomes true.

    `when` is an expression, a formula such as `"elbow.th - pi/2"` or `"ball.z < 0"`, or a function f(t, y). `terminal`
    ends the motion at the first time (True) or at the n-th; `direction` +1 counts only rises, -1 only falls.
    """

    when: Watch
    terminal: bool | int = False
    direction: float = 0.0
    name: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedEvent:
    """An event whose formula has become an expression, or that is a Python function."""

    name: str
    value: Expr | None
    function: Callable[[float, Any], float] | None
    terminal: int
    direction: float


def resolve_events(events: Any, system: System) -> list[ResolvedEvent]:
    """What the caller wrote, one or several, made explicit; names that the system does not know are errors."""
    if events is None:
        return []
    if isinstance(events, Mapping):
        named = [(name, event) for name, event in events.items()]
        return [_resolve(event, system, name) for name, event in named]
    many = events if isinstance(events, Sequence) and not isinstance(events, str) else [events]
    return [_resolve(event, system, "") for event in many]


def _resolve(event: Any, system: System, name: str) -> ResolvedEvent:
    if not isinstance(event, Event):
        event = Event(event, getattr(event, "terminal", False), getattr(event, "direction", 0.0), name)
    name, terminal, direction = event.name or name, int(event.terminal or 0), float(event.direction)
    when = event.when
    if isinstance(when, str):
        name = name or when
        when = ex.parse(when)
    if isinstance(when, Expr):
        if when.op in ("lt", "le", "eq"):  # a < b becomes true when a - b falls through zero
            direction = direction or (0.0 if when.op == "eq" else -1.0)
            name = name or ex.text(when)
            when = when.args[0] - when.args[1]
        (when,) = system.with_outputs([when])
        _check_names(when, system)
        return ResolvedEvent(name or ex.text(when)[:80], when, None, terminal, direction)
    if callable(when):
        return ResolvedEvent(name or getattr(when, "__name__", "event"), None, when, terminal, direction)
    raise SimulationError(f"{when!r} cannot be an event: give a formula, an expression, or a function f(t, y).")


def _check_names(value: Expr, system: System) -> None:
    known = [*system.states, *system.outputs, *system.known_parameters]
    for name in system.names_in([value]):
        if name not in known:
            raise SimulationError(
                f"the event {ex.text(value)} uses '{name}', which '{system.name}' does not know."
                + did_you_mean(name, known)
            )
