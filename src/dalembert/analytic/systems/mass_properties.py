"""Mass, centre and moments of inertia of a curve, a surface or a solid, by integration over its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import as_sympy
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


@dataclass(frozen=True)
class MassProperties:
    """Mass, centre of mass, and the inertia matrix about the origin and about the centre."""

    mass: sp.Expr
    center: sp.Matrix
    about_origin: sp.Matrix
    about_center: sp.Matrix

    def about(self, axis: Sequence[sp.Expr | int], through: Sequence[sp.Expr | int] = (0, 0, 0)) -> sp.Expr:
        """The moment of inertia about a line: Huygens' theorem from the one through the centre."""
        e = sp.Matrix([as_sympy(x) for x in axis])
        square = (e.T * e)[0]
        if is_zero(square):
            raise ModelError("an axis has a direction: it is zero")
        d = self.center - sp.Matrix([as_sympy(x) for x in through])
        far = (d.T * d)[0] - (d.T * e)[0] ** 2 / square
        return tidy((e.T * self.about_center * e)[0] / square + self.mass * far)


def mass_properties(
    position: Sequence[Formula],
    over: Sequence[tuple[str, Formula, Formula]],
    density: Formula = "rho",
    *,
    mass: str | None = None,
    positive: Sequence[str] = (),
) -> MassProperties:
    """Integrate a body given by its points r(u, v, w) with `over` = [(u, low, high), ...], innermost first.

    One parameter makes a wire, two a sheet, three a solid; `density` is for each unit of length, area or volume. With
    `mass` the density is replaced by that name for the whole mass.

    >>> ring = [("r", 0, "R"), ("a", 0, "2*pi")]
    >>> disc = mass_properties(["r*cos(a)", "r*sin(a)", "0"], ring, mass="m", positive=["R"])
    >>> disc.about([0, 0, 1])
    R**2*m/2
    """
    if not 1 <= len(over) <= 3:
        raise ModelError(f"a body has one, two or three parameters, not {len(over)}")
    labels = [label for label, _, _ in over]
    n = Names(positive=positive)
    r = sp.Matrix([*n.read_all(position), *[0] * (3 - len(position))])
    if r.rows != 3:
        raise ModelError(f"a place has three components, not {len(position)}")
    parameters = [n.symbol(label) for label in labels]
    bounds = [(n.read(low), n.read(high)) for _, low, high in over]
    slopes = r.jacobian(parameters)
    stand = {
        u: sp.Dummy(u.name, positive=low.is_nonnegative or None, real=True) for u, (low, _) in zip(parameters, bounds)
    }
    square = tidy(sp.expand((slopes.T * slopes).det())).subs(stand)
    if is_zero(square):
        raise ModelError(f"the points do not depend on {', '.join(labels)} independently: the body has no extent")
    element = _unsigned(sp.sqrt(sp.factor(tidy(square))), stand, parameters, bounds)
    dm = n.read(density).subs(stand) * element
    place = r.subs(stand)

    def total(what: sp.Expr) -> sp.Expr:
        e = sp.expand(what * dm)
        for u, (low, high) in zip(parameters, bounds):
            e = sp.integrate(sp.expand(e), (stand[u], low.subs(stand), high.subs(stand)))
        if e.has(sp.Integral):
            raise ModelError(f"the integral of {what} over the body has no closed form here")
        return tidy(e)

    whole = total(sp.Integer(1))
    center = sp.Matrix([tidy(total(x) / whole) for x in place])
    second = sp.Matrix(3, 3, lambda i, j: total(place[i] * place[j]) if i <= j else 0)
    second = sp.Matrix(3, 3, lambda i, j: second[min(i, j), max(i, j)])
    matrix = (second.trace() * sp.eye(3) - second).applyfunc(tidy)
    named = whole if mass is None else n.symbol(mass)
    matrix = (matrix * named / whole).applyfunc(tidy)
    shift = (center.T * center)[0] * sp.eye(3) - center * center.T
    return MassProperties(named, center, matrix, (matrix - named * shift).applyfunc(tidy))


def _unsigned(
    element: sp.Expr,
    stand: dict[sp.Symbol, sp.Dummy],
    parameters: Sequence[sp.Symbol],
    bounds: Sequence[tuple[sp.Expr, sp.Expr]],
) -> sp.Expr:
    """|f| as f or -f where its sign in the middle of the ranges is kept at all inner points looked at."""
    element = sp.powdenest(element, force=False)
    for part in [*element.atoms(sp.Abs)]:
        inner = part.args[0]
        signs = set()
        for share in (sp.Rational(k, 17) for k in range(1, 17)):
            at = {stand[u]: low + share * (high - low) for u, (low, high) in zip(parameters, bounds)}
            value = inner.subs(at)
            value = value.subs(dict.fromkeys(value.free_symbols, sp.Integer(1)))
            signs.add(int(sp.sign(value.evalf())))
        if len(signs) != 1:
            raise ModelError(f"the element of the body changes its sign, {inner}: cut the ranges where it vanishes")
        element = element.subs(part, inner * signs.pop())
    return element
