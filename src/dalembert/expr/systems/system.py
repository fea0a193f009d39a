"""What differs between computer algebra systems: how each writes a number, a call, a choice, a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dalembert.expr._node import Number
from dalembert.expr._text import ATOM, PRODUCT, SUM, TEXT, Dialect

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The syntax of one system; every callable gets operands that are written and bracketed already.

    `relations` write the conditions lt, le, eq and ne; `indicator` makes 0 or 1 of one and `choose` selects by one.
    `unknown` writes an unknown function (name, orders of its slopes, arguments). `matrix` writes rows, `column` a
    vector; `product`, `turned` (transposed) and `block` are of matrices. `helper` defines `tilde`, the matrix of a
    cross product. `foreign` tells names that the system has a meaning for, `joint` stands for points and underscores.
    """

    name: str
    extension: str
    number: Callable[[Number], tuple[str, int]]
    pi: str
    call: Callable[[str, Sequence[str]], str]
    power: Callable[[str, str], str]
    relations: Mapping[str, str]
    indicator: Callable[[str], str]
    choose: Callable[[str, str, str], str]
    unknown: Callable[[str, tuple[int, ...], Sequence[str]], str]
    comment: Callable[[str], str]
    assign: Callable[[str, str], str]
    listed: Callable[[Sequence[str]], str]
    column: Callable[[Sequence[str]], str]
    matrix: Callable[[Rows], str]
    identity: Callable[[int], str]
    product: Callable[[Sequence[str]], str]
    turned: Callable[[str], str]
    tilde: Callable[[str], str]
    block: Callable[[Rows], str]
    head: tuple[str, ...] = ()
    helper: str = ""
    introduce: Callable[[Sequence[tuple[str, str]]], list[str]] = lambda names: []
    reserved: frozenset[str] = frozenset()
    foreign: Callable[[str], object] = lambda name: None
    joint: str = "_"

    def dialect(self, symbol: Callable[[str], str]) -> Dialect:
        """The system's way to write formulas, with these names."""
        return Dialect(
            number=self.number,
            symbol=symbol,
            pi=self.pi,
            product=TEXT.product,
            quotient=TEXT.quotient,
            power=self.power,
            call=self.call,
            brackets=("(", ")"),
            relations={},
            unknown=lambda name, orders, args: self.unknown(symbol(name), orders, args),
        )


def decimal(value: Number, exponent: str = "e") -> tuple[str, int]:
    """A number with the system's sign of powers of ten: exact fractions, doubles as they are."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}", PRODUCT if value > 0 else SUM
    written = repr(value)
    if isinstance(value, float) and "e" in written:
        digits, power = written.split("e")
        written = f"{digits if '.' in digits else digits + '.0'}{exponent}{int(power)}"
    return written, ATOM if value >= 0 else SUM


def calls(names: Mapping[str, str], brackets: tuple[str, str] = ("(", ")")) -> Callable[[str, Sequence[str]], str]:
    """How functions are called: by another name where the system has one; `{0}` in it makes it a template."""

    def call(op: str, args: Sequence[str]) -> str:
        name = names.get(op, op)
        return name.format(*args) if "{0}" in name else f"{name}{brackets[0]}{', '.join(args)}{brackets[1]}"

    return call


def slope_name(name: str, orders: tuple[int, ...], joint: str = "_") -> str:
    """A slope of an unknown function as a function of its own: `D_1_1_2_f`, as our own text writes it."""
    marks = [str(i + 1) for i, order in enumerate(orders) for _ in range(order)]
    return joint.join(["D", *marks, name]) if marks else name


def bracketed(items: Sequence[str]) -> str:
    """A list in square brackets."""
    return f"[{', '.join(items)}]"


def infix(sign: str) -> Callable[[Sequence[str]], str]:
    """Operands in a row, each in brackets if it needs them."""
    return f" {sign} ".join
