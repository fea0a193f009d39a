"""Generalised alpha is a method like others: dense output, asked times, events, quaternions, trees."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import Problem, integrate
from linkages import four_bar, pair_of_spheres


def bars() -> da.Mechanism:
    return four_bar((0.2, 0.4, 0.35), 0.5)


START = {"A.th": 1.0, "A.th'": 3.0}


def test_speeds_need_not_be_rates_of_coordinates():
    m, start = pair_of_spheres(), {"s.wx": 1.0, "s.wz": 2.0}
    reference = m.simulate((0, 0.4), start=start, rtol=1e-11).y[:, -1]
    ends = [m.simulate((0, 0.4), start=start, method="DAE", max_step=h).y[:, -1] for h in (4e-3, 2e-3)]
    errors = [np.abs(end - reference).max() for end in ends]
    assert errors[1] < 1e-4
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_a_tree_is_integrated_too():
    m = da.load("examples/pendulum.lsd")
    errors = [
        abs(m.simulate((0, 1), method="DAE", max_step=h).y[0, -1] - m.simulate((0, 1), rtol=1e-11).y[0, -1])
        for h in (4e-3, 2e-3)
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.5)


def test_states_between_steps_are_told_and_closed():
    algebraic = bars().simulate((0, 0.5), start=START, method="DAE", max_step=1e-3)
    reference = bars().simulate((0, 0.5), start=START, rtol=1e-11)
    times = np.linspace(0, 0.5, 77)
    assert np.abs(algebraic.sol(times) - reference.sol(times)).max() < 1e-4
    assert algebraic.at(times).quality.closure < 1e-12
    asked = bars().simulate((0, 0.5), start=START, method="DAE", max_step=1e-3, t_eval=times)
    assert np.array_equal(asked.t, times)


def test_events_are_found_and_may_end_the_motion():
    watched = {"level": "A.th - 1.2", "end": da.Event("A.th - 1.3", terminal=True)}
    algebraic = bars().simulate((0, 0.5), start=START, method="DAE", max_step=1e-3, events=watched)
    reference = bars().simulate((0, 0.5), start=START, rtol=1e-11, events=watched)
    for name, times in reference.events.items():
        assert algebraic.events[name] == pytest.approx(times, abs=1e-5)
    assert algebraic.status == 1
    assert algebraic["A.th"][-1] == pytest.approx(1.3, abs=1e-12)


def test_rates_alone_are_refused():
    with pytest.raises(da.SimulationError, match="masses, efforts and conditions"):
        integrate(Problem(lambda t, y: -y, (0, 1), [1.0], method="DAE"))


def test_many_motions_are_refused():
    from dalembert.simulate import run_many, system_of

    with pytest.raises(da.SimulationError, match="one motion at a time"):
        run_many(system_of(da.load("examples/pendulum.lsd")), (0, 1), method="DAE")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seed"), [("spatial", 6), ("spherical_loop", 7), ("plane_loop", 8), ("bennett", 22), ("platform", 11)]
)
def test_random_linkages_converge_with_order_two(kind, seed):
    """Overconstrained, spherical, spatial, a platform: two methods that share no step."""
    import random_loops
    from dalembert.simulate import simulate

    m = random_loops.heavy(getattr(random_loops, kind), seed)
    reference = simulate(m, (0, 0.1), rtol=1e-10).y[:, -1]
    motions = [simulate(m, (0, 0.1), method="DAE", max_step=h) for h in (2e-3, 1e-3)]
    coarse, fine = (np.abs(mo.y[:, -1] - reference).max() for mo in motions)
    assert 3.8 < coarse / fine < 4.2
    better = (4 * motions[1].y[:, -1] - motions[0].y[:, -1]) / 3
    assert np.abs(better - reference).max() < 1e-2 * fine
    assert motions[1].quality.closure < 1e-14
