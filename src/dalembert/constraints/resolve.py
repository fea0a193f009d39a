"""The one solve of a machine with constraints: M u' = f + W^T lambda, G u' = gamma.

Gauss, where all reactions are perfect (W = G): the motion is the free one, moved as little as the constraints ask, in
the kinetic metric. Rows are made orthogonal in that metric one after the other (modified Gram-Schmidt; the solution is
gathered backwards, as stable as reflections: Bjorck 1994), so that near a singular posture errors grow like 1/angle,
not 1/angle^2. Rows that are nothing or depend on others are left out by value (`independent`); the motion does not
depend on which. Reactions that are not along their conditions come after them (`oblique`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.independence import independent
from dalembert.constraints.metric import KineticMetric, Normal, Vector, less
from dalembert.constraints.oblique import Oblique
from dalembert.constraints.rows import Rows
from dalembert.constraints.soundness import check_rows
from dalembert.errors import CouplingError, ExpressionError
from dalembert.expr import ONE, ZERO, Expr, Matrix


@dataclass(frozen=True, slots=True)
class Resolved:
    """Accelerations and multipliers of a machine, and every other least motion that its rows ask for.

    `normals` are the rows in the order of `order`: perfect ones first, the others after them, last the `implied`, which
    have no multipliers.
    """

    metric: KineticMetric
    order: tuple[int, ...]
    normals: tuple[Normal, ...]
    kept: tuple[Expr, ...]  # 1 for a row that counts, 0 for one that is nothing or depends on others
    oblique: Oblique | None = None
    implied: int = 0
    accelerations: tuple[Expr, ...] = ()
    multipliers: tuple[Expr, ...] = ()

    @property
    def _perfect(self) -> tuple[Normal, ...]:
        others = 0 if self.oblique is None else len(self.oblique.conditions)
        return self.normals[: len(self.normals) - others - self.implied]

    def least(self, wanted: Sequence[Expr]) -> Vector:
        """The smallest change of speed, in the kinetic metric, with G change = wanted; reactions have no say in it."""
        ordered = _forward(self.normals, [wanted[k] for k in self.order])
        return self.metric.speeds(_gathered(self.normals, ordered, len(self.metric.inverses))[0])

    def driven(self, effort: Sequence[Expr]) -> Vector:
        """What efforts on the speeds add to u', where no contact slides."""
        return self.solve(effort, [ZERO] * len(self.order))[0]

    def solve(self, right: Sequence[Expr], gamma: Sequence[Expr]) -> tuple[Vector, Vector]:
        """u' and lambda."""
        perfect = self._perfect
        count, found = len(perfect), [ZERO] * len(self.order)
        wanted = [gamma[k] for k in self.order]
        accelerations, weights = self._held(right, wanted[:count])
        if self.oblique is not None:
            last = len(self.normals) - self.implied
            rows = [normal.given for normal in self.normals[count:last]]
            others = [g - ex.dot_product(row, accelerations) for g, row in zip(wanted[count:last], rows, strict=True)]
            pushes, efforts = self.oblique.solve(others)
            accelerations, weights = self._held([a + b for a, b in zip(right, efforts, strict=True)], wanted[:count])
            weights = [*weights, *pushes]
        for k, weight in zip(self.order, weights, strict=False):
            found[k] = weight
        return self.metric.speeds(accelerations), found

    def least_norm(self) -> Vector:
        """The multipliers of least norm, in the units of the conditions: perfect rows that follow from others share.

        A row k that is left out is a sum of rows that count, c_j of each: what is added to lambda_k and taken from
        lambda_j by c_j moves nothing. Of all such changes the one that makes lambda least is taken.
        """
        found, loose = [self.multipliers[k] for k in self.order], list[Vector]()
        for k, row in enumerate(self._perfect):
            if self.kept[self.order[k]] is ONE:
                continue
            parts = list(row.shares)
            for j in range(k - 1, -1, -1):
                parts[:j] = less(parts[:j], parts[j], self.normals[j].shares)
            out = 1 - self.kept[self.order[k]]
            change = [-out * x for x in parts] + [out] + [ZERO] * (len(found) - k - 1)
            for before in loose:
                change = less(change, _share(before, change), before)
            loose.append(change)
        for change in loose:
            found = less(found, _share(change, found), change)
        told = [ZERO] * len(found)
        for k, value in zip(self.order, found, strict=True):
            told[k] = value
        return told

    def _held(self, right: Sequence[Expr], gamma: Sequence[Expr]) -> tuple[Vector, Vector]:
        """With the perfect rows alone: what moves, before it is written in speeds, and their multipliers."""
        normals = self._perfect
        free = self.metric.freed(right)
        asked = [g - ex.dot_product(row.given, free) for g, row in zip(gamma, normals, strict=True)]
        moved, weights = _gathered(normals, _forward(normals, asked), len(free))
        for k in range(len(weights) - 1, -1, -1):
            for j, share in enumerate(normals[k].shares):
                if share is not ZERO and weights[k] is not ZERO:
                    weights[j] = weights[j] - share * weights[k]
        return [a + b for a, b in zip(free, moved, strict=True)], weights


