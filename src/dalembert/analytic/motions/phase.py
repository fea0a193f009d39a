"""Phase space in numbers and pictures: trajectories, portraits, fronts, potential landscapes, volume of the flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function, refuse_text

if TYPE_CHECKING:
    import numpy as np

    from ..systems.system import System

#: Relative tolerances of motions, and of motions that are subtracted from each other.
_RTOL, _FINE = 1e-10, 1e-12


@dataclass(frozen=True)
class Trajectory:
    """A computed motion: times, coordinates and momenta row by row, and the drift of H."""

    t: np.ndarray
    q: np.ndarray
    p: np.ndarray
    energy_drift: float


def flow(system: System, values: Mapping[str, float]) -> Callable[[float, Any], Any]:
    """The right-hand side (t, [q, p]) -> [q', p'] of the canonical equations at numeric parameters."""
    import numpy as np

    view = system.hamilton()
    n = system.names
    numbers = n.numbers(values)
    expressions = [e.subs(numbers) for e in (*view.qdot.values(), *view.pdot.values())]
    function = number_function([n.time, [*view.q, *view.p]], expressions)
    return lambda t, y: np.array(function(t, y), dtype=float)


def _sizes(right: Callable[[float, Any], Any], y0: Any, span: tuple[float, float]) -> Any:
    """How large each place and momentum is, or becomes in the time at its first rate: what small errors are part of.

    At a place of rest all are the same, of the largest.
    """
    import numpy as np

    sizes = np.maximum(np.abs(y0), np.abs(right(span[0], y0)) * abs(span[1] - span[0]))
    return np.where(sizes > 0, sizes, max(float(sizes.max(initial=0.0)), np.finfo(float).tiny))


def integrate(
    system: System,
    start: Mapping[str, float],
    span: tuple[float, float],
    values: Mapping[str, float],
    *,
    points: int = 400,
) -> Trajectory:
    """Integrate the canonical equations from initial coordinates and momenta, with a watch on H."""
    import numpy as np
    from scipy.integrate import solve_ivp

    view = system.hamilton()
    labels = [s.name for s in (*view.q, *view.p)]
    y0 = [float(start[label]) for label in labels]
    right = flow(system, values)
    least = _RTOL / 100 * _sizes(right, y0, span)
    times = np.linspace(*span, points)
    solution = solve_ivp(right, span, y0, t_eval=times, rtol=_RTOL, atol=least, method="DOP853")
    n = system.names
    H = number_function([n.time, [*view.q, *view.p]], view.H.subs(n.numbers(values)))
    energies = np.array([float(H(t, y)) for t, y in zip(solution.t, solution.y.T)])
    size = len(view.q)
    return Trajectory(solution.t, solution.y[:size], solution.y[size:], float(np.ptp(energies)))


def flow_determinant(
    system: System, start: Mapping[str, float], duration: float, values: Mapping[str, float], *, step: float = 1e-6
) -> float:
    """Liouville in numbers: the determinant of the map (q0, p0) -> (q(t), p(t)), which must be 1.

    `step` of its differences is in parts of the places and momenta met.
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    view = system.hamilton()
    labels = [s.name for s in (*view.q, *view.p)]
    y0 = np.array([float(start[label]) for label in labels])
    right = flow(system, values)

    sizes = _sizes(right, y0, (0.0, duration))

    def end(y: np.ndarray) -> np.ndarray:
        least = _FINE / 10 * sizes
        return np.asarray(solve_ivp(right, (0.0, duration), y, rtol=_FINE, atol=least, method="DOP853").y[:, -1])

    columns = []
    for k in range(len(y0)):
        d = np.zeros_like(y0)
        d[k] = step * sizes[k]
        columns.append((end(y0 + d) - end(y0 - d)) / (2 * d[k]))
    return float(np.linalg.det(np.array(columns).T))


def phase_portrait(
    system: System,
    values: Mapping[str, float],
    q_range: tuple[float, float],
    p_range: tuple[float, float],
    *,
    levels: int = 18,
    axes: Any = None,
) -> Any:
    """Level curves of H of a one-degree-of-freedom system, with the direction of the flow; returns the axes."""
    import matplotlib.pyplot as plt
    import numpy as np

    view = system.hamilton()
    if len(view.q) != 1:
        raise ModelError("a phase portrait in the plane needs one degree of freedom")
    n = system.names
    H = number_function([*view.q, *view.p], view.H.subs(n.numbers(values)))
    q, p = np.meshgrid(np.linspace(*q_range, 240), np.linspace(*p_range, 240))
    axes = axes if axes is not None else plt.subplots(figsize=(6, 4))[1]
    axes.contour(q, p, H(q, p) + 0 * q, levels=levels, linewidths=0.8)
    right = flow(system, values)
    coarse = np.meshgrid(np.linspace(*q_range, 18), np.linspace(*p_range, 14))
    field = np.array([[right(0.0, [a, b]) for a, b in zip(ra, rb)] for ra, rb in zip(*coarse)])
    axes.quiver(*coarse, field[..., 0], field[..., 1], alpha=0.35)
    axes.set_xlabel(view.q[0].name)
    axes.set_ylabel(view.p[0].name)
    return axes


def potential_landscape(
    V: sp.Expr, variables: Sequence[sp.Symbol], ranges: Sequence[tuple[float, float]], *, axes: Any = None
) -> Any:
    """A potential of one variable as a curve, of two as filled contours; returns the axes."""
    import matplotlib.pyplot as plt
    import numpy as np

    function = number_function(list(variables), V)
    axes = axes if axes is not None else plt.subplots(figsize=(6, 4))[1]
    if len(variables) == 1:
        x = np.linspace(*ranges[0], 400)
        axes.plot(x, function(x) + 0 * x)
        axes.set_xlabel(variables[0].name)
        axes.set_ylabel("V")
        return axes
    x, y = np.meshgrid(*(np.linspace(*r, 200) for r in ranges))
    axes.contourf(x, y, function(x, y) + 0 * x, levels=24)
    axes.set_xlabel(variables[0].name)
    axes.set_ylabel(variables[1].name)
    return axes


def action_fronts(
    S0: sp.Expr,
    variables: Sequence[sp.Symbol],
    ranges: Sequence[tuple[float, float]],
    *,
    levels: int = 14,
    axes: Any = None,
) -> Any:
    """Fronts S0 = constant of a plane problem with the momentum field across them; returns the axes."""
    import matplotlib.pyplot as plt
    import numpy as np

    refuse_text(S0, variables)
    axes = axes if axes is not None else plt.subplots(figsize=(6, 4))[1]
    x, y = np.meshgrid(*(np.linspace(*r, 200) for r in ranges))
    with np.errstate(invalid="ignore"):
        axes.contour(x, y, number_function(list(variables), S0)(x, y), levels=levels)
        gradient = [number_function(list(variables), sp.diff(S0, v)) for v in variables]
        coarse = np.meshgrid(*(np.linspace(*r, 14) for r in ranges))
        axes.quiver(*coarse, *(g(*coarse) + 0 * coarse[0] for g in gradient), alpha=0.5)
    axes.set_xlabel(variables[0].name)
    axes.set_ylabel(variables[1].name)
    return axes
