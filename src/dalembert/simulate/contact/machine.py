"""A machine with contacts in numbers: masses, efforts, rows of constraints and of contacts at a state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.independence import diagonal, speed_scales
from dalembert.constraints.numeric import RowNumbers
from dalembert.constraints.rows import EPSILON, Rows
from dalembert.contact.coulomb import Frictional
from dalembert.contact.rows import SLIDING, ContactRow
from dalembert.dynamics import Dynamics
from dalembert.errors import ModelError
from dalembert.expr import ONE, Expr
from dalembert.simulate.contact.kept import kept_rows
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.contact.metric import least_change, rank
from dalembert.simulate.contact.pace import Pace
from dalembert.simulate.methods.problem import Problem
from dalembert.simulate.system.large import Part
from dalembert.simulate.system.system import System

Array = NDArray[Any]

_NONE = np.zeros(0, dtype=np.int64)
"""Samples of what changes with time by itself, in windows of a sixteenth each, until turns are far apart."""
_VANISHED = 1e-9
"""Share of how far a slip goes elsewhere below which it goes nowhere: what holds it would need 1e9 of the force."""
_REPEATS = 8
"""Newton steps towards closed gaps, at most: quadratic convergence needs four from any state of a step."""


_OF_ALL_SIDES = ("kept", "slip_scales", "inverse", "compliance", "free")
"""What of an instant has nothing of the normals of contacts."""


@dataclass(frozen=True, eq=False)
class Instant:
    """Everything at one state. Rows of contacts: all normals first, then all tangents."""

    machine: ContactMachine
    t: float
    y: Array
    flat: Array
    values: dict[str, Array] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Array:
        """A table by its name, made when first asked for."""
        if name not in self.machine.parts:
            raise AttributeError(name)
        if name not in self.values:
            self.values[name] = self.machine.parts[name].of(self.flat)
        return self.values[name]

    @property
    def speeds(self) -> Array:
        return self.y[self.machine.coordinates :]

    @cached_property
    def kept(self) -> NDArray[np.int64]:
        """Rows of constraints that count."""
        if not len(self.machine.rounding):
            return _NONE
        told = RowNumbers(self.matrix, self.made_of, self.seen, self.scales, self.machine.rounding)
        found = told.independent((*self.machine.imperfect, *self.machine.rough))
        return found[: len(found) - len(self.machine.rough)]

    @cached_property
    def slip_scales(self) -> Array:
        return self.machine.pace.slips(self)

    @cached_property
    def inverse(self) -> Array:
        """M^-1."""
        found: Array = np.linalg.inv(self.mass)
        return found

    @cached_property
    def compliance(self) -> Array:
        """What efforts do to accelerations with the constraints held: M^-1 less what the constraints take."""
        rows, pushes = self.matrix[self.kept], self.pushes[self.kept]
        if not len(rows):
            return self.inverse
        raised = self.inverse @ pushes.T
        found: Array = self.inverse - raised @ np.linalg.solve(rows @ raised, rows @ self.inverse)
        return found

    def root(self, rows: Array) -> Array | None:
        """A with A A^T = rows @ compliance @ rows^T: rows over the root of the mass, less what the constraints take."""
        if self.machine.imperfect:
            return None
        found: Array = np.linalg.solve(np.linalg.cholesky(self.mass), np.concatenate([rows, self.matrix[self.kept]]).T)
        held = np.linalg.qr(found[:, len(rows) :])[0]
        found = found[:, : len(rows)]
        for _ in range(2):  # once more takes what rounding has left
            found = found - held @ (held.T @ found)
        return found.T

    @cached_property
    def free(self) -> Array:
        """Accelerations with all contacts open."""
        rows, pushes = self.matrix[self.kept], self.pushes[self.kept]
        plain = self.inverse @ self.right
        if not len(rows):
            return plain
        raised = self.inverse @ pushes.T
        missing = self.gamma[self.kept] - rows @ plain
        found: Array = plain + raised @ np.linalg.solve(rows @ raised, missing)
        return found

    def seen_from(self, sides: Mapping[int, float]) -> Instant:
        """The same with the normals of kept contacts turned to the sides from which they are pushed."""
        if not sides:
            return self
        signs = np.ones(len(self.gap))
        signs[list(sides)] = list(sides.values())
        turned = {name: signs * getattr(self, name) for name in ("rate", "drift", "least", "held")}
        turned["normal"] = signs[:, None] * self.normal
        found = Instant(self.machine, self.t, self.y, self.flat, {**self.values, **turned})
        found.__dict__.update({name: self.__dict__[name] for name in _OF_ALL_SIDES if name in self.__dict__})
        return found

    def touching(self, small: Array) -> list[int]:
        """Contacts whose gap is at most this, and that are not past the edge of their face."""
        return [int(i) for i in np.flatnonzero((self.gap <= small) & (self.past <= 0))]

    @property
    def rows(self) -> Array:
        """Normals, then tangents."""
        return np.concatenate([self.normal, self.tangent])

    @property
    def rates(self) -> Array:
        """Gap rates, then slips."""
        return np.concatenate([self.rate, self.slip])

    @property
    def wanted(self) -> Array:
        """What rows @ u' is where gaps and slips do not accelerate."""
        return np.concatenate([self.least, self.slip_gamma])


