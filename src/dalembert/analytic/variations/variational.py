"""Calculus of variations: Euler's equations, first integrals, change of the independent variable, stationarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.claims import Judge
from ..formulas.quadrature import antiderivative
from ..formulas.steps import Notebook, Steps
from ..systems.lagrange import euler_lagrange


class Functional(Judge):
    """The integral of f(y_i, y_i', x) over x; `yp` and `y'` both mean dy/dx.

    >>> fermat = Functional("n(y)*sqrt(1 + yp**2)", "y", "x")
    >>> fermat.beltrami
    n(y)/sqrt(y'**2 + 1)
    >>> Functional("EI*ypp**2/2 - w*y", "y").euler
    (-EI*y'''' + w,)
    """

    def __init__(
        self, f: Formula, functions: str | Sequence[str], independent: str = "x", *, positive: Sequence[str] = ()
    ) -> None:
        labels = functions.replace(",", " ").split() if isinstance(functions, str) else list(functions)
        self._names = n = Names(labels, independent=independent, positive=positive, slopes=True)
        self.f = n.read(f)
        if not any(s.name.rstrip("'") in labels for s in self.f.free_symbols):
            raise ModelError(
                f"f = {self.f} holds none of {', '.join(labels)} nor their slopes, written {labels[0]}p. "
                "A field of several variables is a FieldDensity"
            )
        orders = [len(s.name) - len(s.name.rstrip("'")) for s in self.f.free_symbols]
        self.order = max([1, *orders])

    def __repr__(self) -> str:
        n = self.names
        return f"Functional({', '.join(f'{y}({n.independent})' for y in n.coordinates)}; f = {self.f})"

    @property
    def names(self) -> Names:
        return self._names

    @cached_property
    def euler(self) -> tuple[sp.Expr, ...]:
        """d/dx(df/dy') - df/dy for each function, with - d2/dx2(df/dy'') + ... where higher slopes occur."""
        if self.order == 1:
            return tuple(tidy(e) for e in euler_lagrange(self.f, self._names))
        n = self._names
        return tuple(
            tidy(sp.expand(n.derivative(self.momenta(c)[0]) - sp.diff(self.f, n.symbol(c)))) for c in n.coordinates
        )

    def momenta(self, function: str) -> list[sp.Expr]:
        """Ostrogradsky's p_k = df/dy^(k) - d/dx p_(k+1), the factors of delta y, delta y', ... at the ends."""
        n = self._names
        found: list[sp.Expr] = []
        for k in range(self.order, 0, -1):
            slope = sp.diff(self.f, n.velocity(function, k))
            found.insert(0, slope - n.derivative(found[0]) if found else slope)
        return found

    @cached_property
    def beltrami(self) -> sp.Expr:
        """f - sum y' df/dy', constant on extremals when x does not occur in f."""
        if self.f.has(self._names.time):
            raise ModelError(f"f contains {self._names.time} explicitly: f - y' df/dy' is not constant")
        n = self._names
        given = [n.velocity(c, k) * p for c in n.coordinates for k, p in enumerate(self.momenta(c), 1)]
        return tidy(self.f - sp.Add(*given))

    @cached_property
    def cyclic(self) -> dict[str, sp.Expr]:
        """df/dy' of every function y that does not occur itself: constant on extremals."""
        n = self._names
        return {c: tidy(self.momenta(c)[0]) for c, q in zip(n.coordinates, n.q) if not self.f.has(q)}

    def swap(self) -> Functional:
        """The same integral with x and y exchanged: f(y, y', x) dx = f(y, 1/x', x) x' dy (x increasing with y)."""
        n = self._names
        if len(n.coordinates) != 1:
            raise ModelError("the exchange of variables is defined for one function")
        if self.order > 1:
            raise ModelError("the exchange of variables is written here for integrands with first slopes only")
        (y,), x = n.coordinates, n.independent
        slope = sp.Symbol(f"{x}'", real=True)
        positive_slope = sp.Dummy(positive=True)
        inside = self.f.subs(n.velocity(y), 1 / positive_slope) * positive_slope
        inside = sp.powsimp(
            sp.expand_power_base(
                inside.replace(
                    lambda e: isinstance(e, sp.Pow) and not e.exp.is_integer,
                    lambda e: sp.Pow(sp.together(e.base), e.exp),
                )
            )
        )
        integrand = inside.subs(positive_slope, slope)
        return Functional(integrand, x, y)

    def boundary_term(self) -> dict[str, sp.Expr]:
        """df/dy', the factor of delta y at the ends."""
        return {c: self.momenta(c)[0] for c in self._names.coordinates}

    def known(self) -> dict[str, sp.Expr]:
        table = {f"euler_{c}": e for c, e in zip(self._names.coordinates, self.euler)}
        return table if self.f.has(self._names.time) else table | {"beltrami": self.beltrami}

    @cached_property
    def steps(self) -> Steps:
        book = Notebook()
        book.note("Integrand", "f", self.f)
        for c, v, e in zip(self._names.coordinates, self._names.v, self.euler):
            book.note(f"Partial derivative df/d{v}", f"df/d{v}", tidy(sp.diff(self.f, v)))
            book.note(f"Euler's equation of {c}", e, sp.Integer(0))
        if not self.f.has(self._names.time):
            book.note(f"{self._names.time} is absent, so f - y' df/dy' is constant", self.beltrami)
        for c, e in self.cyclic.items():
            book.note(f"{c} is absent, so df/d{c}' is constant", e)
        return book.close()


@dataclass(frozen=True)
class Stationary:
    """A stationary value of a function of one variable: where, how much, and whether it is a minimum."""

    derivative: sp.Expr
    points: tuple[sp.Expr, ...]
    values: tuple[sp.Expr, ...]
    minimum: tuple[bool | None, ...]
    steps: Steps


def stationary(f: Formula, variable: str, *, positive: Sequence[str] = ()) -> Stationary:
    """Fermat's rule df/dx = 0, solved where that is elementary (least distance, least time through two media).

    >>> path = stationary("sqrt(x**2+a**2) + sqrt((d-x)**2+b**2)", "x", positive=["a", "b", "d"])
    >>> path.points, path.values
    ((a*d/(a + b),), (sqrt(a**2 + 2*a*b + b**2 + d**2),))
    """
    n = Names(positive=positive, real=[variable])
    expression, x = n.read(f), n.symbol(variable)
    derivative = sp.diff(expression, x)
    points = [p for p in _two_roots(derivative, x) if is_zero(derivative.subs(x, p))]
    values, minimum = [], []
    for point in points:
        value = sp.factor(sp.powdenest(expression.subs(x, point), force=True))
        values.append(_join_roots(expression.subs(x, point), value))
        second = sp.diff(derivative, x).subs(x, point)
        minimum.append(True if _positive_everywhere(second) else None)
    book = Notebook()
    book.note("Function", "f", expression)
    book.note("Stationarity", derivative, sp.Integer(0))
    for point, value in zip(points, values):
        book.note("Solution that satisfies the equation itself", variable, point)
        book.note("Value there", "f", value)
    return Stationary(derivative, tuple(points), tuple(values), tuple(minimum), book.close())


def _two_roots(derivative: sp.Expr, x: sp.Symbol) -> list[sp.Expr]:
    """Solve A/sqrt(P) = B/sqrt(R) by squaring: the candidates still have to satisfy the equation itself."""
    terms = sp.Add.make_args(derivative)
    if len(terms) == 2:
        squared = sp.numer(sp.together(terms[0] ** 2 - terms[1] ** 2))
        squared = sp.factor(sp.expand(squared))
        candidates = []
        for factor in sp.Mul.make_args(squared):
            base = factor.base if isinstance(factor, sp.Pow) else factor
            if base.has(x) and base.is_polynomial(x) and sp.degree(base, x) <= 2:
                candidates += sp.solve(base, x)
        return [tidy(c) for c in candidates]
    return [tidy(c) for c in sp.solve(derivative, x)] if derivative.count_ops() < 60 else []


def _join_roots(raw: sp.Expr, value: sp.Expr) -> sp.Expr:
    """a sqrt(P) + b sqrt(P) at the point, collected; the shortest equal form."""
    parts = sp.powsimp(
        sp.expand_power_base(
            raw.replace(
                lambda e: isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2),
                lambda e: sp.sqrt(sp.factor(sp.together(e.base))),
            )
        ),
        force=True,
    )
    candidates = [value, tidy(parts), sp.factor(parts)]
    for c in list(candidates):
        squared = tidy(sp.expand(c**2))
        root = sp.sqrt(squared)
        if is_zero(root - raw):
            candidates.append(root)
            if isinstance(squared, sp.Add):
                candidates.append(root)
    return min((c for c in candidates if is_zero(c - raw)), key=lambda e: e.count_ops())


def _positive_everywhere(e: sp.Expr) -> bool:
    import random

    import mpmath  # type: ignore[import-untyped]

    from ..formulas._sampling import sample

    seed = random.Random(7)
    values = [e.subs(sample(sorted(e.free_symbols, key=str), seed, {})).evalf() for _ in range(8)]
    return all(v.is_real and v > mpmath.mpf(0) for v in values)


def action_along(
    L: Formula, motion: dict[str, Formula], start: Formula = 0, end: Formula = "t", *, names: Names | None = None
) -> sp.Expr:
    """The action of a motion q(t): the integral of L from `start` to `end`, in closed form when known."""
    n = names or Names(list(motion))
    paths = {c: n.read(f) for c, f in motion.items()}
    integrand = tidy(sp.expand(n.at_functions(n.read(L), paths)))
    primitive = antiderivative(integrand, n.time)
    return tidy(sp.expand(primitive.subs(n.time, n.read(end)) - primitive.subs(n.time, n.read(start))))


def maupertuis(
    T: Formula, V: Formula, coordinates: Sequence[str] | str, independent: str, *, energy: str = "E"
) -> Functional:
    """The orbit functional W = int sqrt(2 (E - V)) sqrt(2 T dt^2) with one coordinate as the independent variable.

    >>> maupertuis("m*(x_d**2+y_d**2)/2", "m*g*y", "x y", "y").cyclic["x"]
    sqrt(m)*x'*sqrt(2*E - 2*g*m*y)/sqrt(x'**2 + 1)
    """
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
    if independent not in labels:
        raise ModelError(f"{independent} is not one of the coordinates {labels}")
    n = Names(labels)
    kinetic, potential = n.read(T), n.read(V)
    if not is_zero(sum((v * sp.diff(kinetic, v) for v in n.v), sp.Integer(0)) - 2 * kinetic):
        raise ModelError("Maupertuis' integral in this form needs T homogeneous of degree 2 in the velocities")
    speed = {n.velocity(c): n.velocity(c) if c != independent else sp.Integer(1) for c in labels}
    inside = tidy(sp.expand(2 * kinetic.subs(speed)))
    integrand = sp.sqrt(2 * (n.symbol(energy) - potential)) * sp.sqrt(sp.factor(inside))
    rest = [c for c in labels if c != independent]
    return Functional(integrand, rest, independent)
