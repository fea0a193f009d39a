"""Variational integrators: the user's own Lagrangian discretised, so that symplecticity and momenta are kept exactly.

L_d(a, b) = h L at the midpoint, or the trapezoidal mean; the motion obeys D2 L_d(q0, q1) + D1 L_d(q1, q2) = 0 (Marsden
and West 2001). In position and momentum: p0 = -D1 L_d, p1 = D2 L_d. The residual and its slopes are formulas of this L,
differentiated once and made into one Python function; `simulate.compile_integrator` makes machine code of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function

if TYPE_CHECKING:
    import numpy as np

    from ..systems.system import System

RULES = ("midpoint", "trapezoid")
_NEWTON, _CLOSE = 30, 1e-13
"""Newton steps of one time step, and the share of the momenta at which the residual counts as solved."""


@dataclass(frozen=True)
class DiscreteMotion:
    """Places and momenta at equal steps, and the energy at each."""

    t: np.ndarray
    q: dict[str, np.ndarray]
    p: dict[str, np.ndarray]
    energy: np.ndarray

    @property
    def energy_error(self) -> float:
        """The largest distance of the energy from its start, as a share of its largest size."""
        size = float(abs(self.energy).max())
        return float(abs(self.energy - self.energy[0]).max()) / size if size else 0.0


@dataclass(frozen=True)
class StepFormulas:
    """One step in symbols: from q at `a` with momentum `p` to q at `b`, where `residual` vanishes; then p = `push`.

    `speed` is q' of q at `a` and `p`, for a first guess; `slopes` are those of the residual by `b`, row by row.
    """

    a: tuple[sp.Symbol, ...]
    b: tuple[sp.Symbol, ...]
    p: tuple[sp.Symbol, ...]
    residual: tuple[sp.Expr, ...]
    slopes: tuple[sp.Expr, ...]
    push: tuple[sp.Expr, ...]
    speed: tuple[sp.Expr, ...]


@dataclass(frozen=True)
class VariationalIntegrator:
    """A discrete Lagrangian with its step; `L_d` is the formula, `run` the motion."""

    system: System
    L_d: sp.Expr
    rule: str
    step: float
    formulas: StepFormulas = field(repr=False)
    _solve: Callable[..., Any]
    _push: Callable[..., Any]
    _energy: Callable[..., Any]

    def begin(self, start: Mapping[str, float], steps: int) -> tuple[list[float], list[float]]:
        """q and p of a start that gives all of them, in order."""
        labels, momenta = self.system.coordinates, self.system.momenta
        missing = [k for k in (*labels, *momenta) if k not in start]
        if missing:
            raise ModelError(f"the start needs a number for {', '.join(missing)}")
        if steps < 1:
            raise ModelError(f"at least one step is asked for, not {steps}")
        return [float(start[c]) for c in labels], [float(start[m]) for m in momenta]

    def run(self, start: Mapping[str, float], steps: int) -> DiscreteMotion:
        """The motion from coordinates and momenta, by name."""
        import numpy as np

        first, push = self.begin(start, steps)
        size = len(first)
        q = np.zeros((steps + 1, size))
        p = np.zeros_like(q)
        q[0], p[0] = first, push
        here = dict(zip((*self.formulas.a, *self.formulas.p), (*first, *push)))
        velocity = np.array([float(e.subs(here)) for e in self.formulas.speed])
        for k in range(steps):
            try:
                q[k + 1] = self._next(q[k], q[k] + self.step * velocity, p[k])
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                raise ModelError(f"step {k + 1} did not converge: take a smaller step than {self.step}") from error
            p[k + 1] = self._push([*q[k], *q[k + 1]])
            velocity = (q[k + 1] - q[k]) / self.step
        return self.motion_of(q, p)

    def _next(self, q: np.ndarray, guess: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The place where p + D1 L_d(q, place) vanishes, by Newton's iteration from a guess."""
        import numpy as np

        size = len(q)
        for _ in range(_NEWTON):
            answer = np.array(self._solve([*q, *guess, *p]), dtype=float)
            residual, slope = answer[:size], answer[size:].reshape(size, size)
            change = np.linalg.solve(slope, residual)
            guess = guess - change
            if np.abs(change).max() <= _CLOSE * max(np.abs(guess).max(), np.abs(guess - q).max(), 1e-300):
                return guess
        raise ArithmeticError("Newton's iteration has not come to an end")

    def motion_of(self, q: np.ndarray, p: np.ndarray) -> DiscreteMotion:
        """Rows of places and momenta as a motion, with the energy at each."""
        import numpy as np

        energy = np.broadcast_to(self._energy([*q.T, *p.T]), len(q)).astype(float)
        times = self.step * np.arange(len(q))
        labels, momenta = self.system.coordinates, self.system.momenta
        return DiscreteMotion(times, dict(zip(labels, q.T)), dict(zip(momenta, p.T)), energy)


def variational_integrator(
    system: System, values: Mapping[str, float], step: float, *, rule: str = "midpoint"
) -> VariationalIntegrator:
    """Derive the integrator of a system's Lagrangian at numeric parameters.

    >>> from dalembert.analytic import System
    >>> pendulum = System("th", L="th_d**2/2 + cos(th)")
    >>> made = variational_integrator(pendulum, {}, 0.1).run({"th": 2.0, "p": 0.0}, 2000)
    >>> made.energy_error < 0.004
    True
    """
    if rule not in RULES:
        raise ModelError(f"the rule is one of {', '.join(RULES)}, not {rule!r}")
    if not step > 0:
        raise ModelError(f"the step is positive, not {step}")
    if system.multipliers or any(f != 0 for f in system.generalised_forces):
        raise ModelError("the discrete action is of a Lagrangian in independent coordinates, without other forces")
    n, view = system.names, system.hamilton()
    L = system.freeze(system.lagrangian).subs(n.numbers(values))
    if L.has(n.time):
        raise ModelError("the discrete action is written here for a Lagrangian without explicit time")
    labels = system.coordinates
    a = [sp.Dummy(f"{c}_a", real=True) for c in labels]
    b = [sp.Dummy(f"{c}_b", real=True) for c in labels]
    p = [sp.Dummy(m, real=True) for m in system.momenta]
    h = sp.Float(step)

    def at(places: list[sp.Expr]) -> sp.Expr:
        speeds = {n.velocity(c): (y - x) / h for c, x, y in zip(labels, a, b)}
        return L.subs({n.symbol(c): e for c, e in zip(labels, places)} | speeds, simultaneous=True)

    middle = [(x + y) / 2 for x, y in zip(a, b)]
    L_d = h * at(middle) if rule == "midpoint" else h * (at(list(a)) + at(list(b))) / 2
    residual = [momentum + sp.diff(L_d, x) for momentum, x in zip(p, a)]
    slopes = [sp.diff(r, y) for r in residual for y in b]
    push = [sp.diff(L_d, y) for y in b]
    H = view.H.subs(n.numbers(values))
    here = dict(zip((*view.q, *view.p), (*a, *p)))
    speed = [sp.diff(H, x).subs(here, simultaneous=True) for x in view.p]
    return VariationalIntegrator(
        system,
        L_d,
        rule,
        step,
        StepFormulas(*map(tuple, (a, b, p, residual, slopes, push, speed))),
        number_function([[*a, *b, *p]], [*residual, *slopes], "math"),
        number_function([[*a, *b]], push, "math"),
        number_function([[*view.q, *view.p]], H),
    )
