"""Typing of the numbers of a program: `given` values and laws, `start` values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.check_expressions import check
from dalembert.lsd.checking import Context
from dalembert.lsd.running import GivenItem, LawItem, Run, StartValue
from dalembert.lsd.scope import CONSTANTS, Bound, Scope, similar
from dalembert.lsd.types import Type

Action = Callable[[Run], None]


def initial_action(ctx: Context, one: s.Initial, scope: Scope) -> Action:
    """`start link.parameter = value`: the names are resolved when the links exist."""
    source = ctx.source
    value = check(ctx, one.value, Type.SCALAR, scope, "start")
    if one.order > 1:
        ctx.error(one.parameter.span, "a start gives positions and speeds, not accelerations")
    spans = (one.link.span, one.parameter.span, one.value.span)

    def action(state: Run) -> None:
        state.start.append(StartValue(one.link.text, one.parameter.text, one.order, value(state), source, spans))

    return action


def given_action(ctx: Context, one: s.GivenValue, scope: Scope) -> Iterator[Action]:
    """The type of a given name is that of its use; a body's field must be generic."""
    source, name = ctx.source, one.word.text
    bound = scope.find(name)
    if one.field is not None:
        if bound is None or bound.type is not Type.BODY:
            names = [b.name for b in scope.all() if b.type is Type.BODY]
            ctx.error(one.word.span, f"{name} is not a body", similar(name, names))
            return
        if one.field.text not in ("mass", "inertia"):
            ctx.error(one.field.span, "only mass and inertia of a body are given this way")
            return
        want, stamp = Type.SCALAR if one.field.text == "mass" else Type.VECTOR, bound.stamp
    else:
        if bound is not None:
            hint = "change the `let`, or drop it so that the name becomes a parameter"
            ctx.error(one.word.span, f"{name} is defined by `let`, so it cannot be given", hint)
            return
        if name in CONSTANTS and name not in ctx.free:
            ctx.error(one.word.span, f"{name} is predefined, so it cannot be given")
            return
        want, stamp = ctx.free[name][0] if name in ctx.free else Type.SCALAR, None
        if want not in (Type.SCALAR, Type.VECTOR):
            ctx.error(one.word.span, f"{name} is a {want}: give its scalar symbols one by one")
            return
    # The right side may use names given before; it must not invent parameters.
    before = len(ctx.free)
    value = check(ctx, one.value, want, scope, f"value of {name}")
    while len(ctx.free) > before:
        ctx.free.popitem()
    field_name = one.field.text if one.field else None

    def action(state: Run) -> None:
        body = state.env.get(stamp) if stamp is not None else None
        state.given.append(GivenItem(name, field_name, value(state), source, one.span, body))

    yield action


def law_action(ctx: Context, one: s.GivenLaw, scope: Scope) -> Iterator[Action]:
    """What an unknown function is, as a formula of its arguments."""
    inner = Scope(scope)
    symbols = []
    for word in one.parameters:
        if word.text in inner.names:
            ctx.error(word.span, f"argument {word.text} is named twice")
        bound = Bound(word.text, Type.SCALAR, ctx.source, word.span)
        inner.names[word.text] = bound
        symbols.append((bound.stamp, ex.symbol(word.text)))
    value = check(ctx, one.value, Type.SCALAR, inner, f"law of {one.word.text}")
    source = ctx.source

    def action(state: Run) -> None:
        state.env.update(symbols)
        state.given.append(LawItem(one.word.text, tuple(x for _, x in symbols), value(state), source, one.span))

    yield action
