"""Worked cases of Dazord (1994), Marle, and the classics of nonholonomic and servo-constrained mechanics.

Numbers were derived by hand and integrated apart from this package; accelerations to 1e-8, motions to 1e-7.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of

G = 9.81
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def told(m: da.Mechanism, state: dict[str, float], *outputs: str, t: float = 0.0) -> list[float]:
    """Accelerations in the order of the speeds, then outputs, at a state; what is not named is zero."""
    about = dynamics_of(m.layout())
    values = {ex.symbol(x): 0.0 for x in about.state.names} | {ex.TIME: t}
    values |= {ex.symbol(x): v for x, v in {**m.given, **state}.items()}
    asked = [*about.accelerations(), *about.solved([about.outputs[name] for name in outputs])]
    return [float(x) for x in ex.evaluate(asked, values)]


def plane_body(name: str, mass: float, inertia: float, ahead: float = 0.0, gravity=(0, 0, 0)) -> da.Mechanism:
    """A body in the plane: p.x, p.y, p.th."""
    m = da.Mechanism(name)
    m.join(da.earth, m.body("b", mass=mass, centre=[ahead, 0, 0], inertia=[inertia] * 3), da.planar(), name="p")
    m.gravity = gravity
    return m


def balanced(mo) -> None:
    energy, work = mo.energy(), mo.work()
    assert np.abs(energy - energy[0] - work).max() < 1e-9 * max(1.0, np.abs(energy).max())


def test_sperry_roll_stabiliser():
    """A gyroscope whose frame a motor turns as the ship rolls; ph is the rotor in its frame."""
    m = da.Mechanism("Sperry")
    ship = m.body("ship", inertia=[10, 10, 10])
    frame = m.body("frame", inertia=[0, 0, 0])
    rotor = m.body("rotor", inertia=[1.2, 1.2, 0.8])
    m.join(da.earth, ship, da.revolute("x").with_efforts(th="-6*sin(th)"), name="roll")
    # rotor axis (sin al, 0, cos al) in the ship: turn about y by al
    m.join(ship, frame, da.revolute("y"), name="tilt")
    m.join(frame, rotor, da.revolute("z"), name="spin")
    m.drive("tilt.th'", "1.5*roll.th' + 0.6*roll.th", name="law")
    state = {"tilt.th": 0.1, "roll.th": 0.2, "roll.th'": 0.3, "tilt.th'": 0.57, "spin.th'": 20}
    roll, tilt, spin, weight, power = told(m, state, "law.lambda", "law.power")
    assert (tilt, roll, spin) == pytest.approx((-1.192797566, -0.9151983776, -0.07877833132), rel=1e-8)
    assert (weight, power) == pytest.approx((-6.203801025, -3.536166584), rel=1e-8)
    start = {"tilt.th": 0.1, "roll.th": 0.2, "roll.th'": 0.3, "spin.th'": 20}
    mo = m.simulate((0, 5), start=start, t_eval=[0, 1, 5], **EXACT)
    assert mo["tilt.th"][1:] == pytest.approx([0.295175067, 0.1176533908], rel=1e-7)
    assert mo["roll.th"][1:] == pytest.approx([0.2310296511, 0.001997438267], rel=1e-6)
    assert mo["spin.th"][1:] == pytest.approx([20.02867038, 100.1984749], rel=1e-8)
    balanced(mo)


def test_skater_one():
    """A blade, and arms that are moved by a law of their own angle."""
    m = da.Mechanism("skater")
    legs = m.body("legs", mass=60, inertia=[1.5] * 3)
    arms = m.body("arms", inertia=[2.5] * 3)
    m.join(da.earth, legs, da.planar(), name="p")
    m.join(legs, arms, da.revolute("z"), name="s")
    m.constrain("p.x'*sin(p.th) - p.y'*cos(p.th) = 0", name="blade")
    m.drive("s.th'", "0.8 + 0.3*sin(s.th)", name="arms_move")
    v = {"p.th": 0.3, "s.th": 0.1, "p.x'": 2 * np.cos(0.3), "p.y'": 2 * np.sin(0.3), "p.th'": 0.25}
    v["s.th'"] = 0.8 + 0.3 * np.sin(0.1)
    found = told(m, v, "blade.lambda", "arms_move.lambda", "arms_move.power")
    wanted = [-0.1477601033, 0.4776682446, -0.1548381997, 0.2477411196, -30, 0.2322572996, 0.1927619516]
    assert found == pytest.approx(wanted, rel=1e-8)
    start = {x: v[x] for x in ("p.th", "s.th", "p.x'", "p.th'")}
    mo = m.simulate((0, 4), start=start, t_eval=[0, 1, 4], **EXACT)
    names = ("p.x", "p.y", "p.th", "s.th")
    assert [mo[x][1] for x in names] == pytest.approx([1.840560518, 0.7760786782, 0.4734361099, 1.052452249], rel=1e-7)
    assert [mo[x][2] for x in names] == pytest.approx([6.421818386, 4.516159724, 1.068701563, 3.789877599], rel=1e-7)
    balanced(mo)


def test_skater_two_is_active_without_power():
    m = plane_body("skater", 60, 1.8)
    m.constrain(
        "p.x'*sin(p.th) - p.y'*cos(p.th) = 0",
        "p.th' = (0.2 + 0.1*sin(2*t))*(p.x'*cos(p.th) + p.y'*sin(p.th))",
        name="skate",
    )
    v = {"p.th": 0.3, "p.x'": 3 * np.cos(0.3), "p.y'": 3 * np.sin(0.3), "p.th'": 0.6}
    found = told(m, v, "skate.lambda1", "skate.lambda2")
    assert found == pytest.approx([-0.5353714612, 1.718543083, 0.599280863, -108, 1.078705553], rel=1e-8)
    mo = m.simulate((0, 5), start={"p.th": 0.3, "p.x'": v["p.x'"]}, t_eval=[0, 1, 5], **EXACT)
    assert [mo[x][2] for x in ("p.x", "p.y", "p.th")] == pytest.approx([-3.63106541, 9.078315501, 3.57485843], rel=1e-7)
    assert mo.energy() == pytest.approx([270.324] * 3, rel=1e-10)


def test_a_child_on_a_swing():
    """The length of a pendulum as a law of time pumps it; the same law of its angle pumps nothing."""
    m = da.Mechanism("swing")
    rope, child = m.body("rope"), m.body("child", mass=30)
    m.join(da.earth, rope, da.revolute("x"), name="a")
    m.join(rope, child, da.prismatic("-z", coordinate="l"), name="r")
    m.gravity = [0, 0, -G]
    m.drive("r.l", "2.5 + 0.15*sin(2*w0*t)", name="legs")
    w0 = np.sqrt(G / 2.5)
    m.given = {"w0": float(w0)}
    v = {"a.th": 0.1, "r.l": 2.5, "r.l'": float(0.3 * w0)}
    found = told(m, v, "legs.lambda", "legs.power")
    assert (found[0], found[2], found[3]) == pytest.approx((-0.3917463269, -292.8297258, -174.0207015), rel=1e-8)
    end = 10 * np.pi / w0
    mo = m.simulate((0, end), start={"a.th": 0.1}, t_eval=[0, 1, end], **EXACT)
    assert mo["a.th"][1:] == pytest.approx([-0.0420260762, 0.4132051779], rel=1e-7)
    assert mo["a.th'"][1:] == pytest.approx([-0.2149968657, 0.02670018013], rel=1e-6)
    balanced(mo)


def test_a_car_with_its_front_wheels_turned_by_time():
    m = plane_body("car", 1200, 1800, 1.2)
    m.force(m.bodies["b"], [800, 0, 0], base="b")
    m.constrain("-p.x'*sin(p.th) + p.y'*cos(p.th) = 0", name="rear")
    m.constrain(
        "-p.x'*sin(p.th + 0.2*sin(t)) + p.y'*cos(p.th + 0.2*sin(t)) + 2.6*p.th'*cos(0.2*sin(t)) = 0", name="front"
    )
    start = {"p.x'": 5.0}
    mo = m.simulate((0, 5), start=start, t_eval=[0, 2, 5], **EXACT)
    assert [mo[x][1] for x in ("p.x", "p.y", "p.th")] == pytest.approx(
        [10.7031549, 2.715017542, 0.6358758869], rel=1e-7
    )
    assert [mo[x][2] for x in ("p.x", "p.y", "p.th")] == pytest.approx(
        [26.94220871, 16.55067434, 0.154269274], rel=1e-7
    )
    delta = 0.2 * np.sin(1.0)
    v = {"p.th": 0.1, "p.x'": 5 * np.cos(0.1), "p.y'": 5 * np.sin(0.1), "p.th'": 5 * np.tan(delta) / 2.6}
    found = told(m, v, "rear.lambda", "front.lambda", t=1.0)
    assert found == pytest.approx([0.4516526484, 1.687184964, 0.254180631, 1076.71614, 1267.612137], rel=1e-8)


def test_knife_edge_on_an_incline_does_not_drift_down():
    m = plane_body("knife", 1, 0.2, gravity=(G * np.sin(0.3), 0, -G * np.cos(0.3)))
    m.constrain("p.x'*sin(p.th) - p.y'*cos(p.th) = 0", name="edge")
    w = 1.2
    mo = m.simulate((0, 3), start={"p.th'": w}, t_eval=[0, 1, 3], **EXACT)
    k = G * np.sin(0.3) / (2 * w * w)
    assert mo["p.x"] == pytest.approx(k * np.sin(w * mo.t) ** 2, abs=1e-9)
    assert mo["p.y"] == pytest.approx(k * (w * mo.t - np.sin(2 * w * mo.t) / 2), abs=1e-9)
    v = {"p.th": 0.5, "p.x'": 0.3 * np.cos(0.5), "p.y'": 0.3 * np.sin(0.5), "p.th'": w}
    assert told(m, v, "edge.lambda") == pytest.approx([2.060115992, 1.535664309, 0, -1.749880155], abs=1e-8)


def disc(radius: float = 0.5) -> da.Mechanism:
    m = da.Mechanism("disc")
    fork, arm = m.body("fork"), m.body("arm")
    r2 = radius**2
    wheel = m.body("wheel", mass=1, inertia=[r2 / 4, r2 / 2, r2 / 4])
    place = da.composite(
        ["x", "y", "z", "ps"], da.Displacement.of(["x", "y", "z"]), da.Displacement.of([0, 0, 0], da.turn("ps", "z"))
    )
    m.join(da.earth, fork, place, name="c")
    m.join(fork, arm, da.revolute("x"), name="lean")
    m.join(arm, wheel, da.revolute("y"), name="spin")
    m.gravity = [0, 0, -G]
    m.roll(wheel, da.earth, radius=radius, name="road")
    return m


def test_rolling_disc():
    m = disc()
    start = {"c.ps": 0.3, "lean.th": 0.2, "spin.th": 0.1, "c.ps'": 0.7, "lean.th'": 0.1, "spin.th'": 4}
    mo = m.simulate((0, 3), start=start, t_eval=[0, 1, 3], **EXACT)
    assert (mo["c.x'"][0], mo["c.y'"][0]) == pytest.approx((1.991583073, 0.5647745257), rel=1e-9)
    names = ("c.x", "c.y", "c.ps", "lean.th", "spin.th")
    assert [mo[x][1] for x in names] == pytest.approx(
        [1.816717593, -0.7313041398, -1.10756316, 0.2035733314, 5.10346995], rel=1e-7
    )
    assert [mo[x][2] for x in ("c.x", "c.y", "lean.th")] == pytest.approx(
        [-0.3521677897, -2.975161956, 0.2608261236], rel=1e-6
    )
    assert mo.energy() == pytest.approx([8.035726245] * 3, rel=1e-9)
    assert mo.quality.closure < 1e-10


def test_a_rolling_disc_stands_above_its_critical_spin():
    """Straight rolling is stable iff ph'^2 > g/(3 r)."""
    critical = np.sqrt(G / 1.5)
    for factor, stable in ((0.99, False), (1.01, True)):
        found = disc().linearize({"lean.th": 0, "spin.th'": float(factor * critical)}).eigenvalues()
        assert (found.real.max() < 1e-2) == stable  # zeros that are defective come out as roots of rounding


