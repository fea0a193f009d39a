"""Text to expression through the one grammar of formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dalembert.errors import ExpressionError
from dalembert.expr import _arithmetic as arithmetic
from dalembert.expr import _grammar
from dalembert.expr import _node as node
from dalembert.expr._functions import function
from dalembert.expr._node import PI, Expr
from dalembert.expr._table import FUNCTIONS

_BINARY: dict[str, Callable[[Expr, Expr], Expr]] = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": arithmetic.div,
    "**": arithmetic.power,
    "^": arithmetic.power,
    "<": arithmetic.less,
    "<=": arithmetic.less_equal,
    ">": lambda a, b: arithmetic.less(b, a),
    ">=": lambda a, b: arithmetic.less_equal(b, a),
    "==": arithmetic.equal,
}


#: How `text` writes a partial derivative of an unknown function: `D_1_1_2_f` is differentiated twice by the first.
_SLOPE = re.compile(r"D(?P<slots>(?:_\d+)+)_(?P<name>.+)")


def _partial(name: str, slots: str, arguments: Sequence[Expr]) -> Expr:
    orders = [0] * len(arguments)
    for slot in slots.strip("_").split("_"):
        if not 1 <= int(slot) <= len(arguments):
            raise ExpressionError(f"D{slots}_{name} has no argument {slot}: it takes {len(arguments)}.")
        orders[int(slot) - 1] += 1
    return node.apply(name, tuple(arguments), tuple(orders))


class ExprBuilder:
    """Names become symbols (or what `symbols` says), unknown calls become unknown functions."""

    def __init__(self, symbols: Mapping[str, Expr] | None = None) -> None:
        self.symbols = symbols or {}

    def number(self, value: int | float | Fraction) -> Expr:
        return node.const(value)

    def symbol(self, name: str) -> Expr:
        if name in self.symbols:
            return self.symbols[name]
        return PI if name == "pi" else node.symbol(name)

    def unary(self, operator: str, operand: Expr) -> Expr:
        return arithmetic.neg(operand) if operator == "-" else operand

    def binary(self, operator: str, left: Expr, right: Expr) -> Expr:
        return _BINARY[operator](left, right)

    def call(self, name: str, arguments: Sequence[Expr]) -> Expr:
        known = FUNCTIONS.get(name)
        if known is None:
            slope = _SLOPE.fullmatch(name)
            if slope:
                return _partial(slope["name"], slope["slots"], arguments)
            return function(name)(*arguments)
        try:
            return known.build(*arguments)
        except TypeError:
            raise ExpressionError(f"{name} does not take {len(arguments)} arguments.") from None


_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")


def parse(text: str, symbols: Mapping[str, Expr] | None = None) -> Expr:
    """The expression that a formula denotes.

    >>> from dalembert import expr as ex
    >>> ex.parse("k*(x - 1)**2 / 2")
    1/2*k*(x - 1)**2
    """
    if _DECIMAL.fullmatch(text):  # most of what files hold
        return node.const(_grammar.number_written(text, exact=False))
    with arithmetic.decimals_as_spelled():
        return _grammar.parse(text, ExprBuilder(symbols))
