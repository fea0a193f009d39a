"""Polynomials of the waves z = q + i rho p and zbar, as tables of exponents over an exact field of coefficients.

{z, zbar} = -2 i rho, H2 = sum w z zbar/(2 rho), and {H2, z^a zbar^b} = i w.(a - b) z^a zbar^b. The field is that of the
Hamiltonian: Gaussian numbers, with roots of numbers, or rational functions of the parameters. Its arithmetic is that of
python-flint where SymPy finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ..formulas._exact import as_sympy

Poly = dict[tuple[int, ...], Any]


def field_of(coefficients: Sequence[sp.Expr], divisors: Sequence[sp.Expr] = ()) -> Any:
    """The smallest exact domain with i that holds all coefficients and may divide by the divisors.

    Numbers have a field, with roots where there are some; parameters that are never divided by stay in polynomials,
    which need no common divisors; where nothing fits, SymPy's own expressions serve.

    >>> field_of([sp.Rational(1, 2)], [sp.sqrt(2)])
    QQ<sqrt(2) + I>
    >>> field_of([sp.Symbol("a") / 3]), field_of([sp.Symbol("a") / 3], [sp.Symbol("w")])
    (QQ_I[a], QQ_I(a,w))
    """
    parts = [as_sympy(c) for c in (*coefficients, *divisors)]
    letters = sorted({s for c in parts for s in c.free_symbols}, key=str)
    roots = sorted({e for c in parts for e in c.atoms(sp.Pow) if not e.exp.is_integer}, key=str)
    plain = all(x.is_Rational or x is sp.I for c in parts for x in c.atoms() if not x.is_Symbol)
    if not plain or not all(r.base.is_Rational and r.exp.is_Rational for r in roots):
        return sp.EX
    numbers = sp.QQ.algebraic_field(*roots, sp.I) if roots else sp.QQ_I
    if not letters:
        return numbers
    if not any(d.free_symbols for d in divisors) and all(c.is_polynomial(*letters) for c in parts):
        return numbers[letters]
    rational = all(c.is_rational_function(*letters) for c in parts)
    return numbers.frac_field(*letters) if rational and not roots else sp.EX


@dataclass(frozen=True)
class WaveAlgebra:
    """Brackets, Lie series and normalisation up to a degree, for frequencies w and scales rho in a field."""

    field: Any
    w: list[Any]
    rho: list[Any]
    degree: int

    @property
    def size(self) -> int:
        return len(self.w)

    @cached_property
    def i(self) -> Any:
        return self.field.from_sympy(sp.I)

    def inverse(self, divisor: Any) -> Any:
        """1/x of a frequency, a scale, or a sum of frequencies: a number wherever parameters stay in polynomials."""
        return self.field.from_sympy(1 / self.field.to_sympy(divisor))

    @cached_property
    def _weights(self) -> list[Any]:
        """{z_k, zbar_k}."""
        return [self.field.from_sympy(sp.Integer(-2)) * self.i * r for r in self.rho]

    @cached_property
    def oscillators(self) -> Poly:
        """H2."""
        half = self.field.from_sympy(sp.Rational(1, 2))
        return {self._pair(k): half * self.w[k] * self.inverse(self.rho[k]) for k in range(self.size)}

    def _pair(self, k: int) -> tuple[int, ...]:
        return tuple(int(j in (k, self.size + k)) for j in range(2 * self.size))

    def shift(self, m: tuple[int, ...]) -> Any:
        """w.(a - b) of a monomial z^a zbar^b: zero where it resonates."""
        n = self.size
        return sum((self.w[k] * (m[k] - m[n + k]) for k in range(n)), self.field.zero)

    def product(self, f: Mapping[tuple[int, ...], Any], g: Mapping[tuple[int, ...], Any]) -> Poly:
        found: Poly = {}
        for a, x in f.items():
            for b, y in g.items():
                key = tuple(i + j for i, j in zip(a, b))
                found[key] = found.get(key, self.field.zero) + x * y
        return found

    def bracket(self, f: Poly, g: Poly) -> Poly:
        """{f, g}."""
        found: Poly = {}
        n, zero, weights = self.size, self.field.zero, self._weights
        for a, x in f.items():
            for b, y in g.items():
                both = None
                for k in range(n):
                    count = a[k] * b[n + k] - a[n + k] * b[k]
                    if count:
                        both = x * y if both is None else both
                        m = [i + j for i, j in zip(a, b)]
                        m[k] -= 1
                        m[n + k] -= 1
                        key = tuple(m)
                        found[key] = found.get(key, zero) + both * weights[k] * count
        return {m: c for m, c in found.items() if c}

    def waves(self, poly: Poly) -> Poly:
        """A polynomial of (q, p) in waves: q = (z + zbar)/2, p = (z - zbar)/(2 i rho)."""
        half = self.field.from_sympy(sp.Rational(1, 2))
        turn = [-half * self.i * self.inverse(r) for r in self.rho]
        n = self.size
        letters = [{self._one(k): half, self._one(n + k): half} for k in range(n)]
        letters += [{self._one(k): turn[k], self._one(n + k): -turn[k]} for k in range(n)]
        return self._put(poly, letters)

    def places(self, poly: Poly) -> Poly:
        """A polynomial of waves in (q, p): z = q + i rho p."""
        n, one = self.size, self.field.one
        letters = [{self._one(k): one, self._one(n + k): self.i * self.rho[k]} for k in range(n)]
        letters += [{self._one(k): one, self._one(n + k): -self.i * self.rho[k]} for k in range(n)]
        return self._put(poly, letters)

    def _one(self, k: int) -> tuple[int, ...]:
        return tuple(int(j == k) for j in range(2 * self.size))

    def _put(self, poly: Poly, letters: Sequence[Poly]) -> Poly:
        """Each letter replaced by a form of first degree; powers are made once."""
        unit: Poly = {(0,) * (2 * self.size): self.field.one}
        powers: list[list[Poly]] = [[unit] for _ in letters]
        total: Poly = {}
        for m, c in poly.items():
            term: Poly = {next(iter(unit)): c}
            for k, e in enumerate(m):
                while len(powers[k]) <= e:
                    powers[k].append(self.product(powers[k][-1], letters[k]))
                if e:
                    term = self.product(term, powers[k][e])
            for key, value in term.items():
                total[key] = total.get(key, self.field.zero) + value
        return {m: c for m, c in total.items() if c}

    def normalise(self, terms: dict[int, Poly]) -> tuple[dict[int, Poly], dict[int, Poly]]:
        """Normal terms and generators by degree; after each step all higher terms are carried through exp(L_chi)."""
        current: dict[int, Poly] = {2: self.oscillators, **terms}
        generators: dict[int, Poly] = {}
        for d in range(3, self.degree + 1):
            chi = {m: self.i * c * self.inverse(s) for m, c in current[d].items() if (s := self.shift(m))}
            generators[d] = chi
            current = self._through(current, chi, d)
        return {d: p for d, p in current.items() if d > 2}, generators

    def _through(self, poly: dict[int, Poly], chi: Poly, d: int) -> dict[int, Poly]:
        """exp(L_chi) of a polynomial sorted by degree: {., chi} raises the degree by d - 2."""
        total = {k: dict(p) for k, p in poly.items()}
        if not chi:
            return total
        for start, piece in poly.items():
            layer, k, order = piece, start, 0
            while layer and k + d - 2 <= self.degree:
                k, order = k + d - 2, order + 1
                share = self.field.from_sympy(sp.Rational(1, order))
                layer = {m: c * share for m, c in self.bracket(layer, chi).items()}
                target = total.setdefault(k, {})
                for m, c in layer.items():
                    value = target.get(m, self.field.zero) + c
                    if value:
                        target[m] = value
                    else:
                        target.pop(m, None)
        return total

    def carry_back(self, generators: Mapping[int, Poly]) -> Poly:
        """H2 of the new variables, as a polynomial of the old ones: the inverse transforms, last generator first."""
        current: dict[int, Poly] = {2: self.oscillators}
        for d in range(self.degree, 2, -1):
            current = self._through(current, {m: -c for m, c in generators[d].items()}, d)
        return {m: c for piece in current.values() for m, c in piece.items()}
