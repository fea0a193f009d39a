"""Constraints as data: what is asked of the motion, and what acts so that it holds.

The two are independent (Dazord, Marle): a rail guides by itself, a servo-mechanism keeps a condition by pushing
somewhere else. Nothing of one can be read off the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.mechanism.contact import gap_of, sides_of
from dalembert.mechanism.link import Link
from dalembert.mechanism.quantities import VIRTUAL, called, names_moving, virtual, with_angles
from dalembert.mechanism.shapes import Shape

#: What is said, here and in LSD, of a constraint with another sign than that of equality.
MAY_OPEN = "a constraint is an equation; what may open is a contact"


@dataclass(frozen=True, slots=True)
class Closed:
    """The second frame of a link moves relative to the first as its joint lets it."""

    link: Link


@dataclass(frozen=True, slots=True)
class Holonomic:
    """Expressions of coordinates, places of frames and time that stay zero."""

    expressions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Kinematic:
    """Expressions of coordinates, speeds, motions of frames and time that stay zero, affine in the speeds or not."""

    expressions: tuple[Expr, ...]


Condition: TypeAlias = Closed | Holonomic | Kinematic


@dataclass(frozen=True, slots=True)
class Perfect:
    """No power in any motion that the condition allows: W = G; Chetaev's rule where the condition is not affine."""


@dataclass(frozen=True, slots=True)
class Along:
    """What a device pushes, one row for each condition: forms in virtual changes, `d(elbow.th)`.

    The multiplier is the effort of the device: its power is lambda times the form in the motion itself.
    """

    forms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Coulomb:
    """Dry friction of a contact that slides and cannot be lost: |tangent| = friction |normal|, against the slip.

    The condition is the distance of the contact, `slip` the components of its sliding velocity. Where a motion tells
    the direction of the slip, it stands in the symbols `way` (zero while the contact sticks), and a slip below `slow`
    has no other direction than that; `sticks` is the symbol that is 1 while others hold the contact, and 0 else.
    """

    friction: Expr
    slip: tuple[Expr, ...]
    way: tuple[Expr, ...] = ()
    slow: Expr = ZERO
    sticks: Expr = ZERO


@dataclass(frozen=True, slots=True)
class Implied:
    """None: the condition holds because others do, and only starts and rounding have to respect it."""


Reaction: TypeAlias = Perfect | Along | Coulomb | Implied
PERFECT = Perfect()
IMPLIED = Implied()
Sense: TypeAlias = Literal["bilateral"]


@dataclass(frozen=True, slots=True)
class Followed:
    """Coordinates of a constraint itself, nothing pushes on them: they are where as many formulas are zero.

    Those of a contact of two surfaces (`shapes`): the coordinates of its point, in the axes of the first (`lengths`) or
    parameters of both; `facing` is -1 where they touch, the product of their outward normals.
    """

    coordinates: tuple[str, ...]
    formulas: tuple[Expr, ...]
    facing: Expr
    lengths: bool
    shapes: tuple[Shape, Shape]


