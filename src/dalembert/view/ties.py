"""What joins two or more points: springs, dampers, actuators, ropes, bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import ZERO
from dalembert.mechanism import Frame, Holonomic, Link, Spring
from dalembert.mechanism.quantities import quantities
from dalembert.view.facts import Machine
from dalembert.view.solids import round_

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tie:
    """A line over points of bodies, drawn as a `spring`, `damper`, `strut` (both), `actuator`, `rope` or `bar`."""

    name: str
    kind: str
    points: tuple[tuple[int, Array], ...]
    radius: float
    colour: str = ""

    def as_dict(self) -> dict[str, Any]:
        points = [[body, *(round_(x) for x in at)] for body, at in self.points]
        return {
            "name": self.name,
            "kind": self.kind,
            "points": points,
            "radius": round_(self.radius),
            **({"colour": self.colour} if self.colour else {}),
        }


def ties_of(machine: Machine, thick: float) -> tuple[Tie, ...]:
    """Springs between points and along slides, and ropes, whose lengths add up to a constant."""
    found = []
    for effort in machine.model.efforts:
        if isinstance(effort, Spring):
            found.append(Tie(effort.name, _kind(effort), _points(machine, effort.frames), 1.6 * thick))
    for link in machine.model.links.values():
        kind = _sliding(link)
        if kind:
            found.append(Tie(link.name, kind, _points(machine, (link.first, link.second)), 1.6 * thick))
    for constraint in machine.model.constraints:
        if not isinstance(constraint.condition, Holonomic) or len(constraint.expressions) != 1:
            continue
        asked = list(quantities(constraint.expressions).values())
        if asked and all(one.kind == "dist" for one in asked):
            names = [one.frames for one in asked]
            kind = "rope" if len(names) > 1 else "bar"
            for a, b in names:
                frames = (machine.model.frame_called(a), machine.model.frame_called(b))
                found.append(Tie(constraint.name, kind, _points(machine, frames), 0.35 * thick))
    return tuple(found)


def _sliding(link: Link) -> str:
    """What holds a slide: a spring where its effort is linear in the coordinate, a damper where it is in the rate."""
    if len(link.coordinates) != 1:
        return ""
    x, speed = ex.symbol(link.coordinates[0]), ex.prime(ex.symbol(link.coordinates[0]))
    steps = link.placed_steps()
    if not any(x in ex.free_symbols(step.displacement.translation) for step in steps):
        return ""
    efforts = [*(f for step in steps for f in step.force), *link.placed_efforts().values()]
    slopes = [[ex.gradient(effort, [one])[0] for effort in efforts] for one in (x, speed)]
    elastic, damped = (any(k is not ZERO for k in own) and not {x, speed} & ex.free_symbols(own) for own in slopes)
    return "strut" if elastic and damped else "spring" if elastic else "damper" if damped else ""


def _kind(spring: Spring) -> str:
    elastic, damped = spring.stiffness is not ZERO, spring.damping is not ZERO
    if elastic:
        return "strut" if damped else "spring"
    return "damper" if damped else "actuator"


def _points(machine: Machine, frames: tuple[Frame, ...]) -> tuple[tuple[int, Array], ...]:
    return tuple((machine.index[frame.body], machine.place(frame.displacement)[0]) for frame in frames)
