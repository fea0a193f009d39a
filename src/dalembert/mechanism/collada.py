"""COLLADA (.dae): triangles and polygons of geometries, placed by the nodes of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ModelError
from dalembert.mechanism.xml import Element, parse_xml

Array = NDArray[np.float64]
_DEEP, _MOST = 64, 100_000
"""Nodes on nodes, and instances of geometries: more is a circle, or a bomb."""
_FACES = ("triangles", "polylist", "polygons", "trifans", "tristrips")


def read_collada(data: bytes) -> tuple[Array, NDArray[Any]]:
    """Points in metres and triangles of the scene.

    The axes are as the numbers have them, whatever is called up, as tools for robots take them.
    """
    root = parse_xml(data, "the file", "COLLADA")
    known = {one.get("id"): one for one in _all(root) if one.get("id")}
    asset = root.first("asset")
    unit = asset.first("unit") if asset is not None else None
    metre = unit.number("meter", 1.0) if unit is not None else 1.0
    if not 0 < metre < math.inf:
        raise ModelError(f"its unit is {metre} metres.")
    scene = _scene(root, known)
    parts = list(_placed(scene, np.diag([metre, metre, metre, 1.0]), known, 0, [0]))
    found = list[Array]()
    for geometry, pose in parts:
        for corners in _surfaces(geometry, known):
            turned = corners if np.linalg.det(pose[:3, :3]) > 0 else corners[:, ::-1]  # a mirror turns them over
            found.append(turned @ pose[:3, :3].T + pose[:3, 3])
    flat = np.concatenate(found).reshape(-1, 3) if found else np.zeros((0, 3))
    points, index = np.unique(flat, axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    a, b, c = triangles.T
    return points, triangles[(a != b) & (b != c) & (c != a)]


def _all(one: Element) -> Iterator[Element]:
    yield one
    for child in one.children:
        yield from _all(child)


def _target(one: Element, known: dict[str, Element], name: str = "url") -> Element:
    reference = one.get(name)
    if not reference.startswith("#") or reference[1:] not in known:
        raise ModelError(f"<{one.tag}> names '{reference[:60]}', which is not in it.")
    return known[reference[1:]]


def _scene(root: Element, known: dict[str, Element]) -> list[Element]:
    """Nodes of the scene that the file shows; of its first where it does not say; bare geometries without one."""
    shown = root.first("scene")
    instance = shown.first("instance_visual_scene") if shown is not None else None
    if instance is not None:
        return list(_target(instance, known).all("node"))
    scenes = [one for library in root.all("library_visual_scenes") for one in library.all("visual_scene")]
    if scenes:
        return list(scenes[0].all("node"))
    geometries = [one for library in root.all("library_geometries") for one in library.all("geometry")]
    held = [Element("instance_geometry", {"url": f"#{one.get('id')}"}, one.where) for one in geometries]
    return [Element("node", {}, root.where, held)]


def _placed(
    nodes: list[Element], above: Array, known: dict[str, Element], depth: int, count: list[int]
) -> Iterator[tuple[Element, Array]]:
    """Geometries of nodes, each with its pose."""
    if depth > _DEEP:
        raise ModelError("its nodes stand on each other in a circle.")
    for node in nodes:
        count[0] += 1
        if count[0] > _MOST:
            raise ModelError(f"it has more than {_MOST} nodes.")
        pose = above
        for one in node.children:  # transforms act in the order in which they are written, before what is placed
            pose = pose @ _transform(one)
        for one in node.all("instance_geometry"):
            yield _target(one, known), pose
        for one in node.all("instance_controller"):
            skin = _target(one, known).first("skin")
            if skin is not None:
                yield _target(skin, known, "source"), pose
        inner = [*node.all("node"), *(_target(one, known) for one in node.all("instance_node"))]
        yield from _placed(inner, pose, known, depth + 1, count)


def _transform(one: Element) -> Array:
    made = np.eye(4)
    if one.tag == "matrix":
        return _numbers(one, 16).reshape(4, 4)
    if one.tag == "translate":
        made[:3, 3] = _numbers(one, 3)
    elif one.tag == "scale":
        made[:3, :3] = np.diag(_numbers(one, 3))
    elif one.tag == "rotate":
        x, y, z, degrees = _numbers(one, 4)
        size = math.sqrt(x * x + y * y + z * z)
        if size:
            n = np.array([x, y, z]) / size
            K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
            angle = math.radians(degrees)
            made[:3, :3] += math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    elif one.tag in ("skew", "lookat"):
        raise ModelError(f"a node is placed by <{one.tag}>: write it as a matrix.")
    return made


def _numbers(one: Element, count: int) -> Array:
    found = np.array(one.text.split(), dtype=float)
    if len(found) != count or not np.isfinite(found).all():
        raise ModelError(f"<{one.tag}> has {len(found)} numbers, or some that are not finite; it needs {count}.")
    return found


def _surfaces(geometry: Element, known: dict[str, Element]) -> Iterator[Array]:
    """Corners of the triangles of each group of faces."""
    mesh = geometry.first("mesh")
    for one in mesh.all(*_FACES) if mesh is not None else ():
        inputs = [(int(x.number("offset", 0)), x) for x in one.all("input")]
        places = [(k, x) for k, x in inputs if x.get("semantic") == "VERTEX"]
        if not places:
            continue
        offset, vertex = places[0]
        step = 1 + max(k for k, _ in inputs)
        positions = [x for x in _target(vertex, known, "source").all("input") if x.get("semantic") == "POSITION"]
        if not positions:
            raise ModelError("its vertices have no positions.")
        lists = [np.array(x.text.split(), dtype=int)[offset::step] for x in one.all("p")]
        corners = _positions(_target(positions[0], known, "source"))
        faces = _triangles(one, lists)
        if len(faces) and (faces.min() < 0 or faces.max() >= len(corners)):
            raise ModelError("it has faces of points that are not there.")
        if len(faces):
            yield corners[faces]


def _positions(source: Element) -> Array:
    held = source.first("float_array")
    if held is None:
        raise ModelError("its points are not numbers.")
    values = np.array(held.text.split(), dtype=float)
    common = source.first("technique_common")
    accessor = common.first("accessor") if common is not None else None
    step = int(accessor.number("stride", 3)) if accessor is not None else 3
    start = int(accessor.number("offset", 0)) if accessor is not None else 0
    count = (len(values) - start) // step if step >= 3 and start >= 0 else 0
    return values[start : start + count * step].reshape(count, step)[:, :3]


def _triangles(one: Element, lists: list[NDArray[Any]]) -> NDArray[Any]:
    """Polygons as fans of triangles."""
    if one.tag == "triangles":
        flat = np.concatenate(lists) if lists else np.zeros(0, dtype=int)
        return flat[: len(flat) // 3 * 3].reshape(-1, 3)
    if one.tag == "polylist":
        counts = np.array(one.content("vcount").split(), dtype=int)
        flat = np.concatenate(lists) if lists else np.zeros(0, dtype=int)
        if len(counts) and (counts.min() < 0 or counts.sum() > len(flat)):
            raise ModelError("it tells of corners that it does not have.")
        lists = np.split(flat, np.cumsum(counts))[:-1]
    if one.tag == "tristrips":
        rows = [(x[k + k % 2], x[k + 1 - k % 2], x[k + 2]) for x in lists for k in range(len(x) - 2)]
    else:
        rows = [(x[0], x[k], x[k + 1]) for x in lists for k in range(1, len(x) - 1)]
    return np.array(rows, dtype=int).reshape(-1, 3)
