"""Factors of polynomials whose unknowns are names, functions and dot products."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import add, number, power_product, times
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.term import Term


def factor_scalar(poly: Term) -> Term:
    """Irreducible factors over the rationals, with dot products and functions as unknowns."""
    if poly.op is not op.SUM or len(poly.args) < 2:
        return poly
    atoms, table = _exponents(poly)
    if not atoms:
        return poly
    from flint import Ordering, fmpq, fmpq_mpoly_ctx

    lowest = [min(row[i] for row in table) for i in range(len(atoms))]
    ctx = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(atoms))], Ordering.lex)
    data = {
        tuple(e - low for e, low in zip(row, lowest)): fmpq(Fraction(w).numerator, Fraction(w).denominator)  # type: ignore[arg-type]
        for row, w in zip(table, poly.weights)
    }
    content, parts = ctx.from_dict(data).factor()
    factors = [number(Fraction(int(content.p), int(content.q)))]
    factors += [power_product([(a, e)]) for a, e in zip(atoms, lowest) if e]
    for part, multiplicity in parts:
        factors.append(scalar_power(_from_polynomial(part, atoms), int(multiplicity)))
    return times(*factors)


def _exponents(poly: Term) -> tuple[list[Term], list[list[int]]]:
    rows: list[dict[Term, Any]] = []
    for monomial in poly.args:
        powers = dict(zip(monomial.args, monomial.weights)) if monomial.op is op.TIMES else {monomial: 1}
        if any(
            not isinstance(e, int) for e in powers.values()
        ):  # roots and symbolic powers become unknowns of their own
            powers = {
                (b if isinstance(e, int) else scalar_power(b, e)): (e if isinstance(e, int) else 1)
                for b, e in powers.items()
            }
        rows.append(powers)
    atoms = sorted({b for row in rows for b in row}, key=lambda t: t.key)
    return atoms, [[row.get(a, 0) for a in atoms] for row in rows]


def _from_polynomial(part: Any, atoms: list[Term]) -> Term:
    pieces = []
    for exponents, coefficient in part.to_dict().items():
        monomial = power_product((a, int(e)) for a, e in zip(atoms, exponents) if e)
        pieces.append(times(number(Fraction(int(coefficient.p), int(coefficient.q))), monomial))
    return add(*pieces)
