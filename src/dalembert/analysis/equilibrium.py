"""An equilibrium or a steady motion, as it is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.analysis.modes import Mode
from dalembert.presentation.told import Told


@dataclass(frozen=True, slots=True)
class Equilibrium(Told):
    """One equilibrium: coordinates, modes of the small motions about it, and the verdict.

    `stability` is "unstable", "asymptotically stable", "stable" or "undecided"; `reason` names the theorem that gives
    it, or what is missing. A machine that changes with time is judged as it stands at the time `frozen_at`. `contacts`
    are the forces of the contacts that touch there, normal and tangential; small motions keep them. Where dry friction
    holds a set of postures, `ranges` are the ends to which coordinates of it may be moved, one at a time, from here.
    """

    coordinates: dict[str, float]
    speeds: dict[str, float]
    eigenvalues: tuple[complex, ...]
    modes: tuple[Mode, ...]
    stability: str
    reason: str = ""
    frozen_at: float | None = None
    contacts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __str__(self) -> str:
        place = ", ".join(f"{x} = {v:.6g}" for x, v in self.coordinates.items())
        held = [
            f"  held for any {x}"
            if math.isinf(low) and math.isinf(high)
            else f"  held for {x} from {low:.6g} to {high:.6g}"
            for x, (low, high) in self.ranges.items()
        ]
        modes = [f"  {mode}" for mode in self.modes]
        return "\n".join([f"{self.stability}: {place}", f"  {self.reason}", *held, *modes])

    def as_dict(self) -> dict[str, Any]:
        return {
            "coordinates": self.coordinates,
            "speeds": self.speeds,
            "eigenvalues": [[z.real, z.imag] for z in self.eigenvalues],
            "modes": [one.as_dict() for one in self.modes],
            "stability": self.stability,
            "reason": self.reason,
            "frozen_at": self.frozen_at,
            "contacts": {name: list(force) for name, force in self.contacts.items()},
            "ranges": {name: [x if math.isfinite(x) else None for x in ends] for name, ends in self.ranges.items()},
        }
