"""Laws without a formula of their section: solved by Newton's method at a state, with their slopes there.

Every part of the dynamical field needs the law and its first derivatives at a point, no more. The implicit function
theorem gives them, with the matrix of hypothesis (H); the law is replaced by its tangent at the state, and all parts
are exact there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import TIME, Expr

Array = NDArray[np.float64]
#: Newton's method converges in a few steps from a guess that is any good.
_STEPS = 50
#: Step, as a share of the speeds, at which it has come to rest: some units of rounding.
_REST = 1e-13


def tangent_laws(
    balance: Sequence[Expr],
    rates: Sequence[Expr],
    driven: int,
    variables: Sequence[Expr],
    state: Mapping[str, float],
) -> list[Expr]:
    """The last `driven` rates as affine formulas of (x, s, p, t), tangent at a state to the solution of balance = 0."""
    values: dict[Expr, float] = {TIME: 0.0, **{ex.symbol(x): float(v) for x, v in state.items()}}
    needed = ex.free_symbols(balance) | set(variables)
    missing = sorted(x.name for x in needed if x not in values and x not in rates)
    if missing:
        raise ModelError(f"the state of a law that is solved in numbers gives no value for {', '.join(missing)}.")
    speeds = _solved(balance, rates, values)
    values |= dict(zip(rates, speeds, strict=True))
    over_rates, over_state = _numbers(balance, rates, values), _numbers(balance, variables, values)
    slopes = -np.linalg.solve(over_rates, over_state)
    found = []
    for k in range(len(rates) - driven, len(rates)):
        law = ex.as_expr(float(speeds[k]))
        for slope, z in zip(slopes[k], variables, strict=True):
            law = law + float(slope) * (z - values[z]) if slope else law
        found.append(law)
    return found


def _solved(balance: Sequence[Expr], rates: Sequence[Expr], values: dict[Expr, float]) -> Array:
    speeds = np.array([values.get(u, 0.0) for u in rates])
    slopes = [x for row in ex.jacobian(balance, rates) for x in row]
    for _ in range(_STEPS):
        told = values | dict(zip(rates, speeds, strict=True))
        numbers = np.array([float(x) for x in ex.evaluate([*balance, *slopes], told)])
        try:
            step = np.linalg.solve(numbers[len(rates) :].reshape(len(rates), -1), numbers[: len(rates)])
        except np.linalg.LinAlgError:
            break
        speeds = speeds - step
        if not np.isfinite(speeds).all():
            break
        if np.abs(step).max() <= _REST * max(1.0, np.abs(speeds).max()):
            return speeds
    raise ModelError(
        "no speeds were found that obey the law at this state (hypothesis (H) of Dazord): name a guess of the rates in "
        "the state, or another state."
    )


def _numbers(exprs: Sequence[Expr], variables: Sequence[Expr], values: Mapping[Expr, float]) -> Array:
    rows = ex.jacobian(exprs, variables)
    flat = ex.evaluate([x for row in rows for x in row], values)
    return np.array([float(x) for x in flat]).reshape(len(rows), len(variables))
