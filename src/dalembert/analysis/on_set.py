"""Small motions on the set of states that all conditions allow: hidden conditions, conditions that are not affine in
the speeds, dry friction that slides.

The motion is y' = F(y), y = (q, u), and stays where gaps and conditions vanish, c(q, u) = 0. A deviation of it has
places along X (what the position conditions allow), speeds Y dx + B dv with c_u B = 0 and c_u Y = -c_q X, and obeys

    dx' = A dx + R dv,    dv' = (F_q X + F_u Y) dx + F_u B dv        in the independent coordinates and speeds

which is F itself, derived along its own set: about a true motion exact, whatever acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.linearization import Linearization
from dalembert.constraints.allowed import allowed_speeds
from dalembert.dynamics import Dynamics
from dalembert.expr import ONE, TIME, Expr, Matrix

Array = Any


def needs_set(dynamics: Dynamics) -> bool:
    """Whether rows have reactions that are no combinations of forces on speeds which they hold."""
    rows = dynamics.rows
    return bool(rows.sliding or rows.bent or rows.implied)


def small_on_set(
    dynamics: Dynamics, values: Mapping[Expr, float], inputs: Sequence[str], wanted: Sequence[str]
) -> Linearization:
    """Linear equations of the motion at a state on the set; `wanted` speeds are independent if they can be."""
    q, u = dynamics.coordinates, dynamics.speeds
    n, rows, names = len(u), dynamics.rows, dynamics.state.speeds
    rates, moved = list(dynamics.rates), dynamics.accelerations()
    conditions = list(rows.conditions)
    gaps = [k for k, gap in enumerate(rows.gap) if gap is not None]
    ways = ex.jacobian(rates, u)
    turned = ex.tangent([x for row in ways for x in row], {TIME: ONE, **dict(zip(q, rates, strict=True))})
    free = [ex.symbol(x) for x in inputs]

    def array(exprs: Sequence[Expr], by: Sequence[Expr] | None, shape: tuple[int, int]) -> Array:
        flat = list(exprs) if by is None else [x for row in ex.jacobian(list(exprs), by) for x in row] if by else []
        return np.array(ex.evaluate(flat, dict(values)), dtype=float).reshape(shape)

    d = array([x for row in ways for x in row], None, (len(q), n))
    ddot = array(turned, None, (len(q), n))
    along = array(rates, q, (len(q), len(q))) @ d - ddot
    mass = array(dynamics.mass_matrix.entries, None, (n, n))
    c_q, c_u = array(conditions, q, (len(rows), len(q))) @ d, array(conditions, u, (len(rows), n))
    f_q, f_u, f_w = array(moved, q, (n, len(q))) @ d, array(moved, u, (n, n)), array(moved, free, (n, len(free)))
    now = array(moved, None, (n, 1))[:, 0]
    order = [*(names.index(x) for x in wanted if x in names), *range(n)]
    base, posture = allowed_speeds(mass, c_u, order), allowed_speeds(mass, c_u[gaps], order)
    x, b = posture.tangent, base.tangent
    y = base.follow(-(c_q @ x))
    back = np.linalg.pinv(d)
    lead, own = list(posture.independent), list(base.independent)
    plain = {ex.prime(x): x.name for x in q}
    return Linearization(
        tuple(plain.get(u[i], f"integral of {u[i].name}") for i in lead),
        tuple(names[i] for i in own),
        tuple(inputs),
        {x: ex.const(float(values[x])) for x in (*q, *u)},
        _constant(np.eye(len(own))),
        _constant(-(f_u @ b)[own]),
        _constant(-(f_q @ x + f_u @ y)[own]),
        _constant((back @ along @ x + y)[lead]),
        _constant(b[lead]),
        _constant(f_w[own]),
        tuple(ex.const(float(-a)) for a in now[own]),
    )


def _constant(array: Array) -> Matrix:
    return Matrix([[ex.const(float(x)) for x in row] for row in array], array.shape)
