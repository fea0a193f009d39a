"""What a motion tells of each thing of a model beside its states, by name, and of what dimension it is."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.mechanism.constraint import Coulomb
from dalembert.mechanism.dimensions import FORCE, LENGTH, MASS, NONE, SPEED, TIME, TORQUE, Dimension
from dalembert.mechanism.effort import Spring, TorsionSpring
from dalembert.mechanism.model import Model
from dalembert.mechanism.names import FRAME_OUTPUTS, LINK_OUTPUTS, POSITION, TOTAL

_ROTATION = {"R": NONE, "W": NONE / TIME}
_REACTION = {"M": TORQUE, "F": FORCE}
_OF_TOTAL: Mapping[str, Dimension] = {
    **dict.fromkeys(POSITION, LENGTH),
    **{f"P{x}": MASS * SPEED for x in POSITION},
    **{f"L{x}": MASS * SPEED * LENGTH for x in POSITION},
    "T": TORQUE,
    "V": TORQUE,
    "power": TORQUE / TIME,
}


def told_of(model: Model, owner: str) -> dict[str, Dimension | None]:
    """What a motion tells of a body, frame, link, spring, constraint or of the whole, without primes; else nothing.

    None where the dimension is that of a formula of the user: coordinates and multipliers.
    """
    told: dict[str, Dimension | None] = {}
    if owner == TOTAL:
        told |= _OF_TOTAL
    if link := model.links.get(owner):
        told |= dict.fromkeys((x.rpartition(".")[2].rstrip("'") for x in (*link.coordinates, *link.speeds)), None)
        told |= {x: _REACTION[x[0]] for x in sorted(LINK_OUTPUTS) if x not in told}
    if owner in model.bodies or owner in model.frames:
        turning = sorted(FRAME_OUTPUTS - {*POSITION}, key=lambda x: (x[0] == "R", x))
        told |= {**dict.fromkeys(POSITION, LENGTH), **{x: _ROTATION[x[0]] for x in turning}}
    for effort in model.efforts:
        if effort.name == owner and isinstance(effort, Spring | TorsionSpring):
            told |= {"l": LENGTH, "force": FORCE} if isinstance(effort, Spring) else {"th": NONE, "torque": TORQUE}
    for one in model.constraints:
        if one.name == owner:
            count = len(one.expressions)
            told |= dict.fromkeys(["lambda"] if count == 1 else [f"lambda{k + 1}" for k in range(count)], None)
            told |= {"power": TORQUE / TIME}
            told |= dict.fromkeys(["friction", "friction2"] if isinstance(one.reaction, Coulomb) else [], None)
    return told
