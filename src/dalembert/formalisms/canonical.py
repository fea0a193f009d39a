"""Hamilton's equations for people: statements of the levels, and the factors of M in which momenta give speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.expr import ZERO, Expr, dot_product
from dalembert.formalisms import lagrange
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import closed, rates_in_speeds, reaction_efforts
from dalembert.formalisms.hamiltonian import Hamiltonian
from dalembert.presentation.axes import Quantity
from dalembert.presentation.closing import reaction_terms
from dalembert.presentation.jacobians import reactions_on_speeds
from dalembert.presentation.lines import plain
from dalembert.presentation.scalars import Scalars, Side
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import Vocabulary

#: Operations of M, S and F up to which formulas are tidied to be written out: beyond, no page holds them.
MOST_WRITTEN_OUT = 400

HELD = plain(
    "p held: p . u - T + V is stationary in u, where it is H",
    "-dH/dq = dT/dq - dV/dq  at  u = dH/dp",
    "-\\frac{\\partial H}{\\partial q} = \\frac{\\partial T}{\\partial q} - \\frac{\\partial V}{\\partial q}"
    "\\quad\\text{at}\\quad u = \\frac{\\partial H}{\\partial p}",
)


def vector_level(words: Vocabulary) -> Statements:
    found = lagrange.vector_level(words)
    weight = len(found.heads) == 3
    text, latex = reaction_terms(words, "u_i", "u_i")
    lines = [
        plain("momenta", "p_r = dT/du_r", "p_r = \\frac{\\partial T}{\\partial u_r}"),
        plain(
            "Hamiltonian",
            "H = sum_r p_r*u_r - T" + (" + V" if weight else ""),
            "H = \\sum_r p_r u_r - T" + (" + V" if weight else ""),
        ),
        plain("", "q'_i = dH/dp_i", "\\dot{q}_i = \\frac{\\partial H}{\\partial p_i}"),
        plain(
            "",
            "p'_i = -dH/dq_i + dP/du_i" + text,
            "\\dot{p}_i = -\\frac{\\partial H}{\\partial q_i} + \\frac{\\partial P}{\\partial u_i}" + latex,
        ),
    ]
    if list(words.tree.speeds) != [ex.prime(q) for q in words.tree.coordinates]:
        text, latex = reaction_terms(words, "u", "u")
        lines[2:] = [
            plain("speeds that are not rates, q' = P(q) u", "q' = P dH/dp", "\\dot{q} = P\\,\\partial H/\\partial p"),
            plain(
                "p_q = W^T p held while deriving",
                "p' = -P^T dH/dq + (dP/dt)^T p_q - P^T d(u . P^T p_q)/dq + dP/du" + text,
                "\\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + \\dot{P}^T p_q - "
                "P^T\\frac{\\partial (u\\cdot P^T p_q)}{\\partial q} + \\frac{\\partial P}{\\partial u}" + latex,
            ),
        ]
    return Statements(lines, [*found.heads, HELD], found.terms)


def matrix_level(words: Vocabulary) -> Statements:
    found = lagrange.matrix_level(words)
    reaction = reactions_on_speeds(words)
    lines = [
        plain("momenta", "p = M*u + b", "p = M u + b"),
        plain(
            "M = L^T Delta L, L^T y = p - b",
            "H = (p - b)^T M^-1 (p - b)/2 - T_0 + V = sum_k y_k^2/(2 Delta_k) - T_0 + V",
            "H = \\tfrac{1}{2}(p-b)^T M^{-1}(p-b) - T_0 + V = \\sum_k \\frac{y_k^2}{2 \\Delta_k} - T_0 + V",
        ),
        plain(
            "and the term of turning speeds, where speeds are not rates",
            "q' = P dH/dp,  p' = -P^T dH/dq + F" + reaction[0],
            "\\dot{q} = P \\frac{\\partial H}{\\partial p},\\quad "
            "\\dot{p} = -P^T\\frac{\\partial H}{\\partial q} + F" + reaction[1],
        ),
        *found.lines[1:],
    ]
    return Statements(lines, [*found.heads, HELD], found.terms)


@dataclass(frozen=True, slots=True)
class Factored:
    """M = L^T D L and the momenta in its factors, L^T y = p - b: H = sum_k y_k^2/(2 D_k) - T_0 + V, D L u = y."""

    lower: list[list[Expr]]
    diagonal: list[Expr]
    momenta: list[Expr]

    @classmethod
    def of(cls, eq: Equations, written: Callable[[Expr], Expr]) -> Factored:
        """The factors, each written in the form that is asked for."""
        detail: Hamiltonian = eq.detail
        lower, diagonal = factor_symmetric(eq.mass_matrix.map(written))
        lower, diagonal = [[written(x) for x in row] for row in lower], [written(x) for x in diagonal]
        drift = ex.substitute(detail.definition, dict.fromkeys(eq.tree.speeds, 0))
        y = [p - written(b) for p, b in zip(detail.momenta, drift, strict=True)]
        for k in range(len(y) - 1, -1, -1):
            y[k] = written(y[k])
            for i in range(k):
                y[i] = y[i] - lower[k][i] * y[k]
        return cls(lower, diagonal, y)

    def energy(self) -> Expr:
        total = ZERO
        for y, pivot in zip(self.momenta, self.diagonal, strict=True):
            total += y * y / (2 * pivot)
        return total

    def speeds(self, symbols: Sequence[Expr]) -> list[Expr]:
        """dH/dp_k = y_k/D_k - sum_i L_ki u_i, by the speeds before it."""
        found = []
        for k, (y, pivot) in enumerate(zip(self.momenta, self.diagonal, strict=True)):
            found.append(y / pivot - dot_product(self.lower[k][:k], symbols[:k]))
        return found


def canonical_equations(eq: Equations) -> Scalars:
    """H, u = dH/dp, p' = -dH/dq + Q in which the speeds are names, q' = P u, and what each momentum is."""
    if eq.operations <= MOST_WRITTEN_OUT:
        tidy = _canonical(eq, ex.Tidier(for_reading=True).tidy)
        if tidy.written_out:
            return closed(eq, tidy)
    return closed(eq, _canonical(eq, lambda e: e))


def _canonical(eq: Equations, written: Callable[[Expr], Expr]) -> Scalars:
    """The equations with every formula in the form that is asked for."""
    detail: Hamiltonian = eq.detail
    factors = Factored.of(eq, written)
    (rest,) = ex.substitute([detail.motion], dict.fromkeys(eq.tree.speeds, 0))
    energy = factors.energy() - written(rest) + written(detail.potential)
    equations: list[Side] = [("Hamiltonian", ex.symbol("H"), energy)]
    for u, rate in zip(eq.tree.speeds, factors.speeds(eq.tree.speeds), strict=True):
        equations.append((f"{u.name}: dH/dp", u, rate))
    reduced = ex.reduce([*detail.in_speeds.momentum_rates, *detail.definition])
    n = len(detail.momenta)
    for p, rate, effort in zip(detail.momenta, reduced[:n], reaction_efforts(eq), strict=True):
        label = "-dH/dq + Q" if effort is ZERO else "-dH/dq + Q + D^T Lambda"
        equations.append((f"{p.name}': {label}", ex.prime(p), written(rate) + effort))
    momenta = zip(eq.tree.speeds, detail.momenta, reduced[n:], strict=True)
    meant = tuple((f"momentum of {u.name}", p, written(d)) for u, p, d in momenta)
    return Scalars(tuple(equations), (*rates_in_speeds(eq), *meant))


def own_quantities(eq: Equations) -> list[Quantity]:
    """The factors of M = L^T D L, the momenta in them, and M with the later speeds left free."""
    factors = Factored.of(eq, lambda e: e)
    listed = enumerate(factors.diagonal, 1)
    found = [Quantity(f"D_{k}", x, "D", "pivots of M = L^T D L") for k, x in listed if x.args]
    for k, row in enumerate(factors.lower, 1):
        for i, x in enumerate(row[: k - 1], 1):
            if x.args:
                found.append(Quantity(f"L_{k}_{i}", x, "L", "factor of M = L^T D L"))
                free = "entries of M where the speeds after the row's are left to themselves, D_k L_k_i"
                found.append(Quantity(f"N_{k}_{i}", x * factors.diagonal[k - 1], "N", free))
    told = "momenta in the factors, L^T y = p - b"
    return found + [Quantity(f"y_{k}", x, "y", told) for k, x in enumerate(factors.momenta, 1) if x.args]
