"""Rotations of quaternions of any norm: exactly, and in floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


def rotation_of(quaternion: Sequence[Any]) -> Rotation:
    """The rotation of a quaternion of any norm, its scalar part first."""
    from scipy.spatial.transform import Rotation

    a, *vector = (float(x) for x in quaternion)
    return Rotation.from_quat([*vector, a])


def rational_rotation(e: tuple[Fraction, ...]) -> Any:
    """Rotation of a quaternion of any norm, exactly: the formula divided by the square of the norm."""
    a, b, c, d = e
    n = a * a + b * b + c * c + d * d
    rows = (
        (a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d),
    )
    return tuple(tuple(ex.const(x / n) for x in row) for row in rows)
