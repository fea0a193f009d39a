"""Moreau-Jean time stepping: impacts and contact forces together, as impulses of a step; no event is located.

    M_theta (v+ - v) = h F_theta + G^T P,   q+ = q + h (theta v+ + (1 - theta) v)

    0 <= u+ + e u  orthogonal to  P >= 0

with friction on the slip at the end of the step. M_theta = theta M(q+) + (1 - theta) M(q), and so are the rows along
which constraints push: with those of the end alone the method is of order 1 wherever masses change with the posture.
A contact takes part if it would be crossed: f + gamma h u <= 0. Order 1 through impacts; between them, with all
contacts open, order 2 at theta = 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.contact import Frictional, gauss_seidel, lemke, single
from dalembert.contact.coulomb import choose
from dalembert.contact.nsgs import rank
from dalembert.contact.planar import all_answers, enumerable
from dalembert.dynamics import dynamics_of
from dalembert.errors import SimulationError
from dalembert.simulate.contact.imposed import imposed, refused
from dalembert.simulate.contact.machine import ContactMachine, Instant
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Problem, Solution
from dalembert.simulate.methods.stepwise import march
from dalembert.simulate.system.system import System

if TYPE_CHECKING:
    from dalembert.simulate.contact.step.run import Course, Stretch

Array = NDArray[Any]

PASSES = 20
ENOUGH = 1e-13
"""Newton ends when a pass changes the speeds by less than this share of them and of what efforts do to them in a step,
in the kinetic metric."""
_SWEPT = 1e-8
"""The same where impulses come from sweeps, which are not known to rounding."""
_UNSETTLED = 1e-6
"""The share of the speeds that a last pass may change: the order of the method is left there."""
_LONGEST = 100_000
"""Operations of the derivatives of the efforts above which the step does without them."""
_SWEEPS, _GOOD, _USABLE = 200, 1e-10, 1e-5
"""Sweeps over the contacts of a step; the fault of the law (natural map over |b|, no units) at which they end, and the
largest with which the motion goes on: the next step starts from it."""
_FEW = 8
"""Sweeps that are enough for few contacts in planes, of which every pattern can be tried instead."""
_CLOSED = 1e-15
"""Gap after a projection, as a share of the sizes of the gaps: Newton goes on to rounding, or for eight steps."""
_STEPS = 1000
"""Steps of a motion whose step nobody has said."""


@dataclass(frozen=True, eq=False)
class MoreauJean(Method):
    """Time stepping with `theta` (1/2 keeps energy between impacts, 1 damps), activation `gamma`, and a projection.

    `projection`: "none" leaves penetrations of the order h^2; "direct" moves crossed contacts that are active back
    ("all": every crossed one); "combined" activates by the free end position and puts pushing contacts on their gap.
    A contact is crossed beyond `tolerance`, as a share of the size of its gap.
    A crowd of free bodies is solved by at most `sweeps` over its contacts in a step, until what the worst misses of
    its law is less than `accuracy` of the fastest.
    `tangential` is the restitution of slip; with friction and restitution other than it, impacts may create energy.
    """

    theta: float = 0.5
    gamma: float = 0.5
    projection: Literal["none", "direct", "all", "combined"] = "none"
    tolerance: float = 1e-8
    tangential: float = 0.0
    sweeps: int = 100
    accuracy: float = 1e-8
    name: str = "moreau"
    order: int = 1
    kind: str = "time stepping"
    equal_steps: bool = True

    def __post_init__(self) -> None:
        if not 0.5 <= self.theta <= 1:
            raise SimulationError(f"theta = {self.theta:g}: time stepping is stable for 1/2 <= theta <= 1.")
        if self.projection not in ("none", "direct", "all", "combined"):
            raise SimulationError(f"projection '{self.projection}' is none of: none, direct, all, combined.")

    def integrate(self, problem: Problem) -> Solution:
        wanted, count = equal_steps(problem)
        given = self.theta, self.gamma, self.tolerance, self.tangential, self.projection
        from dalembert.simulate.contact.step.run import Course  # brings numba: only who steps waits for it

        course = Course((float(problem.span[0]), float(problem.span[1])), count, *given)
        return march(_Step(self, problem.balance, problem, course), problem, wanted)

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        if system.constrained is not None and system.constrained.rows.sliding:
            return "dry friction on a constraint that is kept is decided by the event-driven methods (method='DOP853')"
        return "" if system.layout is not None else "it takes mechanisms, whose masses and rows it can ask for"

    def wants(self, system: System) -> dict[str, Any]:
        assert system.layout is not None
        return {"balance": contact_machine(system)}


def equal_steps(problem: Problem) -> tuple[float, int]:
    """The step that is wanted, and how many equal ones no longer than it make the span."""
    begin, end = map(float, problem.span)
    wanted = min(problem.first_step or np.inf, problem.max_step)
    wanted = wanted if np.isfinite(wanted) else abs(end - begin) / _STEPS
    if end < begin:
        raise SimulationError("time stepping goes forward in time: impacts cannot be undone.")
    return wanted, max(1, int(np.ceil((end - begin) / wanted * (1 - 1e-9))))


def contact_machine(system: System) -> ContactMachine:
    """The machine of a system, made once."""
    assert system.layout is not None
    return ContactMachine(system, dynamics_of(system.layout))


class _Step:
    """One step after the other; see `_stepwise.Stepper`."""

    degree, speeds = 1, 0

    def __init__(self, method: MoreauJean, machine: ContactMachine, problem: Problem, course: Course) -> None:
        self.method, self.machine, self.h, self.course = method, machine, course.step, course
        self.p = np.asarray(problem.parameters, dtype=float)
        self.name, self.nfev, self.sizes, self._counted = method.name, 0, machine.gap_sizes(problem), 0
        self.log, self.scales = machine.log, np.broadcast_to(np.asarray(problem.scales, dtype=float), (machine.size,))
        self.slopes = effort_slopes(machine)
        self.last: dict[tuple[int, ...], Array] = {}
        from dalembert.simulate.contact.step.run import CompiledSteps

        self.compiled = CompiledSteps(machine, self.slopes, self.p, self.sizes, course)
        self._stretch: Stretch | None = None
        self.y: Array = np.zeros(machine.size)
        self.alone: list[int] = []

    def stretch(self, first: int, last: int) -> tuple[Array, str]:
        """States after the steps from `first` on, or why there are none: compiled ones, or one that they leave open."""
        made = self.compiled.go(self.y, first, last)
        self.nfev, self._stretch = self.nfev + self.compiled.evaluations - self._counted, made
        self._counted = self.compiled.evaluations
        if len(made.states):
            (begin, end), count = self.course.span, self.course.count
            ends = begin + (end - begin) * (np.arange(first + 1, first + 1 + len(made.states)) / count)
            good, why = refused(self.machine, self.alone, ends, made.states, self.p)
            self.y = made.states[good - 1].copy() if good else self.y
            return made.states[:good], "" if good else why
        self._stretch = None
        (begin, end), count = self.course.span, self.course.count
        t0, t1 = (end if k == count else begin + (end - begin) * (k / count) for k in (first, first + 1))
        found = self.advance(t0, t1)
        return (np.zeros((0, len(self.y))), found) if isinstance(found, str) else (found[0][None], "")

    def kept(self, t: Array) -> None:
        """The log of the first steps of the last stretch: those that end at the times t."""
        made = self._stretch
        if made is not None:
            self.log.steps(t, made.pulses[: len(t)], made.works[: len(t)], self.machine.tangents, self.h)

    def start(self, t: float, y: Array) -> Array:
        self.y = y.copy()
        now = self.machine.at(t, y, self.p)
        if (now.gap < -self.method.tolerance * self.sizes).any():
            raise inside(self.machine, now)
        self.alone = imposed(self.machine, t, y, self.p, self.scales)
        if why := refused(self.machine, self.alone, np.array([t]), y[None], self.p)[1]:
            raise SimulationError(f"{why}.")
        return np.concatenate([self.machine.flow(t, y[: self.machine.coordinates], self.p, now.speeds), now.free])

    def _at(self, t: float, q: Array, v: Array) -> Instant:
        self.nfev += 1
        return self.machine.at(t, np.concatenate([q, v]), self.p)

    def _end(self, t: float, q: Array, v: Array) -> Array:
        """q after a step with the mean speeds v: the midpoint rule, exact where q' = v."""
        half = q + self.h / 2 * self.machine.flow(t, q, self.p, v)
        found = q + self.h * self.machine.flow(t + self.h / 2, half, self.p, v)
        return self.machine.normalised(found)

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        m, h, n = self.method, self.h, self.machine.coordinates
        q, v = self.y[:n], self.y[n:]
        now = self._at(t0, q, v)
        active = [int(i) for i in np.flatnonzero((now.held + m.gamma * h * now.rate <= 0) & (now.past <= 0))]
        new, pulses = v, np.zeros(0)
        for number in range(PASSES):
            end = self._end(t0, q, m.theta * new + (1 - m.theta) * v)
            there = self._at(t1, end, new)
            efforts, mass = (
                m.theta * b + (1 - m.theta) * a for a, b in ((now.right, there.right), (now.mass, there.mass))
            )
            pushes = m.theta * there.pushes + (1 - m.theta) * now.pushes
            matrix = self._matrix(t1, there, mass)
            left = mass @ (new - v) - h * efforts
            inverse, free = _held(matrix, there, pushes, new - np.linalg.solve(matrix, left), new)
            if m.projection == "combined" and number == 0:
                far = self._end(t0, q, m.theta * free + (1 - m.theta) * v)
                active = [int(i) for i in np.flatnonzero(self._at(t1, far, free).gap <= 0)]
            better, pulses = free, np.zeros(0)
            if active:
                made = self._pulses(now, there, active, inverse, free)
                if isinstance(made, str):
                    return made
                pulses = made
                better = free + inverse @ (self._rows(now, active).T @ pulses)
            change, new = better - new, better
            if not np.isfinite(new).all():
                return "the speeds of a step are not finite"
            rubbing = sum(bool(self.machine.tangents[i]) for i in active)
            enough = ENOUGH if rubbing < 2 else _SWEPT
            by_efforts = np.linalg.solve(matrix, h * efforts)  # speeds at rest are small beside what efforts would do
            left = share(mass, change, (new, v, by_efforts))
            if left <= enough:
                break
        else:
            why = unsettled(left)
            if why:
                return why
        y = np.concatenate([self._end(t0, q, m.theta * new + (1 - m.theta) * v), new])
        y = self._projected(t1, y, active, pulses)
        if active:
            self.log.impulse(t1, active, self._told(active, pulses), self._works(now, active, pulses, (v + new) / 2), h)
        self.log.state(t1, {i: "closed" if self._pushes(active, pulses, i) else "open" for i in range(len(now.gap))})
        slope = np.concatenate([(y[:n] - q) / h, (new - v) / h])
        self.y = y
        return y, slope

    def _matrix(self, t: float, there: Instant, mass: Array) -> Array:
        """M_theta - h theta dF/dv - h^2 theta^2 dF/dq P."""
        h, theta, n = self.h, self.method.theta, self.machine.coordinates
        if self.slopes is None:
            return mass
        flat = np.asarray(self.slopes([t], there.y, self.p))
        k = len(there.y) - n
        by_speed, by_place = flat[: k * k].reshape(k, k), flat[k * k :].reshape(k, k)
        found: Array = mass - h * theta * by_speed - (h * theta) ** 2 * by_place
        return found

    def _rows(self, now: Instant, active: list[int]) -> Array:
        """Rows of active contacts, each normal before its tangents, at the beginning of the step."""
        return np.array([row for i in active for row in (now.normal[i], *now.tangent[self.machine.tangents[i]])])

    def _pulses(self, now: Instant, there: Instant, active: list[int], inverse: Array, free: Array) -> Array | str:
        rows, tangents = self._rows(now, active), self.machine.tangents
        right = rows @ free
        place = 0
        for i in active:
            right[place] += there.drift[i] + now.restitution[i] * now.rate[i]
            drift = there.slip[tangents[i]] - there.tangent[tangents[i]] @ there.speeds
            right[place + 1 : place + 1 + len(tangents[i])] += drift + self.method.tangential * now.slip[tangents[i]]
            place += 1 + len(tangents[i])
        matrix = rows @ inverse @ rows.T
        self.machine.press(now, matrix, right, active, self.h)
        problem = self.machine.frictional(now, matrix, right, active)
        found = impulses(problem, self.last.get(tuple(active)))
        if isinstance(found, str):
            return f"the contacts {', '.join(self.machine.names[i] for i in active)}: {found}"
        self.last = {tuple(active): found}
        return found

    def _projected(self, t: float, y: Array, active: list[int], pulses: Array) -> Array:
        """Loops closed, and crossed contacts brought back as the method asks."""
        m, machine = self.method, self.machine
        asked = list[int]()
        if m.projection != "none":
            gap = machine.at(t, y, self.p).gap / self.sizes
            crossed = [int(i) for i in np.flatnonzero(gap < -m.tolerance)]
            asked = [i for i in crossed if m.projection != "direct" or i in active]
            if m.projection == "combined":
                pushing = [i for i in active if self._pushes(active, pulses, i)]
                asked = sorted({*asked, *(i for i in pushing if abs(gap[i]) > m.tolerance)})
        if asked or len(machine.rounding):
            y, _ = machine.projected(t, y, self.p, asked, _CLOSED * self.sizes)
        return y

    def _pushes(self, active: list[int], pulses: Array, i: int) -> bool:
        if i not in active or not len(pulses):
            return False
        return bool(self._told(active, pulses)[active.index(i)][0] > 0)

    def _works(self, now: Instant, active: list[int], pulses: Array, mean: Array) -> list[float]:
        """What the impulses of each contact give to the machine, with the mean of the speeds of the step."""
        parts = self._told(active, pulses * (self._rows(now, active) @ mean))
        return [float(part.sum()) for part in parts]

    def _told(self, active: list[int], pulses: Array) -> list[Array]:
        found, place = [], 0
        for i in active:
            size = 1 + len(self.machine.tangents[i])
            found.append(pulses[place : place + size])
            place += size
        return found


