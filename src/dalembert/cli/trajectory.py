"""`dalembert trajectory`: a smooth motion through points, with the efforts that it needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_formulas, split_settings

_BEYOND = 1e-3
"""Share of the range of its points by which a coordinate leaves it to be told: less is seen in no drawing."""


def command(
    file: File,
    point: Annotated[
        list[str], typer.Option(help="Points of a coordinate: --point elbow.th=0,0.8,0.4 (repeat; as many of each).")
    ],
    times: Annotated[str | None, typer.Option(help="When: 0,1,2.5; else as soon as limits allow.")] = None,
    speed: Annotated[list[str] | None, typer.Option(help="Largest speed, of all (2) or one (elbow.th=2).")] = None,
    acceleration: Annotated[list[str] | None, typer.Option(help="Largest acceleration, of all or one.")] = None,
    kind: Annotated[str, typer.Option(help="quintic (no jump of acceleration) or cubic.")] = "quintic",
    efforts: Annotated[
        bool, typer.Option("--efforts", help="Efforts and powers on these coordinates that make the motion.")
    ] = False,
    by: Annotated[list[str] | None, typer.Option(help="What pushes instead, for each coordinate (repeat).")] = None,
    points: Annotated[int, typer.Option("--points", min=2, help="Number of instants in the table.")] = 21,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A CSV file for the table.")] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Coordinates through points, at rest at both ends, within limits; what no point names follows its equations.

    Example: dalembert trajectory examples/double_pendulum.lsd --point shoulder.th=0,1 --point elbow.th=0,1 --speed 2
    """
    import numpy as np

    import dalembert
    from dalembert.files import written_whole
    from dalembert.mechanism import did_you_mean

    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    wanted = {name: _numbers(text, "--point") for name, text in read_formulas(point, "--point").items()}
    known = [x for link in mechanism.links.values() for x in link.coordinates]
    for name in wanted:
        if name not in known:
            raise typer.BadParameter(f"there is no coordinate '{name}'.{did_you_mean(name, known)}")
    way = dalembert.trajectory(
        wanted,
        _numbers(times, "--times") if times else None,
        kind=kind,
        speed=_limit(speed, "--speed"),
        acceleration=_limit(acceleration, "--acceleration"),
    )
    for name, (low, high) in way.ends.items():
        least, most = min(wanted[name]), max(wanted[name])
        if max(least - low, high - most) > _BEYOND * (most - least):
            told = f"{name} swings beyond its points, from {low:.4g} to {high:.4g}: give other times, or more points."
            print(f"note: {told}", file=sys.stderr)
    t = np.linspace(float(way.t[0]), float(way.t[-1]), points)
    rows = {"t": t}
    for ends, values in (("", way.q(t)), ("'", way.u(t)), ("''", way.udot(t))):
        rows |= {f"{name}{ends}": values[:, k] for k, name in enumerate(way.names)}
    if efforts or by:
        with warnings_in_words():
            found = mechanism.inverse_dynamics(
                way.laws(), (float(t[0]), float(t[-1])), by=by, start=start, given=given, t_eval=t, cut=cut or ()
            )
        rows |= {f"effort.{name}": np.asarray(x) for name, x in found.efforts.items()}
        rows |= {f"power.{name}": np.asarray(x) for name, x in found.powers.items()}
    if out is not None:
        with written_whole(out) as table:
            np.savetxt(table, np.column_stack(list(rows.values())), delimiter=",", header=",".join(rows), comments="")
    if format is Format.json:
        columns = {name: [float(x) for x in values] for name, values in rows.items()}
        show_json(
            {"mechanism": mechanism.name, "duration": way.duration, "times": [*map(float, way.t)], "table": columns}
        )
        return
    typer.echo(f"{way.duration:.6g} s through {len(way.t)} points at t = {', '.join(f'{x:.6g}' for x in way.t)}")
    if out is None:
        widths = [max(12, len(name)) for name in rows]
        typer.echo("  ".join(name.rjust(w) for name, w in zip(rows, widths, strict=True)))
        for row in zip(*rows.values(), strict=True):
            typer.echo("  ".join(f"{x:.6g}".rjust(w) for x, w in zip(row, widths, strict=True)))


def _numbers(text: str, option: str) -> list[float]:
    from dalembert.cli.settings import read_values

    return [read_values([f"x={one}"], option)["x"] for one in text.split(",")]


def _limit(said: list[str] | None, option: str) -> float | dict[str, float] | None:
    from dalembert.cli.settings import read_values

    if not said:
        return None
    if len(said) == 1 and "=" not in said[0]:
        return read_values([f"x={said[0]}"], option)["x"]
    return read_values(said, option)
