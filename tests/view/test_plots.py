"""Curves show the motion's own numbers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dalembert.errors import SimulationError
from dalembert.simulate import run
from dalembert.view import Motion
from sample_systems import double_pendulum, free_body, pendulum


@pytest.fixture(autouse=True)
def _close() -> object:
    yield
    plt.close("all")


def test_plot_draws_states_and_formulas_over_time() -> None:
    motion = run(double_pendulum(), (0, 2), kind=Motion)
    axis = motion.plot("a", "sin(a) + b").axes[0]
    first, second = axis.lines
    t = np.asarray(first.get_xdata())
    assert motion.sol is not None
    assert np.allclose(np.asarray(first.get_ydata()), motion.sol(t)[0])
    assert np.allclose(np.asarray(second.get_ydata()), np.sin(motion.sol(t)[0]) + motion.sol(t)[1])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["a", "sin(a) + b"]


def test_plot_without_names_shows_coordinates_and_speeds() -> None:
    figure = run(double_pendulum(), (0, 1), kind=Motion).plot()
    assert [axis.get_title(loc="left") for axis in figure.axes] == [
        "double pendulum: coordinates",
        "double pendulum: speeds",
    ]


def test_phase_portrait_pairs_a_coordinate_with_its_speed() -> None:
    axis = run(pendulum(), (0, 3), kind=Motion).plot_phase().axes[0]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("joint.th", "joint.th'")


def test_phase_portrait_of_a_quaternion_asks_for_a_pair() -> None:
    with pytest.raises(SimulationError, match="no speed of its own"):
        run(free_body(), (0, 1), kind=Motion).plot_phase()


def test_energy_plot_shows_the_drift_at_the_steps() -> None:
    motion = run(double_pendulum(), (0, 5), kind=Motion, rtol=1e-6)
    _, lower = motion.plot_energy().axes
    drift = np.asarray(lower.lines[0].get_ydata())
    assert drift[0] == 0
    assert 0 < abs(drift).max() < 1e-3
    assert len(drift) == motion.accepted + 1


def test_plotting_leaves_the_settings_of_matplotlib_alone() -> None:
    before = dict(plt.rcParams)
    run(pendulum(), (0, 1), kind=Motion).plot()
    assert dict(plt.rcParams) == before


def test_axes_of_the_caller_are_used() -> None:
    figure, axis = plt.subplots()
    assert run(pendulum(), (0, 1), kind=Motion).plot("joint.th", axes=axis) is figure
    assert len(axis.lines) == 1


def test_unknown_name_is_an_error() -> None:
    with pytest.raises(SimulationError, match=r"no 'joint\.ph'"):
        run(pendulum(), (0, 1), kind=Motion).plot("joint.ph")
