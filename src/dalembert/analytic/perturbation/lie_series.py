"""Lie series: what the flow of a generator makes of a function, as a power series of the time of the flow."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dalembert.errors import ModelError

from ..canonical.brackets import poisson_bracket
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


def lie_series(
    f: Formula, generator: Formula, q: str | Sequence[str], p: str | Sequence[str], *, order: int = 4, by: str = "s"
) -> sp.Expr:
    """exp(s {., G}) f up to the order: f + s {f, G} + s^2/2 {{f, G}, G} + ...

    >>> lie_series("q", "(q**2 + p**2)/2", "q", "p", order=4)
    p*(-s**3/6 + s) + q*(s**4/24 - s**2/2 + 1)
    """
    if not 0 <= order <= 30:
        raise ModelError(f"the order of the series is from 0 to 30, not {order}")
    n = Names()
    places = q.replace(",", " ").split() if isinstance(q, str) else list(q)
    momenta = p.replace(",", " ").split() if isinstance(p, str) else list(p)
    if len(places) != len(momenta):
        raise ModelError(f"{len(places)} coordinates need as many momenta, not {momenta}")
    s, G = n.symbol(by), n.read(generator)
    if s in G.free_symbols or s.name in (*places, *momenta):
        raise ModelError(f"{by!r} is a name of the problem: call the time of the flow otherwise, as by='tau'")
    term = n.read(f)
    total, weight = term, sp.Integer(1)
    for k in range(1, order + 1):
        term = sp.expand(poisson_bracket(term, G, places, momenta, n))
        weight = weight * s / k
        total += weight * term
    x = [n.symbol(label) for label in (*places, *momenta)]
    return sp.collect(sp.expand(total), x, tidy) if total.is_polynomial(*x) else tidy(total)