def test_a_start_far_from_the_plane_falls_on_it_along_the_slides():
    mo = disc().simulate((0, 0.1), start={"lean.th": 1e-4, "spin.th'": 2.6})
    assert (mo["lean.th"][0], mo["c.z"][0]) == pytest.approx((1e-4, 0.5), rel=1e-8)


def test_atwood_and_a_pulley_block():
    m = da.Mechanism("Atwood")
    for name, mass in (("a", 3), ("b", 2)):
        m.join(da.earth, m.body(name, mass=mass), da.prismatic("-z"), name=name)
    m.join(da.earth, m.body("pulley", inertia=[0.05] * 3), da.revolute("y"), name="p")
    m.gravity = [0, 0, -G]
    m.constrain("a.x = 0.1*p.th", name="left")
    m.constrain("b.x = -0.1*p.th", name="right")
    found = told(m, {}, "left.lambda", "right.lambda")
    assert found == pytest.approx([0.981, -0.981, 9.81, -26.487, -21.582], rel=1e-9)
    m = da.Mechanism("block")
    for name, mass in (("a", 1), ("b", 3.5)):
        m.join(da.earth, m.body(name, mass=mass), da.prismatic("-z"), name=name)
    m.gravity = [0, 0, -G]
    m.constrain("a.x + 2*b.x = 5", name="rope")
    assert told(m, {}, "rope.lambda") == pytest.approx([-3.924, 1.962, -13.734], rel=1e-9)


