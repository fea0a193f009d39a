"""Orders of convergence of both integrators, measured on a pendulum that bounces at a stop."""

import numpy as np
import pytest
from test_compiled_steps import four_bar, in_python

import dalembert as da
from dalembert.simulate import MoreauJean
from dalembert.simulate.contact.step.run import CompiledSteps


def pendulum(restitution=0.8):
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -0.5], inertia=[1 / 12] * 3), da.revolute("y"), name="j")
    m.gravity, m.start = [0, 0, -9.81], {"j.th": 1.0}
    m.limit("j.th", -0.3 if restitution is not None else -3, 2.0, restitution=restitution or 0)
    return m


def slope(sizes, faults):
    return float(np.polyfit(np.log(sizes), np.log(faults), 1)[0])


def test_time_stepping_is_of_order_one_through_impacts_and_two_between():
    times = np.linspace(0.1, 2.0, 20)  # the fault of one instant depends on where in its step an impact falls
    steps = np.array([1 / 25, 1 / 50, 1 / 100, 1 / 200])
    for restitution, least, most in ((0.8, 0.6, 1.4), (None, 1.9, 2.1)):
        m = pendulum(restitution)
        exact = m.simulate((0, 2), rtol=1e-12, atol=1e-12)
        faults = []
        for h in steps:
            mo = m.simulate((0, 2), method=MoreauJean(), max_step=h)
            faults.append(np.abs(np.interp(times, mo.t, mo["j.th"]) - exact.sol(times)[0]).mean())
        assert least < slope(steps, faults) < most


@pytest.mark.parametrize(("method", "order"), [("RK45", 5), ("DOP853", 8)])
def test_event_driven_motion_keeps_the_order_of_its_method(method, order):
    """Impacts included: the fault falls with the number of steps as that of the method does, or faster."""
    m = pendulum()
    exact = m.simulate((0, 2), rtol=1e-13, atol=1e-14)
    counts, faults = [], []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        mo = m.simulate((0, 2), method=method, rtol=tolerance, atol=tolerance)
        counts.append(mo.accepted)
        faults.append(float(np.abs(mo.y[:, -1] - exact.y[:, -1]).max()))
    assert len(exact.contacts.impulses("j_th_low")) >= 2
    assert slope(counts, faults) < -0.8 * order
    assert faults[-1] < 1e-8


def chain(seed):
    """A random chain of bars without friction, thrown at a floor: its masses change with its posture."""
    draw, m, start = np.random.default_rng(seed), da.Mechanism(f"chain {seed}"), {}
    m.gravity, before, e = [0, 0, -9.81], da.earth, draw.choice([0.0, 0.3, 0.8, 1.0])
    for k in range(draw.integers(2, 4)):
        length, mass = draw.uniform(0.3, 1), draw.uniform(0.2, 3)
        bar = m.body(f"b{k}", mass=mass, centre=[0, 0, -length / 2], inertia=[mass * length**2 * 0.1] * 3)
        joint = da.revolute("y") if k else da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y"))
        m.join(before, bar, joint, name=f"j{k}")
        before = bar.at([0, 0, -length])
        m.frame(f"e{k}", before)
        m.contact(f"e{k}.Z", restitution=e, name=f"floor{k}")
        start |= {f"j{k}.th": 0.7 * draw.normal(), f"j{k}.th'": 2 * draw.normal()}
    m.start = {**start, "j0.z": 2.2, "j0.x'": draw.normal(), "j0.z'": -1}
    return m


def faults_by_step(m, end, steps):
    """The largest fault of a coordinate at the end, for each step, beside the event-driven motion."""
    exact = m.simulate((0, end), rtol=1e-11, atol=1e-12)
    motions = [m.simulate((0, end), method="moreau", max_step=h) for h in steps]
    places = [c for c in exact.columns if "'" not in c]
    return [max(abs(mo[c][-1] - exact[c][-1]) for c in places) for mo in motions]


@pytest.mark.parametrize("code", ["compiled", "Python"])
def test_time_stepping_has_order_two_between_impacts_where_masses_change_and_loops_close(code, monkeypatch):
    if code == "Python":
        monkeypatch.setattr(CompiledSteps, "go", in_python)
    steps = np.array([1 / 50, 1 / 100, 1 / 200])
    for m, end in ((chain(1), 0.1), (chain(2), 0.1), (four_bar(), 0.3)):
        assert not len(m.simulate((0, end)).contacts.strikes)
        assert 1.8 < slope(steps, faults_by_step(m, end, steps)) < 2.3


@pytest.mark.parametrize("seed", range(4))
def test_time_stepping_comes_to_the_event_driven_motion_after_impacts_of_random_machines(seed):
    """With the same laws of impact both are one motion as the step goes to zero, however soon they part at one step."""
    m = chain(seed)
    strikes = m.simulate((0, 1.5)).contacts.strikes
    end = min(strikes[0].t + 0.1, 1.5)
    coarse, fine, finest = faults_by_step(m, end, (1 / 500, 1 / 5000, 1 / 50000))
    assert finest < min(coarse / 20, 5e-3)
    assert fine < coarse
