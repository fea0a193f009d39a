"""Many motions with contacts at once are the same motions one by one; what fails keeps what was computed."""

import math

import numpy as np
import pytest
from contact_machines import ball, upright

import dalembert as da
from dalembert.errors import SimulationError
from dalembert.simulate import run, run_many, system_of

G = 9.81


def bounced(height, e, t):
    """Place of a ball dropped from a height, in closed form."""
    fall = math.sqrt(2 * height / G)
    if t < fall:
        return height - G * t**2 / 2
    t, speed = t - fall, e * G * fall
    while speed > 1e-9 and t >= 2 * speed / G:
        t, speed = t - 2 * speed / G, e * speed
    return speed * t - G * t**2 / 2 if speed > 1e-9 else 0.0


def test_balls_of_many_heights_and_restitutions_bounce_as_the_closed_form_says():
    m = ball("e")
    heights, e = np.linspace(0.2, 1.5, 9), np.linspace(0.3, 0.9, 9)
    t = np.linspace(0, 2, 12)
    many = run_many(system_of(m), (0, 2), start={"drop.x": heights}, given={"e": e}, t_eval=t)
    assert many.success
    for k in range(9):
        wanted = [bounced(heights[k], e[k], x) for x in t]
        assert many["drop.x"][k] == pytest.approx(wanted, abs=1e-9)
    struck = [log.times()["floor.impact"][0] for log in many.contacts]
    assert struck == pytest.approx(np.sqrt(2 * heights / G), abs=1e-12)


@pytest.mark.parametrize(("method", "step"), [("DOP853", np.inf), ("moreau", 5e-3)])
def test_each_member_is_the_motion_alone(method, step):
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=2, inertia=[0.1] * 3), upright(), name="p")
    m.gravity, m.start = [0, 0, -G], {"p.z": 0.6, "p.th": 0.2}
    for side, x in (("l", -0.2), ("r", 0.2)):
        foot = m.bodies["block"].at([x, 0, -0.5])
        m.contact(da.Sphere(foot), da.Plane(da.earth), friction="mu", name=side)
    system, t = system_of(m), np.linspace(0, 0.5, 6)
    speeds, mu = np.array([-1.0, 0.5, 2.0]), np.array([0.1, 0.4, 0.8])
    given = {"mu": mu}
    many = run_many(system, (0, 0.5), start={"p.x'": speeds}, given=given, t_eval=t, method=method, max_step=step)
    for k in range(3):
        asked = {"start": {"p.x'": speeds[k]}, "given": {"mu": mu[k]}}
        alone = run(system, (0, 0.5), **asked, t_eval=t, method=method, max_step=step)
        assert np.array_equal(many.y[k], alone.at(t).y if method == "moreau" else alone.y[:, : len(t)])
        assert many.contacts[k].times().keys() == alone.contacts.times().keys()


def test_events_end_each_member_at_its_own_time():
    m = ball("e")
    top = da.Event("drop.x'", direction=-1, terminal=1)
    many = run_many(system_of(m), (0, 5), given={"e": np.array([0.5, 0.8])}, events=top)
    assert many.status.tolist() == [1, 1]
    fall = math.sqrt(2 / G)
    assert many.t_last == pytest.approx([fall * 1.5, fall * 1.8], abs=1e-9)
    assert many.y_last[:, 0] == pytest.approx([0.25, 0.64], abs=1e-9)


def test_a_start_inside_names_its_member():
    with pytest.raises(SimulationError, match=r"trajectory 1: contact 'floor'.*starts 0.1 beyond"):
        run_many(system_of(ball(0.5)), (0, 1), start={"drop.x": np.array([1.0, -0.1])})


def striking(t=0.1):
    """The rod of vector B-1, which strikes at `t`, with friction in two directions: Newton's law would gain there."""
    m = da.Mechanism("rod")
    joint = da.composite(["x", "y", "z", "th"], ["x", "y", "z"], da.turn("-th", "y"))
    m.join(da.earth, m.body("rod", mass=1, inertia=[1 / 3] * 3), joint, name="p")
    angle, speeds = math.radians(55), (0.230223319722, -0.671058827194, 0.573491433677)
    m.start = dict(zip(("p.x'", "p.z'", "p.th'"), speeds, strict=True))
    m.start |= {"p.z": math.sin(angle) - t * speeds[1], "p.th": angle - t * speeds[2]}
    slip = ["p.x' + sin(p.th)*p.th'", "p.y'"]
    m.contact("p.z - sin(p.th)", friction="mu", restitution=1, slip=slip, name="tip")
    m.given = {"mu": 0.3}
    return m


def test_what_no_law_answers_keeps_the_motion_so_far():
    with pytest.raises(SimulationError, match=r"would create the energy 0\.125") as caught:
        striking().simulate((0, 0.2))
    partial = caught.value.partial
    assert partial is not None
    assert partial.t[-1] == pytest.approx(0.1, abs=1e-9)
    assert not partial.success
    many = run_many(system_of(striking()), (0, 0.2), given={"mu": np.array([0.3, 0.0])})
    assert many.status.tolist() == [-1, 0]
    assert many.t_last == pytest.approx([0.1, 0.2], abs=1e-9)


def test_processes_change_no_bit_of_any_member():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity = [0, 0, -9.81]
    m.contact("drop.x >= 0", restitution="e", name="floor")
    start, given = {"drop.x": np.array([0.3, 0.5, 0.7, 0.9])}, {"e": np.array([0.1, 0.5, 0.3, 0.7])}
    one, two = (run_many(system_of(m), (0, 1), start=start, given=given, t_eval=[0.5, 1.0], threads=n) for n in (1, 3))
    assert (one.y == two.y).all()
    assert (one.y_last == two.y_last).all()
    assert [log.as_dict() for log in one.contacts] == [log.as_dict() for log in two.contacts]
    with pytest.raises(SimulationError, match=r"trajectory 2: contact 'floor' of 'ball' starts 0.1 beyond"):
        run_many(system_of(m), (0, 1), start={"drop.x": np.array([1.0, 1.0, -0.1])}, given={"e": 0.5}, threads=2)