def test_a_rope_over_points_of_frames_is_a_pulley():
    m = da.Mechanism("rope")
    for name, mass, side in (("a", 3, 0.0), ("b", 2, 1.0)):
        m.join(da.earth.at([side, 0, 0]), m.body(name, mass=mass), da.prismatic("-z"), name=name)
    m.gravity = [0, 0, -G]
    left, right = m.frame("left", da.earth.at([0, 0, 2])), m.frame("right", da.earth.at([1, 0, 2]))
    m.rope([m.bodies["a"], left, right, m.bodies["b"]], 7, name="line")
    found = told(m, {"a.x": 1, "b.x": 1}, "line.lambda")
    assert found == pytest.approx([G / 5, -G / 5, -(3 * G - 3 * G / 5)], rel=1e-9)


def planetary(planets: int) -> da.Mechanism:
    m = da.Mechanism("planetary")
    extra = 3 * 0.1 * 0.05**2
    parts = {"sun": 1e-4, "carrier": 5e-4 + extra, "ring": 1e-3}
    parts |= {f"planet{k}": 2e-5 * 3 / planets for k in range(planets)}
    for name, inertia in parts.items():
        m.join(da.earth, m.body(name, inertia=[inertia] * 3), da.revolute("z"), name=name)
    m.torque("sun", [0, 0, 2])
    m.torque("carrier", [0, 0, -3])
    for k in range(planets):
        m.planetary("sun.th", "carrier.th", "ring.th", [0.03, 0.07], f"planet{k}.th", name=f"mesh{k}")
    m.constrain("ring.th = 0", name="held")
    return m


