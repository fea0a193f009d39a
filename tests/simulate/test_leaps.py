"""Laws in time whose speed jumps are blows, and those whose place jumps are refused: against the equations by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def hung(law: str, how: str, stiffness: float = 40.0, damping: float = 0.2) -> da.Mechanism:
    """A mass of 2 on a spring and damper, whose other end follows a law: driven, by a device, or as a joint in time."""
    m = da.Mechanism("hung")
    near, far = m.body("near", mass=1), m.body("far", mass=2)
    if how == "joint":
        m.join(da.earth, near, da.composite([], [law, 0, 0]), name="p")
    else:
        m.join(da.earth, near, da.prismatic("x"), name="p")
        m.drive("p.x", law, by="q.x" if how == "device" else None, name="d")
    m.join(near, far, da.prismatic("x").with_efforts(x=f"-{stiffness}*x - {damping}*x'"), name="q")
    return m


@pytest.mark.parametrize("seed", range(6))
def test_a_driven_end_that_sets_off_at_once_pulls_what_hangs_on_it(seed):
    """The mass keeps its speed in the blow: q' jumps by minus the jump of the law's speed."""
    draw = np.random.default_rng(seed)
    begin, pace, k, c = draw.uniform(0.2, 1.8), draw.uniform(-2, 2), draw.uniform(5, 90), draw.uniform(0, 1)
    law = draw.choice(["max(t - {b}, 0)*{v}", "where(t < {b}, 0, {v}*(t - {b}))", "{v}*(abs(t - {b}) + t - {b})/2"])
    with pytest.warns(UserWarning, match="another speed at once, which is a blow"):
        mo = hung(str(law).format(b=begin, v=pace), "drive", k, c).simulate((0, 2), **EXACT)
    span = (begin, 2.0)
    there = solve_ivp(lambda t, y: [y[1], -(k * y[0] + c * y[1]) / 2], span, [0, -pace], rtol=1e-11, atol=1e-13).y[
        :, -1
    ]
    assert mo["q.x"][-1] == pytest.approx(there[0], abs=1e-5)  # the step behind the corner is short, not nothing
    assert mo["q.x'"][-1] == pytest.approx(there[1], abs=1e-4)


@pytest.mark.parametrize("how", ["joint", "device"])
@pytest.mark.parametrize("law", ["max(t - 1, 0)", "0.1*abs(sin(7*t))"])
def test_a_blow_that_the_equations_do_not_pass_on_is_refused(law, how):
    with pytest.raises(da.SimulationError, match="another speed at once"):
        hung(law, how).simulate((0, 2))


@pytest.mark.parametrize("how", ["joint", "drive"])
@pytest.mark.parametrize("law", ["where(t < 1, 0, 0.1)", "0.05*sign(t - 1)"])
def test_a_place_that_jumps_is_refused(law, how):
    with pytest.raises(da.SimulationError, match="another place at once"):
        hung(law, how).simulate((0, 2))


@pytest.mark.parametrize("how", ["joint", "drive"])
def test_what_begins_with_an_acceleration_is_no_blow(how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo = hung("where(t < 1, 0, (t - 1)^2)", how).simulate((0, 2), **EXACT)
    there = solve_ivp(lambda t, y: [y[1], -(40 * y[0] + 0.2 * y[1]) / 2 - 2], (1, 2), [0, 0], rtol=1e-11, atol=1e-13).y[
        :, -1
    ]
    assert mo["q.x"][-1] == pytest.approx(there[0], abs=1e-7)


def test_a_joint_in_time_that_carries_nothing_may_set_off_at_once():
    m = da.Mechanism("pointer")
    m.join(da.earth, m.body("hand", mass=1), da.composite([], [0, 0, "max(t - 1, 0)"]), name="p")
    m.join(da.earth, m.body("other", mass=1), da.prismatic("x"), name="q")
    with pytest.warns(UserWarning, match="which is a blow"):
        mo = m.simulate((0, 2), start={"q.x'": 1.0})
    assert mo["q.x"][-1] == pytest.approx(2.0)


@pytest.mark.parametrize("law", ["-max(t - 1, 0)", "0.1*abs(sin(7*t))"])
def test_a_table_that_sets_off_at_once_is_refused(law):
    """It left a ball behind that moved on with it, as if glued."""
    m = da.Mechanism("table")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("z"), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact(f"p.x - ({law})", name="table")
    with pytest.raises(da.SimulationError, match="another speed at once"):
        m.simulate((0, 2))


@pytest.mark.parametrize("kept", [True, False])
def test_a_belt_that_sets_off_at_once_is_refused(kept):
    """A block on it was as quick as the belt at once, through a step over the corner."""
    m = da.Mechanism("belt")
    m.join(da.earth, m.body("b", mass=1), da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    slip = "p.x' - where(t < 1, 0, 1)"
    if kept:
        m.constrain("p.z = 0", by=da.coulomb(0.3, slip), name="belt")
    else:
        m.contact("p.z", friction=0.3, slip=slip, name="belt")
    with pytest.raises(da.SimulationError, match="another speed at once"):
        m.simulate((0, 2))


def test_a_belt_that_quickens_carries_a_block_along():
    """It sticks while the belt quickens by less than mu g, and slips behind where it quickens by more."""
    m = da.Mechanism("belt")
    m.join(da.earth, m.body("b", mass=1), da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact("p.z", friction=0.3, slip="p.x' - 2*max(t - 1, 0)", name="belt")
    assert m.simulate((0, 2))["p.x'"][-1] == pytest.approx(2.0, abs=1e-6)


def test_ensembles_refuse_them_too():
    system = da.simulate.system_of(hung("max(t - 1, 0)", "joint"))
    with pytest.raises(da.SimulationError, match="another speed at once"):
        da.simulate.run_many(system, (0, 2), start={"q.x": np.array([0.0, 0.1])})
