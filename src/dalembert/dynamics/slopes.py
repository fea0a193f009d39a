"""Derivatives of accelerations and efforts with respect to the state and parameters, in few operations."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.constraints import Resolved, Rows
from dalembert.constraints.metric import KineticMetric
from dalembert.dynamics.dynamics import Dynamics
from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.dynamics.variations import effort_slopes, has_variations
from dalembert.expr import ONE, ZERO, Expr

#: Joints from which derivatives joint by joint take fewer operations than those of the formulas: seven in chains.
_SEVERAL = 7


def acceleration_slopes(about: Dynamics, variables: Sequence[Expr], efforts: Sequence[Expr]) -> list[Expr]:
    """Derivatives of u' with respect to coordinates, speeds or parameters, rows by speed.

    Of a tree, from M u' = tau + ...: d(u') = -M^-1 d(inverse dynamics) with u' held, which is far shorter than the
    derivative of the solution. Of a closed machine likewise, its multipliers held too (`solved_slopes`).
    """
    if about.closed:
        if about.rows.imperfect:
            return [x for row in ex.jacobian(about.accelerations(efforts), variables) for x in row]
        return _closed_slopes(about, variables, efforts)
    held = dict(zip(about.accelerations_given, about.accelerations(efforts or None), strict=True))
    flat = [-x for x in ex.substitute(inverse_slopes(about, variables), held)]
    n, m = len(about.speeds), len(variables)
    metric = KineticMetric.of(about.mass_matrix, about.state.speeds)
    columns = [_solve(metric, [flat[i * m + j] for i in range(n)]) for j in range(m)]
    return [columns[j][i] for i in range(n) for j in range(m)]


def _closed_slopes(about: Dynamics, variables: Sequence[Expr], efforts: Sequence[Expr]) -> list[Expr]:
    right = [a + b for a, b in zip(about.right_side, efforts, strict=True)] if efforts else about.right_side
    given = about.accelerations_given
    solved = about.resolved.solve(right, about.rows.gamma)
    return solved_slopes(about.resolved, about.rows, solved, given, about.efforts_beyond(given), variables)


def solved_slopes(
    solver: Resolved,
    rows: Rows,
    solved: tuple[Sequence[Expr], Sequence[Expr]],
    given: Sequence[Expr],
    needed: Sequence[Expr],
    variables: Sequence[Expr],
) -> list[Expr]:
    """Derivatives of u' of M u' = tau + W^T lambda, G u' = gamma: the factors that tell u' and lambda tell them, too.

    M du' - W^T dlambda = -d(M u' - tau - W^T lambda) and G du' = -d(G u' - gamma), u' and lambda held: one solve for
    each direction, where the derivative of the solution would derive its factors again and again. `needed` is
    M u' - tau of the symbols `given` for u'.
    """
    pushes = [ex.symbol(f"push {k}") for k in range(len(rows))]
    held = dict(zip([*given, *pushes], [*solved[0], *solved[1]], strict=True))
    lacking = [a - b for a, b in zip(needed, rows.efforts_of(pushes), strict=True)]
    left = [ex.dot_product(row, given) - gamma for row, gamma in zip(rows.matrix.rows(), rows.gamma, strict=True)]
    found = ex.substitute([-x for row in ex.jacobian([*lacking, *left], variables) for x in row], held)
    n, m, columns = len(lacking), len(variables), list[list[Expr]]()
    for j in range(m):
        column = found[j::m]
        columns.append(solver.solve(column[:n], column[n:])[0])
    return [columns[j][i] for i in range(n) for j in range(m)]


def inverse_slopes(about: Dynamics, variables: Sequence[Expr]) -> list[Expr]:
    """Derivatives of the inverse dynamics, rows by speed; of longer trees by the state from what each joint carries."""
    if list(variables) == [*about.coordinates, *about.speeds] and go_joint_by_joint(about):
        return [x for row in effort_slopes(about.recursion, about.accelerations_given) for x in row]
    return [x for row in ex.jacobian(about.inverse_dynamics, variables) for x in row]


def go_joint_by_joint(about: Dynamics) -> bool:
    """Whether derivatives of the inverse dynamics by the state are told joint by joint: of longer trees."""
    return len(about.speeds) >= _SEVERAL and not about.closed and has_variations(about.recursion)


def inverse_mass(about: Dynamics) -> list[Expr]:
    """Derivative of u' with respect to efforts, rows: M^-1; in a loop, on what it allows, and zero across."""
    refuse_long_formulas(about.layout, "the inverse of the mass matrix")
    n = len(about.speeds)
    if about.closed:
        if about.rows.imperfect:
            return [x for row in ex.jacobian(about.accelerations(about.efforts), about.efforts) for x in row]
        none = [ZERO] * len(about.rows)
        columns = [about.resolved.solve([ONE if i == j else ZERO for i in range(n)], none)[0] for j in range(n)]
        return [columns[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]
    metric = KineticMetric.of(about.mass_matrix, about.state.speeds)
    columns = [_solve(metric, [ONE if i == j else ZERO for i in range(n)]) for j in range(n)]
    return [columns[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]


def _solve(metric: KineticMetric, right: list[Expr]) -> list[Expr]:
    """M^-1 b."""
    return metric.speeds(metric.raised(metric.covector(right)))
