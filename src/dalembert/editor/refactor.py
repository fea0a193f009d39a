"""Outline, renaming, signatures and quick fixes of a text that was analysed. No protocol here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from dalembert.editor.analysis import Analysis, analyse
from dalembert.lsd import library
from dalembert.lsd import syntax as s
from dalembert.lsd.check_calls import parameters_of, signature
from dalembert.lsd.remarks import Remarks
from dalembert.lsd.scope import Bound, DefinitionBody
from dalembert.lsd.source import Diagnostic, Source, Span
from dalembert.lsd.types import Type
from dalembert.lsd.write_scalars import word as written


@dataclass(frozen=True, slots=True)
class Outlined:
    """A name that a declaration gives: what it is, where the declaration stands and where the name."""

    name: str
    kind: str
    span: Span
    name_span: Span
    inside: tuple[Outlined, ...] = ()


def outline(analysis: Analysis) -> tuple[Outlined, ...]:
    """The declarations of a document that give a name, those of packages, loops and conditions inside them."""
    return tuple(_outlined(analysis.checked.program.declarations))


def _outlined(items: tuple[s.Declaration, ...]) -> Iterator[Outlined]:
    for item in items:
        if isinstance(item, s.Let):
            for one in item.bindings:
                kind = one.value.kind if isinstance(one.value, s.Record) else "variable"
                yield Outlined(one.word.text, kind, one.span, one.word.span)
        elif isinstance(item, s.Definition):
            yield Outlined(item.word.text, "definition", item.span, item.word.span)
        elif isinstance(item, s.Package | s.Machine | s.Loop):
            kind = type(item).__name__.lower()
            yield Outlined(item.word.text, kind, item.span, item.word.span, tuple(_outlined(item.declarations)))
        elif isinstance(item, s.Branch):
            yield from _outlined((*item.declarations, *item.otherwise))
        elif isinstance(label := getattr(item, "name", None), s.Label):
            yield Outlined(label.text, type(item).__name__.lower(), item.span, label.span)


def rename(analysis: Analysis, offset: int, new: str) -> tuple[Span, ...] | None:
    """The places where the name under the cursor stands, to be written anew; None where that would break the text."""
    _, spans = named_at(analysis, offset)
    if not spans or not re.fullmatch(r"[_A-Za-z][_A-Za-z0-9]*", new):
        return None
    text = analysis.source.text
    for start, end in reversed(spans):
        text = text[:start] + written(new) + text[end:]
    again = analyse(text, analysis.source.name, analysis.source.folder)
    same = _faults(again) == _faults(analysis) and named_at(again, spans[0][0])[0] == new
    old = analysis.source.text[slice(*spans[0])].strip("`")
    return spans if same and _asked(analysis) == {old if x == new else x for x in _asked(again)} else None


def _asked(analysis: Analysis) -> set[str]:
    """Constants and unknown functions of the machine: a word that every program knows is none, until renamed."""
    return {*analysis.checked.context.free, *analysis.checked.context.functions}


def _faults(analysis: Analysis) -> int:
    return sum(one.severity == "error" for one in analysis.diagnostics)


def named_at(analysis: Analysis, offset: int) -> tuple[str, tuple[Span, ...]]:
    """The name under the cursor and every place of this document that means the same."""
    words = list(_words(analysis.checked.program.declarations))
    here = next(((name, span) for name, span in words if span[0] <= offset <= span[1]), None)
    if here is None:
        return "", ()
    owners: dict[int, Bound] = {}
    for fact in analysis.checked.facts:
        if fact.target is not None and fact.source is analysis.source:
            owners.setdefault(fact.span[0], fact.target)
    mine = owners.get(here[1][0])
    if mine is not None and mine.source is not analysis.source:
        return here[0], ()  # of a library or of another file
    same = {span for name, span in words if name == here[0] and owners.get(span[0]) in (mine, None)}
    return here[0], tuple(sorted(same))


def _words(node: Any) -> Iterator[tuple[str, Span]]:
    """Heads of names and what declarations give names to, in one walk of the syntax."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack += one
        elif isinstance(one, s.Label):
            yield one.text, (one.span[0], one.span[0] + len(written(one.text)))
            stack += one.indices
        elif is_dataclass(one) and not isinstance(one, s.Word | Source):
            if isinstance(one, _HEADED):
                yield one.word.text, one.word.span
            held = {field.name: getattr(one, field.name) for field in fields(one)}
            if isinstance(one, s.Record):
                stack += (field.value for field in one.fields)
                yield from ((x.text, x.span) for x in one.parameters)
                continue
            if isinstance(one, s.Instance):
                stack += (*one.positional, *one.arguments)
                continue
            stack += (x for name, x in held.items() if name not in ("span", "word"))


_HEADED = (
    *(s.Name, s.Select, s.Path, s.Prime, s.Call, s.Instance, s.Binding),
    *(s.Definition, s.Typed, s.Package, s.Machine, s.Loop),
)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a definition is called, and which of its parameters is being written."""

    text: str
    parameters: tuple[str, ...]
    active: int
    said: str = ""


def signature_at(analysis: Analysis, offset: int) -> Signature | None:
    """The definition whose arguments are being written."""
    text, level, commas = analysis.source.text, 0, 0
    for k in range(offset - 1, max(-1, offset - 2000), -1):
        c = text[k]
        if c in ")]":
            level += 1
        elif c == "[" or (c == "(" and level):
            level -= 1
        elif c == "," and not level:
            commas += 1
        elif c == ";":
            return None
        elif c == "(":
            found = re.search(r"([A-Za-z_]\w*)\s*$", text[:k])
            bound = analysis.checked.scope.find(found[1]) if found else None
            if bound is None or bound.type is not Type.DEFINITION or not isinstance(bound.extra, DefinitionBody):
                return None
            said = Remarks(bound.source).of(bound.span) if bound.source is not None else ""
            return Signature(signature(bound), tuple(parameters_of(bound.extra)), commas, said)
    return None


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the text that a hint suggests."""

    title: str
    span: Span
    text: str


def fixes(diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """What a hint says, as a change: another name, a field, a file of the library."""
    hint = diagnostic.hint or ""
    if found := re.fullmatch(r"did you mean `([^`]+)`\?", hint):
        return (Fix(f"write {found[1]}", diagnostic.span, found[1]),)
    if (found := re.search(r'use "([^"]+)" ;$', hint)) and found[1] in library.files():
        return (Fix(f'use "{found[1]}"', (0, 0), f'use "{found[1]}" ;\n'),)
    if found := re.fullmatch(r"(?:a body has frames: )?write `([^`]*[\w\])])`", hint):
        return (Fix(f"write {found[1]}", diagnostic.span, found[1]),)
    if hint == "every declaration ends with `;`":
        return (Fix("end the declaration", (diagnostic.span[1], diagnostic.span[1]), " ;"),)
    return ()
