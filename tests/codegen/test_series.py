"""Taylor coefficients of expressions in machine code, against Cauchy's integrals by mpmath."""

import random
from fractions import Fraction

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


def _made(monkeypatch, written, asked):
    """A series written out, or by loops over tables, however large or small it is."""
    compile_series.cache_clear()
    with monkeypatch.context() as m:
        m.setattr("dalembert.codegen.series.code.MOST_PRODUCTS", 10**6 if written else 0)
        found = compile_series(*asked)
    compile_series.cache_clear()
    return found


FUNCTIONS = (ex.sin, ex.cos, ex.exp, ex.tanh, ex.atan, lambda e: ex.sqrt(4 + e * e), lambda e: ex.log(9 + e * e))
MIXED = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (3 + b * b),
    lambda a, b: a * a - K * b,
    lambda a, b: a * (4 + b * b) ** ex.const(Fraction(-3, 2)),
)


def _random_rates(seed):
    """Two rates of a dozen operations each in x, z, t and k, bounded for states near one."""
    rng = random.Random(seed)
    known = [X, Z, K, ex.TIME, ex.const(2), X * Z]
    for _ in range(12):
        if rng.random() < 0.4:
            known.append(rng.choice(FUNCTIONS)(rng.choice(known) / 2))
        else:
            known.append(rng.choice(MIXED)(rng.choice(known[-6:]), rng.choice(known)) / 2)
    return known[-1], known[-2] - known[-3]


@pytest.mark.parametrize("seed", range(25))
def test_series_written_out_and_looped_are_equal_but_for_rounding(monkeypatch, seed):
    rates, order = _random_rates(seed), 5 + seed % 9
    asked = ((X, Z), (K,), rates, order)
    written, looped = (_made(monkeypatch, one, asked) for one in (True, False))
    exact = coefficients(compile_series(*asked, True), 0.2, [0.7, -0.4], [0.6])[0]
    told = [coefficients(one, 0.2, [0.7, -0.4], [0.6]) for one in (written, looped)]
    assert written.room < looped.room  # one of each
    reach = np.abs(exact[1:]).max() ** (1 / order)
    sizes = np.maximum.accumulate(np.abs(exact).max(axis=1)) + max(reach, 1.0) ** np.arange(order + 1)
    for one in told:
        assert (np.abs(one - exact) <= 1e-13 * sizes[:, None]).all()


def _looks(series, step, tolerance, parameters, memory):
    from ctypes import CFUNCTYPE, c_void_p

    told, wide = np.array(step, dtype=float), np.full(memory.size, tolerance)
    arrays = (told, wide, np.array(parameters, dtype=float), wide, memory)
    CFUNCTYPE(None, *[c_void_p] * 5)(series.look_address)(*(a.ctypes.data for a in arrays))
    return told[0] != 0.0


@pytest.mark.skipif(compile_series((X,), (), (X,), 5).look_address == 0, reason="no vectors here")
@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_look_at_eight_instants_sees_what_is_off_by_more_than_the_tolerance(monkeypatch, seed, written):
    asked, y, p, h = ((X, Z), (K,), _random_rates(seed), 12), [0.7, -0.4], [0.6], 0.05
    series = _made(monkeypatch, written, asked)
    memory = series.memory()
    rows = coefficients(series, 0.2, y, p)
    memory[: rows.size] = rows.ravel()
    assert not _looks(series, (0.2, h), 1e-12, p, memory)
    assert not _looks(series, (0.2, -h), 1e-12, p, memory)
    allowed = 10 * 13 * 1e-12 * (1 + np.abs(rows).sum())
    for k in range(1, 13):  # a coefficient whose slope is off by more than is allowed somewhere on the step
        for state in range(2):
            spoilt = memory.copy()
            spoilt[2 * k + state] += 3 * allowed / (k * h**k)
            assert _looks(series, (0.2, h), 1e-12, p, spoilt)
    memory[3] = np.nan
    assert _looks(series, (0.2, h), 1e-12, p, memory)


@pytest.mark.skipif(compile_series((X,), (), (X,), 5).look_address == 0, reason="no vectors here")
@pytest.mark.parametrize("written", [True, False])
def test_a_look_meets_a_pulse_a_fifth_of_the_step_long_wherever_it_is(monkeypatch, written):
    place = ex.symbol("place")
    asked = ((X,), (place,), (ex.exp(-((20 * (ex.TIME - place)) ** 4)),), 9)
    series = _made(monkeypatch, written, asked)
    for at in np.linspace(0.1, 0.9, 81):
        memory = series.memory()  # the series of a machine at rest, which hears nothing of the pulse
        assert _looks(series, (0.0, 1.0), 1e-6, [at], memory)
    assert not _looks(series, (0.0, 1.0), 1e-6, [5.0], series.memory())
