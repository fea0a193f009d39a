"""Derivatives of motions against closed forms, and against differences of motions at tight tolerance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.simulate import Event, System, run, sensitivities
from dalembert.simulate.runs import answering
from dalembert.simulate.runs.answering import DIFFERENCE, STENCIL
from linkages import four_bar

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def differences(m, name: str, base: float, end: float, **asked) -> np.ndarray:
    """Four motions, error of the fourth order."""
    h = 1e-3 * max(abs(base), 1.0)

    def last(value: float) -> np.ndarray:
        which = "start" if "." in name else "given"
        changed = {**asked, which: {**asked.get(which, {}), name: value}}
        return m.simulate((0, end), t_eval=[end], **changed, **TIGHT).y[:, -1]

    return (8 * (last(base + h) - last(base - h)) - (last(base + 2 * h) - last(base - 2 * h))) / (12 * h)


def double_pendulum() -> da.Mechanism:
    m = da.Mechanism("double pendulum")
    a = m.body("a", mass="m", centre=[0, 0, "-l"], inertia=[0.1, 0.1, 0])
    b = m.body("b", mass="2*m", centre=[0, 0, -0.3], inertia=[0.02, 0.02, 0])
    m.join(da.earth, a, da.revolute("x"), name="one")
    m.join(a.at([0, 0, "-2*l"]), b, da.revolute("y"), name="two")
    m.gravity = [0, 0, "-g"]
    m.given = {"m": 1.5, "l": 0.4, "g": 9.81}
    m.start = {"one.th": 1.0, "two.th": "l", "two.th'": 2.0}
    return m


def test_a_tree_answers_to_masses_lengths_gravity_and_its_start() -> None:
    """The start of the second joint is a formula of a length, which counts."""
    m = double_pendulum()
    names = {"m": 1.5, "l": 0.4, "g": 9.81, "one.th": 1.0, "two.th'": 2.0}
    found = m.sensitivities((0, 1.5), list(names), **TIGHT)
    for k, (name, base) in enumerate(names.items()):
        right = differences(m, name, base, 1.5)
        np.testing.assert_allclose(found.at(1.5)[:, k], right, rtol=1e-7, atol=1e-7 * np.abs(right).max())
    assert found["one.th", "l"][-1] == pytest.approx(found.at(1.5)[0, 1], rel=1e-9)
    speed = found.of("one.th'^2 + l", 1.5)
    state = found.motion.state(1.5)
    assert speed[1] == pytest.approx(2 * state["one.th'"] * found.at(1.5)[2, 1] + 1, rel=1e-9)


def test_a_closed_machine_answers_on_its_constraints() -> None:
    m = four_bar((2.0, 3.0, 3.0), 4.0)
    m.gravity = [0, "-g", 0]
    m.given = {"g": 9.81}
    m.start = {"A.th": 1.0}
    found = m.sensitivities((0, 0.8), ["g", "A.th"], **TIGHT)
    for k, (name, base) in enumerate({"g": 9.81, "A.th": 1.0}.items()):
        right = differences(m, name, base, 0.8)
        np.testing.assert_allclose(found.at(0.8)[:, k], right, rtol=1e-6, atol=1e-7 * np.abs(right).max())
    about = found.system.constrained
    assert about is not None
    values = {**dict(zip(found.system.symbols, found.motion.y[: len(found.system.states), -1], strict=True))}
    shape = about.rows.matrix.shape
    rows = np.array(ex.evaluate(list(about.rows.matrix.entries), values), dtype=float).reshape(shape)
    assert np.abs(rows @ found.at(0.8)[: shape[1]]).max() < 1e-9  # tangent to what the loops allow


def ball() -> System:
    v, g = ex.symbols("x' g")
    return System(("x",), ("x'",), (v, -g), given={"g": 9.81, "e": 0.8}, start={"x": 1.0})


def test_events_move_and_make_sensitivities_jump() -> None:
    """A bouncing ball from the height h: x = v1 s - g s^2/2 with v1 = e sqrt(2 g h), s = t - sqrt(2 h/g)."""
    bounce = Event("x", then={"x'": "-e*x'"}, direction=-1)
    found = sensitivities(ball(), (0, 0.8), ["e", "g", "x"], events=[bounce, "t - 0.7"], **TIGHT)
    g, e, h, t = 9.81, 0.8, 1.0, 0.8
    hit = math.sqrt(2 * h / g)
    s, v1 = t - hit, e * math.sqrt(2 * g * h)
    by_e = math.sqrt(2 * g * h) * s
    by_g = e * math.sqrt(h / (2 * g)) * s + (v1 - g * s) * hit / (2 * g) - s * s / 2
    by_h = e * math.sqrt(g / (2 * h)) * s - (v1 - g * s) / math.sqrt(2 * g * h)
    np.testing.assert_allclose(found.at(0.8)[0], [by_e, by_g, by_h], rtol=1e-9)
    np.testing.assert_allclose(found.event_times(0), [[0, -hit / (2 * g), 1 / math.sqrt(2 * g * h)]], atol=1e-9)
    np.testing.assert_allclose(found.event_times("t - 0.7"), [[0, 0, 0]], atol=1e-12)


def test_what_has_no_derivatives_is_refused() -> None:
    with pytest.raises(da.SimulationError, match="write it as a formula"):
        sensitivities(ball(), (0, 1), ["g"], events=lambda t, y: y[0])
    m = four_bar((2.0, 3.0, 3.0), 4.0)
    m.gravity, m.given = [0, "-g", 0], {"g": 9.81}
    with pytest.raises(da.SimulationError, match="changes a parameter of a closed machine"):
        m.sensitivities((0, 1), ["g"], start={"A.th": 1.0}, events=Event("A.th", then={"g": 1.0}))
    with pytest.raises(da.SimulationError, match="Did you mean 'g'"):
        sensitivities(ball(), (0, 1), ["G"])
    found = sensitivities(ball(), (0, 0.1), ["g"])
    with pytest.raises(da.SimulationError, match="no 'y'"):
        found["y", "g"]
    assert run(ball(), (0, 0.1)).y[0, -1] == pytest.approx(found.motion["x"][-1], abs=1e-9)


@pytest.mark.parametrize("slope", [3e-11, 1.0, 1 + 3e-10, -2.0, 4e9 + 0.25])
def test_small_slopes_of_a_start_are_told_in_any_unit(slope):
    at, h = 0.7, DIFFERENCE
    found = answering.slope([np.array([slope * (at + k * h)]) for k, _ in STENCIL], h)[0]
    assert found == pytest.approx(slope, rel=1e-10)
