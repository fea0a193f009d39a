"""Values in a finite field that tell formulas apart: equal functions have equal values, others do not.

Every symbol has a fixed value modulo a prime, made from its name. Sums, products and quotients are
those of the field. An angle is a point of the circle c^2 + s^2 = 1 over the field and a sum of angles is the product of
points, so that sines and cosines obey the theorems of addition; multiples of 15 degrees are exact. Decimals are the
rationals that they spell. Modulo this prime 2, 3, 5, 7... are squares, so that roots of such numbers are those of the
field. Whatever else has arguments (other roots, arcs, exponentials, comparisons, unknown functions) has a value of
its own for each list of arguments, and so obeys no identity: sqrt(x^2) is not x.

The field is thus a freer world than that of the real functions: what is equal in it for all values of the symbols is
equal there too. That two formulas of degree d agree in it by accident has the probability d/2^127 (Schwartz, Zippel),
which is less than 1e-30 for every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

from dalembert.expr._node import Expr, Number, const
from dalembert.expr._traverse import topological

#: 2, 3, 5, 7, 11, 13, 17, 19, 29, 31, 41, 43, 53 and 59 are squares modulo this prime; -1 is none.
PRIME = 2**127 - 44649
Point: TypeAlias = tuple[int, int]  # cosine, sine

#: Angles count in parts of this many: halves, thirds, quarters... of a coordinate are seen, other parts are strangers.
_PARTS = 2520
_QUARTERS: tuple[Point, ...] = ((1, 0), (0, 1), (PRIME - 1, 0), (0, PRIME - 1))


#: Denominators of fractions that a long decimal may be. Two of them differ by more than 1e-10, so that none is met by
#: accident within the rounding of a double.
_SIMPLE = 100_000
#: Digits beyond which a decimal is the result of a calculation, and may be a third or a seventh.
_SPELLED = 9


@lru_cache(maxsize=100_000)
def drawn(*key: Any) -> int:
    """A value that only this key has."""
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=16).digest()) % PRIME


@lru_cache(maxsize=100_000)
def residue(value: Number) -> int:
    """A number in the field; a decimal is the rational that it spells."""
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


def written_number(e: Expr) -> Expr:
    """A decimal as a fraction: halves, quarters and eighths, and thirds, sevenths... that a calculation has rounded.

    >>> from dalembert import expr as ex
    >>> [written_number(ex.const(x)) for x in (0.5, 9.81, 1 / 6, 0.3, 1.7999999999999998)]
    [1/2, 9.81, 1/6, 0.3, 1.8]
    """
    value: Number = e.data
    if type(value) is not float:
        return e
    written = _written(value)
    return e if written is value else const(written)


@lru_cache(maxsize=100_000)
def _written(value: float) -> Number:
    exact = Fraction(value)
    if exact.denominator in (2, 4, 8):
        return exact
    short = float(f"{value:.{_SPELLED}g}")
    if short == value:
        return value
    if abs(short - value) <= 2 * math.ulp(value):
        return short
    near = exact.limit_denominator(_SIMPLE)
    return near if near and abs(float(near) - value) <= math.ulp(value) else value


#: What is left of a number without its prime factors below this is a prime, if it is less than the square of this.
_FACTORS = 1000


@lru_cache(maxsize=10_000)
def root(value: Number) -> int:
    """The root of a number: of primes that are squares in the field it is theirs, so that root(12) is 2 root(3).

    Each of these primes has one root for all its uses. The product of two others may be a square, but of which sign its
    root would have to be, theirs do not tell: such numbers have a value of their own.
    """
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    left, whole, q = exact.numerator * exact.denominator, 1, 2
    primes = list[int]()
    while q < _FACTORS and q * q <= left:
        while left % (q * q) == 0:
            left, whole = left // (q * q), whole * q
        if left % q == 0:
            left = left // q
            primes.append(q)
        q += 1
    primes.append(left)  # or a product of large ones
    free = math.prod(primes)
    known = left < _FACTORS**2 and all(pow(q, PRIME // 2, PRIME) <= 1 for q in primes)
    found = pow(free, (PRIME + 1) // 4, PRIME) if known else drawn("sqrt", free)
    return found * whole * inverse(exact.denominator) % PRIME


def turned(a: Point, b: Point) -> Point:
    """The point of the sum of two angles."""
    return (a[0] * b[0] - a[1] * b[1]) % PRIME, (a[0] * b[1] + a[1] * b[0]) % PRIME


def _multiple(a: Point, count: int) -> Point:
    if count < 0:
        a, count = (a[0], -a[1] % PRIME), -count
    total = _QUARTERS[0]
    while count:
        if count & 1:
            total = turned(total, a)
        a, count = turned(a, a), count >> 1
    return total


@lru_cache(maxsize=1)
def _sixth() -> Point:
    """The point of a sixth of a quarter turn: 45 degrees less 30."""
    half = inverse(2)
    return turned((root(2) * half % PRIME, root(2) * half % PRIME), (root(3) * half % PRIME, -half % PRIME))


@lru_cache(maxsize=100_000)
def _point_of(key: int) -> Point:
    """The point of the angle 1/_PARTS of what has this value; opposite values have opposite angles."""
    u = drawn("angle", min(key, PRIME - key))
    below = pow(1 + u * u, -1, PRIME)
    sine = 2 * u * below
    return (1 - u * u) * below % PRIME, (sine if key <= PRIME - key else -sine) % PRIME


@lru_cache(maxsize=100_000)
def _part_of(value: int, count: int) -> Point:
    """The point of so many parts of an angle that is no sum."""
    return _multiple(_point_of(value), count)


@lru_cache(maxsize=100_000)
def inverse(value: int) -> int:
    """The inverse in the field."""
    return pow(value, -1, PRIME)


class Fingerprints:
    """Values of the nodes seen so far."""

    def __init__(self) -> None:
        self.values: dict[Expr, int] = {}
        self._points: dict[tuple[Expr, int], Point] = {}

    def of(self, exprs: Iterable[Expr]) -> list[int]:
        """Values of expressions, after those of all that they are made of."""
        exprs = list(exprs)
        values = self.values
        for e in topological(exprs, stop=values.keys()):
            if e not in values:
                values[e] = self.value(e)
        return [values[e] for e in exprs]

    def of_written(self, exprs: Iterable[Expr]) -> None:
        """Values of expressions as `reduce` writes them, where 0.3333333333333333 is 1/3."""
        values = self.values
        for e in topological(exprs, stop=values.keys()):
            if e not in values:
                values[e] = residue(written_number(e).data) if e.op == "const" else self.value(e)

    @staticmethod
    def total(values: Iterable[int]) -> int:
        """A sum in the field."""
        return sum(values) % PRIME

    @staticmethod
    def opposite(value: int) -> int:
        """The value of the opposite."""
        return -value % PRIME

    @staticmethod
    def half(value: int) -> int:
        """The value of the half."""
        return value * inverse(2) % PRIME

    def value(self, e: Expr) -> int:
        """The value of a node whose operands have theirs."""
        op, values = e.op, self.values
        if op == "mul":
            a, b = e.args
            return values[a] * values[b] % PRIME
        if op == "add":
            a, b = e.args
            return (values[a] + values[b]) % PRIME
        if op == "sub":
            a, b = e.args
            return (values[a] - values[b]) % PRIME
        if op == "neg":
            return -values[e.args[0]] % PRIME
        if op == "symbol":
            return drawn("symbol", e.data)
        if op == "const":
            return residue(e.data)
        if op in ("sin", "cos"):
            return self._point(e.args[0], _PARTS)[op == "sin"]
        if op == "pow" and type(e.args[1].data) is int and e.args[1].op == "const":
            return pow(values[e.args[0]], e.args[1].data, PRIME)
        if op == "sqrt" and e.args[0].op == "const" and e.args[0].data >= 0:
            return root(e.args[0].data)
        if op == "div" and values[e.args[1]]:
            return values[e.args[0]] * inverse(values[e.args[1]]) % PRIME
        if op in ("min", "max"):
            return drawn(op, *sorted(values[a] for a in e.args))
        return drawn(op, e.data, *(values[a] for a in e.args))

    def _point(self, angle: Expr, parts: int) -> Point:
        """The point of `parts` of an angle; sums of angles are taken apart, without recursion."""
        points, stack = self._points, [(angle, parts)]
        while stack:
            key = stack[-1]
            if key in points:
                stack.pop()
                continue
            e, count = key
            below = self._apart(e, count)
            if below is None:
                points[key] = self._alone(e, count)
                continue
            missing = [k for k in below if k not in points]
            if missing:
                stack += missing
                continue
            total = points[below[0]]
            for k in below[1:]:
                total = turned(total, points[k])
            points[key] = total
        return points[angle, parts]

    @staticmethod
    def _apart(e: Expr, count: int) -> list[tuple[Expr, int]] | None:
        """The angles whose sum this is; None for one that stays whole."""
        if e.op == "add":
            return [(e.args[0], count), (e.args[1], count)]
        if e.op == "sub":
            return [(e.args[0], count), (e.args[1], -count)]
        if e.op == "neg":
            return [(e.args[0], -count)]
        if e.op == "mul" and e.args[0].op == "const" and e.args[1].op != "pi":
            times = _spelled(e.args[0].data) * count
            return [(e.args[1], int(times))] if times.denominator == 1 else None
        return None

    def _alone(self, e: Expr, count: int) -> Point:
        """The point of a multiple of what is no sum: quarter turns are exact, and a number is a part of one."""
        turns = _turns(e)
        if turns is not None:
            quarters = 2 * turns * Fraction(count, _PARTS)
            if quarters.denominator == 1:
                return _QUARTERS[int(quarters) % 4]
            return _multiple(_sixth(), int(6 * quarters)) if 6 % quarters.denominator == 0 else self._stranger(e, count)
        if e.op == "const":
            parts = _spelled(e.data) * count
            return _part_of(1, int(parts)) if parts.denominator == 1 else self._stranger(e, count)
        return self._stranger(e, count)

    def _stranger(self, e: Expr, count: int) -> Point:
        return _part_of(self.values[e], count)


def _turns(e: Expr) -> Fraction | None:
    if e.op == "pi":
        return Fraction(1)
    if e.op == "mul" and e.args[0].op == "const" and e.args[1].op == "pi":
        return _spelled(e.args[0].data)
    return None


def _spelled(value: Number) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def fingerprints(exprs: Iterable[Expr]) -> list[int]:
    """One value for each expression: equal for equal functions, different for others.

    >>> from dalembert import expr as ex
    >>> a, b = ex.symbols("a b")
    >>> first, second = fingerprints([ex.sin(a + b), ex.sin(a) * ex.cos(b) + ex.cos(a) * ex.sin(b)])
    >>> first == second
    True
    """
    return Fingerprints().of(exprs)
