"""Typing of the shapes of bodies: `shape = box(a, b, c)`, placed by `displacement @ shape`, with colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dalembert.errors import ModelError
from dalembert.lsd import syntax as s
from dalembert.lsd.checking import Checked, Context, Thunk
from dalembert.lsd.running import Run
from dalembert.lsd.scope import Scope
from dalembert.lsd.source import Source, Span
from dalembert.lsd.types import Type
from dalembert.mechanism.bodyshape import SIZES, BodyShape, colour_of
from dalembert.mechanism.displacement import Displacement

Shapes = tuple[BodyShape, ...]


def infer_shape(ctx: Context, node: s.Call, scope: Scope) -> Checked:
    """`box(a, b, c)` where a shape is wanted."""
    from dalembert.lsd.check_expressions import check

    kind = node.word.text
    names = SIZES[kind]
    ctx.fact(node.word.span, f"{kind}({', '.join(names)}) : shape")
    if len(node.arguments) != len(names):
        return ctx.wrong(node.span, f"{kind} has {len(names)} sizes ({', '.join(names)}), {len(node.arguments)} given")
    sizes = [check(ctx, one, Type.SCALAR, scope, f"size of a {kind}") for one in node.arguments]
    source = ctx.source

    def run(state: Run) -> Shapes:
        with _said_at(state, source, node.span):
            return (BodyShape.of(kind, *(size(state) for size in sizes)),)

    return Checked(Type.SHAPE, run)


@contextmanager
def _said_at(state: Run, source: Source, span: Span) -> Iterator[None]:
    """A fault of a shape becomes one at its place in the text."""
    try:
        yield
    except ModelError as error:
        raise state.fault(source, span, str(error).rstrip(".")) from error


def placed_shape(ctx: Context, node: s.FrameAt, scope: Scope) -> Checked:
    """`displacement @ shape` where a shape is wanted."""
    from dalembert.lsd.check_expressions import check, plain

    place = check(ctx, node.displacement, Type.DISPL, scope, "place of a shape")
    shapes = check(ctx, node.body, Type.SHAPE, scope, "shape of a body")

    def run(state: Run) -> Shapes:
        moved: Displacement = plain(place(state))
        return tuple(replace(one, place=moved @ one.place) for one in shapes(state))

    return Checked(Type.SHAPE, run)


def shapes_of(fields: Mapping[str, Thunk], source: Source, span: Span) -> Callable[[Run], Shapes]:
    """The shapes that the fields of a body say, in the order of their numbers, each with its colour."""
    marks = ["", *map(str, range(1, 10))]
    written = [(fields[f"shape{k}"], fields.get(f"colour{k}")) for k in marks if f"shape{k}" in fields]
    common = fields.get("colour")

    def run(state: Run) -> Shapes:
        found: list[BodyShape] = []
        for shape, own in written:
            said = own or common
            with _said_at(state, source, span):
                colour = _colour(said(state)) if said else ""
            found += [replace(one, colour=colour or one.colour) for one in shape(state)]
        return tuple(found)

    return run


def _colour(vector: Any) -> str:
    if not all(x.is_number for x in vector):
        raise ModelError("a colour is three numbers from 0 to 1 (red, green, blue)")
    return colour_of([float(x.value) for x in vector])
