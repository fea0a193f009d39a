"""Poisson and Lagrange brackets, constancy along the motion, and Poisson's theorem carried to closure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero, weakest
from ..formulas._exact import as_sympy, refuse_text
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps

#: Singular values beside the largest, of gradients in units in which none is larger than one: rounding is 1e-15.
_DEPENDENT = 1e-9


def _variables(names: Names, variables: Sequence[str | sp.Symbol] | str) -> tuple[sp.Symbol, ...]:
    if isinstance(variables, str):
        variables = variables.replace(",", " ").split()
    return tuple(names.symbol(v) if isinstance(v, str) else as_sympy(v) for v in variables)


def poisson_bracket(
    f: Formula,
    g: Formula,
    q: Sequence[str | sp.Symbol] | str,
    p: Sequence[str | sp.Symbol] | str,
    names: Names | None = None,
) -> sp.Expr:
    """[f, g] = sum_k df/dq_k dg/dp_k - df/dp_k dg/dq_k; unspecified functions are allowed.

    >>> poisson_bracket("y*pz - z*py", "z*px - x*pz", "x y z", "px py pz")
    -px*y + py*x
    """
    if (
        isinstance(f, sp.Expr)
        and isinstance(g, sp.Expr)
        and not isinstance(q, str)
        and all(isinstance(x, sp.Symbol) for x in (*q, *p))
    ):
        a, b, qs, ps = f, g, tuple(q), tuple(p)
    else:
        names = names or Names()
        a, b, qs, ps = names.read(f), names.read(g), _variables(names, q), _variables(names, p)
    if len(qs) != len(ps) or len({*qs, *ps}) != 2 * len(qs):
        raise ModelError(
            f"a bracket has as many momenta as coordinates, all different: ({', '.join(map(str, qs))}) and "
            f"({', '.join(map(str, ps))}) are not"
        )
    total = sum((sp.diff(a, x) * sp.diff(b, y) - sp.diff(a, y) * sp.diff(b, x) for x, y in zip(qs, ps)), sp.Integer(0))
    return sp.expand(total) if total.is_polynomial(*qs, *ps) else total


def lagrange_bracket(
    u: str | sp.Symbol, v: str | sp.Symbol, q_of: Sequence[Formula], p_of: Sequence[Formula], names: Names | None = None
) -> sp.Expr:
    """{u, v} = sum_j dq_j/du dp_j/dv - dp_j/du dq_j/dv, with q and p as functions of variables among which u and v.

    >>> lagrange_bracket("Q", "P", ["Q*cos(a) - P*sin(a)"], ["P*cos(a) + Q*sin(a)"])
    1
    """
    names = names or Names()
    (a, b), qs, ps = _variables(names, [u, v]), names.read_all(q_of), names.read_all(p_of)
    if len(qs) != len(ps):
        raise ModelError(f"{len(qs)} coordinates and {len(ps)} momenta: a bracket needs as many of both")
    total = sum((sp.diff(x, a) * sp.diff(y, b) - sp.diff(y, a) * sp.diff(x, b) for x, y in zip(qs, ps)), sp.Integer(0))
    return tidy(total)


def bracket_matrix(functions: Sequence[sp.Expr], q: Sequence[sp.Symbol], p: Sequence[sp.Symbol]) -> sp.Matrix:
    """The matrix of all [U_i, U_j]."""
    refuse_text(functions, q, p)
    size = len(functions)
    matrix = sp.zeros(size, size)
    for i in range(size):
        for j in range(i):
            matrix[i, j] = tidy(poisson_bracket(functions[i], functions[j], q, p))
            matrix[j, i] = -matrix[i, j]
    return matrix


def rank_of(functions: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> int:
    """Generic rank of the gradients: how many of the functions are independent."""
    functions, variables = [as_sympy(f) for f in functions], [as_sympy(x) for x in variables]
    jacobian = sp.Matrix([[sp.diff(f, x) for x in variables] for f in functions])
    if not functions:
        return 0
    # exact rational points: the rank is that of the generic point, and two points guard against an unlucky one
    ranks = []
    for seed in (3, 5, 7):
        values = {
            s: sp.Rational(17 + 3 * k * seed + k * k, 7 + seed + k)
            for k, s in enumerate(sorted(jacobian.free_symbols, key=str), 1)
        }
        numeric = jacobian.subs(values)
        if numeric.has(sp.nan, sp.zoo):
            continue
        if any(not e.is_Rational for e in numeric):
            import numpy as np

            array = np.array(numeric.evalf(30).tolist(), dtype=complex)
            for axis in (1, 0, 1):  # functions and variables have units of their own
                sizes = np.abs(array).max(axis=axis, keepdims=True)
                array = array / np.where(sizes > 0, sizes, 1.0)
            ranks.append(int(np.linalg.matrix_rank(array, rtol=_DEPENDENT)))
        else:
            ranks.append(numeric.rank())
    return max(ranks)


@dataclass(frozen=True)
class Closure:
    """First integrals produced by Poisson's theorem: the algebra they close into, and how many are independent."""

    integrals: dict[str, sp.Expr]
    table: dict[tuple[str, str], sp.Expr]
    independent: int
    closed: bool
    steps: Steps


