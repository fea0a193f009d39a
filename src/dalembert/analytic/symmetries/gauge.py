"""When two Lagrangians say the same: null Lagrangians, gauge terms, constant factors, and mechanical similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.quadrature import antiderivative
from ..systems.lagrange import euler_lagrange


def _names(coordinates: str | Sequence[str], names: Names | None) -> Names:
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else coordinates
    return names or Names(labels)


def is_null(F: Formula, coordinates: str | Sequence[str], *, names: Names | None = None) -> bool:
    """Whether the Euler-Lagrange expressions of F vanish identically, i.e. F = dPhi/dt."""
    n = _names(coordinates, names)
    return all(is_zero(e) for e in euler_lagrange(n.read(F), n))


def gauge_function(F: Formula, coordinates: str | Sequence[str], *, names: Names | None = None) -> sp.Expr:
    """Phi(q, t) with F = dPhi/dt, rebuilt from F = sum G_j q'_j + H; refused when F is not a total derivative.

    >>> gauge_function("q2**2*q1_d + 2*q1*q2*q2_d", "q1 q2")
    q1*q2**2
    """
    n = _names(coordinates, names)
    f = n.read(F)
    if not is_null(f, (), names=n):
        residue = [tidy(e) for e in euler_lagrange(f, n)]
        raise ModelError(f"{f} is not a total time derivative: its Euler-Lagrange expressions are {residue}")
    phi = sp.Integer(0)
    rest = dict.fromkeys(n.v, sp.Integer(0))
    for q, v in zip(n.q, n.v):
        phi += antiderivative(tidy(sp.expand(sp.diff(f, v) - sp.diff(phi, q))), q)
    left = sp.expand(f.subs(rest)) - sp.diff(phi, n.time)
    for s in list(left.free_symbols | phi.free_symbols):
        if s.name.rstrip("'") in n.given:
            left -= sp.diff(phi, s) * n.symbol(s.name + "'")
    rest_of_time = _over_time(tidy(sp.expand(left)), n)
    return (
        tidy(sp.expand(phi + rest_of_time))
        if not rest_of_time.has(sp.Integral)
        else tidy(sp.expand(phi)) + rest_of_time
    )


def _over_time(rate: sp.Expr, n: Names) -> sp.Expr:
    """The primitive of a function of time; prescribed functions are not constants, so their integral stays written."""
    prescribed = {s: s.name.rstrip("'") for s in rate.free_symbols if s.name.rstrip("'") in n.given}
    if not prescribed:
        return antiderivative(rate, n.time)
    functions = {
        s: sp.diff(sp.Function(base, real=True)(n.time), n.time, len(s.name) - len(base))
        for s, base in prescribed.items()
    }
    return sp.Integral(rate.xreplace(functions), n.time)


@dataclass(frozen=True)
class Equivalence:
    """L1 = factor*L2 + dPhi/dt."""

    factor: sp.Expr
    gauge: sp.Expr


def equivalence(
    L1: Formula, L2: Formula, coordinates: str | Sequence[str], *, names: Names | None = None
) -> Equivalence:
    """Decide whether two Lagrangians differ by a constant factor and a total derivative, and find both.

    >>> equivalence("m*(x_d+v)**2/2", "m*x_d**2/2", "x").gauge
    m*v*(t*v + 2*x)/2
    """
    n = _names(coordinates, names)
    first, second = n.read(L1), n.read(L2)
    factor = _factor(first, second, n)
    try:
        return Equivalence(factor, gauge_function(first - factor * second, (), names=n))
    except ModelError as refusal:
        raise ModelError(f"the two Lagrangians are not equivalent: {refusal}") from refusal


def _factor(first: sp.Expr, second: sp.Expr, n: Names) -> sp.Expr:
    """The only possible factor: the ratio of the velocity Hessians."""
    for a in n.v:
        for b in n.v:
            top, bottom = sp.diff(first, a, b), sp.diff(second, a, b)
            if not is_zero(bottom):
                ratio = tidy(top / bottom)
                moving = {*n.q, *n.v, n.time}
                return sp.Integer(1) if ratio.free_symbols & moving else ratio
    return sp.Integer(1)


def strip_gauge(L: Formula, coordinates: str | Sequence[str], *, names: Names | None = None) -> tuple[sp.Expr, sp.Expr]:
    """L without the terms that form a total derivative, and the gauge function that was taken out.

    Terms are dropped one by one, and linear-in-velocity groups together, as long as what goes is a total derivative.
    """
    n = _names(coordinates, names)
    terms = list(sp.Add.make_args(sp.expand(n.read(L))))
    removed = sp.Integer(0)
    keep = []
    for term in terms:
        if is_null(term, (), names=n):
            removed += term
        else:
            keep.append(term)
    linear = sp.Add(*(t for t in keep if _linear(t, n)))
    if linear != 0 and is_null(linear, (), names=n):
        removed += linear
        keep = [t for t in keep if not _linear(t, n)]
    return sp.Add(*keep), gauge_function(removed, (), names=n) if removed != 0 else sp.Integer(0)


def _linear(term: sp.Expr, n: Names) -> bool:
    return all(sp.diff(term, a, b) == 0 for a in n.v for b in n.v)


@dataclass(frozen=True)
class Similarity:
    """Scaling r -> alpha r, t -> beta t, m -> gamma m: V of degree k asks beta^2 = gamma alpha^(2-k)."""

    degree: sp.Expr
    time_law: sp.Expr
    statement: str


def similarity(
    V: Formula, coordinates: str | Sequence[str], *, mass: str | None = None, names: Names | None = None
) -> Similarity:
    """Degree of homogeneity of V and the law that ties times to lengths (and masses, when V is not linear in them).

    >>> similarity("-k/sqrt(x**2+y**2)", "x y", mass=None).statement
    'beta**2 = alpha**3'
    """
    n = _names(coordinates, names)
    potential = n.read(V)
    euler = tidy(sum((q * sp.diff(potential, q) for q in n.q), sp.Integer(0)) / potential)
    if euler.free_symbols & set(n.q):
        raise ModelError(f"V = {potential} is not homogeneous: sum q dV/dq / V = {euler}")
    alpha, gamma = sp.symbols("alpha gamma", positive=True)
    mass_degree = sp.Integer(0)
    if mass is not None:
        m = n.symbol(mass)
        mass_degree = tidy(m * sp.diff(potential, m) / potential)
    law = gamma ** (1 - mass_degree) * alpha ** (2 - euler) if mass is not None else alpha ** (2 - euler)
    return Similarity(euler, law, f"beta**2 = {law}")
