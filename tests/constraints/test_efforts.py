"""Efforts of constraints at a state: values, powers, and which of them mechanics determines."""

from __future__ import annotations

import json
import warnings

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


def car(track: float = 1.5, base: float = 2.5, radius: float = 0.3) -> da.Mechanism:
    """Straight ahead, steered by nothing: who of four wheels holds it sideways, rigid bodies do not tell."""
    m = da.Mechanism("car")
    chassis = m.body("chassis", mass=1000, centre=[base / 2, 0, 0.2], inertia=[300, 1500, 1600])
    m.join(da.earth.at([0, 0, radius]), chassis, da.planar(), name="c")
    for name, x, y in (("rl", 0, 1), ("rr", 0, -1), ("fl", base, 1), ("fr", base, -1)):
        wheel = m.body(name, mass=20, inertia=[0.5, 0.9, 0.5])
        place, carrier = [x, y * track / 2, 0], chassis
        if x:
            carrier, place = m.body(f"knuckle_{name}", mass=0.0), [0, 0, 0]
            m.join(chassis.at([x, y * track / 2, 0]), carrier, da.revolute("z"), name=f"s{name}")
        m.join(carrier.at(place), wheel, da.revolute("y"), name=name)
        m.roll(wheel, da.earth, radius=radius, name=f"road_{name}")
    m.ackermann("sfl.th", "sfr.th", track, base, name="rod")
    m.drive("sfl.th", "0", name="steering")
    m.torque(m.bodies["rl"], [0, 45, 0], base=chassis)
    m.torque(m.bodies["rr"], [0, 45, 0], base=chassis)
    m.gravity = [0, 0, -9.81]
    return m


def warned(mo: da.Motion, name: str) -> bool:
    """Asked twice: a mark is no matter of who asked first."""
    seen = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mo[name]
        seen.append([str(one.message) for one in caught if "is not determined" in str(one.message)])
        assert all(f"'{name}'" in text for text in seen[-1])
    assert len(seen[0]) == len(seen[1]) <= 1
    return bool(seen[0])


def agree(m: da.Mechanism, mo: da.Motion) -> list[bool]:
    """Whether each multiplier is determined, by a state and by the motion, which say the same."""
    told = {f"{k}.{x}": ok for k, one in m.constraint_efforts().items() for x, ok in one.determined.items()}
    assert {name: not warned(mo, name) for name in told} == told
    return list(told.values())


def test_a_motion_marks_each_multiplier_as_its_postures_do():
    """Along a straight road traction is determined (by hand: wheel by wheel), what holds it sideways is not."""
    m = car()
    mo = m.simulate((0, 0.1))
    assert len(set(agree(m, mo))) == 2
    mass, inertia = 1080, 4 * 0.9
    rate = 90 / 0.3 / (mass + inertia / 0.3**2)
    assert mo["road_rl.lambda1"] == pytest.approx((45 - 0.9 * rate / 0.3) / 0.3, rel=1e-9)
    assert warned(mo, "road_rl.lambda2")


@pytest.mark.parametrize("seed", range(4))
def test_marks_of_random_gears_are_those_of_the_state(seed):
    rng = np.random.default_rng(seed)
    m = da.Mechanism("discs")
    for k in range(4):
        m.join(da.earth, m.body(f"b{k}", inertia=[1, 1, 1]), da.revolute("z"), name=f"b{k}")
    m.torque("b0", [0, 0, 2])
    ratios = rng.uniform(0.5, 2, 4).round(3)
    pairs = [tuple(sorted(rng.choice(4, 2, replace=False))) for _ in range(4)]
    for i, (a, b) in enumerate(pairs):
        m.constrain(f"{ratios[a]}*b{a}.th = {ratios[b]}*b{b}.th", name=f"g{i}")
    known = agree(m, m.simulate((0, 0.1)))
    # by graphs: an effort is determined where its gear is a bridge
    for i, ok in enumerate(known):
        reached, rest = {pairs[i][0]}, pairs[:i] + pairs[i + 1 :]
        for _ in range(4):
            reached |= {x for pair in rest if reached & {*pair} for x in pair}
        assert ok == (pairs[i][1] not in reached)


def test_a_declared_output_says_which_of_its_efforts_is_open():
    m = car()
    m.outputs["side"] = da.expr.parse("road_rl.lambda2 / 2")
    mo = m.simulate((0, 0.1))
    with pytest.warns(UserWarning, match="'road_rl.lambda2' is not determined"):
        mo["side"]
