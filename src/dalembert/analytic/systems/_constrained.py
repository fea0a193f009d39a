"""Whether a function of the state vanishes on the states that the constraints allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from ..formulas._equality import Verdict, is_zero, undecided, weakest
from ..formulas._solving import invert, linear_parts, solve_linear

if TYPE_CHECKING:
    from .system import System


def vanishes_on_constraints(system: System, e: sp.Expr) -> Verdict:
    """Put in as many velocities and coordinates as the constraints determine, every branch, and ask again."""
    n = system.names
    q, v = ([n.velocity(c, k) if k else n.symbol(c) for c in system.coordinates] for k in (0, 1))
    slopes = [system.freeze(system.d_dt(f)) for f in system.constraints] + [system.freeze(f) for f in system.rolling]
    chosen = _independent(slopes, v)
    if chosen is None:
        return undecided("the constraints are not independent")
    parts = linear_parts(slopes, chosen)
    if parts is None:
        return undecided("the constraints are not affine in the velocities")
    e = e.subs(dict(zip(chosen, solve_linear(*parts))), simultaneous=True)
    branches = [e]
    for f in map(system.freeze, system.constraints):
        carried = []
        for one in branches:
            if is_zero(one):
                carried.append(sp.Integer(0))
                continue
            roots = next((r for x in q if f.has(x) for r in [_solved(f, x)] if r is not None), None)
            if roots is None or len(system.constraints) > 1:
                return undecided(f"the constraint {f} = 0 was not solved for a coordinate")
            carried += [one.subs(x, value) for x, value in roots]
        branches = carried
    return weakest([is_zero(one) for one in branches])


def _solved(f: sp.Expr, x: sp.Symbol) -> list[tuple[sp.Symbol, sp.Expr]] | None:
    values = [s for s in invert(f, x, sp.Integer(0)) if not s.has(x)]
    return [(x, s) for s in values] or None


def _independent(slopes: list[sp.Expr], v: list[sp.Symbol]) -> list[sp.Symbol] | None:
    """Velocities, as many as constraints, that these determine."""
    rows = sp.Matrix([[sp.diff(f, x) for x in v] for f in slopes])
    chosen: list[int] = []
    for j in range(len(v)):
        trial = rows.extract(list(range(rows.rows)), [*chosen, j])
        if trial.rank(iszerofunc=lambda e: bool(is_zero(e))) == len(chosen) + 1:
            chosen.append(j)
        if len(chosen) == rows.rows:
            return [v[k] for k in chosen]
    return None
