"""`dalembert equations`: the equations of motion of a mechanism."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from dalembert.cli.options import File, PaperFormat, PaperOption
from dalembert.cli.output import show_json
from dalembert.files import write_text


class Level(StrEnum):
    vector = "vector"
    matrix = "matrix"
    scalar = "scalar"


def command(
    file: File,
    formalism: Annotated[
        str, typer.Option(help="newton-euler, dalembert, lagrange, hamilton, kane or mixed.")
    ] = "mixed",
    level: Annotated[Level, typer.Option(help="How much detail to show.")] = Level.scalar,
    format: PaperOption = PaperFormat.text,
    out: Annotated[str | None, typer.Option(help="Write to this file instead of standard output.")] = None,
) -> None:
    """Derive the equations of motion and show them as vectors, matrices or scalars.

    Example: dalembert equations examples/satellite.lsd --formalism kane --level matrix
    """
    from pathlib import Path

    import dalembert

    mechanism = dalembert.load(file)
    equations: Any = mechanism.equations(formalism)
    if format is PaperFormat.json:
        data = _plain(equations) | {"level": level.value, "shown": equations.show(level=level.value).as_dict()}
        if out is None:
            show_json(data)
        else:
            import json

            write_text(Path(out), json.dumps(data, indent=2) + "\n")
        return
    shown = equations.show(level=level.value)
    text = shown.latex() if format is PaperFormat.latex else str(shown)
    if out is None:
        typer.echo(text)
    else:
        write_text(Path(out), text + "\n")


def _plain(equations: Any) -> dict[str, Any]:
    """M u' = S + F as lists of formulas, shared intermediates first."""
    from dalembert import expr as ex

    size = len(equations.speeds)
    entries = [equations.mass_matrix[i, j] for i in range(size) for j in range(size)]
    listing = ex.listing([*entries, *equations.bias, *equations.forces])
    results = listing.results
    return {
        "formalism": equations.formalism,
        "coordinates": list(equations.coordinates),
        "speeds": list(equations.speeds),
        "parameters": list(equations.parameters),
        "intermediates": dict(listing.definitions),
        "mass_matrix": [list(results[i * size : (i + 1) * size]) for i in range(size)],
        "bias": list(results[size * size : size * size + size]),
        "forces": list(results[size * size + size :]),
    }