#: What `by` of a verb may be: nothing (perfect), names of coordinates, forms in d(...), a Reaction.
By: TypeAlias = "Reaction | Scalar | str | Sequence[Scalar | str] | None"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the motion with the reaction that keeps it."""

    name: str
    condition: Condition
    reaction: Reaction = PERFECT
    sense: Sense = "bilateral"
    part: int = 0  # which of several rows of a constraint that was taken apart
    followed: Followed | None = None  # what it is about moves on its own: the point where two surfaces touch

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """What stays zero, where that is written as formulas."""
        return () if isinstance(self.condition, Closed) else self.condition.expressions

    @property
    def formulas(self) -> tuple[Expr, ...]:
        """Every formula of its description."""
        asked = (*self.expressions, *(self.followed.formulas if self.followed else ()))
        if isinstance(self.reaction, Along):
            return (*asked, *self.reaction.forms)
        if isinstance(self.reaction, Coulomb):
            return (*asked, self.reaction.friction, *self.reaction.slip)
        return asked

    @property
    def active(self) -> bool:
        """Whether a device keeps it, which exchanges power with the machine."""
        return isinstance(self.reaction, Along)


def condition_of(expressions: Sequence[Expr], speeds: set[str]) -> Holonomic | Kinematic:
    """The condition that formulas are: on the motion as soon as one of them holds a speed, a rate or a velocity."""
    moving = [any(moves(x.name, speeds) for x in ex.free_symbols(e)) or names_moving([e]) for e in expressions]
    if any(moving) and not all(moving):
        raise ModelError(
            f"'{ex.text(expressions[moving.index(False)])} = 0' asks something of places, another part of the same "
            "constraint of motions: write two constraints."
        )
    return Kinematic(tuple(expressions)) if any(moving) else Holonomic(tuple(expressions))


def moves(name: str, speeds: set[str]) -> bool:
    return name in speeds or name.endswith("'")


def equation(value: Scalar | str) -> Expr:
    """left - right of `left = right`; what has no sign of equality is to be zero."""
    if not isinstance(value, str):
        return ex.as_expr(value)
    sides, signs = sides_of(value)
    if len(signs) > 1:
        raise ModelError(f"'{value}' has {len(signs)} signs of equality: a condition is one equation.")
    if signs and signs[0][0] in "<>":
        raise ModelError(f"'{value}': {MAY_OPEN}: m.contact(\"{ex.text(gap_of(value, value))} >= 0\").")
    left, *right = (in_calls(ex.parse(side)) for side in sides)
    return left - right[0] if right else left


def in_calls(e: Expr) -> Expr:
    """`tip.WX` written as omega(tip, x), angles by axes."""
    e = with_angles(e)
    spins = {x: x.name.rpartition(".") for x in ex.free_symbols(e) if x.name.endswith((".WX", ".WY", ".WZ"))}
    return ex.substitute([e], {x: called("omega", place, w[1].lower()) for x, (place, _, w) in spins.items()})[0]


def reaction_of(by: By, conditions: int, name: str, speeds: set[str]) -> Reaction:
    """What `by` says; as many pushes as there are conditions (hypothesis H0 of Dazord)."""
    if by is None:
        return PERFECT
    if isinstance(by, Perfect | Along | Coulomb):
        found: Reaction = by
    else:
        listed = [by] if isinstance(by, str | int | float | Expr) else list(by)  # type: ignore[arg-type]
        found = Along(tuple(_form(one) for one in listed))
    if isinstance(found, Coulomb):
        _check_friction(found, name, speeds)
    count = len(found.forms) if isinstance(found, Along) else conditions if isinstance(found, Perfect) else 1
    if count != conditions:
        few = count < conditions
        remedy = (
            "Say what else pushes, or write the other conditions as a perfect constraint of their own"
            if few
            else ("State a condition for each, or let fewer efforts act")
        )
        raise ModelError(
            f"constraint '{name}' gives {_counted(conditions, 'condition')} and {_counted(count, 'reaction')} "
            f"(hypothesis H0). {remedy}."
        )
    return found


def _check_friction(law: Coulomb, name: str, speeds: set[str]) -> None:
    """Friction is not negative, and slips are velocities."""
    if law.friction.is_number and float(law.friction) < 0:
        raise ModelError(f"the friction {ex.text(law.friction)} of '{name}' is negative: it would push on.")
    for slip in law.slip:
        if not any(moves(x.name, speeds) for x in ex.free_symbols(slip)) and not names_moving([slip]):
            raise ModelError(
                f"the slip '{ex.text(slip)}' of '{name}' names no speed: friction is against a velocity, such as "
                "x.x' or vel(foot, x)."
            )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _form(one: Scalar | str) -> Expr:
    """A coordinate `elbow.th` stands for its virtual change; anything else is a form already."""
    given = ex.parse(one) if isinstance(one, str) else ex.as_expr(one)
    e = in_calls(given)
    return virtual(e) if given.op == "symbol" or (given.op == "apply" and given.name != VIRTUAL) else e


def force_on(frame: str, axis: str, base: str = "earth", against: str | None = None) -> Expr:
    """The form of a force at the origin of a frame, along an axis of `base`; its opposite acts on `against`."""
    own = virtual(called("vel", frame, axis, base))
    return own if against is None else own - virtual(called("vel", against, axis, base))


def torque_on(body: str, axis: str, base: str = "earth", against: str | None = None) -> Expr:
    """The form of a torque on a body about an axis of `base`; its opposite acts on `against`."""
    own = virtual(called("omega", body, axis, base))
    return own if against is None else own - virtual(called("omega", against, axis, base))


def coulomb(friction: Scalar | str, *slip: Scalar | str) -> Coulomb:
    """Dry friction on a contact that is kept: a coefficient, and the components of the sliding velocity."""
    told = [in_calls(ex.parse(x) if isinstance(x, str) else ex.as_expr(x)) for x in (friction, *slip)]
    if len(told) < 2:
        raise ModelError('dry friction needs the slip that it is against: coulomb(0.3, "cart.x\'").')
    return Coulomb(told[0], tuple(told[1:]))