def unsettled(left: float) -> str:
    """Why a step whose last pass has changed this share of the speeds is none; nothing if it is good enough."""
    if left <= _UNSETTLED:
        return ""
    return f"the speeds of a step still change by {left:.1e} of them after {PASSES} passes: make max_step smaller"


def share(mass: Array, change: Array, speeds: Sequence[Array]) -> float:
    """A change beside some speeds, in the kinetic metric."""
    whole = sum(float(one @ mass @ one) for one in speeds)
    return float(np.sqrt(max(float(change @ mass @ change), 0.0) / whole)) if whole > 0 else 0.0


def _held(matrix: Array, there: Instant, pushes: Array, free: Array, new: Array) -> tuple[Array, Array]:
    """The inverse and the free speeds with the constraints held."""
    inverse = np.linalg.inv(matrix)
    rows = there.matrix[there.kept]
    if not len(rows):
        return inverse, free
    raised = inverse @ pushes[there.kept].T
    small = rows @ raised
    left = there.conditions[there.kept] + rows @ (free - new)
    return inverse - raised @ np.linalg.solve(small, rows @ inverse), free - raised @ np.linalg.solve(small, left)


def impulses(problem: Frictional, guess: Array | None = None) -> Array | str:
    """The impulses of a step, to rounding: exactly for few contacts, swept and polished for many."""
    count = len(problem.tangents)
    if not any(problem.discs):
        if count == 1:
            if problem.matrix[0, 0] > 0:
                return np.maximum(-problem.right / problem.matrix[0], 0.0)[:1]
            return np.zeros(1) if problem.right[0] >= 0 else "no impulse moves it: what keeps the constraints takes all"
        found = lemke(problem.matrix, problem.right)
        if found.z is None:
            return "no impulses keep all of them out"
        pushing = np.flatnonzero(found.z > 0)
        exact = found.z.copy()
        if len(pushing):  # once more, from the contacts that push: pivots leave rounding
            part = problem.matrix[np.ix_(pushing, pushing)]
            if np.linalg.cond(part) < 1e10:
                exact[pushing] = np.linalg.solve(part, -problem.right[pushing])
        good = (exact >= 0).all()
        return np.asarray(exact if good else found.z, dtype=np.float64)
    if count == 1 and not problem.turns:
        answers = single(problem.matrix, problem.right, float(problem.mu[0]), float(problem.static[0]))
        return choose(answers).impulses if answers else "no impulse obeys Coulomb's law (Painleve): use a smaller step"
    warm = guess if guess is not None and len(guess) == len(problem.right) else None
    few = enumerable(problem)  # all patterns are tried, soon and exactly: a budget that grows only where none is right
    swept = gauss_seidel(problem, warm, most=_FEW if few else _SWEEPS, accept=_GOOD)
    if swept.fault <= _GOOD:
        return swept.impulses
    if few:
        if answers := all_answers(problem):
            return min(answers, key=lambda one: rank(one, "stick")).impulses
        swept = gauss_seidel(problem, warm, most=_SWEEPS, accept=_GOOD)
    if swept.fault < _USABLE:
        return swept.impulses
    none = f"no impulses obey Coulomb's law to better than {swept.fault:.1e}"
    return none + (
        " (Painleve?): use a smaller step, or, where contacts with friction have restitution, give slip the same, "
        "MoreauJean(tangential=e): rates that bounce beside slips that do not may contradict each other"
    )


