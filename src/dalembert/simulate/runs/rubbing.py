"""A contact that is kept and rubs: it slides, stops, sticks, and breaks loose again (Coulomb).

The equations hold a switch and the direction of the slip as parameters of an arc. Where the slip ends the contact
sticks if the force that this takes is inside the cone of friction; else it slips on, in the direction d along which it
then accelerates: slip'(d) = |slip'| d. Where a force that sticks reaches the cone, it slips against that force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.friction import stick_name, switch_names, that_may_stick
from dalembert.errors import SimulationError
from dalembert.mechanism import Coulomb
from dalembert.simulate.system.compiled import compiled
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System

Array = NDArray[Any]
Parameters = Mapping[str, float]

SLOW = 1e-12
"""Slip, as a share of what the machine's own speeds make of it, that has no direction yet: above rounding, far below
what is seen."""
STILL = 1e-9
"""Slip, as the same share, at which the contact stands still where a motion starts."""
_TOLERANCES = 1e3
"""Tolerances of the integration, in parts of the largest slip, within which a slip that has lost its direction is none:
that much of its other component may be error, gathered in many steps. At most `_LARGEST` of it."""
_LARGEST = 1e-4
_MARGIN = 1e-12
"""Share of the normal force by which friction may be over its cone: rounding of the solve."""
_MOVED = 1e-6
"""Share of the acceleration without friction that is left to a slip which does not count as a condition of its own."""
_DIRECTIONS = 72
"""Directions that are looked through for the ones in which a slip in two components can begin."""
_HALVINGS = 60


def rubbing(system: System) -> Rubbing | None:
    """The machine as one that may stick: one contact with dry friction, and nothing that strikes."""
    layout = system.layout
    if layout is None or system.contacts:
        return None
    own = [one for one in layout.further if isinstance(one.reaction, Coulomb)]
    if len(own) != 1:
        return None
    (contact,) = own
    assert isinstance(contact.reaction, Coulomb)
    if len(contact.reaction.slip) > 2:
        return None
    further = tuple(x for one in layout.further for x in (that_may_stick(one) if one is contact else (one,)))
    guided = replace(layout, further=further)
    names = switch_names(contact.name, len(contact.reaction.slip))
    told = replace(system_of(layout.model, guided), layout=layout)
    return Rubbing(replace(told, given={**told.given, **dict.fromkeys(names, 0.0)}), contact.name, names)


@dataclass(eq=False)
class Rubbing:
    """One contact: its equations with a switch, what it is watched for, and what it does then.

    `parameters` are those of the arc that is computed now.
    """

    system: System
    contact: str
    names: tuple[str, ...]
    parameters: Parameters = field(default_factory=dict)
    slow: float = 0.0
    fastest: float = 0.0
    tolerance: float = STILL

    def __post_init__(self) -> None:
        held = self.system.constrained
        assert held is not None
        assert held.resolved is not None
        rows = held.rows
        (k,), places = rows.of(self.contact), rows.of(stick_name(self.contact))
        self.directions = len(places)
        sticks = ex.symbol(self.names[0])
        slip = ex.substitute([rows.conditions[i] for i in places], {sticks: ex.ONE})
        moving = dict(zip(self.system.symbols, self.system.rates, strict=True)) | {ex.TIME: ex.ONE}
        matrix = ex.substitute([x for i in places for x in rows.matrix.rows()[i]], {sticks: ex.ONE})
        normal, holds = held.resolved.multipliers[k], [held.resolved.multipliers[i] for i in places]
        friction = rows.sliding[k].friction
        self._slip, self._normal, self._holds, self._mu = slip, normal, holds, friction
        kept = [held.resolved.kept[i] for i in places]
        told = [normal, friction, *holds, *slip, *ex.tangent(slip, moving), *kept, *matrix]
        self._numbers = compiled("rubbing", self.system.symbols, self.system.known_parameters, tuple(told))

    def at(self, t: float, state: Array, mode: Sequence[float]) -> _Seen:
        """What it would be at a state if it stuck, or slipped in a direction."""
        values = {**self.parameters, **dict(zip(self.names, [*mode, self.slow], strict=True))}
        p = np.array([values.get(name, np.nan) for name in self.system.known_parameters])
        flat = np.asarray(self._numbers([t], state, p), dtype=float)
        d = self.directions
        return _Seen(flat[0], flat[1], *(flat[2 + k * d : 2 + (k + 1) * d] for k in range(4)))

    def begin(
        self, t: float, y: Sequence[float], parameters: Parameters, scales: Array, rtol: float
    ) -> dict[str, float]:
        """How the contact begins: the numbers of its switch."""
        self.parameters = parameters
        state = np.asarray(y, dtype=float)
        p = np.array([parameters.get(name, np.nan) for name in self.system.known_parameters])
        flat = np.asarray(self._numbers([t], state, p), dtype=float)
        rows = np.abs(flat[2 + 4 * self.directions :]).reshape(self.directions, -1)
        size = float((rows @ scales[len(self.system.coordinates) :]).max())
        self.slow, self.fastest, self.tolerance = SLOW * size, size, max(STILL, min(_LARGEST, _TOLERANCES * rtol))
        return self.decided(t, state, STILL * size)

    def decided(self, t: float, state: Array, still: float) -> dict[str, float]:
        """The switch from a state on: it slides if it slips, else it sticks where friction can hold it."""
        stuck = self.at(t, state, self._sticking)
        speed = float(np.linalg.norm(stuck.slip))
        self.fastest = max(self.fastest, speed)
        if speed > still:
            return self._told(stuck.slip / speed)
        if not stuck.kept.all():
            freely = float(np.linalg.norm(self.at(t, state, [0.0] * (1 + self.directions)).rate))
            pace = float(np.linalg.norm(stuck.rate))
            if pace > _MOVED * freely:  # at a dead centre the other constraints move it, and no friction holds it
                return self._told(stuck.rate / pace)
        if stuck.excess <= _MARGIN * abs(stuck.normal) * stuck.friction:
            return self._told(None)
        return self._told(self._breaking(t, state, stuck))

    @property
    def _sticking(self) -> list[float]:
        return [1.0, *[0.0] * self.directions]

    def _told(self, way: Array | None) -> dict[str, float]:
        numbers = self._sticking if way is None else [0.0, *map(float, way)]
        return dict(zip(self.names, [*numbers, self.slow], strict=True))

    def _breaking(self, t: float, state: Array, stuck: _Seen) -> Array:
        """The direction in which it slips from rest: that of its acceleration with friction against it."""
        likely = -stuck.hold / np.linalg.norm(stuck.hold)
        if self.directions == 1:
            ways = [w for w in (likely, -likely) if float(self.at(t, state, [0.0, *w]).rate @ w) > 0]
        else:
            ways = self._angles(t, state)
        if not ways:
            raise SimulationError(
                f"contact '{self.contact}' of '{self.system.name}' can neither stick nor slip at t = {t:.9g}: no "
                "reaction obeys Coulomb's law (Painleve). Use less friction."
            )
        return max(ways, key=lambda w: float(w @ likely))

    def _angles(self, t: float, state: Array) -> list[Array]:
        """Directions d with slip' along d: changes of sign of the cross product, halved."""

        def seen(angle: float) -> tuple[Array, float, float]:
            way = np.array([np.cos(angle), np.sin(angle)])
            a = self.at(t, state, [0.0, *way]).rate
            return way, float(way[0] * a[1] - way[1] * a[0]), float(way @ a)

        angles = np.linspace(0.1, 0.1 + 2 * np.pi, _DIRECTIONS + 1)
        turns, found = [seen(x)[1] for x in angles], list[Array]()
        for a, b, left, right in zip(angles[:-1], angles[1:], turns[:-1], turns[1:], strict=True):
            if left * right > 0:
                continue
            for _ in range(_HALVINGS):
                middle = (a + b) / 2
                a, b = (middle, b) if seen(middle)[1] * left > 0 else (a, middle)
            way, _, along = seen((a + b) / 2)
            found += [way] if along > 0 else []
        return found

    # --- events ----------------------------------------------------------------------------------------------------

    def events(self) -> list[ResolvedEvent]:
        """Where a slip ends, and where a stick does."""
        sticks, *way, _ = (ex.symbol(x) for x in self.names)
        slipping = ex.dot_product(way, self._slip) + sticks
        hold = ex.sqrt(ex.dot_product(self._holds, self._holds)) if self.directions > 1 else ex.absolute(self._holds[0])
        holding = sticks * (self._mu * ex.absolute(self._normal) - hold) + (1 - sticks)
        return [
            ResolvedEvent(f"{self.contact}.stops", slipping, None, 0, -1.0, self._stops, renewed=True),
            ResolvedEvent(f"{self.contact}.breaks", holding, None, 0, -1.0, self._breaks, renewed=True),
        ]

    def _stops(self, t: float, state: dict[str, float]) -> dict[str, float]:
        return self.decided(t, np.array([state[x] for x in self.system.states]), self.tolerance * self.fastest)

    def _breaks(self, t: float, state: dict[str, float]) -> dict[str, float]:
        reached = np.array([state[x] for x in self.system.states])
        hold = self.at(t, reached, self._sticking).hold
        size = float(np.linalg.norm(hold))
        return self._told(-hold / size) if size > 0 else self.decided(t, reached, self.tolerance * self.fastest)

    def followed(self, event: ResolvedEvent) -> ResolvedEvent:
        """An event of the user's that changes something: the contact is judged anew after it."""
        then = event.then
        if then is None:
            return event

        def both(t: float, state: dict[str, float]) -> dict[str, float]:
            if isinstance(then, Mapping):
                known = {ex.symbol(k): v for k, v in {**self.parameters, **state}.items()}
                found = ex.evaluate(list(then.values()), {**known, ex.TIME: t})
                new = dict(zip(then, map(float, found), strict=True))
            else:
                new = {name: float(value) for name, value in dict(then(t, state) or {}).items()}
            before, after = self.parameters, {**state, **new}
            self.parameters = {**before, **{k: v for k, v in new.items() if k not in state}}
            reached = np.array([after[x] for x in self.system.states])
            return {**new, **self.decided(t, reached, STILL / SLOW * self.slow)}

        return replace(event, then=both)

    def switching(self, switch: Callable[[Parameters], Parameters]) -> Callable[[Parameters], Parameters]:
        def noted(changes: Parameters) -> Parameters:
            self.parameters = switch(changes)
            return self.parameters

        return noted


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Of a contact at a state: normal reaction, coefficient, what holds it, slip, its rate, which rows of it count."""

    normal: float
    friction: float
    hold: Array
    slip: Array
    rate: Array
    kept: Array

    @property
    def excess(self) -> float:
        """How far the force that holds it is outside the cone."""
        return float(np.linalg.norm(self.hold)) - self.friction * abs(self.normal)
