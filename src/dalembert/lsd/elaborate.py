"""Checked program -> Mechanism: number the bodies, name the unknowns, fill the builder (spec 1.7, 1.9, 2.1)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr import Expr, decimals_as_spelled, uncollected
from dalembert.expr.space import ZERO3, Vector3
from dalembert.lsd.check_program import CheckedProgram, check_program, evaluate
from dalembert.lsd.checking import generic_turns
from dalembert.lsd.initial import fill_given, fill_start, told_numbers
from dalembert.lsd.lexer import tokens
from dalembert.lsd.name_places import PlaceNames
from dalembert.lsd.numbering import Numbering
from dalembert.lsd.remarks import Remarks
from dalembert.lsd.running import AppliedValue, BetweenValue, ConstraintValue, ContactValue, JoinValue, Run
from dalembert.lsd.source import Report, Source, Span, TooManyErrors
from dalembert.lsd.syntax import Program
from dalembert.lsd.values import EARTH, BodyValue, FrameValue, LinkValue
from dalembert.mechanism import (
    Body,
    BodyShape,
    Constraint,
    Contact,
    Coulomb,
    Displacement,
    Effort,
    Force,
    Frame,
    Inertia,
    Joint,
    Link,
    Mechanism,
    Step,
    Torque,
)
from dalembert.mechanism.check import problems
from dalembert.mechanism.contrivances import VERBS
from dalembert.mechanism.homogeneity import unlike
from dalembert.mechanism.names import free_name
from dalembert.mechanism.numbers import impossible_bodies, impossible_contacts
from dalembert.mechanism.shapes import SHAPE_KINDS
from dalembert.mechanism.sliding import rub

IFRAME = "iframe"
LARGEST = 10**9
"""Faults that a second reading may collect unheard: the first one told them."""
Place = tuple[Source, Span]


def elaborate(program: CheckedProgram | Program, into: Mechanism) -> Mechanism:
    """Fill a mechanism (any object with the builder's verbs) from a program, checked here if it is not yet.

    >>> from dalembert.lsd import check, elaborate
    >>> from dalembert.mechanism import Mechanism
    >>> text = "let rod = body mass = m end ; join earth and rod.frame with link(th) dof = th || [0,0,1] end ;"
    >>> elaborate(check(text), Mechanism()).links["rod"].coordinates
    ('rod.th',)
    """
    checked = program if isinstance(program, CheckedProgram) else check_program(program)
    checked.report.raise_if_failed()
    with uncollected(), suppress(TooManyErrors), decimals_as_spelled():
        state = evaluate(checked)
        if not checked.report.failed:
            _Elaboration(checked, state, into).run()
        if checked.context.measured and not checked.report.failed:
            _compare_units(checked)
    checked.report.raise_if_failed()
    return into


def _compare_units(checked: CheckedProgram) -> None:
    """Read the program once more with its units in the formulas, and tell where unlike things meet."""
    trial = replace(checked, report=Report(limit=LARGEST), places={})
    state, scratch = evaluate(trial, dimensional=True), Mechanism()
    builder = _Elaboration(trial, state, scratch)
    builder.build()
    told, places = told_numbers(state, trial, scratch)
    seen = set()  # a part that is built many times has each of its faults once
    for problem in unlike(scratch.freeze(), told):
        at = places.get((problem.kind, problem.name)) or trial.places.get((problem.kind, problem.name))
        source, span = at or (checked.program.source, (0, 0))
        if at is None or (source.name, span) not in seen:
            checked.report.add(source, span, problem.message, _bare_numbers(source, span))
        seen.add((source.name, span))


def _bare_numbers(source: Source, span: Span) -> str:
    """What to do about unlike dimensions: the factors of the place that have no unit are the usual cause."""
    read = tokens(Source(source.text[span[0] : span[1]], source.name), Report())
    beside = zip(["", *(x.text for x in read)], read, [*(x.text for x in read[1:]), ""], strict=False)
    numbers = (x.text for a, x, b in beside if x.type in ("INT", "FLOAT") and not {a, b}.isdisjoint("*/"))
    bare = dict.fromkeys(f"`{x}`" for x in numbers if x not in ("0", "1"))
    if not bare:
        return "check the units, and give its numbers theirs"
    return f"a factor without a unit is a pure number: check {', '.join(bare)}"


class _Elaboration:
    def __init__(self, checked: CheckedProgram, state: Run, into: Mechanism) -> None:
        self.checked, self.state, self.into = checked, state, into
        self.report = checked.report
        self.joints: dict[int, Joint] = {}
        self.places = checked.places
        self.places.update({("symbol", x): place for x, place in state.quantities.items()})

    def run(self) -> None:
        if not self.build():
            return
        generated = self.unknowns.taken | self.names.generic
        values = fill_given(self.state, self.checked, self.into, generated)
        fill_start(self.state, self.checked, self.into, values)
        if not self.report.failed:
            self._look_through()
            self._remark()

    def build(self) -> bool:
        """Fill the builder with all but numbers; whether that could be done."""
        bodies = self._bodies()
        self.names = names = PlaceNames(self.state, bodies)
        self.unknowns = names.unknowns
        if not self._connected(names.numbering, bodies):
            return False
        names.name_all({str(b.name): b for b in bodies})
        for body in bodies:
            self._guard(body.named_at or body.place, lambda body=body: self._add_body(body))  # type: ignore[misc]
        for frame in self.state.frames:
            if frame.body is EARTH or str(frame.body.name) in self.into.bodies:
                self._guard(frame.place, lambda frame=frame: self._add_frame(frame))  # type: ignore[misc]
        broken = {id(body) for body in bodies if str(body.name) not in self.into.bodies}
        for k, join in enumerate(self.state.joins):
            if broken.isdisjoint((id(join.first.body), id(join.second.body))):
                self._guard((join.source, join.span), lambda k=k, join=join: self._add_join(k, join))  # type: ignore[misc]
        if broken:  # what stands on these bodies would only repeat their faults
            return False
        for applied in self.state.applied:
            self._guard((applied.source, applied.span), lambda a=applied: self._add_effort(a))  # type: ignore[misc]
        for one in self.state.constraints:
            self._guard((one.source, one.span), lambda c=one: self._add_constraint(c))  # type: ignore[misc]
        for contact in self.state.contacts:
            self._guard((contact.source, contact.span), lambda c=contact: self._add_contact(c))  # type: ignore[misc]
        for output in self.state.outputs:
            self.places["output", output.name] = output.source, output.span
            if output.name in self.into.outputs:
                self.report.add(output.source, output.span, f"the output {output.name} is declared twice")
            self.into.outputs[output.name] = self._argument(output.value)
        if self.state.gravity is not None:
            self.into.gravity = self._vector(self.state.gravity)
            if self.state.gravity_place is not None:
                self.places["gravity", ""] = self.state.gravity_place
        return True

    def _remark(self) -> None:
        """Keep what comments say of the parts; one that builds many says it of each."""
        texts: dict[str, Remarks] = {}
        for part, (source, span) in self.places.items():
            if source.is_library:
                continue
            if source.name not in texts:
                texts[source.name] = Remarks(source)
            said = texts[source.name].of(span, title=False)
            if said:
                self.into.remarks[part] = said

    def _look_through(self) -> None:
        """Faults that only the whole mechanism shows, each at the place of what has it."""
        model = self.into.freeze()
        found = [(problem.kind, problem.name, problem.message) for problem in problems(model)]
        found += [("body", name, message) for name, message in impossible_bodies(model, model.given)]
        found += [("contact", name, message) for name, message in impossible_contacts(model, model.given)]
        for kind, name, message in found:
            source, span = self.places.get((kind, name)) or (self.checked.program.source, (0, 0))
            self.report.add(source, span, message.rstrip("."))

    def _guard(self, place: Place | None, build: Callable[[], Any]) -> None:
        """Faults of the mechanism layer become errors at the place of the declaration."""
        try:
            made = build()
            if place is not None and made is not None:
                self.places[_KIND.get(type(made), "effort"), made.name] = place
            if place is not None and isinstance(made, Constraint):  # one declaration may make several
                for one in self.into.constraints:
                    self.places.setdefault(("constraint", one.name), place)
            if place is not None and isinstance(made, Contact):
                for contact in self.into.contacts:
                    self.places.setdefault(("contact", contact.name), place)
        except (DalembertError, ArithmeticError, ValueError) as error:
            source, span = place or (self.checked.program.source, (0, 0))
            self.report.add(source, span, str(error).rstrip("."))

    def _bodies(self) -> list[BodyValue]:
        """Bodies that a join or an effort uses, in the order they were made, each with its own name."""
        used = {id(EARTH)}
        for join in self.state.joins:
            used.update((id(join.first.body), id(join.second.body)))
        for applied in self.state.applied:
            if isinstance(applied, BetweenValue):
                used.update((id(applied.first.body), id(applied.second.body)))
                continue
            target = applied.target.body if isinstance(applied.target, FrameValue) else applied.target
            used.add(id(target))
            if applied.effort.base is not None:
                used.add(id(applied.effort.base))
        bodies = [b for b in self.state.bodies if id(b) in used and b is not EARTH]
        self._warn_idle([b for b in self.state.bodies if id(b) not in used])
        for rank, body in enumerate(bodies, 1):
            if body.name is None:
                body.name = free_name("body", self.state.named, first=f"body_{rank}")
                self.state.named[body.name] = ("body", None)
        return bodies

    def _warn_idle(self, idle: list[BodyValue]) -> None:
        """Bodies that this text names but joins to nothing are forgotten: say so."""
        if not self.state.joins:
            return
        for body in idle:
            if body.name is not None and body.place and body.place[0] is self.checked.program.source:
                self.report.add(*body.place, f"body {body.name} is joined to nothing", "join it or drop it", "warning")

    def _connected(self, numbering: Numbering, bodies: list[BodyValue]) -> bool:
        lost = set(numbering.unreached)
        for body in bodies:
            if body.name in lost:
                source, span = body.place or (self.checked.program.source, (0, 0))
                joined = any(body in (j.first.body, j.second.body) for j in self.state.joins)
                why = "only to bodies that do not reach earth" if joined else "to nothing"
                self.report.add(
                    source,
                    span,
                    f"body {body.name} is not connected to earth: it is joined {why}",
                    "join it, if need be with a free link: link(x,y,z,a,b,c) ... end",
                )
        return not lost

    def _vector(self, value: Vector3, own: dict[Expr, str] | None = None) -> Vector3:
        return Vector3(self.unknowns.resolved(value, own))

    def _displacement(self, value: Displacement, own: dict[Expr, str] | None = None) -> Displacement:
        if not self.unknowns.serial or value.is_identity:
            return value
        old = value.scalars
        new = self.unknowns.resolved(old, own)
        return value.substitute({a: b for a, b in zip(old, new) if a is not b}) if list(old) != new else value

    def _frame(self, value: FrameValue) -> Frame:
        name = IFRAME if value.role == "iframe" and value.name is None else value.name
        return Frame(str(value.body.name), self._displacement(value.displacement), name)

    def _add_body(self, body: BodyValue) -> Body:
        i = self.names.numbers[str(body.name)]
        pair = self.names.numbering.inertia_frame(i)
        if body.mass is not None:
            (mass,) = self.unknowns.resolved([body.mass])
        else:
            (mass,) = self.names.symbols(f"mu_{i}", "")
        if body.iframe is not None:
            iframe = self._displacement(body.iframe)
        else:
            x, y, z = self.names.symbols(f"v{i}T_{i}_{pair}", "xyz")
            iframe = Displacement(Vector3((x, y, z)), generic_turns(self.names.symbols(f"m{i}R_{i}_{pair}", "123")))
        inertia: Any = body.inertia
        if inertia is None:
            inertia = self.names.symbols(f"mIg_{i}", "xyz")
        elif isinstance(inertia[0], tuple):
            inertia = [self.unknowns.resolved(row) for row in inertia]
        else:
            inertia = self.unknowns.resolved(inertia)
        shapes = [self._shape(one) for one in body.shapes]
        if body.doubtful:
            made = Body(str(body.name), mass, iframe, Inertia.of(inertia), tuple(shapes), doubtful=True)
            return self.into.add_body(made)
        return self.into.body(str(body.name), mass, inertia=Inertia.of(inertia), iframe=iframe, shapes=shapes)

    def _shape(self, shape: BodyShape) -> BodyShape:
        sizes = tuple(self.unknowns.resolved(shape.sizes))
        return replace(shape, sizes=sizes, place=self._displacement(shape.place))

    def _add_frame(self, value: FrameValue) -> Frame:
        bare = Frame(str(value.body.name), self._displacement(value.displacement))
        return self.into.frame(str(value.name), bare)

    def _add_join(self, k: int, join: JoinValue) -> Link:
        joint = self._joint(join.link, self.names.own_of(k))
        return self.into.join(self._frame(join.first), self._frame(join.second), joint, name=join.name)

    def _joint(self, link: LinkValue, own: dict[Expr, str]) -> Joint:
        known = self.joints.get(id(link))
        if known is not None:
            return known
        steps = tuple(
            Step(
                self._displacement(step.displacement, own),
                self._vector(step.force, own) if step.force else ZERO3,
                self._vector(step.torque, own) if step.torque else ZERO3,
                "body" if step.body_speeds else "rates",
            )
            for step in link.steps
        )
        order = {name: k for k, name in enumerate(link.parameters)}
        efforts = sorted(link.efforts, key=lambda e: order[e[0]])
        resolved = tuple((name, self.unknowns.resolved([value], own)[0]) for name, value in efforts)
        joint = Joint(link.parameters, steps, resolved)
        if not own:
            self.joints[id(link)] = joint
        return joint

    def _add_effort(self, applied: AppliedValue | BetweenValue) -> Effort:
        if isinstance(applied, BetweenValue):
            return self._add_between(applied)
        effort = applied.effort
        if effort.value is None:
            raise ValueError("this effort has no value")
        value = self._vector(effort.value)
        if effort.kind == "torque":
            base = effort.base or applied.target
            return self.into.apply(Torque(str(applied.target.name), value, str(base.name), applied.name or ""))
        base = effort.base or applied.target.body
        return self.into.apply(Force(self._frame(applied.target), value, str(base.name), applied.name or ""))

    def _add_constraint(self, value: ConstraintValue) -> Constraint:
        """The builder's verb, with frames and formulas of the mechanism."""
        rolls = value.kind == "roll" and all(isinstance(x, tuple) for x in value.arguments)
        arguments = [self._contact_shape(*x) if rolls else self._argument(x) for x in value.arguments]
        words: dict[str, Any] = {} if value.by is None else {"by": self._argument(value.by)}
        if value.name is not None or value.kind == "drive":  # as the builder's own verb names it
            words["name"] = value.name or free_name("drive", self.into.tied)
        if value.kind in VERBS:
            made: Constraint = VERBS[value.kind](self.into, *arguments, **words)
            return made
        return self.into.constrain(*arguments, **words)

    def _add_contact(self, value: ContactValue) -> Contact:
        """The builder's `contact`, `limit` or `rub`, with frames and formulas of the mechanism."""
        laws: dict[str, Any] = {kind: self._argument(x if kind == "slip" else x[0]) for kind, x in value.laws.items()}
        if value.name is not None:
            laws["name"] = value.name
        if value.kind == "limit":
            coordinate, low, high = value.arguments
            return self.into.limit(str(coordinate), self._argument(low), self._argument(high), **laws)[0]
        if value.kind == "rub":
            slips = [self._argument(one) for one in value.arguments]
            return rub(self.into, slips, laws.pop("friction"), **laws)
        if value.kind == "gap":
            return self.into.contact(self._argument(value.arguments[0]), **laws)[0]
        shapes = [self._contact_shape(*one) for one in value.arguments]
        return self.into.contact(*shapes, **laws)[0] if len(shapes) == 2 else self.into.contact(shapes, **laws)[0]

    def _contact_shape(self, kind: str, frame: FrameValue, sizes: list[Any]) -> Any:
        return SHAPE_KINDS[kind](self._frame(frame), *(self._argument(x) for x in sizes))

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Expr):
            return self.unknowns.resolved([value])[0]
        if isinstance(value, FrameValue):
            return self._frame(value)
        if isinstance(value, Coulomb):
            friction, *slip = self.unknowns.resolved([value.friction, *value.slip])
            return Coulomb(friction, tuple(slip))
        if isinstance(value, Vector3):
            return self._vector(value)
        if isinstance(value, list | tuple):
            return [self._argument(x) for x in value]
        return value

    def _add_between(self, value: BetweenValue) -> Effort:
        """The builder's verb of the same kind, with the fields that are written."""
        fields: dict[str, Any] = {
            name: self.unknowns.resolved([x])[0] if isinstance(x, Expr) else self._vector(x)
            for name, x in value.fields.items()
        }
        build: Any = getattr(self.into, _VERBS[value.kind])
        made: Effort = build(self._frame(value.first), self._frame(value.second), name=value.name or "", **fields)
        return made


_KIND: dict[type, str] = {Body: "body", Frame: "frame", Link: "link", Constraint: "constraint", Contact: "contact"}
_VERBS = {"spring": "spring", "torsion": "torsion_spring", "bushing": "bushing"}
