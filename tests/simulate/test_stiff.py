"""Stiff systems: large steps where explicit methods would crawl."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.errors import SimulationError
from dalembert.simulate import Problem, System, integrate, run, run_many, system_of
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.methods import native
from dalembert.simulate.system.compiled import native_jacobian, native_rates
from linkages import four_bar
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


@pytest.mark.parametrize("method", ["stiff", "RADAU9", "RODAS4"])
def test_fast_decay_onto_a_moving_target_is_followed(method: str) -> None:
    """x' = -k (x - cos t): the explicit time derivative matters, and the fast part must not restrict the step."""
    x, k = ex.symbols("x k")
    motion = run(System(("x",), (), (-k * (x - ex.cos(ex.TIME)),), given={"k": 1e6}), (0, 10), method=method, rtol=1e-6)
    t = motion.t[motion.t > 0.1]
    exact = (1e12 * np.cos(t) + 1e6 * np.sin(t)) / (1e12 + 1)
    assert motion["x"][motion.t > 0.1] == pytest.approx(exact, abs=3e-6)
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


def _order(system: System, exact: float, end: float, steps: tuple[float, float], method: str) -> float:
    """By equal steps."""
    loose = {"rtol": 1e3, "atol": 1e3, "t_eval": [end], "method": method}
    errors = [abs(run(system, (0, end), first_step=h, max_step=h, **loose).y[0, -1] - exact) for h in steps]
    return math.log(errors[0] / errors[1]) / math.log(steps[0] / steps[1])


@pytest.mark.parametrize(
    ("method", "steps", "order", "stiff"), [("RADAU5", (0.1, 0.05), 5, 3), ("RADAU9", (0.5, 0.25), 9, 5)]
)
def test_radau_has_its_order_and_keeps_its_stage_order_where_it_is_stiff(
    method: str, steps: tuple[float, float], order: int, stiff: int
) -> None:
    """Prothero and Robinson: x' = -k (x - cos t) - sin t. Hairer and Wanner II, IV.15: h^(s + 1) / (h k)."""
    x, v, k = ex.symbols("x x' k")
    assert _order(System(("x",), ("x'",), (v, -x), start={"x": 1.0}), math.cos(2), 2, steps, method) > order - 0.1
    follow = System(("x",), (), (-k * (x - ex.cos(ex.TIME)) - ex.sin(ex.TIME),), given={"k": 1e4}, start={"x": 1.0})
    assert _order(follow, math.cos(2), 2, (0.25, 0.125), method) > stiff - 0.3


def test_radau_meets_published_references() -> None:
    """Hairer and Wanner II, test problems VDPOL (1e-6) and ROBER, whose last time is 1e11."""
    x, v = ex.symbols("x x'")
    relaxation = System(("x",), ("x'",), (v, ((1 - x**2) * v - x) / 1e-6), start={"x": 2.0})
    for method in ("radau", "RADAU9"):
        found = run(relaxation, (0, 2), method=method, rtol=1e-9, t_eval=[2.0])
        assert found.y[:, -1] == pytest.approx([1.706167732170483, -0.8928097010247975], rel=1e-8)
    a, b, c = ex.symbols("a b c")
    rates = (-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b)
    robertson = System(("a", "b", "c"), (), rates, start={"a": 1.0})
    expected = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]
    for method in ("RADAU5", "RADAU9", "auto"):
        found = run(robertson, (0, 1e11), method=method, rtol=1e-8, atol=[1e-14, 1e-18, 1e-14], t_eval=[1e11])
        assert found.y[:, -1] == pytest.approx(expected, rel=1e-6)


def test_vibrations_of_a_spring_of_1e9_are_damped_and_the_slow_motion_is_kept() -> None:
    """L-stable: what a step does not resolve is gone after it."""
    x, v = ex.symbols("x x'")
    guided = System(("x",), ("x'",), (v, -1e9 * (x - ex.sin(ex.TIME))), start={"x": 1e-3, "x'": 1.0})
    equal = {"method": "RADAU5", "rtol": 1e3, "atol": 1e3, "first_step": 0.05, "max_step": 0.05}
    coarse = run(guided, (0, 1), **equal)
    assert coarse.accepted == 20
    assert coarse["x"][-1] == pytest.approx(math.sin(1), abs=1e-9)
    assert abs(coarse["x"][2] - math.sin(0.1)) < 1e-6 < 1e-3
    smooth = run(guided, (0, 1), start={"x": 0.0}, method="RADAU5", t_eval=[1.0])
    assert smooth["x"][-1] == pytest.approx(math.sin(1), abs=1e-8)
    assert smooth.accepted < 150
    assert run(guided, (0, 1), start={"x": 0.0}, method="RADAU9").accepted < 15


