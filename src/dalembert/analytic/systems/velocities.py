"""Velocities as functions of the momenta: p = dL/dq' solved where L is no quadratic form of the velocities."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dalembert.errors import SingularError

from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, odd_roots, solve_linear

_SAME = 1e-9
"""Share of a momentum that rounding of fifteen digits may leave after a few roots."""


def curved_velocities(
    momenta: Sequence[sp.Expr], v: Sequence[sp.Symbol], p: Sequence[sp.Symbol]
) -> dict[sp.Symbol, sp.Expr]:
    """{q': formula of p}, put back into p = dL/dq' at momenta of both signs before it is believed."""
    direct = _by_one_root(momenta, v, p)
    candidates = [direct] if direct is not None else _by_solver(momenta, v, p)
    for one in candidates:
        if _holds(momenta, one, v, p):
            return one
    if not candidates:
        raise SingularError("p = dL/dq' cannot be solved for the velocities")
    raise SingularError(
        "p = dL/dq' has several solutions for the velocities, and none of those that were found holds for momenta of "
        "both signs: L is not convex in the velocities, or its inverse has no one formula"
    )


def _by_one_root(
    momenta: Sequence[sp.Expr], v: Sequence[sp.Symbol], p: Sequence[sp.Symbol]
) -> dict[sp.Symbol, sp.Expr] | None:
    """One root g = sqrt(P(v)), as in a relativistic L: for given g the momenta are linear in v; then g^2 = P(v(g))."""
    bases = {e.base for m in momenta for e in m.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2 and e.base.has(*v)}
    if len(bases) != 1:
        return None
    (base,) = bases
    g = sp.Dummy("g", positive=True)
    fixed = [
        m.replace(
            lambda e: isinstance(e, sp.Pow) and e.base == base and e.exp.is_Rational and e.exp.q == 2,
            lambda e: g ** (2 * e.exp),
        )
        for m in momenta
    ]
    parts = linear_parts([m - x for m, x in zip(fixed, p)], list(v))
    if parts is None or parts[0].det(method="berkowitz").equals(0):
        return None
    at = dict(zip(v, solve_linear(*parts)))
    square = sp.numer(sp.together(g**2 - base.subs(at, simultaneous=True)))
    if not square.is_polynomial(g):
        return None
    even = sp.Poly(square, g)
    if {m[0] for m in even.monoms()} != {0, 2}:
        return None
    root = sp.sqrt(sp.cancel(-even.coeff_monomial(1) / even.coeff_monomial(g**2)))
    return {x: tidy(e.subs(g, root)) for x, e in at.items()}


def _by_solver(
    momenta: Sequence[sp.Expr], v: Sequence[sp.Symbol], p: Sequence[sp.Symbol]
) -> list[dict[sp.Symbol, sp.Expr]]:
    """What SymPy finds, also with odd roots in their real branch and with |p| read as p."""
    found = sp.solve([m - x for m, x in zip(momenta, p)], list(v), dict=True)
    found = [one for one in found if set(one) == set(v)]
    tries = []
    for one in found:
        plain = {x: tidy(e) for x, e in one.items()}
        tries += [plain, {x: odd_roots(e) for x, e in plain.items()}]
        tries.append({x: tidy(e.replace(sp.Abs, lambda y: y)) for x, e in plain.items()})
    return tries


def _holds(
    momenta: Sequence[sp.Expr], at: dict[sp.Symbol, sp.Expr], v: Sequence[sp.Symbol], p: Sequence[sp.Symbol]
) -> bool:
    """Whether p comes back from speeds of every sign, taken where the momenta are real."""
    functions = {f for m in momenta for f in m.atoms(sp.core.function.AppliedUndef)}
    letters = {f: sp.Dummy(str(f), positive=True) for f in functions}
    momenta = [m.subs(letters, simultaneous=True) for m in momenta]
    at = {x: e.subs(letters, simultaneous=True) for x, e in at.items()}
    others = sorted(set().union(*(m.free_symbols for m in momenta)) - set(v), key=str)
    seen = 0
    for k in range(24):
        numbers = {s: sp.Rational(3 + (4 * k + 5 * i) % 9, 4) for i, s in enumerate(others)}
        speeds = {
            x: (-1) ** ((k >> i) + k // 8) * sp.Rational(1 + (3 * k + i) % 5, 5 + 17 * (k % 3)) for i, x in enumerate(v)
        }
        values = [m.subs(numbers).subs(speeds).evalf() for m in momenta]
        if not all(x.is_real and x.is_finite for x in values):
            continue
        seen += 1
        back = [at[x].subs(numbers).subs(dict(zip(p, values))).evalf() for x in v]
        if not all(b.is_number and abs(b - speeds[x]) < _SAME * (1 + abs(speeds[x])) for b, x in zip(back, v)):
            return False
    return seen > 0


def merge_roots(e: sp.Expr, variables: Sequence[sp.Symbol]) -> sp.Expr:
    """(D f)/sqrt(D) as f sqrt(D), and ratios under a root made one: sqrt(m^2 c^2 + p^2), as a person writes it."""
    e = e.replace(
        lambda x: isinstance(x, sp.Pow) and x.exp.is_Rational and x.exp.q == 2 and x.base.has(*variables),
        lambda x: _one_ratio(x.base) ** (2 * x.exp),
    )
    bases = {x.base for x in e.atoms(sp.Pow) if x.exp.is_Rational and x.exp.q == 2 and x.base.has(*variables)}
    if len(bases) != 1:
        return e
    (D,) = bases
    d = sp.Dummy("d", positive=True)
    powers = e.replace(
        lambda x: isinstance(x, sp.Pow) and x.base == D and x.exp.is_Rational and x.exp.q == 2,
        lambda x: d ** (2 * x.exp),
    )
    powers = sp.expand(powers)
    if not D.is_polynomial(*variables) or not sp.expand(powers * d**4).is_polynomial(d):
        return e
    total = sp.Integer(0)
    for k in range(-4, 5):
        c = powers.coeff(d, k)
        while k < 0 and c != 0:
            whole, left = sp.div(sp.numer(sp.together(c)), D, *variables) if _plain(c, variables) else (0, c)
            if left != 0:
                break
            c, k = whole / sp.denom(sp.together(c)), k + 2
        total += tidy(c) * sp.sqrt(D) ** k
    return total


def _one_ratio(base: sp.Expr) -> sp.Expr:
    """The root of a ratio as the ratio of two roots, with signs that make both real."""
    top, bottom = sp.fraction(sp.cancel(sp.together(base)))
    if top.is_nonpositive:
        top, bottom = -top, sp.expand(-bottom)
    return sp.sqrt(top) / sp.sqrt(bottom)


def _plain(c: sp.Expr, variables: Sequence[sp.Symbol]) -> bool:
    return bool(sp.numer(sp.together(c)).is_polynomial(*variables))
