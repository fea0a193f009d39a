"""Contacts that stay as they are for a while: which are closed, stick or slip, and the equations that hold then."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.rows import SLIDING
from dalembert.simulate.contact.machine import ContactMachine, Instant
from dalembert.simulate.contact.metric import lengths, rank
from dalembert.simulate.loop.callback import Callback

Array = NDArray[Any]

NEAR = 1e-12
"""A closed gap is brought back when it is more than this share of its size."""
JAM = 1e-9
"""W_nn - mu W_nt.d of a slipping contact, as a share of W_nn, below which it jams (Painleve)."""
_ROOM = 1e-6
"""Share of its bound by which friction that gave way must be inside to hold after all; of a force."""
_BOUND = 1e-12
"""Share of its bound beyond which friction gives way: what is exactly at it holds, whatever rounding says."""
_GRAIN = 1e-14
"""A gap of this share of its size, or less, is not told from none: some digits more than its formula has."""
_POINTER = ctypes.POINTER(ctypes.c_double)


@dataclass(frozen=True, eq=False)
class Mode:
    """Closed contacts with the forces they started with; what of them sticks; what slips, with its direction.

    `stick`, `slip` and `hold` (the friction that sticks at first) are of rubs: a contact may slide and not drill.
    `slack` are forces below which a contact that began without any opens: rounding does not open it. Where forces are
    one of many, those of the motion are the nearest to the ones it started with. `sides` are those (1, -1) from which
    contacts that are kept are pushed: forces are along their normals turned to them.
    """

    closed: tuple[int, ...] = ()
    stick: tuple[int, ...] = ()
    slip: Mapping[int, Array] = field(default_factory=dict)
    first: Mapping[int, float] = field(default_factory=dict)
    hold: Mapping[int, Array] = field(default_factory=dict)
    slack: Mapping[int, float] = field(default_factory=dict)
    sides: Mapping[int, float] = field(default_factory=dict)

    def state(self, i: int, machine: ContactMachine) -> str:
        """Of a contact: what its sliding does."""
        if i not in self.closed:
            return "open"
        sliding = [k for k in machine.rubs_of[i] if machine.rubs[k].kind == SLIDING]
        return "closed" if not sliding else "slip" if sliding[0] in self.slip else "stick"


@dataclass(frozen=True, eq=False)
class Solved:
    """Accelerations and contact forces at an instant: normal by contact, tangential by tangent."""

    accelerations: Array
    normal: Array
    tangential: Array


class Regime:
    """A machine in one mode, behind addresses that the compiled loops call.

    `since` is just behind a jump of the forces at which the motion begins: in it they are not yet what follows.
    """

    def __init__(
        self, machine: ContactMachine, mode: Mode, parameters: Array, sizes: Array, since: float = -np.inf
    ) -> None:
        self.machine, self.mode, self.p, self.sizes, self.since = machine, mode, parameters, sizes, since
        self.held = [place for k in mode.stick for place in machine.rubs[k].places]
        self.closed = [i for i in mode.closed if i not in machine.pressed]
        self.pressed = [i for i in mode.closed if i in machine.pressed]
        self.edged = [i for i in mode.closed if machine.contacts[i].edged]
        slipping = dict.fromkeys(machine.rubs[k].contact for k in mode.slip)
        self.sliding = [i for i in slipping if i not in machine.pressed]
        self.features: Array | None = None
        self.room: Array = np.zeros(len(machine.names))
        self.before = np.array([*(mode.first[i] for i in self.closed), *(x for k in mode.stick for x in mode.hold[k])])
        self.regular: bool | None = None
        self.full = False
        self.rates = Callback(self._rates, machine.size, machine.size)
        self.project = Projection(self)

    def direction(self, now: Instant, k: int) -> Array:
        """Where what slips does; beyond a stop it is continued, so that a step that passes it stays smooth."""
        places = self.machine.rubs[k].places
        first, slip = self.mode.slip[k], now.slip[places]
        size = float(np.sqrt(slip @ slip))
        along = float(slip @ first)
        if len(first) == 1 or size <= 1e-10 * now.slip_scales[places[0]] or along == 0:
            return first
        return slip / size * np.sign(along)

    def solve(self, now: Instant) -> Solved:
        machine, mode = self.machine, self.mode
        now = now.seen_from(mode.sides)
        rows = np.concatenate([now.normal[self.closed], now.tangent[self.held]])
        pushes, free, rubbed = rows.copy(), now.free, np.zeros(len(now.free))
        directions = {k: self.direction(now, k) for k in mode.slip}
        for k, d in directions.items():
            if (i := machine.rubs[k].contact) in machine.pressed:  # a known effort
                rubbed -= now.friction[k] * now.press[i] * (d @ now.tangent[machine.rubs[k].places])
                continue
            place = self.closed.index(machine.rubs[k].contact)
            pushes[place] -= now.friction[k] * (d @ now.tangent[machine.rubs[k].places])
        wanted = np.concatenate([now.least[self.closed], now.slip_gamma[self.held]])
        if rubbed.any():
            free = free + now.compliance @ rubbed
        raised = now.compliance @ pushes.T
        missing = wanted - rows @ free
        matrix = rows @ raised
        if self.regular is None:
            whole = np.concatenate([rows, now.matrix[now.kept]])
            self.regular = not len(matrix) or rank(matrix) == len(matrix)
            self.full = bool(len(whole)) and rank(whole @ np.linalg.cholesky(now.inverse)) == len(free)
        if self.regular:
            forces = np.linalg.solve(matrix, missing)
        else:
            gone = [len(self.closed) + k for k, place in enumerate(self.held) if machine.vanished(now, [place])]
            sizes = lengths(now.inverse, rows)
            sizes[gone] = np.inf
            left, units = (missing - matrix @ self.before) / sizes, matrix / np.outer(sizes, sizes)
            forces = self.before + np.linalg.lstsq(units, left, rcond=1e-11)[0] / sizes
        a = free + raised @ forces
        if self.full and not wanted.any() and not now.gamma[now.kept].any():
            a = np.zeros_like(a)  # nothing is left to move: rest is exact
        normal, tangential = np.zeros(len(now.gap)), np.zeros(len(now.slip))
        normal[self.closed], normal[self.pressed] = forces[: len(self.closed)], now.press[self.pressed]
        tangential[self.held] = forces[len(self.closed) :]
        for k, d in directions.items():
            tangential[machine.rubs[k].places] = -now.friction[k] * normal[machine.rubs[k].contact] * d
        return Solved(a, normal, tangential)

    def _rates(self, t: float, y: Array) -> Array:
        t = max(t, self.since)
        now = self.machine.at(t, y, self.p)
        flow = self.machine.flow(t, y[: self.machine.coordinates], self.p, now.speeds)
        try:
            return np.concatenate([flow, self.solve(now).accelerations])
        except np.linalg.LinAlgError:  # a trial far beyond where the machine is: the step is refused
            return np.full(len(y), np.nan)

    def begin(self, now: Instant, leaving: Array) -> None:
        """Remember faces; contacts that are `leaving` without a speed have room, so that rounding is no impact."""
        self.features = now.feature[self.edged]
        self.room[leaving] = NEAR * self.sizes[leaving]

    def watched(self) -> list[tuple[int, str]]:
        """What may end the mode: contact (of `hold` and `slip`: rub) and kind, in the order of `values`."""
        found = [(i, "gap") for i in range(len(self.machine.names)) if i not in self.mode.closed]
        found += [(i, "force") for i in self.closed]
        found += [(k, "hold") for k in self.mode.stick]
        found += [(k, "slip") for k in self.mode.slip]
        found += [(i, "jam") for i in self.sliding]
        found += [(i, "edge") for i in self.edged]
        return found

    def values(self, t: float, y: Array) -> Array:
        plain = self.machine.at(max(t, self.since), y, self.p)
        now, done = plain.seen_from(self.mode.sides), self.solve(plain)
        gaps = now.gap + self.room
        begun = (now.rate > 0) & (np.abs(gaps) < _GRAIN * self.sizes)  # what leaves does not close in its rounding
        gaps = np.delete(np.where(begun, _GRAIN * self.sizes, gaps), list(self.mode.closed))
        rubs = self.machine.rubs
        sizes = {k: float(np.linalg.norm(done.tangential[rubs[k].places])) for k in self.mode.stick}
        # forces that are one of many are as large as they happen to be: their bound is no place to rest at
        most = 1 + _BOUND if self.regular else 1.0
        hold = [
            most * now.static[k] * done.normal[rubs[k].contact] - size + self.mode.slack.get(rubs[k].contact, 0.0)
            for k, size in sizes.items()
        ]
        slip = [float(now.slip[rubs[k].places] @ first) for k, first in self.mode.slip.items()]
        jam = []
        for i in self.sliding:
            push = now.normal[i].copy()
            for k in self.mode.slip:
                if rubs[k].contact == i:
                    push -= now.friction[k] * (self.direction(now, k) @ now.tangent[rubs[k].places])
            own = float(now.normal[i] @ now.compliance @ now.normal[i])
            jam.append(float(now.normal[i] @ now.compliance @ push) / own - JAM)
        forces = [done.normal[i] + self.mode.slack.get(i, 0.0) for i in self.closed]
        return np.concatenate([gaps, forces, hold, slip, jam, -self.past_edges(now)])

    def holds(self, now: Instant, asked: Iterable[int]) -> bool:
        """Do these rubs stick, and is all that does inside its bound, beyond what rounding takes away again?"""
        if not set(asked) <= set(self.mode.stick):
            return False
        done, rubs = self.solve(now), self.machine.rubs
        for k in self.mode.stick:
            most = now.static[k] * done.normal[rubs[k].contact]
            if not float(np.linalg.norm(done.tangential[rubs[k].places])) < (1 - _ROOM) * most:
                return False
        return True

    def past_edges(self, now: Instant) -> Array:
        """How far closed contacts are past the edges of their faces; on another face they are past."""
        past = now.past[self.edged]
        if self.features is None:
            return past
        return np.where(now.feature[self.edged] == self.features, past, self.sizes[self.edged])

    def brought_back(self, t: float, y: Array) -> Array:
        """A state whose closed contacts touch and whose held slips are nothing."""
        near = NEAR * self.sizes
        if self.edged and (self.past_edges(self.machine.at(t, y, self.p)) > 0).any():
            return y  # a step that passes an edge: what holds there is another row, and the edge is located in it
        state, now = self.machine.projected(t, y, self.p, self.closed, near)
        state[self.machine.coordinates :] = self.machine.at_rest(now, self.closed, self.held)
        return state


class Projection:
    """`void project(const double *t, double *y, const double *p)` at `address`."""

    def __init__(self, regime: Regime) -> None:
        size = regime.machine.size

        def call(t: Any, y: Any, p: Any) -> None:
            state = np.ctypeslib.as_array(y, (size,))
            try:
                state[:] = regime.brought_back(float(t[0]), state.copy())
            except BaseException:  # none can cross native code; a budget that is over is asked for again outside
                state[:] = np.nan

        self._function = ctypes.CFUNCTYPE(None, *[_POINTER] * 3)(call)
        self.address = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)


class Forces:
    """The regime of an arc, for what is asked of its motion afterwards; read from a file it is made when asked for."""

    def __init__(self, mode: Mode, make: Callable[[], Regime]) -> None:
        self.mode, self._make = mode, make

    @cached_property
    def regime(self) -> Regime:
        return self._make()

    def solve(self, now: Instant) -> Solved:
        return self.regime.solve(now)

    def as_dict(self) -> dict[str, Any]:
        """The mode and what was found of its rows, as plain data."""
        mode, regime, pace = self.mode, self.regime, self.regime.machine.pace
        vectors = [{i: [float(x) for x in v] for i, v in one.items()} for one in (mode.slip, mode.hold)]
        return {
            "closed": [int(i) for i in mode.closed],
            "stick": [int(i) for i in mode.stick],
            "slip": sorted(vectors[0].items()),
            "first": sorted((int(i), float(x)) for i, x in mode.first.items()),
            "hold": sorted(vectors[1].items()),
            "slack": sorted(mode.slack.items()),
            "sides": sorted(mode.sides.items()),
            "parameters": regime.p.tolist(),
            "sizes": regime.sizes.tolist(),
            "rows": [regime.regular, regime.full],
            "fastest": [pace.fastest, pace.turn],
            "paced": [pace.sizes.tolist(), pace.slides.tolist(), regime.machine.scales.tolist()],
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any], machine: Callable[[], ContactMachine]) -> Forces:
        """What `as_dict` wrote, of the machine that is made when forces are asked for."""
        slip, hold = ({int(k): np.array(v) for k, v in told[name]} for name in ("slip", "hold"))
        first, slack = ({int(i): float(x) for i, x in told[name]} for name in ("first", "slack"))
        sides = {int(i): float(x) for i, x in told.get("sides", ())}
        mode = Mode(tuple(told["closed"]), tuple(told["stick"]), slip, first, hold, slack, sides)
        parameters, gaps, rows = np.array(told["parameters"], dtype=float), np.array(told["sizes"]), told["rows"]
        (fastest, turn), (sizes, slides, scales) = told["fastest"], map(np.array, told["paced"])

        def make() -> Regime:
            one = machine()
            one.pace.fastest, one.pace.turn = fastest, turn
            one.pace.sizes, one.pace.slides, one.scales = sizes, slides, scales
            found = Regime(one, mode, parameters, gaps)
            found.regular, found.full = rows
            return found

        return cls(mode, make)

    def accelerations(self, t: Array, y: Array) -> Array:
        found = [self.regime._rates(float(a), b) for a, b in zip(t, y.T, strict=True)]
        return np.array(found).reshape(len(t), len(y)).T  # an arc may have no times of its own

    def forces(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Normal and tangential forces at states in the columns of y."""
        done = [self.solve(self.regime.machine.at(float(a), b, self.regime.p)) for a, b in zip(t, y.T, strict=True)]
        machine = self.regime.machine
        normal = np.array([one.normal for one in done]).reshape(len(t), len(machine.names))
        tangential = np.array([one.tangential for one in done]).reshape(len(t), sum(map(len, machine.tangents)))
        return normal.T, tangential.T

    def multipliers(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Multipliers of the constraints and their powers: W^T lambda is M u' less efforts and contact forces.

        Those of constraints that rub are forces of kept contacts, and the power of friction is theirs.
        """
        machine = self.regime.machine
        pieces = []
        for a, b in zip(t, y.T, strict=True):
            now = machine.at(float(a), b, self.regime.p)
            done, kept = self.solve(now), now.kept
            pushed = now.seen_from(self.mode.sides).normal * done.normal[:, None]
            left = now.mass @ done.accelerations - now.right - pushed.sum(axis=0)
            left = left - now.tangent.T @ done.tangential
            found = np.zeros(len(now.matrix))
            found[kept] = np.linalg.lstsq(now.pushes[kept].T, left, rcond=1e-12)[0]
            powers = found * (now.pushes @ now.speeds)
            for row, i in zip(machine.rough, machine.kept, strict=True):
                rubbed = done.tangential[machine.tangents[i]] @ (now.tangent[machine.tangents[i]] @ now.speeds)
                found[row] = self.mode.sides[i] * done.normal[i]
                powers[row] = float(pushed[i] @ now.speeds + rubbed)
            pieces.append([found, powers])
        lambdas, powers = np.moveaxis(np.array(pieces).reshape(len(t), 2, len(machine.rows)), 0, -1)
        return lambdas, powers
