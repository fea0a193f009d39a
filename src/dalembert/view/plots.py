"""Curves of a motion with matplotlib: states over time, phase portraits, energy and its drift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.simulate import Motion
from dalembert.view.theme import GREY, style

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
        axis.plot(a, b, lw=1.2)
        axis.plot(a[:1], b[:1], "o", ms=5, color=GREY, label="start")
        axis.plot(a[-1:], b[-1:], "s", ms=5, color=axis.lines[0].get_color(), label="end")
        axis.legend()
        _finish(axis, motion, first, second, "phase portrait")
        return figure


def plot_energy(motion: Motion) -> Figure:
    """Kinetic, potential and total energy, and below how the total departs from its start."""
    import matplotlib as mpl

    with mpl.rc_context(style()):
        figure, (upper, lower) = _stack(2, [3, 1.4])
        seen = _smooth(motion)
        kinetic, potential = seen.kinetic_energy(), seen.potential_energy()
        total = kinetic + potential
        upper.plot(seen.t, kinetic, label="kinetic")
        upper.plot(seen.t, potential, label="potential")
        upper.plot(seen.t, total, label="total", color=GREY, lw=2.2)
        upper.legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0)
        upper.set_title(f"{motion.system.name}: energy", pad=22)
        at_steps = motion.energy() if motion.sol is None else motion.at(motion.sol.t).energy()
        times = motion.t if motion.sol is None else motion.sol.t
        scale = max(float(np.max(np.abs(kinetic))), float(np.ptp(potential)), 1e-300)
        lower.plot(times, (at_steps - at_steps[0]) / scale, lw=1.1, color="#aa3377")
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
        axis.set_title(f"{system.name}: {kind}{more}")
    axes[-1].set_xlabel("t")
    return figure


def _groups(motion: Motion) -> list[tuple[str, Sequence[str]]]:
    system = motion.system
    return [("coordinates", system.coordinates), ("speeds", system.speeds)]


def _curves(axis: Axes, motion: Motion, names: Sequence[str]) -> None:
    seen = _smooth(motion)
    for name in names:
        axis.plot(seen.t, seen[name], label=name)
    for times in motion.t_events or []:
        for t in times[:200]:
            axis.axvline(float(t), color=GREY, lw=0.5, alpha=0.5, zorder=0)
    if len(names) > 6:
        axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    else:
        axis.legend()


def _smooth(motion: Motion) -> Motion:
    """Enough points for a smooth curve, where dense output gives them."""
    if motion.sol is None or len(motion.t) >= _POINTS or len(motion.t) < 2:
        return motion
    return motion.at(np.linspace(motion.t[0], motion.t[-1], _POINTS))


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
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.set_title(f"{motion.system.name}: {title}" if title else motion.system.name)
