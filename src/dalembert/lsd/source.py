"""Program text with its places, and the diagnostics that point into it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dalembert.errors import LsdError

Span = tuple[int, int]
Severity = Literal["error", "warning"]


#: What the names of the files of the standard library begin with.
LIBRARY = "library/"


@dataclass(frozen=True, slots=True)
class Source:
    """One LSD text, where it comes from, and the offsets of its lines.

    >>> Source("let a = 1 ;\\nlet b = ;", "x.lsd").place(19)
    (2, 8)
    """

    text: str
    name: str = "<text>"
    folder: Path | None = None
    _lines: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "_lines", tuple(starts))

    @property
    def is_library(self) -> bool:
        """Whether it is a file of the standard library, which no user has written."""
        return self.name.startswith(LIBRARY)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        row = bisect_right(self._lines, offset) - 1
        return row + 1, offset - self._lines[row] + 1

    def line(self, number: int) -> str:
        """Text of one line, without its end."""
        start = self._lines[number - 1]
        end = self._lines[number] - 1 if number < len(self._lines) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def offset(self, line: int, column: int) -> int:
        """Offset of a place counted from 1, kept inside the text."""
        if line < 1:
            return 0
        if line > len(self._lines):
            return len(self.text)
        limit = self._lines[line] - 1 if line < len(self._lines) else len(self.text)
        return min(self._lines[line - 1] + max(column, 1) - 1, limit)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault or warning: what, where, and what to do about it."""

    severity: Severity
    message: str
    source: Source = field(repr=False)
    span: Span
    hint: str | None = None

    @property
    def line(self) -> int:
        return self.source.place(self.span[0])[0]

    @property
    def column(self) -> int:
        return self.source.place(self.span[0])[1]

    def __str__(self) -> str:
        """The classical picture: place, message, the line, a caret under the fault, a hint."""
        line, column = self.source.place(self.span[0])
        shown = self.source.line(line)
        width = max(1, min(self.span[1] - self.span[0], len(shown) - column + 1))
        margin = " " * len(str(line))
        # Tabs are kept in the padding so that the caret stays under its column.
        padding = "".join(c if c == "\t" else " " for c in shown[: column - 1])
        if len(shown) > 300:
            first = max(0, column - 60)
            padding, shown = padding[first:], shown[first : first + 160]
            width = min(width, 100)
        text = (
            f"{self.source.name}:{line}:{column}: {self.severity}: {self.message}\n"
            f" {line} | {shown}\n {margin} | {padding}{'^' * width}"
        )
        return text + (f"\n {margin} = hint: {self.hint}" if self.hint else "")

    def as_dict(self) -> dict[str, object]:
        """Plain data for machines (`--format json`)."""
        line, column = self.source.place(self.span[0])
        end_line, end_column = self.source.place(self.span[1])
        return {
            "severity": self.severity,
            "file": self.source.name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "message": self.message,
            "hint": self.hint,
        }


class TooManyErrors(Exception):
    """Inner signal: the limit of errors in one run is reached."""


@dataclass(slots=True)
class Report:
    """Collects the diagnostics of one run; several errors are reported together."""

    limit: int = 50
    items: list[Diagnostic] = field(default_factory=list)
    #: Names whose declaration could not be read: that has been told, and their use is no other fault.
    lost: set[str] = field(default_factory=set)
    _seen: set[tuple[str, Span, str]] = field(default_factory=set)
    errors: int = 0

    def add(
        self, source: Source, span: Span, message: str, hint: str | None = None, severity: Severity = "error"
    ) -> None:
        key = (source.name, span, message)
        if key in self._seen:
            return
        self._seen.add(key)
        self.items.append(Diagnostic(severity, message, source, span, hint))
        if severity == "error":
            self.errors += 1
            if self.errors >= self.limit:
                raise TooManyErrors

    def kept(self) -> Callable[[], None]:
        """What forgets all that is reported from now on."""
        items, lost, seen, errors = len(self.items), {*self.lost}, {*self._seen}, self.errors

        def forget() -> None:
            del self.items[items:]
            self.lost, self._seen, self.errors = lost, seen, errors

        return forget

    @property
    def failed(self) -> bool:
        return self.errors > 0

    def raise_if_failed(self) -> None:
        """Raise one `LsdError` that shows every error found."""
        if self.failed:
            raise failure(self.items)


def failure(items: Iterable[Diagnostic]) -> LsdError:
    """The exception for a list of diagnostics; its text shows the errors in the order of the text."""
    found = sorted(items, key=lambda d: (d.source.name, d.span))
    errors = [d for d in found if d.severity == "error"]
    return LsdError("\n".join(str(d) for d in errors), diagnostics=tuple(found))
