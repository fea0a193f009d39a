"""Names that mean something else than their writer may think: hidden, used too early, or of a coordinate."""

from __future__ import annotations

from dalembert.lsd.checking import Context
from dalembert.lsd.scope import CONSTANTS, Scope
from dalembert.lsd.source import Source, Span
from dalembert.lsd.syntax import Word
from dalembert.lsd.types import Type

_TIME_AND_PI = {"t": "the time", "pi": "the number pi"}


def warn_hidden(ctx: Context, word: Word, scope: Scope, what: str) -> None:
    """A parameter of a link or the counter of a loop that has the name of something in sight."""
    found = scope.find(word.text)
    hint = "give one of them another name"
    if found is not None and found.source is ctx.source:
        ctx.warning(word.span, f"{what} {word.text} hides {word.text} of line {_line(ctx.source, found.span)}", hint)
    elif found is None and word.text in CONSTANTS and not word.quoted:
        ctx.warning(word.span, f"{what} {word.text} hides {_TIME_AND_PI[word.text]}", hint)


def warn_too_late(ctx: Context, word: Word) -> None:
    """A definition of what was read as a constant of the mechanism before."""
    place = ctx.free_places.get(word.text)
    if place is not None and place[0] is ctx.source:
        line = _line(ctx.source, place[1])
        message = f"{word.text} of line {line} is a constant of the mechanism, not this: it is defined only here"
        ctx.warning(word.span, message, "move the definition before its first use, or give one of them another name")


def warn_of_coordinates(ctx: Context) -> None:
    """Constants with the name of a parameter of a link in the same text: outside of the link it is `link.name`."""
    for name, (source, span) in ctx.free_places.items():
        known = ctx.free.get(name)
        if source is ctx.source and name in ctx.own_parameters and known is not None and known[0] is Type.SCALAR:
            message = f"{name} is a constant of the mechanism here, not the parameter of a link"
            ctx.warning(span, message, f"the coordinate of a link that is called hinge is hinge.{name}")


def _line(source: Source, span: Span) -> int:
    return source.place(span[0])[0]
