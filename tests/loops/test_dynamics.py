"""Closed loops in motion: closed forms, conservation, redundant rows, singular postures, reactions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.constraints.independence import TOLD_APART
from dalembert.dynamics import dynamics_of
from linkages import four_bar, slider_crank


def closure_gap(m: da.Mechanism, mo) -> float:
    gaps = [x for x in dynamics_of(m.layout()).rows.gap if x is not ex.ZERO]
    values = {ex.symbol(name): mo[name] for name in mo.names} | {ex.symbol(k): v for k, v in m.given.items()}
    return max(float(np.abs(x).max()) for x in ex.evaluate(gaps, values))


def slider_crank_by_hand(t: np.ndarray) -> np.ndarray:
    """One equation in the crank angle: J(a) a'' + J'(a) a'^2 / 2 = -dV/da, everything in closed form."""
    r, l, g = 0.2, 0.5, 9.81

    def geometry(a):
        b = -np.arcsin(r * np.sin(a) / l)
        db = -r * np.cos(a) / (l * np.cos(b))
        return b, db

    def inertia(a):
        b, db = geometry(a)
        dx = -r * np.sin(a) - l * np.sin(b) * db
        gx, gy = -r * np.sin(a) - 0.25 * np.sin(b) * db, r * np.cos(a) + 0.25 * np.cos(b) * db
        return 0.01 + 0.1**2 + 0.02 * db**2 + 0.5 * (gx**2 + gy**2) + 2 * dx**2

    def potential(a):
        return g * (0.1 * np.sin(a) + 0.5 * (r * np.sin(a) + 0.25 * np.sin(geometry(a)[0])))

    def slope(f, a, h=1e-4):
        return (8 * (f(a + h) - f(a - h)) - (f(a + 2 * h) - f(a - 2 * h))) / (12 * h)

    def rhs(_, y):
        a, w = y
        return [w, -(0.5 * slope(inertia, a) * w * w + slope(potential, a)) / inertia(a)]

    return solve_ivp(rhs, (0, t[-1]), [0.4, 12.0], t_eval=t, rtol=1e-13, atol=1e-13, method="DOP853").y[0]


def test_slider_crank_follows_its_closed_form():
    m = slider_crank()
    t = np.linspace(0, 1, 41)
    mo = m.simulate((0, 1), t_eval=t, rtol=1e-13, atol=1e-14)
    assert np.abs(mo["main.th"] - slider_crank_by_hand(t)).max() < 1e-10
    a = mo["main.th"]
    x = 0.2 * np.cos(a) + np.sqrt(0.25 - (0.2 * np.sin(a)) ** 2)
    assert np.abs(mo["rail.x"] - x).max() < 1e-12
    assert closure_gap(m, mo) < 1e-12


def test_four_bar_keeps_energy_closure_and_what_the_user_gives():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 10), start={"A.th": 1.0, "A.th'": 8.0}, rtol=1e-11, atol=1e-12)
    energy = mo.energy()
    assert mo["A.th"][0] == pytest.approx(1.0, abs=1e-14)
    assert mo["A.th'"][0] == pytest.approx(8.0, abs=1e-13)
    assert np.ptp(energy) < 1e-8 * abs(energy[0])
    assert closure_gap(m, mo) < 1e-10


def test_a_change_point_linkage_passes_its_flat_posture():
    """0.2 + 0.5 = 0.4 + 0.3: the linkage can lie flat, where two branches meet and the rank falls."""
    m = four_bar((0.2, 0.4, 0.3), 0.5)
    mo = m.simulate((0, 5), start={"A.th": 1.0, "A.th'": 8.0}, rtol=1e-11, atol=1e-12)
    energy = mo.energy()
    assert np.ptp(mo["A.th"]) > 2 * np.pi
    assert np.ptp(energy) < 1e-8 * abs(energy[0])
    assert closure_gap(m, mo) < 1e-10


def row_of_four_bars(n: int) -> da.Mechanism:
    """The standard test of n parallelograms in a row: singular whenever the rods lie down."""
    m = da.Mechanism("row")
    uprights = []
    for i in range(n + 1):
        rod = m.body(f"v{i}", mass=1, centre=[0, 0.5, 0], inertia=[1 / 12, 0, 1 / 12])
        m.join(da.earth.at([i, 0, 0]), rod, da.revolute("z"), name=f"a{i}")
        uprights.append(rod)
    for i in range(n):
        bar = m.body(f"h{i}", mass=1, centre=[0.5, 0, 0], inertia=[0, 1 / 12, 1 / 12])
        m.join(uprights[i].at([0, 1, 0]), bar, da.revolute("z"), name=f"b{i}")
        m.join(bar.at([1, 0, 0]), uprights[i + 1].at([0, 1, 0]), da.revolute("z"), name=f"c{i}")
    m.gravity = [0, -9.81, 0]
    return m


@pytest.mark.parametrize("n", [1, 4])
def test_a_row_of_four_bars_keeps_energy_through_its_singular_posture(n):
    m = row_of_four_bars(n)
    mo = m.simulate((0, 10), start={"a0.th'": -1.0}, rtol=1e-10, atol=1e-10)
    energy = mo.energy()
    assert np.ptp(energy) < 1e-8 * abs(energy[0])
    assert closure_gap(m, mo) < 1e-10


def test_reaction_of_a_cut_link_is_what_newton_asks():
    """The slider is moved by the wrist pin alone: its reaction along the rail is mass times acceleration."""
    m = slider_crank()
    t = np.linspace(0.1, 0.9, 81)
    mo = m.simulate((0, 1), rtol=1e-11, atol=1e-12)
    force = mo.at(t)["wrist.Fx"]
    speed = mo.sol(t + 1e-5)[list(mo.names).index("rail.x'")] - mo.sol(t - 1e-5)[list(mo.names).index("rail.x'")]
    assert np.abs(force - 2 * speed / 2e-5).max() < 1e-3 * np.abs(force).max()


def test_a_spring_in_the_cut_link_acts_as_in_a_tree_link():
    """The same linkage cut elsewhere has the same motion, springs included."""
    motions = []
    for cut in ((), ("B",)):
        m = da.Mechanism("sprung four-bar")
        lengths = (0.2, 0.4, 0.35)
        a, b, c = (
            m.body(n, mass=1, centre=[l / 2, 0, 0], inertia=[0.005, 0.005, 0.01])
            for n, l in zip("abc", lengths, strict=True)
        )
        joins = [
            (da.earth, a, "A"),
            (a.at([0.2, 0, 0]), b, "B"),
            (da.earth.at([0.5, 0, 0]), c, "D"),
            (b.at([0.4, 0, 0]), c.at([0.35, 0, 0]), "C"),
        ]
        if cut:
            joins = [joins[2], joins[0], joins[1], joins[3]]
        for first, second, name in joins:
            spring = da.revolute("z").with_efforts(th="-2*th - 0.1*th'") if name in "BC" else da.revolute("z")
            m.join(first, second, spring, name=name)
        mo = m.simulate((0, 1), start={"A.th": 1.0}, t_eval=np.linspace(0, 1, 11), rtol=1e-11, atol=1e-12)
        motions.append(mo["A.th"])
        assert [one.link.name for one in m.layout().cuts] == (["B"] if cut else ["C"])
    assert np.abs(motions[0] - motions[1]).max() < 1e-8


def test_a_linkage_that_cannot_close_says_so():
    m = four_bar((0.1, 0.1, 0.1), 0.9)
    with pytest.raises(da.SimulationError, match="cannot be assembled"):
        m.simulate((0, 1))


@pytest.mark.parametrize("formalism", ["mixed", "lagrange", "kane", "newton-euler", "gibbs-appell"])
def test_every_formalism_has_the_same_accelerations_in_a_loop(formalism):
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.1), start={"A.th": 1.0, "A.th'": 8.0})
    state = {ex.symbol(name): mo[name][-1] for name in mo.names}
    eq = m.equations(formalism)
    expected = ex.evaluate(dynamics_of(m.layout()).accelerations(), state)
    assert np.allclose(ex.evaluate(list(eq.accelerations), state), expected, rtol=1e-10)
    left = np.array(ex.evaluate(list(eq.mass_matrix.entries), state)).reshape(3, 3) @ expected
    constraint = np.array(ex.evaluate(list(eq.constraint.entries), state)).reshape(eq.constraint.shape)
    right = ex.evaluate(list(eq.right_side), state) + constraint.T @ ex.evaluate(list(eq.multipliers), state)
    assert np.allclose(left, right, atol=1e-9)


@pytest.mark.parametrize("linkage", ["four-bar", "slider crank"])
def test_the_differential_algebraic_method_converges_to_the_projected_motion(linkage):
    """Two integrations that share no step: index 3 by generalised alpha, and projection; the first is of order two."""
    m = four_bar((0.2, 0.4, 0.35), 0.5) if linkage == "four-bar" else slider_crank()
    start, name = ({"A.th": 1.0, "A.th'": 3.0}, "A.th") if linkage == "four-bar" else ({}, "main.th")
    reference = m.simulate((0, 0.5), start=start, rtol=1e-11, atol=1e-12)[name][-1]
    errors = []
    for step in (4e-3, 2e-3):
        mo = m.simulate((0, 0.5), start=start, method="DAE", max_step=step)
        errors.append(abs(mo[name][-1] - reference))
        assert closure_gap(m, mo) < 1e-11
    assert errors[1] < 1e-3
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("levels", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_antenna_of_the_thesis_falls_without_losing_energy(families, levels):
    """Redundant at every posture, and it passes flat ones where two more rows are lost together."""
    built = families.antenna(levels)
    m = da.Mechanism("antenna")
    m.__dict__.update(built.__dict__)
    m.gravity = [0.3, -9, -1]
    mo = m.simulate((0, 2), start=families.antenna_posture(levels), rtol=1e-10, atol=1e-12)
    assert np.ptp(mo.energy()) < 1e-9 * mo.kinetic_energy().max()
    assert len(mo.t) < 1000
    assert closure_gap(m, mo) < 2 * TOLD_APART**2  # rows are left out within this angle of a flat posture


def test_without_a_start_mobility_is_judged_where_a_motion_begins():
    m = da.Mechanism("four-bar")
    a, b, c = (m.body(x, mass=1, inertia=[1, 1, 1]) for x in "abc")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([4, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([3.5, 0, 0]), c.at([2.5, 0, 0]), da.revolute("z"), name="C")
    mo = m.simulate((0, 0.1))
    judged = m.mobility()
    assert judged.dof == 1
    for name, value in judged.at.items():
        assert np.angle(np.exp(1j * (value - mo[name][0]))) == pytest.approx(0, abs=1e-8)
