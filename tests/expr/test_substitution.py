"""Substitution is simultaneous; time derivatives follow the chain rule; unknown functions keep their slots."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import assume, given

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from random_expressions import NAMES, carry_out, points, trees

SYMBOLS = {name: ex.symbol(name) for name in NAMES}
a, b, c, d = SYMBOLS.values()


@given(trees(), trees(leaves=4), trees(leaves=4), points())
def test_substitution_commutes_with_evaluation(tree, for_a, for_b, point):
    try:
        e, new_a, new_b = (carry_out(t, SYMBOLS, number=ex.as_expr) for t in (tree, for_a, for_b))
        values = {SYMBOLS[n]: v for n, v in point.items()}
        inner = dict(zip((a, b), ex.evaluate_exact([new_a, new_b], values), strict=True))
        expected = ex.evaluate_exact([e], {**values, **inner})
        (replaced,) = ex.substitute([e], {a: new_a, b: new_b})
        assert ex.evaluate_exact([replaced], values) == expected
    except ExpressionError:
        assume(False)


def test_replacements_are_not_searched_again():
    assert ex.substitute([a - b, a**b], {a: b, b: a}) == [b - a, b**a]
    assert ex.substitute([a + b], {a: a + b}) == [a + b + b]


def test_whole_nodes_can_be_replaced():
    s = ex.sin(a)
    assert ex.substitute([s**2 + a], {s: b}) == [b**2 + a]
    assert ex.substitute([s], {s: b, a: c}) == [b]


def test_untouched_expressions_stay_the_same_object():
    e = ex.sin(a) ** 2 + b
    assert ex.substitute([e], {c: 1})[0] is e


def test_numbers_fold_after_substitution():
    (value,) = ex.substitute([(a + b) * c], {a: 1, b: Fraction(1, 2), c: 4})
    assert value is ex.const(6)


def test_formulas_in_text_can_be_substituted():
    assert ex.substitute([a**2], {a: "b + 1"}) == [(b + 1) ** 2]


def test_time_derivative_follows_the_chain_rule():
    x, v = ex.symbols("x x'")
    assert ex.dot(x**2 / 2, [x]) is x * v
    assert ex.dot(ex.sin(3 * ex.TIME), []) is 3 * ex.cos(3 * ex.TIME)
    assert ex.dot([x, ex.TIME * x], {x: a}) == [a, x + ex.TIME * a]
    assert ex.dot(v, [x, v]) is ex.symbol("x''")
    assert ex.prime(x, 2) is ex.symbol("x''")


def test_second_time_derivative_of_a_rotating_point_has_its_centripetal_part():
    """r = (cos th, sin th): r'' = th'' t - th'^2 r."""
    th = ex.symbol("th")
    rate, acceleration = ex.prime(th), ex.prime(th, 2)
    first = ex.dot(ex.cos(th), [th])
    second = ex.dot(first, {th: rate, rate: acceleration})
    expected = -acceleration * ex.sin(th) - rate**2 * ex.cos(th)
    point = {th: 0.3, rate: 1.7, acceleration: -0.4}
    found, wanted = ex.evaluate([second, expected], point)
    assert found == pytest.approx(wanted, rel=1e-14)


def test_partials_of_an_unknown_function_count_their_slots():
    f = ex.function("f")
    e = f(a * b, a)
    slope = ex.derivative(e, a)
    first, second = (n for n in ex.topological([slope]) if n.op == "apply")
    assert {first.orders, second.orders} == {(1, 0), (0, 1)}
    assert ex.derivative(ex.derivative(f(a, b), a), b) is ex.derivative(ex.derivative(f(a, b), b), a)
    assert ex.unknown_functions([slope]) == {"f"}


def test_partials_of_an_unknown_function_agree_with_sympy():
    """With f given, the chain rule through the slots must be the ordinary derivative."""
    f = ex.function("f")
    slope = ex.derivative(f(a * b, a), a)
    u, w = sp.symbols("u w")
    known = sp.sin(u) * w**2
    values = {}
    for n in ex.topological([slope]):
        if n.op == "apply":
            partial = sp.diff(known, u, n.orders[0], w, n.orders[1])
            values[n] = ex.from_sympy(partial.subs({u: ex.to_sympy(n.args[0]), w: ex.to_sympy(n.args[1])}))
    (found,) = ex.substitute([slope], values)
    direct = ex.derivative(ex.sin(a * b) * a**2, a)
    assert ex.evaluate([found], {a: 0.7, b: 1.3}) == pytest.approx(ex.evaluate([direct], {a: 0.7, b: 1.3}), rel=1e-14)


def test_counts_and_names():
    e = (a + b) ** 2 * ex.sin(a + b)
    assert ex.free_symbols(e) == {a, b}
    assert ex.count_operations(e) == 4  # one sum, one square, one sine, one product
    assert ex.count_by_kind(e) == {"additions": 1, "multiplications": 2, "functions": 1}
    assert ex.count_operations(a**7) == 4  # a2, a3, a6, a7


def test_an_unknown_function_needs_an_argument():
    with pytest.raises(ExpressionError, match="at least one argument"):
        ex.function("f")()
