"""What contacts have done: states over time, forces, impulses, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Phase:
    """A contact in one state (open, closed, stick, slip) from a time to a time."""

    contact: str
    state: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Strike:
    """An impulse: of an impact, or of a step of time stepping (`step` its length; 0 for an impact)."""

    t: float
    contact: str
    normal: float
    tangential: tuple[float, ...] = ()
    step: float = 0.0


@dataclass(eq=False)
class ContactLog:
    """Phases, impulses and named events of all contacts of a motion."""

    names: tuple[str, ...]
    strikes: list[Strike] = field(default_factory=list)
    events: list[tuple[float, str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    _changes: list[list[tuple[float, str]]] = field(default_factory=list)
    _last: float = -np.inf

    def __post_init__(self) -> None:
        self._changes = [[] for _ in self.names]

    def impulse(self, t: float, contacts: Sequence[int], pulses: Sequence[Array], step: float = 0.0) -> None:
        for i, pulse in zip(contacts, pulses, strict=True):
            if pulse[0] > 0:
                self.strikes.append(Strike(t, self.names[i], float(pulse[0]), tuple(map(float, pulse[1:])), step))

    def state(self, t: float, states: Mapping[int, str]) -> None:
        """The state of contacts from `t` on (events), or during the step that ends at `t` (time stepping)."""
        for i, state in states.items():
            if not self._changes[i] or self._changes[i][-1][1] != state:
                self._changes[i].append((t, state))
        self._last = max(self._last, t)

    def event(self, t: float, contact: str, what: str) -> None:
        self.events.append((t, contact, what))

    def remark(self, text: str) -> None:
        if text and text not in self.remarks:
            self.remarks.append(text)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Every contact's states, one after the other."""
        found = []
        for name, changes in zip(self.names, self._changes, strict=True):
            ends = [*(t for t, _ in changes[1:]), self._last]
            found += [Phase(name, state, t, end) for (t, state), end in zip(changes, ends, strict=True)]
        return tuple(found)

    def impulses(self, contact: str) -> tuple[Strike, ...]:
        """The impulses of one contact, in order of time."""
        return tuple(strike for strike in self.strikes if strike.contact == contact)

    def times(self) -> dict[str, Array]:
        """Times of events by `contact.what`: impact, closes, opens, sticks, slips, grazes, accumulation, jam."""
        found: dict[str, list[float]] = {}
        for t, contact, what in self.events:
            found.setdefault(f"{contact}.{what}", []).append(t)
        return {name: np.array(times) for name, times in found.items()}
