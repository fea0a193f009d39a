"""Postures of an arm, and what is known of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.arms.closed import ClosedStep


@dataclass(frozen=True, slots=True)
class ArmPosture:
    """Coordinates that reach. `free`: those that could have any value; `outside`: limits and contacts not kept.

    `idle`: motions that leave the tip where it is for a moment, directions in which the arm is singular.
    """

    coordinates: Mapping[str, float]
    error: float
    free: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = ", ".join(f"{name} = {value:.6g}" for name, value in self.coordinates.items())
        notes = [f"singular: a motion of {', '.join(self.idle)} leaves the tip at rest"] if self.idle else []
        notes += [f"{', '.join(self.free)} chosen: any value serves"] if self.free else []
        notes += [f"outside the limit {', '.join(self.outside)}"] if self.outside else []
        return f"{said}{''.join(f'; {x}' for x in notes)}"


@dataclass(frozen=True)
class InverseKinematics:
    """Postures that reach a target, and whether they are all.

    `method` is "closed form", "resultant" or "search"; `complete` whether these are all postures, `why` what says so.
    `formulas`: the closed form, where there is one.
    """

    arm: str
    postures: tuple[ArmPosture, ...]
    method: str
    complete: bool
    why: str
    formulas: tuple[ClosedStep, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.postures)

    def __getitem__(self, number: int) -> ArmPosture:
        return self.postures[number]

    def __iter__(self) -> Iterator[ArmPosture]:
        return iter(self.postures)

    @property
    def within(self) -> tuple[ArmPosture, ...]:
        """Those that keep the limits of their joints."""
        return tuple(one for one in self.postures if not one.outside)

    def __str__(self) -> str:
        count = f"{len(self)} posture{'s' * (len(self) != 1)}" if self.postures else "no posture"
        head = f"{count} of '{self.arm}' reach{'es' * (len(self) < 2)} the target ({self.method}): {self.why}"
        return "\n".join([head, *(f"  {i}: {one}" for i, one in enumerate(self.postures, 1))])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        told = [
            {
                "coordinates": dict(one.coordinates),
                "error": one.error,
                "free": list(one.free),
                "outside": list(one.outside),
                "singular": list(one.idle),
            }
            for one in self.postures
        ]
        formulas = [str(one) for one in self.formulas]
        same = {"method": self.method, "complete": self.complete, "why": self.why}
        return {"postures": told, **same, "formulas": formulas}
