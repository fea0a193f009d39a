"""The chain of joints between two frames, as turns about and slides along axes that are drawn at the zero posture.

    pose of the tip = E_1(q_1) E_2(q_2) ... E_n(q_n) g_0

with E_i a turn about, or a slide along, the axis i as it lies where all q are zero (a product of exponentials).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import ZERO3, Vector3, is_zero3, turn_matrix
from dalembert.kinematics import Pose
from dalembert.mechanism import EARTH, Displacement, Frame, Layout, Link, QuaternionTurn, TreeLink, Turn, did_you_mean


@dataclass(frozen=True, slots=True)
class ArmJoint:
    """A turn by `factor q + offset` about an axis, or a slide by it; `axis` and `point` at the zero posture."""

    coordinate: str
    turns: bool
    axis: Vector3
    point: Vector3
    factor: Expr
    offset: Expr


@dataclass(frozen=True, slots=True)
class Arm:
    """Joints from the base to the tip, and the pose of the tip where every joint is at zero."""

    name: str
    base: Frame
    tip: Frame
    joints: tuple[ArmJoint, ...]
    tip_pose: Pose

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(one.coordinate for one in self.joints)


class CurvedError(ModelError):
    """The displacements are no turns and slides, each by a coordinate of its own."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """An elementary displacement: fixed, or by one coordinate."""

    pose: Pose = Pose()
    coordinate: str = ""
    turns: bool = False
    axis: Vector3 = ZERO3
    amount: Expr = ex.ZERO

    def reversed(self) -> _Piece:
        if not self.coordinate:
            return _Piece(self.pose.inverse())
        return _Piece(Pose(), self.coordinate, self.turns, self.axis, -self.amount)


def path_between(layout: Layout, first: str, second: str) -> list[tuple[TreeLink, bool]]:
    """Links of the tree from one body to another, each with whether it is walked from its child to its parent."""
    above = {one.child: one for one in layout.tree}

    def up(body: int) -> list[TreeLink]:
        found = []
        while body in above:
            found.append(above[body])
            body = above[body].parent
        return found

    rising, falling = up(layout.number(first)), up(layout.number(second))
    while rising and falling and rising[-1] is falling[-1]:
        rising.pop()
        falling.pop()
    return [*((one, True) for one in rising), *((one, False) for one in reversed(falling))]


def arm_of(layout: Layout, base: Frame, tip: Frame, values: Mapping[Expr, Expr] | None = None) -> Arm:
    """The chain between two frames, with time and further coordinates at the given values."""
    replace = {ex.TIME: ex.ZERO, **(values or {})}
    pieces = [_Piece(Pose.of(base.displacement).inverse())]
    moving = {ex.symbol(x) for x in layout.coordinates} - replace.keys()
    for one, upwards in path_between(layout, base.body, tip.body):
        forward = one.reversed is upwards  # from the first frame of the link to its second
        own = list(_pieces(one.link, moving, replace))
        pieces += own if forward else [x.reversed() for x in reversed(own)]
    pieces.append(_Piece(Pose.of(tip.displacement)))
    return Arm(layout.model.name, base, tip, *_laid(pieces))


def _laid(pieces: Sequence[_Piece]) -> tuple[tuple[ArmJoint, ...], Pose]:
    here, joints = Pose(), list[ArmJoint]()
    for piece in pieces:
        if not piece.coordinate:
            here = here @ piece.pose
            continue
        q = ex.symbol(piece.coordinate)
        factor, offset = ex.derivative(piece.amount, q), ex.substitute([piece.amount], {q: ex.ZERO})[0]
        if ex.free_symbols([factor]) & {ex.symbol(x.coordinate) for x in joints} or q in ex.free_symbols([factor]):
            raise CurvedError(
                f"'{piece.coordinate}' moves its link by {ex.text(piece.amount)[:60]}, not in proportion."
            )
        if any(piece.coordinate == x.coordinate for x in joints):
            raise CurvedError(f"'{piece.coordinate}' moves several joints of the chain.")
        joints.append(ArmJoint(piece.coordinate, piece.turns, here.vector(piece.axis), here.position, factor, offset))
    return tuple(joints), here


def _pieces(link: Link, moving: set[Expr], values: Mapping[Expr, Expr]) -> Iterator[_Piece]:
    yield _Piece(Pose.of(link.first.displacement))
    for step in link.placed_steps():
        yield from _split(step.displacement.substitute(values), moving)
    yield _Piece(Pose.of(link.second.displacement.inverse()))


def _split(displacement: Displacement, moving: set[Expr]) -> Iterator[_Piece]:
    """A displacement as slides and turns, each by one coordinate."""
    translation = displacement.translation
    used = sorted(ex.free_symbols(translation) & moving, key=lambda x: x.name)
    start = Vector3(ex.substitute(translation, dict.fromkeys(used, ex.ZERO)))
    if not is_zero3(start):
        yield _Piece(Pose(position=start))
    for x in used:
        way = Vector3(ex.derivative(y, x) for y in translation)
        if ex.free_symbols(way) & moving:
            raise CurvedError(f"the displacement by '{x.name}' is no straight line.")
        length = ex.sqrt(way.dot(way))
        yield _Piece(Pose(), x.name, False, way * (ex.ONE / length), x * length)
    for one in displacement.turns:
        if isinstance(one, QuaternionTurn):
            if ex.free_symbols(one.scalars) & moving:
                raise ModelError(
                    "the chain turns by a quaternion, whose four coordinates are not free. Describe this joint "
                    "with three angles, spherical('bryant')."
                )
            yield _Piece(Pose(one.matrix))
            continue
        yield from _turned(one, moving)


def _turned(one: Turn, moving: set[Expr]) -> Iterator[_Piece]:
    used = ex.free_symbols([one.angle]) & moving
    if len(used) > 1:
        raise CurvedError(f"the angle {ex.text(one.angle)[:60]} is of several coordinates.")
    if used:
        yield _Piece(Pose(), next(iter(used)).name, True, one.axis, one.angle)
    else:
        yield _Piece(Pose(turn_matrix(one.angle, one.axis)))


def refuse_conditions(layout: Layout, names: Sequence[str]) -> None:
    """Coordinates of the chain that loops or conditions tie are not free: the answer would be for another machine."""
    for cut in layout.cuts:
        tied = {
            x
            for one, _ in path_between(layout, cut.link.first.body, cut.link.second.body)
            for x in one.link.coordinates
        }
        if tied & set(names):
            raise ModelError(
                f"'{min(tied & set(names))}' is in the loop that '{cut.link.name}' closes, so it is not free. Hold the "
                "coordinates of the loop with `at`, or describe the arm without the loop."
            )
    for one in layout.further:
        used = {x.name for x in ex.free_symbols(one.expressions)} & set(names)
        if used:
            raise ModelError(
                f"the condition '{one.name}' ties '{min(used)}', so it is not free. Hold the coordinates of the "
                "condition with `at`, or take the condition out."
            )


def frame_named(layout: Layout, what: str | Frame) -> Frame:
    """A frame by its name, or by that of a body."""
    if isinstance(what, Frame):
        layout.number(what.body)
        return what
    if what in layout.model.frames:
        return layout.model.frames[what]
    if what == EARTH:
        return Frame(EARTH)
    if what in layout.model.bodies:
        return layout.model.bodies[what].frame
    known = [*layout.model.frames, *layout.model.bodies]
    raise ModelError(f"'{layout.model.name}' has no frame or body '{what}'.{did_you_mean(what, known) or ''}")
