"""States of contacts over time as bars, a row for each contact: open, closed, stick, slip; impacts as ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.mechanism import did_you_mean
from dalembert.simulate import Motion
from dalembert.view.theme import GREY, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STATES = {"closed": "#4477aa", "stick": "#228833", "slip": "#ccbb44", "open": "#e6e9ed"}
_IMPULSE = "#ee6677"
_HEIGHT = 0.62
"""Of a bar, in rows."""
_SHORT = 1e-3
"""A state shorter than this share of the picture is drawn as long as this: a tenth of a millimetre on paper."""


def plot_contacts(motion: Motion, *names: str, axes: Axes | None = None) -> Figure:
    """Bars of the states of contacts over time, and their impulses: the taller the tick, the stronger.

    Without names all contacts that ever touch (all of them where none does). Of time stepping, the steps are the bars.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    log = motion.contacts
    if log is None:
        raise SimulationError(f"'{motion.system.name}' has no contacts whose states could be drawn: mo.plot() draws.")
    if log.crowd:
        raise SimulationError(
            f"the contacts of the crowd '{motion.system.name}' have no names: draw mo.contacts.pushing over "
            "mo.contacts.t."
        )
    for name in names:
        if name not in log.names:
            raise SimulationError(f"'{motion.system.name}' has no contact '{name}'.{did_you_mean(name, log.names)}")
    phases = log.phases
    busy = {one.contact for one in phases if one.state != "open"} | {one.contact for one in log.strikes}
    shown = list(names) or [name for name in log.names if name in busy] or list(log.names)
    strongest = max((abs(one.normal) for one in log.strikes if not one.step), default=0.0)
    begin, end = float(motion.t[0]), float(motion.t[-1])
    with mpl.rc_context(style()):
        if axes is None:
            figure, axis = plt.subplots(figsize=(8, 1.3 + 0.34 * len(shown)), layout="constrained")
        else:
            figure, axis = axes.figure, axes  # type: ignore[assignment]
        seen = set[str]()
        for row, name in enumerate(shown):
            for one in phases:
                if one.contact == name and (one.end > one.begin or begin == end):
                    seen.add(one.state)
                    long = max(one.end - one.begin, _SHORT * (end - begin) if one.state != "open" else 0.0)
                    axis.barh(row, long, left=one.begin, height=_HEIGHT, color=STATES[one.state], zorder=2)
            told = [one for one in log.impulses(name) if not one.step]
            tall = np.array([0.25 + 0.65 * abs(one.normal) / strongest for one in told]) * _HEIGHT
            times = [one.t for one in told]
            if told:
                axis.vlines(times, row + _HEIGHT / 2 - tall, row + _HEIGHT / 2, color=_IMPULSE, lw=1.6, zorder=3)
                axis.plot(times, row + _HEIGHT / 2 - tall, "o", ms=3, color=_IMPULSE, zorder=4)
        axis.set_yticks(range(len(shown)), [plain(name) for name in shown])
        axis.set_ylim(len(shown) - 0.4, -0.6)
        if end > begin:
            axis.set_xlim(begin, end)
        axis.grid(axis="y", visible=False)
        marks: list[Any] = [plt.Rectangle((0, 0), 1, 1, color=c) for state, c in STATES.items() if state in seen]
        words = [state for state in STATES if state in seen]
        if strongest:
            marks.append(plt.Line2D([], [], color=_IMPULSE, marker="o", ms=3, lw=1.6))
            words.append("impulse")
        axis.legend(marks, words, ncols=5, loc="lower right", bbox_to_anchor=(1, 1.0), borderaxespad=0.2)
        axis.set_title(plain(f"{motion.system.name}: contacts"))
        axis.set_xlabel("t")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        axis.spines["bottom"].set_color(GREY)
        return figure
