"""The table of functions: all that the program knows of each, in one place.

Whoever meets a function asks here: the reader of formulas and LSD (`build`, `arity`), derivatives (`partials`), numbers
(`numpy`, `exact`, `ball`), SymPy, LaTeX, and every language of generated code. To add a function, add an entry.
Operations (sums, products, powers, comparisons) are no functions: each reader knows them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import _arithmetic as arithmetic
from dalembert.expr import _functions as fn
from dalembert.expr import _node as node
from dalembert.expr._node import HALF, ONE, ZERO, Expr


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """One function of real numbers.

    `build` makes the node (or something simpler), and `partials` its derivatives by each argument; a function without
    partials is written by others and never a node. `numpy`, `sympy` and `ball` (a method of Arb's balls) are names, by
    default that of the function. `exact` is its value at fractions. `latex` is a command, or a template with {0}.
    `parity` is 1 for even and -1 for odd functions. Generated code calls the function by its name unless `written` has
    a template for the language; LLVM calls the C library's function `library` if it has no code of its own.
    """

    name: str
    build: Callable[..., Expr]
    partials: Callable[[Expr], tuple[Expr, ...]] | None
    arity: int = 1
    numpy: str = ""
    sympy: str = ""
    ball: str = ""
    exact: Callable[..., Any] | None = None
    latex: str = ""
    parity: int = 0
    written: Mapping[str, str] = field(default_factory=dict)
    library: str = ""

    def in_numpy(self) -> Callable[..., Any]:
        import numpy as np

        found: Callable[..., Any] = getattr(np, self.numpy or self.name)
        return found

    def in_sympy(self) -> Callable[..., Any]:
        import sympy as sp

        if self.name == "where":
            return lambda c, a, b: sp.Piecewise((a, sp.Ne(c, 0)), (b, True))
        found: Callable[..., Any] = getattr(sp, self.sympy or self.name)
        return found

    def in_balls(self, *args: Any) -> Any:
        """The ball of values at balls of arguments; what has no such method is said."""
        method = getattr(type(args[0]), self.ball or self.name, None)
        if method is None:
            raise ExpressionError(f"{self.name} has no value in ball arithmetic.")
        return method(*args)

    def in_latex(self, args: list[str]) -> str:
        if "{0}" in self.latex:
            return self.latex.format(*args)
        head = self.latex or f"\\operatorname{{{self.name}}}"
        return f"{head}\\left({', '.join(args)}\\right)"

    def in_language(self, language: str, call: str, args: list[str]) -> str:
        """The text of a call: the template for this language, or the usual one."""
        template = self.written.get(language)
        if template is not None:
            return template.format(*args)
        name = (self.numpy or self.name) if language == "python" else self.name
        return call.format(name=name, args=", ".join(args), first=args[0], rest=", ".join(args[1:]))


def _exact_root(a: Fraction) -> Fraction:
    if a >= 0:
        root = Fraction(isqrt(a.numerator), isqrt(a.denominator))
        if root * root == a:
            return root
    raise ExpressionError(f"the square root of {a} is not a rational number. Give a value for this node.")


def _atan2(e: Expr) -> tuple[Expr, ...]:
    y, x = e.args
    square = x * x + y * y
    return x / square, -(y / square)


def _first_smaller(e: Expr, yes: int, no: int) -> tuple[Expr, ...]:
    below = e.args[0] <= e.args[1]
    return fn.where(below, yes, no), fn.where(below, no, yes)


def _where(e: Expr) -> tuple[Expr, ...]:
    condition = e.args[0]
    return ZERO, fn.where(condition, 1, 0), fn.where(condition, 0, 1)


FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        Function("sqrt", fn.sqrt, lambda e: (HALF / e,), exact=_exact_root, latex="\\sqrt{{{0}}}"),
        Function("sin", fn.sin, lambda e: (fn.cos(e.args[0]),), parity=-1, latex="\\sin"),
        Function("cos", fn.cos, lambda e: (-fn.sin(e.args[0]),), parity=1, latex="\\cos"),
        Function("tan", fn.tan, None, latex="\\tan"),
        Function("asin", fn.asin, lambda e: (ONE / fn.sqrt(1 - e.args[0] ** 2),), numpy="arcsin", latex="\\arcsin",
                 parity=-1),
        Function("acos", fn.acos, lambda e: (-(ONE / fn.sqrt(1 - e.args[0] ** 2)),), numpy="arccos",
                 latex="\\arccos"),
        Function("atan", fn.atan, lambda e: (ONE / (1 + e.args[0] ** 2),), numpy="arctan", latex="\\arctan", parity=-1),
        Function("atan2", fn.atan2, _atan2, 2, numpy="arctan2", written={"julia": "atan({0}, {1})"}),
        Function("exp", fn.exp, lambda e: (e,), latex="\\exp"),
        Function("log", fn.log, lambda e: (ONE / e.args[0],), latex="\\log", written={"rust": "({0}).ln()"}),
        Function("sinh", fn.sinh, lambda e: (fn.cosh(e.args[0]),), latex="\\sinh", parity=-1),
        Function("cosh", fn.cosh, lambda e: (fn.sinh(e.args[0]),), latex="\\cosh", parity=1),
        Function("tanh", fn.tanh, lambda e: (1 - e**2,), latex="\\tanh", parity=-1),
        Function("abs", arithmetic.absolute, lambda e: (fn.sign(e.args[0]),), sympy="Abs", ball="__abs__", exact=abs,
                 latex="\\left|{0}\\right|", parity=1, written={"c": "fabs({0})"}),
        Function("sign", fn.sign, lambda e: (ZERO,), ball="sgn", exact=lambda a: Fraction((a > 0) - (a < 0)),
                 latex="\\operatorname{sgn}", parity=-1, written={
                     "c": "(double)(({0} > 0) - ({0} < 0))",
                     "fortran": "merge(0.0d0, sign(1.0d0, {0}), {0} == 0.0d0)",
                     "rust": "(if {0} == 0.0 {{ 0.0 }} else {{ ({0}).signum() }})"}),
        Function("min", fn.minimum, lambda e: _first_smaller(e, 1, 0), 2, "minimum", "Min", exact=min, latex="\\min",
                 written={"c": "fmin({0}, {1})"}),
        Function("max", fn.maximum, lambda e: _first_smaller(e, 0, 1), 2, "maximum", "Max", exact=max, latex="\\max",
                 written={"c": "fmax({0}, {1})"}),
        Function("where", fn.where, _where, 3, exact=lambda c, a, b: a if c else b),
    )
}  # fmt: skip

#: How to make the nodes of operations again.
_OPERATIONS: dict[str, Callable[..., Expr]] = {
    "neg": arithmetic.neg,
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "mul": arithmetic.mul,
    "div": arithmetic.div,
    "pow": arithmetic.power,
    "lt": arithmetic.less,
    "le": arithmetic.less_equal,
    "eq": arithmetic.equal,
}


def build(op: str, args: tuple[Expr, ...]) -> Expr:
    """The node of an operation or function, identities applied."""
    operation = _OPERATIONS.get(op)
    if operation is not None:
        return operation(*args)
    if op not in FUNCTIONS:
        raise ExpressionError(f"there is no function '{op}'. Known: {', '.join(FUNCTIONS)}.")
    return FUNCTIONS[op].build(*args)


def rebuild(like: Expr, args: tuple[Expr, ...]) -> Expr:
    """The operation of `like` on other operands, identities applied."""
    return node.apply(like.data[0], args, like.data[1]) if like.op == "apply" else build(like.op, args)
