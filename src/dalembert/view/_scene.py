"""The numbers of a moving picture: where every point of every body is at each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.simulate import Motion, Picture

Array = NDArray[np.float64]
Point = tuple[Expr, Expr, Expr]

_AXIS = 0.12
"""Length of a body's drawn axes, in parts of the scene."""
_COIL, _TURNS = 0.025, 14
"""Half width of a drawn spring, in parts of the scene, and the corners of its zigzag."""
_NICE_SPEEDS = [a * 10.0**k for k in range(-7, 8) for a in (1, 2, 5)]
_LEAST_SECONDS, _MOST_SECONDS = 2.5, 25.0
_MOST_FRAMES = 1500
FINER = 4


@dataclass(frozen=True, slots=True)
class Scene:
    """Points by frame, and how they are joined: `places[f, k]` is point k at frame f.

    `strokes` lists (body, point, point); `joints`, `centres` and `grounds` are points; `trail` is the path of the point
    that leaves a trace, FINER points a frame.
    """

    times: Array
    places: NDArray[np.float32]
    bodies: tuple[str, ...]
    strokes: tuple[tuple[int, int, int], ...]
    joints: tuple[int, ...]
    centres: tuple[tuple[int, int], ...]
    grounds: tuple[int, ...]
    trail: NDArray[np.float32]
    low: Array
    high: Array

    @property
    def size(self) -> float:
        return float(max(self.high - self.low))


def frame_times(motion: Motion, fps: float, speed: float | None) -> tuple[Array, float]:
    """Times of the frames and the speed at which they play: 1 where that is pleasant to watch, else a round number."""
    first, last = sorted((float(motion.t[0]), float(motion.t[-1])))
    length = last - first
    if speed is None:
        speed = 1.0
        if length > 0 and not _LEAST_SECONDS <= length <= _MOST_SECONDS:
            target = length / (_LEAST_SECONDS if length < _LEAST_SECONDS else _MOST_SECONDS)
            speed = min(_NICE_SPEEDS, key=lambda nice: abs(np.log(nice / target)))
    if not speed > 0 or not fps > 0:
        raise SimulationError("an animation needs a positive speed and a positive number of frames a second.")
    count = int(np.clip(np.ceil(length / speed * fps) + 1, 2, _MOST_FRAMES)) if length > 0 else 1
    return np.linspace(first, last, count), speed


def build_scene(motion: Motion, times: Array) -> Scene:
    """Evaluate the pictures of a motion's bodies at the frames."""
    pictures = motion.system.pictures
    if not pictures:
        raise SimulationError(
            f"'{motion.system.name}' has no pictures: systems made from a mechanism, or with `pictures`, can be drawn."
        )
    seen = motion.at(times) if len(times) > 1 or motion.sol is not None else motion
    points: list[Point] = []
    index: dict[Point, int] = {}

    def place(point: Point) -> int:
        if point not in index:
            index[point] = len(points)
            points.append(point)
        return index[point]

    moving = [picture for picture in pictures if not picture.fixed]
    grounds = tuple(place(p) for picture in pictures if picture.fixed for p in picture.points)
    strokes, joints, centres, coils = [], [], [], []
    for body, picture in enumerate(moving):
        ends = [place(p) for p in picture.points]
        if picture.coil:
            coils.append((body, ends[0], ends[1]))
            continue
        joints += ends
        strokes += [(body, ends[0], end) for end in ends[1:]]
        if picture.centre is not None:
            centres.append((body, place(picture.centre)))
    trail = _trail(motion, times, [picture for picture in moving if not picture.coil])
    places = _evaluate(seen, points)
    low, high = _bounds(places)
    turned = [(body, p) for body, p in enumerate(moving) if p.axes is not None and len(set(p.points)) < 2]
    for body, picture in turned:
        places, added = _with_axes(seen, picture, places, float(max(high - low)) * _AXIS)
        strokes += [(body, added, added + k) for k in (1, 2, 3)]
    for body, start, end in coils:
        added = places.shape[1]
        places = np.concatenate(
            [places, _coil(places[:, start], places[:, end], float(max(high - low)) * _COIL)], axis=1
        )
        strokes += [(body, k, k + 1) for k in range(added, places.shape[1] - 1)]
    low, high = _bounds(places)
    return Scene(
        times,
        places.astype(np.float32),
        tuple(picture.name for picture in moving),
        tuple(strokes),
        tuple(dict.fromkeys(joints)),
        tuple(centres),
        grounds,
        trail,
        low,
        high,
    )


def _trail(motion: Motion, times: Array, moving: list[Picture]) -> NDArray[np.float32]:
    """The path of the centre of the last body, or of its last point."""
    last = moving[-1] if moving else None
    point = (last.centre or (last.points[-1] if last.points else None)) if last else None
    if point is None or len(times) < 2:
        return np.zeros((0, 3), dtype=np.float32)
    fine = np.linspace(times[0], times[-1], FINER * (len(times) - 1) + 1)
    return _evaluate(motion.at(fine), [point])[:, 0].astype(np.float32)


def _evaluate(motion: Motion, points: list[Point]) -> Array:
    flat = motion.evaluate([x for point in points for x in point])
    return np.array(flat).reshape(len(points), 3, len(motion.t)).transpose(2, 0, 1)


def _with_axes(motion: Motion, picture: Picture, places: Array, length: float) -> tuple[Array, int]:
    """Four more points: an origin and the ends of the body's axes."""
    origin = picture.centre or (picture.points[0] if picture.points else (ex.ZERO, ex.ZERO, ex.ZERO))
    base = _evaluate(motion, [origin])
    directions = _evaluate(motion, list(picture.axes or ()))
    return np.concatenate([places, base, base + length * directions], axis=1), places.shape[1]


def _coil(start: Array, end: Array, width: float) -> Array:
    """A zigzag from point to point at each frame, in a plane that turns with its line."""
    line = end - start
    across = np.cross(line, np.where(np.abs(line[:, :1]) < np.abs(line[:, 1:2]), [[1.0, 0, 0]], [[0, 1.0, 0]]))
    length = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.divide(across, length, out=np.zeros_like(across), where=length > 0) * width
    share = np.concatenate([[0.0], np.linspace(0.15, 0.85, _TURNS), [1.0]])
    side = np.concatenate([[0.0, 0.0], (-1.0) ** np.arange(_TURNS - 2), [0.0, 0.0]])
    return start[:, None] + share[:, None] * line[:, None] + side[:, None] * across[:, None]


def _bounds(places: Array) -> tuple[Array, Array]:
    """A box around everything, not flat where the motion is."""
    low, high = np.nanmin(places, axis=(0, 1)), np.nanmax(places, axis=(0, 1))
    size = float(max(high - low)) or 1.0
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 0.05 * size)
    return middle - half, middle + half
