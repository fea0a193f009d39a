"""Equilibria of a system: where the balances vanish, in closed form or by numbers, each with its nature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.analytic._exact import number_function
from dalembert.errors import ModelError

from ._solving import solve_system
from .statics import Nature, nature_of_equilibrium

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class Equilibrium:
    """A position of rest and its nature (None when the forces have no potential)."""

    at: dict[str, sp.Expr]
    nature: Nature | None

    def __str__(self) -> str:
        where = ", ".join(f"{k} = {v}" for k, v in self.at.items())
        return f"{where}: {self.nature if self.nature is not None else 'no potential, nature not judged'}"


def equilibria(system: System) -> list[Equilibrium]:
    """Every equilibrium found in closed form; the nature is judged by the potential of all forces.

    >>> from dalembert.analytic import System
    >>> [e.nature.kind for e in equilibria(System("x", V="a*x**3/3 - a*x", positive="a"))]
    ['unstable', 'stable']
    """
    view = system.virtual_work()
    n = system.names
    symbols = [n.symbol(c) for c in system.coordinates]
    balances = [view.balances[c] for c in system.coordinates]
    found = []
    for solution in solve_system(balances, symbols):
        point = {s.name: solution.get(s, s) for s in symbols}
        if any(v.is_real is False for v in point.values()):
            continue
        found.append(Equilibrium(point, _nature(system, point)))
    return found


def _nature(system: System, point: Mapping[str, sp.Expr]) -> Nature | None:
    try:
        V = system.virtual_work().potential()
    except ModelError:
        return None
    free = {k: v for k, v in point.items() if v == system.names.symbol(k)}
    return nature_of_equilibrium(V, {**point, **{k: system.names.symbol(k) for k in free}}, names=system.names)


def numeric_equilibrium(system: System, values: Mapping[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """The equilibrium near `start` at numeric parameters, by Newton's method on the balances."""
    from scipy.optimize import root

    view = system.virtual_work()
    n = system.names
    symbols = [n.symbol(c) for c in system.coordinates]
    numbers = n.numbers(values)
    balances = [view.balances[c].subs(numbers) for c in system.coordinates]
    slopes = sp.Matrix(balances).jacobian(symbols)
    f, df = number_function([symbols], balances), number_function([symbols], slopes)
    solution = root(f, [start[c] for c in system.coordinates], jac=df, tol=1e-13)
    if not solution.success:
        raise ModelError(f"no equilibrium was found near {dict(start)}: {solution.message}")
    return {c: float(x) for c, x in zip(system.coordinates, solution.x)}
