"""Every known effort of a mechanism as an action on one body, in that body's base: weight, thrusters, joint motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import (
    ZERO3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
)
from dalembert.kinematics.effort import effort_actions
from dalembert.kinematics.spatial import Pose, Wrench
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.kinematics.wrench import in_speeds
from dalembert.mechanism import Body, Effort, Link


@dataclass(frozen=True, slots=True)
class Action:
    """A force at a point of a body and a torque on it, components in the body's base.

    `effort` is what acts: the Body whose weight it is, the Link whose joint carries it, or the applied Effort itself;
    `name` is for people only.
    """

    body: int
    name: str
    effort: Body | Link | Effort
    point: Vector3
    force: Vector3 = ZERO3
    torque: Vector3 = ZERO3

    @property
    def wrench(self) -> Wrench:
        """About the origin of the body's reference frame."""
        return Wrench.at_point(self.point, self.force, self.torque)

    def at_origin(self) -> Action:
        """The same action at a point that the speeds do not move, so that powers may be derived by them."""
        return replace(self, point=ZERO3, torque=self.wrench.moment)


@dataclass(frozen=True, slots=True)
class CoordinateEffort:
    """A known generalised effort: its power is effort times the rate of the coordinate."""

    link: str
    coordinate: Expr
    effort: Expr


def known_actions(tree: Tree, gravity: bool = True) -> list[Action]:
    """Weight at each centre, applied forces and torques, and both sides of the wrenches that joints carry."""
    found = [*(weights(tree) if gravity else []), *_applied(tree)]
    for one in tree.layout.tree:
        found += _of_joint(tree, one.link)
    found = [a for a in found if a.body != 0 and not (is_zero3(a.force) and is_zero3(a.torque))]
    flat = in_speeds(tree, [x for a in found for x in (*a.point, *a.force, *a.torque)])
    written = [
        replace(a, point=Vector3(f[:3]), force=Vector3(f[3:6]), torque=Vector3(f[6:9]))
        for a, f in zip(found, (flat[9 * i : 9 * i + 9] for i in range(len(found))), strict=True)
    ]
    speeds = set(tree.speeds)
    return [a if speeds.isdisjoint(ex.free_symbols(a.point)) else a.at_origin() for a in written]


def coordinate_efforts(tree: Tree) -> list[CoordinateEffort]:
    """Known efforts on coordinates, written in the state."""
    found = [
        (one.link.name, ex.symbol(x), effort)
        for one in tree.layout.tree
        for x, effort in one.link.placed_efforts().items()
        if effort is not ZERO
    ]
    written = in_speeds(tree, [effort for _, _, effort in found])
    return [CoordinateEffort(link, x, effort) for (link, x, _), effort in zip(found, written, strict=True)]


def weights(tree: Tree) -> list[Action]:
    """The weight of every body, at its centre: gravity is turned from body to body, once for each."""
    gravity = tree.layout.model.gravity
    if is_zero3(gravity):
        return []
    turned: list[Vector3] = []  # in the base of each node; a walk from earth to each would grow with the square
    for node in tree.nodes:
        above = gravity if node.parent == EARTH_NODE else turned[node.parent]
        turned.append(apply_transposed3(node.pose.rotation, above))
    found = []
    for i, body in enumerate(tree.layout.bodies):
        if i and body.mass is not ZERO:
            held, place = tree.place[i]
            above = gravity if held == EARTH_NODE else turned[held]
            force = body.mass * apply_transposed3(place.rotation, above)
            found.append(Action(i, f"weight of {body.name}", body, body.centre, force))
    return found


def _applied(tree: Tree) -> list[Action]:
    """Actions of the applied efforts; a spring with a damper is told in its two parts, of which one has a potential."""
    return [
        Action(one.body, effort.name, part, one.point, one.force, one.torque)
        for effort in tree.layout.model.efforts
        for part in effort.split()
        if part is not None
        for one in effort_actions(tree, part)
    ]


def _of_joint(tree: Tree, link: Link) -> list[Action]:
    """Step wrenches: on the second body at the origin after the step, opposite on the first body at that point."""
    first, second = tree.layout.number(link.first.body), tree.layout.number(link.second.body)
    steps, motions = link.placed_steps(), tree.motions[link.name]
    forward = [Pose.of(link.first.displacement)]
    for motion in motions:
        forward.append(forward[-1] @ Pose(motion.rotation, motion.translation))
    backward = [Pose.of(link.second.displacement)]
    for motion in reversed(motions):
        back = motion.reversed()
        backward.append(backward[-1] @ Pose(back.rotation, back.translation))
    backward.reverse()
    found = []
    for k, step in enumerate(steps):
        if step.is_loaded:
            name = f"joint {link.name}"
            for body, frames, sign in ((second, backward, 1), (first, forward, -1)):
                force, torque = (apply3(frames[k].rotation, v) for v in (step.force, step.torque))
                if sign < 0:
                    force, torque = -force, -torque
                found.append(Action(body, name, link, frames[k + 1].position, force, torque))
    return found


def pull_back(fields: Sequence[Expr], efforts: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Sum of efforts times the derivatives of their fields: the generalised efforts, efforts held while deriving."""
    held = [ex.symbol(f"effort {k}") for k in range(len(efforts))]
    power = ZERO
    for field, effort, weight in zip(fields, efforts, held, strict=True):
        if effort is not ZERO:
            power = power + weight * field
    found = ex.gradient(power, variables)
    return ex.substitute(found, dict(zip(held, efforts, strict=True)))
