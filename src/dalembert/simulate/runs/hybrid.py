"""A motion through its events: arcs integrated one after the other, joined by what events do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.problem import MESSAGES, Array, NativeEvents, Problem, Solution
from dalembert.simulate.motion.arcs import Arc, Jump
from dalembert.simulate.runs.passage import integrate_through
from dalembert.simulate.runs.reset import consistent
from dalembert.simulate.system.compiled import native_events, native_rates
from dalembert.simulate.system.event import ResolvedEvent, check_targets
from dalembert.simulate.system.system import System

_SHRINKING, _SHORT = 20, 1e-6
"""So many arcs in a row, each shorter than the one before and than this share of the longest: they pile up (Zeno)."""
_CHATTERING, _INSTANT = 50, 1e-9
"""So many arcs in a row, all shorter than this share of the longest: the motion does not get on."""
_PROBE = 1e-4
"""Share of a step by which an event is looked at ahead, to know the sign with which it is left."""
_ROUNDED = 0.01
"""Share of the largest coordinate, or speed, within which people round what they ask for."""

Parameters = Mapping[str, float]


@dataclass(eq=False)
class Journey:
    """Arcs and jumps so far, the events found on them, and how the last arc ended."""

    arcs: list[Arc] = field(default_factory=list)
    jumps: list[Jump] = field(default_factory=list)
    times: list[list[Array]] = field(default_factory=list)
    states: list[list[Array]] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    nfev: int = 0
    accepted: int = 0
    rejected: int = 0
    last: Solution | None = None
    piled: str = ""
    remarks: list[str] = field(default_factory=list)

    def add(self, solution: Solution, parameters: Parameters, begin: float) -> None:
        self.arcs.append(Arc(solution.t, solution.y, parameters, solution.sol, low=solution.low))
        self.lengths.append(abs(solution.t_last - begin))
        for k, (t, y) in enumerate(zip(solution.t_events or [], solution.y_events or [], strict=True)):
            self.times[k].append(t)
            self.states[k].append(y)
        self.nfev += solution.nfev
        self.accepted += solution.accepted
        self.rejected += solution.rejected
        self.remarks += [one for one in solution.remarks if one not in self.remarks]
        self.last = solution


def travel(
    system: System,
    problem: Problem,
    watched: Sequence[ResolvedEvent],
    parameters: Parameters,
    switch: Callable[[Parameters], Parameters],
) -> Journey:
    """Integrate from event to event that changes something; `switch` gives all parameters after some have changed."""
    journey = Journey(times=[[] for _ in watched], states=[[] for _ in watched])
    left = [event.terminal for event in watched]
    end, grid = as_span(problem.span)[1], as_grid(problem.t_eval, as_span(problem.span))
    happened: list[int] = []
    step, switched = 0.0, dict[str, float]()
    try:
        while True:
            now, look = _armed(system, problem, watched, left, parameters, grid)
            left_at = [k for k in happened if not watched[k].renewed]
            leaving = look.leaving(left_at, step)
            solution = integrate_through(system, replace(now, leaving=leaving) if leaving else now)
            acting = solution.reason == at.TERMINAL and watched[solution.culprit].then is not None
            told = solution.t_events or []
            happened = [solution.culprit, *look.together(solution, watched)] if acting else []
            untold = [k for k in happened[1:] if not (len(told[k]) and told[k][-1] == solution.t_last)]
            for k, found in enumerate(told):
                left[k] -= min(left[k], len(found) + (k in untold))
            goes_on = acting and not any(watched[k].terminal > 0 and left[k] == 0 for k in happened)
            if grid is not None and goes_on:
                solution, grid = shared(solution, grid, end)
            journey.add(solution, parameters, now.span[0])
            for other in untold:
                journey.times[other].append(np.array([solution.t_last]))
                journey.states[other].append(solution.y_last[None])
            if not goes_on:
                return journey
            if solution.sol is not None:
                _ = solution.sol.coefficients  # makes the steps again now, so that the memory of the arc can go
            y, touched, new = changed(system, watched, happened, solution, parameters)
            if new:
                switched |= new
                parameters = switch(switched)
            name, asked = " and ".join(watched[k].name for k in happened), y
            y = consistent(system, replace(now, parameters=values_of(system, parameters)), solution.t_last, y, touched)
            _refuse_moved(system, name, solution, asked, y, touched)
            before, after = (dict(zip(system.states, x.tolist(), strict=True)) for x in (solution.y_last, y))
            journey.jumps.append(Jump(solution.t_last, before, after, name, new))
            begin = _behind_corner(now, solution.t_last)
            grid = None if grid is None else (np.maximum if end >= begin else np.minimum)(grid, begin)
            problem = replace(problem, span=(begin, end), y0=y)
            step = journey.lengths[-1] / max(1, solution.accepted)
            journey.piled = _piled(journey.lengths, name)
            if journey.piled:
                return journey
    except KeyboardInterrupt:  # between two arcs: what was computed is kept, as within one
        if journey.last is None:
            raise
        status, message = MESSAGES[at.STOPPED]
        journey.last = replace(journey.last, status=status, message=message, reason=at.STOPPED)
        return journey


def _armed(
    system: System,
    problem: Problem,
    watched: Sequence[ResolvedEvent],
    left: Sequence[int],
    parameters: Parameters,
    grid: Array | None,
) -> tuple[Problem, _Look]:
    """The problem of the next arc: events that act end it."""
    values, callbacks = values_of(system, parameters), list[Any]()
    armed = [replace(e, terminal=1 if e.then is not None else k) for e, k in zip(watched, left, strict=True)]
    events = native_events(armed, system, values, callbacks)
    now = replace(problem, parameters=values, t_eval=grid, events=events, callbacks=callbacks)
    return now, _Look(system, now, events)


def _behind_corner(problem: Problem, t: float) -> float:
    """Where the next arc begins: behind what jumps with time at the instant of the event that this jump has caused."""
    begin, end = as_span(problem.span)
    near = 64 * at.EPS * max(abs(begin), abs(end - begin), abs(t))  # as of events at one instant
    corners = problem.corners(problem.parameters, (begin, end)) if problem.corners else ()
    here = [c for c in corners if abs(c - t) <= near]
    return float(np.nextafter(max(t, *here) if end >= begin else min(t, *here), end)) if here else t


def values_of(system: System, parameters: Parameters) -> Array:
    return np.array([parameters.get(name, np.nan) for name in system.known_parameters])


def shared(solution: Solution, grid: Array, end: float) -> tuple[Solution, Array]:
    """What is asked for at the very time of a jump is told by the arc after it."""
    sense = 1.0 if end >= solution.t_last else -1.0
    here = sense * solution.t < sense * solution.t_last
    return replace(solution, t=solution.t[here], y=solution.y[:, here]), grid[sense * grid >= sense * solution.t_last]


class _Look:
    """Events seen from one state."""

    def __init__(self, system: System, problem: Problem, events: NativeEvents | None) -> None:
        self.system, self.problem, self.events = system, problem, events

    def values(self, t: float, y: Any) -> Array:
        assert self.events is not None
        found: Array = call_address(self.events.address, t, y, self.problem.parameters, len(self.events.terminal))
        return found

    def ahead(self, t: float, y: Array, step: float) -> Array:
        """Values after a short step (Heun)."""
        rates, p = native_rates(self.system), self.problem.parameters
        slope = np.array(rates([t], y, p))
        further = np.array(rates([t + step], y + step * slope, p))
        return self.values(t + step, y + step * (slope + further) / 2)

    def leaving(self, fired: Sequence[int] = (), step: float = 0.0) -> dict[int, float]:
        """The sign that each event gets which is zero at the start, or was when it happened."""
        if self.events is None:
            return {}
        (t, end), y = self.problem.span, np.asarray(self.problem.y0, dtype=float)
        here = self.values(t, y)
        asked = [k for k in range(len(here)) if k in fired or here[k] == 0.0]
        if not asked or t == end:
            return {}
        length = abs(end - t)
        there = self.ahead(t, y, np.copysign(_PROBE * min(step or length / 1000, length), end - t))
        return {k: float(np.sign(there[k] - here[k])) for k in asked if there[k] != here[k] and np.isfinite(there[k])}

    def together(self, solution: Solution, watched: Sequence[ResolvedEvent]) -> list[int]:
        """Other events that change something within rounding of the same instant, on their way through zero."""
        if self.events is None or sum(event.then is not None for event in watched) < 2:
            return []
        t, y, (begin, end) = solution.t_last, solution.y_last, self.problem.span
        near = 64 * at.EPS * max(abs(begin), abs(end - begin), abs(t))
        here = self.values(t, y)
        step = np.copysign(_PROBE * abs(t - begin) / max(1, solution.accepted), end - begin)
        slope = (self.ahead(t, y, step) - here) / step if step else np.zeros_like(here)
        found = []
        for k, event in enumerate(watched):
            told = (solution.t_events or [])[k]
            passing = abs(here[k]) <= abs(slope[k]) * near and event.direction * slope[k] * np.sign(end - begin) >= 0
            if k != solution.culprit and event.then is not None and (passing or (len(told) and told[-1] == t)):
                found.append(k)
        return found


def changed(
    system: System,
    watched: Sequence[ResolvedEvent],
    happened: Sequence[int],
    solution: Solution,
    parameters: Parameters,
) -> tuple[Array, set[str], dict[str, float]]:
    """The state and the parameters that the events ask for; the later ones see what the earlier ones did."""
    y, touched, switched = solution.y_last.copy(), set[str](), dict[str, float]()
    for number in happened:
        event = watched[number]
        state = dict(zip(system.states, map(float, y), strict=True))
        if isinstance(event.then, Mapping):
            known = {ex.symbol(k): v for k, v in {**parameters, **switched, **state}.items()}
            found = ex.evaluate(list(event.then.values()), {**known, ex.TIME: solution.t_last})
            new = dict(zip(event.then, map(float, found), strict=True))
        else:
            assert event.then is not None
            new = {name: float(value) for name, value in dict(event.then(solution.t_last, state) or {}).items()}
            check_targets(new, system, event.name)
        for name, value in new.items():
            if not np.isfinite(value):
                raise SimulationError(
                    f"the event '{event.name}' gives '{name}' the value {value} at t = {solution.t_last:.6g}: "
                    "it must be a finite number."
                )
            if name in state:
                y[system.states.index(name)] = value
                touched.add(name)
            else:
                switched[name] = value
    return y, touched, switched


def _refuse_moved(
    system: System, name: str, solution: Solution, asked: Array, y: Array, touched: Collection[str]
) -> None:
    """Values that an event asks for and the closed loops do not allow are an error that names them."""
    if system.constrained is None:
        return
    sizes, count = np.abs([solution.y_last, asked, y]).max(axis=0), len(system.coordinates)
    sizes[:count], sizes[count:] = sizes[:count].max(initial=1e-9), sizes[count:].max(initial=1e-9)
    far = dict(zip(system.states, np.abs(y - asked) > _ROUNDED * sizes, strict=True))
    moved = [
        f"{state} = {asked[i]:.6g} becomes {y[i]:.6g}"
        for i, state in enumerate(system.states)
        if far[state] and state in set(touched).difference(*system.quaternions)
    ]
    if moved:
        raise SimulationError(
            f"the event '{name}' of '{system.name}' asks at t = {solution.t_last:.6g} for what its closed loops do not "
            f"allow: {', '.join(moved)}. Ask for fewer of them, then the rest follows."
        )


def _piled(history: Sequence[float], name: str) -> str:
    """Do the last arcs pile up at one instant? Then a sentence that says so."""
    if len(history) < _SHRINKING:
        return ""
    lengths = np.array(history)
    longest, last = lengths.max(), lengths[-_SHRINKING:]
    shrinking = (last < _SHORT * longest).all() and (np.diff(last) <= 0).all()
    instant = len(lengths) >= _CHATTERING and (lengths[-_CHATTERING:] < _INSTANT * longest).all()
    if not (shrinking or instant):
        return ""
    total = float(last.sum())
    return f"the event '{name}' happens faster and faster: the last {_SHRINKING} times within {total:.2g}"
