"""Energies that follow from kinematics alone: kinetic energy and the potential energy of gravity."""

from __future__ import annotations

from dalembert.expr import HALF, ZERO, Expr
from dalembert.expr.space import apply3
from dalembert.kinematics.inertia import node_inertias
from dalembert.kinematics.motion import poses, twists
from dalembert.kinematics.tree import Tree


def kinetic_energy(tree: Tree) -> Expr:
    """T = 1/2 sum (angular momentum . w + momentum . v), each body in its own base."""
    total = ZERO
    for inertia, twist in zip(node_inertias(tree), twists(tree), strict=True):
        angular, linear = inertia.momentum(twist)
        total = total + HALF * (angular.dot(twist.angular) + linear.dot(twist.linear))
    return total


def gravity_energy(tree: Tree) -> Expr:
    """V = - sum m g . OG."""
    total, gravity = ZERO, tree.layout.model.gravity
    for inertia, pose in zip(node_inertias(tree), poses(tree), strict=True):
        first_moment = inertia.mass * pose.position + apply3(pose.rotation, inertia.moment)
        total = total - gravity.dot(first_moment)
    return total
