"""Certified points and identities: interval Newton in balls, and rows that vanish on a whole manifold.

A *reduced system* is a choice of independent closure rows (and known linear relations between variables). It defines a
smooth manifold near a point where it has full rank. The mechanism moves in all of that manifold exactly when the other
closure rows vanish identically on it; that is tested at random points of the manifold, which are joined to the point by
a path that interval Newton encloses, to as many digits as show a zero of twelfth order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.loops.assembly import Closing
from dalembert.loops.balls import BallClosing, as_matrix, ball, precision, working_digits
from dalembert.loops.reduced import Reduced

Array = Any

#: A correction of Newton's method (radians, parts of the machine) from which growing tenfold is leaving for good.
_LEAVES = 1e-3
#: Rows on a walk of a tenth that are smaller vanish as far as decimals of a dozen digits allow.
_ROUNDED = 1e-11
#: The last correction on that walk, at 40 digits.
_CONVERGED = 1e-30
#: Lengths of paths (radians, parts of the machine) that are tried one after the other, for small and large machines.
_PATHS, _SHORT_PATHS = (0.02, 4e-3, 4e-4, 4e-5, 1e-6, 1e-8), (1e-8, 1e-11, 1e-14, 1e-18)
#: A function that vanishes at the point to this order, and no further, shows at the end of the path.
_ORDER = 12
#: Unknowns from which a step of Newton takes an inverse in floats: it gains a dozen digits, and takes no time.
_LARGE = 60
#: A step that is not this much smaller than the one before: floats are too coarse, balls are asked for the inverse.
_GAINS = 1e-3


class ReducedSystem:
    """A reduced system in balls: values, derivative, Newton and interval Newton in its dependent variables."""

    def __init__(self, closing: BallClosing, reduced: Reduced) -> None:
        self.closing = closing
        self.reduced = reduced
        self._linear = [[(i, ball(c)) for i, c in enumerate(row) if c] for row in reduced.linear]
        self._constant = [ball(c) for c in reduced.constant]
        self._large = len(reduced.dependent) >= _LARGE
        self._coarse: Array | None = None  # an inverse in floats that served last: along a short path it serves again

    def values(self, x: Sequence[Any]) -> Array:
        rows = self.closing.residual(x) if len(self.reduced.rows) else []
        found = [rows[i] for i in self.reduced.rows]
        for terms, constant in zip(self._linear, self._constant, strict=True):
            found.append(sum((c * x[i] for i, c in terms), -constant))
        if self.reduced.multiple is not None:
            found += self._left(x)
        return np.array(found, dtype=object).reshape(-1, 1)

    def _left(self, x: Sequence[Any]) -> list[Any]:
        """The entries of a multiple root."""
        assert self.reduced.multiple is not None
        jacobian = self.closing.jacobian(x)
        stresses, _ = self._stresses_and_kernel(jacobian)
        return [
            sum((u * jacobian[i, column] for i, u in stresses[row].items()), ball(0))
            for row, column in self.reduced.multiple.entries
        ]

    def _stresses_and_kernel(self, jacobian: Array) -> tuple[dict[int, dict[int, Any]], dict[int, dict[int, Any]]]:
        """For each entry's row the combination of rows, for each column that of columns, which S stands for."""
        multiple = self.reduced.multiple
        assert multiple is not None
        rows, columns = multiple.rows, multiple.columns
        inverse = as_matrix(jacobian[np.ix_(rows, columns)]).inv() if len(rows) else None
        stresses: dict[int, dict[int, Any]] = {}
        kernel: dict[int, dict[int, Any]] = {}
        for row, column in multiple.entries:
            if row not in stresses:
                left = (as_matrix(jacobian[[row]][:, columns]) * inverse).entries() if inverse is not None else []
                stresses[row] = {int(i): -v for i, v in zip(rows, left, strict=True)} | {row: ball(1)}
            if column not in kernel:
                right = (inverse * as_matrix(jacobian[rows][:, [column]])).entries() if inverse is not None else []
                kernel[column] = {int(i): -v for i, v in zip(columns, right, strict=True)} | {column: ball(1)}
        return stresses, kernel

    def _slopes_of_left(self, x: Sequence[Any]) -> Array:
        """Their derivatives: u^T (dJ/dx) k, the derivative of J by power series of one term, also over boxes."""
        import flint

        multiple = self.reduced.multiple
        assert multiple is not None
        stresses, kernel = self._stresses_and_kernel(self.closing.jacobian(x))
        found = np.full((len(multiple.entries), len(x)), ball(0), dtype=object)
        old = flint.ctx.cap
        flint.ctx.cap = 2
        try:
            for variable in range(len(x)):
                moved = [flint.arb_series([v, int(i == variable)]) for i, v in enumerate(x)]
                jacobian = self.closing.jacobian(moved)
                for at, (row, column) in enumerate(multiple.entries):
                    total = ball(0)
                    for i, u in stresses[row].items():
                        for j, k in kernel[column].items():
                            entry = jacobian[i, j]
                            if isinstance(entry, flint.arb_series):
                                terms = entry.coeffs()
                                total = total + (u * k * terms[1] if len(terms) > 1 else 0)
                    found[at, variable] = total
        finally:
            flint.ctx.cap = old
        return found

    def at(self, digits: int) -> ReducedSystem:
        """The same system in balls of other digits; call it where these are the working precision."""
        other = ReducedSystem(BallClosing(self.closing.closing, digits), self.reduced)
        other._coarse = self._coarse
        return other

    def jacobian(self, x: Sequence[Any]) -> Any:
        """The derivative by the dependent variables."""
        return as_matrix(self._slopes(x))

    def _slopes(self, x: Sequence[Any]) -> Array:
        slopes = [self.closing.jacobian(x)[self.reduced.rows]] if len(self.reduced.rows) else []
        for terms in self._linear:
            row = np.full((1, len(x)), ball(0), dtype=object)
            for i, c in terms:
                row[0, i] = c
            slopes.append(row)
        if self.reduced.multiple is not None:
            slopes.append(self._slopes_of_left(x))
        return np.concatenate(slopes)[:, self.reduced.dependent]

    def refine(self, x: Sequence[Any], iterations: int = 16) -> tuple[list[Any], float]:
        """Newton: the point with the same independent variables, and the size of the last correction."""
        found = [ball(v).mid() for v in x]
        if not self.reduced.rank:
            return found, 0.0
        goal, last = 10.0 ** (4 - self.closing.digits), np.inf
        large, known = self._large, self._coarse is not None
        if large and not known:
            self._coarse = float_inverse(self.jacobian(found))
        coarse = self._coarse
        inverse = self.jacobian(found).inv().mid() if coarse is None else None
        for count in range(iterations * (1 + 2 * large)):
            if count and not large:
                inverse = self.jacobian(found).mid().inv().mid()
            values = self.values(found)
            step = _coarse_step(coarse, values) if inverse is None else (inverse * as_matrix(values).mid()).entries()
            size = max(float(abs(s)) for s in step)
            if not np.isfinite(size):
                return found, np.inf
            if inverse is None and goal < _GAINS * last < size:
                fresh = float_inverse(self.jacobian(found)) if known else None
                if fresh is None:
                    inverse = self.jacobian(found).mid().inv().mid()
                else:
                    self._coarse, coarse, known = fresh, fresh, False
            for i, s in zip(self.reduced.dependent, step, strict=True):
                found[i] = (found[i] - s).mid()
            if size <= goal:
                return found, size
            if not size < 10 * last and size > _LEAVES:
                break
            last = size
        return found, last

    def encloses(self, x: Sequence[Any], radius: Any = None, width: Sequence[Any] | None = None) -> Any:
        """Krawczyk: for all independent variables within `width` of x, exactly one solution within a radius of x.

        x - C F(x) + (1 - C F'(X)) (X - x) must lie inside X, with C near F'(x)^-1. Returns the radius (twice the step
        of Newton when none is given), or None when the test fails.
        """
        from flint import arb

        reduced = self.reduced
        if not reduced.rank:
            return arb(0)
        centre = [ball(v) for v in x]
        if width is not None:
            for i, w in zip(reduced.independent, width, strict=True):
                centre[i] = centre[i] + arb(0, w)
        try:
            if self._large and self._coarse is None:
                self._coarse = float_inverse(self.jacobian([v.mid() for v in centre]))
            if self._coarse is not None:
                return self._krawczyk(centre, self._coarse, radius)
            return self._krawczyk(centre, self.jacobian([v.mid() for v in centre]).mid().inv().mid(), radius)
        except (ZeroDivisionError, ExpressionError):  # singular, or the box meets a kink
            return None

    def _krawczyk(self, centre: list[Any], near: Any, radius: Any) -> Any:
        """The test with an inverse in balls, or in floats."""
        from flint import arb, arb_mat

        reduced, coarse = self.reduced, isinstance(near, np.ndarray)
        size = len(reduced.dependent)
        inverse = arb_mat(size, size, near.ravel().tolist()) if coarse else near
        moved = (inverse * as_matrix(self.values(centre))).entries()
        if radius is None:
            radius = 2 * max((abs(m).upper() for m in moved), key=float)
        box = list(centre)
        for i in reduced.dependent:
            box[i] = box[i] + arb(0, radius)
        if coarse:
            spread = [arb(0, radius * arb(far)) for far in far_from_one(near, self._slopes(box)).tolist()]
        else:
            eye = arb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
            spread = ((eye - near * self.jacobian(box)) * arb_mat(size, 1, [arb(0, radius)] * size)).entries()
        inside = all(bool(abs(s - m) < radius) for s, m in zip(spread, moved, strict=True))
        return radius if inside else None


