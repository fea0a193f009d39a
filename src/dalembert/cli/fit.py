"""`dalembert fit`: parameters and starts from measured motions."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_values, split_settings


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
            [_table(path) for path in data], find, start=start, given=given, sigma=deviations, loss=loss, cut=cut or ()
        )
    if format is Format.json:
        show_json(found.as_dict())
    else:
        typer.echo(str(found))
    if not found.success:
        raise typer.Exit(1)


def _table(path: Path) -> dict[str, list[float]]:
    """Columns by the names in the first line; an empty cell is not a number."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    except (OSError, ValueError, csv.Error) as error:
        raise typer.BadParameter(f"{path}: no table with names in its first line ({error})") from None
    columns: dict[str, list[float]] = {name.strip(): [] for name in header}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise typer.BadParameter(f"{path}, row {number}: {len(row)} cells, but {len(columns)} names")
        for name, cell in zip(columns, row, strict=True):
            try:
                columns[name].append(float(cell) if cell.strip() else float("nan"))
            except ValueError:
                raise typer.BadParameter(f"{path}, row {number}: '{cell}' of '{name}' is no number") from None
    return columns
