"""Taylor series of the closure at a posture: what the regular rows leave to the others, order by order.

The dependent variables follow the independent ones as power series (each step of Newton with the inverse at the posture
gains an order); the other rows, evaluated on them, are the equations g(xi) = 0 of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from dalembert.loops.balls import BallClosing, all_finite, as_array, as_matrix, ball
from dalembert.loops.linearised import Linearised

Array = Any


@contextmanager
def _terms(count: int) -> Iterator[None]:
    import flint

    old = flint.ctx.cap
    flint.ctx.cap = count
    try:
        yield
    finally:
        flint.ctx.cap = old


def along(closing: BallClosing, x: Sequence[Any], linear: Linearised, direction: Sequence[int], order: int) -> Array:
    """Coefficients (rows that are left over, 0..order) of g(t direction)."""
    from flint import arb_series

    slope = dict(zip(linear.independent, direction, strict=True))
    coefficients = np.full((len(x), order + 1), ball(0), dtype=object)
    coefficients[:, 0] = list(x)
    for i, d in slope.items():
        coefficients[i, 1] = ball(d)
    rows: list[list[Any]] = []
    for count in range(1, order + 1):
        with _terms(count + 1):
            rows = [
                _listed(r, count + 1)
                for r in closing.residual([arb_series(list(c[: count + 1])) for c in coefficients])
            ]
        if linear.rank:
            # the rows vanish to order count - 1 by now; the next coefficient of the dependent variables mends them
            wrong = np.array([rows[i][count] for i in linear.rows], dtype=object).reshape(-1, 1)
            mend = as_array(linear.inverse * as_matrix(wrong)).ravel()
            for i, m in zip(linear.dependent, mend, strict=True):
                coefficients[i, count] = coefficients[i, count] - m
    with _terms(order + 1):
        rows = [_listed(r, order + 1) for r in closing.residual([arb_series(list(c)) for c in coefficients])]
    found = np.array([rows[i] for i in linear.others], dtype=object).reshape(len(linear.others), order + 1)
    if not all_finite(found):
        raise ValueError("a coefficient of the series is not a number.")
    return found


def _listed(value: Any, count: int) -> list[Any]:
    from flint import arb_series

    found = value.coeffs() if isinstance(value, arb_series) else [ball(value)]
    return [ball(c) for c in found[:count]] + [ball(0)] * (count - len(found))


def in_two_variables(
    closing: BallClosing, x: Sequence[Any], linear: Linearised, order: int
) -> list[dict[tuple[int, int], Any]]:
    """The left-over functions as polynomials {(a, b): coefficient of xi1^a xi2^b} up to the order, zeros left out.

    Along (1, j) the part of degree d is a polynomial in j of degree d: order + 1 directions give all.
    """
    from flint import arb_mat

    lines = [along(closing, x, linear, (1, j), order) for j in range(order + 1)]
    found: list[dict[tuple[int, int], Any]] = [{} for _ in range(len(linear.others))]
    for degree in range(order + 1):
        nodes = arb_mat(degree + 1, degree + 1, [j**i for j in range(degree + 1) for i in range(degree + 1)])
        inverse = nodes.inv()
        for row, one in enumerate(found):
            values = arb_mat(degree + 1, 1, [lines[j][row, degree] for j in range(degree + 1)])
            for b, value in enumerate((inverse * values).entries()):
                if not closing.is_zero(value):
                    one[degree - b, b] = value
    return [one for one in found if one]
