"""Typing of function calls, instantiations and unknowns (spec 1.8, 1.9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.lsd import syntax as s
from dalembert.lsd.check_constraints import QUANTITIES, infer_frame_quantity
from dalembert.lsd.check_shapes import infer_shape
from dalembert.lsd.checking import Checked, Context, Thunk
from dalembert.lsd.running import Run
from dalembert.lsd.scope import FUNCTIONS, Bound, DefinitionBody, Scope, similar
from dalembert.lsd.types import MECHANICAL, UNKNOWN_FUNCTIONS, UNKNOWNS, Type
from dalembert.lsd.values import BodySpeeds
from dalembert.mechanism.bodyshape import SIZES
from dalembert.mechanism.displacement import QuaternionTurn

S, V = Type.SCALAR, Type.VECTOR

# Functions of vectors and displacements: arguments, result, computation.
_GEOMETRY: dict[str, tuple[tuple[Type, ...], Type, Callable[..., Any]]] = {
    "dot": ((V, V), S, dot3),
    "cross": ((V, V), V, cross),
    "norm": ((V,), S, norm3),
    "quaternion": ((S, S, S, S), Type.ROT, lambda a, b, c, d: (QuaternionTurn((a, b, c, d)),)),
    "body_speeds": ((Type.DISPL,), Type.DISPL, BodySpeeds),
}
MEANINGS = {
    **{name: f"{name}: elementary function of {n} argument{'s' * (n > 1)}" for name, (n, _) in FUNCTIONS.items()},
    "dot": "dot(a, b): scalar product of two vectors",
    "cross": "cross(a, b): vector product",
    "norm": "norm(a): length of a vector",
    "quaternion": "quaternion(e0, e1, e2, e3): rotation of a unit quaternion, scalar part first",
    "body_speeds": "body_speeds(d): a link displacement whose speeds are velocity components in the moved base",
}


def infer_call(ctx: Context, node: s.Call, scope: Scope, want: Type | None) -> Checked:
    from dalembert.lsd.check_expressions import find

    name = node.word.text
    if want is Type.SHAPE and (name in SIZES or name == "mesh") and not node.package:
        return infer_shape(ctx, node, scope)
    found = find(ctx, node, scope)
    if isinstance(found, Checked):
        return found
    if isinstance(found, Bound) and _is_function(ctx, node) and found.type not in (Type.ERROR, Type.DEFINITION):
        found = None  # a body or coordinate `sin` takes no arguments: `sin(t)` is no word about it
    if isinstance(found, Bound):
        if found.type is Type.ERROR:
            return Checked(Type.ERROR, found.extra)
        if found.type is not Type.DEFINITION:
            return ctx.wrong(node.word.span, f"{name} is a {found.type}, it takes no arguments")
        ctx.fact(node.word.span, signature(found), found)
        body: DefinitionBody = found.extra
        missing = [p.name for p in body.parameters[len(node.arguments) :] if p.name not in body.defaults]
        if missing or len(node.arguments) > len(body.parameters):
            told = f"it is {signature(found)}"
            if missing:
                return ctx.wrong(node.span, f"{name} needs also {', '.join(missing)}", told)
            count = len(body.parameters)
            return ctx.wrong(node.span, f"{name} has only {count} parameters, {len(node.arguments)} given", told)
        return _application(ctx, node, found, list(zip(body.parameters, node.arguments)), scope)
    if ctx.asking and name in QUANTITIES and not node.word.quoted:
        return infer_frame_quantity(ctx, node, scope)
    if name in FUNCTIONS and not node.word.quoted:
        arity, compute = FUNCTIONS[name]
        return _predefined(ctx, node, (S,) * arity, S, compute, scope)
    if name in _GEOMETRY and not node.word.quoted:
        kinds, result, compute = _GEOMETRY[name]
        return _predefined(ctx, node, kinds, result, compute, scope)
    if want in MECHANICAL or not node.arguments:
        names = [b.name for b in scope.all() if b.type is Type.DEFINITION]
        return ctx.unbound(node.word.span, name, similar(name, names) or _use_hint(ctx, name))
    ctx.fact(node.word.span, f"{name} : unknown scalar function")
    parts = _arguments(ctx, node.arguments, (S,) * len(node.arguments), scope, name)
    ctx.functions.add(name)
    function = ex.function(name)
    return Checked(S, ctx.guarded(node.span, function, *parts))


def _is_function(ctx: Context, node: s.Call) -> bool:
    """Is it the word of a function that every program knows?"""
    known = node.word.text in FUNCTIONS or node.word.text in _GEOMETRY
    return (known or (ctx.asking and node.word.text in QUANTITIES)) and not node.word.quoted and not node.package


def _use_hint(ctx: Context, name: str) -> str | None:
    from dalembert.lsd.library import defining

    found = defining(name)
    if found is None:
        return None
    inside = " inside of this package, which sees its own names only" if found in ctx.used else ""
    return f'`{name}` is in the standard library: use "{found}" ;{inside}'


def _predefined(
    ctx: Context, node: s.Call, kinds: tuple[Type, ...], result: Type, compute: Callable[..., Any], scope: Scope
) -> Checked:
    name = node.word.text
    ctx.fact(node.word.span, MEANINGS[name])
    if len(node.arguments) != len(kinds):
        return ctx.wrong(node.span, f"{name} takes {len(kinds)} arguments, {len(node.arguments)} given")
    parts = _arguments(ctx, node.arguments, kinds, scope, name)
    return Checked(result, ctx.guarded(node.span, compute, *parts))


def _arguments(
    ctx: Context, nodes: Sequence[s.Expression], kinds: Sequence[Type], scope: Scope, name: str
) -> list[Thunk]:
    from dalembert.lsd.check_expressions import check

    return [check(ctx, a, k, scope, f"argument of {name}") for a, k in zip(nodes, kinds)]


def signature(found: Bound) -> str:
    """`f(x : scalar) : link`, for people."""
    body: DefinitionBody = found.extra
    return f"{found.name}({', '.join(parameters_of(body))}) : {body.result}"


def parameters_of(body: DefinitionBody) -> list[str]:
    """`x : scalar` of each parameter, with a mark where it may be left out."""
    return [f"{p.name} : {p.type}" + (" = ..." if p.name in body.defaults else "") for p in body.parameters]


def infer_instance(ctx: Context, node: s.Instance, scope: Scope, _want: Type | None) -> Checked:
    from dalembert.lsd.check_expressions import find

    name = node.word.text
    found = find(ctx, node, scope)
    if isinstance(found, Checked):
        return found
    if found is None:
        names = [b.name for b in scope.all() if b.type is Type.DEFINITION]
        return ctx.unbound(node.word.span, name, similar(name, names) or _use_hint(ctx, name))
    if found.type is not Type.DEFINITION:
        return ctx.wrong(node.word.span, f"{name} is a {found.type}, it has no parameters")
    ctx.fact(node.word.span, signature(found), found)
    body: DefinitionBody = found.extra
    by_name = {p.name: p for p in body.parameters}
    pairs: dict[str, tuple[Bound, s.Expression]] = {}
    for parameter, value in zip(body.parameters, node.positional):
        pairs[parameter.name] = (parameter, value)
    for extra in node.positional[len(body.parameters) :]:
        ctx.error(extra.span, f"{name} has only {len(body.parameters)} parameters", f"it is {signature(found)}")
    for argument in node.arguments:
        word = argument.word
        if word.text not in by_name:
            hint = similar(word.text, list(by_name)) or f"it has {', '.join(by_name) or 'no parameters'}"
            ctx.error(word.span, f"{name} has no parameter {word.text}", hint)
        elif word.text in pairs:
            ctx.error(word.span, f"parameter {word.text} is given twice")
        else:
            parameter = by_name[word.text]
            pairs[word.text] = (parameter, argument.value)
            ctx.fact(word.span, f"{word.text} : {parameter.type} - parameter of {name}", parameter)
    missing = [p for p in by_name if p not in pairs and p not in body.defaults]
    if missing and all(argument.word.text in by_name for argument in node.arguments):
        ctx.error(node.span, f"{name} needs also {', '.join(missing)}", f"it is {signature(found)}")
    return _application(ctx, node, found, list(pairs.values()), scope)


def _application(
    ctx: Context,
    node: s.Call | s.Instance,
    found: Bound,
    pairs: list[tuple[Bound, s.Expression]],
    scope: Scope,
) -> Checked:
    """Each application evaluates the body anew: fresh objects, fresh unknowns."""
    from dalembert.lsd.check_expressions import check

    body: DefinitionBody = found.extra
    parts = [(p.stamp, check(ctx, e, p.type, scope, f"parameter {p.name} of {found.name}")) for p, e in pairs]
    source, span, run_body = ctx.source, node.span, body.run
    written = {p.name for p, _ in pairs}
    left_out = [p for p in body.parameters if p.name not in written and p.name in body.defaults]
    rest = [(p.stamp, body.defaults[p.name]) for p in left_out]
    whole = len(parts) + len(rest) == len(body.parameters)

    def run(state: Run) -> Any:
        naming, state.naming = state.naming, None
        values = [(stamp, part(state)) for stamp, part in parts]
        state.enter(source, span)
        state.env.update(values)
        for stamp, default in rest:
            state.env[stamp] = default(state)
        state.naming = naming
        try:
            return run_body(state)
        finally:
            state.leave()

    return Checked(body.result if whole else Type.ERROR, run)


def infer_unknown(ctx: Context, node: s.Unknown, scope: Scope, _want: Type | None) -> Checked:
    table = UNKNOWNS if node.arguments is None else UNKNOWN_FUNCTIONS
    kind = table.get(node.name)
    if kind is None:
        swapped = node.name in (UNKNOWN_FUNCTIONS if node.arguments is None else UNKNOWNS)
        hint = "an unknown function needs its arguments: ?fs(x, x')" if swapped and node.arguments is None else None
        if swapped and node.arguments is not None:
            hint = "unknown functions are ?fs(...) and ?fv(...)"
        return ctx.wrong(
            node.span,
            f"unknown unknown ?{node.name}",
            hint or similar(node.name, list(table)) or "unknowns are ?s ?scalar ?v ?vector ?fs(...) ?fv(...)",
        )
    ctx.fact(node.span, f"?{node.name} : {kind} - a new unknown, named by the place where it lands")
    if node.arguments is None:
        if kind is S:
            return Checked(S, lambda state: state.unknown())
        return Checked(V, lambda state: Vector3((state.unknown(), state.unknown(), state.unknown())))
    parts = _arguments(ctx, node.arguments, (S,) * len(node.arguments), scope, f"?{node.name}")

    def run(state: Run) -> Any:
        values = tuple(part(state) for part in parts)
        if kind is S:
            return state.unknown(values)
        return Vector3((state.unknown(values), state.unknown(values), state.unknown(values)))

    return Checked(kind, run)
