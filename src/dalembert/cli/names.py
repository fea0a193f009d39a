"""`dalembert names`: the compiled table of the thesis."""

from __future__ import annotations

import typer

from dalembert.cli.options import File, PaperFormat, PaperOption
from dalembert.cli.output import show_json


def command(file: File, format: PaperOption = PaperFormat.text) -> None:
    """Number the bodies and links and name every quantity, as the compiler of the thesis does.

    Declared assignments come from the program; deduced ones follow from them.

    Example: dalembert names examples/satellite.lsd --format latex
    """
    from dalembert import lsd

    table = lsd.names(lsd.load(file))
    if format is PaperFormat.json:
        show_json(table.as_dict())
    else:
        typer.echo(table.latex() if format is PaperFormat.latex else str(table))
