"""`dalembert identify`: which inertias can be told, a motion that tells them, and what measurements say."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import split_settings
from dalembert.cli.tables import read_table


def command(
    file: File,
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="A table (.csv): t, coordinates, rates if measured, and effort.COORDINATE."),
    ] = None,
    cutoff: Annotated[float | None, typer.Option(help="Low pass (Hz), where rates were not measured.")] = None,
    excite: Annotated[
        float | None, typer.Option(help="Make a motion of this period that tells the parameters.")
    ] = None,
    limit: Annotated[
        list[str] | None, typer.Option(help="Ends of a coordinate for --excite: elbow.th=-1:1.5 (repeat).")
    ] = None,
    tries: Annotated[int, typer.Option(min=1, help="Starts of the search for --excite.")] = 1,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the motion of --excite here (.csv).")] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Which combinations of inertias a motion can tell; with data, their values and deviations.

    Rates that were not measured are made of positions that pass a low pass; efforts pass the same one.

    Example: dalembert identify examples/robots/arm.urdf
    """
    import dalembert
    from dalembert.files import write_text

    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    mechanism.start.update(start)
    with warnings_in_words():
        base = mechanism.base_parameters(given, cut=cut or ())
        if excite is not None:
            way = base.excitation(_limits(limit), period=excite, given=given, tries=tries)
            state = base.regressor.layout.state
            names = ["t", *state.coordinates, *state.speeds, *(f"{x}'" for x in state.speeds)]
            text = io.StringIO()
            rows = csv.writer(text, lineterminator="\n")
            rows.writerow(names)
            rows.writerows(zip(*(x.tolist() for x in (way.t, *way.q.T, *way.u.T, *way.udot.T)), strict=True))
            if out is None:
                typer.echo(text.getvalue(), nl=False)
            else:
                write_text(out, text.getvalue())
                typer.echo(f"{out}: condition {way.condition:.4g}")
            return
        if not data:
            found: object = base
        else:
            tables = [read_table(path) for path in data]
            together = {name: [x for table in tables for x in table.get(name, [])] for name in tables[0]}
            found = base.identify_table(together, cutoff=cutoff, given=given)
    if format is Format.json:
        show_json(found.as_dict())  # type: ignore[attr-defined]
    else:
        typer.echo(str(found))


def _limits(limit: list[str] | None) -> dict[str, tuple[float, float]]:
    found = {}
    for text in limit or ():
        name, _, ends = text.partition("=")
        low, _, high = ends.partition(":")
        try:
            found[name.strip()] = (float(low), float(high))
        except ValueError:
            raise typer.BadParameter(f"'{text}' is not NAME=LOW:HIGH", param_hint="--limit") from None
    return found
