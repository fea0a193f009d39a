"""Names of unknowns: each takes the name of the place where it lands (spec 1.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dalembert import expr as ex
from dalembert.expr import Expr

AXES = ("x", "y", "z")


def lowered(variable: str) -> str:
    """`V4T_4_45` -> `v4T_4_45`: scalars of a variable begin with a small letter."""
    return variable[0].lower() + variable[1:]


@dataclass(slots=True)
class Unknowns:
    """Placeholders and the names they get; a placeholder that lands twice keeps its first name."""

    serial: dict[Expr, int]
    names: dict[Expr, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def inside(self, expressions: Iterable[Expr]) -> list[Expr]:
        """Placeholders that occur, in reading order."""
        if not self.serial:
            return []
        found = {e for e in ex.topological(list(expressions)) if e in self.serial}
        return sorted(found, key=self.serial.__getitem__)

    def scalar(self, name: str, value: Expr, names: dict[Expr, str] | None = None) -> None:
        """A place for one scalar: bare it takes the name, inside a formula the name with a rank."""
        target = self.names if names is None else names
        if value in self.serial:
            self._name(value, name, target)
        inner = [u for u in self.inside([value]) if u is not value]
        for rank, unknown in enumerate(inner, 1):
            self._name(unknown, f"{name}_{rank}", target)

    def vector(self, variable: str, value: Sequence[Expr], names: dict[Expr, str] | None = None) -> None:
        for axis, component in zip(AXES, value):
            self.scalar(f"{lowered(variable)}_{axis}", component, names)

    def several(self, variable: str, values: Iterable[Expr], names: dict[Expr, str] | None = None) -> None:
        """A place without components, such as a rotation: ranks only."""
        target = self.names if names is None else names
        for rank, unknown in enumerate(self.inside(values), 1):
            self._name(unknown, f"{lowered(variable)}_{rank}", target)

    def _name(self, unknown: Expr, name: str, target: dict[Expr, str]) -> None:
        if unknown not in target and unknown not in self.names:
            target[unknown] = name
            self.taken.add(name)

    def resolved(self, values: Sequence[Expr], own: dict[Expr, str] | None = None) -> list[Expr]:
        """The expressions with every placeholder replaced by its named symbol or function."""
        present = self.inside(values)
        if not present:
            return list(values)
        mapping: dict[Expr, Expr] = {}
        for unknown in present:
            name = (own or {}).get(unknown) or self.names[unknown]
            if unknown.op == "symbol":
                mapping[unknown] = ex.symbol(name)
        for unknown in present:
            if unknown.op != "symbol":
                name = (own or {}).get(unknown) or self.names[unknown]
                # Arguments hold older placeholders only, so reading order resolves them first.
                mapping[unknown] = ex.function(name)(*ex.substitute(list(unknown.args), mapping))
        return ex.substitute(list(values), mapping)
