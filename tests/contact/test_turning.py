"""Friction against rolling and drilling in machines: moments of at most a length times the normal force."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.contact import Frictional, fault, solve_frictional

R, G = 0.1, 9.81


def ball(start, **laws):
    m = da.Mechanism("ball")
    one = m.body("ball", mass=2, inertia=[0.4 * 2 * R * R] * 3)
    m.join(da.earth, one, da.free("quaternion"), name="f")
    m.gravity, m.start = [0, 0, -G], {"f.z": R, **start}
    m.contact(da.Sphere(one, R), da.Plane(da.earth), name="floor", **laws)
    return m


def test_a_ball_that_rolls_comes_to_rest_where_its_moment_says():
    """Deceleration b g / (R (1 + 2/5)), then exactly still."""
    b, v = 0.02, 1.0
    slows = b * G / (1.4 * R)
    mo = ball({"f.x'": v, "f.wy": v / R}, friction=0.5, rolling=b).simulate((0, 1))
    assert mo.contacts.times()["floor.rolling_ends"] == pytest.approx([v / slows], rel=1e-7)
    assert mo["f.x"][-1] == pytest.approx(v * v / (2 * slows), rel=1e-7)
    assert abs(mo["f.wy"][-1]) < 1e-12
    assert mo["floor.rolling2"][1] == pytest.approx(-b * 2 * G, rel=1e-9)
    assert mo["floor.roll2"][0] == pytest.approx(v / R)
    assert mo.energy()[-1] - mo.energy()[0] == pytest.approx(mo.work()[-1], rel=1e-7)


def test_a_ball_that_spins_stops_while_it_does_not_slide():
    c, w = 0.003, 5.0
    mo = ball({"f.wz": w}, friction=0.5, drilling=c).simulate((0, 1))
    assert mo.contacts.times()["floor.drilling_ends"] == pytest.approx([0.4 * R * R * w / (c * G)], rel=1e-9)
    assert mo["f.wz"][-1] == pytest.approx(0, abs=1e-14)
    assert mo["floor.drilling"][0] == pytest.approx(-c * 2 * G)


def wheel(angle, b):
    m = da.Mechanism("wheel")
    one = m.body("wheel", mass=3, inertia=[1, 0.5 * 3 * R * R, 1])
    m.join(da.earth, one, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="w")
    m.gravity, m.start = [G * math.sin(angle), 0, -G * math.cos(angle)], {"w.z": R}
    m.contact(da.Sphere(one, R), da.Plane(da.earth), friction=0.8, rolling=b, name="ground")
    return m


def test_a_wheel_stays_on_a_slope_that_its_moment_holds_and_rolls_on_one_that_is_steeper():
    """It holds while tan(angle) <= b / R; beyond, (3/2) a = g sin - (b / R) g cos."""
    b = 0.004
    still = wheel(0.999 * math.atan(b / R), b).simulate((0, 100))
    assert (still["w.x"] == 0).all()
    angle = 1.2 * math.atan(b / R)
    rolls = wheel(angle, b).simulate((0, 1))
    pull = G * (math.sin(angle) - b / R * math.cos(angle)) / 1.5
    assert rolls["w.x"][-1] == pytest.approx(pull / 2, rel=1e-9)
    assert rolls["w.th"][-1] == pytest.approx(pull / 2 / R, rel=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_balls_that_slide_roll_and_drill_lose_energy_and_both_roads_end_alike(seed):
    rng = np.random.default_rng(seed)
    start = {"f.x'": rng.normal(), "f.y'": rng.normal()}
    start |= {f"f.w{x}": float(w) for x, w in zip("xyz", rng.normal(size=3) * 10, strict=True)}
    laws = {"friction": 0.3, "rolling": 0.004, "drilling": 0.003}
    exact = ball(start, **laws).simulate((0, 0.3))
    assert (np.diff(exact.energy()) <= 1e-9).all()
    assert exact.quality.energy < 1e-6
    steps = [ball(start, **laws).simulate((0, 0.3), method="moreau", max_step=h) for h in (8e-3, 2e-3)]
    asked = {"f.x": 0.1, "f.y": 0.1, "f.x'": 1.0, "f.wz": 10.0}
    faults = [max(abs(mo[x][-1] - exact[x][-1]) / size for x, size in asked.items()) for mo in steps]
    assert faults[1] < max(faults[0] / 2, 1e-4)  # first order
    assert faults[1] < 1e-2


def test_time_stepping_of_machines_and_of_crowds_agree():
    start, laws = {"f.x'": 0.6, "f.wz": 20.0, "f.wy": 3.0}, {"friction": 0.3, "rolling": 0.004, "drilling": 0.003}
    alone = ball(start, **laws).simulate((0, 0.2), method="moreau", max_step=1e-3)
    m = da.Mechanism("crowd")
    one = m.body("ball", mass=2, inertia=[0.4 * 2 * R * R] * 3)
    m.join(da.earth, one, da.free("quaternion"), name="f")
    m.gravity, m.start = [0, 0, -G], {"f.z": R, **start}
    m.contact([da.Sphere(one, R), da.Plane(da.earth)], name="floor", **laws)
    many = m.simulate((0, 0.2), method="moreau", max_step=1e-3)
    for x in ("f.x", "f.x'", "f.wy", "f.wz"):
        assert many[x][-1] == pytest.approx(alone[x][-1], rel=4e-3)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_random_contacts_that_resist_turning_obey_the_law_in_any_unit(unit):
    """Turning rows in rad/s beside sliding rows in m/s: the unit of length must not change the answer."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        contacts, freedoms = int(rng.integers(1, 4)), 9
        rows, speeds = rng.normal(size=(contacts, 6, freedoms)), rng.normal(size=freedoms)
        rows[:, 0] *= -np.sign(rows[:, 0] @ speeds)[:, None]  # all of them approach
        rows[:, :3] *= unit
        rows = rows.reshape(-1, freedoms)
        lengths = unit * rng.uniform(0.01, 0.3, size=(contacts, 2))
        further = tuple(((2, float(a)), (1, float(b))) for a, b in lengths)
        mu = rng.uniform(0, 0.5, contacts)
        problem = Frictional(rows @ rows.T, rows @ speeds, mu, (2,) * contacts, None, further)
        (answer,), _ = solve_frictional(problem)
        p, u = answer.impulses, problem.matrix @ answer.impulses + problem.right
        top, fast = np.abs(p[problem.starts]).max(), np.abs(problem.right).max()
        assert fault(problem, p) < 1e-9 * top
        for n, discs in zip(problem.starts, problem.discs, strict=True):
            assert p[n] >= 0
            assert u[n] > -1e-9 * fast
            for disc in discs:
                assert disc.size(p) <= disc.mu * p[n] + 1e-9 * disc.mu * top
                assert p[disc.rows] @ u[disc.rows] <= 1e-12 * top * fast
                if disc.size(p) < 0.999 * disc.mu * p[n]:
                    assert disc.size(u) < 1e-9 * fast
