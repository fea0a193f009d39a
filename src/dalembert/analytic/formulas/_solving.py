"""Solve hand-sized equations: linear systems exactly, a*sin + b*cos = c by the arc tangent, the rest by SymPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ._equality import is_zero
from ._exact import as_sympy
from ._normal import elementary_trigonometry, tidy


def linear_parts(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> tuple[sp.Matrix, sp.Matrix] | None:
    """A, b with equations = A*unknowns - b, or None when some equation is not affine."""
    rows = sp.Matrix([[sp.diff(e, u) for u in unknowns] for e in equations])
    if any(entry.has(*unknowns) for entry in rows):
        return None
    zero = dict.fromkeys(unknowns, sp.Integer(0))
    return rows, sp.Matrix([-e.subs(zero) for e in equations])


def solve_linear(matrix: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """The solution of a regular square system; fraction-free elimination, entries made short."""
    if matrix.rows == 1:
        return sp.Matrix([tidy(right[0] / matrix[0, 0])])
    blocks = matrix.connected_components()
    if len(blocks) > 1:  # separate groups of unknowns stay separate
        found = sp.zeros(matrix.rows, 1)
        for block in blocks:
            for i, value in zip(block, solve_linear(matrix.extract(block, block), right.extract(block, [0]))):
                found[i] = value
        return found
    if matrix.rows <= 3:
        determinant = tidy(matrix.det(method="berkowitz"))
        adjugate = matrix.adjugate()
        return sp.Matrix([tidy(sp.together(entry) / determinant) for entry in adjugate * right])
    # a sparse ratio field is far faster than expression swell; symbols and kernels are generators there
    try:
        field = sp.polys.matrices.DomainMatrix.from_Matrix(matrix.row_join(right)).to_field()
        square, column = field[:, : matrix.cols], field[:, matrix.cols :]
        return sp.Matrix([tidy(e) for e in square.lu_solve(column).to_Matrix()])
    except (sp.PolynomialError, NotImplementedError, ValueError):
        return sp.Matrix([tidy(e) for e in matrix.LUsolve(right)])


def solve_system(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
    """All solutions found, each checked by substitution; free unknowns stay as themselves.

    >>> x, y = sp.symbols("x y")
    >>> solve_system([x + y - 3, x - y - 1], [x, y])
    [{x: 2, y: 1}]
    """
    equations = [e for e in (as_sympy(e) for e in equations) if e != 0]
    parts = linear_parts(equations, unknowns) if equations else (sp.zeros(0, len(unknowns)), sp.zeros(0, 1))
    if parts is not None:
        return _affine(equations, unknowns)
    separate = _one_angle_each(equations, unknowns)
    if separate is not None:
        return separate
    found: list[dict[sp.Symbol, sp.Expr]] = sp.solve(list(equations), list(unknowns), dict=True)
    good = []
    for solution in found:
        tidied = {u: tidy(v) for u, v in solution.items()}
        if all(is_zero(e.subs(tidied)) for e in equations):
            good.append(tidied)
    return good


def _affine(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> list[dict[sp.Symbol, sp.Expr]]:
    solutions = (
        sp.linsolve([sp.expand(elementary_trigonometry(e)) for e in equations], list(unknowns))
        if equations
        else {tuple(unknowns)}
    )
    return [{u: tidy(v) for u, v in zip(unknowns, s) if u != v} for s in solutions]


def _one_angle_each(
    equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]
) -> list[dict[sp.Symbol, sp.Expr]] | None:
    """Equations a*sin(u) + b*cos(u) = 0, one unknown angle each: u = atan(-b/a) (the branch through u = 0)."""
    solution: dict[sp.Symbol, sp.Expr] = {}
    for equation in equations:
        angles = [u for u in unknowns if equation.has(u)]
        if len(angles) != 1:
            return None
        (u,) = angles
        e = sp.expand(elementary_trigonometry(equation))
        a, b = e.coeff(sp.sin(u)), e.coeff(sp.cos(u))
        if sp.expand(e - a * sp.sin(u) - b * sp.cos(u)) != 0 or a.has(u) or b.has(u) or a == 0:
            return None
        solution[u] = sp.atan(tidy(-b / a))
    return [solution]


def invert(expression: sp.Expr, variable: sp.Symbol, value: sp.Expr) -> list[sp.Expr]:
    """Solve expression = value for a variable that occurs inside one nest of functions, by peeling them off.

    >>> q, t = sp.symbols("q t")
    >>> invert(2*sp.asin(3*q) + 1, q, t)
    [sin((t - 1)/2)/3]
    """
    while expression != variable:
        if isinstance(expression, (sp.Add, sp.Mul)):
            rest, inner = expression.as_independent(variable, as_Add=isinstance(expression, sp.Add))
            if rest == expression.identity or inner == expression:
                return _by_solver(expression, variable, value)
            value = value - rest if isinstance(expression, sp.Add) else value / rest
            expression = inner
        elif isinstance(expression, sp.Pow) and not expression.exp.has(variable):
            exponent = expression.exp
            if exponent.is_integer:
                return _by_solver(expression, variable, value)
            value, expression = value ** (1 / exponent), expression.base
        elif type(expression) in _INVERSES:
            value, expression = _INVERSES[type(expression)](value), expression.args[0]
        else:
            return _by_solver(expression, variable, value)
    return [tidy(value)]


_INVERSES: dict[Any, Any] = {
    sp.asin: sp.sin,
    sp.acos: sp.cos,
    sp.atan: sp.tan,
    sp.asinh: sp.sinh,
    sp.acosh: sp.cosh,
    sp.log: sp.exp,
    sp.exp: sp.log,
    sp.sinh: sp.asinh,
    sp.tan: sp.atan,
}


def odd_roots(e: sp.Expr) -> sp.Expr:
    """Roots of odd degree in their real branch."""
    return e.replace(
        lambda p: isinstance(p, sp.Pow) and p.exp.is_Rational and p.exp.q % 2 == 1 and p.exp.q > 1,
        lambda p: (sp.sign(p.base) * sp.Abs(p.base) ** sp.Rational(1, p.exp.q)) ** p.exp.p,
    )


def _by_solver(expression: sp.Expr, variable: sp.Symbol, value: sp.Expr) -> list[sp.Expr]:
    if expression.is_polynomial(variable) and sp.degree(expression, variable) <= 2:
        c, b, a = _quadratic(expression - value, variable)
        if a == 0:
            return [tidy(-c / b)]
        # both signs are kept, so that |x| under the root may be read as x
        root = sp.sqrt(tidy(b**2 - 4 * a * c)).replace(sp.Abs, lambda x: x)
        return [tidy((-b + sign * root) / (2 * a)) for sign in (1, -1)]
    kernels = {type(f) for f in expression.atoms(sp.Function) if f.has(variable)}
    rooted = any(not e.exp.is_integer for e in expression.atoms(sp.Pow) if e.base.has(variable))
    if len(kernels) + rooted > 1 or expression.count_ops() > 80:
        return []  # a mixture of kernels has no elementary inverse; the general solver would search for minutes
    try:
        return [tidy(s) for s in sp.solve(expression - value, variable)]
    except NotImplementedError:
        return []


def _quadratic(expression: sp.Expr, variable: sp.Symbol) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    e = sp.expand(expression)
    return e.coeff(variable, 0), e.coeff(variable, 1), e.coeff(variable, 2)
