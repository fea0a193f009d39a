"""What each production of the grammar builds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.lsd import syntax as s
from dalembert.lsd.fixity import resolve
from dalembert.lsd.lexer import Token
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.syntax_contacts import Contact, Law

Action = Callable[[list[Any], Span], Any]


def word(token: Token) -> s.Word:
    """An identifier; back quotes allow any text as a name."""
    if token.text[0] == "`":
        return s.Word(token.text.strip("`"), (token.start, token.end), True)
    return s.Word(token.text, (token.start, token.end))


def primed(token: Token) -> tuple[s.Word, int]:
    bare = token.text.rstrip("'")
    order = len(token.text) - len(bare)
    return word(Token("ID", bare, token.start, token.end - order)), order


def _initial(k: list[Any], p: Span) -> s.Initial:
    parameter, order = primed(k[1]) if k[1].type == "PRIMED" else (word(k[1]), 0)
    return s.Initial(word(k[0]), parameter, order, k[2], p)


def _select(k: list[Any], p: Span) -> s.Select:
    if isinstance(k[1], s.Word):
        return s.Select(word(k[0]), k[1], None, p)
    field, order = primed(k[1])
    return s.Select(word(k[0]), field, None, p, order)


def _between(k: list[Any], p: Span) -> s.Between:
    name = word(k[-1]) if isinstance(k[-1], Token) else None
    fields = tuple(k[3:-1] if name else k[3:])
    return s.Between(k[0].text, k[1], k[2], fields, name, p)


def _named(k: list[Any]) -> tuple[list[Any], s.Word | None]:
    """What a declaration holds, and the name after `as`."""
    return (k[:-1], word(k[-1])) if isinstance(k[-1], Token) else (k, None)


def _constrain(k: list[Any], p: Span) -> s.Constrain:
    (equations, *pushes), name = _named(k)
    return s.Constrain(equations, pushes[0] if pushes else (), name, p)


def _drive(k: list[Any], p: Span) -> s.Drive:
    (target, law, *pushes), name = _named(k)
    return s.Drive(target, law, pushes[0] if pushes else (), name, p)


def _contrivance(kind: str) -> Action:
    def build(k: list[Any], p: Span) -> s.Contrivance:
        held, name = _named(k)
        fields = held.pop() if isinstance(held[-1], tuple) else ()
        return s.Contrivance(kind, tuple(held), fields, name, p)

    return build


def _contact(kind: str) -> Action:
    def build(k: list[Any], p: Span) -> Contact:
        held, name = _named(k)
        laws = tuple(one for one in held if isinstance(one, Law))
        return Contact(kind, tuple(one for one in held if not isinstance(one, Law)), laws, name, p)

    return build


def _law(kind: str) -> Action:
    return lambda k, p: Law(kind, tuple(k), p)


def _link(k: list[Any], p: Span) -> s.Record:
    return s.Record("link", k[-1], k[0] if len(k) > 1 else (), p)


def _local(k: list[Any], p: Span) -> s.Local:
    return s.Local(k[0] if len(k) > 1 else (), k[-1], p)


def actions(source: Source, report: Report, *, strict: bool) -> dict[str, Action]:
    """Action of every production name; the parser calls it with the kept symbols and the span."""

    def chain(k: list[Any], _p: Span) -> s.Expression:
        # A sign binds tighter than `^` (it was part of the literal in the printed lexer): say so once.
        rest = list(zip(k[1::2], k[2::2]))
        if rest and rest[0][0].text == "^" and isinstance(k[0], s.Negative) and not isinstance(k[0].operand, s.Number):
            report.add(
                source,
                k[0].span,
                "`-x^n` reads `(-x)^n` in LSD",
                "write -(x^n) or 0 - x^n if the power comes first",
                "warning",
            )
        return resolve(k[0], rest, strict=strict, source=source, report=report)

    def sign(k: list[Any], p: Span) -> s.Expression:
        if strict:
            report.add(source, (p[0], p[0] + 1), "strict LSD has no prefix sign", "write 0 - x")
        return s.Negative(k[0], p)

    def group(k: list[Any], p: Span) -> s.Expression:
        return k[0]  # type: ignore[no-any-return]

    return {
        "start": lambda k, p: tuple(d for d in k if d is not None),
        "let": lambda k, p: s.Let(k[0] if k else (), p),
        "definition": lambda k, p: s.Definition(word(k[0]), tuple(k[1:-1]), k[-1], p),
        "join": lambda k, p: s.Join(k[0], k[1], k[2], word(k[3]) if len(k) > 3 else None, p),
        "package": lambda k, p: s.Package(word(k[0]), tuple(d for d in k[1:] if d is not None), p),
        "apply": lambda k, p: s.Apply(k[0], k[1], word(k[2]) if len(k) > 2 else None, p),
        "given_list": lambda k, p: s.Given(tuple(k), p),
        "start_list": lambda k, p: s.Start(tuple(k), p),
        "gravity": lambda k, p: s.Gravity(k[0], p),
        "use": lambda k, p: s.Use(k[0].text[1:-1], p),
        "between": _between,
        "tie": lambda k, p: k[0],
        "constrain": _constrain,
        "drive": _drive,
        "roll": _contrivance("roll"),
        "gear": _contrivance("gear"),
        "rope": _contrivance("rope"),
        "equations": lambda k, p: tuple(k),
        "equation": lambda k, p: s.Equation(k[0], k[1], p),
        "reaction": lambda k, p: tuple(k),
        "push": lambda k, p: s.Push("form", k[0], None, p),
        "torque_push": lambda k, p: s.Push("torque", k[0], k[1], p),
        "force_push": lambda k, p: s.Push("force", k[0], k[1], p),
        "with_fields": lambda k, p: tuple(k),
        "contact": _contact("gap"),
        "touching": _contact("touching"),
        "limit": _contact("limit"),
        **{kind: _law(kind) for kind in ("restitution", "friction", "static", "rolling", "drilling", "slip")},
        "typed": lambda k, p: s.Typed(word(k[0]), k[1], p),
        "typename": lambda k, p: word(k[0]),
        "bindings": lambda k, p: tuple(k),
        "binding": lambda k, p: s.Binding(k[0], k[1], p),
        "field": lambda k, p: word(k[0]),
        "given_value": lambda k, p: s.GivenValue(word(k[0]), None, k[1], p),
        "given_field": lambda k, p: s.GivenValue(word(k[0]), k[1], k[2], p),
        "given_law": lambda k, p: s.GivenLaw(word(k[0]), tuple(map(word, k[1:-1])), k[-1], p),
        "initial": _initial,
        "chain": chain,
        "op": lambda k, p: k[0],
        "negative": sign,
        "positive": group,
        "name": lambda k, p: s.Name(word(k[0]), None, p),
        "select": _select,
        "member": lambda k, p: s.Name(word(k[1]), word(k[0]), p),
        "member_select": lambda k, p: s.Select(word(k[1]), k[2], word(k[0]), p),
        "primed": lambda k, p: s.Prime(*primed(k[0]), p),
        "number": lambda k, p: s.Number(k[0].text, k[0].type == "INT", p),
        "unknown": lambda k, p: s.Unknown(k[0].text[1:], None, p),
        "unknown_call": lambda k, p: s.Unknown(k[0].text[1:], k[1], p),
        "vector": lambda k, p: s.Vector((k[0], k[1], k[2]), p),
        "local": _local,
        "call": lambda k, p: s.Call(word(k[0]), k[1] if len(k) > 1 else (), None, p),
        "member_call": lambda k, p: s.Call(word(k[1]), k[2] if len(k) > 2 else (), word(k[0]), p),
        "instance": lambda k, p: s.Instance(word(k[0]), k[1], None, p),
        "member_instance": lambda k, p: s.Instance(word(k[1]), k[2], word(k[0]), p),
        "body": lambda k, p: s.Record("body", k[0], (), p),
        "force": lambda k, p: s.Record("force", k[0], (), p),
        "torque": lambda k, p: s.Record("torque", k[0], (), p),
        "link": _link,
        "group": group,
        "arguments": lambda k, p: tuple(k),
        "fields": lambda k, p: tuple(k),
        "parameters": lambda k, p: tuple(map(word, k)),
        "record": lambda k, p: tuple(k),
    }
