"""Typing of constraints: equations, what pushes, and quantities of frames (`vel(wheel, x, ground)`) in formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.lsd import syntax as s
from dalembert.lsd.check_contacts import SHAPES as CONTACT_SHAPES
from dalembert.lsd.check_contacts import check_shape
from dalembert.lsd.checking import Checked, Context, Thunk
from dalembert.lsd.running import ConstraintValue, Run
from dalembert.lsd.scope import Scope, similar
from dalembert.lsd.source import Source, Span
from dalembert.lsd.syntax_constraints import Push
from dalembert.lsd.types import Type
from dalembert.lsd.values import STILL, BodyValue, FrameValue
from dalembert.mechanism import Coulomb
from dalembert.mechanism.quantities import ANGLE, AXES, NAMES, RATE, SHAPES, VIRTUAL, angle, called, virtual

QUANTITIES = NAMES
_VECTORS = ("pos", "vel", "omega")
_MEANING = {
    "pos": "pos(f [, x [, g]]): coordinate of the origin of f along an axis of earth, or as the frame g sees it",
    "vel": "vel(f [, x [, g]]): velocity of the origin of f, along an axis of earth or of g",
    "omega": "omega(b [, x [, g]]): angular velocity of b, along an axis of earth or of g",
    "axis": "axis(f, x, y [, g]): y component of the x axis of f, in earth or in g",
    "dist": "dist(f, g): distance of two origins",
    "angle": "angle(f, z [, g]): by how much f is turned about an axis of earth or of g, from -pi to pi",
    "rate": "rate(e): time derivative",
    "d": "d(e): virtual change of e, in reactions",
}
#: Fields of the contrivances, each a scalar or three (`radii`); the first of them may have to be there.
_FIELDS: dict[str, tuple[tuple[str, Type], ...]] = {
    "roll": (("radius", Type.SCALAR), ("radii", Type.VECTOR)),
    "gear": (("ratio", Type.SCALAR),),
    "rope": (("length", Type.SCALAR),),
}


def constraint_action(ctx: Context, item: s.Constrain | s.Drive | s.Contrivance, scope: Scope) -> Callable[[Run], None]:
    """What a declaration does when the program runs: one more constraint."""
    from dalembert.lsd.check_paths import label_of

    ctx.asking = True
    try:
        if isinstance(item, s.Contrivance):
            kind, arguments, by = item.kind, _contrivance(ctx, item, scope), None
        elif isinstance(item, s.Drive):
            kind, arguments, by = "drive", [_driven(ctx, item, scope)], _by(ctx, item.pushes, scope)
            by = by or _own_push(ctx, item, scope)
        else:
            kind, by = "constrain", _by(ctx, item.pushes, scope)
            arguments = [_difference(ctx, one.left, one.right, scope) for one in item.equations]
    finally:
        ctx.asking = False
    source, span, name = ctx.source, item.span, label_of(ctx, item.name, scope)

    def action(state: Run) -> None:
        values = tuple(part(state) for part in arguments)
        pushed = None if by is None else by(state)
        state.constraints.append(ConstraintValue(kind, values, pushed, name(state), source, span))

    return action


def _difference(ctx: Context, left: s.Expression, right: s.Expression, scope: Scope) -> Thunk:
    from dalembert.lsd.check_expressions import check

    a, b = (check(ctx, one, Type.SCALAR, scope, "invalid CONSTRAIN") for one in (left, right))
    return lambda state: a(state) - b(state)


def _driven(ctx: Context, item: s.Drive, scope: Scope) -> Thunk:
    return _difference(ctx, item.target, item.law, scope)


def _own_push(ctx: Context, item: s.Drive, scope: Scope) -> Thunk:
    """A drive pushes its own coordinate: `wheel.th'` is driven by an effort on `wheel.th`."""
    from dalembert.lsd.check_paths import target_of

    owner, field = target_of(ctx, item.target, scope)
    return lambda state: [virtual(f"{owner(state)}.{field.text}")]


def _by(ctx: Context, pushes: tuple[Push, ...], scope: Scope) -> Thunk | None:
    if not pushes:
        return None
    parts = [_push(ctx, one, scope) for one in pushes]
    rubs = [one for one in pushes if one.kind == "form" and _is_friction(one.value, scope)]
    if rubs and len(pushes) > 1:
        ctx.error(
            rubs[0].value.span, "coulomb stands alone after `by`", "what holds the condition pushes along it, and rubs"
        )

    def run(state: Run) -> Any:
        values = [part(state) for part in parts]
        return values[0] if len(values) == 1 and isinstance(values[0], Coulomb) else values

    return run


def _push(ctx: Context, one: Push, scope: Scope) -> Thunk:
    from dalembert.lsd.check_expressions import check

    if one.kind == "form":
        if _is_friction(one.value, scope):
            return _friction(ctx, one.value, scope)
        return check(ctx, one.value, Type.SCALAR, scope, "invalid BY")
    place, axis = _place(ctx, one.value, scope), one.axis
    assert axis is not None
    direction = check(ctx, axis, Type.VECTOR, scope, "invalid BY")
    what = "omega" if one.kind == "torque" else "vel"

    def run(state: Run) -> Expr:
        name, along = place(state), direction(state)
        parts = (c * virtual(called(what, name, x, name)) for c, x in zip(along, AXES, strict=True))
        return sum((part for c, part in zip(along, parts, strict=True) if c is not ex.ZERO), ex.ZERO)

    return run


def _is_friction(node: s.Expression, scope: Scope) -> TypeGuard[s.Call]:
    return isinstance(node, s.Call) and node.word.text == "coulomb" and scope.find("coulomb") is None


def _friction(ctx: Context, node: s.Call, scope: Scope) -> Thunk:
    from dalembert.lsd.check_expressions import check

    ctx.fact(node.word.span, "coulomb(mu, slip, ...): dry friction, and the components of the sliding velocity")
    if len(node.arguments) < 2:
        ctx.error(node.span, "coulomb needs its coefficient and the slip that it is against", "coulomb(mu, cart.x')")
    parts = [check(ctx, one, Type.SCALAR, scope, "argument of coulomb") for one in node.arguments]

    def run(state: Run) -> Coulomb:
        friction, *slip = (part(state) for part in parts)
        return Coulomb(friction, tuple(slip))

    return run


def _contrivance(ctx: Context, item: s.Contrivance, scope: Scope) -> list[Thunk]:
    """Frames or coordinates, then the fields in their order, None where one is not written."""
    from dalembert.lsd.check_expressions import check

    if item.kind == "roll" and any(isinstance(x, s.Call) and x.word.text in CONTACT_SHAPES for x in item.parts):
        for one in item.fields[:1]:
            ctx.error(one.word.span, "shapes have their own sizes", "leave it out")
        return [check_shape(ctx, one, scope) for one in item.parts]
    if item.kind == "gear":
        parts: list[Thunk] = [check(ctx, one, Type.SCALAR, scope, "invalid GEAR") for one in item.parts]
    else:
        places = [_frame_of(ctx, one, scope) for one in item.parts]
        parts = places if item.kind == "roll" else [lambda state: [place(state) for place in places]]
    known, written = dict(_FIELDS[item.kind]), dict[str, Thunk]()
    for one in item.fields:
        if one.word.text not in known:
            hint = similar(one.word.text, list(known)) or f"it has {', '.join(known)}"
            ctx.error(one.word.span, f"a {item.kind} has no field {one.word.text}", hint)
            continue
        written[one.word.text] = check(ctx, one.value, known[one.word.text], scope, f"invalid {item.kind.upper()}")
    if not written:
        ctx.error(item.span, f"a {item.kind} needs its {' or '.join(known)}", f"write with {next(iter(known))} = ...")
    none: Thunk = lambda _state: None  # noqa: E731
    return [*parts, *(written.get(name, none) for name in known)]


# --- quantities of frames --------------------------------------------------------------------------------------------


def infer_frame_quantity(ctx: Context, node: s.Call, scope: Scope) -> Checked:
    """`vel(wheel, x, ground)`: names of frames and axes; `rate(e)` and `d(e)` take a formula."""
    from dalembert.lsd.check_expressions import check

    name = node.word.text
    ctx.fact(node.word.span, _MEANING[name])
    if name in (RATE, VIRTUAL):
        if len(node.arguments) != 1:
            return ctx.wrong(node.span, f"{name} takes 1 argument, {len(node.arguments)} given", _MEANING[name])
        inside = check(ctx, node.arguments[0], Type.SCALAR, scope, f"argument of {name}")
        return Checked(Type.SCALAR, lambda state: ex.apply(name, (inside(state),)))
    shape = SHAPES["omega" if name == ANGLE else name]
    if len(node.arguments) == len(shape) + 1 and name != "dist":
        shape = (*shape, "frame")
    if name in _VECTORS and len(node.arguments) == 1:  # the whole vector, in the base of earth
        whole = _place(ctx, node.arguments[0], scope)
        return Checked(Type.VECTOR, lambda state: Vector3(called(name, whole(state), x) for x in AXES))
    if len(node.arguments) != len(shape):
        return ctx.wrong(node.span, f"{name} is called with {len(node.arguments)} arguments", _MEANING[name])
    parts: list[Thunk] = []
    for part, value in zip(shape, node.arguments, strict=True):
        if part == "frame":
            parts.append(_place(ctx, value, scope))
        elif isinstance(value, s.Name) and not value.package and value.word.text in AXES:
            parts.append(ctx.constant(value.word.text))
        else:
            return ctx.wrong(value.span, f"{name} asks here for an axis: x, y or z", _MEANING[name])
    write = angle if name == ANGLE else partial(called, name)
    return Checked(Type.SCALAR, lambda state: write(*(part(state) for part in parts)))


def _place(ctx: Context, node: s.Expression, scope: Scope) -> Thunk:
    """The name that a body or frame has in the mechanism; a frame without one gets it here."""
    frame = _frame_of(ctx, node, scope)
    source, span = ctx.source, node.span

    def run(state: Run) -> str:
        value = frame(state)
        return value if isinstance(value, str) else named(state, value, source, span)

    return run


def _frame_of(ctx: Context, node: s.Expression, scope: Scope) -> Thunk:
    """A frame, or a body that stands for its reference frame."""
    from dalembert.lsd.check_expressions import infer

    got, run = infer(ctx, node, scope, Type.FRAME)
    if got not in (Type.FRAME, Type.BODY, Type.ERROR):
        ctx.error(node.span, f"expected a body or a frame, this is a {got}")
    source, span = ctx.source, node.span

    def place(state: Run) -> FrameValue:
        value = run(state)
        frame = FrameValue(value, STILL, "frame") if isinstance(value, BodyValue) else value
        named(state, frame, source, span)
        known = [one for one in state.frames if one.body is frame.body and one.displacement == frame.displacement]
        return frame if frame.name is not None or not known or frame.displacement.is_identity else known[0]

    return place


def named(state: Run, frame: FrameValue, source: Source, span: Span) -> str:
    """The name by which the mechanism knows a frame."""
    if frame.body.name is None:
        raise state.fault(source, span, "this body has no name: define it with `let` to ask for its place")
    if frame.name is not None:
        return frame.name
    if frame.displacement.is_identity:
        return str(frame.body.name)
    for one in state.frames:
        if one.body is frame.body and one.displacement == frame.displacement and one.name is not None:
            return one.name
    name = state.unique_name(f"{frame.body.name}_at_{len(state.frames) + 1}", "frame", None, (source, span))
    state.frames.append(FrameValue(frame.body, frame.displacement, frame.role, name, (source, span)))
    return name