def inside(machine: ContactMachine, now: Instant) -> SimulationError:
    """The refusal of a start that is inside something."""
    i = int(np.argmin(now.gap))
    return SimulationError(
        f"contact '{machine.names[i]}' of '{machine.system.name}' starts {-now.gap[i]:.3g} beyond what it allows: "
        f"'{machine.names[i]}.gap' must not be negative. Change the start, or the contact."
    )


def effort_slopes(machine: ContactMachine) -> Any:
    """dF/dv, then dF/dq P, compiled; nothing where they are too long."""
    from dalembert.simulate.system.compiled import compiled

    system = machine.system
    assert system.layout is not None
    about = dynamics_of(system.layout)
    speeds, places = about.speeds, about.coordinates
    by_speed = [x for row in ex.jacobian(about.right_side, speeds) for x in row]
    directions = ex.jacobian(list(about.rates), speeds)
    by_place = ex.jacobian(about.right_side, places)
    columns = range(len(speeds))
    moved = [
        ex.dot_product(list(row), [directions[i][j] for i in range(len(places))]) for row in by_place for j in columns
    ]
    outputs = (*by_speed, *moved)
    if ex.count_operations(outputs) > _LONGEST:
        return None
    if all(e is ex.ZERO for e in outputs):
        return None
    return compiled("effort_slopes", system.symbols, system.known_parameters, outputs)
