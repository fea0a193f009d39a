"""Coordinates of constraints themselves: how they move with the machine, and how far from their place they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.determinant import determinant
from dalembert.expr import Expr
from dalembert.kinematics import Tree, in_state
from dalembert.mechanism import Followed


@dataclass(frozen=True, slots=True)
class Own:
    """A coordinate of a constraint itself: its rate in the state, and how far it is from where the frames are."""

    coordinate: Expr
    rate: Expr
    offset: Expr


def followed(
    tree: Tree, several: Sequence[Followed], moving: Mapping[Expr, Expr], own: Mapping[Expr, Expr]
) -> list[Own]:
    """z with E(q, z, t) = 0: z' = -E_z^-1 (E_q q' + E_t), and away by E_z^-1 E. Cramer's rule: no unit has a say.

    `moving` are the rates of everything else, `own` those of coordinates of cut links among them.
    """
    found = list[Own]()
    for one in several:
        told = in_state(tree, one.formulas, own)
        unknown = [ex.symbol(x) for x in one.coordinates]
        slopes = ex.jacobian(told, unknown)
        columns, inverse = list(zip(*slopes, strict=True)), 1 / determinant(slopes)
        changes = []
        for right in (ex.tangent(told, dict(moving)), told):
            for k in range(len(unknown)):
                changed = [*columns[:k], tuple(right), *columns[k + 1 :]]
                changes.append(-determinant([list(row) for row in zip(*changed, strict=True)]) * inverse)
        count = len(unknown)
        found += [Own(*x) for x in zip(unknown, changes[:count], changes[count:], strict=True)]
    return found
