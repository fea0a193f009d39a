"""Motions that start at a singular posture, or stay on one: speeds of a branch, relations of a branch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.dynamics.start import StartWarning, closed_start, closed_starts
from dalembert.loops import on_branch
from dalembert.mechanism import Layout
from dalembert.simulate import simulate
from linkages import four_bar, rod, with_stretched_dyad


def flat(unit: float = 1.0) -> da.Mechanism:
    """Crank and rocker of 1, coupler and ground of 2: parallelogram and antiparallelogram meet where it lies flat."""
    m = four_bar((unit, 2 * unit, unit), 2 * unit)
    m.name = "flat parallelogram"
    m.gravity = [0, 0, 0]
    return m


def stretched_triangle(unit: float = 1.0) -> da.Mechanism:
    """Two rods stretched between two pins: rigid, but shaky."""
    m = da.Mechanism("stretched triangle")
    a, b = rod(m, "a", unit), rod(m, "b", unit)
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([unit, 0, 0]), b, da.revolute("z"), name="B")
    m.join(b.at([unit, 0, 0]), da.earth.at([2 * unit, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81 * unit, 0]
    return m


def drift(mo) -> float:
    energy = mo.energy()
    return np.ptp(energy) / np.abs(energy).max()


# --- branches that meet ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_flat_parallelogram_takes_the_branch_of_least_kinetic_energy_and_says_so(unit):
    m = flat(unit)
    with pytest.warns(StartWarning, match=r"branches meet.*D\.th' = 3.*Another has D\.th' = -9"):
        mo = m.simulate((0, 2), start={"A.th'": 3.0}, rtol=1e-11, atol=1e-12)
    assert mo["A.th'"][0] == pytest.approx(3.0, abs=1e-13)
    assert [mo["B.th'"][0], mo["D.th'"][0]] == pytest.approx([-3.0, 3.0], abs=1e-12)
    assert "branches meet" in mo.message
    assert drift(mo) < 1e-8


def test_another_speed_chooses_the_other_branch():
    mo = flat().simulate((0, 2), start={"A.th'": 3.0, "D.th'": -9.0}, rtol=1e-11, atol=1e-12)
    assert mo["B.th'"][0] == pytest.approx(-9.0, abs=1e-12)
    assert "branches" not in mo.message
    assert drift(mo) < 1e-8
    assert np.abs(mo["A.th"] - mo["D.th"]).max() > 1  # an antiparallelogram


def test_speeds_of_a_branch_as_people_round_them_move_to_it_the_first_one_kept():
    start = closed_start(flat().layout(), {"A.th'": 3.0, "D.th'": -9.01, "B.th'": -9.0})
    assert start.values["A.th'"] == 3.0
    assert start.values["D.th'"] == pytest.approx(-9.0, abs=1e-12)
    assert [one.name for one in start.moved] == ["D.th'"]


def test_speeds_between_the_branches_are_refused_with_the_nearest():
    with pytest.raises(da.SimulationError, match=r"cannot start with A\.th' = 3, D\.th' = -7.*nearest motion has A"):
        closed_start(flat().layout(), {"A.th'": 3.0, "D.th'": -7.0, "B.th'": -8.0})


def test_many_starts_choose_as_one_does():
    speeds = np.array([0.0, 1.0, -2.0])
    many = closed_starts(flat().layout(), {"A.th'": speeds})
    assert many.values["D.th'"] == pytest.approx(speeds, abs=1e-12)
    assert many.singular
    assert len(many.choices) == 1


def test_random_change_point_linkages_start_flat_on_a_branch():
    """a + d = b + c: flat with A at half a turn. A speed of the crank begins a motion, which keeps its energy."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        a, b, c = rng.uniform(0.3, 1.0, 3)
        m = four_bar((a, b, c), b + c - a)
        if b + c - a < 0.1:
            continue
        start = {"A.th": math.pi, "B.th": math.pi, "D.th": math.pi, "A.th'": 6.0}
        with pytest.warns(StartWarning, match="branches meet"):
            mo = m.simulate((0, 1), start=start, rtol=1e-11, atol=1e-12)
        assert mo["A.th'"][0] == pytest.approx(6.0, abs=1e-13)
        assert drift(mo) < 1e-8


