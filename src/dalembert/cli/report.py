"""`dalembert report`: everything about a machine in one document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Settings
from dalembert.cli.settings import read_values, split_settings


def command(
    file: File,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The report: .html, .pdf or .tex.", show_default="FILE.html")
    ] = None,
    formalism: Annotated[
        list[str] | None, typer.Option(help="A formalism to show (repeat).", show_default="kane")
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option(help="vector, matrix or scalar (repeat).", show_default="vector, scalar")
    ] = None,
    until: Annotated[float, typer.Option(help="Final time of the simulation.")] = 10.0,
    set_: Settings = None,
    start: Annotated[list[str] | None, typer.Option(help="A coordinate or speed at the start.")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop (repeat).")] = None,
    seconds: Annotated[float, typer.Option(help="Time that each section may take.", min=0.1)] = 60.0,
) -> None:
    """Write a report: structure, names, freedoms, equations, equilibria, motion, reactions, quality, code.

    What does not apply to the machine, or cannot be computed, is said in a sentence where it would stand.

    Example: dalembert report examples/satellite.lsd -o satellite.html

    Example: dalembert report examples/four_bar.lsd -o four_bar.pdf --formalism lagrange --level matrix
    """
    import dalembert

    mechanism = dalembert.load(file, meshes=True)
    first, given = split_settings(mechanism, set_)
    written = mechanism.report(
        out or Path(f"{file.stem}.html"),
        formalisms=formalism or ("kane",),
        levels=level or ("vector", "scalar"),
        until=until,
        start={**first, **read_values(start, "--start")},
        given=given,
        cut=cut or (),
        source=file.read_text(encoding="utf-8") if file.suffix == ".lsd" else None,
        seconds=seconds,
        progress=sys.stderr.isatty(),
    )
    for path in written:
        typer.echo(path)
