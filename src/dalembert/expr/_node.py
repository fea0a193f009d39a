"""The hash-consed node: structurally equal expressions are one object, so common subexpressions are free.

A node is found again by its operation and operands in a table that holds it weakly, so an expression that nobody
uses any more leaves memory. No function of this package recurses along operands: a million nodes are no burden.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias
from weakref import ref

from dalembert.errors import ExpressionError

Number: TypeAlias = int | Fraction | float

COMPARISONS: Final = frozenset({"lt", "le", "eq"})
_LARGEST_EXACT_FLOAT = 2**53


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
        return _arithmetic.add(self, other) if type(other) is Expr else _mixed(_arithmetic.add, self, other)

    def __radd__(self, other: Number) -> Expr:
        return _mixed(_arithmetic.add, other, self)

    def __sub__(self, other: Scalar) -> Expr:
        return _arithmetic.sub(self, other) if type(other) is Expr else _mixed(_arithmetic.sub, self, other)

    def __rsub__(self, other: Number) -> Expr:
        return _mixed(_arithmetic.sub, other, self)

    def __mul__(self, other: Scalar) -> Expr:
        return _arithmetic.mul(self, other) if type(other) is Expr else _mixed(_arithmetic.mul, self, other)

    def __rmul__(self, other: Number) -> Expr:
        return _mixed(_arithmetic.mul, other, self)

    def __truediv__(self, other: Scalar) -> Expr:
        return _arithmetic.div(self, other) if type(other) is Expr else _mixed(_arithmetic.div, self, other)

    def __rtruediv__(self, other: Number) -> Expr:
        return _mixed(_arithmetic.div, other, self)

    def __pow__(self, other: Scalar) -> Expr:
        return _mixed(_arithmetic.power, self, other)

    def __rpow__(self, other: Number) -> Expr:
        return _mixed(_arithmetic.power, other, self)

    def __neg__(self) -> Expr:
        return _arithmetic.neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return _arithmetic.absolute(self)

    def __lt__(self, other: Scalar) -> Expr:
        return _mixed(_arithmetic.less, self, other)

    def __le__(self, other: Scalar) -> Expr:
        return _mixed(_arithmetic.less_equal, self, other)

    def __gt__(self, other: Scalar) -> Expr:
        return _mixed(_arithmetic.less, other, self)

    def __ge__(self, other: Scalar) -> Expr:
        return _mixed(_arithmetic.less_equal, other, self)

    def __bool__(self) -> bool:
        if self.op == "const":
            return bool(self.data)
        if self.op in COMPARISONS:
            raise ExpressionError(f"the truth of {self} is not known. Use where(condition, a, b) to choose by value.")
        return True

    def __float__(self) -> float:
        return math.pi if self.op == "pi" else float(self.value)

    def __repr__(self) -> str:
        from dalembert.expr._text import text

        return text(self)

    def _repr_latex_(self) -> str:
        from dalembert.expr._text import latex

        return f"$\\displaystyle {latex(self)}$"

    def __reduce__(self) -> tuple[Any, ...]:
        from dalembert.expr._pickle import flatten, restore

        return restore, (flatten((self,)),)


Scalar: TypeAlias = Expr | Number


class _Entry(ref):  # type: ignore[type-arg]
    """A weak reference that knows its key, so that a forgotten node leaves its table."""

    __slots__ = ("key",)
    key: Any


_Table: TypeAlias = tuple[dict[Any, _Entry], Callable[[_Entry], None]]


def _table() -> _Table:
    """The nodes of one operation by their operands, and what to do when one of them dies."""
    nodes: dict[Any, _Entry] = {}

    def forget(entry: _Entry) -> None:
        if nodes.get(entry.key) is entry:
            del nodes[entry.key]

    return nodes, forget


_tables: defaultdict[str, _Table] = defaultdict(_table)
_serial = itertools.count()
_blank = Expr.__new__


def intern(op: str, args: tuple[Expr, ...], data: Any = None, key: Any = None) -> Expr:
    """The one node of this structure: the table's, or a new one. The operands are the key unless one is given."""
    nodes, forget = _tables[op]
    if key is None:
        key = args
    entry = nodes.get(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known  # type: ignore[no-any-return]
        nodes.pop(key, None)
    node = _blank(Expr)
    node.op = op
    node.args = args
    node.data = data
    node.id = next(_serial)
    fresh = _Entry(node, forget)
    fresh.key = key
    # Another thread may have made the same node meanwhile: the first one in the table wins.
    first = nodes.setdefault(key, fresh)
    if first is fresh:
        return node
    winner = first()
    return node if winner is None else winner


def unary(op: str, a: Expr) -> Expr:
    """A node of one operand, without identities: those are in the function of that name."""
    return intern(op, (a,))


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return intern(op, (a, b))


def symbol(name: str) -> Expr:
    """The symbol of this name; the same name always gives the same symbol."""
    if not isinstance(name, str) or not name.strip():
        raise ExpressionError(f"a symbol needs a name, not {name!r}.")
    return intern("symbol", (), name, name)


def const(value: Number) -> Expr:
    """A number as an expression; integers and rationals stay exact, integral floats become integers."""
    # An integer, a pair of integers and a pair that begins with a text are never the same key.
    if type(value) is not int and (type(value) is not Fraction or value.denominator == 1):
        value = _plain_number(value)
    if type(value) is int:
        return intern("const", (), value, value)
    if isinstance(value, float):
        return intern("const", (), value, ("float", value))
    return intern("const", (), value, (value.numerator, value.denominator))  # a Fraction takes long to hash


def _plain_number(value: Any) -> Number:
    """Python's own int, Fraction or float for a number of any numeric library."""
    if type(value) is not float and isinstance(value, numbers.Rational):  # bool, Fraction, those of NumPy and SymPy
        top, bottom = int(value.numerator), int(value.denominator)
        return top if bottom == 1 else Fraction(top, bottom)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"{value!r} is not a real number or an expression.") from error
    if not math.isfinite(number):
        raise ExpressionError(f"{value!r} is not finite, so it cannot stand in a formula.")
    return int(number) if number.is_integer() and abs(number) < _LARGEST_EXACT_FLOAT else number


def as_expr(value: Scalar) -> Expr:
    """An expression from an expression, a number, or a formula in our own grammar (text)."""
    if type(value) is Expr:
        return value
    if isinstance(value, str):
        from dalembert.expr._parse import parse

        return parse(value)
    return const(value)  # type: ignore[arg-type]


def _mixed(operation: Callable[[Expr, Expr], Expr], a: Any, b: Any) -> Expr:
    """An operation whose operands may be numbers or formulas; a matrix or an array takes over instead."""
    if getattr(a, "shape", ()) or getattr(b, "shape", ()):
        return NotImplemented  # type: ignore[no-any-return]
    return operation(as_expr(a), as_expr(b))


def apply(name: str, args: tuple[Expr, ...], orders: tuple[int, ...] | None = None) -> Expr:
    """An unknown function of known arguments, or one of its partial derivatives."""
    orders = orders or (0,) * len(args)
    return intern("apply", args, (name, orders), (name, orders, args))


ZERO: Final = const(0)
ONE: Final = const(1)
MINUS_ONE: Final = const(-1)
TWO: Final = const(2)
HALF: Final = const(Fraction(1, 2))
PI: Final = intern("pi", ())
TIME: Final = symbol("t")

# The operators of Expr need these functions, and these need Expr.
from dalembert.expr import _arithmetic  # noqa: E402
