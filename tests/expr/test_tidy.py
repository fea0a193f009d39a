"""A tidy formula is the same function."""

import math

import pytest
from hypothesis import assume, given

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, points, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
a, b, c, d = SYMBOLS.values()


@given(trees(), points())
def test_tidying_keeps_exact_values(tree, point):
    values = {SYMBOLS[n]: v for n, v in point.items()}
    try:
        e = carry_out(tree, SYMBOLS, number=ex.as_expr)
        expected = ex.evaluate_exact([e], values)
    except ExpressionError:
        assume(False)
    assert ex.evaluate_exact([ex.tidy(e)], values) == expected


@given(trees(("sin", "cos"), leaves=10))
def test_tidying_keeps_the_values_of_angles(tree):
    try:
        e = carry_out(tree, SYMBOLS, {"sin": ex.sin, "cos": ex.cos}, ex.as_expr)
    except ExpressionError:
        assume(False)
    tidy = ex.tidy(e)
    for point in ({a: 0.3, b: 1.1, c: 2.0, d: -0.7}, {a: 1.9, b: -0.4, c: 0.6, d: 1.3}):
        expected, found = ex.evaluate([e, tidy], point)
        assume(math.isfinite(expected) and abs(expected) < 1e5)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(trees(("sin", "cos"), leaves=10))
def test_tidying_never_costs_operations(tree):
    try:
        e = carry_out(tree, SYMBOLS, {"sin": ex.sin, "cos": ex.cos}, ex.as_expr)
    except ExpressionError:
        assume(False)
    assert ex.count_operations(ex.tidy(e)) <= ex.count_operations(e)
