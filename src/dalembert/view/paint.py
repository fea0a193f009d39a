"""A scene painted without a graphics card: faces from far to near, shaded, as a matplotlib figure (PNG, SVG, PDF)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert.view.arrows import Arrow, arrow_scales
from dalembert.view.joints import Symbol
from dalembert.view.meshing import faces_of
from dalembert.view.scene import Scene
from dalembert.view.solids import Solid, turned_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_FIELD, _FILL = np.deg2rad(28), 0.92
"""Angle of the lens, as that of viewer.js, and the share of the picture that is filled."""
_LIGHT = {"back": "#eff3f7", "line": "#c3ccd6", "shadow": "#cdd5de", "steel": "#5c6675", "ink": "#1d2733"}
_DARK = {"back": "#13171c", "line": "#2d353f", "shadow": "#0b0e11", "steel": "#99a3b0", "ink": "#e6ebf1"}


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A pinhole: eye, and the directions right, up and back."""

    eye: Array
    right: Array
    up: Array
    back: Array

    def seen(self, points: Array) -> tuple[Array, Array]:
        """Places on the picture (heights from -1 to 1) and depths before the eye."""
        away = points - self.eye
        depth = -(away @ self.back)
        wide = np.tan(_FIELD / 2) * np.maximum(depth, 1e-9)
        return np.stack([away @ self.right, away @ self.up], axis=-1) / wide[..., None], depth


def lens_of(scene: Scene, aspect: float, towards: Array | None = None) -> Lens:
    """The nearest place, in the direction of view, from which all is in the picture at all times (as viewer.js)."""
    back = scene.viewpoint.towards if towards is None else towards
    back = back / np.linalg.norm(back)
    up = scene.viewpoint.up - (scene.viewpoint.up @ back) * back
    up = up / np.linalg.norm(up) if np.linalg.norm(up) > 1e-6 else turned_to(back)[:, 0]
    right = np.cross(up, back)
    points = (_extent(scene) - _followed(scene)[:, None]).reshape(-1, 3)
    a, b, d = points @ right, points @ up, -(points @ back)
    ty = np.tan(_FIELD / 2) * _FILL
    tx = ty * aspect
    sides = [float(np.max(x)) for x in (a - tx * d, -a - tx * d, b - ty * d, -b - ty * d)]
    depth = min(
        -(sides[0] + sides[1]) / (2 * tx), -(sides[2] + sides[3]) / (2 * ty), float(d.min()) - 1e-3 * scene.size
    )
    eye = right * (sides[0] - sides[1]) / 2 + up * (sides[2] - sides[3]) / 2 - depth * back
    return Lens(eye, right, up, back)


def _extent(scene: Scene) -> Array:
    """Corners of all that is painted at each frame: bodies, ties, joints, and the ends of arrows."""
    found = [scene.corners()]
    for joint in scene.joints:
        pose = scene.poses[joint.body]
        found.append(np.einsum("fij,cj->fci", pose[:, :, :3], _symbol(joint).corners()) + pose[:, None, :, 3])
    scales = arrow_scales(scene.arrows, scene.size)
    for arrow in scene.arrows:
        start, vector = _starts(scene, arrow), scales[arrow.kind] * arrow.values
        found.append(np.stack([start, start + vector], axis=1))
    return np.concatenate([np.broadcast_to(x, (len(scene.times), *x.shape[1:])) for x in found], axis=1)


def _symbol(joint: Symbol) -> Solid:
    s = joint.size
    if joint.kind in ("slide", "cylinder"):
        middle = joint.at + joint.turn[:, 2] * (joint.low + joint.high) / 2
        return Solid("box", (1.1 * s, 1.1 * s, joint.high - joint.low + 7 * s), middle, joint.turn)
    if joint.kind == "ball":
        return Solid("sphere", (1.9 * s,), joint.at)
    return Solid("cylinder", (1.7 * s, 3.0 * s), joint.at, joint.turn)


def _starts(scene: Scene, arrow: Arrow) -> Array:
    """Where an arrow begins, at each frame."""
    pose = scene.poses[arrow.body]
    return arrow.at if arrow.at.ndim > 1 else pose[:, :, :3] @ arrow.at + pose[:, :, 3]


