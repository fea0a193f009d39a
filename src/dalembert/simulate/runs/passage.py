"""Motions through singular postures: what steps lose there is made again, by one polynomial across.

Near such a posture rounding turns a row of the constraints, at it the row is lost: a motion that passes slowly loses
energy or opens its loops, the more the longer it stays. Steps before and after are good. So after a motion was computed
its short steps are looked at; where rows are nearly lost a polynomial is laid from before to behind the
posture (`collocation`), and the motion goes on from there. Where none is found the steps stay: `quality` tells them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.methods.code import Code
from dalembert.simulate.methods.collocation import SMOOTH, Polynomial, collocated
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.joined import joined, with_events_left
from dalembert.simulate.methods.problem import FINISHED, INTERRUPTED, Array, Problem, Solution
from dalembert.simulate.methods.stepwise import march
from dalembert.simulate.methods.table import find_method, integrate
from dalembert.simulate.motion.quality import SHORT, gaps
from dalembert.simulate.runs.strength import Strength
from dalembert.simulate.system.system import System

_LOST = 1e-3
"""Angle by which the weakest row tells motions apart, in parts of its largest: below, rounding of one part in 1e16 is
one in 1e10 of the speeds."""
_OPENED = 1e-14
"""Gap of a loop, as a share of the machine: steps that open less, on a very quick passage, lose no energy."""
_WIDTHS = (0.1, 0.05, 0.02, 0.01, 0.005)
"""The same angle at which a polynomial begins and ends, the first that serves: from far there is less rounding."""
_NEAREST = 0.01
"""Share of it that a node may come near."""
_LENGTHS = (1.0, 0.8, 1.25, 0.6, 1.6)
"""Of a polynomial, in parts of the time that the steps took."""
_SOON = 1e-9
"""Of the span: the shortest time after which a start is left."""
_PIECES = 48
"""Cubic pieces by which a polynomial is told between its ends: a fifth of a radian to 1e-11."""
_NONE = 1e-6
"""Singular values below are none, as in `dynamics.branches`."""
_DEFECT = 1e-6
"""Difference of the rates at the end of a polynomial, by its length, in parts of the scales: the step itself is of
twice the order of its nodes, so it is known to the square."""


def integrate_through(system: System, problem: Problem) -> Solution:
    """The motion of a problem, singular postures passed without loss where they can be."""
    if system.constrained is None or find_method(problem.method).kind not in ("explicit", "implicit"):
        return integrate(problem)
    keeping = replace(problem, dense_output=None) if problem.dense_output is False else problem
    solution = integrate(keeping)
    if solution.sol is not None and solution.status != INTERRUPTED and len(_short(solution.sol)):
        solution = _Way(system, keeping).mended(solution)
    return replace(solution, sol=None) if problem.dense_output is False else solution


def _short(sol: DenseOutput) -> NDArray[np.int64]:
    steps = np.abs(np.diff(sol.t))
    return np.flatnonzero(steps < SHORT * steps.max(initial=0.0))


@dataclass(eq=False)
class _Way:
    """The pieces of one motion, from the start to its end."""

    system: System
    problem: Problem
    pieces: list[Solution] = field(default_factory=list)
    slow: list[float] = field(default_factory=list)  # instants of passages without a polynomial

    def __post_init__(self) -> None:
        self.begin, self.end = as_span(self.problem.span)
        self.sense = 1.0 if self.end >= self.begin else -1.0
        self.parameters = np.array(self.problem.parameters, dtype=float).reshape(-1)
        size = len(self.system.states)
        self.scales = np.broadcast_to(np.asarray(self.problem.scales, dtype=float), (size,))
        self.code = Code.of(self.problem, size)
        quaternions = np.array(self.problem.quaternions, dtype=np.int64).reshape(-1, 4)
        project = self.code.addresses[at.PROJECT]
        self.manifold = Manifold(quaternions, project, self.parameters, (self.code, self.problem))
        self.strength = Strength(self.system, self.parameters)

    def mended(self, solution: Solution) -> Solution:
        sol = solution.sol
        assert sol is not None
        some = np.unique([0, len(sol.t) // 2, len(sol.t) - 1, *_short(sol)])
        if self.strength.alike(sol.t[some], sol.y[some], _LOST):
            return solution
        values = self.strength.values(sol.t[some], sol.y[some])
        self.rank = int((values > _NONE).sum(axis=1).max(initial=0))
        weakest = values[:, self.rank - 1] if self.rank else np.ones(1)
        self.largest = float(weakest.max())
        if not weakest.min() < _LOST * self.largest:
            return solution
        rough = [float(sol.t[k]) for k in self._lowest(sol, self._angles(sol.t, sol.y))]
        if not rough:
            return solution
        ends = [(a + b) / 2 for a, b in pairwise(rough)]
        whole = solution
        while True:
            if not self._passed(solution):
                break
            t, y = self.pieces[-1].t_last, self.pieces[-1].y_last
            if self.pieces[-1].status != FINISHED or (self.end - t) * self.sense <= 0:
                break
            ahead = [c for c in rough if (c - t) * self.sense > 0]
            until = next((e for e in ends if ahead and (e - ahead[0]) * self.sense > 0), self.end)
            solution = integrate(self._from(t, y, until))
        return replace(self._joined() if len(self.pieces) > 1 else whole, slow=tuple(self.slow))

    def _passed(self, solution: Solution) -> bool:
        """Take the steps up to the next passage, and the passage; or all of them. Is there more to come?"""
        sol = solution.sol
        assert sol is not None
        angles = self._angles(sol.t, sol.y)
        for low in self._lowest(sol, angles):
            best: tuple[int, Polynomial] | None = None
            for made in (one for width in _WIDTHS for one in self._across(sol, angles, low, width)):
                best = made if best is None or made[1].noise < best[1].noise else best
                if best[1].noise < SMOOTH:
                    break
            if best is not None:
                first, polynomial = best
                if first:
                    self.pieces.append(self._cut(solution, first))
                self.pieces.append(self._told(polynomial))
                return True
            self.slow.append(float(sol.t[low]))
        self.pieces.append(solution)
        return solution.status == FINISHED and (self.end - solution.t_last) * self.sense > 0

    def _angles(self, t: Array, y: Array) -> Array:
        found: Array = self.strength.values(t, y)[:, self.rank - 1] / self.largest
        return found

    def _lowest(self, sol: DenseOutput, angles: Array) -> Iterator[int]:
        """Of each stay below the widest angle that loses a row and opens a loop: its lowest step."""
        inside = angles < _WIDTHS[0]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            low = int(a + np.argmin(angles[a:b]))
            if angles[low] < _LOST and self._gap(sol, slice(a, b)) > _OPENED:
                yield low

    def _gap(self, sol: DenseOutput, some: slice) -> float:
        named = dict(zip(self.system.known_parameters, self.parameters.tolist(), strict=True))
        found = gaps(self.system, sol.t[some], sol.y[some].T, named)
        return 0.0 if found is None else float(np.max(found))

    def _across(self, sol: DenseOutput, angles: Array, low: int, width: float) -> Iterator[tuple[int, Polynomial]]:
        """Polynomials of this width, each with the number of the step from which it is laid."""
        before, after = np.flatnonzero(angles[:low] >= width), np.flatnonzero(angles[low:] >= width)
        first = int(before[-1]) if len(before) else 0
        last = float(sol.t[low + after[0]]) if len(after) else 2 * float(sol.t[low] - sol.t[first])
        trials = self._onward(sol, first, last) if len(before) else self._from_start(sol, last, width)
        for begin, guess in trials:
            if begin.h * self.sense > 0 and self._angles(begin.nodes, guess).min() > _NEAREST * width / 4:
                found = collocated(self._rates, self.manifold, self.scales, begin, guess)
                if found is not None and self._serves(found, width):
                    yield first, found

    def _onward(self, sol: DenseOutput, first: int, last: float) -> Iterator[tuple[Polynomial, Array]]:
        """From a step before the posture, with states at the nodes as rates before go on, or as the steps went."""
        t, y = float(sol.t[first]), sol.y[first]
        for share in _LENGTHS:
            h = share * (last - t)
            begin = Polynomial(t, h, y, 0.0, np.zeros(0))
            room = min(abs(h) / 4, abs(t - float(sol.t[0])) / 3) * self.sense
            if abs(room) > 0.01 * abs(h):
                back = -room * np.arange(4)
                rates = np.array([self._rates(t + d, sol(t + d) if d else y) for d in back])
                powers = np.linalg.solve(np.vander(back / h, 4, increasing=True), rates)
                parts = (begin.nodes - t) / h
                yield begin, y + h * np.array([[x ** (k + 1) / (k + 1) for k in range(4)] for x in parts]) @ powers
            if (sol.t[-1] - t - h) * self.sense >= 0:
                yield begin, sol(begin.nodes).T

    def _from_start(self, sol: DenseOutput, last: float, width: float) -> Iterator[tuple[Polynomial, Array]]:
        """From a start that is singular itself, as far back as ahead so that no node is near; evenly accelerated."""
        t, y, n = float(sol.t[0]), sol.y[0], len(self.system.coordinates)
        slope = self._rates(t, y)
        slope[n:] = 0.0
        for push in self._pushes(sol, last, slope, width):
            still = self._rates(t, np.concatenate([y[:n], 0 * push]))
            turned = self._rates(t, np.concatenate([y[:n], push]))[:n] - still[:n]

            def path(times: Array, bend: Array = turned, push: Array = push) -> Array:
                x = times[:, None]
                return y + x * slope + np.concatenate([x * x * bend / 2, x * push], axis=1)

            ahead = (self.end - t) * np.geomspace(_SOON, 1.0, 100)
            off = np.flatnonzero(self._angles(t + ahead, path(ahead)) > width)
            for share in _LENGTHS if len(off) else ():
                h = 2 * share * ahead[off[0]]
                begin = Polynomial(t - h / 2, h, y, 0.5, np.zeros(0))
                yield begin, path(begin.nodes - t)

    def _pushes(self, sol: DenseOutput, last: float, slope: Array, width: float) -> Iterator[Array]:
        """Accelerations at the start: those at rest a bit along the branch of its speeds, or what the steps made."""
        t, y, n = float(sol.t[0]), sol.y[0], len(self.system.coordinates)
        size = float(np.max(np.abs(slope) / self.scales))
        if size > 0:
            sides = np.array([y + slope * (side * width / size) for side in (1, -1)])
            sides[:, n:] = 0.0
            self.manifold.bring_back(np.full(2, t), sides)
            yield np.mean([self._rates(t, one)[n:] for one in sides], axis=0)
        if (sol.t[-1] - last) * self.sense >= 0 and last != t:
            yield (sol(last) - y)[n:] / (last - t)

    def _rates(self, t: float, y: Array) -> Array:
        found: Array = call_address(self.code.addresses[at.RHS], t, y, self.parameters, len(y))
        return found

    def _serves(self, found: Polynomial, width: float) -> bool:
        ends = np.array([found.t + found.h])
        state = found.at(ends)
        self.manifold.bring_back(ends, state)
        near = self._angles(found.nodes, found.at(found.nodes)).min()
        if near < _NEAREST * width or self._angles(ends, state)[0] < width / 2:
            return False
        defect = np.abs(found.h * (found.slopes(ends)[0] - self._rates(ends[0], state[0]))) / self.scales
        return bool(defect.max() < _DEFECT)

    def _from(self, t: float, y: Array, end: float) -> Problem:
        events = with_events_left(self.problem.events, self.pieces)
        return replace(self.problem, span=(t, end), y0=y, events=events, t_eval=None, leaving={}, first_step=None)

    def _told(self, polynomial: Polynomial) -> Solution:
        last = polynomial.t + polynomial.h
        last = last if (self.end - last) * self.sense > 0 else self.end
        begin = polynomial.t + polynomial.base * polynomial.h
        return march(_Along(polynomial), self._from(begin, polynomial.y, last), abs(last - begin) / _PIECES)

    def _cut(self, solution: Solution, first: int) -> Solution:
        """The first steps of a solution."""
        sol = solution.sol
        assert sol is not None
        t, y = float(sol.t[first]), sol.y[first]
        part = DenseOutput(
            sol.t[: first + 1], sol.h[:first], sol.y[: first + 1], sol.coefficients[:first], self.manifold
        )
        kept = [(t - one) * self.sense >= 0 for one in solution.t_events or []]
        found: dict[str, Any] = {
            name: None if ones is None else [one[k] for one, k in zip(ones, kept, strict=True)]
            for name, ones in (("t_events", solution.t_events), ("y_events", solution.y_events))
        }
        return replace(
            solution,
            **found,
            sol=part,
            t_last=t,
            y_last=y.copy(),
            status=FINISHED,
            accepted=first,
            nfev=solution.nfev * first // max(1, solution.accepted),
        )

    def _joined(self) -> Solution:
        grid = as_grid(self.problem.t_eval, (self.begin, self.end))
        told = [replace(one, t=one.sol.t, y=one.sol.y.T) for one in self.pieces if one.sol is not None]
        whole = joined(told, gridded=False)
        if grid is None:
            return replace(whole, method=self.pieces[0].method)
        asked = grid[self.sense * grid <= self.sense * whole.t_last]
        assert whole.sol is not None
        states = whole.sol(asked) if len(asked) else np.zeros((len(whole.y), 0))
        return replace(whole, t=asked, y=np.ascontiguousarray(states), method=self.pieces[0].method)


@dataclass(eq=False)
class _Along:
    """A polynomial as steps."""

    polynomial: Polynomial
    name: str = "collocation"
    nfev: int = 0
    degree: int = 3
    speeds: int = 0

    def start(self, t: float, y: Array) -> Array:
        found: Array = self.polynomial.slopes(np.array([t]))[0]
        return found

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        times = np.array([t1])
        return self.polynomial.at(times)[0], self.polynomial.slopes(times)[0]
