"""One answer to "are these two formulas the same?": yes with its proof, no with a counter-example, or undecided.

Names are real numbers, or positive where that is declared; the question is asked where both sides have real values.

1. Points of all sizes, in arithmetic with error bounds: one where the sides differ for sure is a counter-example.
2. An algebraic normal form (trigonometric and root kernels become generators with their relations): a symbolic proof.
3. Agreement to hundreds of digits at many points: numeric evidence, taken only for analytic formulas. What has corners
   (|g|, sign, min, max) is cut into its analytic pieces first, and every piece must be shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mpmath  # type: ignore[import-untyped]
import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.errors import ExpressionError

from ._balls import Point, Program, Sight, look, signs_at
from ._exact import as_sympy
from ._normal import is_identically_zero
from ._pieces import bends, conditions, corners, is_tame, pieces, plain_pieces
from ._sampling import Sampler

ENOUGH_TAME, ENOUGH = 6, 24
"""Points that must agree: of one analytic function; of one with branches, which may change over its domain."""

_TRIES, _TRIES_INTEGRAL = 240, 8
_CANCELLED = 4
"""Points at which the difference of the sides is looked at by itself."""
_BROKEN = (sp.floor, sp.ceiling, sp.Mod, sp.Piecewise, sp.atan2, sp.arg, sp.frac, sp.DiracDelta)
"""Functions that jump at places that are not looked for: numbers are no evidence for them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two formulas agree (None: undecided), and how that is known.

    `proof` is "symbolic", "numeric" (evidence at points, for analytic formulas), "counter-example" or "undecided".
    `domain` says what was assumed of the names and where both sides are real; `why` what an undecided case lacks.
    """

    equal: bool | None
    proof: str
    at: dict[str, float] = field(default_factory=dict)
    values: tuple[Any, Any] | None = None
    domain: tuple[str, ...] = ()
    why: str = ""

    def __bool__(self) -> bool:
        return self.equal is True

    @property
    def undecided(self) -> bool:
        """Neither shown nor refuted."""
        return self.equal is None

    @property
    def where(self) -> str:
        """The domain in words."""
        return ", ".join(self.domain) or "for all real values"

    def __str__(self) -> str:
        if self.equal:
            how = "symbolic proof" if self.proof == "symbolic" else "numeric evidence"
            return f"equal ({how}; {self.where})"
        if self.undecided:
            return f"undecided: {self.why}"
        if self.values is None:
            return "different"
        where = ", ".join(f"{k} = {v:.4g}" for k, v in sorted(self.at.items()))
        left, right = (mpmath.nstr(v, 8) for v in self.values)
        return f"different: {left} against {right}" + (f" at {where}" if where else "")


def undecided(why: str, domain: tuple[str, ...] = ()) -> Verdict:
    """The verdict that says nothing, and why."""
    return Verdict(None, "undecided", domain=domain, why=why)


def equal(
    left: sp.Expr, right: sp.Expr, *, signs: Iterable[str] = (), ranges: Mapping[str, Any] | None = None
) -> Verdict:
    """Decide the identity left = right; names in `signs` take both values +1 and -1.

    >>> x = sp.Symbol("x")
    >>> equal(sp.sin(2*x), 2*sp.sin(x)*sp.cos(x)).proof
    'symbolic'
    >>> bool(equal(x**2, x**3))
    False
    """
    left, right = _unify(_exact(left), _exact(right))
    above = {
        s: sp.Dummy(s.name, positive=True) if isinstance(s, sp.Dummy) else sp.Symbol(s.name, positive=True)
        for s in left.free_symbols | right.free_symbols
        if not s.is_positive
    }
    above = {s: t for s, t in above.items() if s.name in (ranges or {}) and (ranges or {})[s.name][0] >= 0}
    if above:
        left, right = (e.subs(above, simultaneous=True) for e in (left, right))
    named = {s for s in (left.free_symbols | right.free_symbols) if s.name in set(signs)}
    if named:
        first, *rest = sorted(named, key=str)
        remaining = [s.name for s in rest]
        verdicts = [
            equal(left.subs(first, v), right.subs(first, v), signs=remaining, ranges=ranges)
            for v in (sp.Integer(1), sp.Integer(-1))
        ]
        return weakest(verdicts)
    left, right = left.doit(integrals=False), right.doit(integrals=False)
    if left == right:
        return Verdict(True, "symbolic", domain=_domain(left, right, ranges or {}))
    unfinished = {i for i in (left - right).atoms(sp.Integral) if all(len(limit) == 1 for limit in i.limits)}
    if unfinished:
        return _with_integrals(left - right, unfinished, ranges)
    return _decided(left, right, ranges or {})


def is_zero(expression: sp.Expr, *, signs: Iterable[str] = (), ranges: Mapping[str, Any] | None = None) -> Verdict:
    """Decide expression = 0."""
    return equal(expression, sp.Integer(0), signs=signs, ranges=ranges)


def proportional(
    left: sp.Expr,
    right: sp.Expr,
    over: Iterable[sp.Symbol],
    *,
    signs: Iterable[str] = (),
    ranges: Mapping[str, Any] | None = None,
) -> Verdict:
    """Whether two left-hand sides of `= 0` say the same: their ratio must not contain the names in `over`.

    The factor may hold parameters and coordinates but none of `over` (accelerations), on which both must be affine.
    An equation that holds nothing, 0 = 0 in any disguise, is refused.
    """
    left, right = _unify(_exact(left), _exact(right))
    signs = list(signs)
    names = {s.name for s in over}
    active = [s for s in sorted(left.free_symbols | right.free_symbols, key=str) if s.name in names]
    for side in (left, right):
        if side == 0 or is_zero(side, signs=signs, ranges=ranges):
            raise ExpressionError(f"the equation {side} = 0 says nothing: its left-hand side is zero")
    if not active:
        # no acceleration to fix the factor by: it must then be free of nothing but be a number
        return _numeric_factor(left, right, signs, ranges)
    # a factor is fixed by one non-zero pair of coefficients; cross-multiplied so that nothing is divided by zero
    for pivot in active:
        a, b = sp.diff(left, pivot), sp.diff(right, pivot)
        if is_zero(a, signs=signs, ranges=ranges) and is_zero(b, signs=signs, ranges=ranges):
            continue
        if {s.name for s in (a.free_symbols | b.free_symbols)} & names:
            return undecided(f"one of the equations is not affine in {pivot}: no factor is defined")
        return equal(left * b, right * a, signs=signs, ranges=ranges)
    return _numeric_factor(left, right, signs, ranges)


def _numeric_factor(left: sp.Expr, right: sp.Expr, signs: list[str], ranges: Mapping[str, Any] | None) -> Verdict:
    """Equations without accelerations: the same up to a number."""
    ratio = sp.cancel(sp.together(left / right)) if (left / right).count_ops() < 200 else left / right
    return Verdict(True, "symbolic") if ratio.is_number else equal(left, right, signs=signs, ranges=ranges)


def weakest(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on a conjunction: a refutation, else what is undecided, else numeric evidence, else a proof."""
    domain = tuple(dict.fromkeys(c for v in verdicts for c in v.domain))
    for kind in ("counter-example", "undecided", "numeric"):
        for verdict in verdicts:
            if verdict.proof == kind:
                return replace(verdict, domain=domain) if kind != "counter-example" else verdict
    return replace(verdicts[0], domain=domain)


