"""The one grammar of formulas: text is tokenised and parsed here, and a `Builder` decides what the pieces become.

The same grammar feeds our own expression DAG and SymPy, so that no text of a user ever reaches `eval` or `sympify`.

    comparison := sum [("==" | "<" | "<=" | ">" | ">=") sum]
    sum        := product (("+" | "-") product)*
    product    := unary (("*" | "/") unary)*
    unary      := ("-" | "+") unary | power
    power      := atom [("**" | "^") unary]                # right associative, -a**2 is -(a**2)
    atom       := number | name | name "(" [comparison ("," comparison)*] ")" | "(" comparison ")"

>>> str(parse("-k*x'**2/2 + sin(elbow.th)"))
"((((-k) * (x' ** 2)) / 2) + sin(elbow.th))"
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, overload

from dalembert.errors import ExpressionError

T = TypeVar("T")
Number = int | float | Fraction

MAX_NESTING = 100
"""Deepest nesting of parentheses, calls, signs and exponents: above human formulas, below the recursion limit."""

MAX_DIGITS = 4000
"""Digits of a number in a text, written out: far above any measurement, below the 4300 that Python reads."""

_COMPARISONS = ("==", "<=", ">=", "<", ">")
_BINDING = {**dict.fromkeys(_COMPARISONS, 1), "+": 2, "-": 2, "*": 3, "/": 3, "**": 5, "^": 5}
_UNARY_BINDING = 4
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\[\d+\])*(?:\.[^\W\d]\w*(?:\[\d+\])*)*'*)"  # elbow.th', left.rod[3].x
    r"|(?P<operator>\*\*|==|<=|>=|[-+*/^<>(),])"
)
_WINDOW = 72


class FormulaError(ExpressionError):
    """A formula that does not follow the grammar: the text, a caret under the fault, and what was expected."""

    def __init__(self, reason: str, text: str, position: int, hint: str = "") -> None:
        self.reason, self.text, self.position, self.hint = reason, text, position, hint
        start = max(0, position - _WINDOW // 2)
        shown = text[start : start + _WINDOW].replace("\n", " ").replace("\t", " ")
        picture = f"  {shown}\n  {' ' * (position - start)}^"
        super().__init__(f"{reason} (column {position + 1})\n{picture}" + (f"\n{hint}" if hint else ""))


class Builder(Protocol[T]):
    """What a formula becomes: five small functions, called bottom-up while the text is read."""

    def number(self, value: Number) -> T: ...
    def symbol(self, name: str) -> T: ...
    def unary(self, operator: str, operand: T) -> T: ...
    def binary(self, operator: str, left: T, right: T) -> T: ...
    def call(self, name: str, arguments: Sequence[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the syntax tree: kind is number, symbol, unary, binary or call."""

    kind: str
    value: str | Number
    children: tuple[Node, ...] = ()

    def __str__(self) -> str:
        parts = [str(child) for child in self.children]
        if self.kind == "binary":
            return f"({parts[0]} {self.value} {parts[1]})"
        if self.kind == "unary":
            return f"({self.value}{parts[0]})"
        return f"{self.value}({', '.join(parts)})" if self.kind == "call" else str(self.value)


class TreeBuilder:
    """The builder that keeps the syntax itself."""

    def number(self, value: Number) -> Node:
        return Node("number", value)

    def symbol(self, name: str) -> Node:
        return Node("symbol", name)

    def unary(self, operator: str, operand: Node) -> Node:
        return Node("unary", operator, (operand,))

    def binary(self, operator: str, left: Node, right: Node) -> Node:
        return Node("binary", operator, (left, right))

    def call(self, name: str, arguments: Sequence[Node]) -> Node:
        return Node("call", name, tuple(arguments))


class Token(NamedTuple):
    kind: str  # number, name, operator, end
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    """Cut a formula into numbers, names and operators; the last token is `end`."""
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            hint = "Write '==' for an equation." if text[position] == "=" else ""
            raise FormulaError(f"unexpected character {text[position]!r}", text, position, hint)
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, match.group(), position))
        position = match.end()
    tokens.append(Token("end", "", len(text)))
    return tokens


def is_name(text: object) -> bool:
    """Whether a text is one name of this grammar, as x, x' or elbow.th."""
    match = _TOKEN.fullmatch(text) if isinstance(text, str) else None
    return match is not None and match.lastgroup == "name"


