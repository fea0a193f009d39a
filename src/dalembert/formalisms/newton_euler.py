"""Newton-Euler: isolated bodies, unknown link actions, and sub-systems whose balance holds none of them.

Papegay 1.3.2 and 2.2. Body i alone (forces and moments at O_i):

    mu gamma(G)                                 =  F  +  A_i  -  sum of A_j over its outer links
    I alpha + w x I w + OG x mu gamma(G)        =  C  +  ...

A_j, the action of the inner body through link j, is the only unknown of the body beyond it once the bodies further out
are solved: A_j is the dynamic torsor of everything beyond link j less the known efforts there. That sub-system, its
moments taken at the link, gives the equations of motion: the part of A_j that does power in the link's own motion is
known (motors, springs), so each motion s_r of the link gives A_j . s_r = known. The rest of A_j is the reaction.
A speed that moves several links (a rope, a gear, written as displacements by one coordinate) couples their actions
without power: the sum of A_j . s_r over these links is known, each alone is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr import ZERO, Expr
from dalembert.expr.space import scale3
from dalembert.formalisms import isolated_bodies
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import Tree, Wrench
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
)
from dalembert.kinematics.links import LinkMotion, joint_powers, joint_wrenches, link_motions_of, total_powers
from dalembert.mechanism import Link


@dataclass(frozen=True, slots=True)
class Isolated:
    """Bodies and links of a tree with the wrenches that balance; all wrenches at a body's origin, in its base."""

    tree: Tree
    motions: list[BodyMotion]
    links: list[LinkMotion]
    dynamics: list[Wrench]  # dynamic torsor of each body, with u' as symbols
    external: list[Wrench]  # weight and applied efforts
    joint: dict[str, Wrench]  # known wrenches of each link on its child
    multipliers: tuple[Expr, ...] = ()  # of links that close loops, where `external` holds their actions


def derive(tree: Tree) -> Equations:
    """Balance of the sub-system beyond each link, along the link's motions."""
    system = isolate(tree)
    udot = acceleration_symbols(tree)
    inertia = along_links(system, beyond_links(system, system.dynamics))
    mass, bias = split_accelerations(inertia, udot)
    pushed = along_links(system, beyond_links(system, system.external))
    known = total_powers(tree, joint_powers(tree, system.links))
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
        dynamics.append(Wrench.at_point(one.body.centre, force, dynamic_moment(one, moved.angular)))
    external = [Wrench() for _ in motions]
    for action in known_actions(tree):
        if not isinstance(action.effort, Link):
            external[action.body] = external[action.body] + action.wrench
    return Isolated(tree, motions, link_motions_of(tree), dynamics, external, joint_wrenches(tree))


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


def link_actions(system: Isolated) -> dict[str, Wrench]:
    """Whole action of the inner body on the outer one through each link, with u' as symbols, at the child's origin."""
    dynamics, external = beyond_links(system, system.dynamics), beyond_links(system, system.external)
    return {name: dynamics[name] - external[name] for name in dynamics}


FORMALISM = Formalism(
    name="newton-euler",
    title="Newton-Euler",
    derive=derive,
    vector=isolated_bodies.vector_level,
    matrix=isolated_bodies.matrix_level,
    per_body=True,
)
