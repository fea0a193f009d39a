"""Strict minima of a potential that second order does not show: x^4, x^2 + y^4, (x - y^2)^2 + y^6.

The place is taken exactly (simple fractions of the machine's numbers and of pi), and the slopes must vanish there
exactly. Splitting lemma: along the directions z in which V has a positive second derivative, dV/dz = 0 gives z(y), and
V has a strict minimum exactly when v(y) = V(y, z(y)) has one. Of v the part of lowest weight decides, if definite:
one direction by its first power, two by the absence of real roots, more as a sum of even powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr

#: Powers that are looked at.
_ORDER = 8
#: Operations of a potential above which its powers are not taken.
_LARGE = 150
#: Directions at most: powers of many letters swell.
_MOST = 4
#: How far (radians, lengths of the machine) Newton's method may stop from a place where equilibria meet.
_NEAR = 1e-2
#: Denominators of places, and parts of a half turn, that are tried.
_SIMPLE, _PARTS = 1000, 24


def strict_minimum(
    potential: Expr, names: Sequence[Expr], place: Sequence[float], units: Sequence[float]
) -> bool | None:
    """Whether an analytic potential has a strict minimum at the exact place near `place`; None when not decided.

    >>> x, y = ex.symbols("x y")
    >>> [strict_minimum(v, [x, y], [0, 0], [1, 1]) for v in (x**2 + y**4, x**2 - y**4, (x - y**2)**2 + y**6)]
    [True, False, True]
    """
    import sympy as sp

    if len(names) > _MOST or ex.free_symbols([potential]) - set(names) or ex.count_operations([potential]) > _LARGE:
        return None
    whole = sp.nsimplify(ex.to_sympy(potential), rational=True)
    if whole.has(sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.Heaviside, sp.floor, sp.atan2):
        return None
    letters = [next((s for s in whole.free_symbols if s.name == x.name), sp.Symbol(x.name)) for x in names]
    at = _exact_place(whole, letters, place, units)
    if at is None or any(not p.exp.is_integer and not p.base.subs(at).is_positive for p in whole.atoms(sp.Pow)):
        return None
    moves = sp.symbols(f"d:{len(letters)}", real=True)
    powers = _powers(whole, letters, at, moves)
    return None if powers is None else _decided(powers, moves)


def _exact_place(whole: Any, letters: Sequence[Any], place: Sequence[float], units: Sequence[float]) -> Any:
    """Simple numbers near the place where all slopes vanish exactly."""
    import sympy as sp

    slopes = [sp.diff(whole, x) for x in letters]

    def fraction(value: float) -> Any:
        near = Fraction(value).limit_denominator(_SIMPLE)
        return sp.Rational(near.numerator, near.denominator)

    for choose in (
        fraction,
        lambda value: sp.pi * round(value * _PARTS / 3.141592653589793) / _PARTS,
        lambda value: sp.Integer(round(value)),
    ):
        at = {x: choose(float(value)) for x, value in zip(letters, place, strict=True)}
        near = all(abs(float(at[x]) - v) <= _NEAR * u for x, v, u in zip(letters, place, units, strict=True))
        if near and all(sp.simplify(s.subs(at)) == 0 for s in slopes):
            return at
    return None


def _powers(whole: Any, letters: Sequence[Any], at: Any, moves: Sequence[Any]) -> Any:
    """The polynomial of V - V(place) in the displacements, up to the order; None where V is not analytic there."""
    import sympy as sp

    t = sp.Dummy("t", real=True)
    along = whole.subs({x: at[x] + t * d for x, d in zip(letters, moves, strict=True)}, simultaneous=True)
    total, factorial = sp.Integer(0), 1
    for order in range(1, _ORDER + 1):
        along, factorial = sp.diff(along, t), factorial * order
        total += sp.expand(along.subs(t, 0)) / factorial
    if total.has(sp.zoo, sp.nan, sp.oo, sp.Derivative) or not total.is_polynomial(*moves):
        return None
    return sp.expand(total)


def _decided(v: Any, moves: Sequence[Any]) -> bool | None:
    """Splitting lemma, then the part of lowest weight."""
    import sympy as sp

    hessian = sp.hessian(v, moves).subs(dict.fromkeys(moves, 0)).applyfunc(sp.nsimplify)
    kernel, across = hessian.nullspace(), hessian.columnspace()
    y, z = sp.symbols(f"y:{len(kernel)}", real=True), sp.symbols(f"z:{len(across)}", real=True)
    block = sp.Matrix([[(a.T * hessian * b)[0] for b in across] for a in across])
    if across and not block.is_positive_definite:
        return None
    if not kernel:
        return True
    moved = sum((n * c for n, c in zip((*kernel, *across), (*y, *z), strict=True)), sp.zeros(len(moves), 1))
    v = sp.expand(v.subs(dict(zip(moves, moved, strict=True)), simultaneous=True))
    if across:
        inverse, follows = block.inv(), dict.fromkeys(z, sp.Integer(0))
        slopes = sp.Matrix([sp.diff(v, c) for c in z])
        for _ in range(_ORDER):
            left = slopes.subs(follows, simultaneous=True)
            step = inverse * left
            follows = {c: _cut(follows[c] - s, y) for c, s in zip(z, step, strict=True)}
        v = _cut(v.subs(follows, simultaneous=True), y)
    return _lowest(sp.Poly(v, *y), len(y))


def _cut(expression: Any, letters: Sequence[Any]) -> Any:
    """Powers up to the order."""
    import sympy as sp

    poly = sp.Poly(sp.expand(expression), *letters)
    return sum(
        (
            c * sp.prod(x**k for x, k in zip(letters, powers, strict=True))
            for powers, c in poly.terms()
            if sum(powers) <= _ORDER
        ),
        sp.Integer(0),
    )


def _lowest(v: Any, count: int) -> bool | None:
    import sympy as sp

    terms = {powers: c for powers, c in v.terms() if c != 0}
    if not terms:
        return None
    if count == 1:
        (first,) = min(terms)
        sign = terms[first,].is_positive
        return None if sign is None else bool(first % 2 == 0 and sign)
    pure = []
    for i in range(count):
        own = [p[i] for p in terms if p[i] and sum(p) == p[i]]
        if not own or min(own) % 2 or not terms[tuple(min(own) if j == i else 0 for j in range(count))].is_positive:
            return None
        pure.append(min(own))
    weights = {p: sum((Fraction(a, b) for a, b in zip(p, pure, strict=True)), Fraction(0)) for p in terms}
    if min(weights.values()) < 1:
        return None
    lowest = {p: c for p, c in terms.items() if weights[p] == 1}
    if all(c.is_positive and not any(a % 2 for a in p) for p, c in lowest.items()):
        return True
    if count > 2:
        return None
    t = sp.Symbol("t", real=True)
    for side in (1, -1):
        line = sp.Poly(sum((c * side ** p[0] * t ** p[1] for p, c in lowest.items()), sp.Integer(0)), t)
        try:
            if line.count_roots() or not line.nth(0).is_positive:
                return None
        except (NotImplementedError, sp.PolynomialError, sp.DomainError):
            return None
    return True
