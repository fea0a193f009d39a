"""Pseudo-kernels of polynomial matrices: first syzygies of the columns, over a ring or its quotient by an ideal.

psi with Delta psi = 0 (modulo the ideal), degree by degree, by linear algebra modulo a prime: all solutions of a degree
are found, those that come from smaller degrees are left out. Over the whole ring m - rank = mu_1 - mu_2 + mu_3 - ...
(numbers of generators of the successive modules); over a quotient the sequence often does not end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

from dalembert.errors import ModelError
from dalembert.loops.groebner import groebner_basis

PRIME = 1073741789
Terms = dict[tuple[int, ...], int]


class Quotient:
    """Normal forms modulo a prime and an ideal (none: the polynomial ring itself)."""

    def __init__(self, count: int, ideal: Sequence[Any] = (), prime: int = PRIME) -> None:
        self.count, self.prime = count, prime
        self.basis: list[tuple[tuple[int, ...], Terms]] = []
        for p in groebner_basis(ideal) if ideal else []:
            head = tuple(int(e) for e in p.monoms()[0])
            terms = self.terms(p)
            inverse = pow(terms[head], -1, prime)
            self.basis.append((head, {e: c * inverse % prime for e, c in terms.items()}))

    def terms(self, p: Any) -> Terms:
        found: Terms = {}
        for exponents, coefficient in p.to_dict().items():
            below = int(getattr(coefficient, "q", 1))
            above = int(coefficient * below)
            value = above * pow(below, -1, self.prime) % self.prime
            if value:
                found[tuple(int(e) for e in exponents)] = value
        return found

    def normal(self, p: Terms) -> Terms:
        """The remainder on division by the basis."""
        rest: Terms = {}
        todo = dict(p)
        while todo:
            head = max(todo, key=_grevlex)
            value = todo.pop(head)
            for lead, terms in self.basis:
                if all(a >= b for a, b in zip(head, lead, strict=True)):
                    shift = tuple(a - b for a, b in zip(head, lead, strict=True))
                    for e, c in terms.items():
                        if e == lead:
                            continue
                        key = tuple(a + b for a, b in zip(e, shift, strict=True))
                        total = (todo.get(key, 0) - value * c) % self.prime
                        if total:
                            todo[key] = total
                        else:
                            todo.pop(key, None)
                    break
            else:
                rest[head] = value
        return rest

    def product(self, p: Terms, shift: tuple[int, ...]) -> Terms:
        return self.normal({tuple(a + b for a, b in zip(e, shift, strict=True)): c for e, c in p.items()})

    def monomials(self, degree: int) -> list[tuple[int, ...]]:
        """Monomials of exactly this degree that no leading monomial divides."""
        found = []
        for chosen in combinations_with_replacement(range(self.count), degree):
            e = [0] * self.count
            for i in chosen:
                e[i] += 1
            if not any(all(a >= b for a, b in zip(e, lead, strict=True)) for lead, _ in self.basis):
                found.append(tuple(e))
        return found


def _grevlex(e: tuple[int, ...]) -> tuple[Any, ...]:
    return (sum(e), tuple(-x for x in reversed(e)))


def first_syzygies(
    matrix: Sequence[Sequence[Any]], ideal: Sequence[Any] = (), degree: int = 2
) -> list[tuple[Terms, ...]]:
    """Generators, up to a degree, of the columns psi with matrix psi = 0 modulo the ideal."""
    if not matrix or not matrix[0]:
        raise ModelError("a matrix of polynomials needs a row and a column.")
    entry = next((p for row in matrix for p in row if hasattr(p, "context")), None)
    if entry is None:
        raise ModelError("the matrix has no polynomial entry.")
    ring = Quotient(len(entry.context().names()), ideal)
    rows = [[ring.normal(ring.terms(p)) for p in row] for row in matrix]
    return _syzygies(ring, rows, degree)


def _syzygies(ring: Quotient, rows: list[list[Terms]], degree: int) -> list[tuple[Terms, ...]]:
    columns = len(rows[0])
    found: list[tuple[Terms, ...]] = []
    known: list[tuple[Terms, ...]] = []  # all multiples of what was found, up to the present degree
    unknowns: list[tuple[int, tuple[int, ...]]] = []
    images: list[Terms] = []
    for d in range(degree + 1):
        fresh = ring.monomials(d)
        for j in range(columns):
            for m in fresh:
                unknowns.append((j, m))
                image: Terms = {}
                for i, row in enumerate(rows):
                    image.update({(i, *e): c for e, c in ring.product(row[j], m).items()})
                images.append(image)
        known = [
            tuple(ring.product(p, m) for p in psi) for psi in found for k in range(d + 1) for m in ring.monomials(k)
        ]
        index = {u: i for i, u in enumerate(unknowns)}
        span = _Span(ring.prime)
        for psi in known:
            if all((j, e) in index for j, p in enumerate(psi) for e in p):
                span.add({index[j, e]: c for j, p in enumerate(psi) for e, c in p.items()})
        for solution in _kernel(images, ring.prime):
            if span.add(solution):
                column: list[Terms] = [{} for _ in range(columns)]
                for i, c in solution.items():
                    j, m = unknowns[i]
                    column[j][m] = c
                found.append(tuple(column))
    return found


class _Span:
    """A growing vector space modulo a prime, in echelon form."""

    def __init__(self, prime: int) -> None:
        self.prime = prime
        self.rows: dict[int, dict[int, int]] = {}

    def add(self, row: dict[int, int]) -> bool:
        """Whether the row was new."""
        left = dict(row)
        while left:
            top = max(left)
            if top not in self.rows:
                inverse = pow(left[top], -1, self.prime)
                self.rows[top] = {i: c * inverse % self.prime for i, c in left.items()}
                return True
            factor = left[top]
            _subtract(left, self.rows[top], factor, self.prime)
        return False


def _kernel(images: list[Terms], prime: int) -> list[dict[int, int]]:
    """Relations between sparse vectors: combinations that vanish."""
    pivots: dict[Any, tuple[Terms, dict[int, int]]] = {}
    relations = []
    for i, image in enumerate(images):
        left, used = dict(image), {i: 1}
        while left:
            top = max(left)
            if top not in pivots:
                inverse = pow(left[top], -1, prime)
                scaled = (
                    {e: c * inverse % prime for e, c in left.items()},
                    {k: c * inverse % prime for k, c in used.items()},
                )
                pivots[top] = scaled
                break
            factor = left[top]
            _subtract(left, pivots[top][0], factor, prime)
            _subtract(used, pivots[top][1], factor, prime)
        else:
            relations.append(used)
    return relations


def _scaled(table: dict[Any, int], factor: int, prime: int) -> dict[Any, int]:
    return {key: c * factor % prime for key, c in table.items()}


def _subtract(table: dict[Any, int], source: dict[Any, int], factor: int, prime: int) -> None:
    for key, c in source.items():
        total = (table.get(key, 0) - factor * c) % prime
        if total:
            table[key] = total
        else:
            table.pop(key, None)


def resolution_rank(
    matrix: Sequence[Sequence[Any]], ideal: Sequence[Any] = (), degree: int = 2, steps: int = 6
) -> tuple[int | None, list[int]]:
    """(columns - rank, numbers of generators): the alternating sum when the resolution ends, else None."""
    entry = next(p for row in matrix for p in row if hasattr(p, "context"))
    ring = Quotient(len(entry.context().names()), ideal)
    rows = [[ring.normal(ring.terms(p)) for p in row] for row in matrix]
    counts: list[int] = []
    for _ in range(steps):
        found = _syzygies(ring, rows, degree)
        counts.append(len(found))
        if not found:
            return sum(c * (-1) ** k for k, c in enumerate(counts)), counts
        rows = [[psi[j] for psi in found] for j in range(len(found[0]))]
    return None, counts


def plain(psi: Sequence[Terms], names: Sequence[str], prime: int = PRIME) -> list[str]:
    """A column as text, with small whole coefficients where there are some."""
    found = []
    for p in psi:
        parts = []
        for e, c in sorted(p.items(), key=lambda item: _grevlex(item[0]), reverse=True):
            value = c if c <= prime // 2 else c - prime
            factors = [n if k == 1 else f"{n}^{k}" for n, k in zip(names, e, strict=True) if k]
            text = "*".join(factors)
            sign = "-" if value < 0 else ""
            parts.append(str(value) if not text else f"{sign}{text}" if abs(value) == 1 else f"{value}*{text}")
        found.append(" + ".join(parts).replace("+ -", "- ") or "0")
    return found
