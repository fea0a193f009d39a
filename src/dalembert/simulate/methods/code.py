"""The machine code of a problem: addresses of its right-hand side, events, guards and projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.codegen.native import REPAID
from dalembert.errors import SimulationError
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import Callback, call_setup, joined
from dalembert.simulate.methods.memory import Memory, allocate
from dalembert.simulate.methods.problem import Array, NativeEvents, Problem
from dalembert.simulate.methods.schemes import Scheme


@dataclass(frozen=True, slots=True)
class Code:
    """Where the functions of a problem are; Python functions stand behind an address too."""

    problem: Problem
    size: int
    addresses: dict[int, int]
    events: NativeEvents | None

    @classmethod
    def of(cls, problem: Problem, size: int) -> Code:
        events = as_events(problem.events, size, problem.callbacks)
        addresses = {
            at.RHS: as_address(problem.rhs, size, problem.callbacks),
            at.PROJECT: getattr(problem.project, "address", problem.project),
            at.JACOBIAN: getattr(problem.jacobian, "address", problem.jacobian),
            at.EVENT: getattr(events, "address", 0),
            at.BOUNDS: getattr(events, "bounds", 0),
            at.GUARD: getattr(problem.guards, "address", 0),
        }
        return cls(problem, size, addresses, events)

    def memory(self, scheme: Scheme, keep: bool) -> Memory:
        """A block of memory in which the compiled loop finds them."""
        memory = allocate(
            scheme,
            self.size,
            self.addresses,
            quaternions=self.problem.quaternions,
            events=len(self.events.terminal) if self.events else 0,
            guards=self.problem.guards.count if self.problem.guards else 0,
            keep=keep,
        )
        if scheme.series:
            series = self.problem.series
            memory.bind(at.SERIES_ROOM, series.memory())
            slots = [at.ORDER, at.PARTS, at.SERIES, at.SUM, at.LOOK]
            addresses = (series.address, series.sum_address, series.look_address)
            memory.block[slots] = (series.order, series.parts, *addresses)
        if self.events is not None:
            memory[at.DIRECTION][: len(self.events.direction)] = self.events.direction
        return memory


def set_parameters(memory: Memory, rhs: Any, parameters: Array) -> None:
    """Give the parameters; a right-hand side that digests them once (`setup_address`) does so here."""
    memory.bind(at.P, parameters)
    setup = getattr(rhs, "setup_address", 0)
    if setup:
        kept = np.zeros(rhs.constants)
        call_setup(setup, parameters, kept)
        memory.bind(at.KEPT, kept)
        memory.block[at.RHS] = rhs.state_address


def improve(memory: Memory, rhs: Any) -> None:
    """Go on with optimised code where a run has been long enough to repay it; no digit changes."""
    if getattr(rhs, "quick", False) and memory.block[at.NFEV] > REPAID:
        rhs.improve()
        memory.block[at.RHS] = rhs.state_address or rhs.address


def as_address(rhs: Any, size: int, callbacks: list[Callback]) -> int:
    if isinstance(rhs, int | np.integer):
        return int(rhs)
    address = getattr(rhs, "address", None)
    if isinstance(address, int):
        return address
    if not callable(rhs):
        raise SimulationError(f"cannot integrate {rhs!r}: give an address, a compiled function, or a function f(t, y).")
    callbacks.append(Callback(rhs, size, size))
    return callbacks[-1].address


def as_events(events: Any, size: int, callbacks: list[Callback]) -> NativeEvents | None:
    """SciPy's convention: functions f(t, y), with attributes `terminal` (True or a count) and `direction`."""
    if events is None or isinstance(events, NativeEvents):
        return events
    functions = [events] if callable(events) else list(events)
    if not functions:
        return None
    callbacks.append(Callback(joined(functions), size, len(functions)))
    asked = [
        as_terms(getattr(f, "terminal", 0), getattr(f, "direction", 0.0), getattr(f, "__name__", "event"))
        for f in functions
    ]
    return NativeEvents(callbacks[-1].address, tuple(n for n, _ in asked), tuple(d for _, d in asked))


def as_terms(terminal: Any, direction: Any, name: str) -> tuple[int, float]:
    """How often an event may happen until it ends the motion (0: it never does), and in which direction."""
    count = 0 if terminal is None else terminal
    if not isinstance(count, bool | int | np.bool_ | np.integer) or count < 0:
        raise SimulationError(
            f"the event '{name}' has terminal={terminal!r}: True ends the motion at the first time, n at "
            "the n-th time, False never."
        )
    number = isinstance(direction, int | float | np.integer | np.floating) and not isinstance(direction, bool)
    if not number or not np.isfinite(direction):
        raise SimulationError(f"the event '{name}' has direction={direction!r}: +1 counts rises, -1 falls, 0 both.")
    return int(count), float(direction)
