"""Algebraic normal form of hand-sized formulas: kernels become generators, their relations are divided out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from ._exact import as_sympy

MAX_OPERATIONS = 900
"""Above this size a normal form is not attempted: evaluation decides faster and as surely."""

MAX_TIDIED = 350
"""Above this size a formula is not for reading any more and is left as it is."""

_FAILURES = (sp.PolynomialError, NotImplementedError, ValueError, TypeError, ZeroDivisionError, RecursionError)
_Relation = tuple[sp.Symbol, int, sp.Expr]


@lru_cache(maxsize=2048)
def is_identically_zero(expression: sp.Expr) -> bool:
    """True when the normal form proves the expression to vanish; False says nothing.

    >>> x, y = sp.symbols("x y", real=True)
    >>> is_identically_zero(sp.sin(x - y)**2 + sp.cos(x - y)**2 - 1)
    True
    >>> is_identically_zero(sp.sqrt(x**2 + 1)**3/(x**2 + 1) - sp.sqrt(x**2 + 1))
    True
    """
    expression = as_sympy(expression)
    if expression == 0:
        return True
    if expression.is_number:
        return expression.is_zero is True
    if expression.count_ops() > MAX_OPERATIONS or expression.has(sp.Integral):
        return False
    try:
        for angles in (False, True):
            prepared = elementary_trigonometry(expression, angles=angles)
            if prepared.count_ops() > MAX_OPERATIONS:
                return False
            kernels = _Kernels()
            numerator = sp.fraction(sp.together(kernels.convert(prepared)))[0]
            if kernels.reduce(sp.expand(numerator)) == 0:
                return True
    except _FAILURES:
        return False
    return False


def elementary_trigonometry(expression: sp.Expr, *, angles: bool = True, growth: bool = True) -> sp.Expr:
    """Write tan and cot (and, with `angles`, added and multiple angles) by sin and cos of single angles.

    With `growth` hyperbolic functions become exponentials.
    """
    if not expression.has(sp.Function):
        return expression
    if expression.has(sp.tan, sp.cot, sp.sec, sp.csc):
        expression = expression.replace(lambda e: isinstance(e, (sp.tan, sp.cot, sp.sec, sp.csc)), _quotient)
    if growth and expression.has(sp.sinh, sp.cosh, sp.tanh):  # only these: sines would become exponentials of i
        hyperbolic = (sp.sinh, sp.cosh, sp.tanh)
        expression = expression.replace(lambda e: isinstance(e, hyperbolic), lambda e: e.func(*e.args).rewrite(sp.exp))
    if angles and expression.has(sp.sin, sp.cos):
        expression = expression.replace(lambda e: isinstance(e, (sp.sin, sp.cos)), _expand_angle)
    return expression


def _quotient(e: Any) -> sp.Expr:
    s, c = sp.sin(e.args[0]), sp.cos(e.args[0])
    return {sp.tan: s / c, sp.cot: c / s, sp.sec: 1 / c, sp.csc: 1 / s}[e.func]


def _expand_angle(e: Any) -> sp.Expr:
    return sp.expand_trig(e.func(sp.expand(e.args[0])))


class _Kernels:
    """Everything that is not rational becomes a generator; sines and roots keep their polynomial relation."""

    def __init__(self) -> None:
        self.generators: dict[Any, sp.Symbol] = {}
        self.meaning: dict[sp.Symbol, sp.Expr] = {}
        self.relations: list[_Relation] = []

    def generator(self, key: Any, meaning: sp.Expr) -> sp.Symbol:
        if key not in self.generators:
            symbol = sp.Dummy(f"k{len(self.generators)}")
            self.generators[key], self.meaning[symbol] = symbol, meaning
        return self.generators[key]

    def convert(self, e: sp.Expr) -> sp.Expr:
        if e.is_Symbol or e.is_Rational:
            return e
        if isinstance(e, (sp.Add, sp.Mul)):
            return e.func(*(self.convert(a) for a in e.args))
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            return self.convert(e.base) ** e.exp
        if isinstance(e, (sp.sin, sp.cos)):
            angle = sp.expand(e.args[0])
            if angle.could_extract_minus_sign():
                return self.convert(e.func(-angle)) if isinstance(e, sp.cos) else -self.convert(e.func(-angle))
            s, c = (self.generator((f, angle), f(angle)) for f in (sp.sin, sp.cos))
            if all(r[0] != s for r in self.relations):
                self.relations.append((s, 2, 1 - c**2))
            return s if isinstance(e, sp.sin) else c
        if isinstance(e, sp.Pow) and e.exp.is_Rational:
            base = self.convert(_plain(e.base))
            root = self.generator(("root", base, e.exp.q), sp.Pow(e.base, sp.Rational(1, e.exp.q)))
            if all(r[0] != root for r in self.relations):
                # inner kernels were made first: outer relations must be used before them
                self.relations.insert(0, (root, int(e.exp.q), base))
            return root**e.exp.p
        if isinstance(e, sp.exp):
            exponent = sp.expand(e.args[0])
            number = sp.Mul.make_args(exponent)[0]
            if number.is_Integer and number not in (1, 0):
                return self.convert(sp.exp(exponent / number)) ** number
            if isinstance(exponent, sp.Add):
                return sp.Mul(*(self.convert(sp.exp(t)) for t in exponent.args))
            return self.generator(e, e)
        return self.generator(e, e)

    def reduce(self, numerator: sp.Expr) -> sp.Expr:
        for _ in range(2):
            for relation in self.relations:
                numerator = _reduce(numerator, *relation)
                if numerator == 0:
                    return numerator
        return numerator

    def restore(self, e: sp.Expr) -> sp.Expr:
        return e.xreplace(self.meaning)


@lru_cache(maxsize=2048)
def _plain(base: sp.Expr) -> sp.Expr:
    """A root's base in one reproducible form, so that equal bases become one generator."""
    if base.is_Symbol or base.is_number or base.count_ops() > 120:
        return base
    return sp.factor(sp.together(base))


