"""Many trajectories at once are the same trajectories one by one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism, earth, prismatic
from dalembert.simulate import Problem, integrate, integrate_many, run, run_many, system_of
from dalembert.simulate.motion.quality import QualityWarning
from sample_systems import double_pendulum, pendulum, spherical_pendulum


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("method", ["DOP853", "DOPRI5"])
def test_each_trajectory_is_the_one_integrated_alone(threads: int, method: str) -> None:
    th, w, g, l = ex.symbols("th w g l")
    rhs = compile_functions([Function("rhs", [[ex.TIME], [th, w], [g, l]], [w, -g / l * ex.sin(th)])])["rhs"]
    generator = np.random.default_rng(1)
    starts = generator.uniform(-2, 2, (40, 2))
    parameters = np.column_stack([np.full(40, 9.81), generator.uniform(1, 2, 40)])
    t = np.linspace(0, 5, 7)
    many = integrate_many(Problem(rhs, (0, 5), starts, parameters, t_eval=t, method=method), threads=threads)
    assert many.success
    for k in range(40):
        alone = integrate(Problem(rhs, (0, 5), starts[k], parameters[k], t_eval=t, method=method))
        assert np.array_equal(many.y[k], alone.y)
        assert many.nfev[k] == alone.nfev


def test_system_ensemble_by_names() -> None:
    angles = np.linspace(-2, 2, 9)
    t = np.linspace(0, 3, 5)
    many = run_many(double_pendulum(), (0, 3), start={"a": angles}, given={"g": 5.0}, t_eval=t)
    assert many["a"].shape == (9, 5)
    assert np.array_equal(many["a"][:, 0], angles)
    alone = run(double_pendulum(), (0, 3), start={"a": angles[3]}, given={"g": 5.0}, t_eval=t)
    assert np.array_equal(many.y[3], alone.y)


def test_parameters_may_vary_too() -> None:
    lengths = np.array([1.0, 4.0])
    many = run_many(pendulum(), (0, 20), given={"l": lengths}, events="joint.th'", start={"joint.th": 0.01})
    assert many.success
    ended = run_many(pendulum(), (0, 20), given={"l": lengths}, start={"joint.th": 0.01}, rtol=1e-11, atol=1e-13)
    frequency = np.sqrt(9.81 / lengths)
    assert ended["joint.th"][:, -1] == pytest.approx(0.01 * np.cos(frequency * 20), abs=1e-5)


def test_terminal_events_end_each_trajectory_at_its_own_time() -> None:
    from dalembert.simulate import Event

    amplitudes = np.array([0.5, 1.0, 2.0])
    watched = Event("joint.th", terminal=2)
    many = run_many(pendulum(), (0, 50), start={"joint.th": amplitudes}, events=watched, t_eval=[0.0, 1.0, 40.0])
    alone = [run(pendulum(), (0, 50), start={"joint.th": a}, events=watched).t[-1] for a in amplitudes]
    assert many.status.tolist() == [1, 1, 1]
    assert many.t_last == pytest.approx(alone, abs=1e-14)
    assert np.isnan(many["joint.th"][:, 2]).all()
    assert np.isfinite(many["joint.th"][:, 1]).all()


def test_a_failing_trajectory_does_not_stop_the_others() -> None:
    many = run_many(
        spherical_pendulum(), (0, 2), start={"th": 1.0, "ph'": np.array([1.0, 0.0, 2.0])}, t_eval=[0.0, 2.0]
    )
    assert many.status.tolist() == [0, -1, 0]
    assert not many.success
    assert np.isnan(many.y[1, :, 1]).all()
    assert np.isfinite(many.y[[0, 2]]).all()


def test_arrays_of_unequal_length_are_named() -> None:
    with pytest.raises(SimulationError, match="'a' has 3, 'b' has 2"):
        run_many(double_pendulum(), (0, 1), start={"a": np.zeros(3), "b": np.zeros(2)})


def test_one_motion_refuses_arrays() -> None:
    with pytest.raises(SimulationError, match="'a' has 3 values"):
        run(double_pendulum(), (0, 1), start={"a": np.zeros(3)})


@pytest.mark.parametrize("seed", range(4))
def test_machines_of_other_sizes_than_the_first_are_told(seed: int) -> None:
    """The absolute tolerance is that of the first: springs a million times as short were wrong, in silence."""
    rng = np.random.default_rng(seed)
    small, ratio = 10.0 ** rng.uniform(-6, 3), 10.0 ** rng.uniform(2.1, 9)
    m = Mechanism("spring")
    block = m.body("block", mass=1, centre=["l", 0, 0], inertia=["l^2", "l^2", "l^2"])
    m.join(earth, block, prismatic("x").with_efforts(x="-4*s.x*(1 + (s.x/l)^2)"), name="s")
    m.given = {"l": 1.0}
    system, sizes = system_of(m), small * np.array([1.0, ratio, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many = run_many(system, (0, 2), given={"l": sizes}, start={"s.x": sizes / 2})  # the smallest one first
    ends = many["s.x"][:, -1] / sizes
    assert ends == pytest.approx(np.full(3, ends[0]), abs=1e-7)
    with pytest.warns(QualityWarning, match="too loose for that one"):
        run_many(system, (0, 2), given={"l": sizes[[1, 0, 2]]}, start={"s.x": sizes[[1, 0, 2]] / 2})


def test_a_description_is_taken_as_its_system_and_an_ensemble_is_told_in_a_line() -> None:
    machine = Mechanism("slide")
    machine.join(earth, machine.body("block", mass=1), prismatic("x"), name="way")
    t = np.linspace(0, 1, 3)
    told = run_many(machine, (0, 1), start={"way.x'": [1.0, 2.0]}, t_eval=t)
    assert np.array_equal(told.y, run_many(system_of(machine), (0, 1), start={"way.x'": [1.0, 2.0]}, t_eval=t).y)
    assert repr(told) == "Ensemble of 2 motions: 2 at the end; 2 states at 3 instants"
