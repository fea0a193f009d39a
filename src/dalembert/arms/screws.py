"""An arm in numbers: turns about and slides along axes, poses as 4x4 matrices, lengths in parts of the arm's size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.arms.chain import Arm
from dalembert.errors import ModelError
from dalembert.expr import Expr

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Screws:
    """Axes and points of the joints at the zero posture, the pose of the tip there, and the unit of length."""

    turns: tuple[bool, ...]
    axes: Array
    points: Array
    tip: Array  # 4x4
    factors: Array
    offsets: Array
    size: float

    def __len__(self) -> int:
        return len(self.turns)

    def amounts(self, q: Array) -> Array:
        """Angles, and slides in parts of the size, of coordinates."""
        x = self.factors * q + self.offsets
        return np.where(self.turns, x, x / self.size)

    def coordinates(self, amounts: Array) -> Array:
        return (np.where(self.turns, amounts, amounts * self.size) - self.offsets) / self.factors

    def move(self, i: int, x: Any) -> Array:
        """E_i(x); of an array of amounts, a stack of matrices."""
        return displaced(self.turns[i], self.axes[i], self.points[i], np.asarray(x, dtype=float))

    def pose(self, x: Array) -> Array:
        """Of the tip."""
        found = np.eye(4)
        for i in range(len(self)):
            found = found @ self.move(i, x[i])
        return found @ self.tip

    def jacobian(self, x: Array) -> Array:
        """Columns: angular velocity, and velocity of the tip, in the base, for a unit rate of each amount."""
        here, columns = np.eye(4), []
        end = self.pose(x)[:3, 3]
        for i, turns in enumerate(self.turns):
            axis, point = here[:3, :3] @ self.axes[i], here[:3, :3] @ self.points[i] + here[:3, 3]
            columns.append(np.r_[axis, np.cross(axis, end - point)] if turns else np.r_[0.0, 0.0, 0.0, axis])
            here = here @ self.move(i, x[i])
        return np.array(columns).T.reshape(6, len(self))


def displaced(turns: bool, axis: Array, point: Array, x: Array) -> Array:
    """A turn by x about an axis through a point, or a slide by x along it."""
    found = np.zeros((*x.shape, 4, 4))
    found[..., :3, :3], found[..., 3, 3] = np.eye(3), 1.0
    if not turns:
        found[..., :3, 3] = x[..., None] * axis
        return found
    cross = np.cross(np.eye(3), axis)
    sine, versine = np.sin(x)[..., None, None], (1 - np.cos(x))[..., None, None]
    rotation = np.eye(3) + sine * cross + versine * (cross @ cross)
    found[..., :3, :3] = rotation
    found[..., :3, 3] = point - rotation @ point
    return found


def inverse(pose: Array) -> Array:
    """Of rigid displacements, or a stack of them."""
    turned = np.swapaxes(pose[..., :3, :3], -1, -2)
    found = np.zeros_like(pose)
    found[..., :3, :3], found[..., 3, 3] = turned, 1.0
    found[..., :3, 3] = -(turned @ pose[..., :3, 3:])[..., 0]
    return found


def screws_of(arm: Arm, values: Mapping[Expr, float], target: Array | None = None) -> Screws:
    """The arm with these numbers of its parameters; a target to be reached is part of its size."""
    flat: list[Expr] = [*arm.tip_pose.position, *(x for row in arm.tip_pose.rotation for x in row)]
    for one in arm.joints:
        flat += [*one.axis, *one.point, one.factor, one.offset]
    lacking = sorted(x.name for x in ex.free_symbols(flat) - values.keys())
    if lacking:
        raise ModelError(
            f"'{lacking[0]}' of '{arm.name}' has no value: say given={{'{lacking[0]}': 1.0}}, or on the command line "
            f"--set {lacking[0]}=1."
        )
    numbers = np.array([float(x) for x in ex.evaluate(flat, values)])
    if not np.isfinite(numbers).all():
        raise ModelError(f"the displacements of '{arm.name}' are not finite with these numbers.")
    rows = numbers[12:].reshape(len(arm.joints), 8)
    tip = np.eye(4)
    tip[:3, 3], tip[:3, :3] = numbers[:3], numbers[3:12].reshape(3, 3)
    points = rows[:, 3:6].copy()
    places = [*points, tip[:3, 3].copy(), *([] if target is None else [target])]
    size = float(max(np.linalg.norm(a - b) for a in places for b in places)) or 1.0
    tip[:3, 3] /= size
    if np.any(rows[:, 6] == 0):
        still = arm.joints[int(np.flatnonzero(rows[:, 6] == 0)[0])].coordinate
        raise ModelError(f"'{still}' moves nothing with these numbers.")
    turns = tuple(one.turns for one in arm.joints)
    return Screws(turns, rows[:, :3].copy(), points / size, tip, rows[:, 6].copy(), rows[:, 7].copy(), size)
