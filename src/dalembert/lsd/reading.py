"""From a text or a file to a mechanism, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from dalembert.errors import LsdError
from dalembert.expr import uncollected
from dalembert.lsd.check_program import CheckedProgram, check_program
from dalembert.lsd.elaborate import elaborate
from dalembert.lsd.parser import parse_into
from dalembert.lsd.source import Report, Source
from dalembert.mechanism import Mechanism

M = TypeVar("M", bound=Mechanism)
MAX_LENGTH = 50_000_000


def read_source(path: str | Path) -> Source:
    """The text of a file; a file that cannot be read is an `LsdError`."""
    path = Path(path)
    try:
        return Source(path.read_text(encoding="utf-8-sig"), str(path), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a UTF-8 text"
        raise LsdError(f"cannot read {path}: {reason}") from error


def check(
    text: str | Source, name: str = "<text>", *, strict: bool = False, lenient: bool = False, facts: bool = False
) -> CheckedProgram:
    """Parse and type a program without raising: the faults are in the result's `diagnostics`."""
    source = text if isinstance(text, Source) else Source(text, name)
    report = Report()
    if len(source.text) > MAX_LENGTH:
        report.add(source, (0, 1), "this text is too long for a program")
        source = Source("", source.name, source.folder)
    with uncollected():
        program = parse_into(source, report, strict=strict)
        return check_program(program, report=report, lenient=lenient, facts=facts)


def loads(
    text: str | Source,
    into: Mechanism | None = None,
    name: str = "<text>",
    *,
    strict: bool = False,
    lenient: bool = False,
) -> Mechanism:
    """The mechanism that a program describes; every fault found is in one `LsdError`.

    `strict` reads with the printed precedence and lexer of the thesis; `lenient` lets a body stand for its frame.
    """
    checked = check(text, name, strict=strict, lenient=lenient)
    with uncollected():
        return elaborate(checked, Mechanism() if into is None else into)


def load(path: str | Path, into: Mechanism | None = None, *, strict: bool = False, lenient: bool = False) -> Mechanism:
    """The mechanism of a file, called after it unless a builder is given."""
    source = read_source(path)
    return loads(source, Mechanism(Path(path).stem) if into is None else into, strict=strict, lenient=lenient)
