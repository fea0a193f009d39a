"""Routh's reduction: cyclic coordinates give way to their constant momenta, by a Legendre transform in them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps
from ..systems.hamilton import legendre_velocities
from ..systems.system import System, words

if TYPE_CHECKING:
    from ..formulas._names import Names


@dataclass(frozen=True)
class Routhian:
    """R = L - sum p q' over the transformed coordinates; it is the Lagrangian of the others.

    `velocities` are those of the transformed coordinates in terms of their momenta.
    """

    system: System
    R: sp.Expr
    constants: dict[str, sp.Symbol]
    velocities: dict[str, sp.Expr]
    rest: tuple[str, ...]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @cached_property
    def reduced(self) -> System:
        """The system of the remaining coordinates, whose Lagrangian is R; every verb of a System applies to it."""
        if not self.rest:
            raise ModelError("no coordinate is left: R is minus the Hamiltonian")
        n = self.names
        positive = [s.name for s in self.R.free_symbols if s.is_positive]
        inverse = {n.velocity(c): e for c, e in self.velocities.items()}
        forces = dict(zip(n.coordinates, self.system.generalised_forces))
        left = {c: self.system.freeze(forces[c]).subs(inverse, simultaneous=True) for c in self.rest}
        return System(self.rest, L=self.R, Q=left, positive=positive or (), given=n.given)

    @cached_property
    def effective_potential(self) -> sp.Expr:
        """The amended potential: -R at rest of the remaining coordinates. Its minima are relative equilibria."""
        still = {self.names.velocity(c): sp.Integer(0) for c in self.rest}
        return tidy(-self.R.subs(still, simultaneous=True))


def routhian(
    system: System, coordinates: str | Sequence[str] | None = None, momenta: Mapping[str, str] | None = None
) -> Routhian:
    """R = L - sum p_c c' for cyclic coordinates c (all of them by default), with p_c = dL/dc' a constant.

    `momenta` names the constants, {coordinate: name}; p_c otherwise.

    >>> from dalembert.analytic import System
    >>> kepler = System("r phi", L="m*(r_d**2 + r**2*phi_d**2)/2 + k/r", positive="m r")
    >>> routhian(kepler, momenta={"phi": "J"}).effective_potential
    J**2/(2*m*r**2) - k/r
    """
    view = system.lagrange()
    if system.multipliers:
        raise ModelError("Routh's reduction needs independent coordinates: eliminate the constraints first")
    n, L = system.names, view.L
    chosen = words(coordinates) if coordinates is not None else view.cyclic
    if not chosen:
        raise ModelError(f"no coordinate is cyclic: all of {', '.join(system.coordinates)} occur in L or are forced")
    for c in chosen:
        if c not in view.cyclic:
            raise ModelError(f"{c} is not cyclic here: cyclic are {', '.join(view.cyclic) or 'none'}")
    strange = [c for c in momenta or {} if c not in chosen]
    if strange:
        raise ModelError(f"momenta names a constant of {', '.join(strange)}; transformed are {', '.join(chosen)}")
    book = Notebook()
    labels = {c: (momenta or {}).get(c) or n.fresh(f"p_{c}") for c in chosen}
    constants = {c: n.symbol(label) for c, label in labels.items()}
    v = [n.velocity(c) for c in chosen]
    momenta_of = [sp.diff(L, x) for x in v]
    for c, e in zip(chosen, momenta_of):
        book.note(f"{c} is cyclic: its momentum is constant", constants[c], e)
    velocities = legendre_velocities(momenta_of, v, tuple(constants.values()), chosen)
    inverse = {n.velocity(c): velocities[c] for c in chosen}
    for c in chosen:
        book.note(f"Solved for the velocity of {c}", n.velocity(c), velocities[c])
    spent = sum((constants[c] * n.velocity(c) for c in chosen), sp.Integer(0))
    R = tidy(sp.expand((L - spent).subs(inverse, simultaneous=True)))
    book.note("Routh's function R = L - sum p q'", "R", R)
    rest = tuple(c for c in system.coordinates if c not in chosen)
    return Routhian(system, R, constants, velocities, rest, book.close())


def partial_legendre(system: System, coordinates: str | Sequence[str]) -> tuple[sp.Expr, dict[str, sp.Expr]]:
    """R(q, q', p) = sum p q' - L over some coordinates, cyclic or not, and their velocities; over all it is H.

    >>> from dalembert.analytic import System
    >>> partial_legendre(System("x y", L="m*(x_d**2 + y_d**2)/2 - k*x*y"), "y")[0]
    k*x*y - m*x'**2/2 + py**2/(2*m)
    """
    n = system.names
    chosen = words(coordinates)
    strange = [c for c in chosen if c not in system.coordinates]
    if strange:
        raise ModelError(f"{', '.join(strange)}: no coordinate here; there are {', '.join(system.coordinates)}")
    L = system.freeze(system.lagrangian)
    p = tuple(n.symbol(system.momenta[system.coordinates.index(c)]) for c in chosen)
    v = [n.velocity(c) for c in chosen]
    velocities = legendre_velocities([sp.diff(L, x) for x in v], v, p, chosen)
    inverse = {x: velocities[c] for x, c in zip(v, chosen)}
    total = sum((a * b for a, b in zip(p, v)), sp.Integer(0)) - L
    made = sp.expand(total.subs(inverse, simultaneous=True))
    short = tidy(made)
    return (made if is_zero(made - short) and made.count_ops() <= short.count_ops() + 2 else short), velocities
