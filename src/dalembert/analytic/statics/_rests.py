"""Every solution of the equations of rest: angles, exponentials and roots become letters of a polynomial system.

sin u and cos u become s and c with s^2 + c^2 = 1, exp u a letter, a root a letter with its power; then factors are
taken one after another, letters that stand alone are solved for, and a Groebner basis serves where nothing else does.
So the list is complete when no step had to give up, and it says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import mpmath  # type: ignore[import-untyped]
import sympy as sp

from dalembert import limits
from dalembert.errors import LimitError

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..formulas._normal import elementary_trigonometry, tidy
from ..formulas._polynomials import PolynomialSolver

_TRIES, _DIGITS = 400, 40
"""Sizes of the parameters at which a solution is looked at, in arithmetic of so many digits."""

_SIZES = [sp.Rational(1, 31), sp.Rational(1, 5), sp.Rational(5, 7), sp.Rational(13, 5), sp.Integer(17)]


@dataclass(frozen=True)
class Rest:
    """One solution (an unknown that is missing is free), and what must not be negative for it to exist."""

    at: dict[sp.Symbol, sp.Expr]
    where: tuple[sp.Expr, ...] = ()


@dataclass(frozen=True)
class Rests:
    """The solutions, whether these are all (angles `turns`: within one turn), how many are real nowhere we looked."""

    solutions: tuple[Rest, ...]
    complete: bool
    turns: frozenset[sp.Symbol] = frozenset()
    dropped: int = 0


class _GivenUp(Exception):
    """No closed form, or the system is no polynomial one."""


def solve_rests(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> Rests:
    """All solutions of equations = 0, angles within (-pi, pi].

    >>> a, b = sp.symbols("a b", real=True)
    >>> len(solve_rests([sp.sin(a), sp.sin(b)], [a, b]).solutions)
    4
    >>> solve_rests([sp.exp(a) - 1], [a]).solutions[0].at
    {a: 0}
    """
    try:
        letters = _Letters(unknowns)
        polynomials = [letters.convert(e) for e in equations]
        solver = PolynomialSolver()
        found = solver.solve([*polynomials, *letters.relations], letters.variables)
    except _GivenUp:
        return Rests((), complete=False)
    solutions: list[Rest] = []
    dropped = 0
    for one in found:
        back = letters.back(one)
        if back is None or any(back == known.at for known in solutions):
            continue
        if any(v.is_real is False or (u.is_positive and v.is_nonpositive) for u, v in back.items()):
            continue
        if _somewhere(equations, back):
            solutions.append(Rest(back, letters.conditions(one, back)))
        elif any(v.free_symbols for v in back.values()):
            dropped += 1
    solutions = [one for one in solutions if not any(_inside(one, other) for other in solutions)]
    return Rests(tuple(solutions), solver.complete, frozenset(letters.angles), dropped)


_LARGE = 60
"""Operations of the conditions above which their solving gets a share of the budget, and the plain places the rest."""


def solve_rests_in_time(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> Rests:
    """All solutions, or where that takes too long those at zero and at half turns, which are put to the proof."""
    if sum(e.count_ops() for e in equations) < _LARGE:
        return solve_rests(equations, unknowns)
    try:
        return limits.apart(lambda: solve_rests(equations, unknowns), "solving for rests", seconds=limits.share(1 / 3))
    except LimitError:
        pass
    places = [[sp.Integer(0), sp.pi] if _turns(equations, x) else [sp.Integer(0)] for x in unknowns]
    found = []
    for values in islice(product(*places), _PLACES):
        at = dict(zip(unknowns, values))
        if all(is_zero(tidy(e.subs(at, simultaneous=True))) for e in equations):
            found.append(Rest(at))
    return Rests(tuple(found), complete=False)


_PLACES = 64
"""Plain places that are tried: six angles have as many."""


def _turns(equations: Sequence[sp.Expr], x: sp.Symbol) -> bool:
    return all(sp.expand(e.subs(x, x + 2 * sp.pi) - e) == 0 for e in equations)


def _inside(one: Rest, family: Rest) -> bool:
    """Whether a point lies on a family whose free unknowns take its values."""
    if not family.at.keys() < one.at.keys():
        return False
    free = {u: v for u, v in one.at.items() if u not in family.at}
    return all(is_zero(v.subs(free) - one.at[u]) for u, v in family.at.items())


def _somewhere(equations: Sequence[sp.Expr], solution: dict[sp.Symbol, sp.Expr]) -> bool:
    """Whether, at some sizes of the parameters, the values are real and the equations themselves (not squares) hold."""
    symbols = sorted({s for e in (*equations, *solution.values()) for s in e.free_symbols} - set(solution), key=str)
    unknowns, roots = list(solution), list(solution.values())
    plain = [r.evalf(_DIGITS) if r.is_number else r for r in roots]
    values = number_function([symbols], plain, "mpmath")
    residuals = [_Residual(e, [*unknowns, *symbols], unknowns) for e in equations]
    choices = [_SIZES if s.is_positive else [*_SIZES, *(-x for x in _SIZES)] for s in symbols]
    shifted = [c[k % len(c) :] + c[: k % len(c)] for k, c in enumerate(choices)]
    with mpmath.workdps(_DIGITS):
        for count, point in enumerate(_spread(shifted)):
            if count > _TRIES:
                return False
            numbers = [mpmath.mpf(x.p) / x.q for x in point]
            try:
                at = [mpmath.mpmathify(v) for v in values(numbers)]
                if all(_small(abs(mpmath.im(v)), 1 + abs(v)) for v in at):
                    real = [mpmath.re(v) for v in at]
                    inside = all(v > 0 for u, v in zip(unknowns, real) if u.is_positive)
                    if inside and all(r.vanishes([*real, *numbers], real) for r in residuals):
                        return True
            except (ZeroDivisionError, ValueError, TypeError, OverflowError, AttributeError):  # mpmath's atan2 of i
                continue
    return False


def _spread(choices: list[list[sp.Expr]]) -> Iterator[tuple[sp.Expr, ...]]:
    """Points of a grid in an order that moves in every direction from the start."""
    if not choices:
        yield ()
        return
    longest = max(len(c) for c in choices)
    for shift in product(range(longest), repeat=len(choices) - 1):
        for k in range(longest):
            yield tuple(c[(k + (0 if not i else shift[i - 1])) % len(c)] for i, c in enumerate(choices))


class _Residual:
    """An equation, its terms and its slopes as functions of numbers."""

    def __init__(self, equation: sp.Expr, arguments: list[sp.Symbol], unknowns: list[sp.Symbol]) -> None:
        self.terms = number_function([arguments], list(sp.Add.make_args(sp.expand(equation))), "mpmath")
        self.slopes = number_function([arguments], [sp.diff(equation, u) for u in unknowns], "mpmath")

    def vanishes(self, numbers: list[Any], at: list[Any]) -> bool:
        """Zero beside its terms, and beside what rounding of the values makes of it."""
        terms = [mpmath.mpmathify(t) for t in self.terms(numbers)]
        spread = [abs(s) * (1 + abs(v)) for s, v in zip(self.slopes(numbers), at)]
        return _small(abs(mpmath.fsum(terms)), mpmath.fsum(abs(t) for t in terms) + mpmath.fsum(spread))


def _small(value: Any, scale: Any) -> bool:
    return bool(value <= mpmath.mpf(10) ** (-_DIGITS // 2) * scale)


class _Letters:
    """The letters that stand for sines, cosines, exponentials and roots of the unknowns, with their relations."""

    def __init__(self, unknowns: Sequence[sp.Symbol]) -> None:
        self.unknowns = list(unknowns)
        self.plain: set[sp.Symbol] = set()
        self.angles: dict[sp.Symbol, tuple[sp.Expr, sp.Symbol, sp.Symbol]] = {}
        self.growths: dict[sp.Symbol, tuple[sp.Expr, sp.Symbol]] = {}
        self.roots: dict[sp.Expr, sp.Symbol] = {}
        self.relations: list[sp.Expr] = []

    @property
    def variables(self) -> list[sp.Symbol]:
        pairs = [x for _, s, c in self.angles.values() for x in (s, c)]
        free = [u for u in self.unknowns if u not in self.angles and u not in self.growths]
        return [*self.roots.values(), *pairs, *(e for _, e in self.growths.values()), *free]

    def convert(self, equation: sp.Expr) -> sp.Expr:
        e = elementary_trigonometry(equation)
        if e.has(sp.Abs, sp.sign, sp.Min, sp.Max, sp.Piecewise, sp.Integral):
            raise _GivenUp
        return self._numerator(self._letters(e))

    def _numerator(self, e: sp.Expr) -> sp.Expr:
        top = sp.expand(sp.numer(sp.together(sp.powsimp(e))))
        if not top.is_polynomial(*self.variables):
            raise _GivenUp
        return top

    def _letters(self, e: sp.Expr) -> sp.Expr:
        if not e.has(*self.unknowns):
            return e
        if e.is_Symbol:
            if e in self.angles or e in self.growths:
                raise _GivenUp
            self.plain.add(e)
            return e
        if isinstance(e, (sp.sin, sp.cos)):
            return self._angle(e)
        if isinstance(e, sp.exp):
            return self._growth(e)
        if isinstance(e, sp.Pow) and not e.exp.is_Integer:
            return self._root(e)
        if isinstance(e, (sp.Add, sp.Mul, sp.Pow)):
            return e.func(*(self._letters(a) for a in e.args))
        raise _GivenUp

    def _of_one(self, argument: sp.Expr) -> tuple[sp.Symbol, sp.Expr, sp.Expr]:
        """The unknown, its coefficient and the rest of an argument c u + d."""
        inside = [u for u in self.unknowns if argument.has(u)]
        if len(inside) != 1 or inside[0] in self.plain:
            raise _GivenUp
        (u,) = inside
        c = sp.diff(argument, u)
        if c.has(*self.unknowns):
            raise _GivenUp
        return u, c, sp.expand(argument - c * u)

    def _angle(self, e: sp.Expr) -> sp.Expr:
        u, c, rest = self._of_one(sp.expand(e.args[0]))
        if rest != 0:
            return self._letters(sp.expand_trig(e.func(c * u + rest)))
        if u not in self.angles:
            if u in self.growths:
                raise _GivenUp
            s, k = sp.Dummy(f"s_{u}", real=True), sp.Dummy(f"c_{u}", real=True)
            self.angles[u] = (c, s, k)
            self.relations.append(s**2 + k**2 - 1)
        base, s, k = self.angles[u]
        times = tidy(c / base)
        if not times.is_Integer:
            raise _GivenUp
        w = sp.Dummy("w")
        return sp.expand_trig(e.func(times * w)).subs({sp.sin(w): s, sp.cos(w): k}, simultaneous=True)

    def _growth(self, e: sp.Expr) -> sp.Expr:
        u, c, rest = self._of_one(sp.expand(e.args[0]))
        if u in self.angles:
            raise _GivenUp
        base, letter = self.growths.setdefault(u, (c, sp.Dummy(f"e_{u}", positive=True)))
        times = tidy(c / base)
        if not times.is_Integer:
            raise _GivenUp
        return sp.exp(rest) * letter**times

    def _root(self, e: sp.Pow) -> sp.Expr:
        if not e.exp.is_Rational:
            raise _GivenUp
        base = sp.together(self._letters(e.base))
        if base not in self.roots or e.exp.q != 2:
            if e.exp.q != 2:
                raise _GivenUp
            self.roots[base] = sp.Dummy("r", nonnegative=True)
            top, bottom = sp.fraction(base)
            self.relations.append(sp.expand(bottom * self.roots[base] ** 2 - top))
        return self.roots[base] ** e.exp.p

    def back(self, found: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr] | None:
        """The unknowns from their letters; None when an exponential would be negative."""
        values = {u: found[u] for u in self.unknowns if u in found}
        for u, (base, s, c) in self.angles.items():
            if s in found and c in found:
                values[u] = tidy(_arc(found[s], found[c]) / base)
        for u, (base, letter) in self.growths.items():
            if letter in found:
                if found[letter].is_nonpositive:
                    return None
                values[u] = tidy(sp.log(found[letter]) / base)
        return values

    def conditions(self, found: dict[sp.Symbol, sp.Expr], values: dict[sp.Symbol, sp.Expr]) -> tuple[sp.Expr, ...]:
        """What must be at least zero: letters of roots, and what stands under a root."""
        asked = [found[r] for r in self.roots.values() if r in found]
        asked += [found[e] for _, e in self.growths.values() if e in found]
        for v in (*values.values(), *found.values()):
            asked += [e.base for e in v.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2]
        asked += [v for u, v in values.items() if u.is_positive]
        open_signs = [_signed(tidy(e)) for e in asked if e.free_symbols and not e.is_nonnegative]
        return tuple(dict.fromkeys(e for e in open_signs if not e.is_nonnegative))


def _signed(e: sp.Expr) -> sp.Expr:
    """The factors of a product that decide its sign."""
    return sp.Mul(*(f for f in sp.Mul.make_args(e) if not f.is_positive))


def _arc(s: sp.Expr, c: sp.Expr) -> sp.Expr:
    """The angle in (-pi, pi] with this sine and cosine, as short as the signs allow."""
    if s.is_number and c.is_number:
        return sp.atan2(sp.nsimplify(s) if s.is_Rational else s, c)
    if s.is_nonnegative or _is_root(s):
        return sp.acos(c)
    if (-s).is_nonnegative or _is_root(-s):
        return -sp.acos(c)
    if c.is_positive:
        return sp.atan(tidy(s / c))
    scale = sp.denom(sp.together(s))
    if scale.is_positive:
        return sp.atan2(tidy(s * scale), tidy(c * scale))
    return sp.atan2(s, c)


def _is_root(e: sp.Expr) -> bool:
    """A positive number times a square root, over what is positive: not negative where it is real."""
    number, rest = e.as_coeff_Mul()
    roots = [f for f in sp.Mul.make_args(rest) if isinstance(f, sp.Pow) and abs(f.exp) == sp.Rational(1, 2)]
    others = [f for f in sp.Mul.make_args(rest) if f not in roots]
    return bool(number.is_positive and roots and all(f.is_nonnegative for f in others))
