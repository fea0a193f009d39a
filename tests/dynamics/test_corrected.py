"""A step back to the constraints is one of postures: what turns stays a turn."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def ball_on_a_plane() -> da.Mechanism:
    m = da.Mechanism("ball")
    ball = m.body("ball", mass=1, inertia=[0.004] * 3)
    m.join(da.earth, ball, da.free("quaternion"), name="f")
    m.roll(da.Sphere(ball, 0.1), da.Plane(da.earth), name="r")
    m.start = {"f.z": 0.1, "f.x'": 1}
    return m


def disc_on_a_plane() -> da.Mechanism:
    m = da.Mechanism("disc")
    disc = m.body("disc", mass=1, inertia=[0.0625, 0.125, 0.0625])
    m.join(da.earth, disc, da.free("quaternion"), name="f")
    m.roll(disc, da.earth, radius=0.5, name="r")
    m.start = {"f.z": 0.5, "f.x'": 1}
    return m


def rod_on_two_balls() -> da.Mechanism:
    m = da.Mechanism("crank and rod")
    crank, rod = m.body("crank", mass=1, inertia=[1, 1, 1]), m.body("rod", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, crank, da.revolute([1, 2, 2]), name="crank")
    m.join(crank.at([1, 0, 0]), rod, da.spherical("quaternion"), name="near")
    m.join(rod.at([2, 0, 0]), da.earth.at([3, 0, 0]), da.spherical("quaternion"), name="far")
    return m


@pytest.mark.parametrize("machine", [ball_on_a_plane, disc_on_a_plane, rod_on_two_balls])
def test_quaternions_keep_their_length_on_the_way_back_to_the_constraints(machine) -> None:
    m = machine()
    f = m.compile()
    y = f.start().y.ravel()
    y[: len(f.coordinates)] += 0.1 * np.random.default_rng(1).normal(size=len(f.coordinates))
    for _ in range(30):
        y = np.ravel(f.corrected(y))
    for group in m.layout().state.quaternions:
        assert abs(sum(y[f.coordinates.index(x)] ** 2 for x in group) - 1) < 1e-14
    assert np.allclose(f.corrected(y), y, rtol=0, atol=1e-12)
