"""Moreau-Jean time stepping against published tables (siconos/siconos-tutorials, examples/mechanics, Apache-2.0)."""

import math
import time

import numpy as np
import pytest
from contact_machines import ball

import dalembert as da
from dalembert.contact import Frictional
from dalembert.simulate import MoreauJean
from dalembert.simulate.contact.moreau_jean import impulses


def worst(motion, rows, names, contact=None):
    """Largest difference from rows (t, values...); the last value is an impulse if a contact is named."""
    pulses = {round(s.t, 9): s.normal for s in motion.contacts.impulses(contact)} if contact else {}
    found = 0.0
    for t, *values in rows:
        k = int(np.argmin(np.abs(motion.t - t)))
        here = [motion[name][k] for name in names] + ([pulses.get(round(t, 9), 0.0)] if contact else [])
        found = max(found, *(abs(a - b) for a, b in zip(here, values, strict=True)))
    return found


def test_bouncing_ball():
    rows = [
        (0.45, 0.00673749999999881, -4.41450000000001, 0),
        (0.455, 0.00563387499999881, 3.97305000000001, 8.43660000000002),
        (1, 0.7140385, -1.3734, 0),
        (2.5, 0.39568070125, -1.6289505, 0),
        (5, 0.151353680262514, -0.75225812575499, 0),
        (8.5, -2.28755625642887e-5, -8.06993932620861e-5, 0.0488796346142147),
        (10, -2.28861809055072e-5, 0, 0.0490499999999902),
    ]
    motion = ball().simulate((0, 10), method="moreau", max_step=0.005)
    assert worst(motion, rows, ["drop.x", "drop.x'"], "floor") < 1e-12


def test_bouncing_ball_with_direct_projection():
    rows = [
        (5, 0.1588003366375, -0.752258125755),
        (8.5, 0.002623508210494, 0.1013255473663),
        (10, 0.0003651020554395, -0.07984489722802),
    ]
    motion = ball().simulate((0, 10), method=MoreauJean(projection="direct"), max_step=0.005)
    assert worst(motion, rows, ["drop.x", "drop.x'"]) < 1e-12


def test_bouncing_ball_with_combined_projection():
    rows = [
        (0.455, 0, 3.97305000000001, 8.43660000000002),
        (1, 0.708404625000001, -1.3734, 0),
        (2, 0, 3.1828545, 6.7684095),
        (5, 0, 1.5992932753845, 3.4253358035895),
        (8.5, 5.03924526066e-11, 1.017282786e-11, 0.0490500000214662),
        (10, 5.03937911019e-11, 0, 0.04905),
    ]
    method = MoreauJean(projection="combined", tolerance=1e-10)
    motion = ball().simulate((0, 10), method=method, max_step=0.005)
    assert worst(motion, rows, ["drop.x", "drop.x'"], "floor") < 1e-12


def test_spring_against_a_stop():
    m = da.Mechanism("cam follower")
    joint = da.prismatic("z").with_efforts(x="-1430.8*x")
    m.join(da.earth, m.body("follower", mass=1.221), joint, name="s")
    m.contact("s.x >= 0", restitution=0.8, name="cam")
    m.start = {"s.x": 0.4, "s.x'": 0.4}
    rows = [
        (0.05, 0.0354070989271441, 10.8916627881048),
        (0.0501, 0.036496054560926, 10.887449887531),
        (0.2, 0.220691685111435, -4.44845118443669),
    ]
    motion = m.simulate((0, 0.2), method="moreau", max_step=1e-4)
    assert worst(motion, rows, ["s.x", "s.x'"]) < 1e-11


def stick():
    m = da.Mechanism("stick")
    rod = m.body("rod", mass=1, inertia=[0, 1 / 12, 1 / 12])
    m.join(da.earth, rod, da.planar(), name="p")
    m.gravity = [0, -10, 0]
    # The angle of the tables is measured from the vertical: their q3 is p.th here, the tip at (-sin, -cos)/2 turned.
    gap, slip = "p.y - cos(p.th)/2", "-p.x' - cos(p.th)/2*p.th'"
    m.contact(gap, restitution=1, friction=0.01, slip=slip, name="tip")
    m.start = {"p.x": math.sin(math.pi / 4) / 2, "p.y": math.cos(math.pi / 4) / 2 + 0.01, "p.th": math.pi / 4}
    m.start |= {"p.x'": -0.5, "p.y'": 0.1, "p.th'": 0.1}
    return m


