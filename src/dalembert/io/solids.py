"""Masses of solids of uniform density, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dalembert.io.parts import Mass
from dalembert.io.poses import Array, Pose, at
from dalembert.mechanism.meshes import of_triangles


def volume(kind: str, size: Sequence[float]) -> float:
    """Of a sphere (radius), capsule or cylinder (radius, half length), ellipsoid (radii) or box (half sides)."""
    if kind == "sphere":
        return 4 / 3 * math.pi * size[0] ** 3
    if kind == "capsule":
        return math.pi * size[0] ** 2 * (2 * size[1] + 4 / 3 * size[0])
    if kind == "cylinder":
        return 2 * math.pi * size[0] ** 2 * size[1]
    product = size[0] * size[1] * size[2]
    return 4 / 3 * math.pi * product if kind == "ellipsoid" else 8 * product


def principal(kind: str, size: Sequence[float], m: float) -> tuple[float, float, float]:
    """Principal inertias about the centre."""
    if kind == "sphere":
        i = 2 / 5 * m * size[0] ** 2
        return i, i, i
    if kind == "ellipsoid":
        a, b, c = (x * x for x in size[:3])
        return m * (b + c) / 5, m * (a + c) / 5, m * (a + b) / 5
    if kind == "box":
        a, b, c = (x * x for x in size[:3])
        return m * (b + c) / 3, m * (a + c) / 3, m * (a + b) / 3
    r, half = size[0], size[1]
    if kind == "cylinder":
        across = m * (3 * r * r + 4 * half * half) / 12
        return across, across, m * r * r / 2
    # a capsule: a cylinder and two half balls, whose centres lie 3/8 r above the cut
    ball = m * (4 / 3 * r) / (2 * half + 4 / 3 * r)
    tube = m - ball
    across = tube * (3 * r * r + 4 * half * half) / 12 + ball * (2 / 5 * r * r + half * half + 3 / 4 * r * half)
    return across, across, tube * r * r / 2 + ball * 2 / 5 * r * r


def solid(kind: str, size: Sequence[float], m: float, pose: Pose) -> Mass:
    return Mass(m, pose, np.diag(principal(kind, size, m)))


def mesh_mass(
    points: Array, faces: Array, density: float | None, mass: float | None, pose: Pose, *, signed: bool
) -> Mass:
    """The mass of a solid mesh, from its density or of a given mass."""
    v, centre, second = of_triangles(points, faces, signed=signed)
    if v <= 0:
        return Mass()
    m = v * (density or 0.0) if mass is None else mass
    tensor = (np.trace(second) * np.eye(3) - second) * (m / v)
    return Mass(m, pose @ at(centre), tensor)
