"""Loop integrals of sqrt(R(q)) over a full cycle between two turning points, in closed form.

Two of them are elementary, of a quadratic in q and of one in 1/q. What a square, an exponential, a tangent or a
hyperbolic tangent brings to those is done by substitution; pure powers give Euler's beta function, a cosine elliptic
integrals.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ._normal import tidy


@dataclass(frozen=True)
class LoopIntegral:
    """A loop integral between turning points, and what must be positive for these to exist."""

    value: sp.Expr
    where: tuple[sp.Expr, ...]


def loop_integral(radicand: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """The integral of sqrt(radicand) over a full cycle between its turning points, None if no rule fits.

    >>> q, E, a = sp.symbols("q E a", positive=True)
    >>> loop_integral(E - a * q**2, q).value
    pi*E/sqrt(a)
    >>> loop_integral(sp.exp(-q) - sp.exp(-2 * q) - a, q).value
    -pi*(2*sqrt(a) - 1)
    """
    P = sp.expand(radicand)
    for rule in (_quadratic, _inverse, _square, _exponential, _tangent, _hyperbolic, _power, _cosine):
        found = rule(P, q)
        if found is not None:
            return LoopIntegral(tidy(found.value), tuple(tidy(c) for c in found.where))
    return None


def _coefficients(P: sp.Expr, u: sp.Symbol, powers: tuple[int, ...]) -> tuple[sp.Expr, ...] | None:
    """The coefficients of P at these powers of u, None when P holds u in another way."""
    P = sp.expand(P)
    found = tuple(P.coeff(u, k) for k in powers)
    rest = sp.expand(P - sum((c * u**k for c, k in zip(found, powers)), sp.Integer(0)))
    return found if rest == 0 and not any(c.has(u) for c in found) else None


def _quadratic(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """c0 + c1 q - C q^2: pi (c0 + c1^2/(4 C))/sqrt(C)."""
    c = _coefficients(P, q, (0, 1, 2))
    if c is None or c[2] == 0:
        return None
    top = c[0] - c[1] ** 2 / (4 * c[2])
    return LoopIntegral(sp.pi * top / sp.sqrt(-c[2]), (-c[2], top))


def _inverse(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """-A + 2 B/q - C/q^2: 2 pi (B/sqrt(A) - sqrt(C))."""
    c = _coefficients(P, q, (0, -1, -2))
    if c is None or c[0] == 0:
        return None
    A, B, C = -c[0], c[1] / 2, -c[2]
    inside = () if C.is_nonnegative else (C,)  # otherwise it falls into the centre
    return LoopIntegral(2 * sp.pi * (B / sp.sqrt(A) - sp.sqrt(C)), (A, B, *inside, B**2 - A * C))


def _square(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """c0 - A q^2 - C/q^2: with u = q^2 half the integral of sqrt(-A + c0/u - C/u^2)."""
    c = _coefficients(P, q, (2, 0, -2))
    if c is None or c[0] == 0:
        return None
    u = sp.Dummy("u", positive=True)
    inner = _inverse(sp.expand(c[0] + c[1] / u + c[2] / u**2), u)
    return LoopIntegral(inner.value / 2, inner.where) if inner is not None else None


def _exponential(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """-A + 2 B u - C u^2 with u = exp(-a q), dq = -du/(a u): 2 pi (B/sqrt(C) - sqrt(A))/|a|."""
    rates = {sp.diff(e.args[0], q) for e in P.atoms(sp.exp) if e.has(q)}
    if not rates or any(r.has(q) or r == 0 for r in rates):
        return None
    base = min(rates, key=lambda r: (sp.Abs(r.as_coeff_Mul()[0]), str(r)))
    u = sp.Dummy("u", positive=True)
    inside = P.replace(
        lambda e: isinstance(e, sp.exp) and e.has(q),
        lambda e: u ** tidy(sp.diff(e.args[0], q) / base) * sp.exp(e.args[0].subs(q, 0)),
    )
    if inside.has(q):
        return None
    inner = _inverse(sp.expand(inside / u**2), u)
    return LoopIntegral(inner.value / sp.Abs(base), inner.where) if inner is not None else None


def _argument(P: sp.Expr, q: sp.Symbol, kinds: tuple[type, ...]) -> sp.Expr | None:
    """The one argument a q + b of all functions of these kinds that hold q."""
    found = {f.args[0] for f in P.atoms(sp.Function) if f.has(q)}
    if len(found) != 1 or not all(isinstance(f, kinds) for f in P.atoms(sp.Function) if f.has(q)):
        return None
    (argument,) = found
    return None if sp.diff(argument, q).has(q) else argument


def _in_square(P: sp.Expr, q: sp.Symbol, table: dict[sp.Expr, sp.Expr], t: sp.Symbol) -> tuple[sp.Expr, ...] | None:
    """c0, c1, c2 of P = c0 + c1 t + c2 t^2 after functions are replaced by formulas of t."""
    inside = sp.cancel(sp.together(P.subs(table, simultaneous=True)))
    return None if inside.has(q) else _coefficients(inside, t, (0, 1, 2))


def _tangent(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """c0 - b t^2 with t = tan(a q) or cot(a q), also by sines and cosines: 2 pi (sqrt(c0 + b) - sqrt(b))/|a|."""
    u = _argument(P, q, (sp.sin, sp.cos, sp.tan, sp.cot))
    if u is None:
        return None
    t = sp.Dummy("t", positive=True)
    root = sp.sqrt(1 + t**2)
    pair = {sp.sin(u): t / root, sp.cos(u): 1 / root, sp.tan(u): t, sp.cot(u): 1 / t}
    other = {sp.sin(u): 1 / root, sp.cos(u): t / root, sp.tan(u): 1 / t, sp.cot(u): t}
    for table in (pair, other):
        c = _in_square(P, q, table, t)
        if c is not None and c[1] == 0 and c[2] != 0:
            value = 2 * sp.pi * (sp.sqrt(tidy(c[0] - c[2])) - sp.sqrt(-c[2])) / sp.Abs(sp.diff(u, q))
            return LoopIntegral(value, (-c[2], c[0]))
    return None


def _hyperbolic(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """R = c0 + c1 t - C t^2, t = tanh(a q): pi (2 sqrt(C) - sqrt(-R(1)) - sqrt(-R(-1)))/|a|."""
    u = _argument(P, q, (sp.sinh, sp.cosh, sp.tanh, sp.coth))
    if u is None:
        return None
    t = sp.Dummy("t", positive=True)
    root = sp.sqrt(1 - t**2)
    c = _in_square(P, q, {sp.sinh(u): t / root, sp.cosh(u): 1 / root, sp.tanh(u): t, sp.coth(u): 1 / t}, t)
    if c is None or c[2] == 0:
        return None
    ends = [tidy(-(c[0] + s * c[1] + c[2])) for s in (1, -1)]
    value = sp.pi * (2 * sp.sqrt(-c[2]) - sp.sqrt(ends[0]) - sp.sqrt(ends[1])) / sp.Abs(sp.diff(u, q))
    return LoopIntegral(value, (-c[2], *dict.fromkeys(ends), c[0] - c[1] ** 2 / (4 * c[2])))


def _power(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """c0 - F |q|^n: 2 sqrt(pi c0) (c0/F)^(1/n) Gamma(1 + 1/n)/Gamma(3/2 + 1/n), on both sides of the origin."""
    c0, rest = P.as_independent(q, as_Add=True)
    factor, power = rest.as_independent(q, as_Add=False)
    base, n = power.as_base_exp()
    even = base == sp.Abs(q) or (base == q and n.is_even)
    if c0 == 0 or q.is_positive or not even or not n.is_positive:
        return None
    shape = sp.gamma(1 + 1 / n) / sp.gamma(sp.Rational(3, 2) + 1 / n)
    return LoopIntegral(2 * sp.sqrt(sp.pi * c0) * (c0 / -factor) ** (1 / n) * shape, (-factor, c0))


def _cosine(P: sp.Expr, q: sp.Symbol) -> LoopIntegral | None:
    """c0 + c1 cos(a q), |c0| < c1: 8 sqrt(2 c1) (E(m) - (1 - m) K(m))/|a|, m = (c0 + c1)/(2 c1); the bound swing."""
    u = _argument(P, q, (sp.cos,))
    if u is None:
        return None
    c = _coefficients(P.subs(sp.cos(u), q), q, (0, 1))
    if c is None or c[1] == 0:
        return None
    size = -c[1] if c[1].is_negative else c[1]  # a well about the other end of the turn
    m = tidy((c[0] + size) / (2 * size))
    swing = sp.elliptic_e(m) - (1 - m) * sp.elliptic_k(m)
    return LoopIntegral(8 * sp.sqrt(2 * size) * swing / sp.Abs(sp.diff(u, q)), (size, m, 1 - m))
