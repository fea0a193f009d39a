"""Dry friction on a contact that is kept: it slides, stops, sticks, breaks loose, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

G = 9.81
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def block(slip="x.x'", friction=0.3, slope=0.0, mass=2.0):
    """A block on a straight rail that may lie on a slope, pushed against it or pulled off by gravity."""
    m = da.Mechanism("block")
    cart, b = m.body("cart", mass=0), m.body("b", mass=mass)
    m.join(da.earth, cart, da.prismatic("x"), name="x")
    m.join(cart, b, da.prismatic("z"), name="z")
    m.gravity = [G * np.sin(slope), 0, -G * np.cos(slope)]
    m.constrain("z.x = 0", by=da.coulomb(friction, slip), name="rail")
    return m


def balanced(mo, share=1e-8):
    energy = mo.energy()
    assert np.abs(energy - energy[0] - mo.work()).max() < share * max(np.ptp(energy), abs(mo.work()).max())


@pytest.mark.parametrize("side", [1, -1])
def test_a_block_on_a_spring_loses_the_same_amplitude_in_every_swing_and_stays(side):
    """2 mu m g / k less in every swing, until the spring is weaker than friction; rail above or below."""
    m, k = block(), 50.0
    m.gravity = [0, 0, -side * G]
    m.force(m.bodies["b"], [f"-{k}*x.x", 0, 0])
    mo = m.simulate((0, 6), start={"x.x": 1.0}, **EXACT)
    swing, lost = np.pi / np.sqrt(k / 2), 2 * 0.3 * 2 * G / k
    assert mo.events["rail.stops"] == pytest.approx(swing * np.arange(1, 5), rel=1e-8)
    assert len(mo.arcs) == 5
    assert len(mo.events["rail.breaks"]) == 0
    assert mo["x.x"][-1] == pytest.approx(1 - 4 * lost, abs=1e-9)
    assert mo["rail.friction"][-1] == pytest.approx(k * (1 - 4 * lost), rel=1e-8)
    assert mo["rail.lambda"] == pytest.approx(side * 2 * G, rel=1e-9)
    turn = len(mo.arcs[0].t)
    assert mo["rail.friction"][turn - 1 : turn + 1] == pytest.approx([5.886, -5.886], rel=1e-8)  # both sides of a jump
    assert mo.jumps[0].switched["rail.way"] == 1
    assert mo["rail.sticks"][[0, -1]].tolist() == [0, 1]
    balanced(mo)


def test_a_block_on_a_belt_sticks_and_slips():
    """It swings about mu m g / k, sticks when it is as fast as the belt, and breaks loose where the spring wins."""
    k, v, a = 50.0, 0.4, 0.15
    m = block("x.x' - 0.4")
    m.force(m.bodies["b"], [f"-{k}*x.x", 0, 0])
    w, centre = np.sqrt(k / 2), 0.3 * 2 * G / k
    stick = (np.pi + np.arcsin(v / (a * w))) / w
    place = centre - a * np.sqrt(1 - (v / (a * w)) ** 2)
    loose = stick + (centre - place) / v
    end = loose + 2.7 * np.pi / w
    mo = m.simulate((0, end), start={"x.x": centre + a}, **EXACT)
    assert mo.events["rail.stops"][0] == pytest.approx(stick, abs=1e-9)
    assert mo.events["rail.breaks"][0] == pytest.approx(loose, abs=1e-9)
    held = np.linspace(stick, loose, 7)[1:-1]
    assert mo.at(held)["x.x"] == pytest.approx(place + v * (held - stick), abs=1e-9)
    assert mo.at(held)["rail.friction"] == pytest.approx(k * (place + v * (held - stick)), abs=1e-7)
    later = np.linspace(loose, end, 9)
    assert mo.at(later)["x.x"] == pytest.approx(centre + v / w * np.sin(w * (later - loose)), abs=1e-7)
    balanced(mo)


def test_at_the_angle_of_friction_a_block_stays_or_leaves():
    """0.999 of the angle: still for a long time, without creep; 1.001: the acceleration of the difference."""
    angle = np.arctan(0.3)
    mo = block(slope=0.999 * angle).simulate((0, 10_000))
    assert np.abs(mo["x.x"]).max() < 1e-13
    assert mo["rail.sticks"].all()
    assert mo["rail.friction"][-1] == pytest.approx(-2 * G * np.sin(0.999 * angle), rel=1e-12)
    steep = 1.001 * angle
    mo = block(slope=steep).simulate((0, 10))
    wanted = G * (np.sin(steep) - 0.3 * np.cos(steep))
    assert mo["x.x''"] == pytest.approx(wanted, rel=1e-9)
    assert mo["x.x"][-1] == pytest.approx(wanted * 50, rel=1e-8)


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_bead_on_a_turning_hoop(share):
    """At rest it needs g sin th - w^2 r sin th cos th of friction, and g cos th + w^2 r sin^2 th presses."""
    r, w, th = 0.5, 3.0, 0.6
    tangent = G * np.sin(th) - w * w * r * np.sin(th) * np.cos(th)
    normal = G * np.cos(th) + w * w * r * np.sin(th) ** 2
    m = da.Mechanism("hoop")
    hoop, slide, bead = m.body("hoop", inertia=[1, 1, 1]), m.body("slide"), m.body("bead", mass=0.2)
    m.join(da.earth, hoop, da.revolute("z"), name="turn")
    m.join(hoop, slide, da.prismatic("x"), name="x")
    m.join(slide, bead, da.prismatic("z"), name="z")
    m.gravity = [0, 0, -G]
    m.drive("turn.th", f"{w}*t", name="motor")
    friction = tangent / normal / share
    m.constrain(
        f"(x.x**2 + z.x**2)/{2 * r} = {r / 2}", by=da.coulomb(friction, f"(x.x*z.x' - z.x*x.x')/{r}"), name="wire"
    )
    start = {"x.x": r * np.sin(th), "z.x": -r * np.cos(th), "turn.th'": w}
    mo = m.simulate((0, 20 if share < 1 else 0.05), start=start, **EXACT)
    assert mo["wire.sticks"].all() == (share < 1)
    assert np.abs(mo["wire.lambda"][0]) == pytest.approx(0.2 * normal, rel=1e-9)
    assert np.abs(mo["wire.friction"][0]) == pytest.approx(0.2 * tangent * min(1, 1 / share), rel=1e-9)
    if share < 1:
        assert np.ptp(mo["x.x"]) < 1e-12
        assert np.ptp(mo["z.x"]) < 1e-12
    else:
        rate = (mo["x.x''"] * np.cos(th) + mo["z.x''"] * np.sin(th))[0]
        assert rate == pytest.approx(-(tangent - friction * normal), rel=1e-7)


def ball(mass=0.17, a=0.0286, friction=0.2):
    m = da.Mechanism("ball")
    m.join(
        da.earth, m.body("ball", mass=mass, inertia=[0.4 * mass * a * a] * 3), da.free("quaternion", "space"), name="f"
    )
    m.gravity = [0, 0, -G]
    slip = (f"ball.X' - {a}*omega(ball, y)", f"ball.Y' + {a}*omega(ball, x)")
    m.constrain(f"ball.Z = {a}", by=da.coulomb(friction, *slip), name="table")
    return m


def test_a_ball_slides_until_it_rolls_with_five_sevenths_of_its_speed():
    mo = ball().simulate((0, 1), start={"f.x'": 1.4, "f.z": 0.0286}, **EXACT)
    assert mo.events["table.stops"] == pytest.approx([2 * 1.4 / (7 * 0.2 * G)], rel=1e-9)
    assert mo["ball.X'"][-1] == pytest.approx(1.0, abs=1e-9)
    assert np.abs(mo.arcs[-1].y[1]).max() < 1e-12
    assert abs(mo["table.friction"][-1]) < 1e-10
    assert mo["table.friction"][0] == pytest.approx(-0.2 * 0.17 * G, rel=1e-9)
    balanced(mo)


def test_a_billiard_ball_that_spins_slides_until_it_rolls():
    """Dazord 7.3: the direction of the slip is constant, I w - a m v x e3 too; then nothing changes any more."""
    end, start = 0.3324007732, {"f.x'": 2, "f.y'": 0.5, "f.wx": 10, "f.wy": -5, "f.wz": 30}
    mo = ball().simulate((0, end + 1), start=start, **EXACT)
    assert mo.events["table.stops"] == pytest.approx([end], rel=1e-9)
    seen = mo.at([mo.jumps[0].t, end + 1])
    assert [seen[f"ball.{x}"][0] for x in "XY"] == pytest.approx([0.563039424, 0.1288765284], rel=1e-8)
    assert [seen[f"ball.{x}"][1] for x in "XY"] == pytest.approx([1.95075371, 0.4043050998], rel=1e-8)
    for k in (0, 1):
        assert [seen[f"ball.{x}'"][k] for x in "XY"] == pytest.approx([1.387714286, 0.2754285714], rel=1e-8)
        spin = [seen[f"ball.{x}"][k] for x in ("WX", "WY", "WZ")]
        assert spin == pytest.approx([-9.63036963, 48.52147852, 30], rel=1e-8)
    assert mo.kinetic_energy()[[0, -1]] == pytest.approx([0.389755906, 0.2632213846], rel=1e-8)
    assert np.hypot(mo["table.friction"], mo["table.friction2"])[-1] < 1e-9
    balanced(mo)


def test_a_block_thrown_across_a_slope_turns_and_stops_or_slides_down():
    """Two components of slip, against an integration of the same law by SciPy."""
    for friction, slope in ((0.5, 0.3), (0.2, 0.3)):
        m = da.Mechanism("puck")
        a, b, c = m.body("a"), m.body("b"), m.body("puck", mass=1.3)
        m.join(da.earth, a, da.prismatic("x"), name="x")
        m.join(a, b, da.prismatic("y"), name="y")
        m.join(b, c, da.prismatic("z"), name="z")
        m.gravity = [G * np.sin(slope), 0, -G * np.cos(slope)]
        m.constrain("z.x = 0", by=da.coulomb(friction, "x.x'", "y.x'"), name="floor")
        mo = m.simulate((0, 2), start={"x.x'": -1.5, "y.x'": 0.1}, **EXACT)

        def law(t, y, friction=friction, slope=slope):
            v = np.hypot(y[2], y[3])
            drag = friction * G * np.cos(slope) / v
            return [y[2], y[3], G * np.sin(slope) - drag * y[2], -drag * y[3]]

        last = mo.events["floor.stops"][-1] - 1e-6 if friction > slope else 2.0
        wanted = solve_ivp(law, (0, last), [0, 0, -1.5, 0.1], rtol=1e-11, atol=1e-13, method="DOP853").y[:, -1]
        state = mo.state(last)
        assert [state[x] for x in ("x.x", "y.x", "x.x'", "y.x'")] == pytest.approx(wanted, abs=1e-7)
        assert mo["floor.sticks"][-1] == (friction > slope)
        force = np.hypot(mo["floor.friction"], mo["floor.friction2"])
        assert force[0] == pytest.approx(friction * 1.3 * G * np.cos(slope), rel=1e-9)
        balanced(mo)


def test_a_puck_thrown_straight_up_a_slope_comes_back_or_stays():
    for friction, stays in ((0.5, True), (0.2, False)):
        m = da.Mechanism("puck")
        a, b, c = m.body("a"), m.body("b"), m.body("puck", mass=1.3)
        m.join(da.earth, a, da.prismatic("x"), name="x")
        m.join(a, b, da.prismatic("y"), name="y")
        m.join(b, c, da.prismatic("z"), name="z")
        m.gravity = [G * np.sin(0.3) * np.cos(0.4), G * np.sin(0.3) * np.sin(0.4), -G * np.cos(0.3)]
        m.constrain("z.x = 0", by=da.coulomb(friction, "x.x'", "y.x'"), name="floor")
        up = np.array([-np.cos(0.4), -np.sin(0.4)])
        mo = m.simulate((0, 1), start={"x.x'": up[0], "y.x'": up[1]}, **EXACT)
        slow, fast = (G * (np.sin(0.3) + s * friction * np.cos(0.3)) for s in (-1, 1))
        left = 1 - 1 / fast
        far = 1 / (2 * fast) - (0 if stays else slow * left**2 / 2)
        assert [mo["x.x"][-1], mo["y.x"][-1]] == pytest.approx(far * up, abs=1e-9)
        assert mo["floor.sticks"][-1] == stays


def test_a_kick_starts_the_slip_and_less_friction_lets_go():
    m = block(friction="mu")
    m.given = {"mu": 0.3}
    kick = da.Event("t - 1", then={"x.x'": 0.7}, name="kick")
    mo = m.simulate((0, 2), events=[kick], **EXACT)
    assert mo["x.x"][-1] == pytest.approx(0.7**2 / (2 * 0.3 * G), rel=1e-8)
    assert [arc.parameters["rail.sticks"] for arc in mo.arcs] == [1, 0, 1]
    turned = m.simulate((0, 1), start={"x.x'": 4}, events=[da.Event("t - 0.5", then={"x.x'": "-x.x'"})], **EXACT)
    left = 4 - 0.3 * G * 0.5
    assert turned["x.x'"][-1] == pytest.approx(-(left - 0.3 * G * 0.5), rel=1e-8)
    sloped = block(friction="mu", slope=0.2)
    sloped.given = {"mu": 0.3}
    mo = sloped.simulate((0, 2), events=[da.Event("t - 1", then={"mu": 0.1})], **EXACT)
    assert mo["x.x"][-1] == pytest.approx(G * (np.sin(0.2) - 0.1 * np.cos(0.2)) / 2, rel=1e-8)


def test_a_push_that_grows_breaks_the_block_loose():
    m = block()
    m.force(m.bodies["b"], ["4*t", 0, 0])
    mo = m.simulate((0, 3), **EXACT)
    loose = 0.3 * 2 * G / 4
    assert mo.events["rail.breaks"] == pytest.approx([loose], rel=1e-9)
    assert mo["x.x"][-1] == pytest.approx((3 - loose) ** 3 / 3, rel=1e-7)


def test_a_motion_that_sticks_is_saved_and_read(tmp_path):
    m = block()
    m.simulate((0, 1), start={"x.x'": 1.0}).save(tmp_path / "m.npz")
    mo = da.Motion.load(tmp_path / "m.npz")
    assert mo["x.x"][-1] == pytest.approx(1 / (2 * 0.3 * G), rel=1e-6)
    assert mo["rail.sticks"][-1] == 1
    assert mo["rail.friction"][0] == pytest.approx(-5.886)


def test_a_press_passes_its_dead_centres_and_stops_in_its_guide():
    """A slider-crank: at a dead centre the slip changes its sign and nothing sticks; at the end friction holds all."""
    m = da.Mechanism("press")
    crank = m.body("crank", mass=1, centre=[0.1, 0, 0], inertia=[0.01] * 3)
    rod = m.body("rod", mass=0.5, centre=[0.3, 0, 0], inertia=[0.02] * 3)
    slider = m.body("slider", mass=0.8, inertia=[0.01] * 3)
    m.join(da.earth, crank, da.revolute("z").with_efforts(th="-0.4*th'"), name="a")
    m.join(crank.at([0.2, 0, 0]), rod, da.revolute("z"), name="b")
    m.join(da.earth, slider, da.planar(), name="p")
    m.join(rod.at([0.6, 0, 0]), slider, da.revolute("z"), name="e")
    m.gravity = [0, -G, 0]
    m.constrain("p.th = 0", name="straight")
    m.constrain("p.y = 0", by=da.coulomb(0.3, "p.x'"), name="guide")
    mo = m.simulate((0, 3), start={"a.th": 0.7, "a.th'": 6.0}, rtol=1e-10, atol=1e-12)
    ways = [arc.parameters["guide.way"] for arc in mo.arcs]
    assert ways == [-1, 1, -1, 0]
    crank_angle, turning = mo["a.th"], mo["a.th'"]
    for k in np.cumsum([len(arc.t) for arc in mo.arcs])[:2]:  # dead centres, or the crank itself turns back
        assert abs(np.sin(crank_angle[k])) < 1e-8 or abs(turning[k]) < 1e-6
    friction, normal = mo["guide.friction"], mo["guide.lambda"]
    assert 0.8 * mo["p.x''"] == pytest.approx(mo["e.Fx"] + friction, abs=1e-10)
    assert mo["e.Fy"] + normal == pytest.approx(0.8 * G, abs=1e-10)
    slides = mo["guide.sticks"] == 0
    assert np.abs(friction[slides]) == pytest.approx(0.3 * np.abs(normal[slides]), rel=1e-9)
    assert (np.abs(friction[~slides]) < 0.3 * np.abs(normal[~slides])).all()
    assert np.ptp(crank_angle[~slides]) < 1e-12
    balanced(mo)


def oscillator(k, push, w, hold, end):
    """Unit mass on a spring with a push and dry friction: arcs by SciPy, from event to event."""
    t, y, mode = 0.0, np.zeros(2), 0.0
    while t < end:

        def force(t, x):
            return push * np.sin(w * t) - k * x

        if mode == 0:

            def over(t, y):
                return abs(force(t, y[0])) - hold

            over.terminal, over.direction = True, 1
            found = solve_ivp(lambda t, y: [0, 0], (t, end), y, events=over, rtol=1e-11, atol=1e-13, max_step=0.02)
            t, y = found.t[-1], found.y[:, -1]
            mode = np.sign(force(t, y[0]))
            continue

        def stop(t, y, mode=mode):
            return mode * y[1]

        stop.terminal, stop.direction = True, -1
        law = lambda t, y, mode=mode: [y[1], force(t, y[0]) - hold * mode]
        found = solve_ivp(law, (t, end), y, events=stop, rtol=1e-11, atol=1e-13, max_step=0.02, method="DOP853")
        t, y = found.t[-1], np.array([found.y[0, -1], 0.0 if found.status == 1 else found.y[1, -1]])
        left = force(t, y[0])
        mode = 0.0 if abs(left) <= hold else np.sign(left)
    return y


@pytest.mark.parametrize("seed", range(4))
def test_random_oscillators_stick_and_slip_as_apart_from_this_package(seed):
    rng = np.random.default_rng(seed)
    k, w = rng.uniform(5, 60), rng.uniform(0.5, 4)
    friction = rng.uniform(0.1, 0.6)
    push = friction * G * rng.uniform(1.1, 3)
    m = block(friction="mu", mass=1)
    m.force(m.bodies["b"], ["push*sin(w*t) - k*x.x", 0, 0])
    m.given = {"mu": friction, "k": k, "w": w, "push": push}
    mo = m.simulate((0, 8), **EXACT)
    wanted = oscillator(k, push, w, friction * G, 8.0)
    assert [mo["x.x"][-1], mo["x.x'"][-1]] == pytest.approx(wanted, abs=1e-7)
    assert len(mo.arcs) > 3
    balanced(mo)


@pytest.mark.parametrize("seed", range(12))
def test_a_force_that_jumps_out_of_the_cone_breaks_the_block_loose_there(seed):
    """Held on either side of the cone before, at any instant, however it is written: x = (F - mu m g) t^2 / 2 m."""
    rng = np.random.default_rng(seed)
    most, instant = 0.3 * 2 * G, round(float(rng.uniform(0.1, 2.5)), int(rng.integers(0, 6)))
    before, after = most * rng.uniform(-0.95, 0.95), most * rng.uniform(1.05, 3) * rng.choice([-1, 1])
    jump = rng.choice(["where(t < {t}, {a}, {b})", "where(t <= {t}, {a}, {b})", "{m} + {h}*sign(t - {t})"])
    m = block()
    named = {"t": repr(instant), "a": before, "b": after, "m": (before + after) / 2, "h": (after - before) / 2}
    m.force(m.bodies["b"], [str(jump).format(**named), 0, 0])
    times = [0, instant / 2, instant, 3] if rng.random() < 0.5 else None
    mo = m.simulate((0, 3), t_eval=times, **EXACT)
    assert len(mo.events["rail.breaks"]) == 1
    pull = (abs(after) - most) * np.sign(after) / 2
    assert mo["x.x"][-1] == pytest.approx(pull * (3 - instant) ** 2 / 2, rel=1e-6)
