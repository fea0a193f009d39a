"""Exact numbers with square roots: sums of rationals times roots of different primes, a field."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError


class Surd:
    """sum c_S sqrt(product of the primes in S); addition, multiplication and division are exact.

    >>> one_half = Surd({frozenset(): Fraction(1, 2)})
    >>> (Surd.root(Fraction(12)) * Surd.root(Fraction(3)) * one_half).terms
    {frozenset(): Fraction(3, 1)}
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[frozenset[int], Fraction]) -> None:
        self.terms = {key: value for key, value in terms.items() if value}

    @staticmethod
    def of(value: Fraction) -> Surd:
        return Surd({frozenset(): value})

    @staticmethod
    def root(value: Fraction) -> Surd:
        """The square root of a positive rational."""
        from flint import fmpz

        if value < 0:
            raise ExpressionError(f"the square root of {value} is not real.")
        outside, inside = Fraction(1, value.denominator), set[int]()
        for prime, power in fmpz(value.numerator * value.denominator).factor() if value else []:
            outside *= Fraction(int(prime)) ** (int(power) // 2)
            if power % 2:
                inside.add(int(prime))
        return Surd({frozenset(inside): outside if value else Fraction(0)})

    def __add__(self, other: Surd) -> Surd:
        total = dict(self.terms)
        for key, value in other.terms.items():
            total[key] = total.get(key, Fraction(0)) + value
        return Surd(total)

    def __neg__(self) -> Surd:
        return Surd({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: Surd) -> Surd:
        return self + (-other)

    def __mul__(self, other: Surd) -> Surd:
        total: dict[frozenset[int], Fraction] = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                factor = Fraction(1)
                for prime in a & b:
                    factor *= prime
                key = a ^ b
                total[key] = total.get(key, Fraction(0)) + x * y * factor
        return Surd(total)

    def __pow__(self, n: int) -> Surd:
        result = Surd.of(Fraction(1))
        for _ in range(n):
            result = result * self
        return result

    def __truediv__(self, other: Surd) -> Surd:
        return self * other.inverse()

    def inverse(self) -> Surd:
        """Multiply by conjugates, one prime at a time, until the denominator is rational."""
        if not self.terms:
            raise ExpressionError("division by zero.")
        above, below = Surd.of(Fraction(1)), self
        for prime in sorted({p for key in self.terms for p in key}):
            conjugate = Surd({k: -v if prime in k else v for k, v in below.terms.items()})
            above, below = above * conjugate, below * conjugate
        value = below.terms[frozenset()]
        return Surd({k: v / value for k, v in above.terms.items()})

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Surd) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]

    @property
    def rational(self) -> Fraction | None:
        if any(self.terms.keys() - {frozenset()}):
            return None
        return self.terms.get(frozenset(), Fraction(0))
