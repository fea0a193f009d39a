"""Elementary functions, with the identities that hold for every real argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dalembert.errors import ExpressionError
from dalembert.expr import _arithmetic as arithmetic
from dalembert.expr import _node as node
from dalembert.expr._node import HALF, ONE, PI, ZERO, Expr, Scalar, as_expr, const, unary


def _turns(a: Expr) -> Fraction | None:
    """The rational r when `a` is r*pi, else None."""
    if a is PI:
        return Fraction(1)
    if a.op == "neg" and a.args[0] is PI:
        return Fraction(-1)
    if a.op == "mul" and a.args[1] is PI and not isinstance(a.args[0].data, float):
        return Fraction(a.args[0].data)
    return None


def _sine_of_turns(turns: Fraction) -> Expr | None:
    """sin(turns*pi) where it is 0, 1/2, sqrt(2)/2, sqrt(3)/2 or 1 up to sign."""
    turns %= 2
    if turns >= 1:
        value = _sine_of_turns(turns - 1)
        return None if value is None else arithmetic.neg(value)
    if turns > HALF.data:
        turns = 1 - turns
    values = {Fraction(0): ZERO, Fraction(1, 6): HALF, Fraction(1, 2): ONE}
    if turns in values:
        return values[turns]
    roots = {Fraction(1, 4): 2, Fraction(1, 3): 3}
    return HALF * sqrt(roots[turns]) if turns in roots else None


def _fold(function: Callable[[float], float], a: Expr) -> Expr | None:
    """The value at a float; exact numbers keep their function, and so do decimals while text is read."""
    if a.op != "const" or not isinstance(a.data, float):
        return None
    try:
        value = function(a.data)
        return None if arithmetic.keeps_decimals(a.data) else const(value)
    except (ValueError, OverflowError):
        raise ExpressionError(
            f"{function.__name__}({a.data}) is not a real number within the range of floats."
        ) from None


def _at_float(function: Callable[[float], float], a: Expr) -> Expr:
    value = _fold(function, a)
    return unary(function.__name__, a) if value is None else value


def sqrt(x: Scalar) -> Expr:
    return arithmetic.square_root(as_expr(x))


def sin(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ZERO
    if a.op == "neg":
        return arithmetic.neg(sin(a.args[0]))
    if a.op == "const" and a.data < 0:
        return arithmetic.neg(sin(const(-a.data)))
    if a.op == "asin":
        return a.args[0]
    turns = _turns(a)
    exact = _sine_of_turns(turns) if turns is not None else _fold(math.sin, a)
    return unary("sin", a) if exact is None else exact


def cos(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ONE
    if a.op == "neg":
        return cos(a.args[0])
    if a.op == "const" and a.data < 0:
        return cos(const(-a.data))
    if a.op == "acos":
        return a.args[0]
    turns = _turns(a)
    exact = _sine_of_turns(turns + Fraction(1, 2)) if turns is not None else _fold(math.cos, a)
    return unary("cos", a) if exact is None else exact


def tan(x: Scalar) -> Expr:
    """sin/cos, so that the pair is shared with its neighbours."""
    return sin(x) / cos(x)


def asin(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ZERO
    if a.op == "neg":
        return arithmetic.neg(asin(a.args[0]))
    return _at_float(math.asin, a)


def acos(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ONE:
        return ZERO
    return _at_float(math.acos, a)


def atan(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ZERO
    if a.op == "neg":
        return arithmetic.neg(atan(a.args[0]))
    return _at_float(math.atan, a)


def atan2(y: Scalar, x: Scalar) -> Expr:
    a, b = as_expr(y), as_expr(x)
    if a.op == "const" and b.op == "const":
        if a is ZERO and b.data > 0:
            return ZERO
        rounds = isinstance(a.data, float) or isinstance(b.data, float)
        if rounds and not arithmetic.keeps_decimals(a.data, b.data):
            return const(math.atan2(a.data, b.data))
    return node.binary("atan2", a, b)


def exp(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ONE
    if a.op == "log":
        return a.args[0]
    return _at_float(math.exp, a)


def log(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ONE:
        return ZERO
    if a.op == "exp":
        return a.args[0]
    if a.op == "const" and a.data <= 0:
        raise ExpressionError(f"the logarithm of {a.data} is not a real number.")
    return _at_float(math.log, a)


def sinh(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ZERO
    return arithmetic.neg(sinh(a.args[0])) if a.op == "neg" else _at_float(math.sinh, a)


def cosh(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ONE
    return cosh(a.args[0]) if a.op == "neg" else _at_float(math.cosh, a)


def tanh(x: Scalar) -> Expr:
    a = as_expr(x)
    if a is ZERO:
        return ZERO
    return arithmetic.neg(tanh(a.args[0])) if a.op == "neg" else _at_float(math.tanh, a)


def sign(x: Scalar) -> Expr:
    a = as_expr(x)
    if a.op == "const":
        return const((a.data > 0) - (a.data < 0))
    if a.op == "neg":
        return arithmetic.neg(sign(a.args[0]))
    return unary("sign", a)


def minimum(x: Scalar, y: Scalar) -> Expr:
    return _extreme("min", min, as_expr(x), as_expr(y))


def maximum(x: Scalar, y: Scalar) -> Expr:
    return _extreme("max", max, as_expr(x), as_expr(y))


def _extreme(op: str, choose: Callable[..., float], a: Expr, b: Expr) -> Expr:
    if a is b:
        return a
    if a.op == "const" and b.op == "const":
        return const(choose(a.data, b.data))
    return node.binary(op, a, b) if a.id < b.id else node.binary(op, b, a)


def where(condition: Scalar, x: Scalar, y: Scalar) -> Expr:
    """x where the condition holds (is not zero), else y; both sides are always evaluated."""
    c, a, b = as_expr(condition), as_expr(x), as_expr(y)
    if c.op == "const":
        return a if c.data else b
    return a if a is b else node.intern("where", (c, a, b))


def function(name: str) -> Callable[..., Expr]:
    """An unknown function: `function("fs")(x, v)` is a scalar of which only the arguments are known."""

    def call(*args: Scalar) -> Expr:
        if not args:
            raise ExpressionError(f"the unknown function {name!r} needs at least one argument.")
        return node.apply(name, tuple(as_expr(a) for a in args))

    return call
