"""Numbers again and again, by a recipe made once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.errors import ExpressionError


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_a_recipe_gives_the_numbers_of_a_single_evaluation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, z = ex.symbols("x y z")
    u = ex.sin(x * y) + ex.where(ex.less(x, y), x**3, ex.PI / (2 + z**2))
    exprs = [u, ex.const(3), ex.TWO * ex.PI, ex.maximum(u, z), x, ex.sqrt(u * u + 1)]
    values = {x: rng.normal(size=5), y: float(rng.normal()), z: int(rng.integers(5))}
    table = ex.Recipe(exprs)(values, 5)
    for column, value in zip(table.T, ex.evaluate(exprs, values), strict=True):
        np.testing.assert_array_equal(column, np.broadcast_to(value, 5))
    assert np.array_equal(pickle.loads(pickle.dumps(ex.Recipe(exprs)))(values, 5), table)


def test_a_recipe_says_which_symbol_has_no_value() -> None:
    x, y = ex.symbols("x y")
    with pytest.raises(ExpressionError, match="no value for the symbol 'y'"):
        ex.Recipe([x + y])({x: 1.0}, 1)
    with pytest.raises(ExpressionError, match="unknown function"):
        ex.Recipe([ex.function("f")(x)])
