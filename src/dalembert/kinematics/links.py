"""The motion that a link of the tree leaves free, seen from the body beyond it, and the power of its motors in it."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.motion import relative_twist
from dalembert.kinematics.spatial import Pose, Twist, Wrench
from dalembert.kinematics.step import StepMotion
from dalembert.kinematics.tree import Tree
from dalembert.mechanism import Link, TreeLink


def joint_columns(motions: tuple[StepMotion, ...], link: Link) -> tuple[list[tuple[Expr, Twist]], Twist]:
    """Motion of a whole joint in its last frame: one column for each speed of its own, and the rest.

    The rest is what time and the coordinates of other links move: it may hold their speeds.
    """
    total: dict[Expr, Twist] = {ex.symbol(x): Twist() for x in link.speeds}
    rest = Twist()
    for motion in motions:
        total = {speed: twist.at(motion.pose) for speed, twist in total.items()}
        rest = rest.at(motion.pose) + motion.drift
        for name, twist in motion.columns:
            speed = ex.symbol(name)
            if speed in total:
                total[speed] = total[speed] + twist
            else:
                rest = rest + twist.scaled(speed)
    return list(total.items()), rest


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """A tree link: pose of the child's reference frame in the parent's, and the child's relative twist per speed.

    All twists are at the child's origin and in its base. `columns` are for every speed that moves the link, `own` for
    those of its own joint, `free` for those that move no other link: along these a perfect link transmits nothing.
    """

    link: TreeLink
    pose: Pose
    columns: tuple[tuple[int, Twist], ...]
    own: tuple[tuple[int, Twist], ...]
    free: tuple[Twist, ...]


def link_motions_of(tree: Tree) -> list[LinkMotion]:
    """Relative motions across every link, composed from its elementary displacements."""
    shared = tree.shared_speeds()
    found = []
    for one in tree.layout.tree:
        pose, fields = Pose(), dict[int, Twist]()
        for node in tree.nodes:
            if node.link != one.link.name:
                continue
            fields = {k: twist.at(node.pose) for k, twist in fields.items()}
            for k, column in node.columns:
                fields[k] = fields[k] + column if k in fields else column
            pose = pose @ node.pose
        # Places are poses on nodes; welded bodies share a node, and then `pose` is still the identity.
        place, start = tree.place[one.child][1], tree.place[one.parent][1]
        moved = ((k, twist.at(place)) for k, twist in sorted(fields.items()))
        columns = own = tuple((k, twist) for k, twist in moved if not twist.is_zero)
        if shared:
            own = tuple((k, twist) for k, twist in columns if tree.speeds[k].name in one.link.speeds)
        free = tuple(twist for k, twist in own if tree.speeds[k].name not in shared)
        found.append(LinkMotion(one, start.inverse() @ pose @ place, columns, own, free))
    return found


def coupled_speeds(tree: Tree) -> set[int]:
    """Speeds along which links balance only together: they move links other than their own (ropes, gears, cams)."""
    shared = tree.shared_speeds()
    names = [u.name for u in tree.speeds]
    return {k for k, name in enumerate(names) if name in shared or (shared - set(names))}


def link_twist(tree: Tree, link: str) -> Twist:
    """Motion of a link's last frame relative to the one before the link, in the base of the last frame."""
    total = Twist()
    for node in tree.nodes:
        if node.link == link:
            total = total.at(node.pose) + relative_twist(tree, node)
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
            found[link.name] = found[link.name] + action.wrench
    return found


def joint_powers(tree: Tree, links: list[LinkMotion]) -> dict[str, dict[int, Expr]]:
    """What the motors and springs of each link give for a unit of each speed: link -> speed -> power."""
    wrenches, efforts = joint_wrenches(tree), coordinate_efforts(tree)
    found: dict[str, dict[int, Expr]] = {}
    for one in links:
        name = one.link.link.name
        own = {r: wrenches[name].power(twist) for r, twist in one.columns}
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
