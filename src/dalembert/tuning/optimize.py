"""The parameters, starts and inputs for which a number of the motion is least, by exact gradients."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.numbers import single
from dalembert.errors import ArgumentError, DalembertError
from dalembert.mechanism import Mechanism, Model
from dalembert.presentation.told import Told
from dalembert.simulate import Motion, System
from dalembert.simulate.runs.adjoint import Adjoint, adjoint
from dalembert.simulate.runs.answering import size_of
from dalembert.simulate.system.values import first_state, parameter_values
from dalembert.tuning.objective import Objective, came_to, system_for
from dalembert.tuning.steering import Spline, steered

Array = NDArray[np.float64]
Bounds = tuple[float | None, float | None] | None
_RELATION = re.compile(r"(<=|>=|==|=)")


@dataclass(frozen=True)
class Optimum(Told):
    """Where the objective is least: `values` of what was varied, `inputs` as splines, the motion there.

    `success` says whether the optimiser is content, `message` in its own words; `kept` are the constraints with how
    far each is from being just so (of an equation, what is left of it).
    """

    objective: str
    value: float
    values: Mapping[str, float]
    motion: Motion
    success: bool
    message: str
    runs: int
    kept: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Spline] = field(default_factory=dict)

    def input(self, name: str, t: Any) -> Array:
        """An input at times."""
        if name not in self.inputs:
            raise ArgumentError(f"'{name}' is no input; there are {', '.join(self.inputs) or 'none'}.")
        return self.inputs[name].at(t, self.values)

    def as_dict(self) -> dict[str, Any]:
        return {
            "objective": self.objective,
            "value": self.value,
            "values": dict(self.values),
            "constraints": dict(self.kept),
            "success": self.success,
            "message": self.message,
            "runs": self.runs,
        }

    def __str__(self) -> str:
        hidden = {x for spline in self.inputs.values() for x in spline.names}
        lines = [f"{self.objective} = {self.value:.10g} after {self.runs} motions: {self.message}"]
        lines += [f"  {name} = {value:.10g}" for name, value in self.values.items() if name not in hidden]
        lines += [f"  {name}: a spline of {len(spline.names)} coefficients" for name, spline in self.inputs.items()]
        lines += [f"  {text}: {left:.2g} from it" for text, left in self.kept.items()]
        return "\n".join(lines)


class _Constraint:
    """`final(x) = 1`, `max(abs(u)) <= 2`: left minus right, as an objective."""

    def __init__(self, text: str) -> None:
        sides = _RELATION.split(text)
        if len(sides) != 3:
            raise ArgumentError(f"'{text}' is no constraint: write final(x) = 1, or max(abs(x)) <= 2.")
        left, relation, right = (x.strip() for x in sides)
        self.text, self.equality = text, relation in ("=", "==")
        self.sign = -1.0 if relation == "<=" else 1.0
        self.objective = Objective(f"({left}) - ({right})")


class _Runs:
    """The motion of one point, kept while value and slopes of everything are asked there."""

    def __init__(
        self, system: System, span: tuple[float, float], names: Sequence[str], needs: Any, how: Mapping[str, Any]
    ) -> None:
        self.system, self.span, self.names, self.needs, self.how = system, span, tuple(names), needs, dict(how)
        self.count = 0
        self._at: Array | None = None
        self._motion: Adjoint | None = None
        self._told: dict[int, tuple[float, Array]] = {}

    def motion(self, x: Array) -> Adjoint:
        if self._motion is None or self._at is None or not np.array_equal(x, self._at):
            start, given = dict(self.how["start"] or {}), dict(self.how["given"] or {})
            for name, value in zip(self.names, x.tolist(), strict=True):
                (start if name in self.system.states else given)[name] = value
            how = {**self.how, "start": start, "given": given}
            try:
                self._motion = adjoint(self.system, self.span, self.names, needs=self.needs, **how)
            except DalembertError as error:
                if not self.count:  # where it begins
                    raise
                raise came_to(self.names, x.tolist(), error) from error
            self._at, self._told = x.copy(), {}
            self.count += 1
        return self._motion

    def told(self, objective: Objective, x: Array) -> tuple[float, Array]:
        motion = self.motion(x)
        if id(objective) not in self._told:
            value, slopes = self._told[id(objective)] = objective.of(motion)
            if not (np.isfinite(value) and np.isfinite(slopes).all()):
                here = ", ".join(f"{name} = {v:.6g}" for name, v in zip(self.names[:4], x.tolist(), strict=False))
                raise ArgumentError(
                    f"'{objective.text}' has no number, or no slope, at {here}: bound what varies so that it has one."
                )
        return self._told[id(objective)]


def optimize(
    subject: Mechanism | Model,
    t_span: tuple[float, float],
    objective: str,
    vary: Mapping[str, Bounds] | Sequence[str] = (),
    *,
    inputs: Mapping[str, tuple[int, float, float]] | None = None,
    subject_to: str | Sequence[str] = (),
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    events: Any = None,
    iterations: int = 200,
    tolerance: float = 1e-8,
    rtol: float = 1e-9,
    method: str = "auto",
    cut: Collection[str] = (),
) -> Optimum:
    """Where a number of the motion is least, by SciPy's SLSQP or L-BFGS-B with gradients of the adjoint equations.

    `vary` names parameters and starts with their bounds, `{"l": (0.2, 2), "pivot.th'": None}`, from what they are now.
    `inputs` are parameters that become functions of time, cubic splines of so many coefficients between two bounds:
    `{"torque": (12, -5, 5)}`. `subject_to` are relations to keep: `final(pivot.th) = pi`, `max(abs(cart.x)) <= 1`.
    The minimum is a local one. To find the greatest, write a minus before the objective.
    """
    from scipy.optimize import minimize

    bounds: dict[str, Bounds] = dict(vary) if isinstance(vary, Mapping) else dict.fromkeys(vary)
    span = (float(t_span[0]), float(t_span[1]))
    model, splines = steered(subject, {name: how[0] for name, how in (inputs or {}).items()}, span)
    for name, (_, low, high) in (inputs or {}).items():
        bounds |= dict.fromkeys(splines[name].names, (low, high))
    if not bounds:
        raise ArgumentError("nothing may change: name parameters or starts in `vary`, or `inputs`.")
    asked = Objective(objective)
    kept = [_Constraint(text) for text in ((subject_to,) if isinstance(subject_to, str) else subject_to)]
    system = system_for(model, cut)
    told = {name: value for name, value in (given or {}).items() if name not in splines}
    for name in splines.keys() & (given or {}).keys():
        told |= dict.fromkeys(splines[name].names, (given or {})[name])
    needs = [*asked.formulas, *(e for one in kept for e in one.objective.formulas)]
    how = {"start": start, "given": told, "events": events, "rtol": rtol, "atol": None, "method": method}
    runs = _Runs(system, span, list(bounds), needs, how)
    first, sizes = _beginning(system, bounds, start, told, needs, span[0])
    scale = abs(runs.told(asked, first)[0]) or 1.0

    def of(one: Objective, sign: float, by: float) -> dict[str, Any]:
        return {
            "fun": lambda z: sign * runs.told(one, z * sizes)[0] / by,
            "jac": lambda z: sign * runs.told(one, z * sizes)[1] * sizes / by,
        }

    limits = [
        tuple(None if b is None else b / size for b in (pair or (None, None)))
        for pair, size in zip(bounds.values(), sizes, strict=True)
    ]
    conditions = [{"type": "eq" if one.equality else "ineq", **of(one.objective, one.sign, 1.0)} for one in kept]
    found = minimize(
        x0=first / sizes,
        bounds=limits,
        constraints=conditions,
        method="SLSQP" if kept else "L-BFGS-B",
        options={"maxiter": iterations, "ftol": tolerance},
        **of(asked, 1.0, scale),
    )
    x = np.asarray(found.x) * sizes
    value, _ = runs.told(asked, x)
    left = {one.text: runs.told(one.objective, x)[0] for one in kept}
    values = dict(zip(bounds, x.tolist(), strict=True))
    message = str(found.message)
    return Optimum(
        objective, value, values, runs.motion(x).motion, bool(found.success), message, runs.count, left, splines
    )


def _beginning(
    system: System,
    bounds: Mapping[str, Bounds],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    needs: Any,
    t: float,
) -> tuple[Array, Array]:
    """What the names are now, inside their bounds, and the size of each."""
    parameters = single(parameter_values(system, given, system.names_in(system.with_outputs(needs))))
    now = {k: float(v) for k, v in first_state(system, start, given, parameters, t).values.items()}
    values, sizes = list[float](), list[float]()
    for name, pair in bounds.items():
        if name not in parameters and name not in now:
            raise ArgumentError(f"'{name}' is neither a parameter nor a state of '{system.name}'.")
        low, high = pair or (None, None)
        if low is not None and high is not None and not low < high:
            raise ArgumentError(f"the bounds of '{name}' are ({low:g}, {high:g}): the first is below the second.")
        value = parameters.get(name, now.get(name, 0.0))
        value = max(value, low) if low is not None else value
        values.append(min(value, high) if high is not None else value)
        wide = high - low if low is not None and high is not None else size_of(system, name, parameters, now, t)
        sizes.append(wide)
    return np.array(values), np.array(sizes)
