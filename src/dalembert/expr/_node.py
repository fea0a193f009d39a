"""The hash-consed node: structurally equal expressions are one object, so common subexpressions are free.

Identities of arithmetic are applied when a node is made: constants fold, zeros and ones vanish, signs move outwards
(`-a*b` is `-(a*b)`), commuting operands are ordered. No function here recurses, so a million nodes are no burden.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias
from weakref import ref

from dalembert.errors import ExpressionError

Number: TypeAlias = int | Fraction | float
Scalar: TypeAlias = "Expr | Number | str"

COMPARISONS: Final = frozenset({"lt", "le", "eq"})
_LARGEST_EXACT_FLOAT = 2**53
_LARGEST_CONSTANT = 100_000  # bits


class Expr:
    """A scalar expression: an operation and its operands, made once and shared for ever.

    `id` grows with creation, so sorting by `id` is a topological order.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> (x + 1) * 2 is 2 * (1 + x)
    True
    """

    __slots__ = ("__weakref__", "args", "data", "id", "op")

    op: str
    args: tuple[Expr, ...]
    id: int
    data: Any

    @property
    def value(self) -> Number:
        """The number that a constant stands for."""
        if self.op != "const":
            raise ExpressionError(f"{self} is not a number. Substitute its symbols first.")
        number: Number = self.data
        return number

    @property
    def name(self) -> str:
        """The name of a symbol or of an unknown function."""
        if self.op == "symbol":
            return str(self.data)
        if self.op == "apply":
            return str(self.data[0])
        raise ExpressionError(f"{self} has no name: it is neither a symbol nor an unknown function.")

    @property
    def orders(self) -> tuple[int, ...]:
        """How often an unknown function has been differentiated with respect to each argument."""
        if self.op != "apply":
            raise ExpressionError(f"{self} is not an unknown function.")
        orders: tuple[int, ...] = self.data[1]
        return orders

    @property
    def is_number(self) -> bool:
        return self.op == "const"

    def __add__(self, other: Scalar) -> Expr:
        return add(self, as_expr(other))

    def __radd__(self, other: Number) -> Expr:
        return add(as_expr(other), self)

    def __sub__(self, other: Scalar) -> Expr:
        return sub(self, as_expr(other))

    def __rsub__(self, other: Number) -> Expr:
        return sub(as_expr(other), self)

    def __mul__(self, other: Scalar) -> Expr:
        return mul(self, as_expr(other))

    def __rmul__(self, other: Number) -> Expr:
        return mul(as_expr(other), self)

    def __truediv__(self, other: Scalar) -> Expr:
        return div(self, as_expr(other))

    def __rtruediv__(self, other: Number) -> Expr:
        return div(as_expr(other), self)

    def __pow__(self, other: Scalar) -> Expr:
        return power(self, as_expr(other))

    def __rpow__(self, other: Number) -> Expr:
        return power(as_expr(other), self)

    def __neg__(self) -> Expr:
        return neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return absolute(self)

    def __lt__(self, other: Scalar) -> Expr:
        return less(self, as_expr(other))

    def __le__(self, other: Scalar) -> Expr:
        return less_equal(self, as_expr(other))

    def __gt__(self, other: Scalar) -> Expr:
        return less(as_expr(other), self)

    def __ge__(self, other: Scalar) -> Expr:
        return less_equal(as_expr(other), self)

    def __bool__(self) -> bool:
        if self.op == "const":
            return bool(self.data)
        if self.op in COMPARISONS:
            raise ExpressionError(f"the truth of {self} is not known. Use where(condition, a, b) to choose by value.")
        return True

    def __float__(self) -> float:
        return float(self.value) if self.op == "const" else float(PI_VALUE if self.op == "pi" else self.value)

    def __repr__(self) -> str:
        from dalembert.expr._text import text

        return text(self)

    def _repr_latex_(self) -> str:
        from dalembert.expr._text import latex

        return f"$\\displaystyle {latex(self)}$"

    def __reduce__(self) -> tuple[Any, ...]:
        from dalembert.expr._pickle import flatten, restore

        return restore, (flatten((self,)),)


PI_VALUE: Final = math.pi


class _Entry(ref):  # type: ignore[type-arg]
    """A weak reference that knows its key, so that a forgotten node leaves the table."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_table: dict[tuple[Any, ...], _Entry] = {}
