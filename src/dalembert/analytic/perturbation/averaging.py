"""Fast drives averaged: Kapitza's effective potential of what is shaken quickly.

For M(q) q'' = F(q) + f(q, t) with f of zero mean and period 2 pi/w, the motion is slow plus a ripple of velocity
u = M^-1 int f dt, and the slow motion has the potential V + <u.M u>/2 (Kapitza 1951; Landau and Lifshitz 30).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..formulas._solving import solve_linear
from ..formulas.steps import Notebook, Steps

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Averaged:
    """The slow system, its effective potential, and the ripple that was averaged away (to leading order in 1/w)."""

    slow: System
    potential: sp.Expr
    ripple: dict[str, sp.Expr]
    force: dict[str, sp.Expr]
    steps: Steps


def average_fast(system: System, frequency: str) -> Averaged:
    """The slow motion of a system that is driven with the fast angular frequency `frequency` (a name).

    >>> from dalembert.analytic import Particle, System
    >>> pivot = [Particle("m", ["l*sin(th)", "A*cos(w*t) - l*cos(th)"])]
    >>> shaken = System("th", particles=pivot, gravity=["0", "-g"], positive="l A w g")
    >>> average_fast(shaken, "w").potential
    A**2*m*w**2*sin(th)**2/4 - g*l*m*cos(th)
    """
    from ..systems.system import System

    n, book = system.names, Notebook()
    w, t = n.symbol(frequency), n.time
    view = system.lagrange()
    if system.multipliers:
        raise ModelError("average a system in independent coordinates: eliminate the constraints first")
    a = [n.velocity(c, 2) for c in system.coordinates]
    v = [n.velocity(c) for c in system.coordinates]
    M = sp.Matrix([[sp.diff(e, x) for x in a] for e in view.equations]).applyfunc(tidy)
    still = dict.fromkeys((*a, *v), sp.Integer(0))
    total = sp.Matrix([-e.subs(still, simultaneous=True) for e in view.equations]).applyfunc(sp.expand)
    if M.has(t) or not total.has(t):
        raise ModelError(
            f"{'the inertia' if M.has(t) else 'no force'} depends on t: the average is of forces that oscillate quickly"
        )
    moving = [e for e in view.equations for x in v if sp.diff(e, x).has(t)]
    if moving:
        raise ModelError("a force that oscillates depends on velocities: its average is not a potential")
    mean = _mean(total, w, t)
    fast = (total - mean).applyfunc(lambda e: sp.expand(tidy(e)))
    for c, e in zip(system.coordinates, fast):
        book.note(f"Fast force on {c}, of zero mean", f"f_{c}", e)
    swing = fast.applyfunc(lambda e: _antiderivative(e, w, t))
    ripple = solve_linear(M, swing)
    for c, e in zip(system.coordinates, ripple):
        book.note(f"Velocity of the ripple of {c}", f"u_{c}", e)
    extra = _mean(sp.Matrix([sp.expand((swing.T * ripple)[0]) / 2]), w, t)[0]
    book.note("Its mean kinetic energy is a potential for the slow motion", "<u.M u>/2", tidy(extra))
    from ..statics.virtual_work import potential_of

    q = [n.symbol(c) for c in system.coordinates]
    V = tidy(potential_of([tidy(e) for e in mean], q) + extra)
    book.note("Effective potential", "V_eff", V)
    kinetic = tidy(sp.expand((sp.Matrix(v).T * M * sp.Matrix(v))[0] / 2))
    positive = sorted(s.name for s in (V.free_symbols | kinetic.free_symbols) if s.is_positive)
    slow = System(system.coordinates, T=kinetic, V=V, positive=positive)
    names = system.coordinates
    return Averaged(slow, V, dict(zip(names, ripple)), dict(zip(names, fast)), book.close())


def _harmonics(e: sp.Expr, w: sp.Symbol, t: sp.Symbol) -> tuple[sp.Expr, sp.Symbol]:
    """Products of sines and cosines of multiples of w t as sums of single ones."""
    e = sp.expand(sp.expand_trig(e) if e.has(sp.sin, sp.cos) else e)
    angle = sp.Dummy("angle", real=True)
    e = e.subs(w * t, angle).replace(
        lambda x: isinstance(x, sp.sin | sp.cos) and x.has(t), lambda x: x.func(sp.expand(x.args[0]).subs(w * t, angle))
    )
    if e.has(t):
        raise ModelError(f"the drive is to be made of sin and cos of multiples of {w}*t; {t} is left in {e}")
    waves = sp.expand(e.replace(lambda x: isinstance(x, sp.sin | sp.cos) and x.has(angle), lambda x: x.rewrite(sp.exp)))
    return sp.expand(sp.powsimp(waves)), angle


def _mean(column: sp.Matrix, w: sp.Symbol, t: sp.Symbol) -> sp.Matrix:
    """The part without oscillation, entry by entry."""

    def one(e: sp.Expr) -> sp.Expr:
        if not e.has(t):
            return e
        waves, angle = _harmonics(e, w, t)
        return tidy(sp.Add(*(x for x in sp.Add.make_args(waves) if not x.has(angle))))

    return column.applyfunc(one)


def _antiderivative(e: sp.Expr, w: sp.Symbol, t: sp.Symbol) -> sp.Expr:
    """The antiderivative of zero mean."""
    waves, angle = _harmonics(e, w, t)
    total = sp.Integer(0)
    for x in sp.Add.make_args(waves):
        rate = sp.diff(sp.log(x), angle)
        rate = sp.simplify(rate)
        if is_zero(rate) or rate.has(angle):
            raise ModelError(f"{x} is not a simple wave of {w}*{t}")
        total += x / (rate * w)
    return sp.expand(sp.expand_trig(total.rewrite(sp.cos)).subs(angle, w * t))
