"""Numbers for names: parameters and the initial state, from what the model says and what the caller changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dalembert import expr as ex
from dalembert.dynamics.numbers import at_time, check_names, listing, no_value, resolve, single
from dalembert.dynamics.start import Start, closed_start, closed_starts
from dalembert.errors import SimulationError, warn
from dalembert.expr import Expr
from dalembert.mechanism import Model, check_numbers, did_you_mean, open_fields
from dalembert.simulate.system.system import System


def parameter_values(system: System, given: Mapping[str, Any] | None, needed: Iterable[str] = ()) -> dict[str, Any]:
    """A number for each parameter; `given` overrides the system's own. A formula may use the other parameters.

    Arrays are numbers too, one for each trajectory of an ensemble.
    """
    changes = dict(given or {})
    check_names(changes, [*system.known_parameters, *needed], "parameter", system.name)
    values: dict[str, Any] = {**system.given, **changes}
    found = resolve(values, "given")
    missing = [name for name in dict.fromkeys([*system.parameters, *needed]) if name not in found]
    model = system.layout.model if system.layout is not None else None
    if missing:
        raise SimulationError(no_value(missing, system.name) + (open_fields(model, missing) if model else ""))
    if model is not None:
        check_numbers(model, found)
        warn_of_idle(model, needed)
    return found


def warn_of_idle(model: Model, needed: Iterable[str]) -> None:
    """A number that the model gives to a name which nothing uses is most often a misspelt one."""
    values: list[Any] = [*model.given.values(), *model.start.values()]
    formulas = [ex.parse(x) if isinstance(x, str) else x for x in values if isinstance(x, str | Expr)]
    used = {*model.symbols, *needed, *(x.name for x in ex.free_symbols(formulas))}
    idle = [name for name in model.given if name not in used]
    if idle:
        hint = did_you_mean(idle[0], model.parameters())
        warn(f"'{model.name}' gives a value to {listing(idle)}, which nothing uses.{hint}")


@ex.uncollected()
def first_state(
    system: System,
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    parameters: Mapping[str, Any],
    t: float,
    *,
    many: bool = False,
) -> Start:
    """What each state starts from: a mechanism's closed start; else `start` over the system's own, and zero."""
    if system.layout is not None:
        found = (closed_starts if many else closed_start)(system.layout, start, given, t)
    else:
        changes = dict(start or {}) if "t" in system.states else at_time(start, t, system.name)
        values: dict[str, Any] = {**system.start, **changes}
        check_names(values, system.states, "state", system.name)
        values = resolve(values, "start", parameters)
        for group in system.quaternions:
            if not any(name in values for name in group):
                values[group[0]] = 1.0
        first = {name: values.get(name, 0.0) for name in system.states}
        found = Start(first if many else single(first))
    return found.say(system.name)
