"""D'Alembert as the thesis uses it: sub-systems isolated, and moments where unknown reactions have none.

Papegay 2.3 (A.1 to A.6). A set of bodies is isolated; the links on its border act on it, by motors and springs that are
known and by reactions that are not. Its inertia balances all of them, moments at any point:

    dynamic torsor  =  known efforts  +  sum of (unknown reaction) x (its six components here)

A point on a link takes the link's forces out of the moments; along a motion that the link leaves free its reaction has
no component at all. So each link gives as many equations free of unknowns as it has freedoms, from either side of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.constraints.complement import complement
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import AXES, IDENTITY3, Vector3, is_zero3
from dalembert.formalisms.newton_euler import Isolated
from dalembert.formalisms.reactions import motor_wrench
from dalembert.formalisms.sides import gathered, link_of, pose_in
from dalembert.kinematics import COMPONENTS, Pose, Twist, Wrench
from dalembert.kinematics.links import LinkMotion, joint_point
from dalembert.mechanism import EARTH, did_you_mean
from dalembert.presentation.records import Record

if TYPE_CHECKING:
    from dalembert.presentation.axes import Quantity
    from dalembert.presentation.lines import Statement

_TOLD = {"M": "moment", "F": "force"}


@dataclass(frozen=True, slots=True)
class Balance(Record):
    """One component: `inertia` = `known` + the sum of unknown reactions times their coefficients."""

    name: str  # Mx ... Fz, or what the component is along
    inertia: Expr
    known: Expr
    unknown: tuple[tuple[Expr, Expr], ...] = ()

    def __add__(self, other: Balance) -> Balance:
        unknown = (*self.unknown, *other.unknown)
        return Balance(self.name, self.inertia + other.inertia, self.known + other.known, unknown)

    @property
    def free(self) -> bool:
        """Whether no unknown reaction has a part in it."""
        return not self.unknown

    @property
    def right_side(self) -> Expr:
        total = self.known
        for symbol, coefficient in self.unknown:
            total = total + coefficient * symbol
        return total


@dataclass(frozen=True, slots=True, repr=False)
class SubSystem:
    """Bodies that are isolated, the links that hold them, and their six balances, moments `at` a point."""

    bodies: tuple[str, ...]
    held_by: tuple[str, ...]
    at: str
    base: str
    balances: tuple[Balance, ...]
    known: Callable[[], Iterable[Quantity]] = field(default=tuple, compare=False)  # names for parts of long balances

    @property
    def free(self) -> tuple[Balance, ...]:
        """The balances in which no unknown reaction has a part: equations of motion."""
        return tuple(one for one in self.balances if one.free)

    def __getitem__(self, name: str) -> Balance:
        for one in self.balances:
            if one.name == name:
                return one
        raise KeyError(name)

    def show(self) -> Statement:
        """The balances as equations, those free of unknowns first."""
        from dalembert.presentation.lines import Statement
        from dalembert.presentation.scalars import readable, scalar_lines

        sides = []
        for one in sorted(self.balances, key=lambda one: not one.free):
            told = f"{_TOLD.get(one.name[0], '')} {one.name}" + (", free of reactions" if one.free else "")
            if one.inertia is not ZERO or one.right_side is not ZERO:
                sides.append((told, one.inertia, one.right_side))
        lines, where = scalar_lines(readable(sides), known=self.known)
        held = f"held by {', '.join(self.held_by) or 'nothing'}"
        title = f"{', '.join(self.bodies)} isolated ({held}), moments at {self.at}, axes of {self.base}"
        return Statement("dalembert", "scalar", title, tuple(lines), tuple(where))

    def __repr__(self) -> str:
        names = [one.name for one in self.free]
        told = ", ".join(names) or "nothing"
        return f"<{', '.join(self.bodies)} isolated, moments at {self.at}: {told} without unknowns>"

    def __str__(self) -> str:
        return str(self.show())

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def _repr_latex_(self) -> str:
        return self.show()._repr_latex_()


@dataclass(frozen=True, slots=True)
class Place:
    """A point fixed on a body, in the body's frame, with the name that it was asked by."""

    name: str
    body: int
    point: Vector3


