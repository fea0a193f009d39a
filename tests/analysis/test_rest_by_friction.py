"""Equilibria of machines whose kept contacts rub: sets of postures, their ends and the friction they need."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import fsolve

import dalembert as da

G = 9.81


def railed(name="block", gravity=(0, 0, -G), pull="0", slip="x.x'", friction=0.3, mass=2.0):
    m = da.Mechanism(name)
    cart, block = m.body("cart"), m.body("block", mass=mass)
    m.join(da.earth, cart, da.prismatic("x"), name="x")
    m.join(cart, block, da.prismatic("z"), name="z")
    m.gravity = list(gravity)
    m.force(block, [pull, 0, 0])
    m.constrain("z.x = 0", by=da.coulomb(friction, slip), name="rail")
    return m


@pytest.mark.parametrize("stiffness", [50.0, 2e-9, 3e14])
def test_a_block_on_a_spring_rests_within_the_hold_of_its_friction(stiffness):
    (found,) = railed(pull=f"-{stiffness}*x.x").equilibria(starts=30)
    end = 0.3 * 2 * G / stiffness
    assert found.ranges["x.x"] == pytest.approx((-end, end), rel=1e-9)
    assert found.coordinates["x.x"] == 0
    assert found.stability == "stable"
    assert "none of its friction" in found.reason
    assert "held for x.x from" in str(found)
    assert found.as_dict()["ranges"]["x.x"] == list(found.ranges["x.x"])


def test_on_a_slope_it_rests_everywhere_or_nowhere():
    (found,) = railed(gravity=(2, 0, -9)).equilibria(starts=20)
    assert found.ranges["x.x"] == (-np.inf, np.inf)
    assert "held for any x.x" in str(found)
    assert found.as_dict()["ranges"]["x.x"] == [None, None]
    assert found.contacts["rail"] == pytest.approx((18, -4))
    assert f"{2 / 9 / 0.3:.4g} of its friction" in found.reason
    assert railed(gravity=(3, 0, -9)).equilibria(starts=20) == []


def test_on_a_belt_it_rests_while_it_slides():
    (found,) = railed(pull="-50*x.x - 3*x.x'", slip="x.x' - 0.7").equilibria()
    assert found.coordinates["x.x"] == pytest.approx(0.3 * 2 * G / 50, rel=1e-9)
    assert found.stability == "asymptotically stable"
    assert sorted(z.imag for z in found.eigenvalues)[1] == pytest.approx(np.sqrt(25 - 0.75**2), rel=1e-9)


def turntable():
    """A bead in a radial slot of a driven table, on a spring, rubs on the floor below."""
    m = da.Mechanism("table")
    table, slide, bead = m.body("table", inertia=[1, 1, 1]), m.body("slide"), m.body("bead", mass=0.5)
    m.join(da.earth, table, da.revolute("z"), name="yaw")
    m.join(table, slide, da.prismatic("x").with_efforts(x="-40*(x - 0.3)"), name="r")
    m.join(slide, bead, da.prismatic("z"), name="z")
    m.gravity = [0, 0, -G]
    m.drive("yaw.th'", 3.0, name="motor")
    m.constrain("z.x = 0", by=da.coulomb("mu", "r.x'", "r.x*yaw.th'"), name="floor")
    m.given = {"mu": 0.2}
    m.start = {"r.x": 0.3}
    return m


def test_a_steady_motion_in_which_a_contact_slides():
    """m w^2 x = k (x - l), and friction damps small motions by mu g / (w x)."""
    (found,) = turntable().equilibria(speeds={"yaw.th'": 3.0}, starts=20, spread=1.0)
    place = 40 * 0.3 / (40 - 0.5 * 9)
    assert found.coordinates["r.x"] == pytest.approx(place, rel=1e-9)
    assert "while floor slides" in found.reason  # undecided: the angle of the table is anywhere
    rates = np.roots([1, 0.2 * G / (3 * place), 40 / 0.5 - 9])
    told = [z for z in found.eigenvalues if abs(z) > 1e-6]
    assert sorted(z.real for z in told) == pytest.approx(sorted(z.real for z in rates), rel=1e-7)
    assert sorted(z.imag for z in told) == pytest.approx(sorted(z.imag for z in rates), rel=1e-7)


def test_a_steady_motion_without_slip_is_refused():
    m = railed(pull="-50*x.x")
    m.join(da.earth, m.body("wheel", inertia=[1, 1, 1]), da.revolute("y"), name="w")
    with pytest.raises(da.ModelError, match="'rail' of 'block' does not slip"):
        m.equilibria(speeds={"w.th'": 2.0})


@pytest.mark.parametrize("friction", [0, "mu"])
def test_without_friction_it_is_what_it_would_be(friction):
    """A block that a spring pushes away: friction holds it near the middle, none lets it go."""
    m = railed(pull="50*x.x", friction=friction)
    (found,) = m.equilibria({"mu": 0.0} if friction else {}, starts=10)
    assert (found.stability, found.ranges) == ("unstable", {})
    assert "friction" not in found.reason
    if friction:
        (held,) = m.equilibria({"mu": 0.3}, starts=10)
        assert held.stability == "stable"
        assert held.ranges["x.x"] == pytest.approx((-0.3 * 2 * G / 50, 0.3 * 2 * G / 50))


def test_a_ladder_in_two_slots_leans_as_the_textbook_says():
    m = da.Mechanism("ladder")
    rod = m.body("rod", mass=3.0, inertia=[0.25] * 3)
    m.join(da.earth, rod, da.planar(), name="p")
    m.gravity = [0, -G, 0]
    m.frame("foot", rod.at([0.5, 0, 0]))
    m.frame("top", rod.at([-0.5, 0, 0]))
    m.constrain("foot.Y = 0", by=da.coulomb("mu", "foot.X'"), name="floor")
    m.constrain("top.X = 0", by=da.coulomb("mu", "top.Y'"), name="wall")
    found = m.equilibria({"mu": 0.3}, starts=30)
    lean = np.arctan((1 - 0.3**2) / (2 * 0.3))
    ends = sorted(one.ranges["p.th"] for one in found)
    assert ends == [pytest.approx((lean - np.pi, -lean)), pytest.approx((lean, np.pi - lean))]
    assert found[0].ranges["p.x"] == pytest.approx((-0.5 * np.cos(lean), 0.5 * np.cos(lean)))
    assert {one.stability for one in found} == {"undecided"}  # upright the wall carries nothing


def test_feet_that_share_a_load_hold_while_some_division_of_it_does():
    m = da.Mechanism("crate")
    b = m.body("b", mass=2.0, inertia=[0.1] * 3)
    m.join(da.earth, b, da.planar(), name="p")
    m.gravity = [0, -G, 0]
    m.force(b, ["-20*p.x", 0, 0])
    for name, x, friction in (("left", -0.3, 0.3), ("right", 0.3, 0.2)):
        m.frame(f"{name}_foot", b.at([x, -0.2, 0]))
        m.constrain(f"{name}_foot.Y = -0.2", by=da.coulomb(friction, f"{name}_foot.X'"), name=name)
    (upright,) = [one for one in m.equilibria(starts=20) if one.coordinates["p.th"] == 0]
    # N = (weight -+ F 0.2/0.3)/2, F = 0.3 N_left + 0.2 N_right
    ends = [side * 0.25 * 2 * G / (1 - side * 0.05 * 0.2 / 0.3) / 20 for side in (-1, 1)]
    assert upright.ranges["p.x"] == pytest.approx(ends, rel=1e-7)


def test_what_friction_does_not_hold_must_balance_by_itself():
    m = railed(pull="-50*x.x")
    m.join(m.bodies["block"], m.body("bob", mass=1, centre=[0, 0, -0.5]), da.revolute("y"), name="h")
    found = {round(one.coordinates["h.th"], 6): one for one in m.equilibria(starts=40)}
    assert set(found) == {0.0, round(np.pi, 6)}
    for one in found.values():
        assert one.ranges == {"x.x": pytest.approx((-0.3 * 3 * G / 50, 0.3 * 3 * G / 50), rel=1e-9)}
    assert found[0.0].stability == "undecided"
    assert found[round(np.pi, 6)].stability == "unstable"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_bead_on_a_curve_rests_where_the_slope_is_less_than_the_friction(seed):
    """Several sets, one of them without a posture that needs no friction; ends by the slope alone."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.6, 1.0), rng.uniform(0.8, 1.2), rng.uniform(-0.2, 0.2)
    mu = rng.uniform(0.15, 0.5)
    m = da.Mechanism("bead")
    m.join(da.earth, m.body("bead", mass=1.0, inertia=[1, 1, 1]), da.planar(), name="p")
    m.gravity = [0, -G, 0]
    m.constrain("p.th = 0", name="upright")
    curve, steep = f"{a}*sin({b}*p.x) + ({c})*p.x", f"({a * b}*cos({b}*p.x) + ({c}))"
    # the distance from the curve to first order, so that lambda is the normal force
    slip = f"(p.x' + {steep}*p.y')/sqrt(1 + {steep}^2)"
    m.constrain(f"(p.y - ({curve}))/sqrt(1 + {steep}^2) = 0", by=da.coulomb(mu, slip), name="wire")
    found = m.equilibria(starts=30, spread=4.0)
    slope = lambda x: a * b * np.cos(b * x) + c
    x = np.linspace(-4, 4, 80_001)
    held = np.abs(slope(x)) <= mu
    edges = np.flatnonzero(np.diff(held.astype(int)))
    starts = [0] * bool(held[0]) + [i + 1 for i in edges if not held[i]]
    for first in starts:
        last = first + int(np.argmin(held[first:])) - 1 if not held[first:].all() else len(x) - 1
        if first == 0 or last == len(x) - 1:
            continue
        inside = [one for one in found if x[first] - 1e-3 <= one.coordinates["p.x"] <= x[last] + 1e-3]
        assert inside, (x[first], x[last])
        for one in inside:
            assert one.ranges["p.x"] == pytest.approx((x[first], x[last]), abs=2e-4)
            for end in one.ranges["p.x"]:
                assert abs(slope(end)) == pytest.approx(mu, rel=1e-8)


