"""The scene of a system that was written by hand: its `pictures`, points joined by bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.simulate import Motion

if TYPE_CHECKING:
    from dalembert.view.scene import Scene


def sketch_of(make: Callable[..., Scene], seen: Motion, speed: float) -> Scene:
    """Every point is a body without extent, every stroke a bar between two of them."""
    from dalembert.view.scene import SceneBody, Trace
    from dalembert.view.solids import Solid
    from dalembert.view.theme import colour
    from dalembert.view.ties import Tie
    from dalembert.view.viewpoint import viewpoint_of

    system = seen.system
    if not system.pictures:
        raise SimulationError(
            f"'{system.name}' has no pictures: systems made from a mechanism, or with `pictures`, can be drawn."
        )
    frames = len(seen.t)
    places: list[Any] = []
    names: list[tuple[str, int, str]] = []
    index: dict[Any, int] = {}
    axes: dict[int, Any] = {}

    def place(point: Any, name: str, number: int, kind: str) -> int:
        if point not in index:
            index[point] = len(places)
            places.append(point)
            names.append((name, number, kind))
        elif kind == "centre" or names[index[point]][2] == "fixed":
            names[index[point]] = (name, number, kind)
        return index[point]

    strokes: list[tuple[str, int, int, int, bool]] = []
    traced = -1
    for number, picture in enumerate(system.pictures):
        kind = "fixed" if picture.fixed else "point"
        ends = [place(point, picture.name, number, kind) for point in picture.points]
        if not picture.fixed:
            strokes += [(picture.name, number, ends[0], end, picture.coil) for end in ends[1:]]
        if picture.centre is not None:
            traced = place(picture.centre, picture.name, number, "centre")
            if picture.axes is not None and len(set(picture.points)) < 2:
                axes[traced] = picture.axes
        elif ends and not picture.fixed and not picture.coil:
            traced = ends[-1]
    flat = [x for point in places for x in point] + [x for three in axes.values() for axis in three for x in axis]
    values = np.array(seen.evaluate(flat)).reshape(-1, frames)
    poses = np.zeros((len(places) + 1, frames, 3, 4))
    poses[:, :, :, :3] = np.eye(3)
    poses[1:, :, :, 3] = values[: 3 * len(places)].reshape(-1, 3, frames).transpose(0, 2, 1)
    for k, body in enumerate(axes):
        columns = values[3 * len(places) + 9 * k :][:9].reshape(3, 3, frames)
        poses[body + 1, :, :, :3] = columns.transpose(2, 1, 0)
    spots = poses[1:, :, :, 3]
    size = float(np.linalg.norm(np.nanmax(spots, axis=(0, 1)) - np.nanmin(spots, axis=(0, 1)))) or 1.0
    thick = 0.012 * size
    bodies = [SceneBody("earth", (), "#8a8f98")]
    for k, (name, number, kind) in enumerate(names):
        solid = Solid("sphere", ((2.4 if kind == "centre" else 1.3) * thick,))
        if k in axes:
            solid = Solid("box", (0.24 * size, 0.16 * size, 0.08 * size))
        bodies.append(SceneBody(name, (solid,), "#8a8f98" if kind == "fixed" else colour(number)))
    ties = []
    for name, number, a, b, coil in strokes:
        ends2 = ((a + 1, np.zeros(3)), (b + 1, np.zeros(3)))
        ties.append(Tie(name, "spring" if coil else "bar", ends2, (1.6 if coil else 1.0) * thick, colour(number)))
    up = np.array(system.up)
    traces = (Trace(names[traced][0], traced + 1, np.zeros(3)),) if traced >= 0 else ()
    made = make(system.name, seen.t, poses, tuple(bodies), (), tuple(ties), (), traces, up=up, size=size, speed=speed)
    from dataclasses import replace

    return replace(made, viewpoint=viewpoint_of(made.corners(), size, up))
