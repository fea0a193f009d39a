"""Where a picture is seen from: all of the motion in it, a plane machine from its front."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.view.solids import round_

Array = NDArray[np.float64]

_FLAT = 0.2
"""A motion thinner than this share of its extent is one in a plane."""
_TRAVEL = 5.0
"""A machine that travels further than this many times its own size is followed, or it would be too small to see."""


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """Direction from the scene to the eye, what is up in the picture, and whether the camera travels with it."""

    towards: Array = field(default_factory=lambda: np.array([0.62, -0.68, 0.4]))
    up: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    flat: Array | None = None  # normal of the plane of a plane motion
    follow: bool = False

    def as_dict(self) -> dict[str, Any]:
        flat = None if self.flat is None else [round_(x) for x in self.flat]
        return {
            "towards": [round_(x) for x in self.towards],
            "up": [round_(x) for x in self.up],
            "flat": flat,
            "follow": self.follow,
        }


def viewpoint_of(corners: Array, size: float, up: Array, across: Array | None = None) -> Viewpoint:
    """From a corner and above; a motion in an upright plane nearly from its front, one in the floor from above.

    `across` is the normal of the plane, where it is known.
    """
    points = corners[:: max(1, len(corners) // 200)].reshape(-1, 3)
    middles = corners.mean(axis=1)
    travel = float(np.linalg.norm(np.ptp(middles, axis=0)))
    own = float(np.linalg.norm(np.ptp(corners, axis=1), axis=1).max()) or size
    follow = travel > _TRAVEL * own
    if follow:
        points = (corners - middles[:, None])[:: max(1, len(corners) // 200)].reshape(-1, 3)
    spread = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(spread.T @ spread)
    thin = np.ptp(spread @ axes, axis=0)
    flat = axes[:, 0] if thin[0] < _FLAT * thin.max() and values[1] > 1e-9 * values[2] else None
    flat = flat if across is None else across
    side = _horizontal(up)
    if flat is not None and abs(flat @ up) < 0.5:  # an upright plane
        normal = flat - (flat @ up) * up
        normal = normal / np.linalg.norm(normal)
        normal = normal if normal @ (side[0] * 0.3 - side[1] + 0.2 * np.abs(normal).max() * normal) > 0 else -normal
        if abs(normal @ np.array([0, 0, 1.0])) > 0.9:  # the plane of the page, as people write it
            normal = np.sign(normal[2]) * normal
        across = np.cross(up, normal)
        return Viewpoint(_unit(normal + 0.22 * across + 0.2 * up), up, flat, follow)
    if flat is not None:
        return Viewpoint(_unit(0.85 * up - 0.75 * side[1] + 0.3 * side[0]), up, flat, follow)
    return Viewpoint(_unit(0.62 * side[0] - 0.68 * side[1] + 0.42 * up), up, None, follow)


def _horizontal(up: Array) -> tuple[Array, Array]:
    """Two directions across `up`: x and y where up is z, and their likes where it is not."""
    axis = int(np.argmax(np.abs(up)))
    first = np.eye(3)[(axis + 1) % 3]
    first = _unit(first - (first @ up) * up)
    return first, np.cross(up, first)


def _unit(vector: Array) -> Array:
    found: Array = vector / np.linalg.norm(vector)
    return found
