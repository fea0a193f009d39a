"""Methods that step in Python and choose their steps: what the contract asks for, around one attempt."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods.inputs import as_span, as_state, check_limits
from dalembert.simulate.methods.problem import Array, Problem, Solution
from dalembert.simulate.methods.stepwise import Course, Stepper

_BEGIN = 1e-3
"""Of the time in which the state changes by itself, or by a tolerance where it is small, and of the span: a first step
that motions forgive; the next ones are up to ten times as long."""

_SHORTEST = 1e-30
"""Of the span: where a motion begins at t = 0 no rounding of the time says how short a step may be."""


class Trying(Stepper, Protocol):
    """A stepper that tells its error, which goes as the step to `error_order`."""

    error_order: int

    def sizes(self, y0: Array, y1: Array) -> Array:
        """The tolerance of each state on a step."""

    def attempt(self, t: float, y: Array, h: float) -> tuple[Array, Array, float] | None:
        """State at the end, coefficients of dense output, error in tolerances; nothing if there is no such step."""

    def accepted(self) -> None:
        """The last attempt is taken."""


def pace(stepper: Trying, problem: Problem) -> Solution:
    """Steps as long as their errors allow, from the start of the span to its end.

    They end at corners by time, where equations are looked at by a rounding of the time inside of the piece: a law that
    jumps has two values there.
    """
    check_limits(problem.first_step, problem.max_step)
    span, course = as_span(problem.span), Course.of(stepper, problem)
    sense = 1.0 if span[1] >= span[0] else -1.0
    ends = [*(problem.corners(problem.parameters, span) if problem.corners else ()), span[1]]
    aside = 8 * at.EPS * max(abs(span[0]), abs(span[1]))
    rejected, shrunk, turned = 0, False, False
    with course.watched() as stopped:
        reason = course.begin(as_state(problem.y0))
        step = problem.first_step or _first(stepper, course)
        while reason == at.CONTINUE and course.t[-1] != span[1]:
            t, y = course.t[-1], course.y[-1]
            size = min(step, problem.max_step)
            if not size > max(10 * at.EPS * abs(t), _SHORTEST * abs(span[1] - span[0])):
                reason, course.why = (
                    at.COLLAPSE,
                    f"no step of {stepper.name}, however short, keeps to the tolerance there",
                )
                break
            there = t + sense * size
            if (ends[0] - there) * sense <= 1e-6 * size:  # a rest that short is no step
                there = ends[0]
            size, corner = abs(there - t), there == ends[0] != span[1]
            inward = sense * min(aside, size / 4)
            begin, reached = t + inward * turned, there - inward * corner
            made, error = stepper.attempt(begin, y, reached - begin), np.inf
            if made is not None:
                end = course.brought_back(reached, made[0])
                astray = np.sqrt(np.mean(((end - made[0]) / stepper.sizes(y, end)) ** 2))
                error = float(np.maximum(made[2], astray))
            factor = at.SAFETY * max(error, at.EPS) ** (-1 / stepper.error_order) if np.isfinite(error) else 0.0
            if made is None or not error < 1:
                step, shrunk, rejected = size * max(at.SMALLEST_FACTOR, factor), True, rejected + 1
            else:
                step = size * min(1.0 if shrunk else at.LARGEST_FACTOR, max(at.SMALLEST_FACTOR, factor))
                shrunk, turned = False, corner
                stepper.accepted()
                reason = course.take(t, there, end, made[1], made[0])
                if corner and reason == at.CONTINUE:
                    ends.pop(0)
                    step = min(step, at.AFTER * abs(ends[0] - there))
                    course.y[-1] = course.brought_back(there + inward, end)  # a law whose speed jumps is a blow
            if stopped() and reason == at.CONTINUE:
                reason = at.STOPPED
    return replace(course.solution(at.DONE if reason == at.CONTINUE else reason), rejected=rejected)


def _first(stepper: Trying, course: Course) -> float:
    """A first step: a small part of the span, in which the state moves by no more than a small part of itself."""
    y, slope = course.y[-1], course.slope
    scale = stepper.sizes(y, y)
    moves, sizes = np.sqrt(np.mean((slope / scale) ** 2)), np.sqrt(np.mean((y / scale) ** 2))
    return _BEGIN * float(min(abs(course.span[1] - course.span[0]), max(sizes, 1.0) / moves if moves > 0 else np.inf))