def isolated(system: Isolated, bodies: Sequence[str], at: str | None = None, base: str | None = None) -> SubSystem:
    """The balances of some bodies; without `at`, moments are taken where the fewest unknowns have a part.

    `at` is a link (its joint), a body (its centre; `arm.centre` if a link has that name) or a named frame; `base` is a
    body, unless said that of the point or, at a link that leads out of the bodies, the one from which it leads.
    """
    members = _members(system, bodies)
    border = [one for one in system.links if (one.link.child in members) != (one.link.parent in members)]
    places = [_place(system, at)] if at is not None else _places(system, members, border)
    number = None if base is None else _number(system, base)
    found = [_balanced(system, members, border, place, number) for place in places]
    return min(found, key=_cost)


def _cost(found: SubSystem) -> tuple[int, int]:
    """Unknowns in the moments, then what it takes to compute the balances."""
    unknowns = sum(len(one.unknown) for one in found.balances[:3])
    return unknowns, ex.count_operations([x for one in found.balances for x in (one.inertia, one.right_side)])


def _balanced(
    system: Isolated, members: set[int], border: Sequence[LinkMotion], place: Place, number: int | None
) -> SubSystem:
    home, layout = place.body, system.tree.layout
    here = Pose(IDENTITY3, place.point)
    if number is None and home not in members:
        number = next((one.link.parent for one in border if one.link.child == home), home)
    if number is not None and number != home:
        here = Pose(pose_in(system, home, number).rotation, place.point)
    back = here.inverse()
    inertia = gathered(system, members, system.dynamics, home).seen_from(back)
    known = gathered(system, members, system.external, home)
    unknown: list[tuple[Expr, Wrench]] = []
    for one in border:
        j, sign = one.link.child, 1 if one.link.child in members else -1
        motor = motor_wrench(system, one).seen_from(pose_in(system, home, j))
        known = known + motor if sign > 0 else known - motor
        for symbol, wrench in reaction_parts(one):
            seen = wrench.seen_from(pose_in(system, home, j)).seen_from(back)
            unknown.append((symbol, seen if sign > 0 else -seen))
    flat = [*inertia.scalars, *known.seen_from(back).scalars, *(x for _, w in unknown for x in w.scalars)]
    flat = ex.reduce(flat)
    balances = []
    for k, name in enumerate(COMPONENTS):
        parts = [(symbol, flat[12 + 6 * i + k]) for i, (symbol, _) in enumerate(unknown)]
        balances.append(_split(system, name, flat[k], flat[6 + k], parts))
    names = tuple(layout.bodies[i].name for i in sorted(members))
    links = tuple(dict.fromkeys(symbol.name.rpartition(".")[0] for symbol, _ in unknown))
    return SubSystem(names, links, place.name, layout.bodies[home if number is None else number].name, tuple(balances))


def _split(system: Isolated, name: str, inertia: Expr, known: Expr, parts: Sequence[tuple[Expr, Expr]] = ()) -> Balance:
    """A balance with its unknowns: reactions on the border, and multipliers of links that close loops."""
    weights = [x for x in system.multipliers if x in ex.free_symbols([known])]
    slopes = ex.gradient(known, weights) if weights else []
    known = ex.substitute([known], dict.fromkeys(weights, 0))[0]
    unknown = [*parts, *zip(weights, slopes, strict=True)]
    return Balance(name, inertia, known, tuple((s, c) for s, c in unknown if c is not ZERO))


