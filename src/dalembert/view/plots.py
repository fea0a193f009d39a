"""Curves of a motion with matplotlib: states over time, phase portraits, energy and its drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.simulate import Arc, Motion
from dalembert.view.theme import GREY, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 1200
_MOST_CURVES = 12


def plot(motion: Motion, *names: str, axes: Axes | None = None) -> Figure:
    """States, outputs or formulas over time; without names the coordinates above the speeds.

    A name may be a formula: `plot(motion, "elbow.th", "sin(elbow.th)")`.
    """
    import matplotlib as mpl

    with mpl.rc_context(style()):
        if names:
            figure, axis = _figure(axes)
            _curves(axis, motion, names)
            _finish(axis, motion, "t", "")
        else:
            figure = _overview(motion)
        return figure


def plot_phase(motion: Motion, x: str | None = None, y: str | None = None, *, axes: Axes | None = None) -> Figure:
    """A phase portrait: one name or formula against another, by default the first coordinate and its speed."""
    import matplotlib as mpl

    first, second = x or motion.names[0], y or _speed_of(motion, x or motion.names[0])
    with mpl.rc_context(style()):
        figure, axis = _figure(axes)
        seen = _smooth(motion)
        a, b = seen[first], seen[second]
        axis.plot(*_broken(seen, a, b), lw=1.2)
        axis.plot(a[:1], b[:1], "o", ms=5, color=GREY, label="start")
        axis.plot(a[-1:], b[-1:], "s", ms=5, color=axis.lines[0].get_color(), label="end")
        axis.legend()
        _finish(axis, motion, first, second, "phase portrait")
        return figure


def plot_energy(motion: Motion) -> Figure:
    """Kinetic, potential and total energy, and below its drift on each arc, the work of all else left out."""
    import matplotlib as mpl

    with mpl.rc_context(style()):
        figure, (upper, lower) = _stack(2, [3, 1.4])
        seen = _smooth(motion)
        kinetic, potential = seen.kinetic_energy(), seen.potential_energy()
        total = kinetic + potential
        upper.plot(*_broken(seen, seen.t, kinetic), label="kinetic")
        upper.plot(*_broken(seen, seen.t, potential), label="potential")
        upper.plot(*_broken(seen, seen.t, total), label="total", color=GREY, lw=2.2)
        upper.legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0)
        upper.set_title(plain(f"{motion.system.name}: energy"), pad=22)
        steps = _steps(motion)
        drift = steps.energy() - steps.work() if motion.sol is not None and _balanced(motion) else steps.energy()
        scale = max(float(np.max(np.abs(kinetic))), float(np.ptp(potential)), 1e-300)
        begins = np.cumsum([0, *(len(arc.t) for arc in steps.arcs)])
        since = np.repeat(drift[begins[:-1]], np.diff(begins))  # what a jump takes is no drift
        lower.plot(*_broken(steps, steps.t, (drift - since) / scale), lw=1.1, color="#aa3377")
        lower.set_ylabel("relative drift")
        lower.set_xlabel("t")
        lower.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        return figure


def _overview(motion: Motion) -> Figure:
    system = motion.system
    groups = [(kind, names) for kind, names in _groups(motion) if names]
    figure, axes = _stack(len(groups), [1.0] * len(groups))
    for axis, (kind, names) in zip(axes, groups, strict=True):
        _curves(axis, motion, names[:_MOST_CURVES])
        more = f" (first {_MOST_CURVES} of {len(names)})" if len(names) > _MOST_CURVES else ""
        axis.set_title(plain(f"{system.name}: {kind}{more}"))
    axes[-1].set_xlabel("t")
    return figure


def _groups(motion: Motion) -> list[tuple[str, Sequence[str]]]:
    system = motion.system
    return [("coordinates", system.coordinates), ("speeds", system.speeds)]


def _curves(axis: Axes, motion: Motion, names: Sequence[str]) -> None:
    seen = _smooth(motion)
    for name in names:
        axis.plot(*_broken(seen, seen.t, seen[name]), label=plain(name))
    for times in motion.t_events or []:
        for t in times[:200]:
            axis.axvline(float(t), color=GREY, lw=0.5, alpha=0.5, zorder=0)
    if len(names) > 6:
        axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    else:
        axis.legend()


def _smooth(motion: Motion, points: int = _POINTS) -> Motion:
    """Enough points for a smooth curve on each arc, both its ends among them, where dense output gives them."""
    if motion.sol is None or len(motion.t) < 2:
        return motion
    whole = abs(motion.arcs[-1].span[1] - motion.arcs[0].span[0]) or 1.0
    if len(motion.arcs) == 1 and len(motion.t) >= points:
        return motion

    def finer(arc: Arc) -> Arc:
        begin, end = arc.span
        times = np.linspace(begin, end, max(2, round(points * abs(end - begin) / whole)) if begin != end else 1)
        return replace(arc, t=times, y=arc.sol(times) if arc.sol is not None else arc.y)

    return replace(motion, arcs=tuple(finer(arc) for arc in motion.arcs))


def _steps(motion: Motion) -> Motion:
    """The motion at its own steps."""
    if motion.sol is None:
        return motion
    return replace(
        motion, arcs=tuple(replace(arc, t=arc.sol.t, y=arc.sol.y.T) for arc in motion.arcs if arc.sol is not None)
    )


def _balanced(motion: Motion) -> bool:
    """Does it say the work of what has no potential?"""
    return "total.power" in motion.system.outputs and motion.quality.energy is not None


def _broken(motion: Motion, x: Any, y: Any) -> tuple[Any, Any]:
    """A curve that is interrupted where the motion jumps."""
    edges = np.cumsum([len(arc.t) for arc in motion.arcs])[:-1]
    return np.insert(np.asarray(x, dtype=float), edges, np.nan), np.insert(np.asarray(y, dtype=float), edges, np.nan)


def _speed_of(motion: Motion, coordinate: str) -> str:
    system = motion.system
    if f"{coordinate}'" in system.speeds:
        return f"{coordinate}'"
    if coordinate in system.coordinates and len(system.coordinates) == len(system.speeds):
        return system.speeds[system.coordinates.index(coordinate)]
    raise SimulationError(f"'{coordinate}' has no speed of its own: say what to draw it against, plot_phase(x, y).")


def _figure(axes: Axes | None) -> tuple[Figure, Axes]:
    if axes is not None:
        return axes.figure, axes  # type: ignore[return-value]
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    return figure, axis


def _stack(count: int, heights: Sequence[float]) -> tuple[Figure, Any]:
    import matplotlib.pyplot as plt

    size = (8, 1.2 + 2.4 * count)
    figure, axes = plt.subplots(
        count, sharex=True, figsize=size, layout="constrained", height_ratios=heights, squeeze=False
    )
    return figure, axes[:, 0]


def _finish(axis: Axes, motion: Motion, x: str, y: str, title: str = "") -> None:
    axis.set_xlabel(plain(x))
    axis.set_ylabel(plain(y))
    axis.set_title(plain(f"{motion.system.name}: {title}" if title else motion.system.name))
