"""The inertia of a tree without its mass matrix: how each node is carried, and what it opposes.

    a_k = X_k a_parent + S_k u',    M = sum over nodes of J_k^T I_k J_k,    a_k = J_k u'

M couples every joint with all that carry it; X, S and I are a few numbers for each node, in its own base, and grow with
the machine. Of the six components of a twist a node has those that can be other than zero: of a machine in a plane,
three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.dynamics.recursive import Recursion, inertia_to_parent
from dalembert.expr import ONE, ZERO, Expr
from dalembert.kinematics import EARTH_NODE, Node, RigidInertia, Twist, Wrench

if TYPE_CHECKING:
    from dalembert.dynamics.dynamics import Dynamics

Block = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """One node: its parent, places of its speeds, X, S and I in the components that it has."""

    parent: int
    speeds: tuple[int, ...]
    by_parent: Block
    by_speeds: Block
    inertia: Block

    @property
    def blocks(self) -> tuple[Block, Block, Block]:
        """X, S and I."""
        return self.by_parent, self.by_speeds, self.inertia

    @property
    def size(self) -> int:
        """How many components its twist has."""
        return len(self.inertia)


def lifted(about: Dynamics) -> tuple[Carried, ...]:
    """The nodes of a machine's tree, parents first."""
    return about.kept("lifted", lambda owner: _lifted(owner.recursion))


def masses_moved(about: Dynamics) -> list[Expr]:
    """The diagonal of M: what each speed moves when all others rest."""
    return about.kept("masses_moved", lambda owner: _masses_moved(owner.recursion))


def _lifted(model: Recursion) -> tuple[Carried, ...]:
    found: list[Carried] = []
    spans: list[list[int]] = []
    for node, inertia in zip(model.tree.nodes, model.grouped, strict=True):
        above = [] if node.parent == EARTH_NODE else spans[node.parent]
        columns = [*(_carried(node, k) for k in above), *(twist.scalars for _, twist in node.columns)]
        span = [i for i in range(6) if any(column[i] is not ZERO for column in columns)]
        own = [_momentum(inertia, k) for k in span]
        spans.append(span)
        found.append(
            Carried(
                node.parent,
                tuple(index for index, _ in node.columns),
                tuple(tuple(column[i] for column in columns[: len(above)]) for i in span),
                tuple(tuple(column[i] for column in columns[len(above) :]) for i in span),
                tuple(tuple(column[i] for column in own) for i in span),
            )
        )
    return tuple(found)


def _masses_moved(model: Recursion) -> list[Expr]:
    found, composite = [ZERO] * len(model.tree.speeds), list(model.grouped)
    for k in range(len(model.tree.nodes) - 1, -1, -1):
        node = model.tree.nodes[k]
        for index, column in node.columns:
            found[index] = found[index] + Wrench(*composite[k].momentum(column)).power(column)
        if node.parent != EARTH_NODE:
            composite[node.parent] = composite[node.parent] + inertia_to_parent(node, composite[k])
    return found


def _unit(k: int) -> Twist:
    return Twist.of([ONE if i == k else ZERO for i in range(6)])


def _carried(node: Node, k: int) -> tuple[Expr, ...]:
    """The node's twist for a unit of its parent's component k."""
    twist = _unit(k)
    for pose in node.chain:
        twist = twist.at(pose)
    return twist.scalars


def _momentum(inertia: RigidInertia, k: int) -> tuple[Expr, ...]:
    angular, linear = inertia.momentum(_unit(k))
    return *angular, *linear
