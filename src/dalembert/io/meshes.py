"""Triangles of STL (binary and text), OBJ and MuJoCo's MSH files: points, and faces as three indices."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.poses import Array

_MOST_BYTES = 256_000_000
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])


def read_mesh(path: Path, where: str) -> tuple[Array, Array]:
    """The surface in a file."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ModelError(f"{where}: mesh {path.name} is larger than {_MOST_BYTES // 1_000_000} MB.")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{where}: cannot read mesh {path.name}: {error.strerror or error}.") from None
    suffix = path.suffix.lower()
    try:
        if suffix == ".stl":
            points, faces = _stl(data)
        elif suffix == ".obj":
            points, faces = _obj(data)
        elif suffix == ".msh":
            points, faces = _msh(data)
        else:
            raise ModelError(f"{where}: meshes are read from STL, OBJ and MSH, not from '{suffix}'.")
    except (ValueError, IndexError) as error:
        raise ModelError(f"{where}: mesh {path.name} is damaged ({str(error)[:80]}).") from None
    if not len(faces) or faces.min() < 0 or faces.max() >= len(points) or not np.isfinite(points).all():
        raise ModelError(f"{where}: mesh {path.name} has no faces, or faces of points that are not there.")
    return points, faces


def _stl(data: bytes) -> tuple[Array, Array]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if count >= 0 and len(data) == 84 + count * _RECORD.itemsize:
        corners = np.frombuffer(data, _RECORD, count, 84)["corners"].astype(float).reshape(-1, 3)
    else:
        rows = [
            line.split()[1:4] for line in data.decode("ascii", "replace").splitlines() if line.split()[:1] == ["vertex"]
        ]
        corners = np.array(rows, dtype=float).reshape(-1, 3)
    points, index = np.unique(corners, axis=0, return_inverse=True)
    return points, index.reshape(-1, 3)


def _obj(data: bytes) -> tuple[Array, Array]:
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(points) + k for k in corners]
            faces += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return np.array(points, dtype=float).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)


def _msh(data: bytes) -> tuple[Array, Array]:
    vertices, normals, texture, faces = (int(x) for x in np.frombuffer(data, "<i4", 4))
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).astype(float).reshape(-1, 3)
    skipped = 16 + 4 * (3 * vertices + 3 * normals + 2 * texture)
    return points, np.frombuffer(data, "<i4", 3 * faces, skipped).astype(int).reshape(-1, 3)
