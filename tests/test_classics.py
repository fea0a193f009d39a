"""Classical motions, from description to native integration, against what is known of them exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import dalembert as da


def pendulum() -> da.Mechanism:
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.gravity = [0, 0, "-g"]
    m.given = {"m": 1.3, "l": 0.7, "g": 9.81}
    return m


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5, 3.1])
def test_pendulum_period_is_the_elliptic_integral(amplitude):
    m = pendulum()
    exact = 4 * np.sqrt(0.7 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    mo = m.simulate((0, 1.2 * exact), start={"pivot.th": amplitude}, events=["pivot.th'"], rtol=1e-13, atol=1e-14)
    turning = [t for t in mo.t_events[0] if t > 1e-6]
    assert turning[1] == pytest.approx(exact, rel=1e-10)


def rotation(e):
    e0, v = e[0], e[1:]
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * e0 * k + 2 * k @ k


def test_free_rigid_body_keeps_energy_and_angular_momentum_for_a_hundred_turns():
    inertia = np.array([1.0, 2.0, 2.7])
    m = da.Mechanism("racket")
    racket = m.body("racket", mass=1, inertia=list(inertia))
    m.join(da.earth, racket, da.spherical("quaternion"), name="s")
    spin = np.array([0.01, 5.0, 0.02])  # about the middle axis: it tumbles through every attitude
    start = dict(zip(["s.wx", "s.wy", "s.wz"], spin, strict=True))
    mo = m.simulate((0, 100 * 2 * np.pi / 5), start=start, rtol=1e-13, atol=1e-14)
    omega = np.array([mo[f"s.w{x}"] for x in "xyz"])
    e = np.array([mo[f"s.e{i}"] for i in range(4)])
    energy = 0.5 * inertia @ omega**2
    momentum = np.array([rotation(e[:, i]) @ (inertia * omega[:, i]) for i in range(len(mo.t))])
    assert np.ptp(energy) / energy[0] < 1e-9
    assert np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]) < 1e-9
    assert np.abs((e**2).sum(axis=0) - 1).max() < 1e-12
    assert omega[1].min() < -4  # it did tumble


def test_heavy_top_keeps_its_first_integrals_in_two_charts():
    """Energy, spin about the axis and angular momentum about the vertical; Euler angles and quaternion agree."""
    heights = []
    for chart in ("euler", "quaternion"):
        m = da.Mechanism("top")
        top = m.body("top", mass="m", centre=[0, 0, "h"], inertia=["A", "A", "C"])
        m.join(da.earth, top, da.spherical(chart, "body"), name="s")
        m.gravity = [0, 0, "-g"]
        m.given = {"m": 0.5, "h": 0.1, "A": 0.002, "C": 0.001, "g": 9.81}
        tilt = 0.6
        start = {"s.wz": 150.0, "s.wx": 1.0}
        if chart == "euler":
            start["s.th"] = tilt
        else:
            start |= {"s.e0": np.cos(tilt / 2), "s.e1": np.sin(tilt / 2)}
        mo = m.simulate((0, 2), start=start, rtol=1e-12, atol=1e-13, t_eval=np.linspace(0, 2, 201))
        a = 0.002 + 0.5 * 0.1**2
        wx, wy, wz = (mo[f"s.w{x}"] for x in "xyz")
        if chart == "euler":
            th, ph = mo["s.th"], mo["s.ph"]
            vertical = np.array([np.sin(th) * np.sin(ph), np.sin(th) * np.cos(ph), np.cos(th)])
        else:
            vertical = np.array([rotation(np.array([mo[f"s.e{i}"][k] for i in range(4)]))[2] for k in range(201)]).T
        energy = mo.energy()
        about_vertical = a * (wx * vertical[0] + wy * vertical[1]) + 0.001 * wz * vertical[2]
        assert np.ptp(energy) < 1e-9 * abs(energy[0])
        assert np.ptp(wz) < 1e-9 * 150
        assert np.ptp(about_vertical) < 1e-9 * abs(about_vertical[0])
        heights.append(vertical[2])
    assert np.abs(heights[0] - heights[1]).max() < 1e-7


def test_a_chart_singularity_of_angles_that_an_effort_uses_stops_with_time_place_and_remedy():
    m = da.Mechanism("gimbal")
    joint = da.spherical("bryant").with_efforts(ga="-0.1*ga")  # without it the motion goes on in quaternions
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 2, 2.5]), joint, name="s")
    with pytest.raises(da.SimulationError, match=r"(?s)t = .*quaternion") as caught:
        m.simulate((0, 10), start={"s.be'": 1.0})
    assert "t = 1.57079" in str(caught.value)
    assert caught.value.partial.t[-1] < 10
    assert len(caught.value.partial.t) > 3


def test_dry_friction_written_as_a_sign_stops_with_a_message():
    """Once at rest the sign chatters and no useful step is left: the run ends, with the motion until then."""
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=1), da.prismatic("x").with_efforts(x="-sign(x')"), name="slide")
    with pytest.raises(da.SimulationError, match="step size has collapsed") as caught:
        m.simulate((0, 3), start={"slide.x'": 1.0})
    assert caught.value.partial["slide.x"][-1] == pytest.approx(0.5, abs=1e-4)


def test_numbers_that_make_a_mass_negative_are_refused():
    with pytest.raises(da.ModelError, match="body 'rod' has the negative mass m = -1 with the values given"):
        pendulum().simulate((0, 1), given={"m": -1})
