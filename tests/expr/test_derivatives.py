"""Derivatives by sweeps against complex steps, exact polynomials and SymPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, points, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
VARIABLES = list(SYMBOLS.values())
SMOOTH = {"sin": ex.sin, "cos": ex.cos, "exp": ex.exp, "atan": ex.atan}
STEP = 1e-30


def smooth(tree):
    try:
        return carry_out(tree, SYMBOLS, SMOOTH, ex.as_expr)
    except ExpressionError:
        assume(False)


def complex_step(exprs, point, direction):
    """Derivative along a direction to rounding, from one evaluation off the real axis."""
    moved = {x: point[x] + 1j * STEP * v for x, v in zip(VARIABLES, direction, strict=True)}
    values = np.array(ex.evaluate(exprs, moved), dtype=complex)
    assume(np.all(np.isfinite(values)) and np.all(abs(values) < 1e6))
    return values.imag / STEP


def at(exprs, point):
    values = np.array(ex.evaluate(exprs, point), dtype=float)
    assume(np.all(np.isfinite(values)) and np.all(abs(values) < 1e6))
    return values


real_points = st.lists(st.floats(0.2, 2.0), min_size=4, max_size=4).map(
    lambda values: dict(zip(VARIABLES, values, strict=True))
)
directions = st.lists(st.integers(-2, 2), min_size=4, max_size=4)


@given(trees(tuple(SMOOTH)), real_points)
def test_forward_and_reverse_agree_with_the_complex_step(tree, point):
    e = smooth(tree)
    slopes = [ex.derivative(e, x) for x in VARIABLES]
    steps = [complex_step([e], point, [x is y for y in VARIABLES])[0] for x in VARIABLES]
    assert at(slopes, point) == pytest.approx(np.array(steps), rel=1e-6, abs=1e-6)
    assert at(ex.gradient(e, VARIABLES), point) == pytest.approx(at(slopes, point), rel=1e-6, abs=1e-6)


@given(st.lists(trees(tuple(SMOOTH), leaves=6), min_size=1, max_size=5), real_points, directions)
def test_jacobian_times_a_direction_is_the_tangent(listed, point, direction):
    exprs = [smooth(tree) for tree in listed]
    rows = ex.jacobian(exprs, VARIABLES)
    product = np.array([at(row, point) for row in rows]) @ np.array(direction)
    moved = ex.tangent(exprs, dict(zip(VARIABLES, direction, strict=True)))
    assert at(moved, point) == pytest.approx(product, rel=1e-6, abs=1e-6)
    assert complex_step(exprs, point, direction) == pytest.approx(product, rel=1e-6, abs=1e-6)


@given(trees(tuple(SMOOTH), leaves=8), real_points, directions)
def test_hessian_times_a_vector_is_the_tangent_of_the_gradient(tree, point, vector):
    e = smooth(tree)
    product = at(ex.hessian_vector(e, VARIABLES, vector), point)
    assert complex_step(ex.gradient(e, VARIABLES), point, vector) == pytest.approx(product, rel=1e-6, abs=1e-6)


@given(trees(leaves=8), points(), st.sampled_from(NAMES))
def test_rational_derivatives_are_exactly_those_of_sympy(tree, point, name):
    e = smooth(tree)
    try:
        twin = carry_out(tree, {n: sp.Symbol(n) for n in NAMES}, number=lambda x: sp.Rational(str(Fraction(x))))
        expected = sp.diff(twin, sp.Symbol(name)).subs({n: sp.Rational(str(v)) for n, v in point.items()})
    except ZeroDivisionError:
        assume(False)
    assume(expected.is_Rational)
    try:
        found = ex.evaluate_exact([ex.derivative(e, SYMBOLS[name])], {SYMBOLS[n]: v for n, v in point.items()})
    except ExpressionError:
        assume(False)  # a removable pole that SymPy cancelled
    assert found == [Fraction(int(expected.p), int(expected.q))]


@pytest.mark.parametrize(
    ("formula", "slope"),
    [
        ("x**n", "n*x**(n - 1)"),
        ("2**x", "log(2)*2**x"),
        ("sqrt(x)", "1/(2*sqrt(x))"),
        ("tan(x)", "1/cos(x)**2"),
        ("asin(x)", "1/sqrt(1 - x**2)"),
        ("acos(x)", "-1/sqrt(1 - x**2)"),
        ("log(x)", "1/x"),
        ("atan2(x, n)", "n/(x**2 + n**2)"),
        ("atan2(n, x)", "-n/(x**2 + n**2)"),
        ("abs(x - 1)", "sign(x - 1)"),
        ("min(x, n)", "where(x < n, 1, 0)"),
        ("max(x, n)", "where(x < n, 0, 1)"),
        ("where(x < n, x**2, 3*x)", "where(x < n, 2*x, 3)"),
        ("sign(x) + (x < n)", "0"),
    ],
)
def test_slopes_of_the_other_functions(formula, slope):
    x, n = ex.symbols("x n")
    at = {x: np.array([0.15, 0.4, 0.6, 0.85]), n: 0.5}
    found, expected = ex.evaluate([ex.derivative(ex.parse(formula), x), ex.parse(slope)], at)
    np.testing.assert_allclose(found, expected + np.zeros(4), rtol=1e-13)


def test_a_node_may_be_the_variable():
    """Lagrange's equations differentiate by velocities, Kane's by whole speeds: any node may stand for itself."""
    x = ex.symbol("x")
    s = ex.sin(x)
    assert ex.derivative(s**2 + x, s) is 2 * s


def test_exact_slopes_stay_exact():
    x = ex.symbol("x")
    e = ex.derivative(ex.sqrt(x) * x ** Fraction(5, 3) / 7, x)
    assert not any(isinstance(n.data, float) for n in ex.topological([e]))


def test_expansion_touches_the_curve():
    x, y = ex.symbols("x y")
    e = ex.sin(x) * ex.exp(y)
    line = ex.taylor(e, [x, y], [0, Fraction(1, 2)])
    assert ex.substitute([line], {x: 0, y: Fraction(1, 2)}) == [ex.ZERO]
    assert ex.derivative(line, x) is ex.exp(Fraction(1, 2))


def test_sharing_keeps_derivatives_small():
    """The gradient of a product of n factors costs a few n operations, as reverse sweeps promise, not n squared."""
    xs = [ex.symbol(f"x{i}") for i in range(200)]
    product = math.prod(xs, start=ex.ONE)
    assert ex.count_operations(ex.gradient(product, xs)) < 4 * len(xs)


@pytest.mark.parametrize("wrong", [ex.ONE, ex.PI, 3, "x"])
def test_only_variables_can_be_differentiated_by(wrong):
    with pytest.raises(ExpressionError, match="not a variable"):
        ex.derivative(ex.symbol("x"), wrong)


@given(trees(tuple(SMOOTH)), trees(tuple(SMOOTH)), directions)
def test_what_is_derived_step_by_step_or_for_the_upper_half_is_what_one_sweep_derives(first, second, direction):
    exprs = [smooth(first), smooth(second), smooth(first) * smooth(second)]
    along = ex.Along(dict(zip(VARIABLES, direction, strict=True)))
    found = [along.of([e])[0] for e in exprs]
    assert ex.fingerprints(found) == ex.fingerprints(ex.tangent(exprs, dict(zip(VARIABLES, direction, strict=True))))
    slopes = ex.jacobian(exprs, VARIABLES[:3])
    assert ex.upper_jacobian(exprs, VARIABLES[:3]) == [row[i:] for i, row in enumerate(slopes)]
