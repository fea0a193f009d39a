"""The loop that a cut link closes: how its second frame moves relative to its first, along the tree between them.

Everything is written in the frame of the last node that both sides share (the carrier), so that neither the place of
the machine nor the motion of what carries the loop enters: speeds outside the loop have no entry, and nothing is lost
by subtracting motions that both sides have.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expr import HALF, ZERO, Expr
from dalembert.expr.space import Matrix3, Vector3, add3, cross, norm3, product3, sub3, transpose3
from dalembert.kinematics import EARTH_NODE, Node, Pose, Tree, Twist, relative_twist
from dalembert.mechanism import Frame, Link


@dataclass(frozen=True, slots=True)
class Loop:
    """Motion of the second frame relative to the first, at the origin of the second, in the base of the carrier.

    The relative twist is `twist`, `columns[k]` its part for a unit of speed k, `rate` its derivative in the base of the
    carrier at constant speeds; `spin` is the angular velocity of the second frame. `turns[k]` and `pushes[k]` are the
    sizes of a column at its own joint, `length` adds up the distances around the loop, `depth` counts displacements.
    """

    first: Pose
    second: Pose
    twist: Twist
    rate: Twist
    spin: Vector3
    columns: dict[int, Twist]
    turns: dict[int, Expr]
    pushes: dict[int, Expr]
    length: Expr
    depth: int

    @staticmethod
    def of(tree: Tree, link: Link) -> Loop:
        near_path, near_place = _path(tree, link.first)
        far_path, far_place = _path(tree, link.second)
        shared = sum(1 for _ in _common(near_path, far_path))
        near = _Side.along(tree, near_path[shared:], near_place)
        far = _Side.along(tree, far_path[shared:], far_place)
        point, there = far.end.position, far.at_end
        arm = sub3(point, near.end.position)
        carried = Twist(near.at_end.angular, near.at_end.velocity(arm))
        bias = near.bias_at_end
        moved = add3(bias.velocity(arm), cross(near.at_end.angular, sub3(there.linear, near.at_end.linear)))
        columns, turns, pushes = dict[int, Twist](), dict[int, Expr](), dict[int, Expr]()
        for side in (far, near):
            for node, pose in zip(side.nodes, side.poses, strict=True):
                reach = sub3(point, pose.position)
                for k, column in node.columns:
                    own = Twist(pose.vector(column.angular), pose.vector(column.linear))
                    own = Twist(own.angular, own.velocity(reach))
                    columns[k] = columns.get(k, Twist()) + (own if side is far else -own)
                    turns[k] = turns.get(k, ZERO) + norm3(column.angular)
                    pushes[k] = pushes.get(k, ZERO) + norm3(column.linear)
        return Loop(
            near.end,
            far.end,
            there - carried,
            far.bias_at_end - Twist(bias.angular, moved),
            there.angular,
            columns,
            turns,
            pushes,
            near.length + far.length,
            len(near.nodes) + len(far.nodes) + len(link.joint.steps),
        )

    def misfit(self, joint: Pose) -> Twist:
        """The small displacement that separates the second frame from where the joint puts it, in its own base."""
        wanted = self.first @ joint
        turned = product3(transpose3(wanted.rotation), self.second.rotation)
        return Twist(_axial(turned), self.second.vector_back(sub3(self.second.position, wanted.position)))


@dataclass(frozen=True, slots=True)
class _Side:
    """The way from the carrier to one frame of the link: nodes, their poses, and the motion of the frame."""

    nodes: tuple[Node, ...]
    poses: tuple[Pose, ...]
    end: Pose
    at_end: Twist
    bias_at_end: Twist  # derivative of `at_end` at constant speeds
    length: Expr

    @staticmethod
    def along(tree: Tree, path: tuple[int, ...], place: Pose) -> _Side:
        pose, twist, bias, length = Pose(), Twist(), Twist(), norm3(place.position)
        poses = []
        for k in path:
            node = tree.nodes[k]
            there = pose @ node.pose
            arm = sub3(there.position, pose.position)
            own, rate = _turned(there, relative_twist(tree, node)), _turned(there, node.rate)
            new = Twist(twist.angular, twist.velocity(arm)) + own
            speed = sub3(new.linear, twist.linear)
            linear = add3(bias.velocity(arm), cross(twist.angular, speed))
            turning = Twist(cross(twist.angular, own.angular), cross(new.angular, own.linear))
            bias = Twist(bias.angular, linear) + turning + rate
            pose, twist = there, new
            poses.append(there)
            for one in node.chain:
                length = length + norm3(one.position)
        end = pose @ place
        arm = sub3(end.position, pose.position)
        linear = add3(bias.velocity(arm), cross(twist.angular, cross(twist.angular, arm)))
        return _Side(
            tuple(tree.nodes[k] for k in path),
            tuple(poses),
            end,
            Twist(twist.angular, twist.velocity(arm)),
            Twist(bias.angular, linear),
            length,
        )


def _path(tree: Tree, frame: Frame) -> tuple[tuple[int, ...], Pose]:
    """Nodes from earth to a frame, and the frame's constant pose on the last of them."""
    node, place = tree.frame_place(frame)
    path: list[int] = []
    while node != EARTH_NODE:
        path.append(node)
        node = tree.nodes[node].parent
    return tuple(reversed(path)), place


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> list[int]:
    found = []
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        found.append(x)
    return found


def _turned(pose: Pose, twist: Twist) -> Twist:
    return Twist(pose.vector(twist.angular), pose.vector(twist.linear))


def _axial(m: Matrix3) -> Vector3:
    """The small rotation that a matrix near the identity is."""
    return HALF * Vector3((m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]))
