"""Modes of small motions made visible: a scene that swings in one mode, about the posture in which it rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis import Mode
from dalembert.dynamics.numbers import resolve
from dalembert.dynamics.start import closed_start
from dalembert.errors import ModelError
from dalembert.mechanism import Layout, Mechanism
from dalembert.view.facts import Numbers, numbers_of
from dalembert.view.scene import Scene, moved_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FRAMES = 48
_SWING = 0.14
"""How far the farthest point swings, in sizes of the machine: to be seen, and still a small motion."""
_MOST = 0.6
"""The largest amplitude of a coordinate, in radians or in sizes of the machine."""
_STEP = 1e-4
"""The swing with which the size of a mode is measured, in radians or sizes of the machine."""
_SECONDS = 3.0
"""How long one period lasts in the picture."""


def mode_scene(
    model: Mechanism, rest: Mapping[str, float], mode: Mode, *, given: Mapping[str, Any] | None = None
) -> Scene:
    """One period of a mode about the posture `rest`, enlarged until it can be seen; other coordinates close the loops.

    A mode that does not oscillate swings along its shape all the same, so that the shape is seen.
    """
    layout = Layout.of(model)
    told = resolve({**layout.model.given, **(given or {})}, "given")
    still = _scene(layout, rest, mode, np.zeros(1), given, told)
    unit = max(1.0, still.size)
    small = _scene(layout, rest, mode, np.array([0.0, _STEP * unit]), given, told)
    corners = small.corners()
    reach = float(np.linalg.norm(corners[1] - corners[0], axis=1).max()) / (_STEP * unit)
    if not reach > 0:
        raise ModelError("this mode moves nothing that could be drawn.")
    amplitude = min(_SWING * still.size / reach, _MOST * unit)
    phases = np.linspace(0, 2 * np.pi, _FRAMES, endpoint=False)
    scene = _scene(layout, rest, mode, amplitude * np.exp(1j * phases), given, told)
    note = f"{mode}; drawn with an amplitude of {amplitude:.2g}"
    return replace(scene, name=layout.model.name, times=np.linspace(0, _SECONDS, _FRAMES, endpoint=False), note=note)


def _scene(
    layout: Layout, rest: Mapping[str, float], mode: Mode, factors: Any, given: Any, told: Mapping[str, float]
) -> Scene:
    rows: dict[ex.Expr, list[float]] = {}
    for factor in factors:
        at = dict(rest)
        for name, z in mode.shape.items():
            at[name] = rest.get(name, 0.0) + float((factor * z).real)
        kept = {name: at[name] for name in mode.shape} if layout.constraints else at
        found = closed_start(layout, kept, given)
        for name, value in found.values.items():
            rows.setdefault(ex.symbol(name), []).append(float(value))
    values: dict[ex.Expr, Any] = {x: np.array(held) for x, held in rows.items()}
    values |= {ex.symbol(k): v for k, v in told.items()} | {ex.TIME: 0.0}
    numbers: Numbers = numbers_of(values, len(factors))
    return moved_scene(layout, numbers, np.arange(len(factors), dtype=float))


def draw_mode(scene: Scene, *, dark: bool = False) -> Figure:
    """Both ends of the swing in one picture, the rest pale between them."""
    from dalembert.view.paint import paint

    return paint(ghosted(scene), 0, dark=dark)


def ghosted(scene: Scene) -> Scene:
    """A still scene in which the bodies stand in their rest, and pale copies of them at both ends of the swing."""
    count = len(scene.times)
    frames = (count // 4, 0, count // 2)  # rest, one end, the other
    bodies = list(scene.bodies)
    poses = [scene.poses[k][[frames[0]]] for k in range(len(bodies))]
    for frame in frames[1:]:
        for k, body in enumerate(scene.bodies[1:], 1):
            pale = tuple(replace(one, colour=_pale(one.colour or body.colour)) for one in body.solids)
            bodies.append(replace(body, solids=pale))
            poses.append(scene.poses[k][[frame]])
    return replace(scene, bodies=tuple(bodies), poses=np.array(poses), times=np.zeros(1), traces=(), arrows=())


def _pale(colour: str) -> str:
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(0.42 * x + 0.58 * 236):02x}" for x in parts)
