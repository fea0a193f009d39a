"""Where a motion with contacts cannot go on as it does: changes that pile up, friction beyond its bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.simulate.contact.mode import Forces
from dalembert.simulate.methods.problem import Solution

_CHATTER, _SHORT = 100, 1e-7
"""So many arcs in a row within this share of the time scale of the motion: it does not get on."""
_MANY = 10_000
"""So many arcs within the time scale of the motion (a hundredth of it): impacts that no rest ends."""
_BEYOND = 1e-6
"""Friction above its bound by this share of the largest force is not rounding: an arc ends where it is reached."""
_INSIDE = (0.25, 0.5, 0.75)
"""Where an arc is looked at: at its ends friction may be at its bound."""


def piled(lengths: Sequence[float], time_scale: float, events: Sequence[tuple[float, str, str]]) -> str:
    """Contacts that change without end, told; nothing where the motion gets on."""
    short = len(lengths) >= _CHATTER and sum(lengths[-_CHATTER:]) <= _SHORT * time_scale
    often = len(lengths) >= _MANY and len(lengths) % _CHATTER == 0  # now and then: it is a long sum
    if not short and not (often and sum(lengths[-_MANY:]) <= time_scale):
        return ""
    last = events[-_CHATTER:]
    what = "impacts without rest" if any(kind == "impact" for _, _, kind in last) else "turns between stick and slip"
    names = ", ".join(sorted({name for _, name, _ in last}))
    return f"infinitely many {what}" + (f" at contact {names}" if names else "")


def overloaded(forces: Forces | None, begin: float, solution: Solution) -> str:
    """Contacts that stick in an arc though their friction is beyond its bound, told: its slip was not seen.

    Forces that are one of many may begin an arc at the bound, where an event that asks for its crossing is blind.
    """
    if forces is None or not forces.mode.stick or solution.sol is None:
        return ""
    regime, found = forces.regime, set[str]()
    rubs, names = regime.machine.rubs, regime.machine.names
    for share in _INSIDE:
        t = begin + share * (solution.t_last - begin)
        now = regime.machine.at(t, np.asarray(solution.sol(t)), regime.p)
        done = regime.solve(now)
        largest = float(max(np.abs(done.normal).max(initial=0.0), np.abs(done.tangential).max(initial=0.0)))
        for k in forces.mode.stick:
            bound = now.static[k] * abs(done.normal[rubs[k].contact])
            if float(np.linalg.norm(done.tangential[rubs[k].places])) > bound + _BEYOND * largest:
                found.add(names[rubs[k].contact])
    if not found:
        return ""
    return f"friction is beyond its bound at contact {', '.join(sorted(found))}, whose slip is not found"
