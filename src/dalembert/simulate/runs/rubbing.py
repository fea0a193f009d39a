"""Contacts that are kept and rub: they slide, stop, stick, and break loose again (Coulomb), several at once.

The equations hold a switch and the direction of the slip of each contact as parameters of an arc. Where a slip ends,
all contacts that do not slip are judged together: of all ways to stick or slip (`modes`) one is taken that Coulomb's
law allows. A contact sticks if the force that this takes is inside its cone of friction (where contacts share a load
that mechanics does not divide: if some division is inside all cones); else it slips in the direction d along which it
then accelerates, slip' = |slip'| d. Where a force that sticks reaches its cone, the contact slips against that force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.friction import press_name, stick_name, switch_names, that_may_stick
from dalembert.constraints.rows import Rows
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.expr.elimination import sample
from dalembert.mechanism import Coulomb
from dalembert.simulate.runs.modes import Mode, Seen, Shared, consistent_mode, shared_load
from dalembert.simulate.system.compiled import compiled
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.jump import past_jump
from dalembert.simulate.system.system import System

Array = NDArray[Any]
Parameters = Mapping[str, float]

SLOW = 0.1
"""Slip that has no other direction than the one in which it began, as a share of a slip that is none (`tolerance`).
Coulomb's direction follows a slip s as fast as force / s: from nothing on that would be as stiff as one likes."""
STILL = 1e-9
"""Slip, as the same share, at which a contact stands still where a motion starts, or where another one changes."""
_TOLERANCES = 1e3
"""Tolerances of the integration, in parts of the largest slip, within which a slip that has lost its direction is none:
that much of its other component may be error, gathered in many steps. At most `_LARGEST` of it."""
_LARGEST = 1e-4
_TIED = 1e-6
"""Share of the slack of a load that contacts share, within which several of them are at their cones together."""


def rubbing(system: System) -> Rubbing | None:
    """The machine as one that may stick: contacts with dry friction, and nothing that strikes."""
    if system.contacts:
        return None
    told, contacts = _switched(system)
    return Rubbing(told, contacts) if contacts else None


def may_stick(system: System) -> bool:
    """Is there a contact that is kept and rubs, in directions that can be told to stick?"""
    further = () if system.layout is None else system.layout.further
    slips = [len(one.reaction.slip) for one in further if isinstance(one.reaction, Coulomb)]
    return bool(slips) and max(slips) <= 2


def beside_contacts(system: System) -> System:
    """The machine with contacts that strike beside those that are kept and rub.

    What rubs is decided with all contacts (`simulate.contact.kept`): its switches are off, and formulas without
    contact forces are those of a machine without friction, which have a value where nothing slips.
    """
    return _switched(system)[0] if system.contacts else system


def _switched(system: System) -> tuple[System, tuple[_Contact, ...]]:
    """The machine with switches, all of them off, for its contacts that are kept and rub in one or two directions."""
    layout = system.layout
    if layout is None or not may_stick(system):
        return system, ()
    own = [one for one in layout.further if isinstance(one.reaction, Coulomb)]
    further = tuple(x for one in layout.further for x in (that_may_stick(one) if one in own else (one,)))
    guided = replace(layout, further=further)
    contacts = tuple(
        _Contact(one.name, switch_names(one.name, len(one.reaction.slip)))
        for one in own
        if isinstance(one.reaction, Coulomb)
    )
    told = replace(system_of(layout.model, guided), layout=layout)
    names = [name for one in contacts for name in (*one.names, one.shared)]
    return replace(told, given={**told.given, **dict.fromkeys(names, 0.0)}), contacts


