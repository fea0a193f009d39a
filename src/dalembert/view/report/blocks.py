"""What a report is made of. A block says what it holds, never how it is set: the writers of HTML and LaTeX do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dalembert.presentation.lines import Line


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that stands in for what is not there, or that warns."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines whose layout matters: a program, a verdict."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain text under a head; columns of numbers are set to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Formulas:
    """Equations, or the definitions of the names in them (`small`)."""

    lines: tuple[Line, ...]
    title: str = ""
    small: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that saves itself: `save("svg")`, `save("pdf")`."""

    save: Callable[[str], bytes]
    caption: str


@dataclass(frozen=True, slots=True)
class Film:
    """A whole page that plays; paper has the `still` beside it, if there is one."""

    page: str
    caption: str
    still: Picture | None = None


Block: TypeAlias = Text | Note | Code | Table | Formulas | Picture | Film


@dataclass(frozen=True, slots=True)
class Section:
    """One question about the machine with its answer; `gist` is the answer in one sentence."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    gist: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The document; `html()` and `latex()` set it."""

    title: str
    made_by: str
    sections: tuple[Section, ...]

    @property
    def film(self) -> Film | None:
        """The moving picture, which a reader wants to see first: it stands before the sections, not in its own."""
        films = (block for section in self.sections for block in section.blocks if isinstance(block, Film))
        return next(films, None)

    def html(self) -> str:
        """One self-contained page."""
        from dalembert.view.report.html import page_of

        return page_of(self)

    def _repr_html_(self) -> str:
        from dalembert.view.report.html import framed

        return framed(self.html(), self.title)
