"""Touches between the samples of long steps, forces that pulse on what rests, and efforts where contacts push."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import dalembert as da


@pytest.mark.parametrize(("turning", "sinking"), [(10.0, 0.01), (50.0, 0.05), (3.0, 0.3)])
def test_the_first_touch_of_a_turning_rod_is_its_first(turning: float, sinking: float):
    """Nothing acts on it: steps are as long as the motion, and each turn brings its tips a little lower."""
    m = da.Mechanism("rod")
    m.join(da.earth, m.body("rod", mass=1, inertia=[0.1, 0.1, 0.1]), da.planar(), name="q")
    m.contact("q.y >= 0.5*sin(q.th)", restitution=1, name="one")
    m.contact("q.y >= -0.5*sin(q.th)", restitution=1, name="two")
    m.start = {"q.y": 0.6, "q.y'": -sinking, "q.th": 0.1, "q.th'": turning}

    def gap(t: float) -> float:
        return 0.6 - sinking * t - 0.5 * abs(np.sin(0.1 + turning * t))

    k = 0
    while True:  # the first half turn whose lowest point is below
        top = (np.pi * (k + 0.5) - 0.1) / turning
        low = minimize_scalar(gap, bounds=(top - 0.5 / turning, top + 0.5 / turning), options={"xatol": 1e-12}).x
        if gap(low) < 0:
            break
        k += 1
    true = brentq(gap, low - 0.5 / turning, low, xtol=1e-14)
    mo = m.simulate((0, 0.2 / sinking))
    found = min(time for name, times in mo.contacts.times().items() if "impact" in name for time in times)
    assert abs(found - true) < 1e-7
    assert min(mo["one.gap"].min(), mo["two.gap"].min()) > -1e-9


@pytest.mark.parametrize("span", [1.0, 10.0, 100.0])
def test_a_pulsing_force_lifts_what_rests(span: float):
    m = da.Mechanism("pulse")
    ball = m.body("ball", mass=1)
    m.join(da.earth, ball, da.prismatic("z"), name="b")
    m.force(ball, [0, 0, "-10 + 15*sin(7*t)"])
    m.contact("b.x", name="floor")
    lifted = da.Event("b.x - 0.01", terminal=True)  # the rest is not asked for
    mo = m.simulate((0, span), events=lifted)
    assert abs(mo.contacts.times()["floor.opens"][0] - np.arcsin(2 / 3) / 7) < 1e-7


def shaker() -> da.Mechanism:
    m = da.Mechanism("shaker")
    m.join(da.earth, m.body("table", mass=1), da.prismatic("z"), name="t")
    m.join(da.earth, m.body("load", mass=2), da.prismatic("z"), name="b")
    m.gravity = [0, 0, -10]
    m.drive("t.x", "0.1*sin(3*t)", name="motor")
    m.contact("b.x - t.x", name="top")
    return m


def test_a_drive_feels_what_stands_on_it():
    mo = shaker().simulate((0, 1))
    force = 3 * (10 - 0.9 * np.sin(3 * mo.t))
    assert np.abs(mo["motor.lambda"] - force).max() < 1e-8
    assert np.abs(mo["motor.power"] - force * 0.3 * np.cos(3 * mo.t)).max() < 1e-8


def test_formulas_of_efforts_have_what_contacts_push_in_them():
    mo = shaker().simulate((0, 0.1))
    force = 3 * (10 - 0.9 * np.sin(3 * mo.t))
    assert np.abs(mo["2*motor.lambda"] - 2 * force).max() < 1e-8
    assert np.abs(mo["2*total.power"] - 2 * force * 0.3 * np.cos(3 * mo.t)).max() < 1e-8


@pytest.mark.parametrize("asked", ["b.Fz - 1", "motor.lambda - 31", "total.power", "top.force - 20", "b.x'' + 1"])
@pytest.mark.parametrize("method", ["DOP853", "moreau"])
def test_events_that_would_leave_contacts_out_are_refused(asked: str, method: str):
    """The motor's force passes 31 while the load stands on it, and never does without the load."""
    with pytest.raises(da.SimulationError, match=r"asks for .* which depends on what its contacts \(top\) push"):
        shaker().simulate((0, 2), events=[asked], method=method, max_step=0.01)


def test_time_stepping_tells_no_accelerations_of_what_rests():
    mo = shaker().simulate((0, 0.1), method="moreau", max_step=0.01)
    with pytest.raises(da.SimulationError, match="no accelerations"):
        _ = mo["b.x''"]
