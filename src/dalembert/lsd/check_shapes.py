"""Typing of the shapes of bodies: `shape = box(a, b, c)`, placed by `displacement @ shape`, with colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from dalembert.errors import ModelError
from dalembert.expr import ONE
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
    if kind == "mesh":
        return _mesh(ctx, node, scope)
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


def _mesh(ctx: Context, node: s.Call, scope: Scope) -> Checked:
    """`mesh(`part.stl`)` or `mesh(`part.stl`, 0.001)`: a file beside the program, and what its unit of length is."""
    from dalembert.lsd.check_expressions import check

    ctx.fact(node.word.span, "mesh(`file`, scale) : shape")
    file = node.arguments[0] if node.arguments else None
    if not isinstance(file, s.Name) or not file.word.quoted or len(node.arguments) > 2:
        return ctx.wrong(node.span, "a mesh is a file in back quotes, and perhaps a scale", "mesh(`part.stl`, 0.001)")
    path = PurePosixPath(file.word.text)
    if path.is_absolute() or ".." in path.parts or "\\" in file.word.text or ":" in file.word.text:
        return ctx.wrong(file.span, "a mesh lies beside the program, or in a folder there", "mesh(`meshes/part.stl`)")
    scale = check(ctx, node.arguments[1], Type.SCALAR, scope, "scale of a mesh") if len(node.arguments) == 2 else None
    source = ctx.source

    def run(state: Run) -> Shapes:
        from dalembert.mechanism.meshes import Mesh

        with _said_at(state, source, node.span):
            told = ONE if scale is None else scale(state)
            if not told.is_number:
                raise ModelError("the scale of a mesh is a number")
            folder = source.folder or Path()
            if not Path(os.path.realpath(folder / path)).is_relative_to(os.path.realpath(folder)):
                raise ModelError(f"`{path}` leads out of the folder of this program")
            return (BodyShape.of(Mesh.read(str(path), float(told.value), folder=folder)),)

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
