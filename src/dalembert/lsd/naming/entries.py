"""Lines of the compiled table."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.lsd.naming import terms as t


@dataclass(frozen=True, slots=True)
class Variable:
    """A generated name and what it denotes."""

    name: str
    denotes: str


@dataclass(frozen=True, slots=True)
class Entry:
    """`name := value` assigns, `name = value` states an equation to use by substitution."""

    name: str
    operator: str
    value: t.Term

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {t.text(self.value)}"
