"""The mechanism: bodies, links, efforts, gravity, and the numbers that go with them. Data and checks, no equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.expr.space import ZERO3, Vector3, vector3
from dalembert.mechanism.arguments import NamedValues
from dalembert.mechanism.body import EARTH, Body, Frame, Inertia, earth
from dalembert.mechanism.bodyshape import BodyShape
from dalembert.mechanism.constraint import By, Constraint, condition_of, equation, reaction_of
from dalembert.mechanism.contact import Contact, Range, contacts_between, stops
from dalembert.mechanism.displacement import AxisLike, Displacement, unit_axis
from dalembert.mechanism.effort import Bushing, Effort, Force, Spring, Torque, TorsionSpring, effort_bodies, effort_kind
from dalembert.mechanism.joint import Joint
from dalembert.mechanism.link import Link
from dalembert.mechanism.model import Model
from dalembert.mechanism.names import check_name, did_you_mean, free_name
from dalembert.mechanism.numbers import check_body
from dalembert.mechanism.quantities import virtual
from dalembert.mechanism.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from dalembert.mechanism.meshes import Mesh
E = TypeVar("E", bound=Effort)


class Mechanism:
    """A builder that reads like the mechanism.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> rod = m.body("rod", mass="m", centre=[0, 0, "-l/2"], inertia=["m*l**2/12", "m*l**2/12", 0])
    >>> pivot = m.join(earth, rod, revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> m.parameters()
    ('g', 'l', 'm')
    """

    given, start = NamedValues(), NamedValues()

    def __init__(self, name: str = "mechanism") -> None:
        self.name = name
        self._bodies: dict[str, Body] = {EARTH: earth}
        self._links: dict[str, Link] = {}
        self._efforts: dict[str, Effort] = {}
        self._constraints: dict[str, Constraint] = {}
        self._frames: dict[str, Frame] = {}
        self._places: dict[str, str] = {EARTH: "body"}  # names of bodies and frames, and which of them
        self._ties: dict[str, str] = {}  # names of links, efforts, constraints and contacts, and which of them
        self._contacts: dict[str, Contact] = {}
        self._functions: dict[str, tuple[tuple[str, ...], Expr]] = {}
        self._gravity: Vector3 = ZERO3
        self._frozen: Model | None = None
        self.outputs: dict[str, Scalar] = {}  # formulas that motions and tables tell by name
        self.notes: list[str] = []  # what the file that it comes from says and a mechanism cannot hold
        self.remarks: dict[tuple[str, str], str] = {}  # what is said of its parts, by kind and name: ("body", "arm")

    # --- description -----------------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Scalar = 0,
        centre: Sequence[Scalar] | None = None,
        inertia: Any = 0,
        iframe: Displacement | None = None,
        shapes: Sequence[BodyShape] = (),
    ) -> Body:
        """Add a body: mass, centre of mass in its reference frame, inertia about that centre.

        `inertia` is three principal values, six entries (xx yy zz xy xz yz) or a 3x3 array; `iframe` gives centre and
        axes of the inertia frame at once. `shapes` are what it looks like (`m.shape` adds one).
        """
        if centre is not None and iframe is not None:
            raise ModelError(f"body '{name}': give the centre or the inertia frame, not both.")
        try:
            place = iframe or Displacement(vector3((0, 0, 0) if centre is None else centre))
            made = Body(name, ex.as_expr(mass), place, Inertia.of(inertia), tuple(shapes))
        except ModelError as error:
            raise ModelError(f"body '{name}': {error}") from None
        return self.add_body(made)

    def add_body(self, body: Body) -> Body:
        check_name(body.name, "body", self._places, self.name)
        check_body(body)
        self._bodies[body.name] = body
        self._places[body.name] = "body"
        return body

    def shape(
        self, at: Body | Frame, kind: str | Mesh, *sizes: Scalar, colour: str | Sequence[float] = ""
    ) -> BodyShape:
        """Let a body look like something: a solid with its centre and axes at a frame of it.

        Kinds are box, sphere, ellipsoid, cylinder, tube, cone, capsule, wheel and gear, axes along z, or a `Mesh`. A
        body may have several; one without any is drawn as its inertia and joints suggest. Only the eye sees them.
        """
        frame = self._frame(at)
        if frame.body == EARTH:
            raise ModelError("earth has no shape: weld a body without mass to it, and give that one the shape.")
        made = BodyShape.of(kind, *sizes, place=frame.displacement, colour=colour)
        held = self._bodies[frame.body]
        self._bodies[frame.body] = replace(held, shapes=(*held.shapes, made))
        return made

    def join(self, first: Body | Frame, second: Body | Frame, joint: Joint, name: str | None = None) -> Link:
        """Join two frames (a body stands for its reference frame) with a joint."""
        start, end = self._frame(first), self._frame(second)
        if name is None:
            stem = end.body if end.body != EARTH else start.body
            name = free_name(stem, self._ties, first=stem)
        check_name(name, "link", self._ties, self.name)
        if start.body == end.body:
            raise ModelError(f"link '{name}' joins '{start.body}' to itself. A link needs two different bodies.")
        link = Link(name, start, end, joint)
        self._links[name] = link
        self._ties[name] = "link"
        return link

    def force(
        self, at: Body | Frame, value: Sequence[Scalar], base: Body | str | None = None, *, name: str = ""
    ) -> Force:
        """Apply a force at a frame; components in the base of `base` (earth when not said)."""
        return self.apply(Force(self._frame(at), vector3(value), self._base(base), name))

    def torque(
        self, on: Body | str, value: Sequence[Scalar], base: Body | str | None = None, *, name: str = ""
    ) -> Torque:
        """Apply a torque on a body; components in the base of `base` (earth when not said)."""
        held = on.name if isinstance(on, Body) else on
        return self.apply(Torque(held, vector3(value), self._base(base), name))

    def spring(
        self,
        first: Body | Frame,
        second: Body | Frame,
        *,
        stiffness: Scalar = 0,
        damping: Scalar = 0,
        length: Scalar = 0,
        force: Scalar = 0,
        name: str = "",
    ) -> Spring:
        """A spring, damper or actuator between two points, the origins of two frames at the distance `l`.

        It pushes them apart with -stiffness*(l - length) - damping*l' + force. `force` is any formula, which may use
        `l` and `l'`: `m.spring(a, b, force="F - mu*sign(l')")`.
        """
        k, c, rest, law = (ex.as_expr(x) for x in (stiffness, damping, length, force))
        return self.apply(Spring(self._frame(first), self._frame(second), k, c, rest, law, name))

    def torsion_spring(
        self,
        first: Body | Frame,
        second: Body | Frame,
        axis: AxisLike = "z",
        *,
        stiffness: Scalar = 0,
        damping: Scalar = 0,
        angle: Scalar = 0,
        torque: Scalar = 0,
        name: str = "",
    ) -> TorsionSpring:
        """A torsion spring, damper or motor between two frames about an axis written alike in both.

        The torque on the second is -stiffness*(th - angle) - damping*th' + torque, with `th` its angle from the first,
        between -pi and pi; `torque` may use `th` and `th'`. On a joint, `with_efforts` does the same and counts turns.
        """
        k, c, rest, law = (ex.as_expr(x) for x in (stiffness, damping, angle, torque))
        frames = self._frame(first), self._frame(second)
        return self.apply(TorsionSpring(*frames, unit_axis(axis), k, c, rest, law, name))

    def bushing(
        self,
        first: Body | Frame,
        second: Body | Frame,
        *,
        stiffness: Scalar | Sequence[Scalar] = 0,
        damping: Scalar | Sequence[Scalar] = 0,
        turning: Scalar | Sequence[Scalar] = 0,
        turning_damping: Scalar | Sequence[Scalar] = 0,
        name: str = "",
    ) -> Bushing:
        """Six springs and dampers between two frames: along (`stiffness`) and about (`turning`) the axes of the first.

        Each is one value for all axes, or three.
        """
        sizes = stiffness, damping, turning, turning_damping
        return self.apply(Bushing.of(self._frame(first), self._frame(second), *sizes, name))

    def apply(self, effort: E) -> E:
        """Add an effort; one without a name gets one, such as `force_1`."""
        kind = effort_kind(effort)
        for body in effort_bodies(effort):
            self._check_body(body, f"{kind} '{effort.name}'" if effort.name else f"a {kind}")
        made = effort if effort.name else replace(effort, name=free_name(kind, self._ties))
        check_name(made.name, kind, self._ties, self.name)
        if not isinstance(made, Force | Torque) and made.first.body == made.second.body:
            raise ModelError(
                f"{kind} '{made.name}' acts between '{made.first.body}' and itself. It needs two different bodies."
            )
        self._efforts[made.name] = made
        self._ties[made.name] = kind
        return made

    def contact(
        self,
        gap: Scalar | str | Shape | Sequence[Shape],
        against: Shape | None = None,
        *,
        restitution: Scalar = 0,
        friction: Scalar = 0,
        static: Scalar | None = None,
        rolling: Scalar = 0,
        drilling: Scalar = 0,
        slip: Scalar | str | Sequence[Scalar | str] | None = None,
        name: str = "",
    ) -> tuple[Contact, ...]:
        """Something that cannot be crossed: a gap that stays positive, `m.contact("foot.Z >= 0")`, or two shapes.

        A list of shapes is a crowd: every two of them may touch. `restitution` is of impacts, `friction` Coulomb's,
        `static` that of rest where it differs; `rolling` and `drilling` are lengths (moment over normal force) that
        resist rolling and turning about the normal. A gap that is a formula and rubs needs `slip`, its sliding
        velocity: one component or two, linear in the speeds.
        """
        called = name or free_name("contact", self._ties)
        made = contacts_between(gap, against, restitution, friction, static, slip, called, rolling, drilling)
        for shape in (*(gap if isinstance(gap, list | tuple) else (gap,)), against):
            if isinstance(shape, SHAPES):
                self._check_body(shape.frame.body, f"contact '{called}'")
        for contact in made:
            check_name(contact.name, "contact", self._ties, self.name)
        return tuple(self.add_contact(contact) for contact in made)

    def add_contact(self, contact: Contact) -> Contact:
        check_name(contact.name, "contact", self._ties, self.name)
        self._contacts[contact.name] = contact
        self._ties[contact.name] = "contact"
        return contact

    def limit(
        self,
        coordinate: str,
        low: Range = None,
        high: Scalar | None = None,
        *,
        restitution: Scalar = 0,
        name: str = "",
    ) -> tuple[Contact, ...]:
        """Stops of a coordinate: `m.limit("elbow.th", [0, "pi/2"])` are the contacts elbow_th_low and elbow_th_high."""
        called, ends = name or coordinate.replace(".", "_"), stops(coordinate, low, high)
        return sum((self.contact(gap, restitution=restitution, name=f"{called}_{end}") for end, gap in ends), ())

    def constrain(self, *equations: Scalar | str, by: By = None, name: str | None = None) -> Constraint:
        """Ask something of the motion: equations between coordinates, rates, time, and places or motions of frames.

        `by` says what acts so that they hold: nothing else is said, then the reaction is perfect; names of coordinates
        (`by="shoulder.th"`) or forms (`by="d(pos(tip, x))"`), one for each equation, are what a device pushes.

        >>> from dalembert.mechanism import Mechanism, earth, revolute
        >>> m = Mechanism("gears")
        >>> for x in "ab":
        ...     link = m.join(earth, m.body(x, inertia=[1, 1, 1]), revolute("z"), name=x)
        >>> m.constrain("a.th = 2*b.th", name="teeth").expressions
        (a.th - 2*b.th,)
        """
        if not equations:
            raise ModelError('a constraint needs an equation: m.constrain("a.th = 2*b.th").')
        made = [equation(one) for one in equations]
        called = free_name("constraint", self._ties) if name is None else name
        speeds = {x for link in self._links.values() for x in link.speeds}
        reaction = reaction_of(by, len(made), called, speeds)
        return self.add_constraint(Constraint(called, condition_of(made, speeds), reaction))

    def drive(self, what: str, law: Scalar | str, *, by: By = None, name: str | None = None) -> Constraint:
        """Let a motor impose a law: `m.drive("elbow.th", "0.3*sin(2*t)")`, or on a rate, `m.drive("wheel.th'", 5)`.

        It pushes on the coordinate itself, whatever else the law depends on; `by` says otherwise.
        """
        told = ex.parse(what) if isinstance(what, str) else ex.as_expr(what)
        coordinate = ex.symbol(what.rstrip("'")) if isinstance(what, str) else told
        called = free_name("drive", self._ties) if name is None else name
        return self.constrain(told - equation(law), by=virtual(coordinate) if by is None else by, name=called)

    def add_constraint(self, constraint: Constraint) -> Constraint:
        check_name(constraint.name, "constraint", self._ties, self.name)
        self._constraints[constraint.name] = constraint
        self._ties[constraint.name] = "constraint"
        return constraint

    def frame(self, name: str, on: Body | Frame, displacement: Displacement | None = None) -> Frame:
        """Name a frame, to ask for its position later."""
        check_name(name, "frame", self._places, self.name)
        held = self._frame(on)
        self._places[name] = "frame"
        made = self._frames[name] = Frame(held.body, held.displacement @ (displacement or Displacement()), name)
        return made

    def define(self, function: str, arguments: Sequence[str], formula: Scalar) -> None:
        """Give a formula for an unknown function: `m.define("fs", ["x", "v"], "-k*x - c*v")`."""
        self._functions[function] = (tuple(arguments), ex.as_expr(formula))

    @property
    def gravity(self) -> Vector3:
        """Uniform acceleration of gravity, in the base of earth."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[Scalar]) -> None:
        self._gravity = vector3(value)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, earth first."""
        return self._bodies

    @property
    def links(self) -> Mapping[str, Link]:
        return self._links

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(self._efforts.values())

    @property
    def tied(self) -> Mapping[str, str]:
        """Names of links, efforts, constraints and contacts, and which of them each is."""
        return self._ties

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(self._constraints.values())

    @property
    def frames(self) -> Mapping[str, Frame]:
        return self._frames

    @property
    def functions(self) -> Mapping[str, tuple[tuple[str, ...], Expr]]:
        return self._functions

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(self._contacts.values())

    def freeze(self) -> Model:
        """The description as it is now, in a form that no later change touches; the same one until it changes."""
        self._frozen = Model(
            self.name,
            self._bodies,
            self._links,
            self.efforts,
            self._frames,
            self._functions,
            self._gravity,
            self.given,
            self.start,
            self.contacts,
            self.constraints,
            {name: ex.as_expr(formula) for name, formula in self.outputs.items()},
        ).unless_known(self._frozen)
        return self._frozen

    def as_dict(self) -> dict[str, Any]:
        """The description as plain data: names, numbers, and formulas as text."""
        return self.freeze().as_dict()

    def parameters(self) -> tuple[str, ...]:
        """Names of the constants that need a value before anything is computed in numbers."""
        return self.freeze().parameters()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and self.freeze() == other.freeze()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {len(self._bodies) - 1} bodies, {len(self._links)} links>"

    def _frame(self, value: Body | Frame) -> Frame:
        frame = value.frame if isinstance(value, Body) else value
        if not isinstance(frame, Frame):
            raise ModelError(f"{value!r} is neither a body nor a frame.")
        self._check_body(frame.body, "a frame")
        return frame

    def _base(self, value: Body | str | None) -> str:
        return EARTH if value is None else value.name if isinstance(value, Body) else value

    def _check_body(self, name: str, user: str) -> None:
        if name not in self._bodies:
            raise ModelError(
                f"{user} names the body '{name}', which is not in '{self.name}'.{did_you_mean(name, self._bodies)}"
            )
