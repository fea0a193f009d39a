"""Real branches of g(x, y) = 0 through the origin, from a Taylor polynomial: Newton's polygon, Puiseux' substitution.

On an edge of the polygon put x = s t^q, y = c t^p (s = 1 or -1, t > 0). A simple real root c of the edge's polynomial
is the tangent of exactly one half-branch (implicit function theorem); no real root, no half-branch; a multiple root is
looked into by y = t^p (c + z). When no edge has a real root and g has pure powers of x and of y, the origin is
isolated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd
from typing import Any

Terms = Mapping[tuple[int, int], Any]


@dataclass(frozen=True, slots=True)
class HalfBranch:
    """x = sign t^q, y = c t^p to leading order."""

    sign: int
    q: int
    p: int
    c: float


@dataclass(frozen=True, slots=True)
class Branches:
    """Half-branches found; `all_known` when there are no others."""

    found: tuple[HalfBranch, ...]
    all_known: bool


Zero = Callable[[Any], bool]


def real_branches(terms: Terms, order: int, zero: Zero) -> Branches:
    """Half-branches of g from its terms up to a total degree; coefficients that are zero are left out of `terms`."""
    found: list[HalfBranch] = []
    known = True
    swapped = {(b, a): c for (a, b), c in terms.items()}
    # each half-branch off the y axis has x = s t^q, y = c t^p; the y axis itself is asked for with x and y exchanged
    for sign in (1, -1):
        one = _half(terms, lambda q, p: (order + 1) * min(q, p), sign, zero, 3)
        found += one.found
        known = known and one.all_known
    if not any(a == 0 for a, _ in terms):
        axis = _axis_branch(swapped, order)
        known = False
        if axis:
            found.append(HalfBranch(0, 1, 1, 1.0))  # along y
    return Branches(tuple(found), known)


def _axis_branch(terms: Terms, order: int) -> bool:
    """Whether a branch runs along x when no pure power of x shows: x^m y is there, and 2 m <= order.

    With y = x^(order + 1 - m) z the equation is z u + x (...) = 0 with u not zero: one branch, whatever comes later.
    """
    first = [a for a, b in terms if b == 1]
    return not any(b == 0 for _, b in terms) and bool(first) and 2 * min(first) <= order


def _half(terms: Terms, unknown: Callable[[int, int], int], sign: int, zero: Zero, depth: int) -> Branches:
    """Half-branches with x = sign t^q; `unknown(q, p)` is the least weight of a term that is not known."""
    if not terms:
        return Branches((), False)
    found: list[HalfBranch] = []
    known = True
    if not any(b == 0 for _, b in terms):
        known = False
        if _axis_branch(terms, unknown(1, 1) - 1):
            found.append(HalfBranch(sign, 1, 1, 0.0))
    for (a0, b0), (a1, b1) in _edges(terms):
        p, q = a1 - a0, b0 - b1
        divisor = gcd(p, q)
        p, q = p // divisor, q // divisor
        weight = q * a0 + p * b0
        if unknown(q, p) <= weight:
            known = False
            continue
        on_edge = {(a, b): c for (a, b), c in terms.items() if q * a + p * b == weight}
        polynomial = [0 * on_edge[a0, b0]] * (b0 - b1 + 1)
        for (a, b), value in on_edge.items():
            polynomial[b - b1] = value * sign**a
        roots = real_roots(polynomial, zero)
        if roots is None:
            known = False
            continue
        for root, multiplicity in roots:
            if multiplicity == 1:
                found.append(HalfBranch(sign, q, p, float(root)))
                continue
            if not depth:
                known = False
                continue
            deeper, least = _substituted(terms, sign, q, p, weight, root, unknown(q, p), zero)
            inside = _half(deeper, _below(least), 1, zero, depth - 1)
            known = known and inside.all_known
            found += [HalfBranch(sign, q, p, float(root)) for _ in inside.found]
    return Branches(tuple(found), known)


def _below(power: int) -> Callable[[int, int], int]:
    """Unknown are the terms from a power of the first variable on."""
    return lambda q, _p: q * power


def _edges(terms: Terms) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Compact edges of the lower left hull, from the y side to the x side."""
    lowest: dict[int, int] = {}
    for a, b in terms:
        lowest[a] = min(b, lowest.get(a, b))
    points = sorted(lowest.items())
    start = points[0]
    edges = []
    while start[1] > 0:
        best, slope = None, None
        for a, b in points:
            if a > start[0] and b < start[1]:
                s = (Fraction(start[1] - b, a - start[0]), a)
                if slope is None or s > slope:
                    best, slope = (a, b), s
        if best is None:
            break
        edges.append((start, best))
        start = best
    return edges


