"""Legendre's transform of a function of one variable, in both sign conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import invert, odd_roots
from ..formulas.steps import Notebook, Steps


@dataclass(frozen=True)
class Legendre:
    """b(a) with a = f'(x): x as a function of a, the tangent line, and whether f is convex."""

    transform: sp.Expr
    x_of_a: sp.Expr
    tangent: sp.Expr
    curvature: str
    steps: Steps


def legendre(
    f: Formula, x: str = "x", a: str = "a", *, convention: str = "intercept", positive: str | Sequence[str] = ()
) -> Legendre:
    """ "intercept": b = f - a x (the ordinate at the origin of the tangent); "mechanics": b = a x - f, as for H.

    >>> legendre("x**2").transform
    -a**2/4
    >>> legendre("cosh(x)", convention="mechanics").transform
    a*asinh(a) - sqrt(a**2 + 1)
    """
    if convention not in ("intercept", "mechanics"):
        raise ModelError(f"convention is 'intercept' or 'mechanics', not {convention!r}")
    n = Names(positive=positive)
    function, variable, slope = n.read(f), n.symbol(x), n.symbol(a)
    if function.has(slope):
        raise ModelError(f"{a} occurs in f = {function}: give the slope another name, legendre(f, x, a)")
    if function.has(sp.Abs, sp.sign, sp.Min, sp.Max):
        raise SingularError(
            f"{function} has corners: there one {x} belongs to many slopes, and no function {x}({a}) exists. "
            "Transform each smooth piece by itself."
        )
    second = tidy(sp.diff(function, variable, 2))
    if is_zero(second):
        raise SingularError(f"{function} has no curvature in {x}: its slope does not determine {x}")
    solutions = invert(sp.diff(function, variable), variable, slope)
    if not solutions:
        raise SingularError(f"the slope {sp.diff(function, variable)} = {a} cannot be solved for {x}")
    at = _contact(sp.diff(function, variable), variable, slope, solutions)
    sign = 1 if convention == "intercept" else -1
    transform = _shortest(sp.expand(sign * (function - slope * variable).subs(variable, at)))
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


def _contact(f1: sp.Expr, x: sp.Symbol, a: sp.Symbol, candidates: list[sp.Expr]) -> sp.Expr:
    """The root of f'(x) = a that is real and solves the equation itself; squaring and radicals bring others along."""
    points = _points(f1, x)
    if not points:
        raise SingularError(
            f"the slope {f1} is real at none of the places that were looked at: restrict f to where it is"
        )
    hits: dict[sp.Expr, set[int]] = {}
    for at in [form for root in candidates for form in (root, odd_roots(root))]:
        for k, (slope, numbers) in enumerate(points):
            value = at.subs(numbers, simultaneous=True).subs(a, slope).evalf(30)
            outside = x.is_positive and sp.re(value) < 0
            if value.is_number and value.is_finite and abs(sp.im(value)) < _NEAR * (1 + abs(value)) and not outside:
                residual = (f1.subs(numbers, simultaneous=True).subs(x, sp.re(value)) - slope).evalf(30)
                if residual.is_number and abs(residual) < _NEAR * (1 + abs(slope)):
                    hits.setdefault(at, set()).add(k)
    if not hits:
        raise SingularError(f"no real root of the slope {f1} = {a} was found for {x}")
    best = max(hits, key=lambda e: len(hits[e]))
    contacts = {k: {at for at, where in hits.items() if k in where} for k in range(len(points))}
    several = any(len({_value(at, points[k], a) for at in found}) > 1 for k, found in contacts.items())
    if several or len(hits[best]) < len(points):
        options = ", ".join(map(str, hits)) if sum(e.count_ops() for e in hits) < _SMALL else f"{len(hits)} branches"
        raise SingularError(
            f"{x} is not one function of its slope, but one of {options}: restrict f to where it is convex, or declare "
            "parameters positive"
        )
    return _shortest(best)


def _value(at: sp.Expr, point: tuple[sp.Expr, dict[sp.Symbol, sp.Expr]], a: sp.Symbol) -> float:
    slope, numbers = point
    return round(float(sp.re(at.subs(numbers, simultaneous=True).subs(a, slope).evalf(20))), 9)


def _shortest(e: sp.Expr) -> sp.Expr:
    """A short form; the general simplification is tried on what is small."""
    if e.count_ops() >= _SMALL or e.has(sp.sign):
        return tidy(e)
    return min((tidy(e), sp.simplify(e)), key=lambda f: f.count_ops())


_SMALL = 40
_NEAR = sp.Float("1e-15")
"""Share of a number that rounding of 30 digits may leave."""


def _points(f1: sp.Expr, x: sp.Symbol) -> list[tuple[sp.Expr, dict[sp.Symbol, sp.Expr]]]:
    """Slopes that f has at points of all sizes, with numbers for the parameters, of both signs where they may be."""
    letters = sorted(f1.free_symbols - {x}, key=str)
    found = []
    for sign in (1, -1):
        numbers = {s: sp.Rational(7 + 2 * k, 5) * (1 if s.is_positive else sign) for k, s in enumerate(letters)}
        for at in (-7, sp.Rational(-13, 10), sp.Rational(-1, 3), sp.Rational(1, 4), sp.Rational(6, 5), 5):
            if x.is_positive and at < 0:
                continue
            slope = f1.subs(numbers).subs(x, at).evalf(40)
            if slope.is_real and slope.is_finite:
                found.append((slope, numbers))
        if all(s.is_positive for s in letters):
            break
    return found
