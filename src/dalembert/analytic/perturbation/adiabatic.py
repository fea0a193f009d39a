"""Adiabatic invariants: the action of one degree of freedom whose parameters change slowly.

Theorem (Ehrenfest, Kruskal; Arnold, Mathematical Methods 52): for a system of one frequency that does not vanish, and
parameters l(e t) that are smooth, |J(t) - J(0)| stays of order e for times of order 1/e.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function
from ..formulas._names import Formula

if TYPE_CHECKING:
    import numpy as np

    from ..systems.system import System

_MARKS = 60
"""Instants at which the action is worked out: enough for a picture."""


@dataclass(frozen=True)
class AdiabaticRun:
    """Energy and action J = (1/2 pi) loop p dq of the frozen system along a motion with slow parameters."""

    t: np.ndarray
    q: np.ndarray
    p: np.ndarray
    energy: np.ndarray
    action: np.ndarray

    @property
    def drift(self) -> float:
        """The largest change of the action, as a share of it."""
        return float(abs(self.action - self.action[0]).max() / abs(self.action[0]))

    @property
    def energy_change(self) -> float:
        """The change of the energy as a share of its first value."""
        return float((self.energy[-1] - self.energy[0]) / abs(self.energy[0]))


def adiabatic(
    system: System,
    slow: Mapping[str, Formula],
    values: Mapping[str, float],
    start: Mapping[str, float],
    time: float,
    box: tuple[float, float],
) -> AdiabaticRun:
    """Integrate H(q, p; l(t)) with `slow` = {parameter: formula of t}, and follow the action of the frozen system.

    The canonical equations are those of H at fixed parameters with l(t) put in: p is the canonical momentum of H. `box`
    bounds the coordinate where the frozen well is looked at.

    >>> from dalembert.analytic import System
    >>> spring = System("q", H="p**2/2 + w**2*q**2/2")
    >>> run = adiabatic(spring, {"w": "1 + 0.01*t"}, {}, {"q": 1.0, "p": 0.0}, 100.0, (-3, 3))
    >>> round(run.energy_change, 2), run.drift < 0.01
    (1.0, True)
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    view, n = system.hamilton(), system.names
    if len(view.q) != 1:
        raise ModelError("the action of one loop is of one coordinate: reduce the system, or freeze the others")
    if view.H.has(n.time):
        raise ModelError("give H at fixed parameters, and how they change in `slow`")
    numbers = n.numbers(values)
    laws = {n.symbol(k): n.read(f).subs(numbers) for k, f in slow.items()}
    strange = [str(k) for k in laws if k not in view.H.free_symbols]
    if strange:
        raise ModelError(f"{', '.join(strange)} does not occur in H")
    q, p, t = view.q[0], view.p[0], n.time
    field = [e.subs(numbers).subs(laws) for e in (sp.diff(view.H, p), -sp.diff(view.H, q))]
    rate = number_function([t, q, p], field)
    marks = np.linspace(0.0, time, _MARKS)
    y0 = [float(start[q.name]), float(start[p.name])]
    run = solve_ivp(lambda s, y: rate(s, *y), (0.0, time), y0, t_eval=marks, rtol=1e-10, atol=1e-12, method="DOP853")
    if not run.success:
        raise ModelError(f"the motion could not be followed: {run.message}")
    H = view.H.subs(numbers)
    energies, actions = [], []
    for s, a, b in zip(run.t, *run.y):
        frozen = H.subs({k: f.subs(t, sp.Float(s)) for k, f in laws.items()})
        E = float(frozen.subs({q: a, p: b}))
        energies.append(E)
        actions.append(_action(frozen, q, p, E, float(a), box))
    return AdiabaticRun(run.t, run.y[0], run.y[1], np.array(energies), np.array(actions))


def _action(H: sp.Expr, q: sp.Symbol, p: sp.Symbol, E: float, here: float, box: tuple[float, float]) -> float:
    """(1/2 pi) loop p dq about the place `here` for H = b(q) p^2/2 + V(q)."""
    import numpy as np
    from scipy.integrate import quad
    from scipy.optimize import brentq

    inverse = sp.diff(H, p, 2)
    V = sp.expand(H.subs(p, 0))
    if inverse.has(p):
        raise ModelError("the action is worked out for H = b(q) p^2/2 + V(q)")
    speed, height = number_function([q], inverse), number_function([q], V)

    def excess(x: float) -> float:
        return E - float(height(x))

    grid = np.linspace(*box, 801)
    left = [x for x in grid if x < here and excess(x) < 0]
    right = [x for x in grid if x > here and excess(x) < 0]
    if not left or not right:
        raise ModelError(f"at the energy {E:.6g} the motion is not bound within the box {box}")
    inner = here if excess(here) > 0 else here * (1 - 1e-9) if here else 0.0
    low, high = brentq(excess, left[-1], inner), brentq(excess, inner, right[0])
    middle, half = (low + high) / 2, (high - low) / 2

    def integrand(u: float) -> float:
        x = middle + half * np.sin(u)
        return float(np.sqrt(max(2 * excess(x) / float(speed(x)), 0.0)) * half * np.cos(u))

    value, _ = quad(integrand, -np.pi / 2, np.pi / 2, limit=200)
    return float(value / np.pi)