def far_from_one(inverse: Array, slopes: Array) -> Array:
    """Bounds of the sums of |1 - C J| along each row, for every J in an array of balls.

    A product of floats with n terms is off by less than n u / (1 - n u) times the product of sizes, whatever the order
    in which they are added (Higham, Accuracy and Stability, 3.5); twice n + 4 covers products of sizes and their sums.

    >>> from flint import arb
    >>> round(float(far_from_one(np.eye(1), np.array([[arb(1, 0.25)]]))[0]), 6)
    0.25
    """
    n, unit = len(slopes), np.finfo(float).eps
    centre, radius = np.zeros(slopes.shape), np.zeros(slopes.shape)
    for place, v in enumerate(slopes.ravel()):
        if not v.is_zero():
            centre.flat[place], radius.flat[place] = float(v.mid()), float(v.rad())
    if not (np.isfinite(centre).all() and np.isfinite(radius).all()):
        return np.full(n, np.inf)
    size = np.abs(inverse)
    # a float nearest to a centre or a radius is off by half a unit of its last digit, and by nothing that is seen below
    radius = radius * (1 + unit) + np.abs(centre) * unit + np.finfo(float).tiny
    share = (n + 4) * unit
    least = np.abs(np.eye(n) - inverse @ centre) + share * (np.eye(n) + size @ np.abs(centre)) + size @ radius
    found: Array = least.sum(axis=1) * (1 + 2 * share)
    return found


