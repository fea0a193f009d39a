"""SymPy: a Python module that makes the symbols and then the formulas."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr._node import Number
from dalembert.expr._text import ATOM
from dalembert.expr.systems.system import System, bracketed, calls, decimal, infix, slope_name


def _number(value: Number) -> tuple[str, int]:
    if isinstance(value, Fraction):
        return f"Rational({value.numerator}, {value.denominator})", ATOM
    return decimal(value)


def _unknown(name: str, orders: tuple[int, ...], args: Sequence[str]) -> str:
    return f"Function({slope_name(name, orders)!r})({', '.join(args)})"


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return f"Matrix({bracketed([bracketed(row) for row in rows])})"


_NAMES = (
    "Abs Eq Function Matrix Max Min Ne Piecewise Rational Symbol acos asin atan atan2 cos cosh exp eye log pi sign "
    "sin sinh sqrt tan tanh"
)


SYMPY = System(
    name="sympy",
    extension="py",
    number=_number,
    pi="pi",
    call=calls({"abs": "Abs", "min": "Min", "max": "Max"}),
    power=lambda a, b: f"{a}**{b}",
    relations={"lt": "{0} < {1}", "le": "{0} <= {1}", "eq": "Eq({0}, {1})", "ne": "Ne({0}, {1})"},
    indicator=lambda condition: f"Piecewise((1, {condition}), (0, True))",
    choose=lambda c, a, b: f"Piecewise(({a}, {c}), ({b}, True))",
    unknown=_unknown,
    comment=lambda text: f"# {text}",
    assign=lambda name, value: f"{name} = {value}",
    listed=bracketed,
    column=lambda items: f"Matrix({bracketed(items)})",
    matrix=_matrix,
    identity=lambda n: f"eye({n})",
    product=infix("*"),
    turned=lambda a: f"({a}).T",
    tilde=lambda a: f"tilde({a})",
    block=_matrix,
    head=(f"from sympy import {', '.join(_NAMES.split())}",),
    helper="\n\ndef tilde(v):\n    return Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])\n\n",
    introduce=lambda names: [f"{ours} = Symbol({told!r})" for ours, told in names],
    reserved=frozenset({*keyword.kwlist, *_NAMES.split(), "tilde"}),
)
