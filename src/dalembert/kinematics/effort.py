"""What an effort does: forces at points of bodies and torques on them, and its energy where it has one."""

from __future__ import annotations

from typing import NamedTuple

from dalembert import expr as ex
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import (
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
    norm3,
)
from dalembert.kinematics.motion import relative_twist
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.mechanism import Bushing, Effort, Force, Frame, Spring, Torque, TorsionSpring


class BodyAction(NamedTuple):
    """A force at a point of a body and a torque on it, in the frame of the body (number 0 is earth)."""

    body: int
    point: Vector3
    force: Vector3
    torque: Vector3


def effort_actions(tree: Tree, effort: Effort) -> list[BodyAction]:
    """The actions of one effort on bodies; rates and unknown laws in its formulas stay as they are written."""
    number = tree.layout.number
    if isinstance(effort, Force):
        on = number(effort.at.body)
        return [BodyAction(on, effort.at.displacement.translation, _in_base(tree, effort, on), ZERO3)]
    if isinstance(effort, Torque):
        on = number(effort.on)
        return [BodyAction(on, ZERO3, ZERO3, _in_base(tree, effort, on))]
    two = _Two.of(tree, effort)
    if isinstance(effort, Spring):
        return two.pushed(*_push(effort, two))
    if isinstance(effort, TorsionSpring):
        angle, direction = _turn(effort, two)
        rate = direction.dot(two.motion.angular)
        torque = effort.law(angle, rate) * direction
        return two.pushed(ZERO3, torque, at_second=True)
    return two.pushed(*_bushing(effort, two), at_second=True)


def effort_measure(tree: Tree, effort: Spring | TorsionSpring) -> Expr:
    """The length of a spring or the angle of a torsion spring: the effort's power is its law times the rate of it."""
    two = _Two.of(tree, effort)
    return norm3(two.place.position) if isinstance(effort, Spring) else _turn(effort, two)[0]


def effort_told(tree: Tree, effort: Spring | TorsionSpring) -> tuple[Expr, Expr, Expr]:
    """The length of a spring or the angle of a torsion spring, its rate, and what makes it grow."""
    two = _Two.of(tree, effort)
    if isinstance(effort, Spring):
        d = two.place.position
        measure = norm3(d)
        rate = d.dot(two.velocity) / measure
    else:
        measure, direction = _turn(effort, two)
        rate = direction.dot(two.motion.angular)
    return measure, rate, effort.law(measure, rate)


def effort_energy(tree: Tree, effort: Effort) -> Expr | None:
    """Potential energy of the part of an effort that has one by its own description (`effort.split()[0]`)."""
    if isinstance(effort, Force | Torque) or effort.split()[0] is None:
        return None
    if isinstance(effort, TorsionSpring) or (isinstance(effort, Spring) and effort.length is not ZERO):
        return effort.energy(effort_measure(tree, effort))
    place = _Two.of(tree, effort).place
    if isinstance(effort, Spring):
        return HALF * effort.stiffness * place.position.dot(place.position)
    p, w = place.position, _axial(place.rotation)
    moved, turned = p.dot(_times(effort.stiffness, p)), w.dot(_times(effort.turning, w))
    return HALF * (moved + turned / (1 + _trace(place.rotation)))


def effort_singularities(tree: Tree) -> list[tuple[str, Expr]]:
    """For every spring whose force has no direction where its two points meet: its name and its length."""
    needed = [e for e in tree.layout.model.efforts if isinstance(e, Spring) and e.needs_direction]
    return [(effort.name, norm3(_Two.of(tree, effort).place.position)) for effort in needed]


class _Two(NamedTuple):
    """Two frames on bodies: place and motion of the second as the first sees it, in the base of the first."""

    bodies: tuple[int, int]
    held: tuple[Pose, Pose]  # each frame in its body
    place: Pose
    motion: Twist  # relative, of the second's origin
    velocity: Vector3  # of the second's origin, less that of the first's

    @staticmethod
    def of(tree: Tree, effort: Spring | TorsionSpring | Bushing) -> _Two:
        shared = _shared(tree, effort.first, effort.second)
        (a, near), (b, far) = (_seen(tree, frame, shared) for frame in effort.frames)
        place = a.inverse() @ b
        carried = far.turned(place.rotation)
        motion = carried - near.at(Pose(position=place.position))
        first, second = (tree.layout.number(frame.body) for frame in effort.frames)
        held = Pose.of(effort.first.displacement), Pose.of(effort.second.displacement)
        return _Two((first, second), held, place, motion, carried.linear - near.linear)

    def pushed(self, force: Vector3, torque: Vector3 = ZERO3, *, at_second: bool = False) -> list[BodyAction]:
        """Force at the second origin and torque there, in the base of the first; the opposite on the first body.

        The opposite force acts on the first body at its own frame, which is on the line of the force, or `at_second`.
        """
        near, far = self.held
        back = near.point(self.place.position) if at_second else near.position
        on_second = far.vector(self.place.vector_back(force)), far.vector(self.place.vector_back(torque))
        return [
            BodyAction(self.bodies[1], far.position, *on_second),
            BodyAction(self.bodies[0], back, near.vector(-force), near.vector(-torque)),
        ]


