"""Syntax of contacts; part of `syntax`, where expressions and words are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.lsd.source import Span

if TYPE_CHECKING:
    from dalembert.lsd.syntax import Expression, Label


@dataclass(frozen=True, slots=True)
class Law:
    """`restitution e`, `friction mu`, `static mu`, `rolling a`, `drilling b`, `slip v, w` of a contact."""

    kind: str
    values: tuple[Expression, ...]
    span: Span = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Contact:
    """`contact a >= b`, `contact sphere(b, r) and plane(f) [and ...]`, `limit th in [a, b]`, `rub v`, and laws."""

    kind: str
    parts: tuple[Expression, ...]
    laws: tuple[Law, ...] = ()
    name: Label | None = None
    span: Span = field(default=(0, 0), compare=False, repr=False)
