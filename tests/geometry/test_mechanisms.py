"""The geometry of mechanisms against their own equations."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError


def discs(by):
    m = da.Mechanism("two discs")
    m.join(da.earth, m.body("a", inertia=[1, 1, 2]), da.revolute("z").with_efforts(th="-5*th"), name="d1")
    m.join(da.earth, m.body("b", inertia=[2, 2, 3]), da.revolute("z"), name="d2")
    m.constrain("d1.th = d2.th", by=by, name="servo")
    return m


def test_servo_discs_in_both_roles():
    g = discs("d2.th").geometry()
    assert g.names == ("d1.th", "d2.th", "d1.p_th")
    state = {"d1.th": 0.3, "d2.th": 0.3, "d1.p_th": 0.8}
    assert g.at(state, [*g.field, *g.multipliers, *g.powers]) == pytest.approx([0.4, 0.4, -1.5, -2.25, -0.9])
    assert g.check(state)
    shaft = discs(None).geometry()
    assert shaft.names[2:] == ("d1.p_th", "d2.p_th")
    state = {"d1.th": 0.3, "d2.th": 0.3, "d1.p_th": 0.8, "d2.p_th": 1.2}
    assert shaft.at(state, [*shaft.field[2:], *shaft.multipliers]) == pytest.approx([-0.6, -0.9, 0.9])
    assert shaft.check(state)
    again = discs(None).geometry({"servo": "d2.th"})
    assert again.check({"d1.th": 0.3, "d2.th": 0.3, "d1.p_th": 0.8})
    with pytest.raises(ModelError, match=r"Did you mean 'd2\.th'"):
        discs(None).geometry({"servo": "d2.tt"})


def random_machine(rng):
    """A chain of turning and sliding joints with a drive, a servo, and a skate or a gear, in any mixture."""
    m = da.Mechanism("random")
    m.gravity = [0.3, -9.81, 0.5]
    before, links = da.earth, []
    for k in range(int(rng.integers(3, 5))):
        body = m.body(
            f"b{k}", mass=1 + rng.random(), centre=rng.normal(size=3).tolist(), inertia=(1 + rng.random(3)).tolist()
        )
        axis = str(rng.choice(list("xyz")))
        joint = da.revolute(axis) if k % 2 == 0 or rng.random() < 0.5 else da.prismatic(axis)
        m.join(before, body, joint, name=f"j{k}")
        links.append(f"j{k}.th" if joint == da.revolute(axis) else f"j{k}.x")
        before = body
    names = list(m.layout().coordinates)
    m.drive(names[-1], "0.3*sin(2*t)", name="drive")
    kind = rng.integers(3)
    if kind == 0:
        m.constrain(f"{names[0]}' = 0.4*{names[1]}' + 0.2*sin({names[2]})", by=names[0], name="servo")
    elif kind == 1:
        m.constrain(f"{names[0]}' = cos({names[1]})*{names[1]}'", name="skate")
    else:
        m.constrain(f"{names[0]} = 0.7*{names[1]}", by=f"d({names[1]}) + 0.2*d({names[0]})", name="rail")
    return m


@pytest.mark.parametrize("seed", range(8))
def test_parts_of_random_machines_sum_to_their_own_equations(seed):
    rng = np.random.default_rng(seed)
    g = random_machine(rng).geometry()
    assert len(g.setting.driven) >= 1
    state = {x: float(rng.normal()) for x in g.names} | {"t": 0.7}
    assert g.check(state)


def test_quaternions_need_a_chart():
    m = da.Mechanism("stone")
    m.join(da.earth, m.body("stone", mass=1, inertia=[1, 2, 3]), da.spherical("quaternion"), name="s")
    with pytest.raises(ModelError, match="chart"):
        m.geometry()
    g = m.geometry(chart="bryant")
    assert g.check(dict.fromkeys(g.names, 0.3))
