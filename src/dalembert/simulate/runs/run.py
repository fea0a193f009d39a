"""Simulate a system: compile, start, integrate, and give a motion or an error that says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dalembert.dynamics.numbers import single
from dalembert.errors import CouplingError, LimitError, SimulationError
from dalembert.limits import working
from dalembert.simulate.contact.moreau_jean import contact_machine
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.loop.layout import SINGULAR
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.inputs import as_grid, as_span, check_steps
from dalembert.simulate.methods.problem import FAILED, RTOL, Problem, Solution
from dalembert.simulate.methods.table import find_method, integrate
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.diagnosis import diagnose
from dalembert.simulate.runs.hybrid import Journey, travel
from dalembert.simulate.runs.rubbing import beside_contacts, rubbing
from dalembert.simulate.system.branch import check_switch, on_its_branch
from dalembert.simulate.system.compiled import native_guards, native_projection, native_rates
from dalembert.simulate.system.event import ResolvedEvent, resolve_events
from dalembert.simulate.system.leaps import refuse_leaps
from dalembert.simulate.system.system import System, Value
from dalembert.simulate.system.values import first_state, parameter_values

M = TypeVar("M", bound=Motion)
_ROUNDS = 10
_TOLD = 3
"""Remarks about contacts in a message; all of them are in `motion.contacts`."""


def run(
    system: System,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    method: str | Method = "auto",
    t_eval: ArrayLike | None = None,
    events: Any = None,
    rtol: ArrayLike = RTOL,
    atol: ArrayLike | None = None,
    max_step: float = np.inf,
    first_step: float | None = None,
    dense_output: bool | None = None,
    progress: bool | None = None,
    impacts: str = "auto",
    kind: type[M] | None = None,
) -> M:
    """The motion of a system over `t_span`, from `start`, with the parameters `given`.

    `events`, one or several, are formulas (`"elbow.th - 1"`, `"ball.z < 0"`), expressions, `Event`s or functions
    f(t, y). A singular mass matrix or chart, or a step size that collapses, raises SimulationError; the motion so far
    is its `partial`. Where the closure of a mechanism is singular along the whole motion, relations that its loops
    force are kept too. Ctrl-C ends the run quietly and returns what was computed, with `status` 2. `kind` is the class
    of the result. `atol` None is 1e-10 in parts of each state's scale: a radian, or the size of the machine.

    >>> from dalembert import expr as ex
    >>> x, v, k = ex.symbols("x x' k")
    >>> spring = System(("x",), ("x'",), (v, -k * x), given={"k": 4}, start={"x": 1})
    >>> round(float(run(spring, (0, 3.141592653589793))["x"][-1]), 6)
    1.0
    """
    result: Any = kind or Motion
    system, branch = on_its_branch(system, start, given, as_span(t_span)[0])
    chosen = find_method(method)
    check_steps(as_span(t_span), max_step)
    rubs = rubbing(system) if chosen.kind in ("explicit", "implicit") else None
    system = rubs.system if rubs else beside_contacts(system) if chosen.kind in ("explicit", "implicit") else system
    watched = resolve_events(events, system)
    if rubs:
        watched = [*map(rubs.followed, watched), *rubs.events()]
    needed = system.names_in([e for event in watched for e in event.needs])
    parameters = single(parameter_values(system, given, needed))
    first = first_state(system, start, given, parameters, as_span(t_span)[0])
    y0 = list(first.values.values())
    if not system.states:
        still = _prescribed(t_span, t_eval, parameters)
        return result(system, (still,), method=chosen.name, message="there is nothing to integrate")
    chosen.check(system, parameters)
    refuse_leaps(system, parameters, y0, as_span(t_span))
    scales = system.scale_of(parameters, y0, float(t_span[0]))
    if rubs:
        begun = rubs.begin(as_span(t_span), y0, parameters, scales, float(np.max(rtol)))
        given, parameters = {**(given or {}), **begun}, {**parameters, **begun}
        rubs.parameters = parameters
    problem = Problem(
        native_rates(system),
        as_span(t_span),
        y0,
        method=chosen,
        t_eval=t_eval,
        rtol=rtol,
        atol=atol,
        scales=scales,
        max_step=max_step,
        first_step=first_step,
        dense_output=dense_output,
        guards=native_guards(system),
        project=native_projection(system),
        quaternions=system.quaternion_rows,
        progress=progress,
        corners=system.corners,
        **chosen.wants(system),
    )

    def switch(changes: Mapping[str, float]) -> Mapping[str, float]:
        check_switch(system, changes)
        return single(parameter_values(system, {**(given or {}), **changes}, needed))

    if system.contacts and chosen.kind in ("explicit", "implicit"):
        from dalembert.simulate.contact.travel import Trip

        problem = replace(problem, balance=contact_machine(system))
        trip = Trip(system, problem, watched, parameters, switch, impacts)
        try:
            with working(f"the simulation of '{system.name}'", seconds=None):
                journey = trip.go()
        except (SimulationError, LimitError) as stopped:
            error = stopped if isinstance(stopped, SimulationError) else SimulationError(str(stopped))
            if error.partial is None and trip.journey.last is not None:  # the motion so far is kept
                trip.journey.piled = str(error)
                error.partial = _motion(result, system, problem, watched, trip.journey, "")
            raise error from None
    else:
        if impacts != "auto":
            why = f"method '{chosen.name}' has its own law" if system.contacts else f"'{system.name}' has no contacts"
            raise SimulationError(f"impacts='{impacts}' would change nothing: {why}. Leave it out.")
        journey = travel(system, problem, watched, parameters, rubs.switching(switch) if rubs else switch)
    said = "; ".join(filter(None, [first.message, branch]))
    return _told(result, system, problem, watched, journey, said)


def _told(
    result: Any, system: System, problem: Problem, watched: Sequence[ResolvedEvent], journey: Journey, moved: str
) -> Any:
    """The motion, or the error that has it as `partial`."""
    solution, names = journey.last, tuple(event.name for event in watched)
    assert solution is not None
    motion = _motion(result, system, problem, watched, journey, moved)
    if journey.piled:
        remedy = (
            "step through it (method='moreau'), or give impacts less restitution"
            if system.contacts
            else "end the motion with this event (terminal=n), or let `then` switch to equations that hold afterwards"
        )
        raise SimulationError(
            f"the simulation of '{system.name}' stopped at t = {solution.t_last:.9g}: {journey.piled}.\n"
            f"  What to do: {remedy}. The motion until then is in the error's `partial`.",
            partial=motion,
        )
    if solution.status == FAILED:
        parameters = journey.arcs[-1].parameters
        if solution.reason == SINGULAR:
            values = np.array([parameters.get(name, np.nan) for name in system.known_parameters])
            solution = _approached(solution, replace(problem, parameters=values, t_eval=None))
        first = np.asarray(problem.y0, dtype=float)
        message, broken = diagnose(system, parameters, solution, names, first)
        if broken is not None and broken.coupling:
            raise CouplingError(message, partial=motion)
        raise SimulationError(message, partial=motion, vanished=None if broken is None else broken.value)
    return motion


def _motion(
    result: Any, system: System, problem: Problem, watched: Sequence[ResolvedEvent], journey: Journey, moved: str
) -> Any:
    solution = journey.last
    assert solution is not None
    ended = journey.piled or _message(solution, watched)
    return result(
        system,
        tuple(journey.arcs),
        tuple(journey.jumps),
        t_events=[np.concatenate(times) for times in journey.times] if watched else None,
        y_events=[np.concatenate(states) for states in journey.states] if watched else None,
        event_names=tuple(event.name for event in watched),
        status=FAILED if journey.piled else solution.status,
        message="; ".join(filter(None, [ended, moved, *journey.remarks, *_remarks(problem)])),
        method=solution.method,
        nfev=journey.nfev,
        accepted=journey.accepted,
        rejected=journey.rejected,
        contacts=getattr(problem.balance, "log", None),
    )


def _remarks(problem: Problem) -> list[str]:
    """What contacts have to say, the first of it."""
    log = getattr(problem.balance, "log", None)
    return [] if log is None else log.remarks[:_TOLD]


def _approached(solution: Solution, problem: Problem) -> Solution:
    """The same end seen from nearer: steps towards a condition that vanishes, made shorter and shorter."""
    end = problem.span[1]
    step = abs(end - solution.t_last)
    for _ in range(_ROUNDS):
        step /= 8
        here: dict[str, Any] = {"span": (solution.t_last, end), "y0": solution.y_last, "max_step": step}
        near = integrate(replace(problem, **here, first_step=None, progress=False))
        if near.reason != SINGULAR:
            break
        solution = replace(solution, t_last=near.t_last, y_last=near.y_last)
    return solution


def _prescribed(t_span: tuple[float, float], t_eval: ArrayLike | None, parameters: Mapping[str, float]) -> Arc:
    """The times of a motion without states, all of it prescribed by time: it can still be looked at."""
    span = as_span(t_span)
    grid = as_grid(t_eval, span)
    t = np.linspace(*span, 201 if span[0] != span[1] else 1) if grid is None else grid
    ends = np.array(span) if span[0] != span[1] else np.array(span[:1])
    steps = len(ends) - 1
    none = np.zeros((len(ends), 0))
    sol = DenseOutput(ends, np.diff(ends), none, np.zeros((steps, 1, 0)), Manifold(np.zeros((0, 4), dtype=np.int64)))
    return Arc(t, np.zeros((0, len(t))), parameters, sol)


def _message(solution: Solution, watched: Sequence[ResolvedEvent]) -> str:
    if solution.status == 1:
        return f"the event '{watched[solution.culprit].name}' ended the motion at t = {solution.t_last:.6g}"
    if solution.status == 2:
        return f"stopped by Ctrl-C at t = {solution.t_last:.6g}; what was computed is kept"
    return solution.message