_serial = itertools.count()
_blank = Expr.__new__


def _forget(entry: _Entry, table: dict[tuple[Any, ...], _Entry] = _table) -> None:
    if table.get(entry.key) is entry:
        del table[entry.key]


def _intern(key: tuple[Any, ...], op: str, args: tuple[Expr, ...], data: Any) -> Expr:
    """The one node of this structure: the table's, or a new one."""
    entry = _table.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[no-any-return]
    node = _blank(Expr)
    node.op = op
    node.args = args
    node.data = data
    node.id = next(_serial)
    fresh = _Entry(node, _forget)
    fresh.key = key
    _table[key] = fresh
    return node


def unary(op: str, a: Expr) -> Expr:
    """A node of one operand, without identities: those are in the function of that name."""
    return _intern((op, a.id), op, (a,), None)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return _intern((op, a.id, b.id), op, (a, b), None)


def ternary(op: str, a: Expr, b: Expr, c: Expr) -> Expr:
    return _intern((op, a.id, b.id, c.id), op, (a, b, c), None)


def symbol(name: str) -> Expr:
    """The symbol of this name; the same name always gives the same symbol."""
    if not isinstance(name, str) or not name.strip():
        raise ExpressionError(f"a symbol needs a name, not {name!r}.")
    return _intern(("symbol", name), "symbol", (), name)


def const(value: Number) -> Expr:
    """A number as an expression; integers and rationals stay exact, integral floats become integers."""
    if type(value) is int:
        pass
    elif isinstance(value, Fraction):
        if value.denominator == 1:
            value = value.numerator
    else:
        value = _plain_number(value)
    return _intern(("const", type(value), value), "const", (), value)


def _plain_number(value: Any) -> Number:
    """Python's own int or float for a number of any numeric library."""
    if isinstance(value, bool):
        return int(value)
    if hasattr(value, "__index__"):
        return int(value.__index__())
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"{value!r} is not a number or an expression.") from error
    if number.is_integer() and abs(number) < _LARGEST_EXACT_FLOAT:
        return int(number)
    return number


