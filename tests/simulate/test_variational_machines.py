"""Variational steps of machines: their order, the symplectic form, momenta, loops, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate.methods.variational import lobatto
from linkages import four_bar

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.simulate.QualityWarning")

START = {"A.th": 1.0, "A.th'": 3.0}


def arm(size: float = 1.0, damping: float = 0.0) -> da.Mechanism:
    """Two links that turn about axes which are not parallel: masses that depend on the posture."""
    m = da.Mechanism("arm")
    inertias = [[x * size**2 for x in one] for one in ([0.2, 0.3, 0.4], [0.02, 0.1, 0.1])]
    base = m.body("base", mass=2, centre=[0.1 * size, 0, 0.2 * size], inertia=inertias[0])
    tip = m.body("tip", mass=1, centre=[0.3 * size, 0.1 * size, 0], inertia=inertias[1])
    m.join(da.earth, base, da.revolute("z"), name="turn")
    m.join(base.at([0.4 * size, 0, 0.1 * size]), tip, da.revolute("y").with_efforts(th=f"-{damping}*th'"), name="lift")
    m.gravity = [0, 0, -9.81 * size]
    m.start = {"turn.th'": 1.5, "lift.th": 0.4, "lift.th'": -0.7}
    return m


@pytest.mark.parametrize(("method", "order"), [("RATTLE", 2), ("variational", 4), ("variational6", 6)])
@pytest.mark.parametrize("machine", ["tree", "loop", "damped"])
def test_the_error_of_a_motion_falls_with_the_order_of_the_method(method, order, machine):
    m = four_bar((0.2, 0.4, 0.35), 0.5) if machine == "loop" else arm(damping=0.3 if machine == "damped" else 0.0)
    start = START if machine == "loop" else None
    reference = m.simulate((0, 0.4), start=start, rtol=1e-12, atol=1e-13).y[:, -1]
    steps = (0.04, 0.02)
    ends = [m.simulate((0, 0.4), start=start, method=method, max_step=h) for h in steps]
    errors = [np.abs(end.y[:, -1] - reference).max() for end in ends]
    assert errors[0] / errors[1] > 2 ** (order - 0.5)
    assert machine != "loop" or max(one.quality.closure for one in ends) < 1e-13


@pytest.mark.parametrize("pieces", [1, 2, 3, 4, 5])
def test_lobattos_rule_is_exact_up_to_its_degree(pieces):
    rule = lobatto(pieces)
    for k in range(2 * pieces):
        assert rule.weights @ rule.points**k == pytest.approx(1 / (k + 1), abs=1e-14)
    for k in range(1, pieces + 1):
        assert rule.slopes @ rule.points**k == pytest.approx(k * rule.points ** (k - 1), abs=1e-12)


@pytest.mark.parametrize("method", ["variational2", "variational4"])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_keeps_the_symplectic_form(method, seed):
    """J^T Omega J = Omega in coordinates and momenta, J by central differences of a whole step; DOP853 does not."""
    rng, m, h, d = np.random.default_rng(seed), arm(), 0.2, 1e-5
    mass = m.compile().mass_matrix
    y0 = np.concatenate([rng.uniform(-1, 1, 2), rng.uniform(-2, 2, 2)])

    def step(z: np.ndarray, method: str) -> np.ndarray:
        start = dict(
            zip(("turn.th", "lift.th", "turn.th'", "lift.th'"), [*z[:2], *np.linalg.solve(mass(z[:2]), z[2:])])
        )
        options = (
            {"method": method, "max_step": h} if method != "BS23" else {"method": method, "first_step": h, "rtol": 0.1}
        )
        with_speeds = m.simulate((0, h), start=start, **options).y[:, -1]
        return np.concatenate([with_speeds[:2], mass(with_speeds[:2]) @ with_speeds[2:]])

    z0 = np.concatenate([y0[:2], mass(y0[:2]) @ y0[2:]])
    omega = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    def lost(method: str) -> float:
        columns = [(step(z0 + d * e, method) - step(z0 - d * e, method)) / (2 * d) for e in np.eye(4)]
        jacobian = np.array(columns).T
        return float(np.abs(jacobian.T @ omega @ jacobian - omega).max())

    assert lost(method) < 1e-8
    assert lost("BS23") > 1e-6


def test_energy_does_not_drift_and_momenta_are_kept():
    """Over five thousand steps about a vertical axis the swing of the energy is as large at the end as at the start."""
    m = arm()
    mo = m.simulate((0, 200), method="variational2", max_step=0.04)
    energy = mo.energy() - mo.energy()[0]
    first, last = energy[: len(energy) // 4], energy[-len(energy) // 4 :]
    assert abs(first.mean() - last.mean()) < 0.1 * np.ptp(first)
    about_vertical = mo["total.LZ"]
    assert np.ptp(about_vertical) < 1e-9 * abs(about_vertical[0])


def test_conditions_that_say_the_same_twice_are_kept():
    """A plane linkage of spatial hinges: three of its six rows say nothing new."""
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 1), start=START, method="variational6", max_step=0.005)
    reference = m.simulate((0, 1), start=START, rtol=1e-12)
    assert np.abs(mo.y[:, -1] - reference.y[:, -1]).max() < 2e-8
    assert mo.quality.closure < 1e-13


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_the_unit_of_length_changes_nothing(size):
    told = arm(size).simulate((0, 1), method="variational4", max_step=0.02)
    assert told.y[:, -1] == pytest.approx(
        arm().simulate((0, 1), method="variational4", max_step=0.02).y[:, -1], rel=1e-9
    )


def test_between_steps_the_motion_is_told_as_well_as_at_them():
    m, times = arm(), np.linspace(0, 1, 57)
    reference = m.simulate((0, 1), rtol=1e-12, atol=1e-13).sol(times)
    errors = [
        np.abs(m.simulate((0, 1), method="variational6", max_step=h).sol(times) - reference).max()
        for h in (0.05, 0.025)
    ]
    assert errors[0] < 1e-5
    assert errors[0] / errors[1] > 2**4.5
    found = m.simulate((0, 2), method="variational6", max_step=0.02, events="lift.th").t_events[0]
    assert found == pytest.approx(m.simulate((0, 2), rtol=1e-12, events="lift.th").t_events[0], abs=1e-8)


def test_driven_gears_and_moving_bases_are_followed():
    """A condition that time moves: the arm's base turns as told."""
    m = arm()
    m.constrain("turn.th - 0.3*sin(2*t)", name="told")
    start = {"turn.th'": 0.6, "turn.th": 0}
    reference = m.simulate((0, 1), start=start, rtol=1e-11).y[:, -1]
    mo = m.simulate((0, 1), start=start, method="variational4", max_step=0.01)
    assert np.abs(mo.y[:, -1] - reference).max() < 1e-6


