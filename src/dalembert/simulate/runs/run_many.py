"""Simulate a system from many starts, with many parameters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.dynamics.numbers import count_of
from dalembert.dynamics.scales import ATOL
from dalembert.errors import ArgumentError, SimulationError, warn
from dalembert.mechanism import Mechanism, Model
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.inputs import as_span, check_steps
from dalembert.simulate.methods.problem import FAILED, RTOL, Ensemble, Problem
from dalembert.simulate.methods.table import find_method
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.motion.quality import OPEN, QualityWarning, gaps
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.runs.rubbing import may_stick
from dalembert.simulate.runs.through_many import integrate_many_through
from dalembert.simulate.runs.touching_many import run_touching
from dalembert.simulate.system.branch import on_its_branch
from dalembert.simulate.system.compiled import (
    native_events,
    native_guards,
    native_projection,
    native_rates,
)
from dalembert.simulate.system.event import resolve_events
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.leaps import refuse_leaps
from dalembert.simulate.system.system import System
from dalembert.simulate.system.values import first_state, parameter_values


def run_many(
    system: System | Mechanism | Model,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    method: str | Method = "auto",
    t_eval: ArrayLike | None = None,
    events: Any = None,
    rtol: ArrayLike = RTOL,
    atol: ArrayLike | None = None,
    max_step: float = np.inf,
    first_step: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    impacts: str = "auto",
    tell: Callable[[Motion], Any] | None = None,
) -> Ensemble:
    """Motions for arrays of starts and parameters: `run_many(arm, (0, 1), start={"elbow.th": angles}, t_eval=times)`.

    Arrays in `start` and `given` have one entry for each trajectory; what is a single number holds for all. A failing
    trajectory does not stop the others. `t_eval` None gives the end of the span only. Machines with contacts go each
    through its own impacts and changes, in processes on all cores; the logs are `contacts` of the result, and
    `told` what `tell` makes of each of their motions.
    """
    system = system if isinstance(system, System) else system_of(system)
    system, _ = on_its_branch(system, start, given, as_span(t_span)[0], many=True)
    watched = resolve_events(events, system)
    if any(event.function is not None for event in watched):
        raise SimulationError("events of an ensemble are formulas or expressions, not Python functions.")
    if any(event.then is not None for event in watched):
        raise SimulationError("events of an ensemble change nothing: simulate one motion at a time to use `then`.")
    if threads is not None and threads < 1:
        raise ArgumentError(f"`threads` is a whole number, at least 1, not {threads}.")
    chosen = find_method(method)
    check_steps(as_span(t_span), max_step)
    if impacts != "auto" and not system.contacts:
        raise SimulationError(
            f"impacts='{impacts}' would change nothing: '{system.name}' has no contacts. Leave it out."
        )
    if each_alone(system, chosen):
        asked: Asked = {"method": chosen, "t_eval": t_eval, "events": events, "rtol": rtol, "atol": atol}
        asked |= {"max_step": max_step, "first_step": first_step, "progress": progress, "impacts": impacts}
        return run_touching(system, t_span, start, given, asked, threads, tell)
    needed = system.names_in([e for event in watched for e in event.needs])
    parameters = parameter_values(system, given, needed)
    first = first_state(system, start, given, parameters, float(t_span[0]), many=True).values
    one = {name: float(np.ravel(x)[0]) for name, x in parameters.items()}
    chosen.check(system, one)
    refuse_leaps(system, one, [float(np.ravel(x)[0]) for x in first.values()], as_span(t_span))
    values = [parameters.get(name, np.nan) for name in system.known_parameters]
    count = count_of({**first, **parameters})
    scales = system.scale_of(one, [float(np.ravel(x)[0]) for x in first.values()], float(t_span[0]))
    least = system.least_scale_of({**parameters, **first}, float(t_span[0]))
    if atol is None and (ATOL * scales > np.min(rtol) * least).any():  # more than all that a relative error may be
        warn(
            f"'{system.name}': the absolute tolerance of an ensemble is that of its first machine, which is "
            f"{np.max(scales / least):.3g} times as large as another: too loose for that one. Give `atol`, let the "
            "smallest machine be the first, or make ensembles of machines of about one size.",
            QualityWarning,
        )
    problem = Problem(
        native_rates(system),
        t_span,
        _columns(list(first.values()), count),
        _columns(values, count if any(np.ndim(x) for x in values) else 1),
        method=chosen.name,
        t_eval=t_eval,
        events=native_events(watched, system, None, []),
        rtol=rtol,
        atol=atol,
        scales=scales,
        max_step=max_step,
        first_step=first_step,
        guards=native_guards(system),
        project=native_projection(system),
        quaternions=system.quaternion_rows,
        progress=progress,
        corners=system.corners,
        **chosen.wants(system),
    )
    many = replace(integrate_many_through(system, problem, threads), names=system.states)
    for k, t in itertools.islice(many.slow.items(), 1):
        others = f", as {len(many.slow) - 1} others do" if len(many.slow) > 1 else ""
        warn(
            f"'{system.name}': trajectory {k} goes slowly through a singular posture at t = {t:.6g}{others}: its loops "
            "do not tell branches apart there, and it may lose energy (`slow` of the result names them all). Start "
            "beside that posture, or pass it faster.",
            QualityWarning,
        )
    open_by = gaps(system, many.t_last, many.y_last.T, parameters, apart=True)
    if open_by is None:
        return many
    return replace(many, status=np.where(open_by < OPEN, many.status, FAILED))


def _columns(values: list[Any], count: int) -> ArrayLike:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in values], axis=1) if values else ()


def each_alone(system: System, method: Method) -> bool:
    """Does every trajectory change its equations at instants of its own, by contacts or by friction that sticks?"""
    return bool(system.contacts) or (may_stick(system) and method.kind in ("explicit", "implicit"))
