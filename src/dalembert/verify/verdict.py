"""What was checked of a model, what was found, and what was not checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dalembert.presentation.told import Told

AGREES, DISAGREES, UNCHECKED = "agrees", "disagrees", "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """One road: `found` is its verdict, `told` says by what, `difference` is the largest one seen, dimensionless."""

    name: str
    found: str
    told: str
    difference: float | None = None

    @classmethod
    def within(cls, name: str, difference: float, most: float, told: str) -> Check:
        """Agreement up to `most`; what is not a number disagrees."""
        return cls(name, AGREES if difference <= most else DISAGREES, told, difference)

    @classmethod
    def left_out(cls, name: str, why: str) -> Check:
        return cls(name, UNCHECKED, why)

    def __str__(self) -> str:
        size = "" if self.difference is None else f" ({self.difference:.1e})"
        return f"{self.found:12} {self.name}{size}: {self.told}"


@dataclass(frozen=True, slots=True)
class Verdict(Told):
    """All checks of one model; it `agrees` if none disagrees and some were made."""

    model: str
    checks: tuple[Check, ...]

    @property
    def agrees(self) -> bool:
        found = [check.found for check in self.checks]
        return AGREES in found and DISAGREES not in found

    @property
    def disagreements(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.found == DISAGREES)

    @property
    def unchecked(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.found == UNCHECKED)

    def as_dict(self) -> dict[str, Any]:
        return {"model": self.model, "agrees": self.agrees, "checks": [asdict(check) for check in self.checks]}

    def __str__(self) -> str:
        made = sum(check.found == AGREES for check in self.checks)
        wrong = len(self.disagreements)
        said = f"{wrong} of {made + wrong} checks disagree" if wrong else f"all {made} checks agree"
        left = f", {len(self.unchecked)} could not be made" if self.unchecked else ""
        return "\n".join([f"{self.model}: {said}{left}", *(f"  {check}" for check in self.checks)])
