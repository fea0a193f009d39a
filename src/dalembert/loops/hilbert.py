"""The Hilbert polynomial of an ideal: how many polynomials of each degree its zeros tell apart.

The affine function counts monomials of degree at most n outside the leading ideal; for large n it is a polynomial whose
degree is the dimension, and whose leading coefficient gives the degree of the largest pieces. It equals the one of the
saturated homogenisation: no component at infinity is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

from dalembert.errors import ModelError
from dalembert.loops.groebner import leading_exponents

Exponents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hilbert:
    """`numerator` over (1 - t)^(dimension + 1) is the series; `polynomial` holds coefficients from the constant up."""

    dimension: int
    degree: int
    numerator: tuple[int, ...]
    polynomial: tuple[Fraction, ...]

    def __call__(self, n: int) -> int:
        """The value of the polynomial."""
        return int(sum((c * n**k for k, c in enumerate(self.polynomial)), Fraction(0)))

    def __str__(self) -> str:
        terms = []
        for k in range(len(self.polynomial) - 1, -1, -1):
            if c := self.polynomial[k]:
                name = "" if not k else "n" if k == 1 else f"n^{k}"
                size = "" if abs(c) == 1 and k else f"{abs(c)}"
                terms.append(("- " if c < 0 else "+ ") + "*".join(x for x in (size, name) if x))
        text = " ".join(terms) or "0"
        return text[2:] if text.startswith("+ ") else text.replace("- ", "-", 1) if text.startswith("- ") else text


def hilbert_polynomial(generators: Sequence[Any], engine: str = "auto", seconds: float = 60.0) -> Hilbert:
    """Of the affine ideal of generators in a degree order.

    >>> from flint import fmpq_mpoly_ctx
    >>> x, y, z = fmpq_mpoly_ctx.get(("x", "y", "z"), "degrevlex").gens()
    >>> str(hilbert_polynomial([x * z - y**2, y - x**2])), hilbert_polynomial([x * y]).degree
    ('4*n', 2)
    """
    polynomials = [p for p in generators if p != 0]
    if not polynomials:
        raise ModelError("an ideal needs at least one polynomial.")
    ctx = polynomials[0].context()
    if "deg" not in str(ctx.ordering()).lower():
        raise ModelError("the Hilbert polynomial is read from a degree order: write the ideal in 'degrevlex'.")
    return monomial_hilbert(leading_exponents(polynomials, engine, seconds), len(ctx.names()))


def monomial_hilbert(leading: Sequence[Exponents], count: int) -> Hilbert:
    numerator = _series(_minimal(list(leading)))
    if not any(numerator):
        return Hilbert(-1, 0, (), (Fraction(0),))
    dimension = count
    while dimension and sum(numerator) == 0:
        numerator = _over_one_minus(numerator)
        dimension -= 1
    # sum_j h_j binomial(n - j + d, d)
    total = [Fraction(0)] * (dimension + 1)
    for j, h in enumerate(numerator):
        product = [Fraction(1)]
        for k in range(1, dimension + 1):
            product = _times(product, Fraction(k - j))
        for k, c in enumerate(product):
            total[k] += h * c / factorial(dimension)
    return Hilbert(dimension, sum(numerator), tuple(numerator), tuple(total))


def _times(p: list[Fraction], constant: Fraction) -> list[Fraction]:
    """p(n) (n + constant)."""
    found = [Fraction(0)] * (len(p) + 1)
    for k, c in enumerate(p):
        found[k] += c * constant
        found[k + 1] += c
    return found


def _over_one_minus(p: list[int]) -> list[int]:
    """Division by 1 - t of a polynomial that vanishes at 1."""
    found, total = [], 0
    for c in p[:-1]:
        total += c
        found.append(total)
    while found and not found[-1]:
        found.pop()
    return found


def _minimal(monomials: list[Exponents]) -> list[Exponents]:
    kept: list[Exponents] = []
    for m in sorted(set(monomials), key=sum):
        if not any(all(a >= b for a, b in zip(m, k, strict=True)) for k in kept):
            kept.append(m)
    return kept


def _series(monomials: list[Exponents]) -> list[int]:
    """K(m_1..m_r) = K(m_1..m_{r-1}) - t^deg(m_r) K((m_1..m_{r-1}) : m_r), the numerator over (1 - t)^variables."""
    if not monomials:
        return [1]
    if any(not sum(m) for m in monomials):
        return [0]
    *rest, last = monomials
    if not any(a and b for m in rest for a, b in zip(m, last, strict=True)):
        shifted = [0] * sum(last) + _series(rest)
        return _difference(_series(rest), shifted)
    divided = _minimal([tuple(max(a - b, 0) for a, b in zip(m, last, strict=True)) for m in rest])
    return _difference(_series(rest), [0] * sum(last) + _series(divided))


def _difference(a: list[int], b: list[int]) -> list[int]:
    size = max(len(a), len(b))
    found = [x - y for x, y in zip(a + [0] * (size - len(a)), b + [0] * (size - len(b)), strict=True)]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found
