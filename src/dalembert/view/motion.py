"""A motion that can be looked at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert import simulate
from dalembert.verbs import verb

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Motion(simulate.Motion):
    """The result of a simulation with its pictures: `mo.plot()`, `mo.plot_energy()`, `mo.animate("x.html")`."""

    def _repr_html_(self) -> str:
        """The motion playing above its numbers, for a notebook; the numbers alone where it cannot be drawn."""
        from dalembert.errors import DalembertError
        from dalembert.view.page import page
        from dalembert.view.report.html import framed
        from dalembert.view.scene import scene_of

        told = super()._repr_html_()
        try:
            return framed(page(scene_of(None, self)), self.system.name, "24rem;width:100%;border:0") + told
        except DalembertError:
            return told

    def plot(self, *names: str, axes: Axes | None = None) -> Figure:
        """States, outputs or formulas over time; without names the coordinates above the speeds."""
        from dalembert.view.plots import plot

        return plot(self, *names, axes=axes)

    def plot_phase(self, x: str | None = None, y: str | None = None, *, axes: Axes | None = None) -> Figure:
        """One name against another, by default the first coordinate and its speed."""
        from dalembert.view.plots import plot_phase

        return plot_phase(self, x, y, axes=axes)

    def plot_energy(self) -> Figure:
        """Energies over time, and the drift of their sum."""
        from dalembert.view.plots import plot_energy

        return plot_energy(self)

    def plot_contacts(self, *names: str, axes: Axes | None = None) -> Figure:
        """States of contacts over time as bars (open, closed, stick, slip), impulses as ticks."""
        from dalembert.view.contact_plot import plot_contacts

        return plot_contacts(self, *names, axes=axes)

    def plot_section(
        self,
        when: str,
        x: str | None = None,
        y: str | None = None,
        *,
        falling: bool = False,
        axes: Axes | None = None,
    ) -> Figure:
        """A Poincare section: points where the formula `when` passes zero and grows (or falls)."""
        from dalembert.view.portraits import plot_section

        return plot_section(self, when, x, y, falling=falling, axes=axes)

    def plot_reactions(self, *links: str) -> Figure:
        """Forces and moments in links over time: components of one, sizes of several, or of all."""
        from dalembert.view.portraits import plot_reactions

        return plot_reactions(self, *links)

    @verb
    def draw(
        self,
        t: float | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        towards: Sequence[float] | None = None,
        dark: bool = False,
    ) -> Figure:
        """A picture at a time, with the path so far: a figure, and a PNG, SVG or PDF if a path is given."""
        from dalembert.view.images import draw
        from dalembert.view.scene import scene_of

        return draw(scene_of(None, self), path, t=t, towards=towards, dark=dark)

    @verb
    def video(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float = 20.0,
        speed: float | None = None,
        size: tuple[int, int] = (960, 540),
        dark: bool = False,
    ) -> None:
        """Write a GIF, or an MP4 or WEBM where ffmpeg is installed; no display and no browser are needed."""
        from dalembert.view.images import write_video
        from dalembert.view.scene import scene_of

        write_video(scene_of(None, self, fps=fps, speed=speed), path, fps=fps, speed=speed, size=size, dark=dark)

    @verb
    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float = 30.0,
        speed: float | None = None,
        title: str = "",
        columns: Sequence[str] | None = None,
        reactions: Sequence[str] = (),
    ) -> None:
        """Write one self-contained HTML file in which the motion plays in three dimensions.

        `columns` are the curves beside it, `reactions` links whose forces are drawn as arrows.
        """
        from dalembert.view.animation import animate

        animate(self, path, fps=fps, speed=speed, title=title, columns=columns, reactions=reactions)