class _Parser(Generic[T]):
    def __init__(self, text: str, builder: Builder[T], exact: bool) -> None:
        self.text, self.builder, self.exact = text, builder, exact
        self.tokens, self.cursor, self.depth = tokenize(text), 0, 0

    @property
    def token(self) -> Token:
        return self.tokens[self.cursor]

    def advance(self) -> Token:
        token = self.token
        self.cursor += 1
        return token

    def fail(self, expected: str, hint: str = "") -> FormulaError:
        found = "the end of the formula" if self.token.kind == "end" else repr(self.token.text)
        return FormulaError(f"expected {expected}, found {found}", self.text, self.token.position, hint)

    def close(self, opened: Token) -> None:
        if self.token.text != ")":
            raise self.fail(f"')' to close the '(' of column {opened.position + 1}", self.missing_operator())
        self.advance()

    def missing_operator(self) -> str:
        starts_operand = self.token.kind in ("number", "name") or self.token.text == "("
        return "A product needs its sign: write 2*x, not 2x." if starts_operand else ""

    def expression(self, floor: int) -> T:
        """Pratt's loop: take an operand, then every operator that binds more tightly than `floor`."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise FormulaError(
                f"nested more than {MAX_NESTING} deep", self.text, self.token.position, "Name a part of the formula."
            )
        left = self.operand()
        compared = False
        while self.token.kind == "operator" and _BINDING.get(self.token.text, 0) > floor:
            operator = self.token.text
            binding = _BINDING[operator]
            if binding == 1 and compared:
                raise self.fail("one comparison only", "Chained comparisons have no meaning here.")
            self.advance()
            # ** groups to the right and lets a sign stand in the exponent; the others group to the left
            right = self.expression(_UNARY_BINDING - 1 if binding == 5 else binding)
            left = self.builder.binary("**" if operator == "^" else operator, left, right)
            compared = compared or binding == 1
        self.depth -= 1
        return left

    def operand(self) -> T:
        token = self.token
        if token.kind == "number":
            self.advance()
            return self.builder.number(number_written(token.text, self.exact))
        if token.kind == "name":
            self.advance()
            if self.token.text == "(":
                return self.builder.call(token.text, self.arguments())
            return self.builder.symbol(token.text)
        if token.text == "(":
            self.advance()
            inside = self.expression(0)
            self.close(token)
            return inside
        if token.text in ("-", "+"):
            self.advance()
            operand = self.expression(_UNARY_BINDING - 1)
            return self.builder.unary("-", operand) if token.text == "-" else operand
        raise self.fail("a number, a name or '('")

    def arguments(self) -> list[T]:
        opened, arguments = self.advance(), []
        if self.token.text != ")":
            arguments.append(self.expression(0))
            while self.token.text == ",":
                self.advance()
                arguments.append(self.expression(0))
        self.close(opened)
        return arguments


def number_written(text: str, exact: bool) -> Number:
    """The number that digits write."""
    exponent = text.lower().partition("e")[2].lstrip("+-0")
    if len(text) > MAX_DIGITS or len(exponent) > len(str(MAX_DIGITS)) or (exact and int(exponent or 0) > MAX_DIGITS):
        shown = text if len(text) <= _WINDOW else text[:_WINDOW] + "..."
        raise ExpressionError(f"the number {shown} has more than {MAX_DIGITS} digits written out. Name it instead.")
    if text.isdigit():
        return int(text)
    if exact:
        return Fraction(text)
    number = float(text)
    if not math.isfinite(number) or int(exponent or 0) > MAX_DIGITS:
        return number
    spelled = Fraction(text)  # more digits than a float has are kept
    if number == 0 and spelled:
        raise ExpressionError(
            f"the number {text} is below the range of numbers (5e-324): every machine takes it for 0."
        )
    return number if Fraction(repr(number)) == spelled else spelled


@overload
def parse(text: str, *, exact: bool = ...) -> Node: ...
@overload
def parse(text: str, builder: Builder[T], *, exact: bool = ...) -> T: ...
def parse(text: str, builder: Any = None, *, exact: bool = False) -> Any:
    """Read one formula and give what `builder` makes of it (the syntax tree when none is given).

    Decimals become floats, or with `exact` the fractions that they write.

    >>> parse("0.1 + 2**-1", exact=True).children[0].value
    Fraction(1, 10)
    """
    if not isinstance(text, str):
        raise ExpressionError(f"a formula is a text, not {type(text).__name__}: {text!r}")
    parser: _Parser[Any] = _Parser(text, TreeBuilder() if builder is None else builder, exact)
    result = parser.expression(0)
    if parser.token.kind != "end":
        raise parser.fail("an operator or the end of the formula", parser.missing_operator())
    return result
