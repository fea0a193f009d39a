"""Charts of free rotations that end on the way: the motion goes on in quaternions, the angles stay told."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.errors import SimulationError

SEQUENCES = ["".join(x) for x in product("xyz", repeat=3) if x[0] != x[1] and x[1] != x[2]]


def stone(chart, joint=da.spherical, **words):
    m = da.Mechanism("stone")
    body = m.body("stone", mass=1, inertia=[1, 2, 3])
    m.join(da.earth, body, joint(chart, **words), name="s")
    return m


@pytest.mark.parametrize("chart", SEQUENCES)
def test_a_motion_through_the_singular_posture_of_any_chart_goes_on(chart):
    """A steady spin about the second axis, which is principal: R = R_a(0.3) R_b(0.8 + t), through b = pi/2 or pi."""
    m = stone(chart)
    first, second, third = m.layout().coordinates
    motion = m.simulate((0, 4), start={first: 0.3, second: 0.8, third: 0, f"{second}'": 1}, t_eval=[0, 0.5, 4])
    assert "told in quaternions" in motion.message
    for t, k in ((0.0, 0), (0.5, 1), (4.0, 2)):
        expected = Rotation.from_euler(chart[:2].upper(), [0.3, 0.8 + t]).as_matrix()
        found = [[motion[f"stone.R{i}{j}"][k] for j in "123"] for i in "123"]
        assert np.abs(np.array(found) - expected).max() < 1e-7
    assert [motion[x][0] for x in (first, second, third)] == pytest.approx([0.3, 0.8, 0], abs=1e-9)
    again = Rotation.from_euler(chart.upper(), [motion[x][2] for x in (first, second, third)]).as_matrix()
    assert np.abs(again - Rotation.from_euler(chart[:2].upper(), [0.3, 4.8]).as_matrix()).max() < 1e-6


@pytest.mark.parametrize("joint", [da.spherical, da.free])
def test_angular_velocities_of_the_body_and_translations_are_kept(joint):
    m = stone("bryant", joint, speeds="body")
    start = {"s.be": 0.8, "s.wy": 1.0} | ({"s.vz": 0.5} if joint is da.free else {})
    motion = m.simulate((0, 3), start=start)
    assert "told in quaternions" in motion.message
    assert motion["stone.R13"][-1] == pytest.approx(np.sin(3.8), abs=1e-7)
    if joint is da.free:
        assert np.ptp(motion["stone.X'"] ** 2 + motion["stone.Z'"] ** 2) < 1e-7


def test_what_is_a_formula_of_the_angles_keeps_its_chart_and_is_told():
    m = stone("bryant")
    m.torque("stone", ["-0.001*s.al", 0, 0], base="earth", name="spring")
    with pytest.raises(SimulationError, match="another sequence of angles"):
        m.simulate((0, 4), start={"s.be": 0.8, "s.be'": 1})


def test_a_satellite_with_an_arm_turns_over():
    """Two bodies: the arm is driven round while the base passes the end of its chart; momentum stays."""
    m = stone("bryant", da.free)
    arm = m.body("arm", mass=0.3, centre=[0, 0, 0.5], inertia=[0.01, 0.01, 0.01])
    m.join(m.bodies["stone"].at([0, 0, 1]), arm, da.revolute("y"), name="hinge")
    m.torque("arm", [0, "0.1*sin(t)", 0], name="push")
    motion = m.simulate((0, 6), start={"s.be'": 0.7, "hinge.th": 0.2, "s.x'": 0.1})
    assert "told in quaternions" in motion.message
    assert np.ptp(motion["total.PX"]) < 1e-8
