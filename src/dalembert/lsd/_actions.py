"""What each production of the grammar builds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dalembert.lsd import syntax as s
from dalembert.lsd.fixity import resolve
from dalembert.lsd.lexer import Token
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.syntax_blocks import Condition
from dalembert.lsd.syntax_constraints import Equation, Push
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


def _label(k: list[Any], p: Span) -> s.Label:
    return s.Label(word(k[0]).text, tuple(k[1:]), p)


def _referred(k: list[Any], p: Span) -> s.Name | s.Select | s.Path:
    """A name with what follows it; the short forms are the commonest."""
    package, head, steps = k[0]
    order = 0
    if len(k) > 1:
        last, order = primed(k[1])
        steps = (*steps, last)
    if not steps:
        return s.Name(head, package, p)
    if len(steps) == 1 and isinstance(steps[0], s.Word):
        return s.Select(head, steps[0], package, p, order)
    return s.Path(head, steps, package, p, order)


def _element(k: list[Any], p: Span) -> s.Binding:
    return s.Binding(word(k[0]), k[-1], p, tuple(k[1:-1]))


def _measure(k: list[Any], p: Span) -> s.Measure:
    number = _DIGITS.match(k[0].text)
    assert number is not None
    digits = number[0]
    return s.Measure(s.Number(digits, digits.isdigit(), p), k[0].text[len(digits) :].strip(), p)


_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _between(k: list[Any], p: Span) -> s.Between:
    name = k[-1] if isinstance(k[-1], s.Label) else None
    fields = tuple(k[3:-1] if name else k[3:])
    return s.Between(k[0].text, k[1], k[2], fields, name, p)


def _named(k: list[Any]) -> tuple[list[Any], s.Label | None]:
    """What a declaration holds, and the name after `as`."""
    return (k[:-1], k[-1]) if isinstance(k[-1], s.Label) else (k, None)


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

    def target(k: list[Any], p: Span) -> s.Expression:
        found = _referred(k, p)
        if isinstance(found, s.Name) or (isinstance(found, s.Path) and not isinstance(found.steps[-1], s.Word)):
            report.add(
                source, p, "expected a coordinate", f"write `{source.text[p[0] : p[1]]}.th`, a link and what moves"
            )
            return s.Select(found.word, s.Word("th", p), found.package, p)
        return found

    def called(k: list[Any], p: Span) -> s.Call | s.Instance:
        package = () if isinstance(k[0], Token) else k.pop(0)
        name, *passed = k
        bare = tuple(a for a in passed if not isinstance(a, s.Binding))
        if len(bare) == len(passed):
            return s.Call(word(name), bare, package, p)
        for late in (a for a in passed[len(bare) :] if not isinstance(a, s.Binding)):
            report.add(
                source, late.span, "this argument has no name", "those without a name come before those with one"
            )
        return s.Instance(word(name), tuple(a for a in passed if isinstance(a, s.Binding)), package, p, bare)

    def group(k: list[Any], p: Span) -> s.Expression:
        return k[0]  # type: ignore[no-any-return]

    return {
        "start": lambda k, p: tuple(d for d in k if d is not None),
        "let": lambda k, p: s.Let(k[0] if k else (), p),
        "definition": lambda k, p: s.Definition(word(k[0]), tuple(k[1:-1]), k[-1], p),
        "join": lambda k, p: s.Join(k[0], k[1], k[2], k[3] if len(k) > 3 else None, p),
        "package": lambda k, p: s.Package(word(k[0]), k[1], p),
        "machine": lambda k, p: s.Machine(word(k[0]), tuple(k[1:-1]), k[-1], p),
        "loop": lambda k, p: s.Loop(word(k[0]), k[1], k[2], k[3], p),
        "branch": lambda k, p: s.Branch(k[0], k[1], k[2] if len(k) > 2 else (), p),
        "conditions": lambda k, p: tuple(k),
        "condition": lambda k, p: Condition(k[1].text, k[0], k[2], p),
        "comparison": lambda k, p: k[0],
        "block": lambda k, p: tuple(d for d in k if d is not None),
        "output": lambda k, p: s.Output(k[0], k[1], p),
        "apply": lambda k, p: s.Apply(k[0], k[1], k[2] if len(k) > 2 else None, p),
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
        "equation": lambda k, p: Equation(k[0], k[1], p),
        "reaction": lambda k, p: tuple(k),
        "push": lambda k, p: Push("form", k[0], None, p),
        "torque_push": lambda k, p: Push("torque", k[0], k[1], p),
        "force_push": lambda k, p: Push("force", k[0], k[1], p),
        "with_fields": lambda k, p: tuple(k),
        "contact": _contact("gap"),
        "touching": _contact("touching"),
        "limit": _contact("limit"),
        "rub": _contact("rub"),
        **{kind: _law(kind) for kind in ("restitution", "friction", "static", "rolling", "drilling", "slip")},
        "typed": lambda k, p: s.Typed(word(k[0]), k[1], k[2] if len(k) > 2 else None, p),
        "typename": lambda k, p: word(k[0]),
        "settings": lambda k, p: tuple(k),
        "element": _element,
        "label": _label,
        "index": lambda k, p: k[0],
        "bindings": lambda k, p: tuple(k),
        "binding": lambda k, p: s.Binding(k[0], k[1], p),
        "field": lambda k, p: word(k[0]),
        "given_value": lambda k, p: s.GivenValue(_referred(k[:1], k[0][1].span), k[1], p),
        "given_law": lambda k, p: s.GivenLaw(word(k[0]), tuple(map(word, k[1:-1])), k[-1], p),
        "initial": lambda k, p: s.Initial(k[0], k[1], p),
        "chain": chain,
        "op": lambda k, p: k[0],
        "negative": sign,
        "positive": group,
        "named": lambda k, p: (k[0] if len(k) > 1 else (), word(k[-1]), ()),
        "part": lambda k, p: (k[0][0], k[0][1], (*k[0][2], k[1])),
        "qualifier": lambda k, p: (*k[0], word(k[1])) if len(k) > 1 else (word(k[0]),),
        "reference": _referred,
        "target": target,
        "quantity": _measure,
        "primed": lambda k, p: s.Prime(*primed(k[0]), p),
        "number": lambda k, p: s.Number(k[0].text, k[0].type == "INT", p),
        "unknown": lambda k, p: s.Unknown(k[0].text[1:], None, p),
        "unknown_call": lambda k, p: s.Unknown(k[0].text[1:], k[1], p),
        "vector": lambda k, p: s.Vector((k[0], k[1], k[2]), p),
        "local": _local,
        "call": called,
        "body": lambda k, p: s.Record("body", k[0], (), p),
        "force": lambda k, p: s.Record("force", k[0], (), p),
        "torque": lambda k, p: s.Record("torque", k[0], (), p),
        "link": _link,
        "group": group,
        "arguments": lambda k, p: tuple(k),
        "parameters": lambda k, p: tuple(map(word, k)),
        "record": lambda k, p: tuple(k),
    }
