"""Contacts whose gaps the constraints alone decide, as a servo does that holds what lies on a table.

Their force moves nothing, so that no law tells it: it is taken as nothing, friction with it, and that is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ContactError
from dalembert.simulate.contact.machine import ContactMachine, Instant
from dalembert.simulate.contact.metric import decided

Array = NDArray[Any]

_STILL = 1e-9
"""Acceleration of a gap, as a share of what it is the sum of, that is rounding."""
_LOOKS = 3
"""Other postures in which a row must be decided, too, to be so always and not by a singular start."""


def free_to_push(now: Instant, touching: list[int], small: Array, remarks: list[str]) -> list[int]:
    """Of `touching` those that can push; rates below `small` are none."""
    if not touching or not len(now.kept):
        return touching
    left = list[int]()
    for i, held in zip(touching, decided(now.inverse, now.normal[touching], now.matrix[now.kept]), strict=True):
        if not held or i in now.machine.pressed:
            left.append(i)
            continue
        opening = float(now.normal[i] @ now.free - now.least[i])
        made = float(np.abs(now.normal[i]) @ np.abs(now.free) + abs(now.least[i]))
        name, still = now.machine.names[i], abs(now.rate[i]) <= small[i]
        if now.rate[i] < -small[i] or (still and opening < -_STILL * made):
            raise ContactError(
                f"contact {name}: at t = {now.t:.6g} constraints bring it in, and what it pushes moves nothing that "
                "they leave free. Change the law that drives it, or its gap."
            )
        if still and opening <= _STILL * made:
            remarks.append(
                f"contact {name}: constraints alone hold it closed: what it pushes is not determined, and taken as "
                "nothing"
            )
    return left


def imposed(machine: ContactMachine, t: float, y: Array, p: Array, scales: Array) -> list[int]:
    """Contacts whose gaps constraints decide wherever the machine is."""
    drawn = np.random.default_rng(0).uniform(-1, 1, (_LOOKS, machine.coordinates))
    n, always = machine.coordinates, np.ones(len(machine.names), dtype=bool)
    for shift in (0 * drawn[0], *drawn):
        now = machine.at(t, machine.normalised(np.concatenate([y[:n] + shift * scales[:n], y[n:]])), p)
        if not len(now.kept):
            return []
        always &= decided(now.inverse, now.normal, now.matrix[now.kept])
    return [int(i) for i in np.flatnonzero(always) if i not in machine.pressed]


def refused(machine: ContactMachine, alone: list[int], ends: Array, states: Array, p: Array) -> tuple[int, str]:
    """How many steps are good, and why the next is not: constraints bring such a contact in; its push is anyone's."""
    for number, (t, y) in enumerate(zip(ends, states, strict=True) if alone else ()):
        gap = machine.at(float(t), y, p).gap
        for i in alone:
            if gap[i] <= 0:
                return number, (
                    f"constraints alone bring contact {machine.names[i]} to its gap at t = {t:.6g}: what it pushes is "
                    "not determined. Use method='DOP853', which takes it as nothing where they hold it closed"
                )
    return len(states), ""
