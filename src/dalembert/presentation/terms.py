"""Sums as a person leaves them: like terms joined, what all terms have in front of a bracket."""

from __future__ import annotations

from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr, Number
from dalembert.presentation.products import product_of, signed_terms

_SUMS = frozenset({"add", "sub", "neg"})
Powers = tuple[tuple[Expr, Expr], ...]  # factors with their exponents
Key = tuple[frozenset[tuple[Expr, Expr]], frozenset[tuple[Expr, Expr]]]  # above and below the line


def gathered(e: Expr) -> Expr:
    """Like terms joined and common names written once, in the formula and in its brackets.

    >>> a, b, c = ex.symbols("a b c")
    >>> gathered(a * b * 2 + c * a + b * a * 3) == a * (5 * b + c)
    True
    """
    order = ex.topological([e])
    whole = {a for x in order if x.op not in _SUMS for a in x.args} | {e}
    done: dict[Expr, Expr] = {}
    for x in order:
        below = tuple([done[a] for a in x.args])
        written = x if below == x.args else ex.rebuild(x, below)
        done[x] = _gathered_sum(written) if x.op in _SUMS and x in whole else written
    return done[e]


def _gathered_sum(e: Expr) -> Expr:
    total: dict[Key, Fraction] = {}
    written: dict[Key, tuple[Powers, Powers]] = {}
    decimal = False
    for sign, x in signed_terms(e):
        own, p = product_of(x)
        decimal = decimal or isinstance(p.number, float)
        above, below = _powers(p.factors), _powers(p.below)
        key = frozenset(above), frozenset(below)
        total[key] = total.get(key, Fraction(0)) + sign * own * _exact(p.number)
        written.setdefault(key, (above, below))
    terms = [(value, *written[key]) for key, value in total.items() if value]
    if len(terms) < 2:
        return _rebuilt(terms, decimal)
    common = [one for one in terms[0][1] if not one[0].args and all(one in above for _, above, _ in terms)]
    size = abs(terms[0][0])
    if any(abs(value) != size for value, _, _ in terms):
        size = Fraction(1)
    if not common and size == 1:
        return _rebuilt(terms, decimal)
    rest = [(value / size, tuple(x for x in above if x not in common), below) for value, above, below in terms]
    return _product(size, tuple(common), (), decimal) * _rebuilt(rest, decimal)


def _rebuilt(terms: list[tuple[Fraction, Powers, Powers]], decimal: bool) -> Expr:
    total = ZERO
    for value, above, below in terms:
        term = _product(abs(value), above, below, decimal)
        total = total + term if value > 0 else total - term
    return total


def _product(value: Fraction, above: Powers, below: Powers, decimal: bool) -> Expr:
    upper, lower = ex.const(_spelled(value, decimal)), ONE
    for base, exponent in above:
        upper = upper * (base if exponent is ONE else base**exponent)
    for base, exponent in below:
        lower = lower * (base if exponent is ONE else base**exponent)
    return upper if lower is ONE else upper / lower


def _powers(factors: list[tuple[Expr, Expr | None]]) -> Powers:
    return tuple((base, ONE if exponent is None else exponent) for base, exponent in factors)


def _exact(value: Number) -> Fraction:
    """A decimal is the fraction that it spells."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _spelled(value: Fraction, decimal: bool) -> Number:
    """A decimal among decimals, but for halves, quarters and eighths."""
    if value.denominator == 1:
        return int(value)
    near = float(value)
    return near if decimal and value.denominator not in (2, 4, 8) and Fraction(repr(near)) == value else value
