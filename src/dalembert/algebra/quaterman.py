"""QUATERMAN's vocabulary (Papegay 3.4.2): its procedures under their own names, with the wrong rules corrected.

`qnorm` is the square of the norm, `vnorm` the norm itself, as in the thesis. Corrected: the norm of an inverse is the
inverse of the norm (5079), the last component of the product (4955), the matrix of a quaternion (5213).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.algebra.core.engine import add, as_term, scale
from dalembert.algebra.core.operator import CONJUGATE, PAIR, QPRODUCT, SUM, SYMBOL
from dalembert.algebra.core.rebuild import transform
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.term import Term, TermLike
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.operators.arrays import column
from dalembert.algebra.operators.quaternions import (
    components_quaternion,
    conjugate,
    is_level_three,
    multiply_parts,
    pair,
    scalar_part,
    squared_norm,
    vector_part,
)
from dalembert.algebra.operators.vectors import cross, dot, norm
from dalembert.algebra.operators.words import power, product
from dalembert.algebra.rotations import (
    AxisAngle,
    axis_angle_of_quaternion,
    matrix_of_quaternion,
    quaternion_of_axis_angle,
    quaternion_of_matrix,
)


def qmake(s: TermLike, *vector: TermLike) -> Term:
    """A quaternion from (s, v) or from (s, x, y, z)."""
    if len(vector) == 1:
        return pair(s, vector[0])
    return components_quaternion(s, *vector)


def qadd(*quaternions: Term) -> Term:
    return add(*quaternions)


def qsmult(factor: TermLike, q: Term) -> Term:
    return scale(as_term(factor), q)


def qmult(*quaternions: Term) -> Term:
    return product(*quaternions)


def qinv(q: Term) -> Term:
    return power(q, -1)


def qconj(q: Term) -> Term:
    return conjugate(q)


def qnorm(q: Term) -> Term:
    """The square of the norm."""
    return squared_norm(q)


def qeval(q: TermLike) -> Term:
    """Level 2: multiply out every product of quaternions into one (scalar, vector) pair."""

    def open_up(t: Term) -> Term | None:
        if not t.sort.is_quaternion:
            return None
        if t.op is SYMBOL or t.op is CONJUGATE:
            return pair(scalar_part(t), vector_part(t))
        if t.op is SUM and t.args:
            return pair(scalar_part(t), vector_part(t))
        if t.op is QPRODUCT and t.args:
            result: Term | None = None
            for base, e in zip(t.args, t.weights):
                if not isinstance(e, int):
                    return None
                step = base
                if e < 0:
                    step = scale(scalar_power(squared_norm(base), -1), conjugate(base))
                    step = pair(scalar_part(step), vector_part(step))
                for _ in range(abs(e)):
                    result = step if result is None else multiply_parts(result, step)
            return result
        return None

    return transform(as_term(q), open_up)


def level(q: Term) -> int:
    """1: a symbol or an expression of symbols; 2: a (scalar, vector) pair; 3: four components."""
    if is_level_three(q):
        return 3
    return 2 if q.op is PAIR else 1


def vadd(*vectors: Term) -> Term:
    return add(*vectors)


def vsmult(factor: TermLike, v: Term) -> Term:
    return scale(as_term(factor), v)


def vprod(u: Term, v: Term) -> Term:
    return cross(u, v)


def vscal(u: Term, v: Term) -> Term:
    return dot(u, v)


def vnorm(v: Term) -> Term:
    return norm(v)


def rot2quat(angle: TermLike, axis: Term | Sequence[Any]) -> Term:
    return quaternion_of_axis_angle(angle, axis)


def quat2rot(q: Term) -> AxisAngle:
    return axis_angle_of_quaternion(q)


def mat2quat(matrix: Any) -> Term:
    return quaternion_of_matrix(matrix)


def quat2mat(q: Term) -> Term:
    return matrix_of_quaternion(q)


__all__ = [
    "column", "expand", "level", "mat2quat", "qadd", "qconj", "qeval", "qinv", "qmake", "qmult", "qnorm", "qsmult",
    "quat2mat", "quat2rot", "rot2quat", "vadd", "vnorm", "vprod", "vscal", "vsmult",
]  # fmt: skip
