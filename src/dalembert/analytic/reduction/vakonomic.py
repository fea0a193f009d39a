"""Two mechanics of rolling: d'Alembert's (the constraint force does no virtual work) and the vakonomic one.

The vakonomic motion is stationary for int L dt among curves that satisfy the constraints: Euler's equations of
L + sum l_i phi_i with multipliers that have a history of their own (Kozlov). Both agree for integrable constraints;
bodies that roll obey d'Alembert (Lewis and Murray 1995), optimal control obeys the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..formulas._names import Names
from ..formulas._solving import linear_parts, solve_linear
from ..systems.lagrange import euler_lagrange

if TYPE_CHECKING:
    import numpy as np

    from ..systems.system import System

_ROUNDED = 1e-9  # a start that is given in ten digits rolls


@dataclass(frozen=True)
class Vakonomic:
    """The vakonomic equations of a system with kinematic constraints, beside d'Alembert's."""

    system: System
    names: Names
    multipliers: tuple[str, ...]
    equations: tuple[sp.Expr, ...]

    @cached_property
    def _solution(self) -> dict[sp.Symbol, sp.Expr]:
        n = self.names
        unknowns = [n.velocity(c, 2) for c in self.system.coordinates] + [n.velocity(m) for m in self.multipliers]
        conditions = [n.read(f) for f in self.system.constraint_accelerations]
        parts = linear_parts([*self.equations, *conditions], unknowns)
        if parts is None or is_zero(parts[0].det()):
            raise SingularError("the vakonomic equations do not determine accelerations and rates of multipliers")
        return dict(zip(unknowns, solve_linear(*parts)))

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        """q'' as functions of q, q' and the multipliers, which are part of the state."""
        return {c: self._solution[self.names.velocity(c, 2)] for c in self.system.coordinates}

    @cached_property
    def multiplier_rates(self) -> dict[str, sp.Expr]:
        return {m: self._solution[self.names.velocity(m)] for m in self.multipliers}

    def motions(
        self,
        values: Mapping[str, float],
        start: Mapping[str, float],
        time: float,
        *,
        multipliers: Mapping[str, float] | None = None,
        points: int = 400,
    ) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Times, d'Alembert's motion and the vakonomic one from the same places and velocities.

        `start` gives coordinates and velocities (x and x_d); multipliers start at 0 unless given.
        """
        import numpy as np
        from scipy.integrate import solve_ivp

        n, times = self.names, np.linspace(0.0, time, points)
        numbers = n.numbers(values)
        labels = self.system.coordinates
        q, v = [n.symbol(c) for c in labels], [n.velocity(c) for c in labels]
        lam = [n.symbol(m) for m in self.multipliers]
        begin = {n.canonical(k): float(x) for k, x in start.items()}
        missing = [s.name for s in (*q, *v) if s.name not in begin]
        if missing:
            raise ModelError(f"the start needs a number for {', '.join(missing)}")
        y0 = [begin[s.name] for s in (*q, *v)]
        at = dict(zip((*q, *v), y0))
        for f in self.system.rolling:
            f = n.read(f).subs(numbers)
            slip = abs(float(f.subs(at)))
            moved = sum(abs(float(sp.diff(f, s).subs(at)) * x) for s, x in at.items())
            if slip > _ROUNDED * moved:  # more than digits that the start lacks can change, whatever the units
                raise ModelError(f"the start breaks {f} = 0 by {slip:.3g}: choose velocities that roll")
        plain = [n.read(a).subs(numbers) for a in self.system.lagrange().accelerations.values()]
        first = number_function([[*q, *v]], [*v, *plain])
        moved = [e.subs(numbers) for e in (*self.accelerations.values(), *self.multiplier_rates.values())]
        second = number_function([[*q, *v, *lam]], [*v, *moved])
        pulls = [float((multipliers or {}).get(m, 0.0)) for m in self.multipliers]
        options = {"t_eval": times, "rtol": 1e-10, "atol": 1e-12, "method": "DOP853"}
        one = solve_ivp(lambda _, y: first(y), (0.0, time), y0, **options)
        two = solve_ivp(lambda _, y: second(y), (0.0, time), [*y0, *pulls], **options)
        if not (one.success and two.success):
            raise ModelError(f"a motion could not be followed: {one.message if not one.success else two.message}")
        names = [s.name for s in (*q, *v)]
        return times, dict(zip(names, one.y)), dict(zip([*names, *self.multipliers], two.y))


def vakonomic(system: System) -> Vakonomic:
    """Derive the vakonomic equations of a system with `rolling` conditions.

    >>> from dalembert.analytic import System
    >>> skate = System("x y th", L="(x_d**2 + y_d**2 + th_d**2)/2", rolling=["x_d*sin(th) - y_d*cos(th)"])
    >>> vakonomic(skate).accelerations["th"]
    lam*(x'*cos(th) + y'*sin(th))
    """
    if not system.rolling or system.constraints:
        raise ModelError("the two mechanics differ for kinematic constraints: give them in `rolling`, and no others")
    if any(f != 0 for f in system.generalised_forces):
        raise ModelError("the vakonomic motion is that of a Lagrangian: forces outside L have no place in it")
    old = system.names
    labels = tuple(s.name for s in system.multipliers)
    positive = [s.name for s in system.lagrangian.free_symbols if s.is_positive]
    n = Names((*system.coordinates, *labels), given=old.given, positive=positive)
    L = n.read(system.freeze(system.lagrangian))
    L += sum((n.symbol(m) * n.read(f) for m, f in zip(labels, system.rolling)), sp.Integer(0))
    equations = euler_lagrange(L, n)[: len(system.coordinates)]
    return Vakonomic(system, n, labels, tuple(sp.expand(e) for e in equations))
