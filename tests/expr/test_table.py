"""One entry in the table of functions is all that a new function needs."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.codegen import Function as Compiled
from dalembert.codegen import compile_functions
from dalembert.codegen.languages import LANGUAGES, source
from dalembert.errors import ExpressionError

X = ex.symbol("x")


@pytest.fixture
def asinh(monkeypatch):
    """The inverse of sinh, unknown so far."""

    def build(x):
        a = ex.as_expr(x)
        return ex.ZERO if a is ex.ZERO else ex._node.unary("asinh", a)

    entry = ex.Function("asinh", build, lambda e: (1 / ex.sqrt(1 + e.args[0] ** 2),), numpy="arcsinh", parity=-1)
    monkeypatch.setitem(ex.FUNCTIONS, "asinh", entry)
    return build


def test_a_new_entry_goes_through_every_reader(asinh, tmp_path: Path):
    e = ex.parse("x*asinh(2*x)**2 + asinh(0)")
    slope = ex.derivative(e, X)
    assert ex.parse(ex.text(e)) is e
    assert "asinh" in ex.latex(e)
    assert ex.from_sympy(ex.to_sympy(e)) is e
    assert ex.substitute([e], {X: ex.ZERO})[0] is ex.ZERO
    points = np.linspace(-2, 3, 7)
    expected = points * np.arcsinh(2 * points) ** 2
    np.testing.assert_allclose(ex.evaluate([e], {X: points})[0], expected, rtol=1e-14)
    t = sp.Symbol("x", real=True)
    exact = sp.lambdify(t, sp.diff(t * sp.asinh(2 * t) ** 2, t), "numpy")(points)
    np.testing.assert_allclose(ex.evaluate([slope], {X: points})[0], exact, rtol=1e-13, atol=1e-14)

    function = Compiled("f", [[X]], [e, slope])
    native = compile_functions([function])["f"]
    np.testing.assert_allclose(native(points[:, None])[:, 0], expected, rtol=1e-14)
    np.testing.assert_allclose([native([p])[0] for p in points], expected, rtol=1e-14)
    for language in LANGUAGES:
        assert "sinh" in source([function], language)
    scope: dict[str, object] = {}
    exec(source([function], "python"), scope)
    np.testing.assert_allclose(scope["f"]([points])[0], expected, rtol=1e-14)  # type: ignore[operator]
    assert c_value(source([function], "c"), tmp_path, 0.7) == pytest.approx(0.7 * math.asinh(1.4) ** 2, rel=1e-14)

    term = al.scalar(asinh(X))
    assert al.is_zero(term - al.scalar(asinh(X * 2 - X)))
    assert al.is_zero(term - al.scalar(X)).answer == "not zero"


def c_value(code: str, folder: Path, x: float) -> float:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (folder / "f.c").write_text(code)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "f.so", folder / "f.c", "-lm"], check=True)
    out = (ctypes.c_double * 2)()
    ctypes.CDLL(str(folder / "f.so")).f((ctypes.c_double * 1)(x), out)
    return out[0]


@pytest.mark.parametrize("name", [n for n, f in ex.FUNCTIONS.items() if f.partials and n != "where"])
def test_every_entry_agrees_with_itself_in_numpy_sympy_llvm_and_balls(name):
    from flint import arb

    entry = ex.FUNCTIONS[name]
    symbols = ex.symbols("x y")[: entry.arity]
    e = entry.build(*symbols)
    at = [0.37, -0.81][: entry.arity]
    value = float(ex.evaluate([e], dict(zip(symbols, at)))[0])
    twin = ex.to_sympy(e)
    assert float(twin.subs({str(s): v for s, v in zip(symbols, at)}).subs(
        {sp.Symbol(s.name, real=True): v for s, v in zip(symbols, at)})) == pytest.approx(value, rel=1e-12)  # fmt: skip
    assert ex.from_sympy(twin) is e
    assert compile_functions([Compiled("f", [list(symbols)], [e])])["f"](at)[0] == pytest.approx(value, rel=1e-14)
    assert float(entry.in_balls(*[arb(v) for v in at])) == pytest.approx(value, rel=1e-14)
    assert ex.restore_many(ex.flatten([e])) == [e]
    for i, partial in enumerate(entry.partials(e)):
        h = 1e-6
        up, down = ([v + d * (i == k) for k, v in enumerate(at)] for d in (h, -h))
        ends = [float(ex.evaluate([e], dict(zip(symbols, p)))[0]) for p in (up, down)]
        slope = float(ex.evaluate([partial], dict(zip(symbols, at)))[0])
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-8, abs=1e-8)


def test_hyperbolic_functions_are_known():
    assert ex.sinh(0) is ex.ZERO
    assert ex.cosh(-X) is ex.cosh(X)
    assert ex.derivative(ex.tanh(X), X) is 1 - ex.tanh(X) ** 2
    assert ex.parse("cosh(x)**2 - sinh(x)**2") is ex.cosh(X) ** 2 - ex.sinh(X) ** 2


def test_an_unknown_operation_of_a_stored_expression_is_refused():
    with pytest.raises(ExpressionError, match="there is no function 'system'"):
        ex.restore_many(([("symbol", "x", ()), ("system", None, (0,))], [1]))
