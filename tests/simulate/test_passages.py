"""Slow passages of singular postures: no energy is lost, no loop opens, and events and asked times are told in them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.dynamics.start import StartWarning
from dalembert.simulate import run_many, system_of
from dalembert.simulate.loop.dense import Manifold
from dalembert.simulate.methods.collocation import Polynomial, collocated
from dalembert.simulate.runs import passage
from linkages import four_bar, rod

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def rising(factor: float) -> tuple[da.Mechanism, dict[str, float]]:
    """A parallelogram that rises to its flat posture; factor 1 would bring it to rest exactly there."""
    m = four_bar((1, 2, 1), 2)
    speed = factor * math.sqrt(2 * 2 * 9.81 * math.sin(0.3) / (5 / 3))
    return m, {"A.th": -0.3, "D.th": -0.3, "A.th'": speed}


def equal_slider_crank(length: float) -> da.Mechanism:
    """Crank and rod of one length: with the slider below the crank's axis the rod may also turn with the crank."""
    m = da.Mechanism("equal slider crank")
    a, b, s = rod(m, "a", length), rod(m, "b", length), m.body("s", mass=0.5)
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([length, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth, s, da.prismatic("x"), name="X")
    m.join(b.at([length, 0, 0]), s, da.revolute("z"), name="C")
    return m


def lost(mo) -> float:
    return float(np.ptp(mo.energy()) / max(np.max(mo.kinetic_energy()), np.ptp(mo.potential_energy())))


@pytest.mark.parametrize("factor", [1.01, 1.0001, 0.9999])
def test_a_parallelogram_that_turns_beside_its_flat_posture_keeps_energy_and_loops(factor):
    m, start = rising(factor)
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.simulate.QualityWarning)
        mo = m.simulate((0, 0.8), start=start, **TIGHT)
    assert lost(mo) < 1e-8
    assert mo.quality.closure < 1e-10
    assert np.abs(mo["A.th"] - mo["D.th"]).max() < 1e-9  # a parallelogram all the way
    # as the pendulum that all its masses make on one crank: w w' = - (2 g / (5/3)) cos th
    rate = 2 * 9.81 / (5 / 3)
    pendulum = solve_ivp(
        lambda t, y: [y[1], -rate * np.cos(y[0])], (0, 0.8), [-0.3, start["A.th'"]], rtol=1e-12, atol=1e-13
    )
    assert mo["A.th"][-1] == pytest.approx(pendulum.y[0, -1], abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_slow_motions_from_a_singular_posture_come_back_to_it(seed):
    """Started in the posture with a small speed, backwards in time; then forward through it again."""
    rng = np.random.default_rng(seed)
    if seed == 0:
        m, start = equal_slider_crank(0.6), {"A.th": math.pi / 2, "B.th": math.pi}
    elif seed == 1:
        a, b, c = 0.7, 0.5, 0.9
        m, start = four_bar((a, b, c), b + c - a), {"A.th": math.pi, "B.th": math.pi, "D.th": math.pi}
    else:
        m, start = four_bar((0.5, 0.8, 0.5), 0.8), {"A.th": 0.0, "B.th": 0.0, "D.th": 0.0}
    turn = rng.uniform(0.5, 1.0)
    m.gravity = [9.81 * math.sin(turn), -9.81 * math.cos(turn), 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.simulate.QualityWarning)
        warnings.simplefilter("ignore", StartWarning)  # two branches: it takes one
        before = m.simulate((0, -0.25), start={**start, "A.th'": 0.01}, **TIGHT)
        state = {name: value for name, value in before.state(-0.25).items() if name != "t"}
        mo = m.simulate((-0.25, 0.25), start=state, **TIGHT)
    assert lost(before) < 1e-8
    assert lost(mo) < 1e-8
    assert mo.sol(0.0) == pytest.approx(before.y[:, 0], abs=1e-6)


def test_events_and_asked_times_of_a_passage_are_told():
    m, start = rising(1.001)
    times = np.linspace(0, 0.5, 101)
    mo = m.simulate((0, 0.5), start=start, t_eval=times, events=["A.th"], **TIGHT)
    assert [len(times) for times in mo.t_events] == [2]  # up through the flat posture, and down again
    assert mo.t == pytest.approx(times)
    for t in mo.t_events[0]:
        assert abs(mo.sol(t)[mo.system.states.index("A.th")]) < 1e-9
    ended = m.simulate((0, 0.5), start=start, events=[da.Event("A.th", terminal=2)], **TIGHT)
    assert ended.t[-1] == pytest.approx(mo.t_events[0][1], abs=1e-8)
    bare = m.simulate((0, 0.5), start=start, dense_output=False, t_eval=times, **TIGHT)
    assert bare["A.th"] == pytest.approx(mo["A.th"], abs=1e-12)


def test_backward_and_forward_passages_are_one_motion():
    m, start = rising(1.0005)
    mo = m.simulate((0, 0.5), start=start, **TIGHT)
    end = {name: value for name, value in mo.state(0.5).items() if name != "t"}
    back = m.simulate((0.5, 0), start=end, **TIGHT)
    assert back["A.th'"][-1] == pytest.approx(start["A.th'"], abs=1e-6)
    assert back["A.th"][-1] == pytest.approx(-0.3, abs=1e-7)


def test_each_of_many_motions_passes_as_one_alone():
    m, start = rising(1.0)
    factors, times = np.array([1.2, 1.0001, 0.5]), np.linspace(0, 0.8, 9)
    speeds = factors * start["A.th'"]
    many = run_many(system_of(m), (0, 0.8), start={**start, "A.th'": speeds}, t_eval=times, **TIGHT)
    assert many.slow == {}
    for k, speed in enumerate(speeds):
        alone = m.simulate((0, 0.8), start={**start, "A.th'": speed}, t_eval=times, **TIGHT)
        assert many.y[k] == pytest.approx(alone.y, abs=1e-13)
        assert lost(alone) < 1e-8


def test_a_motion_of_many_that_loses_something_is_named(monkeypatch):
    monkeypatch.setattr(passage, "collocated", lambda *_: None)
    m, start = rising(1.0)
    speeds = np.array([1.2, 0.99995]) * start["A.th'"]
    with pytest.warns(da.simulate.QualityWarning, match=r"trajectory 1 goes slowly through a singular posture at t"):
        many = run_many(system_of(m), (0, 0.8), start={**start, "A.th'": speeds}, **TIGHT)
    assert list(many.slow) == [1]


@pytest.mark.parametrize("base", [0.0, 0.5])
def test_a_polynomial_that_obeys_an_oscillator_at_its_nodes_is_a_cosine(base):
    begin = Polynomial(1.0 - base * 1.5, 1.5, np.array([np.cos(1.0), -np.sin(1.0)]), base, np.zeros(0))
    guess = np.zeros((len(begin.nodes), 2)) + begin.y
    free = Manifold(np.zeros((0, 4), dtype=np.int64))
    found = collocated(lambda t, y: np.array([y[1], -y[0]]), free, np.ones(2), begin, guess)
    assert found is not None
    times = begin.t + 1.5 * np.linspace(0, 1, 7)
    assert found.at(times) == pytest.approx(np.array([np.cos(times), -np.sin(times)]).T, abs=1e-12)
