"""Redundant coordinates eliminated by their constraints: the same motion in fewer coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy

if TYPE_CHECKING:
    from .system import System


def eliminate(system: System, by: Mapping[str, Formula]) -> System:
    """The system without the coordinates in `by`, {coordinate: formula of the others and t}.

    Every holonomic constraint must then hold identically; those that do not must be eliminated too. Forces and rolling
    conditions come along.

    >>> from dalembert.analytic import System
    >>> disc = System("x th", L="m*x_d**2/2 + J*th_d**2/2 + m*g*x*sin(a)", constraints=["x - r*th"], positive="m J r")
    >>> eliminate(disc, {"x": "r*th"}).lagrange().accelerations["th"]
    g*m*r*sin(a)/(J + m*r**2)
    """
    from .system import System

    n = system.names
    strange = [c for c in by if c not in system.coordinates]
    if strange:
        raise ModelError(f"{', '.join(strange)}: no coordinate here; there are {', '.join(system.coordinates)}")
    kept = tuple(c for c in system.coordinates if c not in by)
    if not kept:
        raise ModelError("no coordinate would be left")
    values = {c: n.read(f) for c, f in by.items()}
    for c, f in values.items():
        if f.free_symbols & {n.symbol(b) for b in by}:
            raise ModelError(f"{c} = {f}: write it by the coordinates that are kept, {', '.join(kept)}")
    table = {}
    for c, f in values.items():
        for order in range(3):
            table[n.velocity(c, order) if order else n.symbol(c)] = n.derivative(f, order)

    def on(e: sp.Expr) -> sp.Expr:
        return tidy(e.subs(table, simultaneous=True))

    left = [g for g in (on(f) for f in system.constraints) if not is_zero(g)]
    broken = [g for g in left if not g.free_symbols & {n.symbol(c) for c in kept}]
    if broken:
        raise ModelError(f"the constraint {broken[0]} = 0 cannot hold with {dict(by)}")
    forces = system.generalised_forces
    Q = [
        on(forces[n.coordinates.index(k)])
        + sum((on(forces[n.coordinates.index(c)]) * sp.diff(f, n.symbol(k)) for c, f in values.items()), sp.Integer(0))
        for k in kept
    ]
    rolling = [g for g in (on(f) for f in system.rolling) if not is_zero(g)]
    L = on(system.freeze(system.lagrangian))
    symbols = {s for e in (L, *Q, *left, *rolling) for s in e.free_symbols}
    return System(
        kept,
        L=L,
        Q=Q if any(q != 0 for q in Q) else None,
        constraints=left,
        rolling=rolling,
        given=[g for g in n.given if g in {s.name.rstrip("'") for s in symbols}],
        positive=sorted(s.name for s in symbols if s.is_positive),
        name=system.name,
    )
