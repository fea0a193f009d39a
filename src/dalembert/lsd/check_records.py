"""Typing of `body`, `link`, `force`, `torque` and of field selection, by the signatures of types.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.expr import ZERO
from dalembert.expr.space import Vector3
from dalembert.lsd import syntax as s
from dalembert.lsd.captured import warn_hidden
from dalembert.lsd.check_quantities import infer_quantity
from dalembert.lsd.check_shapes import shapes_of
from dalembert.lsd.checking import Checked, Context, Thunk, generic_turns
from dalembert.lsd.running import Run
from dalembert.lsd.scope import EARTH_NAME, Bound, Scope, similar
from dalembert.lsd.source import Source, Span
from dalembert.lsd.types import FIELDS, Type, readable, writable
from dalembert.lsd.values import STILL, BodySpeeds, BodyValue, EffortValue, FrameValue, LinkValue, StepValue
from dalembert.mechanism.displacement import Displacement

_KINDS = {"body": Type.BODY, "link": Type.LINK, "force": Type.FORCE, "torque": Type.TORQUE}
_FIELD = re.compile(r"(dof|force|torque|effort)([0-9]*)")
MAX_PARAMETERS = 7


def infer_record(ctx: Context, node: s.Record, scope: Scope, _want: Type | None) -> Checked:
    kind = _KINDS[node.kind]
    if kind is Type.LINK:
        return _link(ctx, node, scope)
    fields = dict(record_fields(ctx, node.fields, kind, scope))
    source, span = ctx.source, node.span
    if kind is Type.BODY:
        mass, iframe, inertia = fields.get("mass"), fields.get("iframe"), fields.get("inertia")
        if centre := fields.get("centre"):
            if iframe:
                ctx.error(span, "this body has an iframe and a centre", "an iframe says both: drop the centre")
            iframe = lambda state: Displacement(centre(state))  # noqa: E731
        shapes, doubtful = shapes_of(fields, source, span), fields.get("doubtful")

        def body(state: Run) -> BodyValue:
            made = BodyValue(
                mass(state) if mass else None,
                _still(iframe(state)) if iframe else None,
                inertia(state) if inertia else None,
                place=(source, span),
                shapes=shapes(state),
                doubtful=doubtful is not None and doubtful(state) is not ZERO,
            )
            state.bodies.append(made)
            return made

        return Checked(Type.BODY, body)
    value, base = fields.get("value"), fields.get("body")

    def effort(state: Run) -> EffortValue:
        return EffortValue(
            node.kind, value(state) if value else None, base(state) if base else None, place=(source, span)
        )

    return Checked(kind, effort)


def _still(value: Displacement | BodySpeeds) -> Displacement:
    return value.displacement if isinstance(value, BodySpeeds) else value


def record_fields(
    ctx: Context, written: Sequence[s.Binding], kind: Type, outer: Scope, laws: Mapping[str, str] | None = None
) -> list[tuple[str, Thunk]]:
    """Each field written once, known to the object, and of its type; sorted by name as the thesis does.

    `laws` names the variable, with a rate, that the formula of a field may use: `l` and `l'` in the force of a spring.
    """
    from dalembert.lsd.check_expressions import check, infer

    known = FIELDS[kind]
    found: dict[str, Thunk] = {}
    for binding in sorted(written, key=lambda b: b.word.text):
        name, span = binding.word.text, binding.word.span
        scope, variable = outer, (laws or {}).get(name)
        if variable is not None:
            scope = Scope(outer)
            rate = ex.symbol(variable + "'")
            scope.names[variable] = bound = Bound(variable, Type.SCALAR, ctx.source, span, True, False, rate)
        signature = known.get(name)
        if signature is None or not signature.written:
            if signature is not None:
                message, hint = f"wrong component: {name} of a {kind} is not written, only read", None
            else:
                hint = similar(name, writable(kind)) or f"a {kind} has {_listed(writable(kind))}"
                message = f"wrong component: a {kind} has no field {name}"
            ctx.error(span, message, hint)
            infer(ctx, binding.value, scope)
            continue
        if name in found:
            ctx.error(span, f"wrong component: {name} is given twice")
            continue
        ctx.fact(span, f"{name} : {' or '.join(map(str, signature.written))} - {signature.meaning}")
        what = f"wrong component type: {name} of a {kind}"
        if len(signature.written) > 1:
            got, run = infer(ctx, binding.value, scope, signature.written[0])
            if got not in signature.written and got is not Type.ERROR:
                wanted = " or a ".join(map(str, signature.written))
                ctx.error(binding.value.span, f"{what}: expected a {wanted}, this is a {got}")
            found[name] = run
        else:
            found[name] = check(ctx, binding.value, signature.written[0], scope, what)
        if variable is not None:
            found[name] = with_value(found[name], bound.stamp, ex.symbol(variable))
    return list(found.items())


def with_value(run: Thunk, stamp: int, value: ex.Expr) -> Thunk:
    def placed(state: Run) -> Any:
        state.env[stamp] = value
        return run(state)

    return placed


def _listed(names: list[str]) -> str:
    short = [n for n in names if not n[-1].isdigit()]
    numbered = sorted({n.rstrip("0123456789") + "1.." for n in names if n[-1].isdigit()})
    return ", ".join(short + numbered)


def _link(ctx: Context, node: s.Record, scope: Scope) -> Checked:
    inner = Scope(scope)
    parameters: list[Bound] = []
    for word in node.parameters:
        if word.text in inner.names:
            ctx.error(word.span, f"parameter {word.text} of the link is named twice")
            continue
        warn_hidden(ctx, word, scope, "the parameter")
        one = Bound(word.text, Type.SCALAR, ctx.source, word.span, True, False, ex.symbol(word.text + "'"))
        inner.names[word.text] = one
        ctx.link_parameters.add(word.text)
        ctx.own_parameters.add(word.text)
        parameters.append(one)
        ctx.fact(word.span, f"{word.text} : scalar - parameter of the link, a function of time", one)
    if len(parameters) > MAX_PARAMETERS or (len(parameters) > 6 and not _mentions_quaternion(ctx, node)):
        ctx.error(node.parameters[6].span, f"a link has at most six parameters, this one has {len(parameters)}")
    efforts = [b for b in node.fields if not b.word.text.startswith("dof")]
    moves = [b for b in node.fields if b.word.text.startswith("dof")]
    found = record_fields(ctx, moves, Type.LINK, inner)
    idle = [p for p in parameters if not p.used]
    found += record_fields(ctx, efforts, Type.LINK, inner)
    for p in idle:
        ctx.error(p.span, f"parameter {p.name} of the link is used in no dof", "use it in a displacement or drop it")
    steps = _steps(ctx, node, dict(found), [p.name for p in parameters])
    return Checked(Type.LINK, _link_thunk(ctx, node, parameters, *steps))


def _mentions_quaternion(ctx: Context, node: s.Record) -> bool:
    return "quaternion" in ctx.source.text[node.span[0] : node.span[1]]


StepThunks = tuple[list[tuple[Thunk | None, Thunk | None, Thunk | None]], list[tuple[str, Thunk]]]


def _steps(ctx: Context, node: s.Record, found: dict[str, Thunk], parameters: list[str]) -> StepThunks:
    """`dof` alone, or `dof1, dof2, ...` without a gap; each effort beside its dof."""
    numbers = sorted(int(k) for name in found if (m := _FIELD.fullmatch(name)) and m[1] == "dof" and (k := m[2]))
    plain = "dof" in found
    spans = {b.word.text: b.word.span for b in node.fields}
    if plain and numbers:
        ctx.error(spans["dof"], "a link has either `dof` or `dof1`, `dof2`, ..., not both")
    elif numbers and numbers != list(range(1, len(numbers) + 1)):
        missing = next(k for k in range(1, 8) if k not in numbers)
        ctx.error(
            spans[f"dof{numbers[-1]}"], f"the dofs of a link are numbered from 1 without a gap: dof{missing} is missing"
        )
    efforts: list[tuple[str, Thunk]] = []
    for name, thunk in found.items():
        match = _FIELD.fullmatch(name)
        if match is None or match[1] == "dof":
            continue
        if match[1] == "effort":
            k = int(match[2] or 1)
            if k > len(parameters) or (not match[2] and len(parameters) != 1):
                ctx.error(spans[name], f"{name} goes with a parameter of the link, and it has {len(parameters)}")
            else:
                efforts.append((parameters[k - 1], thunk))
        elif ("dof" + match[2]) not in found and not (not plain and not numbers and not match[2]):
            ctx.error(spans[name], f"{name} goes with `dof{match[2]}`, which this link does not have")
    keys = [str(k) for k in numbers] if numbers else [""]
    steps = [(found.get("dof" + k), found.get("force" + k), found.get("torque" + k)) for k in keys]
    if not any(any(step) for step in steps):
        steps = []
    return steps, efforts


def _link_thunk(
    ctx: Context,
    node: s.Record,
    parameters: list[Bound],
    steps: list[tuple[Thunk | None, Thunk | None, Thunk | None]],
    efforts: list[tuple[str, Thunk]],
) -> Thunk:
    names = tuple(p.name for p in parameters)
    symbols = [(p.stamp, ex.symbol(p.name)) for p in parameters]
    source, span = ctx.source, node.span

    def run(state: Run) -> LinkValue:
        if any(name in state.free for name in names):
            refuse_capture(state)
        return build(state, symbols)

    def refuse_capture(state: Run) -> None:
        """A constant of a parameter's name, brought in by a `let`, would silently become the parameter."""
        unknowns = dict(state.unknowns)
        apart = [(p.stamp, ex.symbol(p.name + " apart")) for p in parameters]
        trial = build(state, apart)
        state.unknowns = unknowns
        found = {x.name for x in ex.free_symbols(scalars_of(trial))} & set(names)
        if found:
            raise state.fault(
                source,
                span,
                f"{min(found)} is a parameter of this link and also a constant that the link uses",
                "give one of them another name",
            )

    def build(state: Run, values: list[tuple[int, ex.Expr]]) -> LinkValue:
        state.env.update(values)
        outer, state.in_link = state.in_link, []
        try:
            made = []
            for dof, force, torque in steps:
                moved = dof(state) if dof else STILL
                marked = isinstance(moved, BodySpeeds)
                made.append(
                    StepValue(
                        _still(moved),
                        force(state) if force else None,
                        torque(state) if torque else None,
                        marked or _has_quaternion(moved, names),
                    )
                )
            known = tuple((name, thunk(state)) for name, thunk in efforts)
            return LinkValue(names, tuple(made), known, tuple(state.in_link), (source, span))
        finally:
            state.in_link = outer

    return run


