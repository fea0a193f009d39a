"""Places in numbers: a point and a rotation, from the many ways in which robot files write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.mechanism import Displacement, turn

#: An angle this near to a quarter turn, in radians, is one: what is left of pi/2 in a double, with room for a product.
_ROUNDING = 1e-15
Array = Any


def _zeros() -> Array:
    return np.zeros(3)


def _identity() -> Array:
    return np.eye(3)


@dataclass(frozen=True, eq=False)
class Pose:
    """x goes to p + R x; `a @ b` is b seen from a's parent."""

    p: Array = field(default_factory=_zeros)
    R: Array = field(default_factory=_identity)

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.p + self.R @ other.p, self.R @ other.R)

    def inverse(self) -> Pose:
        return Pose(-self.R.T @ self.p, self.R.T)

    @property
    def is_identity(self) -> bool:
        return not self.p.any() and np.array_equal(self.R, np.eye(3))

    @property
    def displacement(self) -> Displacement:
        """The same, with turns about z, y and x; those that turn nothing are left out."""
        return Displacement.of([float(x) for x in self.p], *(turn(a, axis) for a, axis in turns_of(self.R)))


def at(p: Array) -> Pose:
    return Pose(np.array(p, dtype=float))


def turns_of(R: Array) -> list[tuple[Any, str]]:
    """Angles about z, y, x whose product is R to rounding, near the poles too: the last is what the others leave."""
    yaw = math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    rest = about("y", -pitch) @ about("z", -yaw) @ R
    roll = math.atan2(rest[2, 1] - rest[1, 2], rest[1, 1] + rest[2, 2])
    return [(_quarters(a), axis) for a, axis in ((yaw, "z"), (pitch, "y"), (roll, "x")) if abs(a) > _ROUNDING]


def _quarters(angle: float) -> Any:
    """The angle as a multiple of a quarter turn where it is one to rounding."""
    count = round(angle / (math.pi / 2))
    return ex.PI * count / 2 if abs(angle - count * math.pi / 2) <= _ROUNDING else angle


def about(axis: Array, angle: float) -> Array:
    """The rotation by an angle about an axis."""
    n = np.array({"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}[axis] if isinstance(axis, str) else axis, dtype=float)
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * math.pi / 2) <= _ROUNDING:  # exact zeros and ones
        s, c = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[quarter % 4]
    else:
        s, c = math.sin(angle), math.cos(angle)
    return np.eye(3) + s * K + (1 - c) * (K @ K)


def roll_pitch_yaw(angles: Sequence[float]) -> Array:
    """Turns about fixed axes x, y, z in this order, as URDF and SDF write them."""
    return about("z", angles[2]) @ about("y", angles[1]) @ about("x", angles[0])


def unit(vector: Array, where: str) -> Array:
    """A direction; the zero vector has none."""
    v = np.array(vector, dtype=float)
    size = float(np.abs(v).max()) if len(v) else 0.0
    if not size or not math.isfinite(size):
        raise ModelError(f"{where}: an axis of length zero has no direction.")
    v = v / size
    return v / math.sqrt(float(v @ v))


def from_quaternion(q: Sequence[float], where: str) -> Array:
    """The rotation of a quaternion, scalar first, of any length."""
    w, x, y, z = unit(q, where)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def to_quaternion(R: Array) -> list[float]:
    """The unit quaternion, scalar first and not negative, of a rotation."""
    w2 = 1 + R[0, 0] + R[1, 1] + R[2, 2]
    squares = [w2, *(1 + 2 * R[i, i] - R[0, 0] - R[1, 1] - R[2, 2] for i in range(3))]
    k = int(np.argmax(squares))  # the largest is never small: divide by it
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = ([squares[0], a, b, c], [a, squares[1], d, e], [b, d, squares[2], f], [c, e, f, squares[3]])
    q = np.array(rows[k])
    q = q / math.sqrt(float(q @ q))
    return [float(x) for x in (q if q[0] >= 0 else -q)]


def z_onto(direction: Sequence[float], where: str) -> Array:
    """The least rotation that takes z to a direction (half a turn about x for -z)."""
    n = unit(direction, where)
    axis = np.array([-n[1], n[0], 0.0])
    s = math.hypot(n[0], n[1])
    if s == 0:
        return np.eye(3) if n[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return about(axis / s, math.atan2(s, n[2]))
