"""Event-driven motion through contacts against closed forms and numbers of independent programs."""

import math

import numpy as np
import pytest
from contact_machines import ball, upright

import dalembert as da
from dalembert.errors import ModelError
from dalembert.simulate.contact.mode import Regime

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def test_bouncing_ball_through_its_accumulation_point():
    """F1: closed form."""
    mo = ball().simulate((0, 10))
    times = mo.contacts.times()
    t1, e = math.sqrt(2 / 9.81), 0.9
    exact = [t1 + sum(2 * t1 * e**k for k in range(1, n)) for n in range(1, 60)]
    assert np.abs(times["floor.impact"][:59] - exact).max() < 1e-12
    assert times["floor.accumulation"] == pytest.approx([8.578949178728887], abs=1e-12)
    for t, q, v in [
        (1, 0.7109491443330383, -1.394050855666962),
        (2, 0.01368436228506774, 3.187222181142534),
        (5, 0.1215486548391244, -1.118410033298920),
        (8, 0.001192658722772916, 0.2418777836200921),
        (8.5, 5.565551008992671e-6, -0.04166519580981356),
        (9, 0, 0),
    ]:
        assert np.abs(mo.sol(t) - [q, v]).max() < 1e-12
    assert mo.at([9.0])["floor.force"] == pytest.approx([9.81])
    assert "infinitely many bounces" in mo.message


def test_elastic_ball_keeps_its_energy():
    mo = ball(1.0).simulate((0, 20))
    assert np.abs(mo.energy() - 9.81).max() < 1e-9
    assert len(mo.contacts.impulses("floor")) == 22


def table(e, w, **start):
    m = da.Mechanism("table")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="q")
    m.gravity, m.start = [0, 0, -9.81], start or {"q.x": 0.05}
    m.contact(f"q.x - 0.01*sin({w}*t)", restitution=e, name="table")
    return m


def test_ball_leaves_a_moving_table_and_lands_on_it():
    """F2a."""
    m = table(0, 40)
    mo = m.simulate((0, 0.13), start={"q.x": 0.0, "q.x'": 0.4}, **TIGHT)
    times = mo.contacts.times()
    assert times["table.opens"][0] == pytest.approx(0.0165002578525096, abs=1e-11)
    assert times["table.impact"][0] == pytest.approx(0.1143369789816441, abs=1e-11)
    hit = mo.jumps[1]
    speed = 0.4 * math.cos(40 * hit.t)
    assert hit.before["q.x'"] - speed == pytest.approx(-0.5883984634467724, abs=1e-9)
    assert hit.after["q.x'"] == pytest.approx(speed, abs=1e-12)
    assert mo.contacts.phases[-1].state == "closed"


def test_ball_comes_to_rest_on_a_moving_table_and_leaves_it_again():
    """F2b."""
    mo = table(0.5, 33).simulate((0, 0.23), **TIGHT)
    times = mo.contacts.times()
    exact = [0.1037308149428567, 0.1455366300090499, 0.1658235045438496, 0.1774235452161776, 0.184050622250126]
    assert np.abs(times["table.impact"][:5] - exact).max() < 1e-11
    assert times["table.accumulation"] == pytest.approx([0.1916838806481913], abs=1e-11)
    assert times["table.opens"] == pytest.approx([0.2243895317242153], abs=1e-11)


