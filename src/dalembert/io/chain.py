"""A mechanism in the words of robot files: bodies on their parents by hinges, slides and balls between fixed places.

The steps of every link are taken apart into elementary motions; what no robot file can say is refused or noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.poses import Array, Pose, about
from dalembert.mechanism import EARTH, Body, Displacement, Layout, Link, Model, QuaternionTurn, Step
from dalembert.mechanism.constraint import Holonomic, Perfect
from dalembert.mechanism.contact import Contact, Gap, Pressed

#: A direction or a rate this far from one, relative, is not one: what a product of two rotations rounds to.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Move:
    """A hinge or slide along an axis by a coordinate, or a ball by the four of a quaternion."""

    kind: str  # hinge, slide, ball
    coordinates: tuple[str, ...]
    axis: Array | None = None

    def inverse(self) -> Move:
        return replace(self, axis=None if self.axis is None else -self.axis)


@dataclass(frozen=True, eq=False)
class Hung:
    """A body on its parent: places before, between and after its motions (one place more than there are motions)."""

    body: Body
    parent: str
    link: Link
    places: tuple[Pose, ...]
    moves: tuple[Move, ...]


@dataclass(eq=False)
class Law:
    """What a file can say of a coordinate, and what is left of its effort."""

    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    dry: float = 0.0
    armature: float = 0.0
    low: float | None = None
    high: float | None = None
    motors: dict[str, float] = field(default_factory=dict)  # gear by control


@dataclass(eq=False)
class Numbers:
    """A layout in numbers."""

    layout: Layout
    known: Mapping[Expr, float]
    left: list[str] = field(default_factory=list)  # what has no place in the file

    @staticmethod
    def of(model: Model, given: Mapping[str, float] | None = None) -> Numbers:
        known = {ex.symbol(k): float(v) for k, v in {**model.given, **(given or {})}.items()}
        return Numbers(Layout.of(model).loosened(), known)

    @property
    def model(self) -> Model:
        return self.layout.model

    def value(self, e: Expr, what: str) -> float:
        missing = ex.free_symbols(e) - self.known.keys()
        if missing:
            names = ", ".join(sorted(x.name for x in missing))
            raise ModelError(f"{what} holds {names}: robot files hold numbers. Give them (`given`).")
        return float(ex.evaluate([e], self.known)[0])

    def pose(self, displacement: Displacement, what: str) -> Pose:
        p = np.array([self.value(x, what) for x in displacement.translation])
        R = np.array([[self.value(x, what) for x in row] for row in displacement.matrix])
        return Pose(p, R)

    def linear(self, e: Expr, what: str) -> tuple[float, dict[str, float]]:
        """c + sum of shares times coordinates; anything else is refused."""
        moving = {ex.symbol(x) for x in self.layout.state.coordinates}
        used = sorted((x for x in ex.free_symbols(e) if x in moving), key=lambda x: x.name)
        shares = {x.name: self.value(s, what) for x, s in zip(used, ex.gradient(e, used), strict=True)} if used else {}
        (rest,) = ex.substitute([e], dict.fromkeys(used, ZERO))
        return self.value(rest, what), shares


def hung_bodies(numbers: Numbers) -> tuple[list[Hung], dict[str, float]]:
    """Every body of the tree on its parent, and rotor inertias by coordinate."""
    found, armatures = list[Hung](), dict[str, float]()
    bodies = numbers.layout.bodies
    for one in numbers.layout.tree:
        body, parent = bodies[one.child], bodies[one.parent]
        rotor = _rotor(numbers, one.link, body)
        if rotor is not None:
            armatures[rotor[0]] = armatures.get(rotor[0], 0.0) + rotor[1]
            continue
        what = f"link '{one.link.name}'"
        places, moves = [numbers.pose(one.link.first.displacement, what)], list[Move]()
        for step in one.link.placed_steps():
            _take_apart(numbers, step, one.link, places, moves)
        places[-1] = places[-1] @ numbers.pose(one.link.second.displacement, what).inverse()
        if one.reversed:
            places = [x.inverse() for x in reversed(places)]
            if any(x.kind == "ball" for x in moves):
                raise ModelError(f"{what} is a ball from child to parent: robot files turn the other way. Join it so.")
            moves = [x.inverse() for x in reversed(moves)]
        found.append(Hung(body, parent.name, one.link, tuple(places), tuple(moves)))
    return found, armatures


def joint_names(hung: Sequence[Hung]) -> dict[str, str]:
    """What the joint of each coordinate is called: as its link, or where that has several as the coordinate itself."""
    own = [(one, move.coordinates[0]) for one in hung for move in one.moves]
    short = {x: one.link.name if len(one.moves) == 1 else x.rpartition(".")[2] for one, x in own}
    taken = Counter([*short.values(), *(one.link.name for one in hung if len(one.moves) != 1)])
    return {x: name if taken[name] == 1 else x.replace(".", "_") for x, name in short.items()}


def _rotor(numbers: Numbers, link: Link, body: Body) -> tuple[str, float] | None:
    """A flywheel on earth that turns as a coordinate of another link does: its inertia is that of a rotor."""
    if link.coordinates or link.first.body != EARTH or len(link.joint.steps) != 1 or body.mass is not ZERO:
        return None
    displacement = link.placed_steps()[0].displacement
    if len(displacement.turns) != 1:
        return None
    turned = displacement.turns[0]
    if isinstance(turned, QuaternionTurn):  # of a ball, by its first coordinate
        return turned.components[0].name, float(inertia_of(numbers, body)[2][0, 0])
    _, shares = numbers.linear(turned.angle, f"link '{link.name}'")
    if len(shares) != 1 or any(x is not ZERO for x in displacement.translation):
        return None
    ((coordinate, share),) = shares.items()
    axis = np.array([numbers.value(x, "an axis") for x in turned.axis])
    tensor = inertia_of(numbers, body)[2]
    return coordinate, float(axis @ tensor @ axis) * share**2


def _take_apart(numbers: Numbers, step: Step, link: Link, places: list[Pose], moves: list[Move]) -> None:
    """Slides of the translation, then turns, in the order in which they act."""
    what = f"link '{link.name}'"
    if step.is_loaded:
        numbers.left.append(f"the efforts inside {what} are left out.")
    own, seen = set(link.coordinates), {x for move in moves for x in move.coordinates}

    def take(kind: str, coordinate: str, axis: Array) -> None:
        size = float(np.sqrt(axis @ axis))
        if coordinate not in own or coordinate in seen:
            raise ModelError(f"{what} moves with '{coordinate}' in more than one way: no robot file can say that.")
        if abs(size - 1) > _ROUNDING:
            raise ModelError(f"{what} moves {size:g} times as far as '{coordinate}' says: robot files have no scale.")
        seen.add(coordinate)
        moves.append(Move(kind, (coordinate,), axis / size))
        places.append(Pose())

    parts = [numbers.linear(x, what) for x in step.displacement.translation]
    for coordinate in dict.fromkeys(x for _, shares in parts for x in shares):
        take("slide", coordinate, np.array([shares.get(coordinate, 0.0) for _, shares in parts]))
    places[-1] = places[-1] @ Pose(np.array([c for c, _ in parts]))
    for one in step.displacement.turns:
        if isinstance(one, QuaternionTurn) and all(x.op == "symbol" and x.name in own for x in one.components):
            moves.append(Move("ball", tuple(x.name for x in one.components)))
            places.append(Pose())
        elif isinstance(one, QuaternionTurn):
            places[-1] = places[-1] @ numbers.pose(Displacement(turns=(one,)), what)
        else:
            axis = np.array([numbers.value(x, what) for x in one.axis])
            angle, shares = numbers.linear(one.angle, what)
            for coordinate, share in shares.items():
                take("hinge", coordinate, share * axis)
            places[-1] = places[-1] @ Pose(np.zeros(3), about(axis, angle))


def inertia_of(numbers: Numbers, body: Body) -> tuple[float, Array, Array]:
    """Mass, centre, and inertia about the centre in the axes of the body."""
    what = f"body '{body.name}'"
    pose = numbers.pose(body.iframe, what)
    own = np.array([[numbers.value(x, what) for x in row] for row in body.inertia.matrix])
    tensor = pose.R @ own @ pose.R.T
    return numbers.value(body.mass, what), pose.p, (tensor + tensor.T) / 2


def laws_of(numbers: Numbers, armatures: Mapping[str, float]) -> dict[str, Law]:
    """Springs, dampers, friction, motors, rotors and stops of coordinates; what is left of each effort is noted."""
    model = numbers.model
    found = {x: Law(armature=armatures.get(x, 0.0)) for x in numbers.layout.coordinates}
    for link in model.links.values():
        for coordinate, effort in link.placed_efforts().items():
            if coordinate in found:
                _law_of(numbers, found[coordinate], coordinate, effort)
    for contact in model.contacts:
        if isinstance(contact.place, Pressed):
            _grip_of(numbers, found, contact)
        elif not isinstance(contact.place, Gap) or not _stop_of(numbers, found, contact.place.gap):
            numbers.left.append(f"contact '{contact.name}' is left out.")
    return found


def law_of_loose(numbers: Numbers, laws: Mapping[str, Law], move: Move, slides: Sequence[str], *, said: bool) -> Law:
    """What a file can say of a ball, or with `slides` of a free joint: a rotor and damping, the same all around.

    Damping -d w of a ball are efforts -4 d e' on its quaternion. What cannot be `said` of it is noted.
    """
    turns, ways = [laws[x] for x in move.coordinates], [laws[x] for x in slides]
    damping, rotor = turns[0].damping / 4, turns[0].armature
    even = all(abs(x.damping - 4 * damping) <= _ROUNDING * abs(x.damping) for x in turns)
    even &= all(abs(x.damping - damping) <= _ROUNDING * abs(x.damping) for x in ways)
    found = Law(damping=damping if even and said else 0.0, armature=rotor if said else 0.0)
    rest = [replace(x, damping=0.0, armature=0.0) if even and said else x for x in (*turns, *ways)]
    if any(astuple(x) != astuple(Law()) for x in rest) or (said and any(x.armature != rotor for x in ways)):
        owner = move.coordinates[0].rpartition(".")[0]
        numbers.left.append(f"efforts on single coordinates of '{owner}', its rotors and its stops are left out.")
    return found


def _law_of(numbers: Numbers, law: Law, coordinate: str, effort: Expr) -> None:
    q, rate = ex.symbol(coordinate), ex.symbol(f"{coordinate}'")
    controls = sorted(x.name for x in ex.free_symbols(effort) if numbers.known.get(x) == 0.0)
    try:
        slopes = ex.gradient(effort, [q, *(ex.symbol(x) for x in controls)])
        still = {q: ZERO, rate: ZERO, **{ex.symbol(x): ZERO for x in controls}}
        what = f"the effort on '{coordinate}'"
        law.stiffness = -numbers.value(slopes[0], what)
        law.motors = {x: numbers.value(s, what) for x, s in zip(controls, slopes[1:], strict=True) if s is not ZERO}
        constant = numbers.value(ex.substitute([effort], still)[0], what)
        forward, backward = (ex.substitute([effort], {**still, rate: ex.as_expr(v)})[0] for v in (1.0, -1.0))
        plus, minus = numbers.value(forward, what) - constant, numbers.value(backward, what) - constant
        twice = numbers.value(ex.substitute([effort], {**still, rate: ex.as_expr(2.0)})[0], what) - constant
    except ModelError:
        numbers.left.append(f"the effort {ex.text(effort)[:80]} on '{coordinate}' is left out.")
        law.stiffness, law.motors = 0.0, {}
        return
    size = max(abs(plus), abs(minus), abs(twice), 1e-300)
    law.damping = plus - twice
    law.dry = -(plus + law.damping)
    odd = abs(plus + minus) > _ROUNDING * size or law.damping < -_ROUNDING * size or law.dry < -_ROUNDING * size
    law.dry = law.dry if abs(law.dry) > _ROUNDING * size else 0.0
    if odd or (constant and not law.stiffness):
        numbers.left.append(f"the effort {ex.text(effort)[:80]} on '{coordinate}' is no spring, damper or motor.")
        law.stiffness = law.damping = law.dry = 0.0
        return
    law.rest = constant / law.stiffness if law.stiffness else 0.0


def _grip_of(numbers: Numbers, found: Mapping[str, Law], contact: Contact) -> None:
    """Dry friction on one coordinate, which a file can say; its bound at rest and other friction is noted."""
    assert isinstance(contact.place, Pressed)
    slip, *others = contact.place.slip
    coordinate = slip.name.removesuffix("'") if slip.op == "symbol" else ""
    try:
        bound = numbers.value(contact.friction, f"the friction '{contact.name}'")
    except ModelError:
        bound = 0.0
    if others or coordinate not in found or bound <= 0:
        numbers.left.append(f"dry friction '{contact.name}' is left out.")
        return
    found[coordinate].dry += bound
    if contact.static is not None:
        numbers.left.append(f"that '{contact.name}' grips otherwise at rest (static) is left out.")


def _stop_of(numbers: Numbers, found: Mapping[str, Law], gap: Expr) -> bool:
    """Whether a gap is an end of one coordinate; it is kept then."""
    try:
        constant, shares = numbers.linear(gap, "a stop")
    except ModelError:
        return False
    if len(shares) != 1:
        return False
    ((coordinate, share),) = shares.items()
    if coordinate not in found or abs(abs(share) - 1) > _ROUNDING:
        return False
    if share > 0:
        found[coordinate].low = -constant
    else:
        found[coordinate].high = constant
    return True


@dataclass(frozen=True)
class Relation:
    """y = share x + offset, or y = offset; the name of its constraint."""

    name: str
    y: str
    x: str | None
    share: float
    offset: float


def relations_of(numbers: Numbers) -> Iterator[Relation]:
    """Constraints that tie one coordinate to a number, or to another, in proportion."""
    for one in numbers.model.constraints:
        perfect = isinstance(one.condition, Holonomic) and isinstance(one.reaction, Perfect)
        if not perfect or len(one.expressions) > 1:
            continue
        try:
            constant, shares = numbers.linear(one.expressions[0], one.name)
        except ModelError:
            continue
        if 1 <= len(shares) <= 2:
            (y, a), *rest = sorted(shares.items(), key=lambda s: abs(abs(s[1]) - 1))
            x, b = rest[0] if rest else (None, 0.0)
            yield Relation(one.name, y, x, -b / a, -constant / a)


def note_rest(numbers: Numbers, closing: Sequence[str], kept: Sequence[str] = ()) -> None:
    """Efforts, constraints and links that close loops, as far as the format has none of them."""
    model = numbers.model
    for effort in model.efforts:
        numbers.left.append(f"effort '{effort.name}' is left out.")
    for one in model.constraints:
        if one.name not in kept:
            numbers.left.append(f"constraint '{one.name}' is left out.")
    for name in closing:
        numbers.left.append(f"link '{name}', which closes a loop, is left out.")
