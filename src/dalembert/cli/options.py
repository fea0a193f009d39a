"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="A mechanism in LSD, or a robot file.", show_default=False)]


class Format(StrEnum):
    """How a result is written on standard output."""

    text = "text"
    json = "json"


class PaperFormat(StrEnum):
    """For people, programs, papers, and computer algebra systems."""

    text = "text"
    json = "json"
    latex = "latex"
    maple = "maple"
    mathematica = "mathematica"
    maxima = "maxima"
    sympy = "sympy"


FormatOption = Annotated[Format, typer.Option("--format", help="How to write the result.")]
PaperOption = Annotated[PaperFormat, typer.Option("--format", help="How to write the result.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Value of a parameter or of a start, e.g. --set m=3 --set elbow.th=0.1"),
]
