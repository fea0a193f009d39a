"""Expressions as a graph whose every node has a recurrence for its Taylor coefficients.

With y_k = y^(k)/k!, sums are linear, a product is a convolution, and a smooth function c = f(a) with slope g = f'(a)
has k c_k = sum j a_j g_(k-j): its slope, made of expressions by the table of functions, joins the graph. In each of
them the newest coefficients stand with the oldest ones, and the rest is a sum over coefficients that are known by then:

    product     c_k = a_0 b_k + a_k b_0 + dot(a, b)          dot(a, b) = sum_(j=1..k-1) a_j b_(k-j)
    quotient    c_k = (a_k - c_0 b_k - dot(c, b)) / b_0
    root        c_k = (a_k - dot(c, c)) / (2 c_0)
    function    c_k = g_0 a_k + dot(a', g) / k               a'_j = j a_j
(Jorba and Zou, Exp. Math. 14, 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import FUNCTIONS, Expr, topological

_KINKED = frozenset({"abs", "sign", "min", "max", "where", "lt", "le", "eq", "apply"})
_LARGEST_POWER = 1024
"""Exponents above which products become a logarithm: their chain would be longer."""


@dataclass(eq=False, slots=True)
class Node:
    """An operation; `data` is the number of a constant or the place (group, index) of an input.

    `still` nodes depend on parameters alone. `slopes` are f' by each operand that moves.
    """

    op: str
    args: tuple[Node, ...] = ()
    data: Any = None
    still: bool = False
    slopes: tuple[Node | None, ...] = ()


class Graph:
    """Nodes in an order in which operands come first; equal nodes exist once."""

    def __init__(self, inputs: Sequence[Sequence[Expr]], moving: frozenset[int]) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Any, Node] = {}
        self._of: dict[Expr, Node] = {}
        for g, group in enumerate(inputs):
            for i, e in enumerate(group):
                self._of[e] = self._new("input", (), (g, i), still=g not in moving)
        self._open: list[tuple[Node, Expr]] = []

    def add(self, outputs: Iterable[Expr]) -> list[Node]:
        """The nodes of some expressions, with the slopes of all functions in them."""
        wanted = list(outputs)
        self._read(wanted)
        while self._open:
            node, e = self._open.pop()
            partials = FUNCTIONS[e.op].partials
            assert partials is not None
            slopes = partials(e)
            self._read(slopes)
            node.slopes = tuple(None if a.still else self._of[g] for a, g in zip(node.args, slopes, strict=True))
        return [self._of[e] for e in wanted]

    def _read(self, outputs: Sequence[Expr]) -> None:
        for e in topological(outputs, stop=set(self._of)):
            if e not in self._of:
                self._of[e] = self._node(e)

    def _node(self, e: Expr) -> Node:
        op = e.op
        if op == "const":
            return self.number(e.data)
        if op == "pi":
            return self._new("pi", (), None, still=True)
        if op == "symbol":
            raise ExpressionError(f"'{e}' is no input of the series.")
        args = tuple(self._of[a] for a in e.args)
        if op == "pow":
            return self._power(*args)
        if op in ("add", "sub", "mul", "div", "neg"):
            return self._arithmetic(op, args)
        if op == "sqrt" or all(a.still for a in args):
            return self._new(op, args)
        if op in _KINKED or op not in FUNCTIONS or FUNCTIONS[op].partials is None:
            raise ExpressionError(f"'{op}' has no Taylor series.")
        node = self._new(op, args)
        if not node.slopes:
            self._open.append((node, e))
        return node

    def _arithmetic(self, op: str, args: tuple[Node, ...]) -> Node:
        if op == "neg":
            return self.neg(args[0])
        made: Node = {"add": self.plus, "sub": self.sub, "mul": self.mul, "div": self.div}[op](*args)
        return made

    def number(self, value: int | float | Fraction) -> Node:
        return self._new("const", (), Fraction(value), still=True)

    def neg(self, a: Node) -> Node:
        if a.op == "neg":
            return a.args[0]
        return self.number(-a.data) if a.op == "const" else self._new("neg", (a,))

    def plus(self, a: Node, b: Node) -> Node:
        """a + b, signs taken out of products."""
        if b.op == "neg":
            return self.sub(a, b.args[0])
        return self.sub(b, a.args[0]) if a.op == "neg" else self._new("add", (a, b))

    def sub(self, a: Node, b: Node) -> Node:
        if b.op == "neg":
            return self.plus(a, b.args[0])
        return self.neg(self._new("add", (a.args[0], b))) if a.op == "neg" else self._new("sub", (a, b))

    def mul(self, a: Node, b: Node) -> Node:
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        return self._new("mul", (b, a) if b.still and not a.still else (a, b))

    def div(self, a: Node, b: Node) -> Node:
        if a.op == "neg":
            return self.neg(self.div(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.div(a, b.args[0]))
        one = self.number(1)
        if b.still and b is not one and a is not one:
            return self.mul(self._new("div", (one, b)), a)
        return self._new("div", (a, b))

    def _power(self, base: Node, exponent: Node) -> Node:
        """Whole and half powers by products and a root, others by a logarithm."""
        if base.still and exponent.still and exponent.op != "const":
            return self._new("pow", (base, exponent))
        twice = exponent.data * 2 if exponent.op == "const" else Fraction(1, 2)
        if twice.denominator == 1 and abs(twice) <= 2 * _LARGEST_POWER:
            whole, half = divmod(abs(int(twice)), 2)
            made = self._product(base, whole) if whole else None
            if half:
                root = self._new("sqrt", (base,))
                made = root if made is None else self.mul(made, root)
            if made is None:
                return self.number(1)
            return self.div(self.number(1), made) if twice < 0 else made
        if not exponent.still:
            return self._smooth("exp", self.mul(exponent, self._smooth("log", base)))
        made = self._new("pow", (base, exponent))
        if not made.slopes:
            made.slopes = (self.div(self.mul(exponent, made), base), None)
        return made

    def _smooth(self, op: str, a: Node) -> Node:
        made = self._new(op, (a,))
        if not made.slopes and not made.still:
            made.slopes = (made if op == "exp" else self.div(self.number(1), a),)
        return made

    def _product(self, base: Node, n: int) -> Node:
        if n == 1:
            return base
        half = self._product(base, n // 2)
        square = self.mul(half, half)
        return self.mul(square, base) if n % 2 else square

    def _new(self, op: str, args: tuple[Node, ...], data: Any = None, still: bool = False) -> Node:
        key = (op, args, data)
        known = self._known.get(key)
        if known is None:
            still = still or (bool(args) and all(a.still for a in args))
            known = self._known[key] = Node(op, args, data, still)
            self.nodes.append(known)
        return known
