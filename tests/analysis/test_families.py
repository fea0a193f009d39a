"""A body hung on a point rests on two rings of postures, whatever angles tell them: each is told once."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(2))
def test_a_body_on_a_spherical_joint_rests_above_and_below_its_point(seed, unit):
    draw = np.random.default_rng(seed)
    centre = draw.uniform(0.1, 0.6, 3) * draw.choice([-1, 1], 3) * unit
    m = da.Mechanism("hung")
    body = m.body("bob", mass=1.5, centre=centre.tolist(), inertia=(np.array([0.1, 0.2, 0.25]) * unit**2).tolist())
    m.join(da.earth, body, da.spherical(), name="s")
    m.gravity = [0, 0, -9.81]
    rests = m.equilibria(starts=40, seed=seed)
    assert len(rests) == 2
    assert all("one of a family of 1 dimension" in one.reason for one in rests)
    assert [one.stability == "unstable" for one in rests] == [False, True]
