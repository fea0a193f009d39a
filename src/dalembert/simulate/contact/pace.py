"""How fast a machine with contacts is: what rates and slips are small against.

Sizes are those of the state at hand, and at least a hundredth of the fastest that the motion has had: all may come to
rest at once, and then rounding is all that is left. States that a step tries are not of the motion, however wild.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dalembert.simulate.contact.machine import ContactMachine, Instant
    from dalembert.simulate.methods.problem import Solution

Array = NDArray[Any]
_SHARE = 0.01
"""Of the fastest that was seen: a motion that has become slower than this by itself is judged as it is now."""
_LOOKS = 9
"""States of an arc that are looked at: its scale, not its extremes, is wanted."""


class Pace:
    """The fastest rates, slides and turns that a motion has had; `kept` constraints have units of their own."""

    def __init__(self, kept: list[int], turning: Array) -> None:
        self.kept, self.turning = kept, turning
        self.rate, self.slide, self.turn = 0.0, 0.0, 0.0

    @property
    def fastest(self) -> float:
        return max(self.rate, self.slide)

    def rates(self, now: Instant) -> Array:
        """What the rate of each gap is made of."""
        own = self._rates(now)
        return np.maximum(own, max(own.max(initial=0.0), _SHARE * self.fastest))

    def slips(self, now: Instant) -> Array:
        """What each slip is made of. Sliding and turning have units of their own: neither is small beside the other."""
        own = self._slips(now)
        slide, turn = (float(own[some].max(initial=0.0)) for some in (~self.turning, self.turning))
        least = max(slide, _SHARE * self.fastest), max(turn, _SHARE * self.turn)
        return np.maximum(own, np.where(self.turning, least[1], least[0]))

    def saw(self, now: Instant) -> None:
        """A state of the motion."""
        rates, slips = self._rates(now), self._slips(now)
        if not (np.isfinite(rates).all() and np.isfinite(slips).all()):
            return
        self.rate = max(self.rate, float(rates.max(initial=0.0)))
        self.slide = max(self.slide, float(slips[~self.turning].max(initial=0.0)))
        self.turn = max(self.turn, float(slips[self.turning].max(initial=0.0)))

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
