"""Writing results: JSON on standard output, warnings and faults."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def warnings_in_words() -> Iterator[None]:
    """Warnings of the library as lines on standard error, without the place in its code."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(one.message) for one in seen):
                print(f"warning: {text}", file=sys.stderr)


def faults(error: LsdError) -> list[dict[str, Any]]:
    """The diagnostics of an error as plain data; an error without places is one line."""
    if error.diagnostics:
        return [one.as_dict() for one in error.diagnostics]
    return [{"severity": "error", "message": str(error)}]
