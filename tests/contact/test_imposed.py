"""Contacts that constraints alone decide: their push moves nothing, so that nobody can know it, and that is said."""

import numpy as np
import pytest

import dalembert as da


def held(law: str, mu: float) -> da.Mechanism:
    m = da.Mechanism("held")
    m.join(da.earth, m.body("b", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="q")
    m.gravity, m.start = [0, 0, -9.81], {"q.x'": 1.0}
    m.drive("q.z", law, name="servo")
    m.contact("q.z", friction=mu, slip="q.x'" if mu else None, name="floor")
    return m


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_servo_that_holds_a_body_on_its_floor(mu):
    """Friction of a force that is not determined stopped it in one step, or divided by zero."""
    mo = held("0", mu).simulate((0, 1))
    assert mo["q.x'"][-1] == 1
    assert mo["servo.lambda"][-1] == pytest.approx(19.62)
    assert "not determined" in mo.message
    with pytest.raises(da.SimulationError, match="constraints alone bring contact floor"):
        held("0", mu).simulate((0, 1), method="moreau", max_step=0.01)


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_law_that_goes_through_the_floor_is_told_where_it_does(mu):
    with pytest.raises(da.DalembertError, match=r"t = 0\.5 constraints bring it in") as told:
        held("0.5 - t", mu).simulate((0, 1))
    assert told.value.partial.t[-1] == pytest.approx(0.5)
    with pytest.raises(da.SimulationError, match="constraints alone bring contact floor") as told:
        held("0.5 - t", mu).simulate((0, 1), method="moreau", max_step=0.01)
    assert 0.45 < told.value.partial.t[-1] <= 0.51


def test_stops_of_driven_joints_that_are_never_reached_change_nothing():
    for method, step in (("auto", np.inf), ("moreau", 0.01)):
        mo = held("0.1 + 0.05*cos(t)", 0.3).simulate((0, 1), method=method, max_step=step)
        assert mo["q.x'"][-1] == pytest.approx(1)
        assert mo["q.z"][-1] == pytest.approx(0.1 + 0.05 * np.cos(1), abs=1e-4)


def test_efforts_for_postures_that_touch(recwarn):
    m = da.Mechanism("arm")
    arm = m.body("arm", mass=2, centre=[0.5, 0, 0], inertia=[0.1] * 3)
    m.join(da.earth, arm, da.revolute("y"), name="elbow")
    m.gravity = [0, 0, -9.81]
    m.frame("tip", arm.at([1, 0, 0]))
    m.contact("tip.Z + 0.5", name="floor")
    rest = np.zeros(1)
    with pytest.raises(da.ModelError, match=r"crossed by 0\.341"):
        m.needed_efforts([1.0], rest, rest)
    with pytest.raises(da.ModelError, match=r"not closed at this posture: its gap is 0\.5"):
        m.needed_efforts(rest, rest, rest, contacts=["floor"])
    m.needed_efforts([np.pi / 6], rest, rest, contacts=["floor"])
    assert not [one for one in recwarn if "floor" in str(one.message)]
    m.needed_efforts([np.pi / 6], rest, rest)
    assert [one for one in recwarn if "floor" in str(one.message)]
    with pytest.raises(da.ModelError, match="touches in this posture"):
        m.state_space(["elbow.th"], at={"elbow.th": np.pi / 6})
    (crossed,) = m.inverse_kinematics("tip", [np.cos(1), 0, -np.sin(1)])
    (above,) = m.inverse_kinematics("tip", [np.cos(0.1), 0, -np.sin(0.1)])
    assert crossed.outside == ("floor",)
    assert above.outside == ()