def test_a_driven_flat_linkage_follows_its_drive_on_one_branch():
    m = da.Mechanism("driven")
    a, b, c = rod(m, "a", 1.0), rod(m, "b", 2.0), rod(m, "c", 1.0)
    drive = da.Joint((), (da.Step(da.Displacement.of([0, 0, 0], da.turn("3*t", "z"))),))
    m.join(da.earth, a, drive, name="A")
    m.join(a.at([1, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([2, 0, 0]), c.at([1, 0, 0]), da.revolute("z"), name="C")
    with pytest.warns(StartWarning, match="branches meet"):
        mo = m.simulate((0, 0.9), rtol=1e-11, atol=1e-12)
    assert np.abs(mo["D.th"] - 3 * mo.t).max() < 1e-8
    assert closed_start(m.layout(), {"D.th'": -9.0}).values["B.th'"] == pytest.approx(-9.0)


# --- shaky postures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_stretched_triangle_refuses_its_shaky_speed_and_stands_still(unit):
    m = stretched_triangle(unit)
    with pytest.raises(da.SimulationError, match=r"cannot start with A\.th' = 1.*shaky"):
        m.simulate((0, 1), start={"A.th'": 1.0})
    mo = m.simulate((0, 1))
    assert np.abs(mo.y).max() < 1e-14


def test_a_triangle_beside_its_stretched_posture_is_not_shaky():
    m = stretched_triangle()
    m.join(m.bodies["b"].at([1, 0, 0]), m.body("c", mass=1), da.revolute("z"), name="E")
    assert closed_start(m.layout(), {"E.th'": 2.0}).values["E.th'"] == 2.0


# --- closures that are singular all along ---------------------------------------------------------------------------


def test_a_stretched_dyad_rides_on_a_four_bar_by_the_relations_of_its_branch():
    m = with_stretched_dyad()
    start = {"A.th": 1.0, "A.th'": 3.0, "P.th": 0.3}
    mo = m.simulate((0, 2), start=start, rtol=1e-11, atol=1e-12)
    assert "relations that its loops force" in mo.message
    assert "Q.th = 0" in mo.message
    assert drift(mo) < 1e-8
    assert np.abs(mo["Q.th"]).max() < 1e-12
    assert mo["A.th'"][0] == pytest.approx(3.0, abs=1e-13)
    with pytest.raises(da.SimulationError, match=r"P\.th' = 1.*nearest motion has A\.th' = 3, P\.th' = 0"):
        m.simulate((0, 2), start={**start, "P.th'": 1.0})


def test_the_antenna_of_the_thesis_keeps_its_energy_and_its_rods_parallel(families):
    m = families.antenna(1)
    m.gravity = [-9.81, 0, 0]
    mo = simulate(m, (0, 1), rtol=1e-11, atol=1e-12)
    assert drift(mo) < 1e-8
    assert np.abs(mo["j10.th"] + mo["j21.th"] + mo["j32.th"]).max() < 1e-12
    assert mo.nfev < 5000  # 200 000 without the relations


def test_relations_are_asked_for_only_where_the_closure_is_singular_all_along(families):
    machines = [(flat(), {"A.th'": 3.0}), (flat(), {"A.th": 0.3}), (four_bar((0.2, 0.4, 0.35), 0.5), {"A.th": 1.0})]
    for m, start in machines:
        layout, word = on_branch(m.layout(), start)
        assert not layout.further
        assert not word
    layout, _ = on_branch(Layout.of(families.antenna(1)))
    assert len(dynamics_of(layout).rows) == len(dynamics_of(Layout.of(families.antenna(1))).rows) + 3


def test_a_drive_that_a_stiff_loop_forbids_is_told_though_everything_rests():
    m = da.Mechanism("stiff")
    a, b = (m.body(x, mass=1, inertia=[1, 1, 1]) for x in "ab")
    m.join(da.earth, a, da.revolute("z"), name="a")
    m.join(a, b, da.revolute("z"), name="b")
    pushed = da.Displacement.of(["(1 - cos(3*t))/4", 0, 0])
    m.join(a.at([1, 0, 0]), b.at([1, 0, 0]), da.composite([], pushed), name="push")
    with pytest.raises(da.SimulationError, match="cannot start with what its drives ask for"):
        m.simulate((0, 0.2))
