"""The very posture that is judged, to all digits.

A singular posture is singular only exactly there: a float beside it is another posture, of another mobility. So the
posture is taken as it is spelled if the loops close there to all digits; else with its angles at simple parts of a
turn; else Newton's method finds it, on the closure, or on the closure together with J K = 0 where J has a kernel K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.loops.arithmetic import ball_functions, evaluate_in, exact
from dalembert.loops.balls import BallClosing, as_matrix, ball, floats
from dalembert.loops.certify import ReducedSystem
from dalembert.loops.linearised import float_pivots, linearised
from dalembert.loops.linkage import Linkage
from dalembert.loops.reduced import Reduced
from dalembert.mechanism.spelled import Spelled

Array = Any

#: How far a float posture may be from the exact one: a multiple root is found to half the digits, or to a third.
_NEAR = 1e-5
#: Rounding of a posture that was computed in floats, with some digits lost.
_ROUNDED = 1e-11
#: Pivots beside the first: at a simple root, which floats know to 1e-11, and at a multiple one.
_PIVOT, _PIVOT_AT_MULTIPLE = 1e-7, 1e-4
#: Singular values of the augmented system beside the largest.
_NO_SLOPE = 1e-6
#: Steps of Gauss-Newton (radians, parts of the machine) that must fall by half, and the first one at most.
_LAST, _FIRST = 1e-6, 1e-2
#: Unknowns of the augmented system, at most: its pseudo-inverse is dense.
_LARGEST = 600


@dataclass(frozen=True, slots=True)
class Posture:
    """Balls (centres) of all variables; `closed` when every closure row vanishes to two thirds of the digits."""

    x: tuple[Any, ...]
    closed: bool
    how: str
    digits: int


def find_posture(closing: BallClosing, x: Array, spelled: Mapping[str, Any]) -> Posture:
    """The exact posture near the floats x, which were assembled from what is spelled.

    Numbers of fifteen digits and more are read as rounded: a singular posture within their rounding is meant.
    """
    written = _as_spelled(closing, x, spelled)
    simple = (lambda: _simple(closing, x), "the posture with angles at simple parts of a turn")
    kernel = (lambda: _deflated(closing, x), "Newton's method on the closure and its kernel")
    found = None
    for make, how in (
        (lambda: written, "the posture as it is written"),
        simple,
        (lambda: _on_closure(closing, x), "Newton's method on the closure"),
    ):
        tried = make()
        if tried is not None and is_closed(closing, tried):
            found = Posture(tuple(tried), True, how, closing.digits)
            break
    rounded = any(_is_rounded(v) for v in spelled.values()) or not _near(x, written, _ROUNDED)
    if found is None or (rounded and _hardly_regular(closing, x, found)):
        for make, how in (simple, kernel):
            tried = make()
            if tried is None or not _near(x, tried, _NEAR if found is None else _ROUNDED):
                continue
            other = Posture(tuple(tried), True, how, closing.digits)
            if is_closed(closing, tried) and (found is None or not _hardly_regular(closing, x, other)):
                return other
    return found or Posture(tuple(ball(float(v)) for v in x), False, "the posture as assembled", closing.digits)


def _near(x: Array, found: Sequence[Any] | None, reach: float) -> bool:
    return found is not None and all(abs(float(v.mid()) - float(w)) < reach for v, w in zip(found, x, strict=True))


def _is_rounded(value: Any) -> bool:
    if isinstance(value, Spelled | str | ex.Expr | int):
        return False
    return len(repr(float(value)).split("e")[0].strip("-").replace(".", "").strip("0")) >= 15


def _hardly_regular(closing: BallClosing, x: Array, posture: Posture) -> bool:
    """Whether the rank in balls is more than floats can see."""
    seen, _ = float_pivots(closing.closing.jacobian(x), _ROUNDED)
    return linearised(closing, closing.jacobian(posture.x)).rank > len(seen)


def is_closed(closing: BallClosing, x: Sequence[Any]) -> bool:
    """Every row zero to all digits, and no loop closed upside down (the axial vector of a half turn is zero too)."""
    if not all(closing.is_zero(v) for v in closing.residual(x)):
        return False
    turn, _ = closing.positions.gaps(closing.positions.frames(closing.positions.motion(x)))
    return all(float((t[0, 0] + t[1, 1] + t[2, 2]).mid()) > 2.5 for t in turn)


def _as_spelled(closing: BallClosing, x: Array, spelled: Mapping[str, Any]) -> list[Any] | None:
    linkage = closing.linkage
    found = []
    for i, name in enumerate(linkage.variables):
        value = _value(spelled.get(name, 0))
        found.append(value / ball(linkage.unit) if i in linkage.lengths else value)
    found = with_auxiliaries(closing, found)
    return found if _near(x, found, _NEAR) else None


def _value(written: Any) -> Any:
    if isinstance(written, Spelled):
        written = written.formula
    elif isinstance(written, str):
        written = ex.parse(written)
    if isinstance(written, ex.Expr):
        return evaluate_in([written], {}, ball, ball_functions())[0]
    return ball(exact(float(written) if isinstance(written, np.generic) else written))


def with_auxiliaries(closing: BallClosing, x: list[Any]) -> list[Any]:
    """Variables that only rename a formula get its value."""
    linkage: Linkage = closing.linkage
    for i, equation in zip(linkage.auxiliary, linkage.equations, strict=False):
        known = {**linkage.given, **dict(zip(linkage.variables, x, strict=True)), linkage.variables[i]: ball(0)}
        x[i] = -evaluate_in([equation], known, ball, ball_functions())[0]
    return x


def _simple(closing: BallClosing, x: Array) -> list[Any]:
    """Angles at whole 24ths of a half turn, lengths at simple fractions, wherever the floats are that near."""
    from flint import arb

    linkage = closing.linkage
    unit = float(linkage.unit)
    found: list[Any] = []
    for i, v in enumerate(x):
        if i in linkage.lengths:
            simple = Fraction(float(v) * unit).limit_denominator(1000)
            near = abs(float(simple) / unit - v) < _NEAR
            found.append(ball(simple / linkage.unit) if near else ball(float(v)))
            continue
        parts = round(float(v) / (np.pi / 24))
        near = abs(parts * np.pi / 24 - v) < _NEAR
        found.append(arb.pi() * parts / 24 if near else ball(float(v)))
    return with_auxiliaries(closing, found)


def _on_closure(closing: BallClosing, x: Array) -> list[Any] | None:
    """As many rows as floats see independent, the other variables held."""
    jacobian = floats(closing.jacobian([ball(float(v)) for v in x]))
    rows, columns = float_pivots(jacobian, _PIVOT)
    n = jacobian.shape[1]
    reduced = Reduced(rows, np.zeros((0, n)), (), columns, np.setdiff1d(np.arange(n), columns))
    try:
        found, last = ReducedSystem(closing, reduced).refine(x)
    except ZeroDivisionError:
        return None
    moved = max((abs(float(a) - float(b)) for a, b in zip(found, x, strict=True)), default=0.0)
    return found if last <= 10.0 ** (8 - closing.digits) and moved < _NEAR else None


def _deflated(closing: BallClosing, x: Array) -> list[Any] | None:
    """Gauss-Newton with a fixed pseudo-inverse on F(x) = 0, J(x) K = 0, K the identity on the free variables."""
    centre = [ball(float(v)) for v in x]
    jacobian = floats(closing.jacobian(centre))
    m, n = jacobian.shape
    rows, columns = float_pivots(jacobian, _PIVOT_AT_MULTIPLE)
    free = np.setdiff1d(np.arange(n), columns)
    k, r = len(free), len(columns)
    if not k or n + r * k > _LARGEST or r == min(m, n):
        return None
    block = -np.linalg.solve(jacobian[np.ix_(rows, columns)], jacobian[np.ix_(rows, free)]) if r else np.zeros((0, k))
    slopes = _slopes_of_kernel_rows(closing, centre, columns, free, block, jacobian)
    inverse = np.linalg.pinv(slopes, rcond=_NO_SLOPE)
    step_matrix = as_matrix(np.vectorize(lambda v: ball(float(v)), otypes=[object])(inverse))
    kernel = np.vectorize(lambda v: ball(float(v)), otypes=[object])(block) if r else block.astype(object)
    goal, last = 10.0 ** (8 - closing.digits), np.inf
    for _ in range(closing.digits):
        value = _augmented(closing, centre, columns, free, kernel)
        step = np.array((step_matrix * as_matrix(value.reshape(-1, 1))).entries(), dtype=object)
        size = max(abs(float(s)) for s in step)
        centre = [(v - s).mid() for v, s in zip(centre, step[:n], strict=True)]
        if r:
            moved = kernel - step[n:].reshape(r, k)
            kernel = np.vectorize(lambda v: v.mid(), otypes=[object])(moved)
        if size <= goal:
            return centre
        if (size > 0.5 * last and size > _LAST) or size > _FIRST:
            return None
        last = size
    return None


def _augmented(closing: BallClosing, x: Sequence[Any], columns: Array, free: Array, kernel: Array) -> Array:
    """F(x), then J(x) K by columns of K."""
    jacobian = closing.jacobian(x)
    product = jacobian[:, free] + (jacobian[:, columns] @ kernel if len(columns) else 0)
    value = [*closing.residual(x), *product.T.ravel()]
    return np.array([v.mid() for v in value], dtype=object)


def _slopes_of_kernel_rows(
    closing: BallClosing, x: Sequence[Any], columns: Array, free: Array, block: Array, jacobian: Array
) -> Array:
    """The derivative of the augmented system, in floats, by differences over a step far below the digits of a float."""
    m, n = jacobian.shape
    r, k = block.shape
    kernel = np.zeros((n, k))
    kernel[free, np.arange(k)] = 1.0
    kernel[columns] = block
    found = np.zeros((m * (1 + k), n + r * k))
    found[:m, :n] = jacobian
    step = ball(Fraction(1, 10 ** (closing.digits // 3)))
    here = closing.jacobian(x)
    for j in range(n):
        moved = list(x)
        moved[j] = moved[j] + step
        change = floats((closing.jacobian(moved) - here) / step)
        found[m:, j] = (change @ kernel).T.ravel()
    for c in range(k):
        for i in range(r):
            found[m + c * m : m + (c + 1) * m, n + i * k + c] = jacobian[:, columns[i]]
    return found
