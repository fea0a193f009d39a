"""Slopes of the action from separated equations: linear ones, and roots with the sign of their branch."""

from __future__ import annotations

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._names import Names
from ..formulas._normal import tidy


def slope_of(equation: sp.Expr, y: sp.Symbol, names: Names, label: str) -> tuple[sp.Expr, str]:
    """Solve the separated equation for the slope: linear, or quadratic with a branch sign."""
    top = without_root(equation, y)
    if not top.is_polynomial(y) or sp.degree(top, y) > 2:
        solutions = sp.solve(top, y)
        if not solutions:
            raise ModelError(f"the separated equation {equation} = 0 cannot be solved for the slope")
        return tidy(solutions[-1]), ""
    c, b, a = (top.coeff(y, k) for k in range(3))
    if a == 0:
        return tidy(-c / b), ""
    names.signs.add(label)
    sign = names.symbol(label)
    middle = tidy(-b / (2 * a))
    return middle + sign * sp.sqrt(_under_root(middle**2 - c / a)), label


def without_root(equation: sp.Expr, y: sp.Symbol) -> sp.Expr:
    """The numerator of a separated equation; one root that holds the slope, as in a relativistic H, is squared away."""
    top = sp.numer(sp.together(equation))
    roots = [e for e in top.atoms(sp.Pow) if e.exp == sp.Rational(1, 2) and e.base.has(y)]
    if len(roots) == 1:
        root = sp.Dummy("root")
        linear = sp.expand(top.subs(roots[0], root))
        slope, rest = linear.coeff(root, 1), linear.coeff(root, 0)
        if sp.expand(linear - slope * root - rest) == 0 and not slope.has(y) and not rest.has(y):
            top = sp.numer(sp.together(slope**2 * roots[0].base - rest**2))
    return sp.expand(top)


def is_quadratic(top: sp.Expr, y: sp.Symbol) -> bool:
    return bool(top.is_polynomial(y) and sp.degree(top, y) > 1)


def _under_root(e: sp.Expr) -> sp.Expr:
    """Radicands read best as a sum, unless that would repeat a denominator."""
    short = tidy(e)
    bottom = sp.fraction(sp.together(short))[1]
    return short if isinstance(sp.expand(bottom), sp.Add) else sp.expand(short)
