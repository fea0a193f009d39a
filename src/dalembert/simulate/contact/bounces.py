"""Bounces that pile up: when infinitely many of them are over."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_TINY = 3e-6
"""Rebound speed, as a share of the fastest approach of a run of bounces, from which on its tail is summed (Zeno)."""
_STEADY = 1e-3
"""Ratios of three flights that differ by less are one ratio."""


@dataclass(eq=False)
class Bounces:
    """Impacts of one contact in a row: times, and rebound speeds."""

    times: list[float] = field(default_factory=list)
    rebounds: list[float] = field(default_factory=list)
    fastest: float = 0.0

    def add(self, t: float, approach: float, rebound: float) -> None:
        if self.times and len(self.times) > 1 and t - self.times[-1] > 1.5 * (self.times[-1] - self.times[-2]):
            self.times, self.rebounds, self.fastest = [self.times[-1]], [self.rebounds[-1]], 0.0
        self.times.append(t)
        self.rebounds.append(rebound)
        self.fastest = max(self.fastest, -approach)

    def share(self, speed: float) -> float:
        """A speed as a share of the fastest approach of the run."""
        return speed / self.fastest if self.fastest > 0 else np.inf

    def end(self, restitution: float, others: float = 0.0) -> float | None:
        """When infinitely many further bounces are over; None while they are not to be summed.

        `others` are the speeds, as shares, at which those leave that strike in turn with this one: a block that rocks
        on two feet is struck on one without a rebound, and leaves with the other.
        """
        if len(self.times) < 5 or not max(self.share(self.rebounds[-1]), others) <= _TINY:
            return None
        flights = np.diff(self.times[-5:])
        ratios = flights[1:] / flights[:-1]
        if not (ratios < 1).all() or np.ptp(ratios) > _STEADY * 4:
            return None
        if abs(ratios[-1] - restitution) >= 0.01 or not 0 < restitution < 1:
            r = float(ratios[-1])
            return float(self.times[-1] + flights[-1] * r / (1 - r))
        # A lone contact: flights shrink by e (1 + c flight), c from the jerk of the gap.
        c = (ratios[-1] / restitution - 1) / flights[-2]
        flight, left = float(flights[-1]), 0.0
        while flight > 1e-17 * self.times[-1] and flight > 1e-300:
            flight *= restitution * (1 + c * flight)
            left += flight
        return float(self.times[-1] + left)
