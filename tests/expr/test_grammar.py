"""The grammar of formulas: what it accepts, how it groups, and how it points at a fault."""

import ast
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import ExpressionError
from dalembert.expr._grammar import MAX_NESTING, FormulaError, parse


class Calculator:
    """A builder that computes: the shortest proof that grouping and signs are right."""

    names: ClassVar = {"x": 3.0, "elbow.th": 0.5, "x'": 7.0, "α": 2.0}

    def number(self, value):
        return float(value)

    def symbol(self, name: str):
        return self.names[name]

    def unary(self, operator: str, operand):
        return -operand

    def binary(self, operator: str, left, right):
        return {
            "+": lambda: left + right,
            "-": lambda: left - right,
            "*": lambda: left * right,
            "/": lambda: left / right,
            "**": lambda: left**right,
            "<": lambda: left < right,
            "==": lambda: left == right,
        }[operator]()

    def call(self, name: str, arguments: Sequence):
        return {"max": max, "minus": lambda a, b: a - b, "one": lambda: 1.0}[name](*arguments)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3*4", 14),
        ("2 - 3 - 4", -5),
        ("12/3/2", 2),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("2^3^2", 512),
        ("(2 + 3)*4", 20),
        ("- - 2", 2),
        ("+x", 3),
        ("-x*2", -6),
        ("2*-x", -6),
        ("1.5e1 + .5", 15.5),
        ("x' + elbow.th + α", 9.5),
        ("minus(max(1, 2), one())", 1),
        ("1 + 1 < 3", True),
        ("x*2 == 7 - 1", True),
    ],
)
def test_formulas_group_as_mathematics_does(text, value):
    assert parse(text, Calculator()) == value


def test_decimals_stay_exact_on_request():
    assert parse("0.1", exact=True).value == Fraction(1, 10)
    assert parse("1e-3", exact=True).value == Fraction(1, 1000)
    assert isinstance(parse("3", exact=True).value, int)
    assert isinstance(parse("0.1").value, float)


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("2*", 3, "expected a number"),
        ("2x", 2, "write 2*x"),
        ("a b", 3, "expected an operator"),
        ("sin(x", 6, "close the '(' of column 4"),
        ("a = b", 3, "Write '=='"),
        ("a < b < c", 7, "Chained"),
        ("", 1, "found the end"),
        ("f(,)", 3, "expected a number"),
        (")", 1, "expected a number"),
        ("a $ b", 3, "unexpected character '$'"),
        ("__import__('os')", 12, "unexpected character"),
    ],
)
def test_a_fault_is_shown_with_a_caret(text, column, word):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert f"(column {column})" in str(caught.value)
    assert word in str(caught.value)
    assert str(caught.value).splitlines()[2].index("^") == column + 1


@pytest.mark.parametrize("text", ["(" * 5000 + "x" + ")" * 5000, "-" * 5000 + "x", "x**" * 5000 + "x", "f(" * 5000])
def test_absurd_nesting_is_refused_and_not_a_crash(text):
    with pytest.raises(FormulaError, match=f"nested more than {MAX_NESTING}"):
        parse(text)


def test_long_flat_formulas_are_fine():
    assert parse("+".join(["1"] * 20000), Calculator()) == 20000


numbers = st.integers(1, 9).map(str)
formulas = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " / "]), inner).map("".join),
        inner.map(lambda a: f"-{a}"),
        inner.map(lambda a: f"({a})"),
        inner.map(lambda a: f"({a})**2"),
    ),
    max_leaves=12,
)


@given(formulas)
@settings(max_examples=200, deadline=None)
def test_agrees_with_the_grouping_of_python_itself(text):
    def fold(node):
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.UnaryOp(operand=operand):
                return f"(-{fold(operand)})"
            case ast.BinOp(left=left, op=op, right=right):
                sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}[type(op)]
                return f"({fold(left)} {sign} {fold(right)})"

    assert str(parse(text)) == fold(ast.parse(text, mode="eval").body)
