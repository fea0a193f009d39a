"""Motions in closed form where the equations are linear with constant coefficients: falls, oscillations, drag."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import as_sympy
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ..formulas._solving import invert
from ..formulas.claims import Report, check
from ..formulas.definitions import definitions
from .coupled_motion import Moving, coupled_motion


def closed_motion(view: Moving) -> dict[str, sp.Expr]:
    """q(t) of every coordinate from q'' = a(t) + B q + C q' with constant B and C, and data q0 and qd0 at t = 0.

    Coordinates by themselves have any force a(t) whose integral closes, away from resonance unless its frequency is
    the own one by name; coupled ones a constant force.

    Works on any view that knows its accelerations; each motion is put back into its equation before it is returned.

    >>> from dalembert.analytic import System
    >>> closed_motion(System("q", L="m*q_d**2/2 + m*g*q*sin(alpha)").lagrange())["q"]
    g*t**2*sin(alpha)/2 + q0 + qd0*t
    """
    n, found = view.names, {}
    for c, acceleration in view.accelerations.items():
        unknown = {x.name.rstrip("'") for x in acceleration.free_symbols} & set(n.given)
        if unknown:
            raise ModelError(
                f"{', '.join(sorted(unknown))} is a function of time without a formula: given={{name: formula}}"
            )
        q, v, t = n.symbol(c), n.velocity(c), n.time
        b, d = tidy(sp.diff(acceleration, q)), tidy(sp.diff(acceleration, v))
        a = tidy(sp.expand(acceleration - b * q - d * v))
        if any(e.free_symbols & {*n.q, *n.v} for e in (a, b, d)) or (b + d).has(t):
            return coupled_motion(view)
        steady = sp.Integer(0) if a.has(t) else a
        motion = _solve(steady, b, d, t, n.symbol(f"{c}0"), n.symbol(f"{c}d0"))
        if a.has(t):
            motion += _answer(a, b, d, t)
        residual = sp.diff(motion, t, 2) - a - b * motion - d * sp.diff(motion, t)
        if not is_zero(residual):
            raise ModelError(f"the motion found for {c} does not satisfy its equation")
        found[c] = motion
    return found


def _answer(a: sp.Expr, b: sp.Expr, d: sp.Expr, t: sp.Symbol) -> sp.Expr:
    """Duhamel's integral: what the force a(t) makes of a start at rest, by the answer to a unit blow."""
    if b != 0 and d != 0:
        steady = _steady(a, b, d, t)
        return steady + _solve(sp.Integer(0), b, d, t, -steady.subs(t, 0), -sp.diff(steady, t).subs(t, 0))
    past = sp.Symbol("past", positive=True)
    blow = _solve(sp.Integer(0), b, d, t - past, sp.Integer(0), sp.Integer(1))
    found = sp.integrate(sp.expand(sp.expand_trig(blow * a.subs(t, past)) if b != 0 else blow * a.subs(t, past)), past)
    if found.has(sp.Integral):
        raise ModelError(f"the answer to the force {a} has no closed form")
    generic = found.replace(sp.Piecewise, _away_from_resonance)
    return tidy(generic.subs(past, t) - generic.subs(past, 0))


def _steady(a: sp.Expr, b: sp.Expr, d: sp.Expr, t: sp.Symbol) -> sp.Expr:
    """The steady answer A cos u + B sin u, u = W t + phase, of a damped oscillator to forces of that kind."""
    total, left = sp.Integer(0), sp.expand(a)
    for u in sorted({f.args[0] for f in left.atoms(sp.sin, sp.cos) if f.has(t)}, key=str):
        W = sp.diff(u, t)
        force = [left.coeff(sp.cos(u)), left.coeff(sp.sin(u))]
        if W.has(t) or any(f.has(t) for f in force):
            break
        left = sp.expand(left - force[0] * sp.cos(u) - force[1] * sp.sin(u))
        stiff, size = -(W**2) - b, (W**2 + b) ** 2 + d**2 * W**2
        A, B = (stiff * force[0] + d * W * force[1]) / size, (stiff * force[1] - d * W * force[0]) / size
        total += tidy(A) * sp.cos(u) + tidy(B) * sp.sin(u)
    if left.has(t):
        raise ModelError(f"a damped oscillator is solved here for forces of sines and cosines of W t, not for {a}")
    return total - tidy(left / b)


def _away_from_resonance(*cases: tuple[sp.Expr, sp.Basic]) -> sp.Expr:
    """The case that holds for parameters without a relation among them, told by numbers that have none."""
    letters = sorted({x for _, c in cases for x in c.free_symbols}, key=str)
    numbers = {x: sp.Rational(101 + 37 * k * k, 89 + 13 * k) for k, x in enumerate(letters)}
    return next((e for e, c in cases if c.subs(numbers) == sp.true), cases[-1][0])


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


def check_motion(view: Moving, motion: Mapping[str, Formula], start: Mapping[str, Formula] | None = None) -> Report:
    """Judge a motion {coordinate: formula of t}: it must satisfy every equation of motion, and start as stated.

    `start` has values at t = 0 of coordinates and velocities. The report is that of the first line that fails.

    >>> from dalembert.analytic import System
    >>> fall = System("z", L="m*z_d**2/2 - m*g*z").lagrange()
    >>> bool(check_motion(fall, {"z": "h - g*t**2/2"}, {"z": "h", "z_d": 0}))
    True
    >>> check_motion(fall, {"z": "h - g*t**2"}).correct
    -g
    """
    n = view.names
    missing = [c for c in view.accelerations if c not in motion]
    strange = [c for c in motion if c not in n.moving]
    if missing or strange:
        raise ModelError(f"a motion has a formula of t for each of {', '.join(view.accelerations)}, not {list(motion)}")
    lines = [(n.velocity(c, 2), acceleration) for c, acceleration in view.accelerations.items()]
    reports = [check(left, right, names=n, along=motion) for left, right in lines]
    for name, value in (start or {}).items():
        began = definitions(n, along=motion).settled(n.read(name)).subs(n.time, 0)
        reports.append(check(began, value, names=n))
    return next((r for r in reports if not r), next((r for r in reports if r.proof != "symbolic"), reports[0]))


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
