"""Machines that rock, lean and lie: wheels without rims, stacks, dominoes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate.contact.metric import rank


def wheel(feet: int, inertia: float, friction: float, restitution: float, slope: float, unit: float) -> da.Mechanism:
    m, half, g = da.Mechanism("wheel"), math.pi / feet, 9.81 * unit
    hub = m.body("hub", mass=1, inertia=[inertia * unit**2] * 3)
    m.join(da.earth, hub, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="p")
    m.gravity = [g * math.sin(slope), 0, -g * math.cos(slope)]
    for k in range(feet):
        foot = hub.at([unit * math.sin(2 * half * k), 0, -unit * math.cos(2 * half * k)])
        m.contact(da.Sphere(foot, 0), da.Plane(da.earth), friction=friction, restitution=restitution, name=f"c{k}")
    return m


@pytest.mark.parametrize("seed", range(4))
def test_wheels_without_rims_come_to_rest_on_two_feet(seed):
    """Begun on two feet with a push that does not carry it over; friction beyond what holds it on its slope."""
    rng = np.random.default_rng(seed)
    feet, unit = int(rng.integers(4, 9)), float(rng.choice([1e-3, 1.0, 1e3]))
    half, slope, restitution = math.pi / feet, float(rng.choice([0.0, 0.02])), float(rng.choice([0.0, 0.3]))
    inertia, push = float(rng.uniform(0.01, 0.8)), float(rng.uniform(0.2, 0.5)) * half
    m = wheel(feet, inertia, float(rng.uniform(1.0, 2.5)), restitution, slope, unit)
    m.start = {"p.z": unit * math.cos(half), "p.th": -half, "p.th'": push * 4}
    m.start |= {"p.x'": unit * push * 4 * math.cos(half), "p.z'": unit * push * 4 * math.sin(half)}
    mo = m.simulate((0, 6))
    rest = mo.y[:, -1]
    assert (np.abs(rest[3:]) < 1e-15 * push * np.array([unit, unit, 1])).all()
    assert abs(rest[1] / unit - math.cos(half)) < 1e-9
    turned = (rest[2] + half) / (2 * half)
    assert abs(turned - round(turned)) < 1e-9
    assert any(what == "accumulation" for _, _, what in mo.contacts.events)
    weight = sum(mo[f"c{k}.force"][-1] for k in range(feet))
    assert abs(weight / (9.81 * unit * math.cos(slope)) - 1) < 1e-9


def test_a_plane_stack_of_boxes_rests():
    """Forces across the plane do nothing there: they ended in words of a linear solver."""
    m = da.Mechanism("stack")
    for k in range(2):
        box = m.body(f"b{k}", mass=1, inertia=[1 / 6] * 3)
        m.join(da.earth, box, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name=f"p{k}")
        m.start |= {f"p{k}.z": 0.5 + k, f"p{k}.x": 0.1 * k}
        below = da.Box(m.bodies[f"b{k - 1}"], [1, 1, 1]) if k else da.Plane(da.earth)
        m.contact(da.Box(box, [1, 1, 1]), below, friction=0.5, name=f"c{k}")
    m.gravity = [0, 0, -9.81]
    assert np.allclose(m.simulate((0, 0.2)).y[:, -1], [0, 0.5, 0, 0.1, 1.5, 0, *[0] * 6], atol=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.1])
def test_a_domino_pushes_the_next_and_follows_it_down(friction):
    """Faces meet in parallel: rows that differ by rounding alone stopped both dominoes, and lost half of the energy."""
    m, high, wide = da.Mechanism("dominoes"), 1.0, 0.2
    for k in range(2):
        stone = m.body(f"b{k}", mass=1, inertia=[(high**2 + wide**2) / 12] * 3)
        hinge = da.composite(["th"], [wide / 2, 0, 0], da.turn("th", "y"), [-wide / 2, 0, high / 2])
        m.join(da.earth.at([0.5 * k, 0, 0]), stone, hinge, name=f"p{k}")
        m.limit(f"p{k}.th", [0, "pi/2"], restitution=0)
    stones = [da.Box(m.bodies[f"b{k}"], [wide, wide, high]) for k in range(2)]
    m.contact(*stones, friction=friction, restitution=0, name="c")
    m.gravity, m.start = [0, 0, -9.81], {"p0.th'": 1.5}
    mo = m.simulate((0, 1.5))
    energy = mo.energy()
    lost = sum(strike.work for strike in mo.contacts.strikes) + mo.work()[-1]
    assert abs(energy[-1] - energy[0] - lost) < 1e-6 * energy[0]
    assert abs(mo["p1.th"][-1] - math.pi / 2) < 1e-12


def test_what_does_not_rub_keeps_its_slow_slip_when_it_has_bounced_out():
    """Friction is a parameter that is zero: slips ended with the pile, and were asked to hold without end."""
    m = da.Mechanism("ball")
    ball = m.body("ball", mass=1, inertia=[0.004] * 3)
    m.join(da.earth, ball, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="b")
    m.contact(da.Sphere(ball, 0.1), da.Plane(da.earth), friction="mu", restitution=0.3, name="c")
    m.gravity, m.given, m.start = [0, 0, -9.81], {"mu": 0.0}, {"b.z": 0.15, "b.x'": 1e-5}
    mo = m.simulate((0, 0.5))
    assert mo.contacts.times()["c.accumulation"].size == 1
    assert np.allclose(mo.y[:, -1], [5e-6, 0.1, 0, 1e-5, 0, 0], rtol=0, atol=1e-13)
    assert all(strike.tangential == (0.0,) for strike in mo.contacts.strikes)


def test_a_ball_in_a_drum_that_turns_is_not_paced_by_rounding():
    """The wall is the same at all times but for its last digits: no load that changes."""
    m, wide, small = da.Mechanism("drum"), 1.0, 0.1
    drum, ball = m.body("drum", inertia=[1, 1, 1]), m.body("ball", mass=1, inertia=[0.004] * 3)
    m.join(da.earth, drum, da.composite([], da.turn("2*t", "y")), name="d")
    m.join(da.earth, ball, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="b")
    m.gravity, m.start = [0, 0, -9.81], {"b.z": small - wide}
    m.contact(da.Sphere(ball, small), da.Surface(drum, f"{wide}^2 - x^2 - z^2"), friction=0.3, name="c")
    mo = m.simulate((0, 0.3))
    assert len(mo.t) < 200
    # until it sticks it slides with the wall: friction mu m g turns it, while it hardly climbs
    stuck = mo.contacts.times()["c.sticks"][0]
    assert abs(stuck - 2 / (0.3 * 9.81 * (1 + small**2 / 0.004))) < 1e-2


@pytest.mark.parametrize("seed", range(20))
def test_rounding_adds_no_rank_and_units_take_none(seed):
    """Rows in few directions, entries that are rounding beside them, coordinates in units that differ by 1e3."""
    rng = np.random.default_rng(seed)
    many, columns, true = 6, 5, int(rng.integers(1, 4))
    rows = np.zeros((many, columns))
    rows[:, :true] = rng.normal(size=(many, true)) * 10.0 ** rng.uniform(-3, 3, true)
    rows[:, true:] = 1e-17 * rng.normal(size=(many, columns - true)) * np.linalg.norm(rows, axis=1)[:, None]
    assert rank(rows) == true
