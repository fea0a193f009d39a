"""Equations in quasi-velocities for machines with conditions on speeds: no multipliers, all coordinates.

Projected (`projected`), Lagrange's equations are Maggi's; Kane's partial velocities and Gibbs's function by v' are the
same projection done before. Boltzmann and Hamel derive T in all quasi-velocities w = A u, the conditions among them,
and set these to zero afterwards, with the three-index symbols of A and B = A^-1 (u the rates of the coordinates):

    d/dt dT/dw_i + sum_jk gamma^k_ij w_j dT/dw_k - sum_r B_ri dT/dq_r = Q_i
    gamma^k_ij = sum_rs (dA_kr/dq_s - dA_ks/dq_r) B_ri B_sj
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import HALF, ONE, TIME, ZERO, Expr, Matrix
from dalembert.expr.elimination import solve_linear
from dalembert.formalisms.projected import ProjectedEquations

if TYPE_CHECKING:
    from dalembert.presentation.lines import Statement
    from dalembert.presentation.scalars import Scalars

_TITLES = {"lagrange": "Maggi", "kane": "Kane", "gibbs-appell": "Gibbs-Appell"}


@dataclass(frozen=True, repr=False)
class QuasiEquations(ProjectedEquations):
    """M v' = S + F in independent speeds v, by one formalism; all coordinates stay."""

    def _written(self, exprs: Sequence[Expr]) -> tuple[Expr, ...]:
        """In coordinates and independent speeds alone."""
        return tuple(ex.substitute(list(exprs), {ex.symbol(x): e for x, e in self.dependent_speeds.items()}))

    @cached_property
    def rates(self) -> tuple[Expr, ...]:
        """q' in v."""
        return self._written(self.closed.rates)

    # --- Boltzmann and Hamel -----------------------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> tuple[list[list[Expr]], list[list[Expr]]]:
        """A (quasi-velocities by speeds: v, then the conditions) and B = A^-1."""
        n = len(self.closed.speeds)
        if [ex.prime(q) for q in self.closed.tree.coordinates] != list(self.closed.tree.speeds):
            raise ModelError(
                f"three-index symbols of '{self.layout.model.name}' are those of rates of coordinates, and some of its "
                "speeds are none: choose angles for free rotations, chart='bryant' for instance."
            )
        if any(self.rows.drift[k] is not ZERO for k in self.elimination.kept):
            raise ModelError(
                f"conditions of '{self.layout.model.name}' are moved by time: they have no three-index symbols."
            )
        table = self.rows.matrix.rows()
        a = [[ONE if j == k else ZERO for j in range(n)] for k in self.elimination.independent]
        a += [list(table[k]) for k in self.elimination.kept]
        unit = [[ONE if i == j else ZERO for i in range(n)] for j in range(n)]
        names = [ex.symbol(x) for x in self.closed.speeds]
        columns = solve_linear(a, unit, names, "the change to quasi-velocities").columns
        return a, [[columns[j][i] for j in range(n)] for i in range(n)]

    @cached_property
    def three_index_symbols(self) -> dict[tuple[int, int, int], Expr]:
        """gamma^k_ij that are not zero, by (k, i, j), i and j among the independent speeds; numbers begin at one."""
        a, b = self._frames
        q, n, free = list(self.closed.tree.coordinates), len(a), len(self.speeds)
        found: dict[tuple[int, int, int], Expr] = {}
        for k in range(n):
            slopes = ex.jacobian(a[k], q)  # dA_kr/dq_s
            for i in range(free):
                for j in range(free):
                    total = ZERO
                    for r in range(n):
                        for s in range(n):
                            curl = slopes[r][s] - slopes[s][r]
                            if curl is not ZERO:
                                total = total + curl * b[r][i] * b[s][j]
                    total = ex.tidy(total)
                    if total is not ZERO:
                        found[k + 1, i + 1, j + 1] = total
        return found

    @cached_property
    def boltzmann_hamel(self) -> tuple[Matrix, tuple[Expr, ...]]:
        """M_v and S_v of Boltzmann and Hamel's equations: another derivation of the same."""
        _, b = self._frames
        n, free = len(b), len(self.speeds)
        w = [ex.symbol(f"quasi {i + 1}") for i in range(n)]
        u = [ex.dot_product(row, w) for row in b]
        mass = self.closed.mass_matrix
        kinetic = HALF * ex.dot_product(u, [ex.dot_product(list(row), u) for row in mass.rows()])
        momenta = ex.gradient(kinetic, w)
        zero = dict(zip(w[free:], [ZERO] * (n - free), strict=True))
        own = dict(zip(w[:free], [ex.symbol(x) for x in self.speeds], strict=True))
        q = list(self.closed.tree.coordinates)
        along = dict(zip(q, u, strict=True)) | {TIME: ONE}
        moved, slopes = ex.tangent(momenta, along), ex.gradient(kinetic, q)
        right = []
        for i in range(free):
            total = -moved[i]
            for r in range(n):
                total = total + b[r][i] * slopes[r]
            for (k, first, j), symbol in self.three_index_symbols.items():
                if first == i + 1:
                    total = total - symbol * w[j - 1] * momenta[k - 1]
            right.append(total)
        entries = [x for row in ex.jacobian(momenta[:free], w[:free]) for x in row]
        flat = ex.substitute(ex.substitute([*entries, *right], zero), own)
        return Matrix([flat[i * free : (i + 1) * free] for i in range(free)], (free, free)), tuple(flat[free * free :])

    # --- for people --------------------------------------------------------------------------------------------------

    def show(self, level: str | None = None) -> Statement:
        """The equations at a level: M v' = S + F and what the other speeds are.

        At the vector and matrix levels what the formalism says with multipliers, and its projection on Psi.
        """
        from dalembert.formalisms.levels import show_quasi

        return show_quasi(self, level or "scalar")

    @property
    def title(self) -> str:
        return f"{_TITLES.get(self.formalism, self.formalism)} in {', '.join(self.speeds)} alone"

    def scalars(self, equations: bool = True) -> Scalars:
        """M v' = S + F row by row, and u = Psi v + c."""
        from dalembert.presentation.scalars import Scalars

        primes = [ex.prime(ex.symbol(x)) for x in self.speeds]
        table = zip(self.speeds, self.mass_matrix.rows(), self.right_side, strict=True) if equations else ()
        sides = tuple((name, ex.tidy(ex.dot_product(list(row), primes)), ex.tidy(right)) for name, row, right in table)
        told = [("u = Psi v", ex.symbol(x), ex.tidy(e)) for x, e in self.dependent_speeds.items()]
        return Scalars(sides, tuple(told))

    def as_dict(self) -> dict[str, Any]:
        """Names, M, S, F and the definitions as formulas with shared intermediates: the JSON form."""
        return self._table("M v' = S + F, u = Psi v + c", {"rates": self.rates}, self.dependent_speeds)

    def __repr__(self) -> str:
        name = self.layout.model.name
        return f"<Equations of {name!r} by {self.formalism} in the quasi-velocities {', '.join(self.speeds)}>"
