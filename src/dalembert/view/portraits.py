"""Poincare sections of a motion, and the forces in its links over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import SimulationError
from dalembert.mechanism import EARTH, did_you_mean
from dalembert.simulate import Arc, Motion
from dalembert.view.plots import _broken, _figure, _finish, _smooth, _speed_of, _stack
from dalembert.view.theme import plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_LOOKS = 8
"""Looks at the formula within a step: a solver's step is a part of a period, in which little passes zero twice."""
_HALVINGS = 50
"""A step is halved this often around a passage: 2^-50 of it is less than rounding of the time."""
_FEWER = 150
"""Points of a curve of reactions in a machine with constraints, each of which is a system of equations."""
_ROUNDING = 1e-12
"""Moments below this part of force times distance from the origin are rounding, and drawn as zero."""


def section_of(motion: Motion, when: str, *, falling: bool = False) -> Motion:
    """The motion at the instants at which a formula passes zero while it grows (or falls): a Poincare section.

    Passages across a jump do not count: nothing is there between its two sides.
    """
    if motion.sol is None:
        raise SimulationError("a section needs a motion between its points: simulate with dense_output=True.")
    sign = -1.0 if falling else 1.0
    found: list[Arc] = []
    for arc in motion.arcs:
        if arc.sol is None or len(arc.sol.t) < 2:
            continue
        steps = np.asarray(arc.sol.t, dtype=float)
        parts = np.linspace(0, 1, _LOOKS, endpoint=False)
        times = np.append((steps[:-1, None] + np.diff(steps)[:, None] * parts).ravel(), steps[-1])
        values = sign * _on(motion, arc, times)[when]
        hit = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
        low, high = times[hit], times[hit + 1]
        for _ in range(_HALVINGS if len(hit) else 0):
            middle = (low + high) / 2
            below = sign * _on(motion, arc, middle)[when] < 0
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        if len(hit):
            found.append(replace(arc, t=high, y=arc.sol(high)))
    if not found:
        word = "falls" if falling else "grows"
        raise SimulationError(
            f"'{when}' never passes zero while it {word} in this motion: simulate longer, or choose another section."
        )
    return replace(motion, arcs=tuple(found))


def _on(motion: Motion, arc: Arc, times: Array) -> Motion:
    return replace(motion, arcs=(replace(arc, t=times, y=arc.sol(times) if arc.sol is not None else arc.y),))


def plot_section(
    motion: Motion,
    when: str,
    x: str | None = None,
    y: str | None = None,
    *,
    falling: bool = False,
    axes: Axes | None = None,
) -> Figure:
    """A Poincare section: points (x, y) of the motion at the instants at which `when` passes zero while it grows.

    Without names the first coordinate and its speed. Angles are shown between -pi and pi. A law of time makes a
    stroboscope: `when="sin(2*t)"`.
    """
    import matplotlib as mpl

    from dalembert.view.scene import unit_of

    first, second = x or motion.names[0], y or _speed_of(motion, x or motion.names[0])
    seen = section_of(motion, when, falling=falling)

    def values(name: str) -> Array:
        told = np.asarray(seen[name], dtype=float)
        layout = motion.system.layout
        turns = layout is not None and unit_of(layout, name) == "rad"
        return np.arctan2(np.sin(told), np.cos(told)) if turns else told

    with mpl.rc_context(style()):
        figure, axis = _figure(axes)
        axis.plot(values(first), values(second), ".", ms=4, alpha=0.8)
        word = "falls" if falling else "grows"
        _finish(axis, motion, first, second, f"{len(seen.t)} points where {when} = 0 and {word}")
        return figure


def plot_reactions(motion: Motion, *links: str) -> Figure:
    """Forces above moments over time: of one link its components, of several (all when not said) their sizes."""
    import matplotlib as mpl

    layout = motion.system.layout
    if layout is None:
        raise SimulationError("reactions are those of a machine with links, and this system was written by hand.")
    known = list(layout.model.links)
    for name in links:
        if name not in known:
            hint = did_you_mean(name, known) or f" Links are {', '.join(known)}."
            raise SimulationError(f"there is no link '{name}' whose reaction could be drawn.{hint}")
    chosen = list(links) or known[:12]
    with mpl.rc_context(style()):
        figure, panels = _stack(2, [1.0, 1.0])
        seen = _smooth(motion, _FEWER) if layout.constraints else _smooth(motion)
        left_open = False
        places = [np.abs(seen[f"{body}.{x}"]).max() for body in layout.model.bodies if body != EARTH for x in "XYZ"]
        largest = [np.nanmax(np.abs(seen[f"{name}.F{x}"]), initial=0.0) for name in chosen for x in "xyz"]
        noise = _ROUNDING * float(max(places, default=0.0)) * float(max(largest, default=0.0))
        for axis, kind, unit in ((panels[0], "F", "force [N]"), (panels[1], "M", "moment [N m]")):
            for name in chosen:
                parts = {part: seen[f"{name}.{kind}{part}"] for part in "xyz"}
                parts = {part: told for part, told in parts.items() if not np.isnan(told).all()}
                left_open = left_open or len(parts) < 3
                if kind == "M":
                    parts = {part: np.where(np.abs(told) < noise, 0.0, told) for part, told in parts.items()}
                if len(chosen) == 1:
                    curves = {f"{name}.{kind}{part}": told for part, told in parts.items()}
                else:
                    curves = {name: np.sqrt(sum(told**2 for told in parts.values()))} if parts else {}
                for label, told in curves.items():
                    axis.plot(*_broken(seen, seen.t, told), label=plain(label))
            axis.set_ylabel(unit)
            if axis.lines:
                axis.legend(ncols=min(4, len(chosen) if len(chosen) > 1 else 3), fontsize=8)
        without = " (without what redundant constraints leave open)" if left_open else ""
        panels[0].set_title(plain(f"{motion.system.name}: reactions on the second bodies{without}"))
        panels[1].set_xlabel("t")
        return figure
