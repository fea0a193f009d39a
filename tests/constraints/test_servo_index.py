"""Laws that actuators reach only after more derivatives: their index is told, hidden conditions are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.dynamics import dynamics_of

G = 9.81


def coupled() -> da.Mechanism:
    m = da.Mechanism("masses")
    a, b = m.body("a", mass=1), m.body("b", mass=2)
    m.join(da.earth, a, da.prismatic("x"), name="p")
    m.join(da.earth, b, da.prismatic("x"), name="q")
    m.force(a, ["30*(q.x - p.x)", 0, 0])
    m.force(b, ["-30*(q.x - p.x)", 0, 0])
    m.constrain("q.x = 0.2*sin(3*t)", by="p.x", name="law")
    return m


def crane() -> da.Mechanism:
    """Trolley, rope and load; the winch has an inertia of its own."""
    m = da.Mechanism("crane")
    trolley, rope, load = m.body("trolley", mass=20), m.body("rope"), m.body("load", mass=10)
    winch = m.body("winch", mass=3)
    m.join(da.earth, trolley, da.prismatic("x"), name="x")
    m.join(trolley, rope, da.revolute("y"), name="th")
    m.join(rope, load, da.prismatic("-z", coordinate="l"), name="l")
    m.join(da.earth, winch, da.prismatic("z"), name="w")
    m.gravity = [0, 0, -G]
    m.force(winch, [0, 0, 3 * G])
    m.constrain("w.x = l.l", name="drum")
    m.constrain("load.X = 0.8*sin(t)", by="x.x", name="along")
    m.constrain("load.Z = -3 + 0.4*sin(2*t)", by="l.l", name="up")
    return m


def test_a_law_behind_a_spring_has_index_five():
    m = coupled()
    assert dynamics_of(m.layout()).index == {"law": 5}
    mo = m.simulate((0, 0.4), t_eval=[0, 0.4], rtol=1e-11, atol=1e-13)
    assert mo["q.x"][1] == pytest.approx(0.1864078172, rel=1e-8)
    assert mo["p.x"][1] == pytest.approx(0.07456312688, rel=1e-7)
    assert mo["p.x'"][1] == pytest.approx(0.08696586107, rel=1e-7)
    assert mo["law.lambda"][1] == pytest.approx(-4.026408851, rel=1e-7)
    assert mo["law.power"][1] == pytest.approx(-0.3501601128, rel=1e-7)
    assert np.abs(mo.energy() - mo.energy()[0] - mo.work()).max() < 1e-9


def test_a_law_behind_a_spring_stays_kept_over_a_long_run():
    mo = coupled().simulate((0, 30), rtol=1e-9)
    assert np.abs(mo["q.x"] - 0.2 * np.sin(3 * mo.t)).max() < 1e-9


def test_a_crane_follows_a_path():
    """The flat solution: tan th = -X''/(Z'' + g), the rope as long as it must be, the efforts by their balance."""
    m = crane()
    assert max(dynamics_of(m.layout()).index.values()) == 5
    start = {"l.l": 3.0, "x.x": 0.0, "th.th": 0.0}
    mo = m.simulate((0, 2), start=start, t_eval=[0, 0.7, 1.5, 2], rtol=1e-10, atol=1e-12)
    assert [mo[x][1] for x in ("x.x", "l.l")] == pytest.approx([0.3522590544, 2.61092033], rel=1e-7)
    assert abs(mo["th.th"][1]) == pytest.approx(0.0625148869, rel=1e-6)
    assert [mo[x][1] for x in ("x.x'", "l.l'")] == pytest.approx([0.415952688, -0.1234680938], rel=1e-6)
    assert (mo["along.lambda"][1], mo["up.lambda"][1]) == pytest.approx((-11.7873658, -77.75962588), rel=1e-6)
    assert (mo["along.power"][1], mo["up.power"][1]) == pytest.approx((-4.90298649, 9.600832783), rel=1e-6)
    assert (mo["along.lambda"][2], mo["up.lambda"][2]) == pytest.approx((-19.10875193, -95.55472285), rel=1e-6)
    assert [mo[x][3] for x in ("x.x", "l.l")] == pytest.approx([0.5094404954, 3.309907684], rel=1e-6)


def test_discs_have_the_index_of_their_law():
    for law, index in (("d1.th = d2.th", {}), ("d1.th' = d2.th'", {})):
        m = da.Mechanism("discs")
        for name in ("d1", "d2"):
            m.join(da.earth, m.body(name, inertia=[1, 1, 1]), da.revolute("z"), name=name)
        m.constrain(law, by="d2.th", name="servo")
        assert dynamics_of(m.layout()).index == index  # nothing is hidden: 3 for a position, 2 for a speed


def test_a_law_that_nothing_can_influence_is_refused():
    m = da.Mechanism("discs")
    for name in ("d1", "d2"):
        m.join(da.earth, m.body(name, inertia=[1, 1, 1]), da.revolute("z").with_efforts(th="-th"), name=name)
    m.constrain("d1.th = sin(t)", by="d2.th", name="servo")
    with pytest.raises(da.CouplingError, match="never reach the law 'servo'"):
        m.simulate((0, 1))


def test_a_law_that_goes_on_without_its_actuator_is_refused():
    m = da.Mechanism("discs")
    for name in ("d1", "d2"):
        m.join(da.earth, m.body(name, inertia=[1, 1, 1]), da.revolute("z"), name=name)
    m.constrain("d1.th = t", by="d2.th", name="servo")
    with pytest.raises(da.ModelError, match="the law 'servo' goes on by itself"):
        m.simulate((0, 1))


def test_equations_print_the_hidden_condition():
    text = str(coupled().equations("lagrange").show("scalar"))
    assert "law.lambda" in text
    assert coupled().zero_dynamics(t=0.1).dimension == 0  # nothing is left free
    with pytest.raises(da.ModelError, match="index 5"):
        coupled().equilibria(t=0.1)


def test_a_start_off_the_law_moves_to_it():
    with pytest.raises(da.SimulationError, match="law"):
        coupled().simulate((0, 0.1), start={"q.x": 0.3})


def test_a_law_behind_a_spring_is_the_same_beside_a_door_on_two_hinges():
    m = coupled()
    door = m.body("door", mass=1, inertia=[1, 1, 1])
    for name, height in (("low", 0.0), ("high", 1.0)):
        m.join(da.earth.at([0, 0, height]), door.at([0, 0, height]), da.revolute("z"), name=name)
    mo = m.simulate((0, 0.4), rtol=1e-10, atol=1e-12)
    assert dynamics_of(m.layout()).index == {"law": 5}
    assert mo["law.lambda"][-1] == pytest.approx(-4.026408851, rel=1e-8)
    assert mo["p.x"][-1] == pytest.approx(0.07456312688, rel=1e-8)


def test_a_law_behind_a_loop_without_numbers_is_refused():
    """Which motions a loop leaves is seen where it closes: that needs its lengths."""
    m = sprung_loop(length="l")
    with pytest.raises(da.CouplingError, match="'law' have no hold"):
        _ = dynamics_of(m.layout()).resolved


def sprung_loop(law: str = "E.th = 0.9 + 0.1*sin(3*t)", by: str = "A.th", length: Any = 1) -> da.Mechanism:
    """A disc that a spring ties to the crank of a four-bar; a motor on the crank is to turn the disc."""
    m = da.Mechanism("sprung loop")
    a, b, c = (m.body(x, mass=1, centre=[0.5, 0, 0], inertia=[0.1] * 3) for x in "abc")
    disc = m.body("disc", inertia=[0.2] * 3)
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([length, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([2.2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([2, 0, 0]), c.at([1.4, 0, 0]), da.revolute("z"), name="C")
    m.join(da.earth, disc, da.revolute("z"), name="E")
    m.torque(disc, [0, 0, "-30*(E.th - A.th)"])
    m.torque(a, [0, 0, "30*(E.th - A.th)"])
    m.constrain(law, by=by, name="law")
    m.start = {"A.th": 0.927295218, "D.th": 1.34086335, "B.th": -0.64185783}
    return m


def test_a_law_behind_a_spring_and_a_loop_is_reached_by_more_derivatives():
    """A.th = E.th + J E.th''/k follows, and its motor is what inverse dynamics of the bare four-bar asks for."""
    m = sprung_loop()
    assert dynamics_of(m.layout()).index == {"law": 5}
    mo = m.simulate((0, 1), start={"E.th": 0.9}, rtol=1e-9, atol=1e-11)
    turned = 0.9 + 0.1 * np.sin(3 * mo.t)
    assert mo["E.th"] == pytest.approx(turned, abs=1e-11)
    assert mo["A.th"] == pytest.approx(turned - 0.2 * 0.9 * np.sin(3 * mo.t) / 30, abs=1e-11)
    assert mo.quality.closure < 1e-10
    energy = mo.energy()
    assert energy - energy[0] == pytest.approx(mo.work(), abs=1e-9)
    bare = sprung_loop("A.th = 0.9 + 0.094*sin(3*t)")  # the same motion of the crank, imposed on it directly
    direct = bare.simulate((0, 1), start={"E.th": 0.9, "E.th'": 0.3}, t_eval=mo.t, rtol=1e-9, atol=1e-11)
    assert direct["E.th"] == pytest.approx(turned, abs=1e-8)
    assert direct["law.lambda"] == pytest.approx(mo["law.lambda"], abs=1e-6)


def test_a_law_that_no_motor_of_a_loop_reaches_is_refused():
    m = sprung_loop()
    lone = m.body("lone", inertia=[0.3] * 3)
    m.join(da.earth, lone, da.revolute("z"), name="F")
    m.constrain("F.th = 0.2*sin(t)", by="E.th", name="nowhere")
    with pytest.raises(da.CouplingError, match="never reach"):
        m.simulate((0, 1), start={"E.th": 0.9})


def hung(friction: float = 0.0, up: float = 1.0) -> da.Mechanism:
    """A motor holds a carriage at L through a spring; a pendulum hangs on (or stands on) the carriage."""
    m = da.Mechanism("hung")
    near, far, bob = m.body("near", mass=1), m.body("far", mass=2), m.body("bob", mass=0.7, centre=[0, 0, -0.4 * up])
    m.join(da.earth, near, da.prismatic("x"), name="p")
    m.join(da.earth, far, da.prismatic("x"), name="q")
    m.join(far, bob, da.revolute("y").with_efforts(th=f"-{friction}*th'"), name="h")
    m.force(near, ["30*(q.x - p.x)", 0, 0])
    m.force(far, ["30*(p.x - q.x) - 6 - q.x^3", 0, 0])
    m.gravity = [0, 0, -9.81]
    m.constrain("q.x = L", by="p.x", name="law")
    m.given = {"L": 0.2}
    return m


@pytest.mark.parametrize("length", [0.2, -0.9])
def test_a_law_behind_a_spring_has_its_equilibria_and_their_small_motions(length):
    """The spring is stretched by what holds the carriage; the pendulum is left free, hanging or standing."""
    found = hung(0.1).equilibria({"L": length}, starts=12)
    assert dynamics_of(hung().layout()).index == {"law": 5}
    assert [e.stability for e in found] == ["asymptotically stable", "unstable"]
    for one, angle in zip(found, (0.0, np.pi), strict=True):
        assert one.coordinates["q.x"] == pytest.approx(length, abs=1e-9)
        assert one.coordinates["p.x"] == pytest.approx(length + (6 + length**3) / 30, abs=1e-9)
        assert np.cos(one.coordinates["h.th"]) == pytest.approx(np.cos(angle), abs=1e-12)
        inertia, damping, weight = 0.7 * 0.16, 0.1, 0.7 * 9.81 * 0.4 * np.cos(angle)
        wanted = np.roots([inertia, damping, weight])
        assert np.sort_complex(one.eigenvalues) == pytest.approx(np.sort_complex(wanted), rel=1e-6)
    for one in hung().equilibria(starts=12):  # without friction the hidden condition sees squares of speeds only
        assert one.coordinates["p.x"] == pytest.approx(0.2 + 6.008 / 30, abs=1e-9)
        assert one.stability == "undecided"
        assert "no slope by the speeds" in one.reason


def test_a_crane_holds_its_load_below_the_trolley_or_above():
    m = da.Mechanism("crane")
    trolley, hoist, load = m.body("trolley", mass=20), m.body("hoist"), m.body("load", mass=10)
    m.join(da.earth, trolley, da.prismatic("x"), name="x")
    m.join(trolley, hoist, da.revolute("y"), name="th")
    m.join(hoist, load, da.prismatic([0, 0, -1]), name="l")
    m.gravity = [0, 0, -9.81]
    m.constrain("pos(load, x) = 0.7", by="x.x", name="along")
    m.constrain("pos(load, z) = -3", by="l.x", name="up")
    m.start = {"l.x": 3.0}
    found = m.equilibria(starts=8)
    assert {(round(e.coordinates["x.x"], 9), round(e.coordinates["l.x"], 9)) for e in found} == {
        (0.7, 3.0),
        (0.7, -3.0),
    }
    assert all(e.stability == "stable" and not e.eigenvalues for e in found)