def _share(one: Vector, of: Vector) -> Expr:
    """How much of a vector another holds; none of one that is nothing."""
    size = ex.dot_product(one, one)
    return ex.dot_product(one, of) / ex.where(ex.less(0, size), size, 1)


def _forward(normals: Sequence[Normal], wanted: Sequence[Expr]) -> Vector:
    found: Vector = []
    for value, row in zip(wanted, normals, strict=True):
        for share, before in zip(row.shares, found, strict=True):
            if share is not ZERO and before is not ZERO:
                value = value - share * before
        found.append(value)
    return found


def _gathered(normals: Sequence[Normal], wanted: Sequence[Expr], size: int) -> tuple[Vector, Vector]:
    """sum weights raised, from the last row to the first, and the weights."""
    total = [ZERO] * size
    weights = [ZERO] * len(wanted)
    for k in range(len(wanted) - 1, -1, -1):
        row = normals[k]
        if row.inverse is not ZERO:
            weights[k] = (wanted[k] - ex.dot_product(row.normal, total)) * row.inverse
            total = less(total, -weights[k], row.raised)
    return total, weights


def resolve(mass: Matrix, right: Sequence[Expr], rows: Rows, names: Sequence[str] = ()) -> Resolved:
    """Solve M u' = right + W^T lambda with G u' = gamma; `names` are the speeds, for the message when M is singular."""
    metric = KineticMetric.of(mass, names)
    check_rows(mass, rows)
    others = rows.imperfect
    order = (*(k for k in range(len(rows)) if k not in others and k not in rows.implied), *others, *rows.implied)
    kept = independent(rows, mass, order)
    given, made = rows.matrix.rows(), list[Normal]()
    for k in order:
        made.append(Normal.of(metric.covector(given[k]), kept[k], metric, made))
    oblique = None
    if others:
        reaction = rows.reaction.rows()
        drags = {i: rows.sliding[k] for i, k in enumerate(others) if k in rows.sliding}
        perfect = made[: len(made) - len(others) - len(rows.implied)]
        oblique = Oblique.of(
            metric, perfect, [list(given[k]) for k in others], [list(reaction[k]) for k in others], drags
        )
    solver = Resolved(metric, order, tuple(made), tuple(kept), oblique, len(rows.implied))
    try:
        accelerations, multipliers = solver.solve(right, rows.gamma)
    except ExpressionError:
        if not others:
            raise
        names = ", ".join(f"'{rows.owners[k]}'" for k in others)
        raise CouplingError(
            f"the actuators of {names} have no hold on what they keep: G M^-1 W^T is zero in every configuration "
            "(kappa = 0). Push on what is coupled to it. Beside closed loops laws are derived further where all "
            "numbers are given."
        ).of(rows.owners[k] for k in others) from None
    return replace(solver, accelerations=tuple(accelerations), multipliers=tuple(multipliers))
