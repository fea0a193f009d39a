"""The Galilei group of an isolated system: generators, their algebra, and the Lagrangian that it leaves invariant."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..canonical.brackets import poisson_bracket
from ..formulas._names import Names

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class GalileiAlgebra:
    """Generators P_i, J_i, K_i, H of N particles, and their Poisson brackets; [K_i, P_j] = M delta_ij."""

    generators: dict[str, sp.Expr]
    brackets: dict[tuple[str, str], sp.Expr]
    total_mass: sp.Expr


def galilei_algebra(particles: int = 1) -> GalileiAlgebra:
    """Build the generators of free particles in space and bracket them with each other.

    >>> algebra = galilei_algebra(2)
    >>> algebra.brackets["Kx", "Px"], algebra.brackets["Jx", "Py"] - algebra.generators["Pz"]
    (m1 + m2, 0)
    """
    n = Names()
    tails = [str(i) for i in range(1, particles + 1)] if particles > 1 else [""]
    m = [n.symbol(f"m{t}") for t in tails]
    r = [[n.symbol(f"{a}{t}") for a in _AXES] for t in tails]
    p = [[n.symbol(f"p{a}{t}") for a in _AXES] for t in tails]
    total = sp.Add(*m)
    found: dict[str, sp.Expr] = {}
    for i, axis in enumerate(_AXES):
        j, k = (i + 1) % 3, (i + 2) % 3
        found[f"P{axis}"] = sp.Add(*(x[i] for x in p))
        found[f"J{axis}"] = sp.Add(*(a[j] * b[k] - a[k] * b[j] for a, b in zip(r, p)))
        found[f"K{axis}"] = sp.Add(*(mass * a[i] - b[i] * n.time for mass, a, b in zip(m, r, p)))
    found["H"] = sp.Add(*(sum(x**2 for x in b) / (2 * mass) for mass, b in zip(m, p)))
    q_all = [x for a in r for x in a]
    p_all = [x for b in p for x in b]
    table = {(a, b): sp.expand(poisson_bracket(f, g, q_all, p_all)) for a, f in found.items() for b, g in found.items()}
    return GalileiAlgebra(found, table, total)


def free_lagrangian() -> tuple[sp.Expr, sp.Expr]:
    """L(v^2) that changes by a total derivative under every small boost: dL/d(v^2) must be a constant C.

    Returns the condition on L as a function of u = v^2 and its solution. Under v -> v + e the change to first order is
    2 e v L'(u); it is a total derivative of a function of x exactly when it is linear in v, that is when L'' = 0.
    """
    u = sp.Symbol("u", positive=True)
    L = sp.Function("L")(u)
    condition = sp.diff(L, u, 2)
    solution = sp.dsolve(condition, L).rhs
    return condition, solution
