"""What the names of a claim stand for: definitions, values of names, and motions, put in without leaving the text.

where   {name: formula}   the name is short for the formula, which may use the definitions before it
at      {name: value}     put in at the end, after every derivative has been taken
along   {name: motion}    a formula of time for something that moves; its velocities follow
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from dalembert.errors import ExpressionError
from dalembert.expr._grammar import parse

from ._exact import as_sympy
from ._names import Formula, Names, SympyBuilder
from ._solving import solve_system


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions, values and motions in the symbols of one table of names; `settled` carries them through."""

    names: Names
    short: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    values: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    motions: dict[str, sp.Expr] = field(default_factory=dict)

    def read(self, text: Formula) -> Any:
        """A formula whose derivatives go through the definitions: Derivative(S, x) is that of what S stands for."""
        if not isinstance(text, str):
            return self.names.read(text)
        return parse(text, _Defining(self.names, self.short), exact=True)

    def settled(self, formula: sp.Expr) -> sp.Expr:
        """The formula with definitions, then motions, then values put in."""
        formula = settle(formula, self.short)
        if not (self.values or self.motions):
            return formula
        formula = formula.doit()
        if self.motions:
            formula = self.names.at_functions(formula, self.motions)
        found = formula.subs(self.values, simultaneous=True)
        if found.has(sp.zoo, sp.nan):
            at = ", ".join(f"{x} = {e}" for x, e in self.values.items())
            raise ExpressionError(f"{formula} has no value at {at}")
        return found

    @property
    def told(self) -> set[str]:
        """Every name that they speak of."""
        stated = {*self.short, *self.values} | {self.names.symbol(c) for c in self.motions}
        inside = (*self.short.values(), *self.values.values(), *self.motions.values())
        return {s.name for s in stated} | {s.name for e in inside for s in e.free_symbols}


def definitions(
    names: Names,
    where: Mapping[str, Formula] | None = None,
    at: Mapping[str, Formula] | None = None,
    along: Mapping[str, Formula] | None = None,
    known: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Definitions:
    """Read what a caller defined; `known` are definitions that a result brings along."""
    short = dict(known or {})
    for name, formula in (where or {}).items():
        own = names.symbol(name)
        made = settle(Definitions(names, short).read(formula), short)
        if own in made.free_symbols and made != own:
            raise ExpressionError(f"where: {name} stands for {made}, which holds {name} itself")
        short[own] = made
    for name in along or {}:
        if name not in names.moving:
            raise ExpressionError(f"along: {name} does not move; there are {', '.join(names.moving) or 'no motions'}")
    motions = {name: names.read(f) for name, f in (along or {}).items()}
    return Definitions(names, short, names.read_map(at or {}), motions)


def formula(
    text: Formula,
    *,
    where: Mapping[str, Formula] | None = None,
    at: Mapping[str, Formula] | None = None,
    along: Mapping[str, Formula] | None = None,
    names: Names | None = None,
) -> sp.Expr:
    """Read a formula whose names may stand for other formulas, with derivatives, values and motions put in.

    >>> formula("Derivative(S, x)", where={"S": "k*x**2/2 + c*x"}, at={"x": "2*a"})
    2*a*k + c
    """
    n = names or Names()
    told = definitions(n, where, at, along)
    return as_sympy(told.settled(told.read(text))).doit()


def solve_for(
    equations: Formula | Sequence[Formula],
    unknowns: str | Sequence[str],
    *,
    where: Mapping[str, Formula] | None = None,
    at: Mapping[str, Formula] | None = None,
    names: Names | None = None,
    known: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> list[dict[str, sp.Expr]]:
    """Every solution of equations, `"left == right"` or left-hand sides of = 0, for the unknown names.

    >>> solve_for("m1*g == m2*g*sin(a)", "m1")
    [{'m1': m2*sin(a)}]
    """
    n = names or Names()
    told = definitions(n, where, at, known=known)
    lines = []
    for line in equations if isinstance(equations, Sequence) and not isinstance(equations, str) else [equations]:
        stated = told.read(line)
        lines.append(told.settled(stated.lhs - stated.rhs if isinstance(stated, sp.Eq) else stated))
    letters = [n.symbol(u) for u in (unknowns.replace(",", " ").split() if isinstance(unknowns, str) else unknowns)]
    idle = [u.name for u in letters if not any(e.has(u) for e in lines)]
    if idle:
        raise ExpressionError(f"{', '.join(idle)}: not in the equations {', '.join(map(str, lines))} = 0")
    return [{u.name: e for u, e in found.items()} for found in solve_system(lines, letters)]


def settle(expression: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Substitute until nothing known is left; definitions may refer to each other at most thrice."""
    for _ in range(4):
        changes = {s: values[s] for s in expression.free_symbols if s in values and values[s] != s}
        if not changes:
            break
        expression = expression.subs(changes, simultaneous=True)
    return expression


class _Defining(SympyBuilder):
    """Derivatives of what a name stands for, not of the name."""

    def __init__(self, names: Names, short: Mapping[sp.Symbol, sp.Expr]) -> None:
        super().__init__(names)
        self.short = short

    def _derivative(self, function: Any = None, *variables: Any) -> Any:
        if function is None or not self.short or not function.free_symbols & {*self.short}:
            return super()._derivative(function, *variables)
        meant = settle(function, self.short)
        if not all(isinstance(v, sp.Symbol) for v in variables):
            raise ExpressionError("Derivative wants a formula and the names to differentiate by: Derivative(x, t)")
        moving = any(s.name.rstrip("'") in self.names.moving for s in meant.free_symbols)
        if moving and all(v == self.names.time for v in variables):
            return self.names.derivative(meant, len(variables))
        return sp.diff(meant, *variables)
