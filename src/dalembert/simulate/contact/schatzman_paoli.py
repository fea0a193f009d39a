"""Time stepping of Schatzman and Paoli: impacts by positions alone, restitution as a reflection of the last but one.

    M (q_{k+1} - 2 q_k + q_{k-1}) = h^2 F + G^T p,   0 <= f(q_{k+1}) + e f(q_{k-1})  orthogonal to  p >= 0

    v_k = (q_{k+1} - q_{k-1}) / 2h

M, F (with v_k in it) and the rows G along which contacts push are those of q_k; gaps are those of the end itself, not
linearised. With w = (q_{k+1} - q_k) / h and P = p / h it is a step of speeds, solved by the passes of Moreau and Jean:

    M (w - w_before) = h F(t_k, q_k, (w + w_before) / 2) + G^T P,   q_{k+1} = q_k + h w

The start has q_{-1} = q_0 - h v_0. Between impacts it is Verlet's method. Gaps are crossed by h u at impacts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.moreau_jean import (
    ENOUGH,
    PASSES,
    contact_machine,
    effort_slopes,
    equal_steps,
    impulses,
    inside,
    share,
    unsettled,
)
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Problem, Solution
from dalembert.simulate.methods.stepwise import march
from dalembert.simulate.system.system import System

Array = NDArray[Any]

_INSIDE = 1e-8
"""What a start may be beyond a gap, as a share of its size: that of `MoreauJean`."""
_ROUNDING = 4 * np.finfo(float).eps
"""A change of the end of a step below this share of each coordinate is rounding of the gap."""


@dataclass(frozen=True, eq=False)
class SchatzmanPaoli(Method):
    """Time stepping by positions, without friction: `method="schatzman-paoli"`, its step is `max_step`.

    It takes trees whose coordinates have their rates as speeds; restitution holds in positions two steps apart, so that
    an impact takes two or three steps, and no speed decides which contacts take part.
    """

    name: str = "schatzman-paoli"
    order: int = 1
    kind: str = "time stepping"
    equal_steps: bool = True

    def integrate(self, problem: Problem) -> Solution:
        wanted, count = equal_steps(problem)
        step = (float(problem.span[1]) - float(problem.span[0])) / count
        return march(_Step(self.name, problem.balance, problem, step), problem, wanted)

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        if system.layout is None:
            return "it takes mechanisms, whose masses and rows it can ask for"
        if system.constrained is not None:
            return "it keeps no constraints (loops, drives, conditions); method='moreau' does"
        for one in system.contacts:
            if one.rubs:
                return f"contact '{one.name}' has friction, and its law of positions has none; method='moreau' does"
            if one.edged:
                return f"contact '{one.name}' ends at the edge of a face, where its gap jumps; method='moreau' takes it"
        n = len(system.coordinates)
        speeds = system.symbols[n:]
        odd = [
            name for k, name in enumerate(system.coordinates) if k >= len(speeds) or system.rates[k] is not speeds[k]
        ]
        if odd:
            return f"the rate of '{odd[0]}' is no speed (quaternions, chosen speeds), and it steps by coordinates alone"
        return ""

    def wants(self, system: System) -> dict[str, Any]:
        return {"balance": contact_machine(system)}


@dataclass(frozen=True, slots=True, eq=False)
class _Push:
    """What happens at one posture: speeds of the step after it, gaps, impulses and what they do to the machine."""

    after: Array
    gap: Array
    pulses: Array
    pushes: Array


class _Step:
    """One step after the other; see `stepwise.Stepper`. The posture after the last one told is known already."""

    degree, speeds = 1, 0

    def __init__(self, name: str, machine: ContactMachine, problem: Problem, step: float) -> None:
        self.name, self.machine, self.h, self.nfev = name, machine, step, 0
        self.p = np.asarray(problem.parameters, dtype=float)
        self.sizes, self.slopes = machine.gap_sizes(problem), effort_slopes(machine)
        self.last: _Push | None = None
        self.y: Array = np.zeros(machine.size)
        self.before: Array = np.zeros(len(machine.names))

    def start(self, t: float, y: Array) -> Array:
        self.y, self.last = y.copy(), None
        now = self.machine.at(t, y, self.p)
        if (now.gap < -_INSIDE * self.sizes).any():
            raise inside(self.machine, now)
        self.before = now.gap - self.h * now.rate
        return np.concatenate([now.speeds, now.free])

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        h, n, log = self.h, self.machine.coordinates, self.machine.log
        q, v = self.y[:n], self.y[n:]
        begin = self.last or self._push(t0, q, v, self.before)
        if isinstance(begin, str):
            return begin
        # Speeds told are means of two steps, and so are impulses; those of the start are of the step before it.
        part = 0.5 if self.last else 1.0
        there = q + h * begin.after
        end = self._push(t1, there, begin.after, begin.gap)
        if isinstance(end, str):
            return end
        y = np.concatenate([there, (begin.after + end.after) / 2])
        pulses = part * begin.pulses + end.pulses / 2
        works = (part * begin.pushes + end.pushes / 2) @ (v + y[n:]) / 2
        log.impulse(t1, range(len(pulses)), list(pulses[:, None]), works.tolist(), h)
        log.state(t1, {i: "closed" if pulse > 0 else "open" for i, pulse in enumerate(pulses)})
        slope = (y - self.y) / h
        self.y, self.last = y, end
        return y, slope

    def _push(self, t: float, q: Array, slow: Array, before: Array) -> _Push | str:
        """From the posture q, reached with the speeds `slow` and after the gaps `before`, to the next one."""
        machine, h, new = self.machine, self.h, slow
        contacts, left = list(range(len(machine.names))), np.inf
        for _ in range(PASSES):
            self.nfev += 1
            now = machine.at(t, np.concatenate([q, (slow + new) / 2]), self.p)
            inverse = np.linalg.inv(self._matrix(t, now.mass, now.y))
            better = free = new - inverse @ (now.mass @ (new - slow) - h * now.right)
            pulses = np.zeros(len(contacts))
            if contacts:
                ahead = machine.at(t + h, np.concatenate([q + h * new, new]), self.p).gap
                right = (ahead + now.restitution * before) / h + now.normal @ (free - new)
                matrix = now.normal @ inverse @ now.normal.T
                found = impulses(machine.frictional(now, matrix, right, contacts))
                if isinstance(found, str):
                    return f"the contacts {', '.join(machine.names)}: {found}"
                pulses = found
                better = free + inverse @ (now.normal.T @ pulses)
            change, new = better - new, better
            if not np.isfinite(new).all():
                return "the speeds of a step are not finite"
            left = share(now.mass, change, (new, slow, h * (inverse @ now.right)))
            if left <= ENOUGH or (np.abs(h * change) <= _ROUNDING * np.abs(q)).all():
                break
        else:
            why = unsettled(left)
            if why:
                return why
        return _Push(new, now.gap, pulses, pulses[:, None] * now.normal)

    def _matrix(self, t: float, mass: Array, y: Array) -> Array:
        """M - h/2 dF/dv."""
        if self.slopes is None:
            return mass
        k = len(mass)
        found: Array = mass - self.h / 2 * np.asarray(self.slopes([t], y, self.p))[: k * k].reshape(k, k)
        return found
