"""Gears: hinges that a condition couples in a fixed ratio, about parallel axes, are drawn as wheels that mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.mechanism import EARTH, Holonomic
from dalembert.view.facts import Machine
from dalembert.view.joints import Symbol, symbol_of
from dalembert.view.solids import Solid

Array = NDArray[np.float64]

_PARALLEL = 1e-6
"""Sine of the angle below which two axes are parallel, and share of the size below which they are one axis."""
_TEETH = 14
"""Teeth of the smaller wheel."""


def gears_of(machine: Machine) -> dict[str, list[Solid]]:
    """Wheels with teeth on bodies that mesh: a.th = -n b.th outside each other, a.th = n b.th one in the other."""
    owner = {x: link for link in machine.model.links.values() for x in link.coordinates}
    found: dict[str, list[Solid]] = {}
    for constraint in machine.model.constraints:
        if not isinstance(constraint.condition, Holonomic) or len(constraint.expressions) != 1:
            continue
        (expression,) = constraint.expressions
        used = sorted(x.name for x in ex.free_symbols([expression]) if x.name in owner)
        if len(used) != 2:
            continue
        slopes = ex.gradient(expression, [ex.symbol(x) for x in used])
        if any({x.name for x in ex.free_symbols([slope])} & machine.model.moving for slope in slopes):
            continue
        hinges = [symbol_of(machine, owner[x], 1.0) for x in used]
        if any(one is None or one.kind != "hinge" for one in hinges):
            continue
        ratio = machine.constants(slopes)
        if np.isfinite(ratio).all() and np.all(ratio != 0):
            pair = [one for one in hinges if one is not None]
            for body, solid in _meshed(machine, pair, float(ratio[1] / ratio[0])):
                found.setdefault(body, []).append(solid)
    return found


def _meshed(machine: Machine, hinges: list[Symbol], ratio: float) -> list[tuple[str, Solid]]:
    """The two wheels, none where the axes are one or not parallel; ratio n of a.th = -n b.th."""
    places, axes = [], []
    for one in hinges:
        pose = machine.poses[one.other, 0]
        places.append(pose[:, :3] @ one.there[0] + pose[:, 3])
        axes.append(pose[:, :3] @ one.there[1][:, 2])
    if np.linalg.norm(np.cross(*axes)) > _PARALLEL:
        return []
    sense = ratio * np.sign(axes[0] @ axes[1])
    away = places[1] - places[0]
    far = float(np.linalg.norm(away - (away @ axes[0]) * axes[0]))
    if far < _PARALLEL * machine.size or (sense < 0 and abs(abs(sense) - 1) < _PARALLEL):
        return []
    first = far / abs(1 + sense)
    radii = (first, abs(sense) * first)
    small = min(radii)
    made = []
    for one, radius in zip(hinges, radii, strict=True):
        body = machine.bodies[one.other].name
        if body == EARTH:
            continue
        at, turn = one.there
        if sense < 0 and radius > small:  # the ring in which the other runs
            made.append((body, Solid("tube", (radius * 1.02, radius * 1.16, 0.3 * small), at, turn)))
        else:
            teeth = round(_TEETH * radius / small)
            made.append((body, Solid("gear", (radius, 0.3 * small, teeth), at, turn)))
    return made
