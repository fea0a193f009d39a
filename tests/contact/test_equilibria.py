"""Equilibria on contacts: they push and do not pull; friction holds sets, of which one member is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_machines import ball, upright

import dalembert as da


def arm(low: float, high: float) -> da.Mechanism:
    m = da.Mechanism("arm")
    m.join(da.earth, m.body("arm", mass=2, centre=[0.5, 0, 0]), da.revolute("y"), name="e")
    m.gravity = [0, 0, -9.81]
    m.limit("e.th", low, high)
    return m


def block(share: float, friction: float = 0.5) -> da.Mechanism:
    angle = share * math.atan(0.5)
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="b")
    m.gravity = [9.81 * math.sin(angle), 0, -9.81 * math.cos(angle)]
    m.contact("b.z", friction=friction, slip="b.x'", name="foot")
    return m


def test_a_ball_rests_on_the_floor():
    (found,) = ball().equilibria()
    assert found.coordinates == {"drop.x": 0.0}
    assert found.stability == "stable"
    assert found.contacts["floor"] == pytest.approx((9.81,))
    assert "floor" in found.reason


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_an_arm_hangs_or_leans_on_its_stop(scale):
    (leaning,) = arm(-0.5, 1.2).equilibria()
    assert leaning.coordinates["e.th"] == pytest.approx(1.2)
    assert leaning.contacts["e_th_high"][0] == pytest.approx(2 * 9.81 * 0.5 * math.cos(1.2))
    over, hanging, upside = arm(-2, 2).equilibria()
    assert over.coordinates["e.th"] == pytest.approx(-2)  # beyond the top it leans on the other one
    assert hanging.coordinates["e.th"] == pytest.approx(math.pi / 2)
    assert (hanging.stability, hanging.contacts) == ("stable", {})
    assert upside.coordinates["e.th"] == pytest.approx(-math.pi / 2)
    assert upside.stability == "unstable"
    m = da.Mechanism("ball of any size")
    m.join(da.earth, m.body("ball", mass=scale), da.prismatic("z"), name="drop")
    m.gravity = [0, 0, -9.81 * scale]
    m.contact(f"drop.x - {3 * scale}", name="floor")
    (found,) = m.equilibria(at={"drop.x": 4 * scale})
    assert found.coordinates["drop.x"] == pytest.approx(3 * scale)
    assert found.contacts["floor"][0] == pytest.approx(9.81 * scale**2)


def test_friction_holds_a_block_up_to_its_angle():
    (held,) = block(0.999).equilibria()
    assert held.stability == "undecided"
    assert "dry friction holds it, and a set of postures with it: 0.9988 of its friction is needed" in held.reason
    assert np.abs(held.contacts["foot"][1] / held.contacts["foot"][0]) == pytest.approx(0.4994205747717903)
    assert block(1.001).equilibria() == []


def ladder(angle: float, friction: float, size: float, lift: float = 0.0) -> da.Mechanism:
    m = da.Mechanism("ladder")
    rod = m.body("rod", mass=10, inertia=[0, 10 / 3 * size**2, 10 / 3 * size**2])
    m.join(da.earth, rod, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="p")
    m.frame("foot", rod.at([-size, 0, 0]))
    m.frame("top", rod.at([size, 0, 0]))
    m.gravity = [0, 0, -9.81]
    m.contact("foot.Z >= 0", friction=friction, slip="foot.X'", name="floor")
    m.contact("top.X >= 0", friction=friction, slip="top.Z'", name="wall")
    m.start = {"p.th": angle - math.pi, "p.x": size * math.cos(angle), "p.z": size * (math.sin(angle) + lift)}
    return m


def told_at(m: da.Mechanism, angle: float) -> bool:
    found = [one for one in m.equilibria(starts=4) if abs(one.coordinates["p.th"] + math.pi - angle) < 1e-6]
    return any(one.contacts.keys() == {"floor", "wall"} for one in found)


@pytest.mark.parametrize("degrees", [58, 60, 65, 70, 75])
@pytest.mark.parametrize("lift", [0.0, 1e-12])
def test_a_ladder_on_wall_and_floor_touches_within_rounding(degrees, lift):
    """Its gaps at the start are 1e-16, one way or the other, and no length of a machine."""
    assert told_at(ladder(math.radians(degrees), 0.3, 1.0, lift), math.radians(degrees))


@pytest.mark.parametrize("seed", range(6))
def test_ladders_are_at_rest_where_motions_stay_still(seed):
    """Friction holds a ladder up to 2 atan(friction) from upright (statics by hand), in millimetres and kilometres."""
    rng = np.random.default_rng(seed)
    friction, size, holds = rng.uniform(0.1, 0.5), 10 ** rng.uniform(-3, 3), seed % 2 == 0
    angle = math.pi / 2 - 2 * math.atan(friction) * (rng.uniform(0.2, 0.95) if holds else rng.uniform(1.05, 1.4))
    m = ladder(angle, friction, size)
    turned = np.ptp(m.simulate((0, 0.2 * math.sqrt(size)))["p.th"])
    assert (turned < 1e-9) == holds
    assert told_at(m, angle) == holds


def test_a_box_stands_on_two_corners_and_balances_on_one():
    """Flat on the wide side, on the narrow side, and over a corner (unstable); on neither hanging from one."""
    m = da.Mechanism("box")
    box = m.body("box", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, box, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    for k, (x, z) in enumerate([(-0.1, -0.4), (0.1, -0.4), (-0.1, 0.4), (0.1, 0.4)]):
        m.contact(da.Sphere(box.at([x, 0, z])), da.Plane(da.earth), name=f"c{k}")
    heights = {0.4: 2, 0.1: 2, math.hypot(0.1, 0.4): 1}
    found = m.equilibria(starts=60)
    assert {round(one.coordinates["p.z"], 6) for one in found} == {round(h, 6) for h in heights}
    for one in found:
        pushing = heights[min(heights, key=lambda h: abs(h - one.coordinates["p.z"]))]
        assert [len(force) for force in one.contacts.values()] == [1] * pushing
        assert sum(force[0] for force in one.contacts.values()) == pytest.approx(9.81)
        assert (one.stability == "unstable") == (pushing == 1)


def test_four_legs_push_in_one_of_many_ways():
    m = da.Mechanism("table")
    top = m.body("top", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, top, da.free("xyz"), name="f")
    m.gravity = [0, 0, -9.81]
    for k, (x, y) in enumerate([(1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5)]):
        m.contact(da.Sphere(top.at([x, y, -1])), da.Plane(da.earth), name=f"leg{k}")
    found = [one for one in m.equilibria(starts=10, spread=0.3) if len(one.contacts) == 4]
    assert found
    assert "one of many" in found[0].reason
    assert [force[0] for force in found[0].contacts.values()] == pytest.approx([9.81 / 4] * 4)


def test_a_loop_leans_on_a_stop():
    """A four-bar under gravity, stopped on its way down: the posture is that of the stop, the force by virtual work."""
    m = da.Mechanism("four-bar")
    for name in ("crank", "rocker"):
        m.body(name, mass=1, centre=[0.5, 0, 0])
    coupler = m.body("coupler", mass=1, centre=[0.5, 0, 0])
    m.join(da.earth, m.bodies["crank"], da.revolute("y"), name="a")
    m.join(m.bodies["crank"].at([1, 0, 0]), coupler, da.revolute("y"), name="b")
    m.join(da.earth.at([1, 0, 0]), m.bodies["rocker"], da.revolute("y"), name="d")
    m.join(coupler.at([1, 0, 0]), m.bodies["rocker"].at([1, 0, 0]), da.revolute("y"), name="c")
    m.gravity = [0, 0, -9.81]
    m.limit("a.th", None, 1.0)
    start = {"a.th": 0.8, "b.th": -0.8, "d.th": 0.8}
    m.start = start
    found = [one for one in m.equilibria(at=start, spread=0.3, starts=30) if one.contacts]
    assert found
    one = min(found, key=lambda e: abs(e.coordinates["b.th"] + e.coordinates["a.th"]))
    assert one.coordinates["a.th"] == pytest.approx(1.0)
    assert one.coordinates["b.th"] == pytest.approx(-1.0, abs=1e-6)
    # a parallelogram: both cranks sink by cos/2, the coupler by cos, for a unit of turn
    assert one.contacts["a_th_high"][0] == pytest.approx(9.81 * 2 * math.cos(1.0), rel=1e-6)


def test_steady_motions_on_contacts_are_refused():
    with pytest.raises(da.ModelError, match="steady motions on contacts are not"):
        ball().equilibria(speeds={"drop.x'": 0.0})
