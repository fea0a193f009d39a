"""How far a motion is from a better one, at worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.presentation.told import Told


@dataclass(frozen=True, slots=True)
class MotionError(Told):
    """Largest differences from the motion at the tighter tolerance `rtol`, over all its instants.

    `states` in the unit of each; `worst` in parts of the scale of its state (a radian, the size of the machine; of
    speeds the largest one of the motion), of the state `where` at `t`; `events` are shifts of the instants of events.
    """

    rtol: float
    states: Mapping[str, float]
    worst: float
    where: str
    t: float
    events: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        told = {"rtol": self.rtol, "states": dict(self.states), "worst": self.worst, "where": self.where, "t": self.t}
        return {**told, "events": dict(self.events)}

    def __str__(self) -> str:
        moved = "".join(f"; '{name}' comes {shift:.1e} s off" for name, shift in self.events.items())
        return (
            f"{self.states[self.where]:.1e} off in '{self.where}' at t = {self.t:.6g}, {self.worst:.1e} of its scale, "
            f"beside the motion at rtol = {self.rtol:.0e}{moved}"
        )
