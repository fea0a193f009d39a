"""First integrals of the dynamical field: by symmetry, and by search among polynomials in momenta.

The search draws states where the conditions hold, asks which combinations of monomials (and of the energy) have no rate
there, writes them with whole numbers, and proves each by formula. Without proof a combination is only "numerically
constant". With the energy among the terms, moving energies H - <p, X_0> are found as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import ONE, TIME, ZERO, Expr, Scalar
from dalembert.geometry.admissible import Admissible
from dalembert.geometry.geometry import Geometry

Array = NDArray[np.float64]
#: Singular values under this share of the largest are none: rates are exact to rounding, terms of the order of one.
_NONE = 1e-9
#: Coefficients are recognised as fractions with denominators up to this, to the digits that a null space has.
_DENOMINATOR, _DIGITS = 1000, 1e-7
#: Operations up to which a proof by formula is tried: beyond, it is no hand-sized formula.
_PROOF = 4000

Proof = Literal["symmetry", "formula", "numerically constant"]


@dataclass(frozen=True, slots=True)
class Integral:
    """A function on V*M that keeps its value, and how that is known."""

    value: Expr
    proof: Proof

    @property
    def proved(self) -> bool:
        return self.proof != "numerically constant"


def symmetries(geometry: Geometry) -> list[Integral]:
    """Momenta of coordinates that neither L, nor an effort, nor a reaction knows: X L = 0 and W X = 0."""
    setting, found = geometry.setting, list[Integral]()
    slopes = ex.gradient(setting.lagrangian, setting.free)
    rows = (*setting.pushes, *setting.rows)
    for k, (p, slope) in enumerate(zip(setting.momenta, slopes, strict=True)):
        if slope is ZERO and setting.efforts[k] is ZERO and all(row[k] is ZERO for row in rows):
            found.append(Integral(p, "symmetry"))
    return found


def integrals(
    geometry: Geometry, degree: int = 2, *, factors: Sequence[Scalar | str] = (), energy: bool = True, seed: int = 0
) -> list[Integral]:
    """Combinations of products of momenta up to `degree`, times one of `factors` or 1, and of the energy."""
    setting = geometry.setting
    terms = _terms(geometry, degree, factors, energy)
    on_set = Admissible.of(geometry)
    along = {TIME: ONE, **dict(zip((*setting.coordinates, *setting.momenta), geometry.field, strict=True))}
    held = dict(zip(setting.momenta, on_set.momenta, strict=True))
    rates = ex.substitute(ex.tangent(terms, along), held)
    values = ex.substitute(terms, held)
    points = _points([*rates, *values], geometry, 4 * len(terms) + 20, seed)
    slopes, heights = _table(rates, points), _table(values, points)
    found = []
    for row in _kept(slopes, heights):
        weights = [_recognised(x) for x in row]
        value = sum((w * term for w, term in zip(weights, terms, strict=True) if w), ZERO)
        rate = sum((w * one for w, one in zip(weights, rates, strict=True) if w), ZERO)
        found.append(Integral(value, _proof(value, rate, geometry)))
    return found


def _terms(geometry: Geometry, degree: int, factors: Sequence[Scalar | str], energy: bool) -> list[Expr]:
    read = [ONE, *(ex.parse(f) if isinstance(f, str) else ex.as_expr(f) for f in factors)]
    found = [] if not energy else [geometry.energy]
    for d in range(1, degree + 1):
        for chosen in combinations_with_replacement(geometry.setting.momenta, d):
            product = ONE
            for p in chosen:
                product = product * p
            found += [f * product for f in read]
    found += [f for f in read if f is not ONE]
    # the largest last: elimination then writes the energy, and long products, by others only where it must
    return list(dict.fromkeys(found[1:] + found[:1] if energy else found))


def _points(exprs: Sequence[Expr], geometry: Geometry, count: int, seed: int) -> dict[Expr, Any]:
    rng = np.random.default_rng(seed)
    given = {ex.symbol(x): float(v) for x, v in (geometry.setting.given or {}).items()}
    names = sorted(ex.free_symbols(exprs), key=lambda x: x.name)
    known = {*geometry.setting.coordinates, *geometry.setting.momenta, TIME}
    drawn: dict[Expr, Any] = {}
    for x in names:
        moving = x in known or x.name.startswith("v.")
        drawn[x] = given[x] if x in given else rng.uniform(-1.5, 1.5, count) if moving else rng.uniform(0.5, 1.5)
    return drawn


def _table(exprs: Sequence[Expr], points: dict[Expr, Any]) -> Array:
    count = max((np.size(x) for x in points.values()), default=1)
    columns = [np.broadcast_to(np.asarray(x, dtype=float), count) for x in ex.evaluate(list(exprs), points)]
    return np.array(columns).T


def _kept(slopes: Array, heights: Array) -> Array:
    """Combinations without rate, of terms that are independent of each other and of constants on the set."""
    scale = np.maximum(np.abs(heights).max(axis=0), 1e-300)
    chosen = _independent(heights / scale)
    _, sizes, right = np.linalg.svd((slopes / scale)[:, chosen])
    sizes = np.concatenate([sizes, np.zeros(len(right) - len(sizes))])
    null = right[sizes <= _NONE * max(sizes.max(initial=0.0), 1.0)]
    found = np.zeros((len(null), len(scale)))
    found[:, chosen] = null / scale[chosen]
    return _reduced(found)


def _independent(columns: Array) -> list[int]:
    """Columns that are not combinations of constants and of columns before them."""
    chosen, basis = list[int](), [np.full(len(columns), len(columns) ** -0.5)]
    for k, column in enumerate(columns.T):
        left = column
        for _ in range(2):  # once more, for what rounding left of the first time
            left = left - sum((one * (one @ left) for one in basis), np.zeros(len(column)))
        size = np.linalg.norm(left)
        if size > _DIGITS * np.linalg.norm(column):
            chosen.append(k)
            basis.append(left / size)
    return chosen


def _reduced(null: Array) -> Array:
    """Gauss-Jordan on the rows: the first term of each belongs to it alone."""
    work, row = null.copy(), 0
    for column in range(work.shape[1]):
        if row == len(work):
            break
        pivot = row + int(np.argmax(np.abs(work[row:, column])))
        if abs(work[pivot, column]) <= _DIGITS * np.abs(work[row:]).max():
            work[row:, column] = 0
            continue
        work[[row, pivot]] = work[[pivot, row]]
        work[row] /= work[row, column]
        for other in range(len(work)):
            if other != row:
                work[other] -= work[other, column] * work[row]
        row += 1
    return work


def _recognised(x: float) -> Fraction | float:
    near = Fraction(x).limit_denominator(_DENOMINATOR)
    return near if abs(float(near) - x) <= _DIGITS else x


def _proof(value: Expr, rate: Expr, geometry: Geometry) -> Proof:
    if any(value == one.value for one in symmetries(geometry)):
        return "symmetry"
    if rate is ZERO or ex.tidy(rate) is ZERO:
        return "formula"
    if ex.count_operations(rate) > _PROOF:
        return "numerically constant"
    from dalembert.analytic import is_zero

    verdict = is_zero(ex.to_sympy(rate))
    return "formula" if verdict.equal and verdict.proof == "symbolic" else "numerically constant"