def _followed(scene: Scene) -> Array:
    """Where the camera travels with the machine: the mean of the bodies that are seen, at each frame; else nowhere."""
    seen = [k for k, body in enumerate(scene.bodies) if k and body.solids]
    if not scene.viewpoint.follow or not seen:
        return np.zeros((len(scene.times), 3))
    return np.asarray(scene.poses[seen, :, :, 3].mean(axis=0))


def paint(
    scene: Scene,
    frame: int = 0,
    *,
    size: tuple[float, float] = (8.0, 4.5),
    dark: bool = False,
    towards: Array | None = None,
    figure: Figure | None = None,
    lens: Lens | None = None,
) -> Figure:
    """One frame as a figure; `towards` is the direction from the scene to the eye."""
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.figure import Figure

    theme = _DARK if dark else _LIGHT
    made = figure or Figure(figsize=size)
    made.clear()
    made.set_facecolor(theme["back"])
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    aspect = made.get_figwidth() / made.get_figheight()
    axes.set_xlim(-aspect, aspect)
    axes.set_ylim(-1, 1)
    lens = lens or lens_of(scene, aspect, towards)
    shift = _followed(scene)[frame]
    lens = Lens(lens.eye + shift, lens.right, lens.up, lens.back)
    up, flat = (
        scene.viewpoint.up,
        scene.viewpoint.towards - (scene.viewpoint.towards @ scene.viewpoint.up) * scene.viewpoint.up,
    )
    flat = flat / (np.linalg.norm(flat) or 1.0)
    sun = up + 0.42 * flat - 0.38 * np.cross(up, flat)
    sun = sun / np.linalg.norm(sun)
    faces, colours = _faces(scene, frame, theme["steel"])
    if scene.ground is not None:
        lines = [lens.seen(line)[0] for line in _grid(scene, shift) if lens.seen(line)[1].min() > 0.05 * scene.size]
        axes.add_collection(LineCollection(lines, colors=theme["line"], linewidths=0.6, zorder=0))
        shadows = [_shadow(face, scene.ground, sun) for face in faces]
        axes.add_collection(PolyCollection([lens.seen(x)[0] for x in shadows], facecolors=theme["shadow"], zorder=1))
    for trace in scene.traces[:2]:
        pose = scene.poses[trace.body][: frame + 1]
        path, depth = lens.seen(pose[:, :, :3] @ trace.at + pose[:, :, 3])
        if frame > 0 and depth.min() > 0:
            axes.plot(path[:, 0], path[:, 1], color=scene.bodies[trace.body].colour, lw=1.2, alpha=0.7, zorder=2)
    axes.add_collection(_shaded(faces, colours, lens, sun, up))
    for arrow in scene.arrows:
        _arrow(axes, scene, arrow, frame, lens)
    return made


def _faces(scene: Scene, frame: int, steel: str) -> tuple[list[Array], list[str]]:
    faces: list[Array] = []
    colours: list[str] = []

    def put(solid: Solid, pose: Array, colour: str) -> None:
        for face in faces_of(solid, _corners(solid, scene.size)):
            faces.append(face @ pose[:, :3].T + pose[:, 3])
            colours.append(colour)

    for body, poses in zip(scene.bodies, scene.poses, strict=True):
        for solid in body.solids:
            put(solid, poses[frame], solid.colour or body.colour)
    for joint in scene.joints:
        put(_symbol(joint), scene.poses[joint.body][frame], steel)
    for tie in scene.ties:
        ends = [scene.poses[b][frame][:, :3] @ at + scene.poses[b][frame][:, 3] for b, at in tie.points]
        for a, b in pairwise(ends):
            if np.linalg.norm(b - a) > 0:
                _tie(faces, colours, tie.kind, a, b, tie.radius, tie.colour or steel)
    return faces, colours


def _corners(solid: Solid, size: float) -> int:
    """Corners of a drawn circle: more where it is a large part of the picture, so that no edge is seen."""
    wide = float(np.sort(solid.half[1])[1])
    return 20 if wide < 0.06 * size else 36 if wide < 0.2 * size else 60


