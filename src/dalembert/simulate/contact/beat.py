"""How often time by itself turns what moves a machine with contacts forth and back, while its state may rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.contact.machine import ContactMachine, Instant
from dalembert.simulate.contact.metric import lengths

Array = NDArray[Any]

_BEATS, _WINDOWS = 512, 6
_APART = 8
"""Samples between two turns that are told apart from what is faster than the samples."""
_GRAIN = 1e-12
"""Share of what a number is made of that is rounding, however it turns."""


def beat(machine: ContactMachine, begin: float, end: float, y: Array, p: Array) -> float:
    """Half the shortest time between turns of what depends on time by itself, with the state held."""
    if not machine.timed or not end > begin:
        return float("inf")
    window = end - begin
    for _ in range(_WINDOWS):
        t = np.linspace(begin, begin + window, _BEATS)
        seen = [machine.at(a, y, p) for a in t]
        values = np.array([np.concatenate([x.right, x.gamma, x.least, x.slip_gamma, x.press]) for x in seen])
        made = np.array([np.concatenate([np.abs(x.right), *_felt(x), np.abs(x.press)]) for x in seen])
        grain = _GRAIN * np.maximum(made, np.abs(values)).max(axis=0)
        steps = np.diff(values, axis=0)
        steps[np.abs(steps) <= np.maximum(1e-9 * np.ptp(values, axis=0), grain)] = 0.0
        turns = [np.flatnonzero(row[:-1] * row[1:] < 0) for row in steps.T]
        shortest = min((int(np.diff(one).min()) for one in turns if len(one) > 1), default=_BEATS)
        if shortest >= _APART:
            return float(shortest * (t[1] - t[0])) / 2
        window /= 16
    return window


def _felt(now: Instant) -> list[Array]:
    """What the free motion is along conditions, gaps and slips at most: by the kinetic metric, which knows no unit."""
    size = np.sqrt(now.free @ now.mass @ now.free)
    return [size * lengths(now.inverse, rows) for rows in (now.matrix, now.normal, now.tangent)]
