"""`dalembert equilibria`: where a mechanism can rest, and whether it stays."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings, read_values


def command(
    file: File,
    set_: Settings = None,
    speed: Annotated[
        list[str] | None, typer.Option(help="A constant speed of a steady motion, e.g. --speed axis.th'=3 (repeat).")
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="Where the search is centred, e.g. --at hinge.th=0.3 (repeat).")
    ] = None,
    spread: Annotated[float, typer.Option(help="How far from there it starts: radians, or lengths.", min=0.0)] = 3.2,
    starts: Annotated[int, typer.Option(help="How many random configurations the search starts from.", min=1)] = 120,
    seed: Annotated[int, typer.Option(help="Where the random configurations start.")] = 0,
    t: Annotated[float | None, typer.Option("--t", help="The time at which a machine is held.")] = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Find equilibria (or steady motions at given speeds), judge their stability, and give frequencies and damping.

    Example: dalembert equilibria examples/double_pendulum.lsd
    """
    import dalembert

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    found = mechanism.equilibria(
        speeds=read_values(speed, "--speed"),
        at=read_values(at, "--at"),
        spread=spread,
        starts=starts,
        seed=seed,
        t=t,
        cut=cut or (),
    )
    if format is Format.json:
        show_json({"mechanism": mechanism.name, "equilibria": [one.as_dict() for one in found]})
        return
    if not found:
        typer.echo(
            "no equilibrium found near the start. Look elsewhere with --at, farther with --spread, longer with "
            "--starts, or for a steady motion with --speed."
        )
    for one in found:
        typer.echo(str(one))
