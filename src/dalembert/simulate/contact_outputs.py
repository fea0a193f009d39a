"""What a motion tells of its contacts: `floor.gap`, `floor.rate`, `floor.slip`, `floor.force`, `floor.friction`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.rows import ContactRow
from dalembert.errors import SimulationError
from dalembert.expr import Expr

if TYPE_CHECKING:
    from dalembert.simulate.motion import Motion

Array = NDArray[np.float64]
FORCES = ("force", "friction", "friction2")


class WithContacts(Mapping[str, Expr]):
    """The outputs of a machine, and gaps, rates and slips of its contacts."""

    def __init__(self, outputs: Mapping[str, Expr], contacts: tuple[ContactRow, ...]) -> None:
        self.outputs, self.own = outputs, dict[str, Expr]()
        for one in contacts:
            self.own |= {f"{one.name}.gap": one.gap, f"{one.name}.rate": one.rate}
            for k, slip in enumerate(one.slips):
                self.own[f"{one.name}.slip{k + 1 if k else ''}"] = slip.value

    def __getitem__(self, name: str) -> Expr:
        return self.own[name] if name in self.own else self.outputs[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.outputs

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self.outputs

    def __len__(self) -> int:
        return len(self.own) + len(self.outputs)


def asks_force(motion: Motion, name: str) -> bool:
    """Is it the force of a contact?"""
    contact, _, what = name.rpartition(".")
    return what in FORCES and any(one.name == contact for one in motion.system.contacts)


def force_along(motion: Motion, name: str) -> Array:
    """A contact force at each time of a motion; of time stepping, the impulse of the step over its length."""
    contact, _, what = name.rpartition(".")
    names = [one.name for one in motion.system.contacts]
    i, part = names.index(contact), FORCES.index(what)
    places, count = list[int](), 0
    for one in motion.system.contacts:
        places.append(count)
        count += len(one.slips)
    if part > len(motion.system.contacts[i].slips):
        raise SimulationError(f"contact '{contact}' has no '{what}': it rubs in fewer directions.")
    log = motion.contacts
    if log is not None and any(strike.step for strike in log.strikes):
        found = {round(s.t / s.step): (s.normal, *s.tangential)[part] / s.step for s in log.impulses(contact) if s.step}
        step = next(s.step for s in log.strikes if s.step)
        return np.array([found.get(round(t / step), 0.0) for t in motion.t])
    return np.concatenate([_on(arc, i, part, places[i]) for arc in motion.arcs])


def _on(arc: Any, i: int, part: int, place: int) -> Array:
    if arc.contacts is None or not len(arc.t):
        return np.zeros(len(arc.t))
    normal, tangential = arc.contacts.forces(arc.t, arc.y)
    found: Array = normal[i] if part == 0 else tangential[place + part - 1]
    return found
