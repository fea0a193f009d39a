"""What an editor asks about a text: diagnostics, hover, completion, definition. No protocol here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dalembert import lsd
from dalembert.errors import DalembertError, LsdError
from dalembert.lsd import library
from dalembert.lsd.check_calls import MEANINGS, signature
from dalembert.lsd.check_program import CheckedProgram
from dalembert.lsd.checking import Fact
from dalembert.lsd.remarks import Remarks
from dalembert.lsd.scope import Bound
from dalembert.lsd.source import Diagnostic, Source
from dalembert.lsd.types import FIELDS, TYPE_NAMES, Type, readable, writable
from dalembert.model import Mechanism

WORDS = {
    "let": "let a = e and b = f ;  names objects; let f(x : type) = e ;  defines a parametrised object",
    "join": "join FRAME and FRAME with LINK [as name] ;  the link carries the first frame to the second",
    "apply": "apply FORCE on FRAME ;  apply TORQUE on BODY ;",
    "spring": "spring FRAME and FRAME with stiffness = k, damping = c, length = l0, force = F [as name] ;",
    "torsion": "torsion FRAME and FRAME with axis = [0,0,1], stiffness = k, angle = a, torque = T [as name] ;",
    "bushing": "bushing FRAME and FRAME with stiffness = k, damping = c, turning = kr [as name] ;",
    "constrain": "constrain e = f, ... [by coordinate, d(...), torque on BODY about n, coulomb(mu, slip)] [as name] ;",
    "drive": "drive elbow.th = law [by ...] [as name] ;  a motor imposes a law",
    "roll": "roll wheel on FRAME with radius = r [as name] ;  about its y axis, on the x, y plane; radii = [a, b, c]",
    "gear": "gear a.th and b.th with ratio = n [as name] ;  a.th = -n b.th",
    "rope": "rope FRAME, FRAME, ... with length = l [as name] ;",
    "package": "package P = definitions end ;  P:x; package leg(hip : frame) = declarations end ;  a machine",
    "for": "for i in 1..n do declarations end ;  with b[i] for one of many",
    "if": "if i > 1 then declarations else declarations end ;  compares constants",
    "given": "given m = 2, f(x, v) = -k*x ;  numbers for parameters, laws for unknown functions",
    "start": "start elbow.th = 0.3, elbow.th' = 0 ;  the initial state",
    "output": "output tip_speed = norm(vel(tip)) ;  a formula that motions and tables tell by name",
    "gravity": "gravity [0, 0, -9.81] ;  in the base of earth",
    "use": 'use "joints.lsd" ;  declarations of another file or of the standard library',
    "body": "body mass = ..., iframe = ..., inertia = ... end",
    "link": "link(x, y) dof1 = ..., torque1 = ... end",
    "force": "force value = ..., body = ... end",
    "torque": "torque value = ..., body = ... end",
    "local": "local a = e in f end",
    "as": "join ... as name ;  the name of a link",
    "contact": "contact gap >= 0 | sphere(b, r) and plane(f) [restitution e] [friction mu] [as name] ;",
    "limit": "limit elbow.th in [a, b] [restitution e] [as name] ;  stops of a coordinate",
    "rub": "rub elbow.th' friction f [static s] [as name] ;  dry friction of a given bound, which sticks",
    "by": "constrain ... by ...  what acts so that the condition holds; perfect without it",
    "and": "separates the definitions of a let, and the frames of a join",
    "with": "join ... and ... with LINK",
    "on": "apply ... on ...",
    "end": "closes body, link, force, torque, local, package, for, if",
    "in": "local ... in ... end, for i in 1..n do ... end",
    "do": "for i in 1..n do ... end",
    "then": "if i > 1 then ... end",
    "else": "if i > 1 then ... else ... end",
}


@dataclass(frozen=True, slots=True)
class Completion:
    label: str
    kind: str
    detail: str


@dataclass(slots=True)
class Analysis:
    """One version of a document, checked as far as it can be."""

    source: Source
    checked: CheckedProgram
    diagnostics: tuple[Diagnostic, ...]
    mechanism: Mechanism | None = None  # where the program has no fault

    def fact_at(self, offset: int) -> Fact | None:
        """The smallest fact that covers a place of this document."""
        own = (f for f in self.checked.facts if f.source is self.source)
        inside = [f for f in own if f.span[0] <= offset <= f.span[1]]
        return min(inside, key=lambda f: f.span[1] - f.span[0], default=None)


def analyse(text: str, name: str = "<text>", folder: Path | None = None) -> Analysis:
    """Check a text and, when its types are right, its mechanism as well."""
    source = Source(text, name, folder)
    checked, made = lsd.check(source, facts=True), None
    if not checked.report.failed:
        try:
            into = Mechanism(Path(name).stem)
            lsd.elaborate(checked, into)
            made = into
        except LsdError:
            pass  # its diagnostics are in the report
        except DalembertError as error:
            checked.report.add(source, (0, 1), str(error))
    return Analysis(source, checked, tuple(d for d in checked.diagnostics if d.source.name == name), made)


def hover(analysis: Analysis, offset: int) -> str | None:
    """Type and meaning of what is under the cursor, its value, and the comment before its definition."""
    word = word_at(analysis.source.text, offset)
    fact = analysis.fact_at(offset)
    if fact is not None:
        from dalembert.editor.told import value_told

        target = fact.target
        said = Remarks(target.source).of(target.span) if target is not None and target.source is not None else ""
        said = said or _said_of(analysis, "link", fact.text.partition(".")[0])  # a coordinate, of its link
        value = value_told(analysis, analysis.source.text[slice(*fact.span)], target)
        return fact.text + (f"\n{value}" if value else "") + (f"\n(* {said} *)" if said else "")
    return _declared(analysis, word) or WORDS.get(word) or MEANINGS.get(word)


def _declared(analysis: Analysis, name: str) -> str:
    """What a link, an output, an effort... is: names of the machine that its formulas do not use by themselves."""
    made = analysis.mechanism
    if made is None or not name:
        return ""
    called = [x for x in analysis.checked.places if x[0] in _NAMED and _own_name(x[1]) == name]
    if not called:
        return ""
    kind, first = called[0]
    told = "told by motions"
    if kind == "link":
        told = f"coordinates {', '.join(x for _, y in called for x in made.links[y].coordinates) or 'none'}"
    elif kind != "output" or first != name:
        told = ", ".join(x for _, x in called)
    said = _said_of(analysis, kind, first)
    return f"{name} : {kind}" + (f" - {told}" if told != name else "") + (f"\n(* {said} *)" if said else "")


#: What the machine knows by a name that is none of its formulas.
_NAMED = frozenset(("link", "output", "effort", "constraint", "contact"))


def _own_name(name: str) -> str:
    """`left.rod[2]` is declared as `rod`."""
    return name.rpartition(".")[2].partition("[")[0]


def _said_of(analysis: Analysis, kind: str, name: str) -> str:
    """The comment above or beside a declaration of the machine."""
    place = analysis.checked.places.get((kind, name))
    return Remarks(place[0]).of(place[1]) if place is not None else ""


def definition(analysis: Analysis, offset: int) -> tuple[Source, tuple[int, int]] | None:
    """Where the name under the cursor is defined."""
    fact = analysis.fact_at(offset)
    if fact is None or fact.target is None or fact.target.source is None:
        return None
    return fact.target.source, fact.target.span


def word_at(text: str, offset: int) -> str:
    start = end = max(0, min(offset, len(text)))
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[start:end]


_SELECTION = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*\.\s*[A-Za-z_0-9]*$")
_MEMBER = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*:\s*[A-Za-z_0-9]*$")
_USE = re.compile(r'use\s+"[^"]*$')
_RECORD = re.compile(r"\b(body|link|force|torque|end)\b")


def completions(analysis: Analysis, offset: int) -> list[Completion]:
    """Names that make sense at a place: fields after a dot, members after a colon, else names in sight."""
    before = analysis.source.text[:offset]
    scope = analysis.checked.scope
    if _USE.search(before):
        return [Completion(name, "file", "standard library") for name in sorted(library.files())]
    selection = _SELECTION.search(before)
    if selection:
        found = scope.find(selection[1])
        kind = found.type if found else Type.FRAME if selection[1] == "earth" else None
        fields = readable(kind) if kind else []
        return [Completion(f, "field", FIELDS[kind][f].meaning) for f in fields]  # type: ignore[index]
    member = _MEMBER.search(before)
    if member:
        found = scope.find(member[1])
        if found is not None and found.type is Type.PACKAGE:
            return [_bound(b) for b in found.extra.values()]
        return [Completion(t, "type", "type of a parameter") for t in TYPE_NAMES]
    items = [_bound(b) for b in scope.all()]
    inside = _open_record(before)
    if inside:
        kind = Type(inside)
        items = [Completion(f, "field", FIELDS[kind][f].meaning) for f in writable(kind)] + items
    items += [Completion("earth", "variable", "the fixed frame"), Completion("pi", "variable", "the number pi")]
    items += [Completion(name, "function", text) for name, text in MEANINGS.items()]
    items += [Completion(name, "keyword", text) for name, text in WORDS.items()]
    items += [Completion(n, "library", f'use "{file}" ;') for n, file in _library_names() if scope.find(n) is None]
    return items


def _open_record(before: str) -> str | None:
    """The record whose fields are being written, found from the last words."""
    depth = 0
    for found in reversed(list(_RECORD.finditer(before))):
        if found[1] == "end":
            depth += 1
        elif depth:
            depth -= 1
        else:
            return found[1]
    return None


def _bound(bound: Bound) -> Completion:
    if bound.type is Type.DEFINITION:
        return Completion(bound.name, "function", signature(bound))
    return Completion(bound.name, "variable", str(bound.type))


def _library_names() -> list[tuple[str, str]]:
    pattern = re.compile(r"^let ([a-z_0-9]+)\(", re.MULTILINE)
    return [(name, file) for file, text in library.files().items() for name in pattern.findall(text)]
