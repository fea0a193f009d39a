"""Vectors and matrices of ordinary space as plain tuples of expressions: fast, immutable, no ceremony."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr import _functions as fn
from dalembert.expr._arithmetic import add, mul, neg, sub
from dalembert.expr._node import ONE, ZERO, Expr, Scalar, as_expr

Vector3: TypeAlias = tuple[Expr, Expr, Expr]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]

ZERO3: Vector3 = (ZERO, ZERO, ZERO)
IDENTITY3: Matrix3 = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
AXES: dict[str, Vector3] = {"x": IDENTITY3[0], "y": IDENTITY3[1], "z": IDENTITY3[2]}


def vector3(value: Sequence[Scalar]) -> Vector3:
    """Three expressions from three numbers, expressions or formulas."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ExpressionError(f"a vector of space has three components, such as [0, 0, 1], not {value!r}.")
    listed = tuple(as_expr(x) for x in value)
    if len(listed) != 3:
        raise ExpressionError(f"a vector of space has three components, not {len(listed)}: {value!r}.")
    return listed


def is_zero3(a: Vector3) -> bool:
    return a[0] is ZERO and a[1] is ZERO and a[2] is ZERO


def add3(a: Vector3, b: Vector3) -> Vector3:
    if a is ZERO3:
        return b
    if b is ZERO3:
        return a
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))


def sub3(a: Vector3, b: Vector3) -> Vector3:
    return (sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]))


def neg3(a: Vector3) -> Vector3:
    return (neg(a[0]), neg(a[1]), neg(a[2]))


def scale3(factor: Expr, a: Vector3) -> Vector3:
    if factor is ZERO or a is ZERO3:
        return ZERO3
    return (mul(factor, a[0]), mul(factor, a[1]), mul(factor, a[2]))


# Most components of mechanisms are zero: the products below skip them before anything is called.


def dot3(a: Vector3, b: Vector3) -> Expr:
    total = ZERO
    x, y = a[0], b[0]
    if x is not ZERO and y is not ZERO:
        total = mul(x, y)
    x, y = a[1], b[1]
    if x is not ZERO and y is not ZERO:
        total = add(total, mul(x, y))
    x, y = a[2], b[2]
    if x is not ZERO and y is not ZERO:
        total = add(total, mul(x, y))
    return total


def _minor(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """a b - c d."""
    first = ZERO if a is ZERO or b is ZERO else mul(a, b)
    return first if c is ZERO or d is ZERO else sub(first, mul(c, d))


def cross(a: Vector3, b: Vector3) -> Vector3:
    if a is ZERO3 or b is ZERO3:
        return ZERO3
    a0, a1, a2 = a
    b0, b1, b2 = b
    return (_minor(a1, b2, a2, b1), _minor(a2, b0, a0, b2), _minor(a0, b1, a1, b0))


def norm3(a: Vector3) -> Expr:
    return fn.sqrt(dot3(a, a))


def apply3(m: Matrix3, a: Vector3) -> Vector3:
    """The product of a matrix and a vector."""
    if m is IDENTITY3 or a is ZERO3:
        return a
    return (dot3(m[0], a), dot3(m[1], a), dot3(m[2], a))


def transpose3(m: Matrix3) -> Matrix3:
    a, b, c = m
    return ((a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2]))


def apply_transposed3(m: Matrix3, a: Vector3) -> Vector3:
    return a if m is IDENTITY3 or a is ZERO3 else apply3(transpose3(m), a)


def product3(m: Matrix3, n: Matrix3) -> Matrix3:
    if m is IDENTITY3:
        return n
    if n is IDENTITY3:
        return m
    columns = transpose3(n)
    return (
        (dot3(m[0], columns[0]), dot3(m[0], columns[1]), dot3(m[0], columns[2])),
        (dot3(m[1], columns[0]), dot3(m[1], columns[1]), dot3(m[1], columns[2])),
        (dot3(m[2], columns[0]), dot3(m[2], columns[1]), dot3(m[2], columns[2])),
    )


def sum3(m: Matrix3, n: Matrix3) -> Matrix3:
    return (add3(m[0], n[0]), add3(m[1], n[1]), add3(m[2], n[2]))