@dataclass(frozen=True, slots=True)
class Rubbing:
    """Slips that friction acts against together: of which contact, what they are, and their places among all."""

    contact: int
    kind: str
    places: list[int]


class ContactMachine:
    """The numbers of a system with contacts, compiled once.

    Constraints with dry friction are contacts, too, behind those that open (`kept`): their rows are not among those of
    the other constraints.
    """

    def __init__(self, system: System, about: Dynamics) -> None:
        from dalembert.simulate.system.compiled import compiled

        self.system, self.rows = system, about.rows
        _refuse_what_it_cannot_hold(system, about.rows)
        #: Rows of constraints that rub, and the contacts that stand for them.
        self.rough = tuple(about.rows.sliding)
        self.contacts = (*system.contacts, *kept_rows(about, system.contacts))
        self.kept = tuple(range(len(system.contacts), len(self.contacts)))
        #: Contacts under a given force, which never open: their rows are nothing, and their friction has a bound.
        self.pressed = tuple(i for i, one in enumerate(self.contacts) if one.press is not None)
        self.coordinates, self.size = len(system.coordinates), len(system.states)
        self.names = tuple(one.name for one in self.contacts)
        self.rounding = np.array(about.rows.rounding) if about.closed else np.zeros(0)
        #: Rows of constraints that push elsewhere than along their condition: what contacts do then is no projection.
        self.imperfect = tuple(k for k in about.rows.imperfect if k not in self.rough)
        self.quaternions = [[system.states.index(x) for x in group] for group in system.quaternions]
        self.rubs = _rubbing(self.contacts)
        self.rubs_of = [[k for k, rub in enumerate(self.rubs) if rub.contact == i] for i in range(len(self.names))]
        self.tangents = [[place for k in some for place in self.rubs[k].places] for some in self.rubs_of]
        turning = np.array([rub.kind != SLIDING for rub in self.rubs for _ in rub.places], dtype=bool)
        self.pace = Pace(list(self.kept), turning, len(self.names))
        self.parts: dict[str, Part] = {}
        outputs: list[Expr] = []
        for name, shape, values in _tables(about, self.contacts):
            some = [i for i, e in enumerate(values) if e is not ex.ZERO]
            self.parts[name] = Part(shape, np.array(some, dtype=np.int64), len(outputs))
            outputs += [values[i] for i in some]
        #: Do efforts or gaps depend on time by themselves?
        self.timed = ex.TIME in ex.free_symbols(
            [*about.right_side, *about.rows.gamma, *(x for c in self.contacts for x in (c.least, *c.contact.laws))]
        )
        names = system.known_parameters
        self._numbers = compiled("contact_numbers", system.symbols, names, tuple(outputs))
        self._kinematics = compiled("kinematics", system.symbols, names, system.rates[: self.coordinates])
        self.log = ContactLog(self.names)
        self.strongest, self.scales = 0.0, np.ones(self.size - self.coordinates)
        self.time_scale = 1.0

    @property
    def functions(self) -> tuple[Any, Any]:
        """The compiled numbers and kinematics, for compiled callers."""
        return self._numbers, self._kinematics

    def at(self, t: float, y: Array, p: Array) -> Instant:
        flat = np.asarray(self._numbers([t], y, p))
        return Instant(self, t, y, flat)

    def gap_sizes(self, problem: Problem) -> Array:
        """How far each gap goes where coordinates go as far as they are large: what a gap is small beside."""
        scales = np.broadcast_to(np.asarray(problem.scales, dtype=float), (self.size,))[self.coordinates :]
        start = self.at(
            float(problem.span[0]), np.asarray(problem.y0, dtype=float), np.asarray(problem.parameters, dtype=float)
        )
        most = scales.max(initial=0.0) or 1.0
        # A gap may begin at its turning point, as a pin in the middle of its hole does: its row is rounding there.
        found: Array = np.maximum(np.abs(start.normal) @ scales, np.minimum(np.abs(start.gap), most))
        return np.where(found > 0, found, most)[: len(self.system.contacts)]

    def moved(self, t: float, y: Array, p: Array, shift: Array) -> Array:
        """Coordinates after a small motion of the speeds' kind."""
        n = self.coordinates
        going = np.asarray(self._kinematics([t], np.concatenate([y[:n], shift]), p))
        resting = np.asarray(self._kinematics([t], np.concatenate([y[:n], 0 * shift]), p))
        return y[:n] + going - resting

    def flow(self, t: float, q: Array, p: Array, speeds: Array) -> Array:
        """q'."""
        return np.asarray(self._kinematics([t], np.concatenate([q, speeds]), p), dtype=float)

    def normalised(self, y: Array) -> Array:
        for group in self.quaternions:
            y[group] /= np.linalg.norm(y[group])
        return y

    def frictional(
        self, now: Instant, matrix: Array, right: Array, contacts: list[int], known: Collection[int] = ()
    ) -> Frictional:
        """Coulomb's problem of some contacts; friction of the rubs that are `known` is in the matrix already."""
        tangents, mu, static, further = list[int](), list[float](), list[float](), list[tuple[tuple[int, float], ...]]()
        for i in contacts:
            asked = [k for k in self.rubs_of[i] if k not in known]
            slides = next((k for k in asked if self.rubs[k].kind == SLIDING), None)
            tangents.append(0 if slides is None else len(self.rubs[slides].places))
            mu.append(0.0 if slides is None else float(now.friction[slides]))
            static.append(0.0 if slides is None else float(now.static[slides]))
            turning = [(len(self.rubs[k].places), float(now.friction[k])) for k in asked if k != slides]
            further.append(tuple(turning))
        made = tuple(further) if any(further) else ()
        kept = tuple(place for place, i in enumerate(contacts) if i in self.kept)
        return Frictional(matrix, right, np.array(mu), tuple(tangents), np.array(static), made, kept=kept)

    def press(self, now: Instant, matrix: Array, right: Array, contacts: list[int], pulse: float = 1.0) -> None:
        """Let given forces push: normals that move nothing but themselves, so that each force is its own answer.

        Their compliance is that of the slips beside them, so that no unit has a say.
        """
        place, sizes = 0, np.diag(matrix)
        for i in contacts:
            end = place + 1 + len(self.tangents[i])
            if i in self.pressed:
                own = float(sizes[place + 1 : end].max(initial=0.0)) or float(sizes.max(initial=0.0)) or 1.0
                matrix[place, place], right[place] = own, -own * pulse * float(now.press[i])
            place = end

    def projected(self, t: float, y: Array, p: Array, closed: list[int], small: Array) -> tuple[Array, Instant]:
        """The nearest posture whose loops are closed and whose `closed` contacts touch, in the kinetic metric.

        `small` is what of each gap is nothing; the largest of them is of a loop.
        """
        n, state = self.coordinates, y.copy()
        least = small.max(initial=0.0)
        for _ in range(_REPEATS):
            now = self.at(t, state, p)
            rows = np.concatenate([now.matrix[now.kept], now.normal[closed]])
            gaps = np.concatenate([now.closure[now.kept], now.held[closed]])
            nothing = np.concatenate([np.full(len(now.kept), least), small[closed]])
            if (np.abs(gaps) <= nothing).all():
                return state, now
            shift = least_change(now.inverse, rows, -gaps)
            state[:n] = self.moved(t, state, p, shift)
            own = len(now.offset)
            if own:
                state[n - own : n] += now.offset
            self.normalised(state)
        return state, self.at(t, state, p)

    def vanished(self, now: Instant, places: list[int]) -> bool:
        """Are these slips nothing whatever the speeds, as at a dead point? Their rows are rounding there."""
        return bool((np.abs(now.tangent[places]) @ self.scales <= _VANISHED * self.pace.slides[places]).all())

    def at_rest(self, now: Instant, closed: list[int], held: list[int]) -> Array:
        """Speeds with the rates of closed contacts and the slips `held` exactly gone, by the least change."""
        held = [place for place in held if not self.vanished(now, [place])]
        rows = np.concatenate([now.matrix[now.kept], now.normal[closed], now.tangent[held]])
        left = np.concatenate([now.conditions[now.kept], now.rate[closed], now.slip[held]])
        u = now.speeds
        if not np.abs(left).max(initial=0.0):
            return u
        made = np.abs(rows) @ np.abs(u)
        if (np.abs(left) <= 4 * EPSILON * made).all() and u.any():
            return u
        if len(rows) >= len(u) and rank(rows @ np.linalg.cholesky(now.inverse)) == len(u):
            drift = left - rows @ u
            return np.linalg.lstsq(rows, -drift, rcond=None)[0] if drift.any() else 0 * u
        return u + least_change(now.inverse, rows, -left)


