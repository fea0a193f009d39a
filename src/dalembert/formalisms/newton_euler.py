"""Newton-Euler: isolated bodies, unknown link actions, and sub-systems whose balance holds none of them.

Papegay 1.3.2 and 2.2. Body i alone (forces and moments at O_i):

    mu gamma(G)                                 =  F  +  A_i  -  sum of A_j over its outer links
    I alpha + w x I w + OG x mu gamma(G)        =  C  +  ...

A_j, the action of the inner body through link j, is the only unknown of the body beyond it once the bodies further out
are solved: A_j is the dynamic torsor of everything beyond link j less the known efforts there. That sub-system, its
moments taken at the link, gives the equations of motion: the part of A_j that does power in the link's own motion is
known (motors, springs), so each motion s_r of the link gives A_j . s_r = known. The rest of A_j is the reaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import add3, apply3, apply_transposed3, cross, neg3, scale3, sub3, transpose3
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.kinematics import Pose, Tree, Twist, Wrench, carried
from dalembert.kinematics.actions import Action, coordinate_efforts, known_actions
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
)
from dalembert.mechanism import Link, TreeLink


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """A tree link: pose of the child's reference frame in the parent's, and the child's relative twist per speed."""

    link: TreeLink
    pose: Pose
    columns: tuple[tuple[int, Twist], ...]  # at the child's origin, in the child's base


@dataclass(frozen=True, slots=True)
class Isolated:
    """Bodies and links of a tree with the wrenches that balance; all wrenches at a body's origin, in its base."""

    tree: Tree
    motions: list[BodyMotion]
    links: list[LinkMotion]
    dynamics: list[Wrench]  # dynamic torsor of each body, with u' as symbols
    external: list[Wrench]  # weight and applied efforts
    joint: dict[str, Wrench]  # known wrenches of each link on its child


def derive(tree: Tree) -> Equations:
    """Balance of the sub-system beyond each link, along the link's motions."""
    system = isolate(tree)
    udot = acceleration_symbols(tree)
    inertia = along_links(system, beyond_links(system, system.dynamics))
    mass, bias = split_accelerations(inertia, udot)
    pushed = along_links(system, beyond_links(system, system.external))
    known = _known_powers(system)
    forces = tuple(a + b for a, b in zip(pushed, known, strict=True))
    return Equations("newton-euler", tree, mass, bias, forces, detail=system)


def isolate(tree: Tree) -> Isolated:
    """Every body free: its dynamic torsor, the known efforts on it, the links that reach it."""
    motions, udot = body_motions(tree), acceleration_symbols(tree)
    dynamics = []
    for one, moved in zip(motions, body_accelerations(tree, motions, udot), strict=True):
        if not one.has_mass:
            dynamics.append(Wrench())
            continue
        force = scale3(one.body.mass, moved.centre)
        dynamics.append(Wrench(add3(dynamic_moment(one, moved.angular), cross(one.body.centre, force)), force))
    external = [Wrench() for _ in motions]
    joint = {one.link.name: Wrench() for one in tree.layout.tree}
    children = {one.link.name: one.child for one in tree.layout.tree}
    for action in known_actions(tree):
        wrench = _at_origin(action)
        if not isinstance(action.effort, Link):
            external[action.body] = external[action.body] + wrench
        elif children[action.effort.name] == action.body:
            joint[action.effort.name] = joint[action.effort.name] + wrench
    return Isolated(tree, motions, link_motions_of(tree), dynamics, external, joint)


def _at_origin(action: Action) -> Wrench:
    return Wrench(add3(action.torque, cross(action.point, action.force)), action.force)


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
        pose = _inverse(start) @ pose @ place
        columns = tuple((k, _moved(twist, place)) for k, twist in sorted(fields.items()))
        found.append(LinkMotion(one, pose, tuple((k, t) for k, t in columns if not t.is_zero)))
    return found


def _inverse(pose: Pose) -> Pose:
    rotation = transpose3(pose.rotation)
    return Pose(rotation, neg3(apply3(rotation, pose.position)))


def _moved(twist: Twist, pose: Pose) -> Twist:
    """A twist at the origin of a frame, at the origin and in the base of a frame fixed to it."""
    linear = add3(twist.linear, cross(twist.angular, pose.position))
    return Twist(apply_transposed3(pose.rotation, twist.angular), apply_transposed3(pose.rotation, linear))


def beyond_links(system: Isolated, wrenches: Sequence[Wrench]) -> dict[str, Wrench]:
    """Sum of wrenches over all bodies beyond each link, at the child's origin: outer links are eliminated first."""
    total = list(wrenches)
    found: dict[str, Wrench] = {}
    for one in reversed(system.links):
        found[one.link.link.name] = total[one.link.child]
        total[one.link.parent] = total[one.link.parent] + total[one.link.child].seen_from(one.pose)
    return found


def along_links(system: Isolated, actions: dict[str, Wrench]) -> list[Expr]:
    """Components of link actions along the motions of their links."""
    total = [ZERO] * len(system.tree.speeds)
    for one in system.links:
        for r, twist in one.columns:
            total[r] = total[r] + actions[one.link.link.name].power(twist)
    return total


def _known_powers(system: Isolated) -> list[Expr]:
    """What motors and springs of the links give along their motions."""
    tree = system.tree
    total = along_links(system, system.joint)
    for effort in coordinate_efforts(tree):
        for r, slope in enumerate(ex.gradient(tree.rates[effort.coordinate], tree.speeds)):
            total[r] += effort.effort * slope
    return total


def link_actions(system: Isolated) -> dict[str, Wrench]:
    """Whole action of the inner body on the outer one through each link, with u' as symbols, at the child's origin."""
    dynamics, external = beyond_links(system, system.dynamics), beyond_links(system, system.external)
    return {name: _less(dynamics[name], external[name]) for name in dynamics}


def _less(a: Wrench, b: Wrench) -> Wrench:
    return Wrench(sub3(a.moment, b.moment), sub3(a.force, b.force))
