"""The inverse problem: are given equations of motion those of some Lagrangian, and of which one?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._linear_search import identically_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.quadrature import antiderivative
from ..formulas.steps import Notebook, Steps
from ..systems.lagrange import euler_lagrange


@dataclass(frozen=True)
class Helmholtz:
    """Helmholtz's conditions on equations E_i(q, q', q'', t) = 0 as they are written; which ones fail."""

    holds: bool
    failures: dict[str, sp.Expr]

    def __bool__(self) -> bool:
        return self.holds


def helmholtz(
    equations: Sequence[Formula], coordinates: str | Sequence[str], *, names: Names | None = None
) -> Helmholtz:
    """E_i is the Euler-Lagrange expression of some L exactly when, with v = q' and a = q'':

    dE_i/da_j = dE_j/da_i;  dE_i/dv_j + dE_j/dv_i = d/dt(dE_i/da_j + dE_j/da_i);
    dE_i/dq_j - dE_j/dq_i = 1/2 d/dt(dE_i/dv_j - dE_j/dv_i).

    >>> bool(helmholtz(["m*x_dd + k*x"], "x")), bool(helmholtz(["m*x_dd + c*x_d + k*x"], "x"))
    (True, False)
    """
    n = names or Names(_labels(coordinates))
    E = _one_each(n, equations)
    failures: dict[str, sp.Expr] = {}
    d = sp.diff
    for i, (qi, vi, ai) in enumerate(zip(n.q, n.v, n.a)):
        for j, (qj, vj, aj) in enumerate(zip(n.q, n.v, n.a)):
            if j > i:
                continue
            tests = {
                f"dE_{qi}/d{aj} - dE_{qj}/d{ai}": d(E[i], aj) - d(E[j], ai),
                f"velocity condition of ({qi}, {qj})": d(E[i], vj)
                + d(E[j], vi)
                - n.derivative(d(E[i], aj) + d(E[j], ai)),
                f"position condition of ({qi}, {qj})": d(E[i], qj)
                - d(E[j], qi)
                - n.derivative(d(E[i], vj) - d(E[j], vi)) / 2,
            }
            failures |= {label: tidy(value) for label, value in tests.items() if not is_zero(value)}
    return Helmholtz(not failures, failures)


@dataclass(frozen=True)
class FoundLagrangian:
    """A Lagrangian whose equations are the given ones times the multiplier matrix."""

    L: sp.Expr
    multiplier: sp.Matrix
    steps: Steps


def lagrangian_for(equations: Sequence[Formula], coordinates: str | Sequence[str]) -> FoundLagrangian:
    """Find L for given equations: as they stand, or after a multiplier (constant matrix, function of t or of q).

    >>> lagrangian_for(["x_dd + 2*c*x_d + w**2*x"], "x").L
    -(w*x - x')*(w*x + x')*exp(2*c*t)/2
    """
    n = Names(_labels(coordinates))
    E = _one_each(n, equations)
    book = Notebook()
    size = len(E)
    for label, multiplier in _multipliers(E, n):
        trial = tuple(sp.expand(e) for e in multiplier * sp.Matrix(E))
        verdict = helmholtz(trial, (), names=n)
        book.note(f"Helmholtz conditions with {label}: {'satisfied' if verdict else 'not satisfied'}")
        if verdict:
            L = _first_order(trial, n)
            if all(is_zero(a - b) for a, b in zip(euler_lagrange(L, n), trial)):
                book.note("A Lagrangian", "L", L)
                return FoundLagrangian(L, multiplier, book.close())
    raise ModelError(
        f"no Lagrangian was found for these {size} equations: Helmholtz' conditions fail for them as written and after "
        "multiplication by constants or by functions of t or of the coordinates alone"
    )


def _one_each(n: Names, equations: Sequence[Formula]) -> tuple[sp.Expr, ...]:
    """Left-hand sides of = 0, one for each coordinate."""
    E = tuple(e.lhs - e.rhs if isinstance(e, sp.Eq) else e for e in n.read_all(equations))
    if not E or len(E) != len(n.coordinates):
        raise ModelError(f"{len(n.coordinates)} coordinates need as many equations of motion, not {len(E)}")
    return E


def _labels(coordinates: str | Sequence[str]) -> list[str]:
    return coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)


def _multipliers(E: Sequence[sp.Expr], n: Names) -> list[tuple[str, sp.Matrix]]:
    """Candidates, simplest first: identity, common factors exp(int ...), constant symmetric-making matrices."""
    size = len(E)
    found = [("the equations as written", sp.eye(size))]
    for i, (q, v, a) in enumerate(zip(n.q, n.v, n.a)):
        leading = sp.diff(E[i], a)
        if is_zero(leading):
            continue
        # for a scalar factor mu: mu'/mu = (dE/dv - d/dt(dE/da))/(dE/da), if that depends on t or on q, q' suitably
        rate = tidy((sp.diff(E[i], v) - n.derivative(leading)) / leading)
        if not rate.free_symbols & {*n.q, *n.v, *n.a}:
            found.append(("a factor of t", sp.exp(antiderivative(rate, n.time)) * sp.eye(size)))
        elif is_zero(sp.diff(rate / v, v)) and not (rate / v).free_symbols & {n.time, *n.v, *n.a, *(set(n.q) - {q})}:
            found.append((f"a factor of {q}", sp.exp(antiderivative(tidy(rate / v), q)) * sp.eye(size)))
    if size > 1:
        found += [("a constant matrix", m) for m in _polynomial_matrices(E, n, 0)]
        found += [("a matrix of the coordinates", m) for degree in (1, 2) for m in _polynomial_matrices(E, n, degree)]
    return found


def _polynomial_matrices(E: Sequence[sp.Expr], n: Names, degree: int) -> list[sp.Matrix]:
    """Matrices C(q), polynomial of given degree, for which C E satisfies Helmholtz' conditions: a linear problem."""
    from .search import monomials

    size, shapes = len(E), monomials(n.q, degree)
    unknowns = [sp.Symbol(f"c_{i}_{j}_{k}") for i in range(size) for j in range(size) for k in range(len(shapes))]
    entries = [
        sum((u * s for u, s in zip(unknowns[b : b + len(shapes)], shapes)), sp.Integer(0))
        for b in range(0, len(unknowns), len(shapes))
    ]
    C = sp.Matrix(size, size, entries)
    F = C * sp.Matrix(E)
    d, conditions = sp.diff, []
    for i, (qi, vi, ai) in enumerate(zip(n.q, n.v, n.a)):
        for j, (qj, vj, aj) in enumerate(zip(n.q, n.v, n.a)):
            conditions += [
                d(F[i], aj) - d(F[j], ai),
                d(F[i], vj) + d(F[j], vi) - n.derivative(d(F[i], aj) + d(F[j], ai)),
                d(F[i], qj) - d(F[j], qi) - n.derivative(d(F[i], vj) - d(F[j], vi)) / 2,
            ]
    jerks = [n.velocity(c, 3) for c in n.coordinates]
    basis = identically_zero([sp.expand(c) for c in conditions], unknowns, [*n.q, *n.v, *n.a, *jerks, n.time])
    matrices = [C.subs(solution) for solution in basis]
    if len(matrices) > 1:
        matrices.append(sum(matrices, sp.zeros(size, size)))
    return sorted((m for m in matrices if not is_zero(m.det())), key=lambda m: sum(e.count_ops() for e in m))


