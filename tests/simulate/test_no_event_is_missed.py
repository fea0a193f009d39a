"""Zeros of events: all of them, and nothing else."""

from __future__ import annotations

import itertools
from math import pi

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.simulate import Event, Problem, System, integrate, run, run_many
from linkages import four_bar

x, v = ex.symbols("x x'")
PENDULUM = System(("x",), ("x'",), (v, -9.81 * ex.sin(x)), start={"x": 2.0})
SPIKE = "exp(-((t-5)*1e3)^2) - 0.5"
WATCHED = ["x - 1.9999", "sin(200*t)", "(t-2)^2 - 1e-3", "(t-2)^2 - 1e-9", "(t-2)^2 + 1e-9", "1/(t-3.3)", SPIKE]
FOUND = [7, 636, 2, 2, 0, 0, 2]


@pytest.mark.parametrize("method", ["DOP853", "VERNER98", "DOPRI5", "BS23", "RODAS4", "RADAU9", "taylor"])
def test_two_zeros_in_one_step_are_found_and_poles_are_none(method: str) -> None:
    motion = run(PENDULUM, (0, 10), events=WATCHED, method=method)
    assert [len(times) for times in motion.t_events] == FOUND
    np.testing.assert_allclose(motion.t_events[1], np.arange(1, 637) * pi / 200, rtol=1e-13)
    np.testing.assert_allclose(motion.t_events[3], 2 + np.sqrt(1e-9) * np.array([-1, 1]), rtol=1e-12)
    assert all(np.diff(times).min(initial=1) > 0 for times in motion.t_events)


def test_python_functions_are_sampled_as_closely_as_they_vary() -> None:
    functions = [
        lambda t, y: y[0] - 1.9999,
        lambda t, y: np.sin(200 * t),
        lambda t, y: (t - 2) ** 2 - 1e-6,
        lambda t, y: (t - 2) ** 2 + 1e-9,
        lambda t, y: np.tan(t - 3.3 + pi / 2),
    ]
    motion = run(PENDULUM, (0, 10), events=functions)
    assert [len(times) for times in motion.t_events] == [7, 636, 2, 0, 3]  # the tangent has zeros besides its poles


