"""Rests that lie far from where a search begins, and those of wheels that count their turns."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize("ratio", [-4, 3, 0.5])
def test_geared_pendulums_rest_where_their_weights_balance_and_the_gear_holds(ratio: float) -> None:
    """With q = -ratio p, m1 l1 sin p = ratio m2 l2 sin q: each root once, and each a posture of the gear."""
    m = da.Mechanism("geared")
    for name, mass, length in (("p", 1.0, 1.0), ("q", 0.5, 0.5)):
        m.join(da.earth, m.body(f"bob_{name}", mass=mass, centre=[0, 0, -length]), da.revolute("y"), name=name)
    m.gravity = [0, 0, -9.81]
    m.constrain(f"q.th = {-ratio}*p.th", name="mesh")
    turns = 1 if float(ratio).is_integer() else 2
    p = np.linspace(-turns * np.pi, turns * np.pi, 200_001)[1:] - 1e-7
    slope = np.sin(p) - ratio * 0.25 * np.sin(-ratio * p)
    roots = int((np.sign(slope) != np.sign(np.roll(slope, 1))).sum())
    found = m.equilibria(spread=3.2 * turns)
    for one in found:
        assert one.coordinates["q.th"] == pytest.approx(-ratio * one.coordinates["p.th"], abs=1e-9)
        m.linearize(one.coordinates)
    assert len(found) == roots


@pytest.mark.parametrize("far", [-4e6, 50.0, 1e-4])
def test_a_spring_draws_its_mass_to_its_rest_however_far(far: float) -> None:
    m = da.Mechanism("spring")
    joint = da.prismatic("x").with_efforts(x=f"-2*(x - {far!r})")
    m.join(da.earth, m.body("mass", mass=1), joint, name="rail")
    m.join(m.bodies["mass"], m.body("bob", mass=0.1, centre=[0, 0, -0.3]), da.revolute("y"), name="pin")
    m.gravity = [0, 0, -9.81]
    found = m.equilibria()
    assert [one.stability for one in found] == ["stable", "unstable"]
    assert [one.coordinates["rail.x"] for one in found] == pytest.approx([far, far], rel=1e-9)


def test_no_rest_is_told_where_a_force_dies_away_to_nothing() -> None:
    m = da.Mechanism("tail")
    m.join(da.earth, m.body("mass", mass=1), da.prismatic("x").with_efforts(x="exp(-20*x)"), name="rail")
    assert m.equilibria() == []
