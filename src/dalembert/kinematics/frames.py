"""Frames in motion: where they are and how they move, made once for all who ask."""

from __future__ import annotations

from functools import cached_property

from dalembert.kinematics.motion import frame_pose, poses, twists
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.tree import EARTH_NODE, Tree
from dalembert.mechanism import Frame


class FrameMotions:
    """Poses and twists of the frames of a tree; those of its nodes are made when first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def nodes(self) -> list[Pose]:
        return poses(self.tree)

    @cached_property
    def twists(self) -> list[Twist]:
        """Of the nodes, each in its own base."""
        return twists(self.tree)

    def pose(self, frame: Frame) -> Pose:
        return frame_pose(self.tree, frame, self.nodes)

    def twist(self, frame: Frame) -> Twist:
        """Angular velocity, and velocity of the origin, in the base of earth."""
        node, place = self.tree.frame_place(frame)
        if node == EARTH_NODE:
            return Twist()
        pose, twist = self.nodes[node], self.twists[node]
        return Twist(pose.vector(twist.angular), pose.vector(twist.velocity(place.position)))