def test_random_polynomials_of_time_lose_no_zero_and_gain_none() -> None:
    """Zeros far apart and close together, some of them double, against the zeros that they were made from."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        zeros = np.sort(rng.uniform(0.1, 9.9, 3))
        zeros = np.concatenate([zeros, zeros[:1] + 10.0 ** rng.uniform(-6, -1)])
        touched = rng.uniform(0.1, 9.9)
        formula = "*".join(f"(t - {z!r})" for z in [*zeros.tolist(), touched, touched])
        (found,) = run(PENDULUM, (0, 10), events=f"({formula})*(2 + x^2)").t_events
        np.testing.assert_allclose(found, np.sort(zeros), rtol=1e-9)


def test_an_ensemble_ends_at_zeros_that_steps_would_pass() -> None:
    starts = np.array([1.99, 2.0, 2.01])
    event = Event("x - 1.9999", terminal=3)
    many = run_many(PENDULUM, (0, 10), start={"x": starts}, events=[event, "sin(5000*t)"])
    alone = [run(PENDULUM, (0, 10), start={"x": s}, events=[event]) for s in starts]
    assert many.status.tolist() == [0, 1, 1] == [one.status for one in alone]
    np.testing.assert_allclose(many.t_last, [one.t[-1] for one in alone], rtol=1e-12)


def test_more_events_than_there_is_room_for_end_a_step_not_the_motion() -> None:
    for method, step, near in (("DOP853", None, 1e-6), ("symplectic4", 0.05, 1e-3)):
        motion = run(PENDULUM, (0, 2), events="sin(20000*t)", method=method, first_step=step)
        assert len(motion.t_events[0]) == int(40000 / pi)
        plain = run(PENDULUM, (0, 2), method=method, first_step=step)
        np.testing.assert_allclose(motion.sol(np.linspace(0, 2, 50)), plain.sol(np.linspace(0, 2, 50)), atol=near)


@pytest.mark.parametrize("method", ["DOP853", "DAE"])
def test_closed_machines_and_stepwise_methods_are_searched_too(method: str) -> None:
    m = four_bar([2.0, 3.0, 3.0], 4.0)
    asked = {"max_step": 0.02} if method == "DAE" else {}
    plain = m.simulate((0, 2.5), method=method, **asked)
    name, path = plain.system.coordinates[0], plain.sol(np.linspace(0.5, 2.5, 40001))[0]
    level = float(path.min() + 1e-5 * np.ptp(path))
    motion = m.simulate((0, 2.5), method=method, events=f"{name} - {level!r}", **asked)
    assert len(motion.t_events[0]) == 2
    assert np.diff(motion.t_events[0])[0] < 0.02


def test_simultaneous_terminal_events_are_all_kept_and_all_act() -> None:
    events = [Event("t - 2", terminal=True), Event("2*t - 4", terminal=True), Event("t^3 - 8"), Event("t - 3")]
    motion = run(PENDULUM, (0, 10), events=events)
    assert [times.tolist() for times in motion.t_events] == [[2.0], [2.0], [2.0], []]
    acting = [
        Event("t - 2", then={"x": "x + 1"}),
        Event("3*t - 6", then={"x'": "0"}),
        Event("2 - t", then={"x": "x + 1"}),
    ]
    for order in itertools.permutations(acting):
        motion = run(PENDULUM, (0, 3), events=list(order))
        (jump,) = motion.jumps
        assert jump.after["x"] == jump.before["x"] + 2
        assert jump.after["x'"] == 0
        assert [len(times) for times in motion.t_events] == [1, 1, 1]


@pytest.mark.parametrize("wrong", [{"terminal": -1}, {"terminal": 1.5}, {"terminal": "x"}, {"direction": float("nan")}])
def test_terms_without_meaning_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(da.SimulationError, match=next(iter(wrong))):
        run(PENDULUM, (0, 1), events=Event("x", **wrong))

    def function(t, y):
        return y[0]

    vars(function).update(wrong)
    with pytest.raises(da.SimulationError, match=next(iter(wrong))):
        integrate(Problem(lambda t, y: -y, (0.0, 1.0), [1.0], events=function))


def test_what_varies_too_quickly_is_said() -> None:
    motion = run(PENDULUM, (0, 1), events="sin(1e13*t) + 1.0000001")
    assert "varies too quickly" in motion.message
    assert "varies" not in run(PENDULUM, (0, 1), events="sin(1e3*t)").message


def test_rounding_around_zero_is_no_event() -> None:
    motion = run(PENDULUM, (0, 10), events=["cos(x)^2 + sin(x)^2 - 1", "(x + 0.1)^3 - x^3 - 0.3*x^2 - 0.03*x - 0.001"])
    assert [len(times) for times in motion.t_events] == [0, 0]


@pytest.mark.parametrize("native", [True, False])
def test_poles_on_the_ends_of_steps_are_no_zeros_and_jumps_are(native: bool) -> None:
    """At an end of a step, or within rounding of one, where a pole is as large as it can be told."""
    rng = np.random.default_rng(20)
    for _ in range(30):
        step = float(rng.choice([0.05, 0.1, 0.125]))
        place = step * int(rng.integers(3, 17))
        for _ in range(int(rng.integers(0, 4))):
            place = float(np.nextafter(place, rng.choice([0.0, 9.0])))
        power, other = int(rng.choice([1, 3, 5])), float(rng.uniform(0.2, 1.9))
        formulas = [
            f"1/(t - {place!r})^{power}",
            f"(t - {other!r})/(t - {place!r})^{power}",
            f"tan(t - {place!r} + pi/2)",
            f"sign(t - {place!r}) - 0.3",
            f"t - {place!r}",
        ]
        functions = [
            lambda t, y, c=place, k=power: np.divide(1.0, np.float64(t - c) ** k),
            lambda t, y, c=place, k=power, z=other: np.divide(t - z, np.float64(t - c) ** k),
            lambda t, y, c=place: np.tan(t - c + pi / 2),
            lambda t, y, c=place: np.sign(t - c) - 0.3,
            lambda t, y, c=place: t - c,
        ]
        method = str(rng.choice(["symplectic4", "DOPRI5"]))
        with np.errstate(divide="ignore"):
            events = formulas if native else functions
            motion = run(PENDULUM, (0, 2), events=events, method=method, first_step=step, max_step=step)
        expected = [0, 1, int(place > pi / 2) + int(place + pi / 2 < 2), 1, 1]
        assert [len(times) for times in motion.t_events] == expected, (place, step, power, other, method)
        assert abs(motion.t_events[1][0] - other) < 1e-12
        assert abs(motion.t_events[4][0] - place) < 1e-15


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_what_rests_on_zero_is_asked_no_more_often_than_steps_are_made(unit: float) -> None:
    """A machine at rest has speeds that are zero all along: nothing crosses there, however closely one looks."""
    asked = []

    def still(t: float, y: np.ndarray) -> float:
        asked.append(t)
        return float(y[1])

    rests = System(("x",), ("x'",), (v, -9.81 * unit * ex.sin(x / unit)), start={"x": 0.0})
    for events in (["x'", "x'^2 - x^2"], [still]):
        motion = run(rests, (0, 10), events=events)
        assert "varies too quickly" not in motion.message
        assert not any(len(times) for times in motion.t_events)
    assert len(asked) < 40 * len(motion.t)


@pytest.mark.parametrize("method", ["DOP853", "taylor"])
@pytest.mark.parametrize("size", [1.0, 1e-165, 1e-200, 1e-290])
def test_values_whose_product_is_nothing_cross_where_they_change_sign_only(size: float, method: str) -> None:
    """Two values of one sign below 1e-162 have a product of zero, which told an event at every end of a step."""
    swing = System(("x",), ("x'",), (v, -x), start={"x": 1.0})
    motion = run(swing, (0, 10), events=[ex.const(size) * x, lambda t, y: size * y[1]], method=method)
    np.testing.assert_allclose(motion.t_events[0], np.arange(0.5, 3) * pi, atol=1e-7)
    np.testing.assert_allclose(motion.t_events[1], np.arange(1, 4) * pi, atol=1e-7)
