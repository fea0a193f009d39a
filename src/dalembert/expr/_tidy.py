"""Formulas as a person would write them: expanded, like terms merged, sin^2 + cos^2 = 1 and sums of angles seen.

For formulas of hand size; one that would grow past a limit is left as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from dalembert.expr import _functions as fn
from dalembert.expr._arithmetic import add, div, mul, neg, power
from dalembert.expr._node import ONE, ZERO, Expr, Number, const
from dalembert.expr._table import rebuild
from dalembert.expr._traverse import count_operations, topological

Monomial: TypeAlias = tuple[tuple[Expr, int], ...]  # atoms in order of creation, with exponents
Polynomial: TypeAlias = dict[Monomial, Number]

_ONE: Monomial = ()
_ROUNDING = 1e-13
#: Digits of a decimal that somebody has typed; longer ones are results, and stay floats.
_FEW_DIGITS = 9
#: Denominators up to which a fraction reads better than a decimal, and beyond which it does not read at all.
_SIMPLE, _LARGEST = 12, 100_000


class _TooLargeError(Exception):
    """The expanded form has more terms than a person reads."""


def tidy(e: Expr, limit: int = 400, *, for_reading: bool = False) -> Expr:
    """The same value in an orderly form, or `e` itself when that is shorter.

    Shorter is what takes fewer operations, or, for reading, what takes fewer signs when it is written out.

    >>> from dalembert import expr as ex
    >>> a, b, m = ex.symbols("a b m")
    >>> ex.tidy(m * ex.sin(a) ** 2 + ex.cos(a) * (m * ex.cos(a)))
    m
    >>> ex.tidy(m * ex.sin(a) * ex.cos(b) + ex.sin(b) * ex.cos(a) * m)
    m*sin(a + b)
    """
    return Tidier(limit, for_reading=for_reading).tidy(e)


class Tidier:
    """Tidies many expressions; what they share is expanded once, so that the work grows with the graph."""

    def __init__(self, limit: int = 400, *, for_reading: bool = False) -> None:
        self.limit = limit
        self.size = written_size if for_reading else count_operations
        self.made: dict[Expr, Polynomial | None] = {}  # None: too large

    def tidy(self, e: Expr) -> Expr:
        """As the function `tidy`."""
        for x in topological([e], stop=self.made):
            if x not in self.made:
                self.made[x] = self._expanded(x)
        polynomial = self.made[e]
        if polynomial is None:
            return e
        try:
            found = _rebuilt(_reduced(polynomial, self.limit))
        except _TooLargeError:
            return e
        return found if self.size(found) <= self.size(e) else e

    def _expanded(self, e: Expr) -> Polynomial | None:
        below = [self.made[a] for a in e.args]
        if None in below:
            return None
        try:
            found = _expanded(e, below, self.limit)  # type: ignore[arg-type]
        except _TooLargeError:
            return None
        return found if len(found) <= self.limit else None


def written_size(e: Expr) -> int:
    """Operations of a formula that is written out: what is shared counts wherever it stands.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> written_size((x + 1) * (x + 2) + (x + 1)), ex.count_operations((x + 1) * (x + 2) + (x + 1))
    (5, 4)
    """
    sizes: dict[Expr, int] = {}
    for x in topological([e]):
        sizes[x] = sum(sizes[a] for a in x.args) + (1 if x.args and x.op != "neg" else 0)
    return sizes[e]


def _expanded(e: Expr, below: Sequence[Polynomial], limit: int) -> Polynomial:
    """A node as a polynomial, from those of its operands."""
    op = e.op
    if op == "const":
        return {_ONE: _exact(e.data)} if e.data else {}
    if op in ("add", "sub"):
        return _sum(below[0], below[1], 1 if op == "add" else -1)
    if op == "neg":
        return {m: -c for m, c in below[0].items()}
    if op == "mul":
        return _product(below[0], below[1], limit)
    if op == "pow" and e.args[1].op == "const" and type(e.args[1].data) is int:
        return _power(below[0], e.args[1].data, limit)
    if op == "div":
        return _product(below[0], _inverse(below[1], limit), limit)
    return _atom(rebuild(e, tuple(_rebuilt(_reduced(x, limit)) for x in below)) if e.args else e)


def _atom(e: Expr) -> Polynomial:
    if e.op == "const":
        return {_ONE: e.data} if e.data else {}
    if e.op == "neg":
        return {((e.args[0], 1),): -1}
    if e.op == "mul" and e.args[0].op == "const":
        return {((e.args[1], 1),): e.args[0].data}
    return {((e, 1),): 1}


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    total = dict(a)
    for monomial, coefficient in b.items():
        _collect(total, monomial, sign * coefficient)
    return total


def _collect(total: Polynomial, monomial: Monomial, coefficient: Number) -> None:
    known = total.get(monomial, 0)
    value = known + coefficient
    if value == 0 or (isinstance(value, float) and abs(value) < _ROUNDING * abs(float(known))):
        total.pop(monomial, None)
    else:
        total[monomial] = value


def _product(a: Polynomial, b: Polynomial, limit: int) -> Polynomial:
    if len(a) * len(b) > 4 * limit:
        raise _TooLargeError
    total: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            _collect(total, _times(m, n), c * d)
    return total


def _times(m: Monomial, n: Monomial) -> Monomial:
    if not m:
        return n
    exponents = dict(m)
    for atom, k in n:
        exponents[atom] = exponents.get(atom, 0) + k
    return _monomial(exponents)


def _monomial(exponents: dict[Expr, int]) -> Monomial:
    pairs = exponents.items()
    if 0 in exponents.values():
        return tuple(sorted([pair for pair in pairs if pair[1]], key=_creation))
    return tuple(sorted(pairs, key=_creation))


def _creation(pair: tuple[Expr, int]) -> int:
    return pair[0].id


def _power(a: Polynomial, exponent: int, limit: int) -> Polynomial:
    base = a if exponent >= 0 else _inverse(a, limit)
    total: Polynomial = {_ONE: 1}
    for _ in range(min(abs(exponent), limit)):
        total = _product(total, base, limit)
    if abs(exponent) > limit:
        raise _TooLargeError
    return total


def _inverse(a: Polynomial, limit: int) -> Polynomial:
    if len(a) == 1:
        ((monomial, coefficient),) = a.items()
        inverse = 1 / coefficient if isinstance(coefficient, float) else 1 / Fraction(coefficient)
        return {tuple((atom, -k) for atom, k in monomial): inverse}
    return {((_rebuilt(_reduced(a, limit)), -1),): 1}


# --- trigonometry ----------------------------------------------------------------------------------------------------


def _reduced(polynomial: Polynomial, limit: int) -> Polynomial:
    """Even powers of sines or of cosines go where fewer terms are left; then two terms make one where they can."""
    work = polynomial
    for angle in dict.fromkeys(a.args[0] for m in polynomial for a, k in m if k > 1 and a.op in ("sin", "cos")):
        choices = [work, _even_powers_left(work, fn.sin(angle), limit), _even_powers_left(work, fn.cos(angle), limit)]
        work = min(choices, key=len)
    return _paired(work)


def _even_powers_left(polynomial: Polynomial, wave: Expr, limit: int) -> Polynomial:
    """wave^2 = 1 - twin^2, used wherever it can be."""
    if wave.op not in ("sin", "cos"):
        return polynomial
    square: Polynomial = {_ONE: 1, ((_twin(wave), 2),): -1}
    total: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        exponent = dict(monomial).get(wave, 0)
        if exponent < 2:
            _collect(total, monomial, coefficient)
            continue
        rest = _times(monomial, ((wave, -(exponent - exponent % 2)),))
        for other, factor in _product({rest: coefficient}, _power(square, exponent // 2, limit), limit).items():
            _collect(total, other, factor)
    return total


def _paired(polynomial: Polynomial) -> Polynomial:
    """Apply the identities below, each of which makes one term of two, until none applies."""
    work = dict(polynomial)
    queue = list(work)
    while queue:
        monomial = queue.pop()
        if monomial not in work:
            continue
        for other, sign, result in _partners(monomial, work):
            coefficient = work.get(monomial)
            partner = work.get(other)
            if coefficient is None or partner is None or not _same(partner, sign * coefficient):
                continue
            del work[monomial], work[other]
            _collect(work, result, coefficient)
            if result in work:
                queue.append(result)
            break
    return work


def _same(a: Number, b: Number) -> bool:
    """Equal, or equal up to rounding where floats are involved."""
    return a == b or (isinstance(a - b, float) and abs(float(a) - float(b)) <= _ROUNDING * abs(float(a)))


def _partners(monomial: Monomial, work: Polynomial) -> Iterator[tuple[Monomial, int, Monomial]]:
    """(other term, its relative sign, what both make together), of the other terms that are there."""
    waves = [(a, k) for a, k in monomial if a.op in ("sin", "cos") and k > 0]
    for a, k in waves:
        if k >= 2:
            twin = _twin(a)
            rest = _times(monomial, ((a, -2),))
            other = _times(rest, ((twin, 2),))
            if other in work:
                yield other, 1, rest
    for i, (a, _) in enumerate(waves):
        for b, _ in waves[i + 1 :]:
            if a.args[0] is b.args[0]:
                continue
            other = _times(monomial, ((a, -1), (b, -1), (_twin(a), 1), (_twin(b), 1)))
            if other not in work:
                continue
            rest = _times(monomial, ((a, -1), (b, -1)))
            for sign, wave in _angle_sums(a, b):
                ((found, factor),) = _atom(wave).items()
                if factor == 1:
                    yield other, sign, _times(rest, found)


def _twin(wave: Expr) -> Expr:
    twin: Callable[..., Expr] = fn.cos if wave.op == "sin" else fn.sin
    return twin(wave.args[0])


def _angle_sums(a: Expr, b: Expr) -> list[tuple[int, Expr]]:
    """a b + sign (twin a)(twin b) as one wave."""
    x, y = a.args[0], b.args[0]
    if a.op == b.op == "cos":
        return [(-1, fn.cos(x + y)), (1, fn.cos(x - y))]
    if a.op == b.op == "sin":
        return [(1, fn.cos(x - y))]
    first, second = (x, y) if a.op == "sin" else (y, x)
    return [(1, fn.sin(x + y)), (-1, fn.sin(first - second))]


# --- back to an expression -------------------------------------------------------------------------------------------


def _rebuilt(polynomial: Polynomial) -> Expr:
    """Common factors in front, then the terms in a stable order."""
    if not polynomial:
        return ZERO
    common, content = _common(list(polynomial)), _content(polynomial)
    total = ZERO
    rest: Polynomial = {_times(m, tuple((a, -k) for a, k in common)): c / content for m, c in polynomial.items()}
    for monomial in sorted(rest, key=_order):
        coefficient = rest[monomial]
        size: Number = coefficient if coefficient > 0 else -coefficient
        term = mul(const(_spelled(size)), _written(monomial))
        total = add(total, term if coefficient > 0 else neg(term))
    front = mul(const(content), _written(common)) if common else const(content)
    return mul(front, total)


def _exact(value: Number) -> Number:
    """A decimal of few digits as the rational that it spells, so that no sum or product of such rounds."""
    return Fraction(repr(value)) if isinstance(value, float) and float(f"{value:.{_FEW_DIGITS}g}") == value else value


def _spelled(value: Number) -> Number:
    """A simple fraction, or the decimal that a number spells; the last digit of others is rounding, no information."""
    if isinstance(value, float):
        return float(f"{value:.15g}")
    if Fraction(value).denominator <= _SIMPLE:
        return value
    near = float(value)
    return near if Fraction(repr(near)) == value or Fraction(value).denominator > _LARGEST else value


def _content(polynomial: Polynomial) -> Number:
    """The whole number that divides all coefficients of a sum."""
    if len(polynomial) == 1 or any(isinstance(c, float) or Fraction(c).denominator != 1 for c in polynomial.values()):
        return 1
    return Fraction(math.gcd(*(int(c) for c in polynomial.values())))


def _common(monomials: list[Monomial]) -> Monomial:
    shared = dict(monomials[0])
    for monomial in monomials[1:]:
        own = dict(monomial)
        shared = {a: min(k, own[a]) if k > 0 else max(k, own[a]) for a, k in shared.items() if own.get(a, 0) * k > 0}
    return _monomial(shared) if len(monomials) > 1 else ()


def _order(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    return -sum(abs(k) for _, k in monomial), [(_name(a), -k) for a, k in monomial]


def _name(atom: Expr) -> str:
    return atom.name if atom.op == "symbol" else f"~{atom.op}{atom.id}"


def _written(monomial: Monomial) -> Expr:
    top, bottom = ONE, ONE
    for atom, k in sorted(monomial, key=lambda pair: (pair[0].op in ("sin", "cos"), _name(pair[0]))):
        factor = power(atom, const(abs(k)))
        top, bottom = (mul(top, factor), bottom) if k > 0 else (top, mul(bottom, factor))
    return div(top, bottom)