def _reduce(numerator: sp.Expr, symbol: sp.Symbol, degree: int, value: sp.Expr) -> sp.Expr:
    """Replace symbol**degree by value as often as it occurs (value may be a fraction: the numerator is kept)."""
    if not numerator.has(symbol):
        return numerator
    groups: dict[int, list[sp.Expr]] = {}
    for term in sp.Add.make_args(numerator):
        rest, power = term.as_coeff_exponent(symbol)
        groups.setdefault(int(power), []).append(rest)
    if max(groups) < degree:
        return numerator
    reduced = sp.Add(*(sp.Add(*rest) * value ** (p // degree) * symbol ** (p % degree) for p, rest in groups.items()))
    top = sp.fraction(sp.together(reduced))[0] if not value.is_polynomial(*value.free_symbols) else reduced
    return sp.expand(top)


def tidy(expression: sp.Expr) -> sp.Expr:
    """A short equivalent form by cheap means; never the general `simplify`, which may take minutes.

    >>> x, y, a = sp.symbols("x y a", real=True)
    >>> tidy(a*sp.sin(x)**2 + a*sp.cos(x)**2 + sp.sin(x)*sp.sin(y) + sp.cos(x)*sp.cos(y))
    a + cos(x - y)
    """
    return _tidy(as_sympy(expression))


@lru_cache(maxsize=4096)
def _tidy(expression: sp.Expr) -> sp.Expr:
    size = expression.count_ops()
    if size < 2 or size > MAX_TIDIED or expression.has(sp.Integral, sp.Derivative):
        return expression
    candidates = [expression]
    try:
        short = _rational(_tidy_roots(expression))
        candidates += [short, sp.factor_terms(short)]
        if expression.has(sp.sinh, sp.cosh, sp.tanh):
            candidates.append(_rational(_tidy_roots(expression), growth=False))
        if short.has(sp.sin, sp.cos):
            candidates.append(fuse_angles(short))
    except _FAILURES:
        pass
    return min(candidates, key=lambda e: (e.count_ops(), len(str(e))))


def _tidy_roots(expression: sp.Expr) -> sp.Expr:
    """Shorten what stands under roots: sqrt(r**2*cos(a)**2 + r**2*sin(a)**2) is r."""
    return expression.replace(
        lambda e: isinstance(e, sp.Pow) and e.exp.is_Rational and not e.exp.is_Integer and isinstance(e.base, sp.Add),
        lambda e: sp.Pow(tidy(e.base), e.exp),
    )


def as_sum(expression: sp.Expr) -> sp.Expr:
    """Energies read best as a sum of terms: expanded, angles fused; long quotients are left alone."""
    if expression.count_ops() > MAX_OPERATIONS:
        return expression
    spread = fuse_angles(sp.expand(expression))
    return spread if spread.count_ops() <= 2 * expression.count_ops() else expression


def _rational(expression: sp.Expr, *, growth: bool = True) -> sp.Expr:
    """Cancelled quotient over the kernels, sin**2 or cos**2 eliminated wherever that leaves fewer terms."""
    kernels = _Kernels()
    plain = elementary_trigonometry(expression, angles=False, growth=growth)
    top, bottom = sp.fraction(sp.cancel(sp.together(kernels.convert(plain))))
    shortened = [_fewest_terms(part, kernels.relations) for part in (top, bottom)]
    if shortened[1] != bottom and shortened[1].has(sp.Symbol):
        shortened = list(sp.fraction(sp.cancel(shortened[0] / shortened[1])))
    pieces = []
    for part in shortened:
        terms = sp.Add.make_args(part)
        pieces.append(sp.factor(part) if 1 < len(terms) < 25 else part)
    return kernels.restore(pieces[0] / pieces[1])


def _fewest_terms(part: sp.Expr, relations: list[_Relation]) -> sp.Expr:
    """Use sin**2 + cos**2 = 1 and root**n = base in whichever direction leaves fewer terms, until nothing shortens."""
    best, before = sp.expand(part), None
    while best != before:
        before = best
        for symbol, degree, value in relations:
            if not value.is_polynomial(*value.free_symbols):
                continue  # a fraction would change the denominator, which is treated apart
            choices = [best, _reduce(best, symbol, degree, value)]
            cosine = next(iter(value.free_symbols), symbol)
            if degree == 2 and value == 1 - cosine**2:
                choices.append(_reduce(best, cosine, 2, 1 - symbol**2))
            best = min(choices, key=lambda e: (len(sp.Add.make_args(e)), e.count_ops()))
    return best


def fuse_angles(expression: sp.Expr) -> sp.Expr:
    """sin(a)sin(b) + cos(a)cos(b) -> cos(a - b) and its three sisters, where the other factors agree."""
    if isinstance(expression, (sp.Mul, sp.Pow)):
        return expression.func(*(fuse_angles(a) for a in expression.args))
    if not isinstance(expression, sp.Add):
        return expression
    groups: dict[Any, dict[tuple[Any, Any], sp.Expr]] = {}
    others = []
    for term in sp.Add.make_args(sp.expand(expression)):
        trig = sorted(
            (f for f in sp.Mul.make_args(term) if isinstance(f, (sp.sin, sp.cos))), key=lambda f: str(f.args[0])
        )
        if len(trig) == 2:
            a, b = trig
            number, rest = (term / a / b).as_coeff_Mul()
            groups.setdefault((rest, a.args[0], b.args[0]), {})[a.func, b.func] = number
        else:
            others.append(term)
    for (rest, a, b), found in groups.items():
        for first, second, plus, minus in (
            ((sp.cos, sp.cos), (sp.sin, sp.sin), sp.cos(a - b), sp.cos(a + b)),
            ((sp.sin, sp.cos), (sp.cos, sp.sin), sp.sin(a + b), sp.sin(a - b)),
        ):
            x, y = found.get(first, 0), found.get(second, 0)
            if x and x in (y, -y):
                others.append(rest * x * (plus if x == y else minus))
            else:
                others += [rest * n * f(a) * g(b) for n, (f, g) in ((x, first), (y, second)) if n]
    return sp.Add(*others)
