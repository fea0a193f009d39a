"""Sums and products taken apart as they are read: terms with their signs, factors above and below the line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import ONE, Expr, Number


def signed_terms(e: Expr, sign: int = 1) -> list[tuple[int, Expr]]:
    """The terms of a sum with their signs; nested differences are opened."""
    found: list[tuple[int, Expr]] = []
    stack = [(sign, e)]
    while stack:
        s, x = stack.pop()
        if x.op == "add":
            stack += [(s, x.args[1]), (s, x.args[0])]
        elif x.op == "sub":
            stack += [(-s, x.args[1]), (s, x.args[0])]
        elif x.op == "neg":
            stack.append((-s, x.args[0]))
        elif x.op == "const" and x.data < 0:
            found.append((-s, ex.const(-x.data)))
        else:
            found.append((s, x))
    return found


@dataclass
class Product:
    """A number and powers of factors above and below the line."""

    number: Number
    factors: list[tuple[Expr, Expr | None]]  # base and exponent
    below: list[tuple[Expr, Expr | None]]


def product_of(e: Expr) -> tuple[int, Product]:
    """Sign and factors of a product; quotients and whole powers are opened."""
    sign, found = 1, Product(1, [], [])
    stack = [(e, True)]
    while stack:
        x, above = stack.pop()
        if x.op == "mul":
            stack += [(x.args[1], above), (x.args[0], above)]
        elif x.op == "div":
            stack += [(x.args[1], not above), (x.args[0], above)]
        elif x.op == "neg":
            sign = -sign
            stack.append((x.args[0], above))
        elif x.op == "const" and (above or x.data):
            value = x.data
            if value < 0:
                sign, value = -sign, -value
            found.number = _times(found.number, value if above else _inverse(value))
        elif x.op == "pow":
            (found.factors if above else found.below).append((x.args[0], x.args[1]))
        elif x is not ONE:
            terms = signed_terms(x) if x.op in ("add", "sub") else []
            if terms and all(s < 0 for s, _ in terms):
                sign, x = -sign, sum((one for _, one in terms), ex.ZERO)
            (found.factors if above else found.below).append((x, None))
    return sign, Product(found.number, _joined_powers(found.factors), _joined_powers(found.below))


def _joined_powers(factors: list[tuple[Expr, Expr | None]]) -> list[tuple[Expr, Expr | None]]:
    """A factor that stands twice is a power."""
    exponents: dict[Expr, Expr] = {}
    for base, n in factors:
        exponents[base] = exponents.get(base, ex.ZERO) + (ONE if n is None else n)
    return [(base, None if n is ONE else n) for base, n in exponents.items() if n is not ex.ZERO]


def _times(a: Number, b: Number) -> Number:
    return float(a) * float(b) if isinstance(a, float) or isinstance(b, float) else Fraction(a) * Fraction(b)


def _inverse(value: Number) -> Number:
    return 1 / value if isinstance(value, float) else 1 / Fraction(value)
