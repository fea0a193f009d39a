"""`dalembert mobility`: how many degrees of freedom a mechanism with loops really has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings


def command(
    file: File,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop instead of carrying the tree.")] = None,
    digits: Annotated[int, typer.Option(min=30, help="Decimal digits of the certificates.")] = 50,
    curve: Annotated[Path | None, typer.Option(help="Picture of the configuration curve (one freedom).")] = None,
    picture: Annotated[Path | None, typer.Option(help="Picture of the mechanism, redundant links in colour.")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Judge the mobility near the configuration of `start`: degrees of freedom, what proves them, what is redundant.

    Example: dalembert mobility examples/loops/bennett.lsd --curve bennett.png
    """
    import dalembert
    from dalembert.loops import draw_curve, draw_mechanism, mobility

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    verdict = mobility(mechanism, cut=cut or (), digits=digits)
    if curve is not None:
        draw_curve(mechanism, verdict, curve, cut=cut or ())
        print(f"{curve}: configuration curve", file=sys.stderr)
    if picture is not None:
        draw_mechanism(mechanism, verdict, picture, cut=cut or ())
        print(f"{picture}: mechanism", file=sys.stderr)
    if format is Format.json:
        show_json(verdict.to_json())
    else:
        typer.echo(str(verdict))
