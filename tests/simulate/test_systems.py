"""Systems with names: mechanics along the motion, and errors that say what to do."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate import Event, Motion, System, run
from sample_systems import double_pendulum, free_body, pendulum, spherical_pendulum

TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}


def test_free_body_keeps_energy_and_momentum_over_a_hundred_turns() -> None:
    turns = 100 * 2 * math.pi / 6.0
    motion = run(free_body(), (0, turns), **TIGHT)
    energy = motion.energy()
    assert abs(energy / energy[0] - 1).max() < 1e-9
    for axis in "xyz":
        momentum = motion[f"momentum.{axis}"]
        assert abs(momentum - momentum[0]).max() < 1e-9 * 12
    assert motion["wy"].min() < -5  # it tumbled: the intermediate axis is unstable


def test_quaternion_stays_unit_at_steps_and_between() -> None:
    motion = run(free_body(), (0, 20), rtol=1e-5, atol=1e-6)
    for seen in (motion, motion.at(np.linspace(0, 20, 500))):
        assert abs(seen["e0**2 + e1**2 + e2**2 + e3**2"] - 1).max() < 1e-15 * 8


@pytest.mark.parametrize("method", ["DOP853", "DOPRI5"])
def test_double_pendulum_keeps_its_energy(method: str) -> None:
    motion = run(double_pendulum(), (0, 10), method=method, rtol=1e-10, atol=1e-12)
    energy = motion.energy()
    assert abs(energy - energy[0]).max() < 1e-7
    assert np.allclose(energy, motion.kinetic_energy() + motion.potential_energy())


def test_formula_event_is_found_to_rounding() -> None:
    motion = run(pendulum(), (0, 20), events="joint.th'", **TIGHT)
    half = 2 / math.sqrt(9.81) * ellipk(math.sin(0.5) ** 2)
    assert np.allclose(motion.events["joint.th'"], half * np.arange(1, len(motion.events["joint.th'"]) + 1), atol=1e-10)


def test_comparison_event_fires_when_it_becomes_true() -> None:
    motion = run(pendulum(), (0, 10), events={"left": "joint.th < 0", "right": "joint.th > 0"}, **TIGHT)
    period = 4 / math.sqrt(9.81) * ellipk(math.sin(0.5) ** 2)
    assert motion.events["left"][0] == pytest.approx(period / 4, abs=1e-10)
    assert motion.events["right"][0] == pytest.approx(3 * period / 4, abs=1e-10)
    assert len(motion.events["left"]) + len(motion.events["right"]) == math.floor(2 * 10 / period + 0.5)


def test_events_may_mix_formulas_expressions_and_functions() -> None:
    watched = ["joint.th", ex.symbol("joint.th"), lambda t, y: y[0], Event("t - 3", terminal=True, name="enough")]
    motion = run(pendulum(), (0, 10), events=watched)
    assert motion.t_events is not None
    first, second, third, last = motion.t_events
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)
    assert last.tolist() == pytest.approx([3.0])
    assert motion.status == 1
    assert "'enough'" in motion.message


def test_start_and_given_override_the_model_and_may_be_formulas() -> None:
    motion = run(pendulum(), (0, 1), start={"joint.th": "pi/6"}, given={"l": "2*m", "m": 2.0})
    assert motion["joint.th"][0] == pytest.approx(math.pi / 6)
    assert motion.parameters["l"] == 4.0
    assert motion.energy()[0] == pytest.approx(-2 * 9.81 * 4 * math.cos(math.pi / 6))


def test_names_give_states_outputs_and_formulas() -> None:
    motion = run(pendulum(), (0, 1), t_eval=[0.0, 0.5, 1.0])
    assert motion.names == ("joint.th", "joint.th'")
    assert np.array_equal(motion["joint.th"], motion.y[0])
    assert np.array_equal(motion["t"], motion.t)
    assert np.allclose(motion["l*sin(joint.th)"], np.sin(motion.y[0]))
    assert motion.state(0.5)["joint.th"] == pytest.approx(motion.y[0, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"start": {"joint.ht": 1.0}}, "'joint.ht' is not a state of 'pendulum'. Did you mean 'joint.th'"),
        ({"given": {"G": 1.0, "mm": 2.0}}, "'G' is not a parameter of 'pendulum'"),
        ({"events": "joint.thh - 1"}, "uses 'joint.thh', which 'pendulum' does not know. Did you mean 'joint.th'"),
        ({"given": {"l": "2*k"}}, "'l' is 2\\*k, but 'k' has no value"),
        ({"events": 3}, "cannot be an event"),
    ],
)
def test_wrong_names_are_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SimulationError, match=complaint):
        run(pendulum(), (0, 1), **options)


def test_a_missing_parameter_is_named() -> None:
    x, v, k = ex.symbols("x x' k")
    with pytest.raises(SimulationError, match="no value for 'k' of 'spring'"):
        run(System(("x",), ("x'",), (v, -k * x), name="spring"), (0, 1))


def test_unknown_name_in_a_motion_is_named() -> None:
    motion = run(pendulum(), (0, 1))
    with pytest.raises(SimulationError, match=r"no 'joint\.tt'"):
        motion["joint.tt"]


def test_chart_singularity_gives_reason_remedy_and_partial() -> None:
    with pytest.raises(SimulationError) as caught:
        run(spherical_pendulum(), (0, 10), start={"th": 1.0, "ph'": 0.0, "th'": -0.1})
    text = str(caught.value)
    assert "the spherical angles of 'bob' are singular" in text
    assert "quaternion" in text
    assert "th = " in text
    partial = caught.value.partial
    assert isinstance(partial, Motion)
    assert 0.3 < partial.t[-1] < 1.0
    assert partial.status == -1
    assert partial["th"].min() > 0
    energy = partial.energy()
    assert abs(energy - energy[0]).max() < 1e-6


def test_singular_start_is_refused() -> None:
    with pytest.raises(SimulationError, match="stopped at t = 0: the spherical angles"):
        run(spherical_pendulum(), (0, 1), start={"th": 0.0})


def test_rates_without_a_value_name_the_state() -> None:
    x, v = ex.symbols("x x'")
    system = System(("x",), ("x'",), (v, -ex.sqrt(x)), start={"x": 1.0}, name="drain")
    with pytest.raises(SimulationError, match="stopped at t = ") as caught:
        run(system, (0, 10))
    assert caught.value.partial["x"].min() >= 0


def test_blow_up_tells_which_state_runs_away() -> None:
    x, y = ex.symbols("x y")
    system = System(("x", "y"), (), (x * x, y / 10), start={"x": 1.0, "y": 1.0}, name="explosion")
    with pytest.raises(SimulationError, match="'x' changes fastest") as caught:
        run(system, (0, 2))
    assert caught.value.partial.t[-1] == pytest.approx(1.0, abs=1e-6)


def test_symplectic_runs_where_it_may() -> None:
    motion = run(pendulum(), (0, 100), method="symplectic", first_step=0.02)
    energy = motion.energy()
    assert abs(energy - energy[0]).max() < 1e-4


@pytest.mark.parametrize(
    ("system", "complaint"),
    [
        (double_pendulum(), "depends on the speed"),
        (free_body(), "as many speeds as coordinates"),
    ],
)
def test_symplectic_refuses_what_it_would_get_wrong(system: System, complaint: str) -> None:
    with pytest.raises(SimulationError, match=complaint) as caught:
        run(system, (0, 1), method="symplectic", first_step=0.01)
    assert "DOP853" in str(caught.value)


def test_symplectic_refuses_forces_without_potential() -> None:
    x, y, u, v = ex.symbols("x y x' y'")
    swirl = System(("x", "y"), ("x'", "y'"), (u, v, -x - y, -y + x), name="swirl")
    with pytest.raises(SimulationError, match="no potential"):
        run(swirl, (0, 1), method="symplectic", first_step=0.01)


def test_symplectic_accepts_coupled_constant_masses() -> None:
    """M = [2, 1; 1, 1]: the accelerations' own Jacobian is not symmetric, M times it is."""
    x, y, u, v, k = ex.symbols("x y x' y' k")
    fx, fy = -k * x, -2 * k * y
    system = System(
        ("x", "y"),
        ("x'", "y'"),
        (u, v, fx - fy, 2 * fy - fx),
        given={"k": 1.0},
        start={"x": 1.0},
        kinetic=u * u + u * v + v * v / 2,
        potential=k * x * x / 2 + k * y * y,
    )
    motion = run(system, (0, 50), method="symplectic6", first_step=0.1)
    energy = motion.energy()
    assert abs(energy - energy[0]).max() < 1e-4
    reference = run(system, (0, 50), rtol=1e-12, atol=1e-13)
    assert motion.y[:, -1] == pytest.approx(reference.y[:, -1], abs=2e-4)


def test_outputs_may_be_watched_and_computed_with() -> None:
    th, l = ex.symbols("joint.th l")
    system = dataclasses.replace(pendulum(), outputs={"bob.Z": -l * ex.cos(th)})
    motion = run(system, (0, 2), events="bob.Z < -0.9", rtol=1e-10)
    assert motion["bob.Z + 1"] == pytest.approx(1 - np.cos(motion["joint.th"]))
    first = motion.state(motion.events["bob.Z < -0.9"][0])
    assert abs(first["joint.th"]) == pytest.approx(math.acos(0.9), abs=1e-9)
