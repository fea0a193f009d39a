"""Time as a coordinate: the motion as a curve in configuration and time, which any parameter may run along."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import as_sympy
from ..formulas._normal import tidy
from ..systems.system import System


@dataclass(frozen=True)
class WorldLine:
    """L_w = T' L(q, q'/T', T), homogeneous of degree one in all velocities; the momentum of the time T is -h."""

    system: System
    clock: str
    L: sp.Expr
    clock_momentum: sp.Expr
    energy: sp.Expr

    def __post_init__(self) -> None:
        for e in (self.L, self.clock_momentum, self.energy):
            as_sympy(e)

    @property
    def constraint(self) -> sp.Expr:
        """p_T + h, which vanishes identically in the velocities: the momenta are not independent."""
        n = self.system.names
        slow = {
            n.velocity(c): n.velocity(c) / n.velocity(self.clock) for c in self.system.coordinates if c != self.clock
        }
        at = n.read(self.energy).subs(slow, simultaneous=True).subs(n.time, n.symbol(self.clock))
        return tidy(self.clock_momentum + at)


def world_line(system: System, clock: str = "T") -> WorldLine:
    """The same motion with the time as a coordinate `clock`, and a parameter that has no meaning of its own.

    >>> from dalembert.analytic import System
    >>> world_line(System("x", L="m*x_d**2/2 - V(x)")).L
    -T'*V(x) + m*x'**2/(2*T')
    """
    n = system.names
    if system.multipliers or system.released:
        raise ModelError("take the time as a coordinate in independent coordinates: eliminate the constraints first")
    L = system.freeze(system.lagrangian)
    if any(s.name.rstrip("'") in n.given for s in L.free_symbols):
        raise ModelError("prescribed functions of time are to be formulas of t here: given={'h': 'a*sin(w*t)'}")
    if clock in system.coordinates or clock in n.own:
        raise ModelError(f"{clock!r} is a name of the system already: call the clock otherwise")
    rate = sp.Symbol(f"{clock}'", real=True)
    changes = {n.velocity(c): n.velocity(c) / rate for c in system.coordinates}
    changes[n.time] = sp.Symbol(clock, real=True)
    whole = sp.expand(rate * L.subs(changes, simultaneous=True))
    positive = [s.name for s in L.free_symbols if s.is_positive]
    made = System((*system.coordinates, clock), L=whole, positive=positive)
    whole = made.lagrangian
    momentum = tidy(sp.diff(whole, made.names.velocity(clock)))
    return WorldLine(made, clock, whole, momentum, system.lagrange().energy)