def slope(share, mu=0.5):
    angle = share * math.atan(mu)
    m = da.Mechanism("slope")
    m.join(da.earth, m.body("block", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="b")
    m.gravity = [9.81 * math.sin(angle), 0, -9.81 * math.cos(angle)]
    m.contact("b.z", friction=mu, slip="b.x'", name="foot")
    return m


def test_a_block_below_the_angle_of_friction_does_not_move_at_all():
    """F3."""
    m = slope(0.999)
    mo = m.simulate((0, 1000))
    assert (mo["b.x"] == 0).all()
    assert (mo["b.z"] == 0).all()
    assert abs(mo["foot.friction"][-1] / mo["foot.force"][-1]) == pytest.approx(0.4994205747717903, abs=1e-13)
    assert mo.contacts.phases[-1].state == "stick"


def test_a_block_above_the_angle_of_friction_slides():
    mo = slope(1.001).simulate((0, 1))
    assert mo["b.x"][-1] == pytest.approx(0.002542623327591811, abs=1e-12)
    assert mo.contacts.phases[-1].state == "slip"


def rocking(b, h, mu):
    m = da.Mechanism("rocking block")
    block = m.body("block", mass=1, inertia=[h * h / 3, (b * b + h * h) / 3, b * b / 3])
    m.join(da.earth, block, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    for name, x in (("left", -b), ("right", b)):
        foot = da.Sphere(block.at([x, 0, -h]))
        m.contact(foot, da.Plane(da.earth), friction=mu, name=name)
    return m


def test_rocking_block():
    """F4: b 0.1, h 0.4 from half its angle; impact times and amplitudes of the exact rocking motion."""
    b, h = 0.1, 0.4
    m = rocking(b, h, 1.0)
    angle = math.atan(b / h) / 2
    # About the right foot (turned by +angle about y): the centre above it.
    x, z = -b * math.cos(angle) + h * math.sin(angle), b * math.sin(angle) + h * math.cos(angle)
    mo = m.simulate((0, 2.3), start={"p.x": x + b, "p.z": z, "p.th": angle}, **TIGHT)
    times = mo.contacts.times()
    hits = sorted([*times["left.impact"], *times["right.impact"]])
    exact = [0.3123085751126223, 0.8205922290826008, 1.251876744461843, 1.625866613309982, 1.954508336441402]
    assert np.abs(np.unique(np.round(hits, 11))[:5] - exact).max() < 1e-10
    first = mo.jumps[0]
    assert abs(first.before["p.th'"]) == pytest.approx(0.8934143073025635, abs=1e-10)
    assert first.after["p.th'"] / first.before["p.th'"] == pytest.approx(0.9117647058823529, abs=1e-11)


def test_rod_slides_down_a_corner_leaves_the_wall_and_falls_flat():
    """F5."""
    m = da.Mechanism("corner")
    rod = m.body("rod", mass=1, inertia=[1 / 12, 1 / 12, 0])
    m.join(da.earth, rod, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    # The rod lies along (-cos a, sin a): a = th, upper end at the wall x = 0.
    m.contact("p.x - cos(p.th)/2", name="wall")
    m.contact("p.z - sin(p.th)/2", name="floor")
    m.contact("p.z + sin(p.th)/2", name="other_end")
    a = math.radians(80)
    mo = m.simulate((0, 0.78), start={"p.x": math.cos(a) / 2, "p.z": math.sin(a) / 2, "p.th": a}, **TIGHT)
    times = mo.contacts.times()
    assert times["wall.opens"] == pytest.approx([0.5970997577151769], abs=1e-10)
    assert mo.sol(times["wall.opens"][0])[2] == pytest.approx(0.7162204768648539, abs=1e-9)
    assert times["other_end.impact"] == pytest.approx([0.7739110540473519], abs=1e-10)
    assert mo.sol(0.77)[3] == pytest.approx(1.020329486302704, abs=1e-9)


def test_billiard_ball_slides_then_rolls():
    """F8."""
    m = da.Mechanism("billiard")
    r = 0.1
    body = m.body("ball", mass=1, inertia=[0.4 * r * r] * 3)
    m.join(da.earth, body, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact(da.Sphere(body, r), da.Plane(da.earth), friction=0.2, name="cloth")
    for spin, ends, speed in ((0.0, 0.291247997670016, 10 / 7), (-3 / r, 0.72811999417504, 4 / 7)):
        mo = m.simulate((0, 1), start={"p.z": r, "p.x'": 2.0, "p.th'": spin}, **TIGHT)
        assert mo.contacts.times()["cloth.sticks"] == pytest.approx([ends], abs=1e-11)
        assert mo["p.x'"][-1] == pytest.approx(speed, abs=1e-11)
        assert mo["p.th'"][-1] * r == pytest.approx(speed, abs=1e-11)
        if not spin:
            assert mo.sol(ends)[0] == pytest.approx(0.4992822817200275, abs=1e-11)


def test_stick_slip_oscillator():
    """F9: static 5 N, kinetic 3 N on a belt of speed 0.1."""
    m = da.Mechanism("stick slip")
    slider = da.composite(["x", "z"], ["x", 0, "z"]).with_efforts(x="-100*x")
    m.join(da.earth, m.body("mass", mass=1), slider, name="s")
    m.gravity = [0, 0, -9.81]
    m.contact("s.z", friction=3 / 9.81, static=5 / 9.81, slip="s.x' - 0.1", name="belt")
    mo = m.simulate((0, 2.5), start={"s.x": 0.01, "s.x'": 0.1}, **TIGHT)
    times = mo.contacts.times()
    assert np.diff(times["belt.slips"]) == pytest.approx(
        [0.8068887871591405] * (len(times["belt.slips"]) - 1), abs=1e-10
    )
    fine = mo.sol(np.linspace(0.5, 2.5, 2001))[0]
    assert (fine.min(), fine.max()) == pytest.approx((0.007639320225002103, 0.0523606797749979), abs=1e-5)


def double_pendulum():
    m = da.Mechanism("double pendulum with stops")
    a, b = (m.body(n, mass=1, centre=[0, 0, -1]) for n in "ab")
    m.join(da.earth, a, da.revolute("y"), name="A")
    m.join(a.at([0, 0, -1]), b, da.revolute("y"), name="B")
    m.gravity = [0, 0, -10]
    # Absolute angles: q1 = -A.th, q2 = -(A.th + B.th).
    m.contact("-sin(A.th)", restitution=1, name="f1")
    m.contact("-sin(A.th) - sin(A.th + B.th)", restitution=0, name="f2")
    m.start = {"A.th": -0.1, "B.th": -0.1}
    return m


def absolute(y):
    return np.array([-y[0], -(y[0] + y[1]), -y[2], -(y[2] + y[3])])


def test_double_pendulum_with_stops():
    """F10."""
    mo = double_pendulum().simulate((0, 1), **TIGHT)
    assert absolute(mo.sol(0.3)) == pytest.approx(
        [0.0937008543004, 0.1230539615401, -0.0746776602063, -0.4413195417039], abs=1e-9
    )
    times = mo.contacts.times()
    assert times["f2.impact"] == pytest.approx([0.639855918673], abs=1e-9)
    assert times["f1.impact"] == pytest.approx([0.694305703550], abs=1e-9)
    assert mo.contacts.impulses("f2")[0].normal == pytest.approx(0.676832387025, abs=1e-9)
    assert mo.contacts.impulses("f1")[0].normal == pytest.approx(0.749807236467, abs=1e-9)
    assert absolute(mo.sol(1.0)) == pytest.approx(
        [0.0692132080696, -0.0528633996360, -0.0220126015869, 0.1498445537968], abs=1e-9
    )


def test_cam_loses_its_follower():
    """F12."""
    m = da.Mechanism("cam")
    w = 1.2 * 90.44888059008801
    joint = da.prismatic("z").with_efforts(x="-800*x - 20")
    m.join(da.earth, m.body("follower", mass=0.5), joint, name="f")
    m.gravity = [0, 0, -9.81]
    m.contact(f"f.x - 0.01*(1 - cos({w}*t))", name="cam")
    mo = m.simulate((0, 0.055), start={"f.x": 0.0, "f.x'": 0.0}, **TIGHT)
    times = mo.contacts.times()
    assert times["cam.opens"] * w == pytest.approx([2.273683216436729], abs=1e-9)
    assert times["cam.impact"] == pytest.approx([0.05380833316213707], abs=1e-11)


def test_newtons_cradle_in_motion():
    m = da.Mechanism("cradle")
    for i in range(3):
        m.join(da.earth, m.body(f"b{i}", mass=1), da.prismatic("x"), name=f"q{i}")
    for i in range(2):
        m.contact(f"q{i + 1}.x - q{i}.x - 0.1", restitution=1, name=f"c{i}")
    start = {"q0.x": -1.0, "q0.x'": 1.0, "q1.x": 0.1, "q2.x": 0.2}
    mo = m.simulate((0, 2), start=start)
    assert mo.y[3:, -1] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    assert "other laws" in mo.message
    one = m.simulate((0, 2), start=start, impacts="sequential")
    assert one.y[3:, -1] == pytest.approx([0, 0, 1], abs=1e-12)


def test_beads_of_a_chain_land_one_after_the_other():
    """F15."""
    m = da.Mechanism("chain")
    for i in range(10):
        m.join(da.earth, m.body(f"b{i}", mass=0.1), da.prismatic("z"), name=f"q{i}")
        m.contact(f"q{i}.x", name=f"c{i}")
        m.start[f"q{i}.x"] = (i + 0.5) / 10
    m.gravity = [0, 0, -9.81]
    mo = m.simulate((0, 0.5))
    times = [mo.contacts.impulses(f"c{i}")[0].t for i in range(10)]
    assert times == pytest.approx([math.sqrt(2 * (i + 0.5) / 10 / 9.81) for i in range(10)], abs=1e-12)
    assert sum(s.normal for s in mo.contacts.strikes) == pytest.approx(2.960570745254018, abs=1e-11)
    assert mo["c3.force"][-1] == pytest.approx(0.981)


def test_both_integrators_approach_each_other():
    """Order 1 in the step: the mean over several heights, since an impact falls anywhere in a step."""
    steps, heights = np.array([8e-3, 4e-3, 2e-3]), np.linspace(0.8, 1.0, 9)
    errors = np.zeros(len(steps))
    for height in heights:
        exact = ball(0.5).simulate((0, 0.7), start={"drop.x": height}).y[:, -1]
        for k, h in enumerate(steps):
            end = ball(0.5).simulate((0, 0.7), method="moreau", max_step=h, start={"drop.x": height}).y[:, -1]
            errors[k] += np.abs(end - exact).max() / len(heights)
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 0.7 < order < 1.4


def test_events_of_the_user_work_beside_contacts():
    m = ball(0.5)
    top = da.Event("drop.x' < 0", name="top")
    kick = da.Event("t - 2.9", then={"drop.x'": "5.0"}, name="kick")
    mo = m.simulate((0, 3.5), events=[top, kick, da.Event("t - 3.2", terminal=True, name="enough")])
    assert mo.t[-1] == pytest.approx(3.2)
    assert len(mo.events["top"]) >= 3
    after = next(jump for jump in mo.jumps if jump.event == "kick")
    assert after.before["drop.x'"] == 0
    assert mo.sol(3.0)[1] == pytest.approx(5 - 0.981)


def test_an_event_that_rests_with_its_machine_costs_no_more_than_one_that_does_not(monkeypatch):
    """A ball that has come to rest: its speed stays zero, and is looked at no more closely for that."""
    counts = []
    for event in ("drop.x' < 0", "drop.x - 0.2"):
        asked = []
        values = Regime.values
        monkeypatch.setattr(Regime, "values", lambda self, t, y, f=values, n=asked: n.append(t) or f(self, t, y))
        ball(0.5).simulate((0, 3.5), events=[da.Event(event, name="seen")])
        monkeypatch.setattr(Regime, "values", values)
        counts.append(len(asked))
    assert 0 < counts[0] < 2 * counts[1]


def test_asked_times_and_forces_by_name():
    mo = ball(0.0).simulate((0, 1), t_eval=np.linspace(0, 1, 101))
    assert len(mo.t) == 101
    force = mo["floor.force"]
    assert (force[:45] == 0).all()
    assert force[46:] == pytest.approx(9.81)
    assert mo["floor.gap"][0] == 1.0
    assert mo["drop.x''"][-1] == 0


def test_a_start_inside_is_refused():
    with pytest.raises(da.SimulationError, match=r"'floor'.*starts 0\.25 beyond"):
        ball().simulate((0, 1), start={"drop.x": -0.25})


def test_symplectic_methods_refuse_contacts():
    with pytest.raises(da.SimulationError, match=r"through the contacts \('floor'\)"):
        ball().simulate((0, 1), method="symplectic", first_step=0.01)


def four_bar():
    m = da.Mechanism("four-bar")
    lengths = {"crank": 0.2, "coupler": 0.4, "rocker": 0.35}
    a, b, c = (m.body(n, mass=1, centre=[x / 2, 0, 0], inertia=[0, x**2 / 12, x**2 / 12]) for n, x in lengths.items())
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([0.2, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.5, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([0.4, 0, 0]), c.at([0.35, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.contact("1.9 - D.th", restitution=0.5, name="stop")
    m.start = {"A.th": 1.0, "A.th'": 5.0}
    return m


def test_a_closed_loop_bounces_on_a_stop_and_comes_to_rest_there():
    mo = four_bar().simulate((0, 1.5))
    assert mo["D.th"].max() <= 1.9 + 1e-12
    assert mo.quality.closure < 1e-12
    hit = mo.jumps[0]
    assert hit.after["D.th'"] == pytest.approx(-0.5 * hit.before["D.th'"], rel=1e-9)
    assert (np.diff(mo.energy()) < 1e-6).all()
    assert "stop.accumulation" in mo.contacts.times()
    end = {name: mo[name][-1] for name in ("A.th", "D.th", "A.Fx", "A.Fy", "D.Fx", "D.Fy", "A.Mz", "D.Mz")}
    pulls = [
        np.array([[np.cos(th), -np.sin(th)], [np.sin(th), np.cos(th)]]) @ [end[f"{n}.Fx"], end[f"{n}.Fy"]]
        for n, th in (("A", end["A.th"]), ("D", end["D.th"]))
    ]
    assert np.sum(pulls, axis=0) == pytest.approx([0, 3 * 9.81], abs=1e-9)
    assert end["D.Mz"] == pytest.approx(-mo["stop.force"][-1], rel=1e-9)
    assert end["A.Mz"] == pytest.approx(0, abs=1e-9)
    steps = four_bar().simulate((0, 0.5), method="moreau", max_step=1e-3)
    assert steps.quality.closure < 1e-12
    assert np.abs(steps.y[:4, -1] - mo.sol(0.5)[:4]).max() < 0.02


def test_a_spinning_ball_bounces_then_rolls_in_space():
    m = da.Mechanism("ball")
    r = 0.1
    body = m.body("ball", mass=1, inertia=[0.4 * r * r] * 3)
    m.join(da.earth, body, da.free("quaternion"), name="f")
    m.gravity = [0, 0, -9.81]
    m.contact(da.Sphere(body, r), da.Plane(da.earth), friction=0.2, restitution=0.5, name="cloth")
    mo = m.simulate((0, 1), start={"f.z": 0.3, "f.x'": 2.0, "f.y'": 1.0})
    end = mo.state(1.0)
    assert (end["f.x'"], end["f.y'"]) == pytest.approx((10 / 7, 5 / 7), abs=1e-9)  # rolling keeps 5/7 of the speed
    assert end["f.z"] == pytest.approx(r, abs=1e-12)
    assert mo.contacts.phases[-1].state == "stick"
    assert (np.diff(mo.energy()) < 1e-8).all()


def painleve(degrees, slip):
    m = da.Mechanism("rod")
    rod = m.body("rod", mass=1, inertia=[1 / 3, 1 / 3, 0])
    m.join(da.earth, rod, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    a = math.radians(degrees)
    # Lower tip at the centre minus (cos, sin): the rod lies along (cos th, sin th).
    m.contact("p.z - sin(p.th)", friction=1.6, slip="p.x' + sin(p.th)*p.th'", name="tip")
    m.start = {"p.z": math.sin(a), "p.th": a, "p.x'": slip}
    return m


def test_painleves_rod_goes_on_by_an_impact_without_collision():
    mo = painleve(60, -1.0).simulate((0, 0.01))
    assert "without collision" in mo.message
    assert mo.contacts.impulses("tip")[0].normal == pytest.approx(0.324759526419, abs=1e-9)
    assert "tip.jam" in mo.contacts.times()
    fine = painleve(60, 1.0).simulate((0, 0.01), t_eval=[0.0, 0.01])
    assert fine["tip.force"][0] == pytest.approx(2.562387361193, abs=1e-9)
    assert not fine.contacts.remarks


def test_contacts_that_stay_open_cost_nothing_while_the_machine_moves():
    def arm(count):
        m = da.Mechanism("arm")
        m.join(da.earth, m.body("a", mass=1, centre=[0, 0, -1]), da.revolute("y"), name="j")
        m.gravity, m.start = [0, 0, -9.81], {"j.th": 1.0}
        for k in range(count):
            m.contact(f"{10 + k} - j.th", name=f"c{k}")
        return m

    free, watched = arm(0).simulate((0, 20)), arm(20).simulate((0, 20))
    assert watched.nfev <= 1.05 * free.nfev
    assert len(watched.arcs) == 1


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_a_crate_on_four_corners_slides_to_rest(speed):
    """No corner ever approaches: rates are judged by the sliding, or their rounding would look like endless impacts."""
    m = da.Mechanism("crate")
    crate = m.body("crate", mass=10, inertia=[1, 1, 1])
    m.join(da.earth, crate, da.free(), name="f")
    m.gravity = [0, 0, -9.81]
    m.contact(da.Box(crate, [1, 1, 0.5]), da.Plane(da.earth), friction=0.3, name="floor")
    mo = m.simulate((0, 2), start={"f.z": 0.25, "f.x'": speed})
    assert mo["f.x"][-1] == pytest.approx(speed**2 / (2 * 0.3 * 9.81), abs=1e-9)
    last = {phase.contact: phase.state for phase in mo.contacts.phases}
    assert {last[f"floor_{k}"] for k in (1, 2, 3, 4)} == {"stick"}


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3])
def test_a_crate_slides_to_the_same_place_in_any_unit(unit):
    m = da.Mechanism("crate")
    m.gravity = [0, 0, -9.81 * unit]
    crate = m.body("crate", mass=1, inertia=[unit**2 / 6] * 3)
    m.join(da.earth, crate, da.free(), name="f")
    m.contact(da.Box(crate, [unit, unit, unit / 2]), da.Plane(da.earth), friction=0.3, name="floor")
    mo = m.simulate((0, 1.5), start={"f.z": unit / 4, "f.x'": 2 * unit})
    assert mo["f.x"][-1] / unit == pytest.approx(2**2 / (2 * 0.3 * 9.81), rel=1e-12)
    assert abs(mo["f.x'"][-1]) < 1e-12 * unit


def test_a_law_of_impacts_that_changes_nothing_is_refused():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("z"), name="z")
    with pytest.raises(da.SimulationError, match="'ball' has no contacts"):
        m.simulate((0, 1), impacts="poisson")
    m.contact("z.x", restitution=0.5)
    with pytest.raises(da.SimulationError, match="'moreau' has its own law"):
        m.simulate((0, 1), start={"z.x": 1.0}, impacts="poisson", method="moreau", max_step=0.01)


def test_events_of_contacts_are_events_of_the_motion():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity, m.start = [0, 0, -10], {"drop.x": 1.25}
    m.contact("drop.x >= 0", restitution=0.5, name="floor")
    m.limit("drop.x", [-1, 2])
    mo = m.simulate((0, 1.2), events={"low": "drop.x - 0.45"})
    assert mo.events["floor.impact"] == pytest.approx([0.5, 1.0], abs=1e-12)
    assert mo.events["low"] == pytest.approx([0.4], abs=1e-12)
    with pytest.raises(ModelError, match="one pair of them"):
        m.limit("drop.x", [0, 1, 2])
