"""Certified points and identities: Newton in balls of many digits, Kantorovich's bound, and vanishing to all digits.

A *reduced system* is a choice of independent closure rows (and known linear relations between variables). It defines a
smooth manifold near a point where it has full rank. The mechanism moves in all of that manifold exactly when the other
closure rows vanish identically on it; that is tested at random points of the manifold, to fifty digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.arithmetic import Balls, evaluate_in
from dalembert.loops.assembly import Closing
from dalembert.loops.positions import Positions

Array = Any


@contextmanager
def precision(digits: int) -> Iterator[None]:
    """Arb's working precision for a while."""
    import flint

    old = flint.ctx.dps
    flint.ctx.dps = digits
    try:
        yield
    finally:
        flint.ctx.dps = old


@dataclass(frozen=True, slots=True)
class Reduced:
    """Independent closure rows plus relations `linear @ x = constant`, and the variables they determine."""

    rows: Array
    linear: Array
    constant: tuple[Any, ...]
    dependent: Array
    independent: Array

    @property
    def rank(self) -> int:
        return len(self.rows) + len(self.linear)


def choose_reduced(
    closing: Closing, x: Array, tolerance: float = 1e-9, linear: Array | None = None, constant: Sequence[Any] = ()
) -> Reduced:
    """Independent rows and well-conditioned dependent variables, by orthogonalisation with pivoting."""
    jacobian = closing.jacobian(x)
    n = jacobian.shape[1]
    given = np.zeros((0, n)) if linear is None else np.asarray(linear, dtype=float)
    if len(given):  # rows that the linear relations already give are not asked for again
        q, _ = np.linalg.qr(given.T)
        inside = jacobian - (jacobian @ q) @ q.T
    else:
        inside = jacobian
    rows = np.sort(independent_columns(inside.T, tolerance))
    system = np.concatenate([jacobian[rows], given])
    dependent = np.sort(independent_columns(system, 0.0)[: len(system)])
    return Reduced(rows, given, tuple(constant), dependent, np.setdiff1d(np.arange(n), dependent))


def independent_columns(matrix: Array, tolerance: float) -> Array:
    """Columns in the order of their distance from those before (Gram-Schmidt with pivoting), until it is small."""
    a = np.array(matrix, dtype=float)
    lengths = (a * a).sum(axis=0)
    chosen: list[int] = []
    first = 0.0
    for _ in range(min(a.shape)):
        j = int(np.argmax(lengths))
        length = float(np.linalg.norm(a[:, j]))
        first = first or length
        if length <= max(tolerance * max(1.0, first), 1e-14 * first) or not length:
            break
        chosen.append(j)
        q = a[:, j] / length
        a -= np.outer(q, q @ a)
        a -= np.outer(q, q @ a)  # twice is enough
        lengths = (a * a).sum(axis=0)
        lengths[chosen] = -1.0
    return np.array(chosen, dtype=int)


class Precise:
    """The closure of a linkage in balls."""

    def __init__(self, closing: Closing, digits: int = 50) -> None:
        self.closing = closing
        self.digits = digits
        with precision(digits):
            self.positions = Positions(closing.linkage, Balls(digits))
            from flint import arb

            self.scale = arb(closing.scale)

    def residual(self, x: Sequence[Any]) -> list[Any]:
        """Rows as in `Closing.residual`, with the antisymmetric part of the rotation gap, which is zero with it."""
        frames = self.positions.frames(self.positions.motion(x))
        turn, gap = self.positions.gaps(frames)
        rows: list[Any] = []
        for r, g in zip(turn, gap, strict=True):
            rows += [(r[2, 1] - r[1, 2]) / 2, (r[0, 2] - r[2, 0]) / 2, (r[1, 0] - r[0, 1]) / 2]
            rows += [v / self.scale for v in g]
        return rows + self._equations(x)

    def _equations(self, x: Sequence[Any]) -> list[Any]:
        linkage = self.closing.linkage
        if not linkage.equations:
            return []
        from flint import arb

        from dalembert.loops.arithmetic import _ball_functions

        known = {**linkage.given, **dict(zip(linkage.variables, x, strict=True))}
        return evaluate_in(linkage.equations, known, lambda f: arb(f.numerator) / f.denominator, _ball_functions())

    def refine(self, x: Array, reduced: Reduced, iterations: int = 12) -> tuple[list[Any], float]:
        """Newton with the inverse at the start: the point of the reduced manifold with the same independent variables.

        Returns the point and the size of the last correction.
        """
        from flint import arb

        closing = self.closing
        inverse = _inverse(closing, x, reduced)
        found = [arb(float(v)) for v in x]
        last = np.inf
        for _ in range(iterations):
            value = self.residual(found)
            wanted = [value[i].mid() for i in reduced.rows]
            for row, target in zip(reduced.linear, reduced.constant, strict=True):
                terms = [arb(float(c)) * v for c, v in zip(row, found, strict=True) if c]
                wanted.append((sum(terms, arb(0)) - target).mid())
            step = inverse @ np.array(wanted, dtype=object) if wanted else []
            size = max((abs(float(s)) for s in step), default=0.0)
            for i, s in zip(reduced.dependent, step, strict=True):
                found[i] = (found[i] - s).mid()
            if size < 10.0 ** (6 - self.digits):
                return found, size
            if size > 10 * last and size > 1e-3:
                break
            last = size
        return found, last


