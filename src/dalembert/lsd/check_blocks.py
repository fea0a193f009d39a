"""Typing of what holds declarations: machines with parameters, loops, and conditions on constants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.lsd import syntax as s
from dalembert.lsd.captured import warn_hidden
from dalembert.lsd.check_expressions import check
from dalembert.lsd.check_paths import whole
from dalembert.lsd.checking import Context, Thunk
from dalembert.lsd.running import Run
from dalembert.lsd.scope import Bound, Home, Scope, similar
from dalembert.lsd.source import TooManyErrors
from dalembert.lsd.types import TYPE_NAMES, Type
from dalembert.lsd.values import MachineValue
from dalembert.mechanism.dimensions import UNITS

Action = Callable[[Run], None]
Block = Callable[[Scope], list[Action]]
MAX_PASSES = 1_000_000
"""Passes of all loops of a program together, so that a typing error ends in seconds."""


def parameters_action(
    ctx: Context, typed: Sequence[s.Typed], inner: Scope
) -> tuple[tuple[Bound, ...], dict[str, Thunk]]:
    """The parameters of a definition or of a machine, put in its scope, and the defaults of those that have one."""
    parameters: list[Bound] = []
    defaults: dict[str, Thunk] = {}
    for one in typed:
        kind = TYPE_NAMES.get(one.type.text)
        if kind is None:
            hint = similar(one.type.text, list(TYPE_NAMES)) or f"types are {', '.join(TYPE_NAMES)}"
            if one.type.text == "machine":
                hint = "hand over the frames of the machine that are needed"
            ctx.error(one.type.span, f"unknown type {one.type.text}", hint)
            kind = Type.ERROR
        if one.word.text in inner.names:
            ctx.error(one.word.span, f"parameter {one.word.text} is named twice")
        else:
            warn_hidden(ctx, one.word, inner, "the parameter")
        if one.default is not None:
            default = check(ctx, one.default, kind, inner, f"default of {one.word.text}")
            defaults[one.word.text] = default
        bound = Bound(one.word.text, kind, ctx.source, one.word.span)
        ctx.fact(one.word.span, f"{bound.name} : {kind}", bound)
        inner.names[bound.name] = bound
        parameters.append(bound)
    return tuple(parameters), defaults


def machine_thunk(ctx: Context, item: s.Machine, inner: Scope, actions: list[Action]) -> Thunk:
    """Build a machine: its declarations run with names that begin with what it is called."""
    home, source, span = inner.home, ctx.source, item.span
    assert home is not None
    own = [(name, one.stamp) for name, one in inner.names.items() if one.type not in (Type.DEFINITION, Type.PACKAGE)]

    def run(state: Run) -> MachineValue:
        name, state.naming = state.naming, None
        if name is None:
            message = f"a machine needs a name: it is built by `let name = {item.word.text}(...)`"
            raise state.fault(source, span, message)
        state.env[home.stamp] = f"{name}."
        for stamp in home.lists:
            state.env[stamp] = {}
        for action in actions:
            action(state)
        return MachineValue(name, {word: state.env[stamp] for word, stamp in own if stamp in state.env})

    return run


def home_for(item: s.Machine) -> Home:
    """The names that a machine gives: of objects, lists, links, efforts, constraints, contacts."""
    return Home(frozenset(_declared(item.declarations)))


def _declared(items: Sequence[s.Declaration]) -> Iterator[str]:
    for item in items:
        if isinstance(item, s.Let):
            yield from (binding.word.text for binding in item.bindings)
        elif isinstance(item, s.Loop):
            yield from _declared(item.declarations)
        elif isinstance(item, s.Branch):
            yield from _declared((*item.declarations, *item.otherwise))
        else:
            name = getattr(item, "name", None)
            if isinstance(name, s.Label):
                yield name.text


def loop_action(ctx: Context, item: s.Loop, scope: Scope, block: Block) -> Action:
    """`for i in 1..n do ... end`: the declarations once for each number.

    A pass may ask for elements that an earlier one has made further down: lists are known in all of a loop.
    """
    if scope.inside:
        return _passes(ctx, item, scope, block)
    errors, known, forget = ctx.report.errors, {*scope.names.values()}, ctx.kept()
    action: Action | None = None
    try:
        action = _passes(ctx, item, scope, block)
    except TooManyErrors:
        if not _filled(scope, known):
            raise
    if action is not None and (ctx.report.errors == errors or not _filled(scope, known)):
        return action
    for one in {*scope.names.values()} - known - _filled(scope, known):  # their elements have no type yet
        del scope.names[one.name]
    forget()
    return _passes(ctx, item, scope, block)


def _filled(scope: Scope, known: set[Bound]) -> set[Bound]:
    """The lists that are new in a scope, with elements of a known type."""
    new = {*scope.names.values()} - known
    return {one for one in new if one.type is Type.LIST and one.extra.type is not Type.ERROR}


def _passes(ctx: Context, item: s.Loop, scope: Scope, block: Block) -> Action:
    low, high = (whole(ctx, one, scope, "a bound of a loop") for one in (item.low, item.high))
    inner = Scope(scope, inside=True)
    warn_hidden(ctx, item.word, scope, "the counter")
    counter = Bound(item.word.text, Type.SCALAR, ctx.source, item.word.span)
    ctx.fact(item.word.span, f"{counter.name} : scalar - counts the passes of the loop", counter)
    inner.names[counter.name] = counter
    actions, source = block(inner), ctx.source

    def action(state: Run) -> None:
        for k in range(low(state), high(state) + 1):
            state.passes += 1
            if state.passes > MAX_PASSES:
                raise state.fault(source, item.span, f"the loops of this program make more than {MAX_PASSES} passes")
            state.env[counter.stamp] = ex.const(k)
            for one in actions:
                one(state)

    return action


_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


def branch_action(ctx: Context, item: s.Branch, scope: Scope, block: Block, otherwise: Block) -> Action:
    """`if n > 1 then ... else ... end`: one of two blocks, decided when the program is read."""
    tests = [
        (_SIGNS[one.sign], _constant(ctx, one.left, scope), _constant(ctx, one.right, scope)) for one in item.conditions
    ]
    yes, no = block(Scope(scope, inside=True)), otherwise(Scope(scope, inside=True))

    def action(state: Run) -> None:
        chosen = yes if all(sign(left(state), right(state)) for sign, left, right in tests) else no
        for one in chosen:
            one(state)

    return action


def _constant(ctx: Context, node: s.Expression, scope: Scope) -> Callable[[Run], float]:
    """A number that is known when the program is read; exact where it is a fraction."""
    run, source = check(ctx, node, Type.SCALAR, scope, "a condition"), ctx.source

    def number(state: Run) -> float:
        value: Expr = run(state)
        if state.dimensional:
            (value,) = ex.substitute([value], dict.fromkeys(UNITS, 1))
        if value.is_number:
            return value.value  # type: ignore[return-value]
        names = sorted(x.name for x in ex.free_symbols([value]))
        if names or ex.unknown_functions([value]):
            what = names[0] if names else "an unknown function"
            message = f"a condition compares constants: {what} has no value when the program is read"
            raise state.fault(source, node.span, message, "name the number with `let`")
        return float(ex.evaluate([value], {})[0])

    return number
