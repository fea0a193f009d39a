"""Radau's collocation on masses, efforts and conditions: the motion of projected integration, by another road."""

from __future__ import annotations

import math
import random
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import random_loops
from dalembert.simulate import Problem, integrate, simulate
from dalembert.simulate.methods import collocated_dae
from linkages import four_bar, pair_of_spheres

START = {"A.th": 1.0, "A.th'": 3.0}


def bars() -> da.Mechanism:
    return four_bar((0.2, 0.4, 0.35), 0.5)


def soft_four_bar(stiffness: float) -> da.Mechanism:
    """A four-bar whose coupler can be stretched against a bushing with damping."""
    m = da.Mechanism("four-bar with a bushing")
    lengths = {"crank": 0.2, "coupler": 0.4, "rocker": 0.35}
    crank, coupler, rocker = (
        m.body(n, mass=1, centre=[x / 2, 0, 0], inertia=[0, x**2, x**2]) for n, x in lengths.items()
    )
    end = m.body("end", mass=0.1, inertia=[1e-3, 1e-3, 1e-3])
    m.join(da.earth, crank, da.revolute("z"), name="A")
    m.join(crank.at([0.2, 0, 0]), coupler, da.revolute("z"), name="B")
    damping = 2 * math.sqrt(0.1 * stiffness)
    law = f"-{stiffness!r}*x - {damping!r}*x'"
    m.join(coupler.at([0.4, 0, 0]), end, da.prismatic("x").with_efforts(x=law), name="bush")
    m.join(da.earth.at([0.5, 0, 0]), rocker, da.revolute("z"), name="D")
    m.join(end, rocker.at([0.35, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"A.th": 1.0, "bush.x": 0.0}
    return m


@pytest.mark.parametrize(
    ("method", "steps", "order"), [("RADAU5-DAE", (0.02, 0.01), 5), ("RADAU9-DAE", (0.05, 0.025), 9)]
)
def test_places_and_speeds_have_the_order_of_the_method(
    method: str, steps: tuple[float, float], order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By equal steps, whose stages are found to rounding.

    Of longer steps, 1e-5 and more, the first term of the error does not rule yet; of shorter ones rounding does, 1e-11.
    """
    monkeypatch.setattr(collocated_dae, "_CONVERGED", 1e-15)
    monkeypatch.setattr(collocated_dae, "_NOTHING", 5e-16)
    right = bars().simulate((0, 0.5), start=START, rtol=1e-13, atol=1e-14).y[:, -1]
    loose = {"rtol": 1e3, "atol": 1e3, "method": method}
    ends = [bars().simulate((0, 0.5), start=START, first_step=h, max_step=h, **loose) for h in steps]
    coarse, fine = (float(np.abs(mo.y[:, -1] - right).max()) for mo in ends)
    assert math.log2(coarse / fine) > order - 0.7
    assert max(mo.quality.closure for mo in ends) < 1e-14


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("driven", [False, True])
def test_random_loops_move_as_by_projection(seed: int, driven: bool) -> None:
    m, end, rtol = random_loops.loaded(seed, driven=driven), 0.3, 1e-8
    right = simulate(m, (0, end), rtol=1e-12, atol=1e-13)
    found = simulate(m, (0, end), method=random.Random(seed).choice(("RADAU5-DAE", "RADAU9-DAE")), rtol=rtol, atol=rtol)
    times = np.linspace(0, end, 200)
    off = np.abs(found.sol(times) - right.sol(times)) / (rtol * (1 + np.abs(right.sol(times))))
    assert off.max() < 2
    assert found.quality.closure < 1e-13


@pytest.mark.parametrize(("kind", "seed"), [("spherical_loop", 7), ("bennett", 22), ("platform", 11)])
def test_rows_that_say_the_same_and_spatial_machines(kind: str, seed: int) -> None:
    m = random_loops.heavy(getattr(random_loops, kind), seed)
    right = simulate(m, (0, 0.1), rtol=1e-12, atol=1e-13)
    found = simulate(m, (0, 0.1), method="RADAU9-DAE", rtol=1e-8, atol=1e-8)
    times = np.linspace(0, 0.1, 50)
    assert np.abs(found.sol(times) - right.sol(times)).max() < 1e-7


def test_rotations_in_quaternions_and_trees() -> None:
    m, start = pair_of_spheres(), {"s.wx": 1.0, "s.wz": 2.0}
    right = m.simulate((0, 0.4), start=start, rtol=1e-11)
    found = m.simulate((0, 0.4), start=start, method="RADAU9-DAE", rtol=1e-9)
    assert found.y[:, -1] == pytest.approx(right.y[:, -1], abs=1e-8)
    tree = da.load("examples/double_pendulum.lsd")
    ends = [tree.simulate((0, 1), method=name, rtol=1e-9).y[:, -1] for name in ("RADAU5-DAE", "VERNER98")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_a_bushing_of_1e9_in_a_loop_costs_no_small_steps() -> None:
    m = soft_four_bar(1e9)
    found = m.simulate((0, 1), method="RADAU9-DAE", rtol=1e-6)
    right = m.simulate((0, 1), method="RADAU9", rtol=1e-9)
    assert found.y[:, -1] == pytest.approx(right.y[:, -1], abs=1e-5)
    assert found.accepted < 200
    assert found.quality.closure < 1e-13


def test_events_asked_times_and_ends_are_those_of_other_methods() -> None:
    watched = {"level": "A.th - 1.2", "end": da.Event("A.th - 1.3", terminal=True)}
    options = {"start": START, "rtol": 1e-9, "events": watched}
    found, right = (bars().simulate((0, 0.5), method=name, **options) for name in ("RADAU9-DAE", "VERNER98"))
    for name, times in right.events.items():
        assert found.events[name] == pytest.approx(times, abs=1e-8)
    assert found.status == 1
    times = np.linspace(0, 0.3, 31)
    asked = bars().simulate((0, 0.3), start=START, method="RADAU5-DAE", t_eval=times, rtol=1e-8)
    assert np.array_equal(asked.t, times)
    back = bars().simulate((0.3, 0), start={k: float(v) for k, v in asked.state(0.3).items() if k != "t"},
                           method="RADAU9-DAE", rtol=1e-9)  # fmt: skip
    assert back["A.th"][-1] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ["rolling_disc", "skater_2", "roller_racer", "servo_discs", "cam"])
def test_conditions_on_speeds_and_servos_that_need_no_projection_are_kept(name: str) -> None:
    path = f"examples/constraints/{name}.lsd"
    right = da.load(path).simulate((0, 0.3), rtol=1e-12, atol=1e-13)
    found = da.load(path).simulate((0, 0.3), method="RADAU9-DAE", rtol=1e-8, atol=1e-8)
    times = np.linspace(0, 0.3, 100)
    np.testing.assert_allclose(found.sol(times), right.sol(times), rtol=2e-8, atol=2e-8)


@pytest.mark.parametrize("span", [(0.0, 0.5), (0.5, 0.0)])
def test_a_push_that_begins_at_once_is_met_on_both_sides_of_its_corner(span: tuple[float, float]) -> None:
    """The last stage of the step before it lies on the corner, and saw the push already: 25 steps were rejected."""
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    m.links["A"] = replace(m.links["A"], joint=m.links["A"].joint.with_efforts(th="where(t < 0.2, 0, 1)"))
    start = {"A.th": 1.0}
    right = m.simulate(span, start=start, rtol=1e-11, atol=1e-13)
    found = m.simulate(span, start=start, rtol=1e-8, atol=1e-8, method="RADAU9-DAE")
    times = np.linspace(*span, 200)
    np.testing.assert_allclose(found.sol(times), right.sol(times), rtol=1e-8, atol=1e-8)
    assert found.rejected <= 15


@pytest.mark.filterwarnings("ignore::dalembert.simulate.QualityWarning")
def test_a_drive_whose_speed_jumps_pulls_the_loop_along() -> None:
    m = bars()
    m.drive("A.th", "1 + max(t - 0.25, 0)", name="motor")
    right, found = (m.simulate((0, 0.5), method=name) for name in ("DOP853", "RADAU9-DAE"))
    assert found["A.th"][-1] == pytest.approx(1.25, abs=1e-12)
    assert found.y[:, -1] == pytest.approx(right.y[:, -1], abs=1e-8)
    assert found.sol(0.25 - 1e-9)[m.simulate((0, 0.1)).names.index("A.th'")] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("length", "mass"), [(1e-3, 1e-3), (1e3, 1e3), (1e-6, 1e6)])
def test_the_unit_of_length_and_mass_does_not_change_the_steps(length: float, mass: float) -> None:
    found = []
    for x, mu in ((1.0, 1.0), (length, mass)):
        m = four_bar((0.2 * x, 0.4 * x, 0.35 * x), 0.5 * x, mu)
        m.gravity = [0, -9.81 * x, 0]
        found.append(m.simulate((0, 0.5), start={"A.th": 1.0}, method="RADAU9-DAE"))
    one, other = found
    assert len(one.t) == len(other.t)
    assert other.y[:, -1] == pytest.approx(one.y[:, -1], abs=1e-9)


@pytest.mark.parametrize(
    ("path", "match"),
    [
        ("constraints/sliding_point", "dry friction"),
        ("constraints/spring_servo", "hidden conditions"),
        ("constraints/billiard", "pass through the contacts"),
    ],
)
def test_what_it_would_integrate_wrongly_is_refused(path: str, match: str) -> None:
    with pytest.raises(da.SimulationError, match=match):
        da.load(f"examples/{path}.lsd").simulate((0, 0.1), method="RADAU9-DAE")


@pytest.mark.filterwarnings("ignore::dalembert.dynamics.start.StartWarning")
@pytest.mark.parametrize("start", [{"A.th": 0.0, "A.th'": 1.0}, {"A.th": 1.0, "A.th'": -3.0}])
@pytest.mark.parametrize("method", ["RADAU5-DAE", "RADAU9-DAE"])
def test_what_is_told_of_a_posture_that_loses_rows_is_right(start: dict[str, float], method: str) -> None:
    """A flat parallelogram loses rows, and steps from there or near it may take another branch: they are not made."""
    m = four_bar((1, 2, 1), 2)
    try:
        found = m.simulate((0, 0.5), start=start, method=method, rtol=1e-8, atol=1e-8)
    except da.SimulationError as error:
        if "keeps to the tolerance" not in str(error):
            raise
        found = error.partial
    right = m.simulate((0, 0.5), start=start)
    times = np.linspace(0, found.t[-1], 100)
    moved = dict(zip(found.names, found.sol(times), strict=True))
    np.testing.assert_allclose(moved["A.th"], right.sol(times)[right.names.index("A.th")], atol=1e-6)
    np.testing.assert_allclose(moved["D.th'"], moved["A.th'"], atol=1e-6)


def test_ctrl_c_keeps_what_was_computed() -> None:
    m = bars()
    m.simulate((0, 0.01), start=START, method="RADAU5-DAE")  # its code is there
    alarm = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    alarm.start()
    found = m.simulate((0, 1e6), start=START, method="RADAU5-DAE")
    alarm.join()
    assert found.status == 2
    assert 0 < found.t[-1] < 1e6
    assert len(found.t) == found.accepted + 1


@pytest.mark.parametrize("wrong", [{"first_step": 0.0}, {"max_step": -1.0}, {"rtol": -1.0}])
def test_steps_and_tolerances_that_are_none_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(da.SimulationError, match=next(iter(wrong))):
        bars().simulate((0, 0.1), start=START, method="RADAU5-DAE", **wrong)


def test_its_error_is_told_by_a_tighter_tolerance() -> None:
    found = bars().simulate((0, 0.2), start=START, method="RADAU5-DAE", rtol=1e-6, errors=True)
    assert 0 < found.error.worst < 1e-5


def test_rates_alone_are_refused() -> None:
    with pytest.raises(da.SimulationError, match="masses, efforts and conditions"):
        integrate(Problem(lambda t, y: -y, (0, 1), [1.0], method="RADAU9-DAE"))
