"""A reduced formula is the same function, wherever the formula was defined, in no more operations."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, points, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
a, b, c, d = SYMBOLS.values()
WAVES = {"sin": ex.sin, "cos": ex.cos}
POINTS = ({a: 0.3, b: 1.1, c: 2.0, d: -0.7}, {a: 1.9, b: -0.4, c: 0.6, d: 1.3}, {a: -2.3, b: 0.9, c: -1.6, d: 0.2})


@given(trees(), points())
def test_reducing_keeps_exact_values(tree, point):
    values = {SYMBOLS[n]: v for n, v in point.items()}
    try:
        e = carry_out(tree, SYMBOLS, number=ex.as_expr)
        expected = ex.evaluate_exact([e], values)
    except ExpressionError:
        assume(False)
    assert ex.evaluate_exact(ex.reduce([e]), values) == expected


@given(trees(("sin", "cos", "sqrt", "abs", "acos", "log"), leaves=14))
def test_reducing_keeps_values_and_domain(tree):
    functions = WAVES | {"sqrt": ex.sqrt, "abs": abs, "acos": ex.acos, "log": ex.log}
    try:
        e = carry_out(tree, SYMBOLS, functions, ex.as_expr)
        e = e * ex.cos(a) ** 2 + ex.sin(a) * (e * ex.sin(a)) + (b + c) ** 2 - b * b - 2 * b * c - c * c
    except ExpressionError:
        assume(False)
    found = ex.reduce([e])[0]
    for point in POINTS:
        expected, value = ex.evaluate([e, found], point)
        if math.isfinite(expected) and abs(expected) < 1e5:
            assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(trees(("sin", "cos"), leaves=14))
def test_reducing_never_costs_operations(tree):
    try:
        e = carry_out(tree, SYMBOLS, WAVES, ex.as_expr)
    except ExpressionError:
        assume(False)
    assert ex.count_operations(ex.reduce([e])) <= ex.count_operations(e)


IDENTITIES = {
    "circle": (ex.cos(a) ** 2 + ex.sin(a) ** 2, ex.ONE),
    "double angle": (ex.cos(a) ** 2 - ex.sin(a) ** 2 - ex.cos(2 * a), ex.ZERO),
    "half angle": (1 - 2 * ex.sin(a / 2) ** 2 - ex.cos(a), ex.ZERO),
    "quarter turn": (ex.sin(a + ex.PI / 2) - ex.cos(a), ex.ZERO),
    "sum of angles": (ex.sin(a) * ex.cos(b) + ex.cos(a) * ex.sin(b) - ex.sin(a + b), ex.ZERO),
    "like terms": (3 * (a * b) - a * (2 * b) - a * b, ex.ZERO),
    "turned forth and back": (
        d * (ex.cos(a) * b - ex.sin(a) * c) * ex.cos(a) + d * (ex.sin(a) * b + ex.cos(a) * c) * ex.sin(a),
        b * d,
    ),
    "decimals": (0.1 * a + 0.2 * a - 0.3 * a, ex.ZERO),
    "a root of a number": ((a + ex.sqrt(3)) * (a - ex.sqrt(3)) - a * a + 3, ex.ZERO),
    "roots of numbers": (a * (b * ex.sqrt(2)) * ex.sqrt(6) - a * (2 * b) * ex.sqrt(3), ex.ZERO),
    "60 degrees": (ex.sin(a + ex.PI / 3) - ex.sin(a) / 2 - ex.cos(a) * ex.sqrt(3) / 2, ex.ZERO),
    "15 degrees": (
        4 * ex.cos(a + ex.PI / 12) - (ex.sqrt(6) + ex.sqrt(2)) * ex.cos(a) + (ex.sqrt(6) - ex.sqrt(2)) * ex.sin(a),
        ex.ZERO,
    ),
    "offset angle": (ex.cos(a + 0.4) * ex.cos(0.4 + a) + ex.sin(a + 0.4) ** 2, ex.ONE),
}


@pytest.mark.parametrize("what", IDENTITIES)
def test_identities_of_sums_and_angles_are_seen(what):
    e, expected = IDENTITIES[what]
    assert ex.reduce([e])[0] is expected


STRANGERS = {
    "a root has a sign": (ex.sqrt((2 - a) ** 2), 2 - a),
    "the inverse of a root": (1 / ex.sqrt((2 - a) ** 2), 1 / (2 - a)),
    "an absolute value": (abs(a), a),
    "an arc is not its angle": (ex.acos(ex.cos(a)), a),
    "an arc of a sine": (ex.asin(ex.sin(a)), a),
    "an arc of two": (ex.atan2(ex.sin(a), ex.cos(a)), a),
    "a logarithm": (ex.log(a**2), 2 * ex.log(a)),
    "near decimals": (0.1 * a, 0.1000000001 * a),
    "a third of an angle is no angle": (3 * ex.sin(a / 3), ex.sin(a)),
    "functions of one argument": (ex.function("f")(a), ex.function("g")(a)),
    # no squares modulo the prime: whether the product of their roots is that of 851 or its opposite, no field tells
    "roots of other numbers": (a * (ex.sqrt(851) * ex.sqrt(1081)), -23 * a * ex.sqrt(1739)),
    "a choice": (ex.where(a < b, c, d), c),
}


@pytest.mark.parametrize("what", STRANGERS)
def test_what_differs_somewhere_is_kept_apart(what):
    first, second = STRANGERS[what]
    assert len(set(ex.fingerprints([first, second]))) == 2
    assert ex.reduce([first - second])[0] is not ex.ZERO


def test_reducing_keeps_values_of_roots_of_numbers_and_parts_of_turns():
    radicands = [2, 3, 6, 12, 23, 37, 851, 1081, 1739, 1000003, Fraction(3, 4), Fraction(344047, 500000), 0.3]
    rng = random.Random(1)

    def formula(depth):
        if depth:
            x, y = formula(depth - 1), formula(depth - 1)
            return rng.choice([x + y, x - y, x * y])
        turn = ex.PI * Fraction(rng.randint(-6, 6), rng.choice((3, 4, 5, 12)))
        return rng.choice([ex.sqrt(ex.const(rng.choice(radicands))), a, rng.choice([ex.sin, ex.cos])(b + turn)])

    for _ in range(60):
        x, y = formula(3), formula(2)
        found = ex.reduce([x, y, (x + y) * (x - y) - x * x + y * y])
        assert found[2] is ex.ZERO
        assert ex.evaluate(found[:2], POINTS[0]) == pytest.approx(ex.evaluate([x, y], POINTS[0]), rel=1e-9, abs=1e-9)


def test_no_division_or_root_comes_in_where_there_was_none():
    """x is not replaced by x^2/x, which is older."""
    older = a * b / b  # cancels when made
    quotient = (a * b + a * c) / (b + c)
    sum_of_both = [quotient, a * ex.cos(d) ** 2 + a * ex.sin(d) ** 2, older]
    found = ex.reduce(sum_of_both)
    values = ex.evaluate(found, {a: 2.0, b: 1.0, c: -1.0, d: 0.3})
    assert values[1] == values[2] == 2.0
    rooted = [
        ex.sqrt(a) * ex.sqrt(a) * b + c * ex.sqrt(a) / ex.sqrt(a),
        a * b * ex.cos(d) ** 2 + ex.sin(d) ** 2 * (a * b) + c,
    ]
    found = ex.reduce(rooted)
    assert math.isfinite(ex.evaluate(found, {a: -2.0, b: 1.0, c: 3.0, d: 0.3})[1])


def test_a_sum_in_another_order_is_found():
    e = (a + b * c) + d - (d + a)
    assert ex.reduce([e])[0] is b * c


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.5, "1/2"), (0.25, "1/4"), (1 / 6, "1/6"), (2 / 3, "2/3"), (9.81, "9.81"), (0.1, "0.1"), (6 * 0.3, "1.8"),
     (1e-17, "1e-17"), (math.pi, "3.141592653589793"), (0.123456789, "0.123456789"), (-0.75, "-3/4")],
)  # fmt: skip
def test_numbers_are_exact_where_they_were_meant_so(number, text):
    assert str(ex.reduce([ex.const(number)])[0]) == text


def test_the_sweep_grows_linearly():
    import time

    def seconds(n):
        x, e = ex.symbols("x y"), ex.ONE
        for k in range(n):
            e = e * ex.cos(ex.symbol(f"q{k}")) + x[0] * ex.sin(ex.symbol(f"q{k}")) * x[1]
        begin = time.process_time()
        ex.reduce([e])
        return time.process_time() - begin

    seconds(300)
    few, many = min(seconds(400) for _ in range(3)), min(seconds(3200) for _ in range(3))
    assert math.log(many / few) / math.log(8) < 1.3


def test_deep_sums_of_angles_do_not_recurse():
    angle, values = ex.ZERO, []
    for k in range(3000):
        angle = angle + ex.symbol(f"q{k}")
        values.append(ex.sin(angle) ** 2 + ex.cos(angle) ** 2)
    assert set(ex.reduce(values)) == {ex.ONE}


def test_random_rotations_forth_and_back_vanish():
    """What a chain of turns does to a vector is undone by the reversed chain: exactly, and by numbers."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        angles = [ex.symbol(f"q{k}") for k in rng.integers(0, 4, size=3)]
        vector = [ex.symbol(x) for x in "uvw"]
        axes = rng.integers(0, 3, size=3)
        moved = list(vector)
        for way in (1, -1):
            for axis, angle in list(zip(axes, angles, strict=True))[::way]:
                i, j = [k for k in range(3) if k != axis]
                s, co = way * ex.sin(angle), ex.cos(angle)
                moved[i], moved[j] = co * moved[i] - s * moved[j], s * moved[i] + co * moved[j]
        assert ex.reduce(moved) == vector


