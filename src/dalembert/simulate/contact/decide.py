"""What contacts do next: impacts until none approaches, then which stay closed, stick or slip (Moreau; Coulomb)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact import Moreau, impact, path_impact, right_acceleration
from dalembert.contact.coulomb import Answer
from dalembert.contact.rows import SLIDING
from dalembert.contact.wedging import wedge
from dalembert.errors import ContactError, SimulationError
from dalembert.simulate.contact.evened import alike, evened
from dalembert.simulate.contact.imposed import free_to_push
from dalembert.simulate.contact.inner import inner
from dalembert.simulate.contact.machine import ContactMachine, Instant
from dalembert.simulate.contact.metric import lengths
from dalembert.simulate.contact.mode import Mode
from dalembert.simulate.contact.sides import Told, accelerating, on_all_sides, rows_of, striking

Array = NDArray[Any]

TOUCHING = 1e-10
"""A gap within this share of its size is closed: events are located to 1e-13, starts are written so."""
APPROACH = 1e-11
"""A rate below this share of the speeds that it is made of is rounding: the contact neither approaches nor leaves."""
WEAK = 1e-9
"""A force below this share of the largest is nothing: the contact is undecided, and what was seen before decides."""
_GAIN = 1e-10
"""Energy over the work of the impulses that is rounding of a solver."""
_LEVEL = 1e-12
"""Share of the largest force below which that of a kept contact is rounding: neither its side nor its hold change."""
_AGAIN, _PLASTIC = 200, 60
"""Impacts at one instant, at most; after so many of them, those that are left do not bounce."""


@dataclass(frozen=True, eq=False)
class Struck:
    """Impulses of contacts that are struck together, each normal before its tangents, and their work."""

    contacts: list[int]
    pulses: list[Array]
    works: list[float]


@dataclass(eq=False)
class Happening:
    """What an instant brings: speeds after impacts, the mode after it, and what is to be told."""

    y: Array
    mode: Mode
    strikes: list[Struck] = field(default_factory=list)
    events: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    struck: dict[int, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Before:
    """What the arc before has shown: contacts whose force fell to nothing, rubs that gave way (with direction).

    `settled` are those that come to rest, `gone` those that slid over the edge of their face, `turned` kept ones whose
    force fell to nothing, with the side from which they are pushed from here on.
    """

    released: frozenset[int] = frozenset()
    yielding: Mapping[int, Array] = field(default_factory=dict)
    settled: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    turned: Mapping[int, float] = field(default_factory=dict)


class Decision:
    """The laws of one motion: of impacts, and which answer is preferred where there are several."""

    def __init__(self, machine: ContactMachine, parameters: Array, sizes: Array, law: str, prefer: str) -> None:
        self.machine, self.p, self.sizes, self.law, self.prefer = machine, parameters, sizes, law, prefer

    def settle(self, t: float, y: Array, before: Before, mode: Mode) -> Happening:
        """Impacts first, then the accelerations just after."""
        found = Happening(y.copy(), mode)
        for number in range(_AGAIN):
            now = self.machine.at(t, found.y, self.p)
            touching = [i for i in self.touching(now, mode) if i not in before.gone]
            self.machine.pace.saw(now)
            small = APPROACH * self.machine.pace.rates(now)
            touching = free_to_push(now, touching, small, found.remarks)
            still = {*before.settled, *self.machine.kept}
            approaching = [i for i in touching if now.rate[i] < -small[i] and i not in still]
            if not approaching:
                break
            inside = [i for i in touching if now.rate[i] <= small[i] or number >= _PLASTIC or i in self.machine.kept]
            inside = [i for i in inside if i not in self.machine.pressed]  # a force of a given size has no impulse
            self._strike(now, inside, found, plastic=number >= _PLASTIC)
        else:
            names = ", ".join(self.machine.names[i] for i in approaching)
            raise ContactError(
                f"impacts at one instant do not end (contacts {names}): use restitution below 1, or method='moreau'."
            )
        closed = [i for i in touching if abs(now.rate[i]) <= small[i] or i in still]
        self._accelerate(t, now, closed, before, found)
        return found

    def touching(self, now: Instant, mode: Mode) -> list[int]:
        near = now.touching(TOUCHING * self.sizes)
        return sorted({*near, *(i for i in mode.closed if now.past[i] <= 0)})

    # --- impacts ---------------------------------------------------------------------------------------------------

    def _strike(self, now: Instant, inside: list[int], found: Happening, *, plastic: bool) -> None:
        machine, e = self.machine, now.restitution
        if plastic:  # what they converge to
            now.values["restitution"] = e = 0 * e
        if (
            rubbing_at(now, inside) or machine.imperfect or machine.kept
        ):  # impulses of imperfect constraints are not along their rows: no projection
            pulses, change = self._rubbing(now, inside, found)
        else:
            law = self.law
            law = "poisson" if law == "stronge" else law  # the same without friction, where one contact is struck
            if law == "auto":
                law = "moreau" if len({e[i] for i in inside}) == 1 else "newton"
            names = tuple(machine.names[i] for i in inside)
            done = impact(
                now.mass,
                now.speeds,
                now.normal[inside],
                e[inside],
                drift=now.drift[inside],
                law=law,
                names=names,
                bilateral=now.matrix[now.kept],
            )
            along = [[0.0] * len(machine.tangents[i]) for i in inside]  # friction may be a parameter that is zero
            pulses = [np.array([p, *none]) for p, none in zip(done.impulses, along, strict=True)]
            change = done.velocity - now.speeds
            if done.told:
                found.remarks.append(f"t = {now.t:.6g}: {done.told}")
        found.strikes.append(self._struck(now, inside, pulses, change))
        before = {i: float(now.rate[i]) for i in inside}
        found.y[machine.coordinates :] += change
        after = machine.at(now.t, found.y, self.p)
        for i, pulse in zip(inside, pulses, strict=True):
            if pulse[0] > 0 and i not in machine.kept:
                first = found.struck.get(i, (before[i], 0.0))[0]
                found.struck[i] = (first, float(after.rate[i]))
                found.events.append((i, "impact"))

    def _rubbing(self, now: Instant, inside: list[int], found: Happening) -> tuple[list[Array], Array]:
        """Impact with friction: a path for one planar contact, else the algebraic law with its energy checked."""
        machine = self.machine
        rows, right, sizes = rows_of(now, inside)
        matrix = rows @ now.compliance @ rows.T
        imperfect = bool(machine.imperfect)
        kinds = [machine.rubs[k].kind for i in inside for k in machine.rubs_of[i]]
        planar = len(inside) == 1 and sizes == [1] and kinds == [SLIDING]
        if planar and not imperfect and self.law in ("auto", "poisson", "stronge"):
            law: Any = "stronge" if self.law == "stronge" else "poisson"
            (i,), (k,) = inside, machine.rubs_of[inside[0]]
            done = path_impact(matrix, right, float(now.friction[k]), float(now.restitution[i]), law)
            pulse = done.impulses
        else:
            answers, why = on_all_sides(now, lambda seen: striking(seen, inside), "stick", {})
            if not answers:
                names = ", ".join(machine.names[i] for i in inside)
                if imperfect and not rubbing_at(now, inside):
                    why = "Drives that push elsewhere than along their law take what the contacts give."
                    raise ContactError(f"contacts {names}: no impulses stop them at t = {now.t:.6g}. {why}")
                why = why or "Use restitution 0, impacts='poisson' for one contact, or less friction."
                raise ContactError(f"contacts {names}: no impulses obey Coulomb's law in this impact. {why}")
            if len(answers) > 1 and not alike([a.answer for a in answers], answers[0].problem):
                found.remarks.append(f"t = {now.t:.6g}: {len(answers)} answers of Coulomb's law; one is taken")
            pulse = answers[0].answer.impulses.copy()
            for start, i in zip(answers[0].problem.starts, inside, strict=True):
                pulse[start] *= answers[0].sides.get(i, 1.0)
                if i in machine.kept and abs(pulse[start]) <= _LEVEL * np.abs(pulse).max():  # rounding is no impulse
                    pulse[start : start + 1 + len(machine.tangents[i])] = 0.0
            gain = float((matrix @ pulse / 2 + rows @ now.speeds) @ pulse)
            if imperfect:  # what keeps such a constraint may give energy
                gain = 0.0
            created = gain > _GAIN * float(np.abs(right) @ np.abs(pulse))
            if created and self.law != "newton":
                names = ", ".join(machine.names[i] for i in inside)
                raise ContactError(
                    f"contacts {names}: Newton's restitution with friction would create the energy {gain:.3g} in the "
                    f"impact at t = {now.t:.6g}. Use restitution 0, or accept it with impacts='newton'."
                )
            if created:
                found.remarks.append(f"t = {now.t:.6g}: the impact created the energy {max(gain, 0):.3g}")
        parts, place = [], 0
        for size in sizes:
            parts.append(pulse[place : place + 1 + size])
            place += 1 + size
        return parts, now.compliance @ (rows.T @ pulse)

    def _struck(self, now: Instant, inside: list[int], pulses: list[Array], change: Array) -> Struck:
        """Impulses with their work in the mean of the speeds before and after."""
        mean, works = now.speeds + change / 2, list[float]()
        for i, pulse in zip(inside, pulses, strict=True):
            work = pulse[0] * (now.normal[i] @ mean)
            if len(pulse) > 1:
                work += pulse[1:] @ (now.tangent[self.machine.tangents[i]] @ mean)
            works.append(float(work))
        return Struck(inside, pulses, works)

    # --- accelerations ---------------------------------------------------------------------------------------------

    def _accelerate(self, t: float, now: Instant, closed: list[int], before: Before, found: Happening) -> None:
        """Right accelerations: the mode that holds from here on."""
        if not closed:
            found.mode = Mode()
            return
        slow = APPROACH * 100 * self.machine.pace.slips(now)
        rubs, directions = self.machine.rubs, dict[int, Array]()
        asked = [k for i in closed for k in self.machine.rubs_of[i]]
        for k in asked:
            slip = now.slip[rubs[k].places]
            size = float(np.linalg.norm(slip))
            if k in before.yielding:
                directions[k] = before.yielding[k]
            elif size > slow[rubs[k].places].max():
                directions[k] = slip / size
        still = [k for k in asked if k not in directions]
        oblique = self.machine.imperfect or self.machine.kept or self.machine.pressed
        if not still and not any(now.friction[k] for k in directions) and not oblique:
            self._frictionless(now, closed, before, found, directions)
            return
        self._coulomb(t, now, closed, directions, before, found)

    def _frictionless(
        self, now: Instant, closed: list[int], before: Before, found: Happening, directions: dict[int, Array]
    ) -> None:
        names = tuple(self.machine.names[i] for i in closed)
        problem = Moreau(
            now.mass, now.right, now.normal[closed], now.least[closed], names, now.matrix[now.kept], now.gamma[now.kept]
        )
        answer = right_acceleration(problem)
        force = np.asarray(answer.forces.one, dtype=float)
        sizes = WEAK * self._force_sizes(now)
        kept, slack = list[int](), dict[int, float]()
        for place, i in enumerate(closed):
            high = float(answer.forces.intervals[place][1])
            if place in answer.touching and (high > sizes[i] or i not in before.released) and high >= 0:
                if high <= sizes[i]:
                    if self._leaves(now, i, found.y):
                        continue
                    slack[i] = float(sizes[i])
                kept.append(place)
        if answer.told:
            found.remarks.append(answer.told)
        pushes = {closed[k]: force[k] for k in kept}
        slip = {k: d for k, d in directions.items() if self.machine.rubs[k].contact in pushes}
        found.mode = Mode(tuple(pushes), (), slip, {i: float(push) for i, push in pushes.items()}, slack=slack)

    def _force_sizes(self, now: Instant) -> Array:
        """Efforts that have acted, at least what stops the motion in a thousand of its time scales, as contact forces.

        Not those of the instant alone: where efforts cancel, as when one lifts what rests, rounding is all of them.
        Efforts and contacts are told beside each other in the kinetic metric: some are forces and some are moments.
        """
        machine = self.machine
        machine.strongest = max(machine.strongest, math.sqrt(max(float(now.right @ now.inverse @ now.right), 0.0)))
        size = machine.strongest + 1e-3 * machine.pace.liveliest / machine.time_scale + 1e-100
        return size / lengths(now.inverse, now.normal)

    def _leaves(self, now: Instant, i: int, y: Array) -> bool:
        """An undecided contact opens if its gap would grow in the motion without it: the next derivative decides."""
        h = 1e-5 * self.machine.time_scale
        n = self.machine.coordinates
        flow = self.machine.flow(now.t, y[:n], self.p, y[n:])
        ahead = y + h * np.concatenate([flow, now.free])
        later = self.machine.at(now.t + h, ahead, self.p)
        onwards = np.concatenate([self.machine.flow(now.t + h, ahead[:n], self.p, ahead[n:]), later.free])
        there = y + h / 2 * (np.concatenate([flow, now.free]) + onwards)
        return bool(self.machine.at(now.t + h, there, self.p).rate[i] > APPROACH * self.machine.pace.rates(now)[i])

    def _coulomb(
        self,
        t: float,
        now: Instant,
        closed: list[int],
        directions: dict[int, Array],
        before: Before,
        found: Happening,
    ) -> None:
        """Stick or slip, open or closed: all patterns of the problem at the level of accelerations."""
        answers, why = on_all_sides(
            now, lambda seen: accelerating(seen, closed, directions), self.prefer, before.turned
        )
        possible = self._possible(answers, closed, before, now)
        if answers and not possible:  # rounding holds what has let go: it is not among the closed ones any more
            self._accelerate(t, now, [i for i in closed if i not in before.released], before, found)
            return
        answers = possible
        if not answers:
            self._painleve(t, now, closed, directions, found, why)
            return
        if len(answers) > 1 and not alike([a.answer for a in answers], answers[0].problem):
            states = "; ".join(dict.fromkeys(self._said(closed, a.answer) for a in answers[:4]))
            found.remarks.append(f"t = {t:.6g}: several answers of Coulomb's law ({states}); the first is taken")
        self._taken(now, answers[0], closed, directions, found)

    def _said(self, closed: list[int], answer: Answer) -> str:
        return ", ".join(f"{self.machine.names[i]} {s}" for i, s in zip(closed, answer.states, strict=True))

    def _possible(self, answers: list[Told], closed: list[int], before: Before, now: Instant) -> list[Told]:
        """Answers that do not contradict what was seen: a force that fell to nothing has gone."""
        if not before.released:
            return answers
        sizes, some = WEAK * self._force_sizes(now), []
        for one in answers:
            told = zip(closed, one.problem.starts, one.answer.states, strict=True)
            wrong = any(i in before.released and s != "open" and one.answer.impulses[n] <= sizes[i] for i, n, s in told)
            some += [] if wrong else [one]
        return some

    def _taken(
        self, now: Instant, taken: Told, closed: list[int], directions: dict[int, Array], found: Happening
    ) -> None:
        stick, slip, first, hold = list[int](), dict[int, Array](), dict[int, float](), dict[int, Array]()
        problem, kept = taken.problem, self.machine.kept
        answer, every = taken.answer, taken.asked.every
        answer = inner(problem, evened(problem, answer, WEAK, every), every)
        ray = wedge(problem, [i for i, s in enumerate(answer.states) if s in ("stick", "closed")], every)
        if ray is not None:
            names = ", ".join(self.machine.names[i] for i, n in zip(closed, problem.starts, strict=True) if ray[n] > 0)
            found.remarks.append(f"contacts {names}: wedged: friction can hold any preload")
        for place, (i, start) in enumerate(zip(closed, problem.starts, strict=True)):
            if answer.states[place] == "open" and i not in self.machine.pressed:
                continue
            first[i] = float(answer.impulses[start])
            slip |= {k: directions[k] for k in self.machine.rubs_of[i] if k in directions}
            asked = [k for k in self.machine.rubs_of[i] if k not in directions]
            for k, disc, state in zip(asked, problem.discs[place], answer.disc_states(place), strict=True):
                own, along = answer.impulses[disc.rows], answer.rates[disc.rows]
                size = float(np.linalg.norm(along))
                if state == "stick":
                    stick.append(k)
                    hold[k] = own
                else:
                    slip[k] = along / size if size > 0 else -own / max(float(np.linalg.norm(own)), 1e-300)
        slack = dict[int, float]()
        if kept:
            least = _LEVEL * (self._force_sizes(now) + float(np.abs(answer.impulses).max()))
            slack = {i: float(least[i]) for i in kept}
        found.mode = Mode(tuple(first), tuple(stick), slip, first, hold, slack, taken.sides)

    def _painleve(
        self, t: float, now: Instant, closed: list[int], directions: dict[int, Array], found: Happening, why: str
    ) -> None:
        """No bounded force: an impact without collision, for one planar contact."""
        names = ", ".join(self.machine.names[i] for i in closed)
        kinds = [self.machine.rubs[k].kind for i in closed for k in self.machine.rubs_of[i]]
        if len(closed) != 1 or self.machine.kept or kinds != [SLIDING] or len(self.machine.tangents[closed[0]]) != 1:
            raise SimulationError(
                f"contacts {names}: no bounded forces obey Coulomb's law at t = {t:.6g} (Painleve). {why} Use less "
                "friction, or method='moreau'."
            )
        i = closed[0]
        rows, right, _ = rows_of(now, closed)
        matrix = rows @ now.compliance @ rows.T
        mu = float(now.friction[self.machine.rubs_of[i][0]])
        done = path_impact(matrix, [0.0, float(right[1])], mu, float(now.restitution[i]))
        change = now.compliance @ (rows.T @ done.impulses)
        found.strikes.append(self._struck(now, [i], [done.impulses], change))
        found.events.append((i, "jam"))
        found.remarks.append(
            f"contact {names}: Painleve, no bounded force at t = {t:.6g}; continued with an impact without collision"
        )
        found.y[self.machine.coordinates :] += change
        again = self.settle(t, found.y, Before(), Mode((i,)) if done.rates[0] <= 0 else Mode())
        found.y, found.mode = again.y, again.mode
        found.strikes += again.strikes
        found.events += again.events
        found.remarks += again.remarks


def rubbing_at(now: Instant, inside: list[int]) -> bool:
    return any(now.friction[k] + now.static[k] > 0 for i in inside for k in now.machine.rubs_of[i])
