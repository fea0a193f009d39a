"""Undetermined coefficients: make an expression, linear in unknowns, vanish identically in its moving names."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ._normal import _Kernels, elementary_trigonometry


def identically_zero(
    conditions: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol], moving: Sequence[sp.Symbol]
) -> list[dict[sp.Symbol, sp.Expr]]:
    """A basis of the values of the unknowns for which every condition vanishes for all values of the moving names.

    Functions of the moving names are generators with their relations divided out, so that equal powers can be compared.
    """
    rows: list[list[sp.Expr]] = []
    for condition in conditions:
        rows += _coefficient_rows(condition, unknowns, moving)
    if not rows:
        return [{u: sp.Integer(int(u == v)) for u in unknowns} for v in unknowns]
    matrix = sp.polys.matrices.DomainMatrix.from_Matrix(sp.Matrix(rows)).to_field()
    null = matrix.nullspace().to_Matrix()
    basis = []
    for k in range(null.rows):
        vector = list(null.row(k))
        pivot = next(e for e in vector if e != 0)
        scale = sp.lcm([sp.denom(sp.together(e / pivot)) for e in vector if e != 0])
        basis.append({u: sp.cancel(e / pivot * scale) for u, e in zip(unknowns, vector)})
    return basis


def _coefficient_rows(
    condition: sp.Expr, unknowns: Sequence[sp.Symbol], moving: Sequence[sp.Symbol]
) -> list[list[sp.Expr]]:
    kernels = _Kernels()
    prepared = kernels.convert(elementary_trigonometry(condition, angles=True))
    active = {s for s, m in kernels.meaning.items() if m.free_symbols & set(moving)}
    # relations may hold parameters under the root; those roots are constants and stay as they are
    numerator = sp.expand(sp.fraction(sp.together(prepared))[0])
    numerator = kernels.reduce(numerator)
    generators = [s for s in (*moving, *sorted(active, key=str)) if numerator.has(s)]
    coefficients = [numerator] if not generators else sp.Poly(numerator, *generators).coeffs()
    rows = []
    for c in coefficients:
        expanded = sp.expand(kernels.restore(c))
        row = [expanded.coeff(u, 1) for u in unknowns]
        if any(e != 0 for e in row):
            rows.append(row)
    return rows
