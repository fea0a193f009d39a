"""Efforts of constraints at a state: values, powers, and which of them mechanics determines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli import app
from dalembert.errors import ModelError
from parallelograms import parallelogram

WHEEL = """
let fork = body mass = 0, iframe = 0, inertia = 0 end ;
let wheel = body mass = 1, iframe = 0, inertia = [0.0625, 0.125, 0.0625] end ;
join earth and fork.frame with link(x, y, ps) dof1 = [x, y, HEIGHT], dof2 = ps || [0, 0, 1] end as c ;
join fork.frame and wheel.frame with link(th) dof = th || [0, 1, 0] end as spin ;
roll wheel on earth with radius = 0.5 as road ;
gravity [0, 0, -9.81] ;
start spin.th' = 2.6 ;
"""


def check(tmp_path, text: str, *words: str):
    path = tmp_path / "machine.lsd"
    path.write_text(text)
    return CliRunner().invoke(app, [*(words or ("check",)), str(path)])


def test_check_refuses_a_wheel_at_a_height_that_it_cannot_have(tmp_path):
    assert check(tmp_path, WHEEL.replace("HEIGHT", "0.5")).exit_code == 0
    refused = check(tmp_path, WHEEL.replace("HEIGHT", "0.4"))
    assert refused.exit_code == 1
    assert "machine.lsd:6:1: error" in refused.stderr
    assert "'road_contact' cannot hold" in refused.stderr


def test_check_waits_for_numbers(tmp_path):
    assert check(tmp_path, WHEEL.replace("HEIGHT", "h")).exit_code == 0


def discs(count: int) -> da.Mechanism:
    m = da.Mechanism("discs")
    for k in "abc"[:count]:
        m.join(da.earth, m.body(k, inertia=[1, 1, 1]), da.revolute("z"), name=k)
    m.torque("a", [0, 0, 2])
    return m


def test_conditions_that_follow_from_each_other_share_and_are_marked():
    m = discs(3)
    for name, law in (("g1", "a.th = b.th"), ("g2", "b.th = c.th"), ("g3", "a.th = c.th")):
        m.constrain(law, name=name)
    m.drive("b.th", "t^2", name="motor")
    found = m.constraint_efforts()
    weights = np.array([found[x].values["lambda"] for x in ("g1", "g2", "g3")])
    turned = np.array([[1, 0, 1], [-1, 1, 0], [0, -1, -1]]) @ weights
    motor = found["motor"].values["lambda"]
    assert turned + np.array([2, motor, 0]) == pytest.approx([2, 2, 2])  # each disc gets what its inertia takes
    assert abs(np.array([1, 1, -1]) @ weights) < 1e-12  # nothing that does nothing is in them
    assert [found[x].determined["lambda"] for x in ("g1", "g2", "g3", "motor")] == [False, False, False, True]
    assert "(undetermined)" in str(found["g1"])
    assert "(undetermined)" not in str(found["motor"])


def test_a_gear_that_closed_loops_make_needless_is_told_in_motions_too():
    m = parallelogram()
    held = da.Mechanism("held")
    held.__dict__.update(m.__dict__)
    held.constrain("a.th = d.th", name="gear")
    held.drive("a.th", "0.7 + 0.2*t", name="motor")
    one = held.constraint_efforts(t=0.5)
    assert not one["gear"].determined["lambda"]
    assert one["motor"].determined["lambda"]
    mo = held.simulate((0, 0.5))
    with pytest.warns(UserWarning, match="'gear.lambda' is not determined"):
        told = mo["gear.lambda"][-1]
    assert np.isfinite(told)
    # the power of the motor is what gravity and the kinetic energy take, whatever the gear carries
    assert mo["motor.power"][-1] == pytest.approx(one["motor"].power, rel=1e-8)
    assert abs(mo.energy()[-1] - mo.energy()[0] - mo.work()[-1]) < 1e-8


def test_the_command_prints_efforts_of_constraints(tmp_path):
    shown = check(tmp_path, WHEEL.replace("HEIGHT", "0.5"), "reactions")
    assert "road_contact: lambda = 0 (undetermined), power = 0" in shown.stdout  # its frame carries it, not the road
    told = json.loads(check(tmp_path, WHEEL.replace("HEIGHT", "0.5"), "reactions", "--format", "json").stdout)
    assert told["constraints"]["road"]["lambda1"]["determined"] is True


def test_drives_tell_effort_and_power():
    m = discs(1)
    m.drive("a.th", "t^2", name="motor")
    found = m.constraint_efforts(t=3.0)["motor"]
    assert found.values["lambda"] == pytest.approx(2 - 2)
    assert found.power == pytest.approx(0)
    assert found.as_dict()["power"]["determined"]


def block() -> da.Mechanism:
    m = da.Mechanism("block")
    cart, box = m.body("cart"), m.body("box", mass=2)
    m.join(da.earth, cart, da.prismatic("x"), name="x")
    m.join(cart, box, da.prismatic("z"), name="z")
    m.gravity = [3, 0, -9.81]
    m.constrain("z.x = 0", by=da.coulomb(0.5, "x.x'"), name="rail")
    return m


def test_friction_is_told_where_it_slides_and_nothing_is_free_of_it_at_rest():
    m = block()
    found = m.constraint_efforts({"x.x'": 1.0})["rail"]
    assert found.values == pytest.approx({"lambda": 19.62, "friction": -9.81})
    assert found.power == pytest.approx(-9.81)
    for ask in (m.constraint_efforts, m.reactions):
        with pytest.raises(ModelError, match="'rail' of 'block' does not slip at this state"):
            ask()
    assert np.isnan(m.compile().acceleration([0, 0], [0, 0])).any()  # no direction, and not an answer without friction


def test_a_weak_hold_is_said_with_its_time_and_its_names():
    m = discs(2)
    m.constrain("a.th = 0.1*sin(t)", by="d(b.th) + (0.5*cos(b.th) + 0.5001)*d(a.th)", name="law")
    with pytest.warns(UserWarning, match=r"the reaction of 'law' hardly holds the law 'law' at t = "):
        mo = m.simulate((0, 4), start={"b.th": 1.5, "b.th'": 1.0}, rtol=1e-6)
    assert mo.quality.hold is not None
    assert mo.quality.hold.kappa < 1e-3


def test_a_good_hold_is_measured_and_not_spoken_of(recwarn):
    m = discs(2)
    m.constrain("a.th = b.th", by="b.th", name="servo")
    mo = m.simulate((0, 1))
    assert mo.quality.hold.kappa == pytest.approx(np.sqrt(0.5))
    assert not recwarn.list
