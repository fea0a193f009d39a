"""`dalembert export`: a machine as a file that others read."""

from __future__ import annotations

import json
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.options import Settings


class Kind(StrEnum):
    urdf = "urdf"
    mjcf = "mjcf"
    json = "json"
    lsd = "lsd"


_BY_SUFFIX = {".urdf": Kind.urdf, ".xml": Kind.mjcf, ".mjcf": Kind.mjcf, ".json": Kind.json, ".lsd": Kind.lsd}


def command(
    file: Annotated[
        Path | None, typer.Argument(help="A program (.lsd), a robot file or JSON.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here; its suffix tells the format.")] = None,
    to: Annotated[Kind | None, typer.Option(help="Format, where the suffix does not tell it.")] = None,
    set_: Settings = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of model files.")] = False,
) -> None:
    """Write a machine as URDF or MJCF (in numbers), as JSON with a schema, or as LSD. What a format cannot say is told.

    Example: dalembert export examples/robots/arm.urdf -o arm.xml
    """
    import dalembert
    from dalembert.cli.settings import split_settings
    from dalembert.errors import ArgumentError
    from dalembert.files import STANDARD_OUTPUT, check_suffix, write_text

    if schema:
        typer.echo(json.dumps(dalembert.json_schema(), indent=1))
        return
    if file is None:
        raise ArgumentError("say which file to export: dalembert export arm.lsd -o arm.urdf")
    out = None if out is not None and str(out) == STANDARD_OUTPUT else out
    kind = to or (None if out is None else _BY_SUFFIX.get(out.suffix.lower()))
    if kind is None:
        raise ArgumentError("the format is told by the name of the file (-o arm.urdf, .xml, .json, .lsd), or by --to.")
    if out is not None:
        check_suffix(out, [x for x, y in _BY_SUFFIX.items() if y is kind], f"{kind.value} is written")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mechanism = dalembert.load(file)
        _, given = split_settings(mechanism, set_)
        if kind is Kind.urdf:
            text = mechanism.to_urdf(given)
        elif kind is Kind.mjcf:
            text = mechanism.to_mjcf(given)
        else:
            text = mechanism.to_json() + "\n" if kind is Kind.json else mechanism.to_lsd()
    for one in told:
        print(f"note: {one.message}", file=sys.stderr)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    print(f"wrote {out}", file=sys.stderr)
