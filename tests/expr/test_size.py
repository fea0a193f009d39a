"""Hundreds of thousands of nodes are no burden: nothing recurses along operands and nothing grows for ever."""

import gc
import pickle
import sys

import numpy as np
import pytest

from dalembert import expr as ex

x, y = ex.symbols("x y")


def deep(n):
    """A chain of n nested steps e <- sin(e)*y + x, of 3 n nodes and depth 3 n."""
    e = x
    with ex.uncollected():
        for _ in range(n):
            e = ex.sin(e) * y + x
    return e


@pytest.mark.parametrize("steps", [3_000, pytest.param(120_000, marks=pytest.mark.slow)])
def test_deep_expressions_can_be_used_in_every_way(steps):
    assert 3 * steps > sys.getrecursionlimit()
    e = deep(steps)
    assert len(ex.topological([e])) == 3 * steps + 2
    assert ex.count_operations(e) == 3 * steps

    point = {x: 0.3, y: 0.25}
    value = 0.3
    for _ in range(steps):
        value = np.sin(value) * 0.25 + 0.3
    assert ex.evaluate([e], point) == pytest.approx([value], rel=1e-12)

    slope = ex.derivative(e, x)
    gradient = ex.gradient(e, [x, y])
    step = 1e-30
    (moved,) = ex.evaluate([e], {x: 0.3 + 1j * step, y: 0.25})
    assert ex.evaluate([slope, gradient[0]], point) == pytest.approx([moved.imag / step] * 2, rel=1e-9)

    (replaced,) = ex.substitute([e], {x: y, y: x})
    assert ex.evaluate([replaced], {x: 0.25, y: 0.3}) == ex.evaluate([e], point)

    assert "intermediates" in ex.text(e)
    assert len(ex.latex(e)) < 200_000
    assert len(ex.listing([e]).definitions) > 10
    assert pickle.loads(pickle.dumps(e)) is e
    del e, slope, gradient, replaced
    gc.collect()


def test_wide_sums_do_not_recurse_when_freed():
    total = ex.ZERO
    for i in range(20_000):
        total = total + ex.symbol(f"s{i}") * i
    assert len(ex.free_symbols(total)) == 19_999
    del total


def test_text_of_an_exponentially_large_formula_stays_small():
    """Sharing makes 60 nodes whose text, written out, would have 2**60 letters."""
    e = x
    for _ in range(60):
        e = e * (e + y)
    assert len(ex.text(e)) < 10_000
    assert ex.count_operations(e) == 120


class _Untouched:
    """A value that must not be looked at."""

    def __array__(self, *_: object, **__: object) -> None:
        raise AssertionError("a value was converted that no expression asks for")


def test_only_the_values_that_are_asked_for_are_looked_at():
    """A picture of a machine asks thousands of times for a few numbers, from all that are known."""
    x, y = ex.symbols("x y")
    assert ex.evaluate([x + 1, x * x], {x: 3, y: _Untouched(), x * y: _Untouched()}) == [4.0, 9.0]
    assert ex.evaluate([x * y], {x * y: 7, x: _Untouched()}) == [7.0]
