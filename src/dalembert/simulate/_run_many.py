"""Simulate a system from many starts, with many parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.dynamics.numbers import count_of
from dalembert.errors import SimulationError
from dalembert.simulate._run import compiled, native_events, native_guards, native_jacobian, quaternion_rows
from dalembert.simulate._separable import check_separable
from dalembert.simulate._values import first_state, parameter_values
from dalembert.simulate.ensemble import Ensemble, integrate_many
from dalembert.simulate.event import resolve_events
from dalembert.simulate.methods import find_method
from dalembert.simulate.system import System


def run_many(
    system: System,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    method: str = "DOP853",
    events: Any = None,
    **options: Any,
) -> Ensemble:
    """Motions for arrays of starts and parameters: `run_many(arm, (0, 1), start={"elbow.th": angles}, t_eval=times)`.

    Arrays in `start` and `given` have one entry for each trajectory; what is a single number holds for all. Other
    options are those of `integrate_many`.
    """
    watched = resolve_events(events, system)
    if any(event.function is not None for event in watched):
        raise SimulationError("events of an ensemble are formulas or expressions, not Python functions.")
    chosen = find_method(method)
    needed = system.names_in([event.value for event in watched if event.value is not None])
    parameters = parameter_values(system, given, needed)
    first = first_state(system, start, given, parameters, float(t_span[0]), many=True).values
    names = system.known_parameters
    if chosen.symplectic:
        check_separable(system, {name: float(np.ravel(x)[0]) for name, x in parameters.items()}, chosen.name)
    values = [parameters.get(name, np.nan) for name in names]
    count = count_of({**first, **parameters})
    many = integrate_many(
        compiled("rates", system.symbols, names, system.rates),
        t_span,
        _columns(list(first.values()), count),
        _columns(values, count if any(np.ndim(x) for x in values) else 1),
        method=chosen.name,
        events=native_events(watched, system, None, []),
        guards=native_guards(system),
        jacobian=native_jacobian(system) if chosen.implicit else 0,
        project=system.project or 0,
        quaternions=quaternion_rows(system),
        **options,
    )
    return replace(many, names=system.states)


def _columns(values: list[Any], count: int) -> ArrayLike:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in values], axis=1) if values else ()
