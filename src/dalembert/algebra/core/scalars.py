"""Scalars: the bridge from `Expr` into the ring of scalar terms, roots and absolute values."""

from __future__ import annotations

import math
from fractions import Fraction

from dalembert.algebra.core.engine import (
    ZERO,
    add,
    as_term,
    multiply_exponents,
    number,
    numeric_value,
    plain_exponent,
    power_product,
    split_content,
    times,
)
from dalembert.algebra.core.operator import ABS, DOT, EXPR, SQUARED_NORM, SUM, TIMES
from dalembert.algebra.core.sorts import SCALAR, AlgebraError
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, is_zero_term, make
from dalembert.errors import SingularError
from dalembert.expr import Expr, topological


def scalar(value: str | TermLike, *, constant: bool = False) -> Term:
    """A scalar term: a symbol by name, or any scalar expression.

    A symbol is a function of time when differentiated, unless it is declared `constant`.

    >>> a, b = scalar("a"), scalar("b")
    >>> (a + b) ** 2 - (a + b) * (b + a)
    0
    """
    if isinstance(value, str):
        from dalembert.expr import symbol

        if not value.isidentifier() and not value.rstrip("'").isidentifier():
            raise AlgebraError(f"{value!r} is not a name. Build a formula with expr.parse first, then scalar(formula).")
        return make(EXPR, (), (), symbol(value), SCALAR) if not constant else constant_scalar(value)
    term = as_term(value)
    if not term.sort.is_scalar:
        raise AlgebraError(f"'{term}' is a {term.sort}, not a scalar.")
    return term


def constant_scalar(name: str) -> Term:
    """A scalar symbol whose time derivative is zero."""
    from dalembert.algebra.core.operator import SYMBOL
    from dalembert.algebra.core.term import Facts

    return make(SYMBOL, (), (), Facts(name, frozenset({"constant"})), SCALAR)


def from_expr(e: Expr) -> Term:
    """Open sums, products and powers of a scalar expression; every other node is an atom of the ring."""
    made: dict[Expr, Term] = {}
    for node in topological([e]):
        op = node.op
        if op == "const":
            made[node] = number(node.value)
            continue
        args = [made[a] for a in node.args]
        if op == "add":
            made[node] = add(*args)
        elif op == "sub":
            made[node] = add(args[0], times(number(-1), args[1]))
        elif op == "neg":
            made[node] = times(number(-1), args[0])
        elif op == "mul":
            made[node] = times(*args)
        elif op == "div":
            made[node] = power_product([(args[0], 1), (args[1], -1)])
        elif op == "pow":
            made[node] = scalar_power(args[0], plain_exponent(args[1]))
        elif op == "sqrt":
            made[node] = scalar_power(args[0], Fraction(1, 2))
        elif op == "abs":
            made[node] = absolute(args[0])
        else:
            made[node] = make(EXPR, (), (), node, SCALAR)
    return made[e]


def scalar_power(base: Term, exponent: Weight) -> Term:
    """base ** exponent for scalars; even roots take absolute values out: sqrt(a^2 b) = |a| sqrt(b)."""
    if isinstance(exponent, int):
        if is_zero_term(base) and exponent < 0:
            raise SingularError("division by zero: a scalar that is identically 0 has no inverse.")
        return power_product([(base, exponent)]) if exponent else ONE
    if is_zero_term(base):
        return ZERO
    if base is ONE:
        return ONE
    if isinstance(exponent, Term):
        if base.op is TIMES and len(base.args) == 1:
            return _raw({base.args[0]: multiply_exponents(base.weights[0], exponent)})
        return _raw({base: exponent})
    return _root(base, Fraction(exponent))


