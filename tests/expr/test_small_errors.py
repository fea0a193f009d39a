"""Rules that a small error in one line would break unseen: slopes of every function, powers of every form."""

from __future__ import annotations

import itertools
import math

import pytest

from dalembert import expr as ex
from dalembert.expr import FUNCTIONS

x, y, z = ex.symbols("x y z")
STEP = 1e-6


@pytest.mark.parametrize("name", [name for name, one in FUNCTIONS.items() if one.partials and name != "where"])
def test_slopes_of_every_function_by_every_argument_are_its_differences(name: str) -> None:
    arguments = [x, y, z][: FUNCTIONS[name].arity]
    e = FUNCTIONS[name].build(*arguments)
    for values in itertools.permutations((0.3, 0.55, 0.7), len(arguments)):
        here = dict(zip(arguments, values, strict=True))
        for one in arguments:
            ahead, behind = (ex.evaluate([e], here | {one: here[one] + s * STEP})[0] for s in (1, -1))
            found = ex.evaluate([ex.derivative(e, one)], here)[0]
            assert found == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-8), (one, here)


@pytest.mark.parametrize("text", ["x", "-x", "3*x", "sqrt(x)", "1/x", "x^3", "1/sqrt(x)", "-2*sqrt(x)", "x*y", "x/y"])
@pytest.mark.parametrize("exponent", [-4, -3, -2, -1, 0, 1, 2, 3, 4, 6])
def test_a_power_of_any_form_is_the_power_of_its_value(text: str, exponent: int) -> None:
    here = {x: 0.7, y: 1.9}
    base = ex.parse(text)
    value = float(ex.evaluate([base], here)[0])
    assert ex.evaluate([base**exponent], here)[0] == pytest.approx(value**exponent, rel=1e-13)
    assert ex.evaluate([(base**exponent) ** 2], here)[0] == pytest.approx(value ** (2 * exponent), rel=1e-13)


def test_an_expansion_has_the_value_and_the_slopes_of_the_curve_where_it_touches() -> None:
    e = ex.parse("x^2*y + sin(y)")
    at = {x: 1.3, y: -0.4}
    line = ex.taylor(e, [x, y], [1.3, -0.4])
    assert ex.evaluate([line], at)[0] == pytest.approx(ex.evaluate([e], at)[0], rel=1e-14)
    assert ex.evaluate(ex.gradient(line, [x, y]), at) == pytest.approx(ex.evaluate(ex.gradient(e, [x, y]), at))
    assert not any(ex.free_symbols(slope) for slope in ex.gradient(line, [x, y]))  # a plane


@pytest.mark.parametrize("number", [2.5, -0.1, math.pi, math.sqrt(2)])
def test_a_form_divided_by_a_measured_number_keeps_its_value_when_it_is_tidied(number: float) -> None:
    """Also where the number is found only when what surrounds it falls away: others are folded as they are read."""
    x, y, z = ex.symbols("x y z")
    n = ex.const(number)
    for below in (n * y, y * (n + z) - y * z, (n * y + z) + (ex.const(math.e) * y - z)):
        for form in (x / below, below**-2, x / (1 + 1 / below)):
            at = {x: 1.3, y: 0.4, z: -0.7}
            assert ex.evaluate([ex.tidy(form)], at)[0] == pytest.approx(ex.evaluate([form], at)[0], rel=1e-12)
