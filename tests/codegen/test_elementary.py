"""Our vector functions are as accurate as they claim, measured in units of the last place against mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, _target, compile_functions
from dalembert.codegen._elementary import LARGEST_ANGLE

X, Y = ex.symbols("x y")
RNG = np.random.default_rng(3)


def _spread(low: float, high: float, count: int = 1500) -> np.ndarray:
    """Points of all magnitudes between, of both signs."""
    sizes = np.exp(RNG.uniform(math.log(low), math.log(high), count))
    return sizes * RNG.choice([-1.0, 1.0], count)


def _error(found: np.ndarray, exact: list[mpmath.mpf]) -> float:
    worst = 0.0
    for value, true in zip(found, exact, strict=True):
        worst = max(worst, abs(float((mpmath.mpf(float(value)) - true) / math.ulp(float(true)))))
    return worst


def _check(e: ex.Expr, exact: Callable[..., mpmath.mpf], most: float, *columns: np.ndarray) -> None:
    symbols = [X, Y][: len(columns)]
    function = compile_functions([Function("f", [symbols], [e])])["f"]
    points = np.column_stack(columns)
    with mpmath.workprec(160):
        true = [exact(*map(mpmath.mpf, map(float, p))) for p in points]
        assert _error(function(points)[:, 0], true) <= most
        assert _error(np.array([function(p)[0] for p in points[:300]]), true[:300]) <= most


NEAR_QUARTERS = np.array([math.pi / 2 * k for k in [*range(1, 400), *range(63_000, 63_600)]])


@pytest.mark.parametrize(("e", "exact"), [(ex.sin(X), mpmath.sin), (ex.cos(X), mpmath.cos)])
@pytest.mark.parametrize("points", [_spread(1e-8, 10.0), _spread(1.0, 1e5), NEAR_QUARTERS, _spread(1e6, 1e12, 40)])
def test_sine_and_cosine_are_right_to_two_ulp(e: ex.Expr, exact: Callable, points: np.ndarray) -> None:
    _check(e, exact, 2.0, points)


def test_sine_and_cosine_are_right_without_fused_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_target, "fuses", lambda: False)
    _check(ex.sin(X), mpmath.sin, 2.5, NEAR_QUARTERS)
    _check(ex.cos(X), mpmath.cos, 2.5, _spread(1e-3, 1e5, 400))


def test_sine_between_the_tested_range_and_the_library_is_still_right() -> None:
    _check(ex.sin(X), mpmath.sin, 2.0, RNG.uniform(1e5, 1.1 * LARGEST_ANGLE, 1000))


def test_a_huge_angle_changes_no_digit_of_those_beside_it() -> None:
    function = compile_functions([Function("f", [[X, Y]], [ex.sin(X), ex.cos(X), ex.sin(Y), ex.cos(Y)])])["f"]
    points = RNG.uniform(-100.0, 100.0, (400, 2))
    points[::7, 0] *= 1e6
    np.testing.assert_array_equal(function(points), [function(p) for p in points])


@pytest.mark.parametrize(
    ("e", "exact", "points", "most"),
    [
        (ex.exp(X), mpmath.exp, _spread(1e-6, 700.0), 1.5),
        (ex.log(X), mpmath.log, abs(_spread(1e-300, 1e300)), 1.5),
        (ex.log(X), mpmath.log, RNG.uniform(0.5, 2.0, 1500), 1.5),
        (ex.atan(X), mpmath.atan, _spread(1e-6, 1e6), 1.5),
        (ex.asin(X), mpmath.asin, _spread(1e-6, 1.0), 1.5),
        (ex.acos(X), mpmath.acos, _spread(1e-6, 1.0), 1.5),
    ],
)
def test_other_functions_are_right_to_one_and_a_half_ulp(
    e: ex.Expr, exact: Callable, points: np.ndarray, most: float
) -> None:
    _check(e, exact, most, points)


def test_angle_of_a_point_is_right_to_two_ulp() -> None:
    _check(ex.atan2(Y, X), lambda x, y: mpmath.atan2(y, x), 2.0, _spread(1e-3, 1e3), _spread(1e-3, 1e3))


@pytest.mark.parametrize(
    ("e", "reference"),
    [
        (ex.sin(X), np.sin),
        (ex.cos(X), np.cos),
        (ex.exp(X), np.exp),
        (ex.log(X), np.log),
        (ex.atan(X), np.arctan),
        (ex.asin(X), np.arcsin),
        (ex.acos(X), np.arccos),
        (abs(X), np.abs),
        (ex.sign(X), np.sign),
        (ex.sqrt(X), np.sqrt),
    ],
)
def test_special_values_follow_ieee(e: ex.Expr, reference: Callable) -> None:
    points = np.array(
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, -1e-310, 1e308, 800.0, -800.0, 2.0]
    )
    function = compile_functions([Function("f", [[X]], [e])])["f"]
    with np.errstate(all="ignore"):
        expected = reference(points)
    np.testing.assert_allclose(function(points[:, None])[:, 0], expected, rtol=1e-15)
    np.testing.assert_allclose([function(p)[0] for p in points], expected, rtol=1e-15)


def test_angle_of_special_points_follows_ieee() -> None:
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, 1e300]
    points = np.array([(x, y) for x in special for y in special])
    function = compile_functions([Function("f", [[X, Y]], [ex.atan2(Y, X)])])["f"]
    found, expected = function(points)[:, 0], np.arctan2(points[:, 1], points[:, 0])
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))
