"""When a motion is given up: after real attempts that lead nowhere, never because a machine is slow."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.simulate import System, run, run_many

x, v = ex.symbols("x x'")


def van_der_pol(eps: float) -> System:
    return System(("x",), ("x'",), (v, ((1 - x**2) * v - x) / eps), start={"x": 2.0})


@pytest.mark.parametrize(("eps", "end"), [(1e-5, 1.708407821428374), (1e-6, 1.7061677321)])
def test_thin_layers_are_passed_at_any_tolerance(eps: float, end: float) -> None:
    """x(2) for 1e-6: Hairer and Wanner II, test problem VDPOL, 1.706167732170483."""
    for rtol in (1e-9, 1e-10):
        motion = run(van_der_pol(eps), (0, 2), method="RODAS4", rtol=rtol, t_eval=[2.0])
        assert motion["x"][-1] == pytest.approx(end, abs=1e-8)


def test_a_machine_may_rest_for_long_and_then_be_driven_quickly() -> None:
    drive = ex.parse("max(t - 500, 0)*sin(314.159265358979*t)")
    rest = System(("x",), ("x'",), (v, -x - v / 10 + 100 * drive))
    motion = run(rest, (0, 505), max_step=50.0, t_eval=[505.0])
    assert motion.success
    short = run(rest, (499, 505), t_eval=[505.0])
    assert motion["x"][-1] == pytest.approx(short["x"][-1], abs=1e-7)


def test_chattering_ends_after_counted_attempts_in_ensembles_too() -> None:
    block = System(("x",), ("x'",), (v, -ex.sign(v)), start={"x'": 1.0})
    ends = []
    for _ in range(2):
        with pytest.raises(da.SimulationError, match="500000 steps in a row") as caught:
            run(block, (0, 10))
        ends.append(caught.value.partial.t[-1])
    assert ends[0] == ends[1]  # to the last bit: no clock has a say
    many = run_many(block, (0, 10), start={"x'": np.array([1.0, 2.0])})
    assert many.status.tolist() == [-1, -1]
    np.testing.assert_allclose(many.t_last, [1.0, 2.0], atol=1e-2)


def test_steps_too_short_to_be_counted_are_refused() -> None:
    spring = System(("x",), ("x'",), (v, -x), start={"x": 1.0})
    for asked in ({"max_step": 1e-20}, {"method": "symplectic4", "first_step": 1e-20}):
        with pytest.raises(da.SimulationError, match="too short for the span"):
            run(spring, (0, 1), **asked)
    with pytest.raises(da.SimulationError, match="too short"):
        run_many(spring, (0, 1), start={"x": np.ones(2)}, max_step=1e-20)


def test_a_motion_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.simulate.methods.driver.MOST_STORED", 5000)
    spring = System(("x",), ("x'",), (v, -x), start={"x": 1.0})
    with pytest.raises(da.SimulationError, match=r"fill the memory(.|\n)*t_eval"):
        run(spring, (0, 1000), max_step=0.01)
    assert run(spring, (0, 1000), max_step=0.01, t_eval=[1000.0], dense_output=False).success


def test_memory_is_that_of_steps_however_few_a_slow_machine_makes_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.simulate.methods.driver.MOST_STORED", 5000)
    monkeypatch.setattr("dalembert.simulate.methods.driver.CHUNK_SECONDS", 0.0)  # a step or two in each chunk
    spring = System(("x",), ("x'",), (v, -x), start={"x": 1.0})
    assert run(spring, (0, 20)).success