def test_what_is_only_rounding_is_nothing_and_what_is_small_stays():
    third, seventh = ex.const(1 / 3.1), ex.const(1 / 7.3)
    assert ex.reduce([third * a * (seventh * b) - ex.const((1 / 3.1) * (1 / 7.3)) * (a * b)])[0] is ex.ZERO
    small = [1e-20 * third * a, third * a / 1e18, ex.const(1 / 3.1) * a - ex.const(1 / 3.1 + 1e-12) * a]
    assert ex.ZERO not in ex.reduce(small)
    assert ex.ZERO not in ex.reduce([third * ex.sqrt(a) - third * ex.sqrt(b)])


def test_what_is_small_beside_rounding_stays():
    """1e-17 a b is rounding, 1e-19 c^2 is not: where a and b are short it is all that there is."""
    third, seventh, c = ex.const(1 / 3.1), ex.const(1 / 7.3), ex.symbol("c")
    rounding = third * a * (seventh * b) - ex.const((1 / 3.1) * (1 / 7.3)) * (a * b)
    assert ex.reduce([rounding])[0] is ex.ZERO
    for small in (c * c, a * c, c, ex.sin(c) * a):
        (kept,) = ex.reduce([rounding + ex.const(1e-19 / 3.1) * small])
        assert kept is not ex.ZERO
