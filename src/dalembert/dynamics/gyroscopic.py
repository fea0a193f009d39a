"""Potentials that depend on speeds, recovered from the efforts: Papegay 2.5 asks for it and finds it hard (L3124).

A potential U(q, q', t) whose efforts hold no accelerations is affine in the rates, U = - sum A_i(q, t) q'_i, and gives

    Q_i = d/dt dU/dq'_i - dU/dq_i = sum_j B_ij q'_j - dA_i/dt|q          B_ij = dA_j/dq_i - dA_i/dq_j

So of efforts that are given, only the antisymmetric part of their slopes by the rates can come from one: Coriolis,
magnetic and gyroscopic efforts do; what damps never does. It does if the 2-form B is closed, and A is built from it
coordinate by coordinate: A_j <- integral of B_kj dq_k, and what is left of B no longer holds q_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.dynamics.integration import antiderivative
from dalembert.expr import HALF, TIME, ZERO, Expr
from dalembert.expr.elimination import vanish


@dataclass(frozen=True, slots=True)
class VelocityPotential:
    """U(q, q', t), the efforts that it does not account for, and why there is no U where it is zero."""

    value: Expr
    rest: tuple[Expr, ...]
    reason: str = ""


def velocity_potential(
    efforts: Sequence[Expr], coordinates: Sequence[Expr], rates: Sequence[Expr]
) -> VelocityPotential:
    """U of the efforts Q_i(q, q', t), and what is left of them.

    >>> x, y, b, c = ex.symbols("x y b c")
    >>> vx, vy = ex.prime(x), ex.prime(y)
    >>> found = velocity_potential([b * vy - c * vx, -b * vx], [x, y], [vx, vy])
    >>> found.value, found.rest
    (-b*x*y', (-c*x', 0))
    """
    if ex.unknown_functions(list(efforts)):
        return VelocityPotential(ZERO, tuple(efforts), "the efforts hold an unknown function")
    n, still = len(coordinates), dict.fromkeys(rates, 0)
    slopes = ex.jacobian(list(efforts), rates) if n else []
    flat = ex.substitute([x for row in slopes for x in row], still)
    form = [[HALF * (flat[i * n + j] - flat[j * n + i]) for j in range(n)] for i in range(n)]
    form = _reduced(form)
    if all(x is ZERO for row in form for x in row):
        return VelocityPotential(ZERO, tuple(efforts), "no effort turns with the speeds: nothing gyroscopic")
    found, reason = _primitive(form, coordinates)
    if found is None:
        return VelocityPotential(ZERO, tuple(efforts), reason)
    value = -ex.dot_product(found, rates)
    given = [ex.dot_product(row, rates) - ex.derivative(a, TIME) for row, a in zip(form, found, strict=True)]
    rest = ex.reduce([q - x for q, x in zip(efforts, given, strict=True)])
    return VelocityPotential(ex.tidy(value), tuple(ex.tidy(x) for x in rest))


def _primitive(form: Sequence[Sequence[Expr]], q: Sequence[Expr]) -> tuple[list[Expr] | None, str]:
    """A with B_ij = dA_j/dq_i - dA_i/dq_j, or None and the reason."""
    n, left = len(q), [list(row) for row in form]
    found = [ZERO] * n
    for k in range(n):
        own = [ZERO] * n
        for j in range(k + 1, n):
            if left[k][j] is ZERO:
                continue
            primitive = antiderivative(left[k][j], q[k])
            if primitive is None:
                return None, f"no primitive in {q[k].name} is known for {ex.text(left[k][j])[:60]}"
            own[j] = primitive
        slopes = [ex.gradient(x, q) for x in own]
        left = _reduced([[left[i][j] - slopes[j][i] + slopes[i][j] for j in range(n)] for i in range(n)])
        found = [a + b for a, b in zip(found, own, strict=True)]
    gaps = [x for row in left for x in row]
    if not vanish(gaps, [x for row in form for x in row]):
        return None, "the form dB is not zero: the efforts turn with the speeds, but derive from no potential"
    return found, ""


def _reduced(form: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    n = len(form)
    flat = ex.reduce([x for row in form for x in row])
    return [flat[i * n : i * n + n] for i in range(n)]
