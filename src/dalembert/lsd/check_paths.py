"""Typing of `b[i]`, `leg[2].knee.th'`: elements of lists, members of machines, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.lsd import syntax as s
from dalembert.lsd.check_quantities import asked, wrong_quantity
from dalembert.lsd.check_records import READ
from dalembert.lsd.checking import BAD, Checked, Context, Thunk
from dalembert.lsd.running import Run
from dalembert.lsd.scope import Bound, ListOf, Scope, similar
from dalembert.lsd.source import Source, Span
from dalembert.lsd.types import FIELDS, Type, readable
from dalembert.lsd.values import BodyValue, FrameValue, MachineValue

Key = tuple[int, ...]
LARGEST = 1_000_000
"""Largest index and bound of a loop: far above what a program of rigid bodies can hold in memory."""


def label_of(ctx: Context, label: s.Label | None, scope: Scope) -> Callable[[Run], str | None]:
    """What a declaration calls what it makes, when the program runs: `left.tip[3]`."""
    if label is None:
        return lambda _state: None
    key, home, text = indices(ctx, label.indices, scope), scope.home_of(), label.text
    stamp = home.stamp if home is not None else None
    if stamp is None and not label.indices:
        return lambda _state: text
    return lambda state: state.called(stamp) + text + subscripts(key(state))


def subscripts(key: Key) -> str:
    return "".join(f"[{k}]" for k in key)


def indices(ctx: Context, nodes: Sequence[s.Expression], scope: Scope) -> Callable[[Run], Key]:
    """The numbers in brackets."""
    if not nodes:
        return lambda _state: ()
    parts = [whole(ctx, node, scope, "an index") for node in nodes]
    return lambda state: tuple(part(state) for part in parts)


def whole(ctx: Context, node: s.Expression, scope: Scope, what: str) -> Callable[[Run], int]:
    """A whole number that is known when the program is read."""
    from dalembert.lsd.check_expressions import check

    run, source = check(ctx, node, Type.SCALAR, scope, what), ctx.source

    def number(state: Run) -> int:
        value = run(state)
        if not value.is_number:
            names = sorted(x.name for x in ex.free_symbols([value]))
            why = f"{names[0]} has no value when the program is read" if names else "this is none"
            raise state.fault(source, node.span, f"{what} is a whole number: {why}", "write it, or name it with `let`")
        if not isinstance(value.value, int):
            raise state.fault(source, node.span, f"{what} is a whole number, not {ex.text(value)}")
        if abs(value.value) > LARGEST:
            raise state.fault(source, node.span, f"{what} is a whole number up to {LARGEST}, not {ex.text(value)}")
        if what == "an index" and value.value < 0:
            raise state.fault(source, node.span, f"an index is not negative: this is {value.value}")
        return value.value

    return number


def infer_path(ctx: Context, node: s.Path, scope: Scope, _want: Type | None) -> Checked:
    """Walk along a path: index, member, field; what is left is a quantity of the motion."""
    from dalembert.lsd.check_expressions import find

    found = find(ctx, node, scope)
    if isinstance(found, Checked):
        return found
    if found is None:
        return _quantity(ctx, node, scope, None, 0)
    found.used = True
    ctx.fact(node.word.span, described(found), found)
    kind, extra, run, at = found.type, found.extra, _value(found), 0
    while at < len(node.steps):
        step = node.steps[at]
        last = at == len(node.steps) - 1
        if kind is Type.ERROR:
            return BAD
        if kind is Type.LIST:
            keys = [one for one in node.steps[at : at + extra.depth] if not isinstance(one, s.Word)]
            if len(keys) < extra.depth:
                return ctx.wrong(node.span, *_needs_index(node.word.text, extra))
            run = _element(ctx, run, indices(ctx, keys, scope), node, found.name)
            kind, extra, at = extra.type, extra.extra, at + extra.depth
            continue
        if not isinstance(step, s.Word):
            return ctx.wrong(step.span, f"a {kind} has no elements", "only what is defined as name[i] has")
        if kind is Type.MACHINE and step.text in extra:
            member: Bound = extra[step.text]
            if member.type in (Type.DEFINITION, Type.PACKAGE):
                return ctx.wrong(step.span, f"{step.text} is a {member.type} inside the machine, and stays there")
            ctx.fact(step.span, described(member), member)
            run, kind, extra, at = _member(run, step.text), member.type, member.extra, at + 1
        elif kind in FIELDS and step.text in readable(kind) and not (last and node.order):
            read, signature = READ[kind, step.text], FIELDS[kind][step.text]
            assert signature.read is not None
            ctx.fact(step.span, f"{step.text} : {signature.read} - {signature.meaning}")
            run, kind, extra, at = _field(run, read, ctx.source, node.span), signature.read, None, at + 1
        else:
            return _quantity(ctx, node, scope, (run, kind, extra), at)
    if kind is Type.LIST:
        return ctx.wrong(node.span, *_needs_index(node.word.text, extra))
    return Checked(kind, run)


def _needs_index(name: str, extra: ListOf) -> tuple[str, str]:
    return f"{name} is a list: each element has {extra.depth} ind{'ex' if extra.depth == 1 else 'ices'}", (
        f"write `{name}{'[1]' * extra.depth}`"
    )


def described(one: Bound) -> str:
    """`b : list of body`, for people."""
    return f"{one.name} : {one.type}" + (f" of {one.extra.type}" if one.type is Type.LIST else "")


def _value(found: Bound) -> Thunk:
    if found.type is Type.LIST:  # a loop without a pass fills none
        return lambda state: state.env.get(found.stamp, {})
    return lambda state: state.env[found.stamp]


def _member(run: Thunk, name: str) -> Thunk:
    return lambda state: run(state).members[name]


def _field(run: Thunk, read: Any, source: Source, span: Span) -> Thunk:
    return lambda state: read(state, run(state), source, span)


def _element(ctx: Context, run: Thunk, key: Callable[[Run], Key], node: s.Path, name: str) -> Thunk:
    source, span = ctx.source, node.span

    def element(state: Run) -> Any:
        held, asked_for = run(state), key(state)
        if asked_for in held:
            return held[asked_for]
        many = "it has no element yet"
        if len(held) == 1:
            many = f"its only element is {name}{subscripts(min(held))}"
        elif held:
            many = f"its {len(held)} elements are {name}{subscripts(min(held))} to {name}{subscripts(max(held))}"
        raise state.fault(source, span, f"there is no {name}{subscripts(asked_for)}", many)

    return element


def _quantity(ctx: Context, node: s.Path, scope: Scope, base: tuple[Thunk, Type, Any] | None, at: int) -> Checked:
    """A coordinate, a speed or a place: the last word, of what the words before it call."""
    field = node.steps[-1]
    if not isinstance(field, s.Word) or node.package:
        return ctx.unbound(node.word.span, node.word.text, _nearest(node.word.text, scope))
    if base is not None and base[1] not in (Type.BODY, Type.FRAME, Type.MACHINE):
        return ctx.wrong(node.span, f"non valid selection: this is a {base[1]}")
    members = base[2] if base is not None and base[1] is Type.MACHINE else None
    owner = owner_of(ctx, node, scope, base, at)

    def wrong() -> Checked:
        first = node.steps[at]
        if members is not None and isinstance(first, s.Word):
            if first is field:
                told = f"a coordinate is named after its link: `{node.word.text}.{first.text}.x`, or what else moves"
                return ctx.wrong(first.span, f"the machine {node.word.text} has no coordinate {first.text}", told)
            hint = similar(first.text, list(members))
            return ctx.wrong(first.span, f"the machine {node.word.text} has no {first.text} with a {field.text}", hint)
        return wrong_quantity(ctx, node.span, field, _nearest(node.word.text, scope))

    return asked(ctx, node.span, owner, field.text, node.order, base is None or base[1] is not Type.MACHINE, wrong)


def _nearest(name: str, scope: Scope) -> str | None:
    return similar(name, [b.name for b in scope.all() if b.type in FIELDS or b.type in (Type.LIST, Type.MACHINE)])


def owner_of(
    ctx: Context, node: s.Select | s.Path, scope: Scope, base: tuple[Thunk, Type, Any] | None = None, at: int = 0
) -> Callable[[Run], str]:
    """What the link, body or frame is called whose coordinate or place is the last word of a path."""
    steps = node.steps if isinstance(node, s.Path) else (node.field,)
    parts: list[Callable[[Run], str]] = []
    for step in steps[at:-1]:
        if isinstance(step, s.Word):
            parts.append(lambda _state, text=f".{step.text}": text)  # type: ignore[misc]
        else:
            key = indices(ctx, (step,), scope)
            parts.append(lambda state, key=key: subscripts(key(state)))  # type: ignore[misc]
    home, text = scope.home_of(node.word.text), node.word.text
    stamp = home.stamp if home is not None else None

    def owner(state: Run) -> str:
        head = state.called(stamp) + text
        if base is not None:
            value = base[0](state)
            if isinstance(value, BodyValue | FrameValue | MachineValue) and value.name:
                head = value.name
        return head + "".join(part(state) for part in parts)

    return owner


def target_of(ctx: Context, node: s.Select | s.Path, scope: Scope) -> tuple[Callable[[Run], str], s.Word]:
    """Link and coordinate of what is driven or started."""
    field = node.field if isinstance(node, s.Select) else node.steps[-1]
    assert isinstance(field, s.Word)
    head = scope.find(node.word.text)
    if isinstance(node, s.Path) and head is not None and head.type in (Type.LIST, Type.MACHINE):
        symbol = infer_path(ctx, node, scope, Type.SCALAR)

        def owner(state: Run) -> str:
            found = symbol.run(state)
            if not isinstance(found, ex.Expr) or found.op != "symbol":
                raise state.fault(ctx.source, node.span, "this is not a coordinate of a link")
            return found.name.rpartition(".")[0]

        return owner, field
    return owner_of(ctx, node, scope), field


def structure_of(scope: Scope, node: s.Expression, got: Type) -> Any:
    """What is known of a name beside its type: how it is defined, its members, its elements."""
    if got not in _STRUCTURED or not isinstance(node, s.Name | s.Call | s.Instance | s.Select | s.Path):
        return None
    found = scope.find((*node.package, node.word)[0].text)
    for word in (*node.package, node.word)[1:]:
        found = found.extra.get(word.text) if found is not None else None
    extra = found.extra if found is not None else None
    if isinstance(node, s.Call | s.Instance):
        return extra.members if extra is not None else None
    steps = (node.field,) if isinstance(node, s.Select) else node.steps if isinstance(node, s.Path) else ()
    for step in steps:
        if isinstance(extra, ListOf):
            extra = extra.extra
        elif isinstance(step, s.Word):
            extra = extra[step.text].extra if extra is not None else None
    return extra


_STRUCTURED = (Type.DEFINITION, Type.PACKAGE, Type.MACHINE, Type.LIST)
