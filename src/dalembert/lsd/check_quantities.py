"""Typing of `hinge.th`, `hinge.th'` and `tip.X`: coordinates, speeds, and places of frames, in any formula."""

from __future__ import annotations

from collections.abc import Callable

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.checking import Checked, Context
from dalembert.lsd.running import Run
from dalembert.lsd.scope import Bound, Scope, similar
from dalembert.lsd.source import Span
from dalembert.lsd.types import FIELD_NAMES, FIELDS, MECHANICAL, Type, readable
from dalembert.lsd.values import BodyValue, FrameValue
from dalembert.mechanism.names import POSITION

#: Speeds of links whose displacement is marked by `body_speeds`, or turns by a quaternion.
_BODY_SPEEDS = frozenset(f"{x}{k}" for x in ("vx", "vy", "vz", "wx", "wy", "wz") for k in ("", *"123456"))


def infer_quantity(ctx: Context, node: s.Select, scope: Scope, found: Bound | None, want: Type | None) -> Checked:
    """A name with a point that is no field: a link, body or frame of that name is looked for when they are all made.

    What cannot be a quantity, because no link of the program has such a parameter, is told as a wrong field.
    """
    name, field = node.word.text, node.field.text
    if node.package or want in MECHANICAL or (field in FIELD_NAMES and not node.order):
        return _wrong(ctx, node, scope, found)
    home = scope.home_of(name)
    prefix = home.stamp if home is not None else None
    stamp = found.stamp if found is not None and field in POSITION else None

    def owner(state: Run) -> str:
        value = state.env.get(stamp) if stamp is not None else None
        if isinstance(value, BodyValue | FrameValue) and value.name:
            return value.name
        return state.called(prefix) + name

    placed = found is None or found.type in (Type.BODY, Type.FRAME)
    return asked(ctx, node.span, owner, field, node.order, placed, lambda: _wrong(ctx, node, scope, found), found)


def asked(
    ctx: Context,
    span: Span,
    owner: Callable[[Run], str],
    field: str,
    order: int,
    placed: bool,
    wrong: Callable[[], Checked],
    found: Bound | None = None,
) -> Checked:
    """The symbol of a quantity; `placed` says whether its owner can be a frame, with a place in the base of earth."""
    if order > 1 and not ctx.telling:
        return ctx.wrong(span, "a formula may use a coordinate and its rate, not its acceleration")
    source = ctx.source

    def look() -> None:
        if not (placed and field in POSITION) and field not in ctx.link_parameters and field not in _BODY_SPEEDS:
            ctx.source, outer = source, ctx.source
            wrong()
            ctx.source = outer

    if not ctx.telling:
        ctx.later.append(look)
    primes = "'" * order
    meaning = "place of a frame in the base of earth" if field in POSITION else "coordinate or speed of a link"
    ctx.fact(span, f"{source.text[span[0] : span[1]]} : scalar - {meaning}", found)

    def run(state: Run) -> ex.Expr:
        name = f"{owner(state)}.{field}{primes}"
        state.quantities.setdefault(name, (source, span))
        return ex.symbol(name)

    return Checked(Type.SCALAR, run)


def wrong_quantity(ctx: Context, span: Span, field: s.Word, hint: str | None) -> Checked:
    return ctx.wrong(span, f"no link of the program has a coordinate {field.text}", hint)


def _wrong(ctx: Context, node: s.Select, scope: Scope, found: Bound | None) -> Checked:
    name, field = node.word.text, node.field
    if found is None:
        if name == "earth":
            return ctx.wrong(field.span, f"not a field: earth has no {field.text}")
        names = [b.name for b in scope.all() if b.type in FIELDS]
        if name in ctx.link_names:
            known = sorted(ctx.link_parameters)
            near = similar(field.text, known) or f"coordinates of links here are {', '.join(known)}"
            return ctx.wrong(field.span, f"the link {name} has no coordinate or speed {field.text}", near)
        return ctx.unbound(node.word.span, name, similar(name, names))
    kind = found.type
    if kind is Type.LIST:
        return ctx.wrong(node.span, f"{name} is a list: it has no {field.text}", f"write `{name}[1].{field.text}`")
    if kind not in FIELDS:
        return ctx.wrong(node.span, f"non valid selection: {name} is a {kind}, it has no fields")
    choices = readable(kind)
    hint = similar(field.text, choices) or (f"a {kind} has {', '.join(choices)}" if choices else None)
    return ctx.wrong(field.span, f"not a field: a {kind} has no {field.text} to read", hint)
