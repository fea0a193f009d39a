"""Reactions that are not along their conditions: servo-mechanisms and dry friction.

With what perfect rows hold taken away in the kinetic metric, conditions g and reactions w leave a small system

    S lambda = beta,    S_ij = g_i M^-1 w_j^T

solved in cosines (rows and columns of length one), by orthogonal columns, so that no pivot has to be chosen. The
machine is controlled as long as their determinant is not zero: it is the product of the cosines of the angles between
what is asked and what is pushed, the least of which is the coupling number kappa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from dalembert import expr as ex
from dalembert.constraints.determinant import determinant
from dalembert.constraints.friction import Sliding
from dalembert.constraints.metric import KineticMetric, Normal, Vector, less, without
from dalembert.expr import ONE, ZERO, Expr, Scalar

#: Sliding contacts of one machine of which every combination of pushed and pulled is tried, twice as many for each.
#: Of more of them the sides are found one after the other (`_followed`).
_FEW_SLIDING = 3


@dataclass(frozen=True, slots=True)
class Oblique:
    """Conditions and what pushes for them, as efforts on the speeds and as covectors without the perfect rows."""

    metric: KineticMetric
    conditions: tuple[Vector, ...]  # g', in the metric
    pushes: tuple[Vector, ...]  # W, on the speeds
    held: tuple[Vector, ...]  # w', in the metric
    drags: dict[int, tuple[Vector, Vector]]  # of sliding rows: what friction adds, on the speeds and in the metric
    idle: tuple[Expr, ...]  # 1 where perfect rows do its work (a contact that sticks), else 0

    @staticmethod
    def of(
        metric: KineticMetric,
        perfect: Sequence[Normal],
        conditions: Sequence[Vector],
        pushes: Sequence[Vector],
        sliding: dict[int, Sliding],
    ) -> Oblique:
        def left(row: Sequence[Expr]) -> Vector:
            return without(metric.covector(row), perfect)[0]

        drags = {k: (list(one.drag), left(one.drag)) for k, one in sliding.items()}
        asked = tuple(left(row) for row in conditions)
        held = tuple(left(row) for row in pushes)
        idle = tuple(sliding[k].sticks if k in sliding else ZERO for k in range(len(asked)))
        return Oblique(metric, asked, tuple(map(list, pushes)), held, drags, idle)

    def solve(self, beta: Sequence[Expr]) -> tuple[Vector, Vector]:
        """lambda with S lambda = beta, and the efforts W^T lambda on the speeds."""
        if len(self.drags) > _FEW_SLIDING:
            return self._followed(beta)
        choices = list(product((1, -1), repeat=len(self.drags)))
        found = [self._with(signs, beta) for signs in choices]
        told, efforts = found[-1]
        for signs, (other, pushed) in zip(reversed(choices[:-1]), reversed(found[:-1]), strict=True):
            agrees = ONE
            for sign, k in zip(signs, self.drags, strict=True):
                agrees = agrees * _unless(self.idle[k], ex.less(0, sign * other[k]), 1)
            told = [ex.where(agrees, a, b) for a, b in zip(other, told, strict=True)]
            efforts = [ex.where(agrees, a, b) for a, b in zip(pushed, efforts, strict=True)]
        return told, efforts

    def _followed(self, beta: Sequence[Expr]) -> tuple[Vector, Vector]:
        """The same by Newton's method: each side is that of the force before, from the forces without friction on.

        Where contacts act on one another in a line (a load passed from one to the next), one side more is right after
        each turn, so that as many turns as contacts and one that changes nothing are enough; they mostly end sooner.
        Forces whose sides have not settled then are no solution: they are not finite.
        """
        told, efforts = self._with([0] * len(self.drags), beta)
        sides = list[Expr]()
        for _ in range(len(self.drags) + 1):
            sides = self._sides(told)
            told, efforts = self._with(sides, beta)
        settled = ONE
        for side, k in zip(sides, self.drags, strict=True):
            settled = settled * _unless(self.idle[k], 1 - ex.less(side * told[k], 0), 1)
        return [x / settled for x in told], [x / settled for x in efforts]

    def _sides(self, forces: Sequence[Expr]) -> list[Expr]:
        """Of each sliding contact: pushed or pulled."""
        return [ex.where(ex.less(forces[k], 0), -1, 1) for k in self.drags]

    def _with(self, signs: Sequence[Scalar], beta: Sequence[Expr]) -> tuple[Vector, Vector]:
        held, pushes = self._signed(signs)
        g, w, matrix = self.cosines(held)
        right = [_unless(out, b, 0) / size for b, size, out in zip(beta, g, self.idle, strict=True)]
        weights = _solved(matrix, right)
        found = [x / size for x, size in zip(weights, w, strict=True)]
        efforts = [ZERO] * len(self.metric.inverses)
        for x, row in zip(found, pushes, strict=True):
            efforts = less(efforts, -x, row)
        return found, efforts

    def _signed(self, signs: Sequence[Scalar]) -> tuple[list[Vector], list[Vector]]:
        held, pushes = list(self.held), list(self.pushes)
        for side, (k, (drag, inside)) in zip(signs, self.drags.items(), strict=True):
            sign = ex.as_expr(side)
            held[k], pushes[k] = less(held[k], sign, inside), less(pushes[k], sign, drag)
        return held, pushes

    def cosines(self, held: Sequence[Vector]) -> tuple[Vector, Vector, list[Vector]]:
        """Lengths of conditions and of pushes, and S over both; what is idle has a one of its own."""
        raised, idle = [self.metric.raised(row) for row in held], self.idle
        g = [_unless(out, _length(row, self.metric), 1) for row, out in zip(self.conditions, idle, strict=True)]
        squares = [ex.dot_product(a, b) for a, b in zip(held, raised, strict=True)]
        w = [ex.sqrt(_unless(out, square, 1)) for square, out in zip(squares, idle, strict=True)]
        matrix = [
            [
                _unless(idle[j], _unless(idle[i], ex.dot_product(row, column) / (a * b), int(i == j)), int(i == j))
                for j, (column, b) in enumerate(zip(raised, w, strict=True))
            ]
            for i, (row, a) in enumerate(zip(self.conditions, g, strict=True))
        ]
        return g, w, matrix

    def couplings(self, forces: Sequence[Expr] = ()) -> list[Expr]:
        """The product of the cosines with its sign, for every combination of pushed and pulled contacts.

        Of many contacts: for that of the forces.
        """
        few = len(self.drags) <= _FEW_SLIDING
        found = []
        for signs in product((1, -1), repeat=len(self.drags)) if few else [self._sides(forces)]:
            held, _ = self._signed(signs)
            *_, matrix = self.cosines(held)
            volumes = _volume(self.conditions, self.metric, self.idle) * _volume(held, self.metric, self.idle)
            found.append(determinant(matrix) / volumes)
        return found


def _unless(idle: Expr, value: Expr, otherwise: int) -> Expr:
    return value if idle is ZERO else ex.where(idle, otherwise, value)


def _length(row: Vector, metric: KineticMetric) -> Expr:
    return ex.sqrt(ex.dot_product(row, metric.raised(row)))


def _solved(matrix: Sequence[Vector], right: Sequence[Expr]) -> Vector:
    """x with A x = b, by orthogonal columns."""
    if len(matrix) == 1:
        return [right[0] / matrix[0][0]]
    basis, shares, inverses = list[Vector](), list[Vector](), list[Expr]()
    rest, weights = list(right), list[Expr]()
    for given in zip(*matrix, strict=True):
        left, own = list(given), list[Expr]()
        for one, inverse in zip(basis, inverses, strict=True):
            own.append(ex.dot_product(one, left) * inverse)
            left = less(left, own[-1], one)
        basis.append(left)
        inverses.append(1 / ex.dot_product(left, left))
        shares.append(own)
        weights.append(ex.dot_product(left, rest) * inverses[-1])
        rest = less(rest, weights[-1], left)
    for k in range(len(weights) - 1, -1, -1):
        for j, share in enumerate(shares[k]):
            weights[j] = weights[j] - share * weights[k]
    return weights


def _volume(rows: Sequence[Vector], metric: KineticMetric, idle: Sequence[Expr]) -> Expr:
    """Of the parallelepiped of those rows that are not idle, over the product of their lengths."""
    made = list[Normal]()
    total = ONE
    for row, out in zip(rows, idle, strict=True):
        one = Normal.of(list(row), 1 - out, metric, made)
        size = _unless(out, ex.dot_product(row, metric.raised(row)), 1)
        total = total * ex.sqrt(_unless(out, ex.dot_product(one.normal, one.raised) / size, 1))
        made.append(one)
    return total
