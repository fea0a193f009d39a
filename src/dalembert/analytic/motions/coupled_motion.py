"""Motions of coupled linear systems with constant coefficients, by the residues of their Laplace transforms."""

from __future__ import annotations

from typing import Protocol

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Names
from ..formulas._normal import tidy


class Moving(Protocol):
    """A view that knows its accelerations."""

    @property
    def names(self) -> Names: ...
    @property
    def accelerations(self) -> dict[str, sp.Expr]: ...


def coupled_motion(view: Moving) -> dict[str, sp.Expr]:
    """q(t) of q'' = a + B q + C q' with constant a, B, C: the sum of the residues of exp(s t) X(s).

    X(s) = (s^2 - s C - B)^-1 (s q0 + qd0 - C q0 + a/s). Every motion is put back into its equation.

    >>> from dalembert.analytic import System
    >>> plane = System("x y", L="m*(x_d**2 + y_d**2)/2 + m*w*(x*y_d - y*x_d)/2", positive="m w")
    >>> coupled_motion(plane.lagrange())["x"]
    (w*x0 + xd0*sin(t*w) - yd0*cos(t*w) + yd0)/w
    """
    n, labels = view.names, list(view.accelerations)
    right = sp.Matrix(list(view.accelerations.values()))
    q, v = [n.symbol(c) for c in labels], [n.velocity(c) for c in labels]
    B, C = (right.jacobian(z).applyfunc(tidy) for z in (q, v))
    a = (right - B * sp.Matrix(q) - C * sp.Matrix(v)).applyfunc(lambda e: tidy(sp.expand(e)))
    for c, row in zip(labels, sp.Matrix.hstack(a, B, C).tolist()):
        if any(e.free_symbols & {*n.q, *n.v, n.time} for e in row):
            raise ModelError(f"{c}'' = {view.accelerations[c]} is not linear with constant coefficients")
    s, t = sp.Dummy("s"), n.time
    places = sp.Matrix([n.symbol(f"{c}0") for c in labels])
    speeds = sp.Matrix([n.symbol(f"{c}d0") for c in labels])
    pencil = s**2 * sp.eye(len(q)) - s * C - B
    determinant = sp.Poly(sp.expand(pencil.det()), s)
    top = (pencil.adjugate() * (s * (s * places + speeds - C * places) + a)).applyfunc(sp.expand)
    roots = sp.roots(determinant * sp.Poly(s, s))
    if sum(roots.values()) != determinant.degree() + 1:
        raise ModelError(
            f"the frequencies of the coupled motion, roots of {determinant.as_expr()}, have no closed form"
        )
    moved = [_residues(e, determinant, roots, s, t) for e in top]
    found = dict(zip(labels, moved))
    along = dict(zip(q, moved)) | {x: sp.diff(e, t) for x, e in zip(v, moved)}
    for c, e in found.items():
        if not is_zero(sp.diff(e, t, 2) - view.accelerations[c].subs(along, simultaneous=True)):
            raise ModelError(f"the motion found for {c} does not satisfy its equation")
    return found


def _residues(top: sp.Expr, determinant: sp.Poly, roots: dict[sp.Expr, int], s: sp.Symbol, t: sp.Symbol) -> sp.Expr:
    """The sum over the roots r of the residues of top exp(s t)/(s det(s)), as real functions."""
    total = sp.Integer(0)
    for r, k in roots.items():
        others = sp.Mul(*((s - other) ** j for other, j in roots.items() if other != r))
        inside = sp.diff(top * sp.exp(s * t) / (others * determinant.LC()), s, k - 1) / sp.factorial(k - 1)
        total += inside.subs(s, r)
    real = sp.expand_complex(total) if total.has(sp.I) else total
    return tidy(sp.simplify(real))
