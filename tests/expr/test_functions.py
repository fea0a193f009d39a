"""Elementary functions: exact values, symmetries, comparisons, and faults that explain themselves."""

import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr._grammar import FormulaError

x, y = ex.symbols("x y")


@given(st.integers(-60, 60), st.sampled_from([1, 2, 3, 4, 6]))
def test_sine_and_cosine_are_exact_at_multiples_of_pi(numerator, denominator):
    angle = Fraction(numerator, denominator) * ex.PI
    twin = sp.Rational(numerator, denominator) * sp.pi
    for ours, theirs in ((ex.sin, sp.sin), (ex.cos, sp.cos)):
        found = ours(angle)
        assert not any(n.op in ("sin", "cos") for n in ex.topological([found]))
        assert sp.simplify(ex.to_sympy(found) - theirs(twin)) == 0


@given(st.fractions(min_value=-5, max_value=5, max_denominator=40))
def test_sine_and_cosine_of_any_multiple_of_pi_keep_their_value(turns):
    angle = turns * ex.PI
    assert ex.evaluate([ex.sin(angle), ex.cos(angle)], {}) == pytest.approx(
        [math.sin(turns * math.pi), math.cos(turns * math.pi)], abs=1e-13
    )


def test_square_roots_of_squares_are_exact():
    assert ex.sqrt(Fraction(9, 16)) is ex.const(Fraction(3, 4))
    assert ex.sqrt(2) ** 2 is ex.TWO
    assert ex.sqrt(2) * ex.sqrt(2) is ex.TWO
    assert x**0.5 is ex.sqrt(x)
    assert x ** Fraction(-1, 2) is 1 / ex.sqrt(x)


def test_parity_moves_signs_outwards():
    assert ex.sin(-x) is -ex.sin(x)
    assert ex.cos(-x) is ex.cos(x)
    assert ex.sin(x - y) is -ex.sin(y - x)
    assert ex.cos(-2 * x) is ex.cos(2 * x)
    assert ex.atan(-x) is -ex.atan(x)
    assert abs(-x) is abs(x)
    assert x + -2 * y is x - 2 * y
    assert x - -2 * y is x + 2 * y
    assert ex.sign(-x) is -ex.sign(x)


def test_inverses_cancel_where_they_must():
    assert ex.sin(ex.asin(x)) is x
    assert ex.cos(ex.acos(x)) is x
    assert ex.log(ex.exp(x)) is x
    assert ex.exp(ex.log(x)) is x
    assert ex.asin(ex.sin(x)) is not x  # outside a half turn it is not x


def test_tangent_shares_its_sine_and_cosine():
    assert ex.tan(x) is ex.sin(x) / ex.cos(x)


def test_comparisons_of_numbers_are_decided():
    assert ex.less(1, 2) is ex.ONE
    assert ex.less_equal(2, 2) is ex.ONE
    assert ex.equal(Fraction(1, 2), 0.5) is ex.ONE
    assert (x < x) is ex.ZERO
    assert (x >= x) is ex.ONE


def test_where_chooses_by_value():
    assert ex.where(ex.less(1, 2), x, y) is x
    assert ex.where(x > y, x, x) is x
    chosen = ex.where(x > y, x, y)
    assert ex.evaluate([chosen], {x: 1, y: 2}) == [2]
    assert ex.evaluate([chosen], {x: 3, y: 2}) == [3]


def test_extremes_of_numbers_are_taken():
    assert ex.minimum(3, x) is ex.minimum(x, 3)
    assert ex.maximum(3, Fraction(7, 2)).value == Fraction(7, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: x / 0, "division of x by zero"),
        (lambda: ex.ZERO**-2, "by zero"),
        (lambda: ex.sqrt(-2), "square root of -2 is not a real number"),
        (lambda: ex.log(0), "logarithm of 0"),
        (lambda: ex.asin(1.5), r"asin\(1.5\) is not a real number"),
        (lambda: ex.exp(1000.5), r"exp\(1000.5\) is not a real number"),
        (lambda: ex.const(2) ** 10**9, "too large to write"),
        (lambda: (3 * x) ** 10**9, "too large to write"),
        (lambda: ex.const(1e300) * 1e300 + x, "leaves the range of floats"),
        (lambda: ex.const(10**400) + 0.5, "leaves the range of floats"),
        (lambda: x + math.nan, "nan is not finite"),
        (lambda: x * math.inf, "inf is not finite"),
        (lambda: x + 1j, "not a real number"),
        (lambda: x + None, "None is not a real number"),
        (lambda: ex.symbol(""), "needs a name"),
        (lambda: ex.symbol(3), "needs a name"),
        (lambda: bool(x < y), "truth of x < y is not known"),
        (lambda: float(x + 1), r"x \+ 1 is not a number"),
        (lambda: x.value, "x is not a number"),
        (lambda: ex.sin(x).name, r"sin\(x\) has no name"),
        (lambda: x.orders, "not an unknown function"),
        (lambda: ex.parse("sin(x, y)"), "sin does not take 2 arguments"),
        (lambda: ex.parse("D_3_f(x)"), "no argument 3"),
        (lambda: ex.Matrix([[1, 2], [3]]), "one length"),
        (lambda: ex.Matrix([[1, 2]]) @ ex.Matrix([[1, 2]]), r"\(1, 2\) @ \(1, 2\)"),
        (lambda: ex.Matrix([[1, 2]]) + ex.Matrix([[1]]), "do not match"),
    ],
)
def test_faults_explain_themselves(make, message):
    with pytest.raises(ExpressionError, match=message):
        make()


def test_a_wrong_formula_in_an_operation_shows_its_place():
    with pytest.raises(FormulaError, match="column"):
        x + "2x"


def test_matrix_algebra_is_that_of_sympy():
    a = ex.Matrix([[x, 1, y], [2, x * y, ex.sin(x)]])
    b = ex.Matrix([[1, x], [y, 0], [x, y]])
    assert (a @ b).to_sympy() == a.to_sympy() * b.to_sympy()
    assert (a.T + b).to_sympy() == a.to_sympy().T + b.to_sympy()
    assert (-a - a * 2).to_sympy() == -3 * a.to_sympy()
    assert a.substitute({x: 0})[1, 2] is ex.ZERO
    assert ex.Matrix.identity(3) @ b == b
    assert a[-1, -1] is ex.sin(x)
    with pytest.raises(IndexError, match="outside a 2 by 3 matrix"):
        a[2, 0]
