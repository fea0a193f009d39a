"""All solutions of a polynomial system in a few letters, in closed form; parameters are generic."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ._equality import is_zero
from ._normal import tidy

_LARGEST = 200
"""Branches of factors that are followed; a hand-sized system has a few dozen."""


class PolynomialSolver:
    """Factors, letters that stand alone, univariate roots; a Groebner basis where none of these helps."""

    def __init__(self) -> None:
        self.complete = True
        self.branches = 0

    def solve(self, polynomials: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
        self.branches += 1
        if self.branches > _LARGEST:
            self.complete = False
            return []
        left = [p for p in dict.fromkeys(sp.expand(p) for p in polynomials) if p != 0]
        left = [p for p in left if not (not p.has(*variables) and is_zero(p))]
        if any(not p.has(*variables) for p in left):
            return []  # a condition on the parameters alone, which generic ones do not meet
        if not left:
            return [{}]
        left.sort(key=lambda p: (sum(p.has(x) for x in variables), p.count_ops()))
        for p in left:
            for x in variables:
                slope = sp.diff(p, x)
                if slope != 0 and not slope.has(*variables):
                    return self._put(left, variables, p, x, [tidy(-p.subs(x, 0) / slope)])
        for p in left:
            factors = self._factors(p, variables)
            if factors:
                rest = [q for q in left if q is not p]
                return [s for f in factors for s in self.solve([f, *rest], variables)]
        for p in left:
            inside = [x for x in variables if p.has(x)]
            if len(inside) == 1:
                roots = self._roots(p, inside[0])
                if len(left) > 1 and any(r.has(sp.CRootOf) for r in roots):
                    self.complete = False  # arithmetic with roots of high degree has no end: numbers must help
                    roots = [r for r in roots if not r.has(sp.CRootOf)]
                return self._put(left, variables, p, inside[0], roots)
        return self._coupled(left, variables)

    def _factors(self, p: sp.Expr, variables: Sequence[sp.Symbol]) -> list[sp.Expr]:
        """The factors that hold unknowns, when there are several or one is repeated."""
        try:
            _, factors = sp.factor_list(p, *variables)
        except (sp.PolynomialError, NotImplementedError):
            return []
        powers = [(sp.expand(f), k) for f, k in factors if f.has(*variables)]
        return [] if len(powers) == 1 and powers[0][1] == 1 else [f for f, _ in powers]

    def _put(
        self,
        left: Sequence[sp.Expr],
        variables: Sequence[sp.Symbol],
        used: sp.Expr,
        x: sp.Symbol,
        values: Sequence[sp.Expr],
    ) -> list[dict[sp.Symbol, sp.Expr]]:
        rest, others = [p for p in left if p is not used], [v for v in variables if v != x]
        found = []
        for value in values:
            put = [sp.expand(sp.numer(sp.together(p.subs(x, value)))) for p in rest]
            for one in self.solve([_vanishing(p) for p in put], others):
                found.append({x: tidy(value.subs(one, simultaneous=True)), **one})
        return found

    def _roots(self, p: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
        polynomial = sp.Poly(p, x)
        if all(c.is_Rational for c in polynomial.all_coeffs()):
            return list(dict.fromkeys(polynomial.real_roots()))
        roots = sp.roots(polynomial)
        if sum(roots.values()) < polynomial.degree():
            self.complete = False
        return [r for r in roots if r.is_real is not False]

    def _coupled(self, left: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
        inside = [x for x in variables if any(p.has(x) for p in left)]
        if len(left) < len(inside):  # a curve or surface of rests: one letter by the others
            for p in left:
                for x in inside:
                    if sp.degree(p, x) <= 2:
                        return self._put(left, variables, p, x, list(sp.roots(sp.Poly(p, x))))
        try:
            basis = [sp.expand(g) for g in sp.groebner(left, *inside, order="lex", domain=_field(left, inside))]
        except (sp.PolynomialError, NotImplementedError, ValueError):
            basis = list(left)
        basis = [sp.expand(sp.numer(sp.together(g))) for g in basis]
        if set(basis) == set(left):
            self.complete = False
            return []
        return self.solve(basis, variables)


def _field(polynomials: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> sp.Domain:
    letters = sorted({s for p in polynomials for s in p.free_symbols} - set(variables), key=str)
    coefficients = [c for p in polynomials for c in sp.Poly(p, *variables).coeffs()]
    if any(not c.is_rational_function(*letters) or c.atoms(sp.Function) for c in coefficients):
        raise NotImplementedError
    if any(e.exp.is_Rational and not e.exp.is_Integer for c in coefficients for e in c.atoms(sp.Pow)):
        raise NotImplementedError
    return sp.QQ.frac_field(*letters) if letters else sp.QQ


def _vanishing(p: sp.Expr) -> sp.Expr:
    """0 where the roots that were put in cancel, which expansion alone does not see."""
    if p.has(sp.Pow) and any(not e.exp.is_Integer for e in p.atoms(sp.Pow)) and is_zero(p):
        return sp.Integer(0)
    return p