def scalars_of(link: LinkValue) -> list[ex.Expr]:
    """Every scalar that a link holds."""
    found = [value for _, value in link.efforts]
    for step in link.steps:
        found += [*step.displacement.scalars, *(step.force or ()), *(step.torque or ())]
    return found


def _has_quaternion(moved: Any, names: tuple[str, ...]) -> bool:
    from dalembert.mechanism.displacement import QuaternionTurn

    if isinstance(moved, BodySpeeds):
        return False
    turns = [t for t in moved.turns if isinstance(t, QuaternionTurn)]
    return any(x.name in names for t in turns for x in ex.free_symbols(t.scalars))


def infer_select(ctx: Context, node: s.Select, scope: Scope, want: Type | None) -> Checked:
    """`a.field`: the read type of the field; the field of an absent property is generic."""
    from dalembert.lsd.check_expressions import EARTH_BODY, EARTH_FRAME, find

    found = find(ctx, node, scope)
    if isinstance(found, Checked):
        return found
    name, field = node.word.text, node.field
    if found is not None and found.type is Type.MACHINE:
        from dalembert.lsd.check_paths import infer_path

        return infer_path(ctx, s.Path(node.word, (field,), node.package, node.span, node.order), scope, want)
    if not _is_field(found, name, field.text) or node.order:
        return infer_quantity(ctx, node, scope, found, want)
    if found is None:
        return Checked(Type.FRAME, lambda _state: EARTH_FRAME) if field.text != "body" else EARTH_BODY
    found.used = True
    kind = found.type
    if kind is Type.ERROR:
        return Checked(Type.ERROR, lambda state: state.env[found.stamp])
    ctx.fact(node.word.span, f"{name} : {kind}", found)
    signature = FIELDS[kind][field.text]
    assert signature.read is not None
    ctx.fact(field.span, f"{field.text} : {signature.read} - {signature.meaning}")
    stamp, read, source, span = found.stamp, READ[kind, field.text], ctx.source, node.span
    if kind is Type.VECTOR:
        ctx.later.append(lambda: _two_meanings(ctx, name, source, span))

    def run(state: Run) -> Any:
        return read(state, state.env[stamp], source, span)

    return Checked(signature.read, run)


