"""`dalembert video`: the motion as a moving picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.output import warnings_in_words
from dalembert.cli.settings import read_values, split_settings
from dalembert.files import check_suffix


def command(
    file: File,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The video: .gif; .mp4 and .webm with ffmpeg.", show_default="FILE.gif"),
    ] = None,
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    set_: Settings = None,
    start: Annotated[list[str] | None, typer.Option(help="A coordinate or speed at the start.")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop (repeat).")] = None,
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 20.0,
    speed: Annotated[
        float | None, typer.Option(help="Seconds of motion in one second of the video.", show_default="as animated")
    ] = None,
    size: Annotated[tuple[int, int], typer.Option(help="Width and height in pixels.")] = (960, 540),
    dark: Annotated[bool, typer.Option("--dark", help="On a dark ground.")] = False,
) -> None:
    """Simulate a mechanism and paint its motion, without a display or a browser. `simulate --animate` makes a page.

    Example: dalembert video examples/pendulum.lsd -o pendulum.gif --until 3 --fps 10 --size 480 270
    """
    import dalembert

    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    if not (min(size) >= 16 and max(size) <= 4096):
        raise typer.BadParameter("a video is 16 to 4096 pixels wide and high", param_hint="--size")
    place = out or Path(f"{file.stem}.gif")
    check_suffix(place, (".gif", ".mp4", ".webm"), "a video is a GIF, MP4 or WEBM")
    mechanism = dalembert.load(file, meshes=True)
    first, given = split_settings(mechanism, set_)
    with warnings_in_words():
        motion = mechanism.simulate(
            (0.0, until), start={**first, **read_values(start, "--start")}, given=given, cut=cut or ()
        )
    motion.video(place, fps=fps, speed=speed, size=size, dark=dark)
    typer.echo(place)
