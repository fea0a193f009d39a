"""Verbs that draw: a posture in space or flat, the structure, modes, response to frequencies, paths of eigenvalues."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import DalembertError, ModelError
from dalembert.files import check_suffix, write_text
from dalembert.model.measured import Measured
from dalembert.verbs import verb

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from dalembert.analysis import Equilibrium
    from dalembert.view import Scene
    from dalembert.view.sliders import Sliders


class Pictured(Measured):
    """A machine that can be looked at."""

    def _repr_png_(self) -> bytes | None:
        """The machine in its start, for a notebook; nothing where it cannot be drawn."""
        from io import BytesIO

        try:
            figure = self.draw()
        except DalembertError:
            return None
        held = BytesIO()
        figure.savefig(held, format="png", dpi=80, facecolor=figure.get_facecolor())
        return held.getvalue()

    @verb
    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        towards: Sequence[float] | None = None,
        dark: bool = False,
    ) -> Figure:
        """The machine in a posture (its start when not said): a figure, and a PNG, SVG or PDF if a path is given."""
        from dalembert.view import draw, scene_of

        return draw(scene_of(self, at=at, given=given), path, towards=towards, dark=dark)

    @verb
    def sliders(
        self,
        values: Mapping[str, Sequence[float]],
        t_span: tuple[float, float],
        path: str | os.PathLike[str] | None = None,
        *,
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Sliders:
        """Motions for values of parameters or of the start, with a slider for each: for a notebook, or as one page.

        Every combination is simulated beforehand, so the page needs no Python:
        `m.sliders({"m2": [0.5, 1, 2], "elbow.th": [0, 1]}, (0, 5), "tune.html")`.
        """
        from dalembert.view.sliders import sliders_of

        if path is not None:
            check_suffix(path, (".html", ".htm"), "sliders are a page")
        found = sliders_of(self, values, t_span, start=start, given=given)
        if path is not None:
            write_text(path, found.page)
        return found

    @verb
    def draw_flat(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Figure:
        """A plane machine as it is drawn on paper, with its dimensions: a figure, and a file if a path is given."""
        from dalembert.view.flat import draw_flat
        from dalembert.view.images import written

        return written(draw_flat(self, at=at, given=given), path)

    @verb
    def draw_structure(self, path: str | os.PathLike[str] | None = None, *, cut: Collection[str] = ()) -> Figure:
        """Bodies and links as a graph, its loops numbered: a figure, and a PNG, SVG or PDF if a path is given."""
        from dalembert.view.images import written
        from dalembert.view.structure import draw_structure

        return written(draw_structure(self, cut), path)

    @verb
    def draw_mode(
        self,
        number: int = 1,
        path: str | os.PathLike[str] | None = None,
        *,
        rest: Equilibrium | None = None,
        given: Mapping[str, Any] | None = None,
        dark: bool = False,
    ) -> Figure:
        """A mode of the small motions about `rest` (the first stable equilibrium when not said), slowest first.

        The machine at rest, and pale copies of it at both ends of the swing.
        """
        from dalembert.view.images import written
        from dalembert.view.modes import draw_mode

        return written(draw_mode(self._mode(number, rest, given), dark=dark), path)

    @verb
    def animate_mode(
        self,
        number: int,
        path: str | os.PathLike[str],
        *,
        rest: Equilibrium | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        """A mode that swings, as one HTML file."""
        from dalembert.view import page

        check_suffix(path, (".html", ".htm"), "an animation is a page")
        scene = self._mode(number, rest, given)
        write_text(path, page(scene, f"{self.name}: mode {number}"))

    def _mode(self, number: int, rest: Equilibrium | None, given: Mapping[str, Any] | None) -> Scene:
        from dalembert.analysis import equilibria
        from dalembert.view.modes import mode_scene

        if rest is None:
            stable = [one for one in equilibria(self, given) if one.stability in ("stable", "asymptotically stable")]
            if not stable:
                raise ModelError(
                    f"no stable equilibrium of '{self.name}' was found: say about which one it moves, "
                    "rest=m.equilibria()[0]."
                )
            rest = stable[0]
        if not 1 <= number <= len(rest.modes):
            raise ModelError(f"there is no mode {number}: this equilibrium has {len(rest.modes)}, the slowest is 1.")
        return mode_scene(self, rest.coordinates, rest.modes[number - 1], given=given)

    @verb
    def plot_response(
        self,
        input: str,
        outputs: Sequence[str] = (),
        *,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        frequencies: ArrayLike | None = None,
        cut: Collection[str] = (),
    ) -> Figure:
        """Gain and phase of coordinates against the frequency [Hz] of a parameter, about the motion `at`."""
        from dalembert.analysis import linearize
        from dalembert.view.linear import plot_response

        linear = linearize(self, at, given=given, inputs=[input], cut=cut)
        return plot_response(linear, input, outputs, frequencies=frequencies)

    @verb
    def plot_locus(
        self,
        parameter: str,
        values: ArrayLike,
        *,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        t: float | None = None,
        cut: Collection[str] = (),
    ) -> Figure:
        """Paths of the eigenvalues about the motion `at` as a parameter takes these values (a root locus)."""
        from dalembert.view.linear import locus_of, plot_locus

        return plot_locus(
            values, locus_of(self, parameter, values, at=at, given=given, t=t, cut=cut), parameter, self.name
        )
