"""`dalembert names`: the compiled table of the thesis."""

from __future__ import annotations

import typer

from dalembert.cli.options import File, PaperFormat, PaperOption
from dalembert.cli.output import show_json


def command(file: File, format: PaperOption = PaperFormat.text) -> None:
    """Number the bodies and links and name every quantity, as the compiler of the thesis does.

    Declared assignments come from the program; deduced ones follow from them. Maple, Mathematica, Maxima and SymPy read
    the table as a file of assignments.

    Example: dalembert names examples/satellite.lsd --format latex
    """
    from dalembert import lsd

    table = lsd.names(lsd.load(file))
    if format is PaperFormat.json:
        show_json(table.as_dict())
    elif format in (PaperFormat.text, PaperFormat.latex):
        typer.echo(str(table) if format is PaperFormat.text else table.latex())
    else:
        typer.echo(table.export(format.value))