def _refuse_what_it_cannot_hold(system: System, rows: Rows) -> None:
    """Reactions of constraints that are no linear function of the contact forces beside them."""
    touching = ", ".join(f"'{one.name}'" for one in system.contacts)
    for k in rows.bent:
        raise ModelError(
            f"'{system.name}' has the condition '{rows.owners[k]}', not linear in the speeds, beside contacts "
            f"({touching}): an impact would break it. Take the contacts away, or write it linear in the speeds."
        )
    for k in rows.implied:
        raise ModelError(
            f"'{system.name}' has the law '{rows.owners[k]}' with hidden conditions beside contacts ({touching}): "
            "what holds it through other motions cannot do so while they push. Take the contacts away, or drive it "
            "directly."
        )


def _rubbing(contacts: tuple[ContactRow, ...]) -> list[Rubbing]:
    """What rubs at all contacts, in the order of their slips."""
    found, place = list[Rubbing](), 0
    for i, one in enumerate(contacts):
        for rub in one.rubs:
            found.append(Rubbing(i, rub.kind, list(range(place, place + len(rub.slips)))))
            place += len(rub.slips)
    return found


def _tables(about: Dynamics, contacts: tuple[ContactRow, ...]) -> list[tuple[str, tuple[int, ...], Any]]:
    n, count = len(about.speeds), len(contacts)
    slips = [slip for one in contacts for slip in one.slips]
    rubs = [rub for one in contacts for rub in one.rubs]
    rows = about.rows
    k = len(rows)
    return [
        ("mass", (n, n), about.mass_matrix.entries),
        ("right", (n,), about.right_side),
        ("matrix", (k, n), rows.matrix.entries),
        ("pushes", (k, n), rows.reaction.entries),
        ("made_of", (k, n), rows.made_of.entries),
        ("seen", (k, n), rows.seen.entries),
        ("scales", (n,), speed_scales(rows, diagonal(about.mass_matrix)) if k else rows.scales),
        ("gamma", (k,), rows.gamma),
        ("conditions", (k,), rows.conditions),
        ("closure", (k,), [ex.ZERO if gap is None else gap for gap in rows.gap]),
        ("offset", (len(rows.own),), [one.offset for one in rows.own]),
        ("gap", (count,), [one.gap for one in contacts]),
        ("held", (count,), [one.held for one in contacts]),
        ("past", (count,), [-ONE if one.past is None else one.past for one in contacts]),
        ("feature", (count,), [one.feature for one in contacts]),
        ("rate", (count,), [one.rate for one in contacts]),
        ("normal", (count, n), [x for one in contacts for x in one.row]),
        ("drift", (count,), [one.drift for one in contacts]),
        ("least", (count,), [one.least for one in contacts]),
        ("slip", (len(slips),), [one.value for one in slips]),
        ("tangent", (len(slips), n), [x for one in slips for x in one.row]),
        ("slip_gamma", (len(slips),), [one.gamma for one in slips]),
        ("press", (count,), [ex.ZERO if one.press is None else one.press for one in contacts]),
        ("restitution", (count,), [one.contact.restitution for one in contacts]),
        ("friction", (len(rubs),), [rub.friction for rub in rubs]),
        ("static", (len(rubs),), [rub.static for rub in rubs]),
    ]