def _root(base: Term, exponent: Fraction) -> Term:
    order = exponent.denominator
    content, body = split_content(base)
    if content < 0 and order % 2 == 0:  # the sign belongs to the radicand
        content, body = -content, times(number(-1), body)
        if numeric_value(body) is not None:
            raise AlgebraError(f"the root of order {order} of {base} is not a real number.")
    taken, left = _perfect_part(abs(content), order)
    factors = [number(taken ** int(exponent * order))]
    if content < 0:
        factors.append(number((-1) ** exponent.numerator))
    inside: list[tuple[Term, int]] = [(number(left), 1)]
    pairs = list(zip(body.args, body.weights)) if body.op is TIMES else [(body, 1)]
    for atom, e in pairs:
        whole = e // order if isinstance(e, int) else 0
        if whole and isinstance(e, int):
            outer = whole * exponent.numerator
            factors.append(
                power_product([(absolute(atom) if order % 2 == 0 and e % 2 == 0 and outer % 2 else atom, outer)])
            )
            inside.append((atom, e - whole * order))
        elif isinstance(e, int):
            inside.append((atom, e))
        else:  # (x^(p/q))^(r/s) = x^(pr/qs), for the roots that exist are non-negative
            even = order % 2 == 0 and isinstance(e, Fraction) and e.numerator % 2 == 0  # x^(2/3) = |x|^(2/3)
            factors.append(_raw({absolute(atom) if even else atom: multiply_exponents(e, exponent)}))
    radicand = power_product(inside)
    if radicand is not ONE:
        whole = exponent.numerator // exponent.denominator if numeric_value(radicand) is not None else 0
        factors += [_raw({radicand: exponent - whole}), power_product([(radicand, whole)])]
    return times(*factors)


def _perfect_part(value: Fraction, order: int) -> tuple[Fraction, Fraction]:
    """value = taken**order * left, with as much taken as small primes show."""
    taken, left = Fraction(1), Fraction(1)
    for part, sign in ((value.numerator, 1), (value.denominator, -1)):
        rest, out = part, 1
        prime = 2
        while prime**order <= rest and prime < 1000:
            while rest % prime**order == 0:
                rest //= prime**order
                out *= prime
            prime += 1
        root = round(rest ** (1 / order)) if rest < 2**52 else math.isqrt(rest)
        if root**order == rest:
            out, rest = out * root, 1
        taken *= Fraction(out) ** sign
        left *= Fraction(rest) ** sign
    # The radicand is an integer: sqrt(a/b) = sqrt(a b)/b.
    bottom = left.denominator
    return taken / bottom, left * bottom**order


def _raw(exponents: dict[Term, Weight]) -> Term:
    ((base, exponent),) = exponents.items()
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    if base.op is TIMES and isinstance(exponent, int):
        return power_product([(base, exponent)])
    return make(TIMES, (base,), (exponent,), None, SCALAR)


def absolute(term: TermLike) -> Term:
    """|x|: a projector and a morphism of products.

    >>> a = scalar("a")
    >>> absolute(-2 * a**3)
    2 a^2 |a|
    """
    x = as_term(term)
    value = numeric_value(x)
    if value is not None:
        return number(abs(value))
    from dalembert.algebra.core.apply import apply

    content, body = split_content(x)
    return times(number(abs(content)), apply(ABS, [body], SCALAR, _absolute))


def _absolute(body: Term) -> Term | None:
    if body.op is ABS:
        return None
    if body.op is TIMES and len(body.args) == 1 and not isinstance(body.weights[0], int):
        return body if is_nonnegative(body) else make(ABS, (body,), (), None, SCALAR)
    return body if is_nonnegative(body) else None


def is_nonnegative(term: Term) -> bool:
    """Whether a scalar term is plainly never negative (a norm, a square, a root, an absolute value)."""
    if term.op is ABS or term.op is SQUARED_NORM or (term.op is DOT and term.args[0] is term.args[1]):
        return True
    if term.op is EXPR and term.payload.op == "exp":
        return True
    if term.op is TIMES:
        return all(
            (isinstance(e, int) and e % 2 == 0)
            or (isinstance(e, Fraction) and e.denominator % 2 == 0)
            or is_nonnegative(b)
            for b, e in zip(term.args, term.weights)
        )
    if term.op is SUM:
        return all(w > 0 and is_nonnegative(t) for t, w in zip(term.args, term.weights))  # type: ignore[operator]
    return False


ABS.meaning.define(absolute, notation=lambda w, x: (w.d.norm(w.text(x)), w.ATOM))
