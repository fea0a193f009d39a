"""One answer to "are these two formulas the same?", with the kind of proof, or a counter-example.

First an algebraic normal form (trigonometric and root kernels become generators with their relations); when that does
not decide, 50-digit evaluation at random points where every root and logarithm is real.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mpmath  # type: ignore[import-untyped]
import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.analytic._exact import as_sympy, number_function

from ._normal import is_identically_zero

DIGITS = 50
POINTS = 6
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two formulas agree, and how that is known: `symbolic`, `numeric`, `counter-example` or `undecided`."""

    equal: bool
    proof: str
    at: dict[str, float] = field(default_factory=dict)
    values: tuple[Any, Any] | None = None

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            return f"equal ({self.proof} proof)"
        if self.values is None:
            return f"not decided ({self.proof})"
        where = ", ".join(f"{k} = {v:.4g}" for k, v in sorted(self.at.items()))
        left, right = (mpmath.nstr(v, 8) for v in self.values)
        return f"different: {left} against {right} at {where}"


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
    left, right = _unify(as_sympy(left), as_sympy(right))
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
        return Verdict(True, "symbolic")
    unfinished = {i for i in (left - right).atoms(sp.Integral) if all(len(limit) == 1 for limit in i.limits)}
    if unfinished:
        return _with_integrals(left - right, unfinished, ranges)
    # numbers first: they refute at once, and the symbolic proof is tried only where it can succeed
    verdict = _numeric(left, right, ranges or {})
    if verdict.proof != "counter-example" and is_identically_zero(left - right):
        return Verdict(True, "symbolic")
    return verdict


def _with_integrals(difference: sp.Expr, integrals: set[sp.Integral], ranges: Mapping[str, Any] | None) -> Verdict:
    """Primitives left as integrals: what stands beside them must vanish, and so must the slope by each variable."""
    bare = difference.xreplace(dict.fromkeys(integrals, sp.Integer(0)))
    slopes = [sp.diff(difference, i.limits[0][0]) for i in sorted(integrals, key=str)]
    verdicts = [equal(e, sp.Integer(0), ranges=ranges) for e in (bare, *slopes)]
    return weakest(verdicts)


def weakest(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on a conjunction: the first refutation, else a numeric proof if any, else a symbolic one."""
    for verdict in verdicts:
        if not verdict.equal:
            return verdict
    return next((v for v in verdicts if v.proof == "numeric"), verdicts[0])


def is_zero(expression: sp.Expr, **options: Any) -> Verdict:
    """Decide expression = 0."""
    return equal(expression, sp.Integer(0), **options)


def proportional(left: sp.Expr, right: sp.Expr, over: Iterable[sp.Symbol], **options: Any) -> Verdict:
    """Whether two left-hand sides of `= 0` say the same: their ratio must not contain the names in `over`.

    The factor may hold parameters and coordinates but none of `over` (accelerations), on which both must be affine.
    """
    left, right = _unify(as_sympy(left), as_sympy(right))
    names = {s.name for s in over}
    active = [s for s in sorted(left.free_symbols | right.free_symbols, key=str) if s.name in names]
    if left == 0 or right == 0 or not active:
        return equal(left, right, **options)
    verdict = Verdict(True, "symbolic")
    # a factor is fixed by one non-zero pair of coefficients; cross-multiplied so that nothing is divided by zero
    pivot = next((s for s in active if sp.diff(left, s) != 0), active[0])
    a, b = sp.diff(left, pivot), sp.diff(right, pivot)
    if is_zero(b, **options):
        return Verdict(False, "counter-example")
    verdict = equal(left * b, right * a, **options)
    return verdict


def _unify(left: sp.Expr, right: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Give symbols that share a name the same (stronger) assumptions."""
    best: dict[str, sp.Symbol] = {}
    for symbol in left.free_symbols | right.free_symbols:
        known = best.get(symbol.name)
        if known is None or len(symbol.assumptions0) > len(known.assumptions0):
            best[symbol.name] = symbol

    def change(e: sp.Expr) -> sp.Expr:
        moves = {s: best[s.name] for s in e.free_symbols if s != best[s.name]}
        return e.xreplace(moves) if moves else e

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


def guards(expression: sp.Expr) -> list[sp.Expr]:
    """Expressions that must be positive for every root, logarithm and arc function to be real."""
    found: list[sp.Expr] = []
    for power in expression.atoms(sp.Pow):
        if not power.exp.is_integer and not power.base.is_positive:
            found.append(power.base)
    found += [f.args[0] for f in expression.atoms(sp.log)]
    for f in expression.atoms(sp.asin, sp.acos):
        found.append(1 - f.args[0] ** 2)
    return found


def sample(symbols: Iterable[sp.Symbol], seed: random.Random, ranges: Mapping[str, Any]) -> dict[sp.Symbol, mpmath.mpf]:
    """A random point: positive names in (0.1, 3), real names of either sign, or in their stated range."""
    point = {}
    for symbol in symbols:
        if symbol.name in ranges:
            low, high = ranges[symbol.name]
            value = low + (high - low) * seed.random()
        else:
            value = 0.1 * 30 ** seed.random()
            if not symbol.is_positive and seed.random() < 0.5:
                value = -value
        point[symbol] = mpmath.mpf(value)
    return point


def _numeric(left: sp.Expr, right: sp.Expr, ranges: Mapping[str, Any]) -> Verdict:
    left, right = _concrete(left), _concrete(right)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    conditions = guards(left) + guards(right)
    if left.has(sp.Integral, sp.Derivative) or right.has(sp.Integral, sp.Derivative):
        pair, test = (lambda *v: [e.subs(dict(zip(symbols, v))).evalf(DIGITS) for e in (left, right)]), None
    else:
        pair = number_function(symbols, [left, right], "mpmath")
        test = number_function(symbols, conditions, "mpmath") if conditions else None
    seed, good = random.Random(20), 0
    with mpmath.workdps(DIGITS):
        for trial in range(_TRIES):
            point = sample(symbols, seed, ranges)
            try:
                if (
                    test is not None
                    and trial < _TRIES * 3 // 4
                    and not all(mpmath.im(c) == 0 and c > 0 for c in test(*point.values()))
                ):
                    continue
                a, b = (mpmath.mpmathify(v) for v in pair(*point.values()))
            except (ZeroDivisionError, ValueError, TypeError, OverflowError):
                continue
            if not (mpmath.isfinite(a) and mpmath.isfinite(b)):
                continue
            scale = 1 + abs(a) + abs(b)
            if abs(a - b) > mpmath.mpf(10) ** (-DIGITS // 2) * scale:
                return Verdict(False, "counter-example", {s.name: float(v) for s, v in point.items()}, (a, b))
            good += 1
            if good >= POINTS or not symbols:
                return Verdict(True, "numeric")
    return Verdict(good > 1, "numeric" if good > 1 else "undecided")
