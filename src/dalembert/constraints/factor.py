"""Symbolic factors of symmetric matrices, from the last row up, so that the zeros of a tree stay zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import SingularError
from dalembert.expr import ONE, ZERO, Expr, Matrix


def factor_symmetric(matrix: Matrix, names: Sequence[str] = ()) -> tuple[list[list[Expr]], list[Expr]]:
    """M = L^T D L with L unit lower triangular: Featherstone's order, no fill-in on a tree.

    Returns L (rows, the unit diagonal left out as zero) and the diagonal D. `names` are the speeds, for the message
    when M is singular.
    """
    n = matrix.shape[0]
    work = [list(row) for row in matrix.rows()]
    lower: list[list[Expr]] = [[ZERO] * n for _ in range(n)]
    for k in range(n - 1, -1, -1):
        pivot = work[k][k]
        if pivot is ZERO:
            what = f"the speed '{names[k]}'" if names else f"speed {k + 1}"
            raise SingularError(
                f"the mass matrix is singular in every configuration: {what} moves no mass. "
                "Give mass or inertia to what it moves."
            )
        row = [i for i in range(k) if work[k][i] is not ZERO]
        for i in row:
            lower[k][i] = work[k][i] / pivot
        for i in row:
            for j in row:
                if j <= i:
                    work[i][j] = work[i][j] - lower[k][i] * work[k][j]
    return lower, [work[k][k] for k in range(n)]


def solve_factored(lower: list[list[Expr]], diagonal: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
    """x with L^T D L x = b."""
    n = len(diagonal)
    x = list(right)
    for k in range(n - 1, -1, -1):
        for i in range(k):
            if lower[k][i] is not ZERO:
                x[i] = x[i] - lower[k][i] * x[k]
    x = [value / pivot for value, pivot in zip(x, diagonal, strict=True)]
    for k in range(n):
        for i in range(k):
            if lower[k][i] is not ZERO:
                x[k] = x[k] - lower[k][i] * x[i]
    return x


def solve_symmetric(matrix: Matrix, right: Sequence[Expr], names: Sequence[str] = ()) -> list[Expr]:
    """x with M x = b, M symmetric positive definite."""
    lower, diagonal = factor_symmetric(matrix, names)
    return solve_factored(lower, diagonal, right)


@dataclass(frozen=True, slots=True)
class KineticBasis:
    """Coordinates w = D^1/2 L u in which the kinetic metric is the identity, from M = L^T D L."""

    lower: list[list[Expr]]
    roots: list[Expr]

    @staticmethod
    def of(mass: Matrix, names: Sequence[str] = ()) -> KineticBasis:
        lower, diagonal = factor_symmetric(mass, names)
        return KineticBasis(lower, [ex.sqrt(pivot) for pivot in diagonal])

    def covector(self, force: Sequence[Expr]) -> list[Expr]:
        """D^-1/2 L^-T f: forces and rows of constraints."""
        x = list(force)
        for k in range(len(x) - 1, -1, -1):
            if x[k] is not ZERO:
                for i in range(k):
                    if self.lower[k][i] is not ZERO:
                        x[i] = x[i] - self.lower[k][i] * x[k]
        return [value / root for value, root in zip(x, self.roots, strict=True)]

    def speeds(self, w: Sequence[Expr]) -> list[Expr]:
        """L^-1 D^-1/2 w."""
        x = [value / root for value, root in zip(w, self.roots, strict=True)]
        for k in range(len(x)):
            for i in range(k):
                if self.lower[k][i] is not ZERO:
                    x[k] = x[k] - self.lower[k][i] * x[i]
        return x


@dataclass(frozen=True, slots=True)
class OrthogonalRows:
    """Rows b_i = sum_j r_ij q_j with orthonormal q_j; a row that depends on those before has q_i = 0.

    Gram-Schmidt, not normal equations: near a singular configuration the error grows like 1/angle, not 1/angle^2.
    Whether a row depends on others is decided by value, without branches.
    """

    rows: list[list[Expr]]
    factors: list[list[Expr]]
    inverses: list[Expr]

    @staticmethod
    def of(rows: Sequence[Sequence[Expr]], tolerance: float = 1e-10) -> OrthogonalRows:
        made: list[list[Expr]] = []
        factors: list[list[Expr]] = []
        inverses: list[Expr] = []
        largest = ZERO
        for row in rows:
            largest = ex.maximum(largest, ex.dot_product(row, row))
        floor = tolerance * largest
        for row in rows:
            left, own = list(row), list[Expr]()
            for q in made:
                weight = ex.dot_product(q, left)
                own.append(weight)
                if weight is not ZERO:
                    left = [a - weight * b if b is not ZERO else a for a, b in zip(left, q, strict=True)]
            size = ex.dot_product(left, left)
            if size is ZERO:
                made.append([ZERO] * len(left))
                factors.append(own)
                inverses.append(ZERO)
                continue
            kept = floor < size
            inverse = ex.where(kept, 1 / ex.sqrt(ex.where(kept, size, ONE)), ZERO)
            made.append([inverse * a for a in left])
            factors.append(own)
            inverses.append(inverse)
        return OrthogonalRows(made, factors, inverses)

    def weights(self, wanted: Sequence[Expr]) -> list[Expr]:
        """z with rows . (sum z_j q_j) = wanted."""
        found: list[Expr] = []
        for value, own, inverse in zip(wanted, self.factors, self.inverses, strict=True):
            for weight, z in zip(own, found, strict=True):
                if weight is not ZERO and z is not ZERO:
                    value = value - weight * z
            found.append(value * inverse)
        return found

    def combination(self, weights: Sequence[Expr]) -> list[Expr]:
        """sum z_j q_j."""
        total = [ZERO] * (len(self.rows[0]) if self.rows else 0)
        for z, q in zip(weights, self.rows, strict=True):
            if z is not ZERO:
                total = [a + z * b if b is not ZERO else a for a, b in zip(total, q, strict=True)]
        return total

    def multipliers(self, weights: Sequence[Expr]) -> list[Expr]:
        """lambda with sum lambda_i b_i = sum z_j q_j, zero on dependent rows."""
        found = list(weights)
        for k in range(len(found) - 1, -1, -1):
            found[k] = found[k] * self.inverses[k]
            for j, weight in enumerate(self.factors[k]):
                if weight is not ZERO:
                    found[j] = found[j] - weight * found[k]
        return found
