"""An independent check of a verdict on mobility, in balls: it shares no code with the ladder that found it.

Checked are, on a closure that is written anew from the description,

    posture   every row vanishes there to two thirds of the digits
    rank      pivots that leave zero out, so that there are no more instantaneous motions than said
    at most   the quadratic forms of the self-stresses leave no more: Macaulay's matrix on a slice, or a definite form
              (second order), or a row grows along the only motion as a power series (higher order)
    at least  at a witness (the posture, or a point of the arc) the rank is that of a manifold of that dimension, and a
              step along it closes again to all digits; from a point of an arc points lead on to the posture
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.anew import Closure, arb_of, array_of, floats_of, matrix_of, objects
from dalembert.mechanism import Layout

Array = Any

#: A row of the Jacobian whose slopes are all smaller, with lengths in parts of the machine, is rounding at 50 digits.
_NOTHING = 1e-20
#: Pivots of rows whose largest entry is one that are tried at a witness: it is a float, and its rounding is 1e-16.
_LEAST = 1e-14
#: A step along a manifold (radians, parts of the machine); halves of the way from a witness to the posture.
_STEP, _HALVES = 1e-3, 6
#: Powers that are looked at along the only instantaneous motion.
_ORDER = 12
#: Roots nearer to the real axis, beside their size, count as real: a quarter of fifty digits.
_REAL_ROOT = 1e-12
#: Powers on a plane of motions.
_PLANE = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a checker needs: the machine, formulas of given names, and numbers as decimal text, by coordinate."""

    layout: Layout
    given: Mapping[str, Expr]
    equations: tuple[Expr, ...]
    digits: int
    posture: Mapping[str, str]
    instantaneous: int
    lower: int
    upper: int
    witness: Mapping[str, float]
    relations: tuple[tuple[Mapping[str, float], str], ...] = ()
    size: Fraction = Fraction(1)
    lengths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What an independent check found: statements that it confirms, that it denies, and that it has no means for."""

    confirmed: tuple[str, ...]
    denied: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing denied, nothing left open."""
        return not self.denied and not self.open

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [*(f"confirmed: {s}" for s in self.confirmed), *(f"DENIED: {s}" for s in self.denied)]
        return "\n".join([*lines, *(f"not checked: {s}" for s in self.open)])


def check(evidence: Evidence) -> Check:
    """Check a verdict anew; see the module."""
    import flint

    old = flint.ctx.dps
    flint.ctx.dps = evidence.digits
    try:
        return _Checker(evidence).run()
    except (ExpressionError, ZeroDivisionError, TypeError, AttributeError) as error:
        return Check((), (), (f"everything: {error}",))
    finally:
        flint.ctx.dps = old


