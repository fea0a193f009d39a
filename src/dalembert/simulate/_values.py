"""Numbers for names: parameters and the initial state, from what the model says and what the caller changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean
from dalembert.simulate.system import System, Value


def parameter_values(system: System, given: Mapping[str, Value] | None, needed: Iterable[str] = ()) -> dict[str, float]:
    """A number for each parameter; `given` overrides the system's own. A formula may use the other parameters."""
    changes = dict(given or {})
    _check_names(changes, [*system.known_parameters, *needed], "parameter", system)
    values: dict[str, Value] = {**system.given, **changes}
    found = _resolve(values, "given")
    missing = [name for name in dict.fromkeys([*system.parameters, *needed]) if name not in found]
    if missing:
        raise SimulationError(
            f"no value for {_listing(missing)} of '{system.name}'. Give {'one' if len(missing) == 1 else 'them'}, "
            f"for example given={{'{missing[0]}': 1.0}}."
        )
    return found


def initial_state(
    system: System, start: Mapping[str, Value] | None, parameters: Mapping[str, float]
) -> NDArray[np.float64]:
    """The state to start from: `start` over the system's own; what neither says is zero, a quaternion no rotation."""
    changes = dict(start or {})
    _check_names(changes, system.states, "state", system)
    given: dict[str, Value] = {**system.start, **changes}
    _check_names(given, system.states, "state", system)
    values = _resolve(given, "start", parameters)
    for group in system.quaternions:
        if not any(name in values for name in group):
            values[group[0]] = 1.0
    return np.array([values.get(name, 0.0) for name in system.states])


def _resolve(values: Mapping[str, Value], what: str, known: Mapping[str, float] | None = None) -> dict[str, float]:
    """Evaluate formulas, each as soon as what it uses is known."""
    formulas: dict[str, Expr] = {}
    found: dict[str, float] = {}
    for name, value in values.items():
        formulas[name] = ex.parse(value) if isinstance(value, str) else ex.as_expr(value)
    numbers = {ex.symbol(name): value for name, value in (known or {}).items()}
    while formulas:
        ready = [name for name, e in formulas.items() if ex.free_symbols(e) <= numbers.keys()]
        if not ready:
            name, e = next(iter(formulas.items()))
            lacking = sorted(x.name for x in ex.free_symbols(e) - numbers.keys())
            raise SimulationError(f"{what}: '{name}' is {ex.text(e)}, but {_listing(lacking)} has no value.")
        for name, value in zip(ready, ex.evaluate([formulas[name] for name in ready], numbers), strict=True):
            if not np.isfinite(value):
                raise SimulationError(f"{what}: '{name}' is not a finite number.")
            found[name] = float(value)
            del formulas[name]
        if known is None:
            numbers |= {ex.symbol(name): found[name] for name in ready}
    return found


def _check_names(values: Mapping[str, Value], known: Iterable[str], kind: str, system: System) -> None:
    names = list(known)
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f" Known: {_listing(names)}." if names else ""
            raise SimulationError(f"'{name}' is not a {kind} of '{system.name}'.{hint}")


def _listing(names: Iterable[str], most: int = 12) -> str:
    shown = list(names)
    text = ", ".join(f"'{name}'" for name in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"
