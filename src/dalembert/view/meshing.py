"""Solids as flat faces, for pictures that are made without a graphics card."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalembert.mechanism.meshes import Mesh
from dalembert.view.solids import Solid

Array = NDArray[np.float64]
Faces = tuple[Array, ...]

_ROUND = 20
"""Corners of a drawn circle."""


def faces_of(solid: Solid, count: int = _ROUND) -> Faces:
    """Faces in the base of the body, corners in the order in which their outside sees them turn left.

    `count` is how many corners its circles have.
    """
    s = solid.size
    if solid.mesh is not None:
        raw = tuple(solid.mesh.points[solid.mesh.faces])
    elif solid.kind == "box":
        raw = _scaled(_box(), s)
    elif solid.kind in ("sphere", "ellipsoid"):
        raw = _scaled(_ball(count), s if solid.kind == "ellipsoid" else (s[0], s[0], s[0]))
    elif solid.kind == "cylinder":
        raw = _scaled(_lathe(((0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)), count), (s[0], s[0], s[1]))
    elif solid.kind == "cone":
        raw = _scaled(_lathe(((0, -0.25), (1, -0.25), (0, 0.75)), count), (s[0], s[0], s[1]))
    elif solid.kind == "capsule":
        bend = [(np.cos(a), np.sin(a)) for a in np.linspace(0, np.pi / 2, 4)]
        lower = [(s[0] * c, -s[1] / 2 - s[0] * d) for c, d in reversed(bend)]
        upper = [(s[0] * c, s[1] / 2 + s[0] * d) for c, d in bend]
        raw = _lathe(tuple((max(float(r), 0.0), float(z)) for r, z in (*lower, *upper)), count)
    elif solid.kind == "tube":
        h = s[2] / 2
        raw = _lathe(((s[0], -h), (s[1], -h), (s[1], h), (s[0], h), (s[0], -h)), count)
    elif solid.kind == "wheel":
        raw = _wheel(s[0], s[1], count)
    else:  # a gear
        raw = _scaled(_gear(round(s[2])), (s[0], s[0], s[1]))
    return tuple(face @ solid.turn.T + solid.at for face in raw)


@lru_cache(maxsize=64)
def coarse(mesh: Mesh, most: int = 6000) -> Mesh:
    """A mesh of at most so many triangles: points that share a cell of a grid become one."""
    if len(mesh.faces) <= most:
        return mesh
    low, wide = mesh.points.min(axis=0), float(np.ptp(mesh.points, axis=0).max()) or 1.0
    cells = int(2 * most**0.5)  # a surface fills about the square of it
    while True:
        key = np.floor((mesh.points - low) / wide * cells).astype(int)
        _, index = np.unique(key, axis=0, return_inverse=True)
        index = index.reshape(-1)
        count = np.bincount(index)
        points = np.stack([np.bincount(index, mesh.points[:, k]) / count for k in range(3)], axis=1)
        faces = index[mesh.faces]
        a, b, c = faces.T
        faces = np.unique(faces[(a != b) & (b != c) & (c != a)], axis=0)
        if len(faces) <= most:
            return replace(mesh, points=points, faces=faces)
        cells = int(0.8 * cells)


def _scaled(faces: Faces, size: tuple[float, ...]) -> Faces:
    return tuple(face * np.array(size) for face in faces)


@lru_cache(maxsize=1)
def _box() -> Faces:
    found = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            u, v = np.roll(np.eye(3), axis, axis=1)[1:]
            n = np.roll(np.eye(3), axis, axis=1)[0]
            corners = [
                side * n + a * np.sign(side) * u + b * v
                for a, b in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
            ]
            found.append(np.array(corners))
    return tuple(found)


@lru_cache(maxsize=8)
def _ball(count: int) -> Faces:
    angles = np.linspace(-np.pi / 2, np.pi / 2, count // 2 + 1)
    return _lathe(tuple((max(float(np.cos(a)), 0.0), float(np.sin(a))) for a in angles), count)


@lru_cache(maxsize=256)
def _lathe(profile: tuple[tuple[float, float], ...], count: int = _ROUND) -> Faces:
    """A profile (radius, z) turned about the z axis; its outside is on the right of its way up."""
    angles = np.linspace(0, 2 * np.pi, count + 1)
    ring = np.array([np.cos(angles), np.sin(angles)]).T
    found = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        for k in range(count):
            a, b = ring[k], ring[k + 1]
            corners = [(*(r0 * a), z0), (*(r0 * b), z0), (*(r1 * b), z1), (*(r1 * a), z1)]
            if r0 <= 0:
                corners = corners[1:]
            elif r1 <= 0:
                corners = corners[:3]
            found.append(np.array(corners))
    return tuple(found)


def _wheel(radius: float, width: float, count: int) -> Faces:
    h, inner = width / 2, radius * (1 - min(0.22, max(0.09, width / (2 * radius))))
    found = list(_lathe(((inner, -h), (radius, -h), (radius, h), (inner, h), (inner, -h)), count))
    hub = 0.16 * radius
    found += _lathe(((0, -h), (hub, -h), (hub, h), (0, h)), 10)
    for k in range(3):
        c, s = np.cos(np.pi * k / 3), np.sin(np.pi * k / 3)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        found += [face @ turn.T for face in _scaled(_box(), (2 * inner, 0.1 * radius, 0.5 * width))]
    return tuple(found)


@lru_cache(maxsize=32)
def _gear(teeth: int) -> Faces:
    """Pitch radius 1, height 1."""
    depth = min(0.11, 2.2 / max(teeth, 3))
    marks = ((0.0, -1), (0.22, -1), (0.36, 1), (0.64, 1), (0.78, -1))
    flat = [(2 * np.pi * (k + a) / max(teeth, 3), 1 + sign * depth) for k in range(max(teeth, 3)) for a, sign in marks]
    ring = np.array([(r * np.cos(t), r * np.sin(t)) for t, r in flat])
    found = []
    for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        found.append(np.array([(0, 0, 0.5), (*a, 0.5), (*b, 0.5)]))  # a fan: the whole face is not convex
        found.append(np.array([(0, 0, -0.5), (*b, -0.5), (*a, -0.5)]))
        found.append(np.array([(*a, -0.5), (*b, -0.5), (*b, 0.5), (*a, 0.5)]))
    return tuple(found)
