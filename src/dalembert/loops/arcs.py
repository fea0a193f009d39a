"""Arcs that leave the very posture: what moves, and by which theorem.

At a singular posture the closure becomes, on the kernel, g(xi) = q(xi) + higher = 0, one function for each equation
that the rank leaves over. Let v be a direction with q(v) = 0 where the derivative of q has rank rho. With
xi = t (v + eta) the equations are q(v + eta) + t (...) = 0: by the implicit function theorem rho of them define a
smooth family of arcs of dimension k - rho, which start at the posture along v. If rho is the number of equations, that
is the closure. If not, the others must vanish on the family: they are evaluated at random points of it, to all digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.balls import BallClosing, as_matrix, ball, floats
from dalembert.loops.certify import ReducedSystem
from dalembert.loops.cone import on_cone
from dalembert.loops.linearised import Linearised, float_pivots, linearised
from dalembert.loops.obstructions import indefinite
from dalembert.loops.polygon import HalfBranch, real_branches
from dalembert.loops.reduced import Reduced
from dalembert.loops.series import along, in_two_variables

Array = Any


#: Values of forms whose largest entry is one, on unit directions: what is larger was not brought to the cone.
_OFF_CONE = 1e-11
#: Their slopes: smaller singular values are none (the direction is known to half the digits where slopes vanish).
_SLOPE = 1e-6
#: Newton's first step to the exact direction, of a unit direction that floats give to a dozen digits.
_NEAR = 1e-3
#: Pivots beside the first, at a point that is a hundredth away from the posture.
_PIVOT = 1e-4


@dataclass(frozen=True, slots=True)
class Arc:
    """A family of arcs from the posture: its dimension, its theorem, and a configuration on it (floats), if met."""

    dimension: int
    by: str
    point: Array | None
    direction: Array


def arcs_along_cone(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, forms: list[Array], equations: int, seed: int = 0
) -> list[Arc]:
    """Families of arcs along directions on which all quadratic forms vanish, the largest first."""
    k = linear.kernel.shape[1]
    forms = [f / float(np.abs(floats(f)).max()) for f in forms]
    plain = np.array([floats(f) for f in forms]).reshape(len(forms), k, k)
    rng = np.random.default_rng(seed)
    found: list[Arc] = []
    seen: list[tuple[int, Array]] = []
    for attempt in range(24 + 6 * k):
        start = rng.normal(size=k)
        if attempt % 3 == 1:
            start *= rng.random(k) < 0.5
        elif attempt % 3 == 2:
            start = np.eye(k)[attempt // 3 % k] + rng.normal(0, 0.05, k)
        if not start.any():
            continue
        v = on_cone(plain, start)
        slopes = 2 * plain @ v
        if len(plain) and np.abs(slopes @ v).max() > _OFF_CONE:
            continue
        values = np.linalg.svd(slopes, compute_uv=False) if len(slopes) else np.zeros(0)
        rho = int((values > _SLOPE).sum())
        if any(r == rho and abs(w @ v) > 1 - _SLOPE for r, w in seen) or sum(r == rho for r, _ in seen) >= 4:
            continue
        seen.append((rho, v))
        exact = _exact_direction(closing, forms, slopes, v, rho)
        if exact is None:
            continue
        arc = _arc(closing, x, linear, exact, v, rho, equations)
        if arc is not None and not any(a.dimension == arc.dimension and abs(a.direction @ v) > 0.999 for a in found):
            found.append(arc)
    return sorted(found, key=lambda a: -a.dimension)


def _exact_direction(closing: BallClosing, forms: list[Array], slopes: Array, v: Array, rho: int) -> list[Any] | None:
    """v to all digits: Gauss-Newton with a fixed pseudo-inverse; None unless all forms vanish and the rank is rho."""
    exact = [ball(float(c)) for c in v]
    if not forms:
        return exact
    u, s, vt = np.linalg.svd(slopes, full_matrices=False)
    inverse = vt[:rho].T @ np.diag(1 / s[:rho]) @ u[:, :rho].T
    step_matrix = as_matrix(np.vectorize(lambda c: ball(float(c)), otypes=[object])(inverse))
    rows = [as_matrix(f) for f in forms]
    for _ in range(closing.digits):
        column = as_matrix(np.array(exact, dtype=object).reshape(-1, 1))
        values = [(column.transpose() * f * column).entries()[0] for f in rows]
        if all(closing.is_zero(c) for c in values):
            break
        step = (step_matrix * as_matrix(np.array(values, dtype=object).reshape(-1, 1))).entries()
        if max(abs(float(c)) for c in step) > _NEAR:
            return None
        exact = [(c - d).mid() for c, d in zip(exact, step, strict=True)]
    else:
        return None
    slope = np.array(
        [[2 * sum(f[i, j] * exact[j] for j in range(len(exact))) for i in range(len(exact))] for f in forms]
    )
    found = linearised(closing, slope.reshape(len(forms), len(exact)))
    return exact if found.sure and found.rank == rho else None


def _arc(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, exact: list[Any], v: Array, rho: int, equations: int
) -> Arc | None:
    dimension = len(exact) - rho
    left = equations - linear.rank
    points = []
    for size in (0.02, 0.0025):
        move = linear.kernel @ np.array(exact, dtype=object)
        scale = size / max(abs(float(c)) for c in move)
        start = [c + scale * d for c, d in zip(x, move, strict=True)]
        point = _on_family(closing, start, linear, rho, size)
        if point is None:
            break
        points.append(point)
    if rho == left:
        by = (
            f"an arc from the posture: along a tangent where the {rho} second-order equations are independent "
            "(implicit function theorem after blowing up)"
        )
        near = floats(np.array(points[0], dtype=object)) if points else None
        return Arc(dimension, by, near, v)
    if len(points) < 2 or any(not all(closing.is_zero(r) for r in closing.residual(p)) for p in points):
        return None
    by = (
        f"a {dimension}-parameter family of arcs from the posture, by {rho} of {left} equations of second order; the "
        f"others vanish on it to {2 * closing.digits // 3} digits ({len(points)} random points)"
    )
    return Arc(dimension, by, floats(np.array(points[0], dtype=object)), v)


def _on_family(closing: BallClosing, start: list[Any], linear: Linearised, rho: int, size: float) -> list[Any] | None:
    """The configuration near `start` on the closure of the regular rows and rho others, to all digits."""
    jacobian = floats(closing.jacobian(start))
    # rho of the other rows: those that grow fastest beside the regular ones
    regular = jacobian[np.ix_(linear.rows, linear.dependent)]
    rest = jacobian[linear.others] - jacobian[np.ix_(linear.others, linear.dependent)] @ (
        np.linalg.solve(regular, jacobian[linear.rows]) if linear.rank else np.zeros((0, jacobian.shape[1]))
    )
    more, columns = float_pivots(rest[:, linear.independent], _PIVOT)
    if len(more) < rho:
        return None
    rows = np.concatenate([linear.rows, linear.others[more[:rho]]]).astype(int)
    dependent = np.concatenate([linear.dependent, linear.independent[columns[:rho]]]).astype(int)
    n = len(start)
    reduced = Reduced(rows, np.zeros((0, n)), (), dependent, np.setdiff1d(np.arange(n), dependent))
    rng = np.random.default_rng(17)
    for i in reduced.independent:
        start[i] = start[i] + size * 0.01 * float(rng.normal())
    try:
        found, last = ReducedSystem(closing, reduced).refine(start)
    except ZeroDivisionError:
        return None
    moved = max(abs(float(a) - float(b)) for a, b in zip(found, start, strict=True))
    return found if last <= 10.0 ** (8 - closing.digits) and moved < 0.3 * size else None


def arc_by_change_of_sign(
    closing: BallClosing,
    x: Sequence[Any],
    linear: Linearised,
    equations: int,
    forms: list[Array],
    most: int = 6,
    seed: int = 3,
) -> tuple[int | None, str, list[Arc]]:
    """Where one equation g = 0 is left: a hypersurface if g has both signs in every ball around the posture.

    Along xi = t d the sign of g for small t is that of its first coefficient. Zeros that separate the two signs have
    dimension k - 1; and g, not being zero, allows no more.
    """
    k = linear.kernel.shape[1]
    if equations - linear.rank != 1 or k < 2:
        return None, "", []
    bound = "one closure equation is left over that is not zero"
    if len(forms) == 1 and indefinite(closing, forms[0]):
        by = "one equation is left, with a quadratic form of both signs: its zeros separate the signs"
        return k - 1, bound, [Arc(k - 1, by, None, np.zeros(k))]
    rng = np.random.default_rng(seed)
    directions = [*np.eye(k, dtype=int), *rng.integers(-3, 4, size=(4 + 4 * k, k))]
    row: int | None = None
    signs: dict[int, Array] = {}
    for d in directions:
        if not d.any():
            continue
        try:
            coefficients = along(closing, x, linear, [int(c) for c in d], most)
        except (TypeError, AttributeError, ValueError, ZeroDivisionError):
            return None, "", []
        if row is None:
            row = _first_to_move(closing, coefficients)
            if row is None:
                continue
        order = next((i for i, c in enumerate(coefficients[row]) if not closing.is_zero(c)), None)
        if order is None or not closing.is_nonzero(coefficients[row][order]):
            continue
        sign = 1 if bool(coefficients[row][order] > 0) else -1
        signs[sign] = d
        if order % 2:
            signs[-sign] = -d
        if len(signs) == 2:
            by = "an equation that changes sign around the posture: its zeros separate the signs"
            return k - 1, bound, [Arc(k - 1, by, None, d / np.linalg.norm(d))]
    return (k - 1, bound, []) if signs else (None, "", [])


def _first_to_move(closing: BallClosing, coefficients: Array) -> int | None:
    """The row of lowest order: the others are multiples of it."""
    orders = [next((i for i, c in enumerate(row) if not closing.is_zero(c)), 10**6) for row in coefficients]
    best = int(np.argmin(orders)) if orders else 0
    return best if orders and orders[best] < 10**6 else None


def arcs_of_higher_order(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, equations: int, most: int = 12
) -> tuple[int | None, str, list[Arc]]:
    """A bound from above with its theorem, and arcs, from Taylor series of the left-over functions; k is 1 or 2."""
    k = linear.kernel.shape[1]
    try:
        return _on_line(closing, x, linear, most) if k == 1 else _on_plane(closing, x, linear, equations, most)
    except (TypeError, AttributeError, ValueError, ZeroDivisionError):  # a function without a power series here
        return None, "", []


def _on_line(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, most: int
) -> tuple[int | None, str, list[Arc]]:
    coefficients = along(closing, x, linear, (1,), most)
    for order in range(2, most + 1):
        if any(closing.is_nonzero(c) for c in coefficients[:, order]):
            by = f"order {order}: along the only instantaneous motion a closure equation grows with that power"
            return 0, by, []
    return None, "", []


def _on_plane(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, equations: int, most: int
) -> tuple[int | None, str, list[Arc]]:
    upper: int | None = None
    by = ""
    for order in (4, 8, most):
        functions = in_two_variables(closing, x, linear, order)
        if functions and upper is None:
            upper, by = 1, f"order {order}: a closure equation does not vanish on the plane of instantaneous motions"
        arcs: list[Arc] = []
        # of lowest degree: a function of higher degree may be a multiple of one of these, with branches of its own
        degrees = [min(a + b for a, b in terms) for terms in functions]
        for terms in [f for f, d in zip(functions, degrees, strict=True) if d == min(degrees)][:4]:
            branches = real_branches(terms, order, closing.is_zero)
            if branches.all_known and not branches.found:
                by = f"order {order}: Newton's polygon of a closure equation has no real branch through the posture"
                return 0, by, []
            arcs += [a for half in branches.found if (a := half_arc(closing, x, linear, half, equations)) is not None]
        if arcs:
            return upper, by, arcs
    return upper, by, []


def half_arc(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, half: HalfBranch, equations: int
) -> Arc | None:
    """The arc of a half-branch: proved when it is the only equation left, else the others must vanish on it."""
    only = equations - linear.rank == 1
    points = []
    first, second = linear.kernel[:, 0], linear.kernel[:, 1]
    for size in (0.02, 0.0025):
        t = size ** (1 / min(half.q, half.p))
        a, b = (half.sign * t**half.q, half.c * t**half.p) if half.sign else (0.0, t)
        start = [c + a * d + b * e for c, d, e in zip(x, first, second, strict=True)]
        point = _on_family(closing, start, linear, 1, size)
        if point is not None and all(closing.is_zero(r) for r in closing.residual(point)):
            points.append(point)
    kind = f"x = t^{half.q}, y = c t^{half.p}" if half.sign else "along an axis"
    along_axis = half.c if half.sign else 1.0
    direction = np.array([float(half.sign), along_axis if half.p == half.q else 0.0])
    if half.p < half.q:
        direction = np.array([0.0, along_axis])
    direction = direction / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
    if only:
        near = floats(np.array(points[0], dtype=object)) if points else None
        by = f"an arc from the posture: a simple real root on Newton's polygon ({kind})"
        return Arc(1, by, near, direction)
    if len(points) < 2:
        return None
    by = (
        f"an arc from the posture by Newton's polygon ({kind}) of one equation; the others vanish on it to "
        f"{2 * closing.digits // 3} digits"
    )
    return Arc(1, by, floats(np.array(points[0], dtype=object)), direction)
