"""`dalembert studio`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    path: Annotated[
        Path | None, typer.Argument(help="A program or a folder of programs; without it this folder.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port on this machine.", show_default="a free one")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
) -> None:
    """Edit a mechanism and see it move: 3D view, equations, sliders, curves, mobility, equilibria, export.

    Serves this machine only (127.0.0.1), and writes into the folder of the project only. Needs `dalembert[studio]`.

    Example: dalembert studio examples/double_pendulum.lsd
    """
    from dalembert.studio import Project, serve

    serve(Project.of(path), port=port, browser=browser)
