"""Hamilton's mechanics of a machine whose H fills pages: H = (p - b).M^-1 (p - b)/2 - L0, with M inverted at points.

L = q'.M q'/2 + b.q' + L0 by its degrees in the velocities. Then, with u = M^-1 (p - b),

    q' = dH/dp = u,    p' = -dH/dq + Q,    dH/dq = -u.(dM/dq) u/2 - u.(db/dq) - dL0/dq

since d(M^-1) = -M^-1 dM M^-1; and q'' = du/dt = M^-1 (p' - b' - M' u). Only M, b, L0 and their slopes are formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

import mpmath  # type: ignore[import-untyped]
import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict
from ..formulas._exact import number_function

if TYPE_CHECKING:
    from .system import System

_POINTS, _DIGITS, _SAME = 12, 40, 25
"""States that are looked at, digits of the arithmetic, and digits that must agree: cancellation costs a few of them."""


def hamilton_at_points(system: System, reference: Mapping[str, sp.Expr]) -> Verdict:
    """Whether Hamilton's equations give the accelerations of the reference, at random states and parameters."""
    n = system.names
    if system.multipliers:
        raise ModelError("Hamilton's view needs independent coordinates: eliminate the constraints first")
    L = system.freeze(system.lagrangian)
    q, v = [n.symbol(c) for c in system.coordinates], [n.velocity(c) for c in system.coordinates]
    still = dict.fromkeys(v, sp.Integer(0))
    M = sp.Matrix([[sp.diff(L, a, b) for b in v] for a in v])
    if M.has(*v):
        raise ModelError("L is not quadratic in the velocities: its H is no formula of M, b and L0")
    b, L0 = sp.Matrix([sp.diff(L, a).subs(still) for a in v]), L.subs(still)
    forces = dict(zip(n.coordinates, system.generalised_forces))
    Q = [system.freeze(forces[c]) for c in system.coordinates]
    moving = [*q, n.time]
    wanted = [M, b, *(M.diff(x) for x in moving), *(b.diff(x) for x in moving)]
    flat = [e for m in wanted for e in m] + [sp.diff(L0, x) for x in q] + Q + [reference[c] for c in system.coordinates]
    letters = sorted({s for e in flat for s in e.free_symbols} | {*q, *v}, key=str)
    if any(s.name.rstrip("'") in n.given for s in letters):
        raise ModelError("prescribed functions of time need their formulas: given={'h': '...'}")
    numbers = number_function([letters], flat, "mpmath")
    pick = Random(1)
    for _ in range(_POINTS):
        with mpmath.workdps(_DIGITS):
            at = {s: mpmath.mpf(pick.randint(200, 1700)) / 1000 for s in letters}
            found, right = _accelerations(numbers([at[s] for s in letters]), [at[s] for s in v])
            for c, x, y in zip(system.coordinates, found, right):
                if abs(x - y) > mpmath.mpf(10) ** -_SAME * (1 + abs(x) + abs(y)):
                    where = {s.name: float(value) for s, value in at.items()}
                    return Verdict(False, "counter-example", where, (x, y), why=f"the acceleration of {c}")
    return Verdict(True, "numeric", domain=(f"{_POINTS} states of positive numbers were looked at",))


def _accelerations(values: list[Any], v: list[Any]) -> tuple[list[Any], list[Any]]:
    """q'' by Hamilton's equations at one state, and that of the reference."""
    size, taken = len(v), iter(values)

    def matrix(columns: int) -> Any:
        return mpmath.matrix([[next(taken) for _ in range(columns)] for _ in range(size)])

    M, b = matrix(size), matrix(1)
    dM, db = [matrix(size) for _ in range(size + 1)], [matrix(1) for _ in range(size + 1)]
    dL0, Q, right = ([next(taken) for _ in range(size)] for _ in range(3))
    p = M * mpmath.matrix(v) + b
    u = mpmath.lu_solve(M, p - b)
    rate = mpmath.matrix([(u.T * dM[j] * u)[0] / 2 + (u.T * db[j])[0] + dL0[j] + Q[j] for j in range(size)])
    turn = sum((dM[k] * u[k] for k in range(size)), dM[size])
    push = sum((db[k] * u[k] for k in range(size)), db[size])
    return list(mpmath.lu_solve(M, rate - push - turn * u)), right