def scale_matrix3(factor: Expr, m: Matrix3) -> Matrix3:
    return (scale3(factor, m[0]), scale3(factor, m[1]), scale3(factor, m[2]))


def tilde(a: Vector3) -> Matrix3:
    """The matrix of the cross product: tilde(a) b = a x b."""
    return ((ZERO, -a[2], a[1]), (a[2], ZERO, -a[0]), (-a[1], a[0], ZERO))


def symmetric3(xx: Expr, yy: Expr, zz: Expr, xy: Expr, xz: Expr, yz: Expr) -> Matrix3:
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def turn_matrix(angle: Expr, axis: Vector3) -> Matrix3:
    """Rotation of an angle about a unit axis (Rodrigues): c 1 + s tilde(n) + (1 - c) n n^T."""
    c, s = fn.cos(angle), fn.sin(angle)
    nx, ny, nz = axis
    k = ONE - c
    sx, sy, sz = scale3(s, axis)
    if sum(component is ZERO for component in axis) == 2:  # along a base axis: no products of zeros to fold
        return (
            (ONE if nx is not ZERO else c, -sz, sy),
            (sz, ONE if ny is not ZERO else c, -sx),
            (-sy, sx, ONE if nz is not ZERO else c),
        )
    return (
        (c + k * (nx * nx), k * (nx * ny) - sz, k * (nx * nz) + sy),
        (k * (nx * ny) + sz, c + k * (ny * ny), k * (ny * nz) - sx),
        (k * (nx * nz) - sy, k * (ny * nz) + sx, c + k * (nz * nz)),
    )


def base_axis(rotation: Matrix3) -> int | None:
    """The number of the base axis that a rotation leaves alone, if there is one."""
    for k in range(3):
        if rotation[k][k] is ONE:
            return k
    return None


def turned_symmetric(rotation: Matrix3, m: Matrix3) -> Matrix3:
    """R m R^T for a symmetric m, in few operations when R turns about a base axis.

    With t = s (m_ii - m_jj) + 2 c m_ij the turned block is m_ii - s t, m_jj + s t, c t - m_ij, because c^2 + s^2 = 1.
    """
    k = base_axis(rotation)
    if k is None:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = product3(product3(rotation, m), transpose3(rotation))
        return symmetric3(xx, yy, zz, xy, xz, yz)
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = rotation[i][i], rotation[j][i]
    if s is ZERO:
        return m if c is ONE else _flipped(m, k)
    t = s * (m[i][i] - m[j][j]) + 2 * c * m[i][j]
    new = [list(row) for row in m]
    new[i][i] = m[i][i] - s * t
    new[j][j] = m[j][j] + s * t
    new[i][j] = new[j][i] = c * t - m[i][j]
    new[i][k] = new[k][i] = c * m[i][k] - s * m[j][k]
    new[j][k] = new[k][j] = s * m[i][k] + c * m[j][k]
    return vector_rows(new)


def _flipped(m: Matrix3, k: int) -> Matrix3:
    """Half a turn about axis k changes the sign of the products that hold it."""
    return vector_rows([[-x if (a == k) != (b == k) else x for b, x in enumerate(row)] for a, row in enumerate(m)])


def vector_rows(rows: Sequence[Sequence[Expr]]) -> Matrix3:
    return (vector3(rows[0]), vector3(rows[1]), vector3(rows[2]))


def quaternion_matrix(e: Sequence[Expr]) -> Matrix3:
    """Rotation of a unit quaternion (scalar first), Papegay 846 (not the transposed print of 5213)."""
    e0, e1, e2, e3 = e
    two = as_expr(2)
    return (
        (1 - two * (e2 * e2 + e3 * e3), two * (e1 * e2 - e0 * e3), two * (e1 * e3 + e0 * e2)),
        (two * (e1 * e2 + e0 * e3), 1 - two * (e1 * e1 + e3 * e3), two * (e2 * e3 - e0 * e1)),
        (two * (e1 * e3 - e0 * e2), two * (e2 * e3 + e0 * e1), 1 - two * (e1 * e1 + e2 * e2)),
    )