class _Checker:
    def __init__(self, evidence: Evidence) -> None:
        from flint import arb

        self.evidence = evidence
        e = evidence
        self.closure = Closure(e.layout, e.given, e.equations, e.size, e.lengths, e.relations)
        self.names = self.closure.names
        self.small = arb(10) ** (-2 * evidence.digits // 3)
        self.x = [arb(evidence.posture[n]) for n in self.names]
        self.confirmed: list[str] = []
        self.denied: list[str] = []
        self.open: list[str] = []

    def run(self) -> Check:
        e = self.evidence
        rows = self.closure.rows(self.x)
        self._say(all(self._zero(r) for r in rows), "the posture closes", "the posture does not close")
        jacobian = self.closure.jacobian(self.x)
        most = len(self.names) - e.instantaneous
        rank = len(_pivots(jacobian, self.small)[0])
        self._say(rank >= most, f"no more than {e.instantaneous} instantaneous motions", f"rank {rank} < {most}")
        if e.upper == e.instantaneous:
            self.confirmed.append(f"at most {e.upper}, by the rank")
        elif self.denied:
            self.open.append("at most, without the rank")
        else:
            self._second_order(jacobian, most)
        if e.lower == 0:
            self.confirmed.append("at least 0: the posture")
        elif e.lower == e.instantaneous and not e.relations:
            self._manifold(self.x, e.lower)
        else:
            self._manifold([arb_of(e.witness[n]) for n in self.names], e.lower)
        return Check(tuple(self.confirmed), tuple(self.denied), tuple(self.open))

    def _say(self, holds: bool, yes: str, no: str) -> None:
        (self.confirmed if holds else self.denied).append(yes if holds else no)

    def _zero(self, value: Any) -> bool:
        return bool(abs(value) < self.small)

    # --- bounds -------------------------------------------------------------------------------------------------------

    def _second_order(self, jacobian: Array, rank: int) -> None:
        """Forms of the self-stresses on the kernel: a definite one, or a slice on which only the origin is left."""
        e = self.evidence
        rows, columns = (p[:rank] for p in _pivots(jacobian, self.small))
        n = len(self.names)
        free, others = np.setdiff1d(np.arange(n), columns), np.setdiff1d(np.arange(len(jacobian)), rows)
        inverse = matrix_of(jacobian[np.ix_(rows, columns)]).inv() if rank else None
        k = len(free)
        kernel = np.full((n, k), arb_of(0), dtype=object)
        kernel[free, np.arange(k)] = arb_of(1)
        if rank:
            kernel[columns] = -array_of(inverse * matrix_of(jacobian[np.ix_(rows, free)]))
        left = jacobian[others] @ kernel
        if not all(self._zero(v) for v in left.ravel()):
            self.open.append(f"at most {e.upper}: the rank is larger than said, which only helps")
            return
        weights = array_of(matrix_of(jacobian[np.ix_(others, columns)]) * inverse) if rank else None

        def second(v: Array) -> Array:
            values = self.closure.series(self.x, list(v), 2)[: len(jacobian), 2]
            return values[others] - (weights @ values[rows] if rank else 0)

        squares = {(i, i): second(kernel[:, i]) for i in range(k)}
        for i in range(k):
            for j in range(i + 1, k):
                squares[i, j] = (second(kernel[:, i] + kernel[:, j]) - squares[i, i] - squares[j, j]) / 2
        forms = []
        for row in range(len(others)):
            form = np.array([[squares[min(i, j), max(i, j)][row] for j in range(k)] for i in range(k)], dtype=object)
            if not all(self._zero(v) for v in form.ravel()):
                forms.append(form)
        if e.upper == 0 and _definite(forms):
            self.confirmed.append("at most 0: a definite form of a self-stress")
        elif e.upper == 0 and k == 1 and self._grows(rows, columns, kernel[:, 0], inverse):
            self.confirmed.append("at most 0: along the only instantaneous motion a row grows with a power")
        elif e.upper == 0 and k == 2 and self._definite_on_plane(rows, columns, kernel, inverse):
            self.confirmed.append("at most 0: on the plane of instantaneous motions a row has its lowest part definite")
        elif _only_origin(forms, k, e.upper):
            self.confirmed.append(
                f"at most {e.upper}: the quadratic forms leave the origin on a slice of that codimension"
            )
        else:
            self.open.append(f"at most {e.upper}: not by second order")

    def _along(self, rows: Array, columns: Array, direction: Array, inverse: Any, most: int) -> Array:
        """Coefficients (rows, powers) along the curve x(t) on which the regular rows vanish, in a direction.

        Each power of the dependent variables follows from the lower ones: the regular block times it is what is left.
        """
        terms = [[d] for d in direction]
        count = len(self.closure.rows(self.x))
        for order in range(2, most + 1):
            values = self.closure.curve(self.x, terms, order)[:count, order]
            step = array_of(inverse * matrix_of(values[rows].reshape(-1, 1))).ravel() if len(rows) else []
            change = dict(zip(columns.tolist(), step, strict=True))
            for i, one in enumerate(terms):
                one.append(-change[i] if i in change else arb_of(0))
        return self.closure.curve(self.x, terms, most)[:count]

    def _grows(self, rows: Array, columns: Array, direction: Array, inverse: Any) -> bool:
        values = self._along(rows, columns, direction, inverse, _ORDER)
        return any(not self._zero(v) and not v.contains(0) for v in values.ravel())

    def _definite_on_plane(self, rows: Array, columns: Array, kernel: Array, inverse: Any) -> bool:
        """Whether a row g(a, b) on the plane of motions is zero at the origin only: its lowest part is definite.

        The powers of g come from those along as many lines as there are, by Vandermonde's matrix.
        """
        lines = [kernel[:, 0] + j * kernel[:, 1] for j in range(-_PLANE // 2, _PLANE // 2 + 1)]
        along = [self._along(rows, columns, d, inverse, _PLANE) for d in lines]
        nodes = list(range(-_PLANE // 2, _PLANE // 2 + 1))
        for row in range(len(along[0])):
            powers: dict[tuple[int, int], Any] = {}
            for degree in range(2, _PLANE + 1):
                vandermonde = objects([[arb_of(j**b) for b in range(degree + 1)] for j in nodes[: degree + 1]])
                right = objects([[along[i][row, degree]] for i in range(degree + 1)])
                for b, c in enumerate((matrix_of(vandermonde).inv() * matrix_of(right)).entries()):
                    if not self._zero(c):
                        powers[degree - b, b] = c
            if powers and _lowest_is_definite(powers):
                return True
        return False

    def _manifold(self, start: Sequence[Any], dimension: int) -> None:
        """Rank of a manifold of that dimension at the witness, and a step along it that closes to all digits."""
        said = f"at least {dimension}"
        jacobian = self.closure.jacobian(start, related=True)
        rank = len(self.names) - dimension
        rows, columns = _pivots(jacobian, arb_of(_LEAST), _LEAST)
        if len(rows) < rank:
            self.open.append(f"{said}: the witness is singular itself")
            return
        rows, columns = rows[:rank], columns[:rank]
        point = self._newton(start, rows, columns)
        rng = np.random.default_rng(23)
        free = np.setdiff1d(np.arange(len(self.names)), columns)
        moved = list(point) if point is not None else None
        if moved is not None:
            for i in free:
                moved[i] = moved[i] + arb_of(float(rng.normal()) * _STEP)
            moved = self._newton(moved, rows, columns)
        inside = self._inward(point, rows, columns) if point is not None else []
        for one in (point, moved, *inside):
            if one is None or not all(self._zero(r) for r in [*self.closure.rows(one), *self.closure.related(one)]):
                self.open.append(f"{said}: a step along the {dimension} directions does not close")
                return
        path = f", and so do {len(inside)} points on the way to the posture" if inside else ""
        told = f"{said}: rank {rank} at a point that closes, and a step from there closes to all digits"
        self.confirmed.append(told + path)

    def _inward(self, point: list[Any], rows: Array, columns: Array) -> list[list[Any] | None]:
        """Points that close on the way from a witness to the posture, each at half the distance of the one before.

        A witness beside an isolated posture has no such way. What follows is guessed from the last two: x ~ s^p.
        """
        found: list[list[Any] | None] = []
        away = [p - x for p, x in zip(point, self.x, strict=True)]
        size = max((abs(float(a)) for a in away), default=0.0)
        if size < _STEP:  # the witness is the posture
            return []
        ratio = [0.5] * len(away)
        for _ in range(_HALVES):
            guess = [x + r * a for x, r, a in zip(self.x, ratio, away, strict=True)]
            one = self._newton(guess, rows, columns)
            left = None if one is None else [p - x for p, x in zip(one, self.x, strict=True)]
            if left is None or not max(abs(float(a)) for a in left) < 0.9 * size:
                return [*found, None]
            ratio = [
                min(max(float(b) / float(a), 0.0), 1.0) if abs(float(a)) > _LEAST else 0.5
                for a, b in zip(away, left, strict=True)
            ]
            away, size = left, max(abs(float(a)) for a in left)
            found.append(one)
        return found

    def _newton(self, start: Sequence[Any], rows: Array, columns: Array) -> list[Any] | None:
        x = [v.mid() for v in start]
        for _ in range(14):
            values = objects([*self.closure.rows(x), *self.closure.related(x)])[rows]
            step = (
                matrix_of(self.closure.jacobian(x, related=True)[np.ix_(rows, columns)]).mid().inv()
                * matrix_of(values.reshape(-1, 1))
                if len(rows)
                else None
            )
            if step is None:
                return x
            size = max(abs(float(s)) for s in step.entries())
            for i, s in zip(columns, step.entries(), strict=True):
                x[i] = (x[i] - s).mid()
            if size <= 10.0 ** (6 - self.evidence.digits):
                return x
            if size > 0.5:
                return None
        return None


def _pivots(matrix: Array, small: Any, nothing: float = _NOTHING) -> tuple[Array, Array]:
    """Rows and columns of a regular block: elimination in balls, complete pivoting, while a pivot leaves zero out."""
    a = matrix.copy()
    for i, row in enumerate(floats_of(matrix)):  # every row in its own units, but for those that are zero
        if np.abs(row).max(initial=0.0) > nothing:
            a[i] = a[i] / float(np.abs(row).max())
    rows: list[int] = []
    columns: list[int] = []
    while len(rows) < min(a.shape):
        sizes = np.abs(floats_of(a))
        sizes[rows], sizes[:, columns] = -1.0, -1.0
        i, j = (int(v) for v in np.unravel_index(int(sizes.argmax()), a.shape))
        if a[i, j].contains(0) or bool(abs(a[i, j]) < small):
            break
        rows.append(i)
        columns.append(j)
        left = [r for r in range(len(a)) if r not in rows]
        for r in left:
            if not a[r, j].is_zero():
                a[r] = a[r] - a[r, j] / a[i, j] * a[i]
    return np.array(rows, dtype=int), np.array(columns, dtype=int)


def _lowest_is_definite(powers: Mapping[tuple[int, int], Any]) -> bool:
    """Pure even powers of one sign, nothing of lower weight than they, and no real root of what weighs the same."""
    from flint import acb_poly, arb_poly

    pure = [min((p[i] for p in powers if p[i] and not p[1 - i]), default=1) for i in (0, 1)]
    if any(p % 2 for p in pure):
        return False
    ends = [powers[pure[0], 0], powers[0, pure[1]]]
    if any(c.contains(0) for c in ends) or bool(ends[0] > 0) != bool(ends[1] > 0):
        return False
    weights = {p: Fraction(p[0], pure[0]) + Fraction(p[1], pure[1]) for p in powers}
    if min(weights.values()) < 1:
        return False
    lowest = {p: c for p, c in powers.items() if weights[p] == 1}
    for side in (1, -1):
        coefficients = [arb_of(0)] * (pure[1] + 1)
        for (a, b), c in lowest.items():
            coefficients[b] = coefficients[b] + c * side**a
        try:
            roots = acb_poly(arb_poly([c.mid() for c in coefficients])).roots()
        except ValueError:  # a multiple root
            return False
        # a double root is known to half the digits: what is near the real axis counts as real
        if any(not bool(abs(root.imag) > _REAL_ROOT * (1 + abs(root))) for root in roots):
            return False
    return True


def _definite(forms: list[Array]) -> bool:
    """A combination whose leading minors are all positive, in balls."""
    rng = np.random.default_rng(5)
    plain = [floats_of(f) for f in forms]
    tries = [*np.eye(len(forms)), *-np.eye(len(forms)), *rng.normal(size=(200, len(forms)))]
    for weights in tries:
        if np.linalg.eigvalsh(sum(w * f for w, f in zip(weights, plain, strict=True)))[0] <= 0:
            continue
        total = sum((arb_of(float(w)) * f for w, f in zip(weights, forms, strict=True)), forms[0] * 0)
        if all(bool(matrix_of(total[:i, :i]).det() > 0) for i in range(1, len(total) + 1)):
            return True
    return False


def _only_origin(forms: list[Array], k: int, codimension: int, limit: int = 400) -> bool:
    """Whether the forms vanish together only at the origin of a random slice: Macaulay's matrix has full rank."""
    size = k - codimension
    if size <= 0 or not forms:
        return size <= 0
    rng = np.random.default_rng(8)
    slice_ = np.vectorize(lambda v: arb_of(float(v)), otypes=[object])(rng.integers(-9, 10, size=(k, size)))
    cut = [array_of(matrix_of(slice_.T) * matrix_of(f) * matrix_of(slice_)) for f in forms]
    for degree in range(2, size + 2):
        monomials = list(combinations_with_replacement(range(size), degree))
        if len(monomials) > limit:
            return False
        index = {m: i for i, m in enumerate(monomials)}
        rows = []
        for f in cut:
            for shift in combinations_with_replacement(range(size), degree - 2):
                row = [arb_of(0)] * len(monomials)
                for i in range(size):
                    for j in range(size):
                        at = index[tuple(sorted((*shift, i, j)))]
                        row[at] = row[at] + f[i, j]
                rows.append(row)
        matrix = objects(rows)
        if len(_pivots(matrix, arb_of(_NOTHING))[0]) == len(monomials):
            return True
    return False
