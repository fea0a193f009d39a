"""Bounds of expressions in a box hold at every point of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.expr.spread import FAR, spread

x, y, r, s = ex.symbols("x y r s")
FORMULAS = [
    "x*y - 3*x", "x/y", "x^3 - y^2", "1/x^2", "(x^2 + y^2)^0.5", "sqrt(abs(x) + 0.1)", "sin(3*x)*cos(y)", "tan(x)",
    "exp(x*y)", "log(2 + sin(x))", "asin(0.4*x)", "acos(y/3)", "atan(5*x)", "atan2(x, y)", "sinh(x) - cosh(y)",
    "tanh(4*x)", "abs(x - y)", "sign(x)*y", "min(x, y^2)", "max(x, sin(y))", "where(x < y, x, 3 - y)", "abs(x)^1.5",
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_value_in_the_box_strays_further_than_its_bound(formula: str) -> None:
    rng = np.random.default_rng(len(formula) * 7919)
    e = ex.parse(formula)
    (bound,) = spread([e], {x: r, y: s})
    tight = 0
    for _ in range(200):
        centre, radii = rng.normal(size=2), 10.0 ** rng.uniform(-4, 0.5, size=2)
        box = {x: centre[0], y: centre[1], r: radii[0], s: radii[1]}
        with np.errstate(all="ignore"):
            middle, most = (float(v) for v in ex.evaluate([e, bound], box))
            inside = centre[:, None] + radii[:, None] * np.clip(rng.uniform(-1.2, 1.2, size=(2, 60)), -1, 1)
            values = np.array([float(ex.evaluate([e], {x: a, y: b})[0]) for a, b in inside.T])
        strays = np.abs(values[np.isfinite(values)] - middle)
        assert not math.isfinite(middle) or not strays.size or strays.max() <= most * (1 + 1e-9) + 1e-12
        tight += bool(strays.size) and strays.max() > 0.2 * most
    assert tight > 20  # a bound of no use would hold too


def test_poles_and_unknown_functions_have_no_bound() -> None:
    box = {x: 0.5, r: 1.0}
    assert ex.evaluate(spread([1 / x, ex.log(x)], {x: r}), box) == [1e300, 1e300]
    assert spread([ex.function("f")(x)], {x: r}) == [FAR]
