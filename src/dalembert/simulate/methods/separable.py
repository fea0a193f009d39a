"""May a symplectic composition be used? Only for H = T(p) + V(q): constant masses, forces from coordinates alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.magnitude import magnitude
from dalembert.simulate.system.system import System

_POINTS = 3
_WIDE_POINTS = 64
"""More of them, of sizes from 1e-6 to 1e6, where a formula has branches: beyond an end stop it is another one."""
_BRANCHES = frozenset(("min", "max", "abs", "sign", "where", "lt", "le", "eq"))
_ROUNDING = 1e-9
"""What may be left of terms that cancel, in parts of them: they are products of many, and no unit has a say."""


def obstacle(system: System, parameters: Mapping[str, float]) -> str:
    """Why kick-drift-kick steps would integrate a system wrongly; nothing if they would not.

    With q' = u and M u' = -V'(q), M constant, the pair (q, M u) is canonical and each kick and drift is symplectic.
    """
    n = len(system.coordinates)
    if n != len(system.speeds):
        return "the states are not as many speeds as coordinates"
    if system.constrained is not None:
        return "the motion is projected on constraints"
    q, u = system.symbols[:n], system.symbols[n:]
    for name, rate, speed in zip(system.coordinates, system.rates, u, strict=False):
        if rate is not speed:
            return f"the rate of '{name}' is {ex.text(rate)[:60]}, not the speed '{speed.name}'"
    test = _Test(system, parameters)
    accelerations = list(system.rates[n:])
    branch = _branch_by_speed(accelerations, u)
    if branch is not None:
        return f"a force is chosen by a speed: {ex.text(branch)[:60]}"
    slopes = ex.jacobian(accelerations, u)
    for name, row in zip(system.speeds, slopes, strict=True):
        for other, entry in zip(system.speeds, row, strict=True):
            if not test.vanishes(entry):
                return f"the rate of '{name}' depends on the speed '{other}'"
    masses = _masses(system, u)
    for row in masses:
        for entry in row:
            if not all(test.vanishes(ex.derivative(entry, x)) for x in (*q, *u, ex.TIME)):
                return f"the mass matrix is not constant: it contains {ex.text(entry)[:60]}"
    efforts = [_sum(m * a for m, a in zip(row, accelerations, strict=True)) for row in masses]
    stiffness = ex.jacobian(efforts, q)
    for i in range(n):
        for j in range(i):
            if not test.vanishes(stiffness[i][j] - stiffness[j][i]):
                return f"the forces along '{q[i].name}' and '{q[j].name}' have no potential"
    return ""


def _branch_by_speed(accelerations: Sequence[Expr], u: Sequence[Expr]) -> Expr | None:
    """The first choice of a formula (max, sign, ...) that a speed has a say in; no derivative at a state tells it."""
    speeds, moved = set(u), set[Expr]()
    for e in ex.topological(accelerations):
        if e in speeds or any(a in moved for a in e.args):
            if e.op in _BRANCHES:
                return e
            moved.add(e)
    return None


def _masses(system: System, u: Sequence[Expr]) -> list[list[Expr]]:
    if system.kinetic is None:
        return [[ex.ONE if i == j else ex.ZERO for j in range(len(u))] for i in range(len(u))]
    return ex.jacobian(ex.gradient(system.kinetic, u), u)


def _sum(terms: object) -> Expr:
    total = ex.ZERO
    for term in terms:  # type: ignore[attr-defined]
        total = total + term
    return total


class _Test:
    """Is an expression zero? By its form, or else by its value at random states with the parameters at hand."""

    def __init__(self, system: System, parameters: Mapping[str, float]) -> None:
        generator = np.random.default_rng(0)
        near = {x: generator.uniform(-1.5, 1.5, _POINTS) for x in (*system.symbols, ex.TIME)}
        sizes = {x: 10.0 ** generator.uniform(-6, 6, _WIDE_POINTS) for x in near}
        wide = {x: np.concatenate([near[x], generator.choice([-1.0, 1.0], _WIDE_POINTS) * sizes[x]]) for x in near}
        numbers = {ex.symbol(name): number for name, number in parameters.items()}
        self._near = near | {x: np.full(_POINTS, number) for x, number in numbers.items()}
        self._wide = wide | {x: np.full(_POINTS + _WIDE_POINTS, number) for x, number in numbers.items()}

    def vanishes(self, e: Expr) -> bool:
        if e is ex.ZERO:
            return True
        values = self._wide if any(x.op in _BRANCHES for x in ex.topological([e])) else self._near
        value, made_of = ex.evaluate([e, *magnitude([e])], values)
        return bool(np.all(np.abs(value) <= _ROUNDING * np.abs(made_of)))
