"""The kinematics that every textbook formalism shares: spin and velocity of each body, in its own base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ONE, TIME, Expr
from dalembert.expr.space import (
    Matrix3,
    Vector3,
    apply3,
    is_zero3,
    turned_symmetric,
)
from dalembert.kinematics.motion import poses, twists
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.mechanism import Body


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """One body in motion: its twist at the origin of its reference frame and its inertia, in its own base."""

    number: int
    body: Body
    twist: Twist
    inertia: Matrix3  # about the centre of mass

    @property
    def has_mass(self) -> bool:
        return self.body.mass is not ex.ZERO or not all(is_zero3(row) for row in self.inertia)

    @property
    def spin(self) -> Vector3:
        return self.twist.angular

    @property
    def velocity(self) -> Vector3:
        """Of the origin of the reference frame."""
        return self.twist.linear

    def point(self, arm: Vector3) -> Vector3:
        """v(P) = v(O) + w x OP."""
        return self.twist.velocity(arm)

    @property
    def centre_velocity(self) -> Vector3:
        return self.point(self.body.centre)


def body_motions(tree: Tree) -> list[BodyMotion]:
    """Every body, earth first, in the order of the layout."""
    found, moving = [], twists(tree)
    for number, (body, (node, pose)) in enumerate(zip(tree.layout.bodies, tree.place, strict=True)):
        twist = Twist() if node == EARTH_NODE else moving[node].at(pose)
        inertia = turned_symmetric(body.iframe.matrix, body.inertia.matrix)
        found.append(BodyMotion(number, body, twist, inertia))
    return found


def body_poses(tree: Tree) -> list[Pose]:
    """Pose of every body's reference frame in the frame of earth."""
    absolute = poses(tree)
    return [pose if node == EARTH_NODE else absolute[node] @ pose for node, pose in tree.place]


def acceleration_symbols(tree: Tree) -> list[Expr]:
    """The symbols u' in which equations are written before they are solved."""
    return [ex.prime(u) for u in tree.speeds]


def in_time(tree: Tree, accelerations: Sequence[Expr] | None = None) -> Mapping[Expr, Expr]:
    """The direction of motion in the space of t, q and u: derive along it for a total time derivative."""
    moving = {TIME: ONE, **tree.rates}
    if accelerations is not None:
        moving |= dict(zip(tree.speeds, accelerations, strict=True))
    return moving


@dataclass(frozen=True, slots=True)
class BodyAcceleration:
    """Angular acceleration and acceleration of the centre of mass, in the body's base."""

    angular: Vector3
    centre: Vector3


def body_accelerations(tree: Tree, motions: Sequence[BodyMotion], udot: Sequence[Expr]) -> list[BodyAcceleration]:
    """alpha = dw/dt and gamma(G) = dv(G)/dt + w x v(G), derivatives taken in the moving base."""
    flat = ex.reduce([x for one in motions for x in (*one.spin, *one.centre_velocity)])
    moved = ex.tangent(flat, in_time(tree, udot))
    found = []
    for k in range(0, len(flat), 6):
        spin, velocity = Vector3(flat[k : k + 3]), Vector3(flat[k + 3 : k + 6])
        turned = Vector3(moved[k + 3 : k + 6]) + spin.cross(velocity)
        found.append(BodyAcceleration(Vector3(moved[k : k + 3]), turned))
    return found


def dynamic_moment(one: BodyMotion, angular: Vector3) -> Vector3:
    """Moment at G of the inertia of a body: I alpha + w x I w."""
    return apply3(one.inertia, angular) + one.spin.cross(apply3(one.inertia, one.spin))
