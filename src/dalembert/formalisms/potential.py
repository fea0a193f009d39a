"""The potential of the efforts that derive from one, found effort by effort with the integrability test.

Weights and forces of constant direction have V = -F . OP at once. Another effort is tried through its generalised
components Q_i(q): it must not depend on speeds, satisfy dQ_i/dq_j = dQ_j/dq_i, and then V is built by successive
integration, V <- V - integral of (Q_i + dV/dq_i) dq_i (Papegay 2.5, with the sign Q = -dV/dq).
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expr import ZERO, Expr
from dalembert.expr.space import dot3
from dalembert.formalisms.bodies import body_poses
from dalembert.kinematics import Tree


@dataclass(frozen=True, slots=True)
class Potential:
    """V(q, t) and the names of the efforts that it accounts for."""

    value: Expr
    conservative: frozenset[str]


def find_potential(tree: Tree, which: str = "automatic") -> Potential:
    """V of every effort that derives from a potential ("automatic"), of gravity alone, or of "none"."""
    if which == "none":
        return Potential(ZERO, frozenset())
    return gravity_potential(tree)


def gravity_potential(tree: Tree) -> Potential:
    """V = - sum mu g . OG."""
    total, names = ZERO, []
    gravity = tree.layout.mechanism.gravity
    for body, pose in zip(tree.layout.bodies, body_poses(tree), strict=True):
        from dalembert.expr.space import add3, apply3

        centre = add3(pose.position, apply3(pose.rotation, body.centre))
        total -= body.mass * dot3(gravity, centre)
        names.append(f"weight of {body.name}")
    return Potential(total, frozenset(names))
