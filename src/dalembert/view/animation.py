"""A motion as one HTML file that plays: plotly's own bundle, a few numbers, no network."""

from __future__ import annotations

import base64
import json
import os
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from dalembert.files import check_suffix, written_whole
from dalembert.simulate import Motion
from dalembert.view._scene import FINER, Scene, build_scene, frame_times
from dalembert.view.theme import colour

_FLAT = 0.11
"""A box thinner than this part of its size is looked at from the front."""
_FILL, _FILL_FRONT = 2.1, 3.1
"""Size of the drawn box in plotly's units: seen from a corner with perspective, and from the front."""


def animate(
    motion: Motion, path: str | os.PathLike[str], *, fps: float = 30.0, speed: float | None = None, title: str = ""
) -> None:
    """Write one self-contained HTML file in which the motion plays in three dimensions.

    Bodies are segments between their joint frames with a marker at the centre of mass; the last body leaves a trail.
    `speed` 2 plays twice as fast as the clock; without it a speed is chosen that is pleasant to watch.
    """
    check_suffix(path, (".html", ".htm"), "an animation is a page")
    times, pace = frame_times(motion, fps, speed)
    scene = build_scene(motion, times)
    page = _page(scene, pace, title or motion.system.name, motion.system.up)
    with written_whole(path) as file:
        file.write(page.encode("utf-8"))


def _page(scene: Scene, speed: float, title: str, up: tuple[float, float, float]) -> str:
    from plotly.offline import get_plotlyjs

    ground = _ground(scene, up)
    ranges, camera = _ranges(scene, ground), _camera(scene, up)
    about = {
        "times": scene.times.tolist(),
        "count": scene.places.shape[1],
        "places": _packed(scene.places),
        "bodies": scene.bodies,
        "colours": [colour(k) for k in range(len(scene.bodies))],
        "strokes": scene.strokes,
        "joints": scene.joints,
        "centres": scene.centres,
        "grounds": scene.grounds,
        "trail": _packed(scene.trail),
        "finer": FINER,
        "speed": speed,
        "grid": ground,
        "camera": camera,
        "ranges": ranges,
        "aspect": _aspect(ranges, camera["projection"]["type"] == "orthographic"),
    }
    note = f"grid {ground['step']:g}" + (f", {speed:g} times the clock" if speed != 1 else "")
    template = files("dalembert.view").joinpath("animation.html").read_text(encoding="utf-8")
    pieces = {"%TITLE%": escape(title), "%NOTE%": escape(note), "%DATA%": _json(about), "%PLOTLY%": get_plotlyjs()}
    for mark, piece in pieces.items():
        template = template.replace(mark, piece)
    return template


def _packed(numbers: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<f4").tobytes()).decode("ascii")


def _json(value: Any) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _main_axis(up: tuple[float, float, float]) -> int:
    return int(np.argmax(np.abs(up)))


def _ground(scene: Scene, up: tuple[float, float, float]) -> dict[str, Any]:
    """Lines of a square grid below the motion, at height zero if everything is above it."""
    axis = _main_axis(up)
    sign = 1.0 if up[axis] >= 0 else -1.0
    bottom = float(min(sign * scene.low[axis], sign * scene.high[axis]))
    level = 0.0 if bottom >= -1e-9 * scene.size and bottom < scene.size else bottom - 0.04 * scene.size
    step = _round_number(scene.size / 8)
    others = [k for k in range(3) if k != axis]
    starts = [np.floor((scene.low[k] - 0.15 * scene.size) / step) for k in others]
    ends = [np.ceil((scene.high[k] + 0.15 * scene.size) / step) for k in others]
    lines: list[list[float | None]] = [[], [], []]
    for k, other, at in ((0, 1, others[0]), (1, 0, others[1])):
        for number in range(int(starts[k]), int(ends[k]) + 1):
            for end in (starts[other], ends[other]):
                lines[at].append(number * step)
                lines[others[other]].append(end * step)
                lines[axis].append(sign * level)
            for line in lines:
                line.append(None)
    return {"x": lines[0], "y": lines[1], "z": lines[2], "step": step, "axis": axis, "level": sign * level}


def _round_number(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min((power, 2 * power, 5 * power, 10 * power), key=lambda nice: abs(np.log(nice / value))))


def _ranges(scene: Scene, ground: dict[str, Any]) -> list[list[float]]:
    pad = 0.03 * scene.size
    found = []
    for k, name in enumerate("xyz"):
        drawn = [value for value in ground[name] if value is not None]
        found.append([min(scene.low[k] - pad, *drawn), max(scene.high[k] + pad, *drawn)])
    return found


def _aspect(ranges: list[list[float]], front: bool) -> dict[str, float]:
    """Equal scales, and a scene that fills the window."""
    sizes = [high - low for low, high in ranges]
    fill = _FILL_FRONT if front else _FILL
    return {name: fill * size / max(sizes) for name, size in zip("xyz", sizes, strict=True)}


def _camera(scene: Scene, up: tuple[float, float, float]) -> dict[str, Any]:
    """From a corner and above; a plane motion is seen from the front, without perspective."""
    extent = (scene.high - scene.low) / scene.size
    axis = _main_axis(up)
    sign = 1.0 if up[axis] >= 0 else -1.0
    top = dict.fromkeys("xyz", 0.0) | {"xyz"[axis]: sign}
    thin = int(np.argmin(extent))
    eye = np.zeros(3)
    if extent[thin] < _FLAT and thin != axis:
        eye[thin] = -1.6 if (thin, axis) == (1, 2) else 1.6
        eye[axis] = 0.12 * sign
        kind = "orthographic"
    else:
        others = [k for k in range(3) if k != axis]
        eye[others[0]], eye[others[1]], eye[axis] = 1.15, -1.25 if axis == 2 else 1.25, 0.65 * sign
        kind = "perspective"
    return {"up": top, "eye": dict(zip("xyz", eye.tolist(), strict=True)), "projection": {"type": kind}}
