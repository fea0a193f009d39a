"""Arithmetic with the identities that hold for every real operand, applied when a node is made.

Constants fold, zeros and ones vanish, signs move outwards (`-a*b` is `-(a*b)`), commuting operands are ordered. Sums
and products first ask whether an identity can apply at all: most nodes of a derivation are plain ones.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final

from dalembert.errors import ExpressionError
from dalembert.expr._node import MINUS_ONE, ONE, TWO, ZERO, Expr, Number, Scalar, as_expr, const, intern

LARGEST_CONSTANT = 100_000  # bits, about 30 000 digits: such a power still takes no time
_SPECIAL_IN_SUM: Final = frozenset({"const", "neg", "sub"})
_SPECIAL_IN_DIFFERENCE: Final = frozenset({"const", "neg", "add", "sub"})
_SPECIAL_IN_PRODUCT: Final = frozenset({"const", "neg", "pow", "div"})


_AS_SPELLED: ContextVar[bool] = ContextVar("as_spelled", default=False)


@contextmanager
def decimals_as_spelled() -> Iterator[None]:
    """While text is read, decimals are the rationals that they spell: 0.1 + 0.2 is 0.3, and 0.6 - 1e-30 is not 0.6."""
    token = _AS_SPELLED.set(True)
    try:
        yield
    finally:
        _AS_SPELLED.reset(token)


#: Share of its operands below which a sum of decimals is taken as they spell: it has lost two binary digits.
CANCELLED = 0.25
_DIFFERENCES = frozenset({operator.add, operator.sub})


def keeps_decimals(*values: Number) -> bool:
    """Whether the value of a function at these numbers would be rounded although text is read."""
    return _AS_SPELLED.get() and any(isinstance(v, float) for v in values)


def _spelled(value: Number) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _exactly(operation: Callable[[Any, Any], Number], a: Number, b: Number) -> Expr | None:
    """The same in rationals: as a decimal where one spells it; None where that would be long, or is a root."""
    first, second = _spelled(a), _spelled(b)
    if operation is operator.pow and second.denominator != 1:
        return None
    size = abs(int(second)) if operation is operator.pow else 1
    bits = max(abs(first.numerator), first.denominator).bit_length() * size
    if bits > LARGEST_CONSTANT:
        return None
    found = Fraction(operation(first, second))
    try:
        near = float(found)
    except OverflowError:
        return None
    return const(near if _spelled(near) == found else found)


def _folded(operation: Callable[[Any, Any], Number], a: Number, b: Number) -> Expr:
    """The constant that an operation on two constants gives."""
    if type(a) is int and type(b) is int:
        return const(operation(a, b))
    if keeps_decimals(a, b):
        exact = _exactly(operation, a, b)
        if exact is not None:
            return exact
    try:
        value = operation(a, b)
    except OverflowError:
        value = math.inf
    if type(value) is float and operation in _DIFFERENCES and 0 < abs(value) < CANCELLED * abs(float(a)):
        value = float(operation(_spelled(a), _spelled(b)))  # 0.01 - 0.0096 is 0.0004: what is left is not its rounding
    if isinstance(value, float) and not math.isfinite(value):
        raise ExpressionError(
            f"{operation.__name__.strip('_')} of the constants {a} and {b} leaves the range of floats."
        )
    return const(value)


def _quotient(a: Number, b: Number) -> Number:
    return a / b if isinstance(a, float) or isinstance(b, float) else Fraction(a) / Fraction(b)


def neg(a: Expr) -> Expr:
    if a is ZERO:
        return ZERO
    op = a.op
    if op == "neg":
        return a.args[0]
    if op == "const":
        return const(-a.data)
    if op in ("add", "sub") and a.args[0].op == "const":
        opposite, second = const(-a.args[0].data), a.args[1]
        return intern("sub", (opposite, second)) if op == "add" else add(opposite, second)
    return intern("neg", (a,))


def add(a: Expr, b: Expr) -> Expr:
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a.op in _SPECIAL_IN_SUM or b.op in _SPECIAL_IN_SUM:
        known = _special_sum(a, b)
        if known is not None:
            return known
    elif a is b:
        return mul(TWO, a)
    return intern("add", (a, b) if a.id < b.id else (b, a))


def _special_sum(a: Expr, b: Expr) -> Expr | None:
    """The sum when one operand is a constant, a negative or a difference and so may simplify it."""
    if a is b:
        return mul(TWO, a)
    a_op, b_op = a.op, b.op
    if a_op == "neg":
        return neg(add(a.args[0], b.args[0])) if b_op == "neg" else sub(b, a.args[0])
    if b_op == "neg":
        return sub(a, b.args[0])
    if b_op == "const":
        a, b, a_op, b_op = b, a, b_op, a_op
    if a_op == "const":
        if b_op == "const":
            return _folded(operator.add, a.data, b.data)
        if b_op in ("add", "sub") and b.args[0].op == "const":
            combine = add if b_op == "add" else sub
            return combine(_folded(operator.add, a.data, b.args[0].data), b.args[1])
        return intern("add", (a, b))
    if a_op == "sub" and a.args[1] is b:
        return a.args[0]
    if b_op == "sub" and b.args[1] is a:
        return b.args[0]
    return None


def sub(a: Expr, b: Expr) -> Expr:
    if b is ZERO:
        return a
    if a is b:
        return ZERO
    if a.op in _SPECIAL_IN_DIFFERENCE or b.op in _SPECIAL_IN_DIFFERENCE:
        known = _special_difference(a, b)
        if known is not None:
            return known
    # One of a - b and b - a exists; the other is its negative.
    return intern("sub", (a, b)) if a.id < b.id else intern("neg", (intern("sub", (b, a)),))


def _special_difference(a: Expr, b: Expr) -> Expr | None:
    """The difference when an operand may simplify it; a constant left of the minus stays there."""
    if a is ZERO:
        return neg(b)
    a_op, b_op = a.op, b.op
    if b_op == "neg":
        return add(a, b.args[0])
    if a_op == "neg":
        return neg(add(a.args[0], b))
    if b_op == "const":
        return _folded(operator.sub, a.data, b.data) if a_op == "const" else add(a, const(-b.data))
    if a_op == "const":
        if b_op in ("add", "sub") and b.args[0].op == "const":
            combine = sub if b_op == "add" else add
            return combine(_folded(operator.sub, a.data, b.args[0].data), b.args[1])
        return intern("sub", (a, b))
    if a_op in ("add", "sub") and b in a.args:
        first, second = a.args
        if a_op == "add":
            return second if first is b else first
        return neg(second) if first is b else None
    if b_op in ("add", "sub") and a in b.args:
        first, second = b.args
        if b_op == "add":
            return neg(second) if first is a else neg(first)
        return second if first is a else None
    return None


def mul(a: Expr, b: Expr) -> Expr:
    if a is ZERO or b is ZERO:
        return ZERO
    a_op, b_op = a.op, b.op
    if (
        a_op in _SPECIAL_IN_PRODUCT
        or b_op in _SPECIAL_IN_PRODUCT
        or (a_op == "mul" and a.args[0].op == "const")
        or (b_op == "mul" and b.args[0].op == "const")
    ):
        known = _special_product(a, b)
        if known is not None:
            return known
    elif a is b:
        return a.args[0] if a_op == "sqrt" else intern("pow", (a, TWO))
    return intern("mul", (a, b) if a.id < b.id else (b, a))


def _special_product(a: Expr, b: Expr) -> Expr | None:
    """The product when an operand carries a sign, a factor, a power or a divisor that may combine."""
    if a is ONE:
        return b
    if b is ONE:
        return a
    a_op, b_op = a.op, b.op
    if b_op == "const":
        a, b, a_op, b_op = b, a, b_op, a_op
    if a_op == "const":
        return _scale(a, b)
    if a_op == "neg":
        return mul(a.args[0], b.args[0]) if b_op == "neg" else neg(mul(a.args[0], b))
    if b_op == "neg":
        return neg(mul(a, b.args[0]))
    if a_op == "mul" and a.args[0].op == "const":
        return _scale(a.args[0], mul(a.args[1], b))
    if b_op == "mul" and b.args[0].op == "const":
        return _scale(b.args[0], mul(a, b.args[1]))
    if a is b:
        return power(a, TWO)
    if a_op == "pow" and a.args[0] is b and a.args[1].op == "const":
        return power(b, add(a.args[1], ONE))
    if b_op == "pow" and b.args[0] is a and b.args[1].op == "const":
        return power(a, add(b.args[1], ONE))
    if a_op == "div" and a.args[1] is b:
        return a.args[0]
    if b_op == "div" and b.args[1] is a:
        return b.args[0]
    return None


def _scale(factor: Expr, a: Expr) -> Expr:
    """A constant times a node: one positive factor in front, other than one; the sign goes outside."""
    while a.op == "neg" or (a.op == "mul" and a.args[0].op == "const"):
        if a.op == "neg":
            factor, a = const(-factor.data), a.args[0]
        else:
            factor, a = _folded(operator.mul, factor.data, a.args[0].data), a.args[1]
    if a.op == "const":
        return _folded(operator.mul, factor.data, a.data)
    if factor is ONE:
        return a
    if factor is ZERO:
        return ZERO
    if factor is MINUS_ONE:
        return neg(a)
    value = factor.data
    positive = value.numerator > 0 if type(value) is Fraction else value > 0
    return intern("mul", (factor, a)) if positive else intern("neg", (intern("mul", (const(-value), a)),))


def div(a: Expr, b: Expr) -> Expr:
    if b is ONE:
        return a
    a_op, b_op = a.op, b.op
    if b_op == "const":
        if b.data == 0:
            raise ExpressionError(f"division of {a} by zero.")
        return _folded(_quotient, a.data, b.data) if a_op == "const" else mul(_folded(_quotient, 1, b.data), a)
    if a is ZERO:
        return ZERO
    if a is b:
        return ONE
    if b_op == "neg":
        return neg(div(a, b.args[0]))
    if b_op == "mul" and b.args[0].op == "const":
        return div(mul(_folded(_quotient, 1, b.args[0].data), a), b.args[1])
    if b_op == "sqrt" and b.args[0].op == "const":  # 1/sqrt(2) is sqrt(2)/2
        return mul(mul(_folded(_quotient, 1, b.args[0].data), b), a)
    if a_op == "neg":
        return neg(div(a.args[0], b))
    if a_op == "mul":
        if a.args[0] is b:
            return a.args[1]
        if a.args[1] is b:
            return a.args[0]
        if a.args[0].op == "const":
            return mul(a.args[0], div(a.args[1], b))
    if a_op == "pow" and a.args[0] is b and a.args[1].op == "const":
        return power(b, sub(a.args[1], ONE))
    if a_op == "const" and a is not ONE:
        return mul(a, intern("div", (ONE, b)))
    return intern("div", (a, b))


def power(a: Expr, b: Expr) -> Expr:
    if b.op != "const":
        return ONE if a is ONE else intern("pow", (a, b))
    exponent = b.data
    if type(exponent) is int:
        return _integer_power(a, exponent)
    if abs(exponent) == Fraction(1, 2):
        return square_root(a) if exponent > 0 else div(ONE, square_root(a))
    if type(exponent) is float and type(a.data) is float and a.op == "const" and a.data > 0:
        if keeps_decimals(exponent):
            return intern("pow", (a, const(_spelled(exponent))))
        return _folded(operator.pow, a.data, exponent)
    return intern("pow", (a, b))


def _integer_power(a: Expr, exponent: int) -> Expr:
    if exponent == 0:
        return ONE
    if exponent == 1:
        return a
    if exponent < 0:
        return div(ONE, _integer_power(a, -exponent))
    op = a.op
    if op == "const":
        refuse_huge_power(a.data, exponent)
        return _folded(operator.pow, a.data, exponent)
    if op == "neg":
        inner = _integer_power(a.args[0], exponent)
        return inner if exponent % 2 == 0 else neg(inner)
    if op == "pow" and type(a.args[1].data) is int:
        return intern("pow", (a.args[0], const(a.args[1].data * exponent)))
    if op == "mul" and a.args[0].op == "const":
        return mul(_integer_power(a.args[0], exponent), _integer_power(a.args[1], exponent))
    if op == "sqrt" and exponent % 2 == 0:
        return _integer_power(a.args[0], exponent // 2)
    if op == "div" and a.args[0] is ONE:
        return div(ONE, _integer_power(a.args[1], exponent))
    return intern("pow", (a, const(exponent)))


def refuse_huge_power(base: Number, exponent: int | Fraction) -> None:
    """Refuse 9**9**9 and its like before a machine spends its life on them."""
    if isinstance(base, float) or base in (0, 1, -1):
        return
    fraction, size = Fraction(base), abs(Fraction(exponent))
    bits = max(abs(fraction.numerator), fraction.denominator).bit_length()
    if bits * size > LARGEST_CONSTANT:
        told = f"{base}**{exponent}" if max(bits, math.ceil(size).bit_length()) < 100 else "of this power"
        raise ExpressionError(f"the constant {told} is too large to write. Use a float.")


def square_root(a: Expr) -> Expr:
    if a.op == "const":
        value = a.data
        if value < 0:
            raise ExpressionError(f"the square root of {value} is not a real number.")
        if isinstance(value, float) and not keeps_decimals(value):
            return const(math.sqrt(value))
        fraction = _spelled(value)
        top, bottom = math.isqrt(fraction.numerator), math.isqrt(fraction.denominator)
        if top * top == fraction.numerator and bottom * bottom == fraction.denominator:
            root = Fraction(top, bottom)
            return const(float(root) if isinstance(value, float) else root)
    return intern("sqrt", (a,))


def absolute(x: Scalar) -> Expr:
    """The distance from zero."""
    a = as_expr(x)
    if a.op == "const":
        return const(abs(a.data))
    if a.op == "neg":
        return absolute(a.args[0])
    return a if a.op in ("abs", "sqrt", "exp", "pi") else intern("abs", (a,))


def _compare(op: str, test: Callable[[Any, Any], bool], a: Expr, b: Expr) -> Expr:
    if a.op == "const" and b.op == "const":
        return ONE if test(a.data, b.data) else ZERO
    return intern(op, (a, b))


def less(x: Scalar, y: Scalar) -> Expr:
    """1 where x < y, else 0."""
    a, b = as_expr(x), as_expr(y)
    return ZERO if a is b else _compare("lt", operator.lt, a, b)


def less_equal(x: Scalar, y: Scalar) -> Expr:
    """1 where x <= y, else 0."""
    a, b = as_expr(x), as_expr(y)
    return ONE if a is b else _compare("le", operator.le, a, b)


def equal(x: Scalar, y: Scalar) -> Expr:
    """1 where x equals y, else 0."""
    a, b = as_expr(x), as_expr(y)
    return ONE if a is b else _compare("eq", operator.eq, a, b)
