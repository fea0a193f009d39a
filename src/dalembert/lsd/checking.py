"""State of the type checker: reports, types of free parameters, facts for editors."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.expr.space import AXES, Vector3
from dalembert.lsd.running import Fault, Run
from dalembert.lsd.scope import Bound
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.types import Type
from dalembert.mechanism.displacement import Displacement, Turn

Thunk = Callable[[Run], Any]


class Checked(NamedTuple):
    """A well-typed expression: its type and how to compute its value."""

    type: Type
    run: Thunk


class Fact(NamedTuple):
    """Something an editor can tell about a place: type, meaning and where the name is defined."""

    span: Span
    text: str
    target: Bound | None
    source: Source


@dataclass(slots=True)
class Context:
    """Shared by the whole check of one program and the files it uses."""

    report: Report
    source: Source
    lenient: bool = False
    free: dict[str, tuple[Type, Any]] = field(default_factory=dict)
    free_places: dict[str, tuple[Source, Span]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    link_parameters: set[str] = field(default_factory=set)
    own_parameters: set[str] = field(default_factory=set)  # of links that the text itself writes
    link_names: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)  # files of the standard library
    later: list[Callable[[], None]] = field(default_factory=list)
    measured: bool = False  # whether the program has units
    asking: bool = False  # inside a constraint, whose formulas may name quantities of frames
    telling: bool = False  # inside an output, which may name whatever a motion tells
    facts: list[Fact] | None = None

    def error(self, span: Span, message: str, hint: str | None = None) -> None:
        self.report.add(self.source, span, message, hint)

    def warning(self, span: Span, message: str, hint: str | None = None) -> None:
        self.report.add(self.source, span, message, hint, "warning")

    def fact(self, span: Span, text: str, target: Bound | None = None) -> None:
        if self.facts is not None:
            self.facts.append(Fact(span, text, target, self.source))

    def wrong(self, span: Span, message: str, hint: str | None = None) -> Checked:
        """Report, and go on with a value that fits everywhere so that one fault is told once."""
        self.error(span, message, hint)
        return BAD

    def unbound(self, span: Span, name: str, hint: str | None = None) -> Checked:
        """A name that nothing declares; silent where its declaration was told to be broken."""
        return BAD if name in self.report.lost else self.wrong(span, f"unbound variable {name}", hint)

    def kept(self) -> Callable[[], None]:
        """What forgets all that is found from now on."""
        forget_report, later = self.report.kept(), len(self.later)
        facts = None if self.facts is None else len(self.facts)
        tables = {name: copy(getattr(self, name)) for name in _TABLES}

        def forget() -> None:
            forget_report()
            del self.later[later:]
            if self.facts is not None:
                del self.facts[facts:]
            for name, table in tables.items():
                setattr(self, name, table)

        return forget

    def guarded(self, span: Span, compute: Callable[..., Any], *parts: Thunk) -> Thunk:
        """A computation whose arithmetic faults (division by zero, zero axis, overflow) become errors with a place."""
        source = self.source

        def run(state: Run) -> Any:
            values = [part(state) for part in parts]
            try:
                return compute(*values)
            except (ExpressionError, ArithmeticError, ValueError) as error:
                text = str(error).rstrip(".") or "arithmetic fault"
                raise state.fault(source, span, text) from error

        return run

    def constant(self, value: Any) -> Thunk:
        return lambda _state: value

    def parameter(self, name: str, want: Type, span: Span) -> Checked:
        """A free identifier: a constant of the mechanism whose type is that of its first use."""
        known = self.free.get(name)
        if known is None:
            known = self.free[name] = (want, generic(name, want))
            self.free_places[name] = (self.source, span)
        kind, value = known
        self.fact(span, f"{name} : {kind} - constant parameter of the mechanism")
        return Checked(kind, lambda _state: value)


#: What a context learns from declarations.
_TABLES = ("free", "free_places", "functions", "link_parameters", "own_parameters", "link_names")


def _bad(_state: Run) -> NoReturn:
    raise Fault("not well typed")


BAD = Checked(Type.ERROR, _bad)


def generic(name: str, kind: Type) -> Any:
    """The value of an arbitrary mathematical object of this name, in scalar symbols."""

    def symbols(*suffixes: str) -> tuple[Expr, ...]:
        return tuple(ex.symbol(f"{name}_{s}") for s in suffixes)

    if kind is Type.SCALAR:
        return ex.symbol(name)
    if kind is Type.VECTOR:
        return Vector3(symbols("x", "y", "z"))
    if kind is Type.MATRIX:
        return tuple(Vector3(symbols(*(r + c for c in "xyz"))) for r in "xyz")
    turns = generic_turns(symbols("1", "2", "3"))
    if kind is Type.ROT:
        return turns
    return Displacement(symbols("x", "y", "z"), turns)  # type: ignore[arg-type]


def generic_turns(angles: tuple[Expr, ...]) -> tuple[Turn, ...]:
    """An arbitrary rotation by Bryant angles about x, y, z."""
    return tuple(Turn(angle, AXES[axis]) for angle, axis in zip(angles, "xyz", strict=True))
