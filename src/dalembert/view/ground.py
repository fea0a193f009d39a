"""The ground of a picture: the plane on which things roll and fall, or a floor below everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.expr.space import is_zero3
from dalembert.mechanism import EARTH, Frame
from dalembert.mechanism.contact import Touching
from dalembert.mechanism.quantities import quantities
from dalembert.mechanism.shapes import Plane
from dalembert.view.facts import APART, Machine
from dalembert.view.joints import is_planar
from dalembert.view.looks import bar_radius, solid_of_shape
from dalembert.view.solids import Solid, round_

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A plane with a grid: a point of it, its normal, the width of a square, and how far it is drawn."""

    at: Array
    normal: Array
    step: float
    reach: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "at": [round_(x) for x in self.at],
            "normal": [round_(x) for x in self.normal],
            "step": round_(self.step),
            "reach": round_(self.reach),
        }


def upward(machine: Machine) -> Array:
    """Against gravity, else along z."""
    gravity = machine.constants(machine.model.gravity)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0 and np.isfinite(size) else np.array([0.0, 0.0, 1.0])


def ground_of(machine: Machine, corners: Array, up: Array) -> tuple[Ground | None, tuple[Solid, ...]]:
    """The ground, and what else of earth is touched, as solids."""
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    middle, wide = (low + high) / 2, float(np.linalg.norm(high - low)) or machine.size
    planes = _planes(machine)
    level = [one for one in planes if one[1] @ up > 0.8]
    walls = tuple(_wall(machine, corners, at, normal) for at, normal in planes if normal @ up <= 0.8)
    things = tuple(_things(machine))
    step = round_number(wide / 9)
    if level:
        at, normal = max(level, key=lambda one: float(one[1] @ up))
        at = middle - normal * float((middle - at) @ normal)
        return Ground(at, normal, step, 0.9 * wide), (*walls, *things)
    floored = any(
        is_planar(link) for link in machine.model.links.values() if EARTH in (link.first.body, link.second.body)
    )
    if is_zero3(machine.model.gravity) and not floored:
        return None, (*walls, *things)
    heights = corners @ up
    bottom, size = float(heights.min()), float(np.ptp(heights)) or wide
    height = 0.0 if -1e-6 * wide <= bottom < size else bottom - 0.04 * wide
    return Ground(middle + (height - middle @ up) * up, up, step, 0.9 * wide), (*walls, *things)


def _planes(machine: Machine) -> list[tuple[Array, Array]]:
    """Planes of earth that something touches or rolls on: point and normal, each once."""
    frames: list[Frame] = []
    for contact in machine.model.contacts:
        if isinstance(contact.place, Touching):
            shapes = (contact.place.first, contact.place.second)
            frames += [s.frame for s in shapes if isinstance(s, Plane) and s.frame.body == EARTH]
    for constraint in machine.model.constraints:
        for told in quantities(constraint.expressions).values():
            if told.kind == "pos" and told.axes == (2,) and len(told.frames) == 2:
                frame = machine.model.frame_called(told.frames[1])
                frames += [frame] if frame.body == EARTH else []
    found: list[tuple[Array, Array]] = []
    for frame in frames:
        at, turn = machine.place(frame.displacement)
        normal = turn[:, 2]
        if not any(n @ normal > 1 - APART and abs((at - p) @ n) <= APART * machine.size for p, n in found):
            found.append((at, normal))
    return found


def _wall(machine: Machine, corners: Array, at: Array, normal: Array) -> Solid:
    """A steep plane of earth: a slab as large as what happens before it."""
    from dalembert.view.solids import turned_to

    turn = turned_to(normal)
    seen = (corners.reshape(-1, 3) - at) @ turn
    low, high = seen.min(axis=0), seen.max(axis=0)
    sides = np.maximum(high - low, 0.3 * machine.size)
    thick = 0.6 * bar_radius(machine)
    place = at + turn @ np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thick / 2])
    return Solid("box", (float(sides[0]), float(sides[1]), thick), place, turn)


def _things(machine: Machine) -> list[Solid]:
    """Shapes of earth that are no planes."""
    seen: dict[Any, Solid] = {}
    for contact in machine.model.contacts:
        if isinstance(contact.place, Touching):
            for shape in (contact.place.first, contact.place.second):
                if shape.frame.body == EARTH and not isinstance(shape, Plane):
                    solid = solid_of_shape(machine, shape)
                    if solid is not None:
                        seen[shape] = solid
    return list(seen.values())


def round_number(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min((power, 2 * power, 5 * power, 10 * power), key=lambda nice: abs(np.log(nice / value))))
