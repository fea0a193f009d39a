"""Methods that step in Python: what the contract asks for, around one step function."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop import native
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.methods.code import Code
from dalembert.simulate.methods.driver import CHUNK_SECONDS, LEAST
from dalembert.simulate.methods.inputs import as_grid, as_span, as_state, check_steps
from dalembert.simulate.methods.memory import Memory, begin
from dalembert.simulate.methods.problem import MESSAGES, UNFOLLOWED, Array, Problem, Solution
from dalembert.simulate.methods.schemes import Scheme
from dalembert.simulate.methods.tableaux import BOGACKI_SHAMPINE

_SEARCHED = {1: Scheme("cubic", 3, 2, BOGACKI_SHAMPINE), 5: Scheme("quintic", 2, 2, weights=(1.0,))}
_SEARCHED[3] = _SEARCHED[1]
"""Polynomials between steps, by their degree: events are looked for on them by the compiled search."""


_FEW, _MANY = 64, 8192
"""Steps of a stretch, at least and at most."""


class Stepper(Protocol):
    """What makes the steps of a method."""

    name: str
    nfev: int
    degree: int
    """Between steps: 1, straight lines, for speeds that jump; 3, cubics; 5, quintics whose slopes the speeds are."""
    speeds: int
    """How many states, the last ones, are rates of the first ones."""

    def start(self, t: float, y: Array) -> Array:
        """Begin at a state on the manifold; its slope."""


class Advancing(Stepper, Protocol):
    """A stepper that goes where it is told."""

    def advance(self, t0: float, t1: float) -> tuple[Array, Array] | str:
        """State and slope at `t1`, or a sentence that says why there is none."""


@runtime_checkable
class Striding(Advancing, Protocol):
    """A stepper that makes many steps at once, each straight between its ends."""

    def stretch(self, first: int, last: int) -> tuple[Array, str]:
        """States after the steps number `first`, `first` + 1, ... of all; fewer than asked for, or why none."""

    def kept(self, t: Array) -> None:
        """The first steps of the last stretch are taken: those that end at the times t."""


def march(stepper: Advancing, problem: Problem, step: float) -> Solution:
    """Equal steps of at most `step` from the start of the span to its end."""
    span, course = as_span(problem.span), Course.of(stepper, problem)
    length = abs(span[1] - span[0])
    check_steps(span, step)
    count = max(1, int(np.ceil(length / step * (1 - 1e-9)))) if length else 0
    striding = stepper if isinstance(stepper, Striding) else None
    with course.watched() as stopped:
        reason = course.begin(as_state(problem.y0))
        began = time.perf_counter()
        k, ahead = 0, _FEW
        while k < count and reason == at.CONTINUE:
            if striding is not None:
                began = time.perf_counter()
                times = span[0] + (span[1] - span[0]) * (np.arange(k, min(k + ahead, count) + 1) / count)
                times[-1] = _end(span, min(k + ahead, count), count)
                reason, made = course.stretch(striding, k, times)
                k += made
                ahead = _ahead(made, time.perf_counter() - began)
            else:
                reason = course.step(stepper, span[0] + (span[1] - span[0]) * (k / count), _end(span, k + 1, count))
                k += 1
            if stopped() and reason == at.CONTINUE:
                reason = at.STOPPED
    return course.solution(at.DONE if reason == at.CONTINUE else reason)


def _ahead(made: int, spent: float) -> int:
    """Steps of the next stretch: as many as fit between two looks at the keyboard."""
    return int(min(max(made * CHUNK_SECONDS / max(spent, 1e-6), _FEW), _MANY))


def _end(span: tuple[float, float], k: int, count: int) -> float:
    return span[1] if k == count else span[0] + (span[1] - span[0]) * (k / count)


def _between(h: float, y0: Array, slope0: Array, y1: Array, slope1: Array, degree: int, speeds: int) -> Array:
    """The nested polynomial of a step: through its ends, with their slopes, of quintics with their accelerations too.

    A quintic adds x^2 (1-x)^2 (c3 + x c4) to the cubic of the coordinates; the speeds are its derivative. Coordinates
    of cut links, which stand between both, keep their cubics.
    """
    change = y1 - y0
    piece = np.zeros((max(degree, 3), len(y0)))
    piece[0] = change
    if degree > 1:
        piece[1], piece[2] = h * slope0 - change, 2 * change - h * (slope0 + slope1)
    if degree == 5:
        n = speeds
        bend0, bend1 = h * h * slope0[-n:], h * h * slope1[-n:]
        piece[3, :n] = bend0 / 2 + piece[1, :n] - piece[2, :n]
        piece[4, :n] = bend1 / 2 + piece[1, :n] + 2 * piece[2, :n] - piece[3, :n]
        piece[3, -n:] = 5 * piece[4, :n] / h
    return piece


@dataclass(eq=False)
class Course:
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
    memory: Memory | None = None

    @classmethod
    def of(cls, stepper: Stepper, problem: Problem) -> Course:
        """The course of a motion that has not begun."""
        code = Code.of(problem, as_state(problem.y0).size)
        parameters = np.array(problem.parameters, dtype=float).reshape(-1)
        quaternions = np.array(problem.quaternions, dtype=np.int64).reshape(-1, 4)
        manifold = Manifold(quaternions, code.addresses[at.PROJECT], parameters, (code, problem))
        return cls(stepper, problem, code, parameters, manifold, as_span(problem.span))

    @contextmanager
    def watched(self) -> Iterator[Callable[[], bool]]:
        """After each step the bar moves on, and what a function of the user raised is raised; was Ctrl-C pressed?"""
        begin, length = self.span[0], abs(self.span[1] - self.span[0])
        looked = time.perf_counter()
        with watching_interrupt() as interrupt, progress_bar(length, "simulate", self.problem.progress) as bar:

            def stopped() -> bool:
                nonlocal looked
                for callback in self.problem.callbacks:
                    if callback.error is not None:
                        raise callback.error
                if time.perf_counter() - looked > CHUNK_SECONDS:
                    looked = time.perf_counter()
                    bar.update(abs(self.t[-1] - begin), f"t = {self.t[-1]:.4g}")
                return bool(interrupt.pressed)

            yield stopped

    def brought_back(self, t: float, y: Array) -> Array:
        """A state where its quaternions and constraints put it."""
        state = y.copy()
        self.manifold.bring_back(np.array([t]), state[None])
        return state

    def begin(self, y: Array) -> int:
        t = self.span[0]
        state = self.brought_back(t, y)
        self.t, self.y = [t], [state]
        self.slope = self.stepper.start(t, state)
        signs = self._events(t, state)
        for number, sign in self.problem.leaving.items():
            signs[number] = np.copysign(max(abs(signs[number]), LEAST), sign)
        if self.code.events is not None:
            self.memory = self.code.memory(_SEARCHED[self.stepper.degree], keep=False)
            self.memory.bind(at.P, self.parameters)
            begin(self.memory, self.span, state, 0.0, np.inf)
            self.memory[at.REMAINING][: len(signs)] = self.code.events.terminal
            self.memory[at.OLD_EVENT][: len(signs)] = signs
        self.guards = self._guards(t, state)
        self.sizes = np.abs(self.guards)
        if not np.isfinite(signs).all():
            self.culprit = int(np.flatnonzero(~np.isfinite(signs))[0])
            return at.BAD_EVENT
        if not np.isfinite(self.slope).all():
            return at.COLLAPSE
        return at.CONTINUE

    def step(self, stepper: Advancing, t0: float, t1: float) -> int:
        made = stepper.advance(t0, t1)
        if isinstance(made, str):
            self.why = made
            return at.COLLAPSE
        return self._accept(t0, t1, *made)

    def take(self, t0: float, t1: float, y1: Array, piece: Array, reached: Array) -> int:
        """A step whose polynomial reached another end than the one where it is brought back: it turns a little."""
        piece[0] += y1 - reached
        return self._accept(t0, t1, y1, self.slope, piece)

    def stretch(self, stepper: Striding, first: int, t: Array) -> tuple[int, int]:
        """Many steps at once, between the times t: why they end, and how many are taken."""
        states, self.why = stepper.stretch(first, first + len(t) - 1)
        if self.why:
            return at.COLLAPSE, 0
        made, reason = len(states), at.CONTINUE
        if self.memory is None and self.problem.guards is None:
            before = np.concatenate([self.y[-1][None], states[:-1]])
            pieces = np.zeros((made, 3, states.shape[1]))
            pieces[:, 0] = states - before
            self.t += t[1 : made + 1].tolist()
            self.h += np.diff(t[: made + 1]).tolist()
            self.y += list(states)
            self.pieces += list(pieces)
            stepper.kept(t[1 : made + 1])
            return reason, made
        for k, y in enumerate(states):
            reason = self._accept(t[k], t[k + 1], y, (y - self.y[-1]) / (t[k + 1] - t[k]))
            if reason != at.CONTINUE:
                made = k + 1
                break
        stepper.kept(t[1 : made + 1])
        return reason, made

    def _accept(self, t0: float, t1: float, y1: Array, slope: Array, piece: Array | None = None) -> int:
        """A step from the last state to y1, with what is found on it."""
        self.culprit = self._guarded(t1, y1)
        if self.culprit >= 0:
            return at.SINGULAR
        h, y0 = t1 - t0, self.y[-1]
        if piece is None:
            piece = _between(h, y0, self.slope, y1, slope, self.stepper.degree, self.stepper.speeds)
        reason, reached, state = at.CONTINUE, t1, y1
        done = self._crossings(t0, h, y0, piece, y1)
        if done != 1 and self.memory is not None:
            self.culprit = int(self.memory.block[at.INFO])
            if done < 0:
                return at.BAD_EVENT
            reason, (reached, _, state) = at.TERMINAL, self.found[-1]
        self.t.append(reached)
        self.h.append(h)
        self.y.append(state)
        self.pieces.append(piece)
        self.slope = slope
        return reason

    def _crossings(self, t0: float, h: float, y0: Array, piece: Array, y1: Array) -> int:
        """Events of a step, by the compiled search on its cubic."""
        memory = self.memory
        if memory is None:
            return 1
        memory.real[[at.T, at.STEP]] = t0, h
        memory[at.Y][:], memory[at.Y_NEW][:], memory[at.COEFFICIENT][:] = y0, y1, piece
        done = 0
        while done == 0:
            signs, left = memory[at.OLD_EVENT].copy(), memory[at.REMAINING].copy()
            memory.block[at.EVENTED] = 0
            done = native.cross(memory.address)
            if done == 0:  # more events than there is room for
                memory[at.OLD_EVENT][:], memory[at.REMAINING][:] = signs, left
                memory.event_room(2 * int(memory.block[at.EVENT_ROOM]))
        for k in range(int(memory.block[at.EVENTED])):
            self.found.append(
                (float(memory[at.EVENT_T][k]), int(memory[at.EVENT_INDEX][k]), memory[at.EVENT_Y][k].copy())
            )
        return done

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
        pieces = np.array(self.pieces).reshape(-1, max(self.stepper.degree, 3), size)
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
            remarks=(UNFOLLOWED,) if self.memory is not None and self.memory.block[at.UNRESOLVED] else (),
        )
