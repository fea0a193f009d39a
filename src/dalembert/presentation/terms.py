"""Sums as a person leaves them: like terms joined, what all terms have in front of a bracket."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr, Number
from dalembert.presentation.products import product_of, signed_terms

_SUMS = frozenset({"add", "sub", "neg"})
Powers = tuple[tuple[Expr, Expr], ...]  # factors with their exponents
Key = tuple[frozenset[tuple[Expr, Expr]], frozenset[tuple[Expr, Expr]]]  # above and below the line
Joined = tuple[Expr, Mapping[Expr, int]]  # the name of a sum of two, and the signs of these in it


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


def rejoined(e: Expr, pairs: Mapping[frozenset[Expr], Joined]) -> Expr:
    """Terms a x and a y of a sum as a (x + y), where x + y has a name: `pairs` tells the names of two by two.

    >>> a, x, y, total = ex.symbols("a x y total")
    >>> rejoined(a * x - 2 * total + y * a, {frozenset([x, y]): (total, {x: 1, y: 1})})
    a*total - 2*total
    """
    order = ex.topological([e])
    whole = {a for x in order if x.op not in _SUMS for a in x.args} | {e}
    done: dict[Expr, Expr] = {}
    for x in order:
        below = tuple([done[a] for a in x.args])
        written = x if below == x.args else ex.rebuild(x, below)
        done[x] = _rejoined_sum(written, pairs) if x.op in _SUMS and x in whole else written
    return done[e]


def _rejoined_sum(e: Expr, pairs: Mapping[frozenset[Expr], Joined]) -> Expr:
    apart = {x for pair in pairs for x in pair}
    waiting: dict[tuple[Any, ...], list[tuple[int, Fraction, Expr]]] = {}  # what stands beside -> place, number, name
    terms: list[Expr | None] = []
    changed = False
    for sign, x in signed_terms(e):
        own, p = product_of(x)
        above = _powers(p.factors)
        names = [base for base, exponent in above if base in apart and exponent is ONE]
        terms.append(x if sign > 0 else -x)
        if len(names) != 1:
            continue
        name, number = names[0], sign * own * _exact(p.number)
        rest = tuple(one for one in above if one[0] is not name)
        below = _powers(p.below)
        key = frozenset(rest), frozenset(below)
        others = waiting.setdefault(key, [])
        for place, size, other in others:
            joined = pairs.get(frozenset((name, other)))
            if joined is not None and size * joined[1][name] == number * joined[1][other]:
                factor = number / joined[1][name]
                decimal = isinstance(p.number, float)
                total = _product(abs(factor), rest, below, decimal) * joined[0]
                terms[place], terms[-1] = (total if factor > 0 else -total), None
                others.remove((place, size, other))
                changed = True
                break
        else:
            others.append((len(terms) - 1, number, name))
    if not changed:
        return e
    found = ZERO
    for term in terms:
        found = found if term is None else found + term
    return found


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