def _inverse(closing: Closing, x: Array, reduced: Reduced) -> Array:
    from flint import arb

    system = np.concatenate([closing.jacobian(x)[reduced.rows], reduced.linear])[:, reduced.dependent]
    inverse = np.linalg.inv(system) if len(system) else np.zeros((0, 0))
    found = np.empty(inverse.shape, dtype=object)
    for index, value in np.ndenumerate(inverse):
        found[index] = arb(float(value))
    return found


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the reduced manifold: floats, and how far the true point can be (Kantorovich)."""

    x: Array
    radius: float
    certified: bool
    smallest_singular_value: float


def certify_point(closing: Closing, x: Array, reduced: Reduced, digits: int = 50) -> Point:
    """Newton-Kantorovich: with b = |J^-1|, e = |J^-1 F|, L a Lipschitz constant of J, a root exists if 2 b L e <= 1."""
    system = np.concatenate([closing.jacobian(x)[reduced.rows], reduced.linear])[:, reduced.dependent]
    if not len(system):
        return Point(np.array(x, dtype=float), 0.0, True, np.inf)
    singular = float(np.linalg.svd(system, compute_uv=False)[-1])
    with precision(digits):
        precise = Precise(closing, digits)
        found, last = precise.refine(x, reduced)
    inverse = np.linalg.inv(system)
    bound = float(np.abs(inverse).sum(axis=1).max())
    factors = np.abs([float(f) for f in closing.positions.factors]).sum()
    reach = np.abs(closing.positions.fixed_position).sum() + np.abs(closing.positions.end_a[1]).sum()
    reach += np.abs(closing.positions.end_b[1]).sum() + np.abs(np.asarray(x, dtype=float)).sum()
    lipschitz = float(factors**2 * max(1.0, reach / closing.scale))
    contraction = float(np.abs(np.eye(len(system)) - inverse @ system).sum(axis=1).max())
    moved = float(max((abs(float(a) - float(b)) for a, b in zip(found, x, strict=True)), default=0.0))
    certified = contraction + bound * lipschitz * moved < 0.25 and 2 * bound * lipschitz * last < 0.5
    return Point(np.array([float(v) for v in found]), max(2 * last, 1e-300), bool(certified), singular)


@dataclass(frozen=True, slots=True)
class Identity:
    """Whether all closure rows vanish on the reduced manifold; `worst` is the largest value met."""

    holds: bool
    to_rounding: bool
    worst: float
    points: int


def check_identity(
    closing: Closing, x: Array, reduced: Reduced, digits: int = 50, points: int = 3, step: float = 0.15, seed: int = 5
) -> Identity:
    """Evaluate every closure row at random points of the reduced manifold, to `digits` digits.

    On an irreducible piece of the manifold a row that is not identically zero vanishes at a random point with
    probability zero (Schwartz and Zippel); `to_rounding` says that rows vanish as far as rounded data allow.
    """
    rng = np.random.default_rng(seed)
    worst, seen = 0.0, 0
    for attempt in range(4 * points):
        size = step / (1 + attempt // points * 3)
        start = _walk(closing, x, reduced, rng.normal(size=len(reduced.independent)), size)
        if start is None:
            continue
        rough = closing.gap(start)
        if rough > 1e-7:
            return Identity(False, False, rough, seen + 1)
        with precision(digits):
            precise = Precise(closing, digits)
            found, last = precise.refine(start, reduced)
            if last > 10.0 ** (8 - digits):
                continue
            worst = max(worst, max((abs(float(v)) for v in precise.residual(found)), default=0.0))
        seen += 1
        if worst > 1e-9 or seen == points:
            break
    if seen == 0:
        return Identity(False, False, np.inf, 0)
    return Identity(worst < 10.0 ** (12 - digits), worst < 1e-11, worst, seen)


def _walk(closing: Closing, x: Array, reduced: Reduced, direction: Array, size: float, stages: int = 4) -> Array | None:
    """Move the independent variables and let the reduced system carry the others, in floats."""
    if len(direction):
        direction = direction / np.linalg.norm(direction) * size
    found = np.array(x, dtype=float)
    constant = np.array([float(c) for c in reduced.constant])
    for _ in range(stages):
        trial = found.copy()
        trial[reduced.independent] += direction / stages
        for _ in range(12):
            system = np.concatenate([closing.jacobian(trial)[reduced.rows], reduced.linear])[:, reduced.dependent]
            value = np.concatenate([closing.residual(trial)[reduced.rows], reduced.linear @ trial - constant])
            if not len(value):
                break
            try:
                correction = np.linalg.solve(system, value)
            except np.linalg.LinAlgError:
                return None
            trial[reduced.dependent] -= correction
            if np.abs(correction).max() > 1.0:
                return None
            if np.abs(correction).max() < 1e-14:
                break
        else:
            if np.abs(correction).max() > 1e-9:
                return None
        found = trial
    return found
