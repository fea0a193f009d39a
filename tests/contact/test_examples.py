"""The gallery of contact, each machine held to a number that mechanics knows."""

import importlib.util
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import MoreauJean

FOLDER = Path(__file__).parents[2] / "examples" / "contact"
TIGHT = {"rtol": 1e-11, "atol": 1e-12}
G = 9.81


def crowds():
    spec = importlib.util.spec_from_file_location("crowds", FOLDER / "crowds.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_impacting_stick_is_that_of_the_siconos_tutorials():
    """R5 at t = 0.1, after its first blow; friction e_t = 0, gradients at the beginning of the step."""
    steps = MoreauJean(theta=0.5, gamma=0.5)
    mo = da.load(FOLDER / "impacting_stick.lsd").simulate((0, 0.1), method=steps, max_step=1e-4)
    wanted = {"p.x": 0.3034051457965, "p.z": 0.3383778702709, "p.th": 0.858046069352}
    wanted |= {"p.x'": -0.5037388347232, "p.z'": -0.5261165276764, "p.th'": 1.680022848792}
    for name, value in wanted.items():
        assert mo[name][-1] == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("law", ["newton", "auto"])
def test_woodpecker_swings_as_its_spring_lets_it_and_no_contact_pulls(law):
    """While the sleeve is jammed, the bird swings about c (th - th0) = - m g l with (J + m l^2) w^2 = c: 9.10 Hz."""
    m = da.load(FOLDER / "woodpecker.lsd")
    mo = m.simulate((0, 0.7), impacts=law, **TIGHT)
    weight = 0.0048 * G
    for contact in ("beak", "low", "high"):
        assert mo[f"{contact}.force"].min() > -1e-9 * weight
    w = math.sqrt(0.0056 / (7e-7 + 0.0045 * 0.015**2))
    assert w / (2 * math.pi) == pytest.approx(9.10, abs=0.005)  # Glocker 1995
    stuck = [p for p in mo.contacts.phases if p.contact == "low" and p.state == "stick" and p.end > p.begin]
    assert len(stuck) >= 3
    for phase in stuck[:3]:
        first = mo.state(phase.begin)
        rest = first["s.th"] - 0.0045 * G * 0.015 / 0.0056
        t = np.linspace(phase.begin, phase.end, 30)[1:-1]
        seen, s = mo.at(t), w * (t - phase.begin)
        swing = rest + (first["b.th"] - rest) * np.cos(s) + first["b.th'"] / w * np.sin(s)
        assert seen["b.th"] == pytest.approx(swing, abs=1e-9)
    assert mo.quality.energy < 1e-8


def test_woodpecker_finds_its_rhythm():
    """With Newton's law hops repeat: every cycle is nearer to the next, and what it loses is the weight's work."""
    mo = da.load(FOLDER / "woodpecker.lsd").simulate((0, 1.0), impacts="newton")
    beats = mo.contacts.times()["beak.impact"]
    cycles = np.diff(beats)
    assert cycles == pytest.approx(0.146, abs=2e-4)
    apart = np.abs(np.diff(cycles))
    assert all(later < earlier for earlier, later in pairwise(apart))


@pytest.mark.slow
def test_a_worn_pin_stays_in_its_hole_and_the_slider_near_its_ideal_place():
    """Whatever the pin does, the slider is as near to the ideal slider-crank as the clearance lets it be."""
    play, crank, rod = 0.0005, 0.05, 0.12
    mo = da.load(FOLDER / "slider_crank_clearance.lsd").simulate((0, 0.0628))
    assert mo["hole.gap"].min() > -1e-12
    th = mo["motor.th"]
    assert th == pytest.approx(100 * mo.t, abs=1e-7)
    ideal = crank * np.cos(th) + np.sqrt(rod**2 - (crank * np.sin(th)) ** 2)
    # rod + play in place of rod bounds it on both sides, for a slider that slides where the crank's axis is
    far = crank * np.cos(th) + np.sqrt((rod + play) ** 2 - (crank * np.sin(th)) ** 2)
    near = crank * np.cos(th) + np.sqrt((rod - play) ** 2 - (crank * np.sin(th)) ** 2)
    assert (mo["guide.x"] <= far + 1e-9).all()
    assert (mo["guide.x"] >= near - 1e-9).all()
    assert np.abs(mo["guide.x"] - ideal).max() > 0.9 * play  # and it uses its play
    assert len(mo.contacts.impulses("hole")) > 20
    assert mo.quality.energy < 1e-6


def tilt_of(mo):
    e = [mo[f"f.e{k}"] for k in range(4)]
    axis = np.array([2 * (e[1] * e[3] + e[0] * e[2]), 2 * (e[2] * e[3] - e[0] * e[1]), 1 - 2 * (e[1] ** 2 + e[2] ** 2)])
    return np.arccos(axis[2]), np.unwrap(np.arctan2(axis[1], axis[0]))


def test_a_coin_rolls_around_at_the_rate_of_eulers_disc():
    """F14 at ten degrees: 2 sqrt(g / (a sin)) = 77.6271694290182, the centre at rest."""
    mo = da.load(FOLDER / "spinning_coin.lsd").simulate((0, 0.2), max_step=0.005)
    tilt, turned = tilt_of(mo)
    assert tilt == pytest.approx(math.pi / 18, abs=1e-8)
    assert (turned[-1] - turned[0]) / 0.2 == pytest.approx(77.6271694290182, abs=1e-7)
    assert np.abs([mo["f.x"], mo["f.y"]]).max() < 1e-9


def test_a_break_leaves_five_sevenths_of_the_momentum_rolling():
    """The sum of m v + (J / R) w is kept by the cloth, and by blows without friction."""
    mo = crowds().billiard_break(between=0.0).simulate((0, 1.4), method="moreau", max_step=4e-4)
    end = mo.state(1.4)
    along = [sum(end[f"b{k}.{axis}'"] for k in range(16)) for axis in "xy"]
    assert along == pytest.approx([6 * 5 / 7, 0], abs=1e-9)


def test_a_column_falls_apart_and_the_floor_carries_its_weight():
    """In the last step too the floor gives what the grains weigh, and what their momentum gains."""
    step, count, mass = 1e-3, 72, 0.08
    mo = crowds().granular_column().simulate((0, 1.5), method="moreau", max_step=step)
    last = [one for one in mo.contacts.last if "earth" in one.bodies]
    floor = sum(one.force[2] * (1 if one.bodies[1] == "earth" else -1) for one in last)
    gained = sum(mass * np.diff(mo[f"g{k}.z'"][-2:])[0] for k in range(count)) / step
    assert floor == pytest.approx(count * mass * G + gained, rel=1e-6)
    heights = np.array([mo[f"g{k}.z"] for k in range(count)]).mean(axis=0)
    assert heights[-1] < 0.5 * heights[0]
    assert mo.contacts.gap.min() > -1e-4
