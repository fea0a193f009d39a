"""An independent check of a verdict on mobility, in balls: it shares no code with the ladder that found it.

Checked are, on a closure that is written anew from the description,

    posture   every row vanishes there to two thirds of the digits
    rank      pivots that leave zero out, so that there are no more instantaneous motions than said
    at most   the quadratic forms of the self-stresses leave no more: Macaulay's matrix on a slice, or a definite form
    at least  at a witness (the posture, or a point of the arc) the rank is that of a manifold of that dimension, and a
              step along it closes again to all digits
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
        elif _only_origin(forms, k, e.upper):
            self.confirmed.append(
                f"at most {e.upper}: the quadratic forms leave the origin on a slice of that codimension"
            )
        else:
            self.open.append(f"at most {e.upper}: not by second order")

    def _manifold(self, start: Sequence[Any], dimension: int) -> None:
        """Rank of a manifold of that dimension at the witness, and a step along it that closes to all digits."""
        said = f"at least {dimension}"
        jacobian = self.closure.jacobian(start, related=True)
        rank = len(self.names) - dimension
        rows, columns = _pivots(jacobian, arb_of(1e-7), 1e-9)  # the witness is a float
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
                moved[i] = moved[i] + arb_of(float(rng.normal()) * 1e-3)
            moved = self._newton(moved, rows, columns)
        for one in (point, moved):
            if one is None or not all(self._zero(r) for r in [*self.closure.rows(one), *self.closure.related(one)]):
                self.open.append(f"{said}: a step along the {dimension} directions does not close")
                return
        self.confirmed.append(f"{said}: rank {rank} at a point that closes, and a step from there closes to all digits")

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
            if size < 10.0 ** (6 - self.evidence.digits):
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
        if len(_pivots(matrix, arb_of(1e-20))[0]) == len(monomials):
            return True
    return False
