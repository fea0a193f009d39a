"""`dalembert compare`: every formalism on one mechanism, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption
from dalembert.cli.output import show_json


def command(
    file: File,
    formalism: Annotated[list[str] | None, typer.Option(help="Only these formalisms (repeat the option).")] = None,
    states: Annotated[int, typer.Option(help="How many random states to compare at.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="Where the random states start.")] = 0,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    memory: Annotated[bool, typer.Option(help="Measure the peak of memory too (derives twice).")] = True,
    format: FormatOption = Format.text,
) -> None:
    """Derive by every formalism: size and cost of the equations, and the largest difference of their accelerations.

    Example: dalembert compare examples/satellite.lsd --format json
    """
    import dalembert

    found = dalembert.load(file).compare(formalism, states=states, seed=seed, memory=memory, cut=cut or ())
    if format is Format.json:
        show_json(found.as_dict())
        return
    typer.echo(str(found))
    published = [row for row in found.formalisms if row.thesis_memory is not None]
    if published:
        typer.echo("\nthe thesis (chapter 2, Maple V on a DECstation 5000/200):")
        for row in published:
            seconds = "given up" if row.thesis_seconds is None else f"{row.thesis_seconds:.2f} s"
            typer.echo(f"{row.name:14} {seconds:>11} {row.thesis_memory:7.2f} MB")
