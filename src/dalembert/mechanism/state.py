"""The state of a mechanism: one order of its coordinates and speeds, in every exit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.mechanism.displacement import QuaternionTurn
from dalembert.mechanism.link import Link

Quaternion = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class State:
    """y = (coordinates, speeds): coordinates of the tree, then own coordinates of constraints, then speeds of the tree.

    `own` counts the coordinates of constraints (cut links first); `quaternions` are groups of four coordinates on a
    unit sphere.
    """

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    own: int = 0
    quaternions: tuple[Quaternion, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of y, in order."""
        return (*self.coordinates, *self.speeds)

    @property
    def own_coordinates(self) -> tuple[str, ...]:
        """Coordinates that follow from the others where the loops are closed."""
        return self.coordinates[len(self.coordinates) - self.own :]

    def __len__(self) -> int:
        return len(self.coordinates) + len(self.speeds)


class Moment(dict[str, float]):
    """The named state of a motion at one time, `t` included; `parameters` are the numbers that the motion had."""

    def __init__(self, values: Mapping[str, float], parameters: Mapping[str, float]) -> None:
        super().__init__(values)
        self.parameters = dict(parameters)


def state_of(tree: Iterable[Link], cut: Iterable[Link], further: Iterable[str] = ()) -> State:
    """The state of a mechanism whose tree, cut links and further coordinates of constraints are known."""
    principal, closing = list(tree), list(cut)
    followed = (*(x for link in closing for x in link.coordinates), *further)
    return State(
        (*(x for link in principal for x in link.coordinates), *followed),
        tuple(x for link in principal for x in link.speeds),
        len(followed),
        tuple(group for link in (*principal, *closing) for group in _quaternions(link)),
    )


def _quaternions(link: Link) -> list[Quaternion]:
    moving = {ex.symbol(x) for x in link.coordinates}
    found = []
    for step in link.placed_steps():
        for one in step.displacement.turns:
            if isinstance(one, QuaternionTurn) and set(one.components) <= moving:
                a, b, c, d = (x.name for x in one.components)
                found.append((a, b, c, d))
    return found
