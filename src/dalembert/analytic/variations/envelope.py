"""Envelopes: the curve that all lines of a family touch, so that a function is rebuilt from its tangents."""

from __future__ import annotations

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import solve_system


def envelope(family: Formula, parameter: str, *, positive: tuple[str, ...] = ()) -> list[sp.Expr]:
    """y(x) of the envelope of the curves y = f(x, p): dF/dp = 0 eliminates p, every branch.

    The tangents y = p x - g(p) of a function rebuild it, g being its Legendre transform.

    >>> envelope("p*x - p**2/4", "p")
    [x**2]
    """
    n = Names(positive=positive)
    f, p = n.read(family), n.symbol(parameter)
    slope = sp.diff(f, p)
    if p not in f.free_symbols or is_zero(slope):
        raise ModelError(f"the family {family} does not depend on {parameter}: one curve has no envelope")
    if p not in slope.free_symbols:
        raise ModelError(f"the curves y = {family} meet where {slope} = 0, which is free of {parameter}: no envelope")
    found = [tidy(f.subs(s)) for s in solve_system([slope], [p])]
    real = [e for e in found if e.is_real is not False and not e.has(sp.I)]
    if not real:
        raise ModelError(f"dF/d{parameter} = {slope} = 0 has no real solution: the curves touch no common curve")
    return list(dict.fromkeys(real))
