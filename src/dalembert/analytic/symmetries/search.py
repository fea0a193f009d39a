"""Searches with undetermined coefficients: first integrals polynomial in the velocities, and point symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..canonical.brackets import rank_of
from ..formulas._exact import as_sympy
from ..formulas._linear_search import identically_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ..formulas.steps import Listing
from .noether import Noether, first_order_change, noether

if TYPE_CHECKING:
    from ..systems.system import System


def monomials(variables: Sequence[sp.Expr], degree: int) -> list[sp.Expr]:
    """All products of at most `degree` factors."""
    return [sp.Mul(*c) for d in range(degree + 1) for c in combinations_with_replacement(variables, d)]


def search_first_integrals(
    system: System,
    degree: int = 2,
    *,
    coordinate_degree: int = 2,
    kernels: Sequence[Formula] | None = None,
    time_degree: int = 0,
) -> list[sp.Expr]:
    """Integrals I = sum c * kernel * q-monomial * v-monomial, of at most `degree` in the velocities.

    `kernels` are functions of the coordinates used as extra factors; by default those that occur in the potential.

    >>> from dalembert.analytic import System
    >>> plane = System("x y", L="(x_d**2 + y_d**2)/2 - w**2*(x**2 + y**2)/2")
    >>> len(search_first_integrals(plane)) >= 4
    True
    """
    n = system.names
    motion = system.lagrange()
    accelerations = {n.velocity(c, 2): a for c, a in motion.accelerations.items()}
    q = [n.symbol(c) for c in system.coordinates]
    v = [n.velocity(c) for c in system.coordinates]
    used = [n.read(k) for k in kernels] if kernels is not None else _kernels_of(motion.L, q)
    times = monomials([n.time], time_degree)
    extra = [sp.Integer(1), *used]
    terms = list(
        dict.fromkeys(
            sp.expand(k * x * y * z)
            for k in extra
            for x in monomials(q, coordinate_degree)
            for y in monomials(v, degree)
            for z in times
        )
    )
    terms = [t for t in terms if t.free_symbols & {*q, *v}]
    unknowns = list(sp.symbols(f"c0:{len(terms)}"))
    ansatz = sum((c * t for c, t in zip(unknowns, terms)), sp.Integer(0))
    rate = n.derivative(ansatz).subs(accelerations)
    found = [
        sp.Add(*(value * t for t, value in zip(terms, solution.values())))
        for solution in identically_zero([rate], unknowns, [*q, *v, n.time])
    ]
    found = [f for f in found if f.free_symbols & set(v)]
    return sorted((tidy(f) for f in found), key=lambda f: (f.count_ops(), str(f)))


def independent(integrals: Sequence[sp.Expr], system: System) -> list[sp.Expr]:
    """A maximal functionally independent subset, simplest first."""
    n = system.names
    variables = [*(n.symbol(c) for c in system.coordinates), *(n.velocity(c) for c in system.coordinates)]
    chosen: list[sp.Expr] = []
    for f in integrals:
        if rank_of([*chosen, f], variables) > len(chosen):
            chosen.append(f)
    return chosen


def _kernels_of(L: sp.Expr, q: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """What is not polynomial in the coordinates, term by term of the Lagrangian, as candidate factors."""
    found: list[sp.Expr] = []
    for term in sp.Add.make_args(sp.expand(L)):
        factors = [f for f in sp.Mul.make_args(term) if f.has(*q) and not f.is_polynomial(*L.free_symbols)]
        if factors:
            found.append(sp.powsimp(sp.Mul(*factors)))
        for f in factors:
            if isinstance(f, (sp.sin, sp.cos)):
                found += [sp.sin(f.args[0]), sp.cos(f.args[0])]
    return list(dict.fromkeys(found))


def search_symmetries(
    system: System, degree: int = 1, *, time_degree: int = 1, kernels: Sequence[Formula] = ()
) -> list[Noether]:
    """Point symmetries xi(q, t), tau(t) of the action, up to a gauge term, within a polynomial ansatz.

    Each comes with its conserved quantity. Degree 1 covers translations, rotations, boosts and dilations.

    >>> from dalembert.analytic import System
    >>> len(search_symmetries(System("x", L="m*x_d**2/2"), time_degree=2))
    5
    """
    n = system.names
    L = system.freeze(system.lagrangian)
    if system.multipliers:
        raise ModelError("search the symmetries in independent coordinates")
    q = [n.symbol(c) for c in system.coordinates]
    v = [n.velocity(c) for c in system.coordinates]
    shapes = list(
        dict.fromkeys(
            a * b * k
            for a in monomials(q, degree)
            for b in monomials([n.time], time_degree)
            for k in (1, *n.read_all(kernels))
        )
    )
    xi_unknowns = {c: [sp.Symbol(f"a_{c}_{i}") for i in range(len(shapes))] for c in system.coordinates}
    tau_shapes = monomials([n.time], 2)
    tau_unknowns = [sp.Symbol(f"tau_{i}") for i in range(len(tau_shapes))]
    factors = [sp.Integer(1), *(f for k in n.read_all(kernels) for f in (k, n.derivative(k)))]
    gauge_shapes = list(
        dict.fromkeys(
            a * b * k for a in monomials(q, degree + 1) for b in monomials([n.time], time_degree) for k in factors
        )
    )
    gauge_shapes = [g for g in gauge_shapes if g.free_symbols & set(q)]
    gauge_unknowns = [sp.Symbol(f"f_{i}") for i in range(len(gauge_shapes))]
    xi = {c: sum((u * s for u, s in zip(xi_unknowns[c], shapes)), sp.Integer(0)) for c in system.coordinates}
    tau = sum((u * s for u, s in zip(tau_unknowns, tau_shapes)), sp.Integer(0))
    gauge = sum((u * s for u, s in zip(gauge_unknowns, gauge_shapes)), sp.Integer(0))
    condition = sp.expand(first_order_change(L, xi, tau, n) - n.derivative(gauge))
    unknowns = [u for us in xi_unknowns.values() for u in us] + tau_unknowns + gauge_unknowns
    found: list[Noether] = Listing()
    for solution in identically_zero([condition], unknowns, [*q, *v, n.time]):
        shifts = {c: e.subs(solution) for c, e in xi.items()}
        shift = as_sympy(tau).subs(solution)
        if any(e != 0 for e in shifts.values()) or shift != 0:
            found.append(noether(system, shifts, shift))
    return found
