"""Fourteen numbers of a directed line with a point on it, which rigid displacements change linearly.

    l,  p,  p.p,  p.l,  p x l,  (p.p) l - 2 (p.l) p            (Raghavan and Roth 1993)

Under p -> R p + b, l -> R l each is linear in all of them (and 1), by a matrix that is linear in R: so an arm of any
turns and slides gives fourteen equations, each linear in 1, cos, sin of every angle, or in 1, d, d^2 of a slide.
Written for any numbers: floats, or rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Equations, and with the constant one.
COUNT, SIZE = 14, 15
_L, _P, _PP, _PL, _X, _Q, _ONE = slice(0, 3), slice(3, 6), 6, 7, slice(8, 11), slice(11, 14), 14


def line_numbers(direction: Array, point: Array) -> Array:
    """The fourteen, and one."""
    pp, pl = point @ point, point @ direction
    return np.array(
        [*direction, *point, pp, pl, *cross(point, direction), *(pp * direction - 2 * pl * point), pp * 0 + 1]
    )


def cross(a: Sequence[Any] | Array, b: Sequence[Any] | Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def tilde(a: Sequence[Any] | Array) -> Array:
    """The matrix of a cross product."""
    zero = a[0] * 0
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def carried(rotation: Array, shift: Array) -> Array:
    """The matrix by which a displacement changes the numbers of a line."""
    zero = rotation[0, 0] * 0
    one, b2 = zero + 1, shift @ shift
    m = np.full((SIZE, SIZE), zero, dtype=rotation.dtype)
    turned = tilde(shift) @ rotation
    m[_L, _L] = rotation
    m[_P, _P], m[_P, _ONE] = rotation, shift
    m[_PP, _PP], m[_PP, _P], m[_PP, _ONE] = one, 2 * (shift @ rotation), b2
    m[_PL, _PL], m[_PL, _L] = one, shift @ rotation
    m[_X, _X], m[_X, _L] = rotation, turned
    m[_Q, _Q], m[_Q, _X], m[_Q, _PL] = rotation, -2 * turned, -2 * shift
    m[_Q, _L] = b2 * rotation - 2 * np.outer(shift, shift @ rotation)
    m[_ONE, _ONE] = one
    return m


def moved(turns: bool, axis: Array, point: Array) -> tuple[Array, Array, Array]:
    """Matrices of 1, cos, sin of a turn about an axis through a point; of 1, d, d^2 of a slide along it."""
    one = axis[0] * 0 + 1
    identity = np.array([[one if i == j else one * 0 for j in range(3)] for i in range(3)])
    nothing = point * 0
    if not turns:
        there, back = carried(identity, axis), carried(identity, -axis)
        here = carried(identity, nothing)
        half = one / 2
        return here, (there - back) * half, (there + back) * half - here
    along, spin = np.outer(axis, axis), tilde(axis)

    def at(cosine: Any, sine: Any) -> Array:
        rotation = along + (identity - along) * cosine + spin * sine
        return carried(rotation, point - rotation @ point)

    # linear in cosine and sine on the circle only, so it is read off at its points: 0, a quarter, a half of a turn
    zero, quarter, half_turn = at(one, one * 0), at(one * 0, one), at(-one, one * 0)
    middle = (zero + half_turn) * (one / 2)
    return middle, (zero - half_turn) * (one / 2), quarter - middle
