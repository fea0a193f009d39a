"""The geometry of mechanisms against their own equations."""

from __future__ import annotations

from pathlib import Path

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


def test_a_closed_loop_with_a_driven_crank():
    """Rows that the plane keeps by itself are no conditions; the two others are kept beside the drive."""
    m = da.Mechanism("four bar")
    m.gravity = [0, -9.81, 0]
    bars = [m.body(f"b{k}", mass=1, centre=[l / 2, 0, 0], inertia=[0.1] * 3) for k, l in enumerate((1, 2, 1.5))]
    m.join(da.earth, bars[0], da.revolute("z"), name="j1")
    m.join(bars[0].at([1, 0, 0]), bars[1], da.revolute("z"), name="j2")
    m.join(da.earth.at([2, 0, 0]), bars[2], da.revolute("z"), name="j3")
    m.join(bars[1].at([2, 0, 0]), bars[2].at([1.5, 0, 0]), da.revolute("z"), name="j4")
    m.drive("j1.th", "2*t", name="crank")
    g = m.geometry()
    assert g.setting.names == ("crank.lambda", "j4.Fx", "j4.Fy")
    assert g.check({"j1.th": 0.3, "j2.th": 0.5, "j3.th": 1.9, "j2.p_th": 0.4, "j3.p_th": -0.2})


def test_a_rolling_ball_seen_from_its_centre():
    """Dazord 7.3b: f = place of the centre. The ground pushes m g e3 alone, Z = 0, and q' = a w ^ e3."""
    mass, a = 0.17, 0.0286
    m = da.Mechanism("ball")
    m.gravity = [0, 0, -9.81]
    ball = m.body("ball", mass=mass, inertia=[0.4 * mass * a**2] * 3)
    m.join(da.earth, ball, da.free("bryant"), name="p")
    m.constrain(f"vel(ball, x) = {a}*omega(ball, y)", name="rx")
    m.constrain(f"vel(ball, y) = -{a}*omega(ball, x)", name="ry")
    m.constrain("vel(ball, z) = 0", name="rz")
    g = m.geometry({"rx": "p.x", "ry": "p.y", "rz": "p.z"})
    state = {"p.al": 0.3, "p.be": 0.2, "p.ga": -0.4, "p.x": 1, "p.y": 2, "p.z": a}
    state |= {"p.p_al": 3e-4, "p.p_be": -2e-4, "p.p_ga": 5e-4}
    assert g.check(state)
    assert g.at(state, g.multipliers) == pytest.approx([0, 0, mass * 9.81], abs=1e-12)
    assert g.at(state, g.proposition["-Z"]) == pytest.approx([0] * 9, abs=1e-15)


GALLERY = Path(__file__).parents[2] / "examples/constraints"
QUICK = ["servo_discs", "sperry", "snakeboard", "walker_wheel", "sliding_point"]
#: Laws that the actuators reach only through hidden conditions: there is no section for them.
HIDDEN = {"crane_path", "spring_servo"}
#: A contact that may open is no condition.
OPEN = {"billiard"}


def summed(name):
    m = da.load(GALLERY / f"{name}.lsd")
    g = m.geometry(chart="bryant" if m.layout().state.quaternions else None)
    rng = np.random.default_rng(3)
    return g.check({x: float(rng.uniform(0.2, 0.9)) for x in g.names} | {"t": 0.3})


@pytest.mark.parametrize("name", QUICK)
def test_machines_of_the_gallery(name):
    assert summed(name)


@pytest.mark.slow
def test_all_machines_of_the_gallery():
    names = {p.stem for p in GALLERY.glob("*.lsd")} - HIDDEN - OPEN - set(QUICK)
    assert [name for name in sorted(names) if not summed(name)] == []


def test_a_point_that_slides_with_friction():
    """Normal force 12.753, deceleration 0.3 g against the slip."""
    m = da.Mechanism("point")
    m.gravity = [0, 0, -9.81]
    before = da.earth
    for axis in "xyz":
        body = m.body(f"b{axis}", mass=1.3 if axis == "z" else 0)
        m.join(before, body, da.prismatic(axis), name=axis)
        before = body
    m.constrain("z.x = 0", by=da.coulomb(0.3, "x.x'", "y.x'"), name="plane")
    g = m.geometry()
    state = {"x.x": 0, "y.x": 0, "z.x": 0, "x.p_x": 3.9, "y.p_x": 5.2, "z.p_x": 0}
    assert g.check({x: v for x, v in state.items() if x in g.names})
    assert g.at(state, g.multipliers) == pytest.approx([12.753])
    assert g.at(state, g.field[-3:-1]) == pytest.approx([-1.7658 * 1.3, -2.3544 * 1.3])
