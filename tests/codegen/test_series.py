"""Taylor coefficients of expressions in machine code, against Cauchy's integrals by mpmath."""

import mpmath
import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen.series.code import series_text
from dalembert.codegen.series.native import coefficients, compile_series
from dalembert.errors import ExpressionError

ORDER, POINTS, REACH = 24, 128, 0.8
X, Z, K = ex.symbols("x z k")


def _grown(s):
    """x' = k x / (2 + t) from x = 0.4 at t = 0.3, k = 0.7."""
    begin = mpmath.mpf(2) + mpmath.mpf(0.3)
    return mpmath.mpf(0.4) * ((begin + s) / begin) ** mpmath.mpf(0.7)


def _expected(f):
    places = [REACH * mpmath.expjpi(mpmath.mpf(2 * q) / POINTS) for q in range(POINTS)]
    values = [f(_grown(s)) for s in places]
    return [mpmath.re(sum(v * s**-j for v, s in zip(values, places, strict=True))) / POINTS for j in range(ORDER)]


SMOOTH = {
    **{name: (getattr(ex, name), getattr(mpmath, name)) for name in "sin cos exp log sqrt tanh atan asin acos".split()},
    "sinh": (ex.sinh, mpmath.sinh),
    "cosh": (ex.cosh, mpmath.cosh),
    "atan2": (lambda x: ex.atan2(x, 1 - x), lambda x: mpmath.atan(x / (1 - x))),
    "powers": (lambda x: x**-3 + x**5 + x ** ex.const(7) / 3, lambda x: x**-3 + x**5 + x**7 / 3),
    "real power": (lambda x: x**K, lambda x: x ** mpmath.mpf(0.7)),
    "moving power": (lambda x: (1 + x) ** x, lambda x: (1 + x) ** x),
    "quotient": (lambda x: (1 - x * x) / (x + ex.sin(x)) - 2, lambda x: (1 - x * x) / (x + mpmath.sin(x)) - 2),
    "long sum": (
        lambda x: sum(ex.sin(k * x) * ex.cos(x) for k in range(1, 13)),
        lambda x: sum(mpmath.sin(k * x) * mpmath.cos(x) for k in range(1, 13)),
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_coefficients_are_those_of_cauchy_in_doubles_and_in_pairs(name):
    ours, theirs = SMOOTH[name]
    with mpmath.workdps(50):
        expected = _expected(theirs)
        size = max(abs(c) * mpmath.mpf(REACH) ** j for j, c in enumerate(expected))
        rates = (K * X / (2 + ex.TIME), ours(X))
        for paired, digits in ((False, 2e-14), (True, 2e-29)):
            series = compile_series((X, Z), (K,), rates, ORDER, paired)
            found = coefficients(series, 0.3, [0.4, 0.1], [0.7])
            rows = found if paired else found[None]
            for j, c in enumerate(expected):
                made = sum(mpmath.mpf(float(part[j + 1, 1])) for part in rows) * (j + 1)
                assert abs(made - c) * mpmath.mpf(REACH) ** j <= digits * size


def test_width_of_vectors_changes_nothing_but_rounding():
    rates = (ex.sin(X) * Z + ex.TIME * Z, -X * Z / (1 + X * X))
    texts = [series_text((X, Z), (), rates, 17, False, width) for width in (1, 2, 4)]
    assert all("define void @series" in one.text for one in texts)
    wide = coefficients(compile_series((X, Z), (), rates, 17), 0.1, [0.3, 0.8], [])
    two = coefficients(compile_series((X, Z), (), rates, 17, True), 0.1, [0.3, 0.8], [])
    assert np.abs(wide - two[0]).max() <= 1e-14 * np.abs(wide).max()


def test_memory_of_an_earlier_state_leaves_no_trace():
    series = compile_series((X, Z), (K,), (Z * ex.cos(X), -K * X / (2 + Z)), 15)
    first = coefficients(series, 0.0, [0.3, 0.4], [2.0])
    from ctypes import CFUNCTYPE, c_void_p

    memory, call = series.memory(), CFUNCTYPE(None, *[c_void_p] * 4)(series.address)
    for state in ([5.0, 3.0], [0.3, 0.4]):
        arrays = (np.zeros(1), np.array(state), np.array([2.0]), memory)
        call(*(a.ctypes.data for a in arrays))
    assert np.array_equal(memory[: first.size].reshape(first.shape), first)


@pytest.mark.parametrize("kinked", [ex.absolute(X), ex.minimum(X, Z), ex.where(X < Z, X, Z), ex.sign(X)])
def test_kinks_have_no_series(kinked):
    with pytest.raises(ExpressionError, match="no Taylor series"):
        compile_series((X, Z), (), (Z, kinked * Z), 8)


def test_kinks_of_parameters_alone_are_numbers():
    series = compile_series((X,), (K,), (X * ex.absolute(-K) + ex.maximum(K, 1),), 6)
    assert coefficients(series, 0.0, [1.0], [-2.0])[1, 0] == 3.0
