"""Masses of MJCF's geoms, where a body has no mass of its own."""

from __future__ import annotations

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.mjcf_defaults import Defaults
from dalembert.io.mjcf_scope import Settings
from dalembert.io.parts import Mass
from dalembert.io.poses import Array, Pose, from_quaternion, z_onto
from dalembert.io.solids import mesh_mass, solid, volume
from dalembert.io.visuals import Visuals, tint
from dalembert.mechanism.meshes import read_mesh
from dalembert.mechanism.xml import Element, numbers_of

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_THIN = ("plane", "hfield", "sdf")
_SHOWN = 2
"""The last group of geoms that MuJoCo shows when it is not asked: others are shapes for collisions."""


class Geoms:
    """Knows the meshes of the file."""

    def __init__(self, root: Element, seen: Visuals, settings: Settings, defaults: Defaults) -> None:
        self.seen, self.settings, self.folder, self.a = seen, settings, seen.folder, seen.a
        self.meshes = {}
        for asset in root.all("asset"):
            for one in (defaults.apply(x, "") for x in asset.all("mesh")):
                name = one.get("name") or one.get("file").rsplit("/", 1)[-1].rsplit(".", 1)[0]
                self.meshes[name] = one
        self._read: dict[str, tuple[Array, Array]] = {}

    def between(self, ends: Array, where: str) -> Pose:
        """The frame in the middle of a segment, z from its second end to its first."""
        return Pose((ends[:3] + ends[3:]) / 2, z_onto(ends[:3] - ends[3:], where))

    def mass(self, geom: Element, above: Pose) -> list[Mass]:
        """What a geom adds to its body."""
        kind = geom.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
        group = int(geom.number("group", 0))
        if kind in _THIN or not self.settings.groups[0] <= group <= self.settings.groups[1]:
            return []
        mass = geom.number("mass", 0.0) if "mass" in geom.attributes else None
        density = geom.number("density", 1000.0)
        if mass == 0 or (mass is None and density == 0):
            return []
        if geom.get("shellinertia") == "true":
            self.a.note(f"{geom.where}: a shell; its mass is spread over its volume here.")
        pose = above @ self.settings.pose(geom)
        if "mesh" in geom.attributes:
            if kind != "mesh":
                self.a.note(f"{geom.where}: a {kind} fitted to a mesh adds no mass here.")
                return []
            return self._mesh(geom, density, mass, pose)
        if kind not in _SIZES:
            raise ModelError(f"{geom.where}: a geom is {', '.join(_SIZES)}, plane, hfield or mesh, not '{kind}'.")
        size, pose = self._sized(geom, kind, above)
        return [solid(kind, size, volume(kind, size) * density if mass is None else mass, pose)]

    def _sized(self, geom: Element, kind: str, above: Pose) -> tuple[list[float], Pose]:
        """Sizes as MuJoCo counts them (half lengths), and the place on the body."""
        size, pose = geom.numbers("size", [0.0]), above @ self.settings.pose(geom)
        if "fromto" in geom.attributes:
            ends = np.array(geom.numbers("fromto", [], exactly=6))
            pose = above @ self.between(ends, geom.where)
            half = float(np.linalg.norm(ends[:3] - ends[3:])) / 2
            size = [size[0], half] if _SIZES[kind] == 2 else [size[0], size[0], half]
        if len(size) < _SIZES[kind] or min(size[: _SIZES[kind]]) <= 0:
            raise ModelError(f"{geom.where}: the size of a {kind} is {_SIZES[kind]} positive numbers.")
        return [float(x) for x in size[: _SIZES[kind]]], pose

    def look(self, geom: Element, body: str, above: Pose) -> None:
        """What a geom adds to the sight of its body: the groups that MuJoCo shows."""
        kind = geom.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
        rgba = geom.numbers("rgba", [])[:4]
        if (len(rgba) == 4 and rgba[3] == 0) or int(geom.number("group", 0)) > _SHOWN:
            return
        if "mesh" in geom.attributes:
            asset = self.meshes.get(geom.get("mesh"))
            turned = asset is None or "refpos" in asset.attributes or "refquat" in asset.attributes
            if asset is None or turned or "file" not in asset.attributes:
                self.seen.unread["meshes that are no files, or are moved in them"] += 1
                return
            name, scales = asset.need("file"), asset.numbers("scale", [1, 1, 1])
            name = f"{self.settings.meshdir}/{name}" if self.settings.meshdir else name
            self.seen.mesh(body, above @ self.settings.pose(geom), name, scales, tint(rgba), geom.where)
        elif kind in _SIZES:
            size, pose = self._sized(geom, kind, above)
            if kind in ("capsule", "cylinder"):
                size = [size[0], 2 * size[1]]
            elif kind == "box":
                size = [2 * x for x in size]
            self.seen.solid(body, pose, kind, size, tint(rgba))

    def _mesh(self, geom: Element, density: float, mass: float | None, pose: Pose) -> list[Mass]:
        name = geom.get("mesh")
        asset = self.meshes.get(name)
        if asset is None:
            raise ModelError(f"{geom.where}: there is no mesh '{name}'.")
        way = asset.get("inertia", "legacy")
        if way not in ("legacy", "exact", "convex"):
            self.a.note(f"{asset.where}: the inertia of mesh '{name}' is that of its solid, not '{way}'.")
        if name not in self._read:
            self._read[name] = self._vertices(asset)
        points, faces = self._read[name]
        faces = _hull(points) if way == "convex" else faces
        found = mesh_mass(points, faces, density, mass, pose, signed=way != "legacy")
        if not found.mass:
            self.a.note(f"{asset.where}: mesh '{name}' holds no volume, so it adds no mass.")
        return [found]

    def _vertices(self, asset: Element) -> tuple[Array, Array]:
        if "vertex" in asset.attributes:
            points = _rows(asset, "vertex")
            if "face" in asset.attributes:
                faces = _rows(asset, "face")
                if (faces != np.round(faces)).any() or (faces < 0).any() or (faces >= len(points)).any():
                    raise ModelError(
                        f"{asset.where}: a face is three numbers of vertices, from 0 to {len(points) - 1}."
                    )
                faces = faces.astype(int)
            else:
                faces = _hull(points)
        else:
            if "file" not in asset.attributes:
                raise ModelError(f"{asset.where}: a mesh without a file and without vertices.")
            points, faces = read_mesh(
                self.folder.find(asset.need("file"), asset.where, self.settings.meshdir), asset.where
            )
        turned = from_quaternion(asset.numbers("refquat", [1, 0, 0, 0], exactly=4), asset.where)
        moved = (points - np.array(asset.numbers("refpos", [0, 0, 0], exactly=3))) @ turned
        return moved * np.array(asset.numbers("scale", [1, 1, 1], exactly=3)), faces


def _rows(asset: Element, name: str) -> Array:
    """An attribute of three numbers for each vertex or face."""
    values = numbers_of(asset.get(name), f"{asset.where}: '{name}' of <mesh>")
    if not values or len(values) % 3:
        raise ModelError(f"{asset.where}: '{name}' of <mesh> has {len(values)} numbers; it needs three for each.")
    return np.array(values).reshape(-1, 3)


def _hull(points: Array) -> Array:
    """Triangles of the convex hull, turning left from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        faces = ConvexHull(points).simplices.copy()
    except (QhullError, ValueError):
        raise ModelError("the points of a mesh lie in a plane: they have no hull.") from None
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return faces