def strongest(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on an alternative: a proof, else evidence, else what is undecided, else the first refutation."""
    for kind in ("symbolic", "numeric", "undecided"):
        for verdict in verdicts:
            if verdict.proof == kind:
                return verdict
    return verdicts[0]


# -- one pair of formulas ----------------------------------------------------------------------------------------------
def _decided(left: sp.Expr, right: sp.Expr, ranges: Mapping[str, Any]) -> Verdict:
    domain = _domain(left, right, ranges)
    numbers = _Numbers(_concrete(left), _concrete(right), ranges)
    if numbers.different is not None:
        point, values = numbers.different
        at = {s.name: float(v.p) / float(v.q) for s, v in point.items()}
        return Verdict(False, "counter-example", at, values, domain)
    difference = left - right
    if not numbers.points:
        if not difference.free_symbols and is_identically_zero(difference):
            return Verdict(True, "symbolic", domain=domain)
        return undecided("no point was found where both sides have real values", domain)
    if is_identically_zero(difference):
        return Verdict(True, "symbolic", domain=domain)
    broken = next(iter(sorted(difference.atoms(*_BROKEN), key=str)), None)
    if broken is not None:
        return undecided(f"{broken} jumps, so that values at points prove nothing, and no proof was found", domain)
    plain = plain_pieces(difference)
    split = pieces(plain)
    if split is None:
        return undecided("there are too many corners to look at each region", domain)
    proof = "symbolic"
    for piece in split:
        if is_identically_zero(piece.value):
            continue
        concrete = _concrete(piece.value)
        if is_tame(concrete):
            shown = _Numbers(concrete, sp.Integer(0), ranges, ENOUGH_TAME)
            if shown.different is None and len(shown.points) >= ENOUGH_TAME // 2:
                proof = "numeric"
                continue
            if shown.different is not None and not piece.signs:
                point, values = shown.different
                at = {s.name: float(v.p) / float(v.q) for s, v in point.items()}
                return Verdict(False, "counter-example", at, values, domain)
        agreeing = numbers.inside(piece.signs)
        if len(agreeing) < (ENOUGH if not piece.signs else ENOUGH // 4):
            return undecided(_missing(piece.signs, len(agreeing)), domain)
        proof = "numeric"
    return Verdict(True, proof, domain=domain)


def _missing(signs: Sequence[tuple[sp.Expr, int]], count: int) -> str:
    region = ", ".join(f"{g} {'>' if s > 0 else '<'} 0" for g, s in signs)
    seen = "no point was found" if not count else f"only {count} points were found"
    return f"no proof was found, and {seen} where {region or 'both sides are real'}"


class _Numbers:
    """Two formulas at many points: where they differ, if they do, and the points where they agree."""

    def __init__(self, left: sp.Expr, right: sp.Expr, ranges: Mapping[str, Any], enough: int | None = None) -> None:
        self.different: tuple[Point, tuple[Any, Any]] | None = None
        self.points: list[Point] = []
        program = Program([left, right])
        difference = left - right
        cancelled = Program([difference, sp.Integer(0)])
        symbols = sorted(left.free_symbols | right.free_symbols, key=str)
        found = corners(difference) + (bends(difference) if not is_tame(difference) else [])
        guards = [] if program.complex else sorted({*conditions(left), *conditions(right)}, key=sp.default_sort_key)
        enough = enough or (ENOUGH_TAME if not found and is_tame(difference) else ENOUGH + 16 * len(found))
        tries = _TRIES if program.trusted else _TRIES_INTEGRAL
        sampler = Sampler(symbols, guards, found, ranges)
        enough += sampler.ends
        for point in sampler.points(tries if symbols else 1):
            sight, values = look(program, point)
            if sight is Sight.DIFFER and values is not None:
                self.different = point, (_plain_number(values[0]), _plain_number(values[1]))
                return
            if sight is Sight.AGREE:
                if len(self.points) < _CANCELLED:
                    # a difference below the last digit of the sides shows when equal parts are taken away first
                    sight, values = look(cancelled, point)
                    if sight is Sight.DIFFER and values is not None:
                        self.different = point, (_plain_number(values[0]), _plain_number(values[1]))
                        return
                self.points.append(point)
                if len(self.points) >= enough:
                    return

    def inside(self, signs: Sequence[tuple[sp.Expr, int]]) -> list[Point]:
        """The points in the region where formulas have the signs given."""
        if not signs:
            return self.points
        program, wanted = Program([_concrete(g) for g, _ in signs]), tuple(s for _, s in signs)
        return [p for p in self.points if signs_at(program, p) == wanted]


def _plain_number(value: Any) -> Any:
    with mpmath.workdps(30):
        real = mpmath.mpf(value.real.mid().str(30, radius=False))
        imaginary = mpmath.mpf(value.imag.mid().str(30, radius=False))
        return mpmath.mpc(real, imaginary) if imaginary else real


def _domain(left: sp.Expr, right: sp.Expr, ranges: Mapping[str, Any]) -> tuple[str, ...]:
    """What was assumed, in words: positive names, ranges, and where roots and logarithms are real."""
    names = sorted(left.free_symbols | right.free_symbols, key=str)
    found = [f"{low} < {s} < {high}" for s in names if s.name in ranges for low, high in [ranges[s.name]]]
    found += [f"{s} > 0" for s in names if s.is_positive and s.name not in ranges]
    found += [f"{g} > 0" for g in dict.fromkeys((*conditions(left), *conditions(right))) if f"{g} > 0" not in found]
    found += [f"{x.args[0]} != 0" for x in sorted((left - right).atoms(sp.sign), key=str)]
    return tuple(found)


def _with_integrals(difference: sp.Expr, integrals: set[sp.Integral], ranges: Mapping[str, Any] | None) -> Verdict:
    """Primitives left as integrals: what stands beside them must vanish, and so must the slope by each variable."""
    bare = difference.xreplace(dict.fromkeys(integrals, sp.Integer(0)))
    slopes = [sp.diff(difference, i.limits[0][0]) for i in sorted(integrals, key=str)]
    verdicts = [equal(e, sp.Integer(0), ranges=ranges) for e in (bare, *slopes)]
    return weakest(verdicts)


# -- names and numbers -------------------------------------------------------------------------------------------------
def _exact(value: Any) -> sp.Expr:
    """Decimals are the rationals that they spell."""
    expression = as_sympy(value)
    if not isinstance(expression, sp.Expr):
        raise ExpressionError(f"a formula is wanted on each side, not {expression}")
    floats = expression.atoms(sp.Float)
    return expression.xreplace({f: sp.Rational(str(f)) for f in floats if f.is_finite}) if floats else expression


def _unify(left: sp.Expr, right: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Give symbols that share a name the same (stronger) assumptions; names are real unless something else is said."""
    best: dict[Any, sp.Symbol] = {}
    complex_numbers = left.has(sp.I) or right.has(sp.I)
    for symbol in left.free_symbols | right.free_symbols:
        key = (symbol.name, getattr(symbol, "dummy_index", None))
        known = best.get(key)
        if known is None or len(symbol.assumptions0) > len(known.assumptions0):
            best[key] = symbol
    for key, symbol in best.items():
        if symbol.is_real is None and not complex_numbers and key[1] is None:
            best[key] = sp.Symbol(symbol.name, real=True)

    def change(e: sp.Expr) -> sp.Expr:
        moves = {s: best[s.name, getattr(s, "dummy_index", None)] for s in e.free_symbols}
        moves = {s: t for s, t in moves.items() if s != t}
        return e.subs(moves, simultaneous=True) if moves else e

    left, right = change(left), change(right)
    functions: dict[tuple[str, int], Any] = {}
    moves = {}
    for f in left.atoms(AppliedUndef) | right.atoms(AppliedUndef):
        head = functions.setdefault((f.func.__name__, len(f.args)), f.func)
        if head != f.func:
            moves[f.func] = head
    if moves:
        left, right = (
            e.replace(lambda x: isinstance(x, AppliedUndef) and x.func in moves, lambda x: moves[x.func](*x.args))
            for e in (left, right)
        )
    return left, right


def _concrete(expression: sp.Expr) -> sp.Expr:
    """Replace unspecified functions by generic smooth ones, the same for the same name, so that numbers can judge."""

    def body(f: AppliedUndef) -> sp.Expr:
        seed = random.Random(f"{f.func.__name__}/{len(f.args)}")
        terms = [sp.Rational(seed.randint(3, 17), 7)]
        for argument in f.args:
            a, b, c = (sp.Rational(seed.randint(2, 19), 11) for _ in range(3))
            terms += [a * sp.sin(b * argument + c), sp.Rational(seed.randint(1, 9), 13) * argument**2]
        if len(f.args) > 1:
            terms.append(sp.Rational(2, 7) * sp.Mul(*f.args))
        return sp.Add(*terms)

    if not expression.has(AppliedUndef):
        return expression
    return expression.replace(lambda e: isinstance(e, AppliedUndef), body).doit()
