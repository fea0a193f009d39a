"""Syntax of constraints; part of `syntax`, where expressions and words are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.lsd.source import Span

if TYPE_CHECKING:
    from dalembert.lsd.syntax import Binding, Expression, Label, Path, Select


@dataclass(frozen=True, slots=True)
class Equation:
    """`left = right` in a constraint."""

    left: Expression
    right: Expression
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Push:
    """What a reaction pushes: a formula, or `torque on B about n`, `force on F along n`."""

    kind: str
    value: Expression
    axis: Expression | None = None
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constrain:
    """`constrain a = b, c = d by e, f as name`; perfect without `by`."""

    equations: tuple[Equation, ...]
    pushes: tuple[Push, ...] = ()
    name: Label | None = None
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Drive:
    """`drive elbow.th = law by shoulder.th as name`."""

    target: Select | Path
    law: Expression
    pushes: tuple[Push, ...] = ()
    name: Label | None = None
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Contrivance:
    """`roll wheel on ground with radius = r`, `gear a.th and b.th with ratio = n`, `rope f, g, h with length = l`."""

    kind: str
    parts: tuple[Expression, ...]
    fields: tuple[Binding, ...]
    name: Label | None = None
    span: Span = field(default=(0, 0), compare=False, repr=False)
