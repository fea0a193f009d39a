"""Numbers for names: parameters and the initial state, from what the model says and what the caller changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.numbers import check_names, listing, resolve
from dalembert.errors import SimulationError
from dalembert.simulate.system import System


def parameter_values(system: System, given: Mapping[str, Any] | None, needed: Iterable[str] = ()) -> dict[str, Any]:
    """A number for each parameter; `given` overrides the system's own. A formula may use the other parameters.

    Arrays are numbers too, one for each trajectory of an ensemble.
    """
    changes = dict(given or {})
    check_names(changes, [*system.known_parameters, *needed], "parameter", system.name)
    values: dict[str, Any] = {**system.given, **changes}
    found = resolve(values, "given")
    missing = [name for name in dict.fromkeys([*system.parameters, *needed]) if name not in found]
    if missing:
        raise SimulationError(
            f"no value for {listing(missing)} of '{system.name}'. Give {'one' if len(missing) == 1 else 'them'}, "
            f"for example given={{'{missing[0]}': 1.0}}."
        )
    return found


def initial_values(
    system: System, start: Mapping[str, Any] | None, parameters: Mapping[str, Any]
) -> list[float | NDArray[np.float64]]:
    """What each state starts from: `start` over the system's own; else zero, and no rotation for a quaternion."""
    changes = dict(start or {})
    check_names(changes, system.states, "state", system.name)
    given: dict[str, Any] = {**system.start, **changes}
    check_names(given, system.states, "state", system.name)
    values = resolve(given, "start", parameters)
    for group in system.quaternions:
        if not any(name in values for name in group):
            values[group[0]] = 1.0
    return [values.get(name, 0.0) for name in system.states]
