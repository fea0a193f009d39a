"""Vectors and matrices of ordinary space as tuples of expressions: fast, immutable, no ceremony."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr import _functions as fn
from dalembert.expr._arithmetic import add, mul, neg, sub
from dalembert.expr._node import ONE, TWO, ZERO, Expr, Scalar, as_expr


class Vector3(tuple[Expr, Expr, Expr]):
    """Three components in one base: `a + b`, `a - b`, `-a`, `k * a`, `a.dot(b)`, `a.cross(b)`.

    >>> from dalembert.expr.space import vector3
    >>> a, b = vector3(["x", 0, 1]), vector3([0, "y", 2])
    >>> a + 2 * b, a.dot(b), a.cross(b)
    ((x, 2*y, 5), 2, (-y, -2*x, x*y))
    """

    __slots__ = ()
    shape = (3,)  # a scalar leaves products with what has a shape to it

    # Most components of mechanisms are zero: what is nothing, or one, is skipped before anything is called.

    def __add__(self, other: Vector3) -> Vector3:  # type: ignore[override]
        if self is ZERO3:
            return other
        if other is ZERO3:
            return self
        a, b, c = self
        x, y, z = other
        return Vector3(
            (
                x if a is ZERO else a if x is ZERO else add(a, x),
                y if b is ZERO else b if y is ZERO else add(b, y),
                z if c is ZERO else c if z is ZERO else add(c, z),
            )
        )

    def __radd__(self, other: object) -> Vector3:
        if type(other) is not tuple or len(other) != 3:
            return NotImplemented
        return Vector3(other) + self

    def __sub__(self, other: Vector3) -> Vector3:
        if other is ZERO3:
            return self
        a, b, c = self
        x, y, z = other
        return Vector3(
            (
                a if x is ZERO else sub(a, x),
                b if y is ZERO else sub(b, y),
                c if z is ZERO else sub(c, z),
            )
        )

    def __neg__(self) -> Vector3:
        if self is ZERO3:
            return self
        a, b, c = self
        return Vector3((a if a is ZERO else neg(a), b if b is ZERO else neg(b), c if c is ZERO else neg(c)))

    def __mul__(self, factor: Scalar) -> Vector3:  # type: ignore[override]
        factor = as_expr(factor)
        if factor is ZERO or self is ZERO3:
            return ZERO3
        if factor is ONE:
            return self
        a, b, c = self
        return Vector3(
            (
                a if a is ZERO else mul(factor, a),
                b if b is ZERO else mul(factor, b),
                c if c is ZERO else mul(factor, c),
            )
        )

    __rmul__ = __mul__  # type: ignore[assignment]

    def dot(self, other: Vector3) -> Expr:
        a, b, c = self
        x, y, z = other
        total, minus = ZERO, False
        if a is not ZERO and x is not ZERO:
            total, minus = _plus(ZERO, False, a, x)
        if b is not ZERO and y is not ZERO:
            total, minus = _plus(total, minus, b, y)
        if c is not ZERO and z is not ZERO:
            total, minus = _plus(total, minus, c, z)
        return neg(total) if minus else total

    def cross(self, other: Vector3) -> Vector3:
        if self is ZERO3 or other is ZERO3:
            return ZERO3
        a, b, c = self
        x, y, z = other
        return Vector3((_minor(b, z, c, y), _minor(c, x, a, z), _minor(a, y, b, x)))


def _plus(total: Expr, minus: bool, a: Expr, b: Expr) -> tuple[Expr, bool]:
    """A total and a product more; signs stand apart, since a negative that is taken away next is a node for nothing."""
    less = False
    if a.op == "neg":
        a, less = a.args[0], True
    if b.op == "neg":
        b, less = b.args[0], not less
    term = b if a is ONE else a if b is ONE else mul(a, b)
    if term.op == "neg":
        term, less = term.args[0], not less
    if total is ZERO:
        return term, less
    if minus is less:
        return add(total, term), minus
    return (sub(total, term) if less else sub(term, total)), False


def _minor(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """a b - c d."""
    if a is ZERO or b is ZERO:
        return ZERO if c is ZERO or d is ZERO else neg(mul(c, d))
    return mul(a, b) if c is ZERO or d is ZERO else sub(mul(a, b), mul(c, d))


Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]

ZERO3 = Vector3((ZERO, ZERO, ZERO))
IDENTITY3: Matrix3 = (Vector3((ONE, ZERO, ZERO)), Vector3((ZERO, ONE, ZERO)), Vector3((ZERO, ZERO, ONE)))
AXES: dict[str, Vector3] = {"x": IDENTITY3[0], "y": IDENTITY3[1], "z": IDENTITY3[2]}

add3, sub3, neg3, dot3, cross = Vector3.__add__, Vector3.__sub__, Vector3.__neg__, Vector3.dot, Vector3.cross


def scale3(factor: Expr, a: Vector3) -> Vector3:
    return Vector3.__mul__(a, factor)


def vector3(value: Sequence[Scalar]) -> Vector3:
    """Three expressions from three numbers, expressions or formulas."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ExpressionError(f"a vector of space has three components, such as [0, 0, 1], not {value!r}.")
    listed = Vector3(as_expr(x) for x in value)
    if len(listed) != 3:
        raise ExpressionError(f"a vector of space has three components, not {len(listed)}: {value!r}.")
    return listed


def is_zero3(a: Vector3) -> bool:
    return a[0] is ZERO and a[1] is ZERO and a[2] is ZERO


