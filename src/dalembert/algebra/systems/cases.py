"""Gauss elimination with symbols, and with the cases that a careful hand would tell apart (Papegay 2.3, line 2587).

A pivot that may vanish splits the discussion in two: where it does not, and where it does. Whether a case can happen,
and whether an entry is 0 in it, is decided by polynomial ideals, with sines and cosines bound by s^2 + c^2 = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import add, as_term, items, number, power_product, times
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import ONE, Term, TermLike
from dalembert.algebra.forms.canonical import canonical
from dalembert.algebra.forms.factor_scalar import factor_scalar
from dalembert.algebra.operators.arrays import array, cells
from dalembert.expr import cos, sin

CASES = 64  # a discussion longer than that helps nobody


@dataclass(frozen=True, slots=True)
class Case:
    """One case of an elimination: what is 0, what is not, and the echelon form and rank that follow."""

    zero: tuple[Term, ...]
    not_zero: tuple[Term, ...]
    echelon: Term
    rank: int

    def __str__(self) -> str:
        said = [f"{t} = 0" for t in self.zero] + [f"{t} != 0" for t in self.not_zero]
        return f"{' and '.join(said) or 'always'}: rank {self.rank}, {self.echelon}"


def eliminate(matrix: TermLike) -> list[Case]:
    """The echelon forms of a matrix of scalars, one for each case of its symbols.

    >>> x, y = scalar("x"), scalar("y")
    >>> for case in eliminate(array([[x, 1, 0], [0, 0, 1], [1, y, 1]])):
    ...     print(case)
    1 - x y != 0: rank 3, [1, y, 1; 0, 1 - x y, -x; 0, 0, 1]
    1 - x y = 0: rank 2, [1, y, 1; 0, 0, 1; 0, 0, 0]
    """
    whole = as_term(matrix)
    if whole.op is not op.ARRAY or any(not e.sort.is_scalar for e in whole.args):
        raise AlgebraError("elimination needs a matrix of scalars: array([[a, b], [c, d]]).")
    rows = [[canonical(e) for e in row] for row in cells(whole)]
    found: list[Case] = []
    _discuss(rows, 0, 0, (), (), found, _Ring([e for row in rows for e in row]))
    return found


class _Ring:
    """Polynomials in the atoms of the entries, for questions about cases."""

    def __init__(self, entries: list[Term]) -> None:
        import sympy as sp

        self.sp = sp
        self.atoms: dict[Term, Any] = {}
        for e in entries:
            self.polynomial(e)
        self.relations = []
        for atom in list(self.atoms):
            if atom.op is op.EXPR and atom.payload.op in ("sin", "cos"):
                s, c = (self._name(as_term(f(atom.payload.args[0]))) for f in (sin, cos))
                self.relations.append(s**2 + c**2 - 1)

    def _name(self, atom: Term) -> Any:
        return self.atoms.setdefault(atom, self.sp.Symbol(f"x{len(self.atoms)}"))

    def polynomial(self, t: Term) -> Any:
        total = self.sp.Integer(0)
        for monomial, weight in items(t):
            value = Fraction(weight)  # type: ignore[arg-type]
            part = self.sp.Rational(value.numerator, value.denominator)
            for base, e in () if monomial is ONE else _powers(monomial):
                if not isinstance(e, int) or e < 0:
                    raise AlgebraError(f"'{t}' is not a polynomial: clear denominators and roots before elimination.")
                part *= self._name(base) ** e
            total += part
        return total

    def possible(self, zero: tuple[Term, ...], not_zero: tuple[Term, ...]) -> bool:
        """Whether some (complex) values make the one 0 and the other not."""
        slack = self.sp.Symbol("slack")
        product = self.sp.Integer(1)
        for t in not_zero:
            product *= self.polynomial(t)
        ideal = [self.polynomial(t) for t in zero] + self.relations + [1 - slack * product]
        basis = self.sp.groebner(ideal, slack, *self.atoms.values(), order="grevlex")
        return list(basis.exprs) != [1]


def _powers(monomial: Term) -> list[tuple[Term, Any]]:
    return list(zip(monomial.args, monomial.weights)) if monomial.op is op.TIMES else [(monomial, 1)]


Rows = list[list[Term]]
Terms = tuple[Term, ...]


def _discuss(rows: Rows, rank: int, column: int, zero: Terms, not_zero: Terms, found: list[Case], ring: _Ring) -> None:
    if len(found) >= CASES:
        raise AlgebraError(f"the elimination splits into more than {CASES} cases: give some entries numbers.")
    if column == len(rows[0]) or rank == len(rows):
        found.append(Case(zero, not_zero, array(rows), rank))
        return
    live = []
    for i in range(rank, len(rows)):
        entry = rows[i][column]
        if entry and ring.possible(zero, (*not_zero, entry)):
            live.append((ring.possible((*zero, entry), not_zero), entry.size, i))
        else:
            rows = [*rows[:i], [number(0) if j == column else e for j, e in enumerate(rows[i])], *rows[i + 1 :]]
    if not live:
        _discuss(rows, rank, column + 1, zero, not_zero, found, ring)
        return
    may_vanish, _, best = min(live)
    pivot = _primitive(rows[best][column])
    reduced = _step(rows, rank, column, best)
    if may_vanish:
        _discuss(reduced, rank + 1, column + 1, zero, (*not_zero, pivot), found, ring)
        _discuss(rows, rank, column, (*zero, pivot), not_zero, found, ring)
    else:
        _discuss(reduced, rank + 1, column + 1, zero, not_zero, found, ring)


def _primitive(t: Term) -> Term:
    """A condition t = 0 by its squarefree part, without its number."""
    factors = factor_scalar(t)
    if factors.op is op.SUM and len(factors.args) == 1:
        factors = factors.args[0]
    return canonical(power_product((b, 1) for b, _ in _powers(factors))) if factors.op is op.TIMES else factors


def _step(rows: Rows, rank: int, column: int, best: int) -> Rows:
    """Without fractions: each lower row times the pivot, minus the pivot row times its entry."""
    order = [rows[best], *[r for i, r in enumerate(rows[rank:], rank) if i != best]]
    lead = order[0]
    pivot = lead[column]
    below = []
    for row in order[1:]:
        entry = row[column]
        if entry:
            row = [canonical(add(times(pivot, x), times(number(-1), entry, y))) for x, y in zip(row, lead)]
        below.append(row)
    return [*rows[:rank], lead, *below]
