"""Tables of measurements (.csv) by the names in their first line."""

from __future__ import annotations

import csv
from pathlib import Path

import typer


def read_table(path: Path) -> dict[str, list[float]]:
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
