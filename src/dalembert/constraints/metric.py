"""The kinetic metric on covectors (efforts, rows) and speeds, and rows made orthogonal in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.expr import ZERO, Expr, Matrix

Vector = list[Expr]


@dataclass(frozen=True, slots=True)
class KineticMetric:
    """M = L^T D L (no fill-in on a tree), for covectors (efforts, rows) and for speeds."""

    lower: list[Vector]
    inverses: Vector  # of D

    @staticmethod
    def of(mass: Matrix, names: Sequence[str] = ()) -> KineticMetric:
        lower, diagonal = factor_symmetric(mass, names)
        return KineticMetric(lower, [1 / pivot for pivot in diagonal])

    def covector(self, effort: Sequence[Expr]) -> Vector:
        """L^-T f."""
        x = list(effort)
        for k in range(len(x) - 1, -1, -1):
            if x[k] is not ZERO:
                for i in range(k):
                    if self.lower[k][i] is not ZERO:
                        x[i] = x[i] - self.lower[k][i] * x[k]
        return x

    def raised(self, covector: Sequence[Expr]) -> Vector:
        """D^-1 c: a covector as what it moves."""
        return [c * inverse for c, inverse in zip(covector, self.inverses, strict=True)]

    def speeds(self, moved: Sequence[Expr]) -> Vector:
        """L^-1 w."""
        x = list(moved)
        for k in range(len(x)):
            for i in range(k):
                if self.lower[k][i] is not ZERO and x[i] is not ZERO:
                    x[k] = x[k] - self.lower[k][i] * x[i]
        return x

    def freed(self, effort: Sequence[Expr]) -> Vector:
        """What efforts move, before it is written in speeds: D^-1 L^-T f."""
        return self.raised(self.covector(effort))


@dataclass(frozen=True, slots=True)
class Normal:
    """A row as a covector of the metric, and the same without what is in the rows before it."""

    given: Vector
    normal: Vector
    raised: Vector
    shares: Vector  # given = normal + sum_j shares_j normal_j
    inverse: Expr  # 1 / |normal|^2, zero for a row that is left out

    @staticmethod
    def of(given: Vector, keep: Expr, metric: KineticMetric, before: Sequence[Normal]) -> Normal:
        left, shares = without(given, before)
        if keep is ZERO:
            nothing = [ZERO] * len(given)
            return Normal(given, nothing, nothing, shares, ZERO)
        raised = metric.raised(left)
        return Normal(given, left, raised, shares, keep / ex.where(keep, ex.dot_product(left, raised), 1))


def without(given: Vector, before: Sequence[Normal]) -> tuple[Vector, Vector]:
    """What is left of a covector when its shares of others are taken away, and the shares."""
    left, shares = given, list[Expr]()
    for one in before:
        share = ex.dot_product(one.raised, left) * one.inverse
        shares.append(share)
        left = less(left, share, one.normal) if share is not ZERO else left
    return left, shares


def less(a: Vector, share: Expr, b: Vector) -> Vector:
    """a - share b."""
    return [x - share * y if y is not ZERO else x for x, y in zip(a, b, strict=True)]
