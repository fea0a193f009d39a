"""Zero or not, and pivots: judged by what things are made of, in no unit."""

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.expr.elimination import sample, samples, solve_linear, vanish

x, y = ex.symbols("x y")


@pytest.mark.parametrize("unit", [1e-30, 1e-12, 1.0, 1e12])
def test_what_cancels_vanishes_and_what_is_small_does_not(unit):
    a = ex.const(unit)
    assert vanish([a * ex.sin(x) ** 2 + a * ex.cos(x) ** 2 - a, a * (x + y) - a * x - a * y])
    assert not vanish([a * x])
    assert not vanish([a * x - a * x, a * x * y])
    assert vanish([a * 1e-16 * x], [a * x])
    assert not vanish([a * 1e-5 * x], [a * x])


@pytest.mark.parametrize("down", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize("across", [1e-15, 1e15])
def test_units_of_rows_and_unknowns_leave_the_solution_of_a_linear_system(down, across):
    rows = [[down * ex.cos(x), -down * across * ex.sin(x)], [ex.sin(x), across * ex.cos(x)]]
    found = solve_linear(rows, [[ex.const(down), ex.ZERO]], [x, y], "a rotation").columns[0]
    c, s = ex.evaluate([ex.cos(x), -ex.sin(x) / across], {x: 0.7})
    assert ex.evaluate(found, {x: 0.7}) == pytest.approx([c, s], rel=1e-12)


def test_points_of_several_seeds_are_those_of_each():
    x, y = ex.symbols("x y")
    f = ex.function("f")
    exprs = [x * y - 2, f(x) + y, ex.const(3), ex.sqrt(x - 5)]
    many = samples(exprs, (1, 2, 7))
    for row, seed in zip(many, (1, 2, 7), strict=True):
        np.testing.assert_allclose(row, sample(exprs, seed), rtol=1e-15)
    assert np.isnan(many[:, 3]).all()
    assert samples([], (1, 2)).size == 0
