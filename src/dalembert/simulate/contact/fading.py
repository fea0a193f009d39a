"""Slips that end where no step reaches their end.

Near its end a slip in space may turn faster than any step follows: its direction is that of a vector that vanishes.
The steps shrink with it, and collapse before the event that asks for its end is met. A slip that is nothing beside the
speeds that it is made of has ended there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.simulate.contact.mode import Forces
from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods.problem import EVENT, Solution

ENDED = 1e-7
"""A slip below this share of the speeds that it is made of has ended: at a turn by a right angle it is as large as
they are."""


def faded(solution: Solution, forces: Forces | None, kinds: Sequence[tuple[int, str]], before: int) -> Solution:
    """The same arc, ended by the slip that has faded where its steps collapsed; `before` events are watched first."""
    if forces is None or solution.reason != at.COLLAPSE or not np.isfinite(solution.y_last).all():
        return solution
    regime, machine = forces.regime, forces.regime.machine
    now = machine.at(solution.t_last, solution.y_last, regime.p)
    sizes, shares = machine.pace.slips(now), dict[int, float]()
    for k, first in regime.mode.slip.items():
        places = machine.rubs[k].places
        if len(first) > 1:
            shares[k] = float(np.linalg.norm(now.slip[places]) / sizes[places].max())
    least = min(shares, key=shares.__getitem__, default=None)
    if least is None or shares[least] > ENDED:
        return solution
    return replace(solution, reason=at.TERMINAL, status=EVENT, culprit=before + list(kinds).index((least, "slip")))
