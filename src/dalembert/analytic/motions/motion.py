"""Motions in closed form where the equations are linear with constant coefficients: falls, oscillations, drag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import as_sympy
from ..formulas._names import Names
from ..formulas._normal import tidy
from ..formulas._solving import invert


class _View(Protocol):
    @property
    def names(self) -> Names: ...
    @property
    def accelerations(self) -> dict[str, sp.Expr]: ...


def closed_motion(view: _View) -> dict[str, sp.Expr]:
    """q(t) of every coordinate from q'' = a + b q + c q' (each coordinate by itself), with data q0 and qd0 at t = 0.

    Works on any view that knows its accelerations; each motion is put back into its equation before it is returned.

    >>> from dalembert.analytic import System
    >>> closed_motion(System("q", L="m*q_d**2/2 + m*g*q*sin(alpha)").lagrange())["q"]
    g*t**2*sin(alpha)/2 + q0 + qd0*t
    """
    n, found = view.names, {}
    for c, acceleration in view.accelerations.items():
        q, v, t = n.symbol(c), n.velocity(c), n.time
        b, d = tidy(sp.diff(acceleration, q)), tidy(sp.diff(acceleration, v))
        a = tidy(sp.expand(acceleration - b * q - d * v))
        if any(e.free_symbols & {*n.q, *n.v, t} for e in (a, b, d)):
            raise ModelError(f"{c}'' = {acceleration} is not linear with constant coefficients in {c} alone")
        motion = _solve(a, b, d, t, n.symbol(f"{c}0"), n.symbol(f"{c}d0"))
        residual = sp.diff(motion, t, 2) - a - b * motion - d * sp.diff(motion, t)
        if not is_zero(residual):
            raise ModelError(f"the motion found for {c} does not satisfy its equation")
        found[c] = motion
    return found


def _solve(a: sp.Expr, b: sp.Expr, d: sp.Expr, t: sp.Symbol, q0: sp.Symbol, v0: sp.Symbol) -> sp.Expr:
    if b == 0 and d == 0:
        return a * t**2 / 2 + v0 * t + q0
    if b == 0:
        # q'' = a + d q': the velocity relaxes to -a/d
        limit = -a / d
        return tidy(q0 + limit * t) + (v0 - limit) / d * (sp.exp(d * t) - 1)
    rest = tidy(-a / b)
    if d == 0 and (-b).is_positive:
        w = sp.sqrt(-b)
        return rest + (q0 - rest) * sp.cos(w * t) + v0 / w * sp.sin(w * t)
    if d == 0 and b.is_positive:
        k = sp.sqrt(b)
        return rest + (q0 - rest) * sp.cosh(k * t) + v0 / k * sp.sinh(k * t)
    root = sp.sqrt(tidy(d**2 + 4 * b))
    first, second = (d + root) / 2, (d - root) / 2
    x = q0 - rest
    return rest + ((v0 - second * x) * sp.exp(first * t) - (v0 - first * x) * sp.exp(second * t)) / root


def path_of(motion: Mapping[str, sp.Expr], along: str) -> dict[str, sp.Expr]:
    """The trajectory without the time: every other coordinate as a function of one, {name: formula of `along`}.

    `motion` is what `closed_motion` or Hamilton-Jacobi's `motion` gives, formulas of t.

    >>> from dalembert.analytic import System
    >>> thrown = System("x y", L="m*(x_d**2 + y_d**2)/2 - m*g*y", positive="m g")
    >>> path_of(closed_motion(thrown.lagrange()), "x")["y"]
    -g*(x - x0)**2/(2*xd0**2) + y0 + yd0*(x - x0)/xd0
    """
    motion = {c: as_sympy(e) for c, e in motion.items()}
    if along not in motion:
        raise ModelError(f"{along!r} is none of the motions of {', '.join(motion)}")
    t = next((s for e in motion.values() for s in e.free_symbols if s.name == "t"), None)
    if t is None or not motion[along].has(t):
        raise ModelError(f"{along} does not move: it cannot stand for the time")
    x = sp.Symbol(along, real=True)
    instants = invert(motion[along], t, x)
    if not instants:
        raise ModelError(f"{along}(t) = {motion[along]} has no elementary inverse: take another coordinate")
    return {c: _short_path(e.subs(t, instants[0])) for c, e in motion.items() if c != along}


def _short_path(e: sp.Expr) -> sp.Expr:
    """As a sum of powers, where tidying does not make it shorter."""
    return min((e, tidy(e)), key=lambda f: f.count_ops())
