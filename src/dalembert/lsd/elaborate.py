"""Checked program -> Mechanism: number the bodies, name the unknowns, fill the builder (spec 1.7, 1.9, 2.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dalembert import expr as ex
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.expr.space import ZERO3, Vector3
from dalembert.lsd._memory import collector_paused
from dalembert.lsd.check_program import CheckedProgram, evaluate
from dalembert.lsd.checking import generic_turns
from dalembert.lsd.initial import fill_given, fill_start
from dalembert.lsd.numbering import Numbering, number
from dalembert.lsd.places import Unknowns, lowered
from dalembert.lsd.running import AppliedValue, JoinValue, Run
from dalembert.lsd.source import Source, Span, TooManyErrors
from dalembert.lsd.values import EARTH, BodyValue, FrameValue, LinkValue
from dalembert.mechanism import Displacement, Force, Frame, Inertia, Joint, Mechanism, Step, Torque

IFRAME = "iframe"


def elaborate(checked: CheckedProgram, into: Mechanism) -> Mechanism:
    """Fill a mechanism (any object with the builder's verbs) from a checked program.

    >>> from dalembert.lsd import check, elaborate
    >>> from dalembert.mechanism import Mechanism
    >>> text = "let rod = body mass = m end ; join earth and rod.frame with link(th) dof = th || [0,0,1] end ;"
    >>> elaborate(check(text), Mechanism()).links["rod"].coordinates
    ('rod.th',)
    """
    checked.report.raise_if_failed()
    with collector_paused(), suppress(TooManyErrors):
        state = evaluate(checked)
        if not checked.report.failed:
            _Elaboration(checked, state, into).run()
    checked.report.raise_if_failed()
    return into


class _Elaboration:
    def __init__(self, checked: CheckedProgram, state: Run, into: Mechanism) -> None:
        self.checked, self.state, self.into = checked, state, into
        self.report = checked.report
        self.unknowns = Unknowns(state.unknowns)
        self.joints: dict[int, Joint] = {}
        self.own: dict[int, dict[Expr, str]] = {}
        self.generic: set[str] = set()
        self.numbers: dict[str, int] = {}

    def run(self) -> None:
        bodies = self._bodies()
        joins = [(str(j.first.body.name), str(j.second.body.name)) for j in self.state.joins]
        frames = [f for f in self.state.frames if f.body in bodies or f.body is EARTH]
        others = Counter(str(a.target.body.name) for a in self.state.applied if _is_other(a))
        numbering = number([str(b.name) for b in bodies], joins, max(others.values(), default=0))
        if not self._connected(numbering, bodies):
            return
        self._name_places(numbering, {str(b.name): b for b in bodies})
        for body in bodies:
            self._guard(body.place, lambda body=body: self._add_body(body, numbering))  # type: ignore[misc]
        for frame in frames:
            place = frame.body.place or (self.checked.program.source, (0, 0))
            self._guard(place, lambda frame=frame: self._add_frame(frame))  # type: ignore[misc]
        for k, join in enumerate(self.state.joins):
            self._guard((join.source, join.span), lambda k=k, join=join: self._add_join(k, join))  # type: ignore[misc]
        for applied in self.state.applied:
            self._guard((applied.source, applied.span), lambda a=applied: self._add_effort(a))  # type: ignore[misc]
        if self.state.gravity is not None:
            self.into.gravity = self._vector(self.state.gravity)
        known = self.unknowns.taken | self.generic
        values = fill_given(self.state, self.checked, self.into, known)
        fill_start(self.state, self.checked, self.into, values)

    def _guard(self, place: tuple[Source, Span] | None, build: Callable[[], Any]) -> None:
        """Faults of the mechanism layer become errors at the place of the declaration."""
        try:
            build()
        except (DalembertError, ArithmeticError, ValueError) as error:
            source, span = place or (self.checked.program.source, (0, 0))
            self.report.add(source, span, str(error).rstrip("."))

    def _bodies(self) -> list[BodyValue]:
        """Bodies that a join or an effort uses, in the order they were made, each with its own name."""
        used = {id(EARTH)}
        for join in self.state.joins:
            used.update((id(join.first.body), id(join.second.body)))
        for applied in self.state.applied:
            target = applied.target.body if isinstance(applied.target, FrameValue) else applied.target
            used.add(id(target))
            if applied.effort.base is not None:
                used.add(id(applied.effort.base))
        bodies = [b for b in self.state.bodies if id(b) in used and b is not EARTH]
        self._warn_idle([b for b in self.state.bodies if id(b) not in used])
        taken = {"earth"}
        for rank, body in enumerate(bodies, 1):
            stem = body.name if body.name is not None else f"body_{rank}"
            name, count = stem, 1
            while name in taken:
                count += 1
                name = f"{stem}_{count}"
            taken.add(name)
            body.name = name
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

    # --- names of places -------------------------------------------------------------------------------------------

    def _name_places(self, numbering: Numbering, by_name: dict[str, BodyValue]) -> None:
        """Walk every place in the order of the compiled table; unknowns take the name of the first they meet."""
        look = self.unknowns
        if not look.serial:
            self._name_efforts(numbering)
            return
        for i, name in enumerate(numbering.bodies[1:], 1):
            body = by_name[name]
            inertia = numbering.inertia_frame(i)
            mass = body.generic.get("mass", (body.mass,))[0]
            if mass is not None:
                look.scalar(f"mu_{i}", mass)
            if body.iframe is not None:
                self._name_displacement(f"{i}", f"{i}_{inertia}", body.iframe)
            look.vector(f"V{i}T_{i}_{inertia}", body.generic.get("translation", ()))
            look.several(f"M{i}R_{i}_{inertia}", body.generic.get("rotation", ()))
            self._name_inertia(f"MIg_{i}", body)
        for k, join in enumerate(self.state.joins):
            a, b = numbering.joint_frames(k)
            for frame, pair in ((join.first, a), (join.second, b)):
                if frame.role == "other":
                    index = str(self._number(numbering, str(frame.body.name)))
                    self._name_displacement(index, f"{index}_{pair}", frame.displacement)
            self._name_link(k, join.link, a, b)
        self._name_efforts(numbering)
        own = {unknown for names in self.own.values() for unknown in names}
        for unknown, serial in look.serial.items():
            if unknown not in look.names and unknown not in own:
                look.names[unknown] = f"unknown_{serial}"

    def _name_displacement(
        self, base: str, index: str, value: Displacement, names: dict[Expr, str] | None = None
    ) -> None:
        self.unknowns.vector(f"V{base}T_{index}", value.translation, names)
        self.unknowns.several(f"M{base}R_{index}", [x for turn in value.turns for x in turn.scalars], names)

    def _name_inertia(self, variable: str, body: BodyValue) -> None:
        value: Any = body.generic.get("inertia", body.inertia)
        if value is None:
            return
        if isinstance(value[0], tuple):
            for r, row in zip("xyz", value):
                for c, entry in zip("xyz", row):
                    if c >= r:
                        self.unknowns.scalar(f"{lowered(variable)}_{r}{c}", entry)
        else:
            self.unknowns.vector(variable, value)

    def _name_link(self, k: int, link: LinkValue, a: str, b: str) -> None:
        """Unknowns inside a link object are new at each join; those it received from outside are not."""
        own: dict[Expr, str] = {}
        mine = set(link.own_unknowns)
        for rank, step in enumerate(link.steps, 1):
            mark = f"_{rank}" if len(link.steps) > 1 else ""
            self._name_displacement(a, f"{a}_{b}{mark}", step.displacement, own)
            self.unknowns.vector(f"VFL_{b}{mark}", step.force or (), own)
            self.unknowns.vector(f"VCL_{b}{mark}", step.torque or (), own)
        for name, effort in link.efforts:
            self.unknowns.scalar(f"qL_{b}_{name}", effort, own)
        for unknown, name in own.items():
            if unknown not in mine:
                self.unknowns.names.setdefault(unknown, name)
        self.own[k] = {u: name for u, name in own.items() if u in mine}

    def _name_efforts(self, numbering: Numbering) -> None:
        seen: Counter[str] = Counter()
        ranks: Counter[str] = Counter()
        for applied in self.state.applied:
            base = applied.effort.base
            if applied.effort.kind == "torque":
                i = self._number(numbering, str(applied.target.name))
                at, kind, same = str(i), "CE", base is applied.target or base is None
            else:
                name = str(applied.target.body.name)
                i = self._number(numbering, name)
                turned = bool(applied.target.displacement.turns)
                same = (base is applied.target.body or base is None) and not turned
                kind, at = "FE", self._frame_index(numbering, i, applied.target, ranks)
            b = "" if same else str(self._number(numbering, str(base.name)) if base is not None else i)
            stem = f"V{b}{kind}_{at}"
            seen[stem] += 1
            suffix = f"_{seen[stem]}" if seen[stem] > 1 else ""
            if applied.effort.value is not None:
                self.unknowns.vector(stem + suffix, applied.effort.value)
            else:
                # A generic value: the object keeps it, so that the same force elsewhere is the same vector.
                x, y, z = (ex.symbol(f"{lowered(stem + suffix)}_{c}") for c in "xyz")
                applied.effort.value = (x, y, z)
                self.generic.update(s.name for s in (x, y, z))

    def _frame_index(self, numbering: Numbering, i: int, frame: FrameValue, ranks: Counter[str]) -> str:
        if frame.role == "frame":
            return str(i)
        if frame.role == "iframe":
            return numbering.inertia_frame(i)
        for k, join in enumerate(self.state.joins):
            for side, pair in zip((join.first, join.second), numbering.joint_frames(k)):
                if side.body is frame.body and side.displacement == frame.displacement:
                    return pair
        ranks[str(frame.body.name)] += 1
        return numbering.other_frame(i, ranks[str(frame.body.name)] - 1)

    # --- filling the builder ---------------------------------------------------------------------------------------

    def _vector(self, value: Vector3, own: dict[Expr, str] | None = None) -> Vector3:
        x, y, z = self.unknowns.resolved(value, own)
        return x, y, z

    def _displacement(self, value: Displacement, own: dict[Expr, str] | None = None) -> Displacement:
        if not self.unknowns.serial or value.is_identity:
            return value
        old = value.scalars
        new = self.unknowns.resolved(old, own)
        return value.substitute({a: b for a, b in zip(old, new) if a is not b}) if list(old) != new else value

    def _frame(self, value: FrameValue) -> Frame:
        name = IFRAME if value.role == "iframe" and value.name is None else value.name
        return Frame(str(value.body.name), self._displacement(value.displacement), name)

    def _symbols(self, stem: str, *suffixes: str) -> tuple[Expr, ...]:
        names = [f"{stem}_{s}" for s in suffixes] or [stem]
        self.generic.update(names)
        return tuple(ex.symbol(name) for name in names)

    def _add_body(self, body: BodyValue, numbering: Numbering) -> None:
        i = self._number(numbering, str(body.name))
        pair = numbering.inertia_frame(i)
        if body.mass is not None:
            (mass,) = self.unknowns.resolved([body.mass])
        else:
            (mass,) = self._symbols(f"mu_{i}")
        if body.iframe is not None:
            iframe = self._displacement(body.iframe)
        else:
            t = self._symbols(f"v{i}T_{i}_{pair}", "x", "y", "z")
            iframe = Displacement((t[0], t[1], t[2]), generic_turns(self._symbols(f"m{i}R_{i}_{pair}", "1", "2", "3")))
        inertia: Any = body.inertia
        if inertia is None:
            inertia = self._symbols(f"mIg_{i}", "x", "y", "z")
        elif isinstance(inertia[0], tuple):
            inertia = [self.unknowns.resolved(row) for row in inertia]
        else:
            inertia = self.unknowns.resolved(inertia)
        self.into.body(str(body.name), mass, inertia=Inertia.of(inertia), iframe=iframe)

    def _number(self, numbering: Numbering, name: str) -> int:
        if not self.numbers:
            self.numbers = {b: i for i, b in enumerate(numbering.bodies)}
        return self.numbers[name]

    def _add_frame(self, value: FrameValue) -> None:
        bare = Frame(str(value.body.name), self._displacement(value.displacement))
        self.into.frame(str(value.name), bare)

    def _add_join(self, k: int, join: JoinValue) -> None:
        joint = self._joint(join.link, self.own.get(k, {}))
        self.into.join(self._frame(join.first), self._frame(join.second), joint, name=join.name)

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

    def _add_effort(self, applied: AppliedValue) -> None:
        effort = applied.effort
        if effort.value is None:
            raise ValueError("this effort has no value")
        value = self._vector(effort.value)
        if effort.kind == "torque":
            base = effort.base or applied.target
            self.into.apply(Torque(str(applied.target.name), value, str(base.name), applied.name))
        else:
            base = effort.base or applied.target.body
            self.into.apply(Force(self._frame(applied.target), value, str(base.name), applied.name))


def _is_other(applied: AppliedValue) -> bool:
    return isinstance(applied.target, FrameValue) and applied.target.role == "other"
