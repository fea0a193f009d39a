"""Meshes as shapes: triangles out of STL, OBJ, GLB, DAE and MuJoCo's MSH files, and the solid that they enclose."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ModelError, warn
from dalembert.mechanism.collada import read_collada

Array = NDArray[np.float64]

KINDS = (".stl", ".obj", ".glb", ".dae", ".msh")
_MOST_BYTES = 256_000_000
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_THIN = 1e-9
"""A surface that encloses less than this share of its box encloses nothing: rounding in 32 bits is larger."""
_DEEP = 64
"""Nodes of a GLB file on nodes: more is a circle."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points and triangles (rows of three indices, seen to turn left from outside), in the unit of the machine.

    >>> box = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
    ...            np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
    >>> box.closed, round(box.volume, 4)
    (True, 0.1667)
    """

    points: Array = field(repr=False)
    faces: NDArray[Any] = field(repr=False)
    file: str = ""
    scale: float = 1.0

    @staticmethod
    def read(path: str | os.PathLike[str], scale: float = 1.0, *, folder: Path | None = None) -> Mesh:
        """The triangles of a file; `scale` turns its unit of length into that of the machine (0.001 for mm).

        A negative scale mirrors the mesh at its origin, and turns its triangles over so that they look outwards.
        """
        if not 0 < abs(scale) < float("inf"):
            raise ModelError(f"the scale of mesh {Path(path).name} is {scale}: it is a number other than zero.")
        points, faces = read_mesh((folder or Path()) / path, "shape")
        return Mesh(points * scale, faces[:, ::-1] if scale < 0 else faces, str(path), float(scale))

    @cached_property
    def digest(self) -> str:
        """The same for the same triangles."""
        parts = np.ascontiguousarray(self.points, dtype="<f8"), np.ascontiguousarray(self.faces, dtype="<i8")
        return hashlib.sha256(b"".join(x.tobytes() for x in parts)).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def open_edges(self) -> int:
        """Edges that do not have one triangle on each side, which run along them in opposite senses."""
        sides = np.concatenate([self.faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
        _, edge = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
        edge = edge.reshape(-1)
        forth = np.bincount(edge, sides[:, 0] < sides[:, 1])
        return int(np.count_nonzero((np.bincount(edge) != 2) | (forth != 1)))

    @property
    def closed(self) -> bool:
        return self.open_edges == 0

    @cached_property
    def _moments(self) -> tuple[float, Array, Array]:
        return of_triangles(self.points, self.faces, signed=True)

    @property
    def volume(self) -> float:
        """Enclosed volume; negative when the triangles are turned inside out."""
        return self._moments[0]

    @property
    def centre(self) -> Array:
        """The centre of the solid."""
        return self._moments[1]

    def solid(self, *, mass: float | None = None, density: float | None = None) -> dict[str, Any]:
        """Mass, centre, inertia and shape of the homogeneous solid inside, for `m.body("part", **mesh.solid(...))`.

        Exact integrals over tetrahedra. A surface that is open encloses no solid: there is a warning, and the numbers
        are those of the surface closed by straight lines to its middle.
        """
        from dalembert.mechanism.bodyshape import BodyShape

        if (mass is None) == (density is None):
            raise ModelError("the solid of a mesh has a mass or a density: give one of them.")
        told = density if mass is None else mass
        if told is None or not 0 < told < float("inf"):
            raise ModelError(f"mass and density are positive numbers, not {told}.")
        volume, centre, second = self._moments
        box = float(np.prod(np.ptp(self.points, axis=0)))
        name = Path(self.file).name or "the mesh"
        if not abs(volume) > _THIN * box:
            raise ModelError(f"{name} encloses no volume, so it has no mass: say mass and inertia of the body.")
        if not self.closed:
            warn(
                f"{name} is open ({self.open_edges} edges without two triangles): its mass and inertia are not exact. "
                "Close it, or say them."
            )
        m = abs(volume) * density if density is not None else float(mass or 0.0)
        tensor = (np.trace(second) * np.eye(3) - second) * (m / volume)
        return {
            "mass": m,
            "centre": [float(x) for x in centre],
            "inertia": ((tensor + tensor.T) / 2).tolist(),
            "shapes": [BodyShape.of(self)],
        }


def of_triangles(points: Array, faces: NDArray[Any], *, signed: bool) -> tuple[float, Array, Array]:
    """Volume, centre and second moment about the centre (integral of x x^T) of a closed surface, by its tetrahedra.

    `signed` is exact; otherwise every tetrahedron counts as positive, from the mean of the faces for the centre, then
    from the centre. An open surface is closed by straight lines to the same points.
    """
    a, b, c = (points[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    origin = ((a + b + c) / 3 * area[:, None]).sum(0) / (area.sum() or 1.0)
    six, total = _tetrahedra(a - origin, b - origin, c - origin, signed)
    volume = six.sum() / 6
    if not volume:
        return 0.0, origin, np.zeros((3, 3))
    centre = origin + (six[:, None] * total).sum(0) / (24 * volume)
    a, b, c = a - centre, b - centre, c - centre
    six, total = _tetrahedra(a, b, c, signed)
    second = sum(np.einsum("i,ij,ik->jk", six, x, x) for x in (a, b, c, total)) / 120
    return float(six.sum() / 6), centre, second


def _tetrahedra(a: Array, b: Array, c: Array, signed: bool) -> tuple[Array, Array]:
    """Six times the volumes of tetrahedra from the origin, and the sums of their corners."""
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    return (six if signed else np.abs(six)), a + b + c


def read_mesh(path: Path, where: str) -> tuple[Array, NDArray[Any]]:
    """The surface in a file."""
    suffix = path.suffix.lower()
    if suffix not in KINDS:
        raise ModelError(f"{where}: meshes are read from STL, OBJ, GLB, DAE and MSH, not from '{suffix or path.name}'.")
    try:
        if not path.is_file():
            raise ModelError(f"{where}: there is no mesh {path.name}: it is looked for beside the model.")
        if path.stat().st_size > _MOST_BYTES:
            raise ModelError(f"{where}: mesh {path.name} is larger than {_MOST_BYTES // 1_000_000} MB.")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{where}: cannot read mesh {path.name}: {error.strerror or error}.") from None
    readers = {".stl": _stl, ".obj": _obj, ".glb": _glb, ".dae": read_collada, ".msh": _msh}
    try:
        with np.errstate(invalid="ignore"):  # numbers of a damaged file; they are looked at below
            points, faces = readers[suffix](data)
    except ModelError as error:
        raise ModelError(f"{where}: mesh {path.name}: {error}") from None
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ModelError(f"{where}: mesh {path.name} is damaged ({str(error)[:80]}).") from None
    if not len(faces) or faces.min() < 0 or faces.max() >= len(points) or not np.isfinite(points).all():
        raise ModelError(f"{where}: mesh {path.name} has no faces, or faces of points that are not there.")
    return points, faces


def _stl(data: bytes) -> tuple[Array, NDArray[Any]]:
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


def _obj(data: bytes) -> tuple[Array, NDArray[Any]]:
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


def _msh(data: bytes) -> tuple[Array, NDArray[Any]]:
    vertices, normals, texture, faces = (int(x) for x in np.frombuffer(data, "<i4", 4))
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).astype(float).reshape(-1, 3)
    skipped = 16 + 4 * (3 * vertices + 3 * normals + 2 * texture)
    return points, np.frombuffer(data, "<i4", 3 * faces, skipped).astype(int).reshape(-1, 3)


# --- GLB: one JSON text and one block of numbers (glTF 2.0, 3.6 and 4.4) --------------------------------------------

_TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


def _glb(data: bytes) -> tuple[Array, NDArray[Any]]:
    if data[:4] != b"glTF" or int.from_bytes(data[4:8], "little") != 2:
        raise ModelError("it is no GLB file of version 2.")
    long = int.from_bytes(data[12:16], "little")
    text = json.loads(data[20 : 20 + long])
    start = 20 + long + 8
    block = data[start : start + int.from_bytes(data[start - 8 : start - 4], "little")] if start <= len(data) else b""
    scene = text["scenes"][text.get("scene", 0)] if "scenes" in text else {"nodes": range(len(text.get("nodes", [])))}
    points, faces, first = [], [], 0
    for mesh, pose in _placed(text, scene["nodes"], np.eye(4), 0):
        for part in text["meshes"][mesh]["primitives"]:
            if part.get("mode", 4) != 4:
                continue  # lines and points
            if "KHR_draco_mesh_compression" in part.get("extensions", {}):
                raise ModelError("its triangles are compressed (Draco): write it without compression.")
            corners = _accessor(text, block, part["attributes"]["POSITION"]).reshape(-1, 3).astype(float)
            order = np.arange(len(corners)) if "indices" not in part else _accessor(text, block, part["indices"])
            points.append(corners @ pose[:3, :3].T + pose[:3, 3])
            faces.append(order.astype(int).reshape(-1, 3) + first)
            first += len(corners)
    if not points:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
    merged, index = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    return merged, index.reshape(-1)[np.concatenate(faces)]


def _placed(text: Any, nodes: Sequence[int], above: Array, depth: int) -> Iterator[tuple[int, Array]]:
    """Meshes of nodes, each with its pose."""
    if depth > _DEEP:
        raise ModelError("its nodes stand on each other in a circle.")
    for number in nodes:
        node = text["nodes"][number]
        own = np.eye(4)
        if "matrix" in node:
            own = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        else:
            x, y, z, w = (float(v) for v in node.get("rotation", (0, 0, 0, 1)))
            own[:3, :3] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
            own[:3, :3] = own[:3, :3] * np.array(node.get("scale", (1, 1, 1)), dtype=float)
            own[:3, 3] = node.get("translation", (0, 0, 0))
        if "mesh" in node:
            yield node["mesh"], above @ own
        yield from _placed(text, node.get("children", ()), above @ own, depth + 1)


def _accessor(text: Any, block: bytes, number: int) -> NDArray[Any]:
    told = text["accessors"][number]
    if "sparse" in told or "bufferView" not in told:
        raise ModelError("it keeps its numbers sparsely, which is not read: write it plainly.")
    view = text["bufferViews"][told["bufferView"]]
    if "uri" in text["buffers"][view["buffer"]]:
        raise ModelError("its numbers are in another file: write it as one GLB file.")
    wide = {"SCALAR": 1, "VEC3": 3}[told["type"]]
    kind = np.dtype(_TYPES[told["componentType"]])
    step = view.get("byteStride", 0) or wide * kind.itemsize
    start = view.get("byteOffset", 0) + told.get("byteOffset", 0)
    count = int(told["count"])
    ends = min(len(block), view.get("byteOffset", 0) + view["byteLength"])
    if count < 0 or start < 0 or step < 0 or start + (count - 1) * step + wide * kind.itemsize > ends:
        raise ModelError("it tells of numbers that it does not have.")
    rows = np.ndarray((count, wide), kind, block, start, (step, kind.itemsize))
    return rows.reshape(-1).copy()