def refused(m: da.Mechanism, because: str, **options) -> None:
    with pytest.raises(da.SimulationError, match=because):
        m.simulate((0, 0.1), method="variational", **{"max_step": 0.01, **options})


def test_what_no_action_tells_is_refused():
    refused(da.load("examples/constraints/rolling_disc.lsd"), "speeds come from no stationary action|not the speed")
    refused(da.load("examples/constraints/knife_edge.lsd"), "no stationary action|not the speed")
    refused(da.load("examples/constraints/servo_discs.lsd"), "not perfect|no stationary action")
    refused(da.load("examples/tennis_racket.lsd"), "not the speed")
    refused(da.load("examples/contact/bouncing_ball.lsd"), "would pass through the contacts")
    refused(arm(), "fixed step", max_step=np.inf)


@pytest.mark.parametrize("machine", ["stewart", "delta", "antenna_2", "scissor_lift"])
def test_spatial_loops_move_as_by_the_default_method(machine):
    """Ball joints, rods that turn about themselves without inertia, rows that say the same twice."""
    m = da.load(f"examples/loops/{machine}.lsd")
    mo = m.simulate((0, 0.1), method="variational", max_step=0.01)
    assert mo.quality.closure < 1e-12
    reference = m.simulate((0, 0.1), rtol=1e-10)
    places = [name for name in mo.system.coordinates if np.ptp(reference[name]) > 0]
    assert max((abs(mo[x][-1] - reference[x][-1]) for x in places), default=0.0) < 1e-4


def test_a_method_without_a_tolerance_tells_no_error_of_it():
    """A second run at a tighter tolerance would be the same motion, and its error none."""
    for method in ("variational", "DAE"):
        with pytest.raises(da.SimulationError, match="no tolerance to tighten"):
            arm().simulate((0, 0.1), method=method, max_step=0.01, errors=True)
