"""The exact period of a one-dimensional bound motion: integral, elliptic closed form, series in the amplitude."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps


@dataclass(frozen=True)
class Period:
    """Period of a bound motion between -amplitude and +amplitude: an integral, a closed form if known, a series.

    There is no series where V has no quadratic term: the period then goes to zero or grows without bound.
    """

    integral: sp.Expr
    closed: sp.Expr | None
    series: sp.Expr | None
    steps: Steps


def period(
    V: Formula, coordinate: str, amplitude: str, *, inertia: Formula = "m", order: int = 4, names: Names | None = None
) -> Period:
    """T = 4 int_0^A sqrt(inertia/(2 (V(A) - V(q)))) dq for an even V; series in the amplitude to the given order.

    A cosine potential -c cos(q) gives 4 sqrt(inertia/c) K(sin(A/2)^2); a power c |q|^n gives gamma functions of 1/n
    (Landau and Lifshitz, Mechanics, paragraph 11, problem 2a).

    >>> period("-m*g*l*cos(th)", "th", "A", inertia="m*l**2").series
    2*pi*sqrt(l/g)*(11*A**4/3072 + A**2/16 + 1)
    """
    n = names or Names([coordinate], positive=[amplitude])
    potential, mass = n.read(V), n.read(inertia)
    q, A = n.symbol(coordinate), n.symbol(amplitude)
    if not is_zero(potential - potential.subs(q, -q)):
        raise ModelError("the formula for the period here needs an even potential, V(-q) = V(q)")
    depth = potential.subs(q, A) - potential
    integral = 4 * sp.Integral(sp.sqrt(mass / (2 * depth)), (q, 0, A))
    closed = None
    strength = tidy(-potential.coeff(sp.cos(q))) if potential.has(sp.cos(q)) else sp.Integer(0)
    if (
        strength != 0
        and not sp.diff(potential + strength * sp.cos(q), q).has(q)
        and is_zero(sp.diff(potential + strength * sp.cos(q), q))
    ):
        closed = 4 * sp.sqrt(tidy(mass / strength)) * sp.elliptic_k(sp.sin(A / 2) ** 2)
    book = Notebook()
    book.note("Energy integral over a quarter of the motion, four times", "T", integral)
    if closed is not None:
        book.note("With sin(u) = sin(q/2)/sin(A/2) it is a complete elliptic integral", "T", closed)
    power = _power(potential - potential.subs(q, 0), q)
    if power is not None:
        strength, exponent = power
        _need_well(strength, q)
        # with q = A u: int_0^1 du/sqrt(1 - u^n) = sqrt(pi) gamma(1 + 1/n)/gamma(1/2 + 1/n)
        beta = sp.sqrt(sp.pi) * sp.gamma(1 + 1 / exponent) / sp.gamma(sp.Rational(1, 2) + 1 / exponent)
        closed = 4 * sp.sqrt(tidy(mass / (2 * strength))) * A ** (1 - exponent / 2) * beta
        book.note("V is a power: with q = A u the integral is one of Euler's", "T", closed)
    series = _series(potential, q, A, mass, order) if power is None or power[1] == 2 else None
    if series is not None:
        book.note(f"Expanded to order {order} in the amplitude", "T", series)
    return Period(integral, closed, series, book.close())


def _need_well(strength: sp.Expr, q: sp.Symbol) -> None:
    """V - V(0) = strength |q|^n + ... must rise from its rest; a strength of unknown sign is left to the reader."""
    if strength.is_negative:
        raise ModelError(
            f"{q} = 0 is the top of a hill: V changes by {strength} times a power of |{q}| there, so that nothing "
            "swings about it. Measure the coordinate from a rest where V is least (equilibria finds them)"
        )


def _power(V: sp.Expr, q: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    """c and n of V = c |q|^n."""
    side = sp.Dummy("q", positive=True)
    right = sp.powsimp(V.subs(q, side))
    strength, exponent = right.as_independent(side, as_Add=False)
    base, n = exponent.as_base_exp()
    return (strength, n) if base == side and not n.has(side) and n.is_positive is not False else None


def _series(V: sp.Expr, q: sp.Symbol, A: sp.Symbol, mass: sp.Expr, order: int) -> sp.Expr:
    """With q = A sin(u): V(A) - V(q) = A^2 cos(u)^2 c (1 + ...), expanded and averaged over a quarter turn."""
    x = sp.Dummy("x", positive=True)
    coefficients = {k: tidy(sp.diff(V, q, k).subs(q, 0) / sp.factorial(k)) for k in range(2, order + 3, 2)}
    c2 = coefficients[2]
    if is_zero(c2):
        raise ModelError("V has no quadratic term at the equilibrium: the period has no expansion about a finite value")
    _need_well(c2, q)
    sine = sp.Dummy("sine")
    bracket = sp.Integer(0)
    for k, c in coefficients.items():
        geometric = sum((sine ** (2 * j) for j in range(k // 2)), sp.Integer(0))  # (1 - s^k)/(1 - s^2)
        bracket += c / c2 * x ** (k - 2) * geometric
    expanded = sp.series(bracket ** sp.Rational(-1, 2), x, 0, order + 1).removeO()
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expanded)):
        rest, power = term.as_coeff_exponent(sine)
        total += rest * _average(int(power))
    return 2 * sp.pi * sp.sqrt(tidy(mass / (2 * c2))) * sp.collect(sp.expand(total), x).subs(x, A)


def _average(power: int) -> sp.Rational:
    """Mean of sin^power over a quarter turn, (power-1)!!/power!!."""
    return sp.factorial2(power - 1) / sp.factorial2(power) if power else sp.Integer(1)
