"""What a formalism says at the vector or matrix level: lines, definitions, and the terms that pick the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import algebra as al
from dalembert.algebra import Definitions, Term
from dalembert.presentation.lines import Line, definition
from dalembert.presentation.vocabulary import NOTHING, Vocabulary


@dataclass
class Statements:
    """What a formalism says: its equations, and definitions of its own beside the vocabulary's."""

    lines: list[Line]
    heads: list[Line]  # formulas that the formalism adds, before the kinematic ones
    terms: list[Term]  # whatever the equations use, to pick the formulas needed


def dynamic_moment(words: Vocabulary, i: int) -> Term:
    """I alpha + omega x (I omega), zero for a point mass."""
    if i not in words.rotating():
        return NOTHING
    w, inertia = words.vector(f"omega{i}"), words.inertia(i)
    return inertia * words.vector(f"alpha{i}") + al.cross(w, inertia * w)


def inertia_force(words: Vocabulary, i: int) -> Term:
    return words.mass(i) * words.vector(f"gamma(G{i})") if i in words.massive() else NOTHING


def formulas(terms: Sequence[Term], tables: Sequence[tuple[Definitions, str]]) -> list[Line]:
    """The definitions that some terms need, directly or through other definitions, table by table."""
    pending, wanted = list(terms), set[Term]()
    while pending:
        term = pending.pop()
        for table, _ in tables:
            fresh = [s for s in table.used_by(term) if s not in wanted]
            wanted.update(fresh)
            pending += [table[s] for s in fresh]
    return [definition(s, table[s], style) for table, style in tables for s in table if s in wanted]
