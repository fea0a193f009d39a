"""From balance equations that are affine in the accelerations to the common form M u' = S + F."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import Expr, Matrix


def split_accelerations(inertia: Sequence[Expr], udot: Sequence[Expr]) -> tuple[Matrix, tuple[Expr, ...]]:
    """M and S from inertia terms I(q, u, u') = M u' - S.

    Derivatives with respect to u' are exact because the terms are affine in u'. M is symmetric in exact arithmetic;
    its upper half is kept twice, so that equal numbers are equal expressions.
    """
    n = len(udot)
    upper = ex.upper_jacobian(list(inertia), udot)
    rows = [[upper[min(i, j)][abs(i - j)] for j in range(n)] for i in range(n)]
    rest = ex.substitute(list(inertia), dict.fromkeys(udot, 0))
    return Matrix(rows, (n, n)), tuple(-x for x in rest)