def _first_order(E: Sequence[sp.Expr], n: Names) -> sp.Expr:
    """L from E = M(q, v, t) a + N: first the part of the Hessian M, then a potential for what is left."""
    rest = dict.fromkeys((*n.v, *n.a), sp.Integer(0))
    scale = sp.Dummy("scale", positive=True)
    hessian = sp.Matrix([[sp.diff(e, a) for a in n.a] for e in E])
    stretched = hessian.subs({v: scale * v for v in n.v}, simultaneous=True)
    # K = int_0^1 (1 - scale) v.M(scale v) v d scale has the velocity Hessian M
    integrand = sp.expand((1 - scale) * (sp.Matrix([n.v]) * stretched * sp.Matrix(n.v))[0])
    primitive = antiderivative(integrand, scale)
    kinetic = sp.expand(primitive.subs(scale, 1) - primitive.subs(scale, 0))
    left = [sp.expand(sp.expand(e) - sp.expand(f)) for e, f in zip(E, euler_lagrange(kinetic, n))]
    # what is left is affine in v: sum_j B_ij v_j + dU/dq_i + dA_i/dt with B_ij = dA_i/dq_j - dA_j/dq_i
    field = _vector_potential(left, n)
    linear = sum((a * v for a, v in zip(field, n.v)), sp.Integer(0))
    remainder = [tidy(sp.expand(e - f)) for e, f in zip(left, euler_lagrange(linear, n))]
    potential = sp.Integer(0)
    for e, q in zip(remainder, n.q):
        potential += antiderivative(tidy(sp.expand(e.subs(rest) - sp.diff(potential, q))), q)
    return tidy(kinetic + linear - potential)


def _vector_potential(left: Sequence[sp.Expr], n: Names) -> list[sp.Expr]:
    """A with left_i containing (dA_i/dq_j - dA_j/dq_i) v_j, by the homotopy A_i = -int_0^1 s B_ij(s q) q_j ds."""
    B = sp.Matrix([[sp.diff(e, v) for v in n.v] for e in left])
    if all(is_zero(e) for e in B):
        return [sp.Integer(0)] * len(n.q)
    s = sp.Dummy("s", positive=True)
    shrunk = B.subs({q: s * q for q in n.q}, simultaneous=True)
    field = []
    for i in range(len(n.q)):
        integrand = sp.expand(s * (shrunk[i, :] * sp.Matrix(n.q))[0])
        primitive = antiderivative(integrand, s)
        field.append(tidy(primitive.subs(s, 1) - primitive.subs(s, 0)))
    return field
