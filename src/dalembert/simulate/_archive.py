"""A motion as arrays and back: expressions travel as a flat list, never as code or pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate._dense import DenseOutput, Manifold
from dalembert.simulate.motion import Motion
from dalembert.simulate.system import Condition, Picture, System

FORMAT = "dalembert-motion-1"
M = TypeVar("M", bound=Motion)
_PLAIN = ("event_names", "status", "message", "method", "nfev", "accepted", "rejected")


def pack(motion: Motion) -> dict[str, Any]:
    """Named arrays; everything that is not a table of numbers is JSON in `about`."""
    arrays: dict[str, Any] = {"t": motion.t, "y": motion.y}
    if motion.sol is not None:
        arrays |= {"step_t": motion.sol.t, "step_h": motion.sol.h, "step_y": motion.sol.y}
        if len(motion.sol.t) > 1:
            arrays["step_coefficients"] = motion.sol.coefficients
    for k, (times, states) in enumerate(zip(motion.t_events or [], motion.y_events or [], strict=True)):
        arrays |= {f"event_{k}_t": times, f"event_{k}_y": states}
    about = {"format": FORMAT, "system": _pack_system(motion.system), "parameters": dict(motion.parameters)}
    about |= {name: getattr(motion, name) for name in _PLAIN}
    arrays["about"] = np.array(json.dumps(about))
    return arrays


def unpack(kind: type[M], stored: Mapping[str, Any], path: str) -> M:
    """The motion that was packed."""
    try:
        about = json.loads(str(stored["about"]))
        known = about["format"] == FORMAT
    except (KeyError, ValueError, TypeError):
        known = False
    if not known:
        raise SimulationError(f"{path} is not a motion saved by dalembert.")
    system = _unpack_system(about["system"])
    names = tuple(about["event_names"])
    sol = None
    if "step_t" in stored:
        t, h, y = stored["step_t"], stored["step_h"], stored["step_y"]
        c = stored["step_coefficients"] if "step_coefficients" in stored else np.zeros((0, 1, y.shape[1]))
        groups = np.array([[system.states.index(x) for x in group] for group in system.quaternions], dtype=np.int64)
        sol = DenseOutput(t, h, y, c, Manifold(groups.reshape(-1, 4)))
    return kind(
        system=system,
        parameters=about["parameters"],
        t=stored["t"],
        y=stored["y"],
        sol=sol,
        t_events=[stored[f"event_{k}_t"] for k in range(len(names))] if names else None,
        y_events=[stored[f"event_{k}_y"] for k in range(len(names))] if names else None,
        **{name: about[name] for name in _PLAIN if name != "event_names"},
        event_names=names,
    )


def _pack_system(system: System) -> dict[str, Any]:
    energies = [e for e in (system.kinetic, system.potential) if e is not None]
    points = [x for picture in system.pictures for vector in picture.vectors for x in vector]
    conditions = [condition.value for condition in system.conditions]
    rows, results = ex.flatten([*system.rates, *energies, *conditions, *points, *system.outputs.values()])
    return {
        "name": system.name,
        "coordinates": system.coordinates,
        "speeds": system.speeds,
        "quaternions": system.quaternions,
        "energies": [system.kinetic is not None, system.potential is not None],
        "conditions": [[condition.meaning, condition.remedy] for condition in system.conditions],
        "pictures": [[p.name, len(p.points), bool(p.centre), bool(p.axes), p.fixed] for p in system.pictures],
        "up": system.up,
        "outputs": list(system.outputs),
        "given": {name: _pack_value(value) for name, value in system.given.items()},
        "start": {name: _pack_value(value) for name, value in system.start.items()},
        "rows": [[op, _pack_data(data), list(operands)] for op, data, operands in rows],
        "results": results,
    }


def _unpack_system(stored: Mapping[str, Any]) -> System:
    rows = [(op, _unpack_data(data), tuple(operands)) for op, data, operands in stored["rows"]]
    made = iter(ex.restore_many((rows, stored["results"])))
    states = [*stored["coordinates"], *stored["speeds"]]
    rates = tuple(next(made) for _ in states)
    kinetic, potential = (next(made) if there else None for there in stored["energies"])
    conditions = tuple(Condition(next(made), meaning, remedy) for meaning, remedy in stored["conditions"])
    pictures, up = [], stored["up"]
    for name, count, centred, turned, fixed in stored["pictures"]:
        points = tuple((next(made), next(made), next(made)) for _ in range(count))
        centre = (next(made), next(made), next(made)) if centred else None
        axes = [(next(made), next(made), next(made)) for _ in range(3)] if turned else None
        pictures.append(Picture(name, points, centre, (axes[0], axes[1], axes[2]) if axes else None, fixed))
    return System(
        coordinates=tuple(stored["coordinates"]),
        speeds=tuple(stored["speeds"]),
        rates=rates,
        given=stored["given"],
        start=stored["start"],
        kinetic=kinetic,
        potential=potential,
        quaternions=tuple((a, b, c, d) for a, b, c, d in stored["quaternions"]),
        conditions=conditions,
        pictures=tuple(pictures),
        outputs={name: next(made) for name in stored["outputs"]},
        up=(up[0], up[1], up[2]),
        name=stored["name"],
    )


def _pack_value(value: Any) -> Any:
    """A number stays a number; a formula becomes its text."""
    if isinstance(value, ex.Expr):
        return ex.text(value)
    return str(value) if isinstance(value, str | Fraction) else value


def _pack_data(data: Any) -> Any:
    if isinstance(data, Fraction):
        return {"fraction": str(data)}
    if isinstance(data, tuple):
        return {"tuple": [_pack_data(item) for item in data]}
    return data


def _unpack_data(data: Any) -> Any:
    if isinstance(data, dict):
        if "fraction" in data:
            return Fraction(data["fraction"])
        return tuple(_unpack_data(item) for item in data["tuple"])
    return data
