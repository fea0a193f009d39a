"""`dalembert lqr`: linear equations about a rest, and the feedback of least cost that holds it."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json, warnings_in_words
from dalembert.cli.settings import read_values, split_settings


def command(
    file: File,
    input: Annotated[
        list[str],
        typer.Option(help="A parameter, or a coordinate that an effort pushes, e.g. --input rail.x (repeat)."),
    ],
    output: Annotated[list[str] | None, typer.Option(help="A row of C and D, e.g. --output tip.X (repeat).")] = None,
    at: Annotated[list[str] | None, typer.Option(help="The rest: --at pivot.th=0 (repeat); else the start.")] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", "-Q", help="Weight of every state, 1, or of one: pivot.th=10 (repeat; others 0)."),
    ] = None,
    effort: Annotated[
        list[str] | None,
        typer.Option("--effort", "-R", help="Weight of every input, 1, or of each one: rail.x=0.1 (repeat)."),
    ] = None,
    step: Annotated[float | None, typer.Option(help="Time step of a sampled feedback; else it is continuous.")] = None,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="A link that closes a loop (repeat).")] = None,
    format: FormatOption = Format.text,
) -> None:
    """A, B, C, D about a rest, the efforts that hold it, and the feedback u = -K x of least cost x'Q x + u'R u.

    Example: dalembert lqr examples/cart_pole.lsd --input rail.x --at pivot.th=0 -Q 1 -R 0.1
    """
    import dalembert

    mechanism = dalembert.load(file)
    start, given = split_settings(mechanism, set_)
    Q, R = _weights(weight, "--weight"), _weights(effort, "--effort")
    with warnings_in_words():
        space = mechanism.state_space(
            input, output or (), at={**start, **read_values(at, "--at")}, given=given, cut=cut or ()
        )
        held = space.lqr(Q, R, step=step)
    if format is Format.json:
        show_json({"mechanism": mechanism.name, "space": space.as_dict(), "feedback": held.as_dict()})
        return
    typer.echo(f"{space}\n{held}")


def _weights(said: list[str] | None, option: str) -> float | dict[str, float]:
    """One number for all, or one for each name."""
    if not said:
        return 1.0
    if len(said) == 1 and "=" not in said[0]:
        return next(iter(read_values([f"all={said[0]}"], option).values()))
    return read_values(said, option)
