"""State of one evaluation of a checked program: values, placeholders for unknowns, joins and efforts found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.values import EffortValue, FrameValue, LinkValue
from dalembert.mechanism.names import free_name

MAX_CALLS = 200_000
MAX_CALL_DEPTH = 60


class Fault(Exception):
    """Inner signal: evaluation of this declaration failed and was reported."""


@dataclass(frozen=True, slots=True)
class JoinValue:
    first: FrameValue
    second: FrameValue
    link: LinkValue
    name: str | None
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class AppliedValue:
    effort: EffortValue
    target: Any
    name: str | None
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class BetweenValue:
    """An effort between two frames; fields that are not written are absent."""

    kind: str
    first: FrameValue
    second: FrameValue
    fields: dict[str, Any]
    name: str | None
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class ConstraintValue:
    """What the verb `kind` of the builder takes: expressions, frames and numbers that are already computed."""

    kind: str
    arguments: tuple[Any, ...]
    by: Any
    name: str | None
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class ContactValue:
    """What `contact`, `limit` or `rub` of the builder takes; shapes are (kind, frame, sizes)."""

    kind: str
    arguments: tuple[Any, ...]
    laws: dict[str, Any]
    name: str | None
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class OutputValue:
    name: str
    value: Expr
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class StartValue:
    link: str
    parameter: str
    order: int
    value: Expr
    source: Source
    spans: tuple[Span, Span, Span]
    listed: Span  # the declaration in which it stands


@dataclass(frozen=True, slots=True)
class GivenItem:
    """`field` is None for a plain symbol; `value` is a scalar or a triple."""

    name: str
    field: str | None
    value: Any
    source: Source
    span: Span
    listed: Span  # the declaration in which it stands
    body: Any = None


@dataclass(frozen=True, slots=True)
class LawItem:
    name: str
    parameters: tuple[Expr, ...]
    value: Expr
    source: Source
    span: Span
    listed: Span  # the declaration in which it stands


@dataclass(slots=True)
class Run:
    """One evaluation. Placeholders are symbols `?1`, `?2`, ... that get their names when the bodies are numbered."""

    report: Report
    free: dict[str, Any]
    env: dict[int, Any] = field(default_factory=dict)
    joins: list[JoinValue] = field(default_factory=list)
    applied: list[AppliedValue | BetweenValue] = field(default_factory=list)
    constraints: list[ConstraintValue] = field(default_factory=list)
    contacts: list[ContactValue] = field(default_factory=list)
    quantities: dict[str, tuple[Source, Span]] = field(default_factory=dict)
    given: list[GivenItem | LawItem] = field(default_factory=list)
    start: list[StartValue] = field(default_factory=list)
    gravity: Vector3 | None = None
    gravity_place: tuple[Source, Span] | None = None
    frames: list[FrameValue] = field(default_factory=list)
    named: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    bodies: list[Any] = field(default_factory=list)
    unknowns: dict[Expr, int] = field(default_factory=dict)
    in_link: list[Expr] | None = None
    naming: str | None = None  # what the machine is called that is built next
    outputs: list[OutputValue] = field(default_factory=list)
    dimensional: bool = False  # whether units stand in the values, to compare them
    passes: int = 0
    calls: int = 0
    stack: list[tuple[Source, Span]] = field(default_factory=list)  # where the definitions that run were used

    def called(self, home: int | None) -> str:
        """What names of a machine begin with; nothing in the whole program."""
        return "" if home is None else self.env.get(home, "")  # type: ignore[no-any-return]

    def unknown(self, arguments: tuple[Expr, ...] | None = None) -> Expr:
        """A new unknown: a symbol, or an unknown function of its arguments."""
        serial = len(self.unknowns) + 1
        name = f"?{serial}"
        node = ex.symbol(name) if arguments is None else ex.function(name)(*arguments)
        self.unknowns[node] = serial
        if self.in_link is not None:
            self.in_link.append(node)
        return node

    def unique_name(self, name: str, kind: str, package: str | None, place: tuple[Source, Span]) -> str:
        """The name of a body or frame in the mechanism; those of another package that has it too get a number."""
        holder = self.named.get(name)
        if holder is not None and holder[1] == package:
            what = f"the {kind} name {name} is used twice" if holder[0] == kind else f"{name} is a {holder[0]} already"
            hint = f"give one of them another name, in a loop a number: `{name.rpartition('.')[2]}[i]`"
            raise self.fault(*place, what, hint)
        unique = name if holder is None else free_name(name, self.named, first=name)
        self.named[unique] = (kind, package)
        return unique

    def fault(self, source: Source, span: Span, message: str, hint: str | None = None) -> Fault:
        """Report, and give the exception to raise; a fault inside the library is one of who uses it."""
        used = next((place for place in reversed(self.stack) if not place[0].is_library), None)
        if used is not None and source.is_library:
            line, column = source.place(span[0])
            hint = hint or f"inside {source.name}:{line}:{column}, `{source.text[span[0] : span[1]]}`"
            source, span = used
        elif used is not None and hint is None:
            line, column = used[0].place(used[1][0])
            hint = f"it is built by {used[0].name}:{line}:{column}"
        self.report.add(source, span, message, hint)
        return Fault(message)

    def enter(self, source: Source, span: Span) -> None:
        self.calls += 1
        self.stack.append((source, span))
        if len(self.stack) > MAX_CALL_DEPTH:
            raise self.fault(source, span, "definitions use each other too deeply")
        if self.calls > MAX_CALLS:
            raise self.fault(source, span, "the program instantiates its definitions too often")

    def leave(self) -> None:
        self.stack.pop()
