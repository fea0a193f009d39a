"""The direct equations of a setting, M u' = f + W^T lambda and G u' = gamma, solved by the solver of all machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.coupling import Coupling, coupling
from dalembert.constraints.resolve import resolve
from dalembert.constraints.rows import ROUNDING, Rows
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix
from dalembert.expr.magnitude import magnitude
from dalembert.geometry.setting import Setting


def direct_field(
    setting: Setting, accelerations: Sequence[Expr] = (), multipliers: Sequence[Expr] = ()
) -> tuple[list[Expr], list[Expr]]:
    """(x', s', p_i') and lambda in (q, rates, t), from accelerations, those of a mechanism where they are given."""
    rates, n = setting.rates, len(setting.free)
    in_time = {TIME: ONE, **dict(zip(setting.coordinates, rates, strict=True))}
    momenta = setting.momenta_in_rates
    if not accelerations:
        accelerations, multipliers = direct_accelerations(setting)
    along = in_time | dict(zip(rates, accelerations, strict=True))
    return [*rates, *ex.tangent(momenta[:n], along)], list(multipliers)


def direct_accelerations(setting: Setting) -> tuple[Sequence[Expr], Sequence[Expr]]:
    """u' and lambda: no section, no V*M."""
    rates = setting.rates
    in_time = {TIME: ONE, **dict(zip(setting.coordinates, rates, strict=True))}
    moved = ex.tangent(setting.momenta_in_rates, in_time)
    slopes = ex.gradient(setting.lagrangian, setting.coordinates)
    right = [s - m + e for s, m, e in zip(slopes, moved, setting.efforts, strict=True)]
    solved = resolve(setting.mass, right, _rows(setting), [u.name for u in rates])
    return solved.accelerations, solved.multipliers


def coupling_at(setting: Setting, numbers: Callable[[Sequence[Expr]], Sequence[float]]) -> Coupling:
    """Angles between what is asked and what is pushed, in the kinetic metric, at the state that gives numbers."""
    rows, n = _rows(setting), len(setting.coordinates)
    tables = (setting.mass, rows.matrix, rows.reaction)
    mass, asked, pushed = (np.array(numbers(one.entries)).reshape(-1, n) for one in tables)
    return coupling(mass, asked, pushed)


def _rows(setting: Setting) -> Rows:
    """G = d(u_a - Y^a)/du and d phi/du, with momenta written in rates."""
    rates, n = list(setting.rates), len(setting.free)
    told = dict(zip(setting.momenta, setting.momenta_in_rates, strict=False))
    laws = ex.substitute(list(setting.laws), told)
    driven = setting.asked or tuple(u - y for u, y in zip(rates[n:], laws, strict=True))
    asked = [*driven, *setting.quantities]
    wanted = [*(ZERO for _ in laws), *setting.wanted]
    in_time = {TIME: ONE, **dict(zip(setting.coordinates, rates, strict=True))}
    matrix = ex.jacobian(asked, rates) if asked else []
    gamma = [w - x for w, x in zip(wanted, ex.tangent(asked, in_time) if asked else [], strict=True)]
    count, size = len(asked), len(rates)
    pushed = {k: tuple(row) for k, row in enumerate((*setting.pushes, *setting.rows)) if list(row) != matrix[k]}
    return Rows(
        setting.names,
        Matrix(matrix, (count, size)),
        tuple(asked),
        tuple(x - ex.dot_product(row, rates) for x, row in zip(asked, matrix, strict=True)),
        tuple(gamma),
        (None,) * count,
        (ZERO,) * count,
        Matrix([magnitude(row) for row in matrix], (count, size)),
        tuple(ROUNDING * len(ex.topological([x])) for x in asked),
        Matrix([[x * x for x in row] for row in matrix], (count, size)),
        (ZERO,) * size,
        wrenches=(None,) * count,
        pushed=pushed,
        owners=setting.names,
        bent=tuple(k for k, row in enumerate(matrix) if not ex.free_symbols(row).isdisjoint(rates)),
    )