def float_inverse(matrix: Any) -> Array | None:
    """The inverse of the centres of balls, in floats; None where floats give none that is one to three digits."""
    plain = np.array([float(v) for v in matrix.mid().entries()]).reshape(matrix.nrows(), -1)
    try:
        found = np.linalg.inv(plain)
    except np.linalg.LinAlgError:
        return None
    return found if np.abs(found @ plain - np.eye(len(plain))).max() < _GAINS else None


def _coarse_step(inverse: Array, values: Array) -> list[Any]:
    """A step of Newton with an inverse in floats: values, however small, in parts of the largest."""
    centres = [v.mid() for v in values.ravel()]
    largest = max((abs(v) for v in centres), key=float)
    if not largest:
        return [largest] * len(centres)
    return [largest * s for s in (inverse @ np.array([float(v / largest) for v in centres])).tolist()]


@dataclass(frozen=True, slots=True)
class Identity:
    """Whether all closure rows vanish on the reduced manifold; `worst` is the largest value met."""

    holds: bool
    to_rounding: bool
    worst: float
    points: int
    digits: int = 0


def check_identity(
    closing: Closing, x: Any, reduced: Reduced, digits: int = 50, points: int = 2, seed: int = 5
) -> Identity:
    """Evaluate every closure row at random points of the reduced manifold, to more digits than a zero of order twelve.

    The straight path in the independent variables is enclosed by interval Newton, so that the points lie on the sheet
    through x. There an analytic row that is not identically zero vanishes at a random point with probability zero;
    `to_rounding` says that rows vanish as far as rounded data allow.
    """
    rng = np.random.default_rng(seed)
    many = max(digits, working_digits(closing.linkage))
    with precision(many):
        solver = ReducedSystem(BallClosing(closing, many), reduced)
    worst, seen = 0.0, 0
    for _ in range(points):
        direction = rng.normal(size=len(reduced.independent))
        direction = direction / np.linalg.norm(direction) if len(direction) else direction
        reached = _far_point(solver, x, direction)
        if reached is None:
            return Identity(False, False, np.inf, seen)
        found, needed = reached
        with precision(needed):
            finer = solver.at(needed)
            exact, (end, last) = finer.closing, finer.refine(found)
            if last > 10.0 ** (8 - needed):
                return Identity(False, False, np.inf, seen)
            rows = exact.residual(end)
            zero = all(exact.is_zero(v) for v in rows)
            if not zero:  # what is not a number counts as large
                largest = max(float(abs(v).mid()) for v in rows)
                worst = max(worst, largest if largest > 0 else np.inf)
        seen += 1
        if worst > 0:
            break
    rounded = worst > 0 and _worst_far_away(closing, x, reduced, direction)
    return Identity(worst == 0.0, worst == 0.0 or 0 < rounded < _ROUNDED, worst, seen, 2 * many // 3)


def _worst_far_away(closing: Closing, x: Any, reduced: Reduced, direction: Array, size: float = 0.1) -> float:
    """The largest row after a walk that nothing certifies: does a row fail, or are the data only rounded?"""
    with precision(40):
        rough = BallClosing(closing, 40)
        solver, found = ReducedSystem(rough, reduced), list(x)
        for _ in range(5):
            for i, d in zip(reduced.independent, direction, strict=True):
                found[i] = ball(found[i]) + float(d) * size / 5
            try:
                found, last = solver.refine(found)
            except ZeroDivisionError:
                return np.inf
            if last > _CONVERGED:
                return np.inf
        sizes = [float(abs(v).mid()) for v in rough.residual(found)]
        return max(sizes, default=0.0) if np.isfinite(sizes).all() else np.inf


def _far_point(solver: ReducedSystem, x: Any, direction: Array) -> tuple[list[Any], int] | None:
    """The end of a path from x that interval Newton encloses, and the digits that its length asks for."""
    from flint import arb

    digits, reduced = solver.closing.digits, solver.reduced
    with precision(digits):
        try:
            base, last = solver.refine(x)
        except ZeroDivisionError:
            return None
        if last > 10.0 ** (8 - digits):
            return None
        if not len(direction):  # relations that fix every variable leave the posture itself
            return base, digits
        # boxes grow along long chains: large machines need short paths, and digits to see along them
        for size in _PATHS if solver.closing.closing.size < 60 else _SHORT_PATHS:
            middle = list(base)
            half = [arb(float(d)) * size / 2 for d in direction]
            for i, h in zip(reduced.independent, half, strict=True):
                middle[i] = middle[i] + h
            try:
                middle, last = solver.refine(middle)
                if last > 10.0 ** (8 - digits):
                    continue
                radius = solver.encloses(middle, None, [abs(h) for h in half])
                if radius is None or any(not bool(abs(base[i] - middle[i]) < radius) for i in reduced.dependent):
                    continue
                end = list(middle)
                for i, h in zip(reduced.independent, half, strict=True):
                    end[i] = end[i] + h
                end, last = solver.refine(end)
            except ZeroDivisionError:
                continue
            if last > 10.0 ** (8 - digits) or any(
                not bool(abs(end[i] - middle[i]) < radius) for i in reduced.dependent
            ):
                continue
            return end, max(digits, int(1.5 * (20 - _ORDER * log10(size))))
    return None
