"""Order and chaos by numbers: Lyapunov exponents along a motion, and sections of Poincare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Lyapunov:
    """All Lyapunov exponents, largest first, over the time they were averaged; Hamiltonian ones come in pairs +-."""

    exponents: tuple[float, ...]
    time: float
    energy_drift: float

    @property
    def largest(self) -> float:
        return self.exponents[0]


def _flow(system: System, values: Mapping[str, float]):  # type: ignore[no-untyped-def]
    """Canonical equations, their Jacobian and H as functions of numbers."""
    import numpy as np

    view = system.hamilton()
    numbers = system.names.numbers(values)
    z = [*view.q, *view.p]
    field = [e.subs(numbers) for e in (*view.qdot.values(), *view.pdot.values())]
    if any(e.has(system.names.time) for e in field):
        raise ModelError("exponents and sections are written here for systems without explicit time")
    slopes = [sp.diff(e, x) for e in field for x in z]
    f, df = number_function([z], field), number_function([z], slopes)
    H = number_function([z], view.H.subs(numbers), "math")
    size = len(z)
    return z, lambda y: np.array(f(y), dtype=float), lambda y: np.array(df(y), dtype=float).reshape(size, size), H


def _start(z: list[sp.Symbol], start: Mapping[str, float]) -> Any:
    import numpy as np

    missing = [s.name for s in z if s.name not in start]
    if missing:
        raise ModelError(f"the start needs a number for {', '.join(missing)}")
    return np.array([float(start[s.name]) for s in z])


def lyapunov(
    system: System, values: Mapping[str, float], start: Mapping[str, float], *, time: float = 200.0, step: float = 1.0
) -> Lyapunov:
    """Exponents of a motion by the variational equations, made orthonormal every `step` (Benettin's method).

    >>> from dalembert.analytic import System
    >>> saddle = System("q", H="p**2/2 - q**2/2")
    >>> round(lyapunov(saddle, {}, {"q": 0, "p": 0}, time=200, step=10).largest, 2)
    1.0
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    if not 0 < step <= time:
        raise ModelError(f"the exponents are averaged over time = {time} in steps of {step}: give 0 < step <= time")
    z, f, df, H = _flow(system, values)
    y, size = _start(z, start), len(z)
    first = float(H(y))
    frame, sums, now = np.eye(size), np.zeros(size), 0.0

    def rate(_: float, w: Any) -> Any:
        return np.concatenate([f(w[:size]), (df(w[:size]) @ w[size:].reshape(size, size)).ravel()])

    while now < time * (1 - 1e-12):
        run = solve_ivp(rate, (0, step), np.concatenate([y, frame.ravel()]), rtol=1e-9, atol=1e-12, method="DOP853")
        if not run.success or not np.all(np.isfinite(run.y[:, -1])):
            raise ModelError(f"the motion left the numbers at t = {now + float(run.t[-1]):.6g}: {run.message}")
        y = run.y[:size, -1]
        frame, upper = np.linalg.qr(run.y[size:, -1].reshape(size, size))
        sums += np.log(np.abs(np.diag(upper)))
        now += step
    scale = abs(first) + abs(float(H(y)))
    drift = abs(float(H(y)) - first) / scale if scale else 0.0
    return Lyapunov(tuple(sorted((float(x) for x in sums / now), reverse=True)), now, drift)


@dataclass(frozen=True)
class Section:
    """Points where a motion pierces a surface in one sense: instants and states, by coordinate and momentum."""

    times: tuple[float, ...]
    states: dict[str, tuple[float, ...]]
    energy_drift: float

    def __len__(self) -> int:
        return len(self.times)


def poincare_section(
    system: System,
    values: Mapping[str, float],
    start: Mapping[str, float],
    *,
    through: str,
    at: float = 0.0,
    time: float = 200.0,
) -> Section:
    """The states in which the coordinate or momentum `through` passes `at` upwards.

    >>> from dalembert.analytic import System
    >>> pair = System("x y", H="(px**2 + py**2)/2 + x**2/2 + 2*y**2", momenta="px py")
    >>> points = poincare_section(pair, {}, {"x": 0, "px": 1, "y": 0.3, "py": 0}, through="x", time=40)
    >>> len(points), round(max(points.states["y"]), 6)
    (6, 0.3)
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    z, f, _, H = _flow(system, values)
    labels = [s.name for s in z]
    if through not in labels:
        raise ModelError(f"{through!r} is none of {', '.join(labels)}")
    k, y = labels.index(through), _start(z, start)

    def pierces(_: float, w: Any) -> float:
        return float(w[k] - at)

    pierces.direction = 1  # type: ignore[attr-defined]
    run = solve_ivp(lambda _, w: f(w), (0, time), y, events=pierces, rtol=1e-10, atol=1e-12, method="DOP853")
    if not run.success or not np.all(np.isfinite(run.y[:, -1])):
        raise ModelError(f"the motion left the numbers at t = {float(run.t[-1]):.6g}: {run.message}")
    own = [(t, w) for t, w in zip(run.t_events[0], run.y_events[0]) if t > 0]
    energies = [float(H(w)) for w in (y, run.y[:, -1])]
    scale = abs(energies[0]) + abs(energies[1])
    states = {label: tuple(float(w[i]) for _, w in own) for i, label in enumerate(labels)}
    return Section(tuple(float(t) for t, _ in own), states, abs(energies[1] - energies[0]) / scale if scale else 0.0)
