"""Whatever identities simplify a formula, its value stays: exactly, modulo primes, in floats."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, points, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
PRIME = 2_147_483_647
REAL = {
    "sin": (ex.sin, math.sin),
    "cos": (ex.cos, math.cos),
    "tan": (ex.tan, math.tan),
    "exp": (ex.exp, math.exp),
    "sqrt": (ex.sqrt, math.sqrt),
    "log": (ex.log, math.log),
    "asin": (ex.asin, math.asin),
    "acos": (ex.acos, math.acos),
    "atan": (ex.atan, math.atan),
    "abs": (ex.absolute, abs),
    "sign": (ex.sign, lambda x: (x > 0) - (x < 0)),
}


def exact_value(tree, point):
    try:
        return carry_out(tree, point, number=Fraction)
    except ZeroDivisionError:
        assume(False)


@given(trees(), points())
def test_identities_keep_exact_values(tree, point):
    expected = exact_value(tree, point)
    e = carry_out(tree, SYMBOLS, number=ex.as_expr)
    assert ex.evaluate_exact([e], {SYMBOLS[n]: v for n, v in point.items()}) == [expected]


@given(trees(), st.fixed_dictionaries({name: st.integers(0, PRIME - 1) for name in NAMES}))
def test_values_modulo_a_prime_agree_with_exact_values(tree, point):
    expected = exact_value(tree, {n: Fraction(v) for n, v in point.items()})
    assume(expected.denominator % PRIME)
    e = carry_out(tree, SYMBOLS, number=ex.as_expr)
    residue = expected.numerator * pow(expected.denominator, -1, PRIME) % PRIME
    try:
        found = ex.evaluate_mod([e], {SYMBOLS[n]: v for n, v in point.items()}, PRIME)
    except ExpressionError:
        assume(False)  # an inner denominator is a multiple of the prime
    assert found == [residue]


class Watched(float):
    """A float whose arithmetic remembers the largest magnitude on the way, so rounding can be judged."""

    largest = 1.0


def watch(value):
    if not math.isfinite(value) or abs(value) > 1e5:
        raise OverflowError
    Watched.largest = max(Watched.largest, abs(value))
    return Watched(value)


for _name in ("add", "sub", "mul", "truediv", "pow", "radd", "rsub", "rmul", "rtruediv", "neg"):
    _plain = getattr(float, f"__{_name}__")
    setattr(Watched, f"__{_name}__", lambda *operands, f=_plain: watch(f(*operands)))


@given(trees(tuple(REAL), floats=True), st.fixed_dictionaries({name: st.floats(-3, 3) for name in NAMES}))
def test_identities_keep_float_values(tree, point):
    Watched.largest = 1.0
    functions = {name: lambda x, f=f: watch(f(x)) for name, (_, f) in REAL.items()}
    try:
        expected = carry_out(tree, {n: Watched(v) for n, v in point.items()}, functions, lambda x: watch(float(x)))
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        assume(False)
    e = carry_out(tree, SYMBOLS, {name: f for name, (f, _) in REAL.items()}, ex.as_expr)
    (found,) = ex.evaluate([e], {SYMBOLS[n]: v for n, v in point.items()})
    # Next to a jump (sign), a pole or a branch point rounding decides; elsewhere both computations must agree.
    shaken = [ex.evaluate([e], {SYMBOLS[n]: v + h for n, v in point.items()})[0] for h in (1e-9, -1e-9)]
    assume(all(abs(s - found) <= 1e-4 * Watched.largest for s in shaken))
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9 * Watched.largest**2)


@given(trees(), points())
def test_exact_input_gives_exact_constants_only(tree, point):
    exact_value(tree, point)
    e = carry_out(tree, SYMBOLS, number=ex.as_expr)
    assert all(type(n.value) in (int, Fraction) for n in ex.topological([e]) if n.is_number)


def test_values_broadcast_as_numpy_does():
    x, y = ex.symbols("x y")
    rows, columns = np.arange(3.0)[:, None], np.arange(4)
    total, constant, chosen = ex.evaluate([x * y + 1, ex.const(7), ex.where(x < y, x, y)], {x: rows, y: columns})
    np.testing.assert_array_equal(total, rows * columns + 1)
    assert constant == 7.0
    assert isinstance(constant, float)
    np.testing.assert_array_equal(chosen, np.minimum(rows, columns))


def test_whole_numbers_do_not_wrap_around():
    x = ex.symbol("x")
    assert ex.evaluate([x * x * x], {x: 10**9}) == [1e27]
    assert ex.evaluate([x**2], {x: np.array([2**40])})[0][0] == 2.0**80


def test_any_node_may_be_given_a_value():
    x = ex.symbol("x")
    s, c = ex.sin(x), ex.cos(x)
    assert ex.evaluate_exact([s**2 + c**2], {s: Fraction(3, 5), c: Fraction(4, 5)}) == [1]
    assert ex.evaluate([s + x], {s: 10.0, x: 0.0}) == [10.0]


def test_exact_roots_are_taken_and_others_are_refused():
    x = ex.symbol("x")
    assert ex.evaluate_exact([ex.sqrt(x)], {x: Fraction(9, 4)}) == [Fraction(3, 2)]
    with pytest.raises(ExpressionError, match="square root of 2"):
        ex.evaluate_exact([ex.sqrt(x)], {x: 2})


def test_defined_functions_are_called():
    x, y = ex.symbols("x y")
    f = ex.function("f")
    assert ex.evaluate([f(x, y) + 1], {x: 2.0, y: 3.0}, {"f": lambda a, b: a * b}) == [7.0]


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda x: ex.evaluate([x], {}), "no value for the symbol 'x'"),
        (lambda x: ex.evaluate([ex.function("f")(x)], {x: 1}), "unknown function"),
        (lambda x: ex.evaluate([x], {x: "three"}), "not a number"),
        (lambda x: ex.evaluate_exact([ex.sin(x)], {x: 1}), "no exact value"),
        (lambda x: ex.evaluate_exact([1 / x], {x: 0}), "denominator vanishes"),
        (lambda x: ex.evaluate_exact([x], {x: math.nan}), "not a rational"),
        (lambda x: ex.evaluate_mod([1 / x], {x: 7}, 7), "vanishes modulo 7"),
        (lambda x: ex.evaluate_mod([x / 7], {x: 1}, 7), "vanishes modulo 7"),
    ],
)
def test_a_value_that_cannot_be_had_says_why(compute, message):
    with pytest.raises(ExpressionError, match=message):
        compute(ex.symbol("x"))


def test_decimals_in_text_are_the_rationals_that_they_spell():
    """Whatever is written: sums, products, quotients, powers and functions of decimals keep all their digits."""
    assert ex.parse("0.1 + 0.2") is ex.const(0.3)
    assert ex.parse("x*0.1*3") is 0.3 * ex.symbol("x")
    assert ex.parse("0.6 - 1e-30").value == Fraction(6, 10) - Fraction(1, 10**30)
    assert ex.parse("1/0.3").value == Fraction(10, 3)
    assert ex.parse("0.3^2") is ex.const(0.09)
    assert str(ex.parse("sqrt(0.5)")) == "sqrt(0.5)"
    assert ex.parse("sqrt(0.25)") is ex.const(0.5)
    for text in ("sin(0.3)", "atan2(0.3, 0.4)", "2.5^1.3", "exp(0.1)"):
        assert ex.parse(text).op not in ("const", "neg")
    assert ex.parse("1.0000000000000000000001 - 1").value == Fraction(1, 10**22)
    with pytest.raises(ExpressionError, match="below the range of numbers"):
        ex.parse("1e-400")
    assert (ex.const(0.1) + ex.const(0.2)).value == 0.1 + 0.2  # Python's own floats stay Python's