def test_planetary_gear():
    m = planetary(1)
    found = told(m, {}, "mesh0.lambda1", "mesh0.lambda2", "held.lambda")
    wanted = [4467.005076, 1340.101523, 0, -3350.253807, -51.77664975, -41.72588832, 2.920812183]
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-7)


def test_three_planets_are_redundant_and_move_alike():
    """Seven rows of rank five: the same accelerations; the sums of tooth forces are determined, each is not."""
    with pytest.warns(UserWarning, match="is not determined by the mechanics"):
        found = told(planetary(3), {}, *(f"mesh{k}.lambda{i}" for k in range(3) for i in (1, 2)))
    assert found[:6] == pytest.approx([4467.005076, 1340.101523, 0, *[-3350.253807] * 3], rel=1e-8, abs=1e-7)
    assert sum(found[6::2]) == pytest.approx(-51.77664975, rel=1e-8)
    assert sum(found[7::2]) == pytest.approx(-41.72588832, rel=1e-8)


def test_cam_and_follower():
    m = da.Mechanism("cam")
    m.join(da.earth, m.body("cam", inertia=[1, 1, 1]), da.revolute("y"), name="shaft")
    m.join(da.earth, m.body("follower", mass=0.3), da.prismatic("z").with_efforts(x="-2000*x - 10"), name="rod")
    m.gravity = [0, 0, -G]
    m.cam("rod.x", "0.01*(1 - cos(shaft.th))", name="contact")
    m.drive("shaft.th'", 30, name="motor")
    y, dy = 0.01 * (1 - np.cos(0.8)), 0.3 * np.sin(0.8)
    found = told(
        m, {"shaft.th": 0.8, "shaft.th'": 30, "rod.x": y, "rod.x'": dy}, "contact.lambda", "motor.lambda", "motor.power"
    )
    assert found[1:] == pytest.approx([6.270360384, 20.88997393, 0.1498555004, 4.495665011], rel=1e-8)