def as_expr(value: Scalar) -> Expr:
    """An expression from an expression, a number, or a formula in our own grammar (text)."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        from dalembert.expr._parse import parse

        return parse(value)
    return const(value)


def apply(name: str, args: tuple[Expr, ...], orders: tuple[int, ...] | None = None) -> Expr:
    """An unknown function of known arguments, or one of its partial derivatives."""
    orders = orders or (0,) * len(args)
    return _intern(("apply", name, orders, *[a.id for a in args]), "apply", args, (name, orders))


ZERO: Final = const(0)
ONE: Final = const(1)
MINUS_ONE: Final = const(-1)
TWO: Final = const(2)
HALF: Final = const(Fraction(1, 2))
PI: Final = _intern(("pi",), "pi", (), None)
TIME: Final = symbol("t")


def _exact_quotient(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return Fraction(a) / Fraction(b)


def neg(a: Expr) -> Expr:
    op = a.op
    if op == "neg":
        return a.args[0]
    if op == "const":
        return const(-a.data)
    if op == "mul" and a.args[0].op == "const":
        return _scale(const(-a.args[0].data), a.args[1])
    if op == "add" and a.args[0].op == "const":
        return binary("sub", const(-a.args[0].data), a.args[1])
    if op == "sub" and a.args[0].op == "const":
        return add(const(-a.args[0].data), a.args[1])
    return unary("neg", a)


def add(a: Expr, b: Expr) -> Expr:
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a is b:
        return mul(TWO, a)
    a_op, b_op = a.op, b.op
    if a_op == "neg":
        return neg(add(a.args[0], b.args[0])) if b_op == "neg" else sub(b, a.args[0])
    if b_op == "neg":
        return sub(a, b.args[0])
    if a_op == "const":
        if b_op == "const":
            return const(a.data + b.data)
        if b_op == "add" and b.args[0].op == "const":
            return add(const(a.data + b.args[0].data), b.args[1])
        if b_op == "sub" and b.args[0].op == "const":
            return sub(const(a.data + b.args[0].data), b.args[1])
    elif b_op == "const":
        return add(b, a)
    if a_op == "sub" and a.args[1] is b:
        return a.args[0]
    if b_op == "sub" and b.args[1] is a:
        return b.args[0]
    return binary("add", a, b) if a.id < b.id or a_op == "const" else binary("add", b, a)


def sub(a: Expr, b: Expr) -> Expr:
    if b is ZERO:
        return a
    if a is ZERO:
        return neg(b)
    if a is b:
        return ZERO
    a_op, b_op = a.op, b.op
    if b_op == "neg":
        return add(a, b.args[0])
    if a_op == "neg":
        return neg(add(a.args[0], b))
    if b_op == "const":
        return const(a.data - b.data) if a_op == "const" else add(a, const(-b.data))
    if a_op == "const":
        if b_op == "add" and b.args[0].op == "const":
            return sub(const(a.data - b.args[0].data), b.args[1])
        if b_op == "sub" and b.args[0].op == "const":
            return add(const(a.data - b.args[0].data), b.args[1])
        return binary("sub", a, b)
    if a_op == "add":
        if a.args[0] is b:
            return a.args[1]
        if a.args[1] is b:
            return a.args[0]
    # One of a - b and b - a exists; the other is its negative.
    return binary("sub", a, b) if a.id < b.id else unary("neg", binary("sub", b, a))


def _scale(factor: Expr, a: Expr) -> Expr:
    """A constant factor in front of a node that carries none."""
    value = factor.data
    if value == 1:
        return a
    if value == 0:
        return ZERO
    if value == -1:
        return neg(a)
    return binary("mul", factor, a)


def mul(a: Expr, b: Expr) -> Expr:
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    a_op, b_op = a.op, b.op
    if b_op == "const":
        a, b, a_op, b_op = b, a, b_op, a_op
    if a_op == "const":
        if b_op == "const":
            return const(a.data * b.data)
        if b_op == "neg":
            return _scale_any(const(-a.data), b.args[0])
        return _scale_any(a, b)
    if a_op == "neg":
        return mul(a.args[0], b.args[0]) if b_op == "neg" else neg(mul(a.args[0], b))
    if b_op == "neg":
        return neg(mul(a, b.args[0]))
    if a_op == "mul" and a.args[0].op == "const":
        return mul(a.args[0], mul(a.args[1], b))
    if b_op == "mul" and b.args[0].op == "const":
        return mul(b.args[0], mul(a, b.args[1]))
    if a is b:
        return a.args[0] if a_op == "sqrt" else binary("pow", a, TWO)
    if a_op == "pow" and a.args[0] is b and a.args[1].op == "const":
        return power(b, const(a.args[1].data + 1))
    if b_op == "pow" and b.args[0] is a and b.args[1].op == "const":
        return power(a, const(b.args[1].data + 1))
    if a_op == "div" and a.args[1] is b:
        return a.args[0]
    if b_op == "div" and b.args[1] is a:
        return b.args[0]
    return binary("mul", a, b) if a.id < b.id else binary("mul", b, a)


def _scale_any(factor: Expr, a: Expr) -> Expr:
    if a.op == "mul" and a.args[0].op == "const":
        return _scale(const(factor.data * a.args[0].data), a.args[1])
    return neg(a) if factor.data == -1 else _scale(factor, a)


def div(a: Expr, b: Expr) -> Expr:
    if b is ONE:
        return a
    b_op = b.op
    if b_op == "const":
        if b.data == 0:
            raise ExpressionError(f"division of {a} by zero.")
        return mul(const(_exact_quotient(1, b.data)), a) if a.op != "const" else const(_exact_quotient(a.data, b.data))
    if a is ZERO:
        return ZERO
    if a is b:
        return ONE
    if b_op == "neg":
        return neg(div(a, b.args[0]))
    if b_op == "mul" and b.args[0].op == "const":
        return div(mul(const(_exact_quotient(1, b.args[0].data)), a), b.args[1])
    a_op = a.op
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
        return power(b, const(a.args[1].data - 1))
    if a_op == "const" and a is not ONE:
        return mul(a, binary("div", ONE, b))
    return binary("div", a, b)


def power(a: Expr, b: Expr) -> Expr:
    if b.op != "const":
        return ONE if a is ONE else binary("pow", a, b)
    exponent = b.data
    if exponent == 0:
        return ONE
    if exponent == 1:
        return a
    if exponent == Fraction(1, 2):
        return square_root(a)
    if exponent == Fraction(-1, 2):
        return div(ONE, square_root(a))
    if type(exponent) is not int:
        return (
            const(a.data**exponent) if a.op == "const" and a.data > 0 and type(a.data) is float else binary("pow", a, b)
        )
    return _integer_power(a, exponent)


def _bits(value: int | Fraction) -> int:
    fraction = Fraction(value)
    return max(abs(fraction.numerator), fraction.denominator).bit_length()


def _integer_power(a: Expr, exponent: int) -> Expr:
    op = a.op
    if op == "const":
        if exponent < 0:
            return div(ONE, _integer_power(a, -exponent))
        if not isinstance(a.data, float) and _bits(a.data) * exponent > _LARGEST_CONSTANT:
            raise ExpressionError(f"the constant {a.data}**{exponent} is too large to write. Use a float.")
        return const(a.data**exponent)
    if exponent < 0:
        return div(ONE, _integer_power(a, -exponent))
    if exponent == 1:
        return a
    if op == "neg":
        inner = _integer_power(a.args[0], exponent)
        return inner if exponent % 2 == 0 else neg(inner)
    if op == "pow" and type(a.args[1].data) is int:
        return binary("pow", a.args[0], const(a.args[1].data * exponent))
    if op == "mul" and a.args[0].op == "const":
        return mul(const(a.args[0].data ** exponent), _integer_power(a.args[1], exponent))
    if op == "sqrt" and exponent % 2 == 0:
        return _integer_power(a.args[0], exponent // 2)
    return binary("pow", a, const(exponent))


def square_root(a: Expr) -> Expr:
    if a.op == "const":
        value = a.data
        if value < 0:
            raise ExpressionError(f"the square root of {value} is not a real number.")
        if isinstance(value, float):
            return const(math.sqrt(value))
        fraction = Fraction(value)
        top, bottom = math.isqrt(fraction.numerator), math.isqrt(fraction.denominator)
        if top * top == fraction.numerator and bottom * bottom == fraction.denominator:
            return const(Fraction(top, bottom))
    return unary("sqrt", a)


def absolute(a: Expr) -> Expr:
    if a.op == "const":
        return const(abs(a.data))
    if a.op == "neg":
        return absolute(a.args[0])
    if a.op in ("abs", "sqrt", "exp"):
        return a
    return unary("abs", a)


def _compare(op: str, test: Callable[[Number, Number], bool], a: Expr, b: Expr) -> Expr:
    if a.op == "const" and b.op == "const":
        return ONE if test(a.data, b.data) else ZERO
    return binary(op, a, b)


def less(a: Expr, b: Expr) -> Expr:
    """1 where a < b, else 0."""
    return ZERO if a is b else _compare("lt", lambda x, y: x < y, a, b)


def less_equal(a: Expr, b: Expr) -> Expr:
    """1 where a <= b, else 0."""
    return ONE if a is b else _compare("le", lambda x, y: x <= y, a, b)


def equal(a: Expr, b: Expr) -> Expr:
    """1 where a equals b, else 0."""
    return ONE if a is b else _compare("eq", lambda x, y: x == y, a, b)
