"""Event-driven motion through contacts: high order between events, impacts and changes of state exactly at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.rows import SLIDING
from dalembert.errors import SimulationError
from dalembert.simulate.contact.beat import beat
from dalembert.simulate.contact.bounces import Bounces
from dalembert.simulate.contact.changes import tell_changes
from dalembert.simulate.contact.decide import APPROACH, TOUCHING, WEAK, Before, Decision, Happening
from dalembert.simulate.contact.dips import Dips
from dalembert.simulate.contact.fading import ENDED, faded
from dalembert.simulate.contact.impasse import overloaded, piled
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.mode import NEAR, Forces, Mode, Regime
from dalembert.simulate.contact.moreau_jean import inside
from dalembert.simulate.contact.outside import outside
from dalembert.simulate.contact.pace import paced
from dalembert.simulate.contact.sides import sticking
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import Callback, call_address
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.problem import NativeEvents, Problem, Solution
from dalembert.simulate.methods.table import integrate
from dalembert.simulate.motion.arcs import Jump
from dalembert.simulate.runs.hybrid import Journey, changed, shared, values_of
from dalembert.simulate.runs.reset import consistent
from dalembert.simulate.system.compiled import native_events
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.jump import past_jump
from dalembert.simulate.system.system import System

Array = NDArray[Any]

LAWS_OF_IMPACT = ("auto", "moreau", "newton", "poisson", "stronge", "sequential")
_INSTANT = 1e-9
"""A flight shorter than this share of the time scale of the motion is none."""
_LOW = 1e-14
"""A flight lower than this share of the size of its gap is none: gaps are not known better."""
_INSIDE = 1e-8
"""A gap below minus this share of its size at the end of an arc: its contact was missed."""
_TAIL = 10.0
"""Slips of so many of the speeds at which a pile of bounces is cut off may end in those that are left out."""
_FADED = 1e-10
"""A force below this share of the largest of the instant has gone with the one whose event it is."""


class Trip:
    """A motion from one change of the contacts to the next."""

    def __init__(
        self,
        system: System,
        problem: Problem,
        watched: Sequence[ResolvedEvent],
        parameters: Mapping[str, float],
        switch: Callable[[Mapping[str, float]], Mapping[str, float]],
        law: str,
    ) -> None:
        self.system, self.problem, self.watched, self.switch, self.law = system, problem, watched, switch, law
        self.parameters, self.switched = parameters, dict[str, float]()
        self.machine: ContactMachine = problem.balance
        self.log = self.machine.log
        self.begin, self.end = as_span(problem.span)
        self.grid = as_grid(problem.t_eval, as_span(problem.span))
        self.left = [event.terminal for event in watched]
        self.journey = Journey(times=[[] for _ in watched], states=[[] for _ in watched])
        self.bounces = [Bounces() for _ in self.machine.names]
        self.sizes = paced(self.machine, replace(problem, parameters=self.p))
        self.dips = Dips(system, system.contacts, np.asarray(problem.scales, dtype=float))
        self.beat: float | None = None
        self.since = self._behind(self.begin, np.asarray(problem.y0, dtype=float))
        self.machine.time_scale = abs(self.end - self.begin) / 100 or 1.0
        if law not in LAWS_OF_IMPACT:
            raise SimulationError(f"unknown law of impacts '{law}'. Laws: {', '.join(LAWS_OF_IMPACT)}.")
        if self.end < self.begin:
            raise SimulationError("a motion with contacts goes forward in time: impacts cannot be undone.")

    @property
    def p(self) -> Array:
        return values_of(self.system, self.parameters)

    def go(self) -> Journey:
        t, y = self.begin, np.asarray(self.problem.y0, dtype=float).copy()
        now = self.machine.at(t, y, self.p)
        if (now.gap < -TOUCHING * self.sizes).any():
            raise inside(self.machine, now)
        happened = self._settle(self.since, y, Before(), Mode())
        y = self._enter(t, y, happened, "")
        while True:
            solution, begin = self._arc(t, y, happened), t
            t, y = solution.t_last, solution.y_last.copy()
            if self._passed(t, y) or self._impasse(begin, solution):
                break
            if solution.reason != at.TERMINAL:
                break
            number = solution.culprit
            if number < len(self.watched):
                if self.watched[number].then is None or self._over(number):
                    break
                happened, y = self._user(self._behind(t, y), y, number, solution)
                continue
            t = self._behind(t, y)
            happened, y = self._contact(t, y, solution)
        self.log.state(t, {})
        return self.journey

    def _arc(self, t: float, y: Array, happened: Happening) -> Solution:
        mode, callbacks = happened.mode, list[Any]()
        pairs = zip(self.watched, self.left, strict=True)
        armed = [replace(event, terminal=1 if event.then is not None else k) for event, k in pairs]
        begin = self.machine.at(t, y, self.p)
        slow = (begin.gap <= TOUCHING * self.sizes) & (np.abs(begin.rate) <= APPROACH * self.machine.pace.rates(begin))
        if mode.closed:
            regime = Regime(self.machine, mode, self.p, self.sizes, self.since)
            regime.begin(begin, slow)
            self.kinds = regime.watched()
            own = native_events(armed, self.system, self.p, callbacks)
            terminal = (*(own.terminal if own else ()), *(1 for _ in self.kinds))
            direction = (*(own.direction if own else ()), *(-1.0 for _ in self.kinds))
            asked = self._asked(own, regime)
            watch = Callback(asked, self.machine.size, len(terminal))
            callbacks += [watch, regime.rates]
            events: Any = NativeEvents(watch.address, terminal, direction, (watch, own, regime))
            rates, project, forces = regime.rates, regime.project, Forces(mode, lambda: regime)
        else:
            # the last bounces of many are lower than the bound of their rounding, and shrink all the same
            rows, signed = self.system.contacts, not slow.any()
            gaps = [ResolvedEvent(f"{row.name}.gap", row.gap, None, 1, -1.0, signed=signed) for row in rows]
            self.kinds = [(i, "gap") for i in range(len(gaps))]
            events = native_events([*armed, *gaps], self.system, self.p, callbacks)
            rates, project, forces = self.problem.rhs, self.problem.project, None
        first = self.problem.first_step
        if self.journey.lengths:
            first = min(first or np.inf, max(self.journey.lengths[-1], 1e-9 * self.machine.time_scale))
        now = replace(
            self.problem,
            rhs=rates,
            jacobian=0 if mode.closed else self.problem.jacobian,
            project=project,
            span=(t, self.end),
            y0=y,
            parameters=self.p,
            t_eval=self.grid,
            events=events,
            callbacks=callbacks,
            dense_output=True,  # touches between samples are looked for on it
            first_step=None if first is None else min(first, abs(self.end - t) or 1.0, self.problem.max_step),
            leaving=self._leaving(t, y, happened, armed),
            max_step=min(self.problem.max_step, self._beat(t, y)) if mode.closed else self.problem.max_step,
        )
        solution = faded(self._seen(now, mode, integrate(now)), forces, self.kinds, len(self.watched))
        self.machine.pace.saw_arc(self.machine, t, solution, self.p)
        if self.problem.dense_output is False:
            solution = replace(solution, sol=None)
        for k, found in enumerate((solution.t_events or [])[: len(self.watched)]):
            self.left[k] -= min(self.left[k], len(found))
        goes_on = solution.reason == at.TERMINAL and not (
            solution.culprit < len(self.watched) and self.watched[solution.culprit].then is None
        )
        if self.grid is not None and goes_on:
            solution, self.grid = shared(solution, self.grid, self.end)
        if solution.sol is not None and goes_on:
            _ = solution.sol.coefficients  # makes the steps again now, so that the memory of the arc can go
        t_own, y_own = (part[: len(self.watched)] if part else None for part in (solution.t_events, solution.y_events))
        known = {**self.parameters, **sticking(self.machine, mode.stick)}
        self.journey.add(replace(solution, t_events=t_own, y_events=y_own), known, t)
        if forces is not None:
            self.journey.arcs[-1] = replace(self.journey.arcs[-1], contacts=forces)
        return solution

    def _beat(self, t: float, y: Array) -> float:
        """How long steps may be where forces change with time by themselves while the state may rest."""
        if self.beat is None:
            self.beat = beat(self.machine, t, self.end, y, self.p)
        return self.beat

    def _seen(self, now: Problem, mode: Mode, solution: Solution) -> Solution:
        """The same arc, or the arc up to the first contact that closes and opens again between samples of a step."""
        assert solution.sol is not None
        dip = self.dips.first(solution.sol, self.p, mode.closed, TOUCHING * self.sizes)
        if dip is None:
            return solution
        grid = now.t_eval if now.t_eval is None else np.asarray(now.t_eval)[np.asarray(now.t_eval) <= dip]
        again = integrate(replace(now, span=(now.span[0], dip), t_eval=grid))
        if again.reason == at.DONE:
            raise SimulationError(f"a contact is passed near t = {dip:.9g} and is not located: use a smaller max_step.")
        return again

    def _asked(self, own: NativeEvents | None, regime: Regime) -> Callable[[float, Any], Array]:
        count = len(own.terminal) if own else 0

        def asked(t: float, y: Any) -> Array:
            first = call_address(own.address, t, y, self.p, count) if own else np.zeros(0)
            return np.concatenate([first, regime.values(t, y)])

        return asked

    def _leaving(self, t: float, y: Array, happened: Happening, armed: Sequence[ResolvedEvent]) -> dict[int, float]:
        """Contacts that are open and touch, slips that begin: all of them leave with a plus sign."""
        now, kinds = self.machine.at(t, y, self.p), enumerate(self.kinds, len(armed))
        near = {int(i) for i in np.flatnonzero(now.gap <= TOUCHING * self.sizes)}
        return {k: 1.0 for k, (i, kind) in kinds if (kind == "gap" and i in near) or kind in _HOLDING}

    def _behind(self, t: float, y: Array) -> float:
        return past_jump(lambda at: self.machine.at(at, y, self.p).free, t, (self.begin, self.end))

    # --- what happens ----------------------------------------------------------------------------------------------

    def _settle(self, t: float, y: Array, before: Before, mode: Mode) -> Happening:
        return Decision(self.machine, self.p, self.sizes, self.law, "stick").settle(t, y, before, mode)

    def _contact(self, t: float, y: Array, solution: Solution) -> tuple[Happening, Array]:
        """An event of contacts: what shows in the arc that it ends decides what the accelerations alone do not."""
        kind = self.kinds[solution.culprit - len(self.watched)]
        regime, released, yielding = self.journey.arcs[-1].contacts, set[int](), dict[int, Array]()
        gone, turned = frozenset[int](), dict[int, float]()
        mode = regime.mode if regime is not None else Mode()
        if regime is not None:
            now = self.machine.at(t, y, self.p)
            done, rubs = regime.solve(now), self.machine.rubs
            size = np.abs(done.normal).max(initial=0.0)
            opening = [i for i in mode.closed if i not in self.machine.pressed]
            weak = {i for i in opening if done.normal[i] <= _FADED * size and i not in mode.slack}
            released = (weak | {i for i in mode.closed if (i, "force") == kind}) - {*self.machine.kept}
            turned = {i: -side for i, side in mode.sides.items() if (i, "force") == kind}
            for k in mode.stick:
                along, i = done.tangential[rubs[k].places], rubs[k].contact
                length = float(np.linalg.norm(along))
                margin = now.static[k] * done.normal[i] - length
                if ((k, "hold") == kind or margin <= 1e-12 * length) and i not in {*released, *turned} and length > 0:
                    yielding[k] = -along / length
            if kind[1] == "edge":  # with those that reach it at the same time
                gone = frozenset(i for i in mode.closed if i == kind[0] or now.past[i] > -NEAR * self.sizes[i])
            if kind[1] == "slip":
                y = self._stopped(t, y, kind[0], mode)
        before = Before(frozenset(released - gone), yielding, gone=gone, turned=turned)
        happened = self._gave_way(t, y, before, mode, regime)
        name = ", ".join(dict.fromkeys(f"{self.machine.names[i]}.{what}" for i, what in happened.events))
        self._bounced(t, happened, (released | gone) - happened.struck.keys())
        return happened, self._enter(t, solution.y_last, happened, name, mode)

    def _gave_way(self, t: float, y: Array, before: Before, mode: Mode, regime: Forces | None) -> Happening:
        """What happens, friction that gave way first asked again: where forces are one of many, others may hold."""
        if before.yielding and regime is not None and not regime.regime.regular:
            happened = self._settle(t, y, replace(before, yielding={}), mode)
            now = self.machine.at(t, happened.y, self.p)
            if Regime(self.machine, happened.mode, self.p, self.sizes).holds(now, before.yielding):
                return happened
        return self._settle(t, y, before, mode)

    def _stopped(self, t: float, y: Array, k: int, mode: Mode) -> Array:
        """A slip that has come to its end is nothing, exactly."""
        now, rubs = self.machine.at(t, y, self.p), self.machine.rubs
        places = rubs[k].places
        if float(np.linalg.norm(now.slip[places])) > ENDED * self.machine.pace.slips(now)[places].max():
            return y  # it has turned by a right angle, and goes on
        held = [*places, *(place for other in mode.stick for place in rubs[other].places)]
        state = y.copy()
        state[self.machine.coordinates :] = self.machine.at_rest(now, list(mode.closed), held)
        return state

    def _bounced(self, t: float, happened: Happening, released: set[int]) -> None:
        """Sum the tail of infinitely many bounces where its ratio shows; what was `released` leaves, however slowly."""
        now, settled, tail = self.machine.at(t, happened.y, self.p), list[int](), 0.0
        leaving = [j for j in now.touching(TOUCHING * self.sizes) if now.rate[j] > 0 and j not in happened.mode.closed]
        for i, (approach, rebound) in happened.struck.items():
            run = self.bounces[i]
            turns = [
                j for j in leaving if j != i and self.bounces[j].times and run.times[-1:] < self.bounces[j].times[-1:]
            ]
            run.add(t, approach, rebound)
            others = max((self.bounces[j].share(float(now.rate[j])) for j in turns), default=0.0)
            over = run.end(float(now.restitution[i]), others)
            if over is not None and over <= self.end:
                settled += [i, *turns]
                tail = max(tail, *(float(now.rate[j]) / self.machine.pace.sizes[j] for j in (i, *turns)))
                self.log.event(over, self.machine.names[i], "accumulation")
                self.log.remark(
                    f"contact {self.machine.names[i]}: infinitely many bounces end at t = {over:.9g} "
                    f"({len(self.bounces[i].times)} located, the rest summed)"
                )
                self.bounces[i] = Bounces()
        self._closed(t, happened, settled, _TAIL * tail)
        for _ in self.machine.names:
            instant = [i for i in self._instant(t, happened) if i not in released]
            if not instant:
                break
            self._closed(t, happened, instant)

    def _closed(self, t: float, happened: Happening, settled: list[int], slow: float = 0.0) -> None:
        """Let contacts that hardly leave be closed, with those that are closed already; what slips slower stops.

        What is taken from their speeds may let others approach that touch as well: those come to rest with them.
        """
        if not settled:
            return
        now, n = self.machine.at(t, happened.y, self.p), self.machine.coordinates
        together = sorted({*settled, *happened.mode.closed})
        touching = now.touching(TOUCHING * self.sizes)
        pace, rubs = self.machine.pace, self.machine.rubs
        grip = np.zeros(len(now.slip))  # what hardly rubs hardly loses speed in the bounces that are left out
        for k, one in enumerate(rubs):
            grip[one.places] = min(1.0, _TAIL * now.static[k]) if one.kind == SLIDING else now.static[k] > 0
        ended = np.abs(now.slip) <= np.maximum(slow * grip * pace.slides, ENDED * np.sign(grip) * pace.slips(now))
        still = [k for k, one in enumerate(rubs) if one.contact in settled and ended[one.places].all()]
        held = [place for k in {*happened.mode.stick, *still} for place in rubs[k].places]
        while True:
            happened.y[n:] = self.machine.at_rest(now, together, held)
            then = self.machine.at(t, happened.y, self.p)
            small = APPROACH * self.machine.pace.rates(then)
            more = [i for i in touching if then.rate[i] < -small[i] and i not in together]
            if not more:
                break
            together = sorted({*together, *more})
        again = self._settle(t, happened.y, Before(settled=frozenset(together)), Mode(tuple(together)))
        happened.y, happened.mode = again.y, again.mode
        happened.strikes += again.strikes
        happened.remarks += again.remarks

    def _instant(self, t: float, happened: Happening) -> list[int]:
        """Contacts that touch and leave for a flight too short or too low to be seen: they are closed."""
        now, mode = self.machine.at(t, happened.y, self.p), happened.mode
        touching = [i for i in now.touching(TOUCHING * self.sizes) if i not in mode.closed]
        if not touching:
            return []
        a = Regime(self.machine, mode, self.p, self.sizes).solve(now).accelerations if mode.closed else now.free
        found = []
        for i in touching:
            pull, up = float(now.least[i] - now.normal[i] @ a), max(float(now.rate[i]), 0.0)
            made = abs(float(now.least[i])) + float(np.abs(now.normal[i]) @ np.abs(a))
            if pull <= WEAK * made:  # it leaves, or nothing pulls it back
                continue
            if 2 * up / pull < _INSTANT * self.machine.time_scale or up**2 / (2 * pull) < _LOW * self.sizes[i]:
                found.append(int(i))
        return found

    def _enter(self, t: float, before: Array, happened: Happening, name: str, old: Mode | None = None) -> Array:
        """The state on the contacts of the new mode; a jump if it is another one, and what is to be told."""
        y = self._outside(t, happened.y, happened.mode)
        for _ in self.machine.names:  # what is brought to its gap may bring others past the edges of their faces
            past = self.machine.at(t, y, self.p).past
            gone = frozenset(i for i in happened.mode.closed if past[i] > 0)
            if not gone:
                break
            again = self._settle(t, y, Before(gone=gone), Mode())
            happened.mode, happened.remarks = again.mode, happened.remarks + again.remarks
            happened.strikes, happened.events = happened.strikes + again.strikes, happened.events + again.events
            y = self._outside(t, again.y, again.mode)
        tell_changes(self.machine, t, happened, old)
        if old is not None:
            told = [dict(zip(self.system.states, x.tolist(), strict=True)) for x in (before, y)]
            self.journey.jumps.append(Jump(t, told[0], told[1], name or "contact"))
        return y

    def _outside(self, t: float, y: Array, mode: Mode) -> Array:
        return outside(self.machine, t, y, self.p, mode, self.sizes, np.asarray(self.problem.scales, dtype=float))

    def _over(self, number: int) -> bool:
        return self.watched[number].terminal > 0 and self.left[number] == 0

    def _user(self, t: float, y: Array, number: int, solution: Solution) -> tuple[Happening, Array]:
        """An event of the user's that changes something."""
        new, touched, switched = changed(self.system, self.watched, [number], solution, self.parameters)
        if switched:
            self.switched |= switched
            self.parameters = self.switch(self.switched)
        now = replace(self.problem, parameters=self.p)
        new = consistent(self.system, now, t, new, touched)
        happened = self._settle(t, new, Before(), Mode())
        return happened, self._enter(t, y, happened, self.watched[number].name, Mode())

    def _passed(self, t: float, y: Array) -> bool:
        """No answer may be inside a contact: an arc that ends there has missed it."""
        gap = self.machine.at(t, y, self.p).gap
        if (gap >= -_INSIDE * self.sizes).all():
            return False
        worst = int(np.argmin(gap / self.sizes))
        missed = f"contact {self.machine.names[worst]} was missed: at t = {t:.6g} it is"
        self.journey.piled = f"{missed} {-gap[worst]:.3g} inside. Use a smaller max_step, or method='moreau'"
        return True

    def _impasse(self, begin: float, solution: Solution) -> bool:
        """Whether the motion ends here, not as it should: the journey tells why."""
        lengths, log = self.journey.lengths, self.log.events
        beyond = overloaded(self.journey.arcs[-1].contacts, begin, solution)
        self.journey.piled = beyond or piled(lengths, self.machine.time_scale, log)
        return bool(self.journey.piled)


_HOLDING = ("slip", "force", "hold", "jam", "edge")
