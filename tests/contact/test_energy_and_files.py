"""The energy that contacts exchange is balanced, and files keep everything of contacts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from contact_machines import ball, upright

import dalembert as da


def shaker(gap: str = "b.x - t.x", start: float = 0.0) -> da.Mechanism:
    """A driven table with a load on it."""
    m = da.Mechanism("shaker")
    m.join(da.earth, m.body("table", mass=1), da.prismatic("z"), name="t")
    m.join(da.earth, m.body("load", mass=2), da.prismatic("z"), name="b")
    m.gravity = [0, 0, -10]
    m.drive("t.x", "0.1*sin(3*t)", name="motor")
    m.contact(gap, restitution=0.5, name="top")
    m.start = {"b.x": start, "b.x'": 0.3}
    return m


def skidding() -> da.Mechanism:
    """A rod that falls on a rough floor, damped, with a spring."""
    m = da.Mechanism("skidding rod")
    rod = m.body("rod", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, rod, upright(), name="p")
    m.gravity = [0, 0, -9.81]
    for k, x in enumerate((-0.5, 0.5)):
        m.contact(da.Sphere(rod.at([x, 0, 0])), da.Plane(da.earth), friction=0.3, name=f"tip{k}")
    m.force(rod, ["-0.2*p.x'", 0, 0])
    m.spring(rod, da.earth, stiffness=2, length=0.3)
    m.start = {"p.z": 0.8, "p.th": 0.4, "p.x'": 1.5, "p.th'": 2.0, "p.x": 0.5}
    return m


def balance(mo: da.Motion) -> float:
    """E(end) - E(0) less the work on arcs and at impacts, in parts of what was exchanged."""
    energy, lost = mo.energy(), sum(strike.work for strike in mo.contacts.strikes)
    return abs(energy[-1] - energy[0] - mo.work()[-1] - lost) / (np.ptp(energy) + abs(lost))


@pytest.mark.parametrize("build", [ball, shaker, lambda: shaker(start=0.3), skidding])
def test_energy_is_balanced_with_impacts_friction_and_drives(build):
    mo = build().simulate((0, 1.5))
    if mo.system.constrained is None:  # a drive that holds through an impact works in it, too
        assert balance(mo) < 1e-7
    assert mo.quality.energy < 1e-6
    assert mo.quality.inside < 1e-9
    if build is skidding:
        assert min(mo["tip0.power"].min(), mo["tip1.power"].min()) < -0.05
        assert mo["tip0.work"][-1] < 0


def test_a_table_works_on_what_stands_on_it():
    mo = shaker().simulate((0, 0.5))
    done = mo.energy()[-1] - mo.energy()[0]
    assert mo.work()[-1] == pytest.approx(done, abs=1e-9)
    power = 3 * (10 - 0.9 * np.sin(3 * mo.t)) * 0.3 * np.cos(3 * mo.t)
    assert np.abs(mo["total.power"] - power).max() < 1e-7


def test_a_gap_that_moves_by_itself_works():
    """A ball on a table s = a sin(w t): its force is m (g + s''), its power that times s'."""
    m = da.Mechanism("ball on a table")
    m.join(da.earth, m.body("ball", mass=2), da.prismatic("z"), name="drop")
    m.gravity = [0, 0, -9.81]
    m.contact("drop.x - 0.01*sin(20*t)", name="table")
    m.start = {"drop.x'": 0.2}
    mo = m.simulate((0, 0.5))
    power = 2 * (9.81 - 4 * np.sin(20 * mo.t)) * 0.2 * np.cos(20 * mo.t)
    assert np.abs(mo["table.power"] - power).max() < 1e-8
    assert balance(mo) < 1e-9


def test_the_work_of_a_contact_has_its_impacts():
    mo = ball(0.5).simulate((0, 1.0))
    fall = math.sqrt(2 * 9.81)
    first = mo.contacts.strikes[0]
    assert first.work == pytest.approx(-(1 - 0.25) * fall**2 / 2)
    before, after = mo.t < first.t, mo.t > first.t
    assert (mo["floor.work"][before] == 0).all()
    assert mo["floor.work"][after][0] == pytest.approx(first.work)


def test_time_stepping_tells_its_balance_and_its_depth():
    coarse, fine = (skidding().simulate((0, 0.8), method="moreau", max_step=h) for h in (8e-3, 2e-3))
    assert fine.quality.energy < coarse.quality.energy < 0.2
    assert 0 < fine.quality.inside < coarse.quality.inside
    exact = ball().simulate((0, 10), method="moreau", max_step=0.005)
    assert exact.quality.energy < 1e-13  # constant masses and forces: theta = 1/2 is exact
    assert exact["floor.work"][-1] == pytest.approx(exact.energy()[-1] - exact.energy()[0])


def test_forces_of_steps_are_told_wherever_the_motion_begins():
    m = ball(0.0)
    m.start = {"drop.x": 0.0}
    mo = m.simulate((0.0025, 0.1025), method="moreau", max_step=0.005)
    assert mo["floor.force"][1:] == pytest.approx(9.81)


@pytest.mark.parametrize("dense", [True, False])
def test_touches_are_seen_without_dense_output(dense):
    m = da.Mechanism("rod")
    m.join(da.earth, m.body("rod", mass=1, inertia=[0.1, 0.1, 0.1]), da.planar(), name="q")
    m.contact("q.y >= 0.5*sin(q.th)", restitution=1, name="one")
    m.contact("q.y >= -0.5*sin(q.th)", restitution=1, name="two")
    m.start = {"q.y": 0.6, "q.y'": -0.01, "q.th": 0.1, "q.th'": 10.0}
    mo = m.simulate((0, 12), dense_output=dense)
    assert (mo.sol is None) != dense
    assert min(times[0] for name, times in mo.contacts.times().items() if "impact" in name) < 10.2
    assert min(mo["one.gap"].min(), mo["two.gap"].min()) > -1e-9


@pytest.mark.parametrize("method", ["DOP853", "moreau"])
@pytest.mark.parametrize("build", [shaker, skidding])
def test_a_file_keeps_everything_of_contacts(build, method, tmp_path: Path):
    mo = build().simulate((0, 0.7), method=method, max_step=0.01)
    mo.save(tmp_path / "mo.npz")
    kept = da.Motion.load(tmp_path / "mo.npz")
    assert kept.contacts.as_dict() == mo.contacts.as_dict()
    assert kept.contacts.phases == mo.contacts.phases
    assert [jump.as_dict() for jump in kept.jumps] == [jump.as_dict() for jump in mo.jumps]
    for contact in mo.contacts.names:
        for what in ("gap", "force", "power", "work"):
            assert np.abs(kept[f"{contact}.{what}"] - mo[f"{contact}.{what}"]).max() < 1e-13
    assert kept.quality.remarks == mo.quality.remarks
    if method == "DOP853":
        for name in ("b.x''", "motor.lambda") if build is shaker else ("p.z''",):
            assert (kept[name] == mo[name]).all()


def test_motions_are_joined_with_their_logs():
    m = ball()
    one = m.simulate((0, 1))
    both = one + m.simulate((1, 2), start=one.state(1.0))
    whole = m.simulate((0, 2))
    assert both.contacts.times()["floor.impact"] == pytest.approx(whole.contacts.times()["floor.impact"])
    assert len(both.contacts.strikes) == len(whole.contacts.strikes) == 3
    assert "contacts" in both.as_dict()
