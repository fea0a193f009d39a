"""Worked cases of many contacts: rimless wheel, stack of boxes, impact damper, dominoes; the gallery loads."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

FOLDER = Path(__file__).parents[2] / "examples" / "contact"
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def builders():
    spec = importlib.util.spec_from_file_location("machines", FOLDER / "machines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rimless_wheel_loses_the_right_share_at_every_step():
    """F16 with inertia 0.1: w+ = eta sqrt(w^2 + 4 g sin(alpha) sin(gamma) / (1 + J))."""
    mo = builders().rimless_wheel().simulate((0, 1.7), **TIGHT)
    half, inertia, w = math.pi / 8, 0.1, 2.0
    eta = (inertia + math.cos(2 * half)) / (inertia + 1)
    assert eta == pytest.approx(0.7337334374423159)
    for jump in mo.jumps:
        w = eta * math.sqrt(w**2 + 4 * 9.81 / (1 + inertia) * math.sin(half) * math.sin(0.08))
        assert jump.after["p.th'"] == pytest.approx(w, abs=1e-9)
    assert len(mo.jumps) == 3


def test_a_stack_of_ten_boxes_rests_for_ever_with_the_right_corner_forces():
    """F13."""
    mo = builders().stack().simulate((0, 1000))
    assert (mo.y[:, -1] == mo.y[:, 0]).all()
    for k, left, right in ((0, 50.55, 52.55), (4, 30.93, 32.93), (9, 6.405, 8.405)):
        assert mo[f"c{k}l.force"][-1] == pytest.approx(left, abs=1e-9)
        assert mo[f"c{k}r.force"][-1] == pytest.approx(right, abs=1e-9)


def test_impact_damper_has_its_periodic_orbit():
    """F11: two impacts a cycle; the state is mirrored half a cycle later."""
    phase, x, v, loose = 3.1092890876375, 0.0059054405578, -0.5636214612129, -3.220694064074
    m = da.Mechanism("impact damper")
    box, ball = m.body("box", mass=1), m.body("ball", mass=0.1)
    m.join(da.earth, box, da.prismatic("x").with_efforts(x=f"-100*x - x' + 5*cos(10*t + {phase})"), name="M")
    m.join(box, ball, da.prismatic("x", "z"), name="r")
    m.limit("r.z", -0.5, 0.5, restitution=0.6)
    start = {"M.x": x, "M.x'": v, "r.z": 0.5, "r.z'": loose - v}
    mo = m.simulate((0, 0.5), start=start, rtol=1e-12, atol=1e-13)
    first = mo.jumps[0]
    assert first.t == pytest.approx(math.pi / 10, abs=1e-11)
    assert (first.after["M.x"], first.after["M.x'"]) == pytest.approx((-x, -v), abs=1e-10)
    assert first.after["M.x'"] + first.after["r.z'"] == pytest.approx(-loose, abs=1e-10)


def test_dominoes_fall_one_after_the_other():
    mo = builders().dominoes(3).simulate((0, 0.3))
    times = mo.contacts.times()
    assert times["hit1.impact"][0] < times["hit2.impact"][0]
    assert (np.diff(mo.energy()) < 1e-7).all()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.lsd")), ids=lambda p: p.stem)
def test_programs_of_the_gallery_load_and_print(path):
    m = da.load(path)
    assert m.contacts
    assert da.loads(m.to_lsd(), m.name) == m


def test_answers_that_differ_in_forces_alone_are_no_remark():
    """A block rests against a stop and on a rough floor: what the floor takes of the push is open, the rest is not."""
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="b")
    m.gravity = [4.9, 0, -8.5]
    m.contact("b.z", friction=0.2, slip="b.x'", name="foot")
    m.contact("1 - b.x >= 0", restitution=0.5, name="stop")
    mo = m.simulate((0, 3))
    assert mo["b.x"][-1] == pytest.approx(1, abs=1e-9)
    assert "several answers" not in mo.message


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    ("cut", "friction", "spin", "normal", "along"),
    [
        (30, 0.06, 0.0, 0.8443747686898277, 0.05066248612138966),
        (30, 0.3, 0.0, 0.8443747686898277, 0.07142857142857143),
        (2, 0.06, 0.0, 0.975 * math.cos(math.radians(2)), 0.004985642386071567),
        (30, 0.06, -math.sin(math.radians(30)), 0.8443747686898277, 0.0),
    ],
)
def test_billiard_balls_throw_each_other(cut, friction, spin, normal, along, scale):
    """F8: slip, stick, stick, and side spin that rolls off, with R w = -v sin(cut) about the upward axis."""
    m, r, phi = da.Mechanism("balls"), 0.03 * scale, math.radians(cut)
    for name in "ab":
        m.join(da.earth, m.body(name, mass=1, inertia=[0.4 * r * r] * 3), da.free("quaternion"), name=name + "j")
    balls = [da.Sphere(m.bodies[name], r) for name in "ab"]
    m.contact(*balls, restitution=0.95, friction=friction, name="c")
    m.start = {"aj.x": -2 * r - 0.01 * scale * math.cos(phi), "aj.y": -0.01 * scale * math.sin(phi)}
    m.start |= {"aj.x'": scale * math.cos(phi), "aj.y'": scale * math.sin(phi), "aj.wz": spin * scale / r}
    mo = m.simulate((0, 0.012))
    (strike,) = mo.contacts.impulses("c")
    assert strike.normal == pytest.approx(normal * scale, rel=1e-11)
    assert math.hypot(*strike.tangential) == pytest.approx(along * scale, rel=1e-10, abs=1e-12 * scale)
    thrown = math.degrees(math.atan2(mo["bj.y'"][-1], mo["bj.x'"][-1]))
    assert thrown == pytest.approx(math.degrees(math.atan2(along, normal)), abs=1e-9)


@pytest.mark.parametrize("height", [0.0, 0.2, 0.5])
def test_an_arm_of_one_freedom_bounces_on_a_rough_floor(height):
    """Poisson with friction against the slip: e (1 - mu tan) / (1 + mu tan), tan of the arm's slope at the floor."""
    arm = da.Mechanism("arm")
    rod = arm.body("rod", mass=2, centre=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    arm.join(da.earth, rod, da.revolute("y"), name="hinge")
    arm.gravity = [0, 0, -9.81]
    arm.frame("tip", rod.at([1, 0, 0]))
    arm.contact(f"tip.Z - {height}", restitution=0.4, friction=0.1, slip="tip.X'", name="floor")
    at = -math.asin(height)
    mo = arm.simulate((0, 1), start={"hinge.th": at - 0.3})
    ratio = 0.4 * (1 - 0.1 * abs(math.tan(at))) / (1 + 0.1 * abs(math.tan(at)))
    for jump in mo.jumps[:6]:
        assert jump.after["hinge.th'"] == pytest.approx(-ratio * jump.before["hinge.th'"], rel=1e-9)
    assert mo["hinge.th"][-1] == pytest.approx(at, abs=1e-9)
    assert len(mo.events["floor.accumulation"]) == 1
