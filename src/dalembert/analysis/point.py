"""Numbers for a question at one configuration: parameters, time, and the laws that must be known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dalembert import expr as ex
from dalembert.analysis.reduced import Reduction
from dalembert.dynamics import Dynamics
from dalembert.dynamics.numbers import check_names, giving, resolve, single
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism import Displacement, Layout, Model, Moment, check_numbers


def with_parameters(model: Model, at: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is given over the parameters of the motion that `at` is a moment of."""
    held = at.parameters if isinstance(at, Moment) else {}
    return {**{k: v for k, v in held.items() if k in model.parameters()}, **(given or {})}


def parameters_of(
    model: Model, given: Mapping[str, Any] | None, needed: Iterable[str] | None = None
) -> dict[str, float]:
    """A number for every parameter; `given` over what the model says."""
    check_names(given or {}, model.parameters(), "parameter", model.name)
    found = single(resolve({**model.given, **(given or {})}, "given"))
    counting = _that_count(model)
    found = {**{x: 0.0 for x in model.parameters() if x not in counting}, **found}
    missing = [x for x in (counting if needed is None else needed) if x not in found]
    if missing:
        raise ModelError(
            f"'{model.name}' needs values for {', '.join(missing)}: this is a question in numbers. "
            f"Give them, {giving(missing[0])}."
        )
    check_numbers(model, found)
    return found


def _that_count(model: Model) -> tuple[str, ...]:
    """All parameters but those that only say where the centre of a body without mass and inertia would be."""
    nothing = (ex.ZERO,) * 6
    bodies = {
        name: replace(body, iframe=Displacement()) if body.mass is ex.ZERO and body.inertia.entries == nothing else body
        for name, body in model.bodies.items()
    }
    return replace(model, bodies=bodies).parameters()


def numbers_of(dynamics: Dynamics, given: Mapping[str, Any] | None, t: float) -> dict[Expr, float]:
    """Parameters and time, by symbol."""
    values = parameters_of(dynamics.layout.model, given)
    return {**{ex.symbol(k): v for k, v in values.items()}, ex.TIME: t}


def time_of(reduction: Reduction, t: float | None, what: str) -> float:
    """The time at which a machine is held; one that changes with time must be told it."""
    if t is None and reduction.depends_on_time:
        raise ModelError(
            f"'{reduction.dynamics.layout.model.name}' changes with time: {what} are those of the machine held at one "
            "instant. Say which, t=0.0 for instance, on the command line --t 0."
        )
    return float(t or 0.0)


def check_slips(dynamics: Dynamics, values: Mapping[Expr, float]) -> None:
    """Dry friction has a direction where its contact slips: at rest it holds as much as is asked of it."""
    rows = dynamics.rows
    for k, speed in zip(rows.sliding, ex.evaluate([x.speed for x in rows.sliding.values()], dict(values)), strict=True):
        if speed == 0:
            raise ModelError(
                f"the contact '{rows.owners[k]}' of '{dynamics.layout.model.name}' does not slip at this state: "
                "whether it sticks is decided by a motion. Simulate from here, or ask at a state in which it slips."
            ).of([rows.owners[k]])


def check_laws(dynamics: Dynamics, why: str) -> None:
    unknown = sorted(ex.unknown_functions(list(dynamics.right_side)))
    if unknown:
        raise ModelError(f"the law {unknown[0]} is unknown: define it {why}.")


def check_speeds(layout: Layout, speeds: Mapping[str, float]) -> None:
    check_names(speeds, layout.speeds, "speed", layout.model.name)
