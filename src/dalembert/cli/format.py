"""`dalembert format`: one layout for every program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.files import write_text


def command(
    files: Annotated[list[Path], typer.Argument(help="Programs in LSD.", show_default=False)],
    write: Annotated[bool, typer.Option(help="Change the files instead of printing.")] = False,
    check: Annotated[bool, typer.Option(help="Exit with 1 if a file would change.")] = False,
) -> None:
    """Lay programs out in the house style; comments stay.

    Example: dalembert format --write examples/pendulum.lsd
    """
    from dalembert.lsd.format import format_text
    from dalembert.lsd.reading import read_source

    changed = False
    for path in files:
        old = read_source(path)
        new = format_text(old.text, str(path))
        changed |= new != old.text
        if check:
            continue
        if write:
            if new != old.text:
                write_text(path, new)
        else:
            typer.echo(new, nl=False)
    raise typer.Exit(1 if check and changed else 0)
