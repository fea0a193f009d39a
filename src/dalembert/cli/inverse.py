"""`dalembert inverse`: which efforts make coordinates follow laws of time."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_formulas, split_settings


def command(
    file: File,
    law: Annotated[list[str], typer.Option(help="A law of a coordinate, e.g. --law 'elbow.th=0.3*sin(2*t)' (repeat).")],
    by: Annotated[
        list[str] | None,
        typer.Option(help="What pushes for each law: coordinates or forms, e.g. --by shoulder.th (repeat)."),
    ] = None,
    until: Annotated[float, typer.Option(help="Final time.")] = 10.0,
    points: Annotated[int, typer.Option(min=2, help="Number of instants in the result.")] = 21,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Efforts and powers of the devices that make coordinates follow laws of time.

    Without --by each law is kept by an effort on its own coordinate. What no law names follows its own equations, from
    `start`.

    Example: dalembert inverse examples/double_pendulum.lsd --law 'shoulder.th=t^2' --law 'elbow.th=0' --until 1
    """
    import numpy as np

    import dalembert

    if not 0 < until < float("inf"):
        raise typer.BadParameter("the final time must be positive and finite", param_hint="--until")
    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    laws = read_formulas(law, "--law")
    with warnings_in_words():
        found = mechanism.inverse_dynamics(
            laws, (0.0, until), by=by, start=start, given=given, t_eval=np.linspace(0, until, points), cut=cut or ()
        )
        efforts, powers = found.efforts, found.powers
    if format is Format.json:
        show_json({"mechanism": mechanism.name, **found.as_dict()})
        return
    names = ["t", *efforts, *(f"power of {x}" for x in powers)]
    widths = [max(12, len(name)) for name in names]
    typer.echo("  ".join(name.rjust(w) for name, w in zip(names, widths, strict=True)))
    for row in zip(found.t, *efforts.values(), *powers.values(), strict=True):
        typer.echo("  ".join(f"{x:.6g}".rjust(w) for x, w in zip(row, widths, strict=True)))
