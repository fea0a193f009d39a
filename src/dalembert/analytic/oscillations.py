"""Small oscillations: linearisation, normal modes; and the exact period of a one-dimensional motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ._equality import is_zero
from ._names import Formula, Names
from ._normal import tidy
from .steps import Notebook, Steps

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class NormalModes:
    """M q'' + K q = 0 near an equilibrium: squares of the frequencies and the shapes of the modes."""

    equilibrium: dict[str, sp.Expr]
    mass_matrix: sp.Matrix
    stiffness: sp.Matrix
    characteristic: sp.Expr
    squares: tuple[sp.Expr, ...]
    shapes: tuple[sp.Matrix, ...]
    assumption: str
    steps: Steps

    @property
    def frequencies(self) -> tuple[sp.Expr, ...]:
        return tuple(sp.sqrt(s) for s in self.squares)

    @property
    def stable(self) -> bool | None:
        """True when every square is positive, None when the parameters decide."""
        if all(s.is_positive for s in self.squares):
            return True
        return False if any(s.is_negative for s in self.squares) else None


def normal_modes(system: System, at: Mapping[str, Formula] | None = None) -> NormalModes:
    """Linearise about an equilibrium (the origin by default) and solve det(K - w^2 M) = 0.

    >>> from dalembert.analytic import System
    >>> chain = System("x y", L="m*(x_d**2+y_d**2)/2 - k*(x**2 + y**2 + (x-y)**2)/2")
    >>> normal_modes(chain).squares
    (k/m, 3*k/m)
    """
    n, book = system.names, Notebook()
    L = system.freeze(system.lagrangian)
    if any(not is_zero(f) for f in system.generalised_forces) or system.multipliers:
        raise ModelError("normal modes need a Lagrangian system in independent coordinates, without dissipation")
    q = [n.symbol(c) for c in system.coordinates]
    v = [n.velocity(c) for c in system.coordinates]
    point = {n.symbol(c): n.read((at or {}).get(c, 0)) for c in system.coordinates}
    rest = {**point, **dict.fromkeys(v, sp.Integer(0))}
    slope = [tidy(sp.diff(L, x).subs(rest)) for x in q]
    if not all(is_zero(s) for s in slope):
        raise ModelError(f"not an equilibrium: dL/dq = {slope} at {dict(at or {})}")
    M = sp.hessian(L, v).subs(rest).applyfunc(tidy)
    K = -sp.hessian(L, q).subs(rest).applyfunc(tidy)
    book.note("Mass matrix at the equilibrium", "M", M)
    book.note("Stiffness matrix", "K", K)
    square = sp.Symbol("w2")
    characteristic = sp.factor((K - square * M).det())
    book.note("Characteristic equation", characteristic, sp.Integer(0))
    roots = sp.roots(sp.Poly(sp.expand(characteristic), square))
    squares = sorted((tidy(r) for r in roots), key=_magnitude)
    if sum(roots.values()) < len(q):
        raise ModelError("the characteristic equation has no solution by radicals; use numeric_modes")
    shapes, kept = [], []
    for s in squares:
        for shape in (K - s * M).applyfunc(tidy).nullspace(simplify=tidy):
            shapes.append(shape.applyfunc(tidy))
            kept.append(s)
            book.note(f"Mode with w^2 = {s}", "shape", tuple(shapes[-1]))
    assumption = "deviations from the equilibrium are so small that cubic terms of L are dropped"
    return NormalModes(
        {k.name: e for k, e in point.items()},
        M,
        K,
        characteristic,
        tuple(kept),
        tuple(shapes),
        assumption,
        book.close(),
    )


def _magnitude(e: sp.Expr) -> float:
    """Order by size at a generic point, all parameters near one."""
    values = {s: 1 + sp.Rational(k, 97) for k, s in enumerate(sorted(e.free_symbols, key=str))}
    number = complex(e.subs(values).evalf())
    return number.real


def numeric_modes(system: System, values: Mapping[str, float], at: Mapping[str, float] | None = None) -> list[float]:
    """Frequencies at numeric parameters by the generalised eigenvalue problem."""
    import numpy as np
    from scipy.linalg import eigh

    n = system.names
    L = system.freeze(system.lagrangian)
    q = [n.symbol(c) for c in system.coordinates]
    v = [n.velocity(c) for c in system.coordinates]
    numbers = n.numbers(values)
    rest = {**dict.fromkeys((*q, *v), sp.Integer(0)), **n.numbers(at or {})}
    M = np.array(sp.hessian(L, v).subs(rest).subs(numbers).tolist(), dtype=float)
    K = np.array((-sp.hessian(L, q)).subs(rest).subs(numbers).tolist(), dtype=float)
    return [float(np.sqrt(x)) if x >= 0 else float("nan") for x in eigh(K, M, eigvals_only=True)]


@dataclass(frozen=True)
class Period:
    """Period of a bound motion between -amplitude and +amplitude: an integral, a closed form if known, a series."""

    integral: sp.Expr
    closed: sp.Expr | None
    series: sp.Expr
    steps: Steps


def period(
    V: Formula, coordinate: str, amplitude: str, *, inertia: Formula = "m", order: int = 4, names: Names | None = None
) -> Period:
    """T = 4 int_0^A sqrt(inertia/(2 (V(A) - V(q)))) dq for an even V; series in the amplitude to the given order.

    A cosine potential -c cos(q) gives 4 sqrt(inertia/c) K(sin(A/2)^2).

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
    series, book = _series(potential, q, A, mass, order), Notebook()
    book.note("Energy integral over a quarter of the motion, four times", "T", integral)
    if closed is not None:
        book.note("With sin(u) = sin(q/2)/sin(A/2) it is a complete elliptic integral", "T", closed)
    book.note(f"Expanded to order {order} in the amplitude", "T", series)
    return Period(integral, closed, series, book.close())


def _series(V: sp.Expr, q: sp.Symbol, A: sp.Symbol, mass: sp.Expr, order: int) -> sp.Expr:
    """With q = A sin(u): V(A) - V(q) = A^2 cos(u)^2 c (1 + ...), expanded and averaged over a quarter turn."""
    x, u = sp.Dummy("x", positive=True), sp.Dummy("u", real=True)
    coefficients = {k: tidy(sp.diff(V, q, k).subs(q, 0) / sp.factorial(k)) for k in range(2, order + 3, 2)}
    c2 = coefficients[2]
    if is_zero(c2):
        raise ModelError("V has no quadratic term at the equilibrium: the period has no expansion about a finite value")
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
    del u
    return 2 * sp.pi * sp.sqrt(tidy(mass / (2 * c2))) * sp.collect(sp.expand(total), x).subs(x, A)


def _average(power: int) -> sp.Rational:
    """Mean of sin^power over a quarter turn, (power-1)!!/power!!."""
    return sp.factorial2(power - 1) / sp.factorial2(power) if power else sp.Integer(1)
