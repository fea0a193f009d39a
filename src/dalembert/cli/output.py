"""Writing results: JSON on standard output, warnings and faults."""

from __future__ import annotations

import json
import sys
from typing import Any

import typer

from dalembert.errors import LsdError


def show_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def warn(diagnostics: Any) -> None:
    """Warnings of a program, on standard error."""
    for one in diagnostics:
        if one.severity == "warning":
            print(one, file=sys.stderr)


def faults(error: LsdError) -> list[dict[str, Any]]:
    """The diagnostics of an error as plain data; an error without places is one line."""
    if error.diagnostics:
        return [one.as_dict() for one in error.diagnostics]
    return [{"severity": "error", "message": str(error)}]