def test_snakeboard():
    m = da.Mechanism("snakeboard")
    board = m.body("board", mass=6, inertia=[0.1654] * 3)
    rotor = m.body("rotor", inertia=[0.072] * 3)
    m.join(da.earth, board, da.planar(), name="p")
    m.join(board, rotor, da.revolute("z"), name="ps")
    back, front = (m.body(x, inertia=[0.0013] * 3) for x in ("back", "front"))
    m.join(board, back, da.revolute("z"), name="ph")
    m.join(board, front, da.revolute("z"), name="qh")
    m.gear("ph.th", "qh.th", 1, name="mirror")
    m.constrain("-p.x'*sin(p.th + ph.th) + p.y'*cos(p.th + ph.th) - 0.2*p.th'*cos(ph.th) = 0", name="rear")
    m.constrain("-p.x'*sin(p.th - ph.th) + p.y'*cos(p.th - ph.th) + 0.2*p.th'*cos(ph.th) = 0", name="fore")
    m.drive("ps.th", "0.7*sin(2*t)", name="a")
    m.drive("ph.th", "0.3*sin(2*t)", name="b")
    mo = m.simulate((0.4, 1.2), start={"p.x": 0, "p.y": 0, "p.th": 0, "p.th'": 0}, t_eval=[0.4, 0.7, 1.2], **EXACT)
    names = ("p.x", "p.y", "p.th")
    assert [mo[x][1] for x in names] == pytest.approx([-0.001507591656, -1.570237469e-06, 0.002153696924], rel=1e-6)
    assert [mo[x][2] for x in names] == pytest.approx([-0.01264675142, -0.0001155029465, 0.01727954346], rel=1e-7)
    assert (mo["rear.lambda"][0], mo["fore.lambda"][0]) == pytest.approx((0.3532073822, -0.3532073822), rel=1e-8)
    assert (mo["a.lambda"][0], mo["b.lambda"][0]) == pytest.approx((-0.1426404533, -0.002238151004), rel=1e-8)


def free_ball(mass: float, inertia, chart="quaternion") -> da.Mechanism:
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=mass, inertia=inertia), da.free(chart), name="f")
    m.gravity = [0, 0, -G]
    return m


def test_a_sphere_on_a_rotating_plate_runs_in_circles():
    m = free_ball(0.5, [0.4 * 0.5 * 0.01] * 3)
    plate = m.body("plate", inertia=[1, 1, 1])
    m.join(da.earth, plate, da.revolute("z"), name="turn")
    m.drive("turn.th'", 2, name="motor")
    m.roll(m.bodies["ball"], plate, radii=[0.1, 0.1, 0.1], name="road")
    start = {"f.x": 0.3, "f.y": 0.1, "f.x'": 0.2, "f.y'": -0.1, "f.wz": 4.0}
    mo = m.simulate((0, 3), start=start, t_eval=[0, 3], **EXACT)
    assert [mo[x][0] for x in ("ball.WX", "ball.WY", "ball.WZ")] == pytest.approx([7, 4, 4], rel=1e-9)
    assert (mo["motor.lambda"][0], mo["motor.power"][0]) == pytest.approx((0.01428571429, 0.02857142857), rel=1e-8)
    assert (mo["f.x"][1], mo["f.y"][1]) == pytest.approx((0.8464276305, 0.3268475933), rel=1e-7)
    assert [mo[x][1] for x in ("ball.WX", "ball.WY", "ball.WZ")] == pytest.approx(
        [14.80610901, 7.240679905, 4], rel=1e-7
    )