def test_impacting_stick():
    rows = [
        (0.0603, 0.3234033905933, 0.3514029405933, 0.7914281633974, -0.5, -0.503, 0.1, 0),
        (
            *(0.0604, 0.3233532036515, 0.3513712847669, 0.7915171645399),
            *(-0.5037388347232, -0.1301165276764, 1.680022848792, 0.3738834723236),
        ),
        (0.1, 0.3034051457965, 0.3383778702709, 0.858046069352, -0.5037388347232, -0.5261165276764, 1.680022848792, 0),
        (0.15, 0.2782182040603, 0.2995720438871, 0.9420472117917, -0.5037388347232, -1.026116527676, 1.680022848792, 0),
        (0.2, 0.2529172311984, 0.2471693300826, 1.081891493988, -0.5068672606709, -1.213273932907, 3.212070578754, 0),
    ]
    motion = stick().simulate((0, 0.2), method="moreau", max_step=1e-4)
    assert worst(motion, rows, ["p.x", "p.y", "p.th", "p.x'", "p.y'", "p.th'"], "tip") < 1e-11


def test_spinning_ball_with_friction():
    m = da.Mechanism("ball 2d")
    m.join(da.earth, m.body("ball", mass=1, inertia=[0.1, 0.1, 0.1]), da.planar(), name="p")
    m.gravity = [-9.81, 0, 0]
    m.contact("p.x - 0.5", restitution=0.9, friction=0.1, slip="p.y' - 0.5*p.th'", name="floor")
    m.start = {"p.x": 1.0, "p.th'": 2.0}
    v = 0.2857142857143
    rows = [
        (0.32, 0.5125288375, 2.781135, 0.5714285714286, 0.0007142857142857, 0.6364285714286, v, 5.920335),
        (1, 0.71495941375, 1.4994585, 0.5714285714286, 0.195, 1.025, v, 0),
        (2.5, 0.6760514417838, -0.1141653465, 0.5714285714286, 0.6235714285714, 1.882142857143, v, 0),
    ]
    motion = m.simulate((0, 2.5), method=MoreauJean(gamma=1.0), max_step=0.005)
    assert worst(motion, rows, ["p.x", "p.x'", "p.th'", "p.y", "p.th", "p.y'"], "floor") < 1e-11


def beads(masses, places, gaps, e):
    m = da.Mechanism("beads")
    for i, mass in enumerate(masses, 1):
        m.join(da.earth, m.body(f"b{i}", mass=mass), da.prismatic("z"), name=f"q{i}")
        m.start[f"q{i}.x"] = places[i - 1]
    m.gravity = [0, 0, -9.81]
    for i, gap in enumerate(gaps):
        m.contact(gap, restitution=e, name=f"c{i}")
    return m


def test_two_bouncing_balls():
    m = beads([1, 2], [0.1, 0.301], ["q1.x", "q2.x - q1.x - 0.2"], 0.95)
    rows = [
        (0.143, 0.00106075449999989, 1.323369, 0.200697655, -1.40283),
        (0.144, 0.000607189149999891, -2.2304997, 0.200175934675, 0.35938935),
        (0.5, 0.0400454543203628, 0.626569927085106, 0.241133671099613, 0.590632586089718),
        (1, 0.027398997240394, -0.244865829975277, 0.237847116047478, -0.0987467490934796),
    ]
    motion = m.simulate((0, 1), method=MoreauJean(gamma=1.5), max_step=0.001)
    assert worst(motion, rows, ["q1.x", "q1.x'", "q2.x", "q2.x'"]) < 1e-12


@pytest.mark.slow
def test_column_of_beads():
    places = [1 + 0.25 * i for i in range(10)]
    gaps = ["q1.x - 0.1", *(f"q{i + 1}.x - q{i}.x - 0.2" for i in range(1, 10))]
    rows = [
        (0.5, 0.109846022999, -3.05554267464, 0.322085102109, 2.49990744653, 2.02375, -4.905),
        (1, 0.104470953835, -0.609785968359, 0.304401366415, -0.343325355903, 1.92938942457, 0.0144449436432),
        (1.5, 0.0999984938781, 0, 0.29998889477, 0, 1.89997443459, 0),
    ]
    motion = beads([1] * 10, places, gaps, 0.9).simulate((0, 1.5), method="moreau", max_step=5e-4)
    assert worst(motion, rows, ["q1.x", "q1.x'", "q2.x", "q2.x'", "q10.x", "q10.x'"]) < 1e-11


def test_energy_is_kept_between_impacts_and_lost_in_them():
    motion = ball(0.5).simulate((0, 2), method="moreau", max_step=0.001)
    change, struck = np.diff(motion.energy()), {round(s.t, 9) for s in motion.contacts.strikes}
    flying = np.array([round(t, 9) not in struck for t in motion.t[1:]])
    assert np.abs(change[flying]).max() < 1e-13
    assert (np.diff(motion.kinetic_energy())[~flying] < 1e-12).all()
    assert motion.energy()[-1] < 0.1 * motion.energy()[0]


