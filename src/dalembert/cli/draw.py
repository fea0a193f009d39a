"""`dalembert draw`: the machine in a posture, as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.settings import split_settings


class View(StrEnum):
    space = "space"
    flat = "flat"
    structure = "structure"


def command(
    file: File,
    view: Annotated[
        View, typer.Option(help="In space; flat, with dimensions; or bodies and links as a graph, loops marked.")
    ] = View.space,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The picture: .png, .svg or .pdf.", show_default="FILE.png")
    ] = None,
    set_: Settings = None,
    towards: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Direction from the machine to the eye: --towards 0 -1 0.2.", show_default="as animated"),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="On a dark ground.")] = False,
) -> None:
    """Draw a mechanism in its start, or in the posture that --set tells. Loops are closed first.

    Example: dalembert draw examples/four_bar.lsd -o four_bar.svg --set ground.th=0.8

    Example: dalembert draw examples/slider_crank.lsd --view flat -o slider_crank.svg

    Example: dalembert draw examples/satellite.lsd --towards 1 0 0.3 --dark
    """
    import dalembert

    mechanism = dalembert.load(file, meshes=True)
    at, given = split_settings(mechanism, set_)
    place = out or Path(f"{file.stem}.png")
    if view is not View.space and (towards is not None or dark):
        raise typer.BadParameter("--towards and --dark are for pictures in space", param_hint="--view")
    if view is View.flat:
        mechanism.draw_flat(place, at=at or None, given=given)
    elif view is View.structure:
        mechanism.draw_structure(place)
    else:
        mechanism.draw(place, at=at or None, given=given, towards=towards, dark=dark)
    typer.echo(place)
