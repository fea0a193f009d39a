"""The one solve of a machine with constraints: M u' = f + G^T lambda, G u' = gamma.

Gauss: the motion is the free one, moved as little as the constraints ask, in the kinetic metric. Rows are made
orthogonal in that metric one after the other (modified Gram-Schmidt; the solution is gathered backwards, as stable as
reflections: Bjorck 1994), so that near a singular posture errors grow like 1/angle, not 1/angle^2. Rows that are
nothing or depend on others are left out by value (`independent`); the motion does not depend on which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.factor import factor_symmetric
from dalembert.constraints.independence import independent, less
from dalembert.constraints.rows import Rows
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


@dataclass(frozen=True, slots=True)
class _Normal:
    """A row as a covector of the metric, and the same without what is in the rows before it."""

    given: Vector
    normal: Vector
    raised: Vector
    shares: Vector  # given = normal + sum_j shares_j normal_j
    inverse: Expr  # 1 / |normal|^2, zero for a row that is left out

    @staticmethod
    def of(given: Vector, keep: Expr, metric: KineticMetric, before: Sequence[_Normal]) -> _Normal:
        if keep is ZERO:
            nothing = [ZERO] * len(given)
            return _Normal(given, nothing, nothing, [ZERO] * len(before), ZERO)
        left, shares = given, list[Expr]()
        for one in before:
            share = ex.dot_product(one.raised, left) * one.inverse
            shares.append(share)
            left = less(left, share, one.normal) if share is not ZERO else left
        raised = metric.raised(left)
        return _Normal(given, left, raised, shares, keep / ex.where(keep, ex.dot_product(left, raised), 1))


@dataclass(frozen=True, slots=True)
class Resolved:
    """Accelerations and multipliers of a machine, and every other least motion that its rows ask for."""

    metric: KineticMetric
    rows: tuple[_Normal, ...]
    kept: tuple[Expr, ...]  # 1 for a row that counts, 0 for one that is nothing or depends on others
    accelerations: tuple[Expr, ...] = ()
    multipliers: tuple[Expr, ...] = ()

    @property
    def _given(self) -> list[Vector]:
        return [row.given for row in self.rows]

    def least(self, wanted: Sequence[Expr]) -> Vector:
        """The smallest change of speed, in the kinetic metric, with G change = wanted."""
        return self.metric.speeds(self._gathered(self._forward(wanted))[0])

    def driven(self, effort: Sequence[Expr]) -> Vector:
        """What efforts on the speeds add to u'."""
        free = self.metric.raised(self.metric.covector(effort))
        moved, _ = self._gathered(self._forward([-ex.dot_product(row, free) for row in self._given]))
        return self.metric.speeds([a + b for a, b in zip(free, moved, strict=True)])

    def solve(self, right: Sequence[Expr], gamma: Sequence[Expr]) -> tuple[Vector, Vector]:
        """u' and lambda."""
        free = self.metric.raised(self.metric.covector(right))
        pairs = zip(gamma, self._given, strict=True)
        moved, weights = self._gathered(self._forward([g - ex.dot_product(row, free) for g, row in pairs]))
        for k in range(len(weights) - 1, -1, -1):
            for j, share in enumerate(self.rows[k].shares):
                if share is not ZERO and weights[k] is not ZERO:
                    weights[j] = weights[j] - share * weights[k]
        return self.metric.speeds([a + b for a, b in zip(free, moved, strict=True)]), weights

    def _forward(self, wanted: Sequence[Expr]) -> Vector:
        found: Vector = []
        for value, row in zip(wanted, self.rows, strict=True):
            for share, before in zip(row.shares, found, strict=True):
                if share is not ZERO and before is not ZERO:
                    value = value - share * before
            found.append(value)
        return found

    def _gathered(self, wanted: Sequence[Expr]) -> tuple[Vector, Vector]:
        """sum weights raised, from the last row to the first, and the weights."""
        total = [ZERO] * len(self.metric.inverses)
        weights = [ZERO] * len(wanted)
        for k in range(len(wanted) - 1, -1, -1):
            row = self.rows[k]
            if row.inverse is not ZERO:
                weights[k] = (wanted[k] - ex.dot_product(row.normal, total)) * row.inverse
                total = less(total, -weights[k], row.raised)
        return total, weights


def resolve(mass: Matrix, right: Sequence[Expr], rows: Rows, names: Sequence[str] = ()) -> Resolved:
    """Solve M u' = right + G^T lambda with G u' = gamma; `names` are the speeds, for the message when M is singular."""
    metric = KineticMetric.of(mass, names)
    kept = independent(rows)
    made = list[_Normal]()
    for row, keep in zip(rows.matrix.rows(), kept, strict=True):
        made.append(_Normal.of(metric.covector(row), keep, metric, made))
    solver = Resolved(metric, tuple(made), tuple(kept))
    accelerations, multipliers = solver.solve(right, rows.gamma)
    return replace(solver, accelerations=tuple(accelerations), multipliers=tuple(multipliers))
