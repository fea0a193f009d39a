"""What contacts have done: states over time, forces, impulses with their work, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

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
    """An impulse: of an impact, or of a step of time stepping (`step` its length; 0 for an impact).

    `work` is what it gives to the machine, P (u- + u+)/2 with the speeds of its rows before and after: negative where
    energy is lost. Of contacts that are struck together only the sum is a change of energy.
    """

    t: float
    contact: str
    normal: float
    tangential: tuple[float, ...] = ()
    step: float = 0.0
    work: float = 0.0


@dataclass(eq=False)
class ContactLog:
    """Phases, impulses and named events of all contacts of a motion."""

    crowd: ClassVar[bool] = False
    """Is it that of a crowd, whose contacts have no names of their own?"""

    names: tuple[str, ...]
    strikes: list[Strike] = field(default_factory=list)
    events: list[tuple[float, str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    _changes: list[list[tuple[float, str]]] = field(default_factory=list)
    _last: float = -np.inf

    def __post_init__(self) -> None:
        self._changes = [[] for _ in self.names]

    def impulse(
        self, t: float, contacts: Sequence[int], pulses: Sequence[Array], works: Sequence[float], step: float = 0.0
    ) -> None:
        for i, pulse, work in zip(contacts, pulses, works, strict=True):
            if pulse[0]:  # that of a constraint that rubs may pull
                along = tuple(map(float, pulse[1:]))
                self.strikes.append(Strike(t, self.names[i], float(pulse[0]), along, step, float(work)))

    def state(self, t: float, states: Mapping[int, str]) -> None:
        """The state of contacts from `t` on (events), or during the step that ends at `t` (time stepping)."""
        for i, state in states.items():
            if not self._changes[i] or self._changes[i][-1][1] != state:
                self._changes[i].append((t, state))
        self._last = max(self._last, t)

    def steps(self, t: Array, pulses: Array, works: Array, tangents: Sequence[Sequence[int]], step: float) -> None:
        """Steps of time stepping that end at the times t: impulses (normals, then slips) and works, a row for each."""
        count = len(self.names)
        pushing = pulses[:, :count] > 0
        along = [[count + place for place in places] for places in tangents]
        ends, rows = t.tolist(), pulses.tolist()
        for k, i in zip(*(x.tolist() for x in np.nonzero(pushing)), strict=True):
            row = rows[k]
            sliding = tuple([row[j] for j in along[i]])
            self.strikes.append(Strike(ends[k], self.names[i], row[i], sliding, step, float(works[k, i])))
        for i in range(count):
            changed = np.flatnonzero(np.diff(pushing[:, i], prepend=not pushing[0, i]))
            for k in changed.tolist():
                self.state(ends[k], {i: "closed" if pushing[k, i] else "open"})
        self._last = max(self._last, ends[-1])

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

    def as_dict(self) -> dict[str, Any]:
        """Everything in it as plain data; `from_dict` reads it."""
        return {
            "names": list(self.names),
            "impulses": [asdict(strike) for strike in self.strikes],
            "events": [list(event) for event in self.events],
            "remarks": list(self.remarks),
            "states": [[list(change) for change in changes] for changes in self._changes],
            "until": self._last if np.isfinite(self._last) else None,
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> ContactLog:
        """The log that `as_dict` wrote."""
        strikes = [Strike(**{**one, "tangential": tuple(one["tangential"])}) for one in told["impulses"]]
        events = [(float(t), contact, what) for t, contact, what in told["events"]]
        found = cls(tuple(told["names"]), strikes, events, list(told["remarks"]))
        found._changes = [[(float(t), state) for t, state in changes] for changes in told["states"]]
        found._last = -np.inf if told["until"] is None else float(told["until"])
        return found

    def followed_by(self, other: ContactLog) -> ContactLog:
        """This log, then the one of a motion that begins where this one ends."""
        found = ContactLog.from_dict(self.as_dict())
        found.strikes += other.strikes
        found.events += other.events
        for remark in other.remarks:
            found.remark(remark)
        for i, changes in enumerate(other._changes):
            for t, state in changes:
                found.state(t, {i: state})
        found._last = max(self._last, other._last)
        return found
