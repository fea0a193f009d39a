"""Typing of `hinge.th`, `hinge.th'` and `tip.X`: coordinates, speeds, and places of frames, in any formula."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.checking import Checked, Context
from dalembert.lsd.running import Run
from dalembert.lsd.scope import Bound, Scope, similar
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
    if node.package is not None or want in MECHANICAL or (field in FIELD_NAMES and not node.order):
        return _wrong(ctx, node, scope, found)
    if node.order > 1:
        return ctx.wrong(node.span, "a formula may use a coordinate and its rate, not its acceleration")
    source = ctx.source

    def look() -> None:
        place = field in POSITION and (found is None or found.type in (Type.BODY, Type.FRAME))
        if not place and field not in ctx.link_parameters and field not in _BODY_SPEEDS:
            ctx.source, outer = source, ctx.source
            _wrong(ctx, node, scope, found)
            ctx.source = outer

    ctx.later.append(look)
    primes = "'" * node.order
    meaning = "place of a frame in the base of earth" if field in POSITION else "coordinate or speed of a link"
    ctx.fact(node.span, f"{name}.{field}{primes} : scalar - {meaning}", found)
    stamp = found.stamp if found is not None and field in POSITION else None

    def run(state: Run) -> ex.Expr:
        value = state.env.get(stamp) if stamp is not None else None
        owner = value.name if isinstance(value, BodyValue | FrameValue) and value.name else name
        asked = f"{owner}.{field}{primes}"
        state.quantities.setdefault(asked, (source, node.span))
        return ex.symbol(asked)

    return Checked(Type.SCALAR, run)


def _wrong(ctx: Context, node: s.Select, scope: Scope, found: Bound | None) -> Checked:
    name, field = node.word.text, node.field
    if found is None:
        if name == "earth":
            return ctx.wrong(field.span, f"not a field: earth has no {field.text}")
        names = [b.name for b in scope.all() if b.type in FIELDS]
        return ctx.unbound(node.word.span, name, similar(name, names))
    kind = found.type
    if kind not in FIELDS:
        return ctx.wrong(node.span, f"non valid selection: {name} is a {kind}, it has no fields")
    choices = readable(kind)
    hint = similar(field.text, choices) or (f"a {kind} has {', '.join(choices)}" if choices else None)
    return ctx.wrong(field.span, f"not a field: a {kind} has no {field.text} to read", hint)
