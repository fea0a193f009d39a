"""Forces, torques and reactions as arrows: vectors over the frames, in the base of earth, at places of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import DalembertError, SimulationError
from dalembert.expr.space import is_zero3
from dalembert.kinematics.actions import known_actions
from dalembert.mechanism import Force, Torque
from dalembert.simulate import Motion
from dalembert.view.facts import Machine

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Arrow:
    """A `force`, `torque`, `reaction`, `contact` or `impulse`: a vector over the frames, in the base of earth.

    It begins at a place of a body, or, where `at` has a row for each frame, at a place that moves on earth.
    """

    name: str
    kind: str
    body: int
    at: Array  # 3; or frame, 3
    values: Array  # frame, 3


_LONGEST = 0.28
"""The longest arrow of a kind, in sizes of the machine (as viewer.js)."""


def arrow_scales(arrows: Sequence[Arrow], size: float) -> dict[str, float]:
    """Length of a unit of each kind: arrows of one kind can be compared with each other."""
    most: dict[str, float] = {}
    for one in arrows:
        here = float(np.linalg.norm(one.values, axis=1).max(initial=0.0))
        most[one.kind] = max(most.get(one.kind, 0.0), here)
    return {kind: _LONGEST * size / value if value > 0 else 0.0 for kind, value in most.items()}


def arrows_of(machine: Machine) -> tuple[tuple[Arrow, ...], str]:
    """Applied forces and torques, and a sentence about those that have no numbers."""
    found, lost = [], []
    for action in known_actions(machine.tree, gravity=False):
        if not isinstance(action.effort, Force | Torque):
            continue
        kind, vector = ("torque", action.torque) if is_zero3(action.force) else ("force", action.force)
        try:
            values = machine.numbers([*vector, *action.point])
        except DalembertError:
            lost.append(action.name)
            continue
        turned = np.einsum("fij,jf->fi", machine.poses[action.body][:, :, :3], values[:3])
        found.append(Arrow(action.name, kind, action.body, values[3:, 0], turned))
    note = f"not drawn, since its formula has no value: {', '.join(dict.fromkeys(lost))}" if lost else ""
    return tuple(found), note


def reactions_of(machine: Machine, seen: Motion, links: Sequence[str]) -> tuple[Arrow, ...]:
    """What links do to their second bodies, at the origins of the second frames."""
    found = []
    for name in links:
        link = machine.model.links.get(name)
        if link is None:
            known = ", ".join(machine.model.links)
            raise SimulationError(f"'{name}' is no link whose reaction could be drawn. Links are {known}.")
        body = machine.index[link.second.body]
        at, turn = machine.place(link.second.displacement)
        force = np.array([seen[f"{name}.{x}"] for x in ("Fx", "Fy", "Fz")])
        turned = np.einsum("fij,jk,kf->fi", machine.poses[body][:, :, :3], turn, force)
        found.append(Arrow(name, "reaction", body, at, turned))
    return tuple(found)
