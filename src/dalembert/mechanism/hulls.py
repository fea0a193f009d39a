"""Convex solids with flat faces: corners, faces with their outward normals and tangents, and edges, in a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3

if TYPE_CHECKING:
    import numpy as np

_FLAT = 1e-9
"""Faces whose unit normals differ by less are one face, and corners that add less than this share are none."""


@dataclass(frozen=True, slots=True)
class Face:
    """Outward normal, two tangents, and the corners around it, against the clock seen from outside."""

    normal: Vector3
    tangents: tuple[Vector3, Vector3]
    corners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solid:
    """Corners by number; edges as pairs of corners, in groups of one direction."""

    corners: tuple[Vector3, ...]
    faces: tuple[Face, ...]
    edges: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def all_edges(self) -> tuple[tuple[int, int], ...]:
        return tuple(edge for group in self.edges for edge in group)


def box_solid(sides: Sequence[Expr]) -> Solid:
    """A box about the origin; corner k has the signs of the bits of k, x first."""
    signs = [[ONE if k >> axis & 1 else -ONE for axis in range(3)] for k in range(8)]
    corners = tuple(Vector3([s * HALF * side for s, side in zip(three, sides, strict=True)]) for three in signs)
    faces, edges = [], []
    for axis in range(3):
        one, two = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
        for sign in (0, 1):
            base = sign << axis
            around = [base, base | one, base | one | two, base | two]
            faces.append(
                Face(_unit(axis, sign), (_unit((axis + 1) % 3, 1), _unit((axis + 2) % 3, 1)), _turned(around, sign))
            )
        edges.append(tuple((base, base | 1 << axis) for base in range(8) if not base >> axis & 1))
    return Solid(corners, tuple(faces), tuple(edges))


def _unit(axis: int, sign: int) -> Vector3:
    return Vector3([(ONE if sign else -ONE) if k == axis else ZERO for k in range(3)])


def _turned(around: list[int], outwards: int) -> tuple[int, ...]:
    return tuple(around if outwards else around[::-1])


@lru_cache(maxsize=64)
def hull_solid(points: tuple[tuple[float, float, float], ...]) -> Solid:
    """The convex hull of points, its flat faces joined."""
    import numpy as np
    from scipy.spatial import ConvexHull, QhullError

    places = np.array(points, dtype=float)
    size = float(np.ptp(places, axis=0).max(initial=0.0)) if len(places) else 0.0
    try:
        hull = ConvexHull(places / (size or 1.0))
    except (QhullError, ValueError, IndexError) as error:
        raise ModelError("a polytope needs four points that are not in one plane.") from error
    planes: list[tuple[np.ndarray, float]] = []
    for *normal, offset in hull.equations:
        known = (np.abs(np.array(normal) - n).max() < _FLAT**0.5 and abs(offset - o) < _FLAT**0.5 for n, o in planes)
        if not any(known):
            planes.append((np.array(normal), float(offset)))
    used: dict[int, int] = {}
    faces, pairs = [], set[tuple[int, int]]()
    for normal, offset in planes:
        on = [i for i in hull.vertices if abs(normal @ places[i] / (size or 1.0) + offset) < _FLAT**0.5]
        centre = places[on].mean(axis=0)
        first = places[on[0]] - centre
        first = first - normal * (normal @ first)
        first /= np.linalg.norm(first)
        second = np.cross(normal, first)
        on.sort(key=lambda i: float(np.arctan2(second @ (places[i] - centre), first @ (places[i] - centre))))
        around = tuple(used.setdefault(int(i), len(used)) for i in on)
        faces.append(Face(_told(normal), (_told(first), _told(second)), around))
        pairs |= {(min(a, b), max(a, b)) for a, b in zip(around, (*around[1:], around[0]), strict=True)}
    corners = [places[i] for i in used]
    groups: list[tuple[np.ndarray, list[tuple[int, int]]]] = []
    for a, b in sorted(pairs):
        way = (corners[b] - corners[a]) / np.linalg.norm(corners[b] - corners[a])
        for known_way, group in groups:
            if abs(abs(way @ known_way) - 1) < _FLAT:
                group.append((a, b))
                break
        else:
            groups.append((way, [(a, b)]))
    return Solid(tuple(map(_told, corners)), tuple(faces), tuple(tuple(group) for _, group in groups))


def _told(vector: np.ndarray) -> Vector3:
    return Vector3([ex.as_expr(float(x)) for x in vector])
