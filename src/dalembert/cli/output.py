"""Writing results: JSON on standard output, files whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import typer

from dalembert.errors import DalembertError, LsdError


def show_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def write_atomically(path: Path, text: str) -> None:
    """The file appears complete: written beside its place, then renamed."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise DalembertError(f"cannot write {path}: {error.strerror}. Choose another place with --out.") from error


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
