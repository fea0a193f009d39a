"""A motion as one HTML file that plays: our own renderer, a few numbers, no network."""

from __future__ import annotations

import os
from collections.abc import Sequence

from dalembert.files import check_suffix, write_text
from dalembert.simulate import Motion
from dalembert.view.page import page
from dalembert.view.scene import scene_of


def animate(
    motion: Motion,
    path: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    speed: float | None = None,
    title: str = "",
    columns: Sequence[str] | None = None,
    reactions: Sequence[str] = (),
) -> None:
    """Write one self-contained HTML file in which the motion plays in three dimensions.

    The motion plays at the speed of the clock unless it is very short or long; `speed` says how many seconds of motion
    pass in one of playing, `fps` how many frames a second are kept.
    """
    check_suffix(path, (".html", ".htm"), "an animation is a page")
    write_text(path, page(scene_of(None, motion, fps=fps, speed=speed, columns=columns, reactions=reactions), title))