def _two_meanings(ctx: Context, name: str, source: Source, span: Span) -> None:
    """`v.x` of a vector and of a link that is called after it: neither is chosen silently."""
    if name in ctx.link_names:
        what = f"{name} is a vector and a link: a component or a coordinate?"
        ctx.report.add(source, span, what, "give one of them another name")


def _is_field(found: Bound | None, name: str, field: str) -> bool:
    """Whether `name.field` reads a field of an object; else it is a quantity of the motion."""
    if found is None:
        return name == EARTH_NAME and field in ("frame", "iframe", "body")
    return found.type is Type.ERROR or field in readable(found.type)


def _generic(state: Run, value: BodyValue, name: str, count: int) -> tuple[ex.Expr, ...]:
    """The placeholders that stand for an absent field; made once, outside any link."""
    if name not in value.generic:
        outer, state.in_link = state.in_link, None
        value.generic[name] = tuple(state.unknown() for _ in range(count))
        state.in_link = outer
    return value.generic[name]


def generic_iframe(state: Run, value: BodyValue) -> Displacement:
    t = _generic(state, value, "translation", 3)
    r = _generic(state, value, "rotation", 3)
    return Displacement(Vector3(t[:3]), generic_turns(r))


def body_mass(state: Run, value: BodyValue, *_: Any) -> Any:
    return value.mass if value.mass is not None else _generic(state, value, "mass", 1)[0]


