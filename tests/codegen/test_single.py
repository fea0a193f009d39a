"""Batches in single precision: the digits that floats have, whatever the functions and the number of states."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from linkages import four_bar


def test_every_operation_has_the_digits_of_floats() -> None:
    x, y = ex.symbols("x y")
    texts = "x + y; x*y - 1; x/y; -x; sin(x); cos(3*x); tan(x); exp(x); log(x); sqrt(x); abs(-x); atan(x); asin(x/9)"
    texts += "; acos(x/9); sinh(x); tanh(x); atan2(x, y); min(x, y); max(x, 2*y); sign(x - y); x^3; x^(1/3); x^y; y^-2"
    outputs = [ex.parse(one) for one in texts.split("; ")]
    f = compile_functions([Function("f", [[x], [y]], outputs)])["f"]
    draw = np.random.default_rng(1)
    for count in (1, 15, 17, 40):
        a, b = draw.uniform(0.5, 4, (2, count)).astype(np.float32)
        found = f.single(a[:, None], b[:, None])
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, f(a[:, None], b[:, None]), rtol=2e-6, atol=1e-6)
    assert f.single([1.0], [2.0]).shape == (len(outputs),)
    assert f.single(np.zeros((0, 1)), [2.0]).shape == (0, len(outputs))
    with pytest.raises(da.DalembertError, match="input 1 of 'f'"):
        f.single(np.ones((3, 1)), np.ones((2, 1)))


def test_machines_in_floats_are_those_in_doubles() -> None:
    joints = 3
    m = da.Mechanism("arm")
    m.gravity, m.given = ["g*sin(t)", 0, -9.81], {"g": 1.0}
    frame = da.earth
    for k in range(joints):
        body = m.body(f"b{k}", mass=1 + k, centre=[0.1, 0.02, -0.2], inertia=[0.1, 0.12, 0.03])
        m.join(frame, body, da.revolute("xyz"[k % 3]), name=f"j{k}")
        frame = body.at([0.1, 0, -0.4])
    f = m.compile()
    q, u = np.random.default_rng(2).normal(size=(2, 37, joints)).astype(np.float32)
    for name, states in (("acceleration", (q, u)), ("mass_matrix", (q,))):
        right = getattr(f, name)(*states, 0.3, g=2.0)
        found = getattr(f.single, name)(*states, 0.3, g=2.0)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, right, atol=1e-4 * np.abs(right).max())
    np.testing.assert_array_equal(f.single.acceleration(q[5], u[5]), f.single.acceleration(q, u)[5])
    assert f.acceleration(q, u).dtype == np.float64


def test_closed_machines_stay_in_doubles() -> None:
    with pytest.raises(da.ModelError, match="rounding of doubles"):
        _ = four_bar((2.0, 3.0, 3.0), 4.0).compile().single
