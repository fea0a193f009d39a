"""Legendre's transform of a function of one variable, in both sign conventions."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from dalembert.errors import SingularError

from ._equality import is_zero
from ._names import Formula, Names
from ._normal import tidy
from ._solving import invert
from .steps import Notebook, Steps


@dataclass(frozen=True)
class Legendre:
    """b(a) with a = f'(x): x as a function of a, the tangent line, and whether f is convex."""

    transform: sp.Expr
    x_of_a: sp.Expr
    tangent: sp.Expr
    curvature: str
    steps: Steps


def legendre(f: Formula, x: str = "x", a: str = "a", *, convention: str = "intercept") -> Legendre:
    """ "intercept": b = f - a x (the ordinate at the origin of the tangent); "mechanics": b = a x - f, as for H.

    >>> legendre("x**2").transform
    -a**2/4
    """
    n = Names()
    function, variable, slope = n.read(f), n.symbol(x), n.symbol(a)
    second = tidy(sp.diff(function, variable, 2))
    if is_zero(second):
        raise SingularError(f"{function} has no curvature in {x}: its slope does not determine {x}")
    solutions = invert(sp.diff(function, variable), variable, slope)
    if not solutions:
        raise SingularError(f"the slope {sp.diff(function, variable)} = {a} cannot be solved for {x}")
    at = solutions[0]
    sign = {"intercept": 1, "mechanics": -1}[convention]
    transform = tidy(sp.expand(sign * (function - slope * variable).subs(variable, at)))
    contact = sp.Symbol(f"{x}_M", real=True)
    value = function.subs(variable, contact)
    tangent = tidy(value + sp.diff(value, contact) * (variable - contact))
    curvature = "convex" if second.is_positive else "concave" if second.is_negative else f"convex where {second} > 0"
    book = Notebook()
    book.note("Slope", f"{a} = f'({x})", sp.diff(function, variable))
    book.note("Solved for the variable", x, at)
    form = "f - a x" if sign == 1 else "a x - f"
    book.note(f"Transform, {form} with {x} eliminated", f"b({a})", transform)
    return Legendre(transform, at, tangent, curvature, book.close())