def body_iframe(state: Run, value: BodyValue, *_: Any) -> FrameValue:
    displacement = value.iframe if value.iframe is not None else generic_iframe(state, value)
    return FrameValue(value, displacement, "iframe")


def body_inertia(state: Run, value: BodyValue, source: Any = None, span: Any = None) -> Any:
    if value.inertia is None:
        return _generic(state, value, "inertia", 3)
    if isinstance(value.inertia[0], tuple):
        raise state.fault(source, span, "this body has a full inertia matrix, not three principal moments")
    return value.inertia


def effort_value(state: Run, value: EffortValue, *_: Any) -> Any:
    if value.value is None:
        outer, state.in_link = state.in_link, None
        value.value = Vector3((state.unknown(), state.unknown(), state.unknown()))
        state.in_link = outer
    return value.value


def _effort_body(state: Run, value: EffortValue, source: Any, span: Any) -> BodyValue:
    if value.base is None:
        raise state.fault(source, span, f"this {value.kind} does not say in which body's base it is expressed")
    return value.base


READ: dict[tuple[Type, str], Any] = {
    (Type.BODY, "shape"): lambda _state, value, *_: value.shapes,
    (Type.BODY, "mass"): body_mass,
    (Type.BODY, "inertia"): body_inertia,
    (Type.BODY, "iframe"): body_iframe,
    (Type.BODY, "frame"): lambda _state, value, *_: FrameValue(value, STILL, "frame"),
    (Type.FRAME, "body"): lambda _state, value, *_: value.body,
    (Type.FRAME, "displ"): lambda _state, value, *_: value.displacement,
    **{(Type.VECTOR, axis): lambda _state, value, *_, k=k: value[k] for k, axis in enumerate("xyz")},
    (Type.FORCE, "value"): effort_value,
    (Type.TORQUE, "value"): effort_value,
    (Type.FORCE, "body"): _effort_body,
    (Type.TORQUE, "body"): _effort_body,
}
