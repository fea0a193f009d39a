"""What links transmit: the balance of every body, and of everything beyond a link of the tree.

Each body needs from its links what Newton and Euler ask of it less its weight and the efforts applied to it. A link of
the tree transmits what all bodies beyond it need; known efforts of its joint are part of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert import expr as ex
from dalembert.constraints.freedom import Freedom
from dalembert.kinematics import COMPONENTS, Pose, Tree, Twist, Wrench, in_speeds, link_efforts
from dalembert.kinematics.actions import known_actions, pull_back
from dalembert.kinematics.bodies import acceleration_symbols, body_accelerations, body_motions, dynamic_moment
from dalembert.mechanism import Link, TreeLink


class Transmitted:
    """Wrenches in the links of a tree, in the symbols of u'.

    `closing` gives what cut links exert on their second bodies, at and in the base of their second frames; `acting` the
    wrenches of further constraints on bodies, at their origins and in their bases.
    """

    def __init__(
        self,
        tree: Tree,
        closing: Mapping[str, Wrench] | None = None,
        acting: Sequence[tuple[int, Wrench]] = (),
    ) -> None:
        self.tree = tree
        self.closing = closing or {}
        self.acting = acting

    @cached_property
    def needed(self) -> list[Wrench]:
        """What each body (earth: nothing) needs from all its links, at its origin and in its base."""
        motions = body_motions(self.tree)
        moved = body_accelerations(self.tree, motions, acceleration_symbols(self.tree))
        found = [Wrench()]
        for one, acceleration in zip(motions[1:], moved[1:], strict=True):
            force = one.body.mass * acceleration.centre
            found.append(Wrench.at_point(one.body.centre, force, dynamic_moment(one, acceleration.angular)))
        for action in known_actions(self.tree):
            if not isinstance(action.effort, Link):
                found[action.body] = found[action.body] - action.wrench
        for body, wrench in self.acting:
            found[body] = found[body] - wrench
        return found

    def wrench(self, name: str) -> Wrench:
        """Of a link on its second body, at and in the base of its second frame."""
        if name in self.closing:
            return self.closing[name]
        one = next(one for one in self.tree.layout.tree if one.link.name == name)
        second = Pose.of(one.link.second.displacement)
        if not one.reversed:
            return self._inward[one.child].seen_from(second.inverse())
        there = self._between[one.child].inverse() @ second
        return -self._inward[one.child].seen_from(there.inverse())

    @cached_property
    def _inward(self) -> list[Wrench]:
        """On each body from its inner link, at its origin and in its base."""
        layout = self.tree.layout
        total = list(self.needed)
        for one in layout.cuts:
            closing = self.closing[one.link.name].seen_from(Pose.of(one.link.second.displacement))
            total[one.second] = total[one.second] - closing
            back = self._seen_from_first(one.first, one.second)
            total[one.first] = total[one.first] + closing.seen_from(back)
        for link in reversed(layout.tree):
            total[link.parent] = total[link.parent] + total[link.child].seen_from(self._between[link.child])
        return total

    @cached_property
    def _between(self) -> dict[int, Pose]:
        """Pose of each body's reference frame in that of its parent."""
        nodes: dict[str, Pose] = {}
        for node in self.tree.nodes:
            nodes[node.link] = nodes.get(node.link, Pose()) @ node.pose
        return {one.child: self._pose(one, nodes) for one in self.tree.layout.tree}

    def _pose(self, one: TreeLink, nodes: Mapping[str, Pose]) -> Pose:
        start, end = self.tree.place[one.parent][1], self.tree.place[one.child][1]
        return start.inverse() @ nodes.get(one.link.name, Pose()) @ end

    def _seen_from_first(self, first: int, second: int) -> Pose:
        """Pose of one body's reference frame in another's, through their nearest common ancestor."""
        layout = self.tree.layout
        up, down = [0, *layout.path(first)], [0, *layout.path(second)]
        while len(up) > 1 and len(down) > 1 and up[1] == down[1]:
            up, down = up[1:], down[1:]
        pose = Pose()
        for body in down[1:]:
            pose = pose @ self._between[body]
        for body in up[1:]:
            pose = self._between[body].inverse() @ pose
        return pose


def known_wrench(link: Link, tree: Tree) -> Wrench:
    """Known efforts of a joint as a wrench on the second body, at and in the base of the second frame.

    It has their power in every motion that the joint allows, and none of the reaction is counted in it twice.
    """
    motions = tree.motions[link.name]
    freedom = Freedom.of(link, motions)
    six = [ex.symbol(f"twist {part}") for part in COMPONENTS]
    speeds = dict(zip(freedom.speeds, freedom.own_speeds(Twist.of(six)), strict=True))
    efforts = [(speeds[speed], effort) for speed, effort in link_efforts(link, motions) if speed in speeds]
    values = in_speeds(tree, [effort for _, effort in efforts])
    return Wrench.of(pull_back([speed for speed, _ in efforts], values, six))
