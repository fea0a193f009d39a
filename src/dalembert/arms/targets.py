"""What a tip is asked for: a place, a place and where its z axis points, or a place and all of its axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ArgumentError, ExpressionError
from dalembert.mechanism import Turn

Array = NDArray[Any]

#: How far axes of a rotation may be from unit and right angles: six digits, as people type them.
_TYPED = 1e-5


@dataclass(frozen=True, eq=False)
class Target:
    """`asked` is "position", "direction" or "pose"; what is not asked is arbitrary in `pose`."""

    asked: str
    pose: Array


def target_of(position: Any, rotation: Any = None, direction: Any = None) -> Target:
    """From three numbers, and a rotation (rows of a matrix, a quaternion, a turn) or the direction of the z axis."""
    pose = np.eye(4)
    pose[:3, 3] = _numbers(position, 3, "position")
    if rotation is not None and direction is not None:
        raise ArgumentError("a rotation says where the z axis points: give `rotation` or `direction`, not both.")
    if direction is not None:
        way = _numbers(direction, 3, "direction")
        size = float(np.linalg.norm(way))
        if size == 0:
            raise ArgumentError("the direction [0, 0, 0] points nowhere: give the direction of the tip's z axis.")
        pose[:3, :3] = _about(way / size)
        return Target("direction", pose)
    if rotation is None:
        return Target("position", pose)
    pose[:3, :3] = _rotation(rotation)
    return Target("pose", pose)


def _numbers(value: Any, count: int, what: str) -> Array:
    try:
        formulas = [ex.parse(x) if isinstance(x, str) else x for x in value]
        listed = [float(ex.evaluate([x], {})[0]) if isinstance(x, ex.Expr) else float(x) for x in formulas]
    except (TypeError, ValueError, ExpressionError):
        listed = []
    if len(listed) != count or not np.isfinite(listed).all():
        raise ArgumentError(f"`{what}` has {count} finite numbers, not {value!r}.")
    return np.array(listed)


def _about(z: Array) -> Array:
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T


def _rotation(value: Any) -> Array:
    if isinstance(value, Turn):
        return np.array([_numbers(row, 3, "rotation") for row in value.matrix])
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or len(value) not in (3, 4):
        raise ArgumentError(
            f"`rotation` is three rows of a matrix, four numbers of a quaternion (scalar first), or a turn such as "
            f"da.turn(0.3, 'z'), not {value!r}."
        )
    if len(value) == 4:
        e = _numbers(value, 4, "rotation")
        if not np.any(e):
            raise ArgumentError("the quaternion [0, 0, 0, 0] is no rotation.")
        w, x, y, z = e / np.linalg.norm(e)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    rows = np.array([_numbers(row, 3, "rotation") for row in value])
    off = float(np.abs(rows @ rows.T - np.eye(3)).max())
    if off > _TYPED or np.linalg.det(rows) < 0:
        raise ArgumentError(
            f"`rotation` is no rotation: its rows are {off:.2g} away from unit vectors at right angles, or it "
            "mirrors. Give the axes of the tip as columns."
        )
    u, _, v = np.linalg.svd(rows)  # the nearest rotation: typed digits are rounded
    return np.array(u @ v)
