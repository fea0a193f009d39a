"""Positions and velocities along the tree: absolute poses in the base of earth, twists in the base of each node."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.tree import EARTH_NODE, Node, Tree
from dalembert.mechanism import Frame


def poses(tree: Tree) -> list[Pose]:
    """Pose of every node in the frame of earth."""
    found: list[Pose] = []
    for node in tree.nodes:
        found.append(node.pose if node.parent == EARTH_NODE else found[node.parent] @ node.pose)
    return found


def frame_pose(tree: Tree, frame: Frame, absolute: list[Pose] | None = None) -> Pose:
    """Pose of a frame drawn on a body, in the frame of earth."""
    node, pose = tree.frame_place(frame)
    if node == EARTH_NODE:
        return pose
    return (absolute or poses(tree))[node] @ pose


def relative_twist(tree: Tree, node: Node) -> Twist:
    """Twist of a node relative to its parent: sum columns u + drift."""
    total = node.drift
    for index, column in node.columns:
        total = total + column.scaled(tree.speeds[index])
    return total


def carried(node: Node, twist: Twist) -> Twist:
    """A parent's twist as the node's frame feels it: moved to its origin, turned to its base."""
    return twist.at(node.pose)


def twists(tree: Tree) -> list[Twist]:
    """Absolute twist of every node, in its own base."""
    found: list[Twist] = []
    for node in tree.nodes:
        own = relative_twist(tree, node)
        found.append(own if node.parent == EARTH_NODE else carried(node, found[node.parent]) + own)
    return found


def rates(tree: Tree) -> list[Expr]:
    """Time derivatives of the coordinates, q' = P(q) u."""
    return [tree.rates[x] for x in tree.coordinates]


def time_derivative(tree: Tree, exprs: list[Expr]) -> list[Expr]:
    """Total time derivative at constant speeds, explicit time included."""
    return ex.tangent(exprs, {ex.TIME: ex.ONE, **tree.rates})
