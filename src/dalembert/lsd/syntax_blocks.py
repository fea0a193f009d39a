"""Syntax of what holds declarations; part of `syntax`, where expressions and words are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.lsd.source import Span

if TYPE_CHECKING:
    from dalembert.lsd.syntax import Declaration, Expression, Typed, Word


@dataclass(frozen=True, slots=True)
class Package:
    word: Word
    declarations: tuple[Declaration, ...]
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Machine:
    """`package leg(hip : frame, l : scalar = 1) = ... end`: a machine to be built as a part of others."""

    word: Word
    parameters: tuple[Typed, ...]
    declarations: tuple[Declaration, ...]
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Loop:
    """`for i in low..high do ... end`."""

    word: Word
    low: Expression
    high: Expression
    declarations: tuple[Declaration, ...]
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Condition:
    """`left < right` with one of `< <= > >= = <>`, of constants."""

    sign: str
    left: Expression
    right: Expression
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """`if a < b and c = d then ... else ... end`."""

    conditions: tuple[Condition, ...]
    declarations: tuple[Declaration, ...]
    otherwise: tuple[Declaration, ...] = ()
    span: Span = field(default=(0, 0), compare=False, repr=False)
