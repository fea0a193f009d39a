"""Contacts beside conditions and drives, and many that touch at once: against closed forms, none is passed through."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def pair(by: str | None, restitution: float, scale: float = 1.0) -> da.Mechanism:
    """Two falling masses that a shaft (or a motor on the second one) keeps side by side; the first meets a floor."""
    m = da.Mechanism("pair")
    m.join(da.earth, m.body("one", mass=1), da.prismatic("z"), name="a")
    m.join(da.earth, m.body("two", mass=2), da.prismatic("z"), name="b")
    m.gravity = [0, 0, -10 * scale]
    m.constrain("a.x = b.x", by=by, name="servo")
    m.contact("a.x >= 0", restitution=restitution, name="floor")
    m.start = {"a.x": 0.8 * scale, "b.x": 0.8 * scale}
    return m


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("by", "felt"), [(None, 3.0), ("b.x", 1.0)])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_is_felt_through_perfect_constraints_alone(by: str | None, felt: float, e: float, scale: float):
    mo = pair(by, e, scale).simulate((0, 0.6))
    (strike,) = mo.contacts.impulses("floor")
    assert abs(strike.t - 0.4) < 1e-12
    assert abs(strike.normal - felt * (1 + e) * 4 * scale) < 1e-10 * scale
    flight = 4 * e * 0.2 - 5 * 0.04 if e else 0.0
    assert abs(mo["a.x"][-1] - scale * flight) < 1e-10 * scale
    assert abs(mo["b.x"] - mo["a.x"]).max() < 1e-10 * scale
    assert abs(mo["floor.force"][-1] - (0 if e else felt * 10 * scale)) < 1e-9 * scale


@pytest.mark.parametrize("method", ["DOP853", "moreau"])
def test_a_contact_that_has_no_hold_is_not_passed_through(method: str):
    with pytest.raises((da.ContactError, da.SimulationError), match="no impulse"):
        pair("a.x", 0.5).simulate((0, 0.6), method=method, max_step=0.01)


def test_laws_that_impulses_would_break_are_refused():
    m = pair(None, 0.5)
    m.join(da.earth, m.body("three", mass=1), da.prismatic("x"), name="c")
    m.constrain("c.x'^2 + a.x'^2 = 4", name="speed")
    with pytest.raises(da.ModelError, match=r"'speed'.*not linear in the speeds"):
        m.simulate((0, 0.1), start={"c.x'": 2})


def test_corners_that_settle_one_by_one_stay_above_the_floor():
    """Bringing one corner to its gap must not push another below: it would fall without being seen."""
    r = np.random.default_rng(15)
    m = da.Mechanism("box")
    box = m.body("box", mass=1.3, inertia=[0.02, 0.03, 0.025])
    m.join(da.earth, box, da.free(), name="q")
    m.gravity = [0, 0, -9.81]
    m.contact(da.Box(box, [0.4, 0.3, 0.2]), da.Plane(da.earth), restitution=0.5, name="f")
    m.start = {"q.z": 0.7}
    m.start |= {k: float(r.uniform(-1, 1)) for k in ("q.al", "q.be", "q.ga", "q.al'", "q.be'")}
    mo = m.simulate((0, 1.6))
    assert min(mo[f"f_{k}.gap"].min() for k in range(1, 9)) > -1e-11
