"""The spanning tree as a list of moving frames: one node for each elementary displacement.

A node's frame is the frame after its step. Bodies sit on nodes by constant displacements; welded bodies share a node.
One list, every formalism reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import IDENTITY3
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.kinematics.step import StepMotion, chart_condition, coupled_motion, step_motion
from dalembert.mechanism import Frame, Layout, Link, TreeLink, Turn

EARTH_NODE = -1


@dataclass(frozen=True, slots=True)
class Node:
    """A moving frame: its parent node, its pose there, and its relative twist `sum columns u + drift`."""

    parent: int
    pose: Pose
    chain: tuple[Pose, ...]  # the same pose as a product, from the parent outwards, each factor cheap to apply
    columns: tuple[tuple[int, Twist], ...]  # (index of the speed, twist for a unit speed)
    drift: Twist
    rate: Twist  # derivative, in this frame, of the relative twist at constant speeds
    link: str


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes parents first; `place[i]` is the node and constant pose of body i's reference frame."""

    layout: Layout
    nodes: tuple[Node, ...]
    place: tuple[tuple[int, Pose], ...]
    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    rates: Mapping[Expr, Expr]  # coordinate -> its time derivative
    conditions: tuple[tuple[str, Expr], ...]
    motions: Mapping[str, tuple[StepMotion, ...]]  # steps of each link, cut links too, in declared order

    def frame_place(self, frame: Frame) -> tuple[int, Pose]:
        """Node and constant pose of a frame drawn on a body."""
        node, pose = self.place[self.layout.number(frame.body)]
        return node, pose @ Pose.of(frame.displacement)

    def shares_speeds(self) -> bool:
        """Whether one speed moves several nodes (a coordinate used in several displacements, of any joint)."""
        indices = [index for node in self.nodes for index, _ in node.columns]
        return len(set(indices)) < len(indices)

    def shared_speeds(self) -> frozenset[str]:
        """Speeds of joints that move other links too, whose displacements use their coordinates: ropes, gears, cams."""
        links = [*(one.link for one in self.layout.tree), *(one.link for one in self.layout.cuts)]
        moving = ((link, name) for link in links for step in self.motions[link.name] for name, _ in step.columns)
        return frozenset(name for link, name in moving if name not in link.speeds)


def build_tree(layout: Layout) -> Tree:
    """Lay the steps of every tree link end to end.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("arm", mass=1), revolute("z"), name="shoulder")
    >>> [node.parent for node in build_tree(Layout.of(m)).nodes]
    [-1]
    """
    index = {name: i for i, name in enumerate(layout.speeds)}
    speeds = tuple(ex.symbol(x) for x in layout.speeds)
    links = [*(one.link for one in layout.tree), *(one.link for one in layout.cuts)]
    own = {link.name: link_motions(link) for link in links}
    known = [step for one in layout.tree for step in own[one.link.name]]
    rates = {ex.symbol(x): rate for step in known for x, rate in step.rates.items()}
    motions = {link.name: _coupled(link, own[link.name], rates, speeds) for link in links}
    nodes: list[Node] = []
    place: list[tuple[int, Pose]] = [(EARTH_NODE, Pose())] * len(layout.bodies)
    for one in layout.tree:
        node, pose = _start(one, place)
        steps = motions[one.link.name]
        for step in [s.reversed() for s in reversed(steps)] if one.reversed else steps:
            nodes.append(_node(node, pose, step, index, rates, one.link.name))
            node, pose = len(nodes) - 1, Pose()
        held = one.link.first if one.reversed else one.link.second
        place[one.child] = (node, pose @ Pose.of(held.displacement.inverse()))
    return Tree(
        layout,
        tuple(nodes),
        tuple(place),
        tuple(ex.symbol(x) for x in layout.coordinates),
        speeds,
        rates,
        tuple(c for one in layout.tree for c in chart_conditions(one.link, motions[one.link.name])),
        motions,
    )


def link_motions(link: Link) -> tuple[StepMotion, ...]:
    """The steps of a link, first frame to second, each moved by time and the speeds that it introduces."""
    pairs = zip(link.placed_steps(), link.joint.speed_names_by_step(), strict=True)
    return tuple(step_motion(placed, [link.coordinate_name(x) for x in names]) for placed, names in pairs)


def _coupled(
    link: Link, steps: tuple[StepMotion, ...], rates: Mapping[Expr, Expr], speeds: Sequence[Expr]
) -> tuple[StepMotion, ...]:
    """The same steps moved by the speeds of every coordinate that they use, whichever step or link it belongs to."""
    used = [ex.free_symbols(step.displacement.scalars) for step in link.joint.steps]
    shared = sum(len(x & {ex.symbol(a) for a in link.joint.parameters}) for x in used) > len(link.joint.parameters)
    if not shared and not any(e in rates for x in used for e in x):  # of a table, `isdisjoint` walks through all
        return steps
    own = {ex.symbol(x): rate for step in steps for x, rate in step.rates.items()}
    known = list(dict.fromkeys([*speeds, *(ex.symbol(x) for x in link.speeds)]))
    pairs = zip(steps, link.placed_steps(), strict=True)
    return tuple(coupled_motion(motion, step, {**rates, **own}, known) for motion, step in pairs)


def chart_conditions(link: Link, steps: tuple[StepMotion, ...]) -> list[tuple[str, Expr]]:
    """What must not vanish: the charts of body speeds, and three turns by coordinates in a row."""
    found = [condition for step in steps for condition in step.conditions]
    if sum(len(step.displacement.turns) for step in link.joint.steps) < 3:
        return found
    coordinates = {ex.symbol(x) for x in link.coordinates}
    rates = [step.displacement for step in link.placed_steps() if step.speeds == "rates"]
    turns = [one for d in rates for one in d.turns if isinstance(one, Turn) and one.angle in coordinates]
    return [*found, chart_condition(*turns)] if len(turns) == 3 else found


def _start(one: TreeLink, place: list[tuple[int, Pose]]) -> tuple[int, Pose]:
    node, pose = place[one.parent]
    frame = one.link.second if one.reversed else one.link.first
    return node, pose @ Pose.of(frame.displacement)


def _node(
    parent: int, place: Pose, step: StepMotion, index: Mapping[str, int], rates: Mapping[Expr, Expr], link: str
) -> Node:
    own = step.pose
    pose = place @ own
    chain = (pose,) if place.rotation == IDENTITY3 else (place, own)
    columns = tuple(sorted(((index[x], twist) for x, twist in step.columns if not twist.is_zero), key=itemgetter(0)))
    if step.drift.is_zero and all(x.is_number for _, twist in columns for x in twist.scalars):
        return Node(parent, pose, chain, columns, step.drift, Twist(), link)
    relative = step.drift
    for name, twist in step.columns:
        relative = relative + twist.scaled(ex.symbol(name))
    return Node(parent, pose, chain, columns, step.drift, _rate(relative, rates), link)


def _rate(relative: Twist, rates: Mapping[Expr, Expr]) -> Twist:
    """Time derivative of a relative twist with the speeds held: what the columns' own motion contributes."""
    return Twist.of(ex.tangent(relative.scalars, {ex.TIME: ex.ONE, **rates}))