def reaction_parts(one: LinkMotion) -> list[tuple[Expr, Wrench]]:
    """Unknown reactions of a link on its child (`elbow.Fx`, in the joint's second frame), a wrench for each unit."""
    frame = one.link.link.second
    own = Pose.of(frame.displacement)
    if one.link.reversed:
        own = one.pose.inverse() @ own
    found = complement([twist.at(own) for twist in one.free])
    sign = ex.MINUS_ONE if one.link.reversed else ex.ONE  # told as the action on the second body
    parts = []
    for k, column in zip(found.free, found.basis, strict=True):
        wrench = Wrench.of([sign * x for x in column]).seen_from(own)
        parts.append((ex.symbol(f"{one.link.link.name}.{COMPONENTS[k]}"), wrench))
    return parts


def along(system: Isolated, members: Sequence[int], one: LinkMotion, twist: Twist, motors: Expr, name: str) -> Balance:
    """The balance of one side of a link along one of its motions, in which its motors have the power `motors`.

    The reaction of the link has no part in it.
    """
    j = one.link.child
    inertia, known = (gathered(system, members, part, j) for part in (system.dynamics, system.external))
    inner = j not in members
    if inner:  # the free link that holds this side to earth may have motors, too
        root = link_of(system, system.tree.layout.path(j)[0])
        known = known + motor_wrench(system, root).seen_from(pose_in(system, j, root.link.child))
    power = known.power(twist) + (-motors if inner else motors)
    left, right = ex.reduce([inertia.power(twist), power])
    return _split(system, name, left, right)


# --- names -----------------------------------------------------------------------------------------------------------


def _number(system: Isolated, name: str) -> int:
    names = [body.name for body in system.tree.layout.bodies]
    if name not in names:
        raise ModelError(f"there is no body '{name}'.{did_you_mean(name, names)} Bodies: {', '.join(names[1:])}.")
    return names.index(name)


def _members(system: Isolated, bodies: Sequence[str]) -> set[int]:
    found = {_number(system, name) for name in bodies}
    if not found or 0 in found:
        raise ModelError(f"name the bodies to isolate, '{EARTH}' not among them: the ground is never isolated.")
    return found


def _place(system: Isolated, at: str) -> Place:
    layout = system.tree.layout
    links = {one.link.link.name: one for one in system.links}
    frames = layout.model.frames
    names = [body.name for body in layout.bodies]
    if at in links:
        one = links[at]
        return Place(f"the joint {at}", one.link.child, joint_point(one, "second"))
    if at in frames:
        frame = frames[at]
        return Place(at, layout.number(frame.body), frame.displacement.translation)
    body = at.removesuffix(".centre")
    if body in names[1:]:
        return Place(f"the centre of {body}", names.index(body), layout.bodies[names.index(body)].centre)
    known = [*links, *names[1:], *frames]
    raise ModelError(f"'{at}' is no point for moments: name a link, a body or a frame.{did_you_mean(at, known)}")


def _places(system: Isolated, members: set[int], border: Sequence[LinkMotion]) -> list[Place]:
    """Joints on the border, then centres: the points where a balance may be short."""
    joints = [_place(system, one.link.link.name) for one in border]
    heavy = [i for i in sorted(members) if system.motions[i].body.mass is not ZERO]
    centres = [Place(f"the centre of {system.motions[i].body.name}", i, system.motions[i].body.centre) for i in heavy]
    return [*joints, *centres] or [Place("its origin", min(members), Vector3((ZERO, ZERO, ZERO)))]


def motion_name(one: LinkMotion, twist: Twist) -> str:
    """What a motion of a link is: a turn about an axis, a slide along one, or both."""
    place = joint_point(one, "second")
    slide, turn = twist.velocity(place), twist.angular
    what = "moment about" if is_zero3(slide) else "force along" if is_zero3(turn) else "screw of"
    vector = turn if not is_zero3(turn) else slide
    axis = [a for a, x in zip(AXES, vector, strict=True) if x is not ZERO]
    return f"{what} {axis[0]}" if len(axis) == 1 else f"{what} its axis"
