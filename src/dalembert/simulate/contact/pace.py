"""How fast a machine with contacts is: what rates and slips are small against.

Sizes are those of the state at hand, and at least a hundredth of the fastest that the motion has had: all may come to
rest at once, and then rounding is all that is left. States that a step tries are not of the motion, however wild.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dalembert.simulate.contact.machine import ContactMachine, Instant
    from dalembert.simulate.methods.problem import Problem, Solution

Array = NDArray[Any]
_SHARE = 0.01
"""Of the fastest that was seen: a motion that has become slower than this by itself is judged as it is now."""
_POSTURES = 7
"""Postures that tell how far gaps go: what half of them say counts, not a singular one."""
_ROUNDED = 1e-9
"""Of how far a gap goes in other postures: where it begins smaller, at a dead point, rounding is all that is seen."""
_LOOKS = 9
"""States of an arc that are looked at: its scale, not its extremes, is wanted."""


class Pace:
    """The fastest rates and slides that a motion has had, in parts of their sizes a second, and turns.

    Gaps are lengths or angles, and `kept` constraints have units of their own: neither is small beside the other.
    """

    def __init__(self, kept: list[int], turning: Array, contacts: int) -> None:
        self.kept, self.turning = kept, turning
        self.fastest, self.turn, self.liveliest = 0.0, 0.0, 0.0
        self.sizes, self.slides = np.ones(contacts), np.ones(len(turning))

    def rates(self, now: Instant) -> Array:
        """What the rate of each gap is made of, at least what all of them are in parts of their sizes."""
        own = self._rates(now)
        return np.maximum(own, self.sizes * max((own / self.sizes).max(initial=0.0), _SHARE * self.fastest))

    def slips(self, now: Instant) -> Array:
        """What each slip is made of. Sliding and turning have units of their own: neither is small beside the other."""
        own = self._slips(now)
        slide, turn = (float((own / self.slides)[some].max(initial=0.0)) for some in (~self.turning, self.turning))
        least = max(slide, _SHARE * self.fastest), max(turn, _SHARE * self.turn)
        return np.maximum(own, self.slides * np.where(self.turning, least[1], least[0]))

    def saw(self, now: Instant) -> None:
        """A state of the motion."""
        rates, slips = self._rates(now) / self.sizes, self._slips(now) / self.slides
        if not (np.isfinite(rates).all() and np.isfinite(slips).all()):
            return
        slide = float(slips[~self.turning].max(initial=0.0))
        self.fastest = max(self.fastest, float(rates.max(initial=0.0)), slide)
        self.turn = max(self.turn, float(slips[self.turning].max(initial=0.0)))
        self.liveliest = max(self.liveliest, math.sqrt(max(float(now.speeds @ now.mass @ now.speeds), 0.0)))

    def saw_arc(self, machine: ContactMachine, begin: float, solution: Solution, parameters: Array) -> None:
        """An arc of the motion: what was fast in between may be at rest at both its ends."""
        assert solution.sol is not None
        for t in np.linspace(begin, solution.t_last, _LOOKS):
            self.saw(machine.at(float(t), np.asarray(solution.sol(t)), parameters))

    def _rates(self, now: Instant) -> Array:
        found: Array = np.abs(now.normal) @ np.abs(now.speeds) + np.abs(now.drift)
        found[self.kept] = 0.0  # in the unit of a condition, which may be any
        return found

    def _slips(self, now: Instant) -> Array:
        found: Array = np.abs(now.tangent) @ np.abs(now.speeds)
        return found


def paced(machine: ContactMachine, problem: Problem) -> Array:
    """How far each gap goes, constraints that rub behind them; what is slow is told by it from here on.

    Rows may vanish where the motion begins, as that of a slip at a dead point: others are looked at, too.
    """
    n, own = machine.coordinates, np.asarray(machine.gap_sizes(problem))
    scales = np.broadcast_to(np.asarray(problem.scales, dtype=float), (machine.size,))
    y, p = np.asarray(problem.y0, dtype=float), np.asarray(problem.parameters, dtype=float)
    found, drawn = list[Array](), np.random.default_rng(0).uniform(-1, 1, (_POSTURES, n))
    for shift in drawn:
        there = machine.normalised(np.concatenate([y[:n] + shift * scales[:n], y[n:]]))
        rows = machine.at(float(problem.span[0]), there, p).rows
        found.append(np.where(np.isfinite(rows), np.abs(rows), 0.0) @ scales[n:])
    usual = np.median(found, axis=0)
    begun, far = np.append(own, np.zeros(len(machine.kept))), usual[: len(machine.names)]
    sizes = np.where(begun > _ROUNDED * far, begun, far)  # other postures may be far outside, as a pin out of its hole
    sizes[list(machine.kept)] = own.max(initial=0.0)  # in the unit of a condition, which may be any
    slides = usual[len(machine.names) :].copy()
    for i in machine.pressed:
        sizes[i] = slides[machine.tangents[i]].max() or 1.0
    for rub in machine.rubs:
        slides[rub.places] = np.maximum(slides[rub.places], sizes[rub.contact]).max()
    machine.scales = scales[n:]
    machine.pace.sizes, machine.pace.slides = sizes, np.where(machine.pace.turning, 1.0, slides)
    return sizes