def poisson_closure(
    integrals: Mapping[str, Formula],
    H: Formula,
    q: Sequence[str] | str,
    p: Sequence[str] | str,
    *,
    names: Names | None = None,
    limit: int = 12,
) -> Closure:
    """Bracket known first integrals with each other until nothing new (functionally independent) appears.

    >>> two = {"Lx": "y*pz - z*py", "Ly": "z*px - x*pz"}
    >>> closure = poisson_closure(two, "(px**2+py**2+pz**2)/(2*m)", "x y z", "px py pz")
    >>> closure.independent, [str(v) for v in closure.integrals.values()][2]
    (3, '-px*y + py*x')
    """
    names = names or Names()
    qs, ps = _variables(names, q), _variables(names, p)
    hamiltonian, book = names.read(H), Notebook()
    found: dict[str, sp.Expr] = {}
    for label, f in integrals.items():
        expression = names.read(f)
        rate = poisson_bracket(expression, hamiltonian, qs, ps) + sp.diff(expression, names.time)
        if not is_zero(rate):
            raise ValueError(f"{label} = {expression} is not a first integral: its rate is {tidy(rate)}")
        found[label] = expression
        book.note(f"{label} is constant along the motion, [{label}, H] + d{label}/dt = 0", label, expression)
    variables, table, queue = (*qs, *ps), {}, [(a, b) for a in found for b in found if a < b]
    closed = True
    while queue:
        a, b = queue.pop(0)
        value = tidy(poisson_bracket(found[a], found[b], qs, ps))
        table[a, b] = value
        known = list(found.values())
        if value.has(*variables) and rank_of([*known, value], variables) > rank_of(known, variables):
            if len(found) >= limit:
                closed = False
                break
            label = f"[{a},{b}]"
            queue += [(old, label) for old in found]
            found[label] = value
            book.note("A new integral by Poisson's theorem", label, value)
    return Closure(found, table, rank_of(list(found.values()), variables), closed, book.close())


def bracket_identity(functions: Sequence[sp.Expr], q: Sequence[sp.Symbol], p: Sequence[sp.Symbol]) -> Verdict:
    """sum_k {U_k, U_i} [U_k, U_j] = delta_ij of 2n independent functions, canonical or not.

    The Lagrange brackets come from the inverse of the Jacobian of the functions, the Poisson brackets from itself.
    """
    refuse_text(functions, q, p)
    variables = [*q, *p]
    if len(functions) != len(variables):
        raise ModelError(f"{len(variables)} phase space variables need as many functions, not {len(functions)}")
    jacobian = sp.Matrix([[sp.diff(f, x) for x in variables] for f in functions])
    if is_zero(jacobian.det()):
        raise ModelError("the functions are not independent: their Lagrange brackets do not exist")
    inverse, n = jacobian.inv(), len(q)
    poisson = bracket_matrix(functions, q, p)
    lagrange = inverse[:n, :].T * inverse[n:, :] - inverse[n:, :].T * inverse[:n, :]
    rest = lagrange.T * poisson - sp.eye(2 * n)
    return weakest([is_zero(tidy(e)) for e in rest])
