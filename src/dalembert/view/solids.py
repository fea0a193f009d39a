"""Solids of a picture, in numbers: kind, sizes, place in the body, colour."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dalembert.mechanism.meshes import Mesh

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """One solid of a body, of the kinds and sizes of `mechanism.bodyshape`; the columns of `turn` are its axes."""

    kind: str
    size: tuple[float, ...]
    at: Array = field(default_factory=lambda: np.zeros(3))
    turn: Array = field(default_factory=lambda: np.eye(3))
    colour: str = ""
    mesh: Mesh | None = None

    @property
    def half(self) -> tuple[Array, Array]:
        """Middle and half edges of the box around it, along its own axes."""
        s, middle = self.size, np.zeros(3)
        if self.mesh is not None:
            low, high = self.mesh.points.min(axis=0), self.mesh.points.max(axis=0)
            return (low + high) / 2, (high - low) / 2
        if self.kind == "box":
            return middle, np.array(s) / 2
        if self.kind == "ellipsoid":
            return middle, np.array(s)
        if self.kind == "sphere":
            return middle, np.full(3, s[0])
        if self.kind == "cone":
            return np.array([0, 0, s[1] / 4]), np.array([s[0], s[0], s[1] / 2])
        if self.kind == "capsule":
            return middle, np.array([s[0], s[0], s[1] / 2 + s[0]])
        if self.kind == "tube":
            return middle, np.array([s[1], s[1], s[2] / 2])
        grown = 1.12 if self.kind == "gear" else 1.0  # teeth stand out of the pitch circle
        return middle, np.array([grown * s[0], grown * s[0], s[1] / 2])

    def corners(self) -> Array:
        """The corners of that box, in the base of the body."""
        middle, half = self.half
        signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
        found: Array = (middle + signs * half) @ self.turn.T + self.at
        return found

    def holds(self, point: Array, slack: float) -> bool:
        """Is a point of the body within that box, grown by `slack`?"""
        middle, half = self.half
        return bool(np.all(np.abs((point - self.at) @ self.turn - middle) <= half + slack))

    def nearest(self, point: Array) -> Array:
        """The place of that box that is nearest to a point of the body."""
        middle, half = self.half
        found: Array = self.at + self.turn @ (middle + np.clip((point - self.at) @ self.turn - middle, -half, half))
        return found

    def as_dict(self, meshes: list[Mesh]) -> dict[str, Any]:
        """Plain data; `meshes` are those of the scene, and grow by that of this solid."""
        if self.mesh is not None and self.mesh not in meshes:
            meshes.append(self.mesh)
        return {
            "kind": self.kind,
            "size": [round_(x) for x in self.size] if self.mesh is None else [meshes.index(self.mesh)],
            "at": [round_(x) for x in self.at],
            "turn": [round_(x) for x in quaternion(self.turn)],
            **({"colour": self.colour} if self.colour else {}),
        }


def round_(value: float) -> float:
    """Seven digits: more than a screen has pixels."""
    return float(f"{float(value):.7g}")


def quaternion(turn: Array) -> Array:
    """Scalar first."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(turn).as_quat()
    return np.array([w, x, y, z])


def turned_to(axis: Array, beside: Array | None = None) -> Array:
    """A base whose z axis is `axis`, and whose x axis is as near to `beside` as it can be."""
    z = axis / np.linalg.norm(axis)
    x = np.zeros(3) if beside is None else beside - (beside @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T


def rod(start: Array, end: Array, radius: float, colour: str = "") -> Solid:
    """A round bar from point to point."""
    line = end - start
    return Solid("capsule", (radius, float(np.linalg.norm(line))), (start + end) / 2, turned_to(line), colour)
