"""Tidy formulas have the same value, are no longer, and show what a person would see."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex

a, b, c, m, k = ex.symbols("a b c m k")


def random_formula(rng: random.Random, depth: int) -> ex.Expr:
    if depth == 0:
        leaf = rng.choice([a, b, c, m, k, ex.sin(a), ex.cos(a), ex.sin(b), ex.cos(b), ex.const(rng.randint(-3, 3))])
        return leaf
    x, y = random_formula(rng, depth - 1), random_formula(rng, depth - 1)
    kind = rng.randrange(6)
    if kind == 0:
        return x + y
    if kind == 1:
        return x - y
    if kind in (2, 3):
        return x * y
    if kind == 4:
        return x**2
    return x / (2 + y * y)


@pytest.mark.parametrize("seed", range(200))
def test_tidying_keeps_the_value_and_never_lengthens(seed):
    rng = random.Random(seed)
    e = random_formula(rng, rng.randint(1, 5))
    found = ex.tidy(e)
    point = {x: rng.uniform(0.5, 2) for x in (a, b, c, m, k)}
    old, new = ex.evaluate([e, found], point)
    assert np.isclose(old, new, rtol=1e-9, atol=1e-9 * (1 + abs(old)))
    assert ex.count_operations(found) <= ex.count_operations(e)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("m*sin(a)**2 + m*cos(a)**2", "m"),
        ("(k*sin(a))**2 + (k*cos(a))**2 + c", "c + k**2"),
        ("sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)"),
        ("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)"),
        ("cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)"),
        ("cos(b)*sin(a) - cos(a)*sin(b)", "sin(a - b)"),
        ("cos(a)*(sin(b)*cos(c) + cos(b)*sin(c)) + sin(a)*(cos(b)*cos(c) - sin(b)*sin(c))", "sin(a + b + c)"),
        ("(a + b)**2 - a**2 - b**2 - 2*a*b", "0"),
        ("m*k/2 + m*k/3", "5*m*k/6"),
        ("(m*a)/(m*b)", "a/b"),
    ],
)
def test_known_forms_are_seen(written, seen):
    found, expected = ex.tidy(ex.parse(written)), ex.parse(seen)
    assert ex.count_operations(found) <= ex.count_operations(expected)
    point = {x: 0.3 + 0.4 * i for i, x in enumerate((a, b, c, m, k))}
    left, right = ex.evaluate([found, expected], point)
    assert left == pytest.approx(right)


def test_a_large_formula_is_left_alone():
    e = (a + b + c + m + k) ** 40 + (a - b) ** 30
    assert ex.tidy(e) is e
