"""Hamilton's principal function S(q, q0, t): the action of the motion that leads from q0 to q in the time t."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero
from ..formulas._normal import tidy
from ..formulas.quadrature import antiderivative
from ..formulas.steps import Notebook, Steps
from ..motions.motion import closed_motion

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class PrincipalFunction:
    """S(q, q0, t) with p = dS/dq, p0 = -dS/dq0 and dS/dt + H = 0, all verified by `solves`."""

    S: sp.Expr
    p: dict[str, sp.Expr]
    p0: dict[str, sp.Expr]
    solves: Verdict
    steps: Steps


def principal_function(system: System) -> PrincipalFunction:
    """The action int L dt along the motion between two places, where that motion is known in closed form.

    >>> from dalembert.analytic import System
    >>> free = principal_function(System("x", L="m*x_d**2/2"))
    >>> free.S.expand(), free.p["x"].expand()
    (m*x**2/(2*t) - m*x*x0/t + m*x0**2/(2*t), m*x/t - m*x0/t)
    """
    if system.multipliers or any(f != 0 for f in system.generalised_forces):
        raise ModelError("the principal function belongs to a Lagrangian system in independent coordinates")
    view = system.lagrange()
    n, book = system.names, Notebook()
    motion = closed_motion(view)
    L = view.L
    t = n.time
    starts = {c: n.symbol(f"{c}0") for c in system.coordinates}
    speeds = {c: n.symbol(f"{c}d0") for c in system.coordinates}
    paths = dict(motion.items())
    for c, e in paths.items():
        book.note("The motion from given data", f"{c}(t)", e)
    found = sp.solve([e - n.symbol(c) for c, e in paths.items()], list(speeds.values()), dict=True)
    if len(found) != 1:
        raise ModelError("the speed at the start is not one function of the two places and the time")
    clock = sp.Dummy("clock", positive=True)
    along = sp.expand(n.at_functions(L, paths)).subs(t, clock)
    primitive = antiderivative(tidy(along), clock)
    if primitive.has(sp.Integral):
        primitive = sp.integrate(sp.expand(along), clock)
    if primitive.has(sp.Integral):
        raise ModelError("the action along the motion has no closed form")
    action = primitive.subs(clock, t) - primitive.subs(clock, 0)
    S = tidy(sp.simplify(action.subs(found[0], simultaneous=True)))
    book.note("Action along it, the speed at the start eliminated", "S", S)
    hamilton = system.hamilton()
    p = {c: tidy(sp.diff(S, n.symbol(c))) for c in system.coordinates}
    p0 = {c: tidy(-sp.diff(S, starts[c])) for c in system.coordinates}
    slopes = dict(zip(hamilton.p, p.values()))
    solves = is_zero(sp.diff(S, t) + hamilton.H.subs(slopes, simultaneous=True))
    book.note(f"dS/dt + H(q, dS/dq) = 0: {solves}")
    return PrincipalFunction(S, p, p0, solves, book.close())
