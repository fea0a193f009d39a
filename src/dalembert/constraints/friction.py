"""Dry friction of a contact that is kept: against the slip, as large as the normal reaction times a coefficient.

With the normal row n, the slip s = T u + ... and its direction tau = s . T / |s|, the reaction is
W = n - friction sgn(lambda) tau: whether the contact is pushed or pulled, friction takes power.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.kinematics import Tree, in_state
from dalembert.mechanism import Coulomb


@dataclass(frozen=True, slots=True)
class Sliding:
    """The row of a unit of drag along the slip (friction included), and the speed of the slip."""

    drag: tuple[Expr, ...]
    speed: Expr


def sliding(tree: Tree, reaction: Coulomb, own: Mapping[Expr, Expr]) -> Sliding:
    friction, *slip = in_state(tree, [reaction.friction, *reaction.slip], own)
    speed = ex.sqrt(ex.dot_product(slip, slip)) if len(slip) > 1 else ex.absolute(slip[0])
    rows = ex.jacobian(slip, tree.speeds)
    if len(slip) == 1:
        return Sliding(tuple(friction * ex.sign(slip[0]) * x for x in rows[0]), speed)
    drag = []
    for column in zip(*rows, strict=True):
        drag.append(friction * ex.dot_product(slip, list(column)) / speed)
    return Sliding(tuple(drag), speed)
