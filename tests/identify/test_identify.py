"""Inertial parameters: Y theta is inverse dynamics; base parameters are those of the literature; data tell them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from measured_machines import two_bars


def random_tree(seed):
    rng = np.random.default_rng(seed)
    m = da.Mechanism("tree")
    bodies = [da.earth]
    for k in range(4):
        points, weights = rng.standard_normal((5, 3)), rng.uniform(0.2, 1, 5)
        mass = weights.sum()
        c = weights @ points / mass
        I = sum(
            w * ((x - c) @ (x - c) * np.eye(3) - np.outer(x - c, x - c)) for w, x in zip(weights, points, strict=True)
        )
        body = m.body(f"b{k}", mass=float(mass), centre=[float(x) for x in c], inertia=((I + I.T) / 2).tolist())
        first = bodies[int(rng.integers(len(bodies)))]
        place = first.at([float(x) for x in rng.standard_normal(3)], da.turn(float(rng.uniform(-2, 2)), "y"))
        axis = [float(x) for x in rng.standard_normal(3)]
        joint = [da.revolute(axis), da.prismatic(axis), da.spherical("quaternion"), da.universal()][
            int(rng.integers(4))
        ]
        here = body.at([0.1, 0.2, 0.3])
        m.join(*((place, here) if rng.random() < 0.7 else (here, place)), joint, name=f"j{k}")
        bodies.append(body)
    m.force(bodies[-1].at([1, 0, 0]), ["3*t", 1, "-2"], name="push")
    m.gravity = [1, -2, -9.81]
    return m


@pytest.mark.parametrize("seed", range(4))
def test_the_regressor_is_inverse_dynamics(seed):
    m = random_tree(seed)
    f, Y = m.compile(), m.regressor()
    state = m.layout().state
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((3, len(state.coordinates)))
    for group in state.quaternions:
        index = [state.coordinates.index(x) for x in group]
        q[:, index] /= np.linalg.norm(q[:, index], axis=1, keepdims=True)
    u, v = rng.standard_normal((2, 3, len(state.speeds)))
    asked = np.asarray(f.inverse_dynamics(q, u, v, 0.4))
    found = Y(q, u, v, 0.4) @ Y.theta() - Y.known_efforts(q, u, 0.4)
    np.testing.assert_allclose(found, asked, rtol=0, atol=1e-11 * np.abs(asked).max())


def test_two_bars_group_as_every_textbook_says():
    base = two_bars().base_parameters()
    assert set(base.combinations) == {"a.Izz + 0.25 b.m", "a.hx + 0.5 b.m", "a.hy", "b.hx", "b.hy", "b.Izz"}
    assert len(base.unseen) == 13
    assert base.gap[0] < 1e-12 < 1e-2 < base.gap[1]


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_change_no_grouping(unit):
    assert two_bars(unit).base_parameters().chosen == two_bars().base_parameters().chosen


def puma():
    """Modified Denavit-Hartenberg numbers of the Puma 560 (Armstrong, Khatib and Burdick 1986)."""
    turns, a, d = (0, -1, 0, 1, -1, 1), (0, 0, 0.4318, 0.0203, 0, 0), (0, 0.2435, -0.0934, 0.4331, 0, 0)
    m = da.Mechanism("puma")
    below = da.earth
    for k in range(6):
        body = m.body(f"l{k + 1}", mass=1 + k, centre=[0.1 * k, 0.02, 0.03], inertia=[0.3 + 0.02 * k, 0.35, 0.4])
        turned = [da.turn(f"{turns[k]}*pi/2", "x")] if turns[k] else []
        place = da.Displacement.of([0, 0, 0], *turned) @ da.Displacement.of([a[k], 0, d[k]])
        m.join(da.Frame(below.name, place), body, da.revolute("z"), name=f"j{k + 1}")
        below = body
    m.gravity = [0, 0, -9.81]
    return m


def test_the_puma_560_has_36_base_parameters():
    """Mayeda, Yoshida and Osuka 1990; Khalil and Bennis 1995."""
    base = puma().base_parameters()
    assert len(base) == 36
    words = dict(zip(base.names, base.combinations, strict=True))
    assert words["l6.Ixx"] == "l6.Ixx - l6.Iyy"
    assert words["l5.Izz"] == "l5.Izz + l6.Iyy"
    assert words["l2.hx"] == "l2.hx + 0.4318 l3.m + 0.4318 l4.m + 0.4318 l5.m + 0.4318 l6.m"


def test_a_four_bar_tells_eight_combinations_and_beta_explains_every_effort():
    m = da.Mechanism("four-bar")
    lengths = {"crank": 1, "coupler": 3, "rocker": 2}
    bars = {
        name: m.body(name, mass=l + 0.5, centre=[l / 2, 0.1, 0], inertia=[0.3 * l, 0.3 * l, 0.4 * l])
        for name, l in lengths.items()
    }
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at([1, 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at([3, 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at([3, 0, 0]), bars["rocker"].at([2, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start.update({"A.th": np.pi / 2, "B.th": -1.2334888453651298, "D.th": 1.6554235530825847})
    base = m.base_parameters()
    assert len(base) == 8
    # other inertias with the same beta move alike
    Y = base.regressor
    theta, change = Y.theta(), np.random.default_rng(0).standard_normal(len(Y.names))
    change[list(base.chosen)] = -base.grouping @ change[list(base.others)]
    np.testing.assert_allclose(base.values(theta + change), base.values(theta), atol=1e-9)
    from dalembert.identify.states import random_states

    states = random_states(m.layout(), 30, seed=5)
    W = states.stacked(Y(states.q, states.u, states.udot))
    assert np.abs(W @ change).max() < 1e-9 * np.abs(W).max()
    assert np.linalg.matrix_rank(W, tol=1e-9 * np.abs(W).max()) == 8


def test_data_tell_the_parameters_within_their_stated_deviation():
    m = two_bars()
    base = m.base_parameters()
    way = base.excitation({"p.th": (-1, 1), "q.th": (-2, 2)}, period=5.0, rates={"p.th": 3, "q.th": 3}, tries=1)
    assert np.abs(way.q[:, 0]).max() <= 1 + 1e-12
    assert np.abs(way.u).max() <= 3 + 1e-12
    assert way.condition < 10
    rng = np.random.default_rng(1)
    true, efforts = (
        base.values(base.regressor.theta()),
        np.asarray(m.compile().inverse_dynamics(way.q, way.u, way.udot)),
    )
    inside = []
    for _ in range(100):
        noisy = efforts + 0.05 * rng.standard_normal(efforts.shape)
        found = base.identify(way.q, way.u, way.udot, noisy, physical=False)
        inside.append(np.abs(found.values - true) < 1.96 * found.deviations)
    assert 0.92 < np.mean(inside) < 0.98
    found = base.identify(way.q, way.u, way.udot, noisy, prior=base.regressor.theta() * 0.8)
    for k in range(2):
        mass, hx, hy, hz, xx, yy, zz, xy, xz, yz = found.theta[10 * k : 10 * k + 10]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        second = np.trace(I) / 2 * np.eye(3) - I
        J = np.block([[second, np.array([[hx], [hy], [hz]])], [np.array([[hx, hy, hz]]), mass]])
        assert np.linalg.eigvalsh(J).min() > -1e-12
    np.testing.assert_allclose(base.values(found.theta), found.values, atol=3 * found.deviations.max())
    assert "can be told" in str(base)
    assert "+-" in str(found)


def test_too_few_data_are_refused():
    base = two_bars().base_parameters()
    with pytest.raises(da.DalembertError, match="measure longer"):
        base.identify([[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]])
    with pytest.raises(da.DalembertError, match="shape"):
        base.identify([[0, 0]], [[0]], [[0, 0]], [[0, 0]])
    with pytest.raises(da.DalembertError, match="limits"):
        base.excitation({"p.th": (-1, 1)}, period=1.0)


def test_stops_friction_and_slides_have_no_say_in_what_a_closed_machine_can_tell():
    """Postures were those of a motion: a finger slid away without end on its rail, friction ended in words of NumPy."""

    def hand(with_contacts):
        m = da.Mechanism("hand")
        palm = m.body("palm", mass=1, centre=[0.1, 0, 0], inertia=[1e-4, 2e-3, 2e-3])
        m.join(da.earth, palm, da.revolute("y"), name="wrist")
        for k, way in (("left", "y"), ("right", "-y")):
            m.join(palm, m.body(k, mass=0.05, inertia=[1e-5, 2e-5, 2e-5]), da.prismatic(way), name=k)
        m.constrain("right.x - left.x", name="gear")
        if with_contacts:
            m.limit("left.x", 0, 0.04)
            m.rub("wrist.th", 0.2)
        return m.base_parameters()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        free, held = hand(False), hand(True)
    assert str(free) == str(held)
    assert len(free) == 2  # the moment of inertia of all about the wrist, and what slides