def norm3(a: Vector3) -> Expr:
    return fn.sqrt(dot3(a, a))


def apply3(m: Matrix3, a: Vector3) -> Vector3:
    """The product of a matrix and a vector."""
    if m is IDENTITY3 or a is ZERO3:
        return a
    return Vector3((dot3(m[0], a), dot3(m[1], a), dot3(m[2], a)))


def transpose3(m: Matrix3) -> Matrix3:
    a, b, c = m
    return (Vector3((a[0], b[0], c[0])), Vector3((a[1], b[1], c[1])), Vector3((a[2], b[2], c[2])))


def apply_transposed3(m: Matrix3, a: Vector3) -> Vector3:
    return a if m is IDENTITY3 or a is ZERO3 else apply3(transpose3(m), a)


def product3(m: Matrix3, n: Matrix3) -> Matrix3:
    if m is IDENTITY3:
        return n
    if n is IDENTITY3:
        return m
    columns = transpose3(n)
    return (
        Vector3((dot3(m[0], columns[0]), dot3(m[0], columns[1]), dot3(m[0], columns[2]))),
        Vector3((dot3(m[1], columns[0]), dot3(m[1], columns[1]), dot3(m[1], columns[2]))),
        Vector3((dot3(m[2], columns[0]), dot3(m[2], columns[1]), dot3(m[2], columns[2]))),
    )


def sum3(m: Matrix3, n: Matrix3) -> Matrix3:
    return (add3(m[0], n[0]), add3(m[1], n[1]), add3(m[2], n[2]))


def scale_matrix3(factor: Expr, m: Matrix3) -> Matrix3:
    return (scale3(factor, m[0]), scale3(factor, m[1]), scale3(factor, m[2]))


def tilde(a: Vector3) -> Matrix3:
    """The matrix of the cross product: tilde(a) b = a x b."""
    return (Vector3((ZERO, -a[2], a[1])), Vector3((a[2], ZERO, -a[0])), Vector3((-a[1], a[0], ZERO)))


def symmetric3(xx: Expr, yy: Expr, zz: Expr, xy: Expr, xz: Expr, yz: Expr) -> Matrix3:
    return (Vector3((xx, xy, xz)), Vector3((xy, yy, yz)), Vector3((xz, yz, zz)))


def turn_matrix(angle: Expr, axis: Vector3) -> Matrix3:
    """Rotation of an angle about a unit axis (Rodrigues): c 1 + s tilde(n) + (1 - c) n n^T."""
    c, s = fn.cos(angle), fn.sin(angle)
    nx, ny, nz = axis
    k = ONE - c
    sx, sy, sz = scale3(s, axis)
    if sum(component is ZERO for component in axis) == 2:  # along a base axis: no products of zeros to fold
        return (
            Vector3((ONE if nx is not ZERO else c, -sz, sy)),
            Vector3((sz, ONE if ny is not ZERO else c, -sx)),
            Vector3((-sy, sx, ONE if nz is not ZERO else c)),
        )
    return (
        Vector3((c + k * (nx * nx), k * (nx * ny) - sz, k * (nx * nz) + sy)),
        Vector3((k * (nx * ny) + sz, c + k * (ny * ny), k * (ny * nz) - sx)),
        Vector3((k * (nx * nz) - sy, k * (ny * nz) + sx, c + k * (nz * nz))),
    )


def base_axis(rotation: Matrix3) -> int | None:
    """The number of the base axis that a rotation leaves alone, exactly, if there is one."""
    for k in range(3):
        across = ((k + 1) % 3, (k + 2) % 3)
        if rotation[k][k] is ONE and all(rotation[k][i] is ZERO and rotation[i][k] is ZERO for i in across):
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
        return m if c is ONE else _halved(m, k, c)
    t = s * (m[i][i] - m[j][j]) + TWO * c * m[i][j]
    new = [list(row) for row in m]
    new[i][i] = m[i][i] - s * t
    new[j][j] = m[j][j] + s * t
    new[i][j] = new[j][i] = c * t - m[i][j]
    new[i][k] = new[k][i] = c * m[i][k] - s * m[j][k]
    new[j][k] = new[k][j] = s * m[i][k] + c * m[j][k]
    return Vector3(new[0]), Vector3(new[1]), Vector3(new[2])


def _halved(m: Matrix3, k: int, c: Expr) -> Matrix3:
    """No turn or half a turn about axis k: c is 1 or -1, but for rounding, and multiplies the products that hold k."""
    return vector_rows([[c * x if (a == k) != (b == k) else x for b, x in enumerate(row)] for a, row in enumerate(m)])


def vector_rows(rows: Sequence[Sequence[Expr]]) -> Matrix3:
    return (vector3(rows[0]), vector3(rows[1]), vector3(rows[2]))


def quaternion_matrix(e: Sequence[Expr]) -> Matrix3:
    """Rotation of a unit quaternion (scalar first), Papegay 846 (not the transposed print of 5213)."""
    e0, e1, e2, e3 = e
    two = as_expr(2)
    return (
        Vector3((1 - two * (e2 * e2 + e3 * e3), two * (e1 * e2 - e0 * e3), two * (e1 * e3 + e0 * e2))),
        Vector3((two * (e1 * e2 + e0 * e3), 1 - two * (e1 * e1 + e3 * e3), two * (e2 * e3 - e0 * e1))),
        Vector3((two * (e1 * e3 - e0 * e2), two * (e2 * e3 + e0 * e1), 1 - two * (e1 * e1 + e2 * e2))),
    )
