"""Numbers for names: parameters and the initial state, from what the model says and what the caller changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean
from dalembert.simulate.system import System


def parameter_values(system: System, given: Mapping[str, Any] | None, needed: Iterable[str] = ()) -> dict[str, Any]:
    """A number for each parameter; `given` overrides the system's own. A formula may use the other parameters.

    Arrays are numbers too, one for each trajectory of an ensemble.
    """
    changes = dict(given or {})
    _check_names(changes, [*system.known_parameters, *needed], "parameter", system)
    values: dict[str, Any] = {**system.given, **changes}
    found = _resolve(values, "given")
    missing = [name for name in dict.fromkeys([*system.parameters, *needed]) if name not in found]
    if missing:
        raise SimulationError(
            f"no value for {_listing(missing)} of '{system.name}'. Give {'one' if len(missing) == 1 else 'them'}, "
            f"for example given={{'{missing[0]}': 1.0}}."
        )
    return found


def initial_values(
    system: System, start: Mapping[str, Any] | None, parameters: Mapping[str, Any]
) -> list[float | NDArray[np.float64]]:
    """What each state starts from: `start` over the system's own; else zero, and no rotation for a quaternion."""
    changes = dict(start or {})
    _check_names(changes, system.states, "state", system)
    given: dict[str, Any] = {**system.start, **changes}
    _check_names(given, system.states, "state", system)
    values = _resolve(given, "start", parameters)
    for group in system.quaternions:
        if not any(name in values for name in group):
            values[group[0]] = 1.0
    return [values.get(name, 0.0) for name in system.states]


def _resolve(values: Mapping[str, Any], what: str, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Evaluate formulas, each as soon as what it uses is known."""
    formulas: dict[str, Expr] = {}
    found: dict[str, Any] = {}
    numbers: dict[Expr, Any] = {ex.symbol(name): value for name, value in (known or {}).items()}
    for name, value in values.items():
        if isinstance(value, int | float):
            found[name] = _finite(float(value), what, name)
        elif isinstance(value, str):
            formulas[name] = ex.parse(value)
        elif np.ndim(value):
            found[name] = _finite(np.array(value, dtype=float), what, name)
        else:
            formulas[name] = ex.as_expr(value.item() if isinstance(value, np.generic) else value)
    if known is None:
        numbers |= {ex.symbol(name): value for name, value in found.items()}
    while formulas:
        ready = [name for name, e in formulas.items() if ex.free_symbols(e) <= numbers.keys()]
        if not ready:
            name, e = next(iter(formulas.items()))
            lacking = sorted(x.name for x in ex.free_symbols(e) - numbers.keys())
            raise SimulationError(f"{what}: '{name}' is {ex.text(e)}, but {_listing(lacking)} has no value.")
        for name, value in zip(ready, ex.evaluate([formulas[name] for name in ready], numbers), strict=True):
            found[name] = _finite(value, what, name)
            del formulas[name]
        if known is None:
            numbers |= {ex.symbol(name): found[name] for name in ready}
    return found


def _finite(value: Any, what: str, name: str) -> Any:
    if not (math.isfinite(value) if isinstance(value, float) else np.isfinite(value).all()):
        raise SimulationError(f"{what}: '{name}' is not a finite number.")
    return value


def _check_names(values: Mapping[str, Any], known: Iterable[str], kind: str, system: System) -> None:
    names = list(known)
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f" Known: {_listing(names)}." if names else ""
            raise SimulationError(f"'{name}' is not a {kind} of '{system.name}'.{hint}")


def _listing(names: Iterable[str], most: int = 12) -> str:
    shown = list(names)
    text = ", ".join(f"'{name}'" for name in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"


def single(values: Mapping[str, Any]) -> dict[str, float]:
    """The same values, none of them an array."""
    for name, value in values.items():
        if np.ndim(value):
            raise SimulationError(f"'{name}' has {np.size(value)} values; one motion takes one, run_many takes many.")
    return {name: float(value) for name, value in values.items()}
