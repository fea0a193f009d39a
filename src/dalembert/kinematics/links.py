"""The motion that a link of the tree leaves free, seen from the body beyond it, and the power of its motors in it."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, add3, cross
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.motion import carried, relative_twist
from dalembert.kinematics.spatial import Pose, Twist, Wrench
from dalembert.kinematics.tree import Tree
from dalembert.mechanism import Link, TreeLink


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """A tree link: pose of the child's reference frame in the parent's, and the child's relative twist per speed."""

    link: TreeLink
    pose: Pose
    columns: tuple[tuple[int, Twist], ...]  # at the child's origin, in the child's base


def link_motions_of(tree: Tree) -> list[LinkMotion]:
    """Relative motions across every link, composed from its elementary displacements."""
    found = []
    for one in tree.layout.tree:
        pose, fields = Pose(), dict[int, Twist]()
        for node in tree.nodes:
            if node.link != one.link.name:
                continue
            fields = {k: carried(node, twist) for k, twist in fields.items()}
            for k, column in node.columns:
                fields[k] = fields[k] + column if k in fields else column
            pose = pose @ node.pose
        # Places are poses on nodes; welded bodies share a node, and then `pose` is still the identity.
        place, start = tree.place[one.child][1], tree.place[one.parent][1]
        columns = tuple((k, twist.at(place)) for k, twist in sorted(fields.items()))
        moving = tuple((k, t) for k, t in columns if not t.is_zero)
        found.append(LinkMotion(one, start.inverse() @ pose @ place, moving))
    return found


def link_twist(tree: Tree, link: str) -> Twist:
    """Motion of a link's last frame relative to the one before the link, in the base of the last frame."""
    total = Twist()
    for node in tree.nodes:
        if node.link == link:
            total = carried(node, total) + relative_twist(tree, node)
    return total


def joint_point(one: LinkMotion, at: str) -> Vector3:
    """Origin of the joint's first or second frame, in the base of the child and from its origin."""
    frame = one.link.link.first if at == "first" else one.link.link.second
    own = frame.displacement.translation
    on_child = (at == "first") == one.link.reversed
    if on_child:
        return own
    return one.pose.inverse().point(own)


def joint_wrenches(tree: Tree) -> dict[str, Wrench]:
    """Known wrenches that the steps of each link carry, on its child, at the child's origin and in its base."""
    found = {one.link.name: Wrench() for one in tree.layout.tree}
    children = {one.link.name: one.child for one in tree.layout.tree}
    for action in known_actions(tree, gravity=False):
        link = action.effort
        if isinstance(link, Link) and children[link.name] == action.body:
            moment = add3(action.torque, cross(action.point, action.force))
            found[link.name] = found[link.name] + Wrench(moment, action.force)
    return found


def joint_powers(tree: Tree, links: list[LinkMotion]) -> dict[str, dict[int, Expr]]:
    """What the motors and springs of each link give for a unit of each speed: link -> speed -> power."""
    carried_wrenches, efforts = joint_wrenches(tree), coordinate_efforts(tree)
    found: dict[str, dict[int, Expr]] = {}
    for one in links:
        name = one.link.link.name
        own = {r: carried_wrenches[name].power(twist) for r, twist in one.columns}
        for effort in efforts:
            if effort.link == name:
                slopes = ex.gradient(tree.rates[effort.coordinate], tree.speeds)
                own = {r: power + effort.effort * slopes[r] for r, power in own.items()}
        found[name] = own
    return found


def total_powers(tree: Tree, powers: dict[str, dict[int, Expr]]) -> list[Expr]:
    """The column Q of all joint efforts on the speeds."""
    total = [ZERO] * len(tree.speeds)
    for own in powers.values():
        for r, power in own.items():
            total[r] = total[r] + power
    return total
