"""Methods that step in Python: what the contract asks for, around one step function."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.methods.code import Code
from dalembert.simulate.methods.driver import CHUNK_SECONDS, LEAST
from dalembert.simulate.methods.inputs import as_grid, as_span, as_state
from dalembert.simulate.methods.problem import MESSAGES, Array, Problem, Solution

_SAMPLES = 4
"""Parts of a step at whose ends events are looked at, as in the compiled loop."""


class Stepper(Protocol):
    """One step of a method: state and slope at `t1`, or a sentence that says why there is none."""

    name: str
    nfev: int
    linear: bool
    """Straight lines between steps, for speeds that jump; else cubics."""

    def start(self, t: float, y: Array) -> Array:
        """Begin at a state on the manifold; its slope."""

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str: ...


def march(stepper: Stepper, problem: Problem, step: float) -> Solution:
    """Equal steps of at most `step` from the start of the span to its end."""
    start, span = as_state(problem.y0), as_span(problem.span)
    code = Code.of(problem, start.size)
    parameters = np.array(problem.parameters, dtype=float).reshape(-1)
    quaternions = np.array(problem.quaternions, dtype=np.int64).reshape(-1, 4)
    manifold = Manifold(quaternions, code.addresses[at.PROJECT], parameters, (code, problem))
    course = _Course(stepper, problem, code, parameters, manifold, span)
    length = abs(span[1] - span[0])
    count = max(1, int(np.ceil(length / step * (1 - 1e-9)))) if length else 0
    with watching_interrupt() as interrupt, progress_bar(length, "simulate", problem.progress) as bar:
        reason = course.begin(start)
        looked = time.perf_counter()
        for k in range(count):
            if reason != at.CONTINUE:
                break
            reason = course.step(span[0] + (span[1] - span[0]) * (k / count), _end(span, k + 1, count))
            for callback in problem.callbacks:
                if callback.error is not None:
                    raise callback.error
            if time.perf_counter() - looked > CHUNK_SECONDS:
                looked = time.perf_counter()
                bar.update(abs(course.t[-1] - span[0]), f"t = {course.t[-1]:.4g}")
            if reason == at.CONTINUE and interrupt.pressed:
                reason = at.STOPPED
    return course.solution(at.DONE if reason == at.CONTINUE else reason)


def _end(span: tuple[float, float], k: int, count: int) -> float:
    return span[1] if k == count else span[0] + (span[1] - span[0]) * (k / count)


@dataclass(eq=False)
class _Course:
    """The steps made so far, with what was found on them."""

    stepper: Stepper
    problem: Problem
    code: Code
    parameters: Array
    manifold: Manifold
    span: tuple[float, float]
    t: list[float] = field(default_factory=list)
    h: list[float] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    pieces: list[Array] = field(default_factory=list)
    found: list[tuple[float, int, Array]] = field(default_factory=list)
    why: str = ""
    culprit: int = -1

    def begin(self, y: Array) -> int:
        t = self.span[0]
        state = y.copy()
        self.manifold.bring_back(np.array([t]), state[None])
        self.t, self.y = [t], [state]
        self.slope = self.stepper.start(t, state)
        events = self.code.events
        self.remaining = list(events.terminal) if events else []
        self.signs = self._events(t, state)
        for number, sign in self.problem.leaving.items():
            self.signs[number] = np.copysign(max(abs(self.signs[number]), LEAST), sign)
        self.guards = self._guards(t, state)
        self.sizes = np.abs(self.guards)
        if not np.isfinite(self.signs).all():
            self.culprit = int(np.flatnonzero(~np.isfinite(self.signs))[0])
            return at.BAD_EVENT
        if not np.isfinite(self.slope).all():
            return at.COLLAPSE
        return at.CONTINUE

    def step(self, t0: float, t1: float) -> int:
        made = self.stepper.advance(t0, t1)
        if isinstance(made, str):
            self.why = made
            return at.COLLAPSE
        y1, slope = made
        self.culprit = self._guarded(t1, y1)
        if self.culprit >= 0:
            return at.SINGULAR
        h, y0 = t1 - t0, self.y[-1]
        change = y1 - y0
        piece = np.array([change, h * self.slope - change, 2 * change - h * (self.slope + slope)])
        if self.stepper.linear:
            piece[1:] = 0.0
        reason, reached, state = at.CONTINUE, t1, y1
        for when, number, there in self._crossings(t0, h, y0, piece, y1):
            if number < 0 or not np.isfinite(there).all():
                return at.BAD_EVENT
            self.found.append((when, number, there))
            if self.remaining[number] > 0:
                self.remaining[number] -= 1
                if self.remaining[number] == 0:
                    reason, reached, state, self.culprit = at.TERMINAL, when, there, number
                    break
        self.t.append(reached)
        self.h.append(h)
        self.y.append(state)
        self.pieces.append(piece)
        self.slope = slope
        return reason

    def inside(self, t0: float, h: float, y0: Array, piece: Array, x: float) -> Array:
        """The state at the part x of a step: the cubic through both ends, brought back to the manifold."""
        state: Array = y0 + x * (piece[0] + (1 - x) * (piece[1] + x * piece[2]))
        self.manifold.bring_back(np.array([t0 + x * h]), state[None])
        return state

    def _crossings(self, t0: float, h: float, y0: Array, piece: Array, y1: Array) -> Iterator[tuple[float, int, Array]]:
        """Events of a step in order of time."""
        events = self.code.events
        if events is None:
            return
        from scipy.optimize import brentq

        near = 16 * at.EPS * max(abs(self.span[0]), abs(self.span[1] - self.span[0]))
        for part in range(1, _SAMPLES + 1):
            a, b = (part - 1) / _SAMPLES, part / _SAMPLES
            after = self._events(t0 + b * h, y1 if part == _SAMPLES else self.inside(t0, h, y0, piece, b))
            here = []
            for number, (old, new) in enumerate(zip(self.signs, after, strict=True)):
                if not np.isfinite(new):
                    self.culprit = number
                    yield t0 + b * h, -1, y1
                    return
                if old == 0 or ((old > 0) == (new > 0) and new != 0) or events.direction[number] * old > 0:
                    continue

                def value(x: float, number: int = number, low: float = a, old: float = old) -> float:
                    if x == low:
                        return float(old)
                    return float(self._events(t0 + x * h, self.inside(t0, h, y0, piece, x))[number])

                x = b if new == 0 else float(brentq(value, a, b, xtol=4 * at.EPS, rtol=4 * at.EPS))
                if abs(t0 + x * h - self.span[0]) > near:
                    here.append((x, number))
            self.signs = after
            for x, number in sorted(here):
                yield t0 + x * h, number, self.inside(t0, h, y0, piece, x)

    def _events(self, t: float, y: Array) -> Array:
        events = self.code.events
        if events is None:
            return np.zeros(0)
        values: Array = call_address(events.address, t, y, self.parameters, len(events.terminal))
        return values

    def _guards(self, t: float, y: Array) -> Array:
        guards = self.problem.guards
        if guards is None:
            return np.zeros(0)
        values: Array = call_address(guards.address, t, y, self.parameters, guards.count)
        return values

    def _guarded(self, t: float, y: Array) -> int:
        """The guard that vanishes or changes sign, or -1: the rule of the compiled loop."""
        new = self._guards(t, y)
        gone = ~(new * self.guards > 0) | (np.abs(new) < at.GUARD_FLOOR * self.sizes)
        self.guards, self.sizes = new, np.maximum(self.sizes, np.abs(new))
        return int(np.flatnonzero(gone)[0]) if gone.any() else -1

    def solution(self, reason: int) -> Solution:
        problem, size = self.problem, len(self.y[0])
        t, y = np.array(self.t), np.array(self.y)
        pieces = np.array(self.pieces).reshape(-1, 3, size)
        sol = DenseOutput(t, np.array(self.h), y, pieces, self.manifold)
        grid = as_grid(problem.t_eval, self.span)
        status, message = MESSAGES[reason]
        asked, states = t, y.T
        if grid is not None:
            sense = 1.0 if self.span[1] >= self.span[0] else -1.0
            asked = grid[sense * grid <= sense * t[-1]]
            states = sol(asked) if len(asked) else np.zeros((size, 0))
        count = len(self.code.events.terminal) if self.code.events else 0
        found: list[list[Any]] = [[one for one in self.found if one[1] == k] for k in range(count)]
        return Solution(
            t=asked,
            y=np.ascontiguousarray(states),
            sol=None if problem.dense_output is False else sol,
            t_events=[np.array([one[0] for one in ones]) for ones in found] if count else None,
            y_events=[np.array([one[2] for one in ones]).reshape(-1, size) for ones in found] if count else None,
            status=status,
            message=self.why or message,
            nfev=self.stepper.nfev,
            accepted=len(self.h),
            rejected=0,
            method=self.stepper.name,
            t_last=float(t[-1]),
            y_last=y[-1].copy(),
            culprit=self.culprit,
            reason=reason,
            why=self.why,
        )