def test_a_start_inside_is_refused_with_name_and_depth():
    with pytest.raises(da.SimulationError, match=r"'floor'.*starts 0\.25 beyond"):
        ball().simulate((0, 1), method="moreau", start={"drop.x": -0.25})


def test_friction_oscillator():
    """FrictionOscillator.ref: x'' = -x + l, l in -Sgn(x'): a block of weight 1 on a floor with friction 1."""
    m = da.Mechanism("oscillator")
    block = m.body("block", mass=1)
    m.join(da.earth, block, da.composite(["x", "z"], ["x", 0, "z"]), name="b")
    m.gravity, m.start = [0, 0, -1], {"b.x": 12, "b.x'": 6}
    m.force(block, ["-b.x", 0, 0])
    m.contact("b.z", friction=1, slip="b.x'", name="floor")
    rows = [
        (0.01, 12.0593485162871, 5.86970325741857),
        (5, -2.501948714283, 10.20794801547),
        (10, -7.256299752296, 0.8801721180254),
        (15, -0.786191139717, -3.931146536336),
        (20, 1.241125196601, -0.2072515377775),
        (30, 0.682044135195411, 0),
    ]
    motion = m.simulate((0, 31), method="moreau", max_step=0.01)
    assert worst(motion, rows, ["b.x", "b.x'"]) < 1e-11
    assert np.ptp(motion["b.x"][motion.t > 29]) < 1e-14


def test_ball_on_a_moving_plane():
    """BallOnMovingPlane.ref: its plane rests at 0 before the first step, and so is 3 h / 2 behind one that moved."""
    m = da.Mechanism("plane")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.join(da.earth, m.body("table", mass=1), da.prismatic("z"), name="plane")
    h = 0.005
    m.gravity, m.start = [0, 0, -9.81], {"drop.x": 1.0, "plane.x": -h * 3 / 2, "plane.x'": 3}
    m.drive("plane.x'", "2 + cos(pi*t/2)", name="law")
    m.contact("drop.x - plane.x", restitution=0.9, name="touch")
    rows = [
        (0.4, 1.80375530568798, 6.16206543293954, 1.16669378999074, 2.80901699437495),
        (1, 3.7351945654517, 0.276065432939524, 2.62911649987187, 2),
        (2, 4.83582430779836, -0.685186598864122, 3.9925, 1),
        (5, 10.6551080847084, 4.34472473625806, 10.6291164998719, 2),
        (7.5, 14.6067221510872, 3.46583597298097, 14.5423441559254, 2.70710678118655),
        (10, 19.9932565102053, 1.08296703247469, 19.9925, 1),
    ]
    motion = m.simulate((0, 10), method="moreau", max_step=h)
    assert worst(motion, rows, ["drop.x", "drop.x'", "plane.x", "plane.x'"]) < 1e-11


def two_contacts_of_two_freedoms(seed, slip_bounces):
    """A contact with friction and a stop on a machine of two freedoms, both approaching: three rows of rank two."""
    draw = np.random.default_rng(seed)
    rows, v = draw.normal(size=(3, 2)), draw.normal(size=2)
    rows[[0, 2]] *= -np.sign(rows[[0, 2]] @ v)[:, None]
    e = np.array([0.5, 0.5 if slip_bounces else 0.0, 0.5])
    return Frictional(rows @ rows.T, rows @ v + e * (rows @ v), np.array([0.8, 0.0]), (1, 0))


@pytest.mark.parametrize("slip_bounces", [True, False])
def test_impulses_of_dependent_rows_obey_the_law_or_are_refused_in_time(slip_bounces):
    """Restitution of slip makes the rates those of a motion, and impulses exist; without it they may contradict."""
    refused, began = 0, time.process_time()
    for seed in range(25):
        problem = two_contacts_of_two_freedoms(seed, slip_bounces)
        found = impulses(problem)
        if isinstance(found, str):
            refused += 1
            assert "MoreauJean(tangential=e)" in found
            continue
        rates = problem.matrix @ found + problem.right
        size = np.abs(problem.right).max()
        assert min(found[0], found[2]) >= 0
        assert min(rates[0], rates[2]) > -1e-6 * size
        assert max(abs(found[0] * rates[0]), abs(found[2] * rates[2])) < 1e-6 * size * np.abs(found).max()
        assert abs(found[1]) <= 0.8 * found[0] * (1 + 1e-6) + 1e-9
        if abs(rates[1]) > 1e-6 * size:  # it slips, and friction is all there is, against the slip
            assert found[1] == pytest.approx(-0.8 * found[0] * np.sign(rates[1]), rel=1e-6, abs=1e-6)
    assert (refused == 0) == slip_bounces
    assert time.process_time() - began < 1 + 5 * refused
