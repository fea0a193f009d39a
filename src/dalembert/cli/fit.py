"""`dalembert fit`: parameters and starts from measured motions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_values, split_settings
from dalembert.cli.tables import read_table


def command(
    file: File,
    data: Annotated[list[Path], typer.Argument(help="Tables (.csv): a column `t`, and one for each thing measured.")],
    find: Annotated[list[str], typer.Option(help="A parameter or a start to be found (repeat).")],
    sigma: Annotated[
        list[str] | None, typer.Option(help="The standard deviation of a column: name=value (repeat).")
    ] = None,
    loss: Annotated[str, typer.Option(help="linear, soft_l1 or huber; the others bear outliers.")] = "linear",
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Find parameters and starts with which the motion is nearest to what was measured, with their deviations.

    Columns are coordinates, outputs or any formula; empty cells were not measured.

    Example: dalembert fit examples/pendulum.lsd examples/pendulum_measured.csv --find l --find hinge.th
    """
    import dalembert

    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    deviations = read_values(sigma, "--sigma")
    with warnings_in_words():
        found = mechanism.fit(
            [read_table(path) for path in data],
            find,
            start=start,
            given=given,
            sigma=deviations,
            loss=loss,
            cut=cut or (),
        )
    if format is Format.json:
        show_json(found.as_dict())
    else:
        typer.echo(str(found))
    if not found.success:
        raise typer.Exit(1)
