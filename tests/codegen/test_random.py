"""Random formulas and random trees: machine code against independent computation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions, compile_mechanism, source
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, trees
from random_mechanisms import random_tree

SYMBOLS = [ex.symbol(name) for name in NAMES]
FUNCTIONS = ("sin", "cos", "exp", "atan", "abs", "sign")


def _expression(tree: object) -> ex.Expr:
    functions = {name: ex.FUNCTIONS[name].build for name in FUNCTIONS}
    try:
        return ex.as_expr(carry_out(tree, dict(zip(NAMES, SYMBOLS, strict=True)), functions, ex.as_expr))
    except (ExpressionError, ZeroDivisionError, OverflowError):
        assume(False)
        raise


@settings(max_examples=60)
@given(st.lists(trees(FUNCTIONS, floats=True, leaves=25), min_size=1, max_size=4), st.integers(0, 10**6))
def test_random_formulas_have_the_value_they_say(found: list, seed: int) -> None:
    outputs = [_expression(tree) for tree in found]
    states = np.random.default_rng(seed).uniform(-2, 2, (5, 4))
    function = Function("f", [SYMBOLS], outputs)
    native = compile_functions([function])["f"]
    expected = np.array([ex.evaluate(outputs, dict(zip(SYMBOLS, state, strict=True))) for state in states])
    assume(np.isfinite(expected).all() and np.abs(expected).max() < 1e8)
    # Formulas that cancel lose digits in every order of rounding: compare with the sensitivity to the inputs.
    near = np.array([ex.evaluate(outputs, dict(zip(SYMBOLS, state * (1 + 1e-12), strict=True))) for state in states])
    assume(np.isfinite(near).all())
    room = 1e-12 * (1 + np.abs(expected)) + 2 * np.abs(near - expected)
    assume((room < 1e-6 * (1 + np.abs(expected))).all())
    assert (np.abs(native(states) - expected) <= room).all()
    assert (np.abs(np.array([native(state) for state in states]) - expected) <= room).all()
    space: dict[str, Callable] = {}
    exec(compile(source([function], "python"), "f.py", "exec"), space)  # our own text
    written = np.array([[float(v) for v in space["f"](state)] for state in states])
    assert (np.abs(written - expected) <= room).all()


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_obey_their_equations(seed: int) -> None:
    m = random_tree(seed)
    f = compile_mechanism(m)
    rng = np.random.default_rng(seed)
    q, u = rng.uniform(-0.7, 0.7, (3, len(f.coordinates))), rng.uniform(-1, 1, (3, len(f.speeds)))
    values = {name: rng.uniform(0.5, 2.0) for name in f.parameters if name not in f.given}
    a = f.acceleration(q, u, 0.3, **values)
    left = np.einsum("bij,bj->bi", f.mass_matrix(q, 0.3, **values), a)
    right = f.bias(q, u, 0.3, **values) + f.forces(q, u, 0.3, **values)
    size = 1 + np.abs(left).max()
    np.testing.assert_allclose(left, right, atol=1e-9 * size)
    np.testing.assert_allclose(f.inverse_dynamics(q, u, a, 0.3, **values), 0, atol=1e-9 * size)
    alone = [f.acceleration(x, y, 0.3, **values) for x, y in zip(q, u, strict=True)]
    np.testing.assert_allclose(a, alone, rtol=1e-9, atol=1e-9)
