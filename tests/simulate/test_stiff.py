"""Stiff systems: large steps where explicit methods would crawl."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.simulate import Problem, System, integrate, run, run_many
from sample_systems import double_pendulum


def van_der_pol() -> System:
    x, v, mu = ex.symbols("x v mu")
    return System(
        ("x",), ("v",), (v, mu * (1 - x**2) * v - x), given={"mu": 1000.0}, start={"x": 2.0}, name="oscillator"
    )


def test_relaxation_oscillation_agrees_with_radau() -> None:
    motion = run(van_der_pol(), (0, 2000), method="RODAS4", rtol=1e-8, atol=1e-10)
    right = solve_ivp(
        lambda t, y: [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 2000), [2, 0], "Radau", rtol=1e-8, atol=1e-10
    )
    assert motion.y[:, -1] == pytest.approx(right.y[:, -1], rel=1e-5)
    explicit = run(van_der_pol(), (0, 200), method="DOPRI5")
    assert motion.nfev < explicit.nfev / 5


def test_fast_decay_onto_a_moving_target_is_followed() -> None:
    """x' = -k (x - cos t): the explicit time derivative matters, and the fast part must not restrict the step."""
    x, k = ex.symbols("x k")
    motion = run(
        System(("x",), (), (-k * (x - ex.cos(ex.TIME)),), given={"k": 1e6}), (0, 10), method="stiff", rtol=1e-6
    )
    t = motion.t[motion.t > 0.1]
    exact = (1e12 * np.cos(t) + 1e6 * np.sin(t)) / (1e12 + 1)
    assert motion["x"][motion.t > 0.1] == pytest.approx(exact, abs=1e-6)
    assert motion.accepted < 2000


def test_differences_replace_a_missing_jacobian() -> None:
    system = van_der_pol()
    mu = ex.symbol("mu")
    code = compile_functions([Function("rhs", [[ex.TIME], system.symbols, [mu]], system.rates)])["rhs"]
    found = integrate(Problem(code, (0, 1000), [2.0, 0.0], [1000.0], method="RODAS4"))
    exact = run(system, (0, 1000), method="RODAS4")
    assert found.y[:, -1] == pytest.approx(exact.y[:, -1], rel=1e-6)
    assert found.nfev > exact.nfev


def test_dense_output_and_events_work_as_with_explicit_methods() -> None:
    options = {"rtol": 1e-9, "atol": 1e-10, "events": "a"}
    implicit = run(double_pendulum(), (0, 3), method="RODAS4", **options)
    explicit = run(double_pendulum(), (0, 3), **options)
    assert implicit.sol is not None
    assert explicit.sol is not None
    t = np.linspace(0, 3, 99)
    assert implicit.sol(t) == pytest.approx(explicit.sol(t), abs=1e-5)
    assert implicit.events["a"] == pytest.approx(explicit.events["a"], abs=1e-6)


def test_ensembles_may_be_stiff() -> None:
    many = run_many(van_der_pol(), (0, 100), given={"mu": np.array([10.0, 1000.0])}, method="RODAS4")
    for k, mu in enumerate((10.0, 1000.0)):
        alone = run(van_der_pol(), (0, 100), given={"mu": mu}, method="RODAS4", t_eval=[100.0])
        assert np.array_equal(many.y[k], alone.y)
