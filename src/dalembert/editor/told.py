"""What a program says of itself while it is written: values of names, freedoms, and the equation of every joint."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dalembert import expr as ex
from dalembert import limits
from dalembert.editor.analysis import Analysis
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.lsd.check_program import evaluate
from dalembert.lsd.scope import Bound, Scope
from dalembert.lsd.source import Report, Span
from dalembert.lsd.types import Type
from dalembert.lsd.values import BodyValue, FrameValue
from dalembert.mechanism import Displacement
from dalembert.model import Mechanism

#: Seconds in which a lens is made, and freedoms of a machine whose equations a person reads in one line each.
_SECONDS, _FREEDOMS = 3.0, 6
#: Letters of a line above the text.
_WIDE = 160
_LARGEST = 10**9  # faults that nobody hears: those of the program were told


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a declaration."""

    span: Span
    title: str


def value_told(analysis: Analysis, name: str, bound: Bound | None) -> str:
    """The value of a name, as a formula and as a number where it has one; nothing where it has none."""
    made = analysis.mechanism
    given = {} if made is None else _numbers(made.given)
    if bound is None:
        known = {} if made is None else {**made.given, **made.start}
        return f"= {_number(known[name])}" if name in known else ""
    if analysis.checked.report.failed or not _has_one_value(analysis.checked.scope, bound):
        return ""
    trial = replace(analysis.checked, report=Report(limit=_LARGEST), places={})
    try:
        return _text(evaluate(trial).env.get(bound.stamp), given)
    except DalembertError:
        return ""


def _has_one_value(scope: Scope, bound: Bound) -> bool:
    """Whether the program itself or a package defines a name: in machines, definitions and loops it has many values."""
    held = list(scope.names.values())
    while held:
        one = held.pop()
        if one is bound:
            return True
        if one.type is Type.PACKAGE:
            held += one.extra.values()
    return False


def _numbers(given: Mapping[str, Any]) -> dict[Expr, float]:
    return {ex.symbol(x): float(v) for x, v in given.items() if isinstance(v, int | float)}


def _number(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def _scalar(e: Expr, given: Mapping[Expr, float]) -> str:
    text = ex.text(e)
    if e.is_number or not ex.free_symbols([e]) <= given.keys():
        return text
    return f"{text} = {float(ex.evaluate([e], dict(given))[0]):.6g}"


def _text(value: Any, given: Mapping[Expr, float]) -> str:
    if isinstance(value, Expr):
        return f"= {_scalar(value, given)}"
    if isinstance(value, BodyValue):
        parts = [] if value.mass is None else [f"mass = {_scalar(value.mass, given)}"]
        parts += [] if value.iframe is None else [f"centre = {_row(value.iframe.translation)}"]
        flat = isinstance(value.inertia, tuple) and all(isinstance(x, Expr) for x in value.inertia)
        parts += [f"inertia = {_row(value.inertia)}"] if flat else []
        return ", ".join(parts)
    if isinstance(value, FrameValue):
        return f"at {_row(value.displacement.translation)} on {value.body.name}"
    if isinstance(value, Displacement):
        return f"= {_row(value.translation)}" + (" and a rotation" if value.turns else "")
    if isinstance(value, tuple) and len(value) == 3 and all(isinstance(x, Expr) for x in value):
        return f"= {_row(value)}"
    return ""


def _row(values: Any) -> str:
    return f"[{', '.join(ex.text(x) for x in values)}]"


def lenses(analysis: Analysis) -> tuple[Lens, ...]:
    """Freedoms of the machine above the program, and above every join of a small machine the equation of its joint."""
    made, program = analysis.mechanism, analysis.checked.program
    if made is None or not made.links or not program.declarations:
        return ()
    found: list[Lens] = []
    try:
        with limits.working("the lens", seconds=_SECONDS, show=False), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # open contacts: a lens is read, not computed with
            found.append(Lens(program.declarations[0].span, _freedoms(made)))
            found.extend(_equations(analysis, made))
    except DalembertError as error:  # freedoms are told though the equations need longer
        told = _short(str(error).partition("\n")[0])
        return tuple(found) or (Lens(program.declarations[0].span, told),)
    return tuple(found)


def _freedoms(made: Mechanism) -> str:
    layout = made.layout()
    bodies = len(layout.bodies) - 1
    parts = [_count(bodies, "body", "bodies"), _count(len(made.links), "link"), _count(len(layout.cuts), "closed loop")]
    parts += [_count(len(layout.further), "condition")] if layout.further else []
    judged = f"{_count(layout.dof, 'degree')} of freedom"
    if layout.constraints:
        judged = str(made.mobility()).partition("\n")[0].partition(": ")[2]
    return f"{judged}; {', '.join(x for x in parts if not x.startswith('0 '))}"


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _equations(analysis: Analysis, made: Mechanism) -> list[Lens]:
    layout = made.layout()
    if not 0 < layout.dof <= _FREEDOMS:
        return []
    lines = {one.label: one.text for one in made.equations("kane").show("scalar").lines}
    found = []
    for link in made.links.values():
        place = analysis.checked.places.get(("link", link.name))
        if place is None or place[0] is not analysis.source:
            continue
        found += [Lens(place[1], _short(lines[x])) for x in link.speeds if x in lines]
    return found


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."
