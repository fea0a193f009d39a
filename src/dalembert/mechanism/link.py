"""Links: a joint between two frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dalembert import expr as ex
from dalembert.mechanism.body import Frame
from dalembert.mechanism.joint import Joint, Step, renaming


@dataclass(frozen=True)
class Link:
    """A joint between two frames; its displacement carries the first to the second."""

    name: str
    first: Frame
    second: Frame
    joint: Joint

    def __str__(self) -> str:
        freedom = ", ".join(self.coordinates) or "no freedom"
        return f"{self.name}: {self.first.body} to {self.second.body} ({freedom})"

    def coordinate_name(self, parameter: str) -> str:
        return f"{self.name}.{parameter}"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names in the whole mechanism: `elbow.th`."""
        return tuple(self.coordinate_name(x) for x in self.joint.parameters)

    @property
    def speeds(self) -> tuple[str, ...]:
        return tuple(self.coordinate_name(x) for names in self.joint.speed_names_by_step() for x in names)

    def placed_steps(self) -> tuple[Step, ...]:
        """The joint's steps, written in the mechanism's coordinates."""
        return self._placed

    @cached_property
    def _placed(self) -> tuple[Step, ...]:
        names = renaming(dict(zip(self.joint.parameters, self.coordinates, strict=True)))
        return tuple(step.substitute(names) for step in self.joint.steps)

    def placed_efforts(self) -> dict[str, ex.Expr]:
        """Known efforts on coordinates, by the coordinate's name in the mechanism."""
        names = renaming(dict(zip(self.joint.parameters, self.coordinates, strict=True)))
        own = dict(self.joint.efforts)
        written = ex.substitute(list(own.values()), names)
        return {self.coordinate_name(x): effort for x, effort in zip(own, written, strict=True)}
