"""Parameters and starts from measured motions: least squares with exact derivatives of the motion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ArgumentError, DalembertError
from dalembert.mechanism import Mechanism, Model, did_you_mean
from dalembert.presentation.told import Told
from dalembert.simulate import Motion, System
from dalembert.simulate.runs.answering import question, size_of
from dalembert.simulate.runs.sensitivity import Sensitivities, sensitivities
from dalembert.tuning.objective import came_to, system_for

Array = NDArray[np.float64]
Data = Mapping[str, Any]

_BLIND = 1e-7
"""Share of the largest singular value below which data do not tell a combination of parameters: rounding of slopes."""


@dataclass(frozen=True)
class Fitted(Told):
    """Values with their standard deviations, the residual, and the motions with these values, one for each data set.

    `correlation` is between the values; a `condition` beyond 1e7 means that the data do not tell them all apart.
    """

    values: Mapping[str, float]
    deviations: Mapping[str, float]
    residual: float  # root mean square, in parts of sigma where that is given
    condition: float
    correlation: Array
    motions: tuple[Motion, ...]
    success: bool
    message: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "values": dict(self.values),
            "deviations": dict(self.deviations),
            "residual": self.residual,
            "condition": self.condition,
            "correlation": self.correlation.tolist(),
            "success": self.success,
            "message": self.message,
        }

    def __str__(self) -> str:
        lines = [f"residual {self.residual:.4g}, condition {self.condition:.3g}: {self.message}"]
        for name, value in self.values.items():
            lines.append(f"  {name} = {value:.8g} +- {self.deviations[name]:.2g}")
        if self.condition > 1 / _BLIND:
            lines.append("  the data do not tell all of these apart")
        return "\n".join(lines)


def fit(
    subject: System | Mechanism | Model,
    data: Data | Sequence[Data],
    names: Mapping[str, tuple[float | None, float | None] | None] | Sequence[str],
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    events: Any = None,
    sigma: Mapping[str, float] | None = None,
    loss: str = "linear",
    iterations: int = 100,
    rtol: float = 1e-9,
    method: str = "auto",
    cut: Collection[str] = (),
) -> Fitted:
    """Values of parameters and starts with which the motion is nearest to what was measured.

    `data` has the times `t` and a column for each thing that was measured, a coordinate or any formula:
    `{"t": t, "pivot.th": th, "tip.X": x}`; NaN where nothing was measured. Several experiments are a list of these;
    in each, `"start"` and `"given"` may say what was its own. `sigma` are the standard deviations of the columns, so
    that metres and radians are weighed; `loss` is SciPy's, `soft_l1` or `huber` against outliers.
    """
    from scipy.optimize import least_squares

    bounds = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names)
    if not bounds:
        raise ArgumentError("name the parameters or starts to be found: names=['l', 'c'].")
    system = system_for(subject, cut)
    experiments = [_Experiment(one, sigma) for one in ([data] if isinstance(data, Mapping) else data)]
    _check_sigma(sigma, {name: 0 for one in experiments for name in one.columns})
    if not experiments:
        raise ArgumentError("there is nothing to fit to: give data={'t': times, 'pivot.th': angles}.")
    wanted = tuple(bounds)

    def asked(one: _Experiment, values: Mapping[str, float]) -> dict[str, Any]:
        begin, numbers = {**(start or {}), **one.start}, {**(given or {}), **one.given}
        for name, value in values.items():
            (begin if name in system.states else numbers)[name] = value
        return {"start": begin, "given": numbers, "events": events}

    def motions(x: Array) -> list[Sensitivities]:
        values = dict(zip(wanted, (x * sizes).tolist(), strict=True))
        try:
            return [
                sensitivities(system, one.span, wanted, rtol=rtol, method=method, **asked(one, values))
                for one in experiments
            ]
        except DalembertError as error:
            if not kept:  # where it begins
                raise
            raise came_to(wanted, values.values(), error) from error

    now = question(system, experiments[0].span[0], wanted, needs=[], cut=(), **asked(experiments[0], {}))
    first = np.array([now.parameters.get(x, now.first.get(x, 0.0)) for x in wanted])
    begins = [size_of(system, x, now.parameters, now.first, experiments[0].span[0]) for x in wanted]
    sizes = np.array([abs(v) or b for v, b in zip(first, begins, strict=True)])
    kept: dict[bytes, list[Sensitivities]] = {}

    def at(x: Array) -> list[Sensitivities]:
        key = x.tobytes()
        if key not in kept:
            found = motions(x)
            kept.clear()
            kept[key] = found
        return kept[key]

    def left(x: Array) -> Array:
        return np.concatenate([one.left(found) for one, found in zip(experiments, at(x), strict=True)])

    def slopes(x: Array) -> Array:
        return np.concatenate([one.slopes(found) for one, found in zip(experiments, at(x), strict=True)]) * sizes

    ends = [pair or (None, None) for pair in bounds.values()]
    low = np.array([-np.inf if a is None else a for a, _ in ends]) / sizes
    high = np.array([np.inf if b is None else b for _, b in ends]) / sizes
    if not (low < high).all():
        raise ArgumentError("bounds of what is fitted: the first is below the second.")
    count = len(left(np.clip(first / sizes, low, high)))
    if count < len(wanted):
        raise ArgumentError(f"{count} measured numbers cannot tell {len(wanted)} values: measure longer.")
    found = least_squares(
        left, np.clip(first / sizes, low, high), slopes, bounds=(low, high), loss=loss, max_nfev=iterations,
        xtol=1e-12, ftol=1e-12, gtol=1e-12,
    )  # fmt: skip
    rest, matrix = left(found.x), slopes(found.x) / sizes * sizes
    single = np.linalg.svd(matrix, compute_uv=False)
    condition = float(single[0] / single[-1]) if single[-1] > 0 else np.inf
    variance = float(rest @ rest) / max(1, count - len(wanted))
    covariance = variance * np.linalg.pinv(matrix.T @ matrix)
    deviations = np.sqrt(np.diag(covariance))
    correlation = (
        covariance / np.where(deviations > 0, deviations, 1)[:, None] / np.where(deviations > 0, deviations, 1)
    )
    return Fitted(
        dict(zip(wanted, (found.x * sizes).tolist(), strict=True)),
        dict(zip(wanted, (deviations * sizes).tolist(), strict=True)),
        float(np.sqrt(rest @ rest / count)),
        condition,
        correlation,
        tuple(one.motion for one in at(found.x)),
        bool(found.success),
        str(found.message),
    )


class _Experiment:
    """Times, columns that were measured, and the start and numbers of its own."""

    def __init__(self, data: Data, sigma: Mapping[str, float] | None) -> None:
        told = dict(data)
        self.start, self.given = told.pop("start", {}), told.pop("given", {})
        if "t" not in told:
            raise ArgumentError("data need the times of measurement: {'t': times, 'pivot.th': angles}.")
        self.t = _readings("t", told.pop("t"))
        if self.t.ndim != 1 or len(self.t) < 2 or not (np.diff(self.t) > 0).all():
            raise ArgumentError("the times of data are two at least, each later than the one before.")
        self.columns = {name: _readings(name, values) for name, values in told.items()}
        if not self.columns:
            raise ArgumentError("data hold nothing but times: add what was measured, {'pivot.th': angles}.")
        for name, values in self.columns.items():
            if values.shape != self.t.shape:
                raise ArgumentError(f"'{name}' of the data has the shape {values.shape}, the times {self.t.shape}.")
        self.sigma = {name: float((sigma or {}).get(name, 1.0)) for name in self.columns}
        self.seen = {name: ~np.isnan(values) for name, values in self.columns.items()}

    @property
    def span(self) -> tuple[float, float]:
        return float(self.t[0]), float(self.t[-1])

    def left(self, found: Sensitivities) -> Array:
        parts = []
        for name, values in self.columns.items():
            here = self.seen[name]
            told = found.values(ex.parse(name), self.t[here])
            parts.append((told - values[here]) / self.sigma[name])
        return np.concatenate(parts)

    def slopes(self, found: Sensitivities) -> Array:
        parts = []
        for name in self.columns:
            here = self.seen[name]
            parts.append(found.along(ex.parse(name), self.t[here]) / self.sigma[name])
        return np.concatenate(parts)


def _readings(name: str, values: Any) -> Array:
    try:
        found: Array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"'{name}' of the data holds what is no number: {error}.") from error
    if np.isinf(found).any():
        raise ArgumentError(f"'{name}' of the data holds infinite readings: NaN are those that are missing.")
    return found


def _check_sigma(sigma: Mapping[str, float] | None, columns: Collection[str]) -> None:
    for name, value in (sigma or {}).items():
        if name not in columns:
            raise ArgumentError(f"sigma: '{name}' is no column of the data.{did_you_mean(name, columns)}")
        if not 0 < float(value) < np.inf:
            raise ArgumentError(f"sigma: the deviation of '{name}' is a positive number, not {value}.")
