"""Typing of the numbers of a program: `given` values and laws, `start` values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.captured import warn_hidden
from dalembert.lsd.check_expressions import check, infer
from dalembert.lsd.check_paths import target_of
from dalembert.lsd.checking import Context, Thunk
from dalembert.lsd.running import GivenItem, LawItem, Run, StartValue
from dalembert.lsd.scope import CONSTANTS, Bound, Scope, similar
from dalembert.lsd.source import Span
from dalembert.lsd.types import Type

Action = Callable[[Run], None]


def initial_action(ctx: Context, one: s.Initial, scope: Scope, listed: Span) -> Action:
    """`start link.parameter = value`: the names are resolved when the links exist."""
    source = ctx.source
    value = check(ctx, one.value, Type.SCALAR, scope, "start")
    link, parameter = target_of(ctx, one.target, scope)
    order = one.target.order
    if order > 1:
        ctx.error(parameter.span, "a start gives positions and speeds, not accelerations")
    spans = (one.target.word.span, parameter.span, one.value.span)

    def action(state: Run) -> None:
        state.start.append(StartValue(link(state), parameter.text, order, value(state), source, spans, listed))

    return action


def given_action(ctx: Context, one: s.GivenValue, scope: Scope, listed: Span) -> Iterator[Action]:
    """The type of a given name is that of its use; a body's field must be generic."""
    source, target, name = ctx.source, one.target, one.target.word.text
    bound = scope.find(name)
    owner: Thunk | None = None
    field_name: str | None = None
    if not isinstance(target, s.Name):
        steps = target.steps if isinstance(target, s.Path) else (target.field,)
        inner = s.Path(target.word, steps[:-1]) if len(steps) > 1 else s.Name(target.word)
        got, owner = infer(ctx, inner, scope, Type.BODY)
        if got is not Type.BODY:
            if got is not Type.ERROR:
                names = [b.name for b in scope.all() if b.type is Type.BODY]
                ctx.error(target.word.span, f"{name} is not a body", similar(name, names))
            return
        field = steps[-1]
        if not isinstance(field, s.Word) or field.text not in ("mass", "inertia"):
            ctx.error(field.span, "only mass and inertia of a body are given this way")
            return
        field_name = field.text
        want = Type.SCALAR if field_name == "mass" else Type.VECTOR
    else:
        if bound is not None:
            hint = "change the `let`, or drop it so that the name becomes a parameter"
            ctx.error(target.span, f"{name} is defined by `let`, so it cannot be given", hint)
            return
        if name in CONSTANTS and name not in ctx.free:
            ctx.error(target.span, f"{name} is predefined, so it cannot be given")
            return
        want = ctx.free[name][0] if name in ctx.free else Type.SCALAR
        if want not in (Type.SCALAR, Type.VECTOR):
            ctx.error(target.span, f"{name} is a {want}: give its scalar symbols one by one")
            return
        ctx.fact(target.word.span, f"{name} : {want} - constant parameter of the mechanism")
    # The right side may use names given before; it must not invent parameters.
    before = len(ctx.free)
    value = check(ctx, one.value, want, scope, f"value of {name}")
    while len(ctx.free) > before:
        ctx.free.popitem()

    def action(state: Run) -> None:
        body = None if owner is None else owner(state)
        state.given.append(GivenItem(name, field_name, value(state), source, one.span, listed, body))

    yield action


def law_action(ctx: Context, one: s.GivenLaw, scope: Scope, listed: Span) -> Iterator[Action]:
    """What an unknown function is, as a formula of its arguments."""
    inner = Scope(scope)
    symbols = []
    for word in one.parameters:
        if word.text in inner.names:
            ctx.error(word.span, f"argument {word.text} is named twice")
        elif word.text != "t":  # a law of time is written f(t)
            warn_hidden(ctx, word, scope, "the argument")
        bound = Bound(word.text, Type.SCALAR, ctx.source, word.span)
        inner.names[word.text] = bound
        symbols.append((bound.stamp, ex.symbol(word.text)))
    value = check(ctx, one.value, Type.SCALAR, inner, f"law of {one.word.text}")
    source = ctx.source

    def action(state: Run) -> None:
        state.env.update(symbols)
        arguments = tuple(x for _, x in symbols)
        state.given.append(LawItem(one.word.text, arguments, value(state), source, one.span, listed))

    yield action
