"""Contact Hamiltonian mechanics: damping inside the formalism, with the action S as one more variable.

q' = dH/dp, p' = -dH/dq - p dH/dS, S' = p dH/dp - H; the energy obeys H' = -H dH/dS (Bravetti, Cruz, Tapias 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import solve_system


@dataclass(frozen=True)
class ContactRates:
    """The equations of motion of a contact Hamiltonian, by name."""

    coordinates: dict[str, sp.Expr]
    momenta: dict[str, sp.Expr]
    action: sp.Expr


class ContactSystem:
    """H(q, p, S): the motion, its second-order form, and what becomes of its energy and of volumes.

    >>> damped = ContactSystem("x", "p**2/(2*m) + k*x**2/2 + c*S", momenta="p", positive=["m"])
    >>> damped.accelerations["x"]
    (-c*m*x' - k*x)/m
    """

    def __init__(
        self,
        coordinates: str | Sequence[str],
        H: Formula,
        *,
        momenta: str | Sequence[str] | None = None,
        action: str = "S",
        positive: Sequence[str] = (),
    ) -> None:
        labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
        given = momenta.replace(",", " ").split() if isinstance(momenta, str) else momenta
        self.momenta = tuple(given) if given is not None else tuple(f"p{c}" for c in labels)
        if len(self.momenta) != len(labels):
            raise ModelError(f"{len(labels)} coordinates need as many momenta, not {self.momenta}")
        self.coordinates = tuple(labels)
        self.names = n = Names(labels, positive=positive)
        self.H, self.S = n.read(H), n.symbol(action)
        self.q, self.p = n.q, tuple(n.symbol(x) for x in self.momenta)
        if self.H.has(n.time):
            raise ModelError("contact Hamiltonians are written here without explicit time")

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"H": self.H}

    def __repr__(self) -> str:
        return f"ContactSystem({' '.join(self.coordinates)}; {' '.join(self.momenta)}; H = {self.H})"

    @cached_property
    def rates(self) -> ContactRates:
        H, S = self.H, self.S
        slope = sp.diff(H, S)
        return ContactRates(
            {c: tidy(sp.diff(H, p)) for c, p in zip(self.coordinates, self.p)},
            {x: tidy(-sp.diff(H, q) - p * slope) for x, q, p in zip(self.momenta, self.q, self.p)},
            tidy(sum((p * sp.diff(H, p) for p in self.p), sp.Integer(0)) - H),
        )

    def rate(self, f: Formula) -> sp.Expr:
        """df/dt along the motion."""
        e, r = self.names.read(f), self.rates
        total = sp.diff(e, self.S) * r.action
        total += sum((sp.diff(e, q) * r.coordinates[c] for c, q in zip(self.coordinates, self.q)), sp.Integer(0))
        total += sum((sp.diff(e, p) * r.momenta[x] for x, p in zip(self.momenta, self.p)), sp.Integer(0))
        return tidy(sp.expand(total))

    @cached_property
    def divergence(self) -> sp.Expr:
        """-(n + 1) dH/dS: how fast volumes of (q, p, S) grow; Liouville's theorem is the case 0."""
        return tidy(-(len(self.q) + 1) * sp.diff(self.H, self.S))

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        """q'' by q and q', where the action drops out."""
        n, r = self.names, self.rates
        v = [n.velocity(c) for c in self.coordinates]
        solved = solve_system([x - e for x, e in zip(v, r.coordinates.values())], list(self.p))
        if len(solved) != 1:
            raise ModelError("the momenta are not one function of the velocities: H is degenerate in p")
        found = {c: tidy(self.rate(e).subs(solved[0], simultaneous=True)) for c, e in r.coordinates.items()}
        if any(e.has(self.S) and not is_zero(sp.diff(e, self.S)) for e in found.values()):
            raise ModelError("the accelerations depend on the action S: the motion is not of second order in q alone")
        return found
