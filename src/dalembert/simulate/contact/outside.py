"""States that contacts allow: closed ones touch, no other one is inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.contact.decide import TOUCHING
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.mode import Mode, Regime

Array = NDArray[Any]

_ROUNDING = 1e-16
"""Gap of a closed contact at the beginning of an arc, as a share of its size."""
_FARTHEST = 1e-6
"""Coordinates that would move by more than this share of their scales are left: gaps within `TOUCHING` of nothing ask
for less, unless their rows nearly depend, or turn over at the edge of a face."""


def outside(machine: ContactMachine, t: float, y: Array, p: Array, mode: Mode, sizes: Array, scales: Array) -> Array:
    """Closed contacts touch and no other is inside: what brings one to its gap may push others in, and they join.

    One that began inside, however little, would never be seen to come in.
    """
    together, least, n = set(mode.closed), _ROUNDING * sizes, machine.coordinates
    for _ in machine.names:
        now = machine.at(t, y, p)
        inwards = np.flatnonzero((now.gap < (0.0 if not together else -least)) & (now.gap >= -TOUCHING * sizes))
        fresh = {int(i) for i in inwards} - together
        together |= fresh
        if not together or (not fresh and (np.abs(now.held) <= least)[sorted(together)].all()):
            break
        new, _ = machine.projected(t, y, p, sorted(together), least)
        if (np.abs(new - y)[:n] > _FARTHEST * scales[:n]).any():
            break
        y = new
    return Regime(machine, mode, p, sizes).brought_back(t, y) if mode.closed else y