def test_a_puck_on_two_springs_may_be_moved_along_each_axis():
    m = da.Mechanism("puck")
    bodies = [m.body("a"), m.body("b"), m.body("puck", mass=2.0)]
    before = da.earth
    for axis, body in zip("xyz", bodies, strict=True):
        m.join(before, body, da.prismatic(axis), name=axis)
        before = body
    m.gravity = [0, 0, -G]
    m.force(bodies[-1], ["-50*x.x", "-20*y.x", 0])
    m.constrain("z.x = 0", by=da.coulomb(0.3, "x.x'", "y.x'"), name="floor")
    (found,) = m.equilibria(starts=30)
    for name, stiffness in (("x.x", 50), ("y.x", 20)):
        end = 0.3 * 2 * G / stiffness
        assert found.ranges[name] == pytest.approx((-end, end), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_motions_stay_at_the_ends_and_leave_beyond_them(seed):
    """Random machines: `simulate` decides from the same posture, by another road."""
    rng = np.random.default_rng(seed)
    m = da.Mechanism("arm")
    a, b = m.body("a", mass=1.0, centre=[0.3, 0, 0], inertia=[0.1] * 3), m.body("b", mass=1.5, centre=[0.2, 0.1, 0])
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([0.7, 0, 0]), b, da.revolute("z"), name="B")
    m.frame("tip", b.at([0.6, 0, 0]))
    m.gravity = [float(x) for x in G * rng.normal(size=2)] + [0.0]
    away = float(rng.uniform(0.5, 1.0))
    m.constrain(f"tip.Y = {away}", by=da.coulomb(float(rng.uniform(0.1, 0.4)), "tip.X'"), name="rail")
    one = m.equilibria(starts=20)[0]
    low, high = one.ranges["B.th"]
    for end, side in ((low, -1), (high, 1)):
        for share, still in ((-1e-4, True), (1e-4, False)):
            b = end + side * share * (high - low)
            gap = lambda a, b=b: 0.7 * np.sin(a) + 0.6 * np.sin(a + b) - away
            (a,) = fsolve(gap, one.coordinates["A.th"], xtol=1e-13)
            mo = m.simulate((0, 0.05), start={"A.th": a, "B.th": b})
            assert (bool(mo["rail.sticks"].all()) and np.ptp(mo["B.th"]) < 1e-9) == still
