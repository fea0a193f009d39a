"""Typing of contacts: gaps, pairs of shapes, stops of coordinates, and the laws that go with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.check_records import with_value
from dalembert.lsd.checking import Context, Thunk
from dalembert.lsd.running import ContactValue, Run
from dalembert.lsd.scope import Bound, Scope, similar
from dalembert.lsd.syntax_contacts import Contact
from dalembert.lsd.types import Type
from dalembert.lsd.values import STILL, BodyValue, FrameValue

#: Shapes with the types of what follows the frame; the last ones may be left out.
SHAPES: dict[str, tuple[tuple[str, Type], ...]] = {
    "sphere": (("radius", Type.SCALAR),),
    "plane": (),
    "box": (("sides", Type.VECTOR),),
    "capsule": (("radius", Type.SCALAR), ("length", Type.SCALAR)),
    "cylinder": (("radius", Type.SCALAR), ("height", Type.SCALAR)),
    "ellipsoid": (("radii", Type.VECTOR),),
    "polytope": (("points", Type.VECTOR),),
    "surface": (("formula", Type.SCALAR),),
    "patch": (("point", Type.VECTOR),),
}
#: Names that the formula of a surface, or the point of a patch, may use.
VARIABLES = {"surface": ("x", "y", "z"), "patch": ("u", "v")}
_OPTIONAL = {"sphere": 1, "cylinder": 1}
"""Sizes that may be left out: a point, a disc."""


def contact_action(ctx: Context, item: Contact, scope: Scope) -> Callable[[Run], None]:
    """What a declaration does when the program runs: one more contact."""
    from dalembert.lsd.check_paths import label_of

    ctx.asking = True
    try:
        arguments, laws = _parts(ctx, item, scope), _laws(ctx, item, scope)
    finally:
        ctx.asking = False
    source, span, name = ctx.source, item.span, label_of(ctx, item.name, scope)

    def action(state: Run) -> None:
        values = tuple(part(state) for part in arguments)
        told = {kind: [value(state) for value in values_] for kind, values_ in laws.items()}
        state.contacts.append(ContactValue(item.kind, values, told, name(state), source, span))

    return action


def _parts(ctx: Context, item: Contact, scope: Scope) -> list[Thunk]:
    from dalembert.lsd.check_expressions import check

    if item.kind == "touching":
        return [check_shape(ctx, one, scope) for one in item.parts]
    if item.kind == "gap":
        a, b = (check(ctx, one, Type.SCALAR, scope, "invalid CONTACT") for one in item.parts)
        return [lambda state: a(state) - b(state)]
    return [check(ctx, one, Type.SCALAR, scope, f"invalid {item.kind.upper()}") for one in item.parts]


def _laws(ctx: Context, item: Contact, scope: Scope) -> dict[str, list[Thunk]]:
    from dalembert.lsd.check_expressions import check

    found: dict[str, list[Thunk]] = {}
    for law in item.laws:
        if law.kind in found:
            ctx.error(law.span, f"`{law.kind}` is said twice")
        if item.kind == "limit" and law.kind != "restitution":
            ctx.error(law.span, f"a stop of a coordinate has no {law.kind}", "write it as a contact")
        if item.kind == "rub" and law.kind not in ("friction", "static"):
            ctx.error(law.span, f"what rubs has friction and static, and no {law.kind}", "write it as a contact")
        if item.kind == "touching" and law.kind == "slip":
            ctx.error(law.span, "the slip of two shapes follows from them", "leave it out")
        found[law.kind] = [check(ctx, one, Type.SCALAR, scope, f"invalid {law.kind.upper()}") for one in law.values]
    if item.kind == "rub" and "friction" not in found:
        ctx.error(item.span, "nothing says how much it rubs", "give the largest effort: `rub elbow.th' friction 0.5`")
    return found


def check_shape(ctx: Context, node: s.Expression, scope: Scope) -> Thunk:
    """`sphere(ball, r)`: kind, frame and sizes."""
    from dalembert.lsd.check_expressions import check, infer

    if not isinstance(node, s.Call) or node.word.text not in SHAPES:
        hint = similar(node.word.text, list(SHAPES)) if isinstance(node, s.Call) else None
        ctx.error(
            node.span, "expected a shape", hint or f"shapes are {', '.join(SHAPES)}: sphere(ball, r), plane(earth)"
        )
        return lambda _state: None
    kind = node.word.text
    known, given = SHAPES[kind], node.arguments
    if kind == "polytope":  # as many points as are written
        known = known * max(4, len(given) - 1)
    ctx.fact(node.word.span, f"{kind}(frame{''.join(f', {name}' for name, _ in SHAPES[kind])})")
    least = 1 + len(known) - _OPTIONAL.get(kind, 0)
    if not least <= len(given) <= 1 + len(known):
        more = ", four of them or more" if kind == "polytope" else ""
        ctx.error(node.span, f"{kind} takes a frame{''.join(f', its {name}' for name, _ in SHAPES[kind])}{more}")
        return lambda _state: None
    got, frame = infer(ctx, given[0], scope, Type.FRAME)
    if got not in (Type.FRAME, Type.BODY, Type.ERROR):
        ctx.error(given[0].span, f"expected a body or a frame, this is a {got}")
    inner, bound = Scope(scope), list[Bound]()
    for name in VARIABLES.get(kind, ()):
        bound.append(Bound(name, Type.SCALAR, ctx.source, node.word.span, True))
        inner.names[name] = bound[-1]
    sizes = [check(ctx, value, type_, inner, f"{name} of a {kind}") for value, (name, type_) in zip(given[1:], known)]
    for one in bound:
        sizes = [with_value(size, one.stamp, ex.symbol(one.name)) for size in sizes]

    def run(state: Run) -> tuple[str, FrameValue, list[Any]]:
        value = frame(state)
        place = FrameValue(value, STILL, "frame") if isinstance(value, BodyValue) else value
        found = [size(state) for size in sizes]
        return kind, place, [found] if kind == "polytope" else found

    return run
