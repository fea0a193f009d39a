"""Orders of convergence of both integrators, measured on a pendulum that bounces at a stop."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import MoreauJean


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
