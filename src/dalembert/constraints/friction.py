"""Dry friction of a contact that is kept: against the slip, as large as the normal reaction times a coefficient.

With the normal row n, the slip s = T u + ... and its direction tau = s . T / |s|, the reaction is
W = n - friction sgn(lambda) tau: whether the contact is pushed or pulled, friction takes power.

A contact that may stick has a switch: while it is 1, contact and slip are perfect conditions (rows n and T, reactions
along them), which may follow from those of other contacts, and the row that slides is left out; while it is 0 these are
nothing, and the direction is told by symbols, so that a step past the end of the slip stays smooth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Tree, in_state
from dalembert.mechanism import Closed, Constraint, Coulomb, Kinematic


@dataclass(frozen=True, slots=True)
class Sliding:
    """The row of a unit of drag along the slip (friction included), the speed of the slip, and the share of each way.

    `sticks`: the symbol that is 1 while perfect rows hold the contact, of one whose direction is told; else zero.
    """

    drag: tuple[Expr, ...]
    speed: Expr
    along: tuple[Expr, ...]
    friction: Expr
    sticks: Expr = ZERO

    @property
    def guided(self) -> bool:
        """The direction is told, and the slip may come to its end."""
        return self.sticks is not ZERO


def sliding(tree: Tree, reaction: Coulomb, own: Mapping[Expr, Expr]) -> Sliding:
    friction, *slip = in_state(tree, [reaction.friction, *reaction.slip], own)
    speed = ex.sqrt(ex.dot_product(slip, slip)) if len(slip) > 1 else ex.absolute(slip[0])
    along = drag_along(reaction, friction, slip)
    drag = [ex.dot_product(along, list(column)) for column in zip(*ex.jacobian(slip, tree.speeds), strict=True)]
    return Sliding(tuple(drag), speed, tuple(along), friction, reaction.sticks)


def drag_along(reaction: Coulomb, friction: Expr, slip: Sequence[Expr]) -> list[Expr]:
    """friction s / |s|: what a unit of the normal reaction takes from each component of the slip.

    A contact that does not slip, and whose direction nobody tells, has none: not a number, not freedom from friction.
    """
    if len(slip) == 1 and reaction.way:
        return [friction * reaction.way[0]]
    speed = ex.sqrt(ex.dot_product(list(slip), list(slip))) if len(slip) > 1 else ex.absolute(slip[0])
    if not reaction.way:
        return [friction * x / speed for x in slip]
    hardly = ex.less(speed, reaction.slow)
    forward = ex.where(ex.less(ex.dot_product(list(slip), list(reaction.way)), 0), -1, 1)
    inverse = forward / ex.where(hardly, 1, speed)
    return [friction * ex.where(hardly, way, x * inverse) for x, way in zip(slip, reaction.way, strict=True)]


def stick_name(contact: str) -> str:
    """The constraint that holds the slip of a contact."""
    return f"{contact} (sticks)"


def press_name(contact: str) -> str:
    """The constraint that keeps a contact while it sticks."""
    return f"{contact} (presses)"


def switch_names(contact: str, directions: int) -> tuple[str, ...]:
    """Symbols of a contact that may stick: does it, where does it slip, and what is no slip."""
    return (f"{contact}.sticks", *(f"{contact}.way{k + 1 if k else ''}" for k in range(directions)), f"{contact}.slow")


def that_may_stick(one: Constraint) -> tuple[Constraint, Constraint, Constraint]:
    """A contact with dry friction whose direction is told, and what holds it and its slip while it sticks."""
    assert isinstance(one.reaction, Coulomb)
    assert not isinstance(one.condition, Closed)
    sticks, *way, slow = (ex.symbol(x) for x in switch_names(one.name, len(one.reaction.slip)))
    held = Kinematic(tuple(sticks * x for x in one.reaction.slip))
    pressed = replace(one.condition, expressions=tuple(sticks * x for x in one.expressions))
    told = replace(one, reaction=replace(one.reaction, way=tuple(way), slow=slow, sticks=sticks))
    return told, Constraint(press_name(one.name), pressed), Constraint(stick_name(one.name), held)
