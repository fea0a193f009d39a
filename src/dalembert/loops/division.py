"""Division of polynomials with quotients: by a list, by a Groebner basis, and back to the generators.

    p = q_1 f_1 + ... + q_r f_r + remainder

By a Groebner basis the remainder is a normal form, zero exactly for members of the ideal; `members` then gives the
quotients for the generators themselves, so that membership is checked by multiplying out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from dalembert.errors import ModelError

#: Pairs that Buchberger's algorithm with quotients may treat: beyond, coefficients swell past any use.
_MOST_PAIRS = 4000


def rational(polynomials: Sequence[Any]) -> list[Any]:
    """The same polynomials with rational coefficients."""
    from flint import fmpq, fmpq_mpoly_ctx

    if not polynomials:
        return []
    old = polynomials[0].context()
    ctx = fmpq_mpoly_ctx.get(tuple(old.names()), old.ordering())
    return [
        ctx.from_dict({e: fmpq(c) if isinstance(c, int) else c * fmpq(1) for e, c in p.to_dict().items()})
        for p in polynomials
    ]


def divide(p: Any, divisors: Sequence[Any]) -> tuple[list[Any], Any]:
    """Quotients and remainder, the first divisor whose head fits is taken (thesis, section 4.2.2).

    >>> from flint import fmpq_mpoly_ctx
    >>> ctx = fmpq_mpoly_ctx.get(("X", "Y"), "lex")
    >>> X, Y = ctx.gens()
    >>> quotients, rest = divide(X**6 * Y**3 + X**5 * Y - X**2 * Y**2, [X**5, X**3 * Y - Y**2])
    >>> [str(q) for q in quotients], str(rest)
    (['X*Y^3 + Y', '0'], '-X^2*Y^2')
    """
    ctx = p.context()
    zero = p - p
    heads = [(f.monoms()[0], f.coeffs()[0]) for f in divisors]
    quotients, rest = [zero] * len(divisors), zero
    while p != 0:
        exponents, value = p.monoms()[0], p.coeffs()[0]
        for k, (head, lead) in enumerate(heads):
            if all(a >= b for a, b in zip(exponents, head, strict=True)):
                factor = ctx.from_dict({tuple(a - b for a, b in zip(exponents, head, strict=True)): value / lead})
                quotients[k] = quotients[k] + factor
                p = p - factor * divisors[k]
                break
        else:
            term = ctx.from_dict({exponents: value})
            rest, p = rest + term, p - term
    return quotients, rest


def normal_form(p: Any, basis: Sequence[Any]) -> Any:
    """The remainder by a basis with rational coefficients."""
    return divide(p, basis)[1]


def members(p: Any, generators: Sequence[Any]) -> list[Any] | None:
    """Quotients with p = sum q_i g_i, or None when p is not in the ideal of the generators."""
    given = rational(generators)
    (p,) = rational([p])
    p = given[0].context().from_dict(p.to_dict())
    basis, made = _with_quotients(given)
    quotients, rest = divide(p, basis)
    if rest != 0:
        return None
    total = [given[0] - given[0]] * len(given)
    for q, row in zip(quotients, made, strict=True):
        if q != 0:
            total = [t + q * m for t, m in zip(total, row, strict=True)]
    return total


def _with_quotients(generators: list[Any]) -> tuple[list[Any], list[list[Any]]]:
    """Buchberger's algorithm that remembers how each element is made of the generators."""
    zero = generators[0] - generators[0]
    basis, made = [], []
    for k, g in enumerate(generators):
        if g != 0:
            basis.append(g)
            made.append([zero + (1 if i == k else 0) for i in range(len(generators))])
    pairs = list(combinations(range(len(basis)), 2))
    treated = 0
    while pairs:
        pairs.sort(key=lambda ij: sum(max(a, b) for a, b in zip(_head(basis[ij[0]]), _head(basis[ij[1]]), strict=True)))
        i, j = pairs.pop(0)
        a, b = _head(basis[i]), _head(basis[j])
        if not any(x and y for x, y in zip(a, b, strict=True)):
            continue  # heads without a common letter: the pair reduces to zero
        treated += 1
        if treated > _MOST_PAIRS:
            raise ModelError(f"quotients need more than {_MOST_PAIRS} pairs here: ask only whether it is a member.")
        top = tuple(max(x, y) for x, y in zip(a, b, strict=True))
        ctx = zero.context()
        left = ctx.from_dict({tuple(t - x for t, x in zip(top, a, strict=True)): 1 / basis[i].coeffs()[0]})
        right = ctx.from_dict({tuple(t - x for t, x in zip(top, b, strict=True)): 1 / basis[j].coeffs()[0]})
        quotients, rest = divide(left * basis[i] - right * basis[j], basis)
        if rest == 0:
            continue
        row = [left * x - right * y for x, y in zip(made[i], made[j], strict=True)]
        for q, one in zip(quotients, made, strict=True):
            if q != 0:
                row = [r - q * m for r, m in zip(row, one, strict=True)]
        pairs += [(k, len(basis)) for k in range(len(basis))]
        basis.append(rest)
        made.append(row)
    return basis, made


def _head(p: Any) -> tuple[int, ...]:
    return p.monoms()[0]
