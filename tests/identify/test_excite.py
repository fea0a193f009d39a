"""Excitations: loops stay closed, floating bases turn, limits hold, and data of such motions tell the parameters."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.identify.driven import Driven
from measured_machines import floating, four_bar


def sines(names, t, rng):
    """Values, rates and accelerations of smooth motions."""
    w, size = rng.uniform(0.5, 1.5, len(names)), rng.uniform(0.2, 0.5, len(names))
    s = size * np.sin(np.outer(t, w))
    return s, size * w * np.cos(np.outer(t, w)), -(w**2) * s


@pytest.mark.parametrize(
    ("made", "limits", "middle"),
    [
        (four_bar, ("A.th",), np.pi / 2),
        (four_bar, ("D.th",), 1.6),
        (floating, ("p.x", "p.y", "p.z", "h.th", "p.turn.x", "p.turn.y", "p.turn.z"), 0.0),
    ],
)
def test_speeds_and_accelerations_are_the_rates_of_the_driven_motion(made, limits, middle):
    """By differences of fourth order over 1e-3 s: nothing of the mapping is used to check it."""
    m, h = made(), 1e-3
    driven = Driven(m.layout(), dict.fromkeys(limits, (-1, 1)))
    assert set(driven.names) == set(limits)
    t = np.concatenate([x + h * np.arange(-2, 3) for x in (0.3, 1.1)])
    s, v, a = sines(driven.names, t, np.random.default_rng(0))
    found = driven.states(s + middle, v, a)
    five = np.array([1, -8, 0, 8, -1]) / (12 * h)
    for k in (0, 5):
        rates = five @ found.q[k : k + 5]
        np.testing.assert_allclose(m.compile().rates(found.q[k + 2], found.u[k + 2]), rates, atol=1e-8)
        np.testing.assert_allclose(five @ found.u[k : k + 5], found.udot[k + 2], atol=1e-8)


@pytest.mark.parametrize("unit", [1.0, pytest.param(1e-3, marks=pytest.mark.slow)])
def test_an_excited_four_bar_tells_its_eight_parameters(unit):
    m = four_bar(unit)
    base = m.base_parameters()
    limits = {"A.th": (0.4, 2.7), "D.th": (0.5, 3.0)}
    way = base.excitation(limits, period=4.0, samples=25, harmonics=3, tries=1)
    for name, (low, high) in limits.items():
        q = way.q[:, m.layout().state.coordinates.index(name)]
        assert low - 1e-9 <= q.min() < q.max() <= high + 1e-9
    assert np.abs(way.u[[0, -1]]).max() < 1e-12  # at rest at the ends
    assert way.condition < 1e4
    efforts = np.zeros_like(way.u)  # the crank alone is pushed
    needed = m.needed_efforts(way.q, way.u, way.udot, by=["A.th"])
    efforts[:, m.layout().state.speeds.index("A.th'")] = needed.efforts["A.th"]
    found = base.identify(way.q, way.u, way.udot, efforts, physical=False)
    true = base.values(base.regressor.theta())
    np.testing.assert_allclose(found.values, true, atol=1e-8 * np.abs(true).max() * way.condition)


def test_motions_that_cannot_be_are_told():
    base = four_bar().base_parameters()
    with pytest.raises(da.DalembertError, match=r"nothing called 'E\.th'"):
        base.excitation({"E.th": (0, 1)}, period=1.0)
    with pytest.raises(da.DalembertError, match="leave 1 freedom"):
        base.excitation({}, period=1.0)
    with pytest.raises(da.DalembertError, match="lower and a higher"):
        base.excitation({"A.th": (1, 1)}, period=1.0)
    with pytest.raises(da.DalembertError, match="narrow the limits"):
        base.excitation({"D.th": (-3, 3)}, period=1.0, samples=8, harmonics=1, tries=1)
