"""Derivatives of accelerations and efforts with respect to the state and parameters, in few operations."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.constraints.metric import KineticMetric
from dalembert.dynamics.dynamics import Dynamics
from dalembert.dynamics.variations import effort_slopes, has_variations
from dalembert.expr import ONE, ZERO, Expr

#: Joints from which derivatives joint by joint take fewer operations than those of the formulas: seven in chains.
_SEVERAL = 7


def acceleration_slopes(about: Dynamics, variables: Sequence[Expr], efforts: Sequence[Expr]) -> list[Expr]:
    """Derivatives of u' with respect to coordinates, speeds or parameters, rows by speed.

    Of a tree, from M u' = tau + ...: d(u') = -M^-1 d(inverse dynamics) with u' held, which is far shorter than the
    derivative of the solution.
    """
    if about.closed:
        return [x for row in ex.jacobian(about.accelerations(efforts), variables) for x in row]
    held = dict(zip(about.accelerations_given, about.accelerations(efforts), strict=True))
    flat = [-x for x in ex.substitute(inverse_slopes(about, variables), held)]
    n, m = len(about.speeds), len(variables)
    metric = KineticMetric.of(about.mass_matrix, about.state.speeds)
    columns = [_solve(metric, [flat[i * m + j] for i in range(n)]) for j in range(m)]
    return [columns[j][i] for i in range(n) for j in range(m)]


def inverse_slopes(about: Dynamics, variables: Sequence[Expr]) -> list[Expr]:
    """Derivatives of the inverse dynamics, rows by speed; of longer trees by the state from what each joint carries."""
    state = [*about.coordinates, *about.speeds]
    if (
        len(about.speeds) >= _SEVERAL
        and list(variables) == state
        and not about.closed
        and has_variations(about.recursion)
    ):
        return [x for row in effort_slopes(about.recursion, about.accelerations_given) for x in row]
    return [x for row in ex.jacobian(about.inverse_dynamics, variables) for x in row]


def inverse_mass(about: Dynamics) -> list[Expr]:
    """Derivative of u' with respect to efforts, rows: M^-1; in a loop, on what it allows, and zero across."""
    if about.closed:
        return [x for row in ex.jacobian(about.accelerations(about.efforts), about.efforts) for x in row]
    n = len(about.speeds)
    metric = KineticMetric.of(about.mass_matrix, about.state.speeds)
    columns = [_solve(metric, [ONE if i == j else ZERO for i in range(n)]) for j in range(n)]
    return [columns[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]


def _solve(metric: KineticMetric, right: list[Expr]) -> list[Expr]:
    """M^-1 b."""
    return metric.speeds(metric.raised(metric.covector(right)))