@pytest.mark.parametrize("method", ["RADAU5", "RADAU9", "RODAS4"])
def test_closed_machines_and_their_dense_output_go_implicitly(method: str) -> None:
    m = four_bar((2.0, 3.0, 3.0), 4.0)
    implicit = m.simulate((0, 1), method=method, rtol=1e-9, events="A.th - 0.9")
    explicit = m.simulate((0, 1), rtol=1e-9, events="A.th - 0.9")
    t = np.linspace(0, 1, 77)
    np.testing.assert_allclose(implicit.sol(t), explicit.sol(t), atol=2e-6)
    np.testing.assert_allclose(implicit.sol(implicit.t), implicit.y, atol=1e-10)


def test_jacobians_of_closed_machines_are_those_of_differences() -> None:
    """By the factors of the solve, time among the directions."""
    m = four_bar((2.0, 3.0, 3.0), 4.0)
    m.gravity = ["sin(3*t)", -9.81, 0]
    system = system_of(m)
    y, values = m.simulate((0, 0.3)).y[:, -1], [m.given[x] for x in system.known_parameters]
    n, rates = len(y), native_rates(system)
    found = call_address(native_jacobian(system).address, 0.3, y, values, n * n + n)
    sides = [np.array([rates([0.3], y + s * e, values) for e in np.eye(n)]) for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(found[: n * n].reshape(n, n), ((sides[0] - sides[1]) / 2e-6).T, atol=1e-6)
    later = [np.asarray(rates([0.3 + s], y, values)) for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(found[n * n :], (later[0] - later[1]) / 2e-6, atol=1e-6)


def test_stiffness_met_on_the_way_switches_and_is_said() -> None:
    """Damped by 1e6 from t = 1 on: explicit before, implicit after, one motion."""
    v = ex.symbol("x'")
    damper = ex.parse("1e6*max(t - 1, 0)")
    braked = System(("x",), ("x'",), (v, 1 - damper * v), start={"x": 0.0})
    motion = run(braked, (0, 10), events=["x - 0.5", "t - 5"], t_eval=np.linspace(0, 10, 101))
    assert motion.method == "DOP853, RADAU9"
    assert run(braked, (0, 2), rtol=1e-4).method == "DOP853, RADAU5"
    assert "stiff from t = 1" in motion.message
    assert motion.nfev < 20_000 < run(braked, (0, 1.2), method="DOP853").nfev
    first, second = motion.t_events
    assert first.tolist() == pytest.approx([1.0], abs=1e-6)
    assert second.tolist() == pytest.approx([5.0])
    assert len(motion.t) == 101
    right = run(braked, (0, 10), method="RADAU5", rtol=1e-10)
    np.testing.assert_allclose(motion.sol(motion.t), right.sol(motion.t), atol=1e-7)
    np.testing.assert_allclose(motion.y, motion.sol(motion.t), atol=1e-9)
    many = run_many(braked, (0, 10), start={"x": np.array([0.0, 1.0])}, t_eval=np.linspace(0, 10, 11))
    np.testing.assert_array_equal(many.y[0], motion.y[:, ::10])


def test_machines_too_large_for_dense_matrices_are_refused_and_not_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays of a chain of 3,000 bodies ask for more than 2 GB, and its first step did not end."""
    monkeypatch.setattr(native, "MOST_STATES", 1)
    with pytest.raises(SimulationError, match="dense matrices of 2 states"):
        run(van_der_pol(), (0, 1), method="RADAU9")
    assert run(van_der_pol(), (0, 2)).method == "DOP853"


def test_what_is_quick_and_resolved_stays_explicit() -> None:
    x, v = ex.symbols("x x'")
    string = System(("x",), ("x'",), (v, -1e8 * x), start={"x": 1e-3})
    motion = run(string, (0, 1), t_eval=[1.0])
    assert motion.method == "DOP853"
    assert motion["x"][-1] == pytest.approx(1e-3 * math.cos(1e4), abs=1e-6)
    assert "stiff" not in motion.message


def test_the_tolerance_decides_the_order() -> None:
    for rtol, name in ((1e-3, "DOPRI5"), (1e-8, "DOP853"), (1e-12, "VERNER98")):
        assert run(double_pendulum(), (0, 1), rtol=rtol).method == name
