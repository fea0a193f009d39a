"""Rules that a small error in one line would break unseen: friction needed, angles at half a turn, efforts marked."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.reactions import marked_outputs
from dalembert.analysis.resting import least_friction
from dalembert.analysis.search import Search
from dalembert.mechanism import Layout
from random_loops import loaded
from random_mechanisms import random_tree


@pytest.mark.parametrize("slope", [0.05, 0.3, 0.44])
@pytest.mark.parametrize("mu", [0.5, 0.9])
def test_a_block_on_a_slope_needs_the_share_of_its_friction_that_the_slope_asks(slope: float, mu: float) -> None:
    load, normal = np.array([np.sin(slope), -np.cos(slope)]), np.array([[0.0, 1.0]])
    across = [np.array([[1.0, 0.0]])]
    share = least_friction(load, normal, across, np.array([mu]), np.zeros((0, 2)), 1e-12)
    assert share == pytest.approx(np.tan(slope) / mu, abs=1e-6)


@pytest.mark.parametrize("turns", [-2, 0, 1])
def test_half_a_turn_is_told_with_one_sign_on_either_side_of_rounding(turns: int) -> None:
    """Of angles in ]-pi, pi] those within rounding of -pi are pi."""
    here = SimpleNamespace(turning=[0], units=np.ones(2))
    for rounding in (-1e-12, 0.0, 1e-12):
        found = Search.reduced(here, np.array([-np.pi + rounding + 2 * np.pi * turns, 7.0]))
        assert found == pytest.approx([np.pi, 7.0], abs=1e-9)


def test_efforts_are_marked_in_machines_with_loops_or_contacts_and_not_in_trees() -> None:
    assert not marked_outputs(Layout.of(random_tree(0)))
    assert marked_outputs(Layout.of(loaded(0)))
    m = da.Mechanism("drop")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="rail")
    m.contact("rail.x >= 0", name="floor")
    assert "rail.Fx" in marked_outputs(Layout.of(m))