@pytest.mark.slow
def test_an_ellipsoid_on_a_rotating_plate():
    a, b, c = 0.3, 0.2, 0.15
    m = free_ball(2, [2 / 5 * (b * b + c * c), 2 / 5 * (a * a + c * c), 2 / 5 * (a * a + b * b)], "bryant")
    plate = m.body("plate", inertia=[1, 1, 1])
    m.join(da.earth, plate, da.revolute("z"), name="turn")
    m.drive("turn.th'", 1.5, name="motor")
    m.roll(m.bodies["ball"], plate, radii=[a, b, c], name="road")
    start = {"f.x": 0.2, "f.y": 0.1, "f.al": 0.2, "f.be": -0.1, "f.ga": 0.4}
    for name, value in zip(("x", "y", "z"), (0.5, -0.3, 1.0), strict=True):
        m.constrain(f"omega(ball, {name}) = {value}", name=f"w{name}")
    probe = m.simulate((0, 1e-9), start=start)
    fresh = da.loads(
        "\n".join(line for line in m.to_lsd().splitlines() if "omega(ball, " not in line or "as road" in line)
    )
    state = {x: float(probe[x][0]) for x in probe.names}
    assert state["f.z"] == pytest.approx(0.1573556941, rel=1e-9)
    mo = fresh.simulate((0, 1), start=state, t_eval=[0, 1], **EXACT)
    assert [mo[f"ball.{x}'"][0] for x in "XYZ"] == pytest.approx([-0.1768180167, 0.1915222262, 0.03826864764], rel=1e-8)
    assert [mo[f"ball.{x}''"][0] for x in "XYZ"] == pytest.approx([1.608741951, 1.184862305, -0.9832425227], rel=1e-8)
    assert mo["motor.power"][0] == pytest.approx(0.2132427985, rel=1e-8)
    assert [mo[f"ball.{x}"][1] for x in "XYZ"] == pytest.approx([-0.1624780921, 0.2532426521, 0.1588603262], rel=1e-7)


def test_a_passive_perfect_constraint_has_no_power():
    mo = disc().simulate((0, 1), start={"lean.th": 0.2, "spin.th'": 4})
    assert np.abs(mo["road.power"]).max() == np.abs(mo["road_contact.power"]).max() == 0.0


def test_a_billiard_ball_slides_until_it_rolls():
    """Dazord 7.3: friction against the slip V = v - a w x e3; I w - a m v x e3 is constant."""
    mass, a = 0.17, 0.0286
    inertia = 0.4 * mass * a * a
    m = free_ball(mass, [inertia] * 3)
    slip = (f"ball.X' - {a}*omega(ball, y)", f"ball.Y' + {a}*omega(ball, x)")
    m.constrain(f"ball.Z = {a}", by=da.coulomb(0.2, *slip), name="table")
    start = {"f.x'": 2, "f.y'": 0.5, "f.wx": 10, "f.wy": -5, "f.wz": 30}
    end = 0.3324007732
    mo = m.simulate((0, 0.999 * end), start=start, t_eval=[0, 0.999 * end], **EXACT)
    assert [mo[f"ball.{x}''"][0] for x in "XY"] == pytest.approx([-1.842010499, -0.6756044109], rel=1e-8)
    assert mo["table.power"][0] == pytest.approx(-0.7613371064, rel=1e-8)
    spin = [mo[f"ball.{x}"][0] for x in ("WX", "WY", "WZ")]
    v = [mo[f"ball.{x}'"][0] for x in "XYZ"]
    kept = inertia * np.array(spin) - a * mass * np.cross(v, [0, 0, 1])
    assert kept == pytest.approx([-0.0018747872, 0.0094458936, 0.0016686384], rel=1e-8)
    spin, v = [mo[f"ball.{x}"][1] for x in ("WX", "WY", "WZ")], [mo[f"ball.{x}'"][1] for x in "XYZ"]
    assert inertia * np.array(spin) - a * mass * np.cross(v, [0, 0, 1]) == pytest.approx(kept, rel=1e-7)
    balanced(mo)
    with pytest.raises(da.SimulationError, match="'table' no longer slides"):
        m.simulate((0, 1), start=start)


@pytest.mark.slow
def test_a_rattleback_reverses_its_spin():
    """Kane and Levinson (1982) as quoted later: ellipsoid 0.2, 0.03, 0.02; mass centre 0.01 below its centre."""
    m = da.Mechanism("rattleback")
    inertia = [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]
    stone = m.body("stone", mass=1, centre=[0, 0, -0.01], inertia=inertia)
    m.join(da.earth, stone, da.free("bryant", "body"), name="f")
    m.gravity = [0, 0, -G]
    m.roll(stone, da.earth, radii=[0.2, 0.03, 0.02], name="table")
    angle = np.deg2rad(0.5)
    for spin, wanted in (
        (-5.0, [-5.075802882, -3.968432521, -3.117543537]),
        (5.0, [5.217041593, 5.27486978, 5.23933971]),
    ):
        start = {"f.al": angle, "f.be": angle, "f.ga": 0, "f.wx": 0, "f.wy": 0, "f.wz": spin}
        mo = m.simulate((0, 1), start=start, t_eval=[0, 0.2, 0.5, 1], **EXACT)
        assert mo["f.wz"][1:] == pytest.approx(wanted, rel=1e-6)
        assert mo.energy() == pytest.approx([0.1238853137] * 4, abs=1e-7)