def _substituted(
    terms: Terms, sign: int, q: int, p: int, weight: int, c: Any, unknown: int, zero: Zero
) -> tuple[dict[tuple[int, int], Any], int]:
    """g(sign t^q, t^p (c + z)) / t^weight, known below t^(unknown - weight)."""
    least = unknown - weight
    found: dict[tuple[int, int], Any] = {}
    for (a, b), value in terms.items():
        power = q * a + p * b - weight
        if power >= least:
            continue
        for j in range(b + 1):
            found[power, j] = found.get((power, j), 0) + value * sign**a * comb(b, j) * c ** (b - j)
    return {key: value for key, value in found.items() if not zero(value)}, least


def real_roots(polynomial: list[Any], zero: Zero) -> list[tuple[Any, int]] | None:
    """Real roots (not 0) with multiplicities of a polynomial with balls, low powers first; None when undecided."""
    coefficients = list(polynomial)
    while coefficients and zero(coefficients[-1]):
        coefficients.pop()
    while coefficients and zero(coefficients[0]):
        coefficients.pop(0)
    found: list[tuple[Any, int]] = []
    for multiplicity, factor in enumerate(_square_free(coefficients, zero), 1):
        if len(factor) < 2:
            continue
        roots = _simple_roots(factor)
        if roots is None:
            return None
        found += [(r, multiplicity) for r in roots]
    return found


def _square_free(f: list[Any], zero: Zero) -> list[list[Any]]:
    """Factors of multiplicity 1, 2, ... (Yun)."""
    if len(f) < 2:
        return []
    common = _gcd(f, _derivative(f), zero)
    b = _quotient(f, common)
    c = _quotient(_derivative(f), common)
    d = _minus(c, _derivative(b), zero)
    found = []
    for _ in range(len(f)):
        if len(b) < 2:
            break
        a = _gcd(b, d, zero) if d else b
        found.append(a)
        b = _quotient(b, a)
        c = _quotient(d, a) if d else []
        d = _minus(c, _derivative(b), zero)
    return found


def _derivative(f: list[Any]) -> list[Any]:
    return [i * c for i, c in enumerate(f)][1:]


def _minus(f: list[Any], g: list[Any], zero: Zero) -> list[Any]:
    size = max(len(f), len(g))
    found = [(f[i] if i < len(f) else 0) - (g[i] if i < len(g) else 0) for i in range(size)]
    while found and zero(found[-1]):
        found.pop()
    return found


def _divided(f: list[Any], g: list[Any]) -> tuple[list[Any], list[Any]]:
    left, found = list(f), [0 * g[-1]] * max(0, len(f) - len(g) + 1)
    for i in range(len(f) - len(g), -1, -1):
        found[i] = left[i + len(g) - 1] / g[-1]
        for j, c in enumerate(g):
            left[i + j] = left[i + j] - found[i] * c
    return found, left[: len(g) - 1]


def _quotient(f: list[Any], g: list[Any]) -> list[Any]:
    return _divided(f, g)[0] if len(f) >= len(g) else []


def _gcd(f: list[Any], g: list[Any], zero: Zero) -> list[Any]:
    while g:
        g = [c / g[-1] for c in g]
        rest = _divided(f, g)[1] if len(f) >= len(g) else list(f)
        while rest and zero(rest[-1]):
            rest.pop()
        f, g = g, rest
    return [c / f[-1] for c in f]


def _simple_roots(f: list[Any]) -> list[Any] | None:
    """Real roots of a polynomial without multiple roots: Arb encloses all complex ones, a change of sign proves a real.

    None when an enclosure that meets the real axis shows no change of sign.
    """
    from flint import acb_poly, arb, arb_poly, ctx

    try:
        roots = acb_poly(arb_poly([c.mid() for c in f])).roots()
    except (ValueError, ArithmeticError):
        return None

    def value(at: Any, of: list[Any]) -> Any:
        total = 0 * at
        for c in reversed(of):
            total = total * at + c
        return total

    found = []
    slope = _derivative(f)
    for root in roots:
        if not root.imag.contains(0):
            continue
        middle = root.real.mid()
        # half the digits aside, where an exact root has an enclosure without width
        reach = 4 * (root.real.rad() + root.imag.rad()) + (1 + abs(middle)) * arb(2) ** (-ctx.prec // 2)
        left, right = value(middle - reach, f), value(middle + reach, f)
        if left.contains(0) or right.contains(0) or bool(left > 0) == bool(right > 0):
            return None
        for _ in range(12):  # enclosures are only as small as they must be
            middle = (middle - value(middle, f) / value(middle, slope)).mid()
        found.append(middle)
    return found