def _tie(faces: list[Array], colours: list[str], kind: str, a: Array, b: Array, radius: float, colour: str) -> None:
    from dalembert.view.solids import rod

    if kind not in ("spring", "strut"):
        wide = {"damper": 0.7, "actuator": 0.7}.get(kind, 1.0) * radius
        found = faces_of(rod(a, b, wide))
    else:
        base, length = turned_to(b - a), float(np.linalg.norm(b - a))
        turns = np.linspace(0, 9 * 2 * np.pi, 9 * 12)
        line = np.array(
            [radius * np.cos(turns), radius * np.sin(turns), np.linspace(0.08, 0.92, len(turns)) * length]
        ).T
        path = np.vstack([a, line @ base.T + a, b])
        pieces = [(p, q, float(np.linalg.norm(q - p))) for p, q in pairwise(path)]
        wire = [Solid("cylinder", (0.13 * radius, long), (p + q) / 2, turned_to(q - p)) for p, q, long in pieces]
        found = tuple(face for one in wire for face in faces_of(one, 8))
        colour = "#b8732a" if kind == "spring" else colour
    faces.extend(found)
    colours.extend([colour] * len(found))


def _shaded(faces: list[Array], colours: list[str], lens: Lens, sun: Array, up: Array) -> Any:
    """Faces that look at the eye, farthest first, lit by a sky and a sun."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    starts = np.cumsum([0, *map(len, faces)])
    points = np.vstack(faces) if faces else np.zeros((0, 3))
    place, depth = lens.seen(points)
    far = np.linalg.norm(points - lens.eye, axis=1)
    first, second, third = (points[starts[:-1] + k] for k in range(3))
    normals = np.cross(second - first, third - first)
    sizes = np.linalg.norm(normals, axis=1)
    facing = (sizes > 0) & (((lens.eye - first) * normals).sum(axis=1) > 0)
    normals = normals / np.where(sizes > 0, sizes, 1.0)[:, None]
    bright = 0.60 * (0.72 + 0.28 * normals @ up) + 0.56 * np.maximum(normals @ sun, 0.0) + 0.05
    drawn = []
    for k in np.flatnonzero(facing):
        here = slice(starts[k], starts[k + 1])
        if depth[here].min() > 0:
            tint = tuple(min(1.0, x * bright[k]) for x in to_rgb(colours[k]))
            drawn.append((float(far[here].mean()), place[here], tint))
    drawn.sort(key=lambda one: -one[0])
    tints = [tint for _, _, tint in drawn]
    return PolyCollection(
        [place for _, place, _ in drawn], facecolors=tints, edgecolors=tints, linewidths=0.4, zorder=3
    )


def _grid(scene: Scene, shift: Array) -> list[Array]:
    ground = scene.ground
    assert ground is not None
    base = turned_to(ground.normal)
    middle = ground.at + shift - ((shift @ ground.normal) * ground.normal)
    half = 0.75 * ground.reach if not scene.viewpoint.follow else 2.5 * scene.size
    step = ground.step
    while half / step > 14:
        step *= 2
    own = middle @ base
    found = []
    for u, v in ((0, 1), (1, 0)):
        for k in range(int(np.ceil((own[u] - half) / step)), int(np.floor((own[u] + half) / step)) + 1):
            ends = np.tile(own, (2, 1))
            ends[:, u] = k * step
            ends[0, v], ends[1, v] = own[v] - half, own[v] + half
            found.append(ends @ base.T)
    return found


def _shadow(face: Array, ground: Any, sun: Array) -> Array:
    height = (face - ground.at) @ ground.normal
    found: Array = face - np.outer(height / (sun @ ground.normal), sun)
    return found


_ARROWS = {
    "force": "#d93636",
    "torque": "#cc6b14",
    "reaction": "#2180a6",
    "contact": "#218c40",
    "impulse": "#f29e0d",
}


def _arrow(axes: Any, scene: Scene, arrow: Arrow, frame: int, lens: Lens) -> None:
    start = _starts(scene, arrow)[frame]
    vector = arrow.values[frame] * arrow_scales(scene.arrows, scene.size)[arrow.kind]
    if np.linalg.norm(vector) < 0.004 * scene.size:
        return
    ends, _ = lens.seen(np.array([start, start + vector]))
    colour = _ARROWS.get(arrow.kind, _ARROWS["force"])
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", ends[1], ends[0], arrowprops=style, zorder=5)
