"""Boxes on boxes: they stand, slide as far as friction lets them, and tip over edges, whatever the unit of length."""

import numpy as np
import pytest

import dalembert as da

G = 9.81


def boxes(low, up, place, speed=0.0, turn=0.0, mu=0.3, unit=1.0, loose=False):
    """A box on another one, which is earth or lies on it; lengths are in `unit` metres."""
    m = da.Mechanism("boxes")
    m.gravity, m.start = [0, 0, -G * unit], {}
    at = da.earth.at([0, 0, unit * low[2] / 2])
    for name, sides in (("low", low), ("up", up)):
        if name == "low" and not loose:
            continue
        a, b, c = (unit * np.array(sides)) ** 2 / 12
        body = m.body(name, mass=1, inertia=[b + c, a + c, a + b])
        m.join(da.earth, body, da.free("quaternion"), name=name)
    if loose:
        at = m.bodies["low"]
        m.start["low.z"] = unit * low[2] / 2
        m.contact(da.Box(at, [unit * x for x in low]), da.Plane(da.earth), friction=2, name="floor")
    own = da.Box(m.bodies["up"], [unit * x for x in up])
    m.contact(own, da.Box(at, [unit * x for x in low]), friction=mu, name="pair")
    m.start |= {f"up.{x}": unit * v for x, v in zip("xyz", place, strict=True)}
    m.start |= {"up.e0": np.cos(turn / 2), "up.e3": np.sin(turn / 2), "up.x'": unit * speed}
    return m


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_a_box_slides_on_a_box_until_friction_has_its_energy(unit):
    rng = np.random.default_rng(round(np.log10(unit)) + 5)
    low, up = [*rng.uniform(0.5, 0.6, 2), 0.1], [*rng.uniform(0.1, 0.2, 2), rng.uniform(0.05, 0.1)]
    mu, speed = rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.5)
    m = boxes(low, up, [-0.02, 0, 0.1 + up[2] / 2], speed, rng.uniform(0, 6), mu, unit)
    mo = m.simulate((0, 0.5))
    assert mo["up.x"][-1] / unit == pytest.approx(-0.02 + speed**2 / (2 * mu * G), abs=1e-12)
    assert mo["up.z"][-1] / unit == pytest.approx(0.1 + up[2] / 2, abs=1e-12)
    assert "stick" in {phase.state for phase in mo.contacts.phases}
    assert abs(mo["up.x'"][-1]) < 1e-15 * unit


def test_equal_boxes_that_lie_on_each_other_slide_and_stand():
    """All edges lie on edges: every corner is on the border of the other's face."""
    side, speed = [0.2, 0.2, 0.1], 0.1
    mo = boxes(side, side, [0, 0, 0.15], speed, loose=True).simulate((0, 0.2))
    assert mo["up.x"][-1] == pytest.approx(speed**2 / (2 * 0.3 * G), abs=1e-12)
    assert mo["up.z"][-1] == pytest.approx(0.15, abs=1e-12)


@pytest.mark.slow
def test_a_box_across_another_stands_on_crossing_edges():
    """No corner of either is on a face of the other: it stands on the ends of what edges have in common."""
    mo = boxes([0.6, 0.1, 0.1], [0.12, 0.7, 0.08], [0.1, 0.02, 0.14]).simulate((0, 1))
    assert mo["up.z"][-1] == pytest.approx(0.14, abs=1e-12)
    assert abs(mo["up.e1"][-1]) < 1e-12
    assert abs(mo["up.e2"][-1]) < 1e-12
    forces = [mo[f"pair_{k}.force"][-1] for k in range(1, 26)]
    assert sum(forces) == pytest.approx(G)
    assert np.count_nonzero(forces) == 4


@pytest.mark.slow
def test_a_box_slides_over_an_edge_tips_and_falls():
    """From a tip about the edge to free fall; it is let go where its last edge has passed, at any tolerance."""
    m = boxes([0.3, 0.3, 0.1], [0.1, 0.1, 0.1], [0, 0, 0.15], 1.5, mu=0.1)
    ends = []
    for tolerance in (1e-8, 1e-10):
        mo = m.simulate((0, 0.3), rtol=tolerance, atol=1e-3 * tolerance)
        ends.append([mo["up.x"][-1], mo["up.z"][-1], mo["up.x'"][-1]])
        tips = np.roots([0.1 * G / 2, -1.5, 0.15 - 0.1 * 0.05])[-1]  # weight and friction meet at the edge
        assert mo.contacts.times()["pair_1.opens"][0] == pytest.approx(tips, abs=1e-9)
        assert mo.energy()[-1] - mo.energy()[0] == pytest.approx(mo.work()[-1], abs=1e-8)
        assert mo["pair_19.gap"].min() > -1e-11
        assert mo.contacts.phases[-1].state == "open"
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_a_point_slides_over_the_edge_of_a_box():
    m = da.Mechanism("point")
    m.join(da.earth, m.body("p", mass=1), da.composite(["x", "z"], ["x", 0, "z"]), name="q")
    m.gravity, m.start = [0, 0, -G], {"q.x": 0.0, "q.z": 0.05, "q.x'": 1.0}
    m.contact(da.Sphere(m.bodies["p"]), da.Box(da.earth, [0.3, 0.3, 0.1]), name="top")
    mo = m.simulate((0, 0.25))
    assert mo["q.x"][-1] == pytest.approx(0.25, abs=1e-12)
    assert mo["q.z"][-1] == pytest.approx(0.05 - G / 2 * 0.1**2, abs=1e-10)
