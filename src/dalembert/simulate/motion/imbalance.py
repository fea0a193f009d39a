"""Why the energy of a motion is not balanced, where what the machine is made of tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert import expr as ex
from dalembert.mechanism import TorsionSpring
from dalembert.simulate.system.leaps import blows

if TYPE_CHECKING:
    from dalembert.simulate.motion.motion import Motion

_BEYOND = (
    "{} turns beyond half a turn, where the angle of a torsion spring begins anew and its torque jumps. Give the law "
    "to the joint itself (`revolute_spring`, `with_efforts`), whose angle counts turns"
)
_STRUCK = (
    "the law of {} asks for another speed at once, which is a blow, and the work of a blow is not counted; free "
    "speeds after it are the nearest that the law allows"
)


def why_unbalanced(wrapped: tuple[str, ...], struck: tuple[str, ...]) -> str:
    """A sentence, or nothing."""
    for form, names in ((_BEYOND, wrapped), (_STRUCK, struck)):
        if names:
            return form.format(", ".join(f"'{name}'" for name in names))
    return ""


def laws_that_strike(motion: Motion) -> tuple[str, ...]:
    """Laws in time whose speed jumps."""
    found = dict[str, None]()
    for arc in motion.arcs:
        if len(arc.t) > 1:
            span = (float(arc.t[0]), float(arc.t[-1]))
            found |= dict.fromkeys(name for name, _ in blows(motion.system, arc.parameters, arc.y[:, 0].tolist(), span))
    return tuple(found)


def springs_beyond(motion: Motion, seen: Motion) -> tuple[str, ...]:
    """Torsion springs whose angle changes otherwise than its rate says, by a turn."""
    layout = motion.system.layout
    if layout is None:
        return ()
    springs = [one.name for one in layout.model.efforts if isinstance(one, TorsionSpring)]
    found = []
    for name in [x for x in springs if f"{x}.th" in motion.system.outputs]:
        angle, rate = seen.evaluate([ex.symbol(f"{name}.th"), ex.symbol(f"{name}.th'")])
        expected = (rate[1:] + rate[:-1]) / 2 * np.diff(seen.t)
        if (np.abs(np.diff(angle) - expected) > np.pi).any():  # half of the turn that is missing
            found.append(name)
    return tuple(found)
