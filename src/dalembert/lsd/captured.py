"""Names that mean something else than their writer may think: hidden, replaced, used too early, of a coordinate."""

from __future__ import annotations

from typing import TypeAlias

from dalembert.lsd.checking import Context
from dalembert.lsd.scope import EARTH_NAME, FUNCTIONS, Scope
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.syntax import Word
from dalembert.lsd.types import Type

_PREDEFINED = {"t": "the time", "pi": "the number pi", EARTH_NAME: "the earth"}
_PREDEFINED |= {name: f"the function {name}" for name in FUNCTIONS}
Place: TypeAlias = tuple[Source, Span]
_OTHER_NAME = "give one of them another name"


def warn_hidden(ctx: Context, word: Word, scope: Scope, what: str) -> None:
    """A parameter, an argument, a counter or a local name that has the name of something in sight."""
    found = scope.find(word.text)
    if found is not None and found.source is ctx.source:
        message = f"{what} {word.text} hides {word.text} of line {_line(ctx.source, found.span)}"
        ctx.warning(word.span, message, _OTHER_NAME)
    elif found is None:
        _warn_predefined(ctx, word, what)


def warn_defined_again(ctx: Context, word: Word, scope: Scope) -> None:
    """A definition of a name that is in sight: of a block, it is forgotten after the block."""
    if ctx.report.failed:
        return  # what is left of a broken text may only look so
    found = scope.find(word.text)
    if found is None:
        _warn_predefined(ctx, word, "the name")
    elif found.source is ctx.source:
        line = _line(ctx.source, found.span)
        if scope.names.get(word.text) is found:
            message = f"{word.text} is defined again: what line {line} defined is out of sight from here on"
        elif not scope.inside:
            return  # a member of a machine is called by its machine: left.rod
        else:
            message = f"{word.text} of line {line} is hidden by this one, which is known in its block only"
        ctx.warning(word.span, message, _OTHER_NAME)


def warn_replaced(report: Report, name: str, before: Place | None, now: Place) -> None:
    """A value that stands in the place of one that the same text has given before."""
    if before is not None and before[0] is now[0] and before[1] != now[1]:
        line = before[0].place(before[1][0])[0]
        message = f"{name} is given again: its value in line {line} does not hold"
        report.add(*now, message, "keep the one that is meant", "warning")


def _warn_predefined(ctx: Context, word: Word, what: str) -> None:
    """A name that every program knows."""
    known = _PREDEFINED.get(word.text)
    if known is not None and not word.quoted:
        ctx.warning(word.span, f"{what} {word.text} hides {known}", _OTHER_NAME)


def warn_too_late(ctx: Context, word: Word) -> None:
    """A definition of what was read as a constant of the mechanism before."""
    place = ctx.free_places.get(word.text)
    if place is not None and place[0] is ctx.source:
        line = _line(ctx.source, place[1])
        message = f"{word.text} of line {line} is a constant of the mechanism, not this: it is defined only here"
        ctx.warning(word.span, message, "move the definition before its first use, or give one of them another name")


def warn_out_of_sight(ctx: Context, word: Word, scope: Scope) -> None:
    """A constant of the mechanism in a package, where the text around it defines something of that name."""
    found = scope.out_of_sight(word.text)
    if found is not None and found.source is ctx.source:
        message = f"{word.text} is a constant of the mechanism here: a package does not see {word.text} of line "
        hint = "define it in the package, or hand it over as a parameter of what the package defines"
        ctx.warning(word.span, message + str(_line(ctx.source, found.span)), hint)


def warn_of_coordinates(ctx: Context) -> None:
    """Constants with the name of a parameter of a link in the same text: outside of the link it is `link.name`."""
    for name, (source, span) in ctx.free_places.items():
        known = ctx.free.get(name)
        if source is ctx.source and name in ctx.own_parameters and known is not None and known[0] is Type.SCALAR:
            message = f"{name} is a constant of the mechanism here, not the parameter of a link"
            ctx.warning(span, message, f"the coordinate of a link that is called hinge is hinge.{name}")


def _line(source: Source, span: Span) -> int:
    return source.place(span[0])[0]
