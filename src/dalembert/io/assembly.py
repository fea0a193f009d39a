"""What the readers of robot files share: parts, freedoms and their laws, put together into a mechanism.

A reader says what its file says; here names are made fit, fixed parts are fused, freedoms become joints, stops become
contacts, rotors become flywheels, and whatever has no place in a mechanism is noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.freedoms import joint_of, local_name, moved
from dalembert.io.parts import (
    NO_END,
    WORLD,
    Freedom,
    Joined,
    Look,
    Mass,
    ball_dampers,
    grip,
    grip_ball,
    passive,
    started,
)
from dalembert.io.poses import Pose, at, from_quaternion
from dalembert.io.reading import Reading
from dalembert.mechanism import (
    AnyTurn,
    Body,
    BodyShape,
    Frame,
    Inertia,
    Mechanism,
    QuaternionTurn,
    composite,
    earth,
    turn,
)
from dalembert.mechanism.numbers import check_body

_MOST_SHAPES = 9
"""Shapes of a body that a program can tell."""


class Assembly:
    """Parts and joints by the names of the file; `build` makes the mechanism."""

    def __init__(self, mechanism: Mechanism, source: str) -> None:
        self.m, self.source = mechanism, source
        self.masses: dict[str, list[Mass]] = {}
        self.looks: dict[str, list[Look]] = {}
        self.joined: dict[str, Joined] = {}
        self.notes: list[str] = []
        self.gravity = np.array([0.0, 0.0, -9.81])
        self.weightless: dict[str, float] = {}  # share of the weight that something else carries
        self._coordinates: dict[str, str] = {}  # of freedoms, by their names in the file
        self._names: dict[str, set[str]] = {"body": {"earth", "total"}, "link": {"total"}}
        self._fit: dict[tuple[str, str], str] = {}
        self._held: dict[str, tuple[str, Pose]] = {}  # a part, the body that holds it and where
        self._later: list[tuple[Callable[[], object], str]] = []

    # --- what a reader says ----------------------------------------------------------------------------------------

    def note(self, sentence: str) -> None:
        """Something that the file says and the mechanism does not hold, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def part(self, name: str, masses: Iterable[Mass], where: str) -> None:
        if name in self.masses:
            raise ModelError(f"{where}: there are two bodies '{name}'.")
        self.masses[name] = list(masses)

    def join(self, one: Joined, where: str) -> None:
        for part in (one.child, one.parent):
            if part != WORLD and part not in self.masses:
                raise ModelError(f"{where}: there is no body '{part}'.")
        if one.child in self.joined or one.child == WORLD:
            raise ModelError(
                f"{where}: '{one.child}' has two parents. A tree is expected; a loop is closed by a <loop_joint>, "
                "or by a <joint> inside <gazebo>."
            )
        one.name, one.rest = self._link_name(one), one.start
        for freedom in one.freedoms:
            self._doubt(freedom)
            if freedom.name in self._coordinates:
                raise ModelError(f"{where}: there are two joints '{freedom.name}'.")
            self._coordinates[freedom.name] = f"{one.name}.{local_name(one, freedom, self.fit)}"
        self.joined[one.child] = one

    def _doubt(self, x: Freedom) -> None:
        """Laws that give energy to the machine are kept, and told."""
        for what, value in (("damping", x.damping), ("dry friction", x.dry), ("stiffness", x.stiffness)):
            if value < 0:
                self.note(f"joint '{x.name}' has the negative {what} {value:g}, which drives it. It is kept.")
        if x.armature < 0:
            self.note(f"joint '{x.name}' has the negative rotor inertia {x.armature:g}, which no rotor has: left out.")

    def fit(self, name: str, kind: str) -> str:
        """A name that a mechanism can have, the same each time it is asked for."""
        key = (kind, name)
        if key not in self._fit:
            self._fit[key] = self._unused(name, self._names.setdefault(kind, set()))
        return self._fit[key]

    def beside(self, name: str) -> str:
        """A name for something beside bodies and joints, which the file may call like one of them: once for each."""
        return self._unused(name, self._names["link"], {self.fit(one, "body") for one in self.masses})

    def _unused(self, name: str, taken: set[str], other: Iterable[str] = ()) -> str:
        stem, count = self.fit_stem(name), 1
        made = stem
        while made in taken or made in other:
            count += 1
            made = f"{stem}_{count}"
        taken.add(made)
        return made

    @staticmethod
    def fit_stem(name: str) -> str:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII)[:80] or "nameless"
        return f"_{stem}" if stem[0].isdigit() else stem

    def coordinate(self, freedom: str, where: str) -> Expr:
        """The coordinate of a hinge or slide."""
        if freedom not in self._coordinates:
            raise ModelError(f"{where}: there is no joint '{freedom}'.")
        return ex.symbol(self._coordinates[freedom])

    def has(self, freedom: str) -> bool:
        return freedom in self._coordinates

    def resist(self, x: Freedom, where: str) -> None:
        """Spring, damper and dry friction of a hinge or slide."""
        law = passive(x, self.coordinate(x.name, where))
        if law is not ZERO:
            self.push(x.name, law, where)
        if x.dry:
            grip(self, x.name, x.dry, lambda: ex.prime(self.coordinate(x.name, where)), f"joint '{x.name}'")

    def push(self, freedom: str, effort: Expr, where: str) -> None:
        """An effort on the coordinate of a hinge or slide."""
        self.coordinate(freedom, where)
        for one in self.joined.values():
            if any(x.name == freedom for x in one.freedoms):
                one.efforts[freedom] = one.efforts.get(freedom, ZERO) + effort

    def freedom(self, name: str) -> Freedom | None:
        return next((x for one in self.joined.values() for x in one.freedoms if x.name == name), None)

    def control(self, name: str) -> Expr:
        """A number that whoever drives the robot gives: zero until then."""
        taken = self._names.setdefault("control", {"x", "y", "z", "th", "l", "t", "e0", "e1", "e2", "e3"})
        taken |= {self.fit(one, "body") for one in self.masses} | {one.name for one in self.joined.values()}
        taken |= {made for (kind, _), made in self._fit.items() if kind.startswith("coordinate")}  # local names capture
        called = self.fit(f"{name}_u" if self.fit_stem(name) in taken else name, "control")
        self.m.given[called] = 0.0
        return ex.symbol(called)

    def later(self, what: Callable[[], object], *, unless: str = "") -> None:
        """Something to do when bodies and links are there; "limits" and "friction" only where they are wanted."""
        self._later.append((what, unless))

    # --- the mechanism ---------------------------------------------------------------------------------------------

    def build(self, how: Reading) -> None:
        """Bodies, links, laws and stops, in the order of the file."""
        order = self._in_order()
        self.m.gravity = [float(x) for x in self.gravity]
        self._hold(order, how.fuse)
        for part, (holder, _) in self._held.items():
            if part == holder and part != WORLD:
                inside = [
                    one.seen_from(pose) for p, (h, pose) in self._held.items() if h == part for one in self.masses[p]
                ]
                seen = [
                    one.seen_from(pose)
                    for p, (h, pose) in self._held.items()
                    if h == part
                    for one in self.looks.get(p, ())
                ]
                self._body(part, Mass.together(inside), tuple(seen[:_MOST_SHAPES]))
        for one in order:
            if self._held[one.child][0] == one.child:
                self._link(one)
            else:
                self.m.frame(self.fit(one.child, "body"), self.frame(one.child))
        for one in order:
            for freedom in one.freedoms:
                self._law(one, freedom, how.limits)
        for part, share in self.weightless.items():
            for mass in self.masses[part]:
                lift = [float(x) for x in -share * mass.mass * self.gravity]
                if any(lift):
                    self.m.force(self.frame(part, at(mass.pose.p)), lift, name=self.fit(f"{part}_lift", "link"))
        for what, unless in self._later:
            if unless not in how.leaves:
                what()

    def frame(self, part: str, pose: Pose | None = None) -> Frame:
        """A frame on a part of the file, wherever it is held."""
        holder = self._held[part][0]
        return Frame("earth" if holder == WORLD else self.fit(holder, "body"), self.place(part, pose).displacement)

    def place(self, part: str, pose: Pose | None = None) -> Pose:
        """A place on a part, in the body that holds it."""
        place = self._held[part][1]
        return place if pose is None else place @ pose

    def posture(self, place: Callable[[Freedom], float] | None = None) -> dict[str, Pose]:
        """Where every part stands from earth at the zero of each freedom (free ones start), or as is said."""
        found = {WORLD: Pose()}
        for one in self._in_order():
            found[one.child] = found[one.parent] @ one.pose
            if any(x.kind == "free" for x in one.freedoms):
                found[one.child] @= Pose(np.array(one.rest[:3]), from_quaternion(one.rest[3:], self.source))
            if place is not None:
                for x in one.freedoms:
                    found[one.child] @= x.moved(place(x))
        return found

    def _in_order(self) -> list[Joined]:
        """Parents before children."""
        found: list[Joined] = []
        known = {WORLD}
        waiting = list(self.joined.values())
        while waiting:
            ready = [one for one in waiting if one.parent in known]
            if not ready:
                raise ModelError(f"{self.source}: '{waiting[0].child}' and its parents go round in a circle.")
            found += ready
            known |= {one.child for one in ready}
            waiting = [one for one in waiting if one.child not in known]
        return found

    def _hold(self, order: list[Joined], fuse: bool) -> None:
        self._held = {WORLD: (WORLD, Pose())}
        for one in order:
            if fuse and not one.freedoms:
                holder, pose = self._held[one.parent]
                self._held[one.child] = (holder, pose @ one.pose)
            else:
                self._held[one.child] = (one.child, Pose())

    def _body(self, part: str, mass: Mass, shapes: tuple[BodyShape, ...]) -> None:
        I = mass.tensor
        entries = [float(x) for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])]
        own, place = Inertia.of(entries), mass.pose.displacement
        body = Body(self.fit(part, "body"), ex.as_expr(float(mass.mass)), place, own, shapes)
        if not mass.mass and I.any():
            self.note(f"body '{body.name}' has inertia and no mass, which no body has. It is kept as the file has it.")
        try:
            check_body(body)
        except ModelError as error:
            self.note(f"{error} It is kept as the file has it.")
            body = replace(body, doubtful=True)
        self.m.add_body(body)

    def _link_name(self, one: Joined) -> str:
        name = one.freedoms[0].name if len(one.freedoms) == 1 else one.name or one.child
        return self._unused(name, self._names["link"])

    def _link(self, one: Joined) -> None:
        """The joint of the freedoms, between frames at the first and at the last anchor."""
        first = one.pose
        freedoms = one.freedoms
        anchors = [np.asarray(x.anchor, dtype=float) for x in freedoms]
        if freedoms:
            first = first @ at(anchors[0])
        if len(freedoms) == 1 and freedoms[0].zero:
            first = first @ moved(freedoms[0], -freedoms[0].zero)
        joint = joint_of(one, self.fit)
        own = {x.name: local_name(one, x, self.fit) for x in freedoms}
        efforts = {own[name]: self._in_joint(one, effort) for name, effort in one.efforts.items()} | ball_dampers(
            one, own
        )
        if efforts:
            joint = joint.with_efforts(**efforts)
        second = at(anchors[-1]) if freedoms else Pose()
        link = self.m.join(self.frame(one.parent, first), self.frame(one.child, second), joint, name=one.name)
        self.m.start |= started(one, link.coordinates)
        for speed, value in zip(link.speeds, one.speeds, strict=False):
            if value:
                self.m.start[speed] = float(value)

    def _in_joint(self, one: Joined, effort: Expr) -> Expr:
        """An effort in the joint's own names of its coordinates."""
        own = {f"{one.name}.{local_name(one, x, self.fit)}": local_name(one, x, self.fit) for x in one.freedoms}
        table = {ex.symbol(far + p): ex.symbol(near + p) for far, near in own.items() for p in ("", "'")}
        return ex.substitute([effort], table)[0]

    def _law(self, one: Joined, x: Freedom, limits: bool) -> None:
        if x.kind in ("ball", "free"):
            self._law_of_ball(one, x)
            return
        coordinate = self._coordinates[x.name]
        low, high = (None if end is None or abs(end) >= NO_END else end for end in (x.low, x.high))
        if limits and (low is not None or high is not None):
            if low is not None and high is not None and not low < high:
                self.note(f"joint '{x.name}' has the limits {low:g} and {high:g}, which leave no room: left out.")
            else:
                self.m.limit(coordinate, low, high, name=f"{self.fit(x.name, 'stop')}_stop")
        if x.armature > 0:
            self._rotor(x, coordinate)

    def _law_of_ball(self, one: Joined, x: Freedom) -> None:
        beside = len(one.freedoms) > 1  # its damping is an effort in the link, which turns by the other freedoms too
        if beside and x.stiffness:
            self.note(f"the spring of the ball joint '{x.name}', which has joints beside it, is left out.")
        if (x.damping or x.stiffness) and not beside:
            ball = x.kind == "ball"
            if x.stiffness:
                self.note(f"the spring of the {x.kind} joint '{x.name}' goes by the sine of the turn, not the angle.")
            loose = Pose() if ball else Pose(np.array(one.rest[:3]), from_quaternion(one.rest[3:], self.source))
            still = one.pose @ at(x.anchor) if ball else loose
            first, second = self.frame(one.parent, still), self.frame(one.child, at(x.anchor) if ball else None)
            self.m.bushing(
                first,
                second,
                stiffness=0 if ball else x.stiffness,
                damping=0 if ball else x.damping,
                turning=x.stiffness,
                turning_damping=x.damping,
                name=self.fit(f"{x.name}_bushing", "link"),
            )
        if x.armature > 0:
            for c in "xyz" if x.kind == "free" else "":
                self._rotor(replace(x, name=f"{x.name}_{c}"), f"{one.name}.{c}")
            e0, *rest = (ex.symbol(c) for c in self._quaternion(one, x))
            for way, which in ((1, "rotor"), (-1, "counter_rotor")):
                turned = QuaternionTurn((e0, *(way * e for e in rest)))  # type: ignore[arg-type]
                self._flywheel(f"{x.name}_{which}", [x.armature / 2] * 3, turned)
        if x.dry:
            grip_ball(self, one, x)
        if x.low is not None or x.high is not None:
            self.note(f"the limits of the {x.kind} joint '{x.name}' are left out.")

    def _rotor(self, x: Freedom, coordinate: str) -> None:
        """Kinetic energy a q'^2/2, and nothing else: two flywheels on earth that turn with q, one against the other."""
        for way, which in ((1, "rotor"), (-1, "counter_rotor")):
            inertia = [x.armature / 2, x.armature / 4, x.armature / 4]
            self._flywheel(f"{x.name}_{which}", inertia, turn(way * ex.symbol(coordinate), "x"))

    def _flywheel(self, name: str, inertia: list[float], turned: AnyTurn) -> None:
        """A body without mass on earth, turned by coordinates of other links."""
        rotor = self.m.body(self.fit(name, "body"), inertia=inertia)
        self.m.join(earth, rotor, composite([], turned), name=self.fit(name, "link"))

    def _quaternion(self, one: Joined, x: Freedom) -> list[str]:
        own = f"{local_name(one, x, self.fit)}_e" if len(one.freedoms) > 1 else "e"
        return [f"{one.name}.{own}{k}" for k in range(4)]