def test_a_falling_cat_of_three_rods():
    """Zero momentum, two hinges driven round a loop: at t = 0 and after half a turn."""
    m = da.Mechanism("cat")
    middle, rear, front = (m.body(x, mass=1, inertia=[1 / 12] * 3) for x in ("middle", "rear", "front"))
    m.join(da.earth, middle, da.planar(), name="p")
    m.join(middle.at([-0.5, 0, 0]), rear.at([0.5, 0, 0]), da.revolute("z"), name="s1")
    m.join(middle.at([0.5, 0, 0]), front.at([-0.5, 0, 0]), da.revolute("z"), name="s2")
    m.drive("s1.th", "0.5 + 0.8*cos(pi*t)", name="d1")
    m.drive("s2.th", "-0.3 + 0.8*sin(pi*t)", name="d2")
    mo = m.simulate((0, 2), start=momentum_free(m), t_eval=[0, 0.5, 2], **EXACT)
    assert mo["p.th"][1:] == pytest.approx([-0.04200418123, -0.04254006406], abs=1e-7)
    assert mo["p.th''"][0] == pytest.approx(1.219869095, rel=1e-7)
    assert (mo["d1.lambda"][0], mo["d2.lambda"][0]) == pytest.approx((-1.197427363, 0.5303060025), rel=1e-7)
    assert (mo["d1.power"][0], mo["d2.power"][0]) == pytest.approx((0, 1.332804353), abs=1e-7)


def momentum_free(m: da.Mechanism) -> dict[str, float]:
    """A start of a machine in the plane without momentum: speeds of the first body follow from those of its drives."""
    about = dynamics_of(m.layout())
    f = m.compile()
    base = f.start({"p.x'": 0, "p.y'": 0, "p.th'": 0}).values
    values = {ex.symbol(x): v for x, v in base.items()}
    n = len(about.speeds)
    mass = np.array(ex.evaluate(list(about.mass_matrix.entries), values)).reshape(n, n)
    u = np.array([base[x] for x in about.state.speeds])
    own = [about.state.speeds.index(x) for x in ("p.x'", "p.y'", "p.th'")]
    rest = [k for k in range(n) if k not in own]
    u[own] = -np.linalg.solve(mass[np.ix_(own, own)], mass[np.ix_(own, rest)] @ u[rest])
    return {about.state.speeds[k]: float(u[k]) for k in own}


def test_a_block_slides_on_three_points():
    """Three conditions and three reactions: each contact carries its own normal force, friction brakes them alike."""
    m = da.Mechanism("block")
    block = m.body("block", mass=4, centre=[0, 0, 0.15], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, block, da.free("bryant", "rates"), name="f")
    m.gravity = [0, 0, -G]
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.0)), 1):
        m.frame(f"p{k}", block.at([x, y, 0]))
        m.constrain(f"pos(p{k}, z) = 0", by=da.coulomb(0.3, f"vel(p{k}, x)", f"vel(p{k}, y)"), name=f"c{k}")
    found = told(m, {"f.x'": 1.0}, "c1.lambda", "c2.lambda", "c3.lambda")
    assert found == pytest.approx([-2.943, 0, 0, 0, 0, 0, 12.01725, 12.01725, 15.2055], abs=1e-9)


@pytest.mark.parametrize(
    "law", ["d1.th = d2.th", "d1.th' = d2.th'", "rate(d1.th - d2.th) = 0", "2*d1.th - 2*d2.th = 0"]
)
def test_a_servo_moves_alike_however_its_law_is_written(law):
    """Results depend on rows and reactions only, never on the writing (Dazord 7.1)."""
    m = da.Mechanism("discs")
    m.join(da.earth, m.body("a", inertia=[1, 1, 2]), da.revolute("z").with_efforts(th="-5*th"), name="d1")
    m.join(da.earth, m.body("b", inertia=[2, 2, 3]), da.revolute("z"), name="d2")
    m.constrain(law, by="d2.th", name="servo")
    start = {"d1.th": 0.3, "d1.th'": 0.4, "d2.th": 0.3}
    mo = m.simulate((0, 5), start=start, t_eval=[0, 5], **EXACT)
    assert (mo["d1.th"][1], mo["d1.th'"][1]) == pytest.approx((0.2371371862, -0.4943833404), rel=1e-7)
