"""The work of every force by itself: virtual, in displacements at frozen time, beside the real power in the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..formulas.steps import Listing

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True, repr=False)
class Work:
    """One force: its generalised forces {coordinate: F.dr/dq} (virtual work), and its power F.v in the real motion."""

    force: str
    virtual: dict[str, sp.Expr]
    power: sp.Expr

    @property
    def idle(self) -> bool:
        """Whether it does no virtual work."""
        return all(is_zero(e) for e in self.virtual.values())

    def __str__(self) -> str:
        terms = " + ".join(f"({e})*delta {c}" for c, e in self.virtual.items() if e != 0) or "0"
        return f"{self.force}: virtual work {terms}; real power {self.power}"

    __repr__ = __str__


def works(system: System) -> list[Work]:
    """Virtual work and real power of the given force and of the reaction on every particle.

    A reaction of a moving guide is idle in virtual displacements and works in the real one; the reactions of all
    particles together are idle, not each by itself.

    >>> from dalembert.analytic import Particle, System
    >>> bead = System("q", particles=[Particle("m", ["q*cos(w*t)", "q*sin(w*t)"])])
    >>> [(w.force, w.idle, w.power) for w in works(bead)]
    [('force on particle 1', True, 0), ('reaction on particle 1', True, 2*m*q*q'*w**2)]
    """
    if not system.points:
        raise ModelError("the work of each force needs particles: the system was given by T, L or H")
    n = system.names
    view = system.newton()
    reactions = view.reactions
    found: list[Work] = Listing()
    for p in system.points:
        velocity = p.position.applyfunc(n.derivative)
        for label, force in (("force", system.freeze_matrix(p.force)), ("reaction", reactions[p.name])):
            virtual = {
                c: tidy(system.freeze((force.T * sp.diff(p.position, n.symbol(c)))[0])) for c in system.coordinates
            }
            power = tidy(system.freeze((force.T * velocity)[0]))
            found.append(Work(f"{label} on {p.name}", virtual, power))
    return found