def _push(spring: Spring, two: _Two) -> tuple[Vector3, Vector3]:
    """Force on the second point along the line from the first; a bare spring of length zero needs no division."""
    d = two.place.position
    if not spring.needs_direction:
        return -spring.stiffness * d, ZERO3
    l = norm3(d)
    return spring.law(l, d.dot(two.velocity) / l) / l * d, ZERO3


def _turn(spring: TorsionSpring, two: _Two) -> tuple[Expr, Vector3]:
    """Angle th about the axis n, and the vector g with th' = g . w: g = (n + R n)/(1 + n . R n).

    In the unit quaternion (e0, e) of R, th = 2 atan2(e . n, e0); with the axes aligned, g is the axis.
    """
    n, rotation = spring.axis, two.place.rotation
    carried = apply3(rotation, n)
    along = n.dot(carried)
    angle = ex.atan2(n.dot(_axial(rotation)), _trace(rotation) - along)
    return angle, n if carried == n else ONE / (1 + along) * (n + carried)


def _bushing(bushing: Bushing, two: _Two) -> tuple[Vector3, Vector3]:
    p, w = two.place.position, _axial(two.place.rotation)
    force = -(_times(bushing.stiffness, p) + _times(bushing.damping, two.motion.linear))
    held = _times(bushing.turning, w)
    if len(set(bushing.turning)) > 1:
        held = held + ONE / (1 + _trace(two.place.rotation)) * w.cross(held)
    return force, -(HALF * held + _times(bushing.turning_damping, two.motion.angular))


def _times(diagonal: Vector3, v: Vector3) -> Vector3:
    return Vector3((diagonal[0] * v[0], diagonal[1] * v[1], diagonal[2] * v[2]))


def _trace(m: Matrix3) -> Expr:
    return m[0][0] + m[1][1] + m[2][2]


def _axial(m: Matrix3) -> Vector3:
    """Twice the sine of the angle of a rotation, along its axis."""
    return Vector3((m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]))


def _seen(tree: Tree, frame: Frame, shared: int) -> tuple[Pose, Twist]:
    """Pose of a frame and its twist (in its own base), both relative to the first `shared` nodes of its path."""
    node, held = tree.frame_place(frame)
    pose, twist = Pose(), Twist()
    for k in path(tree, node)[shared:]:
        one = tree.nodes[k]
        pose, twist = pose @ one.pose, twist.at(one.pose) + relative_twist(tree, one)
    return pose @ held, twist.at(held)


def _shared(tree: Tree, first: Frame, second: Frame) -> int:
    return common(path(tree, tree.frame_place(first)[0]), path(tree, tree.frame_place(second)[0]))


def _in_base(tree: Tree, effort: Force | Torque, body: int) -> Vector3:
    return in_base(tree, tree.layout.number(effort.base), body, effort.value)


def in_base(tree: Tree, base: int, body: int, vector: Vector3) -> Vector3:
    """A vector given in the base of one body, in the base of another: up to the common ancestor, then down."""
    if base == body or is_zero3(vector):
        return vector
    (start, own), (end, other) = tree.place[base], tree.place[body]
    vector = apply3(own.rotation, vector)
    up, down = path(tree, start), path(tree, end)
    shared = common(up, down)
    for node in reversed(up[shared:]):
        vector = apply3(tree.nodes[node].pose.rotation, vector)
    for node in down[shared:]:
        vector = apply_transposed3(tree.nodes[node].pose.rotation, vector)
    return apply_transposed3(other.rotation, vector)


def path(tree: Tree, node: int) -> list[int]:
    """Nodes from earth to a node."""
    found: list[int] = []
    while node != EARTH_NODE:
        found.append(node)
        node = tree.nodes[node].parent
    return found[::-1]


def common(up: list[int], down: list[int]) -> int:
    """How many nodes two paths from earth share."""
    shared = 0
    while shared < min(len(up), len(down)) and up[shared] == down[shared]:
        shared += 1
    return shared
