"""Parts, what holds them together and what pulls at them: the words of statics by Newton, in the plane or in space.

Every hold is a set of unknown forces: each has a sense and a place, acts on one part and backwards on the other. Ropes
only pull, contacts only push; a contact with friction carries a tangential force of at most mu times the normal one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..formulas._names import Formula

GROUND = "ground"
"""The part that does not move, and whose balance is not asked for."""


@dataclass(frozen=True, slots=True)
class Load:
    """A given force at a place of a part (or a couple): formulas of parameters and unknowns.

    `spread` = (start, end) spreads the force, then a force for each unit of length, evenly over a straight piece.
    """

    part: str
    at: Sequence[Formula] = ()
    force: Sequence[Formula] = ()
    couple: Formula | Sequence[Formula] = 0
    spread: tuple[Sequence[Formula], Sequence[Formula]] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    """Two parts share a point and turn freely about it: a hinge in the plane, a ball joint in space."""

    part: str
    at: Sequence[Formula]
    to: str = GROUND
    name: str = ""


@dataclass(frozen=True, slots=True)
class Weld:
    """Two parts are one there: a force and a couple pass."""

    part: str
    at: Sequence[Formula]
    to: str = GROUND
    name: str = ""


@dataclass(frozen=True, slots=True)
class Contact:
    """`to` pushes on `part` at a place along `normal`; a force N >= 0, and with `friction` a tangential one <= mu N."""

    part: str
    at: Sequence[Formula]
    normal: Sequence[Formula]
    to: str = GROUND
    friction: Formula = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Roller:
    """A contact that holds on both sides: a force along `normal` of either sign."""

    part: str
    at: Sequence[Formula]
    normal: Sequence[Formula]
    to: str = GROUND
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rope:
    """A light rope through places of parts, [(part, place), ...]; pulleys between turn freely: one tension.

    A pulley is a point where two strands meet. `directions` gives the direction of each strand when the places do not
    tell it, as for strands that hang down from a pulley of some size.
    """

    path: Sequence[tuple[str, Sequence[Formula]]]
    directions: Sequence[Sequence[Formula]] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Screw:
    """A screw of given `pitch` (advance in a turn) along `axis`, in space, without friction: C = -F pitch/(2 pi)."""

    part: str
    at: Sequence[Formula]
    axis: Sequence[Formula]
    pitch: Formula
    to: str = GROUND
    name: str = ""


Hold = Pin | Weld | Contact | Roller | Rope | Screw
