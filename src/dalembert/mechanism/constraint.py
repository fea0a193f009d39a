"""Constraints as data: what is asked of the motion, and what acts so that it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from dalembert.expr import Expr
from dalembert.mechanism.link import Link


@dataclass(frozen=True, slots=True)
class Closed:
    """The second frame of a link moves relative to the first as its joint lets it."""

    link: Link


@dataclass(frozen=True, slots=True)
class Holonomic:
    """Expressions of the coordinates and time that stay zero."""

    expressions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Kinematic:
    """Expressions of coordinates, speeds and time, affine in the speeds, that stay zero."""

    expressions: tuple[Expr, ...]


Condition: TypeAlias = Closed | Holonomic | Kinematic


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the motion with the reaction that keeps it: perfect, no power in any motion that is allowed."""

    name: str
    condition: Condition
    reaction: Literal["perfect"] = "perfect"
    sense: Literal["bilateral"] = "bilateral"
