"""Code that repeats becomes loops, and loops compute the same numbers as straight code."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert import expr as ex
from dalembert.codegen import Function, _entries, _schedule, _target, compile_mechanism
from dalembert.codegen._memory import LoopPlan
from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Frame, Mechanism, earth, prismatic, revolute


def _call(function: Function, block: int, long: int, states: list[np.ndarray]) -> np.ndarray:
    plan = _schedule.schedule(function, block, long)
    loaded = _target.Loaded(_target.assemble(_entries.scalar_module([(function, plan)])), [function.name])
    out = np.full(len(function.outputs), np.nan)
    entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(states) + 1))(loaded.addresses[function.name])
    entry(*[a.ctypes.data for a in states], out.ctypes.data)
    return out


def _recursion(size: int, salt: str, varied: bool) -> tuple[list[ex.Expr], list[ex.Expr], list[ex.Expr]]:
    """Out and back along a chain: each turn reads inputs, numbers, its neighbour and the other pass."""
    x = [ex.symbol(f"{salt}x{i}") for i in range(size)]
    p = [ex.symbol(f"{salt}p{i % 3}") for i in range(3)]
    a, b, out = ex.ONE, p[0], []
    forward = []
    for i in range(size):
        c, s = ex.cos(x[i]), ex.sin(x[i])
        weight = ex.const(0.1 + (i / 7 if varied else 0.25))
        a, b = c * a - s * b + weight * x[i], s * a + c * b - p[1] / (2 + x[i] ** 2)
        forward.append((a, b, c))
    z = a + b
    for i in reversed(range(size)):
        fa, fb, fc = forward[i]
        z = (z * fc - fa * p[2]) / (3 + fb**2) + ex.where(fa < fb, x[i], -z)
        out.append(z)
    return x, p, out[::-1]


@settings(max_examples=12)
@given(st.integers(20, 60), st.booleans(), st.sampled_from([40, 1500]))
def test_loops_and_straight_code_agree(size: int, varied: bool, block: int) -> None:
    x, p, out = _recursion(size, f"s{size}{varied}", varied)
    function = Function("f", [x, p], out)
    assert any(isinstance(one, LoopPlan) for one in _schedule.schedule(function, block, 0).blocks)
    rng = np.random.default_rng(size)
    states = [rng.normal(size=size), rng.normal(size=3)]
    straight = _call(function, block, 10**9, states)
    rolled = _call(function, block, 0, states)
    np.testing.assert_allclose(rolled, straight, rtol=1e-9, atol=1e-12)


def _chain(size: int) -> Mechanism:
    m = Mechanism("long chain")
    last = earth.frame
    for i in range(size):
        body = m.body(
            f"b{i}", mass=1 + 0.37 * (i % 3), centre=[0.02, 0.01 + i / 999, -0.1], inertia=[0.02, 0.03, 0.025]
        )
        m.join(last, body, revolute("x") if i % 3 else prismatic("z"), name=f"j{i}")
        last = Frame(body.name, Displacement(vector3([0, 0, -0.2])))
    m.gravity = [0, 0, "-g"]
    m.given = {"g": 9.81}
    return m


@pytest.fixture(scope="module")
def chain() -> Mechanism:
    return _chain(60)


def test_a_long_chain_is_a_loop_that_obeys_inverse_dynamics(chain: Mechanism) -> None:
    f = compile_mechanism(chain)
    blocks = _schedule.schedule(f.function("acceleration")).blocks
    looped = sum(len(one.loop.turns) * len(one.loop.turns[0]) for one in blocks if isinstance(one, LoopPlan))
    assert looped > 2 * sum(len(one) for one in blocks if not isinstance(one, LoopPlan))
    q, u = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 60))
    a = f.acceleration(q, u)
    assert np.abs(f.inverse_dynamics(q, u, a)).max() < 1e-9 * max(1, np.abs(a).max())


def test_loops_run_in_batches_too(chain: Mechanism) -> None:
    f = compile_mechanism(chain)
    q, u = np.random.default_rng(2).uniform(-0.5, 0.5, (2, 6, 60))
    together = f.acceleration(q, u, g=np.linspace(1, 2, 6))
    alone = [f.acceleration(q[k], u[k], g=1 + k / 5) for k in range(6)]
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9)


def test_signs_of_numbers_do_not_hide_a_repetition() -> None:
    """Bodies that differ in the signs of their numbers still do the same operations."""
    x = [ex.symbol(f"n{i}") for i in range(40)]
    rng = np.random.default_rng(4)
    a, b = x[0], x[1]
    for i in range(40):
        c = [ex.const(float(v)) for v in rng.normal(size=4)]
        a, b = c[0] * a * b - c[1] * x[i] * (b - c[2] * a), c[3] * b * x[i] - a * (c[1] * x[i] - c[0] * b)
        a, b = a / (1 + a**2), b / (1 + b**2)
    function = Function("f", [x], [a, b])
    blocks = _schedule.schedule(function, 1500, 0).blocks
    assert sum(len(one.loop.turns) for one in blocks if isinstance(one, LoopPlan)) > 30
    states = [rng.normal(size=40)]
    np.testing.assert_allclose(
        _call(function, 1500, 0, states), ex.evaluate([a, b], dict(zip(x, states[0]))), rtol=1e-9
    )
