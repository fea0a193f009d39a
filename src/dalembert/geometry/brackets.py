"""Brackets: the Poisson matrix of V*M, and of the set where kinematic conditions hold; Jacobi's identity is tested.

V*M has {x^i, p_j} = delta and nothing else: driven coordinates are Casimirs, Jacobi holds. On the set of linear
conditions G u = 0 with perfect reactions (van der Schaft, Maschke), E admissible velocities and pi_a = <p, E_a>:

    {q^i, pi_a} = E_a^i,     {pi_a, pi_b} = -<p, [E_a, E_b]>,     z' = {z, H}

Jacobi's identity holds there where the conditions can be integrated, and fails where they are truly kinematic.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from dalembert import expr as ex
from dalembert.constraints.factor import solve_symmetric
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr, Matrix
from dalembert.expr.elimination import vanish
from dalembert.geometry.admissible import null_basis
from dalembert.geometry.geometry import Geometry


@dataclass(frozen=True, slots=True)
class Bracket:
    """{z^i, z^j} of coordinates `variables`; `energy` moves them by z' = {z, energy}."""

    variables: tuple[Expr, ...]
    matrix: Matrix
    energy: Expr

    def of(self, f: Expr, g: Expr) -> Expr:
        """{f, g}."""
        left, right = ex.gradient(f, self.variables), ex.gradient(g, self.variables)
        return ex.dot_product(left, [ex.dot_product(row, right) for row in self.matrix.rows()])

    @property
    def field(self) -> tuple[Expr, ...]:
        slopes = ex.gradient(self.energy, self.variables)
        return tuple(ex.dot_product(row, slopes) for row in self.matrix.rows())

    def failures(self) -> dict[tuple[str, str, str], Expr]:
        """Triples where {a, {b, c}} + {b, {c, a}} + {c, {a, b}} is not zero, with its value."""
        rows, found = self.matrix.rows(), {}
        slopes = {(i, j): ex.gradient(x, self.variables) for i, row in enumerate(rows) for j, x in enumerate(row)}
        for i, j, k in combinations(range(len(rows)), 3):
            terms = [ex.dot_product(rows[a], slopes[b, c]) for a, b, c in ((i, j, k), (j, k, i), (k, i, j))]
            total = terms[0] + terms[1] + terms[2]
            if total is not ZERO and not vanish([total]):
                a, b, c = (self.variables[m].name for m in (i, j, k))
                found[a, b, c] = ex.tidy(total)
        return found

    @property
    def poisson(self) -> bool:
        """Whether Jacobi's identity holds."""
        return not self.failures()


def phase_bracket(geometry: Geometry) -> Bracket:
    """The Poisson matrix of V*M in its coordinates (x, s, p), with Hhat, which moves fibres alone."""
    setting = geometry.setting
    variables = (*setting.coordinates, *setting.momenta)
    n, size = len(setting.free), len(variables)
    rows = [[ZERO] * size for _ in variables]
    for k in range(n):
        rows[k][size - n + k], rows[size - n + k][k] = ONE, -ONE
    return Bracket(variables, Matrix(rows, (size, size)), geometry.energy)


def kept_bracket(geometry: Geometry) -> Bracket:
    """The bracket on the set of kinematic conditions, in (q, pi_a); refused where no bracket makes the motion."""
    setting = geometry.setting
    _check(geometry)
    q, rates = setting.coordinates, setting.rates
    basis = null_basis(ex.jacobian(setting.quantities, rates))
    n, count = len(q), len(basis)
    momenta = tuple(ex.symbol(f"pi_{a + 1}") for a in range(count))
    carried = [[ex.dot_product(row, vector) for row in setting.mass.rows()] for vector in basis]
    metric = Matrix([[ex.dot_product(one, other) for other in carried] for one in basis], (count, count))
    speeds = solve_symmetric(metric, momenta)
    full = [ex.dot_product(speeds, [one[i] for one in carried]) for i in range(n)]  # p = M E v
    size = n + count
    rows = [[ZERO] * size for _ in range(size)]
    for a, vector in enumerate(basis):
        for i, x in enumerate(vector):
            rows[i][n + a], rows[n + a][i] = x, -x
        for b in range(a):
            forth = ex.tangent(basis[b], dict(zip(q, vector, strict=True)))
            back = ex.tangent(vector, dict(zip(q, basis[b], strict=True)))
            value = -ex.dot_product(full, [f - g for f, g in zip(forth, back, strict=True)])
            rows[n + a][n + b], rows[n + b][n + a] = value, -value
    energy = ex.dot_product(momenta, speeds) / 2 + setting.potential
    return Bracket((*q, *momenta), Matrix(rows, (size, size)), energy)


def _check(geometry: Geometry) -> None:
    setting = geometry.setting
    if setting.driven:
        why = "coordinates are driven"
    elif not setting.quantities:
        why = "no condition is kept: take `phase_bracket`"
    elif any(x is not ZERO for x in (*setting.linear, *setting.efforts, *setting.wanted)):
        why = "L has linear terms, efforts act, or labels of leaves move"
    else:
        why = _not_perfect_and_linear(geometry)
    if why:
        raise ModelError(f"the motion is not that of a bracket on the set of kept conditions: {why}.")


def _not_perfect_and_linear(geometry: Geometry) -> str:
    setting = geometry.setting
    rows = ex.jacobian(setting.quantities, setting.rates)
    if not ex.free_symbols([x for row in rows for x in row]).isdisjoint(setting.rates):
        return "a condition is not linear in the rates"
    if any(x is not ZERO for x in ex.substitute(list(setting.quantities), dict.fromkeys(setting.rates, 0))):
        return "a condition is affine in the rates"
    return "a reaction is not perfect" if any(tuple(a) != b for a, b in zip(rows, setting.rows, strict=True)) else ""
