"""Numbers of a program: `given` values and laws, `start` positions and speeds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.lsd.captured import warn_replaced
from dalembert.lsd.check_program import CheckedProgram
from dalembert.lsd.running import GivenItem, LawItem, Run, StartValue
from dalembert.lsd.scope import similar
from dalembert.lsd.source import Report, Source, Span
from dalembert.lsd.types import Type
from dalembert.mechanism import Mechanism
from dalembert.mechanism.homogeneity import Place, form_of
from dalembert.mechanism.spelled import Spelled

Values = dict[Expr, float]
At = tuple[Source, Span]


class _Told:
    """Where each name has got its number or law: it has one."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.items: dict[str, GivenItem | LawItem | StartValue] = {}

    def once(self, name: str, item: GivenItem | LawItem | StartValue) -> None:
        before, self.items[name] = self.items.get(name), item
        if before is None or before.source is not item.source:
            return  # a program may replace what a file that it uses has given
        span, first = ((x.spans[0] if isinstance(x, StartValue) else x.span) for x in (item, before))
        if item.listed == before.listed and span != first:
            message = f"{name} has two values in one declaration"
            self.report.add(item.source, span, message, "keep the one that is meant")
        elif span != first:
            warn_replaced(self.report, name, (before.source, first), (item.source, span))


def fill_given(state: Run, checked: CheckedProgram, into: Mechanism, generated: set[str]) -> Values:
    """Put given values and laws in the mechanism; a value may use those given before it."""
    report, values, told = checked.report, Values(), _Told(checked.report)
    known = generated | set(checked.context.functions)
    for name, (kind, _value) in checked.context.free.items():
        known.update([name] if kind is Type.SCALAR else [f"{name}_{s}" for s in ("x", "y", "z", "1", "2", "3")])
        known.add(name)
    for item in state.given:
        if isinstance(item, LawItem):
            if item.name not in known:
                _warn_unused(checked, item.name, item.source, item.span, known)
            told.once(item.name, item)
            into.define(item.name, [x.name for x in item.parameters], item.value)
            continue
        names = _names(item, checked, into)
        if names is None:
            continue
        parts = item.value if isinstance(item.value, tuple) else (item.value,)
        for name, part in zip(names, parts):
            number = _number(part, values, item.source, item.span, checked)
            if number is None:
                break
            told.once(name, item)
            if item.field is None and item.name not in known and name not in known:
                _warn_unused(checked, name, item.source, item.span, known)
            values[ex.symbol(name)] = into.given[name] = _spelled(number, part, values)
    return values if not report.failed else Values()


def _warn_unused(checked: CheckedProgram, name: str, source: Source, span: Span, known: set[str]) -> None:
    hint = similar(name, sorted(known)) or "parameters are the names that the program does not define"
    checked.report.add(source, span, f"nothing in the mechanism depends on {name}", hint, "warning")


def _names(item: GivenItem, checked: CheckedProgram, into: Mechanism) -> list[str] | None:
    """The symbols that a given item sets."""
    if item.field is None:
        return [item.name] if not isinstance(item.value, tuple) else [f"{item.name}_{c}" for c in "xyz"]
    body: Any = into.bodies.get(str(item.body.name)) if item.body is not None else None
    if body is None:
        checked.report.add(item.source, item.span, f"{item.name} is not part of the mechanism")
        return None
    symbols = [body.mass] if item.field == "mass" else [body.inertia.xx, body.inertia.yy, body.inertia.zz]
    if any(x.op != "symbol" for x in symbols):
        message = f"{item.field} of {item.name} is written in the program, so it cannot be given"
        checked.report.add(item.source, item.span, message, "drop the field from the body to leave it generic")
        return None
    return [x.name for x in symbols]


def fill_start(state: Run, checked: CheckedProgram, into: Mechanism, values: Values) -> None:
    """Put the initial state in the mechanism, by coordinate and speed names."""
    told = _Told(checked.report)
    for item in state.start:
        name = _state_name(item, checked, into)
        if name is None:
            continue
        told.once(name, item)
        number = _number(item.value, values, item.source, item.spans[2], checked)
        if number is not None:
            into.start[name] = _spelled(number, item.value, values)


def told_numbers(state: Run, checked: CheckedProgram, into: Mechanism) -> tuple[list[Place], dict[tuple[str, str], At]]:
    """What `given` and `start` say of dimensions, and where."""
    told: list[Place] = []
    places: dict[tuple[str, str], At] = {}
    for item in state.given:
        if isinstance(item, LawItem):
            into.define(item.name, [x.name for x in item.parameters], item.value)
            places["law", item.name] = item.source, item.span
            continue
        parts = item.value if isinstance(item.value, tuple) else (item.value,)
        for name, part in zip(_names(item, checked, into) or (), parts):
            told.append(Place("given", name, f"value of {name}", part, form_of(name)))
            places["given", name] = item.source, item.span
    for start in state.start:
        named = _state_name(start, checked, into)
        if named is not None:
            told.append(Place("start", named, f"start of {named}", start.value, form_of(named)))
            places["start", named] = start.source, start.spans[2]
    return told, places


def _spelled(number: float, value: Expr, values: Values) -> float:
    """The number with its formula, where it is more than a number that was written out."""
    if value.is_number:
        return Spelled(number, value) if isinstance(value.value, Fraction) else number
    used = {x: values[x] for x in ex.free_symbols([value])}
    # a decimal is the rational that it spells: as a float it would be folded into the formula
    formulas = {x: v.formula if isinstance(v, Spelled) else Fraction(repr(v)) for x, v in used.items()}
    return Spelled(number, ex.substitute([value], formulas)[0])


def _state_name(item: StartValue, checked: CheckedProgram, into: Mechanism) -> str | None:
    link = into.links.get(item.link)
    if link is None:
        hint = similar(item.link, list(into.links)) or "a join is named with `as`, else after its second body"
        checked.report.add(item.source, item.spans[0], f"there is no link {item.link}", hint)
        return None
    local = item.parameter + "'" * item.order
    speeds = [x for names in link.joint.speed_names_by_step() for x in names]
    if local in link.joint.parameters or local in speeds:
        return link.coordinate_name(local)
    known = [*link.joint.parameters, *speeds]
    hint = similar(local, known) or f"it has {', '.join(known) or 'none'}"
    checked.report.add(item.source, item.spans[1], f"link {item.link} has no coordinate or speed {local}", hint)
    return None


def _number(value: Expr, values: Values, source: Source, span: Span, checked: CheckedProgram) -> float | None:
    if value.is_number:
        found = value.value
        return found if isinstance(found, int | float) else float(found)
    symbols = ex.free_symbols([value])
    missing = sorted(x.name for x in symbols if x not in values)
    if missing or ex.unknown_functions([value]):
        what = missing[0] if missing else "an unknown function"
        checked.report.add(source, span, f"this is not a number: {what} has no value here", "give it a value first")
        return None
    try:
        number = float(ex.evaluate([value], {x: values[x] for x in symbols})[0])
    except (ExpressionError, ArithmeticError, ValueError, TypeError) as error:
        checked.report.add(source, span, f"this is not a number: {error}")
        return None
    if number - number != 0:
        checked.report.add(source, span, "this is not a finite number")
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
