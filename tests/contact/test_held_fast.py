"""Contacts that hold more than is needed: forces are a line, and the least of them may be on the edge of a cone."""

from __future__ import annotations

import numpy as np
import pytest
from test_link_efforts import arm

import dalembert as da


def four_bar(depth: float, scale: float, mu: float = 0.2, knee: float = 0.1613542723051051) -> da.Mechanism:
    """The spatial arm with a rod from turret to forearm: two freedoms, and three rows where its tip sticks."""
    m = arm("none", scale)
    turret, two = m.bodies["turret"], m.bodies["two"]
    rod = m.body("rod", mass=0.2, inertia=[0.001 * scale**2, 0.03 * scale**2, 0.03 * scale**2])
    m.join(turret.at([0, 0, -0.2 * scale]), rod.at([-0.65 * scale, 0, 0]), da.spherical(), name="shoulder")
    m.join(rod.at([0.65 * scale, 0, 0]), two.at([0, 0, 0]), da.spherical(), name="wrist")
    floor = da.Plane(da.earth.at([0, 0, -depth * scale]))
    m.contact(da.Sphere(two.at([0.3 * scale, 0, 0])), floor, friction=mu, name="floor")
    m.start = {"base.th'": 1.0, "hip.th": 0.5, "hip.th'": -1.0, "knee.th": knee}
    return m


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_tip_that_nearly_grazes_its_floor_sticks_and_stays(scale: float):
    """Stick and slip took turns on the edge of the cone, some thousand times in a picosecond."""
    mo = four_bar(0.8483, scale).simulate((0, 0.6))
    assert mo.t[-1] == 0.6
    assert len(mo.arcs) == 2
    late = mo.at([0.2, 0.6])
    assert np.abs(late["hip.th'"]).max() < 1e-12
    room = 0.2 * late["floor.force"] - np.hypot(late["floor.friction"], late["floor.friction2"])
    assert (room > 0.01 * late["floor.force"]).all()


@pytest.mark.slow
def test_floors_at_random_depths_are_passed_or_held_with_few_arcs():
    rng = np.random.default_rng(3)
    for depth, mu in zip(0.84794 + 0.0008 * rng.random(4), rng.uniform(0.05, 0.9, 4), strict=True):
        mo = four_bar(float(depth), 1.0, float(mu)).simulate((0, 0.4))
        assert mo.t[-1] == 0.4
        assert len(mo.arcs) < 10
        assert mo["floor.gap"].min() > -1e-9


def test_a_budget_ends_a_motion_with_contacts_and_keeps_what_there_is():
    m = da.Mechanism("pad")
    pad = m.body("pad", mass=1.0, inertia=[0.1] * 3)
    m.join(da.earth, pad, da.planar(), name="way")
    m.gravity = [0, -9.81, 0]
    m.force(pad, ["4*sin(30*t)", 0, 0])
    m.contact("way.y >= 0", friction=0.3, slip="way.x'", name="floor")
    with da.limits.budget(seconds=1.0), pytest.raises(da.SimulationError, match="longer than 1 s") as stopped:
        m.simulate((0, 1e5))
    assert 0 < stopped.value.partial.t[-1] < 1e5
