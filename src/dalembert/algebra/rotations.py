"""Rotations by axis and angle, matrix or quaternion, both ways, with every branch written down.

A rotation has two unit quaternions, q and -q, and a quaternion of a matrix needs a division that fails somewhere: there
are four formulas, each valid where its pivot is positive; the pivots add up to 4, so one of them is always at least 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.algebra.core.engine import as_term, identity, number, scale, times
from dalembert.algebra.core.operator import EXPR, PAIR, PRODUCT, ROTATION
from dalembert.algebra.core.rebuild import transform
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import ONE, Term, TermLike
from dalembert.algebra.forms.canonical import canonical
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.operators.arrays import array, column, is_explicit
from dalembert.algebra.operators.quaternions import conjugate, matrix_of, pair, scalar_part, squared_norm, vector_part
from dalembert.algebra.operators.vectors import dyad, norm, tilde
from dalembert.algebra.operators.words import power, product
from dalembert.algebra.values.components import components, to_expr

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Branch:
    """One formula for the quaternion of a matrix: valid where `pivot`, 4 times a squared component, is positive."""

    pivot: ex.Expr
    quaternion: Term


@dataclass(frozen=True, slots=True)
class AxisAngle:
    """A rotation by its angle in [0, 2 pi] and unit axis; where `sine` (of half the angle) is 0 any axis will do."""

    angle: ex.Expr
    axis: Term
    sine: ex.Expr


def quaternion_of_axis_angle(angle: TermLike, axis: Term | Sequence[Any]) -> Term:
    """(cos th/2, sin th/2 u); a list of components is divided by its length, a vector must be unit.

    >>> quaternion_of_axis_angle(scalar("th"), [0, 0, 1])
    (cos(1/2*th), [0; 0; sin(1/2*th)])
    """
    theta = to_expr(as_term(angle))
    u = axis if isinstance(axis, Term) else column(*axis)
    if is_explicit(u):
        u = scale(scalar_power(norm(u), -1), u)
    else:
        from dalembert.algebra.core.facts import is_unit

        if not is_unit(u):
            raise AlgebraError(
                f"the axis '{u}' must be a unit vector: vector(name, unit=True), or give its components."
            )
    half = theta * HALF
    return pair(as_term(ex.cos(half)), scale(as_term(ex.sin(half)), u))


def matrix_of_quaternion(q: Term) -> Term:
    """The rotation matrix: by components when q has them, else the symbol R(q)."""
    if q.op is PAIR and is_explicit(q.args[1]):
        if canonical(squared_norm(q)) is not ONE:
            q = product(scalar_power(norm(q), -1), q)
        a, b, c, d = scalar_part(q), *vector_part(q).args
        return array(
            [
                [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
                [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
                [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
            ]
        )
    return matrix_of(q)


def _entries(matrix: Any) -> list[list[ex.Expr]]:
    found = components(matrix) if isinstance(matrix, Term) else matrix
    rows = [[ex.as_expr(x) for x in row] for row in (found.rows() if isinstance(found, ex.Matrix) else found)]
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        raise AlgebraError("a rotation matrix has 3 rows of 3 entries.")
    return rows


def quaternion_branches(matrix: Any) -> tuple[Branch, Branch, Branch, Branch]:
    """The four formulas for the quaternion of a rotation matrix; the first is the usual one with sqrt(1 + trace)."""
    m = _entries(matrix)
    pivots = [
        1 + m[0][0] + m[1][1] + m[2][2],
        1 + m[0][0] - m[1][1] - m[2][2],
        1 - m[0][0] + m[1][1] - m[2][2],
        1 - m[0][0] - m[1][1] + m[2][2],
    ]
    x, y, z = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]
    a, b, c = m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2]
    table = [(pivots[0], x, y, z), (x, pivots[1], a, b), (y, a, pivots[2], c), (z, b, c, pivots[3])]
    branches = []
    for pivot, parts in zip(pivots, table):
        value = as_term(pivot)
        if value == 0:
            continue
        front = times(number(HALF), scalar_power(value, Fraction(-1, 2)))
        s, *v = [times(front, as_term(p)) for p in parts]
        branches.append(Branch(pivot, pair(s, column(*v))))
    return tuple(branches)  # type: ignore[return-value]


def quaternion_of_matrix(matrix: Any) -> Term:
    """The quaternion of a rotation matrix of numbers, by the branch with the largest pivot.

    >>> quaternion_of_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    (1/2 2^(1/2), [0; 0; 1/2 2^(1/2)])
    """
    branches = quaternion_branches(matrix)
    if ex.free_symbols([b.pivot for b in branches]):
        raise AlgebraError(
            "the entries hold symbols: choose one of quaternion_branches(matrix) where its pivot is positive."
        )
    sizes = ex.evaluate([b.pivot for b in branches], {})
    return branches[sizes.index(max(sizes))].quaternion


def axis_angle_of_quaternion(q: Term) -> AxisAngle:
    """th = 2 atan2(|v|, s), axis v/|v|: accurate for every angle, unlike 2 acos(s)."""
    s, v = to_expr(scalar_part(q)), vector_part(q)
    length = norm(v)
    size = to_expr(length)
    if length == 0:
        return AxisAngle(2 * ex.atan2(size, s), column(0, 0, 1), size)
    return AxisAngle(2 * ex.atan2(size, s), scale(scalar_power(length, -1), v), size)


def interpolate(start: Term, end: Term, t: TermLike, angle: TermLike | None = None) -> Term:
    """The great arc from one unit quaternion to another at constant angular velocity (slerp).

    q(t) = (sin((1 - t) W) start + sin(t W) end) / sin W, where cos W = <start, end>. `angle` names W when the
    quaternions are symbols. Branches: W = 0 is excluded (the arc is a point); the shorter arc needs <start, end> >= 0,
    else use -end.
    """
    time = to_expr(as_term(t))
    if angle is None:
        cosine = scalar_part(product(start, conjugate(end)))
        wide = ex.acos(to_expr(cosine))
    else:
        wide = to_expr(as_term(angle))
    first, second = ex.sin((1 - time) * wide) / ex.sin(wide), ex.sin(time * wide) / ex.sin(wide)
    return scale(as_term(first), start) + scale(as_term(second), end)


def rodrigues(term: TermLike) -> Term:
    """Every rotation(u, th) opened by the formula of Rodrigues: cos th 1 + sin th ~u + (1 - cos th) u u^T.

    >>> u, v = vector("u", unit=True), vector("v")
    >>> rodrigues(rotation(u, scalar("th")) * v)
    -(cos(th) (u . v) - u . v) u + sin(th) (u x v) + cos(th) v
    """

    def opened(t: Term) -> Term | None:
        if t.op is not ROTATION:
            return None
        axis, angle = t.args
        theta = to_expr(angle)
        c, s = as_term(ex.cos(theta)), as_term(ex.sin(theta))
        return scale(c, identity(3)) + scale(s, tilde(axis)) + scale(ONE - c, dyad(axis, axis))

    return expand(transform(_without_inverses(as_term(term)), opened))


def _without_inverses(root: Term) -> Term:
    """rotation(u, th)^-n as rotation(u, -n th) cannot be kept; its transpose is opened instead."""

    def turned(t: Term) -> Term | None:
        if t.op is not PRODUCT or not any(b.op is ROTATION and e != 1 for b, e in zip(t.args, t.weights)):
            return None
        pieces: list[Term] = []
        for base, e in zip(t.args, t.weights):
            if base.op is ROTATION and isinstance(e, int):
                axis, angle = base.args
                c, s = (as_term(f(to_expr(times(number(e), angle)))) for f in (ex.cos, ex.sin))
                pieces.append(scale(c, identity(3)) + scale(s, tilde(axis)) + scale(ONE - c, dyad(axis, axis)))
            else:
                pieces.append(power(base, e))
        return product(*pieces)

    return transform(root, turned)


def half_angles(term: TermLike) -> Term:
    """Sines and cosines by those of half their angle: sin a = 2 sin(a/2) cos(a/2), cos a = 2 cos(a/2)^2 - 1.

    >>> a = scalar("a")
    >>> half_angles(scalar(ex.cos(a.payload)) + 1)
    2 cos(1/2*a)^2
    """

    def halved(t: Term) -> Term | None:
        if t.op is not EXPR or t.payload.op not in ("sin", "cos"):
            return None
        half = t.payload.args[0] * HALF
        c, s = as_term(ex.cos(half)), as_term(ex.sin(half))
        return 2 * c * s if t.payload.op == "sin" else 2 * c**2 - 1

    return transform(as_term(term), halved)
