"""Bidirectional typing of expressions (spec 1.6): what a place expects decides how literals and free names read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr.space import IDENTITY3, ZERO3, Vector3
from dalembert.lsd import syntax as s
from dalembert.lsd.captured import warn_hidden, warn_out_of_sight
from dalembert.lsd.check_arithmetic import infer_binary, infer_negative
from dalembert.lsd.check_calls import infer_call, infer_instance, infer_unknown
from dalembert.lsd.check_paths import infer_path
from dalembert.lsd.check_records import infer_record, infer_select
from dalembert.lsd.check_shapes import placed_shape
from dalembert.lsd.checking import BAD, Checked, Context, Thunk
from dalembert.lsd.running import Run
from dalembert.lsd.scope import CONSTANTS, EARTH_NAME, FUNCTIONS, Bound, Scope, similar
from dalembert.lsd.types import MATHEMATICAL, MECHANICAL, Type
from dalembert.lsd.units import unit
from dalembert.lsd.values import EARTH, STILL, BodySpeeds, FrameValue, turned
from dalembert.mechanism.bodyshape import SIZES
from dalembert.mechanism.dimensions import NONE, symbol_of
from dalembert.mechanism.displacement import Displacement

MAX_DIGITS = 4000  # as formulas elsewhere: what they print is read back
EARTH_FRAME = FrameValue(EARTH, STILL, "frame")
EARTH_BODY = Checked(Type.BODY, lambda _state: EARTH)


def check(ctx: Context, node: s.Expression, want: Type, scope: Scope, what: str) -> Thunk:
    """The thunk of an expression of the wanted type; `what` begins the message when it is not."""
    got, run = infer(ctx, node, scope, want)
    if got is want or Type.ERROR in (got, want):
        return run
    if want is Type.DISPL and got is Type.VECTOR:
        return lambda state: Displacement(run(state))
    if want is Type.DISPL and got is Type.ROT:
        return lambda state: Displacement(ZERO3, run(state))
    if want is Type.BODY and got is Type.FRAME and _is_earth(node, scope):
        return lambda _state: EARTH
    if want is Type.FRAME and got is Type.BODY and ctx.lenient:
        return lambda state: FrameValue(run(state), STILL, "frame")
    ctx.error(node.span, f"{what}: expected a {want}, this is a {got}", _mismatch_hint(ctx, node, got, want))
    return BAD.run


def _mismatch_hint(ctx: Context, node: s.Expression, got: Type, want: Type) -> str | None:
    text = ctx.source.text[node.span[0] : node.span[1]]
    named = isinstance(node, s.Name)
    if want is Type.FRAME and got is Type.BODY:
        return (
            f"a body has frames: write `{text}.frame`" if named else "a body has frames: name it and write `name.frame`"
        )
    if want in (Type.FRAME, Type.BODY) and got is Type.MACHINE:
        return f"a machine is no {want}: take one of its own, as in `{text}.tip`"
    if want is Type.BODY and got is Type.FRAME:
        if isinstance(node, s.Select) and node.field.text in ("frame", "iframe"):
            return f"write `{text[: text.rindex('.')].rstrip()}`"
        return f"the body of a frame is `{text}.body`" if named else "give the body, not a frame on it"
    if want is Type.FRAME and got in (Type.VECTOR, Type.DISPL, Type.ROT):
        return "a frame is written displacement @ body"
    if want is Type.ROT and got is Type.VECTOR:
        return "a rotation is written angle || axis"
    if want is Type.ROT and got is Type.SCALAR:
        return "a rotation is written angle || axis; 1 is the identity"
    if want is Type.VECTOR and got is Type.SCALAR:
        return "only 0 stands for a vector; else write [x, y, z]"
    if want is Type.SCALAR and got is Type.VECTOR and isinstance(node, s.Vector):
        return "a component is one number or formula"
    if want is Type.SCALAR and got is Type.VECTOR:
        return f"take its length, `norm({text})`, or a component, `dot({text}, [1, 0, 0])`"
    if want is Type.SHAPE:
        return f"a shape is {', '.join(SIZES)} or mesh: box(1, 2, 3), or one at a place: [0, 0, 1] @ sphere(2)"
    if want is Type.LINK and got is Type.DEFINITION:
        return f"instantiate it: `{text}(...)`"
    return None


def infer(ctx: Context, node: s.Expression, scope: Scope, want: Type | None = None) -> Checked:
    """Type and thunk of an expression; `want` guides literals, unknowns and free names but does not bind."""
    kind = type(node)
    if kind is s.Name:
        return _name(ctx, node, scope, want)  # type: ignore[arg-type]
    if kind is s.Number:
        return _number(ctx, node, want)  # type: ignore[arg-type]
    if kind is s.Vector:
        return _vector(ctx, node, scope, want)  # type: ignore[arg-type]
    return _INFER[kind](ctx, node, scope, want)


def _name(ctx: Context, node: s.Name, scope: Scope, want: Type | None) -> Checked:
    word = node.word
    found = find(ctx, node, scope)
    if isinstance(found, Bound):
        found.used = True
        if ctx.facts is not None:
            about = "parameter of the link" if found.parameter else "defined here" if found.source else ""
            ctx.fact(word.span, f"{word.text} : {found.type}" + (f" - {about}" if about else ""), found)
        stamp = found.stamp
        if found.type is Type.ERROR:
            return BAD
        if found.type is Type.LIST:  # a loop without a pass fills none
            return Checked(Type.LIST, lambda state: state.env.get(stamp, {}))
        return Checked(found.type, lambda state: state.env[stamp])
    if found is not None:
        return found
    if word.text == EARTH_NAME and not word.quoted:
        ctx.fact(word.span, "earth : frame - the fixed Galilean frame, body number 0")
        return Checked(Type.FRAME, lambda _state: EARTH_FRAME)
    if word.text in CONSTANTS and not word.quoted:
        value = CONSTANTS[word.text]
        ctx.fact(word.span, f"{word.text} : scalar - " + ("the number pi" if word.text == "pi" else "the time"))
        return Checked(Type.SCALAR, lambda _state: value)
    if word.text == ex.TIME.name:
        return ctx.wrong(word.span, "t is the time, in quotes too", "call the parameter otherwise")
    if word.text in FUNCTIONS and not word.quoted:
        return ctx.wrong(word.span, f"{word.text} is a function", f"give it its argument: {word.text}(x)")
    if want in MECHANICAL:
        names = [b.name for b in scope.all() if b.type is want or b.type in (Type.BODY, Type.DEFINITION)]
        names += [EARTH_NAME] if want is Type.FRAME else []
        hidden = scope.out_of_sight(word.text)
        hint = None if hidden is None else f"a package does not see what stands around it, as `{word.text}` does"
        return ctx.unbound(word.span, word.text, hint or similar(word.text, names) or _declare_hint(want))
    warn_out_of_sight(ctx, word, scope)
    return ctx.parameter(word.text, want if want in MATHEMATICAL else Type.SCALAR, word.span)  # type: ignore[arg-type]


def _declare_hint(want: Type | None) -> str:
    return f"declare it first: let name = {want} ... end ;" if want is not Type.FRAME else "declare its body first"


def find(ctx: Context, node: s.Name | s.Select | s.Path | s.Call | s.Instance, scope: Scope) -> Bound | Checked | None:
    """What a name is bound to, in its package if it has one; None when free, BAD when reported."""
    if not node.package:
        return scope.find(node.word.text)
    found: Bound | None = scope.find(node.package[0].text)
    inside = {b.name: b for b in scope.all() if b.type is Type.PACKAGE}
    before = ""
    for word, inner in zip(node.package, (*node.package[1:], node.word), strict=True):
        if found is None:
            return ctx.wrong(word.span, f"unbound package {before}{word.text}", similar(word.text, list(inside)))
        if found.type is not Type.PACKAGE:
            return ctx.wrong(word.span, f"{before}{word.text} is not a package")
        ctx.fact(word.span, f"{found.name} : package", found)
        inside, before = found.extra, f"{before}{word.text}:"
        found = inside.get(inner.text)
    if found is None:
        hint = similar(node.word.text, list(inside))
        return ctx.wrong(node.word.span, f"unbound variable {before}{node.word.text}", hint)
    return found


def _is_earth(node: s.Expression, scope: Scope) -> bool:
    bare = isinstance(node, s.Name) and not node.package and node.word.text == EARTH_NAME and not node.word.quoted
    return bare and scope.find(EARTH_NAME) is None  # type: ignore[union-attr]


def _number(ctx: Context, node: s.Number, want: Type | None) -> Checked:
    if len(node.text) > MAX_DIGITS:
        return ctx.wrong(node.span, "this number has too many digits")
    value = ex.const(int(node.text)) if node.exact else _float(node.text)
    if value is None:
        return ctx.wrong(node.span, f"{node.text} is beyond the range of numbers: 5e-324 to 1.8e308")
    if want is None or want is Type.SCALAR or want not in MATHEMATICAL:
        return Checked(Type.SCALAR, lambda _state: value)
    literal = _LITERALS.get((value, want))
    if literal is None:
        return Checked(Type.SCALAR, lambda _state: value)
    if want is Type.ROT and value is ex.ZERO:
        ctx.warning(node.span, "0 is read as the identity rotation", "write 1, or angle || axis")
    return Checked(want, lambda _state: literal)


def _measure(ctx: Context, node: s.Measure, _scope: Scope, _want: Type | None) -> Checked:
    """A number with its unit: in metres, kilograms and seconds; with them, where dimensions are compared."""
    got, run = _number(ctx, node.number, Type.SCALAR)
    if got is Type.ERROR:
        return BAD
    found = unit(node.unit)
    ctx.measured |= found.dimension != NONE  # 30 deg is a number like any other
    ctx.fact(node.span, f"{node.number.text} {node.unit} : scalar - {found.dimension}")
    factor, marked = found.factor, found.factor * symbol_of(found.dimension)
    return Checked(Type.SCALAR, lambda state: run(state) * (marked if state.dimensional else factor))


_LITERALS: dict[tuple[ex.Expr, Type], object] = {
    (ex.ZERO, Type.VECTOR): ZERO3,
    (ex.ZERO, Type.MATRIX): (ZERO3, ZERO3, ZERO3),
    (ex.ZERO, Type.ROT): (),
    (ex.ZERO, Type.DISPL): STILL,
    (ex.ONE, Type.MATRIX): IDENTITY3,
    (ex.ONE, Type.ROT): (),
    (ex.ONE, Type.DISPL): STILL,
}


def _float(text: str) -> ex.Expr | None:
    try:
        return ex.parse(text)
    except ExpressionError:  # beyond the range of numbers
        return None


def _vector(ctx: Context, node: s.Vector, scope: Scope, want: Type | None) -> Checked:
    if want is Type.MATRIX or any(isinstance(e, s.Vector) for e in node.entries):
        rows = [check(ctx, e, Type.VECTOR, scope, "row of a matrix") for e in node.entries]
        a, b, c = rows
        return Checked(Type.MATRIX, lambda state: (a(state), b(state), c(state)))
    parts = [check(ctx, e, Type.SCALAR, scope, "component of a vector") for e in node.entries]
    a, b, c = parts
    return Checked(Type.VECTOR, lambda state: Vector3((a(state), b(state), c(state))))


def _prime(ctx: Context, node: s.Prime, scope: Scope, _want: Type | None) -> Checked:
    found = scope.find(node.word.text)
    if found is None or not found.parameter:
        hint = None if found else similar(node.word.text, [b.name for b in scope.all() if b.parameter])
        return ctx.wrong(node.span, f"only a link parameter has a time derivative, and {node.word.text} is none", hint)
    if node.order > 1:
        return ctx.wrong(node.span, "a formula may use a parameter and its rate, not its acceleration")
    ctx.fact(node.span, f"{node.word.text}' : scalar - time derivative of a link parameter", found)
    rate = found.extra
    return Checked(Type.SCALAR, lambda _state: rate)


def _rotation(ctx: Context, node: s.Rotation, scope: Scope, _want: Type | None) -> Checked:
    angle = check(ctx, node.angle, Type.SCALAR, scope, "not a valid rotation")
    axis = check(ctx, node.axis, Type.VECTOR, scope, "not a valid rotation")
    return Checked(Type.ROT, ctx.guarded(node.span, turned, angle, axis))


def _displacement(ctx: Context, node: s.Displacement, scope: Scope, _want: Type | None) -> Checked:
    translation = check(ctx, node.translation, Type.VECTOR, scope, "not a valid displacement")
    rotation = check(ctx, node.rotation, Type.ROT, scope, "not a valid displacement")
    return Checked(Type.DISPL, lambda state: Displacement(translation(state), rotation(state)))


def _frame(ctx: Context, node: s.FrameAt, scope: Scope, want: Type | None) -> Checked:
    if want is Type.SHAPE:
        return placed_shape(ctx, node, scope)
    displacement = check(ctx, node.displacement, Type.DISPL, scope, "not a valid frame")
    got, carrier = infer(ctx, node.body, scope, Type.BODY)
    if got not in (Type.BODY, Type.FRAME, Type.ERROR):
        hint = _mismatch_hint(ctx, node.body, got, Type.BODY)
        return ctx.wrong(node.body.span, f"not a valid frame: expected a body or a frame, this is a {got}", hint)

    def run(state: Run) -> FrameValue:
        moved, body = plain(displacement(state)), carrier(state)
        if isinstance(body, FrameValue):  # seen from a frame: its own place comes first
            moved, body = body.displacement @ moved, body.body
        return FrameValue(body, moved, "other" if not moved.is_identity else "frame")

    return Checked(Type.FRAME, run)


def plain(value: Displacement | BodySpeeds) -> Displacement:
    return value.displacement if isinstance(value, BodySpeeds) else value


def _local(ctx: Context, node: s.Local, scope: Scope, want: Type | None) -> Checked:
    inner = Scope(scope)
    bound: list[tuple[int, Thunk]] = []
    names = {}
    for binding in node.bindings:
        got, run = infer(ctx, binding.value, scope)
        if binding.word.text in names:
            ctx.error(binding.word.span, f"{binding.word.text} is defined twice in one `local`")
        else:
            warn_hidden(ctx, binding.word, scope, "the local name")
        one = Bound(binding.word.text, got, ctx.source, binding.word.span)
        names[binding.word.text] = one
        bound.append((one.stamp, run))
    inner.names.update(names)
    local_names = {one.stamp: one.name for one in names.values()}
    got, run = infer(ctx, node.body, inner, want)

    def evaluate(state: Run) -> object:
        for stamp, value in bound:
            made = value(state)
            if isinstance(made, FrameValue) and made.name is None and made.role == "other":
                made = replace(made, name=local_names[stamp])
            state.env[stamp] = made
        return run(state)

    return Checked(got, evaluate)


_INFER: dict[type, Callable[..., Checked]] = {
    s.Select: infer_select,
    s.Path: infer_path,
    s.Measure: _measure,
    s.Prime: _prime,
    s.Unknown: infer_unknown,
    s.Binary: infer_binary,
    s.Negative: infer_negative,
    s.Rotation: _rotation,
    s.Displacement: _displacement,
    s.FrameAt: _frame,
    s.Local: _local,
    s.Call: infer_call,
    s.Instance: infer_instance,
    s.Record: infer_record,
}