@dataclass(eq=False)
class _Contact:
    """Its symbols (sticks, ways, slow), the formulas that it is watched by, and how fast it has been."""

    name: str
    names: tuple[str, ...]
    normal: Expr = ex.ZERO
    friction: Expr = ex.ZERO
    holds: tuple[Expr, ...] = ()
    slip: tuple[Expr, ...] = ()
    slow: float = 0.0
    still: float = 0.0
    fastest: float = 0.0

    @property
    def shared(self) -> str:
        """The symbol that is 1 while mechanics does not tell the force which holds it."""
        return f"{self.name}.shared"

    @property
    def directions(self) -> int:
        return len(self.names) - 2


@dataclass(eq=False)
class Rubbing:
    """The contacts of a machine: equations with switches, what they are watched for, and what they do then.

    `parameters` are those of the arc that is computed now.
    """

    system: System
    contacts: tuple[_Contact, ...]
    parameters: Parameters = field(default_factory=dict)
    tolerance: float = STILL
    dependent: bool = False
    span: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        held = self.system.constrained
        assert held is not None
        assert held.resolved is not None
        rows, resolved = held.rows, held.resolved
        moving = dict(zip(self.system.symbols, self.system.rates, strict=True)) | {ex.TIME: ex.ONE}
        stuck = {ex.symbol(one.names[0]): ex.ONE for one in self.contacts}
        told, matrix = list[Expr](), rows.matrix.rows()
        places = [k for k in range(len(rows)) if k not in rows.imperfect and k not in rows.implied]
        self._places = dict[str, tuple[int, list[int]]]()
        for one in self.contacts:
            (k,), (n,), tangents = (rows.of(x) for x in (one.name, press_name(one.name), stick_name(one.name)))
            one.slip = tuple(ex.substitute([rows.conditions[i] for i in tangents], stuck))
            one.normal = resolved.multipliers[k] + resolved.multipliers[n]
            one.holds = tuple(resolved.multipliers[i] for i in tangents)
            one.friction = rows.sliding[k].friction
            kept = [resolved.kept[i] for i in tangents]
            told += [one.normal, one.friction, *one.holds, *one.slip, *ex.tangent(one.slip, moving), *kept]
            told += ex.substitute([x for i in tangents for x in matrix[i]], stuck)
            self._places[one.name] = places.index(n), [places.index(i) for i in tangents]
        self._perfect = (len(places), len(self.system.speeds))
        told += [resolved.kept[i] for i in places] + [x for i in places for x in matrix[i]]
        told += [*self.system.mass.entries, *held.right]
        self.dependent = len(self.contacts) > 1 and self._may_share(rows, places, stuck)
        self._numbers = compiled("rubbing", self.system.symbols, self.system.known_parameters, tuple(told))

    def at(self, t: float, state: Array, mode: Mode) -> list[Seen]:
        """What the contacts would be at a state if they stuck (None), or slipped in a direction."""
        values = {**self.parameters, **self._told(mode)}
        p = np.array([values.get(name, np.nan) for name in self.system.known_parameters])
        flat, found, n = np.asarray(self._numbers([t], state, p), dtype=float), list[Seen](), self._perfect[1]
        flat, load = np.split(flat, [-n])
        flat, mass = np.split(flat, [-n * n])
        inverse = np.linalg.inv(mass.reshape(n, n))
        for one in self.contacts:
            d = one.directions
            own, flat = np.split(flat, [2 + (4 + n) * d])
            rows = own[2 + 4 * d :].reshape(d, n)
            reach = float(np.sqrt(np.einsum("ij,jk,ik->", rows, inverse, rows) * (load @ inverse @ load)))
            hold, slip, rate, kept = np.split(own[2 : 2 + 4 * d], 4)
            found.append(Seen(own[0], own[1], hold, slip, rate, kept, rows, reach))
        self._rows = flat
        return found

    def _behind(self, t: float, state: Array) -> float:
        """The instant, or just behind it where forces or friction jump in it."""
        p = np.array([self.parameters.get(name, np.nan) for name in self.system.known_parameters])
        return past_jump(lambda at: np.nan_to_num(self._numbers([at], state, p)), t, self.span)

    def _may_share(self, rows: Rows, places: Sequence[int], stuck: Mapping[Expr, Expr]) -> bool:
        """Whether all contacts together hold more than is needed: at random states, or, beside loops, at some."""
        assert self.system.layout is not None
        if self.system.layout.cuts:
            return True
        flat = ex.substitute([x for i in places for x in rows.matrix.rows()[i]], stuck)
        try:
            matrix = np.array(sample(flat, 1)).reshape(len(places), -1)
        except (ValueError, ZeroDivisionError, OverflowError):  # a root of what is negative there
            return True
        return bool(np.linalg.matrix_rank(matrix / np.linalg.norm(matrix, axis=1)[:, None]) < len(places))

    def shared(self, t: float, state: Array, mode: Mode, seen: Sequence[Seen]) -> Shared | None:
        """The loads that contacts share which stick in this mode, if mechanics does not divide them."""
        count, n = self._perfect
        kept, matrix = self._rows[:count] > 0, self._rows[count:].reshape(count, n)
        stuck = [(self._places[one.name], x) for one, x, m in zip(self.contacts, seen, mode, strict=True) if m is None]
        return shared_load(kept, matrix, stuck)

    def begin(
        self, span: tuple[float, float], y: Sequence[float], parameters: Parameters, scales: Array, rtol: float
    ) -> dict[str, float]:
        """How the contacts begin a motion: the numbers of their switches."""
        (t, _), self.span, self.parameters = span, span, parameters
        state = np.asarray(y, dtype=float)
        stuck = self.at(t, state, [None] * len(self.contacts))
        self.tolerance = max(STILL, min(_LARGEST, _TOLERANCES * rtol))
        for one, seen in zip(self.contacts, stuck, strict=True):
            sizes = np.abs(seen.rows) @ scales[len(self.system.coordinates) :]
            one.fastest = float(sizes.max())
            one.still, one.slow = STILL * one.fastest, SLOW * self.tolerance * one.fastest
        return self.decided(t, state)

    def decided(self, t: float, state: Array, stopped: _Contact | None = None) -> dict[str, float]:
        """The switches from a state on: what slips slides on, what does not sticks where friction can hold it."""
        t = self._behind(t, state)
        seen = self.at(t, state, [None] * len(self.contacts))
        mode: Mode = []
        resting = []
        for k, (one, own) in enumerate(zip(self.contacts, seen, strict=True)):
            speed = float(np.linalg.norm(own.slip))
            one.fastest = max(one.fastest, speed)
            still = self.tolerance * one.fastest if one is stopped else one.still
            mode.append(own.slip / speed if speed > still else None)
            resting += [k] if speed <= still else []
        found = consistent_mode(self, t, state, mode, resting)
        if found is None:
            names = " and ".join(f"'{self.contacts[k].name}'" for k in resting)
            raise SimulationError(
                f"contact {names} of '{self.system.name}' can neither stick nor slip at t = {t:.9g}: no reaction obeys "
                "Coulomb's law (Painleve). Use less friction."
            )
        return self._switched(t, state, found)

    def _told(self, mode: Mode) -> dict[str, float]:
        found = dict[str, float]()
        for one, way in zip(self.contacts, mode, strict=True):
            numbers = [1.0, *[0.0] * one.directions] if way is None else [0.0, *map(float, way)]
            found |= dict(zip(one.names, [*numbers, one.slow], strict=True))
        return found

    def _switched(self, t: float, state: Array, mode: Mode) -> dict[str, float]:
        """The numbers of a mode, and who shares a load in it."""
        load = self.shared(t, state, mode, self.at(t, state, mode)) if self.dependent else None
        stuck = [one for one, way in zip(self.contacts, mode, strict=True) if way is None]
        loose = {one.name for one, moves in zip(stuck, load.moves, strict=True) if moves} if load else set[str]()
        return self._told(mode) | {one.shared: float(one.name in loose) for one in self.contacts}

    def _mode(self) -> Mode:
        """That of the arc which is computed now."""
        held = [[self.parameters[x] for x in one.names] for one in self.contacts]
        return [None if sticks else np.array(way) for sticks, *way, _ in held]

    # --- events ----------------------------------------------------------------------------------------------------

    def events(self) -> list[ResolvedEvent]:
        """Where a slip ends, and where a stick does."""
        found = []
        for one in self.contacts:
            sticks, *way, _ = (ex.symbol(x) for x in one.names)
            slipping = ex.dot_product(way, list(one.slip)) + sticks
            hold = ex.sqrt(ex.dot_product(list(one.holds), list(one.holds)))
            hold = hold if one.directions > 1 else ex.absolute(one.holds[0])
            known = sticks * (1 - ex.symbol(one.shared))
            holding = known * (one.friction * ex.absolute(one.normal) - hold) + (1 - known)
            found += [
                ResolvedEvent(f"{one.name}.stops", slipping, None, 0, -1.0, self._acting(self._stops, one), True),
                ResolvedEvent(f"{one.name}.breaks", holding, None, 0, -1.0, self._acting(self._breaks, one), True),
            ]
        if self.dependent:
            names = " and ".join(one.name for one in self.contacts)
            found.append(ResolvedEvent(f"{names} break", None, self._slack, 0, -1.0, self._parts, renewed=True))
        return found

    def _acting(self, act: Callable[..., dict[str, float]], one: _Contact) -> Callable[..., dict[str, float]]:
        def then(t: float, state: dict[str, float]) -> dict[str, float]:
            new = act(t, np.array([state[x] for x in self.system.states]), one)
            self.parameters = {**self.parameters, **new}  # another contact may change at the same instant
            return new

        return then

    def _stops(self, t: float, state: Array, one: _Contact) -> dict[str, float]:
        return self.decided(t, state, one)

    def _breaks(self, t: float, state: Array, one: _Contact) -> dict[str, float]:
        mode, k, t = self._mode(), self.contacts.index(one), self._behind(t, state)
        hold = self.at(t, state, mode)[k].hold
        size = float(np.linalg.norm(hold))
        if mode[k] is not None or size == 0:
            return self.decided(t, state)
        return self._switched(t, state, [*mode[:k], -hold / size, *mode[k + 1 :]])

    def _load(self, t: float, y: Array) -> Shared | None:
        mode = self._mode()
        return self.shared(t, y, mode, self.at(t, y, mode))

    def _slack(self, t: float, y: Array) -> float:
        """How far a load that contacts share is inside their cones, in parts of it."""
        if not any(self.parameters[one.shared] for one in self.contacts):
            return 1.0
        load = self._load(t, np.asarray(y, dtype=float))
        return 1.0 if load is None else load.divided()[0]

    def _parts(self, t: float, state: dict[str, float]) -> dict[str, float]:
        """Contacts that share a load and are at their cones slip together."""
        reached, mode = np.array([state[x] for x in self.system.states]), self._mode()
        t = self._behind(t, reached)
        load = self._load(t, reached)
        if load is None:
            return self.decided(t, reached)
        least, slacks, holds = load.divided()
        stuck = [k for k, way in enumerate(mode) if way is None]
        for k, slack, hold, moves in zip(stuck, slacks, holds, load.moves, strict=True):
            if moves and slack <= least + _TIED:
                mode[k] = -hold / np.linalg.norm(hold)
        new = self._switched(t, reached, mode)
        self.parameters = {**self.parameters, **new}
        return new

    def followed(self, event: ResolvedEvent) -> ResolvedEvent:
        """An event of the user's that changes something: the contacts are judged anew after it."""
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
            return {**new, **self.decided(t, reached)}

        return replace(event, then=both)

    def switching(self, switch: Callable[[Parameters], Parameters]) -> Callable[[Parameters], Parameters]:
        def noted(changes: Parameters) -> Parameters:
            self.parameters = switch(changes)
            return self.parameters

        return noted
