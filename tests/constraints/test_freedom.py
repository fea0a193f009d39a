"""What joints transmit: 6 - d wrenches without power in their d motions, at every posture."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.constraints.freedom import Freedom
from dalembert.expr.space import vector3
from dalembert.kinematics import Twist, link_motions
from dalembert.mechanism import Displacement, Link, turn


def two_parallel_hinges():
    return da.composite(
        ["a", "b"],
        Displacement(turns=(turn("a", "z"),)),
        Displacement(vector3([1, 0, 0]), (turn("b", "z"),)),
    )


JOINTS = {
    "revolute": da.revolute([0.1, -0.7, 0.3]),
    "revolute by formula": da.revolute(["a", "b", 1]),
    "prismatic": da.prismatic([1, 2, -2]),
    "screw": da.screw([0, 3, 4], lead=0.3),
    "cylindrical": da.cylindrical([1, 2, 3]),
    "universal": da.universal(),
    "oblique universal": da.universal(("x", [1, 1, 0])),
    "planar": da.planar("y"),
    "spherical": da.spherical("euler"),
    "quaternion": da.spherical("quaternion"),
    "free": da.free(),
    "free in body speeds": da.free("quaternion", speeds="body"),
    "weld": da.weld(),
    "slide and turn across": da.composite(
        ["x", "th"], Displacement(vector3(["x", 0, 0])), Displacement(turns=(turn("th", "z"),))
    ),
    "two parallel hinges": two_parallel_hinges(),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_of_d_freedoms_transmits_six_less_d_wrenches_without_power(kind):
    m = da.Mechanism()
    link = Link("l", da.earth.frame, m.body("b", mass=1).frame, JOINTS[kind])
    freedom = Freedom.of(link, link_motions(link))
    assert len(freedom.transmitted) == 6 - link.joint.dof
    assert len({one.component for one in freedom.transmitted}) == len(freedom.transmitted)
    motion = Twist()
    for column, speed in zip(freedom.columns, freedom.speeds, strict=True):
        motion = motion + column.scaled(speed)
    told = [*(one.wrench.power(column) for one in freedom.transmitted for column in freedom.columns)]
    told += [a - b for a, b in zip(freedom.own_speeds(motion), freedom.speeds, strict=True)]
    wrenches = [x for one in freedom.transmitted for x in one.wrench.scalars]
    rng = np.random.default_rng(0)
    for _ in range(10):
        values = {x: rng.uniform(-3, 3) for x in ex.free_symbols([*told, *wrenches])}
        assert np.abs(ex.evaluate(told, values)).max(initial=0.0) < 1e-12
        matrix = np.array(ex.evaluate(wrenches, values)).reshape(-1, 6)
        if matrix.size and kind != "two parallel hinges":
            assert np.linalg.svd(matrix, compute_uv=False)[-1] > 0.5
