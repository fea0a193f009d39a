"""`dalembert equilibria`: where a mechanism can rest, and whether it stays."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings


def command(
    file: File,
    set: Settings = None,
    speed: Annotated[
        list[str] | None, typer.Option(help="A constant speed of a steady motion, e.g. --speed axis.th'=3 (repeat).")
    ] = None,
    starts: Annotated[int, typer.Option(help="How many random configurations the search starts from.", min=1)] = 120,
    seed: Annotated[int, typer.Option(help="Where the random configurations start.")] = 0,
    format: FormatOption = Format.text,
) -> None:
    """Find equilibria (or steady motions at given speeds) and judge their stability.

    Example: dalembert equilibria examples/double_pendulum.lsd
    """
    import dalembert
    from dalembert.analysis.equilibria import equilibria
    from dalembert.errors import ModelError

    def numbers(pairs: list[str] | None) -> dict[str, float]:
        found = {}
        for one in pairs or []:
            name, _, value = one.rpartition("=")
            try:
                found[name.strip()] = float(value)
            except ValueError:
                raise ModelError(f"{one!r} is not of the form name=number.") from None
        return found

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set)
    found = equilibria(mechanism.equations("kane"), speeds=numbers(speed), starts=starts, seed=seed)
    if format is Format.json:
        show_json({"mechanism": mechanism.name, "equilibria": [one.as_dict() for one in found]})
        return
    if not found:
        typer.echo("no equilibrium found. Try more --starts, or a steady motion with --speed.")
    for one in found:
        place = ", ".join(f"{x} = {v:.6g}" for x, v in one.coordinates.items())
        typer.echo(f"{one.stability}: {place}")
