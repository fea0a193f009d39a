"""One record for each formalism: how it derives, and what it states at each level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.formalisms.equations import Equations
from dalembert.presentation.collect_terms import collect
from dalembert.presentation.scalars import Scalars, Side
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary

#: Coefficients are collected up to this many speeds; beyond, a page would not hold them.
MOST_COLLECTED = 16
#: Coefficients are put in order up to this many operations in all; beyond, nobody reads them one by one.
MOST_TIDIED = 400


def scalar_equations(eq: Equations) -> Scalars:
    """M u' = S + F, collected by accelerations and products of speeds, and q' = P u."""
    equations = [(name, left, right) for name, (left, right) in zip(eq.speeds, _sides(eq), strict=True)]
    return Scalars(tuple(equations), rates_in_speeds(eq))


def _sides(eq: Equations) -> list[tuple[Expr, Expr]]:
    if len(eq.speeds) > MOST_COLLECTED:
        primes = ex.Matrix.column([ex.prime(u) for u in eq.tree.speeds])
        return list(zip((eq.mass_matrix @ primes).entries, eq.right_side, strict=True))
    raw = collect(eq.mass_matrix, eq.bias, eq.forces, eq.tree.speeds)
    forms = [raw, [one.tidied() for one in raw]] if eq.operations <= MOST_TIDIED else [raw]
    choices = [[(one.left, one.right) for one in found] for found in forms]
    return min(choices, key=lambda pairs: ex.count_operations(x for pair in pairs for x in pair))


def rates_in_speeds(eq: Equations) -> tuple[Side, ...]:
    """q' = P(q) u, where it says more than a name."""
    pairs = zip(eq.tree.coordinates, eq.rates, strict=True)
    return tuple(("rate", ex.prime(q), rate) for q, rate in pairs if ex.prime(q) is not rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formalism:
    """A derivation with its statements: no formalism is shown by the theorem of another.

    `derive` takes a tree and the formalism's own choices; where `chosen_speeds` is false, in the joints' own speeds.
    """

    name: str
    title: str
    derive: Callable[..., Equations]
    vector: Callable[[Vocabulary], Statements]
    matrix: Callable[[Vocabulary], Statements]
    scalar: Callable[[Equations], Scalars] = scalar_equations
    chosen_speeds: bool = True
