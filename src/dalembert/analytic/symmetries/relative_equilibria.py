"""Relative equilibria: motions in which only cyclic coordinates move, with constant speeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sympy as sp

from ..formulas._normal import elementary_trigonometry, tidy
from ..formulas.steps import Listing
from ..statics.equilibria import equilibria
from ..statics.rest_nature import rest_conditions
from ..statics.virtual_work import Nature, judge_order
from .routh import Routhian, routhian

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True, repr=False)
class RelativeEquilibrium:
    """A motion in which only cyclic coordinates move, with constant speeds: where, how fast, and its nature.

    It exists where every expression of `where` is not negative. Where the place has no short formula the family is told
    the other way round: the coordinate is free, and `momenta` are the values that make it rest there.
    """

    at: dict[str, sp.Expr]
    speeds: dict[str, sp.Expr]
    nature: Nature | None
    where: tuple[sp.Expr, ...]
    momenta: dict[str, sp.Expr] = field(default_factory=dict)

    def __str__(self) -> str:
        place = ", ".join(f"any {c}" if str(e) == c else f"{c} = {e}" for c, e in self.at.items())
        speeds = ", ".join(f"{c}' = {e}" for c, e in self.speeds.items())
        exists = f" (where {', '.join(f'{e} >= 0' for e in self.where)})" if self.where else ""
        return f"{place}, {speeds}{exists}: {self.nature if self.nature is not None else 'nature not judged'}"

    __repr__ = __str__


def relative_equilibria(
    system: System, coordinates: str | Sequence[str] | None = None, momenta: Mapping[str, str] | None = None
) -> list[RelativeEquilibrium]:
    """Rests of the reduced system: critical points of the amended potential, with the speeds of what is cyclic.

    >>> from dalembert.analytic import System
    >>> kepler = System("r phi", L="m*(r_d**2 + r**2*phi_d**2)/2 + k/r", positive="m r k J")
    >>> (circle,) = relative_equilibria(kepler, momenta={"phi": "J"})
    >>> circle.at, circle.nature.kind
    ({'r': J**2/(k*m)}, 'stable')
    >>> ball = System("th ph", L="m*l**2*(th_d**2 + sin(th)**2*ph_d**2)/2 + m*g*l*cos(th)", positive="m l g")
    >>> relative_equilibria(ball)[0].speeds["ph"]
    -sqrt(g)*sqrt(1/cos(th))/sqrt(l)
    """
    made = routhian(system, coordinates, momenta)
    steep = _steep(made)
    if steep is not None:
        return _families(made, *steep)
    found: list[RelativeEquilibrium] = Listing()
    for rest in equilibria(made.reduced):
        at = {system.names.symbol(c): system.names.read(e) for c, e in rest.at.items()}
        speeds = {c: tidy(e.subs(at, simultaneous=True)) for c, e in _at_rest(made).items()}
        found.append(RelativeEquilibrium(rest.at, speeds, rest.nature, rest.where))
    return found


def _at_rest(made: Routhian) -> dict[str, sp.Expr]:
    still = {made.names.velocity(c): sp.Integer(0) for c in made.rest}
    return {c: e.subs(still, simultaneous=True) for c, e in made.velocities.items()}


def _steep(made: Routhian) -> tuple[sp.Expr, sp.Symbol] | None:
    """The condition of rest and the momentum to solve it for, when the place itself is a root of degree above two."""
    if len(made.rest) != 1:
        return None
    q = made.names.symbol(made.rest[0])
    (condition,) = rest_conditions(made.reduced).values()
    condition = made.names.read(condition)
    letter = sp.Dummy("letter")
    e = elementary_trigonometry(condition)
    e = sp.expand(sp.numer(sp.together(e))).subs(q, letter) if not e.has(sp.sin, sp.cos) else _by_cosine(e, q, letter)
    if e is None or not e.is_polynomial(letter):
        return None
    factors = [sp.Poly(f, letter) for f, _ in sp.factor_list(e, letter)[1]]
    if all(f.degree() < 3 or len(f.terms()) < 3 for f in factors):
        return None  # a square root or a pure root: the place is told by itself
    top = sp.numer(sp.together(condition))
    for constant in made.constants.values():
        if sp.degree(sp.expand(top), constant) in (1, 2):
            return condition, constant
    return None


def _by_cosine(e: sp.Expr, q: sp.Symbol, letter: sp.Symbol) -> sp.Expr | None:
    """The numerator of a formula of sin q and cos q as a polynomial of cos q: odd powers of the sine are a factor."""
    s = sp.Dummy("s")
    top = sp.expand(sp.numer(sp.together(e.subs({sp.sin(q): s, sp.cos(q): letter}, simultaneous=True))))
    if top.has(q) or not top.is_polynomial(s, letter):
        return None
    powers = sp.Poly(top, s)
    if len({m[0] % 2 for m in powers.monoms()}) != 1:
        return None
    return sp.expand(sum(c * (1 - letter**2) ** (m[0] // 2) for m, c in powers.terms()))


def _families(made: Routhian, condition: sp.Expr, constant: sp.Symbol) -> list[RelativeEquilibrium]:
    """Every value of the momentum that lets the system rest at any given place."""
    q = made.names.symbol(made.rest[0])
    label = next(c for c, s in made.constants.items() if s == constant)
    V = made.effective_potential
    found: list[RelativeEquilibrium] = Listing()
    for root in sp.roots(sp.Poly(sp.expand(sp.numer(sp.together(condition))), constant)):
        value = _short(root)
        speeds = {c: _short(e.subs(constant, value)) for c, e in _at_rest(made).items()}
        second = _short(sp.diff(V, q, 2).subs(constant, value))
        under = [e.base for e in value.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2]
        where = tuple(dict.fromkeys(sp.numer(e) * sp.denom(e) for e in map(tidy, under) if not e.is_nonnegative))
        nature = _judge(second, where)
        found.append(RelativeEquilibrium({q.name: q}, speeds, nature, where, {label: value}))
    return found


def _judge(second: sp.Expr, where: tuple[sp.Expr, ...]) -> Nature:
    """The nature by the curvature of V, where the family exists."""
    inside = {e: sp.Symbol(str(e), positive=True) for e in where if e.is_Function or e.is_Symbol}
    return judge_order(second.subs(inside, simultaneous=True), 2, sp.Matrix([[second]]))


def _short(e: sp.Expr) -> sp.Expr:
    """A short form of a formula of one angle: squares of sines meet under its roots first.

    Only what stands under a root is searched by `trigsimp`, whose cost on a whole formula is a matter of luck.
    """
    roots = [p for p in e.atoms(sp.Pow) if p.exp.is_Rational and p.exp.q == 2]
    under = {p: sp.trigsimp(sp.factor(sp.together(p.base))) ** p.exp for p in sorted(roots, key=sp.default_sort_key)}
    return min((tidy(e), tidy(e.xreplace(under))), key=lambda f: f.count_ops())
