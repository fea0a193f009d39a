"""`dalembert verify`: a model checked by every independent road."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import split_settings


def command(
    file: File,
    set_: Settings = None,
    until: Annotated[float, typer.Option(help="The end of the motion that is judged.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Where the random states start.")] = 0,
    language: Annotated[
        list[str] | None, typer.Option(help="Only the generated source of this language is run (repeat).")
    ] = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Check a model by all formalisms, exact arithmetic, back ends and laws of motion; exit code 1 if any disagrees.

    Example: dalembert verify examples/double_pendulum.lsd --until 3
    """
    import dalembert

    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    found = mechanism.verify(span=(0.0, until), start=start, given=given, seed=seed, languages=language, cut=cut or ())
    if format is Format.json:
        show_json(found.as_dict())
    else:
        typer.echo(str(found))
    if not found.agrees:
        raise typer.Exit(1)
